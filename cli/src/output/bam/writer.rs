//! Writing a file of BAM: records into blocks, blocks into the file, ends of records into the index.

use std::io;
use std::ops::Range;

use fm_index::Contig;
use rayon::prelude::*;

use super::bgzf::{BLOCK_BYTES, BlockCompressor, END, Level};
use super::view::{self, RecordView};
use crate::output::hts::IndexBuilder;
use crate::output::parallel_file::ParallelFile;

/// A file of BAM that is being written.
///
/// A block holds as many records as fit, so that each lies in one block; only a record that is larger than a block has
/// several, and the last of them to itself. The last records wait for those that fill their block, so where blocks end does
/// not depend on how many records come at a time.
#[derive(Debug)]
pub struct BamWriter {
    file: ParallelFile,
    level: Level,
    /// The records of the block that is not full yet.
    open: Vec<u8>,
    /// Bytes of the file before the open block.
    written: u64,
    index: Option<IndexBuilder>,
}

/// A block to be: ranges of the bytes that are to be written.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    content: Range<usize>,
    /// The records that end in the block. They begin there too, but for a record that is larger than a block.
    records: Range<usize>,
}

/// A block, ready to be written, and the records that end in it.
struct MadeBlock {
    bytes: Vec<u8>,
    records: Vec<IndexedRecord>,
}

/// The place of a record on its contig and in the file, for the index.
struct IndexedRecord {
    contig: i32,
    start: i64,
    end: i64,
    is_mapped: bool,
    /// The record's end in the content of its block.
    offset: u16,
}

impl BamWriter {
    /// Begins a file with its header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(
        file: ParallelFile,
        header: &str,
        contigs: &[Contig],
        level: Level,
    ) -> io::Result<Self> {
        let mut writer = Self { file, level, open: Vec::new(), written: 0, index: None };
        let header = encoded_header(header, contigs);
        let chunk = |begin| Cut {
            content: begin..header.len().min(begin + BLOCK_BYTES),
            records: begin..begin,
        };
        let cuts: Vec<Cut> = (0..header.len()).step_by(BLOCK_BYTES).map(chunk).collect();
        writer.write_blocks(&[&header], &cuts)?;
        Ok(writer)
    }

    /// Makes an index of the records, which must come by coordinate: the one that `begin` begins at the virtual offset of
    /// the first record. To be called before the first record.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn index(&mut self, begin: impl FnOnce(u64) -> io::Result<IndexBuilder>) -> io::Result<()> {
        self.index = Some(begin(self.written << 16)?);
        Ok(())
    }

    /// Appends records: each part has whole records.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let open = std::mem::take(&mut self.open);
        let parts = [&[open.as_slice()], parts].concat();
        let cuts = cuts(&parts);
        self.write_blocks(&parts, &cuts)?;
        let end = cuts.last().map_or(0, |cut| cut.content.end);
        self.open = bytes_of(&parts, end..parts.iter().map(|part| part.len()).sum());
        Ok(())
    }

    /// Compresses and writes blocks of these parts.
    fn write_blocks(&mut self, parts: &[&[u8]], cuts: &[Cut]) -> io::Result<()> {
        let (level, is_indexed) = (self.level, self.index.is_some());
        let make = |compressor: &mut BlockCompressor, cut: &Cut| {
            let content = bytes_of(parts, cut.content.clone());
            let records = if is_indexed { indexed_records(parts, cut) } else { Vec::new() };
            MadeBlock { bytes: compressor.block(&content), records }
        };
        let blocks: Vec<MadeBlock> =
            cuts.par_iter().map_init(|| BlockCompressor::new(level), make).collect();
        let bytes: Vec<&[u8]> = blocks.iter().map(|block| block.bytes.as_slice()).collect();
        self.file.write(&bytes)?;
        for MadeBlock { bytes, records } in &blocks {
            if let Some(index) = &mut self.index {
                for record in records {
                    let &IndexedRecord { contig, start, end, is_mapped, offset } = record;
                    let offset = self.written << 16 | u64::from(offset);
                    index.push(contig, start..end, offset, is_mapped)?;
                }
            }
            self.written += bytes.len() as u64;
        }
        Ok(())
    }

    /// Writes the open block and the end of the file, and closes it. Returns the index, which can be saved.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(mut self) -> io::Result<Option<IndexBuilder>> {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.write_blocks(&[&open], &[Cut { content: 0..open.len(), records: 0..open.len() }])?;
        }
        self.file.write(&[END])?;
        self.file.close()?;
        if let Some(index) = &mut self.index {
            index.finish(self.written << 16)?;
        }
        Ok(self.index)
    }
}

