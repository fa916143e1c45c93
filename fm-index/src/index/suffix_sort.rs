//! Sorting the suffixes of a text on all threads, by their first bases and, where these are alike, by the next ones.
//!
//! Suffixes are sorted by the first 8 bases into buckets, as radix sort does, and each bucket by the first 32 bases, which are a
//! word. Those that are alike in a word are sorted by the next one, and so on. In a genome few are alike for long, and a thread
//! sorts a bucket without the others, where induced sorting, as libsais does it, goes through the whole text in order. What
//! repeats for thousands of bases would take too long this way, and is [refused](SuffixSorter::sort).
//!
//! ```text
//!   text     | chunk 0 | chunk 1 | chunk 2 |       a pass: suffixes of some buckets, by chunk and bucket
//!                 \         |         /
//!   buckets  | AAAAAAAA | AAAAAAAC | ...           gathered and sorted, a thread each
//!                 \         |         /
//!   rows     0 | 1 2 3 4 ...                       passed on in order
//! ```

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::reference::packed::{fetch, with_first_base_highest};

/// Bases of a word.
const WORD: usize = 32;

/// First bases of a suffix that tell its bucket.
const BUCKET_BASES: usize = 8;

/// There is a bucket for each value of these bases.
const BUCKETS: usize = 1 << (2 * BUCKET_BASES);

/// Suffixes of a bucket that may be more than a quarter of all.
const LARGE_BUCKET: usize = 1 << 16;

/// Parts of the text whose suffixes threads put into buckets.
const CHUNKS: usize = 64;

/// Passes over the text, if all buckets have the same size: each takes memory for its suffixes only.
const PASSES: usize = 8;

/// A text whose words are in the order of its suffixes: of two words, the one whose bases come first is smaller.
#[derive(Debug)]
pub struct SortableText {
    /// The first base of a word is in its highest bits. Zeros follow the text, so that a word and another one begin at or before
    /// each position.
    words: Vec<u64>,
    len: usize,
}

impl SortableText {
    /// A text of so many bases that the reference's words have, whose first base is in the lowest bits; or the reversed text.
    pub fn new(packed: &[u64], bases: usize, is_reversed: bool) -> Self {
        let mut words = vec![0; bases / WORD + 2];
        let filled = words[..bases.div_ceil(WORD)].par_iter_mut().enumerate();
        filled.for_each(|(number, word)| {
            *word = if is_reversed {
                // The last base of these is the first one of the reversed text, and in the highest bits.
                let end = bases - number * WORD;
                let missing = WORD.saturating_sub(end);
                fetch(packed, end.saturating_sub(WORD)) << (2 * missing)
            } else {
                with_first_base_highest(packed[number])
            };
        });
        Self { words, len: bases }
    }

    /// The suffix without bases, which comes before all others and is not among those that are [sorted](SuffixSorter::sort).
    pub fn empty_suffix(&self) -> Row {
        let before = self.len.checked_sub(1).map_or(0, |last| (self.word(last) >> 62) as u8);
        Row { position: self.len as u32, before }
    }

    /// The bases from a position on, up to the end of the text; then come zeros.
    #[inline]
    fn word(&self, position: usize) -> u64 {
        let (index, shift) = (position / WORD, 2 * (position % WORD));
        let words = &self.words[index..index + 2];
        // Two shifts, as one by all bits of a word is none.
        words[0] << shift | words[1] >> 1 >> (63 - shift)
    }
}

/// A suffix that was sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row {
    /// Where the suffix begins.
    pub position: u32,
    /// The code of the base before it; 0 for the whole text.
    pub before: u8,
}

/// A suffix that is being sorted.
#[derive(Debug, Clone, Copy, Default)]
struct Suffix {
    /// The bases by which it is sorted.
    word: u64,
    row: Row,
}

/// The text repeats too much to be sorted this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooRepetitive;

/// Memory of passes, which all texts that are sorted one after the other use.
#[derive(Debug, Default)]
pub struct SuffixSorter {
    /// The suffixes of a pass, by chunk and bucket.
    suffixes: Vec<Suffix>,
    /// The rows of a pass.
    rows: Vec<Row>,
}

