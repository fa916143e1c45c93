//! The SIMT shim as a backend, for code that launches kernels on a GPU.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, Launch};

use crate::{Argument, Module};

/// Kernels compiled for the shim, with host memory as device memory.
#[derive(Debug, Clone)]
pub struct ShimBackend {
    module: Arc<Module>,
    /// Seed of the order of threads.
    seed: u64,
    /// Bytes of the largest buffer that there is memory for.
    largest: usize,
}

impl ShimBackend {
    /// The kernels of a module, run in the order that `seed` gives.
    pub fn new(module: Module, seed: u64) -> Self {
        Self { module: Arc::new(module), seed, largest: usize::MAX }
    }

    /// The backend, which has no memory for buffers of more than so many bytes.
    #[must_use]
    pub fn with_largest_buffer(self, bytes: usize) -> Self {
        Self { largest: bytes, ..self }
    }

    /// Whether there is memory for a buffer.
    fn check(&self, bytes: usize) -> Result<(), DeviceError> {
        if bytes <= self.largest {
            Ok(())
        } else {
            Err(DeviceError::OutOfMemory(Some(bytes as u64)))
        }
    }
}

/// Content of "device" memory before it is written, and of the word behind the end of each buffer.
const POISON: u64 = 0xDEAD_BEEF_DEAD_BEEF;

/// Host memory that takes the place of device memory, aligned to 16 bytes.
#[derive(Debug)]
pub struct HostBuffer {
    /// The memory in units of 16 bytes, for the alignment, and a last unit that kernels must not touch.
    words: Vec<u128>,
    bytes: usize,
}

fn failed(operation: &str, reason: &impl ToString) -> DeviceError {
    DeviceError::Cuda { operation: operation.to_owned(), reason: reason.to_string() }
}

impl Backend for ShimBackend {
    type Buffer = HostBuffer;

    fn zeros(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.check(bytes)?;
        let mut words = vec![0; bytes.div_ceil(16)];
        words.push(u128::from(POISON));
        Ok(HostBuffer { words, bytes })
    }

    fn uninitialized(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.check(bytes)?;
        let words = vec![u128::from(POISON) << 64 | u128::from(POISON); bytes.div_ceil(16)];
        let mut buffer = HostBuffer { words, bytes };
        buffer.words.push(u128::from(POISON));
        Ok(buffer)
    }

    fn address(&self, buffer: &HostBuffer) -> u64 {
        buffer.words.as_ptr().expose_provenance() as u64
    }

    fn write(&self, buffer: &mut HostBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        let memory = bytemuck::cast_slice_mut(&mut buffer.words);
        memory[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn copy(
        &self,
        from: &HostBuffer,
        len: usize,
        to: &mut HostBuffer,
        at: usize,
    ) -> Result<(), DeviceError> {
        assert!(len <= from.bytes && at + len <= to.bytes, "copies {len} bytes to {at}");
        let from: &[u8] = bytemuck::cast_slice(&from.words);
        bytemuck::cast_slice_mut(&mut to.words)[at..at + len].copy_from_slice(&from[..len]);
        Ok(())
    }

    fn read(&self, buffer: &HostBuffer, len: usize) -> Result<Vec<u8>, DeviceError> {
        assert!(len <= buffer.bytes, "reads {len} of {} bytes", buffer.bytes);
        assert_eq!(
            buffer.words.last(),
            Some(&u128::from(POISON)),
            "a kernel wrote beyond its buffer"
        );
        Ok(bytemuck::cast_slice(&buffer.words)[..len].to_vec())
    }

    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<f64, DeviceError> {
        let kernel =
            self.module.kernel(launch.kernel).map_err(|e| failed("finding a kernel", &e))?;
        let arguments = [Argument::bytes(launch.parameters)];
        let shape = crate::Launch::new(launch.blocks, launch.width)
            .shared(u64::from(launch.shared))
            .seed(self.seed);
        // SAFETY: the caller vouches for the arguments.
        unsafe { kernel.launch(&shape, &arguments) }
            .map_err(|e| failed("launching a kernel", &e))?;
        Ok(0.0)
    }

    fn resident_blocks(&self, _: &str, _: u32, _: u32) -> Result<u32, DeviceError> {
        Ok(4)
    }
}
