//! The mapper: the steps from a batch of reads to what is reported of them.

use std::mem;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aligner_core::cigar::{CigarOp, CigarRun, push_run};
use aligner_core::{Device, DeviceError};
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::chain::{self, BatchChains, ChainsOfReads, Finder, FinderInputs};
use crate::extend::{AlignmentTask, Alignments, Extender, QueryCodes, ReferenceText, TaskBatch};
use crate::options::Options;
use crate::pair::cpu::SearchBuffers;
use crate::pair::mate_finder::MateFinder;
use crate::read::packed::{PackedText, different_places};
use crate::read::queries::{Queries, read_ranges};
use crate::region::alignment_tasks::{AlignmentTasks, HostTasks, PlannedTasks};
use crate::region::alt_contigs::AltContigs;
use crate::region::builder::RegionBuilder;
use crate::region::finder::RegionFinder;
use crate::region::gpu::RegionsOfReads;
use crate::region::mapped_reads::{MappedReads, PrimaryAlignment};
use crate::region::ranking;
use crate::region::regions::{Region, RegionChunk, RegionMemory, Regions, deduplicate};
use aligner_core::buffer_pool::{BufferPool, Pooled, Taken, TurnPool};

/// Maps batches of reads to a reference.
///
/// Each step is a method that takes a batch by value and gives its next form, so that a pipeline can run the steps of
/// different batches at the same time: [`find_chains`](Self::find_chains),
/// [`plan_alignments`](Self::plan_alignments), [`align`](Self::align), [`rank`](Self::rank), then
/// [`resolve_unpaired`](Self::resolve_unpaired), or for pairs [`rescue_mates`](Self::rescue_mates) and
/// [`resolve_pairs`](Self::resolve_pairs). The result depends neither on the device, nor on threads or batches.
///
/// A mapper works on one device. [`on_device`](Self::on_device) gives a mapper of the same reads to the same reference on
/// another one. One mapper takes the steps of a batch up to its [`RankedReads`], and any of them the steps that follow.
#[derive(Debug)]
pub struct Mapper {
    /// Index, segments and options, which the mappers on all devices share.
    inputs: Arc<FinderInputs>,
    alt_contigs: Arc<AltContigs>,
    /// The buffers that the mappers on all devices share.
    pub(crate) spare: Arc<SpareBuffers>,
    /// Find chains, each for one batch at a time. On a GPU each has a stream of its own: while one waits, others copy. On the
    /// CPU there is one for each thread.
    finders: TurnPool<Finder>,
    /// Align near chains and make regions, likewise.
    region_finders: TurnPool<RegionFinder>,
    /// Search for missing mates if there is a GPU, likewise.
    pub(crate) mate_finders: TurnPool<MateFinder>,
    /// Align rescued mates, likewise.
    pub(crate) rescue_extenders: TurnPool<Extender>,
    /// The first failure of the device. It is here so that nobody who asks for it waits for a batch.
    failure: OnceLock<String>,
}

/// Buffers of batches that are done with them.
#[derive(Debug, Default)]
pub(crate) struct SpareBuffers {
    /// Alignments of batches that were ranked.
    alignments: BufferPool<Alignments>,
    /// CIGAR runs of batches whose records are made.
    runs: Arc<BufferPool<Vec<CigarRun>>>,
    /// Alignment tasks of batches that were ranked.
    tasks: BufferPool<Vec<AlignmentTask>>,
    /// Queries of batches that were resolved.
    pub(crate) queries: BufferPool<Queries>,
    /// Memory of searches for mates.
    pub(crate) searches: BufferPool<SearchBuffers>,
}

/// A batch of reads with the chains of each read.
#[derive(Debug, Default)]
pub struct ChainedReads {
    queries: Queries,
    tie_breakers: Vec<u64>,
    chains: BatchChains,
}

/// A batch of reads with the alignments of its tasks.
#[derive(Debug, Default)]
pub struct AlignedReads {
    queries: Queries,
    tie_breakers: Vec<u64>,
    repeat_fractions: Vec<f32>,
    aligned: Aligned,
}

/// The alignments of a batch, or the regions that a device has made of them.
#[derive(Debug)]
enum Aligned {
    OnHost(HostTasks, Alignments),
    OnDevice(RegionsOfReads),
}

impl Default for Aligned {
    fn default() -> Self {
        Self::OnHost(HostTasks::default(), Alignments::default())
    }
}

