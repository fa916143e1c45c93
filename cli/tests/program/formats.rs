//! SAM, BAM and CRAM hold the same; and nothing but reads, reference and options matters.

use std::path::Path;

use rust_htslib::bam::{self, Read as _};

use crate::sam::{self, Record};
use crate::support::{Folder, data, gzip, reads};

/// The header's text and the records of a file, read by htslib.
fn load(folder: &Folder, file: &str) -> (String, Vec<Record>) {
    let mut reader = bam::Reader::from_path(folder.path(file)).expect("opens");
    reader.set_reference(folder.path("ref.fa")).expect("has the reference");
    let header = String::from_utf8(reader.header().as_bytes().to_vec()).expect("is text");
    (header, records(folder, reader))
}

/// All records, by way of a file of SAM.
fn records(folder: &Folder, mut reader: bam::Reader) -> Vec<Record> {
    let template = bam::Header::from_template(reader.header());
    let mut writer = bam::Writer::from_path(folder.path("copy.sam"), &template, bam::Format::Sam)
        .expect("opens the copy");
    for record in reader.records() {
        writer.write(&record.expect("is a record")).expect("copies");
    }
    drop(writer);
    sam::records(&folder.read("copy.sam"))
}

/// The lines of a header without the program's, and without the place of the reference, which only CRAM needs.
fn without_program(header: &str) -> Vec<&str> {
    let lines = header.lines().filter(|line| !line.starts_with("@PG"));
    lines.map(|line| line.split("\tUR:").next().unwrap_or_default()).collect()
}

#[test]
fn the_formats_hold_the_same() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let cases: [&[&str]; 5] = [
        &[],
        &["-k", "5", "--mode", "all"],
        &["--eqx"],
        &["-k", "2", "--mode", "all", "--all-starts"],
        &["-R", "@RG\\tID:x\\tSM:y"],
    ];
    for options in cases {
        let text = folder.map(&[options, &["reads.fq", "ref.fa"]].concat());
        let expected = sam::records(&text);
        let text = String::from_utf8(text).expect("is text");
        let header = without_program(&text).into_iter().take_while(|line| line.starts_with('@'));
        let header: Vec<&str> = header.collect();
        for file in ["out.sam", "out.bam", "out.cram"] {
            if file == "out.cram" && options == ["--eqx"] {
                continue;
            }
            folder.map(&[options, &["reads.fq", "ref.fa", "-o", file]].concat());
            let (found_header, found) = load(&folder, file);
            assert_eq!(without_program(&found_header), header, "{file} {options:?}");
            assert!(found == expected, "{file} {options:?}: {}", difference(&found, &expected));
        }
    }
}

/// The first two records that differ.
fn difference(found: &[Record], expected: &[Record]) -> String {
    let pair = found.iter().zip(expected).find(|(found, expected)| found != expected);
    format!("{} and {} records: {pair:#?}", found.len(), expected.len())
}

#[test]
fn the_option_beats_the_extension() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(5));
    folder.map(&["reads.fq", "ref.fa", "-o", "out.sam", "-O", "bam"]);
    assert!(folder.read("out.sam").starts_with(b"\x1f\x8b"));
    folder.map(&["reads.fq", "ref.fa", "-o", "out", "-O", "cram"]);
    assert!(folder.read("out").starts_with(b"CRAM"));
    assert!(folder.map(&["reads.fq", "ref.fa", "-o", "-"]).starts_with(b"@HD"));
}

#[test]
fn the_header_says_what_was_done() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(2));
    let text = folder.map(&["reads.fq", "ref.fa", "-R", "@RG\\tID:x\\tSM:y"]);
    let text = String::from_utf8(text).expect("is text");
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with('@')).collect();
    let [hd, sq, rg, pg] = header.as_slice() else { panic!("{header:?}") };
    assert_eq!(*hd, "@HD\tVN:1.6\tSO:unsorted");
    assert_eq!(*sq, "@SQ\tSN:NC_001422.1\tLN:5386\tM5:3332ed720ac7eaa9b3655c06f6b9e196");
    assert_eq!(*rg, "@RG\tID:x\tSM:y");
    let start = format!("@PG\tID:gpualign\tPN:gpualign\tVN:{}\tCL:", env!("CARGO_PKG_VERSION"));
    assert!(pg.starts_with(&start), "{pg}");
    assert!(
        pg.ends_with(
            " --device cpu --mode all --primary-only reads.fq ref.fa -R @RG\\tID:x\\tSM:y"
        ),
        "{pg}"
    );
}

