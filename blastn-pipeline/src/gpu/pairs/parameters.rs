//! What a device is told of pairs, and what it answers; mirrored in `cuda/include/blastn/pairs.cuh`.

use bytemuck::{Pod, Zeroable};

use crate::gpu::extensions::parameters::{GreedyReached, Reached};
use crate::query::batch::QueryBatch;
use crate::query::context::QueryContext;
use crate::search::preliminary::PreliminarySearch;
use crate::ungapped::hits::ChunkHit;

/// A strand of a query.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct PairStrand {
    first: u32,
    length: u32,
    query: u32,
    /// The least score of an alignment with gaps.
    cutoff: i32,
}

/// What is known of a pair of a query and a chunk, of which there is a hit at least.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Verdict {
    /// The chunk's number.
    pub(crate) chunk: u32,
    /// The query's strand that the best hit is of.
    pub(crate) context: u32,
    /// Its hits, in the order of all: the first is the best.
    pub(super) first: u32,
    pub(crate) count: u32,
    /// What gaps make of the best hit.
    pub(crate) score: i32,
    /// The best of what they make of others, of the same strand and of the opposite one, or [`NO_SCORE`].
    pub(crate) rest: i32,
    pub(crate) rest_opposite: i32,
    /// [`BEST_STAYS`], `BEST_REPLACED` or [`OPEN`].
    pub(crate) state: u32,
}

impl Verdict {
    /// The query.
    pub(crate) fn query(&self, search: &PreliminarySearch<'_>) -> usize {
        search.batch.contexts[self.context as usize].query
    }
}

/// As [`Verdict::rest`]: there is none.
pub(crate) const NO_SCORE: i32 = i32::MIN;

/// As [`Verdict::state`]: what lies within the extension of the best hit is not extended. If another replaced
/// it, all hits are.
pub(crate) const BEST_STAYS: u32 = 0;
/// As [`Verdict::state`]: some extension is not known.
pub(crate) const OPEN: u32 = 2;

/// Hits that are wanted.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Chosen {
    pub(super) first: u32,
    pub(super) count: u32,
    /// Of those before.
    pub(super) offset: u32,
}

/// Words of a side's answer.
pub(super) const ANSWER: usize = 6;

/// A hit, and what its left and its right side reach.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Gathered {
    pub(super) found: ChunkHit,
    pub(super) is_extended: u32,
    answers: [[u32; ANSWER]; 2],
}

impl Gathered {
    /// What its sides reach.
    pub(super) fn reached(&self) -> [Reached; 2] {
        self.answers.map(|answer| {
            let words: &[u32] = &answer[..size_of::<Reached>() / size_of::<u32>()];
            bytemuck::pod_read_unaligned(bytemuck::cast_slice(words))
        })
    }

    /// The same of greedy ones.
    pub(super) fn greedily_reached(&self) -> [GreedyReached; 2] {
        self.answers.map(bytemuck::cast)
    }
}

/// What kernels are given; each says what it needs of that.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Task {
    // Addresses.
    pub(super) chunks: u64,
    pub(super) strands: u64,
    /// Hits as they were found.
    pub(super) found: u64,
    /// And in order: those of a pair are together, the best first.
    pub(super) hits: u64,
    pub(super) keys: u64,
    /// The best hit of each pair.
    pub(super) firsts: u64,
    /// Hits that do not lie within what becomes of the best of their pair.
    pub(super) others: u64,
    /// Those that do, of pairs whose best was replaced.
    pub(super) inner: u64,
    /// The number of each hit among them.
    pub(super) extended: u64,
    pub(super) answers: u64,
    pub(super) others_answers: u64,
    pub(super) inner_answers: u64,
    pub(super) verdicts: u64,
    pub(super) cursors: u64,
    /// Hits with sides that are extended now, and numbers of these sides, or 0 for all from `first_side` on.
    pub(super) listed: u64,
    pub(super) wanted: u64,
    /// These sides in the order in which they are extended, and themselves.
    pub(super) side_keys: u64,
    pub(super) sides: u64,
    /// What becomes of them, and where it is kept.
    pub(super) made: u64,
    pub(super) kept: u64,
    /// Sides that do not fit into memory.
    pub(super) left: u64,
    pub(super) chosen: u64,
    pub(super) gathered: u64,
    // Numbers.
    pub(super) strand_count: u32,
    pub(super) hit_count: u32,
    pub(super) pair_count: u32,
    pub(super) other_count: u32,
    pub(super) listed_count: u32,
    pub(super) side_count: u32,
    pub(super) first_side: u32,
    pub(super) made_words: u32,
    pub(super) chosen_count: u32,
    pub(super) first_gathered: u32,
    pub(super) gathered_count: u32,
    /// Columns of an alignment, at most, and what it scores, at most.
    pub(super) longest: u32,
    pub(super) most: i32,
    pub(super) is_greedy: u32,
    pub(super) reward: i32,
    pub(super) penalty: i32,
    pub(super) x_drop: i32,
    pub(super) least_drop: i32,
    pub(super) separation: i32,
    pub(super) padding: u32,
}

const _: () = assert!(size_of::<Verdict>() == 32);
const _: () = assert!(size_of::<Gathered>() == 80);
const _: () = assert!(size_of::<Task>() == 264);

impl Task {
    /// With what a search knows, for hits of at most so many columns.
    pub(super) fn new(search: &PreliminarySearch<'_>, longest: u32) -> Self {
        let (batch, options) = (search.batch, search.options);
        let scoring = &options.scoring;
        let most = i64::from(scoring.reward) * i64::from(longest);
        Self {
            strand_count: batch.contexts.len() as u32,
            longest,
            most: most.min(i64::from(i32::MAX)) as i32,
            is_greedy: options.is_greedy().into(),
            reward: scoring.reward,
            penalty: scoring.penalty,
            x_drop: batch.parameters.gapped_x_drop,
            least_drop: scoring.gap_open + scoring.gap_extend,
            separation: options.diagonal_separation(),
            ..Self::zeroed()
        }
    }
}

/// The strands of a batch.
pub(super) fn strands(batch: &QueryBatch) -> Vec<PairStrand> {
    let contexts = batch.contexts.iter();
    let strand = |context: &QueryContext| PairStrand {
        first: context.first as u32,
        length: context.length as u32,
        query: context.query as u32,
        // Nothing is found of strands without statistics.
        cutoff: context.statistics.map_or(i32::MAX, |statistics| statistics.cutoff),
    };
    contexts.map(strand).collect()
}
