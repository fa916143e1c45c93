//! Times of the stages of a search.

use std::time::Instant;

/// Seconds spent in each stage of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchTimes {
    /// Seeding and ungapped extension on a GPU; 0 without one.
    pub seeding: f64,
    /// Dropping hits that cannot be among the best, on a GPU; 0 without one.
    pub prefilter: f64,
    /// Gapped extension for the score on a GPU; 0 without one.
    pub scores: f64,
    /// Work of the host up to preliminary alignments: without a GPU all stages, with one the removal of contained
    /// alignments.
    pub preliminary: f64,
    /// Gapped extension for the alignment on a GPU; 0 without one.
    pub traces: f64,
    /// Work of the host on final alignments.
    pub traceback: f64,
}

impl SearchTimes {
    /// Adds the times of another search, stage by stage.
    pub fn add(&mut self, other: &Self) {
        self.seeding += other.seeding;
        self.prefilter += other.prefilter;
        self.scores += other.scores;
        self.preliminary += other.preliminary;
        self.traces += other.traces;
        self.traceback += other.traceback;
    }
}

/// A clock that measures the time since it was last read.
pub(crate) struct Clock(Instant);

impl Clock {
    /// A clock that starts now.
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// The seconds since the clock was made or last read.
    pub(crate) fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}
