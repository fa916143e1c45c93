//! htslib: making records and writing files of them.
//!
//! The file is owned here and not by `rust_htslib`'s writer, which ignores that closing can fail,
//! and with it a full disk.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

use rust_htslib::bam;
use rust_htslib::bam::record::Aux;
use rust_htslib::errors::Error;
use rust_htslib::htslib;

use crate::output::record::Record;
use crate::output::{Format, Options};

pub const CIGAR_SHIFT: u32 = htslib::BAM_CIGAR_SHIFT;
/// The bits below, which say what a run consists of.
pub const CIGAR_KIND: u32 = htslib::BAM_CIGAR_MASK;
/// The letter of each kind, by its number.
pub const CIGAR_LETTERS: &[u8; 9] = b"MIDNSHP=X";
pub const CIGAR_MATCH: u32 = htslib::BAM_CMATCH;
pub const CIGAR_INSERTION: u32 = htslib::BAM_CINS;
pub const CIGAR_DELETION: u32 = htslib::BAM_CDEL;
pub const CIGAR_SOFT_CLIP: u32 = htslib::BAM_CSOFT_CLIP;
pub const CIGAR_HARD_CLIP: u32 = htslib::BAM_CHARD_CLIP;
pub const CIGAR_EQUAL: u32 = htslib::BAM_CEQUAL;
pub const CIGAR_DIFFERENT: u32 = htslib::BAM_CDIFF;

/// More threads than this do not compress faster than records are made.
const MAX_THREADS: usize = 8;

/// The mode of a CRAM file that is written.
const CRAM: &CStr = c"wc";

/// Makes a record of htslib's.
pub fn record(source: &Record<'_>) -> io::Result<bam::Record> {
    let &Record { name, flag, place, mapq, cigar, mate, sequence, quality, .. } = source;
    debug_assert!(quality.is_none_or(|quality| quality.len() == sequence.len()));
    let in_bam = |place: Option<(u32, u32)>| {
        place.map_or((-1, -1), |(contig, at)| (contig as i32, i64::from(at)))
    };
    let (contig, position) = in_bam(place);
    let (mate_contig, mate_position) = in_bam(mate.and_then(|mate| mate.place));
    let span = mate.map_or(0, |mate| mate.span);
    let mut record = bam::Record::new();
    let quality = quality.map_or(ptr::null(), <[u8]>::as_ptr).cast();
    // SAFETY: the record is initialised and owns its data, which htslib enlarges with realloc, as
    // rust_htslib does. Each pointer comes with the length of its slice; quality is null, which
    // stands for none, or as long as the sequence.
    #[allow(unsafe_code)]
    let status = unsafe {
        htslib::bam_set1(
            record.inner_mut(),
            name.len(),
            name.as_ptr().cast(),
            flag,
            contig,
            position,
            mapq,
            cigar.len(),
            cigar.as_ptr(),
            mate_contig,
            mate_position,
            span.into(),
            sequence.len(),
            sequence.as_ptr().cast(),
            quality,
            0,
        )
    };
    check(status)?;
    tag(&mut record, source).map_err(io::Error::other)?;
    Ok(record)
}

/// Adds the tags.
fn tag(record: &mut bam::Record, source: &Record<'_>) -> Result<(), Error> {
    if let Some(tags) = &source.tags {
        let text = |bytes| str::from_utf8(bytes).map_err(|_| Error::BamAuxParsingError);
        record.push_aux_unchecked(b"NM", integer(tags.distance))?;
        record.push_aux_unchecked(b"MD", Aux::String(text(tags.md)?))?;
        record.push_aux_unchecked(b"AS", signed(tags.score))?;
        if let Some(second) = tags.second {
            record.push_aux_unchecked(b"XS", signed(second))?;
        }
        if let Some((total, number)) = tags.count {
            record.push_aux_unchecked(b"NH", integer(total))?;
            record.push_aux_unchecked(b"HI", integer(number))?;
        }
        for (name, value) in [(b"SA", tags.parts), (b"XA", tags.alternatives)] {
            if !value.is_empty() {
                record.push_aux_unchecked(name, Aux::String(text(value)?))?;
            }
        }
    }
    if let Some((runs, mapq)) = source.mate.and_then(|mate| mate.alignment) {
        record.push_aux_unchecked(b"MC", Aux::String(&cigar_text(runs)))?;
        record.push_aux_unchecked(b"MQ", Aux::U8(mapq))?;
    }
    if let Some(group) = source.group {
        record.push_aux_unchecked(b"RG", Aux::String(group))?;
    }
    Ok(())
}

