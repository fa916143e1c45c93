//! Records as lines of SAM (SAM specification, sections 1.4 and 1.5).
//!
//! The lines are those that htslib would write, made several times faster, and on any thread: see this
//! module's test.

use fm_index::Contig;

use crate::output::hts;
use crate::output::lines::{Line, Lines};
use crate::output::record::{Mate, Record, Tags};

/// Bytes of a line besides those of its fields of any length: tabs, names of tags, and numbers of up to ten
/// digits.
const NUMBERS: usize = 240;

/// Bytes of a run of a CIGAR.
const RUN: usize = 10;

/// Appends a record's line. `contigs` are those of the header.
pub fn append(record: &Record<'_>, contigs: &[Contig], lines: &mut Lines) {
    let place =
        record.place.map(|(contig, start)| (contigs[contig as usize].name.as_bytes(), start));
    let most = NUMBERS
        + record.name.len()
        + place.map_or(0, |(name, _)| name.len())
        + RUN * record.cigar.len()
        + 2 * record.sequence.len()
        + record.tags.map_or(0, |tags| tags.md.len() + tags.parts.len() + tags.alternatives.len())
        + record.mate.map_or(0, |mate| mate_bytes(&mate, contigs))
        + record.group.map_or(0, str::len);
    lines.append(most, |line| write(record, place, contigs, line));
}

/// Bytes of the fields about a mate, but for numbers.
fn mate_bytes(mate: &Mate<'_>, contigs: &[Contig]) -> usize {
    let name = mate.place.map_or(0, |(contig, _)| contigs[contig as usize].name.len());
    name + mate.alignment.map_or(0, |(cigar, _)| RUN * cigar.len())
}

fn write(
    record: &Record<'_>,
    place: Option<(&[u8], u32)>,
    contigs: &[Contig],
    line: &mut Line<'_>,
) {
    line.bytes(record.name);
    line.byte(b'\t');
    line.number(record.flag.into());
    match place {
        Some((contig, position)) => {
            line.byte(b'\t');
            line.bytes(contig);
            line.byte(b'\t');
            line.number(position + 1);
        }
        None => line.bytes(b"\t*\t0"),
    }
    line.byte(b'\t');
    line.number(record.mapq.into());
    line.byte(b'\t');
    cigar(record.cigar, line);
    match &record.mate {
        None => line.bytes(b"\t*\t0\t0\t"),
        Some(mate) => write_mate(record, mate, contigs, line),
    }
    // Many records leave the letters to another one.
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
    if let Some((runs, mapq)) = record.mate.and_then(|mate| mate.alignment) {
        line.bytes(b"\tMC:Z:");
        cigar(runs, line);
        line.bytes(b"\tMQ:i:");
        line.number(mapq.into());
    }
    if let Some(group) = record.group {
        line.bytes(b"\tRG:Z:");
        line.bytes(group.as_bytes());
    }
    line.byte(b'\n');
}

fn cigar(runs: &[u32], line: &mut Line<'_>) {
    for run in runs {
        line.number(run >> hts::CIGAR_SHIFT);
        line.byte(hts::CIGAR_LETTERS[(run & hts::CIGAR_KIND) as usize]);
    }
    if runs.is_empty() {
        line.byte(b'*');
    }
}

/// The mate's place, and how far the pair reaches.
fn write_mate(record: &Record<'_>, mate: &Mate<'_>, contigs: &[Contig], line: &mut Line<'_>) {
    match mate.place {
        Some((contig, position)) => {
            let is_same = record.place.is_some_and(|(own, _)| own == contig);
            let name = contigs[contig as usize].name.as_bytes();
            line.byte(b'\t');
            line.bytes(if is_same { b"=" } else { name });
            line.byte(b'\t');
            line.number(position + 1);
        }
        None => line.bytes(b"\t*\t0"),
    }
    line.byte(b'\t');
    signed(mate.span, line);
    line.byte(b'\t');
}

fn write_tags(tags: &Tags<'_>, line: &mut Line<'_>) {
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
    if let Some((total, number)) = tags.count {
        line.bytes(b"\tNH:i:");
        line.number(total);
        line.bytes(b"\tHI:i:");
        line.number(number);
    }
    for (name, text) in [(b"\tSA:Z:", tags.parts), (b"\tXA:Z:", tags.alternatives)] {
        if !text.is_empty() {
            line.bytes(name);
            line.bytes(text);
        }
    }
}

