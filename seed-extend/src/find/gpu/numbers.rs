//! What kernels are told.

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
