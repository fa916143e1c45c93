//! htslib: making records, and [`writer`] files of them.

mod writer;

use std::io;
use std::ptr;

use rust_htslib::bam;
use rust_htslib::bam::record::Aux;
use rust_htslib::errors::Error;
use rust_htslib::htslib;

pub use self::writer::{Index, Settings, Writer, silence};
use crate::output::record::Record;

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
