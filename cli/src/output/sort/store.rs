//! Records that are kept on a GPU until they are sorted.
//!
//! The threads that make records copy them to the memory of the first GPU that has joined, if it has room. The host keeps of each
//! record what its order, its duplicates and the index depend on; kernels gather the records in their order later, and compress
//! them. So the host copies each record once, and its memory holds few at a time. What does not fit stays on the host.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use aligner_core::DeviceError;
use aligner_core::bgzf::{BLOCK_BYTES, ContentSource, DeviceCompressor};
use aligner_core::buffer_pool::TurnPool;
use aligner_core::gpu::{DeviceAddress, Gpu};
use aligner_core::stream::Backend;

use crate::output::bam::gpu::JoinedGpus;
use crate::output::bam::records::{EncodedRecords, RecordPlace};
use crate::output::bam::stored::StoredRecord;
use crate::output::bam::view;

/// Device memory that is left for mapping, besides as much as records take.
const LEFT_FREE: u64 = 8 << 30;

/// Threads that copy records to the GPU at a time, each in a stream of its own.
const STREAMS: usize = 4;

/// What the host keeps of a record on a GPU.
#[derive(Debug, Clone, Copy)]
pub struct StoredPlace {
    pub place: RecordPlace,
    /// Bytes of the record.
    pub size: u32,
    /// Bases of the reference that the record covers; 1 if it is not aligned.
    pub bases: u32,
    pub is_mapped: bool,
}

/// Consecutive records whose bytes are on a GPU.
#[derive(Debug)]
pub struct StoredRecords {
    bytes: Box<dyn StoredBytes>,
    places: Vec<StoredPlace>,
    /// Templates that were begun.
    templates: u32,
}

impl StoredRecords {
    /// The record of a place.
    pub fn record(&self, at: &StoredPlace) -> StoredRecord {
        let &StoredPlace { place, size, bases, is_mapped } = at;
        let bytes = self.bytes.address().offset(place.offset.into());
        StoredRecord { bytes, size, flag: 0, is_mapped, bases, key: place.key }
    }

    /// Where records belong, in the order in which they were made.
    pub fn places(&self) -> &[StoredPlace] {
        &self.places
    }

    /// The number of templates.
    pub fn templates(&self) -> u32 {
        self.templates
    }

    /// The bytes of all records.
    pub fn len(&self) -> usize {
        self.places.last().map_or(0, |last| last.place.offset as usize + last.size as usize)
    }

    /// Copies the records back.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn read(&self) -> Result<EncodedRecords, DeviceError> {
        let bytes = self.bytes.read()?;
        let sizes = self.places.iter().map(|it| it.size).collect();
        let places = self.places.iter().map(|it| it.place).collect();
        Ok(EncodedRecords::restored(bytes, sizes, places, self.templates))
    }
}

/// Bytes in the memory of a device, which is freed when this is dropped.
trait StoredBytes: fmt::Debug + Send + Sync {
    fn address(&self) -> DeviceAddress<u8>;
    fn read(&self) -> Result<Vec<u8>, DeviceError>;
}

/// A buffer of a backend with so many bytes.
struct StoredBuffer<B: Backend> {
    backend: B,
    buffer: B::Buffer,
    len: usize,
}

impl<B: Backend> fmt::Debug for StoredBuffer<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StoredBuffer").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<B: Backend + Send + Sync> StoredBytes for StoredBuffer<B>
where
    B::Buffer: Send + Sync,
{
    fn address(&self) -> DeviceAddress<u8> {
        self.backend.device_address(&self.buffer)
    }

    fn read(&self) -> Result<Vec<u8>, DeviceError> {
        self.backend.read(&self.buffer, self.len)
    }
}

/// Gathers the bytes of sources, which are on the device, and copies so many bytes back.
type ReadGathered = Box<dyn FnMut(&[ContentSource], usize) -> Result<Vec<u8>, DeviceError> + Send>;

/// What reads gathered records from a device.
pub struct GatheredReader {
    read: ReadGathered,
    /// The most bytes at a time.
    capacity: usize,
}

impl GatheredReader {
    /// The most bytes that it reads at a time.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The bytes of these sources, which are in the memory of its device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn read(
        &mut self,
        sources: &[ContentSource],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        (self.read)(sources, bytes)
    }
}

/// A device that can keep records.
trait StoreDevice: fmt::Debug + Send + Sync {
    /// Copies bytes to the device.
    fn store(&self, bytes: &[u8]) -> Result<Box<dyn StoredBytes>, DeviceError>;

    /// Waits for all copies to the device.
    fn wait(&self) -> Result<(), DeviceError>;

    /// What reads up to so many bytes at a time.
    fn reader(&self, bytes: usize) -> Result<GatheredReader, DeviceError>;
}

/// Backends of one device, each with a stream of its own and the kernels that compress.
#[derive(Debug)]
struct Backends<B>(TurnPool<B>);

