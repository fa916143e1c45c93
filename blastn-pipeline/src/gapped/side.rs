//! One side of a sequence, as extensions read it.

/// Letters of a sequence from a place on, to the left or to the right; the const parameter `REVERSE` of functions tells which.
#[derive(Debug, Clone, Copy)]
pub struct SequenceSide<'a> {
    /// All letters of the sequence.
    pub letters: &'a [u8],
    /// The place between letters that the side begins at.
    pub at: usize,
}

impl SequenceSide<'_> {
    /// Number of letters to that side.
    #[inline]
    pub(crate) fn len<const REVERSE: bool>(&self) -> usize {
        if REVERSE { self.at } else { self.letters.len() - self.at }
    }

    /// The letters at distances `from..to` from the place, in the order of the sequence.
    #[inline]
    pub(crate) fn range<const REVERSE: bool>(&self, from: usize, to: usize) -> &[u8] {
        if REVERSE {
            &self.letters[self.at - to..self.at - from]
        } else {
            &self.letters[self.at + from..self.at + to]
        }
    }

    /// The letter at a distance from the place, counted from 0.
    #[inline]
    pub(crate) fn letter<const REVERSE: bool>(&self, distance: usize) -> u8 {
        if REVERSE {
            self.letters[self.at - 1 - distance]
        } else {
            self.letters[self.at + distance]
        }
    }
}
