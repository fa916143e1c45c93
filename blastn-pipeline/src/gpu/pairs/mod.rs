//! Pairs of a query and a chunk: what gaps make of their ungapped alignments, where these lie on a device.
//!
//! ```text
//!   hits --sort--> by chunk, query and promise; the first of a pair is its best
//!     best hits --> sides --extend--> answers
//!     others that do not lie within that --> sides --extend--> answers
//!     those that do, if the best is replaced --> sides --extend--> answers
//!       `--> verdicts on pairs --> the host chooses --> chosen hits, with answers
//! ```
//!
//! Of similar sequences, most ungapped alignments of a pair are parts of one, which the best of them becomes
//! by gaps; so that is tried first, and what lies within it is not extended, unless a better one that shares an
//! end replaces it. Hits outnumber those of the pairs
//! that matter by far: only a verdict on each pair leaves the device, and what the host then asks for.
//!
//! Of many subjects, most are not tried at all: [`bounds`] tells what their pairs score at most.
//!
//! Which hits are of a pair, and their order, follow from what they are, never from where they were found; so
//! results are the same each time, though lists are in any order.

pub mod bounds;
mod device;
mod extend;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::sort::{self, Field, ITEM_BYTES, Sorter};
use aligner_core::stream::{Backend, CudaBackend, DeviceItems, Item, Items};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

pub(crate) use self::device::{BEST_STAYS, NO_SCORE, OPEN, Verdict};
use self::device::{Chosen, Gathered, Task};
use self::extend::Extension;
use crate::gapped::Gapped;
use crate::gpu::extensions::sides;
use crate::gpu::launch;
use crate::gpu::pipeline::device::DeviceChunk;
use crate::query::queries::Batch;
use crate::search::preliminary::Search;
use crate::ungapped::UngappedHit;
use crate::ungapped::hits::ChunkHit;

const PAIRS: &[u8] = include_bytes!("../../../cuda/pairs.fatbin");
const GAPPED: &[u8] = include_bytes!("../../../cuda/gapped.fatbin");
const BOUNDS: &[u8] = include_bytes!("../../../cuda/bounds.fatbin");

/// Slots of the rings and fronts of extensions, level by level: sides that do not fit go to the next.
const WIDTHS: [u32; 2] = [64, 512];

/// Hits that are gathered at a time, at most.
const GATHERED: usize = 1 << 20;

/// The kernels for pairs.
#[derive(Debug)]
pub struct Pairs<B> {
    backend: B,
    gapped: B,
    bounds: B,
    sorter: Sorter<B>,
    widths: [u32; 2],
}

impl Pairs<CudaBackend> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let backend = CudaBackend::new(gpu, "pairs", PAIRS)?;
        let gapped = CudaBackend::new(gpu, "gapped", GAPPED)?;
        let bounds = CudaBackend::new(gpu, "bounds", BOUNDS)?;
        Ok(Self::with_backends([backend, gapped, bounds], Sorter::new(gpu)?, WIDTHS))
    }
}

/// The pairs of a run of chunks.
pub(crate) struct Known<'p, B: Backend> {
    pairs: &'p Pairs<B>,
    task: Task,
    _arrays: Vec<B::Buffer>,
    verdicts: Items<Verdict>,
}

impl<B: Backend> Pairs<B> {
    /// The same on backends that have the kernels of `pairs`, `gapped` and `bounds` loaded; sides that do not fit
    /// into as many slots as the greater of `widths`, powers of two from 64 on, are left to the host.
    pub fn with_backends(
        [backend, gapped, bounds]: [B; 3],
        sorter: Sorter<B>,
        widths: [u32; 2],
    ) -> Self {
        Self { backend, gapped, bounds, sorter, widths }
    }