/// A CIGAR as text.
pub fn cigar_text(runs: &[u32]) -> String {
    let run = |run: &u32| {
        let letter = CIGAR_LETTERS[(run & CIGAR_KIND) as usize];
        format!("{}{}", run >> CIGAR_SHIFT, char::from(letter))
    };
    if runs.is_empty() { "*".to_owned() } else { runs.iter().map(run).collect() }
}

/// The smallest BAM type for a number.
fn integer(value: u32) -> Aux<'static> {
    if let Ok(value) = u8::try_from(value) {
        Aux::U8(value)
    } else if let Ok(value) = u16::try_from(value) {
        Aux::U16(value)
    } else {
        Aux::U32(value)
    }
}

/// The same for a number that may be negative.
fn signed(value: i32) -> Aux<'static> {
    if let Ok(value) = u32::try_from(value) {
        integer(value)
    } else if let Ok(value) = i8::try_from(value) {
        Aux::I8(value)
    } else if let Ok(value) = i16::try_from(value) {
        Aux::I16(value)
    } else {
        Aux::I32(value)
    }
}

/// A file that is written. Dropping it closes it, whatever comes of that; see [`Writer::close`].
#[derive(Debug)]
pub struct Writer {
    file: Option<NonNull<htslib::htsFile>>,
    header: NonNull<htslib::sam_hdr_t>,
    format: Format,
}

// SAFETY: htslib ties neither files nor headers to a thread, and both have this one owner.
#[allow(unsafe_code)]
unsafe impl Send for Writer {}

impl Writer {
    /// Begins a file with its header. CRAM needs the reference as FASTA, beside which htslib puts a
    /// `.fai`.
    pub fn create(
        descriptor: OwnedFd,
        options: &Options,
        reference: Option<&Path>,
    ) -> io::Result<Self> {
        silence();
        let mode = match options.format {
            Format::Sam => c"w",
            Format::Bam => c"wb",
            Format::Cram => CRAM,
        };
        let header = parse_header(&options.header)?;
        let mut writer = Self { file: None, header, format: options.format };
        let file = open(descriptor, mode)?;
        writer.file = Some(file);
        if options.format != Format::Sam && options.threads > 1 {
            let threads = options.threads.min(MAX_THREADS) as i32;
            // SAFETY: the file is open and nothing was written to it.
            #[allow(unsafe_code)]
            check(unsafe { htslib::hts_set_threads(file.as_ptr(), threads) })?;
        }
        if let Some(reference) = reference {
            set_reference(file, reference)?;
        }
        // SAFETY: file and header are valid, and nothing was written before.
        #[allow(unsafe_code)]
        check(unsafe { htslib::sam_hdr_write(file.as_ptr(), header.as_ptr()) })?;
        Ok(writer)
    }

    /// Writes a record.
    pub fn write(&mut self, record: &bam::Record) -> io::Result<()> {
        let Some(file) = self.file else { return Err(io::ErrorKind::NotConnected.into()) };
        // SAFETY: file and header are valid, the header is the one written to the file, and the
        // record's contig is one of it.
        #[allow(unsafe_code)]
        let status =
            unsafe { htslib::sam_write1(file.as_ptr(), self.header.as_ptr(), record.inner()) };
        check(status).map_err(|error| self.bgzf_error(file).unwrap_or(error))
    }

    /// Writes what is buffered and closes the file.
    pub fn close(mut self) -> io::Result<()> {
        // Once closed, a BAM file can no longer tell why it failed, so flush it first. (Closing is
        // enough for SAM; CRAM of several threads does not survive to be flushed and closed.)
        if let Some(file) = self.file
            && self.format == Format::Bam
        {
            // SAFETY: the file is open.
            #[allow(unsafe_code)]
            let status = unsafe { htslib::hts_flush(file.as_ptr()) };
            check(status).map_err(|error| self.bgzf_error(file).unwrap_or(error))?;
        }
        self.close_file()
    }

