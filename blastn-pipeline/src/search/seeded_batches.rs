//! Seeding of all queries, batch by batch.
//!
//! The hits of a batch decide about the size of the next ones. But what else depends on them, the parameters that queries are
//! searched with, seldom changes. So GPUs seed batches ahead, with parameters that are guessed:
//!
//! ```text
//!   a thread for each   | seed batch 3 ...      | seed batch 6 ...
//!                       | seed batch 4 ...          | seed batch 7 ...
//!                       | seed batch 5 ...              | seed batch 8 ...
//!   next()                              3 settled, 4 settled, 5 settled, ...
//! ```
//!
//! A batch whose guess was wrong is seeded again. Results do not depend on guesses.
//!
//! Several GPUs seed each batch together; where many batches are left, each GPU seeds batches of its own.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

use crate::gpu::engine::Extent;
use crate::gpu::worker::Worker;
use crate::query::batch::QueryBatch;
use crate::query::batch_parameters::BatchParameters;
use crate::query::batch_plan::BatchPlan;
use crate::search::batch_states::SeededBatch;
use crate::search::searcher::Searcher;
use crate::sequence::fasta::FastaRecord;

/// The most batches that are seeded ahead of the one that is taken, for each device if it has batches of its own: those that it works
/// for at the same time, one whose queries the host prepares meanwhile, and one that waits for those before it.
pub(crate) const AHEAD: usize = 5;

/// An iterator over the batches of queries. Each batch is seeded when it is asked for, or ahead
/// ([`seed_ahead`](Self::seed_ahead)).
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

    /// Seeds some of these batches ahead, on threads of `scope` and with the global rayon pool, if GPUs search that have enough memory.
    /// On the CPU, where all threads work for one batch, nothing changes; nor if the iterator is used by a thread of a rayon pool, which
    /// others would wait for. Results are the same.
    pub fn seed_ahead<'s, 'e>(self, scope: &'s Scope<'s, 'e>) -> BatchesAhead<'s, 'e, 'a, 'd, W> {
        BatchesAhead { batches: self, scope, ahead: VecDeque::new() }
    }

    /// Whether the results of some queries are wanted, `count` of them from number `first` on.
    fn wanted_of(&self, first: usize, count: usize) -> Vec<bool> {
        self.wanted.get(first..first + count).map_or_else(Vec::new, <[bool]>::to_vec)
    }

    /// Seeds a batch that begins with this query.
    fn seed(&self, first: usize, batch: QueryBatch) -> SeededBatch<W::Backend> {
        let wanted = self.wanted_of(first, batch.queries());
        self.searcher.seed_batch(batch.with_wanted(wanted), Extent::Share)
    }

    /// The next batch as it is planned, seeded; `None` behind the last query.
    fn planned(&mut self) -> Option<SeededBatch<W::Backend>> {
        let batch = self.plan.batch()?;
        Some(self.seed(self.plan.first(), batch))
    }

    /// Settles which of the next queries are in a batch that was seeded for them. If these are fewer, it is seeded again, after
    /// `before_again`.
    fn settled(
        &mut self,
        mut seeded: SeededBatch<W::Backend>,
        before_again: impl FnOnce(),
    ) -> QueuedBatch<'a, W> {
        let (first, capacity) = (self.plan.first(), self.searcher.hit_capacity());
        let queries = self.plan.settle(&seeded.batch, &seeded.ungapped_counts, capacity);
        if queries.len() < seeded.batch.queries() {
            let parameters = seeded.batch.parameters;
            drop(seeded);
            before_again();
            seeded = self.seed(first, self.plan.batch_of(queries, parameters));
        }
        QueuedBatch { first, queries, seeded }
    }
}

impl<'a, W: Worker> Iterator for SeededBatches<'a, '_, W> {
    type Item = QueuedBatch<'a, W>;

    fn next(&mut self) -> Option<QueuedBatch<'a, W>> {
        let seeded = self.planned()?;
        Some(self.settled(seeded, || {}))
    }
}

/// An iterator over the batches of queries, of which some are seeded ahead; see [`SeededBatches::seed_ahead`].
pub struct BatchesAhead<'s, 'e, 'a, 'd, W: Worker> {
    batches: SeededBatches<'a, 'd, W>,
    scope: &'s Scope<'s, 'e>,
    /// Batches that are being seeded, or were: the first is behind the batch that was taken last, and each behind the one before.
    ahead: VecDeque<SeedingBatch<'s, W>>,
}

/// A batch that a thread seeds.
struct SeedingBatch<'s, W: Worker> {
    /// The number of devices that search for it, which take room for it: one of several that has it for itself, or all.
    room: usize,
    /// Number of the query behind it.
    end: usize,
    /// Whether it is known to be guessed wrong, so that seeding need not begin.
    is_wrong: Arc<AtomicBool>,
    /// Gives nothing if seeding has not begun.
    thread: ScopedJoinHandle<'s, Option<SeededBatch<W::Backend>>>,
}