impl SuffixSorter {
    /// Passes the suffixes of a text on in lexicographic order, in pieces. A suffix comes before those that it begins.
    ///
    /// # Errors
    /// If more words have to be compared behind the first ones than `most` for each suffix, by and large, or a quarter of a large
    /// text is in one bucket. Pieces may have been passed on before.
    ///
    /// # Panics
    /// If the text has 2^32 bases or more.
    pub fn sort(
        &mut self,
        text: &SortableText,
        most: u64,
        mut each: impl FnMut(&[Row]),
    ) -> Result<(), TooRepetitive> {
        assert!(u32::try_from(text.len).is_ok(), "positions have 32 bits");
        let chunk = text.len.div_ceil(CHUNKS).max(1);
        let chunks: Vec<Range<usize>> =
            (0..text.len).step_by(chunk).map(|at| at..(at + chunk).min(text.len)).collect();
        let counts: Vec<Vec<u32>> = chunks.par_iter().map(|chunk| count(text, chunk)).collect();
        let size = |bucket: usize| counts.iter().map(|of| of[bucket] as usize).sum::<usize>();
        let sizes: Vec<usize> = (0..BUCKETS).into_par_iter().map(size).collect();
        if sizes.iter().any(|&size| size > (text.len / 4).max(LARGE_BUCKET)) {
            return Err(TooRepetitive);
        }
        let passes = passes(&sizes, text.len.div_ceil(PASSES));
        let largest = passes.iter().map(|buckets| sizes[buckets.clone()].iter().sum()).max();
        let largest = largest.unwrap_or(0).max(self.rows.len());
        self.suffixes.resize(largest, Suffix::default());
        self.rows.resize(largest, Row::default());
        // Some buckets repeat more than others.
        let work = Work { left: AtomicU64::new(most * (text.len / PASSES) as u64) };
        for buckets in passes {
            let all = sizes[buckets.clone()].iter().sum();
            work.left.fetch_add(most * all as u64, Ordering::Relaxed);
            let (suffixes, rows) = (&mut self.suffixes[..all], &mut self.rows[..all]);
            let begins = begins(&counts, &buckets);
            let of_chunks = begins.iter().map(|begins| begins[buckets.len()] - begins[0]);
            let parts = split(suffixes, of_chunks).into_par_iter().zip(&chunks).zip(&begins);
            parts.for_each(|((part, chunk), begins)| {
                put(text, chunk, (buckets.start, begins), part);
            });
            let places = split(rows, sizes[buckets.clone()].iter().copied());
            let buckets = places.into_par_iter().enumerate();
            buckets
                .map_init(Vec::new, |bucket, (number, places)| {
                    bucket.clear();
                    for begins in &begins {
                        bucket.extend_from_slice(&suffixes[begins[number]..begins[number + 1]]);
                    }
                    work.sort(text, bucket)?;
                    places.iter_mut().zip(&*bucket).for_each(|(row, suffix)| *row = suffix.row);
                    Ok(())
                })
                .collect::<Result<(), _>>()?;
            each(rows);
        }
        Ok(())
    }
}

/// Ranges of buckets that have up to so many suffixes together, or are one bucket.
fn passes(sizes: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut passes = Vec::new();
    let (mut begin, mut all) = (0, 0);
    for (bucket, &size) in sizes.iter().enumerate() {
        if bucket > begin && all + size > most {
            passes.push(begin..bucket);
            (begin, all) = (bucket, 0);
        }
        all += size;
    }
    passes.push(begin..sizes.len());
    passes
}

/// The number of the bucket of a suffix that begins with these bases.
#[inline]
fn bucket_of(word: u64) -> usize {
    (word >> (2 * (WORD - BUCKET_BASES))) as usize
}

/// The number of suffixes of each bucket that begin in a chunk.
fn count(text: &SortableText, chunk: &Range<usize>) -> Vec<u32> {
    let mut counts = vec![0; BUCKETS];
    for position in chunk.clone() {
        counts[bucket_of(text.word(position))] += 1;
    }
    counts
}

/// Splits a slice into parts of these lengths.
fn split<T>(mut all: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let parts = lengths.map(|length| {
        let (part, rest) = std::mem::take(&mut all).split_at_mut(length);
        all = rest;
        part
    });
    parts.collect()
}

/// For each chunk, where its suffixes of each of some buckets begin in the memory of a pass, and where the last ones end.
fn begins(counts: &[Vec<u32>], buckets: &Range<usize>) -> Vec<Vec<usize>> {
    let mut end = 0;
    let of_chunks = counts.iter().map(|counts| {
        let mut begins = vec![end];
        for &count in &counts[buckets.clone()] {
            end += count as usize;
            begins.push(end);
        }
        begins
    });
    of_chunks.collect()
}

/// Puts the suffixes of the buckets from `first` on that begin in a chunk into its part of the memory, where those of each bucket
/// have their [begin](begins).
fn put(
    text: &SortableText,
    chunk: &Range<usize>,
    (first, begins): (usize, &[usize]),
    part: &mut [Suffix],
) {
    let last = begins.len() - 1;
    let mut next: Vec<usize> = begins[..last].iter().map(|begin| begin - begins[0]).collect();
    let mut before = match chunk.start.checked_sub(1) {
        Some(last) => (text.word(last) >> 62) as u8,
        None => 0,
    };
    for position in chunk.clone() {
        let word = text.word(position);
        let bucket = bucket_of(word).wrapping_sub(first);
        if let Some(next) = next.get_mut(bucket) {
            part[*next] = Suffix { word, row: Row { position: position as u32, before } };
            *next += 1;
        }
        before = (word >> 62) as u8;
    }
}

/// The work that sorting may still take.
struct Work {
    /// Words that may still be compared.
    left: AtomicU64,
}

