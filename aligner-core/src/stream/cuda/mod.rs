//! Runs topologies on CUDA devices: persistent blocks, each a copy of the application.
//!
//! The host lays out queues and tables in device memory ([`layout`](self)), launches the kernel that
//! `STREAM_APP` defines (`cuda/include/stream/stream.cuh`), takes outputs away, and launches again
//! as long as blocks have something to do. A launch ends when all blocks are done, when they had
//! their [`Settings::slice`] of firings, or when a sink's region is full; the queues stay in device
//! memory between launches.

mod backend;
mod describe;
mod layout;
mod memory;
mod sinks;
mod tables;

use std::ops::ControlFlow;

pub use backend::{Backend, CudaBackend, Launch, Word};

use self::describe::{Description, ROOM};
use self::layout::{Layout, ensemble};
use self::memory::{Memory, Shape};
use self::sinks::{Sinks, Size};
use self::tables::Run;
use super::plan::Plan;
use super::topology::Target;
use super::{
    Item, ItemType, Metrics, ModuleMetrics, OutputScheme, Outputs, Policy, Progress, RunError,
    Settings, Topology,
};
use crate::gpu::Gpu;

/// The compiled kernels of an application, made by `STREAM_APP(name, ...)`.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    /// The name given to `STREAM_APP`.
    pub name: &'static str,
    /// The file that `cargo xtask kernels` made.
    pub fatbin: &'static [u8],
}

/// A topology on a device.
pub struct CudaExecutor<'t, 'g, G: Sync + ?Sized, B: Backend = CudaBackend> {
    topology: &'t Topology<'g, G>,
    plan: Plan,
    settings: Settings,
    backend: B,
    app: &'static str,
    description: Description,
    /// The application's parameters, as the device sees them.
    global: Vec<u8>,
}

impl<'t, 'g, G: Sync + ?Sized> CudaExecutor<'t, 'g, G> {
    /// Loads an application's kernels. `global` are the application's parameters as the device sees
    /// them: the same as the topology's, or addresses of device memory.
    ///
    /// # Errors
    /// If the topology or the settings are refused, the kernels were built for other modules, or
    /// the device fails.
    pub fn new(
        gpu: &Gpu,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        kernels: &Kernels,
        global: &impl Item,
    ) -> Result<Self, RunError> {
        let backend = CudaBackend::new(gpu, kernels.name, kernels.fatbin)?;
        Self::with_backend(backend, topology, settings, kernels.name, global)
    }
}

/// How one pass over the input writes its outputs.
struct Pass {
    sizes: Vec<(usize, Size)>,
    /// Chunk `i` of the input goes to block `i` modulo the blocks.
    fixed_input: bool,
}

/// What a launch, or all launches of a pass, yielded.
struct Yield {
    sinks: Vec<Vec<u8>>,
    /// For each block, the items of each sink.
    counts: Vec<u32>,
    metrics: Metrics,
    seconds: f64,
    /// Items sent to sinks whose array all blocks share.
    sent: Vec<u64>,
}

impl<'t, 'g, G: Sync + ?Sized, B: Backend> CudaExecutor<'t, 'g, G, B> {
    /// The same on any backend that has the kernels of `app` loaded.
    ///
    /// # Errors
    /// As [`CudaExecutor::new`].
    pub fn with_backend(
        backend: B,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        app: &'static str,
        global: &impl Item,
    ) -> Result<Self, RunError> {
        let plan = Plan::new(topology, settings)?;
        let global = bytemuck::bytes_of(global).to_vec();
        let description = describe_kernel(&backend, topology, app, settings.width)?;
        description.compare(topology, global.len())?;
        let refused = |what: &str, have: usize, most: u32| {
            if have <= most as usize {
                return Ok(());
            }
            let name = topology.name;
            Err(RunError::Settings(format!("{name}: {have} {what}; its kernel is built for {most}")))
        };
        refused("nodes and sinks", plan.nodes.len() + plan.sinks.len(), description.max_targets)?;
        refused("edges", plan.edges.len(), description.max_edges)?;
        refused("items in an ensemble", plan.width as usize, description.max_width)?;
        let settings = settings.clone();
        Ok(Self { topology, plan, settings, backend, app, description, global })
    }

