//! Which of the words that were extended would have been, had those before them on their diagonals
//! been known: the rule of [`crate::ungapped::Diagonals`], afterwards.

use rayon::prelude::*;

use super::stages::{Extended, Word};
use crate::ungapped::UngappedHit;

/// A word and what came of it.
#[derive(Clone, Copy)]
struct Tried {
    diagonal: u64,
    word: Word,
    hit: Option<UngappedHit>,
}

/// A diagonal of a chunk, as one number.
fn diagonal(word: &Word) -> u64 {
    u64::from(word.chunk) << 32 | u64::from(word.subject.wrapping_sub(word.query))
}

/// The ungapped alignments of each of `chunks` chunks, in no particular order.
pub fn admitted(extended: &[Extended], spent: &[Word], chunks: usize) -> Vec<Vec<UngappedHit>> {
    let mut wanted: Vec<u64> = extended.par_iter().map(|found| diagonal(&found.word)).collect();
    wanted.par_sort_unstable();
    wanted.dedup();
    // What is spent matters only where something else is not.
    let spent = spent.par_iter().filter_map(|&word| {
        let diagonal = diagonal(&word);
        wanted.binary_search(&diagonal).is_ok().then_some(Tried { diagonal, word, hit: None })
    });
    let found = extended.par_iter().map(|found| {
        let hit = Some(found.hit());
        Tried { diagonal: diagonal(&found.word), word: found.word, hit }
    });
    let mut all: Vec<Tried> = spent.chain(found).collect();
    all.par_sort_unstable_by_key(|tried| (tried.diagonal, tried.word.probe, tried.word.subject));
    let mut hits = vec![Vec::new(); chunks];
    for same in all.chunk_by(|one, other| one.diagonal == other.diagonal) {
        let mut explored = 0;
        for Tried { word, hit, .. } in same {
            if word.probe >= explored {
                explored = hit.map_or(word.end, |hit| hit.subject + hit.length);
                hits[word.chunk as usize].extend(*hit);
            }
        }
    }
    hits
}
