//! UMIs, which tell copies of different molecules apart.

use bio::alphabets::dna::revcomp;
use std::fmt::Write as _;

use crate::sam;
use crate::support::{Folder, phix};

/// Copies of one pair: the UMI of each, and whether it is a duplicate of one before.
const COPIES: [(&str, bool); 5] = [
    ("ACGT-TTGA", false),
    ("ACGT-TTGA", true),
    ("ACGT-TTGC", false),
    ("ACGT-TTGA", true),
    ("NCGT-TTGA", false),
];

/// A folder with the copies: UMIs in comments (`1.fq`, `2.fq`), in names (`n1.fq`, `n2.fq`), and in tags (`r.sam`).
fn folder() -> Folder {
    let folder = Folder::new();
    let fragment = &phix()[1000..1300];
    let mates = [fragment[..100].to_vec(), revcomp(&fragment[200..])];
    let mates = mates.map(|letters| String::from_utf8(letters).expect("is text"));
    let (qualities, mut sam) = ("F".repeat(100), "@HD\tVN:1.6\tGO:query\n".to_owned());
    let mut texts = [const { String::new() }; 4];
    for (number, (umi, _)) in COPIES.iter().enumerate() {
        let in_name = umi.replace('-', "+");
        for (mate, letters) in mates.iter().enumerate() {
            let record = format!("{letters}\n+\n{qualities}\n");
            let (with_tags, end) = (format!("\tRX:Z:{umi}\tBC:Z:AC"), mate + 1);
            write!(texts[mate], "@r{number} {end}:N:0:AC{with_tags}\n{record}").expect("is text");
            write!(texts[2 + mate], "@r{number}:{in_name} {end}:N:0:AC\n{record}")
                .expect("is text");
            let flag = [77, 141][mate];
            let columns = format!("{flag}\t*\t0\t0\t*\t*\t0\t0\t{letters}\t{qualities}");
            writeln!(sam, "r{number}\t{columns}\tBC:Z:AC\tRX:Z:{umi}").expect("is text");
        }
    }
    for (file, text) in ["1.fq", "2.fq", "n1.fq", "n2.fq"].iter().zip(texts) {
        folder.write(file, text);
    }
    folder.write("r.sam", sam);
    folder
}

#[test]
fn templates_with_different_umis_are_no_duplicates() {
    let folder = folder();
    let map = |arguments: &[&str]| {
        let sorted = ["--mode", "best", "ref.fa", "--sort", "--mark-duplicates"];
        let mut records = sam::records(&folder.map(&[arguments, &sorted].concat()));
        records.sort_by_key(|record| (record.name.clone(), record.flag & 0x80));
        records
    };
    let without = map(&["1.fq", "2.fq"]);
    assert_eq!(without.iter().filter(|record| record.flag & 0x400 != 0).count(), 8);
    for arguments in [
        &["1.fq", "2.fq", "--umi-tag", "RX"][..],
        &["r.sam", "--umi-tag", "RX"],
        &["r.sam", "--umi-tag", "RX", "--comments"],
        &["n1.fq", "n2.fq", "--umi-from-name"],
    ] {
        let records = map(arguments);
        assert_eq!(records.len(), 2 * COPIES.len());
        for (record, number) in records.iter().zip(0..) {
            let (umi, is_duplicate) = COPIES[number / 2];
            assert_eq!(record.flag & 0x400 != 0, is_duplicate, "{arguments:?} {number}");
            assert_eq!(record.tags.get("RX"), Some(&umi.to_owned()), "{arguments:?}");
            assert_eq!(record.tags.contains_key("BC"), arguments.contains(&"--comments"));
        }
    }
    // A name keeps its UMI, another tag may have it, and without marking it is only copied.
    for mode in ["best", "all"] {
        let arguments = ["--mode", mode, "n1.fq", "ref.fa", "--umi-from-name", "--umi-tag", "XU"];
        let records = folder.records(&arguments);
        assert_eq!(records[2].name, "r2:ACGT+TTGC", "{mode}");
        assert_eq!(records[2].tags.get("XU").map(String::as_str), Some("ACGT-TTGC"), "{mode}");
    }
}

#[test]
fn reads_without_a_umi_are_refused() {
    let folder = folder();
    let text = String::from_utf8(folder.read("1.fq")).expect("is text");
    folder.write("1.fq", text.replacen("\tRX:Z:ACGT-TTGC", "\tBX:Z:ACGT-TTGC", 1));
    let text = String::from_utf8(folder.read("n1.fq")).expect("is text");
    folder.write("n1.fq", text.replacen(":ACGT+TTGC ", ":ACGT_TTGC ", 1));
    let text = String::from_utf8(folder.read("r.sam")).expect("is text");
    folder.write("r.sam", text.replace("\tRX:Z:ACGT-TTGC", ""));
    let output = ["ref.fa", "-o", "out.bam", "--sort", "--mark-duplicates", "--device", "cpu"];
    let refused = |arguments: &[&str], parts: &[&str]| {
        folder.refused(&[arguments, &output].concat(), parts);
    };
    let in_tag = ["--umi-tag", "RX"];
    refused(&["1.fq", "2.fq", in_tag[0], in_tag[1]], &["1.fq: record 3 (line 9): ", "no tag RX"]);
    refused(
        &["r.sam", in_tag[0], in_tag[1]],
        &["r.sam: record 5: ", "no tag RX", "--umi-from-name"],
    );
    let from_name = ["n1.fq", "n2.fq", "--umi-from-name"];
    refused(&from_name, &["n1.fq: record 3 (line 9): ", "such as :ACGT"]);
    for (wrong, part) in [
        (&["--umi-tag", "RX"][..], "add --mark-duplicates"),
        (&["--umi-tag", "RXX"], "RX"),
        (&["--umi-tag", "NM", "--sort", "--mark-duplicates"], "the program itself"),
    ] {
        let output = folder.run(&[&["1.fq", "ref.fa"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(part), "{wrong:?}");
    }
}
