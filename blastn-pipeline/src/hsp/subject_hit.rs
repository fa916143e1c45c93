//! The alignments of a query and a subject, and how they rank among those of other subjects.

use std::cmp::Ordering;

use crate::hsp::Hsp;
use crate::hsp::ranking::SubjectRank;

/// A subject with its alignments with a query.
#[derive(Debug, Clone)]
pub struct SubjectHit {
    /// Number of the subject in the database, from 0.
    pub subject: usize,
    /// Alignments, the best first; at least one.
    pub hsps: Vec<Hsp>,
}

impl SubjectHit {
    /// The rank of the subject among all of the query.
    pub(crate) fn rank(&self) -> SubjectRank {
        let e_value = self.hsps.iter().map(|hsp| hsp.e_value).fold(f64::MAX, f64::min);
        SubjectRank { e_value, score: self.hsps[0].score, subject: self.subject }
    }

    /// The order in which subjects are reported: the best first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.rank().order(&other.rank())
    }
}
