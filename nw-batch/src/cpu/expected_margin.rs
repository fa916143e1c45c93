//! Margin that the pairs of a batch will need, as a few of them tell.
//!
//! A narrow band tells the margin that suffices for a pair, but takes time of its own. Pairs of one batch often differ alike: then
//! one pair in [`PROBED_GROUPS`] tells about all, and the others are computed at once in a band that will suffice for nearly all.
//! Whether it does is told by their scores, as in any band.

use super::banded::Margin;

/// Margin of the first band of a pair of which nothing is known.
pub(crate) const FIRST_MARGIN: usize = 16;

/// Of so many groups of pairs, one is a sample for the others.
pub(crate) const PROBED_GROUPS: usize = 16;

/// Share of the shorter sequence that stands for the whole matrix.
const WHOLE: u64 = u64::MAX;

/// Share 1 of a sequence.
const ONE: u64 = 1 << 32;

/// Margins of a sample of pairs.
#[derive(Debug, Default)]
pub(crate) struct MarginSample {
    /// Margins as shares of the shorter sequence; [`WHOLE`] for the whole matrix.
    shares: Vec<u64>,
    /// Number of margins up to [`FIRST_MARGIN`].
    narrow: usize,
}

/// Margins that suffice for nearly all pairs that are like those of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedMargin {
    /// The pairs of the sample differ too much among themselves to tell.
    Unknown,
    /// The margin [`FIRST_MARGIN`] suffices.
    Narrow,
    /// No margin is worthwhile: the whole matrix is needed.
    Whole,
    /// A share of the shorter sequence, of [`ONE`].
    Share(u64),
}

impl MarginSample {
    /// Adds the margin that suffices for a pair, whose shorter sequence has so many residues.
    pub fn add(&mut self, shorter: usize, margin: Margin) {
        let share = |margin: usize| (margin as u64 * ONE).div_ceil(shorter.max(1) as u64);
        self.narrow += usize::from(margin.is_some_and(|margin| margin <= FIRST_MARGIN));
        self.shares.push(margin.map_or(WHOLE, share));
    }

    /// The margin to expect of other pairs: one is expected if it suffices for nearly all of the sample, and is at most about twice
    /// what most of it needs.
    pub fn expected(mut self) -> ExpectedMargin {
        self.shares.sort_unstable();
        let at = |part: usize| self.shares.get(self.shares.len() * part / 16).copied();
        match (at(1), at(2), at(15)) {
            (Some(WHOLE), ..) => ExpectedMargin::Whole,
            (_, Some(low), Some(high)) if high <= low.saturating_mul(2) && high < WHOLE => {
                ExpectedMargin::Share(high)
            }
            (Some(_), ..) if 16 * self.narrow >= 15 * self.shares.len() => ExpectedMargin::Narrow,
            _ => ExpectedMargin::Unknown,
        }
    }
}

impl ExpectedMargin {
    /// The margin to try for a pair whose shorter sequence has so many residues; `None` for the whole matrix.
    pub fn of_pair(self, shorter: usize) -> Margin {
        match self {
            Self::Unknown | Self::Narrow => Some(FIRST_MARGIN),
            Self::Whole => None,
            Self::Share(share) => Some((shorter as u64 * share / ONE) as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The margin expected by these margins of pairs of 100 residues.
    fn expected(margins: impl IntoIterator<Item = Margin>) -> ExpectedMargin {
        let mut sample = MarginSample::default();
        margins.into_iter().for_each(|margin| sample.add(100, margin));
        sample.expected()
    }

    #[test]
    fn margins_are_expected_of_pairs_that_differ_alike() {
        let alike = expected((0..64).map(|number| Some(20 + number % 16)));
        assert_eq!(alike.of_pair(100), Some(35));
        assert_eq!(alike.of_pair(1000), Some(350));
        let apart = expected((0..64).map(|number| Some(9 + number)));
        assert_eq!(apart, ExpectedMargin::Unknown);
        assert_eq!(apart.of_pair(100), Some(FIRST_MARGIN));
        let narrow = expected((0..64).map(|number| Some(1 + number % 16)));
        assert_eq!(narrow, ExpectedMargin::Narrow);
        assert_eq!(narrow.of_pair(100), Some(FIRST_MARGIN));
        assert_eq!(expected([]), ExpectedMargin::Unknown);
    }

    #[test]
    fn whole_matrices_are_expected_if_nearly_all_of_a_sample_need_them() {
        let of = |banded: usize| expected((0..64).map(|number| (number < banded).then_some(20)));
        assert_eq!(of(0), ExpectedMargin::Whole);
        assert_eq!(of(4), ExpectedMargin::Whole);
        assert_eq!(of(5), ExpectedMargin::Unknown);
        assert_eq!(of(60), ExpectedMargin::Unknown);
        assert_eq!(of(61).of_pair(100), Some(20));
        assert_eq!(of(0).of_pair(100), None);
    }
}
