//! Where queries are cut into pieces.
//!
//! Any cut into `k + 1` pieces finds every match; what it costs is the pieces' occurrences. A genome is
//! not random, so that of two words of one length one may occur a thousand times as often. So each
//! bound between two pieces may lie up to 8 bases beside where it would if all pieces were
//! equally long, and of all these cuts the one whose pieces occur least is found by dynamic
//! programming, bound after bound: for each place of a bound, words that end there are searched to the
//! left, as far as they are not rare, to the places of the bound before.
//!
//! That takes some hundred steps in the index a query. On human chromosome 20 it leaves half of the
//! occurrences of an even cut at 47 bases and `k` = 3, and a fifth at 100 bases and `k` = 5.
//! `cuda/cuts.cu` is the same for a GPU.

use fm_index::{FmIndex, Interval};
use rayon::prelude::*;

use crate::query::Queries;

/// How far a bound may lie from where it would in an even cut.
const REACH: usize = 8;

/// Places of a bound.
const PLACES: usize = 2 * REACH + 1;

/// Of a word that occurs no more often, longer ones are taken to occur as often.
const RARE: u32 = 16;

/// No cut leads there.
const NEVER: u32 = u32::MAX;

/// The cuts of the queries of a batch.
#[derive(Debug, Default)]
pub struct Cuts {
    /// For each query, where its pieces begin, and the end of the last; not set for unwanted ones.
    bounds: Vec<u32>,
    pieces: usize,
}

impl Cuts {
    /// The cheapest cuts of the wanted queries, in the current thread pool.
    pub fn cheapest(index: &FmIndex, queries: &Queries, wanted: &[u32], k: usize) -> Self {
        let pieces = k + 1;
        let cut: Vec<Vec<u32>> = wanted
            .par_iter()
            .map(|&query| cheapest(index, queries.codes(query as usize), pieces).bounds)
            .collect();
        let mut bounds = vec![0; queries.len() * (pieces + 1)];
        for (&query, cut) in wanted.iter().zip(&cut) {
            bounds[query as usize * (pieces + 1)..][..=pieces].copy_from_slice(cut);
        }
        Self { bounds, pieces }
    }

    /// For each query, where its `k + 1` pieces begin, and the end of the last.
    pub fn bounds(&self) -> &[u32] {
        &self.bounds
    }

    /// Where a piece of a query begins; that after the last one is the query's end.
    pub fn begin(&self, query: u32, number: u32) -> usize {
        self.bounds[query as usize * (self.pieces + 1) + number as usize] as usize
    }
}

/// Where a piece of a query of `length` bases begins if all `pieces` are equally long, but for rounding.
fn even(length: usize, pieces: usize, number: usize) -> usize {
    number * length / pieces
}

/// Where a query is cut.
#[derive(Debug)]
pub(crate) struct Cut {
    bounds: Vec<u32>,
    /// How often its pieces occur; a few times may be missing.
    pub(crate) occurrences: u32,
    /// Steps in the index to find that out.
    pub(crate) steps: u64,
}

/// The cheapest cut of a query.
pub(crate) fn cheapest(index: &FmIndex, codes: &[u8], pieces: usize) -> Cut {
    let length = codes.len();
    let transforms = index.transforms();
    // No piece is shorter; all of an even cut are as long.
    let shortest = index.table_length().min(length / pieces);
    // For each place of the bound before, the occurrences of the pieces up to there.
    let mut before = [NEVER; PLACES];
    before[REACH] = 0;
    // For each piece and place of its end, the place of its beginning.
    let mut chosen = vec![[0_u8; PLACES]; pieces];
    let mut steps = 0;
    for number in 1..=pieces {
        let previous = even(length, pieces, number - 1);
        let mut now = [NEVER; PLACES];
        for place in 0..PLACES {
            let end = even(length, pieces, number) + place;
            if end < REACH + shortest || (number == pieces && place != REACH) {
                continue;
            }
            let end = end - REACH;
            if end > length {
                continue;
            }
            let mut begin = end - shortest;
            let mut rows = index.search(&codes[begin..end]).unwrap_or_default();
            steps += 1;
            loop {
                let from = (begin + REACH).wrapping_sub(previous);
                if from < PLACES && before[from] < NEVER {
                    let sum = before[from].saturating_add(rows.size).min(NEVER - 1);
                    if sum < now[place] {
                        now[place] = sum;
                        chosen[number - 1][place] = from as u8;
                    }
                }
                if begin == 0 || begin + REACH == previous {
                    break;
                }
                begin -= 1;
                if rows.size > RARE {
                    steps += 1;
                    let code = usize::from(codes[begin]);
                    let none = Interval::default();
                    rows = if code < 4 { transforms.extend_left(rows)[code] } else { none };
                }
            }
        }
        before = now;
    }
    let mut bounds = vec![length as u32; pieces + 1];
    let mut place = REACH;
    for number in (0..pieces).rev() {
        place = usize::from(chosen[number][place]);
        bounds[number] = (even(length, pieces, number) + place - REACH) as u32;
    }
    Cut { bounds, occurrences: before[REACH], steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use fm_index::{BuildOptions, Reference};

    #[test]
    fn pieces_cover_the_query_and_avoid_what_is_frequent() {
        let mut random = 5_u64;
        let mut letters: Vec<u8> = (0..20_000)
            .map(|_| {
                random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                b"ACGT"[(random >> 62) as usize]
            })
            .collect();
        letters[3000..9000].copy_from_slice(&b"ACGTTG".repeat(1000));
        let reference = Reference::from_records([("text", &letters)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        for (start, length, k) in
            [(2980, 40, 1), (2950, 100, 3), (100, 47, 3), (8990, 150, 7), (50, 30, 15), (50, 1, 0)]
        {
            let sequence = &letters[start..start + length];
            let queries = Queries::new(&[Query { name: b"", sequence }]);
            let cuts = Cuts::cheapest(&index, &queries, &[0, 1], k);
            let occurrences = |begin: &dyn Fn(u32) -> usize| -> u64 {
                (0..=k as u32)
                    .map(|number| &queries.codes(0)[begin(number)..begin(number + 1)])
                    .map(|word| index.search(word).map_or(0, |rows| u64::from(rows.size)))
                    .sum()
            };
            let bounds: Vec<usize> = (0..=k as u32 + 1).map(|n| cuts.begin(0, n)).collect();
            assert_eq!((bounds[0], bounds[k + 1]), (0, length));
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]), "{bounds:?}");
            let cut = occurrences(&|number| cuts.begin(0, number));
            let evenly = occurrences(&|number| even(length, k + 1, number as usize));
            assert!(cut <= evenly + u64::from(RARE) * (k as u64 + 1), "{cut}, {evenly}");
        }
    }
}
