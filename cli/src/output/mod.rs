//! Files of SAM, BAM or CRAM.
//!
//! Threads make [`piece`]s of a file in parallel of the records that [`record`] makes of mappings: lines of [`sam`], built in
//! [`lines`], or records in the encoding of [`bam`], which are [`sort`]ed if they are to be by coordinate. [`Output`] writes
//! them after the [`header`]: lines and blocks of BAM to a [`parallel_file`], CRAM and sorted SAM through [`hts`]. [`tally`]
//! counts the records.

mod bam;
mod format;
pub mod header;
mod hts;
mod lines;
mod parallel_file;
mod piece;
mod read_group;
pub mod record;
mod sam;
mod sort;
mod tally;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use anyhow::{Context, Result};
use fm_index::Reference;
use rayon::prelude::*;
use rust_htslib::bam::Record as HtslibRecord;

pub use self::bam::bgzf::Level;
pub use self::format::Format;
pub use self::hts::silence;
pub use self::piece::{Piece, PieceForm, PiecePool};
pub use self::read_group::ReadGroup;
pub use self::tally::Tally;

use self::bam::view;
use self::bam::writer::BamWriter;
use self::hts::{Index, Settings};
use self::parallel_file::ParallelFile;
use self::sort::{SortedRecord, Sorter};
use crate::staging::{Scratch, Target};

/// The most threads that write lines of SAM: file systems let few write at a time, see [`parallel_file`].
const WRITERS: usize = 2;

/// Bases of the reference that are copied at a time.
const COPIED_BASES: usize = 1 << 20;

/// How to write a file of alignments.
#[derive(Debug)]
pub struct Options {
    /// The format of the file.
    pub format: Format,
    /// Threads that compress, or that write a format without compression.
    pub threads: usize,
    /// The header as text.
    pub header: String,
    /// Memory, in bytes, for sorting records by coordinate; `None` keeps the order of the reads.
    pub sort_memory: Option<usize>,
    /// How well BAM is compressed.
    pub level: Level,
}

impl Options {
    /// The form that pieces must have.
    pub fn piece_form(&self) -> PieceForm {
        match (self.sort_memory, self.format) {
            (Some(_), _) => PieceForm::SortableRecords,
            (None, Format::Sam) => PieceForm::Lines,
            (None, Format::Bam | Format::Cram) => PieceForm::Records,
        }
    }
}

/// An output file under construction.
#[derive(Debug)]
pub struct Output {
    // Fields drop in this order: the file closes before its folder and its reference go.
    writer: Writer,
    sorter: Option<Sorter>,
    index: Option<IndexFile>,
    target: Target,
    tally: Tally,
    /// The copy of the reference that htslib reads to write CRAM.
    _reference: Option<Scratch>,
}

/// A complete file that does not have its name yet.
#[derive(Debug)]
pub struct WrittenFile {
    /// The destination of the file.
    pub target: Target,
    /// Counts of its records.
    pub tally: Tally,
}

/// The writer of a file.
#[derive(Debug)]
enum Writer {
    /// Of lines of SAM in the order of the reads.
    Lines(ParallelFile),
    /// Of BAM.
    Bam(BamWriter),
    /// Of CRAM and of sorted SAM.
    Hts(hts::Writer),
}

/// The index of a sorted file: where it is written, and its format.
#[derive(Debug)]
struct IndexFile {
    path: PathBuf,
    kind: Index,
}

