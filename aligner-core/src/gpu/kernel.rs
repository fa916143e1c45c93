//! Compiled kernels and their launches.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, DeviceRepr, LaunchConfig, PushKernelArg, result};
use cudarc::nvrtc::Ptx;

use super::buffer::DeviceBuffer;
use super::context::Gpu;
use super::device_struct::DeviceStruct;
use super::driver_error::failed;
use crate::error::DeviceError;

/// The kernels of a fatbin, loaded on a GPU.
#[derive(Debug, Clone)]
pub struct Module {
    module: Arc<CudaModule>,
    name: &'static str,
}

/// One kernel of a [`Module`].
#[derive(Debug, Clone)]
pub struct Kernel {
    function: CudaFunction,
    gpu: Gpu,
    name: String,
}

impl Gpu {
    /// Loads a fatbin made by `cargo xtask kernels`; `name` appears in errors.
    ///
    /// # Errors
    /// If the driver refuses it.
    pub fn load(&self, name: &'static str, fatbin: &[u8]) -> Result<Module, DeviceError> {
        let module = self
            .context
            .load_module(Ptx::from_binary(fatbin.to_vec()))
            .map_err(failed(&format!("loading kernels '{name}'")))?;
        Ok(Module { module, name })
    }
}

impl Module {
    /// Finds a kernel by its name in the source.
    ///
    /// # Errors
    /// If the module has none of that name.
    pub fn kernel(&self, gpu: &Gpu, name: &str) -> Result<Kernel, DeviceError> {
        gpu.bind()?;
        let function = self
            .module
            .load_function(name)
            .map_err(failed(&format!("finding kernel '{name}' in '{}'", self.name)))?;
        Ok(Kernel { function, gpu: gpu.clone(), name: name.to_owned() })
    }
}

/// One argument of a launch by [`Kernel::launch`].
pub enum Argument<'a> {
    /// A device array, passed as its address.
    Buffer(&'a dyn Address),
    /// A number of 32 bits, passed by value.
    U32(u32),
    /// A number of 64 bits, passed by value.
    U64(u64),
}

/// A device array of any element type.
pub trait Address {
    /// Address of the first element on the device.
    fn address(&self, gpu: &Gpu) -> u64;
}

impl<T: DeviceRepr> Address for DeviceBuffer<T> {
    fn address(&self, gpu: &Gpu) -> u64 {
        use cudarc::driver::DevicePtr;
        // Event tracking is off and there is one stream, so the guard has nothing to record.
        self.slice.device_ptr(&gpu.stream).0
    }
}

impl Kernel {
    /// Launches `blocks` blocks of `threads` threads with `shared` bytes of dynamic shared memory,
    /// after all earlier work on the stream.
    ///
    /// # Errors
    /// If the driver refuses the launch. A failure inside the kernel is reported by the next call that waits.
    ///
    /// # Safety
    /// The arguments must be those of the kernel, in number, order and type, and every array as
    /// long as the kernel's contract says.
    #[allow(unsafe_code)]
    pub unsafe fn launch(
        &self,
        blocks: u32,
        threads: u32,
        shared: u32,
        arguments: &[Argument<'_>],
    ) -> Result<(), DeviceError> {
        enum Value {
            Word(u32),
            Long(u64),
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(buffer) => Value::Long(buffer.address(&self.gpu)),
                Argument::U32(number) => Value::Word(*number),
                Argument::U64(number) => Value::Long(*number),
            })
            .collect();
        let mut builder = self.gpu.stream.launch_builder(&self.function);
        for value in &values {
            match value {
                Value::Word(number) => builder.arg(number),
                Value::Long(number) => builder.arg(number),
            };
        }
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: shared,
        };
        // SAFETY: the caller vouches for arguments and lengths.
        unsafe { builder.launch(config) }
            .map_err(failed(&format!("launching '{}'", self.name)))
            .map(drop)
    }

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
    pub unsafe fn launch_with<P: DeviceStruct + DeviceRepr>(
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
    /// [`Kernel::launch_with`].
    ///
    /// # Errors
    /// If the driver refuses the launch.
    ///
    /// # Safety
    /// As [`Kernel::launch_with`].
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

    /// Allows launches to use `bytes` bytes of dynamic shared memory. Needed above 48 KiB.
    ///
    /// # Errors
    /// If the device has less shared memory.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), DeviceError> {
        use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.gpu.bind()?;
        self.function
            .set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)
            .map_err(failed(&format!("giving '{}' {bytes} bytes of shared memory", self.name)))
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
