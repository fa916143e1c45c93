//! The reads of a file of alignments.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use rust_htslib::bam::{self, Read as _};

use super::place::Place;
use crate::output;

/// SAM, BAM or CRAM that is read.
pub struct Alignments {
    path: PathBuf,
    file: bam::Reader,
    contigs: Vec<String>,
    record: bam::Record,
    /// The record's number, from 1.
    number: u64,
}

/// A read, by its primary line.
#[derive(Debug)]
pub struct Read<'r> {
    pub name: &'r str,
    /// 0 for no or the first mate, 1 for the second.
    pub mate: u8,
    pub mapq: u8,
    pub place: Option<Place>,
}

impl Alignments {
    /// Opens a file, or standard input (`-`).
    pub fn open(path: &Path) -> Result<Self> {
        output::silence();
        let file = if path == Path::new("-") {
            bam::Reader::from_stdin()
        } else {
            // htslib's own words would be that the path is "Invalid".
            std::fs::File::open(path).with_context(|| path.display().to_string())?;
            bam::Reader::from_path(path)
        };
        let not_read = |_| anyhow!("{}: neither SAM, BAM nor CRAM", path.display());
        let file = file.map_err(not_read)?;
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let contigs = file.header().target_names().into_iter().map(name).collect();
        let record = bam::Record::new();
        Ok(Self { path: path.to_owned(), file, contigs, record, number: 0 })
    }

    /// The names of the contigs, by their numbers.
    pub fn contigs(&self) -> &[String] {
        &self.contigs
    }

    /// The next read. Lines that are not primary are left out.
    pub fn next(&mut self) -> Result<Option<Read<'_>>> {
        loop {
            match self.file.read(&mut self.record) {
                None => return Ok(None),
                Some(read) => {
                    self.number += 1;
                    read.with_context(|| self.place())?;
                }
            }
            if !self.record.is_secondary() && !self.record.is_supplementary() {
                break;
            }
        }
        let place = Place::of(&self.record);
        let name = str::from_utf8(self.record.qname()).with_context(|| self.place())?;
        let (mate, mapq) = (u8::from(self.record.is_last_in_template()), self.record.mapq());
        Ok(Some(Read { name, mate, mapq, place }))
    }

    /// The file and the record read last, for messages.
    pub fn place(&self) -> String {
        format!("{}: record {}", self.path.display(), self.number)
    }
}
