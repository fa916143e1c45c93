//! Files of CRAM and SAM, written by htslib.
//!
//! The file is owned here and not by the writer of `rust_htslib`, which ignores errors of closing a file, for example on a
//! full disk.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use rust_htslib::bam;
use rust_htslib::htslib;

use super::reference_text::{ReferenceFiles, ReferenceText};
use crate::hts::{check, open, silence, stored_error};
use crate::options::check_threads;
use crate::output::format::Format;

/// The most threads that compress: more are faster than records are made.
const MAX_THREADS: usize = 8;

/// htslib's mode string for writing CRAM.
const CRAM: &CStr = c"wc";

/// The version of CRAM that all readers of CRAM know; the default of later versions of htslib is 3.1.
const CRAM_VERSION: &CStr = c"3.0";

/// The longest contig, in bases, that a BAI index can have (SAM specification, section 5.2).
const BAI_BASES: u32 = 1 << 29;

/// The shift of the smallest bins of a CSI index, which makes them as large as those of BAI.
pub(super) const CSI_SHIFT: i32 = 14;

/// How to write a file.
#[derive(Debug)]
pub struct Settings<'a> {
    /// The format of the file.
    pub format: Format,
    /// The header as text.
    pub header: &'a str,
    /// The number of threads that compress.
    pub threads: usize,
    /// The reference, which CRAM needs.
    pub reference: Option<ReferenceText>,
    /// Whether records come by coordinate.
    pub is_sorted: bool,
}

/// A format of indices of alignment files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    Bai,
    Csi,
    Crai,
}

impl Index {
    /// The index of a format whose longest contig has `longest` bases; SAM has none.
    pub fn of(format: Format, longest: u32) -> Option<Self> {
        match format {
            Format::Sam => None,
            Format::Bam if longest > BAI_BASES => Some(Self::Csi),
            Format::Bam => Some(Self::Bai),
            Format::Cram => Some(Self::Crai),
        }
    }

    /// The extension of the index, which follows the name of the file of alignments.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bai => "bai",
            Self::Csi => "csi",
            Self::Crai => "crai",
        }
    }
}

/// A file that is being written. Dropping it closes it and ignores errors, which [`Writer::close`] returns.
#[derive(Debug)]
pub struct Writer {
    file: Option<NonNull<htslib::htsFile>>,
    header: NonNull<htslib::sam_hdr_t>,
    /// The path of the index, to which htslib keeps a pointer.
    index: Option<CString>,
    /// The reference and its index, which htslib reads when it needs a contig.
    reference: Option<ReferenceFiles>,
}

// SAFETY: htslib ties neither files nor headers to a thread, and both have this one owner.
#[allow(unsafe_code)]
unsafe impl Send for Writer {}

impl Writer {
    /// Begins a file with its header.
    ///
    /// # Errors
    /// If htslib cannot write it.
    pub fn create(descriptor: OwnedFd, settings: Settings<'_>) -> io::Result<Self> {
        silence()?;
        let Settings { format, header, threads, reference, is_sorted } = settings;
        let mode = match format {
            Format::Sam => c"w",
            Format::Cram => CRAM,
            Format::Bam => return Err(io::ErrorKind::Unsupported.into()),
        };
        let header = parse_header(header)?;
        let mut writer = Self { file: None, header, index: None, reference: None };
        let file = open(descriptor, mode)?;
        writer.file = Some(file);
        if format != Format::Sam && threads > 1 {
            let threads = threads.min(MAX_THREADS);
            // htslib starts one more, which writes, and does not look whether there is such a thread.
            check_threads(threads + 1)?;
            // SAFETY: the file is open and nothing was written to it.
            #[allow(unsafe_code)]
            check(unsafe { htslib::hts_set_threads(file.as_ptr(), threads as i32) })?;
        }
        if let Some(text) = reference {
            set_up_cram(file, writer.reference.insert(ReferenceFiles::new(text)?), is_sorted)?;
        }
        // SAFETY: file and header are valid, and nothing was written before.
        #[allow(unsafe_code)]
        check(unsafe { htslib::sam_hdr_write(file.as_ptr(), header.as_ptr()) })?;
        Ok(writer)
    }

    /// Makes htslib write an index of CRAM to `path`, which is complete when this file is closed. To be called before the first
    /// record; records must come by coordinate.
    ///
    /// # Errors
    /// If htslib refuses.
    pub fn index(&mut self, path: &Path) -> io::Result<()> {
        let Some(file) = self.file else { return Err(io::ErrorKind::NotConnected.into()) };
        let path = self.index.insert(CString::new(path.as_os_str().as_bytes())?);
        // SAFETY: file and header are valid, and the header was written; the name ends in NUL and
        // lives as long as the file.
        #[allow(unsafe_code)]
        check(unsafe {
            htslib::sam_idx_init(file.as_ptr(), self.header.as_ptr(), 0, path.as_ptr())
        })
    }

