//! ALT contigs: the file `REF.alt` beside a reference.

use crate::sam::{self, Record};
use crate::support::{Folder, phix, reads};

/// The part of phiX174 that the ALT contig has a copy of.
const COPIED: std::ops::Range<usize> = 1000..4000;

/// phiX174 and an ALT contig, a copy of a part of it with another base every 50 bases.
fn reference() -> String {
    let genome = phix();
    let copy = genome[COPIED].iter().enumerate().map(|(place, &base)| match place % 50 {
        25 if base == b'A' => b'C',
        25 => b'A',
        _ => base,
    });
    let copy: Vec<u8> = copy.collect();
    let [genome, copy] = [&genome, &copy].map(|it| String::from_utf8_lossy(it).into_owned());
    format!(">phix\n{genome}\n>phix_alt\n{copy}\n")
}

/// A folder with this reference and reads of phiX174.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("alt.fa", reference()).write("a.fq", reads(200));
    folder.write("alt.fa.alt", "@SQ\tSN:phix_alt\tLN:3000\nphix_alt\t0\tphix\t1001\t60\t3000M\n");
    folder
}

/// Names, contigs, positions and mapping qualities of records.
fn places(records: &[Record]) -> Vec<(String, String, usize, u8)> {
    let of = |it: &Record| (it.name.clone(), it.contig.clone(), it.position, it.mapq);
    records.iter().map(of).collect()
}

#[test]
fn copies_on_alt_contigs_cost_no_quality() {
    let folder = folder();
    let best = |arguments: &[&str]| folder.map(&[&["--mode", "best"], arguments].concat());
    let alone = sam::records(&best(&["a.fq", "ref.fa"]));
    let text = best(&["a.fq", "alt.fa"]);
    assert!(String::from_utf8_lossy(&text).contains("SN:phix_alt\tLN:3000\tM5:"));
    assert_eq!(String::from_utf8_lossy(&text).matches("\tAH:*\n").count(), 1);
    let found = sam::records(&text);
    let qualities = |records: &[Record]| -> Vec<(usize, u8)> {
        records.iter().map(|it| (it.position, it.mapq)).collect()
    };
    assert_eq!(qualities(&found), qualities(&alone));
    let alike = sam::records(&best(&["--ignore-alt", "a.fq", "alt.fa"]));
    let lowered = found.iter().zip(&alike).filter(|(one, other)| one.mapq > other.mapq).count();
    assert!(lowered > 80, "{lowered}");
    // The same beside an index, and by bwa's letters.
    assert!(folder.run(&["index", "alt.fa"]).status.success());
    assert_eq!(places(&sam::records(&best(&["a.fq", "alt.fa"]))), places(&found));
    for (letters, expected) in [(&[][..], &found), (&["-j"], &alike)] {
        let words = [&["mem", "--device", "cpu"], letters, &["alt.fa", "a.fq"]].concat();
        let output = folder.run(&words);
        assert_eq!(places(&sam::records(&output.stdout)), places(expected));
    }
}

#[test]
fn a_read_of_an_alt_contig_is_reported_on_both() {
    let folder = folder();
    let text = reference();
    let copy = text.lines().last().expect("is the copy");
    folder.write("b.fq", format!("@r\n{}\n+\n{}\n", &copy[500..600], "I".repeat(100)));
    for format in ["sam", "bam", "cram"] {
        let file = format!("out.{format}");
        let options = ["--alternatives", "tag", "--eqx", "-o", &file];
        let options =
            if format == "cram" { &[options[0], options[1], "-o", &file] } else { &options[..] };
        folder.map(&[&["--mode", "best", "b.fq", "alt.fa"], options].concat());
    }
    let records = sam::records(&folder.read("out.sam"));
    let [primary, alt] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((primary.flag, primary.contig.as_str(), primary.position), (0, "phix", 1501));
    assert_eq!((primary.mapq, primary.tags["pa"].as_str()), (60, "0.9"));
    assert!(!primary.tags.contains_key("XA"));
    assert!(primary.tags["SA"].starts_with("phix_alt,501,+,100=,"), "{primary:?}");
    assert_eq!((alt.flag, alt.contig.as_str(), alt.cigar.as_str()), (0x800, "phix_alt", "100="));
    assert_eq!((alt.tags["XS"].as_str(), alt.tags.get("pa")), ("90", None));
    assert!(alt.tags["XA"].starts_with("phix,+1501,"), "{alt:?}");
    // Reads that fit the ALT contig alone are aligned there.
    folder.write("alt.fa.alt", "phix\nphix_alt\n");
    let records = folder.records(&["--mode", "best", "b.fq", "alt.fa"]);
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].flag, records[0].contig.as_str()), (0, "phix_alt"));
}

#[test]
fn unknown_names_are_refused_and_the_file_is_never_overwritten() {
    let folder = folder();
    let files = ["--device", "cpu", "a.fq", "alt.fa"];
    folder.refused(&[&files[..], &["-O", "sam", "-o", "alt.fa.alt"]].concat(), &["alt.fa.alt"]);
    folder.write("alt.fa.alt", "phix_alt\t0\nchr1_alt\t0\tchr1\n");
    let parts = ["alt.fa.alt: line 2", "no contig 'chr1_alt'", "--ignore-alt"];
    folder.refused(&files, &parts);
    folder.refused(&["mem", "--device", "cpu", "alt.fa", "a.fq"], &parts);
    folder.map(&["--mode", "all", "a.fq", "alt.fa"]);
    folder.map(&["--mode", "best", "--ignore-alt", "a.fq", "alt.fa"]);
}
