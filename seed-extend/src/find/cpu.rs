//! Chains of reads, by stages: some reads together on each thread.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::stream::RunError;
use rayon::prelude::*;

use super::Chains;
use crate::anchors;
use crate::chaining;
use crate::chaining::stages::{Context, Known};
use crate::queries::{Queries, parts};
use crate::seeding;
use crate::seeds::Seed;

/// The chains of all reads, found by the current rayon pool.
///
/// # Errors
/// If the runtime refuses the stages.
pub fn find(known: &Arc<Known>, queries: &Arc<Queries>) -> Result<Chains, RunError> {
    let (index, options) = (known.index.clone(), known.options.seeds);
    let seeds = seeding::stages::Context { index, queries: Arc::clone(queries), options };
    let some = |reads: Range<usize>| {
        let reads = reads.start as u32..reads.end as u32;
        let seeds = seeding::on_cpu(&seeds, 2 * reads.start..2 * reads.end)?;
        let repeats = repeats(&seeds, known, queries, reads.clone());
        let context = Context::new(known, queries, reads.clone(), seeds);
        let kept = chaining::on_cpu(&context, reads.clone())?;
        let mut counts = vec![0; reads.len()];
        for it in &kept {
            counts[(it.chain.query / 2 - reads.start) as usize] += 1;
        }
        let mut found = Chains::default();
        found.repeats.extend(repeats);
        found.add(kept.into_iter().map(|it| it.chain).collect::<Vec<_>>(), &counts);
        Ok::<Chains, RunError>(found)
    };
    let parts = parts(queries.len() / 2).map(some).collect::<Result<Vec<Chains>, _>>()?;
    let mut chains = Chains::default();
    for part in parts {
        chains.append(part);
    }
    Ok(chains)
}

/// Of each read the share that has only too frequent seeds. Seeds are in order.
fn repeats(mut seeds: &[Seed], known: &Known, queries: &Queries, reads: Range<u32>) -> Vec<f32> {
    let share = |read| {
        let count = seeds.partition_point(|seed| seed.query / 2 <= read);
        let (own, others) = seeds.split_at(count);
        seeds = others;
        anchors::repeats(own, queries.bases(read), known.options.occurrences)
    };
    reads.map(share).collect()
}
