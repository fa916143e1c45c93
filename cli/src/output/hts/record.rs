//! Records in the memory of htslib.

use std::io;

use rust_htslib::bam;
use rust_htslib::htslib;

use crate::hts::check;
use crate::iupac::OF_CODES;
use crate::output::bam::view::RecordView;

/// The record of htslib for a record in BAM's encoding.
///
/// # Errors
/// If htslib refuses it.
pub fn record(source: RecordView<'_>) -> io::Result<bam::Record> {
    let name = source.name();
    let cigar: Vec<u32> = source.cigar().collect();
    let both = |&byte: &u8| [byte >> 4, byte & 15].map(|code| OF_CODES[usize::from(code)]);
    let mut sequence: Vec<u8> = source.packed_sequence().iter().flat_map(both).collect();
    sequence.truncate(source.length());
    let (quality, tags) = (source.quality(), source.tags());
    let mut record = bam::Record::new();
    // SAFETY: the record is initialised and owns its data, which htslib enlarges with realloc, as rust_htslib does. Each
    // pointer comes with the length of its slice; quality is as long as the sequence.
    #[allow(unsafe_code)]
    let status = unsafe {
        htslib::bam_set1(
            record.inner_mut(),
            name.len(),
            name.as_ptr().cast(),
            source.flag(),
            source.contig(),
            source.start(),
            source.mapq(),
            cigar.len(),
            cigar.as_ptr(),
            source.mate_contig(),
            source.mate_start().into(),
            source.span().into(),
            sequence.len(),
            sequence.as_ptr().cast(),
            quality.as_ptr().cast(),
            tags.len(),
        )
    };
    check(status)?;
    let inner = record.inner_mut();
    let used = inner.l_data as usize;
    // SAFETY: `bam_set1` made room for as many bytes of tags as it was told behind those in use.
    #[allow(unsafe_code)]
    let room = unsafe { inner.data.add(used) };
    // SAFETY: source and room have so many bytes each and belong to different allocations.
    #[allow(unsafe_code)]
    unsafe {
        room.copy_from_nonoverlapping(tags.as_ptr(), tags.len());
    }
    inner.l_data += tags.len() as i32;
    Ok(record)
}
