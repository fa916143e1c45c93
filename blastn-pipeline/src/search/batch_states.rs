//! What a search for a batch of queries is after each of its steps.

use std::sync::Arc;

use aligner_core::stream::Backend;

use crate::gpu::engine;
use crate::query::batch::Batch;
use crate::hsp::subject_hit::Hit;
use crate::search::times::Times;
use crate::seed::lookup::Lookup;

/// It is known how much was found.
pub struct Seeded<B: Backend> {
    pub(crate) batch: Arc<Batch>,
    pub(crate) lookup: Arc<Lookup>,
    pub(crate) seeds: Seeds<B>,
    /// Ungapped alignments of each query, which were or will be extended with gaps.
    pub extensions: Vec<u64>,
    pub(crate) times: Times,
}

/// What was found.
pub(crate) enum Seeds<B: Backend> {
    /// Ungapped alignments that a device has.
    OnDevice(Vec<engine::Seeded<B>>),
    /// Subjects of each query, with preliminary alignments.
    Subjects(Vec<Vec<Hit>>),
}

/// Alignments are known but for their columns.
#[derive(Debug)]
pub struct Scored {
    pub(crate) batch: Arc<Batch>,
    /// Subjects of each query.
    pub(crate) hits: Vec<Vec<Hit>>,
    pub(crate) extensions: Vec<u64>,
    pub(crate) times: Times,
}

/// Everything is.
#[derive(Debug)]
pub struct Results {
    /// The queries, with their statistics.
    pub batch: Arc<Batch>,
    /// Hits of each query, the best first.
    pub hits: Vec<Vec<Hit>>,
    /// [`Seeded::extensions`]: a measure of the work.
    pub extensions: Vec<u64>,
    /// How long it took.
    pub times: Times,
}
