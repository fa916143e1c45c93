//! Records that are in the memory of a GPU until they are sorted.
//!
//! The threads that make records copy them to the first GPU that has joined, if it has room. The host keeps of each record what its
//! order, its duplicates and the index depend on; kernels order the keys of the records later, gather the records, and compress
//! them. So the host copies each record once, and its memory holds few at a time. What does not fit stays on the host.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use aligner_core::DeviceError;
use aligner_core::bgzf::{ContentGatherer, ContentSource, DeviceCompressor};
use aligner_core::buffer_pool::TurnPool;
use aligner_core::gpu::{DeviceAddress, Gpu};
use aligner_core::sort;
use aligner_core::stream::Backend;

use super::order::{self, Place};
use crate::output::bam::gpu::JoinedGpus;
use crate::output::bam::gpu_records::GpuRecord;
use crate::output::bam::records::{EncodedRecords, RecordPlace};
use crate::output::bam::view;

/// Device memory that records never take, in bytes. Of what is free beyond it they take half at most, and mapping and compressing keep the
/// other half.
const LEFT_FREE: u64 = 8 << 30;

/// Threads that copy records to the GPU at a time, each in a stream of its own.
const STREAMS: usize = 4;

/// What the host keeps of a record on a GPU.
#[derive(Debug, Clone, Copy)]
pub struct GpuPlace {
    pub place: RecordPlace,
    /// Bytes of the record.
    pub size: u32,
    /// Bases of the reference that the record covers; 1 if it is not aligned.
    pub bases: u32,
    pub is_mapped: bool,
}

/// Consecutive records whose bytes are on a GPU.
#[derive(Debug)]
pub struct GpuRecords {
    bytes: Box<dyn GpuBytes>,
    places: Vec<GpuPlace>,
    /// Templates that were begun.
    templates: u32,
}

impl GpuRecords {
    /// The record of a place.
    pub fn record(&self, at: &GpuPlace) -> GpuRecord {
        let &GpuPlace { place, size, bases, is_mapped } = at;
        let bytes = self.bytes.address().offset(place.offset.into());
        GpuRecord { bytes, size, flag: 0, is_mapped, bases, key: place.key }
    }

