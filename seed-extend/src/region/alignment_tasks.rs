//! Alignment tasks of a batch: which chains are regions as they are, and what must be aligned for the others.

use std::ops::Range;

use aligner_core::cigar::CigarRun;
use aligner_core::gpu::DeviceBuffer;
use rayon::prelude::*;

use crate::chain::ChainsOfReads;
use crate::chain::chains::Chain;
use crate::chain::gpu::DeviceChains;
use crate::chain::whole_match::WholeMatch;
use crate::extend::{AlignmentTask, Alignments};
use crate::read::queries::{Queries, read_ranges};
use crate::region::builder::{QueryOnSegment, RegionBuilder};
use crate::region::regions::Region;
use crate::shares::shares;

/// A batch of reads with the alignment tasks of their chains.
#[derive(Debug, Default)]
pub struct AlignmentTasks {
    pub(crate) queries: Queries,
    /// A number for each read, which decides among equally good regions.
    pub(crate) tie_breakers: Vec<u64>,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1.
    pub(crate) repeat_fractions: Vec<f32>,
    pub(crate) planned: PlannedTasks,
}

/// The tasks of a batch, or what the device makes them of.
#[derive(Debug)]
pub(crate) enum PlannedTasks {
    OnHost(HostTasks),
    /// A GPU makes the tasks when it aligns.
    OnDevice(Box<DeviceChains<DeviceBuffer<u8>>>),
}

impl Default for PlannedTasks {
    fn default() -> Self {
        Self::OnHost(HostTasks::default())
    }
}

/// Alignment tasks, and regions that need no alignment, on the host.
#[derive(Debug, Default)]
pub(crate) struct HostTasks {
    pub(crate) chunks: Vec<TaskChunk>,
    /// The tasks, chunk after chunk.
    pub(crate) tasks: Vec<AlignmentTask>,
}

/// Chains of consecutive reads.
#[derive(Debug, Default)]
pub(crate) struct TaskChunk {
    reads: Range<usize>,
    /// Regions that need no alignment, in the order of reads.
    ungapped: Vec<Region>,
    /// CIGAR runs of those that are [compared](Region::is_compared).
    runs: Vec<CigarRun>,
    /// For each task the query and the segment that it aligns, in the order of reads.
    aligned: Vec<QueryOnSegment>,
    /// Number of the first task among the tasks of the batch; the others follow.
    first_task: usize,
}

impl HostTasks {
    /// The tasks of reads with these chains, made on the current rayon pool. `tasks` is a buffer whose contents are
    /// replaced.
    pub(crate) fn new(
        queries: &Queries,
        chains: &ChainsOfReads,
        builder: RegionBuilder<'_>,
        mut tasks: Vec<AlignmentTask>,
    ) -> Self {
        tasks.clear();
        let ranges: Vec<Range<usize>> = read_ranges(queries.len() / 2).collect();
        // Each share of the batch has its tasks in an array of its own; these are put together.
        let each = ranges.len().div_ceil(shares()).max(1);
        let mut arrays = vec![Vec::new(); ranges.len().div_ceil(each)];
        if let Some(first) = arrays.first_mut() {
            *first = tasks;
        }
        let make = |(ranges, mut tasks): (&[Range<usize>], _)| {
            let chunk = |reads: &Range<_>| {
                TaskChunk::new(reads.clone(), (queries, chains), builder, &mut tasks)
            };
            (ranges.iter().map(chunk).collect::<Vec<TaskChunk>>(), tasks)
        };
        let made: Vec<_> = ranges.par_chunks(each).zip(arrays).map(make).collect();
        let count = made.iter().map(|(_, tasks)| tasks.len()).sum::<usize>();
        let mut made = made.into_iter();
        let (mut chunks, mut tasks) = made.next().unwrap_or_default();
        tasks.reserve(count - tasks.len());
        for (more_chunks, more_tasks) in made {
            let before = tasks.len();
            chunks.extend(
                more_chunks
                    .into_iter()
                    .map(|chunk| TaskChunk { first_task: before + chunk.first_task, ..chunk }),
            );
            tasks.extend(more_tasks);
        }
        Self { chunks, tasks }
    }
}

