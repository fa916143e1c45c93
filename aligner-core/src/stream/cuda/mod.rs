//! Runs topologies on CUDA devices: persistent blocks, each a copy of the application.
//!
//! The host lays out queues and tables in device memory ([`layout`](self)), launches the kernel that
//! `STREAM_APP` defines (`cuda/include/stream/stream.cuh`), takes outputs away, and launches again
//! as long as blocks have something to do. A launch ends when all blocks are done, when they had
//! their [`Settings::slice`] of firings, or when a sink's region is full; the queues stay in device
//! memory between launches.

mod backend;
mod describe;
mod in_place;
mod layout;
mod memory;
mod pass;
mod sinks;
mod sizing;
mod tables;

use std::ops::ControlFlow;

pub use backend::{Backend, CudaBackend, Launch, Word};

use self::describe::{Description, ROOM};
pub use self::in_place::{DeviceItems, DeviceOutputs};
use self::memory::{Input, Place};
use self::pass::{Pass, Take, Yield};
use self::sinks::Size;
use super::plan::Plan;
use super::{Item, OutputScheme, Outputs, Progress, RunError, Settings, Topology};
use crate::gpu::Gpu;

/// The compiled kernels of an application, made by `STREAM_APP(name, ...)`.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    /// The name given to `STREAM_APP`.
    pub name: &'static str,
    /// The file that `cargo xtask kernels` made.
    pub fatbin: &'static [u8],
}

/// An application's kernels on a device, which has told what they were compiled for.
#[derive(Debug, Clone)]
pub struct Loaded<B = CudaBackend> {
    backend: B,
    app: &'static str,
    width: u32,
    description: Description,
}

impl<B: Backend> Loaded<B> {
    /// The kernels of `app`, which a backend has loaded, for ensembles of `width` items.
    ///
    /// # Errors
    /// If the device fails, or they are no kernels of an application.
    pub fn with_backend(backend: B, app: &'static str, width: u32) -> Result<Self, RunError> {
        let description = describe_kernel(&backend, app, width)?;
        Ok(Self { backend, app, width, description })
    }
}

impl Loaded {
    /// The same for what works beside ([`Gpu::beside`]).
    #[must_use]
    pub fn on(&self, beside: &Gpu) -> Self {
        Self { backend: self.backend.on(beside), ..self.clone() }
    }
}

impl Kernels {
    /// Loads the kernels, for ensembles of `width` items.
    ///
    /// # Errors
    /// If the device fails, or they are no kernels of an application.
    pub fn load(&self, gpu: &Gpu, width: u32) -> Result<Loaded, RunError> {
        Loaded::with_backend(CudaBackend::new(gpu, self.name, self.fatbin)?, self.name, width)
    }
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
        Self::loaded(&kernels.load(gpu, settings.width)?, topology, settings, global)
    }
}

