//! Files of SAM, BAM or CRAM.
//!
//! Threads make [`piece`]s of a file in parallel of the records that [`record`] makes of mappings: lines of [`sam`], built in
//! [`lines`], or records in the encoding of [`bam`], which are [`sort`]ed if they are to be by coordinate. [`Output`] writes
//! them after the [`header`]: lines and blocks of BAM to an [`appended_file`], CRAM and sorted SAM through [`hts`]. [`tally`]
//! counts the records. The output of a shard is pieces as they are ([`stored_piece`]), which are written when shards are merged.

mod appended_file;
mod bam;
pub mod duplicates;
pub mod escapes;
mod format;
pub mod header;
mod hts;
mod lines;
mod piece;
mod read_group;
pub mod record;
mod sam;
mod sort;
mod stored_piece;
mod tally;

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use aligner_core::DeviceError;
use anyhow::{Context, Result};
use fm_index::Contig;
use rayon::prelude::*;
use rust_htslib::bam::Record as HtslibRecord;

pub use self::bam::bgzf::Level;
pub use self::bam::gpu::JoinedGpus;
pub use self::duplicates::{LibraryCounts, Marking};
pub use self::format::Format;
pub use self::hts::{ReferenceFiles, ReferenceSource, ReferenceText};
pub use self::piece::{Piece, PieceForm, PiecePool};
pub use self::read_group::{Libraries, ReadGroup, ReadGroups};
pub use self::stored_piece::{PieceLimits, restore};
pub use self::tally::{Tally, quantile};

use self::appended_file::AppendedFile;
use self::bam::batch::RecordBatch;
use self::bam::gpu_records::GpuBatch;
use self::bam::view;
use self::bam::writer::{BamWriter, ClosedBam};
use self::duplicates::{DuplicateCounts, Signatures};
use self::hts::{Index, Settings};
use self::piece::GroupCounts;
use self::record::fields::DUPLICATE;
use self::sort::gpu_store::GpuStore;
use self::sort::{SortedBatch, Sorter};
use self::tally::RecordCounts;
use crate::shard::{self, ShardWriter, Unit};
use crate::staging::{Outputs, Target};

/// Of the memory for sorting, one part of this many is for what decides about duplicates, if they are marked.
const SIGNATURES_SHARE: usize = 4;

/// How to write a file of alignments.
#[derive(Debug)]
pub struct Options {
    /// The format of the file.
    pub format: Format,
    /// The number of threads that compress.
    pub threads: usize,
    /// The header as text.
    pub header: String,
    /// Memory, in bytes, for sorting records by coordinate; `None` keeps the order of the reads.
    pub sort_memory: Option<usize>,
    /// The folder of what memory does not hold; `None` for that of the file.
    pub temporary_folder: Option<PathBuf>,
    /// What to do with duplicates among records that are sorted; `None` to keep them as they are.
    pub marking: Option<Marking>,
    /// The number of the library of each read group.
    pub libraries: Vec<u32>,
    /// How well BAM is compressed.
    pub level: Level,
    /// The GPUs that compress BAM from when there is one on, unless the level needs the CPU.
    pub gpus: JoinedGpus,
    /// The header of the file of a shard, which is written in place of a file of alignments.
    pub shard: Option<shard::Header>,
    /// Whether pieces are of shards, which have no lines.
    pub is_merged: bool,
}

/// The reference of a file of alignments.
#[derive(Debug)]
pub struct OutputReference<'r> {
    pub contigs: &'r [Contig],
    /// The letters, which CRAM needs.
    pub text: Option<ReferenceText>,
}

impl Options {
    /// The form that pieces must have.
    pub fn piece_form(&self) -> PieceForm {
        match (self.sort_memory, self.marking, self.format) {
            (Some(_), Some(Marking { umis, .. }), _) => PieceForm::MarkableRecords { umis },
            (Some(_), None, _) => PieceForm::SortableRecords,
            (None, _, Format::Sam) if self.shard.is_none() && !self.is_merged => PieceForm::Lines,
            (None, ..) => PieceForm::Records,
        }
    }
}

/// An output file under construction.
#[derive(Debug)]
pub struct Output {
    writer: Writer,
    sorter: Option<Sorter>,
    /// Where records that will be sorted may be kept.
    gpu_store: Option<Arc<GpuStore>>,
    marker: Option<Marker>,
    index: Option<IndexFile>,
    target: Target,
    counts: RecordCounts,
}

/// A complete file that does not have its name yet.
#[derive(Debug)]
pub struct WrittenFile {
    /// The destination of the file.
    pub target: Target,
    /// Counts of its records.
    pub tally: Tally,
    /// Counts of duplicates, if they were looked for.
    pub duplicates: Option<DuplicateCounts>,
    /// The first failure of a GPU after which the CPU compressed parts of the file.
    pub device_failure: Option<DeviceError>,
    /// The file of a shard, whose end is not written yet.
    pub shard: Option<ShardWriter>,
    /// Records that were in the memory of a GPU until they were sorted.
    pub on_gpu: u64,
}

