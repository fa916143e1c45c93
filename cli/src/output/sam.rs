//! Records as lines of SAM (SAM specification, sections 1.4 and 1.5).
//!
//! The lines are the same as htslib's, byte by byte, as this module's test shows. A record through htslib costs 2 us, most
//! of it for making the record; a line that is made here from the same fields costs a tenth of that, and any thread can make
//! it.

use fm_index::Contig;

use crate::output::lines::{Lines, Room};
use crate::output::record::cigar;
use crate::output::record::fields::{
    AlignmentCount, ExtraTags, Mate, MateAlignment, Position, Record, Tags,
};

/// The most bytes that tabs, names of tags and numbers of a line take, without its fields of variable length.
const NUMBERS: usize = 256;

/// Appends the line of a record. `contigs` are the contigs of the header, in their order.
pub fn append(record: &Record<'_>, contigs: &[Contig], lines: &mut Lines) {
    let contig = record.position.map(|position| contig_name(position, contigs));
    let most = NUMBERS
        + record.name.len()
        + contig.map_or(0, <[u8]>::len)
        + cigar::TEXT_BYTES * record.cigar.len()
        + 2 * record.sequence.len()
        + record.tags.map_or(0, |tags| tags.text_bytes())
        + record.mate.map_or(0, |mate| mate_bytes(&mate, contigs))
        + record.group.map_or(0, str::len)
        + record.extra.comment.len()
        + record.extra.description.len();
    lines.append(most, |line| write(record, contigs, line));
}

fn contig_name(position: Position, contigs: &[Contig]) -> &[u8] {
    contigs[position.contig as usize].name.as_bytes()
}

/// The most bytes that the fields about a mate take, without numbers.
fn mate_bytes(mate: &Mate<'_>, contigs: &[Contig]) -> usize {
    let name = mate.position.map_or(0, |position| contig_name(position, contigs).len());
    name + mate.alignment.map_or(0, |alignment| cigar::TEXT_BYTES * alignment.cigar.len())
}

fn write(record: &Record<'_>, contigs: &[Contig], line: &mut Room<'_>) {
    line.bytes(record.name);
    line.byte(b'\t');
    line.number(record.flag.into());
    match record.position {
        Some(position) => {
            line.byte(b'\t');
            line.bytes(contig_name(position, contigs));
            line.byte(b'\t');
            line.number(position.base + 1);
        }
        None => line.bytes(b"\t*\t0"),
    }
    line.byte(b'\t');
    line.number(record.mapq.into());
    line.byte(b'\t');
    cigar::write_text(record.cigar, line);
    match &record.mate {
        None => line.bytes(b"\t*\t0\t0\t"),
        Some(mate) => write_mate(record, mate, contigs, line),
    }
    // Secondary records have neither sequence nor qualities.
    if record.sequence.is_empty() && record.quality.is_none() {
        line.bytes(b"*\t*");
    } else {
        letters(Some(record.sequence), 0, line);
        line.byte(b'\t');
        letters(record.quality, b'!', line);
    }
    if let Some(tags) = &record.tags {
        write_tags(tags, line);
    }
    if let Some(MateAlignment { cigar, mapq }) = record.mate.and_then(|mate| mate.alignment) {
        line.bytes(b"\tMC:Z:");
        cigar::write_text(cigar, line);
        line.bytes(b"\tMQ:i:");
        line.number(mapq.into());
    }
    if let Some(group) = record.group {
        line.bytes(b"\tRG:Z:");
        line.bytes(group.as_bytes());
    }
    let ExtraTags { comment, description } = record.extra;
    for (before, text) in [(&b"\t"[..], comment), (b"\tXR:Z:", description)] {
        if !text.is_empty() {
            line.bytes(before);
            line.bytes(text);
        }
    }
    line.byte(b'\n');
}