/// A batch of reads with the ranked regions of each read.
#[derive(Debug, Clone, Default)]
pub struct RankedReads {
    /// The reads in both orientations.
    pub queries: Queries,
    /// For each read the number that decides among equally good regions ([`tie_breaker`]).
    pub tie_breakers: Vec<u64>,
    /// Where the reads align; the regions of each read are ranked, the best first.
    pub regions: Regions,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1.
    pub repeat_fractions: Vec<f32>,
}

/// The number that decides among equally good regions of the read called `name`. Both reads of a pair have one name and
/// so one number. Another `seed` leads to other decisions.
pub fn tie_breaker(name: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(name, seed)
}

/// The text of an index, as [`extend`](crate::extend) takes it.
fn text(index: &FmIndex) -> ReferenceText<'_> {
    ReferenceText::Packed(index.reference().packed_text())
}

/// A pool of so many parts of a mapper: one, and others that are made of it.
fn pool<P>(
    count: usize,
    one: P,
    another: impl Fn(&P) -> Result<P, DeviceError>,
) -> Result<TurnPool<P>, DeviceError> {
    let others = (1..count).map(|_| another(&one));
    let mut parts = others.collect::<Result<Vec<P>, _>>()?;
    parts.push(one);
    Ok(TurnPool::new(parts))
}

impl Mapper {
    /// Batches that are searched for on a GPU at a time: one is copied while the GPU works for the others.
    pub const SEARCHES_ON_GPU: usize = 3;

    /// A mapper of reads to the reference of an index. Chains are found and extended on `device`.
    ///
    /// # Errors
    /// If the device fails or has too little memory for the index.
    pub fn new(index: &FmIndex, options: Options, device: &Device) -> Result<Self, DeviceError> {
        let segments = Arc::new(Segments::new(index.reference()));
        let inputs = Arc::new(FinderInputs { index: index.clone(), segments, options });
        Self::with_shared(inputs, Arc::default(), Arc::default(), device)
    }

    /// The mapper with these contigs as ALT contigs.
    #[must_use]
    pub fn with_alt_contigs(self, alt_contigs: AltContigs) -> Self {
        Self { alt_contigs: Arc::new(alt_contigs), ..self }
    }

