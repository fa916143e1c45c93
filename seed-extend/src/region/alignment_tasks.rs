//! Alignment tasks of a batch: which chains are regions as they are, and what must be aligned for the others.

use std::iter::from_fn;
use std::ops::Range;

use aligner_core::cigar::{CigarOp, CigarRun};
use fm_index::prefetch;
use rayon::prelude::*;

use crate::chain::ChainsOfReads;
use crate::chain::chains::Chain;
use crate::extend::{AlignmentTask, Alignments, PreparedTasks};
use crate::read::queries::{Queries, read_ranges};
use crate::region::builder::{QueryOnSegment, RegionBuilder};
use crate::region::regions::Region;

/// Chains from one whose text is fetched from memory to the one that is compared with its text meanwhile.
const CHAINS_AHEAD: usize = 8;

/// Tasks from one whose CIGAR runs are fetched from memory to the one whose region is made meanwhile.
const TASKS_AHEAD: usize = 8;

/// A batch of reads with the alignment tasks of their chains.
#[derive(Debug, Clone, Default)]
pub struct AlignmentTasks {
    pub(crate) queries: Queries,
    /// A number for each read, which decides among equally good regions.
    pub(crate) tie_breakers: Vec<u64>,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1.
    pub(crate) repeat_fractions: Vec<f32>,
    pub(crate) chunks: Vec<TaskChunk>,
    /// The plan of a GPU's launches, if a GPU aligns.
    pub(crate) prepared: Option<PreparedTasks>,
    /// The tasks, chunk after chunk.
    pub(crate) tasks: Vec<AlignmentTask>,
}

/// Chains of consecutive reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskChunk {
    reads: Range<usize>,
    /// Regions that need no alignment, in the order of reads.
    ungapped: Vec<Region>,
    /// CIGAR runs of these regions.
    runs: Vec<CigarRun>,
    /// Chains that are to be aligned, in the order of reads.
    chains: Vec<Chain>,
    /// Number of the first one's task among the tasks of the batch; the others follow.
    first_task: usize,
}

impl AlignmentTasks {
    /// The tasks of reads with these chains, made on the current rayon pool. `tasks` is a buffer whose contents are
    /// replaced.
    pub(crate) fn new(
        (queries, tie_breakers): (Queries, Vec<u64>),
        chains: ChainsOfReads,
        builder: RegionBuilder<'_>,
        mut tasks: Vec<AlignmentTask>,
    ) -> Self {
        let chunk = |reads| TaskChunk::new(reads, &queries, &chains, builder);
        let mut chunks: Vec<TaskChunk> = read_ranges(queries.len() / 2).map(chunk).collect();
        let mut count = 0;
        for chunk in &mut chunks {
            chunk.first_task = count;
            count += chunk.chains.len();
        }
        tasks.resize(count, AlignmentTask::default());
        let mut rest = tasks.as_mut_slice();
        let mut tasks_of_chunks = Vec::with_capacity(chunks.len());
        for chunk in &chunks {
            let (own, others) = rest.split_at_mut(chunk.chains.len());
            tasks_of_chunks.push((chunk, own));
            rest = others;
        }
        tasks_of_chunks.into_par_iter().for_each(|(chunk, tasks)| {
            for (chain, task) in chunk.chains.iter().zip(tasks) {
                *task = builder.task(&queries, chain);
            }
        });
        let repeat_fractions = chains.repeat_fractions;
        Self { queries, tie_breakers, repeat_fractions, chunks, prepared: None, tasks }
    }
}

impl TaskChunk {
    /// Makes regions of the chains that need no alignment, and keeps the others.
    fn new(
        reads: Range<usize>,
        queries: &Queries,
        chains: &ChainsOfReads,
        builder: RegionBuilder<'_>,
    ) -> Self {
        let mut chunk = Self { reads: reads.clone(), ..Self::default() };
        let is_heavy = |chain: &&Chain| chain.weight >= builder.min_chain_weight;
        let heavy: Vec<&Chain> = reads.flat_map(|read| chains.of(read)).filter(is_heavy).collect();
        chunk.chains.reserve(heavy.len());
        for (number, &chain) in heavy.iter().enumerate() {
            if let Some(later) = heavy.get(number + CHAINS_AHEAD) {
                builder.prefetch(queries, later);
            }
            if let Some(region) = builder.region_without_gaps(queries, chain, &mut chunk.runs) {
                chunk.ungapped.push(region);
            } else {
                chunk.chains.push(*chain);
            }
        }
        chunk
    }

