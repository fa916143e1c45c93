//! Allocating arrays, and copying between host and device.

use std::panic::resume_unwind;
use std::thread;

use bytemuck::Pod;
use cudarc::driver::{CudaViewMut, DeviceRepr, DriverError, ValidAsZeroBits};

use super::buffer::{DeviceBuffer, PinnedBuffer};
use super::context::Gpu;
use super::device_struct::DeviceAddress;
use super::driver_error::failed;
use super::locked_bytes::LockedBytes;
use super::staging::{
    LEAST_DOWNLOAD, LEAST_PARALLEL_UPLOAD, LEAST_UPLOAD, StagedDownload, UPLOAD_PART,
    UPLOAD_THREADS,
};
use super::upload_buffer::{Memory, UploadBuffer};
use crate::error::DeviceError;

impl<T: DeviceRepr> DeviceBuffer<T> {
    /// Address of the first element, for a kernel's parameters. The buffer must outlive the kernel.
    pub fn device_address(&self, gpu: &Gpu) -> DeviceAddress<T> {
        use cudarc::driver::DevicePtr;
        // Event tracking is off, so the guard has nothing to record: who uses a buffer in two streams waits for one of them.
        DeviceAddress::new(self.slice.device_ptr(&gpu.stream).0)
    }
}

/// The error for an array of `len` elements that the driver could not allocate.
fn not_allocated<T>(len: usize) -> impl FnOnce(DriverError) -> DeviceError {
    move |error| match failed("allocating device memory")(error) {
        DeviceError::OutOfMemory(_) => {
            DeviceError::OutOfMemory(Some((len * size_of::<T>()) as u64))
        }
        other => other,
    }
}

