//! Batches of queries, which are searched together, one after the other.

use crate::gpu::worker::Worker;
use crate::query::batch_plan::Plan;
use crate::search::{Searcher, SeededBatch};
use crate::sequence::fasta::FastaRecord;

/// Batches of queries, which are seeded when they are asked for.
#[derive(Debug)]
pub struct SeededBatches<'a, W: Worker> {
    searcher: &'a Searcher<'a, W>,
    plan: Plan<'a>,
}

/// Queries that are searched together.
pub struct QueuedBatch<'a, W: Worker> {
    /// The first one's number.
    pub first: usize,
    /// Themselves; never none.
    pub queries: &'a [FastaRecord],
    /// What is known of them.
    pub seeded: SeededBatch<W::Backend>,
}

impl<'a, W: Worker> SeededBatches<'a, W> {
    /// Of all of these queries.
    pub fn new(searcher: &'a Searcher<'a, W>, queries: &'a [FastaRecord]) -> Self {
        Self { searcher, plan: Plan::new(queries, searcher.options(), searcher.extent()) }
    }
}

impl<'a, W: Worker> Iterator for SeededBatches<'a, W> {
    type Item = QueuedBatch<'a, W>;

    fn next(&mut self) -> Option<QueuedBatch<'a, W>> {
        let batch = self.plan.batch()?;
        let mut seeded = self.searcher.seeded(batch);
        let first = self.plan.first();
        let hits = self.searcher.hits();
        let queries = self.plan.settle(&seeded.batch, &seeded.extensions, hits);
        if queries.len() < seeded.batch.queries() {
            let parameters = seeded.batch.parameters;
            drop(seeded);
            seeded = self.searcher.seeded(self.plan.batch_of(queries, parameters));
        }
        Some(QueuedBatch { first, queries, seeded })
    }
}