impl<W: Worker> SeedingBatch<'_, W> {
    /// Waits for the thread.
    fn seeded(self) -> Option<SeededBatch<W::Backend>> {
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// The sum of the lengths of queries.
fn bases(queries: &[FastaRecord]) -> usize {
    queries.iter().map(|query| query.letters.len()).sum()
}

/// Gives up batches that were guessed wrong, and waits for threads that seed them.
fn give_up<W: Worker>(wrong: &mut VecDeque<SeedingBatch<'_, W>>) {
    for batch in &*wrong {
        batch.is_wrong.store(true, Ordering::Relaxed);
    }
    for batch in wrong.drain(..) {
        drop(batch.seeded());
    }
}

impl<'s, 'a: 's, W: Worker> BatchesAhead<'s, '_, 'a, '_, W> {
    /// The batch that was seeded ahead for the next queries. `None` if there is none, or it was guessed wrong, and with it all that
    /// are behind it.
    fn guessed(&mut self) -> Option<SeededBatch<W::Backend>> {
        let guess = self.ahead.pop_front()?.seeded();
        let right = guess.filter(|guess| self.batches.plan.admits(&guess.batch));
        if right.is_none() {
            give_up(&mut self.ahead);
        }
        right
    }

    /// Begins to seed the batches that follow, from a query on, with these parameters.
    fn seed_next(&mut self, first: usize, parameters: BatchParameters) {
        let searcher = self.batches.searcher;
        let mut first = self.ahead.back().map_or(first, |last| last.end);
        let devices = searcher.independent_devices();
        loop {
            let queries = self.batches.plan.queries_from(first);
            let extent = self.extent(queries, first, devices);
            let room = if extent == Extent::All { 1 } else { devices };
            let taken: usize = self.ahead.iter().map(|batch| batch.room).sum();
            if queries.is_empty() || taken + room > AHEAD * devices {
                break;
            }
            let (end, wanted) =
                (first + queries.len(), self.batches.wanted_of(first, queries.len()));
            let is_wrong = Arc::new(AtomicBool::new(false));
            let is_known_wrong = Arc::clone(&is_wrong);
            let thread = self.scope.spawn(move || {
                let batch = QueryBatch::new(queries, searcher.options(), searcher.database_size());
                let batch = batch.with_parameters(parameters).with_wanted(wanted);
                let is_known_wrong = is_known_wrong.load(Ordering::Relaxed);
                (!is_known_wrong).then(|| searcher.seed_batch(batch, extent))
            });
            self.ahead.push_back(SeedingBatch { room, end, is_wrong, thread });
            first = end;
        }
    }

    /// The part of the database that a device searches for a batch of these queries, the first of which has this number: all of it if the
    /// queries from there on have as many bases for each of `devices`. So the last batches are shared, as devices are when few are left.
    fn extent(&self, queries: &[FastaRecord], first: usize, devices: usize) -> Extent {
        let is_long =
            devices > 1 && self.batches.plan.has_bases_from(first, bases(queries) * devices);
        if is_long { Extent::All } else { Extent::Share }
    }

    /// Whether batches behind this one are worth a guess: they are not much larger, so that they probably have its parameters, and
    /// devices have room for as many hits as it has.
    fn is_worth_a_guess(
        &self,
        QueuedBatch { first, queries, seeded }: &QueuedBatch<'a, W>,
    ) -> bool {
        let SeededBatches { searcher, plan, .. } = &self.batches;
        // A thread of a pool that waited for others, which need the pool, might wait forever.
        let may_wait = rayon::current_thread_index().is_none();
        let is_alike = || bases(plan.queries_from(first + queries.len())) <= 2 * bases(queries);
        let hits: u64 = seeded.ungapped_counts.iter().sum();
        let has_room = hits <= searcher.hit_capacity();
        may_wait && searcher.seeds_several() && has_room && is_alike()
    }
}

impl<'s, 'a: 's, W: Worker> Iterator for BatchesAhead<'s, '_, 'a, '_, W> {
    type Item = QueuedBatch<'a, W>;

    fn next(&mut self) -> Option<QueuedBatch<'a, W>> {
        let has_guess = !self.ahead.is_empty();
        let guessed = self.guessed();
        let was_wrong = has_guess && guessed.is_none();
        let seeded = guessed.or_else(|| self.batches.planned())?;
        let (planned, parameters) = (seeded.batch.queries(), seeded.batch.parameters);
        let next = self.batches.settled(seeded, || give_up(&mut self.ahead));
        // Where parameters have just changed, they may change again.
        let have_changed = was_wrong || next.queries.len() < planned;
        if !have_changed && self.is_worth_a_guess(&next) {
            self.seed_next(next.first + planned, parameters);
        }
        Some(next)
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