/// Writes the position of the mate, and `TLEN`.
fn write_mate(record: &Record<'_>, mate: &Mate<'_>, contigs: &[Contig], line: &mut Room<'_>) {
    match mate.position {
        Some(position) => {
            let is_same = record.position.is_some_and(|own| own.contig == position.contig);
            line.byte(b'\t');
            line.bytes(if is_same { b"=" } else { contig_name(position, contigs) });
            line.byte(b'\t');
            line.number(position.base + 1);
        }
        None => line.bytes(b"\t*\t0"),
    }
    line.byte(b'\t');
    signed(mate.span, line);
    line.byte(b'\t');
}

fn write_tags(tags: &Tags<'_>, line: &mut Room<'_>) {
    line.bytes(b"\tNM:i:");
    line.number(tags.distance);
    line.bytes(b"\tMD:Z:");
    line.bytes(tags.md);
    line.bytes(b"\tAS:i:");
    signed(tags.score, line);
    if let Some(second) = tags.second {
        line.bytes(b"\tXS:i:");
        signed(second, line);
    }
    if let Some(AlignmentCount { total, number }) = tags.count {
        line.bytes(b"\tNH:i:");
        line.number(total);
        line.bytes(b"\tHI:i:");
        line.number(number);
    }
    let text = |name: &[u8], text: &[u8], line: &mut Room<'_>| {
        if !text.is_empty() {
            line.bytes(name);
            line.bytes(text);
        }
    };
    text(b"\tSA:Z:", tags.parts, line);
    if let Some(ratio) = tags.alt_ratio {
        line.bytes(format!("\tpa:f:{ratio}").as_bytes());
    }
    text(b"\tXA:Z:", tags.alternatives, line);
}

fn signed(number: i32, line: &mut Room<'_>) {
    if number < 0 {
        line.byte(b'-');
    }
    line.number(number.unsigned_abs());
}

