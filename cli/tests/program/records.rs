//! The records: flags, tags and letters of alignments whose truth is known.

use bio::alphabets::dna::revcomp;

use crate::sam::{self, Record};
use crate::support::{Folder, data, phix, reads};

/// A folder whose `twice.fa` has the first 300 bases of phiX174 twice, apart, and `reads.fa`.
fn with_repeat(reads: &str) -> Folder {
    let genome = phix();
    let folder = Folder::new();
    let contig = [&genome[..300], &genome[2000..2300], &genome[..300]].concat();
    folder.write("twice.fa", [b">other\nACGTACGTAC\n>twice\n", contig.as_slice(), b"\n"].concat());
    folder.write("reads.fa", reads);
    folder
}

fn piece(start: usize, length: usize) -> String {
    String::from_utf8(phix()[start..start + length].to_vec()).expect("is text")
}

fn reverse_complement(sequence: &str) -> String {
    String::from_utf8(revcomp(sequence.as_bytes())).expect("letters")
}

#[test]
fn one_locus_each_is_reported_and_all_are_counted() {
    let folder = with_repeat(&format!(">r\n{}\n", piece(50, 60)));
    let records = folder.records(&["reads.fa", "twice.fa"]);
    let [best] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((best.flag, best.contig.as_str(), best.cigar.as_str()), (0, "twice", "60M"));
    assert!([51, 651].contains(&best.position));
    assert_eq!(best.mapq, 3);
    let numbers = ["NM", "AS", "NH", "HI"].map(|tag| best.number(tag));
    assert_eq!((numbers, best.tags["MD"].as_str()), ([0, 0, 2, 1], "60"));
    assert_eq!(best.tags.len(), 5);

    // The seed chooses, and one in two seeds chooses the other.
    let positions = ["1", "2", "3", "4", "5", "6", "7", "8"]
        .map(|seed| folder.records(&["--seed", seed, "reads.fa", "twice.fa"])[0].position);
    assert!(positions.contains(&51) && positions.contains(&651), "{positions:?}");
}

#[test]
fn all_loci_have_one_primary() {
    let folder = with_repeat(&format!(">r\n{}\n", reverse_complement(&piece(50, 60))));
    let records = folder.records(&["--mode", "all", "reads.fa", "twice.fa"]);
    let [first, second] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((first.flag, second.flag), (16, 16 | 0x100));
    assert_eq!(first.sequence, piece(50, 60));
    assert_eq!((second.sequence.as_str(), second.quality.as_str()), ("*", "*"));
    assert_eq!((first.mapq, second.mapq), (3, 0));
    let mut positions = [first.position, second.position];
    positions.sort_unstable();
    assert_eq!(positions, [51, 651]);
    for (record, number) in [(first, 1), (second, 2)] {
        assert_eq!((record.number("NH"), record.number("HI")), (2, number));
        assert_eq!(record.cigar, "60M");
    }
}

#[test]
fn all_starts_are_more_than_loci() {
    let folder = with_repeat(&format!(">r\n{}\n", piece(50, 60)));
    let records =
        folder.records(&["-k", "1", "--mode", "all", "--all-starts", "reads.fa", "twice.fa"]);
    // Starts one base to either side have a match with one base inserted or deleted.
    let mut positions: Vec<usize> = records.iter().map(|record| record.position).collect();
    positions.sort_unstable();
    assert_eq!(positions, [50, 51, 52, 650, 651, 652]);
    assert_eq!(records.iter().filter(|record| record.is_primary()).count(), 1);
    assert!(records[0].is_primary() && records[0].number("NM") == 0);
    for (number, record) in records.iter().enumerate() {
        assert_eq!((record.number("NH"), record.number("HI")), (6, number + 1));
        sam::check_alignment(record, piece(50, 60).as_bytes(), &contig(&folder));
    }
}

/// The letters of the contig `twice`.
fn contig(folder: &Folder) -> Vec<u8> {
    let fasta = folder.read("twice.fa");
    fasta.split(|&byte| byte == b'\n').nth(3).expect("a fourth line").to_vec()
}

