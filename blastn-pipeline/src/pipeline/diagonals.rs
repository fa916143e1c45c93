//! Which of the words would have been extended, had those before them on their diagonals been known: the
//! rule of [`crate::ungapped::Diagonals`], afterwards.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::stages::{Bases, Context, Extended, Spent, Word};
use crate::ungapped::{Chunk, Extension, UngappedHit};

/// As many words are not worth other threads.
const FEW: usize = 1 << 12;

/// A word's place in the order in which words are looked at, and in the lists of words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    diagonal: u64,
    /// Probe and subject.
    along: u64,
    /// Among those extended, or behind them among those spent.
    place: usize,
}

impl Key {
    fn new(word: &Word, place: usize) -> Self {
        let along = u64::from(word.probe) << 32 | u64::from(word.subject);
        Self { diagonal: diagonal(word), along, place }
    }

    fn chunk(&self) -> u32 {
        (self.diagonal >> 32) as u32
    }
}

/// A diagonal of a chunk, as one number.
fn diagonal(word: &Word) -> u64 {
    u64::from(word.chunk) << 32 | u64::from(word.subject.wrapping_sub(word.query))
}

/// A set of diagonals, as bits; some that were not added may seem to be in it.
struct Likely {
    bits: Vec<AtomicU64>,
}

impl Likely {
    /// An empty one for so many diagonals.
    fn new(count: usize) -> Self {
        // One bit of 16 is set then.
        let words = (count / 4).next_power_of_two();
        Self { bits: (0..words).into_par_iter().map(|_| AtomicU64::new(0)).collect() }
    }

    /// Where a diagonal's bit is: neighbours are spread (Fibonacci hashing).
    fn bit(&self, diagonal: u64) -> (&AtomicU64, u64) {
        let hash = diagonal.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let word = (hash >> 16) as usize & (self.bits.len() - 1);
        (&self.bits[word], 1 << (hash >> 58))
    }

    fn add(&self, word: &Word) {
        let (bits, bit) = self.bit(diagonal(word));
        bits.fetch_or(bit, Ordering::Relaxed);
    }

    fn has(&self, word: &Word) -> bool {
        let (bits, bit) = self.bit(diagonal(word));
        bits.load(Ordering::Relaxed) & bit != 0
    }
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
    let untried = spent.par_iter().filter(|spent| spent.tried == 0);
    let likely = Likely::new(extended.len() + untried.clone().count());
    extended.par_iter().for_each(|found| likely.add(&found.word));
    untried.for_each(|spent| likely.add(&spent.word));
    // What was tried in vain matters only where something else was not.
    let spent_keys = spent.par_iter().enumerate().filter_map(|(number, spent)| {
        let key = || Key::new(&spent.word, extended.len() + number);
        likely.has(&spent.word).then(key)
    });
    let found_keys = extended.par_iter().enumerate();
    let found_keys = found_keys.map(|(number, found)| Key::new(&found.word, number));
    let mut keys: Vec<Key> = found_keys.collect();
    keys.par_extend(spent_keys);
    keys.par_sort_unstable();
    let of_chunk = |keys: &[Key]| {
        let number = keys[0].chunk();
        let unpacked = OnceLock::new();
        let extend = |word: &Word| {
            let Bases { packed, bases } = unpacked.get_or_init(|| bases(number));
            let Context { batch, fours, .. } = context;
            let chunk = Chunk { packed, bases };
            Extension { batch, fours, chunk }.of(&word.hit())
        };
        let add = |mut hits: Vec<UngappedHit>, keys: &[Key]| {
            of_one_diagonal(keys, (extended, spent), extend, &mut hits);
            hits
        };
        let same = |one: &Key, other: &Key| one.diagonal == other.diagonal;
        if keys.len() < FEW {
            return (number, keys.chunk_by(same).fold(Vec::new(), add));
        }
        let parts: Vec<_> = keys.par_chunk_by(same).fold(Vec::new, add).collect();
        (number, parts.concat())
    };
    let of_chunks: Vec<(u32, Vec<UngappedHit>)> =
        keys.par_chunk_by(|one, other| one.chunk() == other.chunk()).map(of_chunk).collect();
    let mut hits = vec![Vec::new(); chunks];
    for (number, found) in of_chunks {
        hits[number as usize] = found;
    }
    hits
}

/// Applies the rule to what was seen on a diagonal.
fn of_one_diagonal(
    keys: &[Key],
    (extended, spent): (&[Extended], &[Spent]),
    extend: impl Fn(&Word) -> Option<UngappedHit>,
    hits: &mut Vec<UngappedHit>,
) {
    let mut explored = 0;
    for key in keys {
        if ((key.along >> 32) as u32) < explored {
            continue;
        }
        let (word, hit) = if let Some(found) = extended.get(key.place) {
            (&found.word, Some(found.hit()))
        } else {
            let Spent { word, tried } = &spent[key.place - extended.len()];
            (word, if *tried == 0 { extend(word) } else { None })
        };
        explored = hit.map_or(word.end, |hit| hit.subject + hit.length);
        hits.extend(hit);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::sync::Arc;

    use super::*;
    use crate::fasta::Record;
    use crate::lookup::Lookup;
    use crate::options::{Options, Task};
    use crate::queries::{Batch, Extent};
    use crate::ungapped::Fours;

    #[test]
    fn each_diagonal_is_looked_at_from_its_begin() {
        let options = Options::new(Task::Blastn);
        let record = Record { letters: vec![0; 50], ..Record::default() };
        let batch = Batch::new(&[record], &options, Extent { letters: 1000, sequences: 1 });
        let (lookup, fours) = (Arc::new(Lookup::new(&batch, 11)), Fours::new(&options));
        let chunks = Vec::new();
        let context = Context { batch: Arc::new(batch), lookup, word: 11, fours, chunks };
        for (seed, words) in (0..).zip([0, 1, 100, 30_000]) {
            let mut random = fastrand::Rng::with_seed(seed);
            // Chunk, diagonal, and where the word is; and the length of its alignment.
            let all: BTreeMap<(u32, u32, u32), u32> = (0..words)
                .map(|_| {
                    let place = 3 * random.u32(1..2_000);
                    let length = if random.u8(..3) == 0 { random.u32(12..90) } else { 0 };
                    ((random.u32(..3), random.u32(..40), place), length)
                })
                .collect();
            let (mut extended, mut spent, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            let mut explored = HashMap::new();
            for (&(chunk, diagonal, subject), &length) in &all {
                let query = subject.wrapping_sub(diagonal);
                let word = Word { chunk, query, subject, end: subject + 12, probe: subject + 2 };
                let found = Extended { word, query, subject, length, score: 9 };
                let explored = explored.entry((chunk, diagonal)).or_insert(0);
                if word.probe >= *explored {
                    *explored = if length > 0 { subject + length } else { word.end };
                    expected.extend((length > 0).then_some((chunk, query, subject)));
                }
                if length > 0 {
                    extended.push(found);
                } else {
                    spent.push(Spent { word, tried: 1 });
                }
            }
            random.shuffle(&mut extended);
            random.shuffle(&mut spent);
            let bases = |_| Bases { packed: Vec::new(), bases: Vec::new() };
            let found = admitted(&context, &extended, &spent, 3, bases);
            let of_chunk = |(chunk, hits): (u32, Vec<UngappedHit>)| {
                hits.into_iter().map(move |hit| (chunk, hit.query, hit.subject))
            };
            let mut found: Vec<_> = (0..).zip(found).flat_map(of_chunk).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}");
            assert!(expected.len() < extended.len() || words < 1_000, "seed {seed}: some within");
        }
    }
}
