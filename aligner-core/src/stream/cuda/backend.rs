//! Backends: a GPU or, in tests, the SIMT shim. The code that launches kernels is the same for both.

use crate::error::DeviceError;
use crate::gpu::{DeviceAddress, DeviceBuffer, Gpu, Module, UploadBuffer};
use crate::stream::Bytes;

/// A device on which the kernels of one file are loaded.
pub trait Backend {
    /// An array of bytes in device memory, freed when dropped.
    type Buffer;

    /// Allocates an array of `bytes` zeros.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or a failure of the device.
    fn zeros(&self, bytes: usize) -> Result<Self::Buffer, DeviceError>;

    /// Allocates `bytes` bytes of unspecified contents, which must be written before they are read.
    ///
    /// # Errors
    /// As [`Backend::zeros`].
    fn uninitialized(&self, bytes: usize) -> Result<Self::Buffer, DeviceError>;

    /// The address of a buffer on the device, as a number.
    fn address(&self, buffer: &Self::Buffer) -> u64;

    /// The address of a buffer on the device, as a kernel's pointer to an array of `T`. The buffer must outlive the
    /// kernel.
    fn device_address<T>(&self, buffer: &Self::Buffer) -> DeviceAddress<T> {
        DeviceAddress::new(self.address(buffer))
    }

    /// Copies `bytes` to the front of a buffer.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&self, buffer: &mut Self::Buffer, bytes: &[u8]) -> Result<(), DeviceError>;

    /// An upload buffer of `bytes` bytes, all 0, from which [`Self::write_upload`] copies faster than [`Self::write`] does from other
    /// memory.
    ///
    /// # Errors
    /// If there is not so much memory.
    fn upload_buffer(&self, bytes: usize) -> Result<UploadBuffer, DeviceError> {
        Ok(vec![0; bytes].into())
    }

    /// Copies the first `len` bytes of an upload buffer to the front of a buffer.
    ///
    /// # Errors
    /// If the device fails.
    fn write_upload(
        &self,
        upload: &mut UploadBuffer,
        len: usize,
        buffer: &mut Self::Buffer,
    ) -> Result<(), DeviceError> {
        self.write(buffer, &upload.bytes()[..len])
    }

    /// Waits until the device has done all that this backend began. A backend's own kernels and copies follow each other anyway; those of
    /// another backend of the same device wait for none of them.
    ///
    /// # Errors
    /// If the device, or a kernel launched before, fails.
    fn wait(&self) -> Result<(), DeviceError> {
        // All is done when a call returns, unless a backend says otherwise.
        Ok(())
    }

    /// Copies the first `len` bytes of a buffer into another, from its byte `at` on.
    ///
    /// # Errors
    /// If the device fails.
    fn copy(
        &self,
        from: &Self::Buffer,
        len: usize,
        to: &mut Self::Buffer,
        at: usize,
    ) -> Result<(), DeviceError>;

    /// Allocates a buffer with these bytes.
    ///
    /// # Errors
    /// As [`Backend::zeros`].
    fn upload(&self, bytes: &[u8]) -> Result<Self::Buffer, DeviceError> {
        let mut buffer = self.uninitialized(bytes.len())?;
        self.write(&mut buffer, bytes)?;
        Ok(buffer)
    }

    /// Copies the first `len` bytes of a buffer to the host, after all earlier launches.
    ///
    /// # Errors
    /// If the device, or a kernel launched before, fails.
    fn read(&self, buffer: &Self::Buffer, len: usize) -> Result<Vec<u8>, DeviceError>;

    /// Fills `bytes` with the first bytes of a buffer, after all earlier launches.
    ///
    /// # Errors
    /// As [`Backend::read`].
    fn read_into(&self, buffer: &Self::Buffer, bytes: &mut [u8]) -> Result<(), DeviceError> {
        bytes.copy_from_slice(&self.read(buffer, bytes.len())?);
        Ok(())
    }

    /// Copies the first `len` bytes of a buffer to a page-locked staging buffer, where they stay: for large copies,
    /// which [`Backend::read`] would copy a second time.
    ///
    /// # Errors
    /// As [`Backend::read`].
    fn read_staged(&self, buffer: &Self::Buffer, len: usize) -> Result<Bytes, DeviceError> {
        self.read(buffer, len).map(Bytes::Owned)
    }

    /// Launches a kernel, waits for it, and returns the seconds that it took.
    ///
    /// # Errors
    /// If there is no such kernel, or the launch or the kernel fails.
    ///
    /// # Safety
    /// The parameters must be those of the kernel, and each array that they point to must be as long as the kernel's
    /// contract says.
    #[allow(unsafe_code)]
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<f64, DeviceError>;

