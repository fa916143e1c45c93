//! NVIDIA GPUs: memory, copies, kernels and streams. The only user of `cudarc`.
//!
//! A [`Gpu`] has a context and one stream. Every copy, fill and launch goes to that stream, and they run in order. For
//! work at the same time, such as copies during a kernel, [`Gpu::with_own_stream`] gives the same GPU with a second
//! stream; then the host waits for an [`Event`] of one stream before it lets the other use the results. `cudarc`'s
//! tracking of events is off, since it costs 1.2 us a launch. Any host thread may drive a GPU, but one at a time.
//!
//! | module | concept |
//! |---|---|
//! | `buffer` | arrays in device memory and in page-locked host memory, and copies between them |
//! | `pool` | the driver's memory pool, which keeps freed memory for the next buffers |
//! | `upload_staging`, `download_staging` | page-locked staging buffers for copies to and from the device |
//! | `event` | events and second streams |
//! | `kernel` | loading kernels and launching them |
//! | `device_struct` | structs that host and kernels share, declared once |

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

/// Name, size and free memory of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Number of the device, as in `cuda:N`.
    pub ordinal: usize,
    /// Name of the device, for example `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// Number of streaming multiprocessors.
    pub multiprocessors: i32,
    /// Size of the device memory, in bytes.
    pub total_memory: u64,
    /// Free device memory, in bytes.
    pub free_memory: u64,
    /// CUDA version of the driver, for example `(13, 0)`.
    pub driver: (i32, i32),
}

/// An opened GPU with a stream. Clones share the context, the stream and the staging buffers.
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

/// Turns an error of the driver into one that names the operation that failed.
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

/// Number of GPUs of this machine, at least 1.
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

/// Describes the GPU of this number.
///
/// # Errors
/// If it does not exist, or the driver fails.
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
        // SAFETY: the work of a `Gpu` goes to its one stream, in order; before a second stream uses a buffer,
        // the host waits for the first (see `event.rs`).
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

    /// Number of the device, as in `cuda:N`.
    pub fn ordinal(&self) -> usize {
        self.description.ordinal
    }

    /// Name of the device, for example `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Number of streaming multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.description.multiprocessors as u32
    }

    /// Size of the device memory, in bytes.
    pub fn total_memory(&self) -> u64 {
        self.description.total_memory
    }

    /// Device memory that buffers may still be made of, in bytes: free memory, and memory that the pool keeps unused.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn free_memory(&self) -> Result<u64, DeviceError> {
        let (free, _) = self.context.mem_get_info().map_err(failed("asking for free memory"))?;
        Ok(free as u64 + self.pool.spare()?)
    }

    /// Runs `work`, waits for the device, and returns the seconds that the device took, measured by CUDA events.
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

    /// Makes the GPU's context current in the calling thread, for calls of `cudarc` that do not do so themselves.
    fn bind(&self) -> Result<(), DeviceError> {
        self.context.bind_to_thread().map_err(failed("turning to the device"))
    }

    /// Waits until all work on the stream is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream.synchronize().map_err(failed("waiting for the device"))
    }
}
