//! Chains of reads on the CPU: each task of the thread pool finds the seeds and the chains of some reads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aligner_core::stream::RunError;
use rayon::prelude::*;

use super::chains_of_reads::ChainsOfReads;
use crate::chain;
use crate::chain::anchors;
use crate::chain::context::{ChainContext, FinderInputs};
use crate::read::queries::{Queries, read_ranges};
use crate::seed;
use crate::seed::seeds::Seed;

/// Finds the chains of all reads on the current rayon pool; `None` if there are more than `most`.
///
/// # Errors
/// If the streaming runtime refuses the stages.
pub fn find(
    inputs: &Arc<FinderInputs>,
    queries: &Arc<Queries>,
    most: usize,
) -> Result<Option<ChainsOfReads>, RunError> {
    let (index, options) = (inputs.index.clone(), inputs.options.seeds);
    let seeds = seed::context::SeedContext { index, queries: Arc::clone(queries), options };
    let count = AtomicUsize::new(0);
    let chunk = |reads: Range<usize>| {
        let reads = reads.start as u32..reads.end as u32;
        let mut found = ChainsOfReads::default();
        if count.load(Ordering::Relaxed) > most {
            return Ok(found);
        }
        let seeds = seed::cpu::find(&seeds, 2 * reads.start..2 * reads.end);
        found.repeat_fractions = repeat_fractions(&seeds, inputs, queries, reads.clone());
        for (reads, seeds) in in_slices(reads, seeds, inputs.options.max_occurrences) {
            let context = ChainContext::new(inputs, queries, reads.clone(), seeds);
            let kept = chain::on_cpu(&context, reads.clone())?;
            let mut counts = vec![0; reads.len()];
            for it in &kept {
                counts[(it.chain.query / 2 - reads.start) as usize] += 1;
            }
            count.fetch_add(kept.len(), Ordering::Relaxed);
            found.add(kept.into_iter().map(|it| it.chain).collect::<Vec<_>>(), &counts);
        }
        Ok::<ChainsOfReads, RunError>(found)
    };
    let chunks =
        read_ranges(queries.len() / 2).map(chunk).collect::<Result<Vec<ChainsOfReads>, _>>()?;
    if count.into_inner() > most {
        return Ok(None);
    }
    let mut chains = ChainsOfReads::default();
    for chunk in chunks {
        chains.append(chunk);
    }
    Ok(Some(chains))
}

/// Anchors of the reads that a thread chains together, at most; one read may have more.
const MAX_ANCHORS: u64 = 1 << 20;

/// Cuts reads with their seeds, which are sorted, into slices of at most [`MAX_ANCHORS`] anchors.
fn in_slices(
    reads: Range<u32>,
    seeds: Vec<Seed>,
    max_occurrences: u32,
) -> Vec<(Range<u32>, Vec<Seed>)> {
    let anchors = |seeds: &[Seed]| -> u64 {
        seeds.iter().map(|seed| u64::from(seed.size.min(max_occurrences))).sum()
    };
    if anchors(&seeds) <= MAX_ANCHORS {
        return vec![(reads, seeds)];
    }
    let (mut slices, mut own, mut count, mut first) = (Vec::new(), Vec::new(), 0, reads.start);
    for of_read in seeds.chunk_by(|one, next| one.query / 2 == next.query / 2) {
        let more = anchors(of_read);
        if count > 0 && count + more > MAX_ANCHORS {
            let end = of_read[0].query / 2;
            slices.push((first..end, std::mem::take(&mut own)));
            (first, count) = (end, 0);
        }
        own.extend_from_slice(of_read);
        count += more;
    }
    slices.push((first..reads.end, own));
    slices
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