    /// Processes all inputs. The order of the outputs is not defined.
    ///
    /// # Errors
    /// If the inputs are of the wrong type, a stage pushes more than it may, or the device fails.
    pub fn run<T: Item>(&self, inputs: &[T]) -> Result<Outputs, RunError> {
        self.run_with(inputs, &mut |_| ControlFlow::Continue(()))
    }

    /// The same; calls `progress` after each launch, and ends with [`RunError::Cancelled`] when it
    /// breaks. [`Settings::slice`] decides how often that is.
    ///
    /// # Errors
    /// As [`Self::run`], or [`RunError::Cancelled`].
    pub fn run_with<T: Item>(
        &self,
        inputs: &[T],
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Outputs, RunError> {
        let (_, expected) = self.topology.sources[0];
        let found = ItemType::of::<T>();
        if found != expected {
            return Err(RunError::WrongInput { expected, found });
        }
        let input = bytemuck::cast_slice(inputs);
        let blocks = self.blocks(inputs.len())?;
        let done = match self.settings.outputs {
            OutputScheme::Regions => {
                let slots = self.region_slots(inputs.len(), blocks);
                let sizes = |sink: usize| Size::Regions(vec![slots[sink]; blocks as usize]);
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                self.pass(input, inputs.len(), blocks, pass, progress)?
            }
            OutputScheme::Atomics => {
                let slots = self.region_slots(inputs.len(), blocks);
                let sizes = |sink: usize| Size::Shared(u64::from(slots[sink]) * u64::from(blocks));
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                let first = self.pass(input, inputs.len(), blocks, pass, progress)?;
                let fits = |(sink, &sent): (usize, &u64)| {
                    sent <= u64::from(slots[sink]) * u64::from(blocks)
                };
                if first.sent.iter().enumerate().all(fits) {
                    first
                } else {
                    let sizes = |sink: usize| Size::Shared(first.sent[sink]);
                    let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                    let mut second = self.pass(input, inputs.len(), blocks, pass, progress)?;
                    second.seconds += first.seconds;
                    second
                }
            }
            OutputScheme::CountThenWrite => {
                let pass = Pass { sizes: self.sizes(|_| Size::Counted), fixed_input: true };
                let first = self.pass(input, inputs.len(), blocks, pass, progress)?;
                let sinks = self.plan.sinks.len();
                let sizes = |sink: usize| {
                    Size::Exact(first.counts.iter().skip(sink).step_by(sinks).copied().collect())
                };
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: true };
                let mut second = self.pass(input, inputs.len(), blocks, pass, progress)?;
                second.seconds += first.seconds;
                second
            }
        };
        let mut outputs = Outputs::new(done.sinks, done.metrics);
        outputs.device_seconds = done.seconds;
        Ok(outputs)
    }

    fn sizes(&self, size: impl Fn(usize) -> Size) -> Vec<(usize, Size)> {
        self.plan.sinks.iter().enumerate().map(|(i, sink)| (sink.item_bytes, size(i))).collect()
    }

    fn kernel(&self) -> String {
        let suffix = if self.settings.metrics { "_metrics" } else { "" };
        format!("{}{suffix}", self.app)
    }

    fn shared_bytes(&self, layout: &Layout) -> u32 {
        self.description.scratch_bytes + layout.shared_bytes
    }

    /// Inputs that fill a block at the root.
    fn root_ensemble(&self) -> u32 {
        let module = self.plan.nodes[self.plan.root].module;
        ensemble(self.topology.modules[module].mapping, self.plan.width)
    }

    fn explodes_first(&self) -> bool {
        self.plan.modules[self.plan.nodes[self.plan.root].module].explodes
    }

    /// Copies of the application: no more than have an ensemble of inputs each.
    fn blocks(&self, inputs: usize) -> Result<u32, RunError> {
        let each = if self.explodes_first() { 1 } else { self.root_ensemble() as usize };
        let most = inputs.div_ceil(each).clamp(1, 1 << 20) as u32;
        if self.settings.blocks > 0 {
            return Ok(self.settings.blocks);
        }
        let layout = Layout::new(self.topology, &self.plan, &self.settings, 1);
        let shared = self.shared_bytes(&layout);
        let resident =
            self.backend.resident_blocks(&self.kernel(), self.plan.width, shared)?;
        if resident == 0 {
            let width = self.plan.width;
            return Err(RunError::Settings(format!(
                "{}: a block of {width} threads with {shared} bytes of shared memory does not fit \
                 the device",
                self.topology.name
            )));
        }
        Ok(resident.min(most))
    }

