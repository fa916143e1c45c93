//! From reads to what is to be reported of them.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use aligner_core::cigar::Run;
use aligner_core::{Device, DeviceError};
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::anchors;
use crate::chains::{self, Chain};
use crate::extend::{self, Alignments, Extender, Task};
use crate::insert::{Library, Sample};
use crate::options::Options;
use crate::packed::Text;
use crate::pairs::{self, Decision};
use crate::queries::Queries;
use crate::ranking;
use crate::regions::{Extension, Region, Regions, deduplicate};
use crate::rescue::{Rescue, Rescuer};
use crate::resolved::{Resolved, Verdict};
use crate::seeds::Seeder;

/// Reads that one task handles, one after the other.
const TOGETHER: usize = 256;

/// Why reads cannot be mapped.
#[derive(Debug, Error)]
pub enum MapError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Maps batches of reads.
#[derive(Debug)]
pub struct Mapper<'i> {
    index: &'i FmIndex,
    segments: Segments,
    options: Options,
    extender: Mutex<Extender<'i>>,
}

/// What was found for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// The reads.
    pub queries: Queries,
    /// A number for each read, which decides among equals.
    pub salts: Vec<u64>,
    /// Where they align; ranked within each read.
    pub regions: Regions,
    /// Of each read the share that has only seeds which are too frequent.
    pub repeats: Vec<f32>,
}

/// A number for a read called `name`, which decides among equally good places. `seed` makes another
/// choice.
pub fn salt(name: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(name, seed)
}

/// What the first stages find for some reads.
#[derive(Debug, Default)]
struct Part {
    regions: Vec<Vec<Region>>,
    runs: Vec<Run>,
    repeats: Vec<f32>,
    /// Of chains that are to be extended, their reads and tasks.
    chains: Vec<(u32, Chain)>,
    tasks: Vec<Task>,
}

impl<'i> Mapper<'i> {
    /// A mapper to the reference of this index, which aligns on `device`.
    ///
    /// # Errors
    /// [`MapError::Device`].
    pub fn new(index: &'i FmIndex, options: Options, device: &Device) -> Result<Self, MapError> {
        let segments = Segments::new(index.reference());
        let text = extend::Text::Packed(index.reference().words());
        let extender = Mutex::new(Extender::new(options.scoring, text, device)?);
        Ok(Self { index, segments, options, extender })
    }