impl Gpu {
    /// An array of zeros on the device. `len` may be 0.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or a driver failure.
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        len: usize,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        // CUDA refuses an allocation of no bytes, and kernels want a valid address.
        let slice = self.stream.alloc_zeros(len.max(1)).map_err(not_allocated::<T>(len))?;
        Ok(DeviceBuffer { slice })
    }

    /// An array on the device with unspecified contents, which must be written before they are read. `len` may be 0.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or a driver failure.
    pub fn uninitialized<T: DeviceRepr + Pod>(
        &self,
        len: usize,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        #[allow(unsafe_code)]
        // SAFETY: the host sees this memory only as copies of its bytes, and any are a value of `T`.
        let slice = unsafe { self.stream.alloc(len.max(1)) }.map_err(not_allocated::<T>(len))?;
        Ok(DeviceBuffer { slice })
    }

    /// Copies host memory to a new array on the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or a driver failure.
    pub fn upload<T: DeviceRepr + Pod + Send + Sync>(
        &self,
        host: &[T],
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        let mut buffer = self.uninitialized(host.len())?;
        self.copy_to(host, &mut buffer)?;
        Ok(buffer)
    }

    /// Copies host memory to the front of a device array.
    ///
    /// # Errors
    /// If the driver fails.
    ///
    /// # Panics
    /// If the device array is shorter.
    pub fn copy_to<T: DeviceRepr + Pod + Send + Sync>(
        &self,
        host: &[T],
        buffer: &mut DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        if host.is_empty() {
            return Ok(());
        }
        if size_of_val(host) >= LEAST_UPLOAD {
            return self.upload_in_parts(host, buffer);
        }
        self.stream.memcpy_htod(host, &mut buffer.slice).map_err(failed("copying to the device"))
    }

    /// A page-locked buffer of `len` bytes, all 0, for [`copy_upload`](Self::copy_upload).
    ///
    /// # Errors
    /// If the driver cannot lock so much.
    pub fn upload_buffer(&self, len: usize) -> Result<UploadBuffer, DeviceError> {
        Ok(UploadBuffer::page_locked(LockedBytes::new(self.pinned(len)?)?))
    }

    /// Copies the first `len` bytes of an upload buffer to the front of a device array. May return before the copy is done: later
    /// work on the stream waits for it, and so does [`UploadBuffer::bytes_mut`].
    ///
    /// # Errors
    /// If the driver fails.
    ///
    /// # Panics
    /// If the buffer or the array is shorter.
    pub fn copy_upload(
        &self,
        upload: &mut UploadBuffer,
        len: usize,
        buffer: &mut DeviceBuffer<u8>,
    ) -> Result<(), DeviceError> {
        match &mut upload.0 {
            Memory::Pageable(bytes) => self.copy_to(&bytes[..len], buffer),
            Memory::PageLocked { copied, bytes } => {
                let copy = self.stream.memcpy_htod(&bytes[..len], &mut buffer.slice);
                copy.map_err(failed("copying to the device"))?;
                *copied = Some(self.record_event()?);
                Ok(())
            }
        }
    }

    /// Copies the first `len` elements of a device array into another, from its element `at` on.
    ///
    /// # Errors
    /// If the driver fails.
    ///
    /// # Panics
    /// If one of the arrays is shorter.
    pub fn copy_on_device<T: DeviceRepr>(
        &self,
        from: &DeviceBuffer<T>,
        len: usize,
        to: &mut DeviceBuffer<T>,
        at: usize,
    ) -> Result<(), DeviceError> {
        if len == 0 {
            return Ok(());
        }
        let mut target = to.slice.slice_mut(at..at + len);
        let copied = self.stream.memcpy_dtod(&from.slice.slice(0..len), &mut target);
        copied.map_err(failed("copying on the device"))
    }

    /// Copies the first `len` elements of a device array to the host and waits.
    ///
    /// # Errors
    /// If the driver, or anything before the copy on the stream, failed.
    ///
    /// # Panics
    /// If the array is shorter than `len`.
    pub fn download<T: DeviceRepr + ValidAsZeroBits + Clone + Default>(
        &self,
        buffer: &DeviceBuffer<T>,
        len: usize,
    ) -> Result<Vec<T>, DeviceError> {
        let mut host = vec![T::default(); len];
        self.download_into(buffer, &mut host)?;
        Ok(host)
    }

    /// Copies the front of a device array into host memory and waits.
    ///
    /// # Errors
    /// If the driver, or anything before the copy on the stream, failed.
    ///
    /// # Panics
    /// If the array is shorter than `host`.
    pub fn download_into<T: DeviceRepr>(
        &self,
        buffer: &DeviceBuffer<T>,
        host: &mut [T],
    ) -> Result<(), DeviceError> {
        if !host.is_empty() {
            let view = buffer.slice.slice(0..host.len());
            self.stream.memcpy_dtoh(&view, host).map_err(failed("copying from the device"))?;
        }
        self.synchronize()
    }

    /// Page-locked host memory of `len` zeros.
    ///
    /// # Errors
    /// If the driver cannot lock so much.
    pub fn pinned<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        len: usize,
    ) -> Result<PinnedBuffer<T>, DeviceError> {
        let locking = || failed("locking host memory");
        #[allow(unsafe_code)]
        // SAFETY: the memory is unset, and is zeroed below before anyone can read it.
        let mut slice =
            unsafe { self.context.alloc_pinned_with_flags(len.max(1), 0) }.map_err(locking())?;
        let start: *mut T = slice.as_mut_ptr().map_err(locking())?;
        #[allow(unsafe_code)]
        // SAFETY: `start` addresses `len.max(1)` elements just allocated, and zero bits are a valid
        // T.
        unsafe {
            start.write_bytes(0, len.max(1));
        }
        Ok(PinnedBuffer { slice })
    }

    /// Copies host memory to the front of a device array through staging buffers. Returns before the last copies are
    /// done; later work on the stream waits for them.
    fn upload_in_parts<T: DeviceRepr + Pod + Send + Sync>(
        &self,
        host: &[T],
        buffer: &mut DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let threads = if size_of_val(host) < LEAST_PARALLEL_UPLOAD { 1 } else { UPLOAD_THREADS };
        let buffer = buffer.slice.slice_mut(..host.len());
        self.upload_by_threads(host, buffer, threads)
    }

    /// As [`upload_in_parts`](Self::upload_in_parts), by so many threads, a power of two. A thread alone fills staging
    /// buffers at a tenth of the speed at which the device fetches them, if it is the first one to touch a mapped file.
    fn upload_by_threads<T: DeviceRepr + Pod + Send + Sync>(
        &self,
        host: &[T],
        mut buffer: CudaViewMut<'_, T>,
        threads: usize,
    ) -> Result<(), DeviceError> {
        if threads == 1 {
            return self.upload_by_one_thread(host, buffer);
        }
        let middle = host.len() / 2;
        let (first, second) = host.split_at(middle);
        let (first_buffer, second_buffer) = buffer.split_at_mut(middle);
        thread::scope(|scope| {
            let other = scope.spawn(|| self.upload_by_threads(second, second_buffer, threads / 2));
            let own = self.upload_by_threads(first, first_buffer, threads / 2);
            own.and(other.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }

    /// As [`upload_in_parts`](Self::upload_in_parts), by this thread.
    fn upload_by_one_thread<T: DeviceRepr + Pod>(
        &self,
        host: &[T],
        mut buffer: CudaViewMut<'_, T>,
    ) -> Result<(), DeviceError> {
        let each = UPLOAD_PART / size_of::<T>();
        for (number, elements) in host.chunks(each).enumerate() {
            let mut part = match self.upload_staging.take()? {
                Some(part) => part,
                None => self.pinned(UPLOAD_PART)?,
            };
            let bytes: &[u8] = bytemuck::cast_slice(elements);
            let here = &mut part.as_mut_slice()?[..bytes.len()];
            here.copy_from_slice(bytes);
            let here: &[T] = bytemuck::cast_slice(here);
            let first = number * each;
            let mut there = buffer.slice_mut(first..first + here.len());
            let copied = self.stream.memcpy_htod(here, &mut there);
            copied.map_err(failed("copying to the device"))?;
            let event = self.record_event()?;
            self.upload_staging.put(part, event);
        }
        Ok(())
    }

    /// Copies the first `len` elements of a device array to a staging buffer, and waits.
    ///
    /// # Errors
    /// If the driver, or anything before the copy on the stream, failed, or no more memory can be
    /// locked.
    ///
    /// # Panics
    /// If the array is shorter than `len`.
    pub fn download_staged<T: DeviceRepr + ValidAsZeroBits + Pod>(
        &self,
        buffer: &DeviceBuffer<T>,
        len: usize,
    ) -> Result<StagedDownload, DeviceError> {
        let bytes = len * size_of::<T>();
        let mut staging = match self.download_staging.take(bytes) {
            Some(staging) => staging,
            // A little larger, so that the next copy may use it too.
            None => LockedBytes::new(self.pinned((bytes + bytes / 8).max(LEAST_DOWNLOAD))?)?,
        };
        self.download_into(buffer, bytemuck::cast_slice_mut(&mut staging[..bytes]))?;
        Ok(StagedDownload::new(staging, bytes, self.download_staging.clone()))
    }
}
