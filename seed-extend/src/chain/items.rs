//! Items that the stages of chaining pass on.

use aligner_core::device_struct;

use crate::chain::chains::Chain;

device_struct! {
    /// A read, with the number of chains of each of its queries.
    pub struct ChainCounts {
        pub(super) read: u32,
        pub(super) forward: u32,
        pub(super) reverse: u32,
        pub(super) padding: u32,
    }
}

device_struct! {
    /// A read, with the number of its chains that are kept.
    pub struct SelectedChains {
        pub(super) read: u32,
        pub(super) count: u32,
    }
}

device_struct! {
    /// A chain that is kept, and its rank among those of its read.
    pub struct RankedChain {
        /// The chain that is kept.
        pub chain: Chain,
        /// Number of better chains of the same read.
        pub rank: u32,
        pub(super) padding: u32,
    }
}
