//! Chains of reads on the CPU: each task of the thread pool runs both applications for some reads.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::stream::RunError;
use rayon::prelude::*;

use super::chains_of_reads::ChainsOfReads;
use crate::chain;
use crate::chain::anchors;
use crate::chain::context::{ChainContext, FinderInputs};
use crate::read::queries::{Queries, read_ranges};
use crate::seed;
use crate::seed::seeds::Seed;

/// Finds the chains of all reads on the current rayon pool.
///
/// # Errors
/// If the streaming runtime refuses the stages.
pub fn find(inputs: &Arc<FinderInputs>, queries: &Arc<Queries>) -> Result<ChainsOfReads, RunError> {
    let (index, options) = (inputs.index.clone(), inputs.options.seeds);
    let seeds = seed::context::SeedContext { index, queries: Arc::clone(queries), options };
    let chunk = |reads: Range<usize>| {
        let reads = reads.start as u32..reads.end as u32;
        let seeds = seed::on_cpu(&seeds, 2 * reads.start..2 * reads.end)?;
        let repeat_fractions = repeat_fractions(&seeds, inputs, queries, reads.clone());
        let context = ChainContext::new(inputs, queries, reads.clone(), seeds);
        let kept = chain::on_cpu(&context, reads.clone())?;
        let mut counts = vec![0; reads.len()];
        for it in &kept {
            counts[(it.chain.query / 2 - reads.start) as usize] += 1;
        }
        let mut found = ChainsOfReads::default();
        found.repeat_fractions.extend(repeat_fractions);
        found.add(kept.into_iter().map(|it| it.chain).collect::<Vec<_>>(), &counts);
        Ok::<ChainsOfReads, RunError>(found)
    };
    let chunks =
        read_ranges(queries.len() / 2).map(chunk).collect::<Result<Vec<ChainsOfReads>, _>>()?;
    let mut chains = ChainsOfReads::default();
    for chunk in chunks {
        chains.append(chunk);
    }
    Ok(chains)
}

/// The repeat fraction of each of some reads. `seeds` are theirs, sorted.
fn repeat_fractions(
    mut seeds: &[Seed],
    inputs: &FinderInputs,
    queries: &Queries,
    reads: Range<u32>,
) -> Vec<f32> {
    let fraction = |read| {
        let count = seeds.partition_point(|seed| seed.query / 2 <= read);
        let (own, others) = seeds.split_at(count);
        seeds = others;
        anchors::repeat_fraction(own, queries.bases(read), inputs.options.max_occurrences)
    };
    reads.map(fraction).collect()
}
