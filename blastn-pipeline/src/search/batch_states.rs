//! What a search for a batch of queries is after each of its steps.

use std::sync::Arc;

use aligner_core::stream::Backend;

use crate::gpu::engine;
use crate::hsp::subject_hit::SubjectHit;
use crate::query::batch::QueryBatch;
use crate::search::times::SearchTimes;
use crate::seed::lookup::Lookup;

/// It is known how much was found.
pub struct SeededBatch<B: Backend> {
    pub(crate) batch: Arc<QueryBatch>,
    pub(crate) lookup: Arc<Lookup>,
    pub(crate) seeds: SeedHits<B>,
    /// Ungapped alignments of each query, which were or will be extended with gaps.
    pub extensions: Vec<u64>,
    pub(crate) times: SearchTimes,
}

/// What was found.
pub(crate) enum SeedHits<B: Backend> {
    /// Ungapped alignments that a device has.
    OnDevice(Vec<engine::Seeded<B>>),
    /// Subjects of each query, with preliminary alignments.
    Subjects(Vec<Vec<SubjectHit>>),
}

/// Alignments are known but for their columns.
#[derive(Debug)]
pub struct ScoredBatch {
    pub(crate) batch: Arc<QueryBatch>,
    /// Subjects of each query.
    pub(crate) hits: Vec<Vec<SubjectHit>>,
    pub(crate) extensions: Vec<u64>,
    pub(crate) times: SearchTimes,
}

/// Everything is.
#[derive(Debug)]
pub struct SearchResults {
    /// The queries, with their statistics.
    pub batch: Arc<QueryBatch>,
    /// Hits of each query, the best first.
    pub hits: Vec<Vec<SubjectHit>>,
    /// [`SeededBatch::extensions`]: a measure of the work.
    pub extensions: Vec<u64>,
    /// How long it took.
    pub times: SearchTimes,
}
