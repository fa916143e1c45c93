//! How queries are divided into batches.
//!
//! ```text
//!   queries     q q q q q q q q q q q q q q q q q
//!   portions    ----- --- ------- --- ----- -----    what NCBI's program searches together
//!   batches     ----------- --------------- -----    what is searched together here
//! ```
//!
//! A portion decides in what [manner](Manner) its queries are searched, and how large it is follows from what was
//! found before. A GPU takes many more queries at a time than a CPU's caches do; so several portions are searched in
//! the manner of the first. By what is found it turns out where they end, and whether that is the manner of all. Those
//! from the first on whose manner is another are left to the next batch.

use crate::options::Options;
use crate::query::batch_parameters::Manner;
use crate::query::portion_size::PortionSize;
use crate::query::batch::{Batch, Extent};
use crate::sequence::fasta::Record;

/// Portions of a batch, about, at most.
const PORTIONS: u64 = 8;

/// Bases of a batch of more than one portion, about, at most: more do not fill a GPU any better, and of few batches
/// few are finished beside each other.
const BASES: u64 = 1 << 14;

/// Queries on their way into batches.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    queries: &'a [Record],
    options: &'a Options,
    extent: Extent,
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
    manner: Manner,
    /// What was found of those of its queries that are in the batches before.
    extensions: u64,
}

impl<'a> Plan<'a> {
    /// For these queries.
    pub(crate) fn new(queries: &'a [Record], options: &'a Options, extent: Extent) -> Self {
        let size = PortionSize::new(options.task, extent.letters);
        // What a portion finds is not known before the first.
        Self { queries, options, extent, first: 0, size, portion: None, ahead: 1 }
    }

    /// The first query of the next batch.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The next batch, as it is planned; nothing behind the last query.
    pub(crate) fn batch(&mut self) -> Option<Batch> {
        let rest = &self.queries[self.first..];
        let least = self.portion.map_or(0, |portion| portion.end - self.first);
        let planned = &rest[..self.size.queries(rest, self.ahead).max(least)];
        if planned.is_empty() {
            return None;
        }
        let batch = Batch::new(planned, self.options, self.extent);
        let portion = self.portion.unwrap_or_else(|| self.portion_at(self.first, &batch));
        self.portion = Some(portion);
        Some(batch.in_manner(portion.manner))
    }

    /// Queries in some manner.
    pub(crate) fn batch_of(&self, queries: &[Record], manner: Manner) -> Batch {
        Batch::new(queries, self.options, self.extent).in_manner(manner)
    }

    /// Notes how many ungapped alignments each query of the planned batch has; gives the queries that are to be searched
    /// in its manner, which are those of the batch. The next one should have about as many `hits` at most.
    pub(crate) fn settle(&mut self, batch: &Batch, extensions: &[u64], hits: u64) -> &'a [Record] {
        let end = self.first + extensions.len();
        let mut settled = self.first;
        while settled < end {
            let mut portion = self.portion.unwrap_or_else(|| self.portion_at(settled, batch));
            self.portion = Some(portion);
            if portion.manner != batch.manner {
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
        // Where manners change, they may change again.
        let most = if settled == end { PORTIONS } else { 1 };
        let room = (hits / self.size.hits()).min(BASES / self.size.bases());
        self.ahead = room.clamp(1, most);
        let queries = &self.queries[self.first..settled];
        self.first = settled;
        queries
    }

    /// The portion that begins at a query of the planned batch.
    fn portion_at(&self, first: usize, batch: &Batch) -> Portion {
        let end = first + self.size.queries(&self.queries[first..], 1);
        let own = first - self.first..end - self.first;
        let manner = if own.end <= batch.queries() {
            batch.manner_of(own, self.options)
        } else {
            Batch::new(&self.queries[first..end], self.options, self.extent).manner
        };
        Portion { end, manner, extensions: 0 }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::options::Task;

    /// Each query's manner, as NCBI's program searches them.
    fn portion_by_portion(plan: &Plan<'_>, extensions: &[u64]) -> Vec<Manner> {
        let Plan { queries, options, extent, .. } = *plan;
        let mut size = plan.size.clone();
        let mut manners = Vec::new();
        while manners.len() < queries.len() {
            let own = manners.len()..manners.len() + size.queries(&queries[manners.len()..], 1);
            manners.resize(own.end, Batch::new(&queries[own.clone()], options, extent).manner);
            size.update(extensions[own].iter().sum());
        }
        manners
    }

    #[test]
    fn each_query_is_searched_in_the_manner_of_its_portion() {
        let (mut batches, mut cut, mut manners) = (0, 0, 0);
        for seed in 0..40 {
            let mut random = Rng::with_seed(seed);
            let task = if random.bool() { Task::Blastn } else { Task::Megablast };
            let (options, extent) =
                (Options::new(task), Extent { letters: 1_000_000, sequences: 9 });
            let longest = random.usize(2..4_000);
            let queries: Vec<Record> = (0..random.usize(1..120))
                .map(|_| {
                    let letters = (0..random.usize(..longest)).map(|_| random.u8(..4)).collect();
                    Record { letters, ..Record::default() }
                })
                .collect();
            let rate = 1 << random.u64(..12);
            let extensions: Vec<u64> = queries
                .iter()
                .map(|query| random.u64(..2 * rate) * query.letters.len() as u64)
                .collect();
            let mut plan = Plan::new(&queries, &options, extent);
            let expected = portion_by_portion(&plan, &extensions);
            manners += expected.windows(2).filter(|two| two[0] != two[1]).count();
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
                made.resize(first + settled.len(), batch.manner);
            }
            assert_eq!(made, expected, "seed {seed}");
        }
        assert!(batches > 100 && cut > 10 && manners > 20, "{batches} {cut} {manners}");
    }
}
