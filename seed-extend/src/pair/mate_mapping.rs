//! The steps of best mapping that only pairs take: rescue of missing mates, and the choice of a pair of regions.

use std::ops::Range;

use rayon::prelude::*;

use crate::extend::{AlignmentTask, Alignments, Extender};
use crate::mapper::{Mapper, RankedReads};
use crate::pair::cpu;
use crate::pair::insert_size::{InsertScores, Library, LibrarySample};
use crate::pair::mate_finder::MateFinder;
use crate::pair::mate_window::MateWindow;
use crate::pair::pairing::{ProperPair, choose_pair};
use crate::pair::rescue::{ExpectedMate, MateSearcher, RescueTask};
use crate::read::packed::PackedText;
use crate::read::queries::{Queries, read_ranges};
use crate::region::mapped_reads::{MappedReads, PrimaryAlignment};
use crate::region::ranking;
use crate::region::regions::{Region, RegionChunk, RegionMemory, Regions};

/// Expected mates whose tasks one task of the thread pool makes.
const MATES_PER_TASK: usize = 1024;

/// A batch of pairs after mate rescue: the regions of its reads, and alignments where their mates predict more.
#[derive(Debug, Clone, Default)]
pub struct RescuedReads {
    ranked: RankedReads,
    library: Library,
    /// The tasks of mate rescue, in the order of reads.
    rescues: Vec<RescueTask>,
    /// The alignments of these tasks.
    alignments: Alignments,
}

/// The mates of a batch that may be rescued.
struct RescuedMates<'b> {
    /// The reads in both orientations.
    queries: &'b Queries,
    /// For each read the number that decides among equally good regions.
    tie_breakers: &'b [u64],
    /// The tasks of mate rescue, in the order of reads.
    rescues: &'b [RescueTask],
    /// The alignments of these tasks.
    alignments: &'b Alignments,
    /// The number of CIGAR runs of the batch's other alignments, which come before those of a chunk.
    aligned_runs: usize,
}

impl RescuedReads {
    /// The tasks of mate rescue, in the order of reads.
    pub fn rescues(&self) -> &[RescueTask] {
        &self.rescues
    }
}

impl Mapper {
    /// Adds the first `pairs` pairs of a batch to a sample of the library, or all if there are fewer.
    pub fn sample_pairs(&self, ranked: &RankedReads, sample: &mut LibrarySample, pairs: usize) {
        for pair in 0..pairs.min(ranked.tie_breakers.len() / 2) {
            let ends = [2 * pair, 2 * pair + 1].map(|read| ranked.regions.of(read));
            sample.add(ends, &self.options().ranking);
        }
    }

    /// Aligns reads where their mates predict an alignment that seeds did not find, on the current rayon pool and the
    /// device. Reads `2p` and `2p + 1` are pair `p`.
    pub fn rescue_mates(&self, ranked: RankedReads, library: &Library) -> RescuedReads {
        let rescues = self.rescue_tasks(&ranked.queries, &ranked.regions, library);
        let tasks: Vec<AlignmentTask> = rescues.iter().map(|rescue| rescue.task).collect();
        let batch = self.task_batch(&ranked.queries, &tasks);
        let extender = self.rescue_extenders.take();
        let alignments = self.with_part(extender, Extender::failure, |it| it.align(batch));
        RescuedReads { ranked, library: *library, rescues, alignments }
    }

    /// Chooses the regions of each pair that are reported, on the current rayon pool.
    pub fn resolve_pairs(&self, rescued: RescuedReads) -> MappedReads {
        let RescuedReads { ranked, library, rescues, alignments } = rescued;
        let RankedReads { queries, tie_breakers, mut regions, repeat_fractions } = ranked;
        let insert_scores = InsertScores::new(&library, self.options().ranking.match_score);
        let rescued = RescuedMates {
            queries: &queries,
            tie_breakers: &tie_breakers,
            rescues: &rescues,
            alignments: &alignments,
            aligned_runs: regions.aligned_runs.len(),
        };
        let chunks = regions.chunks.par_iter_mut().zip(read_ranges(tie_breakers.len()));
        // All that is done with the regions of some reads is done while they are in the cache.
        let resolve = |memory: &mut _, (chunk, reads): (&mut RegionChunk, Range<usize>)| {
            self.add_rescued((chunk, memory), reads.clone(), &rescued);
            self.put_leftmost_first(chunk, reads.clone(), &queries);
            let primaries = |first: usize| {
                let numbers = [first - reads.start, first - reads.start + 1];
                let ends = numbers.map(|number| chunk.of_reads.get(number));
                let repeat_fractions = [repeat_fractions[first], repeat_fractions[first + 1]];
                self.primaries(ends, repeat_fractions, &insert_scores, tie_breakers[first])
            };
            reads.clone().step_by(2).map(primaries).collect::<Vec<_>>()
        };
        let primaries: Vec<Vec<[Option<PrimaryAlignment>; 2]>> =
            chunks.map_init(RegionMemory::default, resolve).collect();
        self.spare.queries.give_back(queries);
        self.mapped_reads(regions, primaries.concat().into_flattened(), repeat_fractions)
    }

