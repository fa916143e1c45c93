//! Running a topology on the device that was chosen.

use crate::Device;
use crate::stream::{
    CpuExecutor, CudaExecutor, Item, Kernels, Outputs, RunError, Settings, Topology,
};

impl<G: Sync + ?Sized> Topology<'_, G> {
    /// Processes all inputs on `device`: on the CPU by the stages' Rust code in the current rayon
    /// pool, on a GPU by `kernels`. There, `global` are the application's parameters, and they are
    /// the topology's own or hold addresses of device memory instead of slices. The order of the
    /// outputs is not defined.
    ///
    /// # Errors
    /// If the topology, the settings or the inputs' type are refused, the kernels were built for
    /// other modules, a stage pushes more than it may, or the device fails.
    pub fn run<T: Item>(
        &self,
        device: &Device,
        settings: &Settings,
        kernels: &Kernels,
        global: &impl Item,
        inputs: &[T],
    ) -> Result<Outputs, RunError> {
        match device {
            Device::Cpu => CpuExecutor::new(self, settings)?.run(inputs),
            Device::Cuda(gpu) => {
                CudaExecutor::new(gpu, self, settings, kernels, global)?.run(inputs)
            }
        }
    }
}
