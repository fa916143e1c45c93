//! Sorted runs of records: in memory, in a file or on a GPU.
//!
//! A run consists of chunks of consecutive records. In memory, and on a [GPU](super::gpu_run), a chunk is a part of the order of the
//! gathered records. In a file a chunk is compressed by itself, so that any thread reads any chunk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use fm_index::{prefetch, prefetch_all};
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

use super::gpu_run::GpuRun;
use super::order::{self, CHUNK_BYTES, ChunkedOrder, Place};
use crate::output::bam::records::{CoordinateKey, EncodedRecords, RecordPlace};
use crate::output::bam::view::RecordView;

/// The level of zstd for chunks, which are read again soon: 1 is the one that makes them small at the speed of the disk.
const LEVEL: i32 = 1;

/// Chunks that are compressed before they are written.
const WINDOW: usize = 256;

/// Bytes before each record of a chunk in a file: its key and its template.
const PREFIX_BYTES: usize = 16;

/// A record among those that are sorted.
#[derive(Debug, Clone, Copy)]
pub struct SortedRecord<'b> {
    pub key: CoordinateKey,
    /// The number of its template in the input, from 0.
    pub template: u64,
    pub record: RecordView<'b>,
}

/// Records that were gathered in the order in which they came.
#[derive(Debug, Default)]
pub struct Gathered {
    parts: Vec<GatheredPart>,
    /// Bytes of memory that they take.
    bytes: usize,
}

#[derive(Debug)]
struct GatheredPart {
    records: EncodedRecords,
    /// The number of the first template, from 0.
    first_template: u64,
}

impl Gathered {
    /// Bytes of memory that the records and their order take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The records that were added, each time with the number of the first template.
    pub fn parts(&self) -> impl Iterator<Item = (&EncodedRecords, u64)> {
        self.parts.iter().map(|part| (&part.records, part.first_template))
    }

    /// Adds records, the first template of which has this number.
    pub fn push(&mut self, records: EncodedRecords, first_template: u64) {
        self.bytes += records.memory() + records.places().len() * size_of::<Place>();
        self.parts.push(GatheredPart { records, first_template });
    }

    /// The records as a sorted run.
    pub fn sorted(self) -> MemoryRun {
        let parts: Vec<&[RecordPlace]> =
            self.parts.iter().map(|part| part.records.places()).collect();
        let bytes = self.parts.iter().map(|part| part.records.bytes().len()).sum();
        let mut places = order::places_of(&parts, |it| it.key);
        order::sort(&mut places);
        MemoryRun { parts: self.parts, order: ChunkedOrder::of_sorted(places, bytes) }
    }
}

/// A sorted run in memory.
#[derive(Debug)]
pub struct MemoryRun {
    parts: Vec<GatheredPart>,
    order: ChunkedOrder,
}

impl MemoryRun {
    /// The entry of the record at a place, and the bytes that begin with the record's own.
    fn found(&self, place: Place) -> (&RecordPlace, &[u8]) {
        let records = &self.parts[place.part()].records;
        let found = &records.places()[place.number()];
        (found, &records.bytes()[found.offset as usize..])
    }

    fn record(&self, place: Place) -> Option<SortedRecord<'_>> {
        let (found, bytes) = self.found(place);
        let template = self.parts[place.part()].first_template + u64::from(found.template);
        Some(SortedRecord { key: place.key(), template, record: RecordView::first(bytes)? })
    }

    /// Passes the records of a chunk to `take`, in order. They lie anywhere in memory, so each is fetched into the cache while those
    /// before it are taken.
    pub fn chunk<'r>(&'r self, number: usize, mut take: impl FnMut(SortedRecord<'r>)) {
        /// Records from the one that is taken to the one all of whose bytes are fetched.
        const BYTES_AHEAD: usize = 4;
        /// Records from the one that is taken to the one whose first bytes are fetched, which tell how many there are.
        const SIZES_AHEAD: usize = 8;
        /// Records from the one that is taken to the one whose entry is fetched, which tells where its bytes are.
        const ENTRIES_AHEAD: usize = 16;
        let places = self.order.chunk(number);
        for (current, &place) in places.iter().enumerate() {
            if let Some(&later) = places.get(current + ENTRIES_AHEAD) {
                prefetch(&self.parts[later.part()].records.places()[later.number()]);
            }
            if let Some(&later) = places.get(current + SIZES_AHEAD) {
                self.found(later).1.first().into_iter().for_each(prefetch);
            }
            if let Some(next) = places.get(current + BYTES_AHEAD).and_then(|&it| self.record(it)) {
                prefetch_all(next.record.bytes());
            }
            if let Some(record) = self.record(place) {
                take(record);
            }
        }
    }

    /// Appends the run to a file that ends at `end`, which is moved.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, file: &File, end: &mut u64) -> io::Result<FileRun> {
        let mut chunks = Vec::new();
        let compress = |compressor: &mut io::Result<Compressor<'static>>, number: usize| {
            let mut bytes = Vec::with_capacity(CHUNK_BYTES * 5 / 4);
            let mut first = None;
            self.chunk(number, |SortedRecord { key, template, record }| {
                first.get_or_insert(key);
                bytes.extend(key.to_le_bytes());
                bytes.extend(template.to_le_bytes());
                bytes.extend_from_slice(record.bytes());
            });
            let compressor =
                compressor.as_mut().map_err(|error| io::Error::other(error.to_string()))?;
            Ok((first.unwrap_or_default(), bytes.len(), compressor.compress(&bytes)?))
        };
        let count = self.order.chunks();
        for window in (0..count).step_by(WINDOW) {
            let numbers = window..count.min(window + WINDOW);
            let made: Vec<(CoordinateKey, usize, Vec<u8>)> = numbers
                .into_par_iter()
                .map_init(compressor, compress)
                .collect::<io::Result<_>>()?;
            for (first, size, compressed) in made {
                file.write_all_at(&compressed, *end)?;
                chunks.push(FileChunk { first, offset: *end, compressed: compressed.len(), size });
                *end += compressed.len() as u64;
            }
        }
        Ok(FileRun { chunks })
    }
}

