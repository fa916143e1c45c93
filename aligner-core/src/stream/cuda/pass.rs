//! One pass over the input: launches until all blocks are done.

use std::ops::ControlFlow;

use super::application::CudaApplication;
use super::backend::{Backend, Launch};
use super::layout::RunLayout;
use super::memory::{LaunchState, RunConstants, RunInput, RunMemory};
use super::sinks::{SharedArray, SinkSize, Sinks};
use super::tables::{NONE, RunParameters};
use crate::DeviceError;
use crate::gpu::DeviceStruct;
use crate::stream::{Metrics, ModuleMetrics, Policy, Progress, RunError};

/// The most items to which the region of a sink grows.
const MOST_SLOTS: u32 = 1 << 20;

/// The way in which one pass over the input writes outputs.
pub(super) struct Pass {
    /// For each sink, the size of an item in bytes, and the room.
    pub sizes: Vec<(usize, SinkSize)>,
    /// Whether chunk `i` of the input goes to block `i` modulo the number of blocks, so that a second pass sends the
    /// same outputs from each block.
    pub fixed_input: bool,
}

/// The outputs of a pass, or of its launches so far.
pub(super) struct PassOutputs<T> {
    /// For each sink, the items of each launch.
    pub sinks: Vec<Vec<T>>,
    /// Number of items: `[block][sink]`.
    pub counts: Vec<u32>,
    pub metrics: Metrics,
    /// Seconds that the kernels took.
    pub seconds: f64,
    /// For each sink, the number of items sent to an array that all blocks share.
    pub sent: Vec<u64>,
}

/// Receives a buffer of items and the number of its bytes that are items.
pub(super) type TakeItems<'a, B, T> =
    &'a dyn Fn(&B, <B as Backend>::Buffer, usize) -> Result<T, DeviceError>;

/// Gives more room to the regions of sinks that were half full, because launches cost more than memory.
fn grow(sizes: &mut [(usize, SinkSize)], full: &[bool]) {
    for ((_, size), _) in sizes.iter_mut().zip(full).filter(|(_, is_full)| **is_full) {
        if let SinkSize::Regions(slots) = size {
            let more = |slots: &mut u32| *slots = (*slots * 4).min(MOST_SLOTS.max(*slots));
            slots.iter_mut().for_each(more);
        }
    }
}

impl<T> PassOutputs<T> {
    /// Adds time and launches of an earlier pass over the same input.
    pub fn add_earlier_pass(&mut self, first: &Self) {
        self.seconds += first.seconds;
        self.metrics.launches += first.metrics.launches;
    }
}

impl<G: Sync + ?Sized, B: Backend> CudaApplication<'_, '_, G, B> {
    /// Processes the whole input once; `take` receives the items of each sink, launch by launch.
    #[allow(unsafe_code)]
    pub(super) fn pass<T>(
        &self,
        input: RunInput<'_>,
        blocks: u32,
        pass: Pass,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        take: TakeItems<'_, B, T>,
    ) -> Result<PassOutputs<T>, RunError> {
        let backend = &self.backend;
        let mut layout = RunLayout::new(self.topology, &self.plan, &self.settings, blocks);
        let shared = self.shared_bytes(&layout);
        // This call also allows the kernel to use so much shared memory.
        let kernel = self.kernel();
        backend.resident_blocks(&kernel, self.plan.width, shared)?;
        let constants = RunConstants {
            input,
            global: &self.global,
            blocks,
            sinks: self.plan.sinks.len(),
            root: self.plan.root,
            chunk: self.chunk(input.count, blocks),
            flags: self.flags(&layout, pass.fixed_input),
            slice: self.settings.slice,
            scratch_bytes: self.scratch_bytes(&layout),
        };
        let mut memory = RunMemory::new(backend, &mut layout, &constants)?;
        let mut sizes = pass.sizes;
        let mut sinks = Sinks::new(backend, blocks, &sizes)?;
        let pack = format!("{}_pack", self.app);
        let mut done = PassOutputs {
            sinks: sizes.iter().map(|_| Vec::new()).collect(),
            counts: Vec::new(),
            metrics: Metrics::default(),
            seconds: 0.0,
            sent: Vec::new(),
        };
        let mut outputs = 0_u64;
        loop {
            memory.parameters.sinks = sinks.table(backend);
            let launch = Launch {
                kernel: &kernel,
                blocks,
                width: self.plan.width,
                shared,
                parameters: memory.parameters.bytes(),
            };
            // SAFETY: the kernel's parameter has the addresses of tables and buffers that `memory` and
            // `sinks` keep alive, sized as its headers say.
            done.seconds += unsafe { backend.launch(&launch) }?;
            done.metrics.launches += 1;
            let LaunchState { claimed, fault, outputs: counts_now, blocks: blocks_now } =
                memory.state(backend)?;
            if let Some(fault) = fault {
                let node = self.plan.nodes[fault.node as usize].declared;
                if fault.channel == NONE {
                    return Err(self.topology.too_many_elements(node));
                }
                return Err(self.topology.too_many(node, fault.channel as usize));
            }
            done.counts.resize(counts_now.len(), 0);
            done.counts.iter_mut().zip(&counts_now).for_each(|(sum, count)| *sum += count);
            outputs += counts_now.iter().map(|&count| u64::from(count)).sum::<u64>();
            let mut full = Vec::with_capacity(sizes.len());
            for (sink, (_, size)) in sizes.iter().enumerate() {
                let counts: Vec<u32> =
                    counts_now.iter().skip(sink).step_by(sizes.len()).copied().collect();
                let by_half = |(&count, &slots): (&u32, &u32)| count > slots / 2;
                full.push(match size {
                    SinkSize::Regions(slots) => counts.iter().zip(slots).any(by_half),
                    _ => false,
                });
                if let SinkSize::Regions(_) | SinkSize::Exact(_) = size
                    && let Some((items, len)) =
                        sinks.pack(backend, sink, &counts, &memory.parameters, &pack)?
                {
                    done.sinks[sink].push(take(backend, items, len)?);
                }
            }
            let over = blocks_now.iter().all(|block| block.finished != 0);
            let now = Progress { inputs_claimed: claimed, inputs: input.count as u64, outputs };
            if progress(now).is_break() {
                return Err(RunError::Cancelled);
            }
            if over {
                break;
            }
            if blocks_now.iter().all(|block| block.firings == 0) && !full.contains(&true) {
                return Err(RunError::Stuck { node: self.topology.name.to_owned(), waiting: 0 });
            }
            if self.shares_walks() && claimed == now.inputs {
                self.share_walks(&memory, &blocks_now, &mut done.metrics)?;
            }
            if full.contains(&true) && !pass.fixed_input {
                grow(&mut sizes, &full);
                sinks = Sinks::new(backend, blocks, &sizes)?;
            }
        }
        for (sink, shared) in sinks.shared(backend)?.into_iter().enumerate() {
            let SharedArray { sent, items, item_bytes } = shared;
            done.sent.push(sent);
            if let (_, SinkSize::Shared(room)) = sizes[sink] {
                let len = sent.min(room) as usize * item_bytes;
                done.sinks[sink].push(take(backend, items, len)?);
            }
        }
        self.fill_walks(&mut done.metrics, &memory)?;
        self.fill(&mut done.metrics, &memory, blocks)?;
        Ok(done)
    }

