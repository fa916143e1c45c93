//! How long the parts of a search take.

use std::time::Instant;

/// Seconds of the parts of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchTimes {
    /// Up to ungapped alignments, if a GPU finds them.
    pub seeding: f64,
    /// Telling which of them cannot be among the best, if a GPU does.
    pub prefilter: f64,
    /// Extensions with gaps for the score, if a GPU makes them.
    pub scores: f64,
    /// All of the first stages that the host does, and which alignments are within others.
    pub preliminary: f64,
    /// Extensions with their columns, if a GPU makes them.
    pub traces: f64,
    /// What the host does of alignments with columns.
    pub traceback: f64,
}

impl SearchTimes {
    /// Adds those of another search.
    pub fn add(&mut self, other: &Self) {
        self.seeding += other.seeding;
        self.prefilter += other.prefilter;
        self.scores += other.scores;
        self.preliminary += other.preliminary;
        self.traces += other.traces;
        self.traceback += other.traceback;
    }
}

/// Seconds since a clock was last read.
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}
