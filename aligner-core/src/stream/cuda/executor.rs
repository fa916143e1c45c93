//! The executor for GPUs, as its callers see it.

use std::ops::ControlFlow;

use super::application::CudaApplication;
use super::backend::{Backend, CudaBackend};
use super::in_place::{DeviceItems, DeviceOutputs};
use super::kernels::{Kernels, LoadedKernels, describe_kernel};
use super::memory::{InputLocation, RunInput};
use super::pass::{Pass, PassOutputs, TakeItems};
use super::sinks::SinkSize;
use crate::gpu::Gpu;
use crate::stream::{Item, OutputScheme, Outputs, Progress, RunError, Settings, Topology};

/// Runs a topology on a GPU.
pub struct CudaExecutor<'t, 'g, G: Sync + ?Sized, B: Backend = CudaBackend> {
    application: CudaApplication<'t, 'g, G, B>,
}

impl<'t, 'g, G: Sync + ?Sized> CudaExecutor<'t, 'g, G> {
    /// Loads an application's kernels. `global` are the application's parameters as the device sees
    /// them: the same as the topology's, or a struct with addresses of device memory.
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
    /// An executor for kernels that were loaded before, so that many runs ask them once for their description.
    ///
    /// # Errors
    /// As [`CudaExecutor::new`], or if they were loaded for another width than the settings'.
    pub fn loaded(
        kernels: &LoadedKernels<B>,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        global: &impl Item,
    ) -> Result<Self, RunError> {
        let LoadedKernels { backend, app, width, description } = kernels.clone();
        if width != settings.width {
            let refused = format!("width {}: the kernels were loaded for {width}", settings.width);
            return Err(RunError::Settings(refused));
        }
        let global = bytemuck::bytes_of(global).to_vec();
        let application =
            CudaApplication::new(backend, description, topology, settings, app, global)?;
        Ok(Self { application })
    }
}

