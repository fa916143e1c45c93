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

use fm_index::turns::{Searches, take_turns};
use fm_index::{FmIndex, IndexSlices, Interval};
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
    // No piece is shorter than this; the pieces of an even cut have at least this length.
    let shortest = index.table_length().min(length / pieces);
    let words = words(length, pieces, shortest);
    let counted = WordSizes::count(index, codes, shortest, &words);
    // For each place of the previous bound, the least number of occurrences of the pieces up to it.
    let mut before = [NEVER; PLACES];
    before[REACH] = 0;
    // For each piece and place of its end, the best place of its beginning.
    let mut chosen = vec![[0_u8; PLACES]; pieces];
    let mut first = 0;
    for number in 1..=pieces {
        let previous = even(length, pieces, number - 1);
        let mut now = [NEVER; PLACES];
        let of_number = words[first..].iter().take_while(|word| word.number == number);
        for (word, sizes) in of_number.zip(first..) {
            first += 1;
            for begin in (word.least_begin..=word.end - shortest).rev() {
                let from = (begin + REACH).wrapping_sub(previous);
                if from < PLACES && before[from] < NEVER {
                    let size = counted.of(sizes, word.end - shortest - begin);
                    let sum = before[from].saturating_add(size).min(NEVER - 1);
                    if sum < now[word.place] {
                        now[word.place] = sum;
                        chosen[number - 1][word.place] = from as u8;
                    }
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
    QueryCut { bounds, occurrences: before[REACH], steps: counted.steps }
}

/// The words that end at a place of a bound, and begin at the places of the bound before.
#[derive(Debug, Clone, Copy)]
struct BoundWords {
    /// Number of the bound, from 1.
    number: usize,
    /// Number of the place.
    place: usize,
    /// End of the words in the query.
    end: usize,
    /// Begin of the longest one.
    least_begin: usize,
}

/// The words of all places of all bounds, by bound and place; none is shorter than `shortest`.
fn words(length: usize, pieces: usize, shortest: usize) -> Vec<BoundWords> {
    let of_bound = |number| {
        let least_begin = even(length, pieces, number - 1).saturating_sub(REACH);
        let places = if number == pieces { REACH..REACH + 1 } else { 0..PLACES };
        places.filter_map(move |place| {
            let end = (even(length, pieces, number) + place).checked_sub(REACH)?;
            let fits = (shortest..=length).contains(&end);
            fits.then_some(BoundWords { number, place, end, least_begin })
        })
    };
    (1..=pieces).flat_map(of_bound).collect()
}

/// Occurrences of the words of all bounds. Searches for the words of different ends take turns.
struct WordSizes<'q> {
    index: IndexSlices<'q>,
    codes: &'q [u8],
    shortest: usize,
    words: &'q [BoundWords],
    /// Number of the next words to search.
    next: usize,
    /// Occurrences of words, those of one end together, the shortest first. Those behind a rare one are not counted.
    sizes: Vec<u32>,
    /// For each end, the first one in `sizes`, and how many are counted.
    counted: Vec<(usize, usize)>,
    /// Steps in the index.
    steps: u64,
}

/// The search for the words of one end.
struct SizeSearch {
    /// Number of the words.
    number: usize,
    /// Begin of the last word that was counted, or of the first one.
    begin: usize,
    rows: Interval,
}

impl<'q> WordSizes<'q> {
    /// Counts the occurrences of the words of all ends.
    fn count(
        index: &'q FmIndex,
        codes: &'q [u8],
        shortest: usize,
        words: &'q [BoundWords],
    ) -> Self {
        let mut begin = 0;
        let counted = words.iter().map(|word| {
            let first = begin;
            begin += word.end - shortest + 1 - word.least_begin;
            (first, 0)
        });
        let counted = counted.collect();
        let (index, sizes) = (index.slices(), vec![0; begin]);
        let mut sizes = Self { index, codes, shortest, words, next: 0, sizes, counted, steps: 0 };
        take_turns(&mut sizes);
        sizes
    }

    /// Occurrences of the word of an end that is `more` bases longer than the shortest; of a rare word's if that is a part
    /// of it.
    fn of(&self, number: usize, more: usize) -> u32 {
        let (first, count) = self.counted[number];
        self.sizes[first + more.min(count - 1)]
    }

    /// The bases of the shortest word that begins here.
    fn shortest_word(&self, begin: usize) -> &'q [u8] {
        &self.codes[begin..begin + self.shortest]
    }
}

impl Searches for WordSizes<'_> {
    type Search = SizeSearch;

    fn next(&mut self) -> Option<SizeSearch> {
        let (number, word) = (self.next, self.words.get(self.next)?);
        let begin = word.end - self.shortest;
        if self.shortest == self.index.table_length() {
            self.index.prefetch_lookup(self.shortest_word(begin));
        }
        self.next += 1;
        Some(SizeSearch { number, begin, rows: Interval::default() })
    }

    fn step(&mut self, search: &mut SizeSearch) -> bool {
        let (first, count) = self.counted[search.number];
        if count == 0 {
            search.rows = self.index.search(self.shortest_word(search.begin)).unwrap_or_default();
        } else {
            search.begin -= 1;
            search.rows = self.index.extend_by_any(true, self.codes[search.begin], search.rows);
        }
        self.steps += 1;
        self.sizes[first + count] = search.rows.size;
        self.counted[search.number].1 += 1;
        let goes_on =
            search.rows.size > RARE && search.begin > self.words[search.number].least_begin;
        if goes_on {
            self.index.prefetch(true, search.rows);
        }
        goes_on
    }
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
