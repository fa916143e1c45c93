//! Indexes that cannot be built; each error prints as one line.

use thiserror::Error;

/// An index that cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// [`BuildOptions::sample_rate`](crate::BuildOptions::sample_rate) is not one of 1, 2, 4, ..., 64.
    #[error("the sample rate must be a power of two from 1 to 64, not {0}")]
    SampleRate(u32),
    /// The suffix array could not be built.
    #[error("building the suffix array failed: {0}")]
    SuffixArray(&'static str),
}
