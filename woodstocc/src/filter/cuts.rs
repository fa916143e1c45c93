//! Where queries are cut into pieces, so that the pieces occur as rarely as possible.
//!
//! Every cut of a query into `k + 1` pieces finds every match; its cost is the number of occurrences of the pieces. In
//! a genome, one word may occur a thousand times as often as another of the same length. So each bound between two
//! pieces may lie up to 8 bases to either side of its place in an even cut:
//!
//! ```text
//!   query    |-----------------+-----------------+-----------------|
//!   bounds   0            <--- 1 --->       <--- 2 --->            3
//! ```
//!
//! Of all these cuts, the one whose pieces occur least is found by dynamic programming from the first bound to the
//! last. For each place of a bound, the word that ends there is extended to the left by backward search, as long as it
//! is not rare, to all places of the bound before.
//!
//! This takes some hundred steps in the index for each query. On human chromosome 20, the pieces have half of the
//! occurrences of an even cut for 47 bases and `k` = 3, and a fifth for 100 bases and `k` = 5. The GPU's version is
//! `cuda/cuts.cu`.

use fm_index::{FmIndex, Interval};
use rayon::prelude::*;

use crate::read::Queries;

/// Bases between a bound's place in an even cut and its farthest possible place.
const REACH: usize = 8;

/// Number of possible places of a bound.
const PLACES: usize = 2 * REACH + 1;

/// A word with no more occurrences than this is rare: longer words are assumed to occur as often, to save steps.
const RARE: u32 = 16;

/// Number of occurrences that stands for "no cut has its bound here".
const NEVER: u32 = u32::MAX;

/// The cuts of the queries of a batch.
#[derive(Debug, Default)]
pub struct QueryCuts {
    /// For each query, the starts of its `pieces` pieces and the end of the last one; 0 for queries that were not cut.
    bounds: Vec<u32>,
    pieces: usize,
}

impl QueryCuts {
    /// Computes the cheapest cuts into `k + 1` pieces of the wanted queries, on the current rayon pool.
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

    /// For each query, the starts of its `k + 1` pieces and the end of the last one.
    pub fn bounds(&self) -> &[u32] {
        &self.bounds
    }

    /// The first base of piece `number` of a query. For `number` = `k + 1` it is the query's length.
    pub fn begin(&self, query: u32, number: u32) -> usize {
        self.bounds[query as usize * (self.pieces + 1) + number as usize] as usize
    }
}

/// The first base of piece `number` if a query of `length` bases is cut into equally long pieces, but for rounding.
fn even(length: usize, pieces: usize, number: usize) -> usize {
    number * length / pieces
}

/// The cheapest cut of one query.
#[derive(Debug)]
pub(crate) struct QueryCut {
    /// Starts of the pieces, and the end of the last one.
    bounds: Vec<u32>,
    /// Occurrences of all pieces. Pieces that extend a rare word are counted with that word's occurrences.
    pub(crate) occurrences: u32,
    /// Steps in the index that computing the cut took.
    pub(crate) steps: u64,
}

/// Computes the cheapest cut of a query into `pieces` pieces.
pub(crate) fn cheapest(index: &FmIndex, codes: &[u8], pieces: usize) -> QueryCut {
    let length = codes.len();
    let transforms = index.transforms();
    // No piece is shorter than this; the pieces of an even cut have at least this length.
    let shortest = index.table_length().min(length / pieces);
    // For each place of the previous bound, the least number of occurrences of the pieces up to it.
    let mut before = [NEVER; PLACES];
    before[REACH] = 0;
    // For each piece and place of its end, the best place of its beginning.
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
    QueryCut { bounds, occurrences: before[REACH], steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Read;
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
            let queries = Queries::new(&[Read { name: b"", sequence }]);
            let cuts = QueryCuts::cheapest(&index, &queries, &[0, 1], k);
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
