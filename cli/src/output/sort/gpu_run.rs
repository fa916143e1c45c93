//! A sorted run whose records are on a GPU.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use aligner_core::DeviceError;
use aligner_core::buffer_pool::lock;
use aligner_core::gpu::Gpu;

use super::gpu_store::{GatherBytes, GpuPlace, GpuRecords, GpuStore};
use super::order::{self, ChunkedOrder, Place};
use super::run::SortedRecord;
use crate::output::bam::gpu_records::{GpuRecord, lost, push_sources};
use crate::output::bam::view;

/// Bytes of records that are copied from the GPU at a time, unless one record has more; in tests a few records.
const READ_BYTES: u32 = if cfg!(test) { 200 } else { 1 << 22 };

/// Records on a GPU that were gathered in the order in which they came.
#[derive(Debug, Default)]
pub struct GatheredOnGpu {
    parts: Vec<GpuPart>,
    /// Bytes of the host's memory that they take.
    bytes: usize,
}

#[derive(Debug)]
struct GpuPart {
    records: GpuRecords,
    /// The number of the first template, from 0.
    first_template: u64,
}

impl GatheredOnGpu {
    /// Bytes of the host's memory that the places of the records and their order take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds records, the first template of which has this number.
    pub fn push(&mut self, records: GpuRecords, first_template: u64) {
        let each = size_of::<GpuPlace>() + size_of::<Place>();
        self.bytes += records.places().len() * each;
        self.parts.push(GpuPart { records, first_template });
    }

    /// The records, which are on the device of this store, as a sorted run.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn sorted(self, store: &Arc<GpuStore>) -> io::Result<GpuRun> {
        store.wait().map_err(lost)?;
        let parts: Vec<&[GpuPlace]> = self.parts.iter().map(|part| part.records.places()).collect();
        let bytes = self.parts.iter().map(|part| part.records.len()).sum();
        let mut places = order::places_of(&parts, |it| it.place.key);
        store.sort(&mut places).map_err(lost)?;
        let order = ChunkedOrder::of_sorted(places, bytes);
        let (store, reader) = (Arc::clone(store), Mutex::default());
        Ok(GpuRun { parts: Arc::new(self.parts), order, store, reader })
    }
}

/// A sorted run on a GPU.
pub struct GpuRun {
    parts: Arc<Vec<GpuPart>>,
    order: ChunkedOrder,
    store: Arc<GpuStore>,
    /// Reads chunks; `None` before the first one.
    reader: Mutex<Option<Box<dyn GatherBytes>>>,
}

impl fmt::Debug for GpuRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GpuRun")
            .field("records", &self.order.records())
            .finish_non_exhaustive()
    }
}

impl GpuRun {
    /// Keeps the memory of the records.
    pub fn memory(&self) -> Arc<dyn Send + Sync> {
        Arc::clone(&self.parts) as Arc<dyn Send + Sync>
    }

    /// The GPU; `None` for a device that takes its place.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.store.gpu()
    }

    /// The order of its records.
    pub fn order(&self) -> &ChunkedOrder {
        &self.order
    }

    /// The records of a chunk, in order, each with the number of its template in the input. They lie anywhere in memory, so each is
    /// fetched into the cache while those before it are looked at.
    pub fn records(&self, chunk: usize) -> impl Iterator<Item = (u64, GpuRecord)> {
        /// Records from the one that is looked at to the one that is fetched.
        const AHEAD: usize = 16;
        let places = self.order.chunk(chunk);
        let found = |place: Place| {
            let part = &self.parts[place.part()];
            (part, &part.records.places()[place.number()])
        };
        places.iter().enumerate().map(move |(number, &place)| {
            if let Some(&later) = places.get(number + AHEAD) {
                fm_index::prefetch(found(later).1);
            }
            let (part, it) = found(place);
            let template = part.first_template + u64::from(it.place.template);
            (template, part.records.record(it))
        })
    }

    /// The bytes of the records of a chunk, in order.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn read(&self, chunk: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut records = self.records(chunk).map(|(_, record)| record).peekable();
        while let Some(first) = records.peek() {
            let most = READ_BYTES.max(first.size);
            let (mut together, mut bytes) = (Vec::new(), 0);
            while let Some(record) = records.next_if(|record| bytes + record.size <= most) {
                bytes += record.size;
                together.push(record);
            }
            #[allow(unsafe_code)]
            // SAFETY: they are records of this run.
            let read = unsafe { self.read_records(&together, bytes as usize) };
            all.extend(read.map_err(lost)?);
        }
        Ok(all)
    }

    /// Copies records, which have so many bytes, from the device.
    ///
    /// # Safety
    /// They are records of this run.
    #[allow(unsafe_code)]
    unsafe fn read_records(
        &self,
        records: &[GpuRecord],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        let (mut sources, mut end) = (Vec::new(), 0);
        for record in records {
            push_sources(record, 0..record.size, end, &mut sources);
            end += record.size;
        }
        let mut kept = lock(&self.reader);
        let ready = kept.take().filter(|reader| reader.capacity() >= bytes);
        let mut reader = match ready {
            Some(reader) => reader,
            None => self.store.reader(bytes.max(READ_BYTES as usize))?,
        };
        // SAFETY: the parts of this run keep the bytes of its records, and nothing writes them; targets follow each other.
        let read = unsafe { reader.read(&sources, bytes) }?;
        *kept = Some(reader);
        Ok(read)
    }

    /// The records of a chunk, whose bytes are those of [`read`](Self::read).
    pub fn sorted_records<'b>(&self, chunk: usize, bytes: &'b [u8]) -> Vec<SortedRecord<'b>> {
        let places = self.order.chunk(chunk);
        let templates = self.records(chunk).map(|(template, _)| template);
        let records = view::records(bytes).zip(places).zip(templates);
        let sorted = records.map(|((record, place), template)| SortedRecord {
            key: place.key(),
            template,
            record,
        });
        sorted.collect()
    }
}
