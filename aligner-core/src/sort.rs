//! Sorting on a device: items of four 32-bit words, by some of their bits.
//!
//! A radix sort from the least significant digit of 8 bits to the most significant one (Knuth, The Art of Computer
//! Programming 3, 5.2.5). Each digit takes three kernels (`cuda/sort.cu`):
//!
//! ```text
//!   items --> sort_count --> sort_sum --> sort_move --> items in the order of this digit
//!     ^      (each block)  (each value)  (each block)     |
//!     `---------------------------------------------------'  the next digit
//! ```
//!
//! Where one block counts all items, its counts are the sums, and `sort_sum` is left out.
//!
//! A pass keeps the order of items with equal digits, so after the last pass items are in the order of all digits. The
//! cost follows from the number of bits: an order by numbers below 1,000 takes two passes.

use crate::gpu::{DeviceAddress, DeviceStruct, Gpu};
use crate::stream::{Backend, CudaBackend, Launch};
use crate::{DeviceError, device_struct};

const FATBIN: &[u8] = include_bytes!("../cuda/sort.fatbin");

/// Bytes of an item: four words of 32 bits.
pub const ITEM_BYTES: usize = 16;

/// The most items that can be sorted.
pub const MAX_ITEMS: usize = u32::MAX as usize - VALUES as usize;

/// Values of a digit, and threads of a block.
const VALUES: u32 = 256;
/// Bits of a digit.
const BITS: u32 = 8;

/// Threads of a warp.
const WARP: u32 = 32;

/// Items for which another block is worth its overhead.
const ITEMS_OF_A_BLOCK: u32 = 1 << 12;

device_struct! {
    /// A digit of an item.
    struct Digit {
        /// The word, 0 to 3.
        word: u32,
        /// Its lowest bit in the word.
        shift: u32,
        /// How many bits it has, 1 to 8.
        bits: u32,
    }
}

device_struct! {
    /// Parameter of the kernel that counts digits.
    struct SortCountParameters {
        /// Items to be read.
        items: DeviceAddress<[u32; 4]>,
        /// For each value of the digit, how often each block has it.
        counts: DeviceAddress<u32>,
        /// How many items there are.
        count: u32,
        /// Digit that is sorted by.
        digit: Digit,
    }
}

device_struct! {
    /// Parameter of the kernel that adds up counts.
    struct SortSumParameters {
        /// For each value of the digit, the counts of the blocks, which become sums.
        counts: DeviceAddress<u32>,
        /// For each value of the digit, the sum of its counts.
        totals: DeviceAddress<u32>,
        /// How many blocks counted.
        count: u32,
        /// Unused bytes that fill up the struct.
        padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel that moves items.
    struct SortMoveParameters {
        /// Items to be read.
        items: DeviceAddress<[u32; 4]>,
        /// Array for the items in the order of the digit.
        sorted: DeviceAddress<[u32; 4]>,
        /// For each value of the digit and each block, how many items of earlier blocks have it.
        firsts: DeviceAddress<u32>,
        /// For each value of the digit, how many items have it.
        totals: DeviceAddress<u32>,
        /// How many items there are.
        count: u32,
        /// Digit that is sorted by.
        digit: Digit,
    }
}

/// A part of an item by which items are sorted: the lowest bits of one of its words.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The word, 0 to 3.
    pub word: u32,
    /// How many of its lowest bits are compared, 0 to 32. The other bits are ignored.
    pub bits: u32,
}

impl Field {
    /// A word with numbers from 0 to `most`.
    pub fn up_to(word: u32, most: u32) -> Self {
        Self { word, bits: u32::BITS - most.leading_zeros() }
    }

    /// Digits of the field, the least significant first.
    fn digits(self) -> impl Iterator<Item = Digit> {
        let Self { word, bits } = self;
        (0..bits).step_by(BITS as usize).map(move |shift| Digit {
            word,
            shift,
            bits: BITS.min(bits - shift),
        })
    }
}

/// Sorts arrays in the memory of a device.
#[derive(Debug)]
pub struct Sorter<B> {
    backend: B,
}

impl Sorter<CudaBackend> {
    /// Loads the kernels of the sort on a GPU.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self::with_backend(CudaBackend::new(gpu, "sort", FATBIN)?))
    }
}

