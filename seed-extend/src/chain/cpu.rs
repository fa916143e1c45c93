//! Chains of reads on the CPU: each task of the thread pool finds the seeds and the chains of some reads.
//!
//! The steps are those of the [stages](super::stages), one after the other without queues: what takes long is to locate
//! the anchors, which all reads of a task do together, so that their waits for memory overlap.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::anchors::Anchor;
use super::chains::{Chain, chain, keep_best};
use super::chains_of_reads::ChainsOfReads;
use super::outscored::{OutscoringRules, drop_outscored};
use crate::chain::anchors;
use crate::chain::context::FinderInputs;
use crate::read::packed::PackedText;
use crate::read::queries::{Queries, read_ranges};
use crate::seed;
use crate::seed::seeds::Seed;

/// Finds the chains of all reads on the current rayon pool; `None` if there are more than `most`.
pub fn find(
    inputs: &Arc<FinderInputs>,
    queries: &Arc<Queries>,
    most: usize,
) -> Option<ChainsOfReads> {
    let (index, options) = (inputs.index.clone(), inputs.options.seeds);
    let seeds = seed::context::SeedContext { index, queries: Arc::clone(queries), options };
    let (text, rules) = (PackedText::of(&inputs.index), OutscoringRules::from(&inputs.options));
    let count = AtomicUsize::new(0);
    let task = |reads: Range<usize>| {
        let reads = reads.start as u32..reads.end as u32;
        let mut found = ChainsOfReads::default();
        if count.load(Ordering::Relaxed) > most {
            return found;
        }
        let seeds = seed::cpu::find(&seeds, 2 * reads.start..2 * reads.end);
        found.repeat_fractions = repeat_fractions(&seeds, inputs, queries, reads.clone());
        for (reads, seeds) in in_slices(reads, &seeds, inputs.options.max_occurrences) {
            let (mut chains, mut counts) = of_reads(inputs, queries, reads, seeds);
            let places = drop_outscored((&mut chains, &mut counts), queries, text, &rules);
            count.fetch_add(chains.len(), Ordering::Relaxed);
            found.add(chains, places, &counts);
        }
        found
    };
    let tasks: Vec<ChainsOfReads> = read_ranges(queries.len() / 2).map(task).collect();
    if count.into_inner() > most {
        return None;
    }
    let mut chains = ChainsOfReads::default();
    for of_task in tasks {
        chains.append(of_task);
    }
    Some(chains)
}

/// The chains of some reads, read after read and the best first, and how many each read has. `seeds` are theirs, sorted.
fn of_reads(
    inputs: &FinderInputs,
    queries: &Queries,
    reads: Range<u32>,
    seeds: &[Seed],
) -> (Vec<Chain>, Vec<u32>) {
    let FinderInputs { index, segments, options } = inputs;
    let mut anchors: Vec<Anchor> = Vec::new();
    anchors::locate(index, seeds, options.max_occurrences, &mut anchors);
    let mut of_reads = anchors.chunk_by_mut(|one, next| one.query / 2 == next.query / 2).peekable();
    let (mut chains, mut of_read) = (Vec::new(), Vec::new());
    let counts = reads.map(|read| {
        let Some(anchors) = of_reads.next_if(|anchors| anchors[0].query / 2 == read) else {
            return 0;
        };
        of_read.clear();
        anchors.sort_unstable();
        for of_query in anchors.chunk_by(|one, next| one.query == next.query) {
            chain(of_query, queries.bases(read), segments, &options.chains, &mut of_read);
        }
        keep_best(&mut of_read, queries.bases(read), &options.chains);
        chains.extend_from_slice(&of_read);
        of_read.len() as u32
    });
    let counts = counts.collect();
    (chains, counts)
}

/// Anchors of the reads that a thread chains together, at most; one read may have more.
const MAX_ANCHORS: u64 = 1 << 20;

