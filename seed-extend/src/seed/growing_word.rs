//! A word of a query while it is extended base by base.
//!
//! Each query has two searches. One goes through the matches ([kinds 1 and 2](super::seeds) of seeds), by their ends:
//!
//! ```text
//!   LookUpMatch ---> ExtendLeft --long enough--> ExtendRight --occurs often-----------------> seed
//!       ^             |    |                         '--occurs once--> LocateMatch ---------> seed
//!       |             |    '--too short--> next
//!       |             '--occurs once, 16 bases or more--> LocateLeft --long enough----------> seed
//!       |                                                     '--too short--> next
//!       '-- next: the word that ends one base behind a seed, or `min_length` behind the begin of a too short word
//! ```
//!
//! The other goes through the rare words (kind 3), by their begins:
//!
//! ```text
//!   LookUpRare ---> ExtendRare --longer than min_length, rare, not unique-------------------> seed
//!       ^               |
//!       '---- next: the word that begins at its end
//! ```
//!
//! For example, the matches of at least 4 bases of the query `CGTACGT` with the text `TTACGTACCA`, without the look-up
//! (which starts a word with its last bases) and with words that occur once extended as all others:
//!
//! | end | to the left | to the right | outcome |
//! |---|---|---|---|
//! | 4 | `CGTA`, from the query's begin | `CGTAC`; `CGTACG` does not occur | seed `CGTAC`, next end 6 |
//! | 6 | `TACG`; `GTACG` does not occur | `TACGT`, to the query's end | seed `TACGT`, next end 8 |
//! | 8 | the query has 7 bases | | the search ends |

use aligner_core::device_struct;
use fm_index::Interval;

/// The step that a word takes next. The numbers are those of `WordState` in `seeds.cuh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordState {
    /// The rows of the last bases of the match that ends at `end` are looked up in the table of words.
    LookUpMatch,
    /// The rows of the first bases of the rare word that begins at `begin` are looked up.
    LookUpRare,
    /// The longest word that ends at `end` is extended to the left.
    ExtendLeft,
    /// The match that begins at `begin` is extended to the right.
    ExtendRight,
    /// A rare word is extended to the right.
    ExtendRare,
    /// The longest word that ends at `end` occurs once, and its position is sought: what precedes it in the text is
    /// put before its rows until the index has a sampled position. Then the word is compared with the text itself.
    LocateLeft,
    /// A match that cannot be extended on either side occurs once, and its position is sought in the same way.
    LocateMatch,
}

impl WordState {
    const ALL: [Self; 7] = [
        Self::LookUpMatch,
        Self::LookUpRare,
        Self::ExtendLeft,
        Self::ExtendRight,
        Self::ExtendRare,
        Self::LocateLeft,
        Self::LocateMatch,
    ];
}

device_struct! {
    /// A word of a query that is being extended, or is to be looked up.
    #[derive(PartialEq, Eq)]
    pub struct GrowingWord {
        /// Number of the query: twice the read's, plus 1 for its reverse complement.
        pub(super) query: u32,
        /// Occurrences that a match must have: 1, or more if a seed is split.
        pub(super) min_occurrences: u32,
        /// Suffix array interval of the word, unset before it is looked up. While its position is sought, that of the
        /// word with `steps` bases of the text before it.
        pub(super) rows: Interval,
        /// Bases that were put before the word to find its position.
        pub(super) steps: u32,
        /// First base of the word in the query, from 0.
        pub(super) begin: u16,
        /// End of the word in the query, exclusive.
        pub(super) end: u16,
        /// The last begin that a match may have: matches that begin later are not wanted.
        pub(super) last_begin: u16,
        /// Number of its [`WordState`].
        pub(super) state: u16,
    }
}

impl GrowingWord {
    /// The step that the word takes next.
    pub(super) fn state(&self) -> WordState {
        WordState::ALL[usize::from(self.state)]
    }

    /// A copy of the word in another state.
    pub(super) fn in_state(self, state: WordState) -> Self {
        Self { state: state as u16, ..self }
    }

    /// Bases of the word.
    pub(super) fn length(&self) -> usize {
        usize::from(self.end - self.begin)
    }
}
