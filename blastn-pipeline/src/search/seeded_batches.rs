//! Batches of queries, which are searched together, one after the other.

use crate::gpu::worker::Worker;
use crate::query::batch_plan::Plan;
use crate::search::{Searcher, Seeded};
use crate::sequence::fasta::Record;

/// Batches of queries, which are seeded when they are asked for.
#[derive(Debug)]
pub struct Batches<'a, W: Worker> {
    searcher: &'a Searcher<'a, W>,
    plan: Plan<'a>,
}

/// Queries that are searched together.
pub struct Queued<'a, W: Worker> {
    /// The first one's number.
    pub first: usize,
    /// Themselves; never none.
    pub queries: &'a [Record],
    /// What is known of them.
    pub seeded: Seeded<W::Backend>,
}

impl<'a, W: Worker> Batches<'a, W> {
    /// Of all of these queries.
    pub fn new(searcher: &'a Searcher<'a, W>, queries: &'a [Record]) -> Self {
        Self { searcher, plan: Plan::new(queries, searcher.options(), searcher.extent()) }
    }
}

impl<'a, W: Worker> Iterator for Batches<'a, W> {
    type Item = Queued<'a, W>;

    fn next(&mut self) -> Option<Queued<'a, W>> {
        let batch = self.plan.batch()?;
        let mut seeded = self.searcher.seeded(batch);
        let first = self.plan.first();
        let hits = self.searcher.hits();
        let queries = self.plan.settle(&seeded.batch, &seeded.extensions, hits);
        if queries.len() < seeded.batch.queries() {
            let manner = seeded.batch.manner;
            drop(seeded);
            seeded = self.searcher.seeded(self.plan.batch_of(queries, manner));
        }
        Some(Queued { first, queries, seeded })
    }
}
