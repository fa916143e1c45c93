//! Records as lines of SAM (SAM specification, sections 1.4 and 1.5).
//!
//! The lines are those that htslib would write, made several times faster, and on any thread: see this
//! module's test.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use fm_index::Contig;
use nix::unistd;

use crate::output::hts;
use crate::output::record::Record;

/// Appends a record's line. `contigs` are those of the header.
pub fn append(record: &Record<'_>, contigs: &[Contig], line: &mut Vec<u8>) {
    line.extend_from_slice(record.name);
    number(b"\t", record.flag, line);
    match record.place {
        Some((contig, position)) => {
            line.push(b'\t');
            line.extend_from_slice(contigs[contig as usize].name.as_bytes());
            number(b"\t", u64::from(position) + 1, line);
        }
        None => line.extend_from_slice(b"\t*\t0"),
    }
    number(b"\t", record.mapq, line);
    line.push(b'\t');
    for run in record.cigar {
        number(b"", run >> hts::CIGAR_SHIFT, line);
        line.push(hts::CIGAR_LETTERS[(run & hts::CIGAR_KIND) as usize]);
    }
    if record.cigar.is_empty() {
        line.push(b'*');
    }
    // No read is paired.
    line.extend_from_slice(b"\t*\t0\t0\t");
    letters(Some(record.sequence), 0, line);
    line.push(b'\t');
    letters(record.quality, b'!', line);
    if let Some(tags) = &record.tags {
        number(b"\tNM:i:", tags.distance, line);
        line.extend_from_slice(b"\tMD:Z:");
        line.extend_from_slice(tags.md.as_bytes());
        number(b"\tAS:i:", -i32::from(tags.distance), line);
        number(b"\tNH:i:", tags.total, line);
        number(b"\tHI:i:", tags.number, line);
    }
    if let Some(group) = record.group {
        line.extend_from_slice(b"\tRG:Z:");
        line.extend_from_slice(group.as_bytes());
    }
    line.push(b'\n');
}

fn number(before: &[u8], value: impl itoa::Integer, line: &mut Vec<u8>) {
    line.extend_from_slice(before);
    line.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Bytes with something added to each; `*` for none.
fn letters(bytes: Option<&[u8]>, add: u8, line: &mut Vec<u8>) {
    match bytes {
        Some(bytes) if !bytes.is_empty() => line.extend(bytes.iter().map(|byte| byte + add)),
        _ => line.push(b'*'),
    }
}

/// A file of lines that is written.
#[derive(Debug)]
pub struct Writer {
    file: File,
}

impl Writer {
    /// Begins a file with its header.
    pub fn create(descriptor: OwnedFd, header: &str) -> io::Result<Self> {
        let mut writer = Self { file: descriptor.into() };
        writer.write(header.as_bytes())?;
        Ok(writer)
    }

    /// Writes whole lines.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)
    }

    /// Closes the file, which may tell that something could not be written after all.
    pub fn close(self) -> io::Result<()> {
        Ok(unistd::close(self.file)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use fm_index::Reference;

    use super::*;
    use crate::output::record::Tags;
    use crate::output::{Format, Options};

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
        let options = Options { format: Format::Sam, threads: 1, header: header.to_owned() };
        let mut random = fastrand::Rng::with_seed(47);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
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
            let md = String::from_utf8(any(&mut random, b"0123456789^ACGTN", 12)).expect("text");
            let large = |random: &mut fastrand::Rng| {
                let bits = random.u32(0..32);
                random.u32(..) >> bits
            };
            let tags = Tags {
                distance: random.u8(0..=15),
                md: &md,
                total: large(&mut random),
                number: large(&mut random),
            };
            let record = Record {
                name: &name,
                flag,
                place: random.bool().then(|| (random.u32(0..2), large(&mut random) >> 1)),
                mapq: random.u8(..),
                cigar: &cigar,
                sequence: &sequence,
                quality: random.bool().then_some(quality.as_slice()),
                tags: random.bool().then_some(tags),
                group: random.bool().then_some("lane 1"),
            };
            append(&record, reference.contigs(), &mut ours);
            theirs.push(hts::record(&record).expect("is made"));
        }
        let ours = written(&folder.path().join("ours.sam"), |file| {
            let mut writer = Writer::create(file, header)?;
            writer.write(&ours)?;
            writer.close()
        });
        let theirs = written(&folder.path().join("theirs.sam"), |file| {
            let mut writer = hts::Writer::create(file, &options, None)?;
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