    fn close_file(&mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        // SAFETY: the file is open, and with `take` nobody uses it any more.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_close(file.as_ptr()) })
    }

    /// Why writing a BAM file failed, if htslib remembers. Its own thread may have written, so that
    /// `errno` of this one tells nothing.
    fn bgzf_error(&self, file: NonNull<htslib::htsFile>) -> Option<io::Error> {
        if self.format != Format::Bam {
            return None;
        }
        // SAFETY: the file is open, and htslib's threads do not use this structure of it.
        #[allow(unsafe_code)]
        let stream = unsafe { file.as_ref() }.fp;
        // SAFETY: this is the member that is set for BAM.
        #[allow(unsafe_code)]
        let bgzf = unsafe { stream.bgzf };
        // SAFETY: the stream is open; its file is set when it is opened and stays.
        #[allow(unsafe_code)]
        let hfile = unsafe { (*bgzf).fp };
        // SAFETY: the file is open; the thread that may have written to it stopped at the failure.
        #[allow(unsafe_code)]
        let code = unsafe { (*hfile).has_errno };
        (code != 0).then(|| io::Error::from_raw_os_error(code))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Only after another error, which is the one to tell; else `close` was called.
        let _ = self.close_file();
        // SAFETY: the header is valid, and nobody uses it any more.
        #[allow(unsafe_code)]
        unsafe {
            htslib::sam_hdr_destroy(self.header.as_ptr());
        }
    }
}

/// Opens a descriptor as a file of htslib's, which owns it from then on.
fn open(descriptor: OwnedFd, mode: &CStr) -> io::Result<NonNull<htslib::htsFile>> {
    // SAFETY: the descriptor is open and given away; the mode ends in NUL.
    #[allow(unsafe_code)]
    let stream = unsafe { htslib::hdopen(descriptor.into_raw_fd(), mode.as_ptr()) };
    let stream = NonNull::new(stream).ok_or_else(last_error)?;
    // The name goes into CRAM files, which are not to depend on it.
    // SAFETY: the stream is open; both strings end in NUL and outlive the call.
    #[allow(unsafe_code)]
    let file = unsafe { htslib::hts_hopen(stream.as_ptr(), c"-".as_ptr(), mode.as_ptr()) };
    NonNull::new(file).ok_or_else(|| {
        let error = last_error();
        // SAFETY: the stream is open, and `hts_hopen` leaves it alone when it fails.
        #[allow(unsafe_code)]
        unsafe {
            htslib::hclose_abruptly(stream.as_ptr());
        }
        error
    })
}

/// Gives a CRAM file, to which nothing was written yet, its reference.
///
/// htslib puts the path of a file's own reference into the header, which the copy that we made must
/// not get into. So a file that goes nowhere loads the reference and shares it.
fn set_reference(file: NonNull<htslib::htsFile>, reference: &Path) -> io::Result<()> {
    let reference = CString::new(reference.as_os_str().as_bytes())?;
    let loader = open(File::create("/dev/null")?.into(), CRAM)?;
    // SAFETY: the loader is open for CRAM; htslib copies the string, which ends in NUL.
    #[allow(unsafe_code)]
    let loaded = unsafe { htslib::hts_set_fai_filename(loader.as_ptr(), reference.as_ptr()) };
    let shared = check(loaded).and_then(|()| {
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

    // The tags that a decoder would make up count N against N as equal.
    for option in
        [htslib::hts_fmt_option_CRAM_OPT_STORE_MD, htslib::hts_fmt_option_CRAM_OPT_STORE_NM]
    {
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

/// Keeps htslib from writing to standard error: errors are told once, by us.
fn silence() {
    // SAFETY: sets a global of htslib, before any of its threads run.
    #[allow(unsafe_code)]
    unsafe {
        htslib::hts_set_log_level(htslib::htsLogLevel_HTS_LOG_OFF);
    }
}

/// Negative is failure.
fn check(status: i32) -> io::Result<()> {
    if status < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> io::Error {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(0) | None => io::Error::other("htslib cannot write"),
        Some(_) => error,
    }
}
