//! Words that grow, base by base.

use aligner_core::seq::UNKNOWN;
use bytemuck::{Pod, Zeroable};
use fm_index::Interval;

use super::stages::Context;

/// Bases of a word that occurs once from which on the text is compared: shorter ones are likely to end
/// before finding their place would have paid.
const COMPARE_FROM: usize = 16;

/// What becomes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The match that ends at `end` is to be looked up.
    Match,
    /// The rare word from `begin` on is to be looked up.
    Rare,
    /// The longest word that ends at `end` is on its way to the left.
    Left,
    /// The match that begins at `begin` is on its way to the right.
    Right,
    /// The rare word is on its way to the right.
    Rarer,
    /// The longest word that ends at `end` occurs once. To find where, what precedes it in the text is put
    /// before its rows, until the index knows the place of one; then the text tells how far it reaches.
    Unique,
    /// A match that reaches no further to either side occurs once, and is to be found in the same way.
    Matched,
}

impl Way {
    const ALL: [Self; 7] = [
        Self::Match,
        Self::Rare,
        Self::Left,
        Self::Right,
        Self::Rarer,
        Self::Unique,
        Self::Matched,
    ];
}

/// A word of a query that grows, or is to be looked up.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Growing {
    /// Number of the query.
    pub(super) query: u32,
    /// How often a match occurs at least: once, or more often if it is looked for again.
    pub(super) least: u32,
    /// Where it occurs; not of one that is to be looked up. Of one whose place is to be found, that of the
    /// word with `steps` bases before it.
    pub(super) rows: Interval,
    /// Bases put before the rows to find the place.
    pub(super) steps: u32,
    /// Its first base in the query, from 0.
    pub(super) begin: u16,
    /// Behind its last.
    pub(super) end: u16,
    /// Matches that begin later are not wanted.
    pub(super) last: u16,
    /// Its [`Way`].
    pub(super) way: u16,
}

const _: () = assert!(size_of::<Growing>() == 32, "as in seeds.cu");

impl Growing {
    pub(super) fn way(&self) -> Way {
        Way::ALL[usize::from(self.way)]
    }

    pub(super) fn on(self, way: Way) -> Self {
        Self { way: way as u16, ..self }
    }

    pub(super) fn length(&self) -> usize {
        usize::from(self.end - self.begin)
    }
}

impl Context {
    /// Adds a base to a word where it grows, and whether it is still to grow.
    pub(super) fn grow(&self, it: &mut Growing) -> bool {
        if it.way() == Way::Left && it.rows.size == 1 && it.length() >= COMPARE_FROM {
            *it = it.on(Way::Unique);
        }
        match it.way() {
            Way::Left => {
                let Some(place) = it.begin.checked_sub(1) else { return false };
                let longer = self.longer(it, place);
                let is_enough = longer.size >= it.least;
                if is_enough {
                    (it.begin, it.rows) = (place, longer);
                }
                is_enough
            }
            Way::Right => {
                let longer = self.longer(it, it.end);
                if longer.size >= it.least {
                    (it.end, it.rows) = (it.end + 1, longer);
                } else if it.rows.size == 1 {
                    *it = it.on(Way::Matched);
                } else {
                    return false;
                }
                true
            }
            Way::Rarer => {
                let is_done = it.length() > self.min_length() && self.is_rare(it);
                let at_end = usize::from(it.end) == self.queries.codes(it.query).len();
                if it.rows.size < 2 || is_done || at_end {
                    return false;
                }
                (it.rows, it.end) = (self.longer(it, it.end), it.end + 1);
                true
            }
            Way::Unique | Way::Matched => self.seek(it),
            Way::Match | Way::Rare => false,
        }
    }

    /// The rows of a word with the base of its query at `place`, before or behind it; none if there is no
    /// such base or it is unknown.
    fn longer(&self, it: &Growing, place: u16) -> Interval {
        match self.queries.codes(it.query).get(usize::from(place)) {
            Some(&code) if code < UNKNOWN => self.index.extend(place < it.begin, code, it.rows),
            _ => Interval::default(),
        }
    }

    /// Puts the base before it in the text before the rows of a word that occurs once, if the index does not
    /// know its place.
    fn seek(&self, it: &mut Growing) -> bool {
        if self.index.prefetch_if_sampled(it.rows.lo) {
            return false;
        }
        it.rows.lo = self.index.forward().previous(it.rows.lo);
        it.steps += 1;
        true
    }

    /// Where a word is whose place has been sought.
    pub(super) fn place(&self, it: &Growing) -> u32 {
        self.index.sampled_position(it.rows.lo).map_or(0, |position| position + it.steps)
    }

    /// Tells the processor that a word is soon to grow.
    pub(super) fn expect_to_grow(&self, it: &Growing) {
        self.index.prefetch(!matches!(it.way(), Way::Right | Way::Rarer), it.rows);
    }

    pub(super) fn is_rare(&self, it: &Growing) -> bool {
        it.rows.size < self.options.rare
    }
}