#[test]
fn nothing_is_reported_of_what_does_not_match() {
    let folder = with_repeat(">r\nACCCCCCCCCCCCCCCCCCCCCCCCCCCCCA\n");
    let records = folder.records(&["--mode", "all", "-R", "@RG\\tID:g", "reads.fa", "twice.fa"]);
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((record.flag, record.contig.as_str(), record.position), (4, "*", 0));
    assert_eq!((record.mapq, record.cigar.as_str()), (0, "*"));
    assert_eq!(record.sequence, "ACCCCCCCCCCCCCCCCCCCCCCCCCCCCCA");
    assert_eq!((record.tags.len(), record.tags["RG"].as_str()), (1, "g"));
}

#[test]
fn ambiguity_letters_survive_and_differ() {
    let mut sequence = piece(700, 50);
    sequence.replace_range(10..11, "R");
    let folder = Folder::new();
    folder.write("reads.fa", format!(">f\n{sequence}\n>r\n{}\n", reverse_complement(&sequence)));
    let records = folder.records(&["--eqx", "reads.fa", "ref.fa"]);
    let expected = phix()[710];
    for (record, flag) in records.iter().zip([0, 16]) {
        assert_eq!((record.flag, record.position), (flag, 701));
        assert_eq!(record.sequence, sequence);
        assert_eq!((record.number("NM"), record.cigar.as_str()), (1, "10=1X39="));
        assert_eq!(record.tags["MD"], format!("10{}39", char::from(expected)));
    }
}

#[test]
fn n_in_the_reference_differs_from_n_in_the_read() {
    let mut contig = piece(0, 200);
    contig.replace_range(100..101, "N");
    let folder = Folder::new();
    folder
        .write("n.fa", format!(">n\n{contig}\n"))
        .write("reads.fa", format!(">r\n{}\n", &contig[70..130]));
    for file in ["out.sam", "out.bam", "out.cram"] {
        folder.map(&["reads.fa", "n.fa", "-o", file]);
    }
    let records = sam::records(&folder.read("out.sam"));
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((record.position, record.cigar.as_str()), (71, "60M"));
    assert_eq!((record.number("NM"), record.tags["MD"].as_str()), (1, "30N29"));
}

#[test]
fn qualities_turn_with_the_read() {
    let folder = Folder::new();
    let sequence = piece(300, 40);
    let quality: String = (0..40).map(|place| char::from(b'!' + place)).collect();
    folder.write("reads.fq", format!("@r\n{}\n+\n{quality}\n", reverse_complement(&sequence)));
    let records = folder.records(&["reads.fq", "ref.fa"]);
    assert_eq!((records[0].flag, records[0].sequence.as_str()), (16, sequence.as_str()));
    assert_eq!(records[0].quality, quality.chars().rev().collect::<String>());
}

#[test]
fn cigars_have_m_or_eqx_and_never_both() {
    let folder = Folder::new();
    folder.write("reads.fq", [data("phix_1.fq"), data("phix_2.fq"), reads(50)].concat());
    let kinds = |options: &[&str]| {
        let records = folder.records(&[options, &["-k", "6", "reads.fq", "ref.fa"]].concat());
        let aligned: Vec<Record> = records.into_iter().filter(Record::is_aligned).collect();
        assert!(aligned.len() > 100);
        let mut kinds: Vec<char> =
            aligned.iter().flat_map(Record::operations).map(|(kind, _)| kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    assert!(kinds(&[]).iter().all(|kind| "MID".contains(*kind)));
    assert!(kinds(&[]).contains(&'M'));
    assert!(kinds(&["--eqx"]).iter().all(|kind| "=XID".contains(*kind)));
    assert!(kinds(&["--eqx"]).contains(&'X'));
}

#[test]
fn the_read_group_is_in_every_record() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let records = folder.records(&["-R", "@RG\\tID:x\\tSM:y", "reads.fq", "ref.fa"]);
    assert!(records.iter().any(|record| !record.is_aligned()));
    assert!(records.iter().all(|record| record.tags["RG"] == "x"));
}