impl TaskChunk {
    /// Makes regions of the chains that need no alignment, and appends tasks of the others to `tasks`.
    fn new(
        reads: Range<usize>,
        (queries, chains): (&Queries, &ChainsOfReads),
        builder: RegionBuilder<'_>,
        tasks: &mut Vec<AlignmentTask>,
    ) -> Self {
        let first_task = tasks.len();
        let mut chunk = Self { reads: reads.clone(), first_task, ..Self::default() };
        let is_heavy = |(chain, _): &(&Chain, u32)| chain.weight >= builder.min_chain_weight;
        // Each chain is a region or a task, and to grow would take longer than to have room for too many.
        let count = reads.clone().map(|read| chains.of(read).len()).sum();
        chunk.ungapped.reserve(count);
        chunk.aligned.reserve(count);
        tasks.reserve(count);
        // Without a difference there is one run, with one there are three at most.
        chunk.runs.reserve(3 * count);
        for (chain, place) in reads.flat_map(|read| chains.with_places(read)).filter(is_heavy) {
            let length = queries.bases(chain.query / 2);
            let whole_match = WholeMatch::of_place(place, length);
            let with_length = (chain, length);
            let region =
                builder.region_without_alignment(with_length, whole_match, &mut chunk.runs);
            // An outscored chain that reaches beyond its segment is no region either: the alignment is predicted to go through any
            // of the bases that it keeps.
            if region.is_none() {
                chunk.aligned.push(QueryOnSegment::of_chain(chain));
                tasks.push(builder.task(queries, chain));
            }
            chunk.ungapped.extend(region);
        }
        chunk
    }

    /// The number of reads.
    pub(crate) fn reads(&self) -> usize {
        self.reads.len()
    }

    /// The number of regions, if each chain has one.
    pub(crate) fn most_regions(&self) -> usize {
        self.ungapped.len() + self.aligned.len()
    }

    /// Passes the regions of each read to `take`, in the order of reads, and returns the CIGAR runs of those that needed no
    /// alignment. `tasks` and `alignments` are those of the whole batch.
    pub(crate) fn regions(
        self,
        (tasks, alignments): (&[AlignmentTask], &Alignments),
        builder: RegionBuilder<'_>,
        mut take: impl FnMut(usize, &mut Vec<Region>),
    ) -> Vec<CigarRun> {
        let behind_alignments = alignments.runs.len() as u64;
        let placed = |it: &Region| Region { first_run: behind_alignments + it.first_run, ..*it };
        let (mut ungapped, mut aligned) = (self.ungapped.as_slice(), self.aligned.as_slice());
        let (mut tasks, mut spans) =
            (&tasks[self.first_task..], &alignments.spans[self.first_task..]);
        let mut own = Vec::new();
        for read in self.reads {
            own.clear();
            own.extend(
                take_of(&mut ungapped, |it| it.query as usize / 2 == read).iter().map(placed),
            );
            let aligned = take_of(&mut aligned, |it| it.query as usize / 2 == read);
            let (of_read, more_tasks) = tasks.split_at(aligned.len());
            let (of_tasks, more_spans) = spans.split_at(aligned.len());
            (tasks, spans) = (more_tasks, more_spans);
            for (&of, (task, span)) in aligned.iter().zip(of_read.iter().zip(of_tasks)) {
                own.extend(builder.region(of, task, span));
            }
            take(read, &mut own);
        }
        self.runs
    }
}

/// Takes the first items of a slice off, as long as they are wanted.
fn take_of<'s, T>(items: &mut &'s [T], is_wanted: impl Fn(&T) -> bool) -> &'s [T] {
    let (first, rest) = items.split_at(items.iter().take_while(|it| is_wanted(it)).count());
    *items = rest;
    first
}
