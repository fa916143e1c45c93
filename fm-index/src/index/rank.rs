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

    /// Starts to fetch the block of a row into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(block) = self.blocks.get((row / SYMBOLS_PER_BLOCK) as usize) {
            prefetch(block);
        }
    }

    /// Symbol of a row: the code of the base before the row's suffix. At the primary that is the sentinel, given as 0.
    #[inline]
    pub fn symbol(&self, row: u32) -> u8 {
        let block = &self.blocks[(row / SYMBOLS_PER_BLOCK) as usize];
        let place = row % SYMBOLS_PER_BLOCK;
        let [low, high] = block.planes[(place / 64) as usize];
        let bit = |plane: u64| (plane >> (place % 64)) as u8 & 1;
        bit(high) << 1 | bit(low)
    }

    /// Row of the suffix that is one base longer than the suffix of `row`; `row` is not the primary.
    #[inline]
    pub fn previous(&self, row: u32) -> u32 {
        let code = self.symbol(row) as usize;
        self.first[code] + self.rank4(row)[code]
    }

    /// Row of the whole text, whose symbol is the sentinel.
    pub fn primary(&self) -> u32 {
        self.primary
    }
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
