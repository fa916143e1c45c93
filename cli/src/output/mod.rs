//! Files of SAM, BAM or CRAM.
//!
//! Threads make [`piece`]s of a file in parallel: lines of [`sam`], built in [`lines`], or records of [`hts`] for BAM and
//! CRAM, of the records that [`record`] makes of mappings. [`Output`] writes them after the [`header`], to a
//! [`parallel_file`] or through htslib, and [`sort`]s them before, if they are to be by coordinate. [`tally`] counts the
//! records.

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

pub use self::format::Format;
pub use self::hts::silence;
pub use self::piece::{LinePool, Piece};
pub use self::read_group::ReadGroup;
pub use self::tally::Tally;

use self::hts::{Index, Settings};
use self::parallel_file::ParallelFile;
use self::sort::Sorter;
use crate::staging::{Outputs, Scratch, Target};

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
}

impl Options {
    /// The format that pieces must have: records of htslib, not lines, if they are to be sorted.
    pub fn piece_format(&self) -> Format {
        if self.sort_memory.is_some() { Format::Bam } else { self.format }
    }
}

/// An output file under construction.
#[derive(Debug)]
pub struct Output {
    // Fields drop in this order: the file closes before its folder and its reference go.
    writer: Writer,
    sorter: Option<Sorter>,
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

#[derive(Debug)]
enum Writer {
    Text(ParallelFile),
    Hts(hts::Writer),
}

impl Output {
    /// Begins a file with its header. A regular file of BAM or CRAM that is sorted gets an index.
    ///
    /// # Errors
    /// If the file, or the copy of the reference that CRAM needs, cannot be written.
    pub fn create(
        mut target: Target,
        outputs: &mut Outputs,
        options: &Options,
        reference: &Reference,
    ) -> Result<Self> {
        let copy = match options.format {
            Format::Cram => Some(copy(reference)?),
            Format::Sam | Format::Bam => None,
        };
        let fasta = copy.as_ref().map(fasta_in);
        let sorter = match options.sort_memory {
            None => None,
            Some(memory) => {
                let (header, scratch) = (options.header.clone(), target.scratch()?);
                Some(Sorter::new(memory, options.threads, header, scratch))
            }
        };
        let index = match sorter {
            Some(_) => index(&mut target, outputs, options.format, reference)?,
            None => None,
        };
        let begin = |descriptor| {
            if options.piece_format() == Format::Sam {
                return begin_text(descriptor, &target, options).map(Writer::Text);
            }
            let settings = Settings {
                format: options.format,
                is_temporary: false,
                header: &options.header,
                threads: options.threads,
                reference: fasta.as_deref(),
            };
            let mut file = hts::Writer::create(descriptor, &settings)?;
            if let Some((path, kind)) = &index {
                file.index(path, *kind)?;
            }
            Ok(Writer::Hts(file))
        };
        let writer = target.open().and_then(begin).with_context(|| target.name())?;
        Ok(Self { writer, sorter, target, tally: Tally::default(), _reference: copy })
    }

    /// Writes pieces, which have the format [`Options::piece_format`]. Takes the records out of them.
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
        let written = match &mut self.writer {
            Writer::Text(file) => {
                let lines: Vec<&[u8]> = pieces.iter().filter_map(Piece::text).collect();
                file.write(&lines)
            }
            Writer::Hts(file) => {
                let mut records = pieces.iter_mut().flat_map(Piece::take_records);
                records.try_for_each(|record| file.write(&record))
            }
        };
        written.with_context(|| self.target.name())
    }

    /// Writes the remaining records and closes the file, which is then complete and can be committed.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(mut self) -> Result<WrittenFile> {
        if let (Some(sorter), Writer::Hts(file)) = (self.sorter.take(), &mut self.writer) {
            sorter.merge(|record| file.write(record)).with_context(|| self.target.name())?;
        }
        let closed = match self.writer {
            Writer::Text(file) => file.close(),
            Writer::Hts(file) => file.close(),
        };
        closed.with_context(|| self.target.name())?;
        Ok(WrittenFile { target: self.target, tally: self.tally })
    }
}

/// Begins a file of SAM with its header.
fn begin_text(descriptor: OwnedFd, target: &Target, options: &Options) -> io::Result<ParallelFile> {
    let mut file = if target.is_regular_file() {
        ParallelFile::parallel(descriptor, options.threads.min(WRITERS))
    } else {
        ParallelFile::in_order(descriptor)
    };
    file.write(&[options.header.as_bytes()])?;
    Ok(file)
}

/// The index of a sorted file and the path to write it to; `None` if the file has no index.
///
/// # Errors
/// If the index may not be written.
fn index(
    target: &mut Target,
    outputs: &mut Outputs,
    format: Format,
    reference: &Reference,
) -> Result<Option<(PathBuf, Index)>> {
    let longest = reference.contigs().iter().map(|contig| contig.length).max().unwrap_or(0);
    let Some(kind) = Index::of(format, longest) else { return Ok(None) };
    Ok(target.companion(kind.extension(), outputs)?.map(|path| (path, kind)))
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
