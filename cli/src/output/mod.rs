//! Mappings to SAM, BAM or CRAM.
//!
//! [`record`] and [`everyday`] make the records of a read (with [`md`] for the `MD` tag, and [`reversed`] for the other
//! strand) and [`header`] the header. [`text`] makes [`lines`] of SAM of them, [`hts`] writes BAM and CRAM
//! through htslib; [`piece`] is what threads make, in parallel, and [`mod@file`] writes it, after [`sort`]
//! if it is to be by coordinate, and [`tally`] counts. [`staging`] keeps an unfinished file from the name that the user gave.

pub mod everyday;
mod file;
pub mod header;
mod hts;
mod lines;
mod md;
mod piece;
mod read_group;
mod record;
mod reversed;
mod sort;
mod tally;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use fm_index::Reference;

pub use everyday::{Alternatives, Everyday};
pub use hts::silence;
pub use piece::{Piece, Spares};
pub use read_group::ReadGroup;
pub use record::Formatter;
pub use tally::Tally;

use crate::output::hts::{Index, Settings};
use crate::output::sort::Sorter;
use crate::staging::{Scratch, Target};

/// Threads that write text, at most: see [`mod@file`].
const WRITERS: usize = 2;

/// Bases of the reference that are copied at a time.
const PIECE: usize = 1 << 20;

/// File formats of alignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text
    Sam,
    /// Binary, compressed
    Bam,
    /// Binary, compressed by reference
    Cram,
}

impl Format {
    /// The format that a file name stands for; standard output (`-`) is SAM.
    pub fn of(path: &Path) -> Option<Self> {
        if path == Path::new("-") {
            return Some(Self::Sam);
        }
        let extension = path.extension()?.to_ascii_lowercase();
        match extension.to_str()? {
            "sam" => Some(Self::Sam),
            "bam" => Some(Self::Bam),
            "cram" => Some(Self::Cram),
            _ => None,
        }
    }
}

/// How to write.
#[derive(Debug)]
pub struct Options {
    pub format: Format,
    /// Threads that compress, where the format does, or write.
    pub threads: usize,
    /// The header's text.
    pub header: String,
    /// The memory, in bytes, to sort records by coordinate in; they stay in their order without.
    pub sort_memory: Option<usize>,
}

impl Options {
    /// The format that pieces are to be made for. What is sorted is no text yet.
    pub fn of_pieces(&self) -> Format {
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

/// A complete file that is not yet under its name.
#[derive(Debug)]
pub struct Written {
    pub target: Target,
    /// Of what is in it.
    pub tally: Tally,
}

#[derive(Debug)]
enum Writer {
    Text(file::Writer),
    Hts(hts::Writer),
}

impl Output {
    /// Begins a file with its header. Beside a regular file that is sorted, its index is made.
    pub fn create(mut target: Target, options: &Options, reference: &Reference) -> Result<Self> {
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
        let index = sorter.as_ref().and_then(|_| index(&mut target, options.format, reference));
        let begin = |descriptor| {
            if options.of_pieces() == Format::Sam {
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

    /// Writes pieces, which were made for [`Options::of_pieces`]. Records are taken out of them.
    pub fn write(&mut self, pieces: &mut [Piece]) -> Result<()> {
        for piece in &*pieces {
            self.tally.add(piece.marks());
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

    /// Writes what is left and closes the file, which is complete then, and can be committed.
    pub fn close(mut self) -> Result<Written> {
        if let (Some(sorter), Writer::Hts(file)) = (self.sorter.take(), &mut self.writer) {
            sorter.merge(|record| file.write(record)).with_context(|| self.target.name())?;
        }
        let closed = match self.writer {
            Writer::Text(file) => file.close(),
            Writer::Hts(file) => file.close(),
        };
        closed.with_context(|| self.target.name())?;
        Ok(Written { target: self.target, tally: self.tally })
    }
}

/// Begins a file of lines.
fn begin_text(descriptor: OwnedFd, target: &Target, options: &Options) -> io::Result<file::Writer> {
    let mut file = match target {
        Target::Staged(_) => file::Writer::parallel(descriptor, options.threads.min(WRITERS)),
        Target::Stdout | Target::Special(_) => file::Writer::in_order(descriptor),
    };
    file.write(&[options.header.as_bytes()])?;
    Ok(file)
}

/// The index of a sorted file, and where to make it, if it has one.
fn index(target: &mut Target, format: Format, reference: &Reference) -> Option<(PathBuf, Index)> {
    let longest = reference.contigs().iter().map(|contig| contig.length).max()?;
    let kind = Index::of(format, longest)?;
    Some((target.companion(kind.extension())?, kind))
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
            for start in (contig.offset..end).step_by(PIECE) {
                let piece = start..end.min(start.saturating_add(PIECE as u32));
                fasta.write_all(&reference.letters(piece))?;
            }
            writeln!(fasta)?;
        }
        fasta.flush()
    };
    write().with_context(|| path.display().to_string())?;
    Ok(folder)
}