    /// Inputs that a block claims at a time: an ensemble, or several if blocks get many.
    fn chunk(&self, inputs: usize, blocks: u32) -> u32 {
        let each = self.root_ensemble();
        if self.explodes_first() {
            return (inputs / (4 * blocks as usize)).clamp(1, each as usize) as u32;
        }
        let per_block = inputs / (blocks as usize * each as usize);
        each * (per_block / 16).clamp(1, 4) as u32
    }

    /// Items of a region of each sink: what the settings say, but no more than the input makes
    /// likely, and at least the outputs of one input.
    fn region_slots(&self, inputs: usize, blocks: u32) -> Vec<u32> {
        let likely = 4 * inputs / blocks as usize + 4 * self.plan.width as usize;
        let likely = likely.min(self.settings.output_slots as usize) as u32;
        let mut slots = vec![likely.max(1); self.plan.sinks.len()];
        for node in &self.plan.nodes {
            let module = &self.plan.modules[node.module];
            let channels = self.topology.modules[node.module].channels.len();
            for edge in &self.plan.edges[node.first_edge..node.first_edge + channels] {
                if let Target::Sink(sink) = edge.to {
                    let inputs = if edge.per_item { module.indivisible } else { 1 };
                    slots[sink] = slots[sink].max(edge.gamma * inputs);
                }
            }
        }
        slots
    }

