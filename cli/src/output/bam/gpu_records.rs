//! Records in the memory of a GPU, which it makes blocks of.

use std::fmt::{self, Display};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use aligner_core::bgzf::{BLOCK_BYTES, CONTENT_BYTES, ContentSource};
use aligner_core::gpu::{DeviceAddress, Gpu};

use super::cuts::Cut;
use super::records::CoordinateKey;
use super::sink::IndexedRecord;

/// A record in the memory of a GPU.
#[derive(Debug, Clone, Copy)]
pub struct GpuRecord {
    /// The first byte.
    pub bytes: DeviceAddress<u8>,
    /// Bytes of the record.
    pub size: u32,
    /// Flags that are set in addition to those in its bytes.
    pub flag: u16,
    pub is_mapped: bool,
    /// Bases of the reference that it covers.
    pub bases: u32,
    /// Where it is among all records.
    pub key: CoordinateKey,
}

impl GpuRecord {
    /// The place of the record for the index, which ends at this byte of the content of its block.
    fn indexed(&self, offset: u16) -> IndexedRecord {
        let start = i64::from(self.key as u32) - 1;
        IndexedRecord {
            // That of records without one is -1 in both numbers.
            contig: (self.key >> 32) as i32,
            start,
            end: start + i64::from(self.bases),
            is_mapped: self.is_mapped,
            offset,
        }
    }
}

/// Records in the memory of a GPU that are written together, in order.
pub struct GpuBatch {
    pub(super) parts: Vec<Vec<GpuRecord>>,
    /// Keeps the bytes of the records.
    pub(super) memory: Arc<dyn Send + Sync>,
    /// The GPU; `None` for a device that takes its place.
    pub(super) gpu: Option<Gpu>,
}

impl GpuBatch {
    /// Records on this GPU, part by part, whose bytes are there as long as `memory` is.
    ///
    /// # Safety
    /// They are there, and nothing writes them. All batches of a file have the same GPU.
    #[allow(unsafe_code)]
    pub unsafe fn new(
        parts: Vec<Vec<GpuRecord>>,
        memory: Arc<dyn Send + Sync>,
        gpu: Option<Gpu>,
    ) -> Self {
        Self { parts, memory, gpu }
    }

    /// The records, part by part.
    #[cfg(test)]
    pub fn parts(&self) -> &[Vec<GpuRecord>] {
        &self.parts
    }
}

impl fmt::Debug for GpuBatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("GpuBatch").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

/// The error when a GPU has failed, and records are lost with it.
pub fn lost(reason: impl Display) -> io::Error {
    io::Error::other(format!(
        "{reason}: the GPU had the records that are sorted; without it (--device cpu) they are not lost"
    ))
}

/// Adds the sources of a range of a record's bytes, which go to `target` among all contents.
pub fn push_sources(
    record: &GpuRecord,
    bytes: Range<u32>,
    target: u32,
    sources: &mut Vec<ContentSource>,
) {
    for begin in bytes.clone().step_by(CONTENT_BYTES) {
        sources.push(ContentSource {
            bytes: record.bytes.offset(begin.into()),
            target: target + (begin - bytes.start),
            size: (bytes.end - begin).min(CONTENT_BYTES as u32) as u16,
            bits: if begin == 0 { record.flag } else { 0 },
        });
    }
}

/// What the contents of these cuts are made of, and the records that end in each, if there is an index: of records the first of
/// which begins at byte `begin` of those that were cut, not behind the first cut.
pub fn contents_of(
    records: &[GpuRecord],
    begin: usize,
    cuts: &[Cut],
    is_indexed: bool,
) -> (Vec<ContentSource>, Vec<Vec<IndexedRecord>>) {
    let (mut sources, mut indexed) = (Vec::new(), Vec::new());
    let (mut records, mut begin) = (records.iter(), begin);
    let mut next = records.next();
    for (number, cut) in cuts.iter().enumerate() {
        let mut ends = Vec::new();
        while let Some(record) = next {
            let end = begin + record.size as usize;
            let own = begin.max(cut.content.start)..end.min(cut.content.end);
            let target = number * BLOCK_BYTES + (own.start - cut.content.start);
            let bytes = (own.start - begin) as u32..(own.end - begin) as u32;
            push_sources(record, bytes, target as u32, &mut sources);
            if end > cut.content.end {
                break;
            }
            if is_indexed {
                ends.push(record.indexed((end - cut.content.start) as u16));
            }
            (next, begin) = (records.next(), end);
            if end == cut.content.end {
                break;
            }
        }
        indexed.push(ends);
    }
    (sources, indexed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::bam::cuts::cuts;

    #[test]
    fn contents_have_all_bytes_of_their_cuts() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            // The address of a byte is its place among all bytes.
            let mut end = 0;
            let records: Vec<GpuRecord> = (0..random.u32(0..300))
                .map(|number| {
                    let most = [40, 3_000, 70_000, 400_000][random.usize(..4)];
                    let (size, begin) = (random.u32(36..most), end);
                    end += u64::from(size);
                    let (bytes, flag) = (DeviceAddress::new(begin), number as u16);
                    let key = u64::from(number) + 1;
                    GpuRecord { bytes, size, flag, is_mapped: true, bases: 7, key }
                })
                .collect();
            let (cuts, rest) = cuts(records.iter().map(|it| it.size));
            assert_eq!(rest.end, end as usize);
            let ends: Vec<u64> =
                records.iter().map(|it| it.bytes.get() + u64::from(it.size)).collect();
            // From any cut on.
            let first = random.usize(..=cuts.len());
            let cuts = &cuts[first..];
            let begin = cuts.first().map_or(rest.start, |cut| cut.content.start) as u64;
            let skipped = ends.iter().filter(|&&end| end <= begin).count();
            let begin = records.get(skipped).map_or(0, |it| it.bytes.get()) as usize;
            let (sources, indexed) = contents_of(&records[skipped..], begin, cuts, true);
            let mut sources = sources.into_iter().peekable();
            for (number, cut) in cuts.iter().enumerate() {
                let mut at = cut.content.start;
                while at < cut.content.end {
                    let source = sources.next().expect("a source");
                    let target = number * BLOCK_BYTES + at - cut.content.start;
                    assert_eq!((source.bytes.get(), source.target), (at as u64, target as u32));
                    let begun = records.iter().find(|it| it.bytes.get() == at as u64);
                    assert_eq!(source.bits, begun.map_or(0, |it| it.flag), "seed {seed}");
                    at += usize::from(source.size);
                }
                assert_eq!(at, cut.content.end, "seed {seed}");
                let ended = ends.iter().zip(0..).filter(|&(&end, _)| {
                    (cut.content.start as u64) < end && end <= cut.content.end as u64
                });
                let expected: Vec<IndexedRecord> = ended
                    .map(|(end, start)| IndexedRecord {
                        contig: 0,
                        start,
                        end: start + 7,
                        is_mapped: true,
                        offset: (end - cut.content.start as u64) as u16,
                    })
                    .collect();
                assert_eq!(indexed[number], expected, "seed {seed}");
            }
            assert!(sources.next().is_none(), "seed {seed}");
        }
    }
}