/// A compressor of chunks, which adds checksums: a chunk that the disk has changed is an error.
fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// A sorted run in a file.
#[derive(Debug)]
pub struct FileRun {
    chunks: Vec<FileChunk>,
}

/// A compressed chunk of a file.
#[derive(Debug, Clone, Copy)]
struct FileChunk {
    /// The key of its first record.
    first: CoordinateKey,
    /// The first byte in the file.
    offset: u64,
    /// Bytes in the file.
    compressed: usize,
    /// Bytes of the records, with those before each.
    size: usize,
}

/// A sorted run, wherever it is.
#[derive(Debug)]
pub enum SortedRun {
    Memory(MemoryRun),
    File(FileRun),
    Gpu(GpuRun),
}

impl SortedRun {
    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        match self {
            Self::Memory(run) => run.order.chunks(),
            Self::File(run) => run.chunks.len(),
            Self::Gpu(run) => run.order().chunks(),
        }
    }

    /// The key of the first record of a chunk.
    pub fn first_key(&self, chunk: usize) -> CoordinateKey {
        match self {
            Self::Memory(run) => run.order.first_key(chunk),
            Self::File(run) => run.chunks[chunk].first,
            Self::Gpu(run) => run.order().first_key(chunk),
        }
    }

    /// The number of chunks up to the first one whose first key is not `wanted`.
    pub fn chunks_while(&self, wanted: impl Fn(CoordinateKey) -> bool) -> usize {
        match self {
            Self::Memory(run) => run.order.chunks_while(wanted),
            Self::File(run) => run.chunks.partition_point(|chunk| wanted(chunk.first)),
            Self::Gpu(run) => run.order().chunks_while(wanted),
        }
    }

    /// About how many bytes the records of a chunk have.
    pub fn chunk_bytes(&self, chunk: usize) -> usize {
        match self {
            Self::Memory(_) | Self::Gpu(_) => CHUNK_BYTES,
            Self::File(run) => run.chunks[chunk].size,
        }
    }

    /// Reads a chunk: `None` if the run is in memory, where chunks need not be read.
    ///
    /// # Errors
    /// If the file cannot be read, or the GPU has failed.
    pub fn read(&self, chunk: usize, file: &File) -> io::Result<Option<Vec<u8>>> {
        let run = match self {
            Self::Memory(_) => return Ok(None),
            Self::Gpu(run) => return run.read(chunk).map(Some),
            Self::File(run) => run,
        };
        let FileChunk { offset, compressed, size, .. } = run.chunks[chunk];
        let mut bytes = vec![0; compressed];
        file.read_exact_at(&mut bytes, offset)?;
        let content = Decompressor::new()?.decompress(&bytes, size)?;
        if content.len() == size {
            Ok(Some(content))
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    /// The records of a chunk, whose content is that of [`read`](Self::read).
    pub fn records<'b>(&'b self, chunk: usize, content: Option<&'b [u8]>) -> Vec<SortedRecord<'b>> {
        match (self, content) {
            (Self::Memory(run), _) => {
                let mut records = Vec::new();
                run.chunk(chunk, |record| records.push(record));
                records
            }
            (Self::File(_), content) => of_file(content.unwrap_or_default()),
            (Self::Gpu(run), content) => run.sorted_records(chunk, content.unwrap_or_default()),
        }
    }
}

/// The records of a chunk of a file.
fn of_file(mut bytes: &[u8]) -> Vec<SortedRecord<'_>> {
    let mut records = Vec::new();
    while let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX_BYTES>()
        && let Some(record) = RecordView::first(rest)
    {
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| prefix[at + byte]));
        records.push(SortedRecord { key: number(0), template: number(8), record });
        bytes = &rest[record.bytes().len()..];
    }
    records
}
