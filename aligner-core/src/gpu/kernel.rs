//! Compiled kernels and their launches.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaFunction, CudaModule, DeviceRepr, result};
use cudarc::nvrtc::Ptx;

use super::context::Gpu;
use super::device_struct::DeviceStruct;
use super::driver_error::failed;
use crate::buffer_pool::lock;
use crate::error::DeviceError;

/// The kernels of a fatbin, loaded on a GPU.
#[derive(Debug, Clone)]
pub struct Module(Arc<LoadedFatbin>);

/// A fatbin that was loaded on a GPU.
struct LoadedFatbin {
    fatbin: &'static [u8],
    module: Arc<CudaModule>,
    name: &'static str,
    /// The kernels that were looked up, by name. Looking one up in the driver takes 0.6 ms on average where twenty threads use a GPU.
    functions: Mutex<BTreeMap<String, CudaFunction>>,
    /// The turn to say how much dynamic shared memory launches of its kernels may use.
    allowing: Mutex<()>,
}

impl fmt::Debug for LoadedFatbin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedFatbin").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The modules of a GPU.
#[derive(Clone, Default)]
pub(super) struct LoadedModules(Arc<Mutex<Vec<Module>>>);

/// One kernel of a [`Module`].
#[derive(Debug, Clone)]
pub struct Kernel {
    function: CudaFunction,
    gpu: Gpu,
    name: String,
    module: Module,
}

impl Gpu {
    /// Loads a fatbin made by `cargo xtask kernels`; `name` appears in errors. It is loaded once and stays as long as the GPU is open:
    /// unloading it would wait for its kernels, and other calls of the driver would wait for that.
    ///
    /// # Errors
    /// If the driver refuses it.
    pub fn load(&self, name: &'static str, fatbin: &'static [u8]) -> Result<Module, DeviceError> {
        let mut modules = lock(&self.modules.0);
        if let Some(module) = modules.iter().find(|module| module.0.fatbin == fatbin) {
            return Ok(module.clone());
        }
        let module = self
            .context
            .load_module(Ptx::from_binary(fatbin.to_vec()))
            .map_err(failed(&format!("loading kernels '{name}'")))?;
        let (functions, allowing) = (Mutex::default(), Mutex::default());
        let loaded = LoadedFatbin { fatbin, module, name, functions, allowing };
        let module = Module(Arc::new(loaded));
        modules.push(module.clone());
        Ok(module)
    }
}

impl Module {
    /// Finds a kernel by its name in the source. The driver is asked once for each name.
    ///
    /// # Errors
    /// If the module has none of that name.
    pub fn kernel(&self, gpu: &Gpu, name: &str) -> Result<Kernel, DeviceError> {
        let LoadedFatbin { module, name: of_fatbin, functions, .. } = &*self.0;
        let mut functions = lock(functions);
        let function = if let Some(function) = functions.get(name) {
            function.clone()
        } else {
            gpu.bind()?;
            let function = module
                .load_function(name)
                .map_err(failed(&format!("finding kernel '{name}' in '{of_fatbin}'")))?;
            functions.insert(name.to_owned(), function.clone());
            function
        };
        Ok(Kernel { function, gpu: gpu.clone(), name: name.to_owned(), module: self.clone() })
    }
}

impl Kernel {
    /// Launches a kernel that takes one struct, by value: `blocks` blocks of `threads` threads with `shared` bytes of
    /// dynamic shared memory, after all earlier work on the stream.
    ///
    /// # Errors
    /// If the driver refuses the launch. A failure inside the kernel is reported by the next call that waits.
    ///
    /// # Safety
    /// `P` must be the kernel's parameter, and each array that it points to as long as the kernel's contract says and
    /// alive until the kernel has ended.
    #[allow(unsafe_code)]
    pub unsafe fn launch<P: DeviceStruct + DeviceRepr>(
        &self,
        blocks: u32,
        threads: u32,
        shared: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        // SAFETY: the bytes are those of the kernel's parameter, and the caller vouches for the arrays.
        unsafe { self.launch_bytes(blocks, threads, shared, bytemuck::bytes_of(parameters)) }
    }

    /// Launches a kernel that takes one struct, by value, of which `parameters` are the bytes; as
    /// [`Kernel::launch`].
    ///
    /// # Errors
    /// If the driver refuses the launch.
    ///
    /// # Safety
    /// Has the contract of [`Kernel::launch`], for the bytes of the parameters.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn launch_bytes(
        &self,
        blocks: u32,
        threads: u32,
        shared: u32,
        parameters: &[u8],
    ) -> Result<(), DeviceError> {
        self.gpu.bind()?;
        // The driver reads the bytes during the call, and does not write to them.
        let mut parameters = [parameters.as_ptr().cast_mut().cast::<c_void>()];
        let (function, stream) = (self.function.cu_function(), self.gpu.stream.cu_stream());
        let (grid, block) = ((blocks, 1, 1), (threads, 1, 1));
        // SAFETY: function and stream are of the GPU that is bound; the caller vouches for the parameters.
        unsafe { result::launch_kernel(function, grid, block, shared, stream, &mut parameters) }
            .map_err(failed(&format!("launching '{}'", self.name)))
    }

    /// Allows launches to use up to `bytes` bytes of dynamic shared memory. Needed above 48 KiB. Threads that use the same kernel may
    /// need different amounts, so what was allowed stays allowed.
    ///
    /// # Errors
    /// If the device has less shared memory.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), DeviceError> {
        use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as ALLOWED;
        let what = format!("giving '{}' {bytes} bytes of shared memory", self.name);
        let _turn = lock(&self.module.0.allowing);
        self.gpu.bind()?;
        let allowed = self.function.get_attribute(ALLOWED).map_err(failed(&what))?;
        if allowed < bytes as i32 {
            self.function.set_attribute(ALLOWED, bytes as i32).map_err(failed(&what))?;
        }
        Ok(())
    }

    /// Number of blocks of `threads` threads, with `shared` bytes of dynamic shared memory each, that one
    /// multiprocessor holds at a time.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn blocks_per_multiprocessor(
        &self,
        threads: u32,
        shared: usize,
    ) -> Result<u32, DeviceError> {
        self.gpu.bind()?;
        self.function
            .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)
            .map_err(failed("asking for a kernel's occupancy"))
    }
}
