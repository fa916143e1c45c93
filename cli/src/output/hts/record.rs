//! Records in the memory of htslib.

use std::io;
use std::ptr;

use rust_htslib::bam;
use rust_htslib::bam::record::Aux;
use rust_htslib::errors::Error;
use rust_htslib::htslib;

use crate::hts::check;
use crate::output::record::cigar;
use crate::output::record::fields::{Position, Record};

/// The record of htslib for a record.
///
/// # Errors
/// If htslib refuses it, or a tag is not text.
pub fn record(source: &Record<'_>) -> io::Result<bam::Record> {
    let &Record { name, flag, position, mapq, cigar, mate, sequence, quality, .. } = source;
    debug_assert!(quality.is_none_or(|quality| quality.len() == sequence.len()));
    let in_bam = |position: Option<Position>| {
        position.map_or((-1, -1), |Position { contig, base }| (contig as i32, i64::from(base)))
    };
    let (contig, position) = in_bam(position);
    let (mate_contig, mate_position) = in_bam(mate.and_then(|mate| mate.position));
    let span = mate.map_or(0, |mate| mate.span);
    let mut record = bam::Record::new();
    let quality = quality.map_or(ptr::null(), <[u8]>::as_ptr).cast();
    // SAFETY: the record is initialised and owns its data, which htslib enlarges with realloc, as
    // rust_htslib does. Each pointer comes with the length of its slice; quality is null, which
    // means none, or as long as the sequence.
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

/// Adds the tags to a record of htslib.
fn tag(record: &mut bam::Record, source: &Record<'_>) -> Result<(), Error> {
    if let Some(tags) = &source.tags {
        let text = |bytes| str::from_utf8(bytes).map_err(|_| Error::BamAuxParsingError);
        record.push_aux_unchecked(b"NM", integer(tags.distance))?;
        record.push_aux_unchecked(b"MD", Aux::String(text(tags.md)?))?;
        record.push_aux_unchecked(b"AS", signed(tags.score))?;
        if let Some(second) = tags.second {
            record.push_aux_unchecked(b"XS", signed(second))?;
        }
        if let Some(count) = tags.count {
            record.push_aux_unchecked(b"NH", integer(count.total))?;
            record.push_aux_unchecked(b"HI", integer(count.number))?;
        }
        for (name, value) in [(b"SA", tags.parts), (b"XA", tags.alternatives)] {
            if !value.is_empty() {
                record.push_aux_unchecked(name, Aux::String(text(value)?))?;
            }
        }
    }
    if let Some(mate) = source.mate.and_then(|mate| mate.alignment) {
        record.push_aux_unchecked(b"MC", Aux::String(&cigar::text(mate.cigar)))?;
        record.push_aux_unchecked(b"MQ", Aux::U8(mate.mapq))?;
    }
    if let Some(group) = source.group {
        record.push_aux_unchecked(b"RG", Aux::String(group))?;
    }
    Ok(())
}

/// A tag's value of the smallest BAM type that holds a number.
fn integer(value: u32) -> Aux<'static> {
    if let Ok(value) = u8::try_from(value) {
        Aux::U8(value)
    } else if let Ok(value) = u16::try_from(value) {
        Aux::U16(value)
    } else {
        Aux::U32(value)
    }
}

/// A tag's value of the smallest BAM type that holds a number, which may be negative.
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