/// The treatment of duplicates, and the signatures that decide which templates are some.
#[derive(Debug)]
struct Marker {
    marking: Marking,
    signatures: Signatures,
}

/// The writer of a file.
#[derive(Debug)]
enum Writer {
    /// Of lines of SAM in the order of the reads.
    Lines(AppendedFile),
    /// Of BAM.
    Bam(Box<BamWriter>),
    /// Of CRAM and of SAM that is not made of lines.
    Hts(hts::Writer),
    /// Of a shard.
    Shard(ShardWriter),
}

/// The index of a sorted file: where it is written, and its format.
#[derive(Debug)]
struct IndexFile {
    path: PathBuf,
    kind: Index,
}

impl Writer {
    /// Writes records that are in the memory of a GPU, which only files of BAM have.
    fn write_on_gpu(&mut self, batch: GpuBatch) -> io::Result<()> {
        match self {
            Self::Bam(file) => file.write_on_gpu(batch),
            Self::Lines(_) | Self::Hts(_) | Self::Shard(_) => {
                Err(io::ErrorKind::Unsupported.into())
            }
        }
    }

    /// Writes records in BAM's encoding.
    fn write_records(&mut self, batch: RecordBatch) -> io::Result<()> {
        match self {
            Self::Lines(_) | Self::Shard(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Bam(file) => file.write(batch),
            Self::Hts(file) => {
                let made: Vec<Vec<HtslibRecord>> = batch
                    .parts()
                    .par_iter()
                    .map(|part| view::records(part.bytes).map(hts::record).collect())
                    .collect::<io::Result<_>>()?;
                made.iter().flatten().try_for_each(|record| file.write(record))
            }
        }
    }
}

impl Output {
    /// Begins a file with its header. A regular file of BAM or CRAM that is sorted gets an index.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(
        mut target: Target,
        outputs: &mut Outputs,
        options: &Options,
        reference: OutputReference<'_>,
    ) -> Result<Self> {
        if let Some(header) = &options.shard {
            let begin = |descriptor| ShardWriter::create(File::from(descriptor), header);
            let writer = target.open().and_then(begin).with_context(|| target.name())?;
            let (writer, counts) = (Writer::Shard(writer), RecordCounts::default());
            let (sorter, gpu_store, marker, index) = (None, None, None, None);
            return Ok(Self { writer, sorter, gpu_store, marker, index, target, counts });
        }
        let OutputReference { contigs, text } = reference;
        let folder = options.temporary_folder.clone().unwrap_or_else(|| target.scratch_folder());
        let marker = |marking| {
            let memory = options.sort_memory.unwrap_or_default() / SIGNATURES_SHARE;
            let signatures = Signatures::new(options.libraries.clone(), memory, &folder);
            let named = || format!("cannot make a temporary file in {}", folder.display());
            Ok::<_, anyhow::Error>(Marker { marking, signatures: signatures.with_context(named)? })
        };
        let marker = options.marking.map(marker).transpose()?;
        let of_signatures = |memory| if marker.is_some() { memory / SIGNATURES_SHARE } else { 0 };
        // Records that a GPU compresses may be on it.
        let is_of_gpu = options.format == Format::Bam && options.level.is_of_gpu();
        let may_be_on_gpu = is_of_gpu && options.sort_memory.is_some();
        let gpu_store = may_be_on_gpu.then(|| Arc::new(GpuStore::new(options.gpus.clone())));
        let sorter =
            |memory| Sorter::new(memory - of_signatures(memory), folder.clone(), gpu_store.clone());
        let sorter = options.sort_memory.map(sorter).transpose()?;
        let index = match sorter {
            Some(_) => index(&mut target, outputs, options.format, contigs)?,
            None => None,
        };
        let begin = |descriptor| match (options.piece_form(), options.format) {
            (PieceForm::Lines, _) => {
                let mut file = appended_file(descriptor, &target);
                file.write(&[options.header.as_bytes()])?;
                Ok(Writer::Lines(file))
            }
            (_, Format::Bam) => {
                let file = appended_file(descriptor, &target);
                let longest = contigs.iter().map(|contig| contig.length).max().unwrap_or(0);
                let begin_index = |offset| {
                    let of_kind = |index: &IndexFile| {
                        hts::IndexBuilder::new(index.kind, contigs.len(), longest, offset)
                    };
                    index.as_ref().map(of_kind).transpose()
                };
                let header = bam::writer::Header { text: &options.header, contigs };
                let file =
                    BamWriter::create(file, &header, (&options.gpus, options.level), begin_index)?;
                Ok(Writer::Bam(Box::new(file)))
            }
            (_, Format::Sam | Format::Cram) => {
                let settings = Settings {
                    format: options.format,
                    header: &options.header,
                    threads: options.threads,
                    reference: text,
                    is_sorted: options.sort_memory.is_some(),
                };
                let mut file = hts::Writer::create(descriptor, settings)?;
                if let Some(index) = &index {
                    file.index(&index.path)?;
                }
                Ok(Writer::Hts(file))
            }
        };
        let writer = target.open().and_then(begin).with_context(|| target.name())?;
        let counts = RecordCounts::default();
        Ok(Self { writer, sorter, gpu_store, marker, index, target, counts })
    }

