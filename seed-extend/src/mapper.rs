//! From reads to what is to be reported of them.

use std::ops::Range;

use aligner_core::cigar::Run;
use aligner_core::{Device, DeviceError};
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::anchors;
use crate::chains::{self, Chain, ChainOptions};
use crate::extend::{self, Alignments, Extender, Scoring, Task};
use crate::insert::{Library, Sample};
use crate::packed::Text;
use crate::pairs::{self, Decision, PairOptions};
use crate::queries::Queries;
use crate::ranking::{self, RankOptions};
use crate::regions::{Extension, Region, Regions, deduplicate};
use crate::rescue::{Rescue, RescueOptions, Rescuer};
use crate::seeds::{SeedOptions, Seeder};

/// Reads that one task handles, one after the other.
const TOGETHER: usize = 256;

/// How to map.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Seeds.
    pub seeds: SeedOptions,
    /// Occurrences of a seed that are looked at.
    pub occurrences: Occurrences,
    /// Chains.
    pub chains: ChainOptions,
    /// Scores of alignments.
    pub scoring: Scoring,
    /// How far an alignment may leave the diagonals of its chain.
    pub reach: Reach,
    /// Ranking.
    pub ranking: RankOptions,
    /// Mate rescue.
    pub rescue: RescueOptions,
    /// Pairing.
    pub pairs: PairOptions,
    /// The least score of what is reported.
    pub least: Least,
}

/// Occurrences of a seed that are looked at, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrences(pub u32);

/// How far an alignment may leave the diagonals of its chain, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach(pub u32);

/// The least score of what is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least(pub i32);

impl Default for Occurrences {
    fn default() -> Self {
        Self(500)
    }
}

impl Default for Reach {
    fn default() -> Self {
        Self(50)
    }
}

impl Default for Least {
    fn default() -> Self {
        Self(30)
    }
}

/// Why a batch cannot be mapped.
#[derive(Debug, Error)]
pub enum MapError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Maps batches of reads.
#[derive(Debug)]
pub struct Mapper {
    index: FmIndex,
    segments: Segments,
    options: Options,
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

/// What was decided for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    /// Where they align; ranked within each read.
    pub regions: Regions,
    /// Of each read, if it aligns.
    pub verdicts: Vec<Option<Verdict>>,
    /// Of each read the share that has only seeds which are too frequent.
    repeats: Vec<f32>,
    ranking: RankOptions,
    /// The least score of a part of a read.
    least: i32,
}

/// What was decided for one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Which of its regions is primary.
    pub primary: usize,
    /// The mapping quality of it.
    pub mapq: u8,
    /// Whether it and its mate are a proper pair.
    pub proper: bool,
}

/// A region that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its number among those of its read.
    pub region: usize,
    /// Its mapping quality.
    pub mapq: u8,
}

impl Resolved {
    /// Whether a read and its mate are a proper pair.
    pub fn is_proper(&self, read: usize) -> bool {
        self.verdicts[read].is_some_and(|verdict| verdict.proper)
    }

    /// The parts of a read that align: the primary region, then others that are in nobody's shadow.
    /// None is trusted more than the primary one.
    pub fn parts(&self, read: usize) -> Vec<Placed> {
        let Some(Verdict { primary, mapq, .. }) = self.verdicts[read] else { return Vec::new() };
        let regions = self.regions.of(read);
        let leader = leader(regions, primary);
        let is_other = |&(number, region): &(usize, &Region)| {
            region.shadow.is_none() && number != leader && region.score >= self.least
        };
        let others = regions.iter().enumerate().filter(is_other).map(|(region, it)| {
            let own = ranking::mapq(it, self.repeats[read], &self.ranking);
            Placed { region, mapq: own.min(mapq) }
        });
        std::iter::once(Placed { region: primary, mapq }).chain(others).collect()
    }

