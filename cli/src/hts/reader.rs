//! Reading files of SAM, BAM and CRAM.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use aligner_core::input_location::{InputLocation, is_stdin};
use anyhow::{Context, Result, anyhow, bail};
use rust_htslib::bam::Record;
use rust_htslib::htslib;

use super::open::open;
use super::status::{check, stored_error};
use super::{silence, validity};
use crate::options::check_threads;

/// Status of htslib at the end of a file.
const END: i32 = -1;

/// Value of htslib's `cram_eof` at the end of a file of CRAM whose last container is the one that marks the end.
const MARKED_END: i32 = 1;

/// Fields that are decoded from CRAM. Without the sequence, it takes no reference.
const CRAM_FIELDS: u32 = htslib::sam_fields_SAM_QNAME
    | htslib::sam_fields_SAM_FLAG
    | htslib::sam_fields_SAM_RNAME
    | htslib::sam_fields_SAM_POS
    | htslib::sam_fields_SAM_MAPQ
    | htslib::sam_fields_SAM_CIGAR;

/// The fields of records that are read from CRAM; of the other formats, all are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// The fields of the alignment, which need no reference.
    Alignment,
    /// All of them, which of aligned reads need the reference.
    All,
}

/// A file of SAM, BAM or CRAM that is being read. Every record is checked before it is passed on, and the end of the file
/// must be marked where the format has a mark.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: NonNull<htslib::htsFile>,
    header: NonNull<htslib::sam_hdr_t>,
    /// The names of the contigs, in the order of the header.
    contigs: Vec<String>,
    /// The number of the record that was read last, from 1.
    number: u64,
    /// Whether the end of the file was reached, behind which htslib must not read.
    at_end: bool,
}

// SAFETY: htslib ties neither files nor headers to a thread, and both have this one owner.
#[allow(unsafe_code)]
unsafe impl Send for Reader {}

impl Reader {
    /// Opens a file, or standard input (`-`), and reads its header. Of CRAM, only the fields of the alignment are read.
    ///
    /// # Errors
    /// If it cannot be read, or is neither SAM, BAM nor CRAM.
    pub fn open(path: &Path) -> Result<Self> {
        let descriptor: io::Result<OwnedFd> = if is_stdin(path) {
            io::stdin().as_fd().try_clone_to_owned()
        } else {
            File::open(path).and_then(|file| {
                if file.metadata()?.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Ok(file.into())
            })
        };
        let descriptor = descriptor.with_context(|| path.display().to_string())?;
        Self::of_descriptor(path, descriptor, Fields::Alignment)
    }

    /// Reads the header of a file that is open already, and has this path in messages.
    ///
    /// # Errors
    /// If it cannot be read, or is neither SAM, BAM nor CRAM.
    pub fn of_descriptor(path: &Path, descriptor: OwnedFd, fields: Fields) -> Result<Self> {
        silence().with_context(|| path.display().to_string())?;
        let location = InputLocation::in_file(path);
        let no_alignments = || anyhow!("{location}neither SAM, BAM nor CRAM");
        let file = open(descriptor, c"r").map_err(|_| no_alignments())?;
        let mut opened = OpenFile(Some(file));
        if !has_alignments(file) {
            return Err(no_alignments());
        }
        if fields == Fields::Alignment {
            // SAFETY: the file is open; the option takes one int, and is ignored where the file is not CRAM.
            #[allow(unsafe_code)]
            let prepared = check(unsafe {
                htslib::hts_set_opt(
                    file.as_ptr(),
                    htslib::hts_fmt_option_CRAM_OPT_REQUIRED_FIELDS,
                    CRAM_FIELDS,
                )
            });
            prepared.with_context(|| path.display().to_string())?;
        }
        // SAFETY: the file is open and nothing was read from it.
        #[allow(unsafe_code)]
        let header = unsafe { htslib::sam_hdr_read(file.as_ptr()) };
        let header =
            NonNull::new(header).ok_or_else(|| anyhow!("{location}the header is damaged"))?;
        opened.0 = None;
        let (path, contigs) = (path.to_owned(), Vec::new());
        let mut reader = Self { path, file, header, contigs, number: 0, at_end: false };
        reader.contigs = reader.read_contigs()?;
        Ok(reader)
    }

    /// The names of the contigs in the header.
    fn read_contigs(&self) -> Result<Vec<String>> {
        // SAFETY: the header is valid.
        #[allow(unsafe_code)]
        let count = unsafe { htslib::sam_hdr_nref(self.header.as_ptr()) };
        (0..count)
            .map(|contig| {
                // SAFETY: the header is valid, and htslib checks the number.
                #[allow(unsafe_code)]
                let name = unsafe { htslib::sam_hdr_tid2name(self.header.as_ptr(), contig) };
                if name.is_null() {
                    bail!("{}the header is damaged", InputLocation::in_file(&self.path));
                }
                // SAFETY: a name ends in NUL and lives as long as the header.
                #[allow(unsafe_code)]
                let name = unsafe { CStr::from_ptr(name) };
                Ok(name.to_string_lossy().into_owned())
            })
            .collect()
    }

    /// The names of the contigs, in the order of the header.
    pub fn contigs(&self) -> &[String] {
        &self.contigs
    }