    /// Launches a kernel and returns at once; later work on the device waits for it there. So kernels follow each other
    /// without delay by the host.
    ///
    /// # Errors
    /// If there is no such kernel, or the launch fails. A failure of the kernel is reported by the next call that
    /// waits, such as [`Backend::read`].
    ///
    /// # Safety
    /// As [`Backend::launch`]. A buffer of this backend may be dropped at once, since its memory is freed after the
    /// kernel; a buffer of another backend must live until a call has waited.
    #[allow(unsafe_code)]
    unsafe fn enqueue(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.launch(launch) }.map(drop)
    }

    /// Number of blocks of `width` threads, with `shared` bytes of dynamic shared memory each, that the device runs at
    /// a time. On a GPU, also allows the kernel to use so much shared memory.
    ///
    /// # Errors
    /// If there is no such kernel, or the device fails.
    fn resident_blocks(&self, kernel: &str, width: u32, shared: u32) -> Result<u32, DeviceError>;
}

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Name of the kernel.
    pub kernel: &'a str,
    /// Number of blocks of the grid.
    pub blocks: u32,
    /// Number of threads of a block.
    pub width: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u32,
    /// Bytes of the struct that the kernel takes by value as its only parameter:
    /// [`DeviceStruct::bytes`](crate::gpu::DeviceStruct::bytes).
    pub parameters: &'a [u8],
}

/// A GPU on which the kernels of one file are loaded.
#[derive(Debug, Clone)]
pub struct CudaBackend {
    gpu: Gpu,
    module: Module,
}

impl CudaBackend {
    /// Loads the kernels of a fatbin; `name` stands for the file in errors.
    ///
    /// # Errors
    /// If the driver refuses it.
    pub fn new(gpu: &Gpu, name: &'static str, fatbin: &'static [u8]) -> Result<Self, DeviceError> {
        Ok(Self { gpu: gpu.clone(), module: gpu.load(name, fatbin)? })
    }

    /// The GPU on which the kernels are loaded.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Gives the same kernels for another stream of the GPU ([`Gpu::with_own_stream`]).
    #[must_use]
    pub fn on(&self, gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), module: self.module.clone() }
    }
}

impl Backend for CudaBackend {
    type Buffer = DeviceBuffer<u8>;

    fn zeros(&self, bytes: usize) -> Result<DeviceBuffer<u8>, DeviceError> {
        self.gpu.zeros(bytes)
    }

    fn uninitialized(&self, bytes: usize) -> Result<DeviceBuffer<u8>, DeviceError> {
        self.gpu.uninitialized(bytes)
    }

    fn address(&self, buffer: &DeviceBuffer<u8>) -> u64 {
        buffer.device_address(&self.gpu).get()
    }

    fn write(&self, buffer: &mut DeviceBuffer<u8>, bytes: &[u8]) -> Result<(), DeviceError> {
        self.gpu.copy_to(bytes, buffer)
    }

    fn upload_buffer(&self, bytes: usize) -> Result<UploadBuffer, DeviceError> {
        self.gpu.upload_buffer(bytes)
    }

    fn write_upload(
        &self,
        upload: &mut UploadBuffer,
        len: usize,
        buffer: &mut DeviceBuffer<u8>,
    ) -> Result<(), DeviceError> {
        self.gpu.copy_upload(upload, len, buffer)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.gpu.synchronize()
    }

    fn copy(
        &self,
        from: &DeviceBuffer<u8>,
        len: usize,
        to: &mut DeviceBuffer<u8>,
        at: usize,
    ) -> Result<(), DeviceError> {
        self.gpu.copy_on_device(from, len, to, at)
    }

    fn read(&self, buffer: &DeviceBuffer<u8>, len: usize) -> Result<Vec<u8>, DeviceError> {
        self.gpu.download(buffer, len)
    }

    fn read_into(&self, buffer: &DeviceBuffer<u8>, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.gpu.download_into(buffer, bytes)
    }

    fn read_staged(&self, buffer: &DeviceBuffer<u8>, len: usize) -> Result<Bytes, DeviceError> {
        self.gpu.download_staged(buffer, len).map(Bytes::StagedDownload)
    }

    #[allow(unsafe_code)]
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<f64, DeviceError> {
        // SAFETY: as the caller promises.
        self.gpu.timed(|| unsafe { self.enqueue(launch) })
    }

    #[allow(unsafe_code)]
    unsafe fn enqueue(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let kernel = self.module.kernel(&self.gpu, launch.kernel)?;
        // SAFETY: the caller vouches for the parameters.
        unsafe {
            kernel.launch_bytes(launch.blocks, launch.width, launch.shared, launch.parameters)
        }
    }

    fn resident_blocks(&self, kernel: &str, width: u32, shared: u32) -> Result<u32, DeviceError> {
        let kernel = self.module.kernel(&self.gpu, kernel)?;
        kernel.allow_shared(shared)?;
        let each = kernel.blocks_per_multiprocessor(width, shared as usize)?;
        Ok(each * self.gpu.multiprocessors())
    }
}
