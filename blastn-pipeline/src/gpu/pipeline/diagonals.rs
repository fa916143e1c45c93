//! Which of the words would have been extended, had those before them on their diagonals been known: the
//! rule of [`crate::ungapped::Diagonals`], afterwards, on a device.
//!
//! ```text
//!   words --mark_diagonals--> which diagonals matter
//!     `------list_words--> keys --sort--> keys along diagonals --admit_words--> alignments
//! ```
//!
//! Words outnumber alignments by far, so they stay where they were found. Those of long queries are found
//! and looked at in pieces of the queries' letters; how far a diagonal is explored beyond the end of a piece
//! is carried over to the next.

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::sort::{self, Field, Sorter};
use aligner_core::stream::{Backend, CudaBackend, DeviceItems};
use bytemuck::{Pod, Zeroable};

use super::device::{DeviceChunk, DeviceContext};
use super::items::Spent;
use crate::gpu::launch;
use crate::ungapped::hits::ChunkHit;

const FATBIN: &[u8] = include_bytes!("../../../cuda/diagonals.fatbin");

/// How many share 32 bits of the set of diagonals, at most.
const OF_WORD: usize = 4;

/// Bytes of two cursors.
const CURSORS: usize = 2 * size_of::<u32>();

/// The words of a key that decide about its place.
const CHUNK: u32 = 0;
const DIAGONAL: u32 = 1;
const PROBE: u32 = 2;

/// `Task` of `diagonals.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Task {
    context: DeviceContext,
    /// Addresses: of words with alignments and without, of a set of diagonals, of keys, of two cursors, of
    /// hits, and of what is carried over.
    words: [u64; 2],
    likely: u64,
    keys: u64,
    cursors: u64,
    hits: u64,
    carried: u64,
    /// Words with alignments and without.
    counts: [u32; 2],
    likely_mask: u32,
    key_count: u32,
    seam: u32,
    padding: u32,
}

const _: () = assert!(size_of::<Task>() == 224);

/// A piece of the queries' letters, whose words are looked up together.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// One behind its last letter.
    pub end: u32,
    /// What the pieces before carried over.
    pub carried: &'a [Spent],
}

impl Piece<'_> {
    /// All letters.
    pub const ALL: Self = Self { end: u32::MAX, carried: &[] };
}

/// What comes of the words of a piece.
pub struct Admitted<B: Backend> {
    /// Ungapped alignments, which are [`ChunkHit`], in no particular order.
    pub hits: DeviceItems<B>,
    /// How far diagonals are explored beyond the end of the piece, as words that were tried in vain.
    pub carried: Vec<Spent>,
}

/// The rule, on a device.
#[derive(Debug)]
pub struct Rule<B> {
    backend: B,
    sorter: Sorter<B>,
}

impl Rule<CudaBackend> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let backend = CudaBackend::new(gpu, "diagonals", FATBIN)?;
        Ok(Self::with_backend(backend, Sorter::new(gpu)?))
    }
}

impl<B: Backend> Rule<B> {
    /// The same on any backend that has the kernels of `diagonals` loaded.
    pub fn with_backend(backend: B, sorter: Sorter<B>) -> Self {
        Self { backend, sorter }
    }

