//! An opened GPU: its context and stream.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys};

use super::description::{Description, count, describe_context};
use super::driver_error::failed;
use super::event::{Event, EventPool};
use super::kernel::LoadedModules;
use super::pool::Pool;
use super::staging::{DownloadStaging, UploadStaging};
use crate::error::DeviceError;

/// An opened GPU with a stream. Clones share the context, the stream, the staging buffers, the event pool and the loaded
/// kernels.
#[derive(Clone)]
pub struct Gpu {
    pub(super) context: Arc<CudaContext>,
    pub(super) stream: Arc<CudaStream>,
    description: Description,
    pub(super) upload_staging: UploadStaging,
    pub(super) download_staging: DownloadStaging,
    pub(super) modules: LoadedModules,
    event_pool: EventPool,
    pool: Pool,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("description", &self.description).finish_non_exhaustive()
    }
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
        // Whoever waits for the GPU leaves the processor to other threads: these limit most runs, and the GPU does not.
        context.set_blocking_synchronize().map_err(failed("opening the device"))?;
        let stream = context.new_stream().map_err(failed("making a stream"))?;
        let description = describe_context(&context)?;
        let pool = Pool::keeping(&context)?;
        Ok(Self {
            context,
            stream,
            description,
            upload_staging: UploadStaging::default(),
            download_staging: DownloadStaging::default(),
            modules: LoadedModules::default(),
            event_pool: EventPool::default(),
            pool,
        })
    }

    /// Number of the device, as in `cuda:N`.
    pub fn ordinal(&self) -> usize {
        self.description.ordinal
    }

    /// Name of the device, for example `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Compute capability of the device, major and minor.
    pub fn compute_capability(&self) -> (i32, i32) {
        self.description.compute_capability
    }

    /// Number of streaming multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.description.multiprocessors as u32
    }

    /// The most shared memory that a kernel can have for each block, in bytes.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn shared_memory_per_block(&self) -> Result<u32, DeviceError> {
        let most = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.context.attribute(most).map_err(failed("asking the device"))?;
        Ok(bytes as u32)
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
        Ok(free as u64 + self.pool.unused_bytes()?)
    }

    /// Runs `work`, waits for the device, and returns the seconds that the device took, measured by CUDA events.
    ///
    /// # Errors
    /// If the work, or anything before it on the stream, fails.
    pub fn timed(
        &self,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<f64, DeviceError> {
        let event = || self.event_pool.take(&self.context).map_err(failed("timing"));
        let record = |event: &Event| event.record(&self.stream).map_err(failed("timing"));
        // Both are there before the work is, which would else be timed with the creation of the second one.
        let (begin, end) = (event()?, event()?);
        record(&begin)?;
        work()?;
        record(&end)?;
        end.wait()?;
        let milliseconds = begin.milliseconds_to(&end).map_err(failed("timing"))?;
        Ok(f64::from(milliseconds) / 1e3)
    }

    /// Makes the GPU's context current in the calling thread, for calls of `cudarc` that do not do so themselves.
    pub(super) fn bind(&self) -> Result<(), DeviceError> {
        self.context.bind_to_thread().map_err(failed("turning to the device"))
    }

    /// Waits until all work on the stream is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream.synchronize().map_err(failed("waiting for the device"))
    }

    /// Gives this GPU with a new stream. Work on it runs at the same time as work on the stream of `self`.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn with_own_stream(&self) -> Result<Self, DeviceError> {
        let stream = self.context.new_stream().map_err(failed("making a stream"))?;
        Ok(Self { stream, ..self.clone() })
    }

    /// As [`with_own_stream`](Self::with_own_stream), but where kernels of several streams wait for room on the device, those of
    /// this stream come first. It is for short kernels that others would keep waiting for long.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn with_urgent_stream(&self) -> Result<Self, DeviceError> {
        // Lower numbers come first; the driver takes the least one that the device has instead of one below it.
        let stream = self.context.new_stream_with_priority(i32::MIN);
        Ok(Self { stream: stream.map_err(failed("making a stream"))?, ..self.clone() })
    }

    /// Records an event behind all work that the stream has so far.
    ///
    /// # Errors
    /// If the driver fails. The work is done then, since nobody could wait for it by the event.
    pub fn record_event(&self) -> Result<Event, DeviceError> {
        let event = self.event_pool.take(&self.context);
        let recorded = event.and_then(|event| event.record(&self.stream).map(|()| event));
        recorded.map_err(|error| {
            // Whether the stream fails, too, makes no difference.
            let _ = self.synchronize();
            failed("recording an event")(error)
        })
    }
}
