//! Making lookup tables on a device: the positions of all words of a batch of queries, of where words begin.
//!
//! ```text
//!   letters, bits where words begin --list_words--> words: code, position
//!     --sort, by code--> --fill_lookup_table--> present, starts, places
//! ```
//!
//! Words are listed in the order of their positions, which the sort keeps, so places ascend for each word as in the table of the CPU
//! ([`Lookup::arrays`]). A table of all words of 11 bases takes 16 MB, most of it empty, whatever the batch; to make it on the host and
//! to copy it took a third of the time of a batch.

use aligner_core::gpu::{DeviceAddress, Gpu};
use aligner_core::sort::{Field, ITEM_BYTES, Sorter};
use aligner_core::stream::{Backend, CudaBackend};
use aligner_core::{DeviceError, device_struct};
use bytemuck::cast_slice;

use super::tables::PerLookupArray;
use crate::gpu::launch;
use crate::seed::lookup::Lookup;

const FATBIN: &[u8] = include_bytes!("../../../cuda/lookup.fatbin");

/// Codes whose part of the table a thread fills.
const CODES_OF_A_THREAD: usize = u32::BITS as usize;

device_struct! {
    /// A word of the queries; an item of a [`Sorter`].
    pub(crate) struct ListedWord {
        /// Its bases, two bits each, the first in the highest ones.
        code: u32,
        /// Index of its first letter.
        place: u32,
        /// Unused; fills the item up to the size of those that are sorted.
        padding: [u32; 2],
    }
}

device_struct! {
    /// Parameters of the kernel `list_words`.
    pub(crate) struct ListWordsParameters {
        /// Letters of the batch, a byte each.
        letters: DeviceAddress<u8>,
        /// Of each letter, a bit: whether a word begins there.
        begins: DeviceAddress<u64>,
        /// Of each element of `begins`, how many bits are set in those before it.
        before: DeviceAddress<u32>,
        /// Output: all words, in the order of their places.
        words: DeviceAddress<ListedWord>,
        /// Number of elements of `begins`.
        begin_count: u32,
        /// How many letters the batch has.
        letter_count: u32,
        /// Bases of a word.
        width: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel `fill_lookup_table`.
    pub(crate) struct FillLookupParameters {
        /// All words, by code and place.
        words: DeviceAddress<ListedWord>,
        /// Output: of each possible word, a bit: whether it is there.
        present: DeviceAddress<u32>,
        /// Output: of each possible word, where its entries in `places` begin; and the end of all.
        starts: DeviceAddress<u32>,
        /// Output: the places of the words.
        places: DeviceAddress<u32>,
        /// How many words there are.
        word_count: u32,
        /// Number of possible words.
        code_count: u32,
    }
}

/// Makes lookup tables on a device.
#[derive(Debug)]
pub struct LookupTables<B> {
    backend: B,
    sorter: Sorter<B>,
}

impl LookupTables<CudaBackend> {
    /// Loads the kernels onto a GPU.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let backend = CudaBackend::new(gpu, "lookup", FATBIN)?;
        Ok(Self::with_backend(backend, Sorter::new(gpu)?))
    }
}

impl<B: Backend> LookupTables<B> {
    /// On any backend that has the kernels of `lookup` loaded.
    pub fn with_backend(backend: B, sorter: Sorter<B>) -> Self {
        Self { backend, sorter }
    }

    /// Makes the table of a batch of so many letters, which are in the memory of the device, and gives its arrays.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the device fails.
    #[allow(unsafe_code)]
    pub fn table(
        &self,
        lookup: &Lookup,
        (letters, letter_count): (DeviceAddress<u8>, usize),
    ) -> Result<PerLookupArray<B::Buffer>, DeviceError> {
        let backend = &self.backend;
        let begins = lookup.begins();
        let counts = begins.iter().map(|word| word.count_ones());
        let before = counts.scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count)));
        let before: Vec<u32> = before.collect();
        let (begin_count, count) = (begins.len(), lookup.len());
        let codes = 1_usize << (2 * lookup.width());
        let begins = backend.upload(cast_slice(begins))?;
        let before = backend.upload(cast_slice(&before))?;
        let words = backend.uninitialized(count * ITEM_BYTES)?;
        let listing = ListWordsParameters {
            letters,
            begins: DeviceAddress::new(backend.address(&begins)),
            before: DeviceAddress::new(backend.address(&before)),
            words: DeviceAddress::new(backend.address(&words)),
            begin_count: begin_count as u32,
            letter_count: letter_count as u32,
            width: lookup.width() as u32,
            padding: 0,
        };
        // SAFETY: there is a count for each element of `begins`, and a word for each of its bits.
        unsafe { launch::launch(backend, "list_words", begin_count, &listing) }?;
        let code = Field::up_to(0, codes as u32 - 1);
        let words = self.sorter.sort(words, count, &[code])?;
        let made = PerLookupArray {
            present: backend.uninitialized(codes.div_ceil(CODES_OF_A_THREAD) * size_of::<u32>())?,
            starts: backend.uninitialized((codes + 1) * size_of::<u32>())?,
            places: backend.uninitialized(count * size_of::<u32>())?,
        };
        let filling = FillLookupParameters {
            words: DeviceAddress::new(backend.address(&words)),
            present: DeviceAddress::new(backend.address(&made.present)),
            starts: DeviceAddress::new(backend.address(&made.starts)),
            places: DeviceAddress::new(backend.address(&made.places)),
            word_count: count as u32,
            code_count: codes as u32,
        };
        let threads = codes.div_ceil(CODES_OF_A_THREAD).max(count);
        // SAFETY: the arrays have an element, or a bit, for each possible word and for each word.
        unsafe { launch::launch(backend, "fill_lookup_table", threads, &filling) }?;
        Ok(made)
    }
}
