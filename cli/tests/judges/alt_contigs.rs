//! ALT contigs compared with `bwa mem`: real pairs, and made ones of an ALT contig, on a reference with an ALT copy.

use std::collections::HashMap;
use std::path::Path;

use crate::mem::Both;
use crate::sam::Record;
use crate::tools::{data, plain, sequence};

/// A made ALT contig: a copy of a part of a sequence, with some other bases and some gaps.
fn alt_copy(part: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut copy = Vec::new();
    for &base in part {
        match random.u32(..1500) {
            0 => {}
            1 => copy.extend([base, b'A', b'C']),
            2..=20 => copy.push(*random.choice(b"ACGT").expect("a base")),
            _ => copy.push(base),
        }
    }
    copy
}

/// A read of these bases.
fn fastq(number: usize, bases: &[u8]) -> String {
    let bases = String::from_utf8_lossy(bases);
    format!("@made{number}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
}

/// Writes a reference with an ALT copy of a third of it, `ref.fa`, and pairs, most of which are real and the others of the
/// ALT contig. Gives the names of their files.
fn write_files(folder: &Path) -> [&'static str; 2] {
    let mut random = fastrand::Rng::with_seed(1);
    let genome = sequence(&std::fs::read(data("chr20_10mb.fa")).expect("reads"));
    let copy = alt_copy(&genome[40_000..80_000], &mut random);
    let text = |bases: &[u8]| String::from_utf8_lossy(bases).into_owned();
    let reference = format!(">chr20\n{}\n>chr20_alt\n{}\n", text(&genome), text(&copy));
    std::fs::write(folder.join("ref.fa"), reference).expect("writes");
    let alt =
        "@SQ\tSN:chr20_alt\tLN:40000\nchr20_alt\t0\tchr20\t40001\t60\t40000M\t*\t0\t0\t*\t*\n";
    std::fs::write(folder.join("ref.fa.alt"), alt).expect("writes");
    let mut made = [String::new(), String::new()];
    for number in 0..1000 {
        let insert = random.usize(250..350);
        let start = random.usize(..copy.len() - insert);
        let fragment = &copy[start..start + insert];
        let mut ends = [fragment[..100].to_vec(), fragment[insert - 100..].to_vec()];
        for end in &mut ends {
            end[random.usize(..100)] = *random.choice(b"ACGT").expect("a base");
        }
        ends[1] = bio::alphabets::dna::revcomp(&ends[1]);
        if random.bool() {
            ends.swap(0, 1);
        }
        made.iter_mut().zip(&ends).for_each(|(text, end)| *text += &fastq(number, end));
    }
    let (real, names) = (["chr20_10mb_1.fq.gz", "chr20_10mb_2.fq.gz"], ["1.fq", "2.fq"]);
    for ((real, made), name) in real.into_iter().zip(&made).zip(names) {
        std::fs::write(folder.join(name), [&plain(real), made.as_bytes()].concat())
            .expect("writes");
    }
    names
}

/// The records of each read, by name and end.
fn of_reads(records: &[Record]) -> HashMap<(&str, u16), Vec<&Record>> {
    let mut reads: HashMap<_, Vec<&Record>> = HashMap::new();
    for record in records {
        reads.entry((record.name.as_str(), record.flag & 0xc0)).or_default().push(record);
    }
    reads
}

/// The fields of a record that ALT contigs decide: flags, position, mapping quality, `pa` and `XA`.
fn decided(record: &Record) -> (u16, &str, usize, u8, Option<i64>, Vec<&str>) {
    let ratio = record.tags.get("pa").map(|it| it.parse::<f64>().expect("a number"));
    let ratio = ratio.map(|ratio| (ratio * 1000.0).round() as i64);
    let mut others: Vec<&str> =
        record.tags.get("XA").map(|it| it.split(';').collect()).unwrap_or_default();
    others.sort_unstable();
    (record.flag, &record.contig, record.position, record.mapq, ratio, others)
}

/// Checks that of bwa's reads, at least so many of a thousand have the same records here.
fn agree(both: &Both, alike: usize, what: &str) {
    let (theirs, ours) = (of_reads(&both.bwa), of_reads(&both.ours));
    assert_eq!(theirs.len(), ours.len(), "{what}");
    let list = |records: &[&Record]| {
        format!("{:?}", records.iter().map(|it| decided(it)).collect::<Vec<_>>())
    };
    let same = theirs.iter().filter(|(read, records)| list(records) == list(&ours[*read])).count();
    println!("{what}: {same} of {} reads alike", theirs.len());
    assert!(same * 1000 >= theirs.len() * alike, "{what}: {same} of {}", theirs.len());
}

#[test]
fn reads_of_loci_with_alt_contigs_are_reported_as_in_bwa() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let files = write_files(folder);
    let pairs = Both::of_files(&files, &[], folder);
    agree(&pairs, 990, "pairs");
    assert_eq!(pairs.headers.each_ref().map(|it| it.matches("\tAH:*").count()), [1, 1]);
    let has_ratio = pairs.counts(|record| record.tags.contains_key("pa"));
    let on_alt = pairs.counts(|record| record.flag & 0x800 != 0 && record.contig == "chr20_alt");
    println!("pa {has_ratio:?}, supplementary on the ALT contig {on_alt:?}");
    assert!(has_ratio[0] > 500 && on_alt[0] > 500);
    agree(&Both::of_files(&files[..1], &[], folder), 990, "single reads");
    agree(&Both::of_files(&files, &["-j"], folder), 950, "without ALT contigs");
}
