//! The ablation of all mapping over the virtual suffix trie (Cole 2017, chapter 2): the speed that each technique adds, on
//! the reads and the reference of the caller.
//!
//! All variants must find the same hits, else the result is an error. Times of kernels are by the device's events;
//! stages are measured in a separate run, since measuring takes time.

mod report;
mod variants;

use aligner_core::Device;
use fm_index::FmIndex;
use rayon::slice::ParallelSliceMut;
use woodstocc::Read;
use woodstocc::gpu::GpuEngine;
use woodstocc::read::Queries;
use woodstocc::trie::hit::{self, TrieHit};

pub use report::{Ablation, VariantTiming};
pub use variants::{PodShape, TrieVariant, TrieWalk};

use crate::error::BenchError;
use crate::timing::median;
use variants::AblationTask;

/// The search, and how many variants of it to measure.
#[derive(Debug, Clone, Copy)]
pub struct AblationOptions {
    /// Greatest edit distance of a hit.
    pub k: u8,
    /// Measures only the variants of the paper, with one run of each.
    pub quick: bool,
}

/// Measures all variants that the device can run. `progress` gets the name of each variant before it begins.
///
/// # Errors
/// If variants find different hits, or the device fails.
pub fn woodstocc(
    device: &Device,
    index: &FmIndex,
    reads: &[Read<'_>],
    options: AblationOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Ablation, BenchError> {
    let k = usize::from(options.k);
    let queries = Queries::new(reads);
    let wanted: Vec<u32> = (0..queries.len() as u32)
        .filter(|&query| queries.codes(query as usize).len() > k)
        .collect();
    let (engine, variants) = match device {
        Device::Cpu => (None, variants::on_cpu()),
        Device::Cuda(gpu) => {
            (Some(GpuEngine::new(gpu.clone(), index)?), variants::on_gpu(options.quick))
        }
    };
    let task = AblationTask { index, gpu: engine.as_ref(), queries: &queries, wanted: &wanted, k };
    let runs = if options.quick { 1 } else { 3 };
    let mut expected: Option<Vec<TrieHit>> = None;
    let mut points = Vec::new();
    for variant in variants {
        progress(&variant.name);
        let (mut hits, measured) = task.run(variant.walk, true)?;
        hits.par_sort_unstable_by_key(hit::order);
        let expected = expected.get_or_insert_with(|| hits.clone());
        if hits != *expected {
            let (found, expected) = (hits.len(), expected.len());
            return Err(BenchError::OtherHits { variant: variant.name, found, expected });
        }
        let mut seconds = Vec::with_capacity(runs);
        for _ in 0..runs {
            seconds.push(task.run(variant.walk, false)?.1.seconds);
        }
        points.push(VariantTiming::new(variant, &measured, reads.len(), median(&seconds), seconds));
    }
    Ok(Ablation {
        device: device.describe(),
        version: env!("CARGO_PKG_VERSION"),
        reads: reads.len(),
        bases: reads.iter().map(|read| read.sequence.len() as u64).sum(),
        reference_bases: index.reference().len(),
        k: options.k,
        hits: expected.map_or(0, |hits| hits.len()),
        points,
    })
}
