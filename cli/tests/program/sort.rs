//! `--sort`: the records of an unsorted run by coordinate, whatever the memory, threads and batches.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rust_htslib::bam::{self, Read};

use crate::sam::{self, Record};
use crate::support::{Folder, error_line, names, reads};

/// A reference of two contigs with the reads of both in turn, and some of none.
fn folder() -> Folder {
    let folder = Folder::new();
    let text = String::from_utf8(folder.read("ref.fa")).expect("is text");
    let phix: String = text.lines().filter(|line| !line.starts_with('>')).collect();
    let (left, right) = phix.split_at(3000);
    folder.write("two.fa", format!(">second\n{right}\n>first\n{left}\n"));
    folder.write("reads.fq", reads(8_000));
    folder
}

/// Contigs in the order of the header, then position; what is equal stays as it is.
fn by_coordinate(mut records: Vec<Record>) -> Vec<Record> {
    let contig = |record: &Record| match record.contig.as_str() {
        "second" => 0,
        "first" => 1,
        _ => 2,
    };
    records.sort_by_key(|record| (contig(record), record.position));
    records
}

/// The fields of a record that are compared: name, flag, contig, position, MAPQ, CIGAR, sequence.
type Outline = (String, u16, String, usize, u8, String, String);

fn outline(record: &Record) -> Outline {
    let Record { name, flag, contig, position, mapq, cigar, sequence, .. } = record.clone();
    (name, flag, contig, position, mapq, cigar, sequence)
}

/// The header of a file, and its records.
fn read(folder: &Folder, file: &str) -> (String, Vec<Outline>) {
    let mut reader = bam::Reader::from_path(folder.path(file)).expect("opens");
    reader.set_reference(folder.path("two.fa")).expect("is FASTA");
    let header = reader.header().clone();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let contig = |tid| u32::try_from(tid).map_or("*".to_owned(), |tid| text(header.tid2name(tid)));
    let outline = |record: bam::Record| {
        let cigar = record.cigar().to_string();
        (
            text(record.qname()),
            record.flags(),
            contig(record.tid()),
            (record.pos() + 1) as usize,
            record.mapq(),
            if cigar.is_empty() { "*".to_owned() } else { cigar },
            text(&record.seq().as_bytes()),
        )
    };
    let records = reader.records().map(|record| outline(record.expect("is a record"))).collect();
    (text(header.as_bytes()), records)
}

#[test]
fn records_come_by_coordinate() {
    let folder = folder();
    let unsorted = folder.records(&["reads.fq", "two.fa"]);
    assert!(unsorted.iter().any(|record| !record.is_aligned()));
    let expected = by_coordinate(unsorted.clone());
    assert_ne!(unsorted, expected);

    let sorted = folder.map(&["--sort", "reads.fq", "two.fa"]);
    assert!(sorted.starts_with(b"@HD\tVN:1.6\tSO:coordinate\n"));
    assert_eq!(sam::records(&sorted), expected);
    for file in ["out.bam", "out.cram"] {
        folder.map(&["--sort", "reads.fq", "two.fa", "-o", file]);
        let (header, records) = read(&folder, file);
        assert!(header.starts_with("@HD\tVN:1.6\tSO:coordinate\n"), "{header}");
        assert!(records == expected.iter().map(outline).collect::<Vec<_>>(), "{file}");
    }
}

#[test]
fn memory_threads_and_batches_do_not_matter() {
    let folder = folder();
    let expected = folder.records(&["--sort", "reads.fq", "two.fa"]);
    for options in [
        ["--sort-memory", "1M", "-t", "1", "--batch-size", "1000"],
        ["--sort-memory", "1M", "-t", "3", "--batch-size", "100000"],
        ["--sort-memory", "2M", "-t", "2", "--batch-size", "333"],
    ] {
        let sorted = folder.records(&[&["--sort", "reads.fq", "two.fa"], &options[..]].concat());
        assert!(sorted == expected, "{options:?}");
    }
}

#[test]
fn few_open_files_are_enough() {
    let folder = folder();
    // As many runs as files may be open, or more.
    folder.write("many.fq", reads(60_000));
    let common = "--device cpu --sort --sort-memory 1M --batch-size 500 many.fq two.fa";
    let program = env!("CARGO_BIN_EXE_gpualign");
    // Only the names of the outputs differ, which are in the headers.
    for (limit, output) in [("1000", "many.bam"), ("20", "few.bam")] {
        let script = format!("ulimit -n {limit}; exec {program} {common} -o {output}");
        let mut command = Command::new("sh");
        let run = command.args(["-c", &script]).current_dir(folder.path("")).output();
        let run = run.expect("runs");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{limit}: {said}");
    }
    let [many, few] = ["many.bam", "few.bam"].map(|file| read(&folder, file).1);
    assert!(many == few && many.len() >= 60_000);
}

