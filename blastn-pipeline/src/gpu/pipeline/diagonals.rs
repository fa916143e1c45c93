//! The rule of diagonals ([`crate::ungapped::diagonals::ExploredDiagonals`]), applied on a device after the pipeline: which seeds would
//! have been extended if the alignments of earlier seeds on their diagonals had been known.
//!
//! ```text
//!   seeds --mark_diagonals--> diagonals that matter
//!     `-------list_seeds----> keys --sort--> keys along diagonals --admit_seeds--> alignments
//! ```
//!
//! Seeds outnumber alignments by far: a database of similar sequences has tens of them for each alignment. So they stay in
//! device memory and are sorted there, by chunk, diagonal and place ([`aligner_core::sort`]), and a thread goes along each
//! diagonal as the CPU does. The words of long queries are looked up in pieces of the queries' letters. The places on a
//! diagonal grow with those of the query, so all that a piece has to know of the pieces before is how far each diagonal is
//! explored behind their ends.

use std::mem::offset_of;

use aligner_core::gpu::{DeviceAddress, Gpu};
use aligner_core::sort::{self, Field, Sorter};
use aligner_core::stream::{Backend, CudaBackend, DeviceItems};
use aligner_core::{DeviceError, device_struct};
use bytemuck::Pod;

use super::items::{ExtendedSeed, UnalignedSeed};
use super::tables::{DatabaseChunk, PipelineTables};
use crate::gpu::launch;
use crate::ungapped::hits::ChunkHit;

const FATBIN: &[u8] = include_bytes!("../../../cuda/diagonals.fatbin");

/// Seeds for each 32 bits of the set of marked diagonals, at most.
const SEEDS_PER_MARK_WORD: usize = 4;

/// Bytes of two cursors.
const CURSORS: usize = 2 * size_of::<u32>();

device_struct! {
    /// Place of a seed in the order in which the rule looks at seeds: by chunk, diagonal and probe. An item of a
    /// [`Sorter`].
    pub(crate) struct DiagonalKey {
        /// Index of the chunk.
        chunk: u32,
        /// Position in the chunk minus position in the letters of the batch, plus the number of these letters, so that it is never
        /// negative. The sign is that of NCBI's table of diagonals (and of [`crate::ungapped::diagonals`]); the diagonals of
        /// gapped alignments ([`crate::hsp`]) have the opposite one.
        diagonal: u32,
        /// [`SeedHit::probe`](super::items::SeedHit::probe) of the seed.
        probe: u32,
        /// Index among the seeds with alignments, or behind these among the seeds without.
        place: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `diagonals.cu`.
    pub(crate) struct DiagonalParameters {
        /// Tables of the pipeline run that found the seeds.
        tables: PipelineTables,
        /// Seeds with an ungapped alignment.
        extended: DeviceAddress<ExtendedSeed>,
        /// Seeds without an alignment.
        unaligned: DeviceAddress<UnalignedSeed>,
        /// Hashed set of diagonals, a bit each; 0 before they are marked.
        marked_diagonals: DeviceAddress<u32>,
        /// Keys of the seeds on marked diagonals.
        keys: DeviceAddress<DiagonalKey>,
        /// Two counts of what a kernel lists; 0 before.
        cursors: DeviceAddress<u32>,
        /// Output: alignments that the rule admits.
        hits: DeviceAddress<ChunkHit>,
        /// Output: seeds that are carried over to the next piece.
        carried: DeviceAddress<UnalignedSeed>,
        /// Number of seeds with alignments.
        extended_count: u32,
        /// Number of seeds without.
        unaligned_count: u32,
        /// Words of `marked_diagonals`, a power of two, minus 1.
        marked_mask: u32,
        /// Number of keys in `keys`.
        key_count: u32,
        /// One behind the index of the last letter of the piece.
        piece_end: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        padding: u32,
    }
}

/// The word of a [`DiagonalKey`] at some offset in bytes.
const fn key_word(offset: usize) -> u32 {
    (offset / size_of::<u32>()) as u32
}

/// A piece of the letters of a batch, whose words are looked up together.
#[derive(Debug, Clone, Copy)]
pub struct QueryPiece<'a> {
    /// One behind the index of its last letter.
    pub end: u32,
    /// Seeds that the pieces before it carried over.
    pub carried: &'a [UnalignedSeed],
}

impl QueryPiece<'_> {
    /// All letters in one piece.
    pub const ALL: Self = Self { end: u32::MAX, carried: &[] };
}

/// Alignments that the rule of diagonals admits of a piece.
pub struct AdmittedHits<B: Backend> {
    /// Ungapped alignments, which are [`ChunkHit`], in no particular order.
    pub hits: DeviceItems<B>,
    /// How far diagonals are explored behind the end of the piece, as seeds that were extended in vain and end there.
    pub carried: Vec<UnalignedSeed>,
}

/// The rule of diagonals, on a device.
#[derive(Debug)]
pub struct DiagonalRule<B> {
    backend: B,
    sorter: Sorter<B>,
}

impl DiagonalRule<CudaBackend> {
    /// Loads the kernels of the rule onto a GPU.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let backend = CudaBackend::new(gpu, "diagonals", FATBIN)?;
        Ok(Self::with_backend(backend, Sorter::new(gpu)?))
    }
}

impl<B: Backend> DiagonalRule<B> {
    /// The rule on any backend that has the kernels of `diagonals` loaded.
    pub fn with_backend(backend: B, sorter: Sorter<B>) -> Self {
        Self { backend, sorter }
    }