impl<'t, 'g, G: Sync + ?Sized, B: Backend> CudaExecutor<'t, 'g, G, B> {
    /// An executor on any backend that has the kernels of `app` loaded, such as the SIMT shim of the tests.
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
        let global = bytemuck::bytes_of(global).to_vec();
        let application =
            CudaApplication::new(backend, description, topology, settings, app, global)?;
        Ok(Self { application })
    }

    /// The number of blocks that a run of so many inputs has.
    ///
    /// # Errors
    /// If not even one block fits the device, or the device fails.
    pub fn blocks(&self, inputs: usize) -> Result<u32, RunError> {
        self.application.blocks(inputs)
    }

    /// Processes all inputs. The order of the outputs is not defined.
    ///
    /// # Errors
    /// If the inputs are of the wrong type, a stage pushes more than it may, or the device fails.
    pub fn run<T: Item>(&self, inputs: &[T]) -> Result<Outputs, RunError> {
        self.run_with(inputs, &mut |_| ControlFlow::Continue(()))
    }

    /// Processes all inputs, and calls `progress` after each launch; [`Settings::slice`] decides how
    /// often that is. The caller breaks to cancel the run.
    ///
    /// # Errors
    /// As [`Self::run`]; [`RunError::Cancelled`] if `progress` breaks.
    pub fn run_with<T: Item>(
        &self,
        inputs: &[T],
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Outputs, RunError> {
        let download = |backend: &B, items: B::Buffer, len: usize| backend.read_staged(&items, len);
        let done = self.run_passes(self.host_input(inputs)?, progress, &download)?;
        let mut outputs = Outputs::new(done.sinks, done.metrics);
        outputs.device_seconds = done.seconds;
        Ok(outputs)
    }

    /// Processes all inputs, and leaves the outputs in the device's memory. Their order is not defined.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<T: Item>(&self, inputs: &[T]) -> Result<DeviceOutputs<'_, B>, RunError> {
        self.run_keeping_outputs(self.host_input(inputs)?)
    }

    /// Processes inputs of type `T` that are in the device's memory, such as the outputs of an application that ran
    /// before, and leaves the outputs there. Their order is not defined.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_device_items<T: Item>(
        &self,
        inputs: &DeviceItems<B>,
    ) -> Result<DeviceOutputs<'_, B>, RunError> {
        self.application.topology.expect_input::<T>()?;
        let location =
            InputLocation::Device(self.application.backend.device_address(&inputs.items));
        self.run_keeping_outputs(RunInput { location, count: inputs.count })
    }

    /// Inputs in the host's memory, whose type is that of the source.
    fn host_input<'a, T: Item>(&self, inputs: &'a [T]) -> Result<RunInput<'a>, RunError> {
        self.application.topology.expect_input::<T>()?;
        Ok(RunInput {
            location: InputLocation::Host(bytemuck::cast_slice(inputs)),
            count: inputs.len(),
        })
    }

    /// Processes all inputs, and leaves the outputs in the device's memory.
    fn run_keeping_outputs(&self, input: RunInput<'_>) -> Result<DeviceOutputs<'_, B>, RunError> {
        let keep = |_: &B, items, len| Ok((items, len));
        let done = self.run_passes(input, &mut |_| ControlFlow::Continue(()), &keep)?;
        let CudaApplication { plan, backend, .. } = &self.application;
        let item_bytes = plan.sinks.iter().map(|sink| sink.item_bytes).collect();
        Ok(DeviceOutputs::new(backend, done.sinks, item_bytes, done.metrics, done.seconds))
    }

    /// Processes all inputs, in one pass over them or, where the [`OutputScheme`] has to count outputs first, in two.
    /// `take` receives the items of each sink.
    fn run_passes<O>(
        &self,
        input: RunInput<'_>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        take: TakeItems<'_, B, O>,
    ) -> Result<PassOutputs<O>, RunError> {
        let application = &self.application;
        let blocks = application.blocks(input.count)?;
        match application.settings.outputs {
            OutputScheme::Regions => {
                let slots = application.region_slots(input.count, blocks);
                let sizes = |sink: usize| SinkSize::Regions(vec![slots[sink]; blocks as usize]);
                let pass = Pass { sizes: self.sink_sizes(sizes), fixed_input: false };
                application.pass(input, blocks, pass, progress, take)
            }
            OutputScheme::Atomics => {
                let slots = application.region_slots(input.count, blocks);
                let sizes =
                    |sink: usize| SinkSize::Shared(u64::from(slots[sink]) * u64::from(blocks));
                let pass = Pass { sizes: self.sink_sizes(sizes), fixed_input: false };
                let first = application.pass(input, blocks, pass, progress, take)?;
                let fits = |(sink, &sent): (usize, &u64)| {
                    sent <= u64::from(slots[sink]) * u64::from(blocks)
                };
                if first.sent.iter().enumerate().all(fits) {
                    Ok(first)
                } else {
                    let sizes = |sink: usize| SinkSize::Shared(first.sent[sink]);
                    let pass = Pass { sizes: self.sink_sizes(sizes), fixed_input: false };
                    let mut second = application.pass(input, blocks, pass, progress, take)?;
                    second.add_earlier_pass(&first);
                    Ok(second)
                }
            }
            OutputScheme::CountThenWrite => {
                let pass =
                    Pass { sizes: self.sink_sizes(|_| SinkSize::Counted), fixed_input: true };
                let first = application.pass(input, blocks, pass, progress, take)?;
                let sinks = application.plan.sinks.len();
                let sizes = |sink: usize| {
                    SinkSize::Exact(
                        first.counts.iter().skip(sink).step_by(sinks).copied().collect(),
                    )
                };
                let pass = Pass { sizes: self.sink_sizes(sizes), fixed_input: true };
                let mut second = application.pass(input, blocks, pass, progress, take)?;
                second.add_earlier_pass(&first);
                Ok(second)
            }
        }
    }

    /// Bytes of an item and the size of each sink.
    fn sink_sizes(&self, size: impl Fn(usize) -> SinkSize) -> Vec<(usize, SinkSize)> {
        let sinks = self.application.plan.sinks.iter().enumerate();
        sinks.map(|(index, sink)| (sink.item_bytes, size(index))).collect()
    }
}
