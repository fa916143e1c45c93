//! Seeds: maximal exact matches between a query and the text that do not lie within one another.
//!
//! A word of a query is a *super-maximal match for `n`* if it occurs at least `n` times in the text and no longer word
//! around it does. There are three kinds of seeds, after BWA-MEM (Li, arXiv:1303.3997, section 2.1, and its program):
//!
//! 1. All super-maximal matches for 1 of at least [`min_length`](SeedOptions::min_length) bases (bwa's SMEMs).
//! 2. Re-seeding: a repeat's copy may be hidden by a better one. So for each seed of the first kind that is long
//!    ([`split_length`](SeedOptions::split_length)) and occurs at most
//!    [`max_split_occurrences`](SeedOptions::max_split_occurrences) times, also the super-maximal matches for one
//!    occurrence more that contain its middle base.
//! 3. Rare words: from the begin of the query, the shortest word longer than `min_length` that occurs less often than
//!    [`rare_occurrences`](SeedOptions::rare_occurrences); from its end on the next one, and so on. Those that occur
//!    more than once are seeds (bwa's third round, LAST-like).
//!
//! The application in this folder finds them; `tests/seeds.rs` compares it with this definition word by word.

use aligner_core::device_struct;

device_struct! {
    /// Options that decide which exact matches are seeds.
    #[derive(PartialEq, Eq)]
    pub struct SeedOptions {
        /// Bases of the shortest seed. bwa's `-k` (`min_seed_len`).
        pub min_length: u32,
        /// Seeds of at least this many bases are split by re-seeding. bwa's `-k` times `-r` (`split_factor`), rounded.
        pub split_length: u32,
        /// Seeds that occur more often are not split. bwa's `split_width`.
        pub max_split_occurrences: u32,
        /// Seeds of the third kind occur less often than this. bwa's `-y` (`max_mem_intv`).
        pub rare_occurrences: u32,
    }
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { min_length: 19, split_length: 28, max_split_occurrences: 10, rare_occurrences: 20 }
    }
}

device_struct! {
    /// A word of a query that occurs in the text, as an interval of suffix array rows.
    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Seed {
        /// Number of the query: twice the read's, plus 1 for its reverse complement.
        pub query: u32,
        /// First base of the word in the query, from 0.
        pub begin: u16,
        /// Bases of the word.
        pub length: u16,
        /// First row of its suffix array interval. Of a seed that occurs once, its position in the indexed text
        /// instead.
        pub first: u32,
        /// Occurrences in the text, at least 1.
        pub size: u32,
    }
}
