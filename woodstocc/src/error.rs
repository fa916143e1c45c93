//! Errors of mapping.

use aligner_core::DeviceError;
use aligner_core::stream::RunError;
use thiserror::Error;

use crate::params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K};

/// Reasons why a mapper cannot be made, or a batch cannot be mapped.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MapError {
    /// `k` is greater than [`MAX_K`].
    #[error("k = {0} is too large: at most {MAX_K} is supported")]
    KTooLarge(u8),
    /// `k` is greater than [`MAX_TRIE_K`], for [`Strategy::Trie`](crate::Strategy::Trie).
    #[error("k = {0} is too large for the suffix trie, which takes at most {MAX_TRIE_K}")]
    KTooLargeForTrie(u8),
    /// A read has more than [`MAX_READ`] bases.
    #[error("a read has {0} bases; at most {MAX_READ} are supported")]
    ReadTooLong(usize),
    /// A batch has more than [`MAX_BATCH_BASES`] bases.
    #[error("a batch has {0} bases; at most {MAX_BATCH_BASES} are mapped at a time")]
    BatchTooLarge(u64),
    /// A match that the search found is not in the text of the index, whose sections contradict each other although their
    /// checksums are right.
    #[error("the index contradicts itself: build it again by 'gpualign index'")]
    InconsistentIndex,
    /// The device failed, and the CPU could not take over.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The streaming runtime failed on the CPU.
    #[error(transparent)]
    Stream(#[from] RunError),
}
