//! The positions of all words of some letters, in the order of their codes, made on all threads.
//!
//! A table of all words of 12 bases does not fit into the caches, and counting words in it one after the other misses them at
//! each word. So words are put in order in two steps, each within memory that the second cache holds:
//!
//! ```text
//!   block of letters    -> its words, by the first bits of their codes (their bucket)
//!   bucket of all blocks -> positions by the other bits; its part of the table
//! ```
//!
//! The code of a word has two bits a base, the first base in the highest ones.

use std::ops::Range;

use rayon::prelude::*;

/// Where the words of `width` bases begin that lie in a segment and have no letter above 3, a bit for each letter and for the end of
/// the letters. `segments` is that of [`WordTable::new`].
pub(super) fn word_begins<S: Iterator<Item = Range<usize>>>(
    letters: &[u8],
    segments: impl Fn(Range<usize>) -> S + Sync,
    width: usize,
) -> Vec<u64> {
    let mut begins = vec![0_u64; letters.len() / 64 + 1];
    begins.par_chunks_mut(BLOCK / 64).enumerate().for_each(|(block, begins)| {
        let block = block * BLOCK..letters.len().min((block + 1) * BLOCK);
        for range in ranges_of_block(segments(block.clone()), &block, width) {
            for_each_word(letters, range, width, |_, position| {
                let position = position - block.start;
                begins[position / 64] |= 1 << (position % 64);
            });
        }
    });
    begins
}

/// Letters of a block, of which a position is 16 bits.
const BLOCK: usize = 1 << 16;

/// Buckets, at most. Each has up to 2^16 words of 12 bases.
const BUCKETS: usize = 1 << 8;

/// The positions of words, by their codes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WordTable {
    /// Whether each word occurs, a bit each.
    pub(super) present: Vec<u64>,
    /// Index in `positions` of the first position of each word, and one behind the last.
    pub(super) starts: Vec<u32>,
    /// Positions in the letters, word by word, ascending for each word.
    pub(super) positions: Vec<u32>,
}

/// The words that begin in a block.
#[derive(Debug)]
struct BlockWords {
    /// Code within the bucket and position within the block of each word, bucket by bucket, ascending in each.
    words: Vec<(u16, u16)>,
    /// Where the words of each bucket end.
    ends: Vec<u32>,
}

impl WordTable {
    /// The words of `width` bases, at most 12, that lie in a segment and have no letter above 3. `segments` yields the
    /// segments of the letters that overlap a range, in order; segments do not overlap each other.
    pub(super) fn new<S: Iterator<Item = Range<usize>>>(
        letters: &[u8],
        segments: impl Fn(Range<usize>) -> S + Sync,
        width: usize,
    ) -> Self {
        let codes = 1_usize << (2 * width);
        // No two buckets share a value of `present`.
        let bucket_codes = codes.div_ceil(BUCKETS).max(64).min(codes);
        let buckets = codes / bucket_codes;
        let blocks: Vec<BlockWords> = (0..letters.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let range = block * BLOCK..letters.len().min((block + 1) * BLOCK);
                let of_block = || segments(range.clone());
                block_words(letters, &range, (of_block, width), (buckets, bucket_codes))
            })
            .collect();
        let mut present = vec![0_u64; codes.div_ceil(64)];
        let mut starts = vec![0_u32; codes + 1];
        let mut sizes = vec![0; buckets];
        for block in &blocks {
            for (bucket, size) in sizes.iter_mut().enumerate() {
                *size += block.of_bucket(bucket).len();
            }
        }
        let all: usize = sizes.iter().sum();
        let mut positions = vec![0_u32; all];
        let (mut rest, mut before, mut of_buckets) = (&mut positions[..], 0, Vec::new());
        for size in sizes {
            let (own, later) = rest.split_at_mut(size);
            of_buckets.push((before as u32, own));
            (rest, before) = (later, before + size);
        }
        starts[codes] = all as u32;
        starts[..codes]
            .par_chunks_mut(bucket_codes)
            .zip(present.par_chunks_mut(bucket_codes.div_ceil(64)))
            .zip(of_buckets)
            .enumerate()
            .for_each(|(bucket, ((starts, present), (before, positions)))| {
                sort_bucket(&blocks, bucket, (starts, present), positions);
                for start in starts {
                    *start += before;
                }
            });
        Self { present, starts, positions }
    }

    /// The table of those words that begin in a range of the letters.
    pub(super) fn part(&self, letters: Range<u32>) -> Self {
        let mut present = vec![0; self.present.len()];
        let (mut starts, mut positions) = (Vec::with_capacity(self.starts.len()), Vec::new());
        for (code, bounds) in self.starts.windows(2).enumerate() {
            starts.push(positions.len() as u32);
            let of_word = &self.positions[bounds[0] as usize..bounds[1] as usize];
            let before = |end: u32| of_word.partition_point(|&position| position < end);
            let own = before(letters.start)..before(letters.end);
            if !own.is_empty() {
                present[code / 64] |= 1 << (code % 64);
                positions.extend(&of_word[own]);
            }
        }
        starts.push(positions.len() as u32);
        Self { present, starts, positions }
    }
}

impl BlockWords {
    /// The words of a bucket.
    fn of_bucket(&self, bucket: usize) -> &[(u16, u16)] {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[bucket] as usize]
    }
}

/// The ranges of letters whose words begin in a block, of the segments that overlap it.
fn ranges_of_block(
    segments: impl Iterator<Item = Range<usize>>,
    block: &Range<usize>,
    width: usize,
) -> impl Iterator<Item = Range<usize>> {
    let (start, behind) = (block.start, block.end + width - 1);
    segments.map(move |it| it.start.max(start)..it.end.min(behind))
}

