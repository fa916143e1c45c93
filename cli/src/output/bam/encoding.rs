//! Records in BAM's encoding (SAM specification, sections 4.2 and 4.2.4).

use crate::iupac::write_codes;
use crate::output::lines::{self, Room};
use crate::output::record::cigar;
use crate::output::record::fields::{Position, Record, UNMAPPED};
use crate::tag_text;

/// The most runs that the CIGAR field of a record holds; a longer CIGAR is in the tag `CG` (section 4.2.2).
const MOST_RUNS: usize = 65_535;

/// The type code of a tag's value that is an integer of a byte, two or four bytes, without and with a sign.
const UNSIGNED: [u8; 3] = *b"CSI";
const SIGNED: [u8; 3] = *b"csi";

/// The most bytes that numbers of a record and the names of its tags take.
const NUMBERS: usize = 128;

/// Appends a record, which begins with the number of bytes that follow this number.
pub fn append(record: &Record<'_>, bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    let most = NUMBERS
        + record.name.len()
        + size_of_val(record.cigar)
        + record.sequence.len()
        + record.sequence.len().div_ceil(2)
        + record.tags.map_or(0, |tags| tags.text_bytes())
        + record
            .mate
            .and_then(|mate| mate.alignment)
            .map_or(0, |mate| cigar::TEXT_BYTES * mate.cigar.len())
        + record.group.map_or(0, str::len);
    lines::append(bytes, most, |room| write(record, room));
    append_other_tags(record, bytes);
    let size = (bytes.len() - begin - 4) as u32;
    bytes[begin..begin + 4].copy_from_slice(&size.to_le_bytes());
}

/// Writes a record without its size and the tags that [`append_other_tags`] appends.
fn write(record: &Record<'_>, room: &mut Room<'_>) {
    let &Record { name, flag, position, mapq, cigar, mate, sequence, quality, .. } = record;
    debug_assert!(quality.is_none_or(|quality| quality.len() == sequence.len()));
    let in_bam = |position: Option<Position>| {
        position.map_or((-1, -1), |Position { contig, base }| (contig as i32, base as i32))
    };
    let (contig, start) = in_bam(position);
    let (mate_contig, mate_start) = in_bam(mate.and_then(|mate| mate.position));
    let span = mate.map_or(0, |mate| mate.span);
    let length = reference_length(flag, cigar);
    let in_tag = [
        (sequence.len() as u32) << cigar::LENGTH_SHIFT | cigar::SOFT_CLIP,
        length << cigar::LENGTH_SHIFT | cigar::SKIPPED,
    ];
    let in_field = if has_long_cigar(record) { &in_tag } else { cigar };

    let fixed: [u32; 9] = [
        0, // The size, which is known at the end.
        contig as u32,
        start as u32,
        u32::from(bin(start, length)) << 16 | u32::from(mapq) << 8 | (name.len() as u32 + 1),
        u32::from(flag) << 16 | in_field.len() as u32,
        sequence.len() as u32,
        mate_contig as u32,
        mate_start as u32,
        span as u32,
    ];
    room.bytes(fixed.map(u32::to_le_bytes).as_flattened());
    room.bytes(name);
    room.byte(0);
    for run in in_field {
        room.bytes(&run.to_le_bytes());
    }
    write_codes(sequence, room.take(sequence.len().div_ceil(2)));
    match quality {
        Some(quality) => room.bytes(quality),
        None => room.take(sequence.len()).fill(0xff),
    }
    write_tags(record, room);
}

/// Whether the CIGAR of a record is in a tag.
fn has_long_cigar(record: &Record<'_>) -> bool {
    record.cigar.len() > MOST_RUNS
}

/// The number of bases of the reference that a record covers, for its bin: 1 if it is not aligned.
fn reference_length(flag: u16, runs: &[u32]) -> u32 {
    let length = if flag & UNMAPPED == 0 { cigar::reference_length(runs) } else { 0 };
    length.max(1)
}

/// The bin of `length` bases from `start` (SAM specification, section 5.3), of a record without a position that of -1.
fn bin(start: i32, length: u32) -> u16 {
    let (first, last) = (i64::from(start), i64::from(start) + i64::from(length) - 1);
    // The smallest bins have 2^14 bases, and each level above has bins eight times as large.
    let levels = [(14, 4681), (17, 585), (20, 73), (23, 9), (26, 1)];
    let holds = |&(shift, _): &(u32, i64)| first >> shift == last >> shift;
    levels
        .iter()
        .find(|it| holds(it))
        .map_or(0, |&(shift, offset)| (offset + (first >> shift)) as u16)
}

