//! Reading files of SAM, BAM and CRAM.

use std::ffi::CStr;
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

/// A file of SAM, BAM or CRAM that is being read. Every record is checked before it is passed on, and the end of the file
/// must be marked where the format has a mark. Of CRAM only the fields of the alignment are read.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: NonNull<htslib::htsFile>,
    header: NonNull<htslib::sam_hdr_t>,
    /// The names of the contigs, in the order of the header.
    contigs: Vec<String>,
    /// The number of the record that was read last, from 1.
    number: u64,
}

impl Reader {
    /// Opens a file, or standard input (`-`), and reads its header.
    ///
    /// # Errors
    /// If it cannot be read, or is neither SAM, BAM nor CRAM.
    pub fn open(path: &Path) -> Result<Self> {
        silence().with_context(|| path.display().to_string())?;
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
        let location = InputLocation::in_file(path);
        let no_alignments = || anyhow!("{location}neither SAM, BAM nor CRAM");
        let file = open(descriptor, c"r").map_err(|_| no_alignments())?;
        let mut opened = OpenFile(Some(file));
        if !has_alignments(file) {
            return Err(no_alignments());
        }
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
        // SAFETY: the file is open and nothing was read from it.
        #[allow(unsafe_code)]
        let header = unsafe { htslib::sam_hdr_read(file.as_ptr()) };
        let header =
            NonNull::new(header).ok_or_else(|| anyhow!("{location}the header is damaged"))?;
        opened.0 = None;
        let mut reader =
            Self { path: path.to_owned(), file, header, contigs: Vec::new(), number: 0 };
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

    /// Reads the next record into `record`. Returns whether there was one.
    ///
    /// # Errors
    /// If reading fails, the file is cut short, or the record is damaged.
    pub fn read(&mut self, record: &mut Record) -> Result<bool> {
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
            return Ok(false);
        }
        self.number += 1;
        if status < 0 {
            let reason = stored_error(self.file).map_or_else(
                || "the record is damaged or cut short".to_owned(),
                |error| format!("reading failed: {error}"),
            );
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