    /// Where records belong, in the order in which they were made.
    pub fn places(&self) -> &[GpuPlace] {
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
trait GpuBytes: fmt::Debug + Send + Sync {
    fn address(&self) -> DeviceAddress<u8>;
    fn read(&self) -> Result<Vec<u8>, DeviceError>;
}

/// A buffer of a backend with so many bytes.
struct BackendBytes<B: Backend> {
    backend: B,
    buffer: B::Buffer,
    len: usize,
}

impl<B: Backend> fmt::Debug for BackendBytes<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BackendBytes").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<B: Backend + Send + Sync> GpuBytes for BackendBytes<B>
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

/// Reads bytes that lie anywhere in the memory of a device.
pub trait GatherBytes: Send {
    /// The most bytes that it reads at a time.
    fn capacity(&self) -> usize;

    /// The bytes of these sources at their targets, of which there are so many.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Safety
    /// As [`ContentGatherer::read`].
    #[allow(unsafe_code)]
    unsafe fn read(
        &mut self,
        sources: &[ContentSource],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError>;
}

impl<B: Backend + Send> GatherBytes for ContentGatherer<B>
where
    B::Buffer: Send,
{
    fn capacity(&self) -> usize {
        Self::capacity(self)
    }

    #[allow(unsafe_code)]
    unsafe fn read(
        &mut self,
        sources: &[ContentSource],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { Self::read(self, sources, bytes) }
    }
}

/// A device that can keep records.
trait Device: fmt::Debug + Send + Sync {
    /// Copies bytes to the device.
    fn upload(&self, bytes: &[u8]) -> Result<Box<dyn GpuBytes>, DeviceError>;

    /// Waits for all copies to the device.
    fn wait(&self) -> Result<(), DeviceError>;

    /// What reads up to so many bytes at a time.
    fn reader(&self, bytes: usize) -> Result<Box<dyn GatherBytes>, DeviceError>;

    /// Sorts places, which are as [`order::places_of`] makes them. If the error is a lack of memory, they are so still.
    fn sort(&self, places: &mut [Place]) -> Result<(), DeviceError>;
}

/// Backends of one device, each with a stream of its own and the kernels that gather.
struct Backends<B> {
    all: Vec<B>,
    /// Clones of these, for the threads that copy.
    turns: TurnPool<B>,
    /// Makes a sorter on the device. Its kernels are loaded when all records are there, since the start of a run has no time for it.
    sorter: Box<dyn Fn() -> Result<sort::Sorter<B>, DeviceError> + Send + Sync>,
}

impl<B: Clone> Backends<B> {
    fn new(
        all: Vec<B>,
        sorter: impl Fn() -> Result<sort::Sorter<B>, DeviceError> + Send + Sync + 'static,
    ) -> Self {
        Self { turns: TurnPool::new(all.iter().cloned()), all, sorter: Box::new(sorter) }
    }
}

impl<B> fmt::Debug for Backends<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Backends").field("all", &self.all.len()).finish_non_exhaustive()
    }
}

impl<B> Device for Backends<B>
where
    B: Backend + Clone + fmt::Debug + Send + Sync + 'static,
    B::Buffer: fmt::Debug + Send + Sync,
{
    fn upload(&self, bytes: &[u8]) -> Result<Box<dyn GpuBytes>, DeviceError> {
        let backend = self.turns.take();
        let buffer = backend.upload(bytes)?;
        Ok(Box::new(BackendBytes { backend: backend.clone(), buffer, len: bytes.len() }))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.all.iter().try_for_each(Backend::wait)
    }

    fn reader(&self, bytes: usize) -> Result<Box<dyn GatherBytes>, DeviceError> {
        let backend = self.turns.take().clone();
        Ok(Box::new(ContentGatherer::new(backend, bytes)?))
    }

    fn sort(&self, places: &mut [Place]) -> Result<(), DeviceError> {
        let sorter = (self.sorter)()?;
        sorter.sort_on_host(bytemuck::cast_slice_mut(places), &Place::SORT_FIELDS)
    }
}

/// Where records are until they are sorted: on the host until a GPU has joined.
#[derive(Debug)]
pub struct GpuStore {
    gpus: JoinedGpus,
    /// The device, once there is one; `None` if it cannot keep records.
    device: OnceLock<Option<Box<dyn Device>>>,
    /// The GPU that is the device.
    gpu: OnceLock<Gpu>,
    /// Bytes for which there is still room.
    room: AtomicU64,
    /// Whether nothing more is copied to the device.
    is_closed: AtomicBool,
    /// The first failure of the device, other than want of memory.
    failure: OnceLock<DeviceError>,
}

impl GpuStore {
    /// No records, which the first of these GPUs will keep.
    pub fn new(gpus: JoinedGpus) -> Self {
        Self {
            gpus,
            device: OnceLock::new(),
            gpu: OnceLock::new(),
            room: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    /// The GPU that keeps records, if there is one.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.get()
    }

    /// Checks that the device, which has records, has not failed.
    ///
    /// # Errors
    /// If it has, so that the records are lost.
    pub fn check(&self) -> Result<(), DeviceError> {
        match self.failure.get() {
            Some(reason) => Err(reason.clone()),
            // Nothing else asks the device any more.
            None if self.is_closed.load(Ordering::Relaxed) => self.wait(),
            None => Ok(()),
        }
    }

    /// Lets all records that come from now on stay on the host.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Copies records, each of which has a place, to the device. `None` if they have to stay on the host, or there are none.
    pub fn upload(&self, records: &EncodedRecords) -> Option<GpuRecords> {
        if records.places().is_empty() || self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let device = self.device()?;
        let bytes = records.bytes().len() as u64;
        let take = |room: u64| room.checked_sub(bytes);
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        let uploaded = match taken.map(|_| device.upload(records.bytes())) {
            Ok(Ok(bytes)) => Some(bytes),
            Ok(Err(DeviceError::OutOfMemory(_))) | Err(_) => None,
            Ok(Err(reason)) => {
                // Only the first failure is told.
                let _ = self.failure.set(reason);
                None
            }
        };
        let Some(bytes) = uploaded else {
            self.close();
            return None;
        };
        let mut places = Vec::with_capacity(records.places().len());
        let views = view::records(records.bytes()).zip(records.places());
        places.extend(views.map(|(record, &place)| GpuPlace {
            place,
            size: record.bytes().len() as u32,
            bases: (record.end() - record.start()) as u32,
            is_mapped: record.is_mapped(),
        }));
        Some(GpuRecords { bytes, places, templates: records.templates() })
    }

    /// Waits until all records are on the device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device().map_or(Ok(()), Device::wait)
    }

