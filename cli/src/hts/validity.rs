//! Whether a record that was read is one: htslib passes records on whose parts do not fit together, and the accessors of
//! `rust_htslib` panic on them.

use rust_htslib::bam::Record;

/// Bytes of a number in BAM's tags, by the letter of its type.
fn number_bytes(kind: u8) -> Option<usize> {
    match kind {
        b'A' | b'c' | b'C' => Some(1),
        b's' | b'S' => Some(2),
        b'i' | b'I' | b'f' => Some(4),
        b'd' => Some(8),
        _ => None,
    }
}

/// The last operation of a CIGAR that SAM defines, `X`.
const LAST_OPERATION: u32 = 8;

/// Bits of an element of a CIGAR that hold the operation.
const OPERATION_MASK: u32 = 15;

/// Checks a record of a file with this number of contigs.
///
/// # Errors
/// What is wrong.
pub(super) fn check(record: &Record, contigs: i32) -> Result<(), &'static str> {
    let core = record.inner().core;
    for contig in [core.tid, core.mtid] {
        if !(-1..contigs).contains(&contig) {
            return Err("a contig that the header does not have");
        }
    }
    for position in [core.pos, core.mpos] {
        if !(-1..i64::from(u32::MAX)).contains(&position) {
            return Err("a position outside every contig");
        }
    }
    let data = data(record);
    let (name, rest) =
        data.split_at_checked(usize::from(core.l_qname)).ok_or("the name is cut short")?;
    let name = name.len().checked_sub(1 + usize::from(core.l_extranul));
    if !name.is_some_and(|length| data[length] == 0 && !data[..length].contains(&0)) {
        return Err("the name has no end");
    }
    let (cigar, rest) =
        rest.split_at_checked(core.n_cigar as usize * 4).ok_or("the CIGAR is cut short")?;
    let operation = |element: &[u8; 4]| u32::from_ne_bytes(*element) & OPERATION_MASK;
    if cigar.as_chunks().0.iter().any(|element| operation(element) > LAST_OPERATION) {
        return Err("the CIGAR has an unknown operation");
    }
    let bases = usize::try_from(core.l_qseq).map_err(|_| "the sequence has a negative length")?;
    let (_, mut tags) = rest
        .split_at_checked(bases.div_ceil(2) + bases)
        .ok_or("the sequence or the qualities are cut short")?;
    while !tags.is_empty() {
        tags = after_tag(tags).ok_or("a tag is cut short or of an unknown type")?;
    }
    Ok(())
}

/// The tags of a checked record, in BAM's encoding.
pub fn tags(record: &Record) -> &[u8] {
    let core = record.inner().core;
    let bases = usize::try_from(core.l_qseq).unwrap_or_default();
    let before = usize::from(core.l_qname) + core.n_cigar as usize * 4 + bases.div_ceil(2) + bases;
    data(record).get(before..).unwrap_or_default()
}

/// The bytes of a record behind its fixed fields: name, CIGAR, sequence, qualities, tags.
fn data(record: &Record) -> &[u8] {
    let record = record.inner();
    let length = usize::try_from(record.l_data).unwrap_or_default();
    if record.data.is_null() {
        return &[];
    }
    // SAFETY: htslib allocated at least `l_data` bytes, which it has set, and the record borrows them.
    #[allow(unsafe_code)]
    unsafe {
        std::slice::from_raw_parts(record.data, length)
    }
}

/// The bytes behind the first tag; `None` if the tag goes on behind their end.
fn after_tag(tags: &[u8]) -> Option<&[u8]> {
    let (&kind, value) = tags.get(2..)?.split_first()?;
    match kind {
        b'Z' | b'H' => {
            let end = value.iter().position(|&byte| byte == 0)?;
            value.get(end + 1..)
        }
        b'B' => {
            let (&kind, array) = value.split_first()?;
            let (count, numbers) = array.split_first_chunk()?;
            let bytes = (u32::from_le_bytes(*count) as usize).checked_mul(number_bytes(kind)?)?;
            numbers.get(bytes..)
        }
        _ => value.get(number_bytes(kind)?..),
    }
}

#[cfg(test)]
mod tests {
    use rust_htslib::bam::record::{Aux, CigarString};

    use super::*;

    type Change = fn(&mut Record);

    fn record() -> Record {
        let mut record = Record::new();
        let cigar = CigarString::try_from(&b"2S2M"[..]).expect("a CIGAR");
        record.set(b"name", Some(&cigar), b"ACGT", &[30; 4]);
        record.push_aux(b"MD", Aux::String("2")).expect("is added");
        record.push_aux(b"XS", Aux::I16(-300)).expect("is added");
        record.push_aux(b"XB", Aux::ArrayU32((&[1_u32, 2, 3][..]).into())).expect("is added");
        record.set_tid(1);
        record.set_pos(4);
        record.set_mtid(-1);
        record.set_mpos(-1);
        record
    }

    #[test]
    fn a_record_is_refused_when_a_part_is_cut_or_changed() {
        assert_eq!(check(&record(), 2), Ok(()));
        assert!(check(&record(), 1).is_err());
        // A tag ends here, so the record without the last one, or without all, is whole.
        let whole = record().inner().l_data;
        let ends = [whole, whole - 20, whole - 25, whole - 30];
        for length in 0..=whole {
            let mut record = record();
            record.inner_mut().l_data = length;
            assert_eq!(check(&record, 2).is_ok(), ends.contains(&length), "{length} of {whole}");
        }
        let changes: [Change; 8] = [
            |record| record.set_tid(-2),
            |record| record.set_mtid(2),
            |record| record.set_pos(-2),
            |record| record.set_mpos(i64::MAX),
            |record| record.inner_mut().core.l_qname = 0,
            |record| record.inner_mut().core.l_qname -= 1,
            |record| record.inner_mut().core.n_cigar = u32::MAX,
            |record| record.inner_mut().core.l_qseq = -1,
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut record = record();
            change(&mut record);
            assert!(check(&record, 2).is_err(), "change {number}");
        }
    }
}
