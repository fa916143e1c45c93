//! Where queries are cut into pieces.
//!
//! Any cut into `k + 1` pieces finds every match; what it costs is the pieces' occurrences. A genome is
//! not random, so that of two words of one length one may occur a thousand times as often. The best
//! cut is found by dynamic programming over the ends of pieces, after searching, from each position to
//! the left, the words that end there until they are rare. That takes a few hundred steps in the
//! index, and a piece's occurrence takes several, too: it pays where occurrences are what binds.

use fm_index::{FmIndex, Interval};
use rayon::prelude::*;

use crate::query::Queries;

/// A word that occurs no more often is not made longer.
const RARE: u32 = 4;

/// How much longer than the mean a piece may be.
const LONGER: usize = 8;

/// The cuts of the queries of a batch.
#[derive(Debug)]
pub struct Cuts {
    /// For each query, where its pieces begin, and the end of the last.
    bounds: Vec<u32>,
    pieces: usize,
}

impl Cuts {
    /// The cheapest cuts of the wanted queries, in the current thread pool.
    pub fn cheapest(index: &FmIndex, queries: &Queries, wanted: &[u32], k: usize) -> Self {
        let pieces = k + 1;
        let cut: Vec<Vec<u32>> = wanted
            .par_iter()
            .map(|&query| cheapest(index, queries.codes(query as usize), pieces))
            .collect();
        let mut bounds = vec![0; queries.len() * (pieces + 1)];
        for (&query, cut) in wanted.iter().zip(&cut) {
            bounds[query as usize * (pieces + 1)..][..=pieces].copy_from_slice(cut);
        }
        Self { bounds, pieces }
    }

    /// Where a piece of a query begins; that after the last one is the query's end.
    pub fn begin(&self, query: u32, number: u32) -> usize {
        self.bounds[query as usize * (self.pieces + 1) + number as usize] as usize
    }
}

/// Where a piece of a query of `length` bases begins if all `pieces` are equally long, but for rounding.
pub fn even(length: usize, pieces: usize, number: u32) -> usize {
    number as usize * length / pieces
}

fn cheapest(index: &FmIndex, codes: &[u8], pieces: usize) -> Vec<u32> {
    let (length, shortest) = (codes.len(), index.table_length());
    if length < pieces * shortest {
        return (0..=pieces as u32).map(|number| even(length, pieces, number) as u32).collect();
    }
    let longest = length / pieces + LONGER;
    // Of the pieces so far, in the first so many bases: the least occurrences, and where the last
    // piece begins and ends.
    let mut best = vec![vec![(0_u64, 0, 0); length + 1]];
    best.resize(pieces + 1, vec![(u64::MAX, 0, 0); length + 1]);
    for end in shortest..=length {
        let words = occurrences(index, &codes[..end], longest);
        for number in 1..=pieces {
            let mut least = best[number][end - 1];
            for (more, &count) in words.iter().enumerate() {
                let begin = end - shortest - more;
                let before = best[number - 1][begin].0;
                if before < u64::MAX && before + u64::from(count) < least.0 {
                    least = (before + u64::from(count), begin, end);
                }
            }
            best[number][end] = least;
        }
    }
    // Longer pieces occur no more often: between two, the right one is extended to the left.
    let mut bounds = vec![0; pieces + 1];
    let mut upto = length;
    for number in (1..=pieces).rev() {
        let (_, begin, end) = best[number][upto];
        bounds[number] = if number == pieces { length } else { end } as u32;
        upto = begin;
    }
    bounds
}

/// How often the words that end with `codes` occur, by length from that of the look-up table on, as
/// far as they are not rare.
fn occurrences(index: &FmIndex, codes: &[u8], longest: usize) -> Vec<u32> {
    let shortest = index.table_length();
    let mut rows = index.lookup(&codes[codes.len() - shortest..]);
    let mut counts = vec![rows.size];
    let transforms = index.transforms();
    for length in shortest + 1..=longest.min(codes.len()) {
        if rows.size <= RARE {
            break;
        }
        let code = codes[codes.len() - length] as usize;
        rows = if code < 4 { transforms.extend_left(rows)[code] } else { Interval::default() };
        counts.push(rows.size);
    }
    counts
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
            let evenly = occurrences(&|number| even(length, k + 1, number));
            assert!(cut <= evenly + u64::from(RARE) * (k as u64 + 1), "{cut}, {evenly}");
        }
    }
}
