//! The engine: the segments of a text on a device, and the kernels that make regions of chains.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::cigar::CigarRun;
use aligner_core::gpu::{DeviceStruct, Gpu};
use aligner_core::stream::{Backend, CudaBackend, Items, Launch};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};

use super::parameters::{
    FoundRegion, RankingRules, RegionsOfChainsParameters, RegionsRankParameters, UNRANKED,
};
use crate::chain::FinderInputs;
use crate::chain::gpu::{ChainSlice, DeviceChains};
use crate::extend::extender::beside;
use crate::extend::gpu::costs::AlignmentCosts;
use crate::extend::gpu::{DeviceTasks, ExtendEngine, MemoryLimits};
use crate::extend::{AlignmentTask, TaskBatch, cpu};

/// Threads of a block.
const THREADS: u32 = 128;

/// CIGAR runs of a region without an alignment, at most: one base of it differs from the text.
const MOST_RUNS: usize = 3;

/// The segments of a text on a device, and the kernels that make regions of chains.
#[derive(Debug)]
pub struct RegionEngine<B: Backend> {
    /// The device, with the kernels of `regions.cu`.
    backend: B,
    /// The options on the host.
    inputs: Arc<FinderInputs>,
    /// Begin and exclusive end of each segment of the text, as `u32`.
    segments: Arc<B::Buffer>,
}

/// The regions of a batch of reads, as a device has found them.
#[derive(Debug, Default)]
pub struct RegionsOfReads {
    slices: Vec<RegionSlice>,
    /// The CIGAR runs of all regions.
    pub runs: Vec<CigarRun>,
}

/// The regions of consecutive reads.
#[derive(Debug)]
struct RegionSlice {
    /// Number of the first read.
    first: usize,
    /// For each read the place of its first region.
    firsts: Vec<u32>,
    /// For each read the number of its regions, with [`UNRANKED`] if they are not ranked.
    counts: Vec<u32>,
    /// The regions of each read together, the reads in any order.
    regions: Items<FoundRegion>,
}

/// The outcomes of the chains of some reads, on a device.
struct Outcomes<T> {
    /// Of each chain, in a byte, whether it is a region, a task or nothing.
    of_chains: T,
    /// The regions of the chains that are regions.
    regions: T,
    /// The tasks of the others; those that have none have tasks without bases.
    tasks: T,
    /// CIGAR runs of the regions.
    runs: T,
    /// Number of these runs, as `u32`.
    run_count: T,
}

impl RegionsOfReads {
    /// The regions of a read, and whether they are ranked. If not, they are in the order of its chains: first those that needed no
    /// alignment. Those that score less than the shortest seed are missing.
    ///
    /// # Panics
    /// If there is no such read.
    pub fn of(&self, read: usize) -> (&[FoundRegion], bool) {
        let slice = &self.slices[self.slices.partition_point(|slice| slice.first <= read) - 1];
        let number = read - slice.first;
        let (first, count) = (slice.firsts[number] as usize, slice.counts[number]);
        let regions = &slice.regions.only_part()[first..][..(count & !UNRANKED) as usize];
        (regions, count & UNRANKED == 0)
    }
}

impl RegionEngine<CudaBackend> {
    /// An engine for the segments of an index on a GPU.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn on_gpu(gpu: &Gpu, inputs: &Arc<FinderInputs>) -> Result<Self, DeviceError> {
        let fatbin = include_bytes!("../../../cuda/regions.fatbin");
        Self::new(CudaBackend::new(gpu, "regions", fatbin)?, inputs)
    }

    /// An engine for the same segments on another stream of the GPU.
    #[must_use]
    pub fn on(&self, gpu: &Gpu) -> Self {
        let (inputs, segments) = (Arc::clone(&self.inputs), Arc::clone(&self.segments));
        Self { backend: self.backend.on(gpu), inputs, segments }
    }
}