    /// Runs the whole input once.
    #[allow(unsafe_code)]
    fn pass(
        &self,
        input: &[u8],
        inputs: usize,
        blocks: u32,
        pass: Pass,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Yield, RunError> {
        let backend = &self.backend;
        let lazy = self.settings.policy == Policy::Lazy;
        let mut layout = Layout::new(self.topology, &self.plan, &self.settings, blocks);
        let shared = self.shared_bytes(&layout);
        // Asking for the residency also lets the kernel have so much shared memory.
        let kernel = self.kernel();
        backend.resident_blocks(&kernel, self.plan.width, shared)?;
        let share = lazy && self.settings.share_rest && !pass.fixed_input;
        let shape = Shape {
            input,
            inputs,
            input_bytes: if inputs == 0 { 0 } else { input.len() / inputs },
            global: &self.global,
            blocks,
            sinks: self.plan.sinks.len(),
            root: self.plan.root,
            chunk: self.chunk(inputs, blocks),
            flags: if lazy { Run::LAZY } else { 0 }
                | if share { Run::SHARE_REST } else { 0 }
                | if pass.fixed_input { Run::STATIC_INPUT } else { 0 },
            slice: self.settings.slice,
            scratch_bytes: self.description.scratch_bytes,
        };
        let mut memory = Memory::new(backend, &mut layout, &shape)?;
        let mut sizes = pass.sizes;
        let mut sinks = Sinks::new(backend, blocks, &sizes)?;
        let pack = format!("{}_pack", self.app);
        let mut done = Yield {
            sinks: vec![Vec::new(); sizes.len()],
            counts: Vec::new(),
            metrics: Metrics::default(),
            seconds: 0.0,
            sent: Vec::new(),
        };
        let mut outputs = 0_u64;
        loop {
            let run = memory.tell(backend, sinks.table(backend))?;
            let arguments = [Word::Address(run)];
            let launch =
                Launch { kernel: &kernel, blocks, width: self.plan.width, shared, arguments: &arguments };
            // SAFETY: the kernel's one argument is the address of the run's tables, which describe
            // buffers that `memory` and `sinks` keep alive, sized as its headers say.
            done.seconds += unsafe { backend.launch(&launch) }?;
            done.metrics.launches += 1;
            if let Some(fault) = memory.fault(backend)? {
                return Err(self.too_many(fault));
            }
            let counts_now = memory.outputs(backend)?;
            done.counts.resize(counts_now.len(), 0);
            done.counts.iter_mut().zip(&counts_now).for_each(|(sum, count)| *sum += count);
            outputs += counts_now.iter().map(|&count| u64::from(count)).sum::<u64>();
            let mut full = false;
            for (sink, (_, size)) in sizes.iter().enumerate() {
                let counts: Vec<u32> =
                    counts_now.iter().skip(sink).step_by(sizes.len()).copied().collect();
                if let Size::Regions(slots) = size {
                    full |= counts.iter().zip(slots).any(|(&count, &slots)| 2 * count > slots);
                }
                if let Size::Regions(_) | Size::Exact(_) = size {
                    let items = sinks.regions(backend, sink, &counts, run, &pack)?;
                    done.sinks[sink].extend(items);
                }
            }
            let blocks_now = memory.saved_blocks(backend)?;
            let over = blocks_now.iter().all(|block| block.finished != 0);
            let inputs_claimed = memory.claimed(backend)?;
            let now = Progress { inputs_claimed, inputs: inputs as u64, outputs };
            if progress(now).is_break() && !over {
                return Err(RunError::Cancelled);
            }
            if over {
                break;
            }
            if blocks_now.iter().all(|block| block.firings == 0) && !full {
                return Err(RunError::Stuck { node: self.topology.name.to_owned(), waiting: 0 });
            }
            if full && !pass.fixed_input {
                // Launches cost more than memory: make room for more each time.
                for (_, size) in &mut sizes {
                    if let Size::Regions(slots) = size {
                        slots.iter_mut().for_each(|slots| *slots = (*slots * 4).min(1 << 20));
                    }
                }
                sinks = Sinks::new(backend, blocks, &sizes)?;
            }
        }
        for (sink, (_, size)) in sizes.iter().enumerate() {
            let sent = sinks.sent(backend, sink)?;
            done.sent.push(sent);
            if let Size::Shared(room) = size {
                done.sinks[sink] = sinks.shared(backend, sink, sent.min(*room))?;
            }
        }
        if self.settings.metrics {
            self.fill(&mut done.metrics, &memory, blocks)?;
        }
        Ok(done)
    }

    fn too_many(&self, fault: tables::Fault) -> RunError {
        let node = &self.topology.nodes[self.plan.nodes[fault.node as usize].declared];
        let channel = &self.topology.modules[fault.module as usize].channels[fault.channel as usize];
        RunError::TooMany {
            node: node.name.clone(),
            channel: channel.name.to_owned(),
            gamma: channel.gamma,
        }
    }

    fn fill(&self, metrics: &mut Metrics, memory: &Memory<B>, blocks: u32) -> Result<(), RunError> {
        let (modules, counters) = memory.counters(&self.backend)?;
        metrics.width = self.plan.width;
        metrics.blocks = blocks;
        metrics.scheduler_cycles = counters.scheduler;
        metrics.total_cycles = counters.total;
        for (module, counted) in self.topology.modules.iter().zip(modules) {
            metrics.modules.push(ModuleMetrics {
                module: module.name.to_owned(),
                ensemble: ensemble(module.mapping, self.plan.width),
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

/// Asks a kernel what it was compiled for.
#[allow(unsafe_code)]
fn describe_kernel<B: Backend, G: Sync + ?Sized>(
    backend: &B,
    topology: &Topology<'_, G>,
    app: &str,
    width: u32,
) -> Result<Description, RunError> {
    let words = backend.zeros(ROOM * 4)?;
    let kernel = format!("{app}_describe");
    let arguments =
        [Word::Address(backend.address(&words)), Word::Number(ROOM as u32), Word::Number(width)];
    let launch =
        Launch { kernel: &kernel, blocks: 1, width: 32, shared: 0, arguments: &arguments };
    // SAFETY: the arguments are those of `APP_describe`, and the buffer has the room it is told.
    unsafe { backend.launch(&launch) }?;
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&backend.read(&words, ROOM * 4)?);
    Description::parse(&words).ok_or_else(|| RunError::Kernel {
        kernel: topology.name.to_owned(),
        reason: "it tells nothing about itself".to_owned(),
    })
}
