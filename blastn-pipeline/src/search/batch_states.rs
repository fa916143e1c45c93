//! A batch of queries after each stage of its search: seeding, preliminary scoring, and traceback.

use std::sync::Arc;

use aligner_core::stream::Backend;

use crate::gpu::device_group::DeviceRuns;
use crate::hsp::Hsp;
use crate::hsp::subject_hit::SubjectHit;
use crate::query::batch::QueryBatch;
use crate::search::times::SearchTimes;
use crate::seed::lookup::Lookup;

/// A batch after seeding: the number of ungapped alignments of each query is known. On a GPU these are not extended with
/// gaps yet; on the CPU they are.
pub struct SeededBatch<B: Backend> {
    pub(crate) batch: Arc<QueryBatch>,
    pub(crate) lookup: Arc<Lookup>,
    pub(crate) seeds: SeedHits<B>,
    /// Number of ungapped alignments of each query that score at least the gap trigger.
    pub ungapped_counts: Vec<u64>,
    pub(crate) times: SearchTimes,
}

/// Results of seeding: ungapped alignments on GPUs, those of the preliminary search on the CPU.
pub(crate) enum SeedHits<B: Backend> {
    /// Ungapped alignments in the memory of devices; gapped extension is still to come.
    OnDevices(DeviceRuns<B>),
    /// The whole preliminary search is done: subjects of each query with their gapped alignments, which the CPU finds
    /// subject by subject. Prefilter and gapped extension have nothing left to do.
    Preliminary(Vec<Vec<SubjectHit>>),
}

/// A batch after the preliminary search: scores and ends of gapped alignments are known, their columns are not.
#[derive(Debug)]
pub struct ScoredBatch {
    pub(crate) batch: Arc<QueryBatch>,
    /// Subjects of each query with their preliminary alignments, in no particular order.
    pub(crate) hits: Vec<Vec<SubjectHit>>,
    /// Number of ungapped alignments of each query, see [`SeededBatch::ungapped_counts`].
    pub(crate) ungapped_counts: Vec<u64>,
    pub(crate) times: SearchTimes,
}

/// Final results of a batch.
#[derive(Debug)]
pub struct SearchResults {
    /// The queries as they were searched, with their statistics. [`Hsp::context`] counts its contexts.
    pub batch: Arc<QueryBatch>,
    /// Reported subjects of each query, the best first.
    pub hits: Vec<Vec<SubjectHit>>,
    /// Number of ungapped alignments of each query, see [`SeededBatch::ungapped_counts`]: a measure of the work.
    pub ungapped_counts: Vec<u64>,
    /// Time spent in each stage.
    pub times: SearchTimes,
}

impl SearchResults {
    /// The bit score of one of the reported alignments.
    pub fn bit_score(&self, hsp: &Hsp) -> f64 {
        self.batch.bit_score(hsp.context, hsp.score)
    }

    /// Whether the minus strand of the query is aligned. Positions in the query then count from its other end.
    pub fn is_minus(&self, hsp: &Hsp) -> bool {
        self.batch.contexts()[hsp.context].is_minus
    }
}
