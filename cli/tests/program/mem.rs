//! `gpualign mem`: the command line of bwa mem, and what it refuses.

use crate::sam;
use crate::support::{Folder, phix, reads};

/// A record of FASTQ with these bases.
fn record(header: &str, bases: &[u8]) -> String {
    let bases = String::from_utf8_lossy(bases);
    format!("@{header}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
}

/// The output of a run that succeeds, and what it said.
fn run(folder: &Folder, arguments: &[&str]) -> (Vec<u8>, String) {
    let output = folder.run(&[&["mem", "--device", "cpu"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    (output.stdout, said)
}

#[test]
fn it_maps_as_the_command_without_a_name() {
    let folder = Folder::new();
    folder.write("a.fq", reads(300));
    let plain = folder.map(&["--mode", "best", "--alternatives", "tag", "a.fq", "ref.fa"]);
    let (mem, said) = run(&folder, &["-t2", "-v", "3", "ref.fa", "a.fq"]);
    assert_eq!(said, "");
    assert_eq!(sam::records(&mem), sam::records(&plain));
    let (_, said) = run(&folder, &["-K", "1000", "-v", "3", "-o", "x.sam", "ref.fa", "a.fq"]);
    assert!(said.contains("-K changes nothing"), "{said}");
    assert_eq!(sam::records(&folder.read("x.sam")), sam::records(&plain));
}

#[test]
fn the_format_of_the_output_is_told_by_its_name() {
    let folder = Folder::new();
    folder.write("a.fq", reads(3));
    for (file, start) in [
        ("x.sam", &b"@HD"[..]),
        ("x.txt", b"@HD"),
        ("x", b"@HD"),
        ("x.sam.gz", b"@HD"),
        ("x.bam", b"\x1f\x8b"),
        ("x.CRAM", b"CRAM"),
    ] {
        let (out, _) = run(&folder, &["-o", file, "ref.fa", "a.fq"]);
        assert!(out.is_empty() && folder.read(file).starts_with(start), "{file}");
    }
    let (out, _) = run(&folder, &["-o", "-", "ref.fa", "a.fq"]);
    assert!(out.starts_with(b"@HD"));
}

#[test]
fn the_long_options_are_those_of_the_letters() {
    let folder = Folder::new();
    folder.write("a.fq", reads(300));
    let words = [
        ("-A", "--match-score", "2"),
        ("-B", "--mismatch-penalty", "3"),
        ("-O", "--gap-open", "5,7"),
        ("-E", "--gap-extend", "2,1"),
        ("-L", "--clip-penalty", "1,3"),
        ("-U", "--unpaired-penalty", "9"),
        ("-T", "--min-score", "70"),
        ("-k", "--min-seed-length", "25"),
    ];
    let letters: Vec<&str> = words.iter().flat_map(|&(letter, _, value)| [letter, value]).collect();
    let long: Vec<&str> = words.iter().flat_map(|&(_, long, value)| [long, value]).collect();
    let (mem, _) = run(&folder, &[&letters[..], &["ref.fa", "a.fq"]].concat());
    let tag = ["--mode", "best", "--alternatives", "tag", "a.fq", "ref.fa"];
    let map = folder.map(&[&tag[..], &long].concat());
    let records = sam::records(&mem);
    assert_eq!(records, sam::records(&map));
    assert!(records.iter().any(|record| record.tags.get("AS").is_some_and(|it| it == "200")));
}

#[test]
fn light_chains_are_discarded() {
    let folder = Folder::new();
    let genome = phix();
    let mut bases = genome[100..200].to_vec();
    // Two seeds of 40 and 59 bases, which are one chain.
    bases[40] = if bases[40] == b'A' { b'C' } else { b'A' };
    folder.write("a.fq", record("r", &bases));
    for (weight, is_aligned) in [("99", true), ("100", false)] {
        let (out, _) = run(&folder, &["-W", weight, "ref.fa", "a.fq"]);
        assert_eq!(sam::records(&out)[0].is_aligned(), is_aligned, "{weight}");
    }
}

#[test]
fn contigs_are_aligned_with_few_gaps() {
    let folder = Folder::new();
    let genome = phix();
    let mut bases = genome[100..400].to_vec();
    bases.remove(120);
    bases[200] = if bases[200] == b'A' { b'C' } else { b'A' };
    folder.write("a.fq", record("r", &bases));
    let score = |options: &[&str]| {
        let (out, _) = run(&folder, &[options, &["ref.fa", "a.fq"]].concat());
        sam::records(&out)[0].number("AS")
    };
    assert_eq!(score(&[]), 298 - 4 - 7);
    assert_eq!(score(&["-x", "intractg"]), 298 - 9 - 17);
    assert_eq!(score(&["-B9", "-O16", "-L5"]), 298 - 9 - 17);
    assert_eq!(score(&["-x", "intractg", "-B5", "-A2"]), 2 * 298 - 5 - 17);
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    let folder = Folder::new();
    folder.write("a.fq", reads(3)).write("lines", "no header\n");
    let files = ["ref.fa", "a.fq"];
    let refused = |arguments: &[&str], part: &str| {
        let output = folder.run(&[&["mem"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: no '{part}' in {said}");
    };
    for (options, part) in [
        (&["-x", "pacbio"][..], "-x pacbio is not available"),
        (&["-x", "ont2d"], "minimap2"),
        (&["-x", "pacbo"], "-x pacbo is not a type of reads: give intractg"),
        (&["-d", "50"], "-d cannot be less than 100"),
        (&["-W", "x"], "-W"),
        (&["-h", "5,-1"], "-h must not be negative"),
        (&["-O", "6,x"], "'x' is not an integer"),
        (&["-E", "1,0"], "the cost of extending an insertion is 0"),
        (&["-L", "501,0"], "the cost of clipping a 5' end is 501"),
        (&["-A", "0"], "the score of a match"),
        (&["-k", "5"], "10 to 1000 bases"),
        (&["-I", "300,20,100,200"], "shortest insert size"),
    ] {
        refused(&[options, &files].concat(), part);
    }
    for (options, part) in [
        (&["-H", "lines"][..], "is not a line of a header"),
        (&["-H", "none"], "-H: none: "),
        (&["-H", "/dev/zero"], "more than 16 MiB"),
        (&["-H", "@RG\\tID:a", "-R", "@RG\\tID:a"], "twice"),
    ] {
        folder.refused(&[&["mem", "--device", "cpu"], options, &files].concat(), &[part]);
    }
    refused(&["ref.fa"], "in this order, but there is 1 file");
    refused(&["a.fq", "ref.fa"], "gpualign mem REF READS");
    run(&folder, &["-j", "-d", "200", "-W0", "-O6,6", "ref.fa", "a.fq"]);
    let output = folder.run(&["ref.fa", "a.fq"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("gpualign READS REF"), "{said}");
}

#[test]
fn pairs_and_single_reads_may_be_mixed_in_any_batch() {
    let folder = Folder::new();
    let genome = phix();
    let bases = |from: usize| genome[from..from + 90].to_vec();
    let mut text = String::new();
    for number in 0..40 {
        let name = |end: &str| format!("r{number}{end}");
        text += &record(&name("/1"), &bases(50 * number));
        if number % 3 == 0 {
            text += &record(&name("/2"), &bases(50 * number + 200));
        }
    }
    folder.write("a.fq", &text);
    let (out, _) = run(&folder, &["-p", "ref.fa", "a.fq", "unread.fq"]);
    let records = sam::records(&out);
    assert_eq!(records.len(), 40 + 14);
    for record in &records {
        let number: usize = record.name[1..].parse().expect("has no /1");
        assert_eq!(record.flag & 1 == 1, number.is_multiple_of(3), "{record:?}");
        assert!(record.is_aligned());
    }
    let good = format!("@r31/1\n{}", char::from(genome[50 * 31]));
    folder.write("bad.fq", text.replace(&good, "@r31/1\n!"));
    let output = folder.run(&["mem", "-p", "ref.fa", "bad.fq"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // Before it are 31 single reads and first mates, and 11 second mates.
    assert!(said.contains("bad.fq: record 43 (line 170)"), "{said}");
}

#[test]
fn comments_must_be_tags() {
    let folder = Folder::new();
    let genome = phix();
    folder.write("a.fq", record("r BC:Z:AC\tX0:i:-3", &genome[..80]));
    folder.write("b.fq", record("r 1:N:0:ACGT", &genome[..80]));
    for format in ["sam", "bam"] {
        let file = format!("out.{format}");
        run(&folder, &["-C", "-o", &file, "ref.fa", "a.fq"]);
        assert!(!folder.read(&file).is_empty());
    }
    let records = sam::records(&folder.read("out.sam"));
    assert_eq!((records[0].tags["BC"].as_str(), records[0].tags["X0"].as_str()), ("AC", "-3"));
    let parts = ["b.fq: record 1 (line 1): ", "'1:N:0:ACGT' is not a tag"];
    folder.refused(&["mem", "--device", "cpu", "-C", "ref.fa", "b.fq"], &parts);
}

#[test]
fn a_read_that_is_too_long_is_reported_as_not_aligned() {
    let folder = Folder::new();
    let genome = phix();
    let long: Vec<u8> = genome.iter().copied().cycle().take(65_001).collect();
    folder.write("a.fq", record("a", &genome[..100]) + &record("b", &long));
    for words in [
        &["mem", "ref.fa", "a.fq"][..],
        &["a.fq", "ref.fa"],
        &["--mode", "all", "--primary-only", "a.fq", "ref.fa"],
    ] {
        let output = folder.run(&[words, &["--device", "cpu"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        assert!(said.contains("1 read has more than 65000 bases"), "{words:?}: {said}");
        let records = sam::records(&output.stdout);
        assert!(records[0].is_aligned() && records[1].flag == 4, "{words:?}");
        assert_eq!(records[1].sequence.as_bytes(), long);
    }
}
