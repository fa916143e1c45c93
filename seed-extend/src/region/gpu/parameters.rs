//! What the kernels of `cuda/regions.cu` are told, and the regions that they make.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use crate::chain::chains::Chain;
use crate::extend::alignments::AlignmentSpan;
use crate::extend::gpu::costs::AlignmentCosts;
use crate::extend::tasks::AlignmentTask;
use crate::options::Options;
use crate::region::regions::{Region, RegionNumber};

/// The bit of a count of regions that are not ranked, but in the order of chains: first the regions that needed no alignment. The
/// constant of the same name in `cuda/include/seed_extend/regions.cuh`.
pub const UNRANKED: u32 = 1 << 31;

device_struct! {
    /// A region as kernels make it: a [`Region`] without what only regions on ALT contigs have.
    #[derive(PartialEq, Eq, Default)]
    pub struct FoundRegion {
        /// Number of its first CIGAR run, as of a [`Region`].
        pub first_run: u64,
        /// Number of the query.
        pub query: u32,
        /// Number of the segment.
        pub segment: u32,
        /// The best score of any stretch of its columns.
        pub score: i32,
        /// First aligned base of the query.
        pub query_begin: u32,
        /// End of the aligned bases of the query, exclusive.
        pub query_end: u32,
        /// First aligned position of the text.
        pub begin: u32,
        /// End of the aligned positions, exclusive.
        pub end: u32,
        /// Number of its CIGAR runs.
        pub run_count: u32,
        /// 1 if something predicted it, else 0.
        pub is_supported: u32,
        /// Best score of the regions that are secondary to it; 0 if there is none.
        pub second_best_score: i32,
        /// Number of those that score nearly as much.
        pub second_best_count: u32,
        /// Number of the region of the read that it is secondary to, and 1; 0 if there is none.
        pub secondary_to: u32,
    }
}

impl FoundRegion {
    /// The region, which lies on an ALT contig or not.
    pub fn region(&self, is_alt: bool) -> Region {
        let secondary_to =
            self.secondary_to.checked_sub(1).map(|number| RegionNumber::new(number as usize));
        Region {
            query: self.query,
            segment: self.segment,
            score: self.score,
            query_begin: self.query_begin,
            query_end: self.query_end,
            begin: self.begin,
            end: self.end,
            first_run: self.first_run,
            run_count: self.run_count,
            is_supported: self.is_supported != 0,
            is_alt,
            second_best_score: self.second_best_score,
            second_best_count: self.second_best_count,
            secondary_to,
            alternative_to: secondary_to,
            alt_score: 0,
        }
    }
}

device_struct! {
    /// Parameters of `regions_of_chains`, which makes regions and alignment tasks of chains.
    pub struct RegionsOfChainsParameters {
        /// The chains.
        pub chains: DeviceAddress<Chain>,
        /// For each chain [`WholeMatch::place`](crate::chain::whole_match::WholeMatch::place).
        pub places: DeviceAddress<u32>,
        /// Bases before each query, and all bases.
        pub offsets: DeviceAddress<u32>,
        /// Begin and exclusive end of each segment of the text.
        pub segments: DeviceAddress<u32>,
        /// Room for what becomes of each chain.
        pub outcomes: DeviceAddress<u8>,
        /// Room for a region of each chain.
        pub regions: DeviceAddress<FoundRegion>,
        /// Room for a task of each chain.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// Room for three CIGAR runs of each chain.
        pub runs: DeviceAddress<u32>,
        /// Number of these runs; 0 before.
        pub run_count: DeviceAddress<u32>,
        /// Scores and costs of alignments.
        pub costs: AlignmentCosts,
        /// 1 if no gap scores more than one mismatch, else 0.
        pub prefers_a_mismatch: u32,
        /// Diagonals by which an alignment may leave those of its chain on either side, at most.
        pub band_margin: u32,
        /// Chains of less weight become neither regions nor tasks.
        pub min_chain_weight: u32,
        /// Number of chains.
        pub count: u32,
    }
}

device_struct! {
    /// How regions of a read are compared, as kernels see it.
    pub struct RankingRules {
        /// Fraction of the shorter of two regions that alternatives share.
        min_overlap: f32,
        /// Two scores that differ by no more than this are nearly the same.
        score_margin: i32,
        /// Regions that score less are dropped.
        min_score: i32,
    }
}

impl From<&Options> for RankingRules {
    fn from(options: &Options) -> Self {
        let ranking = &options.ranking;
        Self {
            min_overlap: ranking.min_overlap,
            score_margin: ranking.score_margin,
            min_score: ranking.least_score(),
        }
    }
}

device_struct! {
    /// Parameters of `regions_rank`, which ranks the regions of each read.
    pub struct RegionsRankParameters {
        /// The chains.
        pub chains: DeviceAddress<Chain>,
        /// Number of chains before each read, and of all chains.
        pub chain_starts: DeviceAddress<u64>,
        /// What became of each chain.
        pub outcomes: DeviceAddress<u8>,
        /// The regions of the chains that are regions, and room for those of the others.
        pub regions: DeviceAddress<FoundRegion>,
        /// The tasks of the others.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// The alignments of these tasks.
        pub spans: DeviceAddress<AlignmentSpan>,
        /// Bases before each query, and all bases.
        pub offsets: DeviceAddress<u32>,
        /// Tie breakers of all reads of the batch.
        pub tie_breakers: DeviceAddress<u64>,
        /// Room for a region of each chain: the regions of each read together.
        pub ranked: DeviceAddress<FoundRegion>,
        /// Number of these; 0 before.
        pub ranked_count: DeviceAddress<u32>,
        /// Room for the place of each read's first region in `ranked`.
        pub firsts: DeviceAddress<u32>,
        /// Room for the number of each read's regions, with [`UNRANKED`] if they are not ranked.
        pub counts: DeviceAddress<u32>,
        /// Number of CIGAR runs of tasks, which those of `regions_of_chains` follow.
        pub task_runs: u64,
        /// How regions are compared.
        pub rules: RankingRules,
        /// Number of the first of these reads in the batch.
        pub first_read: u32,
        /// Number of reads.
        pub reads: u32,
        /// Nothing; the struct has a whole number of words.
        pub padding: u32,
    }
}