impl Writer {
    /// Writes records in BAM's encoding.
    fn write_records(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        match self {
            Self::Lines(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Bam(file) => file.write(parts),
            Self::Hts(file) => {
                let made: Vec<Vec<HtslibRecord>> = parts
                    .par_iter()
                    .map(|part| view::records(part).map(hts::record).collect())
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
    /// If the file, or the copy of the reference that CRAM needs, cannot be written.
    pub fn create(mut target: Target, options: &Options, reference: &Reference) -> Result<Self> {
        let copy = match options.format {
            Format::Cram => Some(copy(reference)?),
            Format::Sam | Format::Bam => None,
        };
        let fasta = copy.as_ref().map(fasta_in);
        let sorter = options.sort_memory.map(|memory| Sorter::new(memory, target.scratch_folder()));
        let sorter = sorter.transpose()?;
        let index = sorter.as_ref().and_then(|_| index(&mut target, options.format, reference));
        let begin = |descriptor| match (options.piece_form(), options.format) {
            (PieceForm::Lines, _) => {
                let mut file = parallel_file(descriptor, &target, options.threads.min(WRITERS));
                file.write(&[options.header.as_bytes()])?;
                Ok(Writer::Lines(file))
            }
            (_, Format::Bam) => {
                let file = parallel_file(descriptor, &target, options.threads.min(WRITERS));
                let contigs = reference.contigs();
                let mut file = BamWriter::create(file, &options.header, contigs, options.level)?;
                if let Some(index) = &index {
                    let longest = contigs.iter().map(|contig| contig.length).max().unwrap_or(0);
                    file.index(|begin| {
                        hts::IndexBuilder::new(index.kind, contigs.len(), longest, begin)
                    })?;
                }
                Ok(Writer::Bam(file))
            }
            (_, Format::Sam | Format::Cram) => {
                let settings = Settings {
                    format: options.format,
                    header: &options.header,
                    threads: options.threads,
                    reference: fasta.as_deref(),
                };
                let mut file = hts::Writer::create(descriptor, &settings)?;
                if let Some(index) = &index {
                    file.index(&index.path)?;
                }
                Ok(Writer::Hts(file))
            }
        };
        let writer = target.open().and_then(begin).with_context(|| target.name())?;
        Ok(Self { writer, sorter, target, index, tally: Tally::default(), _reference: copy })
    }

    /// Writes pieces, which have the form [`Options::piece_form`]. Takes records that are sorted out of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, pieces: &mut [Piece]) -> Result<()> {
        for piece in &*pieces {
            self.tally.add(piece.notes());
        }
        if let Some(sorter) = &mut self.sorter {
            return pieces.iter_mut().try_for_each(|piece| sorter.push(piece.take_records()));
        }
        let parts: Vec<&[u8]> = pieces.iter().map(Piece::bytes).collect();
        let written = match &mut self.writer {
            Writer::Lines(file) => file.write(&parts),
            writer => writer.write_records(&parts),
        };
        written.with_context(|| self.target.name())
    }

    /// Writes the remaining records and closes the file, which is then complete and can be committed.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(mut self) -> Result<WrittenFile> {
        if let Some(sorter) = self.sorter.take() {
            let Self { writer, target, .. } = &mut self;
            let append = |sorted: SortedRecord<'_>, bytes: &mut Vec<u8>| {
                bytes.extend_from_slice(sorted.record.bytes());
            };
            let write =
                |parts: &[&[u8]]| writer.write_records(parts).with_context(|| target.name());
            sorter.merge(append, write)?;
        }
        let close = || {
            match self.writer {
                Writer::Lines(file) => file.close()?,
                Writer::Hts(file) => file.close()?,
                Writer::Bam(file) => {
                    if let (Some(made), Some(index)) = (file.close()?, &self.index) {
                        made.save(&index.path)?;
                    }
                }
            }
            Ok::<_, io::Error>(())
        };
        close().with_context(|| self.target.name())?;
        Ok(WrittenFile { target: self.target, tally: self.tally })
    }
}

/// A file that this program writes itself: by several threads if it is a regular one.
fn parallel_file(descriptor: OwnedFd, target: &Target, threads: usize) -> ParallelFile {
    match target {
        Target::Staged(_) => ParallelFile::parallel(descriptor, threads),
        Target::Stdout | Target::Special(_) => ParallelFile::in_order(descriptor),
    }
}

/// The index of a sorted file; `None` if the file has none.
fn index(target: &mut Target, format: Format, reference: &Reference) -> Option<IndexFile> {
    let longest = reference.contigs().iter().map(|contig| contig.length).max()?;
    let kind = Index::of(format, longest)?;
    Some(IndexFile { path: target.companion(kind.extension())?, kind })
}

fn fasta_in(folder: &Scratch) -> PathBuf {
    folder.path().join("reference.fa")
}

/// Copies the reference to a FASTA file in the system's folder for temporary files.
fn copy(reference: &Reference) -> Result<Scratch> {
    let folder = Scratch::new_in(&std::env::temp_dir())?;
    let path = fasta_in(&folder);
    let write = || {
        let mut fasta = BufWriter::new(File::create(&path)?);
        for contig in reference.contigs() {
            writeln!(fasta, ">{}", contig.name)?;
            let end = contig.offset + contig.length;
            for start in (contig.offset..end).step_by(COPIED_BASES) {
                let piece = start..end.min(start.saturating_add(COPIED_BASES as u32));
                fasta.write_all(&reference.letters(piece))?;
            }
            writeln!(fasta)?;
        }
        fasta.flush()
    };
    write().with_context(|| path.display().to_string())?;
    Ok(folder)
}
