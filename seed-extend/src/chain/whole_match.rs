//! Chains whose whole query lies on one diagonal with hardly a difference: these need no alignment.

/// How the whole query of a chain compares with the text on the chain's diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeMatch {
    /// All bases are equal.
    Equal,
    /// All bases are known, and all but the one at this place, from 0, are equal.
    OneDifference(u32),
    /// There are more differences or unknown bases, several diagonals, or no text for all of the query.
    Other,
}

impl WholeMatch {
    /// The number that stands for [`WholeMatch::Other`].
    const NO_PLACE: u32 = u32::MAX;

    /// The place of the only difference, as kernels write it; for [`WholeMatch::Equal`] it is behind the query, which has
    /// `length` bases.
    pub fn place(self, length: u32) -> u32 {
        match self {
            Self::Equal => length,
            Self::OneDifference(place) => place,
            Self::Other => Self::NO_PLACE,
        }
    }

    /// The comparison with this [`place`](Self::place).
    pub fn of_place(place: u32, length: u32) -> Self {
        match place {
            Self::NO_PLACE => Self::Other,
            place if place == length => Self::Equal,
            place => Self::OneDifference(place),
        }
    }
}
