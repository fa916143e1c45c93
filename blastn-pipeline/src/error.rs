//! What can be wrong with databases and sequences.

use aligner_core::DeviceError;
use aligner_core::input_location::InputLocation;
use thiserror::Error;

/// A file of sequences that cannot be used. Prints as one line that begins with the location.
#[derive(Debug, Error)]
#[error("{location}{problem}")]
pub struct SequenceError {
    /// File, record and line, as far as they are known.
    pub location: InputLocation,
    /// The reason.
    pub problem: String,
}

/// A search that cannot be done.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No statistics are known for match and mismatch scores.
    #[error("scores {reward} and {penalty} for match and mismatch are not supported")]
    Scores {
        /// Match.
        reward: i32,
        /// Mismatch.
        penalty: i32,
    },
    /// No statistics are known for gap costs.
    #[error(
        "gap costs {open} and {extend} are not supported with scores {reward} and {penalty}; \
        supported are {supported} and more than the last"
    )]
    GapCosts {
        /// Match.
        reward: i32,
        /// Mismatch.
        penalty: i32,
        /// Opening a gap.
        open: i32,
        /// Extending it.
        extend: i32,
        /// What is supported.
        supported: String,
    },
}