    /// The number of reads.
    pub(crate) fn reads(&self) -> usize {
        self.reads.len()
    }

    /// The number of regions, if each chain has one.
    pub(crate) fn most_regions(&self) -> usize {
        self.ungapped.len() + self.chains.len()
    }

    /// Passes the regions of each read to `take`, in the order of reads, and returns the CIGAR runs of those that needed no
    /// alignment. `tasks` and `alignments` are those of the whole batch.
    pub(crate) fn regions(
        self,
        (tasks, alignments): (&[AlignmentTask], &Alignments),
        builder: RegionBuilder<'_>,
        mut take: impl FnMut(usize, &mut Vec<Region>),
    ) -> Vec<CigarRun> {
        let behind_alignments = alignments.runs.len() as u32;
        let placed = |it: Region| Region { first_run: behind_alignments + it.first_run, ..it };
        let mut ungapped = self.ungapped.into_iter().map(placed).peekable();
        let mut chains = (self.first_task..).zip(self.chains).peekable();
        let mut own = Vec::new();
        for read in self.reads {
            own.clear();
            own.extend(from_fn(|| ungapped.next_if(|it| it.query as usize / 2 == read)));
            let is_own = |(_, chain): &(usize, Chain)| chain.query as usize / 2 == read;
            while let Some((number, chain)) = chains.next_if(is_own) {
                // Runs are in the order in which alignments were found.
                let later = alignments.spans.get(number + TASKS_AHEAD);
                later
                    .and_then(|span| alignments.runs.get(span.first_run as usize))
                    .into_iter()
                    .for_each(prefetch);
                let of = QueryOnSegment::of_chain(&chain);
                let (span, runs) = (&alignments.spans[number], alignments.runs_of(number));
                if let Some(region) = builder.region(of, &tasks[number], (span, runs)) {
                    let is_supported = goes_through(&region, runs, &chain);
                    own.push(Region { is_supported, ..region });
                }
            }
            take(read, &mut own);
        }
        self.runs
    }
}

/// Whether a region with these CIGAR runs goes through its chain: it has equal columns on the
/// chain's diagonals and within its part of the query. A band may hold a better alignment beside the chain.
fn goes_through(region: &Region, runs: &[CigarRun], chain: &Chain) -> bool {
    let (mut place, mut diagonal) =
        (region.query_begin, i64::from(region.begin) - i64::from(region.query_begin));
    runs.iter().any(|run| {
        let (begin, count) = (place, run.length());
        match run.op() {
            CigarOp::Equal | CigarOp::Different => place += count,
            CigarOp::Insertion => (place, diagonal) = (place + count, diagonal - i64::from(count)),
            CigarOp::Deletion => diagonal += i64::from(count),
        }
        run.op() == CigarOp::Equal
            && (chain.low..=chain.high).contains(&diagonal)
            && begin < chain.end
            && chain.begin < place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_go_through_their_chains_or_beside_them() {
        let columns = [
            (CigarOp::Equal, 20),
            (CigarOp::Deletion, 3),
            (CigarOp::Equal, 30),
            (CigarOp::Different, 10),
        ];
        let runs = columns.map(|(op, count)| CigarRun::new(op, count));
        let region = Region {
            query: 0,
            segment: 0,
            score: 1,
            query_begin: 40,
            query_end: 100,
            begin: 140,
            end: 203,
            first_run: 0,
            run_count: 4,
            is_supported: true,
            ..Region::default()
        };
        // Places 40 to 59 are equal on diagonal 100, 60 to 89 on 103.
        let holds = |diagonal, begin, end| {
            let chain = Chain { low: diagonal, high: diagonal, begin, end, ..Chain::default() };
            goes_through(&region, &runs, &chain)
        };
        for (diagonal, begin, end, is_there) in [
            (100, 20, 41, true),
            (100, 20, 40, false),
            (100, 60, 80, false),
            (103, 40, 60, false),
            (103, 40, 61, true),
            (103, 89, 95, true),
            (103, 90, 100, false),
            (101, 40, 100, false),
        ] {
            assert_eq!(holds(diagonal, begin, end), is_there, "{diagonal} {begin} {end}");
        }
        let wide = Chain { low: 101, high: 110, begin: 85, end: 110, ..Chain::default() };
        assert!(goes_through(&region, &runs, &wide));
    }
}
