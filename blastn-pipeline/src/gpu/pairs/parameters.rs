//! Parameters of the kernels for pairs, and what these write: shared with `cuda/include/blastn/pairs/pairs.cuh`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use bytemuck::Zeroable;

use crate::gpu::gapped::parameters::{ExtensionSide, GreedySideReach, SideReach};
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::query::batch::QueryBatch;
use crate::query::context::QueryContext;
use crate::search::preliminary::PreliminarySearch;
use crate::ungapped::hits::ChunkHit;

device_struct! {
    /// A strand of a query.
    pub(crate) struct PairStrand {
        /// Index of its first letter among those of the batch.
        first: u32,
        /// Number of its letters.
        length: u32,
        /// Index of the query.
        query: u32,
        /// Least score of a gapped alignment that is kept.
        cutoff: i32,
    }
}

device_struct! {
    /// Item of a [`Sorter`](aligner_core::sort::Sorter): a hit or a side, ordered by three numbers, of which the last
    /// counts most.
    pub(crate) struct SortKey {
        /// Numbers that decide about the order.
        numbers: [u32; 3],
        /// Index of the hit or number of the side.
        place: u32,
    }
}

device_struct! {
    /// Verdict on a pair of a query and a chunk after the extensions of its hits, of which there is at least one.
    #[derive(PartialEq, Eq)]
    pub(crate) struct PairVerdict {
        /// Index of the chunk.
        pub(crate) chunk: u32,
        /// Index of the strand of the best hit, among the contexts of the batch.
        pub(crate) strand: u32,
        /// Index of its first hit, which is the best, in the order of all.
        pub(super) first: u32,
        /// Number of its hits.
        pub(crate) count: u32,
        /// Score of the best hit's extension.
        pub(crate) score: i32,
        /// Best score of the other hits' extensions on the same strand, or [`NO_SCORE`].
        pub(crate) others: i32,
        /// Best score of the other hits' extensions on the opposite strand, or [`NO_SCORE`].
        pub(crate) others_opposite: i32,
        /// [`BEST_STAYS`], `kBestReplaced` of `pairs.cuh`, or [`OPEN`].
        pub(crate) state: u32,
    }
}

impl PairVerdict {
    /// Index of the query.
    pub(crate) fn query(&self, search: &PreliminarySearch<'_>) -> usize {
        search.batch.contexts[self.strand as usize].query
    }
}

/// As a score of a [`PairVerdict`]: there is no such extension.
pub(crate) const NO_SCORE: i32 = i32::MIN;

/// As [`PairVerdict::state`]: the best hit's extension is kept, so hits that lie within it were not extended. If another
/// extension replaced it, all hits were extended.
pub(crate) const BEST_STAYS: u32 = 0;
/// As [`PairVerdict::state`]: some extension did not fit into memory and is not known.
pub(crate) const OPEN: u32 = 2;

device_struct! {
    /// A pair whose hits the host asks for.
    pub(crate) struct ChosenPair {
        /// Index of its first hit, in the order of all.
        pub(super) first: u32,
        /// Number of its hits.
        pub(super) count: u32,
        /// Number of hits of the chosen pairs before it.
        pub(super) offset: u32,
    }
}

/// Words of a side's reach: those of a [`GreedySideReach`], or of a [`SideReach`] and one more.
pub(super) const REACH_WORDS: usize = 6;

device_struct! {
    /// A hit, with the reaches of its left and its right side if it was extended.
    pub(crate) struct GatheredHit {
        /// The gathered ungapped hit.
        pub(super) found: ChunkHit,
        /// 1 if it was extended, else 0.
        pub(super) is_extended: u32,
        /// The words of the reaches.
        reaches: [[u32; REACH_WORDS]; 2],
    }
}

impl GatheredHit {
    /// Reaches of the left and the right side.
    pub(super) fn reaches(&self) -> [SideReach; 2] {
        self.reaches.map(|reach| {
            let words: &[u32] = &reach[..size_of::<SideReach>() / size_of::<u32>()];
            bytemuck::pod_read_unaligned(bytemuck::cast_slice(words))
        })
    }

    /// Reaches of the left and the right side, if they were extended greedily.
    pub(super) fn greedy_reaches(&self) -> [GreedySideReach; 2] {
        self.reaches.map(bytemuck::cast)
    }
}

device_struct! {
    /// Parameters of the kernel that counts hits by query.
    pub(crate) struct QueryCountParameters {
        /// Hits that are counted.
        pub(super) hits: DeviceAddress<ChunkHit>,
        /// Strands of the batch.
        pub(super) strands: DeviceAddress<PairStrand>,
        /// Output: counts of hits of each query; 0 before.
        pub(super) counts: DeviceAddress<u32>,
        /// Number of hits to count.
        pub(super) hit_count: u32,
        /// Number of strands of the batch.
        pub(super) strand_count: u32,
    }
}