#[test]
fn the_index_finds_what_is_there() {
    let folder = folder();
    folder.map(&["--sort", "reads.fq", "two.fa", "-o", "out.bam", "--sort-memory", "1M"]);
    let all = read(&folder, "out.bam").1;
    let mut reader = bam::IndexedReader::from_path(folder.path("out.bam")).expect("has an index");
    for (contig, from, to) in [("second", 0, 100), ("first", 1500, 1520), ("first", 0, 3000)] {
        reader.fetch((contig, from, to)).expect("is found");
        let found = reader.records().map(|record| record.expect("is a record"));
        let found: Vec<String> =
            found.map(|record| String::from_utf8_lossy(record.qname()).into_owned()).collect();
        // Every read is a piece of the genome, without gaps.
        let is_near = |(_, _, on, position, ..): &&Outline| {
            on == contig && *position as i64 <= to && *position as i64 - 1 + 100 > from
        };
        let near: Vec<String> = all.iter().filter(is_near).map(|near| near.0.clone()).collect();
        assert!(!near.is_empty());
        assert_eq!(found, near, "{contig}:{from}-{to}");
    }
    let stats = reader.index_stats().expect("are in the index");
    let mapped: u64 = stats.iter().filter(|(tid, ..)| *tid >= 0).map(|(_, _, n, _)| n).sum();
    assert_eq!(mapped as usize, all.iter().filter(|record| record.1 & 4 == 0).count());
    folder.map(&["--sort", "reads.fq", "two.fa", "-o", "out.cram"]);
    assert!(folder.files().contains("out.cram.crai"));
    assert!(bam::IndexedReader::from_path(folder.path("out.cram")).is_ok());
}

#[test]
fn what_goes_to_no_file_has_no_index() {
    let folder = folder();
    let before = folder.files();
    let output = folder.map(&["--sort", "-O", "bam", "reads.fq", "two.fa"]);
    assert!(output.starts_with(&[0x1f, 0x8b]));
    folder.map(&["--sort", "-O", "bam", "reads.fq", "two.fa", "-o", "/dev/null"]);
    assert_eq!(folder.files(), before);
}

#[test]
fn a_failure_keeps_neither_runs_nor_index() {
    let folder = folder();
    folder.write("bad.fq", [reads(8_000), b"@cut".to_vec()].concat());
    let sort = ["--device", "cpu", "--sort", "--sort-memory", "1M"];
    folder.refused(&[&sort[..], &["bad.fq", "two.fa", "-o", "x.bam"]].concat(), &["record 8001"]);
    let full = [&sort[..], &["reads.fq", "two.fa", "-O", "bam", "-o", "/dev/full"]].concat();
    folder.refused(&full, &["/dev/full: No space left"]);
    let output = folder.run(&["reads.fq", "two.fa", "--sort", "--sort-memory", "1k"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_interrupted_run_leaves_no_runs() {
    let folder = folder();
    let before = folder.files();
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_gpualign"), "--device", "cpu", "--sort"]);
    command.args(["--sort-memory", "1M", "--batch-size", "500", "-", "two.fa", "-o", "out.bam"]);
    let mut child =
        command.current_dir(folder.path("")).stdin(Stdio::piped()).spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("is piped");
    std::io::Write::write_all(&mut stdin, &reads(8_000)).expect("writes");
    // Until there is a run: the temporary file has no name, and is the only one that is written so far.
    let has_run = || {
        let files = std::fs::read_dir(format!("/proc/{}/fd", child.id())).expect("lists");
        let is_run = |path: std::path::PathBuf| {
            let name = std::fs::read_link(&path).unwrap_or_default();
            let length = std::fs::metadata(&path).map_or(0, |found| found.len());
            name.to_string_lossy().ends_with(" (deleted)") && length > 1 << 16
        };
        files.flatten().any(|file| is_run(file.path()))
    };
    let patience = Instant::now();
    while !has_run() {
        assert!(patience.elapsed() < Duration::from_mins(1), "no run is written");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = format!("kill -TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("runs").success());
    assert_eq!(child.wait().expect("ends").code(), Some(130));
    assert_eq!(folder.files(), before);
}

#[test]
fn the_temporary_folder_is_the_one_that_is_given() {
    let folder = folder();
    let files = ["reads.fq", "two.fa", "-o", "out.bam"];
    let options = ["--sort", "--sort-memory", "1M", "--batch-size", "500", "--temporary-folder"];
    std::fs::create_dir(folder.path("temporary")).expect("a folder");
    folder.map(&[&files[..], &options[..5]].concat());
    let expected = read(&folder, "out.bam").1;
    folder.map(&[&options[..], &["temporary"], &files].concat());
    assert!(read(&folder, "out.bam").1 == expected);
    assert!(names(&folder.path("temporary")).is_empty());

    for (wrong, reason) in [("none", "No such file"), ("ref.fa", "Not a directory")] {
        let words = [&options[..], &[wrong], &["reads.fq", "two.fa", "-o", "new.bam"]].concat();
        let place = format!("--temporary-folder: cannot make a temporary file in {wrong}: ");
        folder.refused(&words, &[&place, reason]);
    }
    let alone = folder.run(&["--temporary-folder", ".", "reads.fq", "two.fa"]);
    assert_eq!(alone.status.code(), Some(2), "needs --sort");
}

#[test]
fn a_full_temporary_folder_is_an_error_in_one_line() {
    let folder = folder();
    folder.write("former.bam", "former");
    // A limit of the sizes of files stands for a full disk: the temporary file is the first that becomes large.
    let program = env!("CARGO_BIN_EXE_gpualign");
    let common =
        "--device cpu --sort --sort-memory 1M --batch-size 500 reads.fq two.fa -o former.bam";
    let script =
        format!("trap '' XFSZ; ulimit -f 100; exec {program} {common} --temporary-folder .");
    let mut command = Command::new("sh");
    let run = command.args(["-c", &script]).current_dir(folder.path("")).output().expect("runs");
    let said = error_line(&run, &["a full disk"]);
    assert!(said.contains("cannot write a temporary file in .: File too large"), "{said}");
    assert_eq!(folder.read("former.bam"), b"former");
    assert!(!folder.files().iter().any(|name| name.starts_with('.')));
}
