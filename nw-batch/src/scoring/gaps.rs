//! Costs of gaps, and ends of sequences where gaps cost nothing.

use super::error::ScoringError;
use super::limits::MAX_COST;

/// Costs of gaps: a gap of `L` residues costs `open + (L - 1) * extend`, as in EMBOSS and parasail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapCosts {
    /// Cost of a gap's first residue, 0 to [`MAX_COST`].
    pub open: i32,
    /// Cost of each further residue, 0 to `open`.
    pub extend: i32,
}

impl GapCosts {
    /// The costs, if they are within their limits.
    ///
    /// # Errors
    /// If a cost is negative or beyond [`MAX_COST`], or extending a gap costs more than opening it.
    pub fn checked(self) -> Result<Self, ScoringError> {
        let Self { open, extend } = self;
        if let Some(cost) = [open, extend].into_iter().find(|cost| !(0..=MAX_COST).contains(cost)) {
            return Err(ScoringError::Cost { cost });
        }
        if extend > open {
            return Err(ScoringError::ExtendAboveOpen { open, extend });
        }
        Ok(self)
    }

    /// Cost of a gap of `length` residues, at most two million: the residues of the two longest sequences.
    pub fn cost(self, length: u32) -> i32 {
        match length {
            0 => 0,
            _ => self.open + (length as i32 - 1) * self.extend,
        }
    }

    /// Whether every residue of a gap costs the same (linear gaps); otherwise gaps are affine.
    pub fn is_linear(self) -> bool {
        self.open == self.extend
    }
}

/// Ends of sequences that may stay unaligned at no cost. All `false` is a global alignment; both ends of the target is
/// a search of the query within the target (semi-global alignment).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // Four independent ends.
pub struct FreeEnds {
    /// Whether first residues of the query are free.
    pub query_begin: bool,
    /// Whether last residues of the query are free.
    pub query_end: bool,
    /// Whether first residues of the target are free.
    pub target_begin: bool,
    /// Whether last residues of the target are free.
    pub target_end: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_costs_its_first_residue_and_the_others() {
        let gaps = GapCosts { open: 10, extend: 2 };
        assert_eq!([0, 1, 2, 5].map(|length| gaps.cost(length)), [0, 10, 12, 18]);
    }
}
