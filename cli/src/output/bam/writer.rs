//! Writing a file of BAM: records are cut into blocks, which are compressed and passed on to the [`sink`](super::sink).

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use aligner_core::DeviceError;
use aligner_core::bgzf::CONTENT_BYTES;
use aligner_core::gpu::Gpu;
use fm_index::Contig;
use rayon::prelude::*;

use super::batch::RecordBatch;
use super::bgzf::{BlockCompressor, Level};
use super::cuts::{Cut, cuts, in_batches};
use super::gpu::{self, Blocks, ContentBatch, GpuCompressor, JoinedGpus};
use super::gpu_records::{self, GpuBatch, GpuRecord};
use super::records::{EncodedRecords, RecordSlice};
use super::sink::{BlockRecords, IndexedRecord, MadeBlocks, SinkThread};
use super::view::{self, RecordView};
use crate::output::appended_file::AppendedFile;
use crate::output::hts::IndexBuilder;

/// The header of a file of BAM.
#[derive(Debug, Clone, Copy)]
pub struct Header<'h> {
    /// The header as text.
    pub text: &'h str,
    /// The contigs of its `@SQ` lines, in their order.
    pub contigs: &'h [Contig],
}

/// A file of BAM that is being written.
///
/// A block holds as many records as fit, so that each lies in one block; only a record that is larger than a block has
/// several, and the last of them to itself. The last records wait for those that fill their block, so where blocks end does
/// not depend on how many records come at a time.
///
/// All threads, or GPUs, compress blocks, while a thread of its own writes the blocks before, and another one tells the index of them.
#[derive(Debug)]
pub struct BamWriter {
    compressor: Compressor,
    is_indexed: bool,
    /// The records of the block that is not full yet, if records are on the host.
    open: EncodedRecords,
    /// The records of that block if records are on a GPU; `None` before the first ones.
    open_on_gpu: Option<GpuBatch>,
    /// The most contents that a GPU compresses in one launch.
    most_contents: usize,
    /// The thread that writes; `None` after it has failed.
    sink: Option<SinkThread>,
}

/// What compresses blocks.
#[derive(Debug)]
enum Compressor {
    /// All threads, with this level, until there is a GPU that can.
    Cpu(Level, Option<JoinedGpus>),
    /// The GPUs, whatever the contents.
    Gpu(GpuCompressor<BlockRecords>),
    /// The GPU that has all records.
    OfGathered(GpuCompressor<BlockRecords>),
}

impl Compressor {
    /// Goes over to the GPUs that there are now, if there is one and the level is one that their kernel stands for.
    ///
    /// # Errors
    /// If no thread can be started.
    fn look_for_gpu(&mut self) -> io::Result<()> {
        if let Self::Cpu(level, joined) = self
            && level.is_of_gpu()
            && let Some(gpus) = joined.as_ref().map(JoinedGpus::all).filter(|it| !it.is_empty())
        {
            *self = match GpuCompressor::on_gpus(gpus, *level)? {
                Some(compressor) => Self::Gpu(compressor),
                None => Self::Cpu(*level, None),
            };
        }
        Ok(())
    }
}

/// A complete file.
#[derive(Debug)]
pub struct ClosedBam {
    /// The index, which can be saved.
    pub index: Option<IndexBuilder>,
    /// The first failure of a GPU after which the CPU compressed blocks.
    pub device_failure: Option<DeviceError>,
}

impl BamWriter {
    /// Begins a file with its header. GPUs compress blocks from when there is one on, if the level is one of a GPU; all
    /// threads do otherwise. `begin_index` begins the index of its records at the virtual offset of the first one, if there is to be an
    /// index; records then must come by coordinate.
    ///
    /// # Errors
    /// If the file cannot be written, or the index cannot be begun.
    pub fn create(
        file: AppendedFile,
        header: &Header<'_>,
        (gpus, level): (&JoinedGpus, Level),
        begin_index: impl FnOnce(u64) -> io::Result<Option<IndexBuilder>>,
    ) -> io::Result<Self> {
        let compressor = Compressor::Cpu(level, Some(gpus.clone()));
        Self::with_compressor(file, header, (compressor, level), begin_index)
    }