    /// Adds the regions of rescued mates to those of the reads of a chunk, which are ranked again.
    fn add_rescued(
        &self,
        (chunk, memory): (&mut RegionChunk, &mut RegionMemory),
        reads: Range<usize>,
        rescued: &RescuedMates<'_>,
    ) {
        let &RescuedMates { queries, tie_breakers, rescues, alignments, aligned_runs } = rescued;
        let builder = self.region_builder();
        let number_of = |read| rescues.partition_point(|rescue| (rescue.read as usize) < read);
        let (mut number, end) = (number_of(reads.start), number_of(reads.end));
        let by_read = rescues[number..end].chunk_by(|a, b| a.read == b.read);
        let ranked = |of: &[RescueTask]| chunk.of_reads.get(of[0].read as usize - reads.start);
        let regions = by_read.clone().map(|of| of.len() + ranked(of).len()).sum();
        let runs = alignments.spans[number..end].iter().map(|span| span.run_count as usize).sum();
        chunk.of_reads.reserve_replaced(regions);
        chunk.runs.reserve(runs);
        let mut of_read = Vec::new();
        for same_read in by_read {
            let read = same_read[0].read as usize;
            of_read.clear();
            for rescue in same_read {
                let span = &alignments.spans[number];
                let region = builder.region(rescue.of, &rescue.task, span);
                // Others are as good as by chance. A read that gets none needs no ranking.
                if let Some(region) = region.filter(|it| self.scores_enough(it)) {
                    let first_run = (aligned_runs + chunk.runs.len()) as u64;
                    // The mate has predicted it.
                    of_read.push(Region { first_run, is_supported: true, ..region });
                    chunk.runs.extend_from_slice(alignments.runs_of(number));
                }
                number += 1;
            }
            if !of_read.is_empty() {
                let (number, added) = (read - reads.start, of_read.len());
                of_read.extend_from_slice(chunk.of_reads.get(number));
                let of = (queries.bases(read as u32), tie_breakers[read]);
                let how = (&self.options().ranking, &mut *memory);
                ranking::rank_added(&mut of_read, added, of, how);
                chunk.of_reads.replace(number, &of_read);
            }
        }
    }

    /// The primary alignments of the two reads of a pair: a proper pair, or the best region of each read.
    #[allow(clippy::inline_always)] // What it returns is copied at once.
    #[inline(always)]
    fn primaries(
        &self,
        ends: [&[Region]; 2],
        repeat_fractions: [f32; 2],
        insert_scores: &InsertScores,
        tie_breaker: u64,
    ) -> [Option<PrimaryAlignment>; 2] {
        let (ranking, options) = (&self.options().ranking, &self.options().pairs);
        if options.is_skipped {
            return [0, 1].map(|end| self.best_region(ends[end], repeat_fractions[end]));
        }
        let pair =
            choose_pair(ends, repeat_fractions, insert_scores, tie_breaker, ranking, options);
        if let Some(ProperPair { regions, mapq }) = pair {
            return [0, 1].map(|end| {
                let (region, mapq) = (regions[end], mapq[end]);
                let found =
                    PrimaryAlignment::new(ends[end], region, mapq, self.options().min_score);
                Some(PrimaryAlignment { is_proper: true, ..found })
            });
        }
        let mut primaries = [0, 1].map(|end| self.best_region(ends[end], repeat_fractions[end]));
        if let [Some(first), Some(second)] = &mut primaries {
            let library = insert_scores.library();
            let is_proper = library.is_proper(&ends[0][first.region], &ends[1][second.region]);
            (first.is_proper, second.is_proper) = (is_proper, is_proper);
        }
        primaries
    }

    /// Alignment tasks that may rescue mates, in the order of reads.
    fn rescue_tasks(
        &self,
        queries: &Queries,
        regions: &Regions,
        library: &Library,
    ) -> Vec<RescueTask> {
        let options = self.options().rescue;
        let searcher = MateSearcher::new(self.region_builder(), queries, library, options);
        let expected_of = |reads: Range<usize>| {
            let mut expected = Vec::with_capacity(reads.len());
            for first in reads.step_by(2) {
                let ends = [first, first + 1].map(|read| regions.of(read));
                searcher.expect_mates(first as u32, ends, &mut expected);
            }
            expected
        };
        let chunks: Vec<Vec<ExpectedMate>> =
            read_ranges(queries.len() / 2).map(expected_of).collect();
        let expected = chunks.concat();
        let windows: Vec<MateWindow> = expected.iter().map(|mate| mate.window).collect();
        let choice = options.diagonal_choice();
        let chosen = self.with_part(self.mate_finders.take(), MateFinder::failure, |finder| {
            finder.choose_diagonals(queries, &windows, choice)
        });
        let chosen = chosen.unwrap_or_else(|| {
            let text = PackedText::of(self.index());
            cpu::choose_diagonals(text, queries, &windows, choice, &self.spare.searches)
        });
        let tasks_of = |(chunk, mates): (usize, &[ExpectedMate])| {
            let mut rescues = Vec::with_capacity(mates.len());
            for (window, mate) in (chunk * MATES_PER_TASK..).zip(mates) {
                searcher.tasks(mate, chosen.of(window), &mut rescues);
            }
            rescues
        };
        let chunks: Vec<Vec<RescueTask>> =
            expected.par_chunks(MATES_PER_TASK).enumerate().map(tasks_of).collect();
        chunks.concat()
    }
}
