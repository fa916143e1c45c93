//! Burrows-Wheeler transforms with ranks: one 64-byte line holds 192 symbols and the counts of all symbols before
//! them, so that a rank costs one memory access (after the interleaved occurrence table of BWA-MEM2, Vasimuddin et al.
//! 2019).
//!
//! The transform of a text of `n` bases has `n + 1` rows, one per suffix in lexicographic order. Row 0 is the empty
//! suffix (the sentinel, which sorts before A). One row, the *primary*, is that of the whole text, and the symbol
//! before that suffix is the sentinel; it is stored as an A, which every count subtracts again.
//!
//! ```text
//! RankBlock, 64 bytes:   counts of A, C, G, T before the block         4 x 32 bits
//!                        planes of 64 symbols: low bits, high bits     3 x 2 x 64 bits
//! ```

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use aligner_core::device_struct;

/// Number of symbols of one block.
pub const SYMBOLS_PER_BLOCK: u32 = 192;

device_struct! {
    /// 192 symbols of a transform, one cache line.
    #[repr(align(64))]
    #[derive(PartialEq, Eq)]
    pub struct RankBlock {
        /// Count of each symbol before the block, the primary counted as A.
        pub counts: [u32; 4],
        /// For each 64 symbols, their low bits and their high bits, the first symbol in bit 0.
        pub planes: [[u64; 2]; 3],
    }
}

/// Number of blocks for this many rows: the last block also answers the rank of all rows.
pub(crate) const fn blocks_for(rows: u64) -> u64 {
    rows / SYMBOLS_PER_BLOCK as u64 + 1
}

/// For each position of a block, 0 to 192, the bits of the planes that stand for the symbols before it.
static BEFORE: [[u64; 3]; SYMBOLS_PER_BLOCK as usize + 1] = {
    let mut before = [[0; 3]; SYMBOLS_PER_BLOCK as usize + 1];
    let mut places = 0;
    while places < SYMBOLS_PER_BLOCK as usize {
        let mut next = before[places];
        next[places / 64] |= 1 << (places % 64);
        places += 1;
        before[places] = next;
    }
    before
};

/// The symbols of 64 positions that are `code`, as bits, of their low bits and their high bits.
#[inline(always)]
fn equal([low, high]: [u64; 2], code: u8) -> u64 {
    let [of_low, of_high] = broadcast(code);
    !((low ^ of_low) | (high ^ of_high))
}

/// The symbols of 64 positions that are smaller than `code`, as bits.
#[inline(always)]
fn smaller([low, high]: [u64; 2], code: u8) -> u64 {
    let [of_low, of_high] = broadcast(code);
    (!high & of_high) | (!(high ^ of_high) & !low & of_low)
}

/// The low bit and the high bit of a code, 64 times each.
#[inline(always)]
fn broadcast(code: u8) -> [u64; 2] {
    [u64::from(code & 1), u64::from(code >> 1)].map(u64::wrapping_neg)
}

/// Counts of one symbol and of the symbols smaller than it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolCounts {
    /// Count of the symbol.
    pub equal: u32,
    /// Count of the symbols that are smaller.
    pub smaller: u32,
}

impl RankBlock {
    /// Sets the symbol at a position, 0 to 191, of a zeroed block.
    pub(crate) fn set(&mut self, place: usize, code: u8) {
        let planes = &mut self.planes[place / 64];
        planes[0] |= u64::from(code & 1) << (place % 64);
        planes[1] |= u64::from(code >> 1) << (place % 64);
    }

    /// Count of each symbol before position `places`, 0 to 192, of the block, symbols before the block included.
    #[inline]
    pub(crate) fn counts_before(&self, places: u32) -> [u32; 4] {
        let mut counts = self.counts;
        for (i, [low, high]) in self.planes.iter().enumerate() {
            let taken = places.saturating_sub(64 * i as u32).min(64);
            let mask = u64::MAX.checked_shr(64 - taken).unwrap_or(0);
            let (low, high) = (low & mask, high & mask);
            let t = (low & high).count_ones();
            let c = low.count_ones() - t;
            let g = high.count_ones() - t;
            counts[0] += taken - c - g - t;
            counts[1] += c;
            counts[2] += g;
            counts[3] += t;
        }
        counts
    }

    /// Count of one symbol before position `places`, 0 to 192, of the block, symbols before the block included.
    #[inline(always)]
    pub(crate) fn count_before(&self, code: u8, places: u32) -> u32 {
        let before = &BEFORE[places as usize];
        let within = self.planes.iter().zip(before);
        let within = within.map(|(&planes, before)| (equal(planes, code) & before).count_ones());
        self.counts[usize::from(code)] + within.sum::<u32>()
    }