    /// The ungapped alignments of words that the pipeline found in `chunks` for a piece of the queries: of
    /// `extended`, which are [`super::items::Extended`], those that no alignment before has passed; and
    /// what comes of such words among `spent`, which are [`Spent`], that were not tried.
    /// `context` is what the pipeline was given.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn admitted(
        &self,
        context: &DeviceContext,
        chunks: &[DeviceChunk],
        (extended, spent): (DeviceItems<B>, DeviceItems<B>),
        piece: Piece<'_>,
    ) -> Result<Admitted<B>, DeviceError> {
        let backend = &self.backend;
        let spent = self.joined(spent, piece.carried)?;
        let words = extended.count + spent.count;
        if words > sort::MAX_ITEMS {
            return Err(DeviceError::OutOfMemory(None));
        }
        let likely_words = (words / OF_WORD).next_power_of_two();
        let likely = backend.zeros(likely_words * size_of::<u32>())?;
        let keys = backend.uninitialized(words * sort::ITEM_BYTES)?;
        let listed = backend.zeros(CURSORS)?;
        let address = |buffer: &B::Buffer| backend.address(buffer);
        let mut task = Task {
            context: *context,
            words: [address(&extended.items), address(&spent.items)],
            likely: address(&likely),
            keys: address(&keys),
            cursors: address(&listed),
            hits: 0,
            carried: 0,
            counts: [extended.count as u32, spent.count as u32],
            likely_mask: likely_words as u32 - 1,
            key_count: 0,
            seam: piece.end,
            padding: 0,
        };
        self.launch("mark_diagonals", words, &task)?;
        self.launch("list_words", words, &task)?;
        let [count, _] = self.counts(&listed)?;
        let longest = chunks.iter().map(|chunk| chunk.length).max().unwrap_or(0);
        let fields = [
            Field::up_to(PROBE, longest),
            Field::up_to(DIAGONAL, longest.saturating_add(context.letters())),
            Field::up_to(CHUNK, chunks.len() as u32),
        ];
        let keys = self.sorter.sort(keys, count, &fields)?;
        let hits = backend.uninitialized(count * size_of::<ChunkHit>())?;
        let passing = if piece.end < context.letters() { count } else { 0 };
        let carried = backend.uninitialized(passing * size_of::<Spent>())?;
        let admitted = backend.zeros(CURSORS)?;
        task.keys = address(&keys);
        task.cursors = address(&admitted);
        task.hits = address(&hits);
        task.carried = address(&carried);
        task.key_count = count as u32;
        self.launch("admit_words", count, &task)?;
        let [found, passed] = self.counts(&admitted)?;
        // They stay while others are found.
        let mut fitting = backend.uninitialized(found * size_of::<ChunkHit>())?;
        backend.copy(&hits, found * size_of::<ChunkHit>(), &mut fitting, 0)?;
        let hits = DeviceItems { items: fitting, count: found };
        Ok(Admitted { hits, carried: self.read(&carried, passed)? })
    }

    /// Words of a device and some more.
    fn joined(&self, words: DeviceItems<B>, more: &[Spent]) -> Result<DeviceItems<B>, DeviceError> {
        if more.is_empty() {
            return Ok(words);
        }
        let items = self.backend.upload(bytemuck::cast_slice(more))?;
        let more = DeviceItems { items, count: more.len() };
        launch::joined(&self.backend, size_of::<Spent>(), [&words, &more])
    }

    #[allow(unsafe_code)]
    fn launch(&self, kernel: &str, items: usize, task: &Task) -> Result<(), DeviceError> {
        // SAFETY: the task has the addresses of arrays as long as the kernels' contracts say, whose
        // memory is given back after it; words and context are those of a run of the pipeline.
        unsafe { launch::launch(&self.backend, kernel, items, task) }
    }

    fn counts(&self, cursors: &B::Buffer) -> Result<[usize; 2], DeviceError> {
        let bytes = self.backend.read(cursors, CURSORS)?;
        Ok(bytemuck::pod_read_unaligned::<[u32; 2]>(&bytes).map(|count| count as usize))
    }

    /// The alignments, copied to the host.
    ///
    /// # Errors
    /// If the device fails.
    pub fn hits(&self, hits: &DeviceItems<B>) -> Result<Vec<ChunkHit>, DeviceError> {
        self.read(&hits.items, hits.count)
    }

    /// The first items of a buffer.
    fn read<T: Pod>(&self, items: &B::Buffer, count: usize) -> Result<Vec<T>, DeviceError> {
        let bytes = self.backend.read(items, count * size_of::<T>())?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