/// Writes the tags of the alignment and of the mate's, and the read group.
fn write_tags(record: &Record<'_>, room: &mut Room<'_>) {
    if let Some(tags) = &record.tags {
        unsigned(*b"NM", tags.distance, room);
        text(*b"MD", tags.md, room);
        signed(*b"AS", tags.score, room);
        if let Some(second) = tags.second {
            signed(*b"XS", second, room);
        }
        if let Some(count) = tags.count {
            unsigned(*b"NH", count.total, room);
            unsigned(*b"HI", count.number, room);
        }
        if !tags.parts.is_empty() {
            text(*b"SA", tags.parts, room);
        }
        if let Some(ratio) = tags.alt_ratio {
            room.bytes(b"paf");
            room.bytes(&ratio.to_le_bytes());
        }
        if !tags.alternatives.is_empty() {
            text(*b"XA", tags.alternatives, room);
        }
    }
    if let Some(mate) = record.mate.and_then(|mate| mate.alignment) {
        room.bytes(b"MCZ");
        cigar::write_text(mate.cigar, room);
        room.byte(0);
        unsigned(*b"MQ", mate.mapq.into(), room);
    }
    if let Some(group) = record.group {
        text(*b"RG", group.as_bytes(), room);
    }
}

/// Appends the tags that few records have: those of the files of reads and of the reference, and a long CIGAR.
fn append_other_tags(record: &Record<'_>, bytes: &mut Vec<u8>) {
    let description = record.extra.description;
    tag_text::append_encoded(record.extra.comment, bytes);
    if !description.is_empty() {
        lines::append(bytes, NUMBERS + description.len(), |room| text(*b"XR", description, room));
    }
    if has_long_cigar(record) {
        bytes.extend(b"CGBI");
        bytes.extend((record.cigar.len() as u32).to_le_bytes());
        bytes.extend(record.cigar.iter().flat_map(|run| run.to_le_bytes()));
    }
}

/// Writes a tag whose value is text.
fn text(name: [u8; 2], value: &[u8], room: &mut Room<'_>) {
    room.bytes(&name);
    room.byte(b'Z');
    room.bytes(value);
    room.byte(0);
}

/// Writes a tag whose value is a number, in the smallest type that holds it.
fn unsigned(name: [u8; 2], value: u32, room: &mut Room<'_>) {
    let size = usize::from(value > 0xff) + usize::from(value > 0xffff);
    room.bytes(&name);
    room.byte(UNSIGNED[size]);
    room.first_of(value.to_le_bytes(), 1 << size);
}

/// Writes a tag whose value is a number that may be negative, in the smallest type that holds it.
fn signed(name: [u8; 2], value: i32, room: &mut Room<'_>) {
    if let Ok(value) = u32::try_from(value) {
        return unsigned(name, value, room);
    }
    let size = usize::from(value < i8::MIN.into()) + usize::from(value < i16::MIN.into());
    room.bytes(&name);
    room.byte(SIGNED[size]);
    room.first_of(value.to_le_bytes(), 1 << size);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_the_specification() {
        assert_eq!(bin(-1, 1), 4680);
        assert_eq!(bin(0, 1), 4681);
        assert_eq!(bin(16_383, 1), 4681);
        assert_eq!(bin(16_383, 2), 585);
        assert_eq!(bin((1 << 26) - 1, 2), 0);
        assert_eq!(bin((1 << 29) - 1, 1), 37_448);
    }

    #[test]
    fn numbers_take_the_smallest_type() {
        let tag = |value| {
            let mut bytes = Vec::new();
            lines::append(&mut bytes, NUMBERS, |room| signed(*b"XX", value, room));
            bytes[2..].to_vec()
        };
        assert_eq!(tag(0), b"C\0");
        assert_eq!(tag(255), b"C\xff");
        assert_eq!(tag(256), b"S\0\x01");
        assert_eq!(tag(65_536), b"I\0\0\x01\0");
        assert_eq!(tag(-1), b"c\xff");
        assert_eq!(tag(-128), b"c\x80");
        assert_eq!(tag(-129), b"s\x7f\xff");
        assert_eq!(tag(-32_769), b"i\xff\x7f\xff\xff");
    }
}
