//! Windows in which mates are expected, and the diagonals that are chosen in them.

use aligner_core::device_struct;

device_struct! {
    /// Consecutive diagonals on which a mate may begin. A diagonal is the position of the query's first base on the
    /// indexed text.
    #[derive(PartialEq, Eq)]
    pub struct MateWindow {
        /// The first diagonal; less than 0 if the query begins before the text.
        pub first: i64,
        /// Number of diagonals of the window.
        pub count: u32,
        /// Number of the query.
        pub query: u32,
    }
}

/// How the diagonals of a window are chosen: the one with the most words in common, of several the first; then, of those
/// that are far enough from it, again the one with the most; and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiagonalChoice {
    /// Diagonals of a window that are chosen, at most.
    pub max_diagonals: usize,
    /// Diagonals up to so far from a chosen one are not chosen as well.
    pub margin: u32,
    /// Words that query and text must have in common on a chosen diagonal; at least 1.
    pub min_words: u32,
}

/// Number of a diagonal that stands for none. Numbers of diagonals are less.
pub const NO_DIAGONAL: u32 = u32::MAX;

/// The diagonals that are chosen in windows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenDiagonals {
    /// Room for the diagonals of a window.
    pub slots: usize,
    /// Numbers of the diagonals of each window, the first with the most words; [`NO_DIAGONAL`] in unused slots.
    pub numbers: Vec<u32>,
}

impl ChosenDiagonals {
    /// Numbers of the diagonals that are chosen in a window, from 0 for [`MateWindow::first`], in the order of their
    /// choice.
    pub fn of(&self, window: usize) -> impl Iterator<Item = u32> {
        let slots = &self.numbers[self.slots * window..][..self.slots];
        slots.iter().copied().take_while(|&number| number != NO_DIAGONAL)
    }
}

impl DiagonalChoice {
    /// Diagonals that can be chosen in any of these windows, at most.
    pub fn slots(&self, windows: &[MateWindow]) -> usize {
        let largest = windows.iter().map(|window| window.count).max().unwrap_or(0);
        let far_apart = u64::from(largest).div_ceil(u64::from(self.margin) + 1);
        self.max_diagonals.min(far_apart as usize)
    }
}