/// The full blocks of parts that consist of whole records each. What follows them does not fill a block.
fn cuts(parts: &[&[u8]]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    // Where the current block and the current record begin.
    let (mut block, mut at) = (0, 0);
    for record in parts.iter().flat_map(|part| view::records(part)) {
        let size = record.bytes().len();
        if at + size - block > BLOCK_BYTES {
            if at > block {
                cuts.push(Cut { content: block..at, records: block..at });
            }
            block = at;
        }
        let end = at + size;
        if size > BLOCK_BYTES {
            while block < end {
                let content = block..end.min(block + BLOCK_BYTES);
                let records = if content.end == end { at..end } else { block..block };
                block = content.end;
                cuts.push(Cut { content, records });
            }
        }
        at = end;
    }
    cuts
}

/// A range of the bytes of all parts.
fn bytes_of(parts: &[&[u8]], range: Range<usize>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(range.len());
    let mut begin = 0;
    for part in parts {
        let end = begin + part.len();
        if begin < range.end && range.start < end {
            let from = range.start.saturating_sub(begin);
            bytes.extend_from_slice(&part[from..part.len().min(range.end - begin)]);
        }
        begin = end;
    }
    bytes
}

/// The places of the records that end in a block, for the index.
fn indexed_records(parts: &[&[u8]], cut: &Cut) -> Vec<IndexedRecord> {
    let bytes = bytes_of(parts, cut.records.clone());
    let mut end = cut.records.start;
    let indexed = |record: RecordView<'_>| {
        end += record.bytes().len();
        IndexedRecord {
            contig: record.contig(),
            start: record.start(),
            end: record.end(),
            is_mapped: record.is_mapped(),
            offset: (end - cut.content.start) as u16,
        }
    };
    view::records(&bytes).map(indexed).collect()
}

/// The header in BAM's encoding: its text, then name and length of each contig.
fn encoded_header(text: &str, contigs: &[Contig]) -> Vec<u8> {
    let mut bytes = b"BAM\x01".to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend((contigs.len() as u32).to_le_bytes());
    for contig in contigs {
        bytes.extend((contig.name.len() as u32 + 1).to_le_bytes());
        bytes.extend(contig.name.as_bytes());
        bytes.push(0);
        bytes.extend(contig.length.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of this many bytes in all.
    fn record(size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        bytes[..4].copy_from_slice(&(size as u32 - 4).to_le_bytes());
        bytes
    }

    #[test]
    fn blocks_hold_whole_records() {
        let parts = [[record(60_000), record(5_280)].concat(), record(100), record(140_000)];
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let cut = |content: Range<usize>, records: Range<usize>| Cut { content, records };
        let large = 65_380..205_380;
        let expected = [
            cut(0..65_280, 0..65_280),
            cut(65_280..65_380, 65_280..65_380),
            cut(65_380..130_660, 65_380..65_380),
            cut(130_660..195_940, 130_660..130_660),
            cut(195_940..205_380, large),
        ];
        assert_eq!(cuts(&parts), expected);
        assert_eq!(cuts(&parts[..2]), expected[..1]);
        assert_eq!(cuts(&[]), []);
    }

    #[test]
    fn ranges_span_parts() {
        let parts: [&[u8]; 4] = [b"abc", b"", b"de", b"f"];
        for begin in 0..=6 {
            for end in begin..=6 {
                assert_eq!(bytes_of(&parts, begin..end), b"abcdef"[begin..end]);
            }
        }
    }
}