impl Work {
    /// Sorts suffixes that have their first words.
    fn sort(&self, text: &SortableText, all: &mut [Suffix]) -> Result<(), TooRepetitive> {
        // Ranges of suffixes that are alike in so many bases, and have the word behind these.
        let mut alike = vec![(0..all.len(), 0)];
        while let Some((range, depth)) = alike.pop() {
            let (mut begin, next) = (range.start, depth + WORD);
            let suffixes = &mut all[range];
            suffixes.sort_unstable_by_key(|suffix| suffix.word);
            for same in suffixes.chunk_by_mut(|one, other| one.word == other.word) {
                let end = begin + same.len();
                if same.len() > 1 {
                    let ended = put_ended_first(text, same, next);
                    let left = &mut same[ended..];
                    if left.len() > 1 {
                        self.take(left.len() as u64)?;
                        for suffix in left {
                            suffix.word = text.word(suffix.row.position as usize + next);
                        }
                        alike.push((begin + ended..end, next));
                    }
                }
                begin = end;
            }
        }
        Ok(())
    }

    /// Takes so many words from those that may still be compared.
    fn take(&self, words: u64) -> Result<(), TooRepetitive> {
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(words));
        taken.map(drop).map_err(|_| TooRepetitive)
    }
}

/// Puts suffixes that end before `next` bases, which are few, before all that go on, the shortest first, and returns their number.
/// All are alike in so many bases, if zeros come behind their ends.
fn put_ended_first(text: &SortableText, alike: &mut [Suffix], next: usize) -> usize {
    let ends = |suffix: &Suffix| text.len - (suffix.row.position as usize) < next;
    let ended = alike.iter().filter(|suffix| ends(suffix)).count();
    if ended > 0 {
        // Of those that go on, none gets a smaller key.
        alike.sort_unstable_by_key(
            |suffix| if ends(suffix) { !suffix.row.position } else { u32::MAX },
        );
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::packed::PackedText;

    /// More words for each suffix than any text of these tests needs.
    const UNLIMITED: u64 = 1 << 32;

    /// A text of these codes, or the reversed text.
    fn packed(codes: &[u8], is_reversed: bool) -> SortableText {
        let mut text = PackedText::default();
        for &code in codes {
            text.push(code);
        }
        SortableText::new(&text.into_words(), codes.len(), is_reversed)
    }

    /// The rows of a text in order.
    fn sorted(codes: &[u8], most: u64) -> Result<Vec<Row>, TooRepetitive> {
        let (text, mut rows) = (packed(codes, false), Vec::new());
        let mut sorter = SuffixSorter::default();
        sorter.sort(&text, most, |piece| rows.extend_from_slice(piece)).map(|()| rows)
    }

    /// The rows by comparing whole suffixes.
    fn expected(codes: &[u8]) -> Vec<Row> {
        let mut positions: Vec<usize> = (0..codes.len()).collect();
        positions.sort_by_key(|&position| &codes[position..]);
        let row = |position: usize| Row {
            position: position as u32,
            before: position.checked_sub(1).map_or(0, |last| codes[last]),
        };
        positions.into_iter().map(row).collect()
    }

    #[test]
    fn a_reversed_text_is_packed() {
        let mut random = fastrand::Rng::with_seed(3);
        for length in [0, 1, 31, 32, 33, 100] {
            let mut codes: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
            let reversed = packed(&codes, true);
            codes.reverse();
            let expected = packed(&codes, false);
            assert_eq!(reversed.words, expected.words);
            let before = codes.last().copied().unwrap_or_default();
            assert_eq!(expected.empty_suffix(), Row { position: length, before });
            for (position, &code) in codes.iter().enumerate() {
                assert_eq!(expected.word(position) >> 62, u64::from(code));
            }
        }
    }

    #[test]
    fn passes_have_all_buckets() {
        assert_eq!(passes(&[3, 0, 2, 9, 0, 1, 4, 1], 5), [0..3, 3..4, 4..7, 7..8]);
    }

    #[test]
    fn suffixes_are_in_order() {
        let mut random = fastrand::Rng::with_seed(1);
        for case in 0..60 {
            let (length, letters) = (random.usize(..400), random.u8(1..=4));
            let mut codes: Vec<u8> = (0..length).map(|_| random.u8(..letters)).collect();
            // Repeats, some of which go on to the end.
            for _ in 0..random.usize(..3) {
                let begin = random.usize(..=codes.len());
                codes.extend_from_within(begin..);
            }
            let rows = sorted(&codes, UNLIMITED);
            assert_eq!(rows, Ok(expected(&codes)), "case {case}: {codes:?}");
        }
    }

    #[test]
    fn a_text_of_few_repeats_is_sorted_and_one_of_many_is_refused() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut codes: Vec<u8> = (0..60_000).map(|_| random.u8(..4)).collect();
        codes.extend_from_within(10_000..11_000);
        codes.extend_from_within(10_000..11_000);
        assert_eq!(sorted(&codes, 1), Ok(expected(&codes)));
        assert_eq!(sorted(&codes.repeat(2), 2), Err(TooRepetitive));
        assert_eq!(sorted(&[2; 3000], 4), Err(TooRepetitive));
        assert_eq!(sorted(&[2; 3000], UNLIMITED), Ok(expected(&[2; 3000])));
        assert_eq!(sorted(&[], 0), Ok(Vec::new()));
    }
}