    /// Begins a file as [`create`](Self::create). The header is compressed with this level.
    fn with_compressor(
        mut file: AppendedFile,
        header: &Header<'_>,
        (compressor, level): (Compressor, Level),
        begin_index: impl FnOnce(u64) -> io::Result<Option<IndexBuilder>>,
    ) -> io::Result<Self> {
        let mut of_header = BlockCompressor::new(level);
        let header = encoded_header(header);
        let blocks: Vec<Vec<u8>> =
            header.chunks(CONTENT_BYTES).map(|chunk| of_header.block(chunk)).collect();
        file.write(&blocks.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let written: u64 = blocks.iter().map(|block| block.len() as u64).sum();
        let index = begin_index(written << 16)?;
        let is_indexed = index.is_some();
        let sink = Some(SinkThread::begin(file, index, written)?);
        let open = EncodedRecords::default();
        let most_contents = gpu::BATCH;
        Ok(Self { compressor, is_indexed, open, open_on_gpu: None, most_contents, sink })
    }

    /// Appends records.
    ///
    /// # Errors
    /// If they, or earlier ones, cannot be written; the error may also come later.
    pub fn write(&mut self, batch: RecordBatch) -> io::Result<()> {
        let written = self.cut_and_send(batch);
        self.noting_failure(written)
    }

    fn cut_and_send(&mut self, batch: RecordBatch) -> io::Result<()> {
        let batch = Arc::new(batch.with_open(std::mem::take(&mut self.open)));
        let parts = batch.parts();
        let (cuts, rest) = cuts(parts.iter().flat_map(|part| part.sizes).copied());
        let open = bytes_of(&parts, rest);
        let sizes = view::records(&open).map(|it| it.bytes().len() as u32).collect();
        self.open = EncodedRecords::restored(open, sizes, Vec::new(), 0);
        self.compressor.look_for_gpu()?;
        let most = match self.compressor {
            Compressor::Cpu(..) => usize::MAX,
            Compressor::Gpu(_) | Compressor::OfGathered(_) => self.most_contents,
        };
        in_batches(&cuts, most).try_for_each(|cuts| self.send(&batch, cuts))
    }

    /// Appends records that are in the memory of a GPU, as all records of the file are.
    ///
    /// # Errors
    /// As [`write`](Self::write), and if the GPU fails.
    pub fn write_on_gpu(&mut self, batch: GpuBatch) -> io::Result<()> {
        let written = self.cut_and_send_on_gpu(batch);
        self.noting_failure(written)
    }

    /// Lets nothing more be written to a file that lacks something.
    fn noting_failure(&mut self, written: io::Result<()>) -> io::Result<()> {
        if written.is_err() {
            self.sink = None;
        }
        written
    }

    fn cut_and_send_on_gpu(&mut self, batch: GpuBatch) -> io::Result<()> {
        let GpuBatch { parts, memory, gpu } = batch;
        let open = self.open_on_gpu.take().map_or_else(Vec::new, |open| open.parts);
        let records: Vec<GpuRecord> = open.into_iter().chain(parts).flatten().collect();
        let (cuts, rest) = cuts(records.iter().map(|it| it.size));
        let (first, _) = record_at(&records, rest.start);
        let open = vec![records[first..].to_vec()];
        self.send_on_gpu(records, &cuts, &memory, gpu.as_ref())?;
        self.open_on_gpu = Some(GpuBatch { parts: open, memory, gpu });
        Ok(())
    }

    /// Lets the GPU that has records compress blocks of them, and passes these on.
    fn send_on_gpu(
        &mut self,
        records: Vec<GpuRecord>,
        cuts: &[Cut],
        memory: &Arc<dyn Send + Sync>,
        gpu: Option<&Gpu>,
    ) -> io::Result<()> {
        if let (Compressor::Cpu(..), Some(gpu)) = (&self.compressor, gpu) {
            self.compressor = Compressor::OfGathered(GpuCompressor::of_gathered(gpu)?);
        }
        let Compressor::OfGathered(compressor) = &mut self.compressor else {
            return Err(io::Error::other("records on a GPU behind records on the host"));
        };
        let (records, is_indexed) = (Arc::new(records), self.is_indexed);
        let mut made = Vec::new();
        for cuts in in_batches(cuts, self.most_contents) {
            let (first, begin) = record_at(&records, cuts[0].content.start);
            let (cuts, records) = (cuts.to_vec(), Arc::clone(&records));
            let memory = Arc::clone(memory);
            made.push(compressor.compress(move |batch: &mut ContentBatch| {
                let records = &records[first..];
                let (sources, ends) = gpu_records::contents_of(records, begin, &cuts, is_indexed);
                let lengths = cuts.iter().map(|cut| cut.content.len());
                #[allow(unsafe_code)]
                // SAFETY: who made the batches promised that their records are on one GPU, which compresses, and that `memory` keeps
                // their bytes and nothing writes them; each record has its own place in the contents.
                unsafe {
                    batch.gather(lengths, sources, memory);
                }
                ends
            })?);
        }
        made.into_iter().try_for_each(|made| self.pass_on(made))
    }

    /// Compresses blocks of a batch, and passes them on.
    fn send(&mut self, batch: &Arc<RecordBatch>, cuts: &[Cut]) -> io::Result<()> {
        let is_indexed = self.is_indexed;
        match &mut self.compressor {
            Compressor::Cpu(level, _) => {
                let level = *level;
                let parts = batch.parts();
                let make = |compressor: &mut BlockCompressor, cut: &Cut| {
                    let content = bytes_of(&parts, cut.content.clone());
                    (compressor.block(&content), records_of(&parts, &content, cut, is_indexed))
                };
                let (made, records): (Vec<Vec<u8>>, BlockRecords) =
                    cuts.par_iter().map_init(|| BlockCompressor::new(level), make).unzip();
                let (sender, blocks) = sync_channel(1);
                // The receiver is in this function.
                let _ = sender.send(Ok((Blocks::Host(made), records)));
                self.pass_on(blocks)
            }
            Compressor::OfGathered(_) => {
                Err(io::Error::other("records on the host behind records on a GPU"))
            }
            Compressor::Gpu(gpu) => {
                let (batch, cuts) = (Arc::clone(batch), cuts.to_vec());
                let fill = move |contents: &mut ContentBatch| {
                    let parts = batch.parts();
                    let rooms = contents.fill(cuts.iter().map(|cut| cut.content.len()));
                    let fill = |(content, cut): (&mut [u8], &Cut)| {
                        copy_range(&parts, cut.content.clone(), content);
                        records_of(&parts, content, cut, is_indexed)
                    };
                    rooms.zip(&cuts).map(fill).collect()
                };
                let blocks = gpu.compress(fill)?;
                self.pass_on(blocks)
            }
        }
    }

    /// Passes blocks on to the thread that writes them.
    fn pass_on(&mut self, blocks: MadeBlocks) -> io::Result<()> {
        let sink = self.sink.as_ref().ok_or_else(ended)?;
        if sink.blocks.send(blocks).is_err() {
            // The thread ends early only with an error.
            self.sink.take().map_or(Ok(None), SinkThread::end)?;
            return Err(ended());
        }
        Ok(())
    }

    /// Writes the open block and the end of the file, and closes it.
    ///
    /// # Errors
    /// If something could not be written, also before.
    pub fn close(mut self) -> io::Result<ClosedBam> {
        let open = std::mem::take(&mut self.open);
        let length = open.as_slice().bytes.len();
        if length > 0 {
            let cut = Cut { content: 0..length, records: 0..length };
            self.send(&Arc::new(RecordBatch::default().with_open(open)), &[cut])?;
        }
        if let Some(GpuBatch { parts, memory, gpu }) = self.open_on_gpu.take() {
            let records = parts.concat();
            let length = records.iter().map(|it| it.size as usize).sum();
            if length > 0 {
                let cut = Cut { content: 0..length, records: 0..length };
                self.send_on_gpu(records, &[cut], &memory, gpu.as_ref())?;
            }
        }
        let index = self.sink.take().ok_or_else(ended)?.end()?;
        let device_failure = match self.compressor {
            Compressor::Cpu(..) => None,
            Compressor::Gpu(gpu) => gpu.end(),
            // Where it failed and others of its threads did not, nothing was compressed on the CPU.
            Compressor::OfGathered(gpu) => gpu.end().and(None),
        };
        Ok(ClosedBam { index, device_failure })
    }
}

/// The error of a file that lacks something.
fn ended() -> io::Error {
    io::Error::other("nothing more can be written")
}

/// The number of the record that has this byte, and the record's first byte; behind the last record, the number of records.
fn record_at(records: &[GpuRecord], byte: usize) -> (usize, usize) {
    let mut begin = 0;
    for (number, record) in records.iter().enumerate() {
        let end = begin + record.size as usize;
        if end > byte {
            return (number, begin);
        }
        begin = end;
    }
    (records.len(), begin)
}

/// A range of the bytes of all parts.
fn bytes_of(parts: &[RecordSlice<'_>], range: Range<usize>) -> Vec<u8> {
    let mut bytes = vec![0; range.len()];
    copy_range(parts, range, &mut bytes);
    bytes
}

/// Copies a range of the bytes of all parts to `target`, which is as long.
fn copy_range(parts: &[RecordSlice<'_>], range: Range<usize>, target: &mut [u8]) {
    let mut begin = 0;
    for part in parts.iter().map(|part| part.bytes) {
        let end = begin + part.len();
        let (first, last) = (range.start.max(begin), range.end.min(end));
        if first < last {
            let copied = &part[first - begin..last - begin];
            target[first - range.start..last - range.start].copy_from_slice(copied);
        }
        begin = end;
    }
}

/// The places of the records that end in a block with this content, if there is an index.
fn records_of(
    parts: &[RecordSlice<'_>],
    content: &[u8],
    cut: &Cut,
    is_indexed: bool,
) -> Vec<IndexedRecord> {
    match (is_indexed, cut.records == cut.content) {
        (false, _) => Vec::new(),
        (true, true) => indexed_records(content, cut),
        (true, false) => indexed_records(&bytes_of(parts, cut.records.clone()), cut),
    }
}

/// The places of the records that end in a block, which have these bytes, for the index.
fn indexed_records(bytes: &[u8], cut: &Cut) -> Vec<IndexedRecord> {
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
    view::records(bytes).map(indexed).collect()
}

/// The header in BAM's encoding: its text, then name and length of each contig.
fn encoded_header(&Header { text, contigs }: &Header<'_>) -> Vec<u8> {
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
    use std::fs::{self, File};
    use std::io::Read as _;
    use std::path::Path;

    use rust_htslib::bam::{IndexedReader, Read as _};

    use super::*;
    use crate::output::bam::gpu::on_shim;
    use crate::output::bam::records::EncodedRecords;
    use crate::output::hts::Index;
    use crate::output::record::fields::{Position, Record, UNMAPPED};
    use crate::output::sort::gpu_store::{GpuPlace, GpuStore};

    /// Records of 100 bases, each ten bases behind the one before, with random qualities; then some on another contig, of which the first
    /// is larger than a block and some are not aligned, and some without a position.
    fn records(count: u32) -> EncodedRecords {
        let mut random = fastrand::Rng::with_seed(1);
        let mut records = EncodedRecords::default();
        for number in 0..count {
            let quality: Vec<u8> = (0..100).map(|_| random.u8(2..41)).collect();
            let name = number.to_string();
            let position = Some(Position { contig: 0, base: 10 * number });
            let record = Record {
                mapq: 60,
                cigar: &[100 << 4],
                sequence: &[b'A'; 100],
                quality: Some(&quality),
                ..Record::of_four_bases(name.as_bytes(), position)
            };
            records.push(&record, true);
        }
        for number in 0..30 {
            let length = if number == 0 { 150_000 } else { 50 };
            let position = (number < 20).then_some(Position { contig: 1, base: 7 * number });
            let is_mapped = number % 3 == 0 && position.is_some();
            let record = Record {
                flag: if is_mapped { 0 } else { UNMAPPED },
                cigar: if is_mapped { &[20 << 4] } else { &[] },
                sequence: &vec![b'C'; length],
                ..Record::of_four_bases(b"other", position)
            };
            records.push(&record, true);
        }
        records
    }

    #[test]
    fn a_gpu_writes_the_records_of_the_cpu_with_an_index() {
        let folder = tempfile::tempdir().expect("a folder");
        let contigs = ["c", "d"].map(|name| Contig {
            name: name.to_owned(),
            length: 1 << 20,
            offset: 0,
            md5: [0; 16],
        });
        let text = "@SQ\tSN:c\tLN:1048576\n@SQ\tSN:d\tLN:1048576\n";
        let header = Header { text, contigs: &contigs };
        let level = Level::default();
        let write = |name: &str, compressor: Compressor, store: Option<&GpuStore>| {
            let path = folder.path().join(name);
            let file = AppendedFile::stream(File::create(&path).expect("a file").into());
            let begin = |offset| IndexBuilder::new(Index::Bai, 2, 1 << 20, offset).map(Some);
            let writer = BamWriter::with_compressor(file, &header, (compressor, level), begin);
            let mut writer = writer.expect("begins");
            // Several launches for the records that come together.
            writer.most_contents = 2;
            match store {
                None => writer.write(RecordBatch::new(vec![records(2500)])).expect("is written"),
                Some(store) => {
                    let on_gpu = Arc::new(store.upload(&records(2500)).expect("memory"));
                    let places = on_gpu.places().iter();
                    let records: Vec<GpuRecord> = places.map(|it| on_gpu.record(it)).collect();
                    for records in records.chunks(700) {
                        let (records, memory) = (records.to_vec(), Arc::clone(&on_gpu) as Arc<_>);
                        #[allow(unsafe_code)]
                        // SAFETY: `memory` has the records.
                        let batch = unsafe { GpuBatch::new(vec![records], memory, None) };
                        writer.write_on_gpu(batch).expect("is written");
                    }
                }
            }
            let closed = writer.close().expect("is closed");
            assert_eq!(closed.device_failure, None, "{name}");
            let index = closed.index.expect("an index");
            index.save(&folder.path().join(format!("{name}.bai"))).expect("is written");
            let read = |path: &Path| fs::read(path).expect("is read");
            let (file, index) = (read(&path), read(&folder.path().join(format!("{name}.bai"))));
            let mut content = Vec::new();
            let mut decoder = flate2::read::MultiGzDecoder::new(&file[..]);
            decoder.read_to_end(&mut content).expect("is gzip");
            let mut reader = IndexedReader::from_path(&path).expect("has an index");
            for base in [0, 8_000, 24_800] {
                reader.fetch((0, base, base + 100)).expect("is found");
                let overlapping = (base / 10 - 9).max(0)..(base / 10 + 10).min(2500);
                assert_eq!(reader.records().count(), overlapping.count(), "{name}, {base}");
            }
            ((file, index), content)
        };
        let (on_cpu, expected) = write("cpu.bam", Compressor::Cpu(level, None), None);
        let gpu = Compressor::Gpu(on_shim(usize::MAX, false));
        let (on_gpu, found) = write("gpu.bam", gpu, None);
        assert!(found == expected && on_gpu != on_cpu);
        let store = GpuStore::on_shim(u64::MAX);
        let gpu = Compressor::OfGathered(on_shim(usize::MAX, true));
        let (gathered, found) = write("gathered.bam", gpu, Some(&store));
        assert!(found == expected && gathered == on_gpu);
    }

    #[test]
    fn a_gpu_that_fails_loses_records_that_only_it_has() {
        let store = GpuStore::on_shim(u64::MAX);
        let on_gpu = Arc::new(store.upload(&records(2500)).expect("memory"));
        for batches in [0, 1] {
            let file = AppendedFile::stream(tempfile::tempfile().expect("a file").into());
            let header = Header { text: "", contigs: &[] };
            let compressor = Compressor::OfGathered(on_shim(batches, true));
            let writer =
                BamWriter::with_compressor(file, &header, (compressor, Level::default()), |_| {
                    Ok(None)
                });
            let mut writer = writer.expect("begins");
            let mut write = |places: &[GpuPlace]| {
                let parts = vec![places.iter().map(|it| on_gpu.record(it)).collect()];
                #[allow(unsafe_code)]
                // SAFETY: the memory has the records.
                let batch = unsafe { GpuBatch::new(parts, Arc::clone(&on_gpu) as Arc<_>, None) };
                writer.write_on_gpu(batch)
            };
            let failed = on_gpu.places().chunks(500).find_map(|places| write(places).err());
            let failed = failed.expect("fails").to_string();
            assert!(failed.contains("out of device memory"), "{failed}");
            assert!(failed.contains("--device cpu"), "{failed}");
            // Nor is the file complete then.
            assert!(writer.close().is_err());
        }
    }

    #[test]
    fn ranges_span_parts() {
        let parts: [&[u8]; 4] = [b"abc", b"", b"de", b"f"];
        let parts = parts.map(|bytes| RecordSlice { bytes, sizes: &[] });
        for begin in 0..=6 {
            for end in begin..=6 {
                assert_eq!(bytes_of(&parts, begin..end), b"abcdef"[begin..end]);
            }
        }
    }
}
