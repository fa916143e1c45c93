//! One NVIDIA GPU: its stream, modules, buffers and launches.
//!
//! A [`Gpu`] owns a context and one stream that it made itself; every copy, fill and launch goes to
//! that stream, in order ([`Gpu::with_own_stream`] gives a second one, for copies). Event tracking of `cudarc`
//! is off, since one stream needs none and it costs 1.2 us a launch. Any host thread may drive a GPU,
//! but one at a time.

mod buffer;
mod device_struct;
mod download_staging;
mod event;
mod kernel;
mod pool;
mod upload_staging;

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, DriverError, sys};

pub use buffer::{DeviceBuffer, PinnedBuffer};
pub use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
pub use device_struct::{DeviceAddress, DeviceStruct, FieldLayout, LayoutHeader, StructLayout};
pub use download_staging::StagedDownload;
pub use event::Event;
pub use kernel::{Address, Argument, Kernel, Module};

use self::download_staging::DownloadStaging;
use self::pool::Pool;
use self::upload_staging::UploadStaging;

use crate::error::DeviceError;

/// What `gpualign devices` says of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its number, as in `cuda:N`.
    pub ordinal: usize,
    /// Its name, for example `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// Streaming multiprocessors.
    pub multiprocessors: i32,
    /// All device memory, in bytes.
    pub total_memory: u64,
    /// Free device memory, in bytes.
    pub free_memory: u64,
    /// CUDA version of the driver, for example `(13, 0)`.
    pub driver: (i32, i32),
}

/// An opened GPU. Clones share the context and the stream.
#[derive(Clone)]
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    description: Description,
    upload_staging: UploadStaging,
    download_staging: DownloadStaging,
    pool: Pool,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("description", &self.description).finish_non_exhaustive()
    }
}

/// Says what was being done when the driver failed.
pub(crate) fn failed(operation: &str) -> impl FnOnce(DriverError) -> DeviceError + '_ {
    move |error| {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return DeviceError::OutOfMemory(None);
        }
        let reason = error
            .error_string()
            .map_or_else(|_| format!("{:?}", error.0), |text| text.to_string_lossy().into_owned());
        DeviceError::Cuda { operation: operation.to_owned(), reason }
    }
}

/// How many GPUs this machine has; at least one.
///
/// # Errors
/// If the driver is missing, fails, or reports none.
pub fn count() -> Result<usize, DeviceError> {
    #[allow(unsafe_code)]
    // SAFETY: only tries to load the driver library; cudarc itself loads the same one afterwards.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(DeviceError::NoDriver);
    }
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count as usize),
        Ok(_) | Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Err(DeviceError::NoDevice),
        Err(error) => Err(failed("counting devices")(error)),
    }
}

/// Describes one GPU.
///
/// # Errors
/// If it does not exist or cannot be asked.
pub fn describe(ordinal: usize) -> Result<Description, DeviceError> {
    let count = count()?;
    if ordinal >= count {
        return Err(DeviceError::NoSuchDevice { asked: ordinal, count });
    }
    let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
    describe_context(&context)
}

fn describe_context(context: &Arc<CudaContext>) -> Result<Description, DeviceError> {
    let asking = || failed("asking the device");
    let (free, total) = context.mem_get_info().map_err(asking())?;
    let mut version = 0;
    #[allow(unsafe_code)]
    // SAFETY: writes one integer to a valid address.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    if status != sys::CUresult::CUDA_SUCCESS {
        return Err(asking()(DriverError(status)));
    }
    Ok(Description {
        ordinal: context.ordinal(),
        name: context.name().map_err(asking())?,
        compute_capability: context.compute_capability().map_err(asking())?,
        multiprocessors: context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(asking())?,
        total_memory: total as u64,
        free_memory: free as u64,
        driver: (version / 1000, version % 1000 / 10),
    })
}

impl Gpu {
    /// Opens the GPU of this number.
    ///
    /// # Errors
    /// If there is no driver, no such device, or it cannot be opened.
    pub fn open(ordinal: usize) -> Result<Self, DeviceError> {
        let count = count()?;
        if ordinal >= count {
            return Err(DeviceError::NoSuchDevice { asked: ordinal, count });
        }
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        #[allow(unsafe_code)]
        // SAFETY: the work of a `Gpu` goes to its one stream, in order; between it and one beside it
        // the host hands buffers over, after waiting (see `beside.rs`).
        unsafe {
            context.disable_event_tracking();
        }
        let stream = context.new_stream().map_err(failed("making a stream"))?;
        let description = describe_context(&context)?;
        let pool = Pool::keeping(&context)?;
        let (upload_staging, download_staging) =
            (UploadStaging::default(), DownloadStaging::default());
        Ok(Self { context, stream, description, upload_staging, download_staging, pool })
    }

    /// The device's number.
    pub fn ordinal(&self) -> usize {
        self.description.ordinal
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Streaming multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.description.multiprocessors as u32
    }

    /// All device memory, in bytes.
    pub fn total_memory(&self) -> u64 {
        self.description.total_memory
    }

    /// Free device memory now, in bytes: what buffers may be made of.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn free_memory(&self) -> Result<u64, DeviceError> {
        let (free, _) = self.context.mem_get_info().map_err(failed("asking for free memory"))?;
        Ok(free as u64 + self.pool.spare()?)
    }

    /// Does `work`, waits for it, and gives the seconds that the device took, by its own events.
    ///
    /// # Errors
    /// If the work, or anything before it on the stream, fails.
    pub fn timed(
        &self,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<f64, DeviceError> {
        let timing = || failed("timing");
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let begin = self.stream.record_event(flags).map_err(timing())?;
        work()?;
        let end = self.stream.record_event(flags).map_err(timing())?;
        self.synchronize()?;
        let milliseconds = begin.elapsed_ms(&end).map_err(timing())?;
        Ok(f64::from(milliseconds) / 1e3)
    }

    /// Makes this GPU that of the calling thread, for those calls of `cudarc` that do not themselves.
    fn bind(&self) -> Result<(), DeviceError> {
        self.context.bind_to_thread().map_err(failed("turning to the device"))
    }

    /// Waits until everything given to the stream is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream.synchronize().map_err(failed("waiting for the device"))
    }
}