    /// Applies the rule to the seeds that the pipeline found in `chunks` for a piece of the queries: keeps the alignments of
    /// `extended` seeds ([`ExtendedSeed`]) that no earlier alignment has passed, and extends those `unaligned` seeds
    /// ([`UnalignedSeed`]) that were left out and not passed. `tables` is what the pipeline was given.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn admitted(
        &self,
        tables: &PipelineTables,
        chunks: &[DatabaseChunk],
        (extended, unaligned): (DeviceItems<B>, DeviceItems<B>),
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<B>, DeviceError> {
        let backend = &self.backend;
        let unaligned = self.joined(unaligned, piece.carried)?;
        let seeds = extended.count + unaligned.count;
        if seeds > sort::MAX_ITEMS {
            return Err(DeviceError::OutOfMemory(None));
        }
        let mark_words = (seeds / SEEDS_PER_MARK_WORD).next_power_of_two();
        let marked_diagonals = backend.zeros(mark_words * size_of::<u32>())?;
        let keys = backend.uninitialized(seeds * size_of::<DiagonalKey>())?;
        let listed = backend.zeros(CURSORS)?;
        let mut parameters = DiagonalParameters {
            tables: *tables,
            extended: self.address(&extended.items),
            unaligned: self.address(&unaligned.items),
            marked_diagonals: self.address(&marked_diagonals),
            keys: self.address(&keys),
            cursors: self.address(&listed),
            hits: DeviceAddress::NULL,
            carried: DeviceAddress::NULL,
            extended_count: extended.count as u32,
            unaligned_count: unaligned.count as u32,
            marked_mask: mark_words as u32 - 1,
            key_count: 0,
            piece_end: piece.end,
            padding: 0,
        };
        self.launch("mark_diagonals", seeds, &parameters)?;
        self.launch("list_seeds", seeds, &parameters)?;
        let [count, _] = self.counts(&listed)?;
        let longest = chunks.iter().map(|chunk| chunk.length).max().unwrap_or(0);
        let greatest_diagonal = longest.saturating_add(tables.letters());
        let fields = [
            Field::up_to(key_word(offset_of!(DiagonalKey, probe)), longest),
            Field::up_to(key_word(offset_of!(DiagonalKey, diagonal)), greatest_diagonal),
            Field::up_to(key_word(offset_of!(DiagonalKey, chunk)), chunks.len() as u32),
        ];
        let keys = self.sorter.sort(keys, count, &fields)?;
        let hits = backend.uninitialized(count * size_of::<ChunkHit>())?;
        let passing = if piece.end < tables.letters() { count } else { 0 };
        let carried = backend.uninitialized(passing * size_of::<UnalignedSeed>())?;
        let admitted = backend.zeros(CURSORS)?;
        parameters.keys = self.address(&keys);
        parameters.cursors = self.address(&admitted);
        parameters.hits = self.address(&hits);
        parameters.carried = self.address(&carried);
        parameters.key_count = count as u32;
        self.launch("admit_seeds", count, &parameters)?;
        let [found, passed] = self.counts(&admitted)?;
        // The hits stay in memory while those of other chunks are found, so their buffer has no room to spare.
        let mut fitting = backend.uninitialized(found * size_of::<ChunkHit>())?;
        backend.copy(&hits, found * size_of::<ChunkHit>(), &mut fitting, 0)?;
        let hits = DeviceItems { items: fitting, count: found };
        Ok(AdmittedHits { hits, carried: self.read(&carried, passed)? })
    }

    /// Appends seeds of the host to seeds of the device.
    fn joined(
        &self,
        seeds: DeviceItems<B>,
        more: &[UnalignedSeed],
    ) -> Result<DeviceItems<B>, DeviceError> {
        if more.is_empty() {
            return Ok(seeds);
        }
        let items = self.backend.upload(bytemuck::cast_slice(more))?;
        let more = DeviceItems { items, count: more.len() };
        launch::joined(&self.backend, size_of::<UnalignedSeed>(), [&seeds, &more])
    }

    fn address<T>(&self, buffer: &B::Buffer) -> DeviceAddress<T> {
        DeviceAddress::new(self.backend.address(buffer))
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &str,
        items: usize,
        parameters: &DiagonalParameters,
    ) -> Result<(), DeviceError> {
        // SAFETY: all kernels of `diagonals` take these parameters; the arrays are as long as their contracts say, and their
        // memory is given back after the launch; seeds and tables are those of a run of the pipeline.
        unsafe { launch::launch(&self.backend, kernel, items, parameters) }
    }

    fn counts(&self, cursors: &B::Buffer) -> Result<[usize; 2], DeviceError> {
        let bytes = self.backend.read(cursors, CURSORS)?;
        Ok(bytemuck::pod_read_unaligned::<[u32; 2]>(&bytes).map(|count| count as usize))
    }

    /// Copies alignments to the host.
    ///
    /// # Errors
    /// If the device fails.
    pub fn hits(&self, hits: &DeviceItems<B>) -> Result<Vec<ChunkHit>, DeviceError> {
        self.read(&hits.items, hits.count)
    }

    /// Copies the first items of a buffer to the host.
    fn read<T: Pod>(&self, items: &B::Buffer, count: usize) -> Result<Vec<T>, DeviceError> {
        let bytes = self.backend.read(items, count * size_of::<T>())?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