    /// The regions of a read that compete with the primary one and score at least four fifths as much.
    pub fn alternatives(&self, read: usize) -> Vec<Placed> {
        let Some(Verdict { primary, .. }) = self.verdicts[read] else { return Vec::new() };
        let regions = self.regions.of(read);
        let is_alternative = |&(number, region): &(usize, &Region)| {
            number != primary
                && leader(regions, number) == leader(regions, primary)
                && 5 * region.score >= 4 * regions[primary].score
        };
        let all = regions.iter().enumerate().filter(is_alternative);
        all.map(|(region, _)| Placed { region, mapq: 0 }).collect()
    }
}

/// The region in whose shadow a region is, or itself.
fn leader(regions: &[Region], number: usize) -> usize {
    regions[number].shadow.map_or(number, |leader| leader as usize)
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

impl Mapper {
    /// A mapper to the reference of this index.
    pub fn new(index: FmIndex, options: Options) -> Self {
        let segments = Segments::new(index.reference());
        Self { index, segments, options }
    }

    /// The index.
    pub fn index(&self) -> &FmIndex {
        &self.index
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
        let (scoring, reach) = (self.options.scoring, self.options.reach.0);
        Extension { text, segments: &self.segments, scoring, reach }
    }

    fn align(&self, queries: &Queries, tasks: &[Task]) -> Result<Alignments, MapError> {
        let text = extend::Text::Packed(self.index.reference().words());
        let mut extender = Extender::new(self.options.scoring, text, &Device::Cpu)?;
        Ok(extender.align(queries.all_codes(), tasks))
    }

    /// Finds where reads align, on the current rayon pool. `salts` has a number for each read, which
    /// decides among equally good places; reads of a pair have the same.
    ///
    /// # Errors
    /// [`MapError::Device`].
    pub fn search(&self, queries: Queries, salts: Vec<u64>) -> Result<Searched, MapError> {
        let reads = queries.len() / 2;
        let parts: Vec<Part> = parts(reads).map(|reads| self.part(&queries, reads)).collect();
        let mut tasks = Vec::new();
        parts.iter().for_each(|part| tasks.extend_from_slice(&part.tasks));
        let alignments = self.align(&queries, &tasks)?;
        let mut searched =
            Searched { queries, salts, regions: Regions::default(), repeats: Vec::new() };
        searched.regions.offsets.push(0);
        let extension = self.extension();
        let mut number = 0;
        for Part { mut regions, runs, repeats, chains, tasks } in parts {
            let all = &mut searched.regions;
            let moved = all.runs.len() as u32;
            all.runs.extend_from_slice(&runs);
            regions.iter_mut().flatten().for_each(|region| region.first_run += moved);
            let first = searched.repeats.len() as u32;
            for (task, (read, chain)) in tasks.iter().zip(chains) {
                let of = (chain.query, chain.segment, chain.weight);
                let found = extension.region(of, task, (&alignments, number), &mut all.runs);
                regions[(read - first) as usize].extend(found);
                number += 1;
            }
            for mut of_read in regions {
                let read = searched.repeats.len();
                self.settle(&mut of_read, &searched.queries, read, searched.salts[read]);
                all.all.extend(of_read);
                all.offsets.push(all.all.len() as u32);
                searched.repeats.push(repeats[read - first as usize]);
            }
        }
        Ok(searched)
    }

    /// Leaves out what is twice there or too bad, and ranks the rest.
    fn settle(&self, regions: &mut Vec<Region>, queries: &Queries, read: usize, salt: u64) {
        regions.retain(|region| region.score >= self.options.ranking.unseen);
        deduplicate(regions);
        ranking::rank(regions, queries.bases(read as u32), salt, &self.options.ranking);
    }

    /// The first stages for some reads.
    fn part(&self, queries: &Queries, reads: Range<usize>) -> Part {
        let seeder = Seeder::new(&self.index, self.options.seeds);
        let extension = self.extension();
        let most = self.options.occurrences.0;
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
                    anchors::locate(&self.index, seed, most, &mut anchors);
                }
                anchors.sort_unstable();
                chains::chain(&anchors, length, &self.segments, &self.options.chains, &mut chains);
            }
            chains::keep_best(&mut chains, length, &self.options.chains);
            let mut regions = Vec::new();
            for chain in &chains {
                match extension.plain(queries, chain, &mut part.runs) {
                    Some(region) => regions.push(region),
                    None => {
                        part.chains.push((read, *chain));
                        part.tasks.push(extension.task(queries, chain));
                    }
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
        let verdict = |read: usize| {
            self.alone(regions.of(read), repeats[read])
        };
        let verdicts = (0..repeats.len()).map(verdict).collect();
        self.resolved(regions, verdicts, repeats)
    }

    /// Decides for pairs, which are two reads that follow each other, on the current rayon pool.
    ///
    /// # Errors
    /// [`MapError::Device`].
    pub fn resolve_pairs(
        &self,
        searched: Searched,
        library: &Library,
    ) -> Result<Resolved, MapError> {
        let Searched { queries, salts, mut regions, repeats } = searched;
        let rescues = self.rescues(&queries, &regions, library);
        let tasks: Vec<Task> = rescues.iter().map(|rescue| rescue.task).collect();
        let alignments = self.align(&queries, &tasks)?;
        let extension = self.extension();
        let mut found: Vec<Vec<Region>> = vec![Vec::new(); salts.len()];
        for (number, rescue) in rescues.iter().enumerate() {
            let of = (rescue.query, rescue.segment, 0);
            let region = extension.region(of, &rescue.task, (&alignments, number), &mut regions.runs);
            found[rescue.read as usize].extend(region);
        }
        let mut all = Vec::new();
        let mut offsets = vec![0];
        let mut verdicts = Vec::new();
        for (read, mut of_read) in found.into_iter().enumerate() {
            let old = regions.of(read);
            if of_read.is_empty() {
                all.extend_from_slice(old);
            } else {
                of_read.extend_from_slice(old);
                self.settle(&mut of_read, &queries, read, salts[read]);
                all.extend(of_read);
            }
            offsets.push(all.len() as u32);
        }
        let regions = Regions { all, offsets, runs: regions.runs };
        for first in (0..salts.len()).step_by(2) {
            let ends = [first, first + 1].map(|read| regions.of(read));
            let unseen = [repeats[first], repeats[first + 1]];
            let (ranking, options) = (&self.options.ranking, &self.options.pairs);
            let pair = pairs::decide(ends, unseen, library, salts[first], ranking, options);
            match pair {
                Some(Decision { regions, mapq }) => {
                    let of_pair = regions.into_iter().zip(mapq);
                    verdicts.extend(of_pair.map(|(primary, mapq)| {
                        Some(Verdict { primary, mapq, proper: true })
                    }));
                }
                None => {
                    let mut of_pair = [0, 1].map(|end| self.alone(ends[end], unseen[end]));
                    if let [Some(first), Some(second)] = &mut of_pair {
                        let proper = library.is_proper(&ends[0][0], &ends[1][0]);
                        (first.proper, second.proper) = (proper, proper);
                    }
                    verdicts.extend(of_pair);
                }
            }
        }
        Ok(self.resolved(regions, verdicts, repeats))
    }

    fn resolved(
        &self,
        regions: Regions,
        verdicts: Vec<Option<Verdict>>,
        repeats: Vec<f32>,
    ) -> Resolved {
        let (ranking, least) = (self.options.ranking, self.options.least.0);
        Resolved { regions, verdicts, repeats, ranking, least }
    }

    /// What is decided for a read by itself.
    fn alone(&self, regions: &[Region], repeats: f32) -> Option<Verdict> {
        let best = regions.first().filter(|best| best.score >= self.options.least.0)?;
        let mapq = ranking::mapq(best, repeats, &self.options.ranking);
        Some(Verdict { primary: 0, mapq, proper: false })
    }

    /// What is to be aligned to find mates.
    fn rescues(&self, queries: &Queries, regions: &Regions, library: &Library) -> Vec<Rescue> {
        let part = |reads: Range<usize>| {
            let mut rescuer =
                Rescuer::new(self.extension(), queries, library, self.options.rescue);
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