/// The words that begin in a block, by their buckets.
fn block_words<S: Iterator<Item = Range<usize>>>(
    letters: &[u8],
    block: &Range<usize>,
    (segments, width): (impl Fn() -> S, usize),
    (buckets, bucket_codes): (usize, usize),
) -> BlockWords {
    let ranges = || ranges_of_block(segments(), block, width);
    let shift = bucket_codes.trailing_zeros();
    let mut ends = vec![0_u32; buckets];
    for range in ranges() {
        for_each_word(letters, range, width, |code, _| ends[code >> shift] += 1);
    }
    let mut sum = 0;
    for end in &mut ends {
        // The end of the bucket before, which moves to the own end as words are added.
        (sum, *end) = (sum + *end, sum);
    }
    let mut words = vec![(0, 0); sum as usize];
    for range in ranges() {
        for_each_word(letters, range, width, |code, position| {
            let end = &mut ends[code >> shift];
            let within = (code & (bucket_codes - 1), position - block.start);
            words[*end as usize] = (within.0 as u16, within.1 as u16);
            *end += 1;
        });
    }
    BlockWords { words, ends }
}

/// Fills a bucket's part of the table: the places of each word in `positions`, from 0, and whether it is present.
fn sort_bucket(
    blocks: &[BlockWords],
    bucket: usize,
    (starts, present): (&mut [u32], &mut [u64]),
    positions: &mut [u32],
) {
    for &(code, _) in blocks.iter().flat_map(|block| block.of_bucket(bucket)) {
        starts[usize::from(code)] += 1;
    }
    let mut sum = 0;
    for (code, start) in starts.iter_mut().enumerate() {
        if *start > 0 {
            present[code / 64] |= 1 << (code % 64);
        }
        sum += *start;
        *start = sum;
    }
    // Each start is the end of its word's positions, and moves down to their beginning.
    for (number, block) in blocks.iter().enumerate().rev() {
        for &(code, position) in block.of_bucket(bucket).iter().rev() {
            let start = &mut starts[usize::from(code)];
            *start -= 1;
            positions[*start as usize] = (number * BLOCK) as u32 + u32::from(position);
        }
    }
}

/// Calls `take` with the code and the position of each word of a range that has no ambiguous letters.
#[inline]
fn for_each_word(
    letters: &[u8],
    range: Range<usize>,
    width: usize,
    mut take: impl FnMut(usize, usize),
) {
    let mask = (1_usize << (2 * width)) - 1;
    let (mut code, mut bases) = (0, 0);
    for (position, &letter) in range.clone().zip(&letters[range]) {
        if letter > 3 {
            bases = 0;
            continue;
        }
        code = code << 2 & mask | usize::from(letter);
        bases += 1;
        if bases >= width {
            take(code, position + 1 - width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table by a plain sort, and where words begin.
    fn plain(letters: &[u8], segments: &[Range<usize>], width: usize) -> (WordTable, Vec<u64>) {
        let mut words = Vec::new();
        for segment in segments {
            for position in
                segment.start..(segment.end + 1).saturating_sub(width).max(segment.start)
            {
                let word = &letters[position..position + width];
                if word.iter().all(|&letter| letter < 4) {
                    let code = word.iter().fold(0, |code, &letter| code << 2 | usize::from(letter));
                    words.push((code, position as u32));
                }
            }
        }
        words.sort_unstable();
        let codes = 1_usize << (2 * width);
        let mut table = WordTable {
            present: vec![0; codes.div_ceil(64)],
            starts: vec![0; codes + 1],
            positions: words.iter().map(|&(_, position)| position).collect(),
        };
        let mut begins = vec![0; letters.len() / 64 + 1];
        for (code, position) in words {
            table.present[code / 64] |= 1 << (code % 64);
            table.starts[code + 1] += 1;
            begins[position as usize / 64] |= 1 << (position % 64);
        }
        for code in 0..codes {
            table.starts[code + 1] += table.starts[code];
        }
        (table, begins)
    }

    #[test]
    fn the_table_is_that_of_a_plain_sort() {
        // Few long ones, since the table of the widest words is large.
        let lengths = [0, 1, 5, 63, 64, 500, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 40];
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let length = lengths[seed as usize % lengths.len()];
            let width = [4, 11, 3, 8, 1, 12, 7, 10][seed as usize % 8];
            let letter = |_| if random.u8(..50) == 0 { 14 } else { random.u8(..4) };
            let letters: Vec<u8> = (0..length).map(letter).collect();
            let mut seams: Vec<usize> =
                (0..random.usize(..6) * 2).map(|_| random.usize(..=length)).collect();
            seams.extend([0, length, BLOCK.min(length), (BLOCK + 3).min(length)]);
            seams.sort_unstable();
            let all: Vec<Range<usize>> = seams.windows(2).map(|ends| ends[0]..ends[1]).collect();
            // Some neighbours touch, others have a gap between them; some are empty.
            let segments: Vec<Range<usize>> =
                all.into_iter().filter(|_| random.u8(..4) > 0).collect();
            let overlapping = |range: Range<usize>| {
                let is_in = move |it: &Range<usize>| it.start < range.end && it.end > range.start;
                segments.iter().filter(move |it| is_in(it)).cloned()
            };
            let table = WordTable::new(&letters, overlapping, width);
            let begins = word_begins(&letters, overlapping, width);
            assert!((table, begins) == plain(&letters, &segments, width), "seed {seed}");
        }
    }
}