/// Writes bytes, each plus `add`; `*` if there are none.
fn letters(bytes: Option<&[u8]>, add: u8, line: &mut Room<'_>) {
    match bytes {
        Some(bytes) if !bytes.is_empty() => line.added(bytes, add),
        _ => line.byte(b'*'),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use fm_index::Reference;

    use super::*;
    use crate::output::appended_file::AppendedFile;
    use crate::output::bam::records::EncodedRecords;
    use crate::output::bam::view;
    use crate::output::format::Format;
    use crate::output::hts::{self, Settings};

    /// The content of a file after `write` wrote to it.
    fn written(path: &Path, write: impl FnOnce(OwnedFd) -> io::Result<()>) -> Vec<u8> {
        write(File::create(path).expect("makes a file").into()).expect("writes");
        fs::read(path).expect("reads")
    }

    /// A number of any size.
    fn large(random: &mut fastrand::Rng) -> u32 {
        let bits = random.u32(0..32);
        random.u32(..) >> bits
    }

    /// A positive or negative number of any size.
    fn small(random: &mut fastrand::Rng) -> i32 {
        let bits = random.u32(0..31);
        random.i32(..) >> bits
    }

    /// A base of one of two contigs.
    fn position(random: &mut fastrand::Rng) -> Position {
        Position { contig: random.u32(0..2), base: large(random) >> 1 }
    }

    #[test]
    fn lines_are_those_of_htslib() {
        let folder = tempfile::tempdir().expect("a folder");
        let contigs = [("chr20", "ACGT"), ("a|b", "ACGT")];
        let reference = Reference::from_records(contigs).expect("a reference");
        let header = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr20\tLN:4294967295\n@SQ\tSN:a|b\tLN:4\n\
                      @PG\tID:x\tCL:x -R @RG\\tID:x\n";
        let settings =
            Settings { format: Format::Sam, header, threads: 1, reference: None, is_sorted: false };
        let mut random = fastrand::Rng::with_seed(47);
        let (mut ours, mut encoded) = (Lines::default(), EncodedRecords::default());
        for _ in 0..20_000 {
            let length = *random.choice(&[0, 1, 2, 9, 100, 151]).expect("one");
            let any = |random: &mut fastrand::Rng, from: &[u8], length| -> Vec<u8> {
                (0..length).map(|_| *random.choice(from).expect("one")).collect()
            };
            let graphic: Vec<u8> = (b'!'..=b'~').filter(|&letter| letter != b'@').collect();
            let name_length = random.usize(1..=254);
            let name = any(&mut random, &graphic, name_length);
            let sequence = any(&mut random, b"ACGTNRYKMSWBDHV", length);
            let quality = any(&mut random, &(0..94).collect::<Vec<u8>>(), length);
            let run = |random: &mut fastrand::Rng| {
                let (kind, bits) = (random.u32(0..9), random.u32(0..28));
                random.u32(1..=1 << bits) << cigar::LENGTH_SHIFT | kind
            };
            let runs: Vec<u32> = (0..random.usize(1..5)).map(|_| run(&mut random)).collect();
            let flag = *random.choice(&[0, 4, 16, 256, 272]).expect("one");
            // htslib wants sequence and CIGAR to agree, if there are both.
            let runs = match length {
                _ if flag == 4 => Vec::new(),
                0 => runs,
                _ => vec![(length as u32) << cigar::LENGTH_SHIFT | cigar::MATCH],
            };
            let md = any(&mut random, b"0123456789^ACGTN", 12);
            let parts = any(&mut random, b"chr20,+-;1", 30);
            let tags = Tags {
                distance: large(&mut random),
                md: &md,
                score: small(&mut random),
                second: random.bool().then(|| small(&mut random)),
                count: random.bool().then(|| AlignmentCount {
                    total: large(&mut random),
                    number: large(&mut random),
                }),
                parts: if random.bool() { &parts } else { &[] },
                alt_ratio: random.bool().then(|| random.u32(..=1000) as f32 / 1e3),
                alternatives: if random.bool() { &parts } else { &[] },
            };
            let mate_runs = [run(&mut random), run(&mut random)];
            let mate = Mate {
                position: random.bool().then(|| position(&mut random)),
                span: small(&mut random),
                alignment: random
                    .bool()
                    .then(|| MateAlignment { cigar: &mate_runs, mapq: random.u8(..) }),
            };
            let record = Record {
                name: &name,
                flag,
                position: random.bool().then(|| position(&mut random)),
                mapq: random.u8(..),
                cigar: &runs,
                mate: random.bool().then_some(mate),
                sequence: &sequence,
                quality: random.bool().then_some(quality.as_slice()),
                tags: random.bool().then_some(tags),
                group: random.bool().then_some("lane 1"),
                extra: ExtraTags {
                    comment: if random.bool() {
                        b"BC:Z:AC GT\tX0:i:-7\tX1:B:S,3,65535"
                    } else {
                        b""
                    },
                    description: if random.bool() { b"a description" } else { b"" },
                },
            };
            append(&record, reference.contigs(), &mut ours);
            encoded.push(&record, false);
        }
        let ours = written(&folder.path().join("ours.sam"), |file| {
            let mut writer = AppendedFile::stream(file);
            writer.write(&[header.as_bytes(), ours.bytes()])?;
            writer.close()
        });
        let theirs = written(&folder.path().join("theirs.sam"), |file| {
            let mut writer = hts::Writer::create(file, settings)?;
            for view in view::records(encoded.bytes()) {
                let record = hts::record(view)?;
                assert_eq!(view.bin(), record.inner().core.bin);
                writer.write(&record)?;
            }
            writer.close()
        });
        let lines = |text: &[u8]| -> Vec<String> {
            text.split(|&byte| byte == b'\n')
                .map(|line| String::from_utf8_lossy(line).into())
                .collect()
        };
        for (ours, theirs) in lines(&ours).iter().zip(&lines(&theirs)) {
            assert_eq!(ours, theirs);
        }
        assert!(ours == theirs);
    }
}
