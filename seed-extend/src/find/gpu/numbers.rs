//! What kernels are told, and what they count.

use bytemuck::{Pod, Zeroable};

use crate::options::Options;

/// What is wanted: `find::Numbers` of `chains.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Numbers {
    occurrences: u32,
    width: u32,
    overlap: f32,
    drop_ratio: f32,
    drop_weight: u32,
    most: u32,
}

impl From<&Options> for Numbers {
    fn from(options: &Options) -> Self {
        let Options { chains, occurrences, .. } = options;
        Self {
            occurrences: *occurrences,
            width: chains.width,
            overlap: chains.overlap,
            drop_ratio: chains.drop_ratio,
            drop_weight: chains.drop_weight,
            most: chains.most as u32,
        }
    }
}

/// What there is of a query: `find::Counted` of `find.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Counted {
    /// Seeds, or [`Counted::MANY`] if there are more than there is room for.
    pub seeds: u32,
    /// Anchors; 0 then.
    pub anchors: u32,
    /// Bases in seeds that occur too often.
    pub repeats: u32,
}

impl Counted {
    /// In place of a number of seeds: too many.
    pub const MANY: u32 = u32::MAX;
}

/// Slots for seeds before those of a query that `offset` bases come before.
pub fn slots_before(offset: u32, query: u32) -> u64 {
    u64::from(offset / 2) + 8 * u64::from(query)
}