/// Cuts reads with their seeds, which are sorted, into slices of at most [`MAX_ANCHORS`] anchors.
fn in_slices(
    reads: Range<u32>,
    seeds: &[Seed],
    max_occurrences: u32,
) -> Vec<(Range<u32>, &[Seed])> {
    let anchors = |seeds: &[Seed]| -> u64 {
        seeds.iter().map(|seed| u64::from(seed.size.min(max_occurrences))).sum()
    };
    let (mut slices, mut begin, mut end, mut count) = (Vec::new(), 0, 0, 0);
    let mut first = reads.start;
    for of_read in seeds.chunk_by(|one, next| one.query / 2 == next.query / 2) {
        let more = anchors(of_read);
        if count > 0 && count + more > MAX_ANCHORS {
            let read = of_read[0].query / 2;
            slices.push((first..read, &seeds[begin..end]));
            (first, begin, count) = (read, end, 0);
        }
        end += of_read.len();
        count += more;
    }
    slices.push((first..reads.end, &seeds[begin..]));
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

#[cfg(test)]
mod tests {
    use aligner_core::stream::{CpuExecutor, Settings};
    use fm_index::{BuildOptions, FmIndex, Reference, Segments};

    use super::*;
    use crate::chain::context::ChainContext;
    use crate::chain::topology;
    use crate::options::Options;

    /// The stages of the streaming runtime, and slices of fewer seeds, give the same chains.
    #[test]
    fn chains_do_not_depend_on_how_stages_are_run() {
        let mut found = 0;
        for seed in 0..10 {
            let mut random = fastrand::Rng::with_seed(seed);
            let unit: Vec<u8> = (0..300).map(|_| *random.choice(b"ACGT").unwrap()).collect();
            let mut letters = Vec::new();
            for _ in 0..12 {
                let mut copy = unit.clone();
                for _ in 0..random.usize(..12) {
                    copy[random.usize(..300)] = *random.choice(b"ACGTN").unwrap();
                }
                letters.extend_from_slice(&copy[random.usize(..200)..]);
            }
            let read = |random: &mut fastrand::Rng| {
                let begin = random.usize(..letters.len() - 150);
                letters[begin..begin + random.usize(..150)].to_vec()
            };
            let reads: Vec<Vec<u8>> = (0..40).map(|_| read(&mut random)).collect();
            let reference = Reference::from_records([("t", &letters)]).unwrap();
            let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
            let segments = Arc::new(Segments::new(index.reference()));
            let inputs = FinderInputs { index, segments, options: Options::default() };
            let (inputs, queries) =
                (Arc::new(inputs), Arc::new(Queries::new(reads.iter().map(Vec::as_slice))));
            let (index, options) = (inputs.index.clone(), inputs.options.seeds);
            let context =
                seed::context::SeedContext { index, queries: Arc::clone(&queries), options };
            let seeds = seed::cpu::find(&context, 0..80);
            let (chains, counts) = of_reads(&inputs, &queries, 0..40, &seeds);
            found += chains.len();

            let context = ChainContext::new(&inputs, &queries, 0..40, seeds.clone());
            let (app, sink) = topology(&context);
            let numbers: Vec<u32> = (0..40).collect();
            let settings = Settings { blocks: 2, ..Settings::default() };
            let run = CpuExecutor::new(&app, &settings).unwrap().run(&numbers);
            let mut kept = run.unwrap().take(sink);
            kept.sort_unstable_by_key(|it| (it.chain.query / 2, it.rank));
            let kept: Vec<Chain> = kept.into_iter().map(|it| it.chain).collect();
            assert_eq!(chains, kept, "seed {seed}");

            let (mut in_parts, mut counts_of_parts) = (Vec::new(), Vec::new());
            let mut rest = seeds.as_slice();
            for read in 0..40 {
                let own;
                (own, rest) = rest.split_at(rest.partition_point(|seed| seed.query / 2 <= read));
                let (chains, counts) = of_reads(&inputs, &queries, read..read + 1, own);
                in_parts.extend(chains);
                counts_of_parts.extend(counts);
            }
            assert_eq!((in_parts, counts_of_parts), (chains, counts), "seed {seed}: read by read");
        }
        assert!(found > 400, "{found} chains");
    }

    #[test]
    fn slices_have_all_reads_and_seeds() {
        let seed = |query, size| Seed { query, size, begin: 0, length: 20, first: 1 };
        let half = MAX_ANCHORS as u32 / 2;
        let seeds = [seed(2, half), seed(3, half), seed(6, 1), seed(9, 5), seed(10, 2 * half)];
        let slices = in_slices(0..7, &seeds, u32::MAX);
        let expected = [(0..3, &seeds[..2]), (3..5, &seeds[2..4]), (5..7, &seeds[4..])];
        assert_eq!(slices, expected);
        assert_eq!(in_slices(0..7, &seeds, 2), [(0..7, &seeds[..])]);
        assert_eq!(in_slices(4..6, &[], 2), [(4..6, &[][..])]);
    }
}
