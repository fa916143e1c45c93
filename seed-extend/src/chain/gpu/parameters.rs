//! Parameters of the kernels of `cuda/find.cu`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use fm_index::gpu::IndexView;

use crate::chain::chains::Chain;
use crate::chain::items::RankedChain;
use crate::chain::outscored::OutscoringRules;
use crate::read::queries::PackedQueries;
use crate::seed::seeds::Seed;

device_struct! {
    /// Parameters of `find_codes`, which unpacks queries.
    pub struct FindCodesParameters {
        /// The queries to unpack.
        pub queries: PackedQueries,
        /// Room for the codes of all queries, a byte each.
        pub codes: DeviceAddress<u8>,
        /// Number of queries in the batch.
        pub count: u64,
    }
}

device_struct! {
    /// Parameters of `find_tally`, which counts the seeds of each query.
    pub struct FindTallyParameters {
        /// Seeds in any order.
        pub found: DeviceAddress<Seed>,
        /// Number of seeds of each query; 0 before.
        pub seed_counts: DeviceAddress<u32>,
        /// Number of seeds in all.
        pub count: u64,
    }
}

device_struct! {
    /// Parameters of `find_places`, which groups seeds by query.
    pub struct FindPlacesParameters {
        /// Seeds in any order.
        pub found: DeviceAddress<Seed>,
        /// Number of seeds before each query, and of all seeds.
        pub seed_starts: DeviceAddress<u64>,
        /// Number of seeds of each query; 0 afterwards.
        pub seed_counts: DeviceAddress<u32>,
        /// Room for the seeds, query after query.
        pub seeds: DeviceAddress<Seed>,
        /// Number of seeds in all.
        pub count: u64,
    }
}

device_struct! {
    /// Parameters of `find_counts`, which counts the anchors of each query and the bases in repeats of each read.
    pub struct FindCountsParameters {
        /// Seeds, query after query.
        pub seeds: DeviceAddress<Seed>,
        /// Number of seeds before each query, and of all seeds.
        pub seed_starts: DeviceAddress<u64>,
        /// Room for the number of anchors of each query.
        pub anchors: DeviceAddress<u32>,
        /// Room for the bases of each read that lie in seeds too frequent to be located completely, in the orientation
        /// with more of them.
        pub repeat_bases: DeviceAddress<u32>,
        /// Number of reads in the batch.
        pub reads: u32,
        /// Occurrences of a seed that are located ([`Options::max_occurrences`](crate::Options::max_occurrences)).
        pub max_occurrences: u32,
    }
}

device_struct! {
    /// Parameters of `find_totals`, which adds up parts of an array of counts.
    pub struct FindTotalsParameters {
        /// The counts to add up.
        pub counts: DeviceAddress<u32>,
        /// Room for the sum of each block's part.
        pub totals: DeviceAddress<u64>,
        /// Number of counts in all.
        pub count: u32,
        /// Counts of a part.
        pub part: u32,
    }
}

device_struct! {
    /// Parameters of `find_sums`, which turns counts into prefix sums.
    pub struct FindSumsParameters {
        /// The counts to add up.
        pub counts: DeviceAddress<u32>,
        /// Sum of each block's part, by `find_totals`.
        pub totals: DeviceAddress<u64>,
        /// Room for the sum of the counts before each one, and of all.
        pub sums: DeviceAddress<u64>,
        /// Room for the sum of all counts.
        pub total: DeviceAddress<u64>,
        /// Number of counts in all.
        pub count: u32,
        /// Counts of a part.
        pub part: u32,
    }
}

device_struct! {
    /// Parameters of `find_order`, which groups chains by read.
    pub struct FindOrderParameters {
        /// Chains in any order.
        pub kept: DeviceAddress<RankedChain>,
        /// Number of chains before each read, and of all chains.
        pub chain_starts: DeviceAddress<u64>,
        /// Room for the chains, read after read and the best first.
        pub chains: DeviceAddress<Chain>,
        /// Number of chains in all.
        pub count: u32,
        /// Number of the first read.
        pub first_read: u32,
    }
}

device_struct! {
    /// Parameters of `find_best` and `find_outscored`, which find the chains that others of their read outscore. A chain is one
    /// number, `ScoredChain` of `find.cuh`, where the best of several is asked for.
    pub struct FindOutscoredParameters {
        /// The index of the text.
        pub index: IndexView,
        /// The queries of the batch.
        pub queries: PackedQueries,
        /// Number of chains before each read, and of all chains.
        pub chain_starts: DeviceAddress<u64>,
        /// The chains, read after read.
        pub chains: DeviceAddress<Chain>,
        /// Room for what each chain scores at least, if it is compared with others.
        pub at_least: DeviceAddress<i32>,
        /// Of each read the best chain that is compared, 0 before.
        pub best: DeviceAddress<u64>,
        /// Of each read the best chain that is outscored, 0 before.
        pub best_outscored: DeviceAddress<u64>,
        /// Room for a byte of each chain: whether it is outscored.
        pub is_outscored: DeviceAddress<u8>,
        /// Number of chains of each read, afterwards without those that are outscored but the best of them.
        pub counts: DeviceAddress<u32>,
        /// When a chain is outscored.
        pub rules: OutscoringRules,
        /// How many chains there are.
        pub count: u32,
        /// Number of the first of the reads that were chained together.
        pub first_read: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameters of `find_whole_matches`.
    pub struct FindWholeMatchesParameters {
        /// The index of the text.
        pub index: IndexView,
        /// The queries of the batch.
        pub queries: PackedQueries,
        /// Number of chains before each read in `chains`, and of all of them.
        pub chain_starts: DeviceAddress<u64>,
        /// Number of chains that are kept before each read, and of all of them.
        pub kept_starts: DeviceAddress<u64>,
        /// Chains, read after read.
        pub chains: DeviceAddress<Chain>,
        /// Whether each of these is outscored.
        pub is_outscored: DeviceAddress<u8>,
        /// Of each read the outscored chain that is kept, as [`FindOutscoredParameters::best_outscored`].
        pub best_outscored: DeviceAddress<u64>,
        /// Room for the chains that are kept, read after read; the ends of an outscored one are those of the bases that it keeps.
        pub kept: DeviceAddress<Chain>,
        /// Room for a [`WholeMatch::place`](crate::chain::whole_match::WholeMatch) of each chain that is kept.
        pub places: DeviceAddress<u32>,
        /// When a chain is outscored.
        pub rules: OutscoringRules,
        /// Number of reads that were chained together.
        pub reads: u32,
    }
}
