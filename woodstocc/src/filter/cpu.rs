//! The filter on the CPU: each task of the thread pool searches the pieces of some queries, or verifies some occurrences.
//!
//! The steps are those of the [stages](super::stages), one after the other without queues, since what takes long is to wait for
//! memory: the searches of a task take turns ([`fm_index::turns`]), for the pieces and then for the positions of their
//! occurrences.

use std::sync::atomic::{AtomicU64, Ordering};

use fm_index::Interval;
use rayon::prelude::*;

use super::pieces;
use super::stages::{FilterContext, OCCURRENCES_PER_SEED, PieceSeed, QueryPiece};
use crate::verify::Window;

/// Queries whose pieces a task searches.
const QUERIES_PER_TASK: usize = 64;

/// Seeds whose occurrences a task verifies: enough for their searches to overlap, and few enough for all threads to have some.
const SEEDS_PER_TASK: usize = 256;

/// Positions whose text is on its way from memory while others are compared with their queries.
const POSITIONS_AHEAD: usize = 16;

/// The pieces of the wanted queries that occur, with all their occurrences, on the current rayon pool.
fn occurring_pieces(context: &FilterContext, wanted: &[u32]) -> Vec<PieceSeed> {
    let of_some = |wanted: &[u32]| {
        let pieces = pieces(wanted, context.k);
        let words: Vec<&[u8]> =
            pieces.iter().map(|piece| context.piece(piece.query, piece.number)).collect();
        let found = pieces.into_iter().zip(context.index.search_all(&words));
        let seed = |(QueryPiece { query, number, .. }, Interval { lo, size, .. })| PieceSeed {
            query,
            number,
            lo,
            size,
        };
        found.filter(|(_, rows)| !rows.is_empty()).map(seed)
    };
    wanted.par_chunks(QUERIES_PER_TASK).flat_map_iter(of_some).collect()
}

/// Cuts seeds into seeds of at most [`OCCURRENCES_PER_SEED`] occurrences.
fn in_parts(seeds: &[PieceSeed]) -> impl Iterator<Item = PieceSeed> {
    seeds.iter().flat_map(|&seed| {
        (0..seed.size).step_by(OCCURRENCES_PER_SEED as usize).map(move |first| PieceSeed {
            lo: seed.lo + first,
            size: (seed.size - first).min(OCCURRENCES_PER_SEED),
            ..seed
        })
    })
}

/// The windows of the occurrences of some seeds.
fn windows_of(context: &FilterContext, seeds: &[PieceSeed]) -> Vec<Window> {
    let mut rows: Vec<u32> = seeds.iter().flat_map(|seed| seed.lo..seed.lo + seed.size).collect();
    context.index.locate_all(&mut rows);
    let of_rows = seeds.iter().flat_map(|seed| std::iter::repeat_n(seed, seed.size as usize));
    let mut ahead = of_rows.clone().zip(&rows);
    let mut prefetch_next = || {
        if let Some((seed, &position)) = ahead.next() {
            context.prefetch_candidate(seed, position);
        }
    };
    (0..POSITIONS_AHEAD).for_each(|_| prefetch_next());
    let candidates = of_rows.zip(&rows).filter_map(|(seed, &position)| {
        prefetch_next();
        context.candidate(seed, position)
    });
    candidates.filter_map(|candidate| context.window(&candidate)).collect()
}

/// Finds the windows of the wanted queries on the current rayon pool, and passes them to `take` in slices of at most `most`
/// times [`OCCURRENCES_PER_SEED`]. `take` returns whether to go on. Within a slice, the search stops at `limit` windows, of
/// which some are then missing.
pub fn find(
    context: &FilterContext,
    wanted: &[u32],
    (most, limit): (usize, u64),
    mut take: impl FnMut(Vec<Window>) -> bool,
) {
    let seeds = occurring_pieces(context, wanted);
    let mut parts = in_parts(&seeds);
    loop {
        let slice: Vec<PieceSeed> = parts.by_ref().take(most).collect();
        if slice.is_empty() {
            return;
        }
        let count = AtomicU64::new(0);
        let of_some = |seeds: &[PieceSeed]| {
            if count.load(Ordering::Relaxed) > limit {
                return Vec::new();
            }
            let found = windows_of(context, seeds);
            count.fetch_add(found.len() as u64, Ordering::Relaxed);
            found
        };
        let windows = slice.par_chunks(SEEDS_PER_TASK).flat_map_iter(of_some).collect();
        if !take(windows) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aligner_core::stream::{CpuExecutor, Settings};
    use fm_index::{BuildOptions, FmIndex, Reference};

    use super::*;
    use crate::filter::cuts::QueryCuts;
    use crate::filter::{context, topology, windows};
    use crate::read::{Queries, Read};

    /// A sequence that is partly of one long repeat, whose words occur more often than a seed may have occurrences.
    fn text(random: &mut fastrand::Rng) -> Vec<u8> {
        let mut letters =
            |count: usize| -> Vec<u8> { (0..count).map(|_| b"ACGT"[random.usize(..4)]).collect() };
        let unit = letters(61);
        [letters(4000), unit.repeat(300), letters(1000)].concat()
    }

    #[test]
    fn the_windows_are_those_of_the_stages() {
        for seed in 0..6 {
            let mut random = fastrand::Rng::with_seed(seed);
            let text = text(&mut random);
            let reference = Reference::from_records([("text", &text)]).expect("a reference");
            let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
            let k = random.usize(0..=6);
            let sequences: Vec<Vec<u8>> = (0..80)
                .map(|_| {
                    let begin = random.usize(..text.len() - 100);
                    let mut read = text[begin..begin + random.usize(k + 1..100)].to_vec();
                    for _ in 0..random.usize(..3) {
                        let place = random.usize(..read.len());
                        read[place] = b"ACGTN"[random.usize(..5)];
                    }
                    read
                })
                .collect();
            let reads: Vec<Read<'_>> =
                sequences.iter().map(|sequence| Read { name: b"", sequence }).collect();
            let queries = Arc::new(Queries::new(&reads));
            let wanted: Vec<u32> = (0..queries.len() as u32).filter(|_| random.bool()).collect();
            let cuts = QueryCuts::cheapest(&index, &queries, &wanted, k);
            let context = context(&index, &queries, k, cuts);
            let (app, sinks) = topology(&context);
            let executor = CpuExecutor::new(&app, &Settings::default()).expect("an executor");
            let run = |pieces: &[_]| executor.run(pieces);
            let expected = windows(&wanted, k, (sinks, u64::MAX), run).expect("it runs");
            let mut expected: Vec<Window> = expected.windows.parts().flatten().copied().collect();
            let by_place = |window: &Window| (window.query, window.first, window.starts);
            expected.sort_unstable_by_key(by_place);
            for most in [1, 7, 1 << 20] {
                let mut found = Vec::new();
                find(&context, &wanted, (most, u64::MAX), |windows| {
                    found.extend(windows);
                    true
                });
                found.sort_unstable_by_key(by_place);
                assert!(found == expected, "seed {seed}, k {k}, {most} parts a slice");
            }
            assert!(expected.len() > wanted.len() / 2, "seed {seed}: few reads have matches");
        }
    }
}
