//! Which of the words would have been extended, had those before them on their diagonals been known: the
//! rule of [`crate::ungapped::Diagonals`], afterwards, on a device.
//!
//! ```text
//!   words --mark_diagonals--> which diagonals matter
//!     `------list_words--> keys --sort--> keys along diagonals --admit_words--> alignments
//! ```
//!
//! Words outnumber alignments by far, so they stay where they were found.

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::sort::{self, Field, Sorter};
use aligner_core::stream::{Backend, CudaBackend, DeviceItems, Launch, Word};
use bytemuck::{Pod, Zeroable};

use super::device::{DeviceChunk, DeviceContext};
use crate::hits::ChunkHit;

const FATBIN: &[u8] = include_bytes!("../../cuda/diagonals.fatbin");

/// Threads of a block.
const THREADS: u32 = 256;

/// How many share 32 bits of the set of diagonals, at most.
const OF_WORD: usize = 4;

/// The words of a key that decide about its place.
const CHUNK: u32 = 0;
const DIAGONAL: u32 = 1;
const PROBE: u32 = 2;

/// `Task` of `diagonals.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Task {
    context: DeviceContext,
    /// Addresses: of words with alignments and without, of a set of diagonals, of keys, of a cursor, and of
    /// hits.
    words: [u64; 2],
    likely: u64,
    keys: u64,
    cursor: u64,
    hits: u64,
    /// Words with alignments and without.
    counts: [u32; 2],
    likely_mask: u32,
    key_count: u32,
}

const _: () = assert!(size_of::<Task>() == 200);

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

    /// The ungapped alignments, in no particular order, of words that the pipeline found in `chunks`: of
    /// `extended`, which are [`super::stages::Extended`], those that no alignment before has passed; and
    /// what comes of such words among `spent`, which are [`super::stages::Spent`], that were not tried.
    /// `context` is what the pipeline was given.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn admitted(
        &self,
        context: &DeviceContext,
        chunks: &[DeviceChunk],
        extended: &DeviceItems<B>,
        spent: &DeviceItems<B>,
    ) -> Result<Vec<ChunkHit>, DeviceError> {
        let backend = &self.backend;
        let words = extended.count + spent.count;
        if words > sort::MOST {
            return Err(DeviceError::OutOfMemory(None));
        }
        let likely_words = (words / OF_WORD).next_power_of_two();
        let likely = backend.zeros(likely_words * size_of::<u32>())?;
        let keys = backend.zeros(words * sort::ITEM)?;
        let cursors = [backend.zeros(size_of::<u32>())?, backend.zeros(size_of::<u32>())?];
        let address = |buffer: &B::Buffer| backend.address(buffer);
        let of_words = [extended, spent].map(|words| address(&words.items));
        let mut task = Task {
            context: *context,
            words: of_words,
            likely: address(&likely),
            keys: address(&keys),
            cursor: address(&cursors[0]),
            hits: 0,
            counts: [extended.count as u32, spent.count as u32],
            likely_mask: likely_words as u32 - 1,
            key_count: 0,
        };
        self.launch("mark_diagonals", words, &task)?;
        self.launch("list_words", words, &task)?;
        let count = self.count(&cursors[0])?;
        let longest = chunks.iter().map(|chunk| chunk.length).max().unwrap_or(0);
        let fields = [
            Field::up_to(PROBE, longest),
            Field::up_to(DIAGONAL, longest.saturating_add(context.letters())),
            Field::up_to(CHUNK, chunks.len() as u32),
        ];
        let keys = self.sorter.sort(keys, count, &fields)?;
        let hits = backend.zeros(count * size_of::<ChunkHit>())?;
        task.keys = address(&keys);
        task.cursor = address(&cursors[1]);
        task.hits = address(&hits);
        task.key_count = count as u32;
        self.launch("admit_words", count, &task)?;
        let found = self.count(&cursors[1])? * size_of::<ChunkHit>();
        Ok(bytemuck::pod_collect_to_vec(backend.land(&hits, found)?.as_ref()))
    }

    /// Launches a kernel with a thread an item, or fewer.
    #[allow(unsafe_code)]
    fn launch(&self, kernel: &str, items: usize, task: &Task) -> Result<(), DeviceError> {
        let backend = &self.backend;
        let resident = backend.resident_blocks(kernel, THREADS, 0)?.max(1) as usize;
        let blocks = items.div_ceil(THREADS as usize).min(resident) as u32;
        if blocks == 0 {
            return Ok(());
        }
        let task = backend.upload(bytemuck::bytes_of(task))?;
        let arguments = &[Word::Address(backend.address(&task))];
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, arguments };
        // SAFETY: the task has the addresses of arrays as long as the kernels' contracts say, which live
        // until the launch is over; words and context are those of a run of the pipeline.
        unsafe { backend.launch(&launch) }.map(drop)
    }

    fn count(&self, cursor: &B::Buffer) -> Result<usize, DeviceError> {
        let bytes = self.backend.read(cursor, size_of::<u32>())?;
        Ok(bytemuck::pod_read_unaligned::<u32>(&bytes) as usize)
    }
}
