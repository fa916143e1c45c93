//! The copy of the reference that htslib reads to write CRAM.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use fm_index::Reference;

use crate::staging::Scratch;

/// Bases of the reference that are copied at a time.
const COPIED_BASES: usize = 1 << 20;

/// The names of the copy and its index.
const FASTA: &str = "reference.fa";
const INDEX: &str = "reference.fa.fai";

/// A FASTA file of the reference in the system's folder for temporary files, with the index of it (`.fai`) that htslib would
/// have to build.
#[derive(Debug)]
pub struct ReferenceCopy {
    folder: Scratch,
    /// The bases of each contig in the file, in bytes; empty once they were read by [`prepare`](Self::prepare).
    unread: Vec<Range<u64>>,
}

impl ReferenceCopy {
    /// Copies a reference.
    ///
    /// # Errors
    /// If the copy cannot be written, or would not be the user's reference: U is read as T.
    pub fn new(reference: &Reference) -> Result<Self> {
        if let Some(contig) = reference.contig_with_uracil() {
            bail!(
                "contig '{}' of the reference has U, which is read as T, and CRAM depends on the reference: write BAM, or \
                 replace U by T in the reference",
                contig.name
            );
        }
        let mut copy = Self { folder: Scratch::new_in(&std::env::temp_dir())?, unread: Vec::new() };
        let path = copy.path();
        copy.write(reference).with_context(|| path.display().to_string())?;
        Ok(copy)
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// Names what cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        self.folder.remove()
    }

    /// The path of the FASTA file.
    pub fn path(&self) -> PathBuf {
        self.folder.path(FASTA)
    }

    fn write(&mut self, reference: &Reference) -> io::Result<()> {
        let mut fasta = BufWriter::new(self.folder.create(FASTA)?);
        let mut index = BufWriter::new(self.folder.create(INDEX)?);
        let mut offset = 0;
        for contig in reference.contigs() {
            let (name, length) = (&contig.name, contig.length);
            writeln!(fasta, ">{name}")?;
            offset += name.len() as u64 + 2;
            writeln!(index, "{name}\t{length}\t{offset}\t{length}\t{}", u64::from(length) + 1)?;
            let end = contig.offset + length;
            for start in (contig.offset..end).step_by(COPIED_BASES) {
                let piece = start..end.min(start.saturating_add(COPIED_BASES as u32));
                fasta.write_all(&reference.letters(piece))?;
            }
            writeln!(fasta)?;
            self.unread.push(offset..offset + u64::from(length));
            offset += u64::from(length) + 1;
        }
        index.flush()?;
        fasta.flush()
    }

    /// Makes sure that htslib can read a contig, by reading it: htslib writes CRAM that needs no reference, or crashes, if
    /// it cannot. To be called before each record of the contig is written; only the first call reads.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn prepare(&mut self, contig: usize) -> io::Result<()> {
        let Some(unread) = self.unread.get_mut(contig) else { return Ok(()) };
        let Range { start, end } = std::mem::take(unread);
        if start == end {
            return Ok(());
        }
        let path = self.path();
        let read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(start))?;
            let read = io::copy(&mut file.take(end - start), &mut io::sink())?;
            if read == end - start { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        };
        read().map_err(|error: io::Error| {
            let text = format!("the copy of the reference, {}: {error}", path.display());
            io::Error::new(error.kind(), text)
        })
    }
}
