//! The division of queries into batches.
//!
//! ```text
//!   queries     q q q q q q q q q q q q q q q q q
//!   portions    ----- --- ------- --- ----- -----    queries that NCBI's blastn searches together
//!   batches     ----------- --------------- -----    queries that are searched together here
//! ```
//!
//! A portion determines the [parameters](BatchParameters) that its queries are searched with, and its size follows
//! from the number of hits of the portions before it. A GPU takes many more queries at a time than the caches of a
//! CPU, so several portions are searched together, with the parameters of the first. The number of hits then tells
//! where the other portions end and what their parameters are. From the first query on whose parameters differ,
//! queries are left to the next batch.
//!
//! Where a batch ends changes no results; its parameters do, but they seldom differ from those of the batch before. So batches that
//! follow may be guessed ([`BatchPlan::queries_from`]), and are as good as planned ones if they begin with the right query and have
//! the right parameters ([`BatchPlan::admits`]).

use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::query::batch_parameters::BatchParameters;
use crate::query::portion_size::PortionSize;
use crate::sequence::fasta::FastaRecord;
use crate::statistics::DatabaseSize;

/// Greatest number of portions of a batch, approximately.
const MAX_PORTIONS: u64 = 8;

/// Greatest number of bases of a batch of more than one portion, approximately. More bases do not fill a GPU any
/// better, and with fewer batches fewer workers are busy.
const MAX_BASES: u64 = 1 << 14;

/// Divides queries into batches, one batch after the other.
#[derive(Debug)]
pub(crate) struct BatchPlan<'a> {
    queries: &'a [FastaRecord],
    options: &'a SearchOptions,
    database: DatabaseSize,
    /// Number of the first query of the next batch, which is the number of queries in the batches before.
    first: usize,
    /// Size of the next portion that is wholly unbatched: none of its queries is in a batch yet.
    size: PortionSize,
    /// Portion of the next query, if it is known: a portion whose first queries are in the batch before, or one whose
    /// parameters ended that batch.
    portion: Option<Portion>,
    /// Approximate number of portions of the next batch.
    portions_planned: u64,
}

/// Queries that NCBI's blastn searches together.
#[derive(Debug, Clone, Copy)]
struct Portion {
    /// Number of the query behind the portion.
    end: usize,
    parameters: BatchParameters,
    /// Number of ungapped alignments of those queries of the portion that are in the batches before.
    ungapped_count: u64,
}

impl<'a> BatchPlan<'a> {
    /// A plan for these queries and a database of this size.
    pub(crate) fn new(
        queries: &'a [FastaRecord],
        options: &'a SearchOptions,
        database: DatabaseSize,
    ) -> Self {
        let size = PortionSize::new(options.task, database.letters);
        // How many hits a portion has is unknown before the first, so the first batch is one portion.
        Self { queries, options, database, first: 0, size, portion: None, portions_planned: 1 }
    }

    /// The number of the first query of the next batch.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The next batch as it is planned, or `None` behind the last query. [`BatchPlan::settle`] may shorten it.
    pub(crate) fn batch(&mut self) -> Option<QueryBatch> {
        let rest = &self.queries[self.first..];
        let least = self.portion.map_or(0, |portion| portion.end - self.first);
        let planned = &rest[..self.queries_from(self.first).len().max(least)];
        if planned.is_empty() {
            return None;
        }
        let batch = QueryBatch::new(planned, self.options, self.database);
        let portion = self.portion_from(self.first, &batch);
        Some(batch.with_parameters(portion.parameters))
    }