    /// What becomes of hits, which are [`ChunkHit`], with `chunks`; `bases` is the address of those of the
    /// database.
    pub(crate) fn known(
        &self,
        search: &Search<'_>,
        bases: u64,
        chunks: &[DeviceChunk],
        found: &DeviceItems<B>,
    ) -> Result<Known<'_, B>, DeviceError> {
        let (count, letters) = (found.count, search.batch.letters.len() as u32);
        if count > sort::MAX_ITEMS {
            return Err(DeviceError::OutOfMemory(None));
        }
        let mut arrays = Vec::new();
        let mut held = |buffer: B::Buffer| {
            let address = self.backend.address(&buffer);
            arrays.push(buffer);
            address
        };
        let longest_chunk = chunks.iter().map(|chunk| chunk.length).max().unwrap_or(0);
        let mut task = Task::new(search, longest_chunk.min(letters));
        task.hit_count = count as u32;
        task.found = self.backend.address(&found.items);
        task.chunks = held(self.upload(chunks)?);
        task.strands = held(self.upload(&device::strands(search.batch))?);
        let numbers = [
            Field::up_to(0, letters),
            Field::up_to(1, task.longest),
            Field::up_to(2, longest_chunk),
        ];
        let keys = self.keys(
            &mut task,
            "key_places",
            self.backend.uninitialized(count * ITEM_BYTES)?,
            &numbers,
        )?;
        let queries = search.batch.queries() as u32;
        let numbers = [
            Field::up_to(0, task.most as u32),
            Field::up_to(1, queries),
            Field::up_to(2, chunks.len() as u32),
        ];
        task.keys = held(self.keys(&mut task, "key_pairs", keys, &numbers)?);
        task.hits = held(self.room::<ChunkHit>(count)?);
        task.firsts = held(self.room::<u32>(count)?);
        task.extended = held(self.room::<u32>(count)?);
        let pairs = self.listed(&mut task, "order_hits")?;
        task.pair_count = pairs as u32;
        let extension = Extension::new(self, search, bases)?;
        task.answers = held(extension.answers(&task, task.firsts, pairs)?);
        task.others = held(self.room::<u32>(count - pairs)?);
        let others = self.listed(&mut task, "list_others")?;
        task.other_count = others as u32;
        task.others_answers = held(extension.answers(&task, task.others, others)?);
        let verdicts = self.room::<Verdict>(pairs)?;
        task.verdicts = self.backend.address(&verdicts);
        self.launch("judge_firsts", pairs, &task)?;
        self.judge(&task, task.others, task.others_answers, others)?;
        task.inner = held(self.room::<u32>(count - pairs - others)?);
        let inner = self.listed(&mut task, "list_inner")?;
        task.inner_answers = held(extension.answers(&task, task.inner, inner)?);
        self.judge(&task, task.inner, task.inner_answers, inner)?;
        let verdicts = self.land(&verdicts, pairs)?;
        Ok(Known { pairs: self, task, _arrays: arrays, verdicts })
    }

    /// Adds listed hits to the verdicts.
    fn judge(&self, task: &Task, listed: u64, kept: u64, count: usize) -> Result<(), DeviceError> {
        let task = Task { listed, kept, listed_count: count as u32, ..*task };
        self.launch("judge_listed", count, &task)
    }

    /// No hits.
    pub(crate) fn none(&self) -> Result<DeviceItems<B>, DeviceError> {
        Ok(DeviceItems { items: self.backend.uninitialized(0)?, count: 0 })
    }

    /// Hits of two lists.
    pub(crate) fn joined(
        &self,
        one: &DeviceItems<B>,
        other: &DeviceItems<B>,
    ) -> Result<DeviceItems<B>, DeviceError> {
        launch::joined(&self.backend, size_of::<ChunkHit>(), [one, other])
    }

    /// How many hits there are of each query.
    pub(crate) fn counts(
        &self,
        batch: &Batch,
        hits: &DeviceItems<B>,
    ) -> Result<Vec<u32>, DeviceError> {
        let strands = self.upload(&device::strands(batch))?;
        let counts = self.zeros::<u32>(batch.queries())?;
        let task = Task {
            found: self.backend.address(&hits.items),
            hit_count: hits.count as u32,
            strands: self.backend.address(&strands),
            strand_count: batch.contexts.len() as u32,
            cursors: self.backend.address(&counts),
            ..Task::zeroed()
        };
        self.launch("count_queries", hits.count, &task)?;
        Ok(self.land(&counts, batch.queries())?.part(0).to_vec())
    }

    /// Makes keys and sorts them.
    fn keys(
        &self,
        task: &mut Task,
        kernel: &str,
        keys: B::Buffer,
        fields: &[Field],
    ) -> Result<B::Buffer, DeviceError> {
        task.keys = self.backend.address(&keys);
        let count = task.hit_count as usize;
        self.launch(kernel, count, task)?;
        self.sorter.sort(keys, count, fields)
    }

    /// Launches a kernel that lists some of all hits, and gives how many these are.
    fn listed(&self, task: &mut Task, kernel: &str) -> Result<usize, DeviceError> {
        let cursor = self.zeros::<u32>(1)?;
        task.cursors = self.backend.address(&cursor);
        self.launch(kernel, task.hit_count as usize, task)?;
        self.count(&cursor)
    }

    fn count(&self, cursor: &B::Buffer) -> Result<usize, DeviceError> {
        Ok(self.land::<u32>(cursor, 1)?.part(0)[0] as usize)
    }

    fn zeros<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.backend.zeros(count * size_of::<T>())
    }

    fn room<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.backend.uninitialized(count * size_of::<T>())
    }

    fn upload<T: Pod>(&self, items: &[T]) -> Result<B::Buffer, DeviceError> {
        self.backend.upload(bytemuck::cast_slice(items))
    }

    /// The first items of a buffer, in one part.
    fn land<T: Item>(&self, items: &B::Buffer, count: usize) -> Result<Items<T>, DeviceError> {
        self.backend.read_staged(items, count * size_of::<T>()).map(Items::from)
    }

    #[allow(unsafe_code)]
    fn launch(&self, kernel: &str, items: usize, task: &Task) -> Result<(), DeviceError> {
        // SAFETY: the task has the addresses of arrays as long as the kernels' contracts say, whose
        // memory is given back after it.
        unsafe { launch::launch(&self.backend, kernel, items, task) }
    }
}