device_struct! {
    /// Parameters of the kernels that order the hits of a run of chunks and judge its pairs. Reaches are [`REACH_WORDS`] a
    /// side, those of the left and the right side of each hit.
    pub(crate) struct PairParameters {
        /// Chunks of the run.
        pub(super) chunks: DeviceAddress<DatabaseChunk>,
        /// Strands of the batch.
        pub(super) strands: DeviceAddress<PairStrand>,
        /// Hits, as the pipeline found them.
        pub(super) found: DeviceAddress<ChunkHit>,
        /// Hits in order: those of a pair are together, the best first.
        pub(super) hits: DeviceAddress<ChunkHit>,
        /// Keys in the order of `hits`: minus score, query, chunk.
        pub(super) keys: DeviceAddress<SortKey>,
        /// Index of the best hit of each pair.
        pub(super) firsts: DeviceAddress<u32>,
        /// Indices of hits that do not lie within the extension of their pair's best hit.
        pub(super) others: DeviceAddress<u32>,
        /// Indices of hits that do, of pairs whose best extension was replaced by another.
        pub(super) inner: DeviceAddress<u32>,
        /// Of each hit, its index in `firsts`, or in `others` and then `inner`; or `kNone`.
        pub(super) extended: DeviceAddress<u32>,
        /// Reaches of the hits of `firsts`.
        pub(super) first_reaches: DeviceAddress<u32>,
        /// Reaches of the hits of `others`.
        pub(super) other_reaches: DeviceAddress<u32>,
        /// Reaches of the hits of `inner`.
        pub(super) inner_reaches: DeviceAddress<u32>,
        /// Verdict on each pair, in the order of `firsts`.
        pub(super) verdicts: DeviceAddress<PairVerdict>,
        /// Count of what a kernel lists; 0 before.
        pub(super) cursor: DeviceAddress<u32>,
        /// Number of strands of the batch.
        pub(super) strand_count: u32,
        /// Number of hits of the run.
        pub(super) hit_count: u32,
        /// Number of pairs of the run.
        pub(super) pair_count: u32,
        /// Number of hits in `others`.
        pub(super) other_count: u32,
        /// Greatest length of a hit, in columns.
        pub(super) longest: u32,
        /// Greatest score of a hit.
        pub(super) greatest_score: i32,
        /// 1 if gapped extensions are greedy, else 0.
        pub(super) is_greedy: u32,
        /// Score of a match.
        pub(super) reward: i32,
        /// Score of a mismatch.
        pub(super) penalty: i32,
        /// X-drop of gapped extensions.
        pub(super) x_drop: i32,
        /// Least X-drop: the cost of a gap of one column.
        pub(super) least_drop: i32,
        /// Ends of alignments whose diagonals differ by less are close to each other.
        pub(super) separation: i32,
    }
}

device_struct! {
    /// Parameters of the kernels that prepare sides of listed hits, and keep how far they reach. Side 2i is the left one of
    /// the i-th listed hit, side 2i + 1 the right one.
    pub(crate) struct SideParameters {
        /// Hits and scores of the run.
        pub(super) pairs: PairParameters,
        /// Indices of the hits.
        pub(super) listed: DeviceAddress<u32>,
        /// Numbers of the sides that are extended now; null for all from `first_side` on.
        pub(super) wanted: DeviceAddress<u32>,
        /// Keys of these sides, from the longest to the shortest once they are sorted.
        pub(super) keys: DeviceAddress<SortKey>,
        /// Sides that are extended now, in the order of the keys.
        pub(super) sides: DeviceAddress<ExtensionSide>,
        /// Output of the extensions' kernel, in the order of the keys: `reached_words` a side.
        pub(super) reached: DeviceAddress<u32>,
        /// Reaches of all sides of the listed hits, [`REACH_WORDS`] each.
        pub(super) reaches: DeviceAddress<u32>,
        /// Numbers of sides that did not fit into memory.
        pub(super) unfinished: DeviceAddress<u32>,
        /// Count of these sides; 0 before the first launch for a list.
        pub(super) cursor: DeviceAddress<u32>,
        /// Number of sides that are extended now.
        pub(super) side_count: u32,
        /// First side, if `wanted` is null.
        pub(super) first_side: u32,
        /// Words that the extensions' kernel writes for each side.
        pub(super) reached_words: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub(super) padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel that adds listed hits to the verdicts.
    pub(crate) struct JudgeParameters {
        /// Hits and verdicts of the run.
        pub(super) pairs: PairParameters,
        /// Indices of the hits.
        pub(super) listed: DeviceAddress<u32>,
        /// Reaches of their sides.
        pub(super) reaches: DeviceAddress<u32>,
        /// Number of listed hits.
        pub(super) listed_count: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub(super) padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel that gathers the hits of chosen pairs.
    pub(crate) struct GatherParameters {
        /// Hits of the run, and reaches of their sides.
        pub(super) pairs: PairParameters,
        /// Pairs whose hits are gathered.
        pub(super) chosen: DeviceAddress<ChosenPair>,
        /// Output: hits with their reaches.
        pub(super) gathered: DeviceAddress<GatheredHit>,
        /// Number of chosen pairs.
        pub(super) chosen_count: u32,
        /// First hit that is gathered, among those of all chosen pairs.
        pub(super) first: u32,
        /// Number of hits that are gathered.
        pub(super) count: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub(super) padding: u32,
    }
}

impl PairParameters {
    /// Scores and limits of a search, for hits of at most `longest` columns; addresses are null.
    pub(super) fn new(search: &PreliminarySearch<'_>, longest: u32) -> Self {
        let (batch, options) = (search.batch, search.options);
        let scoring = &options.scoring;
        let greatest_score = i64::from(scoring.reward) * i64::from(longest);
        Self {
            strand_count: batch.contexts.len() as u32,
            longest,
            greatest_score: greatest_score.min(i64::from(i32::MAX)) as i32,
            is_greedy: options.is_greedy.into(),
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
        // Strands without statistics have no hits.
        cutoff: context.statistics.map_or(i32::MAX, |statistics| statistics.cutoff),
    };
    contexts.map(strand).collect()
}
