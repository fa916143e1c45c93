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
pub struct SeededBatches<'a, 'd, W: Worker> {
    searcher: &'a Searcher<'d, W>,
    plan: BatchPlan<'a>,
    /// Whether the results of each query are wanted; empty if all are.
    wanted: Vec<bool>,
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

impl<'a, 'd, W: Worker> SeededBatches<'a, 'd, W> {
    /// The batches of all of these queries, in order.
    pub fn new(searcher: &'a Searcher<'d, W>, queries: &'a [FastaRecord]) -> Self {
        let plan = BatchPlan::new(queries, searcher.options(), searcher.database_size());
        Self { searcher, plan, wanted: Vec::new() }
    }

    /// As [`new`](Self::new), for who wants the results of some queries alone: `wanted` says so of each. Batches are those of
    /// all queries, with the same results for each query that is wanted; less work is done for the others, whose results are
    /// incomplete.
    ///
    /// # Panics
    /// If `wanted` does not have as many values as there are queries.
    pub fn of_wanted(
        searcher: &'a Searcher<'d, W>,
        queries: &'a [FastaRecord],
        wanted: Vec<bool>,
    ) -> Self {
        assert_eq!(wanted.len(), queries.len(), "a value for each query");
        Self { wanted, ..Self::new(searcher, queries) }
    }

    /// Whether the results of some queries are wanted, `count` of them from number `first` on.
    fn wanted_of(&self, first: usize, count: usize) -> Vec<bool> {
        self.wanted.get(first..first + count).map_or_else(Vec::new, <[bool]>::to_vec)
    }
}

impl<'a, W: Worker> Iterator for SeededBatches<'a, '_, W> {
    type Item = QueuedBatch<'a, W>;

    fn next(&mut self) -> Option<QueuedBatch<'a, W>> {
        let planned = self.plan.batch()?;
        let first = self.plan.first();
        let wanted = self.wanted_of(first, planned.queries());
        let mut seeded = self.searcher.seed_batch(planned.with_wanted(wanted));
        let capacity = self.searcher.hit_capacity();
        let queries = self.plan.settle(&seeded.batch, &seeded.ungapped_counts, capacity);
        if queries.len() < seeded.batch.queries() {
            let parameters = seeded.batch.parameters;
            drop(seeded);
            let batch = self.plan.batch_of(queries, parameters);
            let wanted = self.wanted_of(first, batch.queries());
            seeded = self.searcher.seed_batch(batch.with_wanted(wanted));
        }
        Some(QueuedBatch { first, queries, seeded })
    }
}

#[cfg(test)]
mod tests {
    use aligner_core::Device;
    use fastrand::Rng;

    use super::*;
    use crate::database::Builder;
    use crate::options::{BlastTask, SearchOptions};

    /// The number of ungapped alignments of each query, and its hits as text.
    fn found(
        searcher: &Searcher<'_>,
        batches: SeededBatches<'_, '_, crate::gpu::worker::GpuWorker>,
    ) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        for QueuedBatch { queries, seeded, .. } in batches {
            let scored = searcher.extend_gapped(searcher.prefilter(seeded));
            let results = searcher.finish(queries, scored);
            let hits = results.hits.iter().map(|hits| {
                // Contexts count from the first of the batch.
                let hsps =
                    hits.iter().flat_map(|hit| hit.hsps.iter().map(move |it| (hit.subject, it)));
                let hsps = hsps.map(|(subject, it)| {
                    format!(
                        "{subject} {:?} {:?} {} {:?}\n",
                        it.query, it.subject, it.score, it.e_value
                    )
                });
                hsps.collect::<String>()
            });
            found.extend(results.ungapped_counts.iter().copied().zip(hits));
        }
        found
    }

    #[test]
    fn queries_that_are_wanted_have_the_results_of_a_search_of_all() {
        let mut random = Rng::with_seed(21);
        let gene: Vec<u8> = (0..300).map(|_| random.u8(..4)).collect();
        let mut copy = |rate: u8, length: usize| FastaRecord {
            letters: gene[..length]
                .iter()
                .map(|&letter| if random.u8(..rate) == 0 { random.u8(..4) } else { letter })
                .collect(),
            ..FastaRecord::default()
        };
        let mut database = Builder::default();
        (0..20).for_each(|_| database.add(&copy(20, 300)));
        let database = database.finish("genes", 0);
        // Queries of several portions.
        let queries: Vec<FastaRecord> = (0..80).map(|_| copy(15, 150)).collect();
        let options = SearchOptions::new(BlastTask::Blastn);
        let searcher = Searcher::new(&database, options, Device::Cpu, None).expect("is supported");
        let all = found(&searcher, SeededBatches::new(&searcher, &queries));
        assert!(all.iter().all(|(_, hits)| hits.lines().count() > 5));
        let wanted: Vec<bool> = (0..80).map(|query| query / 3 % 2 == 0).collect();
        let some = found(&searcher, SeededBatches::of_wanted(&searcher, &queries, wanted.clone()));
        for ((all, some), is_wanted) in all.iter().zip(&some).zip(wanted) {
            assert_eq!(all.0, some.0);
            assert_eq!(if is_wanted { &all.1 } else { "" }, some.1);
        }
    }
}