    /// What reads records that lie anywhere on the device, up to so many bytes at a time.
    ///
    /// # Errors
    /// If there is no device, or it fails or lacks memory.
    pub fn reader(&self, bytes: usize) -> Result<Box<dyn GatherBytes>, DeviceError> {
        self.device().ok_or(DeviceError::NoDevice)?.reader(bytes)
    }

    /// Sorts the places of records that are on the device. The places come as [`order::places_of`] makes them. The device sorts
    /// them; all threads do if it lacks memory.
    ///
    /// # Errors
    /// If there is no device, or it fails.
    pub fn sort(&self, places: &mut [Place]) -> Result<(), DeviceError> {
        let device = self.device().ok_or(DeviceError::NoDevice)?;
        if places.len() > sort::MAX_ITEMS {
            order::sort(places);
            return Ok(());
        }
        match device.sort(places) {
            Err(DeviceError::OutOfMemory(_)) => {
                order::sort(places);
                Ok(())
            }
            sorted => sorted,
        }
    }

    fn device(&self) -> Option<&dyn Device> {
        let device = if let Some(device) = self.device.get() {
            device
        } else {
            let gpu = self.gpus.all().into_iter().next()?;
            // A GPU that fails here has no records, and tells of its failure where it maps.
            self.device.get_or_init(|| self.open(&gpu).ok().flatten())
        };
        device.as_deref()
    }

    /// Keeps records on this GPU, if it has room for some and can compress them.
    fn open(&self, gpu: &Gpu) -> Result<Option<Box<dyn Device>>, DeviceError> {
        let room = gpu.free_memory()?.saturating_sub(LEFT_FREE) / 2;
        if room == 0 || !DeviceCompressor::runs_on(gpu)? {
            return Ok(None);
        }
        let backend = || DeviceCompressor::backend_on(&gpu.with_own_stream()?);
        let backends = (0..STREAMS).map(|_| backend()).collect::<Result<_, _>>()?;
        self.room.store(room, Ordering::Relaxed);
        self.gpu.get_or_init(|| gpu.clone());
        let gpu = gpu.clone();
        Ok(Some(Box::new(Backends::new(backends, move || sort::Sorter::new(&gpu)))))
    }

    /// A store on the shim, in place of a GPU, with room for so many bytes.
    #[cfg(test)]
    pub fn on_shim(room: u64) -> Self {
        Self::on_shim_until(room, usize::MAX)
    }

    /// As [`on_shim`](Self::on_shim), whose device fails after so many copies.
    #[cfg(test)]
    pub fn on_shim_until(room: u64, copies: usize) -> Self {
        Self::on_failing_shim(room, copies, None)
    }

    /// As [`on_shim_until`](Self::on_shim_until), whose sort fails with this error, if there is one.
    #[cfg(test)]
    fn on_failing_shim(room: u64, copies: usize, of_sort: Option<DeviceError>) -> Self {
        let backend = |file: &str, seed| {
            let kernels = gpualign_tests::kernels("aligner-core", file).expect("it is built");
            gpualign_tests::ShimBackend::new(kernels, seed)
        };
        let backends = (0..STREAMS as u64).map(|seed| backend("deflate", seed)).collect();
        let sorter = move || Ok(sort::Sorter::with_backend(backend("sort", 0)));
        let store = Self::new(JoinedGpus::default());
        store.room.store(room, Ordering::Relaxed);
        let device = FailingDevice {
            device: Backends::new(backends, sorter),
            copies: copies.into(),
            of_sort,
        };
        store.device.get_or_init(|| Some(Box::new(device)));
        store
    }
}

/// A device that fails after so many copies, and if it is to sort.
#[cfg(test)]
#[derive(Debug)]
struct FailingDevice {
    device: Backends<gpualign_tests::ShimBackend>,
    copies: std::sync::atomic::AtomicUsize,
    /// The error of the sort; `None` if it does not fail.
    of_sort: Option<DeviceError>,
}

#[cfg(test)]
impl Device for FailingDevice {
    fn upload(&self, bytes: &[u8]) -> Result<Box<dyn GpuBytes>, DeviceError> {
        let left = |copies: usize| copies.checked_sub(1);
        match self.copies.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left) {
            Ok(_) => self.device.upload(bytes),
            Err(_) => Err(DeviceError::Cuda {
                operation: "copying to the device".to_owned(),
                reason: "the test".to_owned(),
            }),
        }
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.device.wait()
    }