#[test]
fn equal_command_lines_make_equal_bytes() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(2_000));
    let [first, second] = [0, 1].map(|_| {
        ["out.sam", "out.bam", "out.cram"].map(|file| {
            folder.map(&["-t", "3", "reads.fq", "ref.fa", "-o", file]);
            folder.read(file)
        })
    });
    assert!(first == second);
}

#[test]
fn threads_and_batches_do_not_matter() {
    let folder = Folder::new();
    folder.write("reads.fq", [data("phix_1.fq"), reads(200), data("phix_2.fq")].concat());
    let lines = |options: &[&str]| {
        let text =
            folder.map(&[&["--mode", "all", "-k", "2", "reads.fq", "ref.fa"], options].concat());
        let text = String::from_utf8(text).expect("is text");
        without_program(&text).join("\n")
    };
    let expected = lines(&["-t", "1"]);
    for options in [
        ["-t", "2", "--batch-size", "1"],
        ["-t", "3", "--batch-size", "7"],
        ["-t", "5", "--batch-size", "289"],
        ["-t", "1", "--batch-size", "290"],
    ] {
        assert!(lines(&options) == expected, "{options:?}");
    }
}

#[test]
fn the_output_has_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("reads.fq", reads(2));
    folder.map(&["reads.fq", "ref.fa", "-o", "out.bam"]);
    let mode = |path: &Path| path.metadata().expect("is there").permissions().mode();
    assert_eq!(mode(&folder.path("out.bam")), mode(&folder.path("reads.fq")));
}

/// The records of a CRAM file, by their names, which htslib decodes without being told of a reference.
fn decoded(folder: &Folder, file: &str) -> Vec<Record> {
    by_name(records(folder, bam::Reader::from_path(folder.path(file)).expect("opens")))
}

fn by_name(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by_key(|record| record.name.clone());
    records
}

#[test]
fn cram_is_decoded_with_the_reference_that_it_names() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq")).write("ref.fa.gz", gzip(&folder.read("ref.fa")));
    let expected = by_name(folder.records(&["reads.fq", "ref.fa"]));
    for options in [&[][..], &["--sort"]] {
        folder.map(&[options, &["reads.fq", "ref.fa", "-o", "out.cram"]].concat());
        // The major version and the minor one.
        assert_eq!(folder.read("out.cram")[4..6], [3, 0]);
        let found = decoded(&folder, "out.cram");
        assert!(found == expected, "{options:?}: {}", difference(&found, &expected));
    }
    let reader = bam::Reader::from_path(folder.path("out.cram")).expect("opens");
    let header = String::from_utf8_lossy(reader.header().as_bytes()).into_owned();
    let at = folder.path("ref.fa").display().to_string();
    let line = format!("LN:5386\tM5:3332ed720ac7eaa9b3655c06f6b9e196\tUR:{at}\n");
    assert!(header.contains(&line), "{header}");
    // What htslib could not read is not named.
    folder.map(&["reads.fq", "ref.fa.gz", "-o", "zipped.cram"]);
    let (header, records) = load(&folder, "zipped.cram");
    assert!(!header.contains("UR:") && by_name(records) == expected, "{header}");
}

#[test]
fn cram_of_rna_is_decoded_with_its_reference() {
    let folder = Folder::new();
    let dna = String::from_utf8(folder.read("ref.fa")).expect("is text");
    let (header, bases) = dna.split_once('\n').expect("has lines");
    let bases = bases.to_ascii_uppercase();
    // One contig has only U, one has both T and U, and one has no U.
    let (rna, mixed) = (bases.replace('T', "U"), bases.replace("TA", "UA"));
    let other: String = bases.lines().rev().collect();
    let fasta = format!("{header}\n{rna}\n>mixed\n{mixed}\n>other\n{other}\n");
    folder.write("rna.fa", fasta);
    folder.write("reads.fq", data("phix_1.fq"));
    let expected = by_name(folder.records(&["reads.fq", "rna.fa"]));
    assert!(expected.iter().filter(|record| record.is_aligned()).count() > 50);
    for options in [&[][..], &["--sort"]] {
        folder.map(&[options, &["reads.fq", "rna.fa", "-o", "out.cram"]].concat());
        let found = decoded(&folder, "out.cram");
        assert!(found == expected, "{options:?}: {}", difference(&found, &expected));
    }
}
