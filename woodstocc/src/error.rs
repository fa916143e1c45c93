//! What can go wrong while mapping.

use aligner_core::DeviceError;
use thiserror::Error;

use crate::params::{MAX_BATCH_BASES, MAX_K, MAX_READ};

/// A mapper cannot be made, or a batch cannot be mapped.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MapError {
    /// `k` is out of range.
    #[error("k = {0} is too large: the suffix trie takes at most {MAX_K}")]
    KTooLarge(u8),
    /// A read is too long.
    #[error("a read has {0} bases; at most {MAX_READ} are supported")]
    ReadTooLong(usize),
    /// A batch has too many bases.
    #[error("a batch has {0} bases; at most {MAX_BATCH_BASES} are mapped at a time")]
    BatchTooLarge(u64),
    /// The device failed where nothing else could take over.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
