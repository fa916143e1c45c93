//! Sorting on a device: items of four words, by digits of these, the least significant digit first.
//!
//! ```text
//!   items --> sort_count --> sort_sum --> sort_move --> items by one digit of 8 bits
//!     ^       (of a block)   (of a value)                 |
//!     `---------------------------------------------------'  the next digit
//! ```
//!
//! Each pass keeps the order of equal digits (Knuth, The Art of Computer Programming 3, 5.2.5), so that
//! the last one leaves the order by all of them. What it costs follows from the bits that differ: an order
//! by numbers below 1000 takes two passes.

use crate::DeviceError;
use crate::gpu::Gpu;
use crate::stream::{Backend, CudaBackend, Launch, Word};

const FATBIN: &[u8] = include_bytes!("../cuda/sort.fatbin");

/// Bytes of an item.
pub const ITEM: usize = 16;

/// The most items that can be sorted.
pub const MOST: usize = u32::MAX as usize - VALUES as usize;

/// Values of a digit, its bits, and threads of a block.
const VALUES: u32 = 256;
const BITS: u32 = 8;

/// Threads of a warp.
const WARP: u32 = 32;

/// Items that a block is worth while for.
const OF_BLOCK: u32 = 1 << 12;

/// A part of an item that decides about its place.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The word, 0 to 3.
    pub word: u32,
    /// Its lowest bits that matter, up to 32; all others are 0 or to be ignored.
    pub bits: u32,
}

impl Field {
    /// A word with numbers up to `most`.
    pub fn up_to(word: u32, most: u32) -> Self {
        Self { word, bits: u32::BITS - most.leading_zeros() }
    }

    /// Its digits, the least significant first: where each is, and its bits.
    fn digits(self) -> impl Iterator<Item = [u32; 3]> {
        let Self { word, bits } = self;
        (0..bits).step_by(BITS as usize).map(move |shift| [word, shift, BITS.min(bits - shift)])
    }
}

/// Sorts on a device.
#[derive(Debug)]
pub struct Sorter<B> {
    backend: B,
}

impl Sorter<CudaBackend> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self::with_backend(CudaBackend::new(gpu, "sort", FATBIN)?))
    }
}

impl<B: Backend> Sorter<B> {
    /// The same on any backend that has the kernels of `sort` loaded.
    pub fn with_backend(backend: B) -> Self {
        Self { backend }
    }

    /// Sorts the first `count` items of a buffer by fields, the least significant first; items that are
    /// alike in them stay in their order. Gives a buffer of the same length.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if another buffer does not fit, or the device fails.
    ///
    /// # Panics
    /// If there are more than [`MOST`] items.
    #[allow(unsafe_code)]
    pub fn sort(
        &self,
        items: B::Buffer,
        count: usize,
        fields: &[Field],
    ) -> Result<B::Buffer, DeviceError> {
        assert!(count <= MOST, "{count} items to sort");
        let (backend, count) = (&self.backend, count as u32);
        if count < 2 {
            return Ok(items);
        }
        let resident = backend.resident_blocks("sort_move", VALUES, 0)?.max(1);
        let blocks = count.div_ceil(OF_BLOCK).min(resident);
        let adding = blocks.next_multiple_of(WARP).min(VALUES);
        let [counts, totals] = [VALUES * blocks, VALUES]
            .map(|numbers| backend.uninitialized(numbers as usize * size_of::<u32>()));
        let (counts, totals) = (counts?, totals?);
        let (mut items, mut sorted) = (items, backend.uninitialized(count as usize * ITEM)?);
        for digit in fields.iter().copied().flat_map(Field::digits) {
            let [from, to, counts, totals] = [&items, &sorted, &counts, &totals]
                .map(|buffer| Word::Address(backend.address(buffer)));
            let values = 1 << digit[2];
            let [word, shift, bits] = digit.map(Word::Number);
            let all = Word::Number(count);
            let launches: [(_, _, _, &[Word]); 3] = [
                ("sort_count", blocks, VALUES, &[from, all, word, shift, bits, counts]),
                ("sort_sum", values, adding, &[counts, Word::Number(blocks), totals]),
                ("sort_move", blocks, VALUES, &[from, all, word, shift, bits, counts, totals, to]),
            ];
            for (kernel, blocks, width, arguments) in launches {
                let launch = Launch { kernel, blocks, width, shared: 0, arguments };
                // SAFETY: the arguments are those of the kernel: both buffers have `count` items, and
                // there is a count for each value and block, and a total for each value.
                unsafe { backend.enqueue(&launch) }?;
            }
            std::mem::swap(&mut items, &mut sorted);
        }
        Ok(items)
    }
}
