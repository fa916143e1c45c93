//! Chains that need no alignment: the whole query lies on one diagonal with hardly a difference, or only the score counts.

use crate::chain::chains::Chain;
use crate::read::packed::{PackedQuery, PackedText, only_difference};

/// How the whole query of a chain compares with the text on the chain's diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeMatch {
    /// All bases are equal.
    Equal,
    /// All bases are known, and all but the one at this place, from 0, are equal.
    OneDifference(u32),
    /// There are more differences or unknown bases, several diagonals, or no text for all of the query.
    Other,
    /// Another chain of the read outscores this one ([`outscored`](super::outscored)), which has this score, of at least 0. The
    /// ends of the chain are those of the bases that it keeps without gaps.
    Outscored(i32),
}

impl WholeMatch {
    /// The number that stands for [`WholeMatch::Other`].
    const NO_PLACE: u32 = u32::MAX;
    /// The bit that tells the score of [`WholeMatch::Outscored`] from a place.
    const OUTSCORED: u32 = 1 << 31;

    /// Compares the query of a chain that no other one outscores.
    pub fn new(chain: &Chain, query: PackedQuery<'_>, text: PackedText<'_>) -> Self {
        let Some(begin) = chain.begin_opposite(query, text) else { return Self::Other };
        match only_difference(query, text, begin) {
            None => Self::Other,
            Some(None) => Self::Equal,
            Some(Some(place)) if query.is_unknown(place) => Self::Other,
            Some(Some(place)) => Self::OneDifference(place),
        }
    }

    /// The place of the only difference, as kernels write it; for [`WholeMatch::Equal`] it is behind the query, which has
    /// `length` bases. Numbers from 2^31 on are no places: the greatest stands for [`WholeMatch::Other`], the others have the
    /// score of [`WholeMatch::Outscored`] in their lower bits.
    pub fn place(self, length: u32) -> u32 {
        match self {
            Self::Equal => length,
            Self::OneDifference(place) => place,
            Self::Other => Self::NO_PLACE,
            Self::Outscored(score) => Self::OUTSCORED | score as u32,
        }
    }

    /// The comparison with this [`place`](Self::place).
    pub fn of_place(place: u32, length: u32) -> Self {
        match place {
            Self::NO_PLACE => Self::Other,
            place if place & Self::OUTSCORED != 0 => {
                Self::Outscored((place ^ Self::OUTSCORED) as i32)
            }
            place if place == length => Self::Equal,
            place => Self::OneDifference(place),
        }
    }
}
