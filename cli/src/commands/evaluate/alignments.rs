//! Reading a file of alignments.

use std::path::Path;

use aligner_core::input_location::InputLocation;
use anyhow::{Result, anyhow};
use rust_htslib::bam;

use super::aligned_span::AlignedSpan;
use crate::hts;

/// A file of SAM, BAM or CRAM that is being read.
pub struct AlignmentFile {
    file: hts::Reader,
    /// The record that was read last.
    record: bam::Record,
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
        Ok(Self { file: hts::Reader::open(path)?, record: bam::Record::new() })
    }

    /// The names of the contigs, in the order of the header.
    pub fn contigs(&self) -> &[String] {
        self.file.contigs()
    }

    /// The next read, by its primary record; other records are skipped.
    ///
    /// # Errors
    /// If the file cannot be read, is cut short, or has a damaged record.
    pub fn next(&mut self) -> Result<Option<AlignedRead<'_>>> {
        loop {
            if !self.file.read(&mut self.record)? {
                return Ok(None);
            }
            if !self.record.is_secondary() && !self.record.is_supplementary() {
                break;
            }
        }
        let span = AlignedSpan::of(&self.record);
        let name = str::from_utf8(self.record.qname())
            .map_err(|error| anyhow!("{}the name of the read: {error}", self.location()))?;
        let (mate, mapq) = (u8::from(self.record.is_last_in_template()), self.record.mapq());
        Ok(Some(AlignedRead { name, mate, mapq, span }))
    }

    /// The file and the number of the last record, as the begin of a message.
    pub fn location(&self) -> InputLocation {
        self.file.location()
    }
}
