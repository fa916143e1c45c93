//! Which of the words would have been extended, had those before them on their diagonals been known: the
//! rule of [`crate::ungapped::Diagonals`], afterwards.

use std::cell::OnceCell;

use rayon::prelude::*;

use super::stages::{Bases, Context, Extended, Spent, Word};
use crate::ungapped::{Chunk, Extension, UngappedHit};

/// A word and what came of it: an alignment, nothing, or not tried.
#[derive(Clone, Copy)]
struct Seen {
    diagonal: u64,
    word: Word,
    hit: Option<UngappedHit>,
    tried: bool,
}

/// A diagonal of a chunk, as one number.
fn diagonal(word: &Word) -> u64 {
    u64::from(word.chunk) << 32 | u64::from(word.subject.wrapping_sub(word.query))
}

/// The ungapped alignments of each of `chunks` chunks, in no particular order. `bases` gives those of a
/// chunk; what was not tried but should have been is extended with them.
pub fn admitted(
    context: &Context,
    extended: &[Extended],
    spent: &[Spent],
    chunks: usize,
    bases: impl Fn(u32) -> Bases + Sync,
) -> Vec<Vec<UngappedHit>> {
    let untried = spent.par_iter().filter(|spent| spent.tried == 0).map(|spent| &spent.word);
    let found = extended.par_iter().map(|found| &found.word);
    let mut wanted: Vec<u64> = found.chain(untried).map(diagonal).collect();
    wanted.par_sort_unstable();
    wanted.dedup();
    // What was tried in vain matters only where something else was not.
    let spent = spent.par_iter().filter_map(|&Spent { word, tried }| {
        let diagonal = diagonal(&word);
        let is_wanted = wanted.binary_search(&diagonal).is_ok();
        is_wanted.then_some(Seen { diagonal, word, hit: None, tried: tried != 0 })
    });
    let found = extended.par_iter().map(|found| {
        let word = found.word;
        Seen { diagonal: diagonal(&word), word, hit: Some(found.hit()), tried: true }
    });
    let mut all: Vec<Seen> = spent.chain(found).collect();
    all.par_sort_unstable_by_key(|seen| (seen.diagonal, seen.word.probe, seen.word.subject));
    let mut hits = vec![Vec::new(); chunks];
    let of_chunks: Vec<(u32, Vec<UngappedHit>)> = all
        .par_chunk_by(|one, other| one.word.chunk == other.word.chunk)
        .map(|of_chunk| {
            let number = of_chunk[0].word.chunk;
            let unpacked = OnceCell::new();
            let extend = |word: &Word| {
                let Bases { packed, bases } = unpacked.get_or_init(|| bases(number));
                let Context { batch, fours, .. } = context;
                let chunk = Chunk { packed, bases };
                Extension { batch, fours, chunk }.of(&word.hit())
            };
            (number, of_one_chunk(of_chunk, extend))
        })
        .collect();
    for (number, found) in of_chunks {
        hits[number as usize] = found;
    }
    hits
}

/// Applies the rule to what was seen in a chunk, diagonal by diagonal.
fn of_one_chunk(all: &[Seen], extend: impl Fn(&Word) -> Option<UngappedHit>) -> Vec<UngappedHit> {
    let mut hits = Vec::new();
    for same in all.chunk_by(|one, other| one.diagonal == other.diagonal) {
        let mut explored = 0;
        for seen in same {
            if seen.word.probe >= explored {
                let hit = if seen.tried { seen.hit } else { extend(&seen.word) };
                explored = hit.map_or(seen.word.end, |hit| hit.subject + hit.length);
                hits.extend(hit);
            }
        }
    }
    hits
}