impl<'t, 'g, G: Sync + ?Sized, B: Backend + Clone> CudaExecutor<'t, 'g, G, B> {
    /// An application whose kernels were loaded before.
    ///
    /// # Errors
    /// As [`CudaExecutor::new`], or if they were loaded for another width than the settings'.
    pub fn loaded(
        kernels: &Loaded<B>,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        global: &impl Item,
    ) -> Result<Self, RunError> {
        let Loaded { backend, app, width, description } = kernels.clone();
        if width != settings.width {
            let refused = format!("width {}: the kernels were loaded for {width}", settings.width);
            return Err(RunError::Settings(refused));
        }
        Self::described(backend, description, topology, settings, app, global)
    }
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
        let description = describe_kernel(&backend, app, settings.width)?;
        Self::described(backend, description, topology, settings, app, global)
    }

    fn described(
        backend: B,
        description: Description,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        app: &'static str,
        global: &impl Item,
    ) -> Result<Self, RunError> {
        let plan = Plan::new(topology, settings)?;
        let global = bytemuck::bytes_of(global).to_vec();
        description.compare(topology, global.len())?;
        let refused = |what: &str, have: usize, most: u32| {
            if have <= most as usize {
                return Ok(());
            }
            let name = topology.name;
            Err(RunError::Settings(format!(
                "{name}: {have} {what}; its kernel is built for {most}"
            )))
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
        let land = |backend: &B, items: B::Buffer, len: usize| backend.land(&items, len);
        let done = self.taking(self.on_host(inputs)?, progress, &land)?;
        let mut outputs = Outputs::new(done.sinks, done.metrics);
        outputs.device_seconds = done.seconds;
        Ok(outputs)
    }

    /// Processes all inputs, and leaves the outputs in the device's memory. Their order is not defined.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<T: Item>(&self, inputs: &[T]) -> Result<DeviceOutputs<'_, B>, RunError> {
        self.keeping(self.on_host(inputs)?)
    }

    /// The same for inputs of type `T` that are in the device's memory: the outputs of an application before.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn go_on<T: Item>(
        &self,
        inputs: &DeviceItems<B>,
    ) -> Result<DeviceOutputs<'_, B>, RunError> {
        self.topology.expect_input::<T>()?;
        let place = Place::Device(self.backend.address(&inputs.items));
        self.keeping(Input { place, count: inputs.count })
    }

    fn on_host<'a, T: Item>(&self, inputs: &'a [T]) -> Result<Input<'a>, RunError> {
        self.topology.expect_input::<T>()?;
        Ok(Input { place: Place::Host(bytemuck::cast_slice(inputs)), count: inputs.len() })
    }

    fn keeping(&self, input: Input<'_>) -> Result<DeviceOutputs<'_, B>, RunError> {
        let keep = |_: &B, items, len| Ok((items, len));
        let done = self.taking(input, &mut |_| ControlFlow::Continue(()), &keep)?;
        let item_bytes = self.plan.sinks.iter().map(|sink| sink.item_bytes).collect();
        Ok(DeviceOutputs::new(&self.backend, done.sinks, item_bytes, done.metrics, done.seconds))
    }

    /// Processes all inputs; what reaches sinks is taken over by `take`.
    fn taking<O>(
        &self,
        input: Input<'_>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        take: Take<'_, B, O>,
    ) -> Result<Yield<O>, RunError> {
        let blocks = self.blocks(input.count)?;
        match self.settings.outputs {
            OutputScheme::Regions => {
                let slots = self.region_slots(input.count, blocks);
                let sizes = |sink: usize| Size::Regions(vec![slots[sink]; blocks as usize]);
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                self.pass(input, blocks, pass, progress, take)
            }
            OutputScheme::Atomics => {
                let slots = self.region_slots(input.count, blocks);
                let sizes = |sink: usize| Size::Shared(u64::from(slots[sink]) * u64::from(blocks));
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                let first = self.pass(input, blocks, pass, progress, take)?;
                let fits = |(sink, &sent): (usize, &u64)| {
                    sent <= u64::from(slots[sink]) * u64::from(blocks)
                };
                if first.sent.iter().enumerate().all(fits) {
                    Ok(first)
                } else {
                    let sizes = |sink: usize| Size::Shared(first.sent[sink]);
                    let pass = Pass { sizes: self.sizes(sizes), fixed_input: false };
                    let mut second = self.pass(input, blocks, pass, progress, take)?;
                    second.after(&first);
                    Ok(second)
                }
            }
            OutputScheme::CountThenWrite => {
                let pass = Pass { sizes: self.sizes(|_| Size::Counted), fixed_input: true };
                let first = self.pass(input, blocks, pass, progress, take)?;
                let sinks = self.plan.sinks.len();
                let sizes = |sink: usize| {
                    Size::Exact(first.counts.iter().skip(sink).step_by(sinks).copied().collect())
                };
                let pass = Pass { sizes: self.sizes(sizes), fixed_input: true };
                let mut second = self.pass(input, blocks, pass, progress, take)?;
                second.after(&first);
                Ok(second)
            }
        }
    }

    fn sizes(&self, size: impl Fn(usize) -> Size) -> Vec<(usize, Size)> {
        self.plan.sinks.iter().enumerate().map(|(i, sink)| (sink.item_bytes, size(i))).collect()
    }
}

/// Asks a kernel what it was compiled for.
#[allow(unsafe_code)]
fn describe_kernel<B: Backend>(
    backend: &B,
    app: &str,
    width: u32,
) -> Result<Description, RunError> {
    let words = backend.zeros(ROOM * 4)?;
    let kernel = format!("{app}_describe");
    let arguments =
        [Word::Address(backend.address(&words)), Word::Number(ROOM as u32), Word::Number(width)];
    let launch = Launch { kernel: &kernel, blocks: 1, width: 32, shared: 0, arguments: &arguments };
    // SAFETY: the arguments are those of `APP_describe`, and the buffer has the room it is told.
    unsafe { backend.launch(&launch) }?;
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&backend.read(&words, ROOM * 4)?);
    Description::parse(&words).ok_or_else(|| RunError::Kernel {
        kernel: app.to_owned(),
        reason: "it tells nothing about itself".to_owned(),
    })
}