impl<B> StoreDevice for Backends<B>
where
    B: Backend + Clone + fmt::Debug + Send + Sync + 'static,
    B::Buffer: fmt::Debug + Send + Sync,
{
    fn store(&self, bytes: &[u8]) -> Result<Box<dyn StoredBytes>, DeviceError> {
        let backend = self.0.take();
        let buffer = backend.upload(bytes)?;
        Ok(Box::new(StoredBuffer { backend: backend.clone(), buffer, len: bytes.len() }))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        let all: Vec<_> = (0..STREAMS).map(|_| self.0.take()).collect();
        all.iter().try_for_each(|backend| backend.wait_for_copies())
    }

    fn reader(&self, bytes: usize) -> Result<GatheredReader, DeviceError> {
        let contents = bytes.div_ceil(BLOCK_BYTES).max(1);
        let mut compressor = DeviceCompressor::with_backend(self.0.take().clone(), contents)?;
        let read = move |sources: &[ContentSource], bytes| {
            #[allow(unsafe_code)]
            // SAFETY: `StoredRun`, whose sources they are, keeps their bytes, and nothing writes these.
            unsafe {
                compressor.gathered(sources, bytes)
            }
        };
        Ok(GatheredReader { read: Box::new(read), capacity: contents * BLOCK_BYTES })
    }
}

/// Where records are kept until they are sorted: nowhere until a GPU has joined.
#[derive(Debug)]
pub struct RecordStore {
    gpus: JoinedGpus,
    /// The device, once there is one; `None` if it cannot keep records.
    device: OnceLock<Option<Box<dyn StoreDevice>>>,
    /// The GPU that is the device.
    gpu: OnceLock<Gpu>,
    /// Bytes for which there is still room.
    room: AtomicU64,
    /// Whether nothing more is stored.
    is_closed: AtomicBool,
}

impl RecordStore {
    /// No records, which the first of these GPUs will keep.
    pub fn new(gpus: JoinedGpus) -> Self {
        Self {
            gpus,
            device: OnceLock::new(),
            gpu: OnceLock::new(),
            room: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        }
    }

    /// The GPU that keeps records, if there is one.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.get()
    }

    /// Lets all records that come from now on stay on the host.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Copies records, each of which has a place, to the device. `None` if they have to stay on the host, or there are none.
    pub fn store(&self, records: &EncodedRecords) -> Option<StoredRecords> {
        let is_open = !records.places().is_empty() && !self.is_closed.load(Ordering::Relaxed);
        let device = self.device().filter(|_| is_open)?;
        let bytes = records.bytes().len() as u64;
        let take = |room: u64| room.checked_sub(bytes);
        let has_room = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        // A device that fails, and not only lacks memory, fails again where its records are needed.
        let stored = has_room.then(|| device.store(records.bytes()).ok()).flatten();
        let Some(bytes) = stored else {
            self.close();
            return None;
        };
        let views = view::records(records.bytes()).zip(records.places());
        let places = views.map(|(record, &place)| StoredPlace {
            place,
            size: record.bytes().len() as u32,
            bases: (record.end() - record.start()) as u32,
            is_mapped: record.is_mapped(),
        });
        Some(StoredRecords { bytes, places: places.collect(), templates: records.templates() })
    }

    /// Waits until all records are on the device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device().map_or(Ok(()), StoreDevice::wait)
    }

    /// What reads gathered records, up to so many bytes at a time.
    ///
    /// # Errors
    /// If there is no device, or it fails or lacks memory.
    pub fn reader(&self, bytes: usize) -> Result<GatheredReader, DeviceError> {
        self.device().ok_or(DeviceError::NoDevice)?.reader(bytes)
    }

    fn device(&self) -> Option<&dyn StoreDevice> {
        let device = match self.device.get() {
            Some(device) => device,
            None => {
                let gpu = self.gpus.all().into_iter().next()?;
                self.device.get_or_init(|| self.open(&gpu).ok().flatten())
            }
        };
        device.as_deref()
    }

    /// Keeps records on this GPU, if it has room for some.
    fn open(&self, gpu: &Gpu) -> Result<Option<Box<dyn StoreDevice>>, DeviceError> {
        let room = gpu.free_memory()?.saturating_sub(LEFT_FREE) / 2;
        if room == 0 || !DeviceCompressor::runs_on(gpu)? {
            return Ok(None);
        }
        let backend = || DeviceCompressor::backend_on(&gpu.with_own_stream()?);
        let backends: Vec<_> = (0..STREAMS).map(|_| backend()).collect::<Result<_, _>>()?;
        self.room.store(room, Ordering::Relaxed);
        self.gpu.get_or_init(|| gpu.clone());
        Ok(Some(Box::new(Backends(TurnPool::new(backends)))))
    }

    /// A store on the shim, in place of a GPU, with room for so many bytes.
    #[cfg(test)]
    pub fn on_shim(room: u64) -> Self {
        let backend = |seed| {
            let kernels = gpualign_tests::kernels("aligner-core", "deflate").expect("it is built");
            gpualign_tests::ShimBackend::new(kernels, seed)
        };
        let backends = (0..STREAMS as u64).map(backend);
        let store = Self::new(JoinedGpus::default());
        store.room.store(room, Ordering::Relaxed);
        store.device.get_or_init(|| Some(Box::new(Backends(TurnPool::new(backends)))));
        store
    }
}