fn signed(number: i32, line: &mut Line<'_>) {
    if number < 0 {
        line.byte(b'-');
    }
    line.number(number.unsigned_abs());
}

/// Bytes with something added to each; `*` for none.
fn letters(bytes: Option<&[u8]>, add: u8, line: &mut Line<'_>) {
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
    use crate::output::Format;
    use crate::output::file::Writer;
    use crate::output::hts::Settings;

    /// What a writer leaves in a file.
    fn written(path: &Path, write: impl FnOnce(OwnedFd) -> io::Result<()>) -> Vec<u8> {
        write(File::create(path).expect("makes a file").into()).expect("writes");
        fs::read(path).expect("reads")
    }

    #[test]
    fn lines_are_those_of_htslib() {
        let folder = tempfile::tempdir().expect("a folder");
        let contigs = [("chr20", "ACGT"), ("a|b", "ACGT")];
        let reference = Reference::from_records(contigs).expect("a reference");
        let header = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr20\tLN:4294967295\n@SQ\tSN:a|b\tLN:4\n\
                      @PG\tID:x\tCL:x -R @RG\\tID:x\n";
        let settings = Settings {
            format: Format::Sam,
            is_temporary: false,
            header,
            threads: 1,
            reference: None,
        };
        let mut random = fastrand::Rng::with_seed(47);
        let (mut ours, mut theirs) = (Lines::default(), Vec::new());
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
                random.u32(1..=1 << bits) << hts::CIGAR_SHIFT | kind
            };
            let cigar: Vec<u32> = (0..random.usize(1..5)).map(|_| run(&mut random)).collect();
            let flag = *random.choice(&[0, 4, 16, 256, 272]).expect("one");
            // htslib wants sequence and CIGAR to agree, if there are both.
            let cigar = match length {
                _ if flag == 4 => Vec::new(),
                0 => cigar,
                _ => vec![(length as u32) << hts::CIGAR_SHIFT | hts::CIGAR_MATCH],
            };
            let md = any(&mut random, b"0123456789^ACGTN", 12);
            let large = |random: &mut fastrand::Rng| {
                let bits = random.u32(0..32);
                random.u32(..) >> bits
            };
            let small = |random: &mut fastrand::Rng| {
                let bits = random.u32(0..31);
                random.i32(..) >> bits
            };
            let parts = any(&mut random, b"chr20,+-;1", 30);
            let tags = Tags {
                distance: large(&mut random),
                md: &md,
                score: small(&mut random),
                second: random.bool().then(|| small(&mut random)),
                count: random.bool().then(|| (large(&mut random), large(&mut random))),
                parts: if random.bool() { &parts } else { &[] },
                alternatives: if random.bool() { &parts } else { &[] },
            };
            let runs = [run(&mut random), run(&mut random)];
            let mate = Mate {
                place: random.bool().then(|| (random.u32(0..2), large(&mut random) >> 1)),
                span: small(&mut random),
                alignment: random.bool().then(|| (runs.as_slice(), random.u8(..))),
            };
            let record = Record {
                name: &name,
                flag,
                place: random.bool().then(|| (random.u32(0..2), large(&mut random) >> 1)),
                mapq: random.u8(..),
                cigar: &cigar,
                mate: random.bool().then_some(mate),
                sequence: &sequence,
                quality: random.bool().then_some(quality.as_slice()),
                tags: random.bool().then_some(tags),
                group: random.bool().then_some("lane 1"),
            };
            append(&record, reference.contigs(), &mut ours);
            theirs.push(hts::record(&record).expect("is made"));
        }
        let ours = written(&folder.path().join("ours.sam"), |file| {
            let mut writer = Writer::in_order(file);
            writer.write(&[header.as_bytes(), ours.bytes()])?;
            writer.close()
        });
        let theirs = written(&folder.path().join("theirs.sam"), |file| {
            let mut writer = hts::Writer::create(file, &settings)?;
            theirs.iter().try_for_each(|record| writer.write(record))?;
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