    fn reader(&self, bytes: usize) -> Result<Box<dyn GatherBytes>, DeviceError> {
        self.device.reader(bytes)
    }

    fn sort(&self, places: &mut [Place]) -> Result<(), DeviceError> {
        self.of_sort.clone().map_or_else(|| self.device.sort(places), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::output::bam::records::{CoordinateKey, coordinate_key};
    use crate::output::record::fields::{Position, Record};

    #[test]
    fn places_are_sorted_on_the_device_or_by_threads() {
        let lack = DeviceError::OutOfMemory(Some(7));
        let failure = DeviceError::Cuda { operation: "sorting".to_owned(), reason: "x".to_owned() };
        let store = |of_sort| GpuStore::on_failing_shim(0, 0, of_sort);
        let [able, full, broken] = [None, Some(lack), Some(failure.clone())].map(store);
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let [contigs, bases] =
                [[1, 1], [1, 3], [3, 1000], [4, 4], [1 << 20, u32::MAX]][random.usize(..5)];
            let parts: Vec<Vec<CoordinateKey>> = (0..random.usize(..20))
                .map(|_| {
                    let count = random.usize(..400);
                    let mut key = || {
                        if random.u32(..10) == 0 {
                            return coordinate_key(None);
                        }
                        u64::from(random.u32(..contigs)) << 32 | u64::from(random.u32(..bases))
                    };
                    (0..count).map(|_| key()).collect()
                })
                .collect();
            let parts: Vec<&[CoordinateKey]> = parts.iter().map(Vec::as_slice).collect();
            let unsorted = order::places_of(&parts, |&key| key);
            let mut expected = unsorted.clone();
            expected.sort_unstable();
            for store in [&able, &full] {
                let mut places = unsorted.clone();
                assert_eq!(store.sort(&mut places), Ok(()));
                assert!(places == expected, "seed {seed}");
            }
            assert_eq!(broken.sort(&mut unsorted.clone()), Err(failure.clone()));
        }
    }

    #[test]
    fn threads_store_records_until_there_is_no_room() {
        let records = |number: u32| {
            let mut records = EncodedRecords::default();
            let name = number.to_string();
            for base in 0..10 {
                records.begin_template();
                let position = Some(Position { contig: 1, base });
                let record = Record::of_four_bases(name.as_bytes(), position);
                records.push(&Record { cigar: &[4 << 4], ..record }, true);
            }
            records
        };
        let each = records(100).bytes().len() as u64;
        let store = GpuStore::on_shim(20 * each);
        let stored: Vec<(u32, Option<GpuRecords>)> = thread::scope(|scope| {
            let of_thread = |thread: u32| {
                let store = &store;
                scope.spawn(move || {
                    let numbers = (100 + thread..136).step_by(6);
                    numbers.map(|number| (number, store.upload(&records(number)))).collect()
                })
            };
            let threads: Vec<_> = (0..6).map(of_thread).collect();
            let stored = threads.into_iter().map(|it| it.join().expect("ends"));
            stored.flat_map(|of_thread: Vec<_>| of_thread).collect()
        });
        assert_eq!(stored.len(), 36);
        assert_eq!(store.check(), Ok(()));
        let kept = stored.iter().filter_map(|(number, it)| Some((*number, it.as_ref()?)));
        assert_eq!(kept.clone().count(), 20);
        for (number, kept) in kept {
            let (found, expected) = (kept.read().expect("reads"), records(number));
            assert_eq!(found.bytes(), expected.bytes());
            assert_eq!((found.templates(), kept.len() as u64), (10, each));
            assert!(kept.places().iter().all(|it| it.is_mapped && it.bases == 4));
        }
        // Nothing goes to the device any more, whatever room there is.
        drop(stored);
        assert!(store.upload(&records(100)).is_none());
    }
}
