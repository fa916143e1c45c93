//! Ungapped hits of a run of chunks, ordered by pair and extended, with a verdict on each pair.

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceAddress;
use aligner_core::sort::{self, Field};
use aligner_core::stream::{Backend, DeviceItems, Items};
use rayon::prelude::*;

use super::kernels::PairKernels;
use super::parameters::{
    self, ChosenPair, GatherParameters, GatheredHit, JudgeParameters, PairParameters, PairVerdict,
    SortKey,
};
use super::side_extender::SideExtender;
use crate::gapped::GappedAlignment;
use crate::gpu::gapped::left_right;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::search::preliminary::PreliminarySearch;
use crate::ungapped::hits::{ChunkHit, UngappedHit};

/// Hits that are gathered at a time, at most.
const GATHERED: usize = 1 << 20;

/// An ungapped hit, and its gapped extension for the score, if that is known.
pub(crate) type ScoredHit = (UngappedHit, Option<GappedAlignment>);

/// The pairs of a run of chunks, with verdicts.
pub(crate) struct JudgedPairs<'p, B: Backend> {
    kernels: &'p PairKernels<B>,
    parameters: PairParameters,
    /// Keeps the arrays of `parameters` alive.
    _arrays: Vec<B::Buffer>,
    verdicts: Items<PairVerdict>,
}

impl<'p, B: Backend> JudgedPairs<'p, B> {
    /// Orders hits ([`ChunkHit`]) with `chunks`, extends them and judges their pairs; `bases` is the address of the bases
    /// that the chunks are in.
    pub(crate) fn new(
        kernels: &'p PairKernels<B>,
        search: &PreliminarySearch<'_>,
        bases: DeviceAddress<u32>,
        chunks: &[DatabaseChunk],
        found: &DeviceItems<B>,
    ) -> Result<Self, DeviceError> {
        let (count, letters) = (found.count, search.batch.letters.len() as u32);
        if count > sort::MAX_ITEMS {
            return Err(DeviceError::OutOfMemory(None));
        }
        let mut arrays = Arrays { kernels, buffers: Vec::new() };
        let longest_chunk = chunks.iter().map(|chunk| chunk.length).max().unwrap_or(0);
        let mut parameters = PairParameters::new(search, longest_chunk.min(letters));
        parameters.hit_count = count as u32;
        parameters.found = kernels.address(&found.items);
        parameters.chunks = arrays.keep(kernels.upload(chunks)?);
        parameters.strands = arrays.keep(kernels.upload(&parameters::strands(search.batch))?);

        let places = [
            Field::up_to(0, letters),
            Field::up_to(1, parameters.longest),
            Field::up_to(2, longest_chunk),
        ];
        let keys = kernels.room::<SortKey>(count)?;
        let keys = sorted(kernels, &mut parameters, "key_places", keys, &places)?;
        let pairs = [
            Field::up_to(0, parameters.greatest_score as u32),
            Field::up_to(1, search.batch.queries() as u32),
            Field::up_to(2, chunks.len() as u32),
        ];
        let keys = sorted(kernels, &mut parameters, "key_pairs", keys, &pairs)?;
        parameters.keys = arrays.keep(keys);

        parameters.hits = arrays.keep(kernels.room::<ChunkHit>(count)?);
        parameters.firsts = arrays.keep(kernels.room::<u32>(count)?);
        parameters.extended = arrays.keep(kernels.room::<u32>(count)?);
        let pairs = listed(kernels, &mut parameters, "order_hits")?;
        parameters.pair_count = pairs as u32;
        let extender = SideExtender::new(kernels, search, bases)?;
        let reaches = extender.reaches(&parameters, parameters.firsts, pairs)?;
        parameters.first_reaches = arrays.keep(reaches);

        parameters.others = arrays.keep(kernels.room::<u32>(count - pairs)?);
        let others = listed(kernels, &mut parameters, "list_others")?;
        parameters.other_count = others as u32;
        let reaches = extender.reaches(&parameters, parameters.others, others)?;
        parameters.other_reaches = arrays.keep(reaches);

        let verdicts = kernels.room::<PairVerdict>(pairs)?;
        parameters.verdicts = kernels.address(&verdicts);
        kernels.launch("judge_firsts", pairs, &parameters)?;
        let of_others = (parameters.others, parameters.other_reaches);
        judge(kernels, &parameters, of_others, others)?;

        parameters.inner = arrays.keep(kernels.room::<u32>(count - pairs - others)?);
        let inner = listed(kernels, &mut parameters, "list_inner")?;
        let reaches = extender.reaches(&parameters, parameters.inner, inner)?;
        parameters.inner_reaches = arrays.keep(reaches);
        judge(kernels, &parameters, (parameters.inner, parameters.inner_reaches), inner)?;
        let verdicts = kernels.download(&verdicts, pairs)?;
        Ok(Self { kernels, parameters, _arrays: arrays.buffers, verdicts })
    }

