//! Reading a file of alignments.

use std::path::{Path, PathBuf};

use aligner_core::input_location::{InputLocation, is_stdin};
use anyhow::{Context, Result, anyhow};
use rust_htslib::bam::{self, Read as _};

use super::aligned_span::AlignedSpan;
use crate::output;

/// A file of SAM, BAM or CRAM that is being read.
pub struct AlignmentFile {
    path: PathBuf,
    file: bam::Reader,
    /// The names of the contigs, in the order of the header.
    contigs: Vec<String>,
    /// The record that was read last.
    record: bam::Record,
    /// The number of that record in the file, from 1.
    number: u64,
}

/// A read and its primary alignment.
#[derive(Debug)]
pub struct AlignedRead<'r> {
    pub name: &'r str,
    /// 1 for the second mate of a pair, 0 for the first one and for single reads.
    pub mate: u8,
    /// The mapping quality, 0 to 255.
    pub mapq: u8,
    /// Where it is aligned, if it is.
    pub span: Option<AlignedSpan>,
}

impl AlignmentFile {
    /// Opens a file, or standard input (`-`).
    ///
    /// # Errors
    /// If it cannot be read, or is neither SAM, BAM nor CRAM.
    pub fn open(path: &Path) -> Result<Self> {
        output::silence();
        let file = if is_stdin(path) {
            bam::Reader::from_stdin()
        } else {
            // Opening it first gives the system's reason, where htslib only says that the path is "Invalid".
            std::fs::File::open(path).with_context(|| path.display().to_string())?;
            bam::Reader::from_path(path)
        };
        let not_read = |_| anyhow!("{}neither SAM, BAM nor CRAM", InputLocation::in_file(path));
        let file = file.map_err(not_read)?;
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        // One by one, since `target_names` takes the missing list of a header without contigs for an empty one.
        let header = file.header();
        let contigs = (0..header.target_count()).map(|number| name(header.tid2name(number)));
        let contigs = contigs.collect();
        let record = bam::Record::new();
        Ok(Self { path: path.to_owned(), file, contigs, record, number: 0 })
    }

    /// The names of the contigs, in the order of the header.
    pub fn contigs(&self) -> &[String] {
        &self.contigs
    }

    /// The next read, by its primary record; other records are skipped.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next(&mut self) -> Result<Option<AlignedRead<'_>>> {
        loop {
            match self.file.read(&mut self.record) {
                None => return Ok(None),
                Some(read) => {
                    self.number += 1;
                    read.map_err(|error| anyhow!("{}{error}", self.location()))?;
                }
            }
            if !self.record.is_secondary() && !self.record.is_supplementary() {
                break;
            }
        }
        let span = AlignedSpan::of(&self.record);
        let name = str::from_utf8(self.record.qname())
            .map_err(|error| anyhow!("{}{error}", self.location()))?;
        let (mate, mapq) = (u8::from(self.record.is_last_in_template()), self.record.mapq());
        Ok(Some(AlignedRead { name, mate, mapq, span }))
    }

    /// The file and the number of the last record, as the begin of a message.
    pub fn location(&self) -> InputLocation {
        InputLocation::in_file(&self.path).at_record(self.number, None)
    }
}