    /// Flags of the kernel's parameter.
    fn flags(&self, layout: &RunLayout, fixed_input: bool) -> u32 {
        let lazy = self.settings.policy == Policy::Lazy;
        [
            (lazy, RunParameters::LAZY),
            (lazy && self.settings.share_rest && !fixed_input, RunParameters::SHARE_REST),
            (self.settings.move_work && !fixed_input, RunParameters::MOVE_WORK),
            (fixed_input, RunParameters::STATIC_INPUT),
            (layout.modules.iter().all(|module| module.nodes == 1), RunParameters::SINGLE_NODES),
        ]
        .into_iter()
        .filter_map(|(set, flag)| set.then_some(flag))
        .sum()
    }

    /// Reads the work of the nodes that walk into the metrics of a run.
    fn fill_walks(&self, metrics: &mut Metrics, memory: &RunMemory<B>) -> Result<(), RunError> {
        let walks = self.plan.walks();
        metrics.walks.resize_with(walks.len(), Default::default);
        let saved = memory.walks(&self.backend)?;
        let width = u64::from(self.plan.width);
        for (&node, walk) in walks.iter().zip(&mut metrics.walks) {
            for saved in saved.iter().skip(node).step_by(self.plan.nodes.len()) {
                walk.pods += saved.pods;
                walk.visits += saved.visits;
                walk.pod_lanes += u64::from(saved.steps) * width;
                walk.visit_lanes += saved.lanes;
                walk.steps.push(saved.steps);
            }
        }
        Ok(())
    }

    /// Reads the counters that a run has into its metrics.
    fn fill(
        &self,
        metrics: &mut Metrics,
        memory: &RunMemory<B>,
        blocks: u32,
    ) -> Result<(), RunError> {
        if let Some(moving) = &memory.moving {
            metrics.packets = moving.given(&self.backend)?;
        }
        if !self.settings.metrics {
            return Ok(());
        }
        let (modules, counters) = memory.counters(&self.backend)?;
        metrics.width = self.plan.width;
        metrics.blocks = blocks;
        metrics.scheduler_cycles = counters.scheduler;
        metrics.total_cycles = counters.total;
        for (module, counted) in self.topology.modules.iter().zip(modules) {
            metrics.modules.push(ModuleMetrics {
                module: module.name.to_owned(),
                ensemble: module.mapping.ensemble(self.plan.width),
                firings: counted.firings,
                full_firings: counted.full_firings,
                ensembles: counted.ensembles,
                lanes: counted.lanes,
                items_in: counted.items_in,
                items_out: counted.items_out,
                gather_cycles: counted.gather,
                run_cycles: counted.run,
                scatter_cycles: counted.scatter,
            });
        }
        Ok(())
    }
}
