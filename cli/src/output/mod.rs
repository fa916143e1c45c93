//! Mappings to SAM, BAM or CRAM.
//!
//! [`record`] and [`everyday`] make the records of a read (with [`md`] for the `MD` tag, and [`reversed`] for the other
//! strand) and [`header`] the header. [`text`] makes [`lines`] of SAM of them, [`hts`] writes BAM and CRAM
//! through htslib; [`piece`] is what threads make, in parallel, and [`mod@file`] writes it. [`staging`]
//! keeps an unfinished file from the name that the user gave.

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
pub mod staging;
mod text;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use fm_index::Reference;

pub use everyday::{Alternatives, Everyday};
pub use piece::{Piece, Spares};
pub use read_group::ReadGroup;
pub use record::Formatter;
pub use staging::Target;

use crate::output::staging::Scratch;

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
}

/// An output file under construction.
#[derive(Debug)]
pub struct Output {
    // Fields drop in this order: the file closes before its folder and its reference go.
    writer: Writer,
    target: Target,
    /// The copy of the reference that htslib reads to write CRAM.
    _reference: Option<Scratch>,
}

#[derive(Debug)]
enum Writer {
    Text(file::Writer),
    Hts(hts::Writer),
}

impl Output {
    /// Begins a file with its header.
    pub fn create(target: Target, options: &Options, reference: &Reference) -> Result<Self> {
        let copy = match options.format {
            Format::Cram => Some(copy(reference)?),
            Format::Sam | Format::Bam => None,
        };
        let fasta = copy.as_ref().map(fasta_in);
        let begin = |descriptor| match options.format {
            Format::Sam => {
                let mut file = match &target {
                    Target::Staged(_) => {
                        file::Writer::parallel(descriptor, options.threads.min(WRITERS))
                    }
                    Target::Stdout | Target::Special(_) => file::Writer::in_order(descriptor),
                };
                file.write(&[options.header.as_bytes()])?;
                Ok(Writer::Text(file))
            }
            Format::Bam | Format::Cram => {
                hts::Writer::create(descriptor, options, fasta.as_deref()).map(Writer::Hts)
            }
        };
        let writer = target.open().and_then(begin).with_context(|| target.name())?;
        Ok(Self { writer, target, _reference: copy })
    }

    /// Writes pieces, which were made for the format of this file.
    pub fn write(&mut self, pieces: &[Piece]) -> Result<()> {
        let written = match &mut self.writer {
            Writer::Text(file) => {
                let lines: Vec<&[u8]> = pieces.iter().filter_map(Piece::text).collect();
                file.write(&lines)
            }
            Writer::Hts(file) => {
                pieces.iter().flat_map(Piece::records).try_for_each(|record| file.write(record))
            }
        };
        written.with_context(|| self.target.name())
    }

    /// Writes what is buffered and closes the file, which is complete then, and can be committed.
    pub fn close(self) -> Result<Target> {
        let closed = match self.writer {
            Writer::Text(file) => file.close(),
            Writer::Hts(file) => file.close(),
        };
        closed.with_context(|| self.target.name())?;
        Ok(self.target)
    }
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
