//! Errors of sequence files, databases and searches.

use aligner_core::DeviceError;
use aligner_core::input_location::InputLocation;
use thiserror::Error;

/// A file of sequences that cannot be used. Prints as one line that begins with the location.
#[derive(Debug, Error)]
#[error("{location}{problem}")]
pub struct SequenceError {
    /// File, record and line, as far as they are known.
    pub location: InputLocation,
    /// Reason why the file cannot be used.
    pub problem: String,
}

/// The failure of one of the devices of a search.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{device}: {error}")]
pub struct DeviceFailure {
    /// Name of the device.
    pub device: String,
    /// Reason of the failure.
    pub error: DeviceError,
}

/// A search that cannot be started.
#[derive(Debug, Error)]
pub enum SearchError {
    /// A device failed or has too little memory.
    #[error(transparent)]
    Device(#[from] DeviceFailure),
    /// A number of the options is beyond its limits.
    #[error("the {name} is {value}, beyond its limits")]
    Limit {
        /// Name of the number, in words.
        name: &'static str,
        /// The number that was given.
        value: f64,
    },
    /// No statistics are tabulated for these match and mismatch scores.
    #[error(
        "match and mismatch scores {reward} and {penalty} are not supported, as no statistics are known for them; \
        use for example 1 and -2, 1 and -3, or 2 and -3"
    )]
    Scores {
        /// Score of a match.
        reward: i32,
        /// Score of a mismatch.
        penalty: i32,
    },
    /// No statistics are tabulated for these gap costs.
    #[error(
        "gap costs {open} and {extend} are not supported with match and mismatch scores {reward} and {penalty}; \
        supported are {supported}, and all greater than the last pair"
    )]
    GapCosts {
        /// Score of a match.
        reward: i32,
        /// Score of a mismatch.
        penalty: i32,
        /// Cost of opening a gap.
        open: i32,
        /// Cost of a column of a gap.
        extend: i32,
        /// Supported gap costs: pairs of opening and extending.
        supported: String,
    },
    /// The word size has no template.
    #[error(
        "discontiguous words have 11 or 12 bases that are compared, not {word_size}: use a word size of 11 or 12"
    )]
    TemplateWord {
        /// The word size that was given.
        word_size: usize,
    },
    /// Diagonals of two word hits are asked for where one starts an extension.
    #[error("-off_diagonal_range is about two word hits: add -window_size, or leave it out")]
    NoWindow,
    /// Linear gap costs without greedy extension.
    #[error(
        "gap costs of 0 are those of greedy extension: change -gapopen or -gapextend, or use -task megablast without -no_greedy"
    )]
    LinearCosts,
    /// A device was asked for where none has kernels.
    #[error("{what} runs on the CPU alone: use -device cpu, or leave it out")]
    NeedsCpu {
        /// What has no kernels.
        what: &'static str,
    },
}