    /// Writes one record to the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, record: &bam::Record) -> io::Result<()> {
        let Some(file) = self.file else { return Err(io::ErrorKind::NotConnected.into()) };
        // SAFETY: file and header are valid, the header is the one written to the file, and the
        // record's contig is one of it.
        #[allow(unsafe_code)]
        let status =
            unsafe { htslib::sam_write1(file.as_ptr(), self.header.as_ptr(), record.inner()) };
        check(status).map_err(|error| stored_error(file).unwrap_or(error))
    }

    /// Writes buffered records and closes the file.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(mut self) -> io::Result<()> {
        // The file is not flushed: htslib crashes if CRAM is flushed and closed with several threads.
        if let (Some(file), Some(_)) = (self.file, &self.index) {
            // SAFETY: the file is open, and an index of it was begun.
            #[allow(unsafe_code)]
            check(unsafe { htslib::sam_idx_save(file.as_ptr()) })?;
        }
        self.close_file()
    }

    fn close_file(&mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        // SAFETY: the file is open, and with `take` nobody uses it any more.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_close(file.as_ptr()) })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The file is open only after another error, which is the one to report.
        let _ = self.close_file();
        // SAFETY: the header is valid, and nobody uses it any more.
        #[allow(unsafe_code)]
        unsafe {
            htslib::sam_hdr_destroy(self.header.as_ptr());
        }
    }
}

/// Sets the version of a CRAM file to which nothing was written yet, its tags, and its reference: letters, and the index of them.
///
/// htslib writes the name of a file's own reference into the header, where that of a file in memory must not be. So another
/// file, which is thrown away, loads the reference and shares it with this one.
fn set_up_cram(
    file: NonNull<htslib::htsFile>,
    files: &ReferenceFiles,
    is_sorted: bool,
) -> io::Result<()> {
    let reference = CString::new(files.name())?;
    let loader = open(File::create("/dev/null")?.into(), CRAM)?;
    // SAFETY: the loader is open for CRAM; htslib copies the string, which ends in NUL.
    #[allow(unsafe_code)]
    let loaded = unsafe { htslib::hts_set_fai_filename(loader.as_ptr(), reference.as_ptr()) };
    let loaded = check(loaded);
    let shared = loaded.and_then(|()| {
        // SAFETY: the loader is open for CRAM.
        #[allow(unsafe_code)]
        let references = unsafe { htslib::cram_get_refs(loader.as_ptr()) };
        let option = htslib::hts_fmt_option_CRAM_OPT_SHARED_REF;
        // SAFETY: the file is open for CRAM. The option takes a pointer to references, counts one
        // owner more, and is set before anything is written.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_set_opt(file.as_ptr(), option, references) })
    });
    // SAFETY: the loader is open, and nobody uses it any more.
    #[allow(unsafe_code)]
    let closed = check(unsafe { htslib::hts_close(loader.as_ptr()) });
    shared.and(closed)?;

    // SAFETY: the file is open for CRAM and nothing was written; the option takes a string that ends in NUL, and reads it.
    #[allow(unsafe_code)]
    check(unsafe {
        let option = htslib::hts_fmt_option_CRAM_OPT_VERSION;
        htslib::hts_set_opt(file.as_ptr(), option, CRAM_VERSION.as_ptr())
    })?;

    // A decoder would compute these tags, but count N against N as a match.
    let stored_tags =
        [htslib::hts_fmt_option_CRAM_OPT_STORE_MD, htslib::hts_fmt_option_CRAM_OPT_STORE_NM];
    // A slice of one contig has a checksum of the reference from its first record to its last one. Where records do not come by
    // coordinate, that is most of the contig and takes most of the time of compressing, so slices have records of any contigs.
    let mixed_contigs = (!is_sorted).then_some(htslib::hts_fmt_option_CRAM_OPT_MULTI_SEQ_PER_SLICE);
    for option in stored_tags.into_iter().chain(mixed_contigs) {
        // SAFETY: the file is open for CRAM, and these options take one int.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_set_opt(file.as_ptr(), option, 1_i32) })?;
    }
    Ok(())
}

fn parse_header(text: &str) -> io::Result<NonNull<htslib::sam_hdr_t>> {
    // SAFETY: pointer and length are those of the text, which htslib copies.
    #[allow(unsafe_code)]
    let header = unsafe { htslib::sam_hdr_parse(text.len(), text.as_ptr().cast()) };
    NonNull::new(header).ok_or_else(|| io::Error::other("htslib refuses the header"))
}
