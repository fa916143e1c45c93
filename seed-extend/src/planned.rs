//! Reads between seeds and regions: which chains are regions as they are, and what is to be aligned for the
//! others.

use std::iter::from_fn;
use std::ops::Range;

use aligner_core::cigar::{CigarOp, CigarRun};
use rayon::prelude::*;

use crate::chains::Chain;
use crate::extend::{Alignments, Prepared, Task};
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
    /// What a GPU is to do, if there is one.
    pub(crate) prepared: Option<Prepared>,
    /// What is to be aligned, part after part.
    pub(crate) tasks: Vec<Task>,
}

/// Some reads that follow each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    reads: Range<usize>,
    /// Regions that need no alignment, by read, and their columns.
    plain: Vec<Region>,
    runs: Vec<CigarRun>,
    /// Chains that are to be extended, by read.
    chains: Vec<Chain>,
    /// The first of their tasks among all.
    first_task: usize,
}

impl Planned {
    /// Of reads with these chains, on the current rayon pool. `tasks` is memory, with anything in it.
    pub(crate) fn new(
        (queries, salts): (Queries, Vec<u64>),
        chains: Chains,
        extension: Extension<'_>,
        mut tasks: Vec<Task>,
    ) -> Self {
        let of = |reads| Part::new(reads, &queries, &chains, extension);
        let mut parts: Vec<Part> = parts(queries.len() / 2).map(of).collect();
        let mut count = 0;
        for part in &mut parts {
            part.first_task = count;
            count += part.chains.len();
        }
        tasks.resize(count, Task::default());
        let mut rest = tasks.as_mut_slice();
        let mut of_parts = Vec::with_capacity(parts.len());
        for part in &parts {
            let (own, others) = rest.split_at_mut(part.chains.len());
            of_parts.push((part, own));
            rest = others;
        }
        of_parts.into_par_iter().for_each(|(part, tasks)| {
            for (chain, task) in part.chains.iter().zip(tasks) {
                *task = extension.task(&queries, chain);
            }
        });
        Self { queries, salts, repeats: chains.repeats, parts, prepared: None, tasks }
    }
}

impl Part {
    /// Which chains are regions as they are, and which are to be extended.
    fn new(
        reads: Range<usize>,
        queries: &Queries,
        chains: &Chains,
        extension: Extension<'_>,
    ) -> Self {
        let mut part = Self { reads: reads.clone(), ..Self::default() };
        for chain in reads.flat_map(|read| chains.of(read)) {
            if let Some(region) = extension.plain(queries, chain, &mut part.runs) {
                part.plain.push(region);
            } else {
                part.chains.push(*chain);
            }
        }
        part
    }

    /// Gives `take` the regions of each read, in order, and returns their columns. `tasks` and `alignments`
    /// are those of the batch.
    pub(crate) fn regions(
        self,
        (tasks, alignments): (&[Task], &Alignments),
        extension: Extension<'_>,
        mut take: impl FnMut(usize, &mut Vec<Region>),
    ) -> Vec<CigarRun> {
        let mut runs = self.runs;
        let mut plain = self.plain.into_iter().peekable();
        let mut chains = (self.first_task..).zip(self.chains).peekable();
        let mut own = Vec::new();
        for read in self.reads {
            own.clear();
            own.extend(from_fn(|| plain.next_if(|it| it.query as usize / 2 == read)));
            let is_own = |(_, chain): &(usize, Chain)| chain.query as usize / 2 == read;
            while let Some((number, chain)) = chains.next_if(is_own) {
                let of = (chain.query, chain.segment);
                let found = (alignments, number);
                if let Some(region) = extension.region(of, &tasks[number], found, &mut runs) {
                    let is_sought = is_of(&region, &runs[region.first_run as usize..], &chain);
                    own.push(Region { is_sought, ..region });
                }
            }
            take(read, &mut own);
        }
        runs
    }
}

/// Whether a region with these runs goes through its chain: has equal columns in its places of the query, on
/// its diagonals. A band may hold a better alignment beside it.
fn is_of(region: &Region, runs: &[CigarRun], chain: &Chain) -> bool {
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
            runs: 4,
            is_sought: true,
            sub: 0,
            rivals: 0,
            shadow: None,
        };
        // Places 40 to 59 are equal on diagonal 100, 60 to 89 on 103.
        let holds = |diagonal, begin, end| {
            let chain = Chain { low: diagonal, high: diagonal, begin, end, ..Chain::default() };
            is_of(&region, &runs, &chain)
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
        assert!(is_of(&region, &runs, &wide));
    }
}
