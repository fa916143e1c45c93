//! The chains of a batch of reads in the memory of a device, where regions are made of them.

use std::ops::Range;

/// The chains of a batch of reads in the memory of a device, with what later steps need of the queries.
#[derive(Debug)]
pub struct DeviceChains<T> {
    /// Bases before each query, and all bases, as `u32`.
    pub offsets: T,
    /// Codes of all queries, a byte each.
    pub codes: T,
    /// The chains of consecutive reads, one slice after the other.
    pub slices: Vec<ChainSlice<T>>,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1; on the host.
    pub repeat_fractions: Vec<f32>,
}

/// The chains of consecutive reads.
#[derive(Debug)]
pub struct ChainSlice<T> {
    /// Numbers of these reads in the batch.
    pub reads: Range<u32>,
    /// How many chains these reads have.
    pub count: u32,
    /// The chains ([`Chain`](crate::chain::chains::Chain)), read after read; those of a read are sorted by weight, the heaviest
    /// first.
    pub chains: T,
    /// For each chain [`WholeMatch::place`](crate::chain::whole_match::WholeMatch::place), as `u32`.
    pub places: T,
    /// Number of chains before each read of the slice, and of all, as `u64`.
    pub starts: T,
}
