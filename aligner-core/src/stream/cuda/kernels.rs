//! The kernels of an application: loading them, and asking them what they were compiled for.

use super::backend::{Backend, CudaBackend, Launch};
use super::describe::{KernelDescription, ROOM};
use super::tables::DescribeParameters;
use crate::gpu::{DeviceStruct, Gpu};
use crate::stream::RunError;

/// The compiled kernels of an application, made by `STREAM_APP(name, ...)`.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    /// Name that was given to `STREAM_APP`.
    pub name: &'static str,
    /// Contents of the fatbin: of `cargo xtask kernels`, or of `stream-build` outside gpualign's workspace.
    pub fatbin: &'static [u8],
}

/// The kernels of an application, loaded on a device, with the description of the stages that they were compiled for.
#[derive(Debug, Clone)]
pub struct LoadedKernels<B = CudaBackend> {
    pub(super) backend: B,
    pub(super) app: &'static str,
    pub(super) width: u32,
    pub(super) description: KernelDescription,
}

impl<B: Backend> LoadedKernels<B> {
    /// Takes the kernels of `app` from a backend that has loaded them, for ensembles of `width` items.
    ///
    /// # Errors
    /// If the device fails, or there are no kernels of this application.
    pub fn with_backend(backend: B, app: &'static str, width: u32) -> Result<Self, RunError> {
        let description = describe_kernel(&backend, app, width)?;
        Ok(Self { backend, app, width, description })
    }
}

impl LoadedKernels {
    /// Gives the same kernels for another stream of the GPU ([`Gpu::with_own_stream`]).
    #[must_use]
    pub fn on(&self, gpu: &Gpu) -> Self {
        Self { backend: self.backend.on(gpu), ..self.clone() }
    }
}

impl Kernels {
    /// Loads the kernels on a GPU, for ensembles of `width` items.
    ///
    /// # Errors
    /// If the device fails, or the fatbin has no kernels of this application.
    pub fn load(&self, gpu: &Gpu, width: u32) -> Result<LoadedKernels, RunError> {
        LoadedKernels::with_backend(
            CudaBackend::new(gpu, self.name, self.fatbin)?,
            self.name,
            width,
        )
    }
}

/// Runs an application's describe kernel, which tells the stages that the application was compiled for.
#[allow(unsafe_code)]
pub(super) fn describe_kernel<B: Backend>(
    backend: &B,
    app: &str,
    width: u32,
) -> Result<KernelDescription, RunError> {
    let words = backend.zeros(ROOM * 4)?;
    let kernel = format!("{app}_describe");
    let parameters =
        DescribeParameters { words: backend.device_address(&words), capacity: ROOM as u32, width };
    let launch =
        Launch { kernel: &kernel, blocks: 1, width: 32, shared: 0, parameters: parameters.bytes() };
    // SAFETY: the parameter is that of `APP_describe`, and the buffer has room for as many words as it says.
    unsafe { backend.launch(&launch) }?;
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&backend.read(&words, ROOM * 4)?);
    KernelDescription::parse(&words).ok_or_else(|| RunError::Kernel {
        kernel: app.to_owned(),
        reason: "its describe kernel gives no description".to_owned(),
    })
}