/// An ungapped alignment, and what gaps make of it if that is known.
pub(crate) type Extended = (UngappedHit, Option<Gapped>);

impl<B: Backend> Known<'_, B> {
    /// On each pair, in any order.
    pub(crate) fn verdicts(&self) -> &[Verdict] {
        self.verdicts.part(0)
    }

    /// The hits of some pairs, one pair's after the other's, the best first; `chunks` are those of the run.
    pub(crate) fn gather(
        &self,
        search: &Search<'_>,
        chunks: &[DeviceChunk],
        pairs: &[usize],
    ) -> Result<Vec<Extended>, DeviceError> {
        let mut offset = 0;
        let chosen: Vec<Chosen> = pairs
            .iter()
            .map(|&pair| {
                let Verdict { first, count, .. } = self.verdicts()[pair];
                offset += count;
                Chosen { first, count, offset: offset - count }
            })
            .collect();
        let on_device = self.pairs.upload(&chosen)?;
        let all = offset as usize;
        let mut extended = Vec::with_capacity(all);
        for first in (0..all).step_by(GATHERED) {
            let count = GATHERED.min(all - first);
            let gathered = self.pairs.room::<Gathered>(count)?;
            let task = Task {
                chosen: self.pairs.backend.address(&on_device),
                chosen_count: chosen.len() as u32,
                gathered: self.pairs.backend.address(&gathered),
                first_gathered: first as u32,
                gathered_count: count as u32,
                ..self.task
            };
            self.pairs.launch("gather_hits", count, &task)?;
            let gathered: Items<Gathered> = self.pairs.land(&gathered, count)?;
            let of_hit = |one: &Gathered| (one.found.hit, gapped(search, chunks, one));
            extended.par_extend(gathered.part(0).par_iter().map(of_hit));
        }
        Ok(extended)
    }
}

/// What gaps make of a hit, if it was extended and its sides fitted into memory.
fn gapped(search: &Search<'_>, chunks: &[DeviceChunk], gathered: &Gathered) -> Option<Gapped> {
    if gathered.is_extended == 0 {
        return None;
    }
    if search.options.is_greedy() {
        return sides::greedily_scored(search, &gathered.found, &gathered.greedily_reached());
    }
    sides::scored(search, chunks, &gathered.found, &gathered.reached())
}
