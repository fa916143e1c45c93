//! Seeding of all queries, batch by batch.

use crate::gpu::worker::Worker;
use crate::query::batch_plan::BatchPlan;
use crate::search::batch_states::SeededBatch;
use crate::search::searcher::Searcher;
use crate::sequence::fasta::FastaRecord;

/// An iterator over the batches of queries. Each batch is seeded when it is asked for.
///
/// Results of a batch are found by [`Searcher::prefilter`], [`Searcher::extend_gapped`] and [`Searcher::finish`], which
/// other threads may do while the next batch is seeded.
#[derive(Debug)]
pub struct SeededBatches<'a, W: Worker> {
    searcher: &'a Searcher<'a, W>,
    plan: BatchPlan<'a>,
}

/// A batch of queries after seeding, with its place among all queries.
pub struct QueuedBatch<'a, W: Worker> {
    /// Number of the first query of the batch, from 0.
    pub first: usize,
    /// The queries of the batch, at least one.
    pub queries: &'a [FastaRecord],
    /// The batch as [`Searcher::prefilter`] takes it.
    pub seeded: SeededBatch<W::Backend>,
}

impl<'a, W: Worker> SeededBatches<'a, W> {
    /// The batches of all of these queries, in order.
    pub fn new(searcher: &'a Searcher<'a, W>, queries: &'a [FastaRecord]) -> Self {
        let plan = BatchPlan::new(queries, searcher.options(), searcher.database_size());
        Self { searcher, plan }
    }
}

impl<'a, W: Worker> Iterator for SeededBatches<'a, W> {
    type Item = QueuedBatch<'a, W>;

    fn next(&mut self) -> Option<QueuedBatch<'a, W>> {
        let planned = self.plan.batch()?;
        let mut seeded = self.searcher.seed_batch(planned);
        let first = self.plan.first();
        let capacity = self.searcher.hit_capacity();
        let queries = self.plan.settle(&seeded.batch, &seeded.ungapped_counts, capacity);
        if queries.len() < seeded.batch.queries() {
            let parameters = seeded.batch.parameters;
            drop(seeded);
            seeded = self.searcher.seed_batch(self.plan.batch_of(queries, parameters));
        }
        Some(QueuedBatch { first, queries, seeded })
    }
}
