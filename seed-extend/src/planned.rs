//! Reads between seeds and regions: which chains are regions as they are, and what is to be aligned for the
//! others.

use std::iter::from_fn;
use std::ops::Range;

use aligner_core::cigar::Run;
use rayon::prelude::*;

use crate::chains::Chain;
use crate::extend::{Alignments, Task};
use crate::extension::Extension;
use crate::find::Chains;
use crate::queries::{Queries, parts};
use crate::regions::Region;

/// What is to be aligned for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    pub(crate) queries: Queries,
    pub(crate) salts: Vec<u64>,
    /// Of each read the share that has only seeds which are too frequent.
    pub(crate) repeats: Vec<f32>,
    pub(crate) parts: Vec<Part>,
    /// What is to be aligned, part after part.
    pub(crate) tasks: Vec<Task>,
}

/// Some reads that follow each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    reads: Range<usize>,
    /// Regions that need no alignment, by read, and their columns.
    plain: Vec<Region>,
    runs: Vec<Run>,
    /// Chains that are to be extended, by read.
    chains: Vec<Chain>,
    /// The first of their tasks among all.
    first_task: usize,
}

impl Planned {
    /// Of reads with these chains, on the current rayon pool.
    pub(crate) fn new(
        (queries, salts): (Queries, Vec<u64>),
        chains: Chains,
        extension: Extension<'_>,
    ) -> Self {
        let of = |reads| Part::new(reads, &queries, &chains, extension);
        let (mut parts, of_parts): (Vec<Part>, Vec<Vec<Task>>) =
            parts(queries.len() / 2).map(of).unzip();
        let mut first_task = 0;
        for (part, tasks) in parts.iter_mut().zip(&of_parts) {
            part.first_task = first_task;
            first_task += tasks.len();
        }
        let (tasks, repeats) = (of_parts.concat(), chains.repeats);
        Self { queries, salts, repeats, parts, tasks }
    }
}

impl Part {
    /// With what is to be aligned.
    fn new(
        reads: Range<usize>,
        queries: &Queries,
        chains: &Chains,
        extension: Extension<'_>,
    ) -> (Self, Vec<Task>) {
        let mut part = Self { reads: reads.clone(), ..Self::default() };
        let mut tasks = Vec::new();
        for chain in reads.flat_map(|read| chains.of_reads.get(read)) {
            if let Some(region) = extension.plain(queries, chain, &mut part.runs) {
                part.plain.push(region);
            } else {
                part.chains.push(*chain);
                tasks.push(extension.task(queries, chain));
            }
        }
        (part, tasks)
    }

    /// Gives `take` the regions of each read, in order, and returns their columns. `tasks` and `alignments`
    /// are those of the batch.
    pub(crate) fn regions(
        self,
        (tasks, alignments): (&[Task], &Alignments),
        extension: Extension<'_>,
        mut take: impl FnMut(usize, &mut Vec<Region>),
    ) -> Vec<Run> {
        let mut runs = self.runs;
        let mut plain = self.plain.into_iter().peekable();
        let mut chains = (self.first_task..).zip(self.chains).peekable();
        let mut own = Vec::new();
        for read in self.reads {
            own.clear();
            own.extend(from_fn(|| plain.next_if(|it| it.query as usize / 2 == read)));
            let is_own = |(_, chain): &(usize, Chain)| chain.query as usize / 2 == read;
            while let Some((number, chain)) = chains.next_if(is_own) {
                let of = (chain.query, chain.segment, chain.weight);
                let found = (alignments, number);
                own.extend(extension.region(of, &tasks[number], found, &mut runs));
            }
            take(read, &mut own);
        }
        runs
    }
}