    /// A pool for the pieces of the file.
    pub fn piece_pool(&self) -> PiecePool {
        PiecePool::new(self.gpu_store.clone())
    }

    /// Whether records are sorted, and so are written when the file is closed.
    pub fn is_sorted(&self) -> bool {
        self.sorter.is_some()
    }

    /// Writes pieces of a unit of the input, which have the form [`Options::piece_form`], and gives their memory back to the
    /// pool. Takes records that are sorted, or of a shard, out of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, unit: Unit, mut pieces: Vec<Piece>, pool: &PiecePool) -> Result<()> {
        for piece in &pieces {
            self.counts.add(piece.counts());
        }
        self.write_pieces(unit, &mut pieces, pool)?;
        for piece in pieces {
            pool.put(piece);
        }
        Ok(())
    }

    fn write_pieces(&mut self, unit: Unit, pieces: &mut [Piece], pool: &PiecePool) -> Result<()> {
        if let Writer::Shard(shard) = &mut self.writer {
            let stored: Vec<Vec<u8>> = pieces.par_iter_mut().map(stored_piece::store).collect();
            return shard.write(unit, &stored).with_context(|| self.target.name());
        }
        if let Some(sorter) = &mut self.sorter {
            for piece in pieces {
                if let (Some(of_piece), Some(marker)) = (piece.signatures(), &mut self.marker) {
                    let (found, counts) = of_piece.take();
                    for GroupCounts { group, reads } in counts {
                        marker.signatures.count(group, reads);
                    }
                    for (template, signature) in &found {
                        let template = sorter.templates() + u64::from(*template);
                        marker
                            .signatures
                            .add(template, signature)
                            .context("cannot write a temporary file of duplicates")?;
                    }
                }
                sorter.push(piece.take_sortable())?;
            }
            return Ok(());
        }
        let written = match &mut self.writer {
            Writer::Lines(file) => file.write(&pieces.iter().map(Piece::lines).collect::<Vec<_>>()),
            writer => {
                let records = pieces.iter_mut().map(Piece::take_all).collect();
                writer.write_records(RecordBatch::pooled(records, pool.records()))
            }
        };
        written.with_context(|| self.target.name())
    }

    /// Writes the remaining records and closes the file, which is then complete and can be committed; that of a shard lacks its
    /// end.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(self) -> Result<WrittenFile> {
        let Self { mut writer, sorter, marker, index, target, counts, .. } = self;
        let (mut duplicates, mut on_gpu) = (None, 0);
        if let Some(sorter) = sorter {
            let removes = marker.as_ref().is_some_and(|marker| marker.marking.removes);
            let find = |Marker { marking, signatures }| signatures.find(marking.optical_distance);
            let (found, sorted) = rayon::join(|| marker.map(find).transpose(), || sorter.sorted());
            let found = found.context("cannot read a temporary file of duplicates")?;
            let flag = |template| {
                let is_duplicate = found.as_ref().is_some_and(|it| it.contains(template));
                let flag = if is_duplicate { DUPLICATE } else { 0 };
                Some(flag).filter(|_| !(is_duplicate && removes))
            };
            let sorted = sorted.with_context(|| target.name())?;
            on_gpu = sorted.on_gpu();
            sorted.merge(flag, |batch| {
                let written = match batch {
                    SortedBatch::Host(batch) => writer.write_records(batch),
                    SortedBatch::OnGpu(batch) => writer.write_on_gpu(batch),
                };
                written.with_context(|| target.name())
            })?;
            duplicates = found.map(|found| found.counts);
        }
        let mut shard = None;
        let close = || {
            match writer {
                Writer::Shard(file) => shard = Some(file),
                Writer::Lines(file) => file.close()?,
                Writer::Hts(file) => file.close()?,
                Writer::Bam(file) => {
                    let ClosedBam { index: made, device_failure } = file.close()?;
                    if let (Some(made), Some(index)) = (made, &index) {
                        made.save(&index.path)?;
                    }
                    return Ok(device_failure);
                }
            }
            Ok::<_, io::Error>(None)
        };
        let device_failure = close().with_context(|| target.name())?;
        let tally = counts.tally();
        Ok(WrittenFile { target, tally, duplicates, device_failure, shard, on_gpu })
    }
}

/// A file that this program writes itself.
fn appended_file(descriptor: OwnedFd, target: &Target) -> AppendedFile {
    if target.is_regular_file() {
        AppendedFile::regular(descriptor)
    } else {
        AppendedFile::stream(descriptor)
    }
}

/// The index of a sorted file; `None` if the file has none.
///
/// # Errors
/// If the index may not be written.
fn index(
    target: &mut Target,
    outputs: &mut Outputs,
    format: Format,
    contigs: &[Contig],
) -> Result<Option<IndexFile>> {
    let longest = contigs.iter().map(|contig| contig.length).max().unwrap_or(0);
    let Some(kind) = Index::of(format, longest) else { return Ok(None) };
    Ok(target.companion(kind.extension(), outputs)?.map(|path| IndexFile { path, kind }))
}