    /// The queries of a batch that begins with a query behind those of earlier batches, if batches stay as large as they are now.
    pub(crate) fn queries_from(&self, first: usize) -> &'a [FastaRecord] {
        let rest = &self.queries[first..];
        &rest[..self.size.queries(rest, self.portions_planned)]
    }

    /// Whether the queries from this one on have so many bases together.
    pub(crate) fn has_bases_from(&self, first: usize, bases: usize) -> bool {
        let mut sum = 0;
        self.queries[first..].iter().any(|query| {
            sum += query.letters.len();
            sum >= bases
        })
    }

    /// Whether a batch of the next queries, at least one, has the parameters that these must have. Then it can be settled in place of
    /// the planned one.
    pub(crate) fn admits(&mut self, batch: &QueryBatch) -> bool {
        self.portion_from(self.first, batch).parameters == batch.parameters
    }

    /// The portion of a query of a batch of the next queries: the portion that is known, or else the one that begins there.
    fn portion_from(&mut self, query: usize, batch: &QueryBatch) -> Portion {
        let portion = self.portion.unwrap_or_else(|| self.portion_at(query, batch));
        self.portion = Some(portion);
        portion
    }

    /// A batch of some queries, to be searched with given parameters.
    pub(crate) fn batch_of(
        &self,
        queries: &[FastaRecord],
        parameters: BatchParameters,
    ) -> QueryBatch {
        QueryBatch::new(queries, self.options, self.database).with_parameters(parameters)
    }

    /// Notes the number of ungapped alignments of each query of the planned batch (`ungapped_counts`), and returns the
    /// queries that belong in the batch: those from the first on that have its parameters. The next batch is planned
    /// to have at most about `hit_capacity` ungapped alignments.
    pub(crate) fn settle(
        &mut self,
        batch: &QueryBatch,
        ungapped_counts: &[u64],
        hit_capacity: u64,
    ) -> &'a [FastaRecord] {
        let end = self.first + ungapped_counts.len();
        let mut settled = self.first;
        while settled < end {
            let mut portion = self.portion_from(settled, batch);
            if portion.parameters != batch.parameters {
                break;
            }
            let till = portion.end.min(end);
            let own = &ungapped_counts[settled - self.first..till - self.first];
            portion.ungapped_count += own.iter().sum::<u64>();
            settled = till;
            self.portion = (portion.end > till).then_some(portion);
            if portion.end == till {
                self.size.update(portion.ungapped_count);
            }
        }
        // Where parameters have just changed, they may change again.
        let max_portions = if settled == end { MAX_PORTIONS } else { 1 };
        let room = (hit_capacity / self.size.hits()).min(MAX_BASES / self.size.bases());
        self.portions_planned = room.clamp(1, max_portions);
        let queries = &self.queries[self.first..settled];
        self.first = settled;
        queries
    }

    /// The portion that begins at a query of the planned batch.
    fn portion_at(&self, first: usize, batch: &QueryBatch) -> Portion {
        let end = first + self.size.queries(&self.queries[first..], 1);
        let own = first - self.first..end - self.first;
        let parameters = if own.end <= batch.queries() {
            batch.parameters_of(own, self.options)
        } else {
            QueryBatch::new(&self.queries[first..end], self.options, self.database).parameters
        };
        Portion { end, parameters, ungapped_count: 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use fastrand::Rng;

    use super::*;
    use crate::options::BlastTask;

    /// The batch parameters of each query, found by searching portion by portion, as NCBI's program does.
    fn portion_by_portion(plan: &BatchPlan<'_>, ungapped_counts: &[u64]) -> Vec<BatchParameters> {
        let BatchPlan { queries, options, database, .. } = *plan;
        let mut size = plan.size.clone();
        let mut all_parameters = Vec::new();
        while all_parameters.len() < queries.len() {
            let own = all_parameters.len()
                ..all_parameters.len() + size.queries(&queries[all_parameters.len()..], 1);
            all_parameters.resize(
                own.end,
                QueryBatch::new(&queries[own.clone()], options, database).parameters,
            );
            size.update(ungapped_counts[own].iter().sum());
        }
        all_parameters
    }

    #[test]
    fn each_query_is_searched_with_the_parameters_of_its_portion() {
        let (mut batches, mut cut, mut changes, mut guesses) = (0, 0, 0, [0; 2]);
        for seed in 0..40 {
            let mut random = Rng::with_seed(seed);
            let task = if random.bool() { BlastTask::Blastn } else { BlastTask::Megablast };
            let (options, database) =
                (SearchOptions::new(task), DatabaseSize { letters: 1_000_000, sequences: 9 });
            let longest = random.usize(2..4_000);
            let queries: Vec<FastaRecord> = (0..random.usize(1..120))
                .map(|_| {
                    let letters = (0..random.usize(..longest)).map(|_| random.u8(..4)).collect();
                    FastaRecord { letters, ..FastaRecord::default() }
                })
                .collect();
            let rate = 1 << random.u64(..12);
            let ungapped_counts: Vec<u64> = queries
                .iter()
                .map(|query| random.u64(..2 * rate) * query.letters.len() as u64)
                .collect();
            let mut plan = BatchPlan::new(&queries, &options, database);
            let expected = portion_by_portion(&plan, &ungapped_counts);
            changes += expected.windows(2).filter(|two| two[0] != two[1]).count();
            let mut made = Vec::new();
            // Batches that are guessed, each with its end, and the first behind what is settled.
            let mut ahead: VecDeque<(usize, QueryBatch)> = VecDeque::new();
            loop {
                let guessed = ahead.pop_front().map(|(_, batch)| batch);
                let has_guess = guessed.is_some();
                let right = guessed.filter(|batch| plan.admits(batch));
                guesses[usize::from(right.is_some())] += usize::from(has_guess);
                if right.is_none() {
                    ahead.clear();
                }
                let Some(batch) = right.or_else(|| plan.batch()) else { break };
                let first = plan.first();
                assert_eq!(first, made.len(), "seed {seed}");
                let of_batch = &ungapped_counts[first..first + batch.queries()];
                let settled = plan.settle(&batch, of_batch, random.u64(..20_000_000));
                assert!(!settled.is_empty() && settled.len() <= batch.queries(), "seed {seed}");
                assert_eq!(settled.as_ptr(), queries[first..].as_ptr(), "seed {seed}");
                batches += 1;
                made.resize(first + settled.len(), batch.parameters);
                if settled.len() < batch.queries() {
                    cut += 1;
                    ahead.clear();
                    continue;
                }
                let mut end = ahead.back().map_or(made.len(), |&(end, _)| end);
                while ahead.len() < random.usize(..4) {
                    let queries = plan.queries_from(end);
                    if queries.is_empty() {
                        break;
                    }
                    end += queries.len();
                    ahead.push_back((end, plan.batch_of(queries, batch.parameters)));
                }
            }
            assert_eq!(made, expected, "seed {seed}");
        }
        assert!(batches > 100 && cut > 10 && changes > 20, "{batches} {cut} {changes}");
        assert!(guesses.iter().all(|&count| count > 20), "wrong and right guesses: {guesses:?}");
    }
}
