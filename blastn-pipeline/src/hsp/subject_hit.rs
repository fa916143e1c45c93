//! The alignments of a query and a subject, and how they rank among those of other subjects.

use std::cmp::Ordering;

use crate::hsp::Hsp;
use crate::hsp::ranking::Rank;

/// Alignments of a query and a subject.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The subject's number in the database.
    pub subject: usize,
    /// The best first; never empty.
    pub hsps: Vec<Hsp>,
}

impl Hit {
    /// How good it is.
    pub(crate) fn rank(&self) -> Rank {
        let e_value = self.hsps.iter().map(|hsp| hsp.e_value).fold(f64::MAX, f64::min);
        Rank { e_value, score: self.hsps[0].score, subject: self.subject }
    }

    /// The order in which subjects are reported.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.rank().order(&other.rank())
    }
}