    /// The verdicts on all pairs, in any order.
    pub(crate) fn verdicts(&self) -> &[PairVerdict] {
        self.verdicts.only_part()
    }

    /// Gathers the hits of some pairs, given by the indices of their verdicts: one pair's after the other's, the best hit
    /// first. `chunks` are those of the run.
    pub(crate) fn gather(
        &self,
        search: &PreliminarySearch<'_>,
        chunks: &[DatabaseChunk],
        pairs: &[usize],
    ) -> Result<Vec<ScoredHit>, DeviceError> {
        let kernels = self.kernels;
        let mut offset = 0;
        let chosen: Vec<ChosenPair> = pairs
            .iter()
            .map(|&pair| {
                let PairVerdict { first, count, .. } = self.verdicts()[pair];
                offset += count;
                ChosenPair { first, count, offset: offset - count }
            })
            .collect();
        let on_device = kernels.upload(&chosen)?;
        let all = offset as usize;
        let mut scored = Vec::with_capacity(all);
        for first in (0..all).step_by(GATHERED) {
            let count = GATHERED.min(all - first);
            let gathered = kernels.room::<GatheredHit>(count)?;
            let parameters = GatherParameters {
                pairs: self.parameters,
                chosen: kernels.address(&on_device),
                gathered: kernels.address(&gathered),
                chosen_count: chosen.len() as u32,
                first: first as u32,
                count: count as u32,
                padding: 0,
            };
            kernels.launch("gather_hits", count, &parameters)?;
            let gathered: Items<GatheredHit> = kernels.download(&gathered, count)?;
            let of_hit = |one: &GatheredHit| (one.found.hit, gapped(search, chunks, one));
            scored.par_extend(gathered.only_part().par_iter().map(of_hit));
        }
        Ok(scored)
    }
}

/// Buffers that live as long as the pairs.
struct Arrays<'p, B: Backend> {
    kernels: &'p PairKernels<B>,
    buffers: Vec<B::Buffer>,
}

impl<B: Backend> Arrays<'_, B> {
    /// Keeps a buffer, and gives its address.
    fn keep<T>(&mut self, buffer: B::Buffer) -> DeviceAddress<T> {
        let address = self.kernels.address(&buffer);
        self.buffers.push(buffer);
        address
    }
}

/// Makes keys by a kernel and sorts them.
fn sorted<B: Backend>(
    kernels: &PairKernels<B>,
    parameters: &mut PairParameters,
    kernel: &str,
    keys: B::Buffer,
    fields: &[Field],
) -> Result<B::Buffer, DeviceError> {
    parameters.keys = kernels.address(&keys);
    let count = parameters.hit_count as usize;
    kernels.launch(kernel, count, parameters)?;
    kernels.sorter.sort(keys, count, fields)
}

/// Launches a kernel that lists some of the hits, and gives their number.
fn listed<B: Backend>(
    kernels: &PairKernels<B>,
    parameters: &mut PairParameters,
    kernel: &str,
) -> Result<usize, DeviceError> {
    let cursor = kernels.zeros::<u32>(1)?;
    parameters.cursor = kernels.address(&cursor);
    kernels.launch(kernel, parameters.hit_count as usize, parameters)?;
    kernels.count(&cursor)
}

/// Adds the extensions of listed hits, given their reaches, to the verdicts.
fn judge<B: Backend>(
    kernels: &PairKernels<B>,
    &pairs: &PairParameters,
    (listed, reaches): (DeviceAddress<u32>, DeviceAddress<u32>),
    count: usize,
) -> Result<(), DeviceError> {
    let parameters =
        JudgeParameters { pairs, listed, reaches, listed_count: count as u32, padding: 0 };
    kernels.launch("judge_listed", count, &parameters)
}

/// The gapped extension of a hit, if it was extended and its sides fitted into memory.
fn gapped(
    search: &PreliminarySearch<'_>,
    chunks: &[DatabaseChunk],
    gathered: &GatheredHit,
) -> Option<GappedAlignment> {
    if gathered.is_extended == 0 {
        return None;
    }
    if search.options.is_greedy {
        return left_right::greedily_scored(search, &gathered.found, &gathered.greedy_reaches());
    }
    left_right::scored(search, chunks, &gathered.found, &gathered.reaches())
}
