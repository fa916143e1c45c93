//! How queries are divided into batches.
//!
//! ```text
//!   queries     q q q q q q q q q q q q q q q q q
//!   portions    ----- --- ------- --- ----- -----    what NCBI's program searches together
//!   batches     ----------- --------------- -----    what is searched together here
//! ```
//!
//! A portion decides in what [parameters](Manner) its queries are searched, and how large it is follows from what was
//! found before. A GPU takes many more queries at a time than a CPU's caches do; so several portions are searched in
//! the manner of the first. By what is found it turns out where they end, and whether that is the manner of all. Those
//! from the first on whose parameters is another are left to the next batch.

use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::query::batch_parameters::BatchParameters;
use crate::query::portion_size::PortionSize;
use crate::sequence::fasta::FastaRecord;
use crate::statistics::DatabaseSize;

/// Portions of a batch, about, at most.
const PORTIONS: u64 = 8;

/// Bases of a batch of more than one portion, about, at most: more do not fill a GPU any better, and of few batches
/// few are finished beside each other.
const BASES: u64 = 1 << 14;

/// Queries on their way into batches.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    queries: &'a [FastaRecord],
    options: &'a SearchOptions,
    extent: DatabaseSize,
    /// Queries of the batches before.
    first: usize,
    /// Of the next portion that is not begun.
    size: PortionSize,
    /// The portion of the next query, if it is known.
    portion: Option<Portion>,
    /// Portions of the next batch, about.
    ahead: u64,
}

/// Queries that NCBI's program searches together.
#[derive(Debug, Clone, Copy)]
struct Portion {
    /// The query behind it.
    end: usize,
    parameters: BatchParameters,
    /// What was found of those of its queries that are in the batches before.
    extensions: u64,
}

impl<'a> Plan<'a> {
    /// For these queries.
    pub(crate) fn new(
        queries: &'a [FastaRecord],
        options: &'a SearchOptions,
        extent: DatabaseSize,
    ) -> Self {
        let size = PortionSize::new(options.task, extent.letters);
        // What a portion finds is not known before the first.
        Self { queries, options, extent, first: 0, size, portion: None, ahead: 1 }
    }

    /// The first query of the next batch.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The next batch, as it is planned; nothing behind the last query.
    pub(crate) fn batch(&mut self) -> Option<QueryBatch> {
        let rest = &self.queries[self.first..];
        let least = self.portion.map_or(0, |portion| portion.end - self.first);
        let planned = &rest[..self.size.queries(rest, self.ahead).max(least)];
        if planned.is_empty() {
            return None;
        }
        let batch = QueryBatch::new(planned, self.options, self.extent);
        let portion = self.portion.unwrap_or_else(|| self.portion_at(self.first, &batch));
        self.portion = Some(portion);
        Some(batch.with_parameters(portion.parameters))
    }

    /// Queries in some parameters.
    pub(crate) fn batch_of(
        &self,
        queries: &[FastaRecord],
        parameters: BatchParameters,
    ) -> QueryBatch {
        QueryBatch::new(queries, self.options, self.extent).with_parameters(parameters)
    }

    /// Notes how many ungapped alignments each query of the planned batch has; gives the queries that are to be searched
    /// in its parameters, which are those of the batch. The next one should have about as many `hits` at most.
    pub(crate) fn settle(
        &mut self,
        batch: &QueryBatch,
        extensions: &[u64],
        hits: u64,
    ) -> &'a [FastaRecord] {
        let end = self.first + extensions.len();
        let mut settled = self.first;
        while settled < end {
            let mut portion = self.portion.unwrap_or_else(|| self.portion_at(settled, batch));
            self.portion = Some(portion);
            if portion.parameters != batch.parameters {
                break;
            }
            let till = portion.end.min(end);
            let own = &extensions[settled - self.first..till - self.first];
            portion.extensions += own.iter().sum::<u64>();
            settled = till;
            self.portion = (portion.end > till).then_some(portion);
            if portion.end == till {
                self.size.update(portion.extensions);
            }
        }
        // Where all_parameters change, they may change again.
        let most = if settled == end { PORTIONS } else { 1 };
        let room = (hits / self.size.hits()).min(BASES / self.size.bases());
        self.ahead = room.clamp(1, most);
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
            QueryBatch::new(&self.queries[first..end], self.options, self.extent).parameters
        };
        Portion { end, parameters, extensions: 0 }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::options::BlastTask;

    /// Each query's parameters, as NCBI's program searches them.
    fn portion_by_portion(plan: &Plan<'_>, extensions: &[u64]) -> Vec<BatchParameters> {
        let Plan { queries, options, extent, .. } = *plan;
        let mut size = plan.size.clone();
        let mut all_parameters = Vec::new();
        while all_parameters.len() < queries.len() {
            let own = all_parameters.len()
                ..all_parameters.len() + size.queries(&queries[all_parameters.len()..], 1);
            all_parameters.resize(
                own.end,
                QueryBatch::new(&queries[own.clone()], options, extent).parameters,
            );
            size.update(extensions[own].iter().sum());
        }
        all_parameters
    }

    #[test]
    fn each_query_is_searched_in_the_manner_of_its_portion() {
        let (mut batches, mut cut, mut all_parameters) = (0, 0, 0);
        for seed in 0..40 {
            let mut random = Rng::with_seed(seed);
            let task = if random.bool() { BlastTask::Blastn } else { BlastTask::Megablast };
            let (options, extent) =
                (SearchOptions::new(task), DatabaseSize { letters: 1_000_000, sequences: 9 });
            let longest = random.usize(2..4_000);
            let queries: Vec<FastaRecord> = (0..random.usize(1..120))
                .map(|_| {
                    let letters = (0..random.usize(..longest)).map(|_| random.u8(..4)).collect();
                    FastaRecord { letters, ..FastaRecord::default() }
                })
                .collect();
            let rate = 1 << random.u64(..12);
            let extensions: Vec<u64> = queries
                .iter()
                .map(|query| random.u64(..2 * rate) * query.letters.len() as u64)
                .collect();
            let mut plan = Plan::new(&queries, &options, extent);
            let expected = portion_by_portion(&plan, &extensions);
            all_parameters += expected.windows(2).filter(|two| two[0] != two[1]).count();
            let mut made = Vec::new();
            while let Some(batch) = plan.batch() {
                let first = plan.first();
                assert_eq!(first, made.len(), "seed {seed}");
                let of_batch = &extensions[first..first + batch.queries()];
                let settled = plan.settle(&batch, of_batch, random.u64(..20_000_000));
                assert!(!settled.is_empty() && settled.len() <= batch.queries(), "seed {seed}");
                assert_eq!(settled.as_ptr(), queries[first..].as_ptr(), "seed {seed}");
                batches += 1;
                cut += usize::from(settled.len() < batch.queries());
                made.resize(first + settled.len(), batch.parameters);
            }
            assert_eq!(made, expected, "seed {seed}");
        }
        assert!(
            batches > 100 && cut > 10 && all_parameters > 20,
            "{batches} {cut} {all_parameters}"
        );
    }
}
