//! From what was found for the reads of pairs to what is to be reported of them.

use std::ops::Range;

use rayon::prelude::*;

use crate::extend::{Alignments, Task};
use crate::insert::Library;
use crate::mapper::{Mapper, Searched};
use crate::pairs::{self, Decision};
use crate::queries::{Queries, TOGETHER, parts};
use crate::regions::{Region, Regions};
use crate::rescue::{Rescue, Rescuer};
use crate::resolved::{Resolved, Verdict};
use crate::spares::locked;

/// What was found for the reads of a batch, and where their mates should be.
#[derive(Debug, Clone, Default)]
pub struct Rescued {
    searched: Searched,
    library: Library,
    /// What was aligned, by read.
    rescues: Vec<Rescue>,
    alignments: Alignments,
}

impl Mapper<'_> {
    /// Aligns reads where their mates say, on the current rayon pool and the device. Pairs are two reads that follow
    /// each other.
    pub fn rescue(&self, searched: Searched, library: &Library) -> Rescued {
        let rescues = self.rescues(&searched.queries, &searched.regions, library);
        let tasks: Vec<Task> = rescues.iter().map(|rescue| rescue.task).collect();
        let alignments = locked(&self.mates).align(searched.queries.all_codes(), &tasks);
        Rescued { searched, library: *library, rescues, alignments }
    }

    /// Decides for these pairs, on the current rayon pool.
    pub fn resolve_pairs(&self, rescued: Rescued) -> Resolved {
        let Rescued { mut searched, library, rescues, alignments } = rescued;
        self.add(&mut searched, &rescues, &alignments);
        let Searched { queries, salts, regions, repeats } = searched;
        self.spare_queries.leave(queries);
        let verdicts: Vec<[Option<Verdict>; 2]> = (0..salts.len() / 2)
            .into_par_iter()
            .with_min_len(TOGETHER)
            .map(|pair| {
                let reads = [2 * pair, 2 * pair + 1];
                let ends = reads.map(|read| regions.of(read));
                self.verdicts(ends, reads.map(|read| repeats[read]), &library, salts[reads[0]])
            })
            .collect();
        self.resolved(regions, verdicts.into_flattened(), repeats)
    }

    /// Adds what was found where mates say to the regions of reads.
    fn add(&self, searched: &mut Searched, rescues: &[Rescue], alignments: &Alignments) {
        let Searched { queries, salts, regions, .. } = searched;
        let extension = self.extension();
        regions.parts.par_iter_mut().zip(parts(salts.len())).for_each(|(part, reads)| {
            let number_of = |read| rescues.partition_point(|rescue| (rescue.read as usize) < read);
            let (mut number, end) = (number_of(reads.start), number_of(reads.end));
            let mut of_read = Vec::new();
            for same in rescues[number..end].chunk_by(|a, b| a.read == b.read) {
                let read = same[0].read as usize;
                of_read.clear();
                for rescue in same {
                    let of = (rescue.query, rescue.segment);
                    let found = (alignments, number);
                    let region = extension.region(of, &rescue.task, found, &mut part.runs);
                    of_read.extend(region);
                    number += 1;
                }
                if !of_read.is_empty() {
                    let number = read - reads.start;
                    of_read.extend_from_slice(part.of_reads.get(number));
                    self.settle(&mut of_read, queries, read, salts[read]);
                    part.of_reads.replace(number, &of_read);
                }
            }
        });
    }

    /// What is decided for a pair.
    fn verdicts(
        &self,
        ends: [&[Region]; 2],
        repeats: [f32; 2],
        library: &Library,
        salt: u64,
    ) -> [Option<Verdict>; 2] {
        let (ranking, options) = (&self.options.ranking, &self.options.pairs);
        if let Some(decision) = pairs::decide(ends, repeats, library, salt, ranking, options) {
            let Decision { regions, mapq } = decision;
            return [0, 1]
                .map(|end| Some(Verdict { primary: regions[end], mapq: mapq[end], proper: true }));
        }
        let mut verdicts = [0, 1].map(|end| self.alone(ends[end], repeats[end]));
        if let [Some(first), Some(second)] = &mut verdicts {
            let proper = library.is_proper(&ends[0][0], &ends[1][0]);
            (first.proper, second.proper) = (proper, proper);
        }
        verdicts
    }

    /// What is to be aligned to find mates, by read.
    fn rescues(&self, queries: &Queries, regions: &Regions, library: &Library) -> Vec<Rescue> {
        let rescuer = || Rescuer::new(self.extension(), queries, library, self.options.rescue);
        let part = |rescuer: &mut Rescuer<'_>, reads: Range<usize>| {
            let mut rescues = Vec::new();
            for first in reads.step_by(2) {
                let ends = [first, first + 1].map(|read| regions.of(read));
                rescuer.rescues(first as u32, ends, &mut rescues);
            }
            rescues
        };
        let parts: Vec<Vec<Rescue>> = parts(queries.len() / 2).map_init(rescuer, part).collect();
        parts.concat()
    }
}