    /// A mapper on another device, which shares the index, all options and the buffers with this one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn on_device(&self, device: &Device) -> Result<Self, DeviceError> {
        let Self { inputs, alt_contigs, spare, .. } = self;
        Self::with_shared(Arc::clone(inputs), Arc::clone(alt_contigs), Arc::clone(spare), device)
    }

    /// A mapper on a device, of parts that mappers on several devices share.
    fn with_shared(
        inputs: Arc<FinderInputs>,
        alt_contigs: Arc<AltContigs>,
        spare: Arc<SpareBuffers>,
        device: &Device,
    ) -> Result<Self, DeviceError> {
        let finder = Finder::new(Arc::clone(&inputs), device)?;
        let device_index = finder.device_index();
        let region_finder = RegionFinder::new(&inputs, text(&inputs.index), device)?;
        let number = |on_gpu| match device {
            Device::Cpu => rayon::current_num_threads(),
            Device::Cuda(_) => on_gpu,
        };
        let mate_finder = || MateFinder::new(device, device_index.clone());
        let mate_finders = pool(number(2), mate_finder()?, |_| mate_finder())?;
        let rescue_extender = region_finder.extender_on_second_stream()?;
        let rescue_extenders = pool(number(2), rescue_extender, Extender::on_second_stream)?;
        let region_finders = pool(number(3), region_finder, RegionFinder::on_second_stream)?;
        let finders = pool(number(Self::SEARCHES_ON_GPU), finder, Finder::on_second_stream)?;
        // All kernels are loaded, which this would delay.
        if let Some(index) = device_index {
            index.locate_ahead()?;
        }
        Ok(Self {
            inputs,
            alt_contigs,
            spare,
            finders,
            region_finders,
            mate_finders,
            rescue_extenders,
            failure: OnceLock::new(),
        })
    }

    /// The index of the reference.
    pub fn index(&self) -> &FmIndex {
        &self.inputs.index
    }

    /// The device's failure, if there was one. From then on the CPU does everything, with the same results.
    pub fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }

    /// Works with one of the parts that use the device, and keeps its failure, if there was one.
    pub(crate) fn with_part<P, R>(
        &self,
        mut part: Taken<'_, P>,
        failure: impl FnOnce(&P) -> Option<&DeviceError>,
        work: impl FnOnce(&mut P) -> R,
    ) -> R {
        let result = work(&mut part);
        if let Some(failure) = failure(&part) {
            // The first one stays.
            let _ = self.failure.set(failure.to_string());
        }
        result
    }

    /// The segments of the text: contigs, split at long runs of ambiguous bases.
    pub fn segments(&self) -> &Segments {
        &self.inputs.segments
    }

    /// The options of the mapper.
    pub fn options(&self) -> &Options {
        &self.inputs.options
    }

    /// The CIGAR runs of a region of a read with these letters, along the forward strand of the text: those of
    /// [`Regions::runs`], or if it is not [compared](Region::is_compared), the runs that comparing its bases gives. Letters other
    /// than those of bases differ from all.
    pub fn runs(&self, regions: &Regions, region: &Region, letters: &[u8]) -> Vec<CigarRun> {
        if region.is_compared() {
            return regions.runs(region).to_vec();
        }
        let queries = Queries::new([letters]);
        let query = queries.packed(region.query % 2);
        let (text, places) = (PackedText::of(self.index()), region.query_begin..region.query_end);
        let opposite = region.begin as usize - region.query_begin as usize;
        let (mut runs, mut equal) = (Vec::new(), places.start);
        for place in different_places(query, text, opposite, places.clone()) {
            push_run(&mut runs, CigarOp::Equal, place - equal);
            push_run(&mut runs, CigarOp::Different, 1);
            equal = place + 1;
        }
        push_run(&mut runs, CigarOp::Equal, places.end - equal);
        runs
    }

    /// Makes alignment tasks and regions.
    pub(crate) fn region_builder(&self) -> RegionBuilder<'_> {
        let FinderInputs { segments, options, .. } = &*self.inputs;
        let Options { scoring, band_margin, min_chain_weight, .. } = *options;
        let alt_contigs = &self.alt_contigs;
        RegionBuilder { segments, alt_contigs, scoring, band_margin, min_chain_weight }
    }

    /// Alignment tasks of queries, with the text of the index.
    pub(crate) fn task_batch<'t>(
        &'t self,
        queries: &'t Queries,
        tasks: &'t [AlignmentTask],
    ) -> TaskBatch<'t> {
        TaskBatch { queries: QueryCodes::OfReads(queries), text: text(self.index()), tasks }
    }

    /// Encodes reads on the current rayon pool, in the memory of an earlier batch.
    ///
    /// # Panics
    /// If the reads have 2^31 bases or more.
    pub fn encode_reads<'r>(&self, reads: impl IntoIterator<Item = &'r [u8]>) -> Queries {
        self.spare.queries.take().replaced(reads)
    }

    /// Finds seeds and chains of reads, on the device or the current rayon pool. `tie_breakers` has a number for each
    /// read ([`tie_breaker`]).
    pub fn find_chains(&self, queries: Queries, tie_breakers: Vec<u64>) -> ChainedReads {
        // No number of chains is too large.
        self.find_few_chains(queries, tie_breakers, usize::MAX).unwrap_or_default()
    }

    /// As [`find_chains`](Self::find_chains), but gives up when there are more than `most` chains, of which a read of a
    /// repeat has hundreds: `None`, and the caller has to search for fewer reads at a time.
    pub fn find_few_chains(
        &self,
        queries: Queries,
        tie_breakers: Vec<u64>,
        most: usize,
    ) -> Option<ChainedReads> {
        let queries = Arc::new(queries);
        let found = self.with_part(self.finders.take(), Finder::failure, |finder| {
            finder.find_few(&queries, most)
        });
        let queries = Arc::unwrap_or_clone(queries);
        let Some(chains) = found else {
            self.spare.queries.give_back(queries);
            return None;
        };
        Some(ChainedReads { queries, tie_breakers, chains })
    }

    /// Decides which chains must be aligned, and how, on the current rayon pool. Chains on a GPU stay there: it decides when it
    /// aligns.
    pub fn plan_alignments(&self, chained: ChainedReads) -> AlignmentTasks {
        let ChainedReads { queries, tie_breakers, chains } = chained;
        let (planned, repeat_fractions) = match chains {
            BatchChains::OnHost(chains) => {
                let tasks = self.host_tasks(&queries, &chains);
                (PlannedTasks::OnHost(tasks), chains.repeat_fractions)
            }
            BatchChains::OnDevice(mut chains) => {
                let repeat_fractions = mem::take(&mut chains.repeat_fractions);
                (PlannedTasks::OnDevice(chains), repeat_fractions)
            }
        };
        AlignmentTasks { queries, tie_breakers, repeat_fractions, planned }
    }

    /// The tasks of reads with these chains.
    fn host_tasks(&self, queries: &Queries, chains: &ChainsOfReads) -> HostTasks {
        HostTasks::new(queries, chains, self.region_builder(), self.spare.tasks.take())
    }

    /// Aligns, on the device or the current rayon pool. Where chains are on a GPU, it makes and ranks the regions, too.
    pub fn align(&self, tasks: AlignmentTasks) -> AlignedReads {
        let AlignmentTasks { mut queries, tie_breakers, repeat_fractions, planned } = tasks;
        let tasks = match planned {
            PlannedTasks::OnHost(tasks) => tasks,
            PlannedTasks::OnDevice(chains) => {
                let all = (self.task_batch(&queries, &[]), tie_breakers.as_slice());
                let runs = self.spare.runs.take();
                let found =
                    self.with_part(self.region_finders.take(), RegionFinder::failure, |finder| {
                        finder.find(&chains, all, runs)
                    });
                if let Some(regions) = found {
                    let aligned = Aligned::OnDevice(regions);
                    return AlignedReads { queries, tie_breakers, repeat_fractions, aligned };
                }
                // The GPU has failed, so the CPU begins with the reads.
                drop(chains);
                let shared = Arc::new(queries);
                let chains = chain::cpu::find(&self.inputs, &shared, usize::MAX);
                queries = Arc::unwrap_or_clone(shared);
                self.host_tasks(&queries, &chains.unwrap_or_default())
            }
        };
        let mut alignments = self.spare.alignments.take();
        let batch = self.task_batch(&queries, &tasks.tasks);
        self.with_part(self.region_finders.take(), RegionFinder::failure, |finder| {
            finder.align_into(batch, &mut alignments);
        });
        let aligned = Aligned::OnHost(tasks, alignments);
        AlignedReads { queries, tie_breakers, repeat_fractions, aligned }
    }

    /// Makes the regions of each read and ranks them, on the current rayon pool, unless a GPU has done so.
    pub fn rank(&self, aligned: AlignedReads) -> RankedReads {
        let AlignedReads { queries, tie_breakers, repeat_fractions, aligned } = aligned;
        let reads = (&queries, tie_breakers.as_slice());
        let regions = match aligned {
            Aligned::OnHost(tasks, alignments) => self.ranked_on_host(reads, tasks, alignments),
            Aligned::OnDevice(regions) => self.ranked_on_device(reads, regions),
        };
        RankedReads { queries, tie_breakers, regions, repeat_fractions }
    }

    /// The ranked regions of reads, of the alignments of tasks.
    fn ranked_on_host(
        &self,
        (queries, tie_breakers): (&Queries, &[u64]),
        HostTasks { chunks, tasks }: HostTasks,
        mut alignments: Alignments,
    ) -> Regions {
        let chunks = chunks.into_par_iter().map_init(RegionMemory::default, |memory, chunk| {
            let mut ranked = RegionChunk::with_capacity(chunk.reads(), chunk.most_regions());
            let aligned = (tasks.as_slice(), &alignments);
            ranked.runs = chunk.regions(aligned, self.region_builder(), |read, regions| {
                self.rank_regions((regions, memory), queries, read, tie_breakers[read]);
                ranked.of_reads.push(regions.iter().copied());
            });
            ranked
        });
        let chunks = chunks.collect();
        // The other fields of the buffer serve the next batch, the runs when the records of this one are made.
        let runs = mem::replace(&mut alignments.runs, self.spare.runs.take());
        let aligned_runs = Pooled::new(runs, &self.spare.runs);
        self.spare.alignments.give_back(alignments);
        self.spare.tasks.give_back(tasks);
        Regions { chunks, aligned_runs }
    }

    /// The ranked regions of reads, of those that a device has found: it has not ranked all, and does not know ALT contigs.
    fn ranked_on_device(
        &self,
        (queries, tie_breakers): (&Queries, &[u64]),
        found: RegionsOfReads,
    ) -> Regions {
        let builder = self.region_builder();
        let chunk = |memory: &mut RegionMemory, reads: Range<usize>| {
            let count = reads.clone().map(|read| found.of(read).0.len()).sum();
            let mut chunk = RegionChunk::with_capacity(reads.len(), count);
            let mut own = Vec::new();
            for read in reads {
                let (of_read, is_ranked) = found.of(read);
                let regions = of_read.iter().map(|it| it.region(builder.is_alt(it.segment)));
                if is_ranked && !regions.clone().any(|region| region.is_alt) {
                    chunk.of_reads.push(regions);
                } else {
                    own.clear();
                    own.extend(regions);
                    self.rank_regions((&mut own, memory), queries, read, tie_breakers[read]);
                    chunk.of_reads.push(own.iter().copied());
                }
            }
            chunk
        };
        let chunks = read_ranges(tie_breakers.len()).map_init(RegionMemory::default, chunk);
        let chunks = chunks.collect();
        Regions { chunks, aligned_runs: Pooled::new(found.runs, &self.spare.runs) }
    }

    /// All steps from reads to ranked regions, one after the other.
    pub fn find_regions(&self, queries: Queries, tie_breakers: Vec<u64>) -> RankedReads {
        let chained = self.find_chains(queries, tie_breakers);
        self.rank(self.align(self.plan_alignments(chained)))
    }

    /// Ranks the regions of a read, without duplicates and those that score less than the shortest seed.
    pub(crate) fn rank_regions(
        &self,
        (regions, memory): (&mut Vec<Region>, &mut RegionMemory),
        queries: &Queries,
        read: usize,
        tie_breaker: u64,
    ) {
        regions.retain(|region| self.scores_enough(region));
        deduplicate(regions, memory);
        let options = &self.options().ranking;
        ranking::rank(regions, queries.bases(read as u32), tie_breaker, (options, memory));
    }

    /// Whether a region scores as much as the shortest seed; others are as good as by chance.
    pub(crate) fn scores_enough(&self, region: &Region) -> bool {
        region.score >= self.options().ranking.least_score()
    }

    /// Takes the queries of a batch that will wait, which are half of its memory, for other batches. Whoever goes on with
    /// it sets [`RankedReads::queries`] again.
    pub fn set_aside(&self, ranked: &mut RankedReads) {
        self.spare.queries.give_back(mem::take(&mut ranked.queries));
    }

    /// Chooses the regions that are reported of reads without mates.
    pub fn resolve_unpaired(&self, ranked: RankedReads) -> MappedReads {
        let RankedReads { queries, mut regions, repeat_fractions, .. } = ranked;
        let chunks = regions.chunks.par_iter_mut().zip(read_ranges(repeat_fractions.len()));
        chunks.for_each(|(chunk, reads)| self.put_leftmost_first(chunk, reads, &queries));
        self.spare.queries.give_back(queries);
        let primary = |read: usize| self.best_region(regions.of(read), repeat_fractions[read]);
        let primaries = (0..repeat_fractions.len()).map(primary).collect();
        self.mapped_reads(regions, primaries, repeat_fractions)
    }

    /// If the options say so, puts the region of the leftmost part of each split read first, of the reads of a chunk.
    pub(crate) fn put_leftmost_first(
        &self,
        chunk: &mut RegionChunk,
        reads: Range<usize>,
        queries: &Queries,
    ) {
        if !self.options().report.is_leftmost_primary {
            return;
        }
        for (number, read) in reads.enumerate() {
            let mut of_read = chunk.of_reads.get(number).to_vec();
            let (length, min_score) = (queries.bases(read as u32), self.options().min_score);
            if ranking::put_leftmost_first(&mut of_read, length, min_score) {
                chunk.of_reads.replace(number, &of_read);
            }
        }
    }

    /// Reads with these primary alignments.
    pub(crate) fn mapped_reads(
        &self,
        regions: Regions,
        primaries: Vec<Option<PrimaryAlignment>>,
        repeat_fractions: Vec<f32>,
    ) -> MappedReads {
        let Options { ranking, min_score, report, .. } = *self.options();
        MappedReads { regions, primaries, repeat_fractions, ranking, min_score, report }
    }

    /// The primary alignment of a read without regard to a mate: its best region, if that scores enough, else the best one
    /// on an ALT contig.
    pub(crate) fn best_region(
        &self,
        regions: &[Region],
        repeat_fraction: f32,
    ) -> Option<PrimaryAlignment> {
        let is_enough = |region: &Region| {
            region.score >= self.options().min_score && region.secondary_to.is_none()
        };
        let region = regions.iter().position(is_enough)?;
        let mapq = ranking::mapq(&regions[region], repeat_fraction, &self.options().ranking);
        Some(PrimaryAlignment::new(regions, region, mapq, self.options().min_score))
    }
}