impl<B: Backend + Clone> RegionEngine<B> {
    /// An engine for the segments of an index. `backend` has the kernels of `regions.cu`.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn new(backend: B, inputs: &Arc<FinderInputs>) -> Result<Self, DeviceError> {
        let segments = inputs.segments.all().iter();
        let ends: Vec<[u32; 2]> =
            segments.map(|segment| [segment.indexed.start, segment.indexed.end]).collect();
        let segments = Arc::new(backend.upload(cast_slice(&ends))?);
        Ok(Self { backend, inputs: Arc::clone(inputs), segments })
    }

    /// The regions of reads with these chains, which are on the same device. `all` are the queries and the text, without tasks, and
    /// `tie_breakers` has a number for each read. `extend` works on the same stream. `runs` is a buffer whose contents are replaced.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find(
        &self,
        extend: &mut ExtendEngine<B>,
        chains: &DeviceChains<B::Buffer>,
        (all, tie_breakers): (TaskBatch<'_>, &[u64]),
        (limits, mut runs): (MemoryLimits, Vec<CigarRun>),
    ) -> Result<RegionsOfReads, DeviceError> {
        runs.clear();
        let found = RegionsOfReads { runs, slices: Vec::new() };
        let found = self.find_all(extend, chains, (all, tie_breakers), limits, found);
        if found.is_err() {
            // Kernels may still read the chains, which are another stream's. The first error stays.
            let _ = self.backend.wait();
        }
        found
    }

    /// Adds the regions of all slices to those of none.
    fn find_all(
        &self,
        extend: &mut ExtendEngine<B>,
        chains: &DeviceChains<B::Buffer>,
        (all, tie_breakers): (TaskBatch<'_>, &[u64]),
        limits: MemoryLimits,
        mut found: RegionsOfReads,
    ) -> Result<RegionsOfReads, DeviceError> {
        let tie_breakers = self.backend.upload(cast_slice(tie_breakers))?;
        for slice in &chains.slices {
            let made = self.outcomes(chains, slice)?;
            let spans =
                self.align(extend, (chains, slice), (all, &made), limits, &mut found.runs)?;
            let ranked =
                self.rank((chains, slice), (&made, &spans), &tie_breakers, found.runs.len())?;
            found.slices.push(ranked);
            let count = self.read::<u32>(&made.run_count, 1)?[0] as usize;
            let runs = self.backend.read_staged(&made.runs, count * size_of::<CigarRun>())?;
            Items::from(runs).parts().for_each(|part| found.runs.extend_from_slice(part));
        }
        Ok(found)
    }

    /// Makes regions or tasks of the chains of a slice.
    fn outcomes(
        &self,
        chains: &DeviceChains<B::Buffer>,
        slice: &ChainSlice<B::Buffer>,
    ) -> Result<Outcomes<B::Buffer>, DeviceError> {
        let (backend, count) = (&self.backend, slice.count as usize);
        let made = Outcomes {
            of_chains: backend.uninitialized(count)?,
            regions: backend.uninitialized(count * size_of::<FoundRegion>())?,
            tasks: backend.uninitialized(count * size_of::<AlignmentTask>())?,
            runs: backend.uninitialized(count * MOST_RUNS * size_of::<CigarRun>())?,
            run_count: backend.zeros(size_of::<u32>())?,
        };
        let options = &self.inputs.options;
        let parameters = RegionsOfChainsParameters {
            chains: backend.device_address(&slice.chains),
            places: backend.device_address(&slice.places),
            offsets: backend.device_address(&chains.offsets),
            segments: backend.device_address(&self.segments),
            outcomes: backend.device_address(&made.of_chains),
            regions: backend.device_address(&made.regions),
            tasks: backend.device_address(&made.tasks),
            runs: backend.device_address(&made.runs),
            run_count: backend.device_address(&made.run_count),
            costs: AlignmentCosts::from(options.scoring),
            prefers_a_mismatch: options.scoring.prefers_a_mismatch().into(),
            band_margin: options.band_margin,
            min_chain_weight: options.min_chain_weight,
            count: slice.count,
        };
        self.launch("regions_of_chains", slice.count, &parameters)?;
        Ok(made)
    }

    /// The spans of the tasks of a slice, on the device. Their CIGAR runs are appended to `runs`. The CPU aligns, at the same time,
    /// what no kernel takes.
    fn align(
        &self,
        extend: &mut ExtendEngine<B>,
        (chains, slice): (&DeviceChains<B::Buffer>, &ChainSlice<B::Buffer>),
        (all, made): (TaskBatch<'_>, &Outcomes<B::Buffer>),
        limits: MemoryLimits,
        runs: &mut Vec<CigarRun>,
    ) -> Result<B::Buffer, DeviceError> {
        let on_device =
            DeviceTasks::made(&self.backend, (&chains.codes, &made.tasks), slice.count)?;
        let plan = extend.plan(&on_device)?;
        let mut left = Vec::new();
        if !plan.left.is_empty() {
            let tasks: Vec<AlignmentTask> = self.read(&made.tasks, slice.count as usize)?;
            left.extend(plan.left.iter().map(|&number| tasks[number as usize]));
        }
        let scoring = self.inputs.options.scoring;
        let (spans, others) = beside(
            || extend.align_on_device(&on_device, &plan, limits, runs),
            || cpu::align(scoring, TaskBatch { tasks: &left, ..all }),
            left.is_empty(),
        );
        let spans = spans?;
        extend.add_alignments(&plan.left, &others, &spans, runs)?;
        Ok(spans)
    }

    /// Ranks the regions of the reads of a slice. Their tasks have so many CIGAR runs, with those of earlier slices.
    fn rank(
        &self,
        (chains, slice): (&DeviceChains<B::Buffer>, &ChainSlice<B::Buffer>),
        (made, spans): (&Outcomes<B::Buffer>, &B::Buffer),
        tie_breakers: &B::Buffer,
        task_runs: usize,
    ) -> Result<RegionSlice, DeviceError> {
        let (backend, reads) = (&self.backend, slice.reads.len());
        let bytes = slice.count as usize * size_of::<FoundRegion>();
        let ranked = backend.uninitialized(bytes)?;
        let ranked_count = backend.zeros(size_of::<u32>())?;
        let [firsts, counts] = [(); 2].map(|()| backend.uninitialized(reads * size_of::<u32>()));
        let (firsts, counts) = (firsts?, counts?);
        let parameters = RegionsRankParameters {
            chains: backend.device_address(&slice.chains),
            chain_starts: backend.device_address(&slice.starts),
            outcomes: backend.device_address(&made.of_chains),
            regions: backend.device_address(&made.regions),
            tasks: backend.device_address(&made.tasks),
            spans: backend.device_address(spans),
            offsets: backend.device_address(&chains.offsets),
            tie_breakers: backend.device_address(tie_breakers),
            ranked: backend.device_address(&ranked),
            ranked_count: backend.device_address(&ranked_count),
            firsts: backend.device_address(&firsts),
            counts: backend.device_address(&counts),
            task_runs: task_runs as u64,
            rules: RankingRules::from(&self.inputs.options),
            first_read: slice.reads.start,
            reads: reads as u32,
            padding: 0,
        };
        self.launch("regions_rank", reads as u32, &parameters)?;
        let count = self.read::<u32>(&ranked_count, 1)?[0] as usize;
        let regions = backend.read_staged(&ranked, count * size_of::<FoundRegion>())?;
        Ok(RegionSlice {
            first: slice.reads.start as usize,
            firsts: self.read(&firsts, reads)?,
            counts: self.read(&counts, reads)?,
            regions: Items::from(regions),
        })
    }

    /// Launches a kernel of `regions.cu` with a thread for each of so many items. `parameters` must be those of the kernel.
    fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        items: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        if items == 0 {
            return Ok(());
        }
        let (blocks, parameters) = (items.div_ceil(THREADS), parameters.bytes());
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, parameters };
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel, with arrays for all chains and reads of a slice. The chains stay until
        // the results have been read, or until `find` has waited.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }

    /// The first `count` values of a buffer.
    fn read<T: Pod>(&self, buffer: &B::Buffer, count: usize) -> Result<Vec<T>, DeviceError> {
        Ok(pod_collect_to_vec(&self.backend.read(buffer, count * size_of::<T>())?))
    }
}