    /// The index.
    pub fn index(&self) -> &'i FmIndex {
        self.index
    }

    /// Why the device was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<String> {
        let extender = self.extender.lock().unwrap_or_else(PoisonError::into_inner);
        extender.failure().map(ToString::to_string)
    }

    /// The segments of the text.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    fn extension(&self) -> Extension<'_> {
        let reference = self.index.reference();
        let text = Text { words: reference.words(), length: reference.indexed_len() as usize };
        let (scoring, reach) = (self.options.scoring, self.options.reach);
        Extension { text, segments: &self.segments, scoring, reach }
    }

    /// One batch is aligned at a time.
    fn align(&self, queries: &Queries, tasks: &[Task]) -> Alignments {
        let mut extender = self.extender.lock().unwrap_or_else(PoisonError::into_inner);
        extender.align(queries.all_codes(), tasks)
    }

    /// Finds where reads align, on the current rayon pool. `salts` has a number for each read, which
    /// decides among equally good places; reads of a pair have the same.
    pub fn search(&self, queries: Queries, salts: Vec<u64>) -> Searched {
        let reads = queries.len() / 2;
        let parts: Vec<Part> = parts(reads).map(|reads| self.part(&queries, reads)).collect();
        let tasks: Vec<Task> = parts.iter().flat_map(|part| part.tasks.iter().copied()).collect();
        let alignments = self.align(&queries, &tasks);
        let extension = self.extension();
        let (mut found, mut runs, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = 0;
        for part in parts {
            let (first, moved) = (found.len(), runs.len() as u32);
            runs.extend_from_slice(&part.runs);
            found.extend(part.regions);
            found[first..].iter_mut().flatten().for_each(|region| region.first_run += moved);
            for (task, (read, chain)) in part.tasks.iter().zip(part.chains) {
                let of = (chain.query, chain.segment, chain.weight);
                let region = extension.region(of, task, (&alignments, number), &mut runs);
                found[read as usize].extend(region);
                number += 1;
            }
            repeats.extend(part.repeats);
        }
        found.par_iter_mut().enumerate().with_min_len(TOGETHER).for_each(|(read, regions)| {
            self.settle(regions, &queries, read, salts[read]);
        });
        Searched { queries, salts, regions: Regions::new(found, runs), repeats }
    }

    /// Leaves out what is twice there or too bad, and ranks the rest.
    fn settle(&self, regions: &mut Vec<Region>, queries: &Queries, read: usize, salt: u64) {
        regions.retain(|region| region.score >= self.options.ranking.unseen);
        deduplicate(regions);
        ranking::rank(regions, queries.bases(read as u32), salt, &self.options.ranking);
    }

    /// The first stages for some reads.
    fn part(&self, queries: &Queries, reads: Range<usize>) -> Part {
        let seeder = Seeder::new(self.index, self.options.seeds);
        let extension = self.extension();
        let most = self.options.occurrences;
        let mut part = Part::default();
        let (mut seeds, mut anchors, mut chains) = (Vec::new(), Vec::new(), Vec::new());
        for read in reads {
            let read = read as u32;
            let length = queries.bases(read);
            chains.clear();
            seeds.clear();
            for query in [2 * read, 2 * read + 1] {
                let first = seeds.len();
                seeder.seeds(queries, query, &mut seeds);
                anchors.clear();
                for seed in &seeds[first..] {
                    anchors::locate(self.index, seed, most, &mut anchors);
                }
                anchors.sort_unstable();
                chains::chain(&anchors, length, &self.segments, &self.options.chains, &mut chains);
            }
            chains::keep_best(&mut chains, length, &self.options.chains);
            let mut regions = Vec::new();
            for chain in &chains {
                if let Some(region) = extension.plain(queries, chain, &mut part.runs) {
                    regions.push(region);
                } else {
                    part.chains.push((read, *chain));
                    part.tasks.push(extension.task(queries, chain));
                }
            }
            part.regions.push(regions);
            part.repeats.push(anchors::repeats(&seeds, length, most));
        }
        part
    }

    /// Adds the pairs of a batch to a sample of the library.
    pub fn sample(&self, searched: &Searched, sample: &mut Sample, pairs: usize) {
        for pair in 0..pairs.min(searched.salts.len() / 2) {
            let ends = [2 * pair, 2 * pair + 1].map(|read| searched.regions.of(read));
            sample.add(ends, &self.options.ranking);
        }
    }

    /// Decides for reads that have no mates.
    pub fn resolve_single(&self, searched: Searched) -> Resolved {
        let Searched { regions, repeats, .. } = searched;
        let verdict = |read: usize| self.alone(regions.of(read), repeats[read]);
        let verdicts = (0..repeats.len()).map(verdict).collect();
        self.resolved(regions, verdicts, repeats)
    }

    /// Decides for pairs, which are two reads that follow each other, on the current rayon pool.
    pub fn resolve_pairs(&self, searched: Searched, library: &Library) -> Resolved {
        let Searched { queries, salts, mut regions, repeats } = searched;
        let rescues = self.rescues(&queries, &regions, library);
        let tasks: Vec<Task> = rescues.iter().map(|rescue| rescue.task).collect();
        let alignments = self.align(&queries, &tasks);
        let extension = self.extension();
        let mut found: Vec<Vec<Region>> = vec![Vec::new(); salts.len()];
        for (number, rescue) in rescues.iter().enumerate() {
            let of = (rescue.query, rescue.segment, 0);
            let region =
                extension.region(of, &rescue.task, (&alignments, number), &mut regions.runs);
            found[rescue.read as usize].extend(region);
        }
        let settled: Vec<Vec<Region>> = found
            .into_par_iter()
            .enumerate()
            .with_min_len(TOGETHER)
            .map(|(read, mut of_read)| {
                let rescued = !of_read.is_empty();
                of_read.extend_from_slice(regions.of(read));
                if rescued {
                    self.settle(&mut of_read, &queries, read, salts[read]);
                }
                of_read
            })
            .collect();
        let regions = Regions::new(settled, regions.runs);
        let verdicts = (0..salts.len() / 2)
            .into_par_iter()
            .with_min_len(TOGETHER)
            .flat_map_iter(|pair| {
                let reads = [2 * pair, 2 * pair + 1];
                let ends = reads.map(|read| regions.of(read));
                self.verdicts(ends, reads.map(|read| repeats[read]), library, salts[reads[0]])
            })
            .collect();
        self.resolved(regions, verdicts, repeats)
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

    fn resolved(
        &self,
        regions: Regions,
        verdicts: Vec<Option<Verdict>>,
        repeats: Vec<f32>,
    ) -> Resolved {
        let (ranking, least) = (self.options.ranking, self.options.least);
        Resolved { regions, verdicts, repeats, ranking, least }
    }

    /// What is decided for a read by itself.
    fn alone(&self, regions: &[Region], repeats: f32) -> Option<Verdict> {
        let best = regions.first().filter(|best| best.score >= self.options.least)?;
        let mapq = ranking::mapq(best, repeats, &self.options.ranking);
        Some(Verdict { primary: 0, mapq, proper: false })
    }

    /// What is to be aligned to find mates.
    fn rescues(&self, queries: &Queries, regions: &Regions, library: &Library) -> Vec<Rescue> {
        let part = |reads: Range<usize>| {
            let mut rescuer = Rescuer::new(self.extension(), queries, library, self.options.rescue);
            let mut rescues = Vec::new();
            for first in reads.step_by(2) {
                let ends = [first, first + 1].map(|read| regions.of(read));
                rescuer.rescues(first as u32, ends, &mut rescues);
            }
            rescues
        };
        let parts: Vec<Vec<Rescue>> = parts(queries.len() / 2).map(part).collect();
        parts.concat()
    }
}

/// Parts of a batch of reads, in order.
fn parts(reads: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let part = move |number: usize| number * TOGETHER..reads.min((number + 1) * TOGETHER);
    (0..reads.div_ceil(TOGETHER)).into_par_iter().map(part)
}