    /// Counts of the symbols that are `code` and of smaller ones at positions `from..to` of the block.
    #[inline(always)]
    fn counts_within(&self, code: u8, from: u32, to: u32) -> SymbolCounts {
        let (from, to) = (&BEFORE[from as usize], &BEFORE[to as usize]);
        let mut counts = SymbolCounts { equal: 0, smaller: 0 };
        for ((&planes, from), to) in self.planes.iter().zip(from).zip(to) {
            let range = from ^ to;
            counts.equal += (equal(planes, code) & range).count_ones();
            counts.smaller += (smaller(planes, code) & range).count_ones();
        }
        counts
    }

    /// Count of the symbols smaller than `code` before position `places`, symbols before the block included.
    #[inline(always)]
    fn smaller_before(&self, code: u8, places: u32) -> u32 {
        let before = &BEFORE[places as usize];
        let within = self.planes.iter().zip(before);
        let within = within.map(|(&planes, before)| (smaller(planes, code) & before).count_ones());
        self.counts[..usize::from(code)].iter().sum::<u32>() + within.sum::<u32>()
    }
}

/// Burrows-Wheeler transform of the text, or of the reversed text.
#[derive(Debug, Clone, Copy)]
pub struct Bwt<'a> {
    pub(crate) blocks: &'a [RankBlock],
    /// Row of the whole text.
    pub(crate) primary: u32,
    /// For each code, the first row whose suffix begins with it.
    pub(crate) first: [u32; 4],
}

impl Bwt<'_> {
    /// Count of each code among the symbols of rows `0..row`; `row` is at most the number of rows.
    #[inline]
    pub fn rank4(&self, row: u32) -> [u32; 4] {
        let block = &self.blocks[(row / SYMBOLS_PER_BLOCK) as usize];
        let mut counts = block.counts_before(row % SYMBOLS_PER_BLOCK);
        counts[0] -= u32::from(self.primary < row);
        counts
    }

    /// Block of a row, and the row's position in it.
    #[inline(always)]
    fn place(&self, row: u32) -> (&RankBlock, u32) {
        (&self.blocks[(row / SYMBOLS_PER_BLOCK) as usize], row % SYMBOLS_PER_BLOCK)
    }

    /// Count of one code among the symbols of rows `0..row`; `row` is at most the number of rows.
    #[inline(always)]
    pub(crate) fn rank(&self, code: u8, row: u32) -> u32 {
        let (block, place) = self.place(row);
        block.count_before(code, place) - u32::from(code == 0 && self.primary < row)
    }

    /// Count of one code among the symbols of rows `0..lo`, and the counts of it and of smaller codes among those of
    /// rows `lo..lo + size`; the sentinel is no code.
    #[inline(always)]
    pub(crate) fn ranks(&self, code: u8, lo: u32, size: u32) -> (u32, SymbolCounts) {
        let (first, from) = self.place(lo);
        if size == 1 {
            // Most words of more than a few bases.
            let is_sentinel = lo == self.primary;
            let symbol = self.symbol(lo);
            let equal = u32::from(symbol == code && !is_sentinel);
            let smaller = u32::from(symbol < code && !is_sentinel);
            let before = if equal == 0 { 0 } else { self.rank(code, lo) };
            return (before, SymbolCounts { equal, smaller });
        }
        let before = first.count_before(code, from);
        let mut within = if from + size <= SYMBOLS_PER_BLOCK {
            first.counts_within(code, from, from + size)
        } else {
            let (last, to) = self.place(lo + size);
            SymbolCounts {
                equal: last.count_before(code, to) - before,
                smaller: last.smaller_before(code, to) - first.smaller_before(code, from),
            }
        };
        // The sentinel is stored as code 0.
        let has_sentinel = u32::from(lo <= self.primary && self.primary < lo + size);
        if code == 0 {
            within.equal -= has_sentinel;
            (before - u32::from(self.primary < lo), within)
        } else {
            within.smaller -= has_sentinel;
            (before, within)
        }
    }

    /// Starts to fetch the block of a row into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(block) = self.blocks.get((row / SYMBOLS_PER_BLOCK) as usize) {
            prefetch(block);
        }
    }

    /// Symbol of a row: the code of the base before the row's suffix. At the primary that is the sentinel, given as 0.
    #[inline(always)]
    pub fn symbol(&self, row: u32) -> u8 {
        let block = &self.blocks[(row / SYMBOLS_PER_BLOCK) as usize];
        let place = row % SYMBOLS_PER_BLOCK;
        let [low, high] = block.planes[(place / 64) as usize];
        let bit = |plane: u64| (plane >> (place % 64)) as u8 & 1;
        bit(high) << 1 | bit(low)
    }

    /// Row of the whole text, whose symbol is the sentinel.
    pub fn primary(&self) -> u32 {
        self.primary
    }
}

/// Starts to fetch all bytes of a slice into the cache.
#[inline]
pub fn prefetch_all(bytes: &[u8]) {
    /// Bytes that are fetched from memory together.
    const CACHE_LINE: usize = 64;
    bytes.iter().step_by(CACHE_LINE).chain(bytes.last()).for_each(prefetch);
}

/// Starts to fetch the cache line of a value, on processors that have an instruction for it.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address has no effect but on the cache, and SSE is part of
        // x86-64.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