    /// The header as text; empty if the file has none.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn header(&self) -> Result<String> {
        // SAFETY: the header is valid.
        #[allow(unsafe_code)]
        let text = unsafe { htslib::sam_hdr_str(self.header.as_ptr()) };
        if text.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the text ends in NUL and lives as long as the header is not changed.
        #[allow(unsafe_code)]
        let text = unsafe { CStr::from_ptr(text) };
        let text = text.to_str().map(str::to_owned);
        text.with_context(|| format!("{}the header", InputLocation::in_file(&self.path)))
    }

    /// Whether the file is CRAM.
    pub fn is_cram(&self) -> bool {
        // SAFETY: the file is open, and its format is set when it is opened.
        #[allow(unsafe_code)]
        let format = unsafe { self.file.as_ref() }.format;
        format.format == htslib::htsExactFormat_cram
    }

    /// Decodes records by so many more threads. To be called before the first record is read.
    ///
    /// # Errors
    /// If there are no more threads.
    pub fn decode_by(&mut self, threads: usize) -> Result<()> {
        let start = || {
            // htslib starts one more, which reads, and does not look whether there is such a thread.
            check_threads(threads + 1)?;
            // SAFETY: the file is open, and only its header was read.
            #[allow(unsafe_code)]
            check(unsafe { htslib::hts_set_threads(self.file.as_ptr(), threads as i32) })
        };
        start()
            .with_context(|| format!("{}cannot start threads", InputLocation::in_file(&self.path)))
    }

    /// Decodes aligned reads of CRAM by a reference, which htslib opens by this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn decode_with(&mut self, reference: &str) -> Result<()> {
        let set = || {
            let name = CString::new(reference)?;
            // SAFETY: the file is open, and the name ends in NUL and outlives the call.
            #[allow(unsafe_code)]
            check(unsafe { htslib::hts_set_fai_filename(self.file.as_ptr(), name.as_ptr()) })
        };
        set().with_context(|| format!("{}the reference", InputLocation::in_file(&self.path)))
    }

    /// The path in messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the record that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next record into `record`. Returns whether there was one.
    ///
    /// # Errors
    /// If reading fails, the file is cut short, or the record is damaged.
    pub fn read(&mut self, record: &mut Record) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        // SAFETY: file and header are valid, the header is that of the file, and the record owns its data, which htslib
        // enlarges with realloc, as rust_htslib does.
        #[allow(unsafe_code)]
        let status = unsafe {
            htslib::sam_read1(self.file.as_ptr(), self.header.as_ptr(), record.inner_mut())
        };
        if status == END {
            if !self.has_marked_end() {
                bail!(
                    "{}the file is cut short behind record {}: its end mark is missing",
                    InputLocation::in_file(&self.path),
                    self.number
                );
            }
            self.at_end = true;
            return Ok(false);
        }
        self.number += 1;
        if status < 0 {
            let reason = match stored_error(self.file) {
                Some(error) => format!("reading failed: {error}"),
                None if self.is_cram() && !self.contigs.is_empty() => {
                    "the record is damaged or cut short, or is aligned to another reference"
                        .to_owned()
                }
                None => "the record is damaged or cut short".to_owned(),
            };
            bail!("{}{reason}", self.location());
        }
        validity::check(record, self.contigs.len() as i32)
            .map_err(|reason| anyhow!("{}the record is damaged: {reason}", self.location()))?;
        Ok(true)
    }

    /// Whether the end of the file, which was reached, has the mark that its format demands.
    fn has_marked_end(&self) -> bool {
        // SAFETY: the file is open, and htslib's threads do not use this structure of it.
        #[allow(unsafe_code)]
        let file = unsafe { self.file.as_ref() };
        if file.is_cram() != 0 {
            // SAFETY: this is the member that is set for CRAM.
            #[allow(unsafe_code)]
            let cram = unsafe { file.fp.cram };
            // SAFETY: the stream is open.
            #[allow(unsafe_code)]
            let end = unsafe { htslib::cram_eof(cram) };
            return end == MARKED_END;
        }
        if file.is_bgzf() == 0 {
            return true;
        }
        // SAFETY: this is the member that is set for compressed files.
        #[allow(unsafe_code)]
        let bgzf = unsafe { file.fp.bgzf };
        // SAFETY: the stream is open; this field is written where this thread reads blocks.
        #[allow(unsafe_code)]
        unsafe {
            (*bgzf).no_eof_block() == 0
        }
    }

    /// The file and the number of the last record, as the begin of a message.
    pub fn location(&self) -> InputLocation {
        InputLocation::in_file(&self.path).at_record(self.number, None)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(OpenFile(Some(self.file)));
        // SAFETY: the header is valid, and nobody uses it any more.
        #[allow(unsafe_code)]
        unsafe {
            htslib::sam_hdr_destroy(self.header.as_ptr());
        }
    }
}

/// Closes a file that was read, unless it is taken out.
struct OpenFile(Option<NonNull<htslib::htsFile>>);

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // Nothing was written, so that closing has nothing to tell.
            // SAFETY: the file is open, and nobody uses it any more.
            #[allow(unsafe_code)]
            let _ = unsafe { htslib::hts_close(file.as_ptr()) };
        }
    }
}

/// Whether htslib can read alignments from a file: it ends the program at compressions that it only recognises.
fn has_alignments(file: NonNull<htslib::htsFile>) -> bool {
    // SAFETY: the file is open, and its format is set when it is opened.
    #[allow(unsafe_code)]
    let format = unsafe { file.as_ref() }.format;
    let is_known =
        [htslib::htsExactFormat_sam, htslib::htsExactFormat_bam, htslib::htsExactFormat_cram]
            .contains(&format.format);
    let is_readable = [
        htslib::htsCompression_no_compression,
        htslib::htsCompression_gzip,
        htslib::htsCompression_bgzf,
        htslib::htsCompression_custom,
    ]
    .contains(&format.compression);
    is_known && is_readable
}