impl<B: Backend> Sorter<B> {
    /// A sorter on any backend that has the kernels of `cuda/sort.cu` loaded.
    pub fn with_backend(backend: B) -> Self {
        Self { backend }
    }

    /// Sorts items in the memory of the host as [`sort`](Self::sort) does: copies them to the device, sorts them there and copies
    /// them back.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the items do not fit into the device's memory twice; they are as they were then. If the
    /// device fails otherwise, any of them may have been overwritten.
    ///
    /// # Panics
    /// If there are more than [`MAX_ITEMS`] items.
    pub fn sort_on_host(
        &self,
        items: &mut [[u32; 4]],
        fields: &[Field],
    ) -> Result<(), DeviceError> {
        let count = items.len();
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(items);
        let sorted = self.sort(self.backend.upload(bytes)?, count, fields)?;
        self.backend.read_into(&sorted, bytes).map_err(|error| match error {
            DeviceError::OutOfMemory(_) => DeviceError::Cuda {
                operation: "copying sorted items from the device".to_owned(),
                reason: error.to_string(),
            },
            error => error,
        })
    }

    /// Sorts the first `count` items of a buffer by fields, the least significant first, and gives a buffer of the same
    /// length. Items that are equal in all fields keep their order.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if a second buffer does not fit, or the device fails.
    ///
    /// # Panics
    /// If there are more than [`MAX_ITEMS`] items.
    #[allow(unsafe_code)]
    pub fn sort(
        &self,
        items: B::Buffer,
        count: usize,
        fields: &[Field],
    ) -> Result<B::Buffer, DeviceError> {
        assert!(count <= MAX_ITEMS, "{count} items to sort: the most is {MAX_ITEMS}");
        let (backend, count) = (&self.backend, count as u32);
        if count < 2 {
            return Ok(items);
        }
        let resident = backend.resident_blocks("sort_move", VALUES, 0)?.max(1);
        let blocks = count.div_ceil(ITEMS_OF_A_BLOCK).min(resident);
        let sum_width = blocks.next_multiple_of(WARP).min(VALUES);
        let numbers = |count: u32| backend.uninitialized(count as usize * size_of::<u32>());
        let counts_buffer = numbers(VALUES * blocks)?;
        let counts = backend.device_address(&counts_buffer);
        // What one block alone has counted are the totals, and there is nothing to add up.
        let totals_buffer = (blocks > 1).then(|| numbers(VALUES)).transpose()?;
        let totals = totals_buffer.as_ref().map_or(counts, |totals| backend.device_address(totals));
        let (mut unsorted, mut sorted) =
            (items, backend.uninitialized(count as usize * ITEM_BYTES)?);
        for digit in fields.iter().copied().flat_map(Field::digits) {
            let items = backend.device_address(&unsorted);
            let count_parameters = SortCountParameters { items, counts, count, digit };
            let sum_parameters = SortSumParameters { counts, totals, count: blocks, padding: 0 };
            let move_parameters = SortMoveParameters {
                items,
                sorted: backend.device_address(&sorted),
                firsts: counts,
                totals,
                count,
                digit,
            };
            let count_launch = ("sort_count", blocks, VALUES, count_parameters.bytes());
            let sum_launch = ("sort_sum", 1 << digit.bits, sum_width, sum_parameters.bytes());
            let move_launch = ("sort_move", blocks, VALUES, move_parameters.bytes());
            let launches =
                [Some(count_launch), (blocks > 1).then_some(sum_launch), Some(move_launch)];
            for (kernel, blocks, width, parameters) in launches.into_iter().flatten() {
                let launch = Launch { kernel, blocks, width, shared: 0, parameters };
                // SAFETY: the parameter is that of the kernel: both buffers have `count` items, and there is a count
                // for each value and block, and a total for each value.
                unsafe { backend.enqueue(&launch) }?;
            }
            std::mem::swap(&mut unsorted, &mut sorted);
        }
        Ok(unsorted)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::gpu::{DeviceStruct, LayoutHeader};

    #[test]
    fn layouts_are_those_of_the_kernels() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/sort/layouts.cuh");
        let structs = [
            Digit::LAYOUT,
            SortCountParameters::LAYOUT,
            SortSumParameters::LAYOUT,
            SortMoveParameters::LAYOUT,
        ];
        LayoutHeader { namespace: "sort", includes: &["sort/sort.cuh"], structs: &structs }
            .check(&path);
    }
}
