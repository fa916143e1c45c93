//! What is extended of a sequence.

/// Letters of one sequence, from a place to one side.
#[derive(Debug, Clone, Copy)]
pub struct SequenceSide<'a> {
    /// The whole sequence.
    pub letters: &'a [u8],
    /// The place between letters that the side begins at.
    pub at: usize,
}

impl SequenceSide<'_> {
    #[inline]
    pub(crate) fn len<const REVERSE: bool>(&self) -> usize {
        if REVERSE { self.at } else { self.letters.len() - self.at }
    }

    /// The letters at distances from one to before another, as they are in the sequence.
    #[inline]
    pub(crate) fn range<const REVERSE: bool>(&self, from: usize, to: usize) -> &[u8] {
        if REVERSE {
            &self.letters[self.at - to..self.at - from]
        } else {
            &self.letters[self.at + from..self.at + to]
        }
    }

    /// The letter at a distance from 0 on.
    #[inline]
    pub(crate) fn letter<const REVERSE: bool>(&self, distance: usize) -> u8 {
        if REVERSE {
            self.letters[self.at - 1 - distance]
        } else {
            self.letters[self.at + distance]
        }
    }
}
