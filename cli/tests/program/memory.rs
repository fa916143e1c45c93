//! Memory is bounded, whatever the reads and the reference.

use std::process::Output;

use crate::sam;
use crate::support::{Folder, error_line, gzip, zstd};

/// Runs gpualign on the CPU with so many MB of address space.
fn within(folder: &Folder, megabytes: usize, arguments: &[&str]) -> Output {
    let script = format!("ulimit -v {}; exec \"$0\" --device cpu -t 2 \"$@\"", megabytes * 1000);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_gpualign")]).args(arguments);
    command.current_dir(folder.path("."));
    command.output().expect("runs")
}

/// The output of a run that must succeed within so many MB.
fn mapped_within(folder: &Folder, megabytes: usize, arguments: &[&str]) -> Vec<u8> {
    let output = within(folder, megabytes, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    output.stdout
}

/// Output without the line that tells the command.
fn body(output: &[u8]) -> Vec<&[u8]> {
    output.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"@PG")).collect()
}

/// A folder with the reference `a.fa`, a million times the same base.
fn poly_a() -> Folder {
    let folder = Folder::new();
    folder.write("a.fa", [b">a\n".as_slice(), &vec![b'A'; 1_000_000], b"\n"].concat());
    folder
}

/// FASTQ reads of 100 times the same base.
fn reads_of_a(count: usize) -> String {
    let (sequence, quality) = ("A".repeat(100), "I".repeat(100));
    (0..count).map(|number| format!("@r{number}\n{sequence}\n+\n{quality}\n")).collect()
}

#[test]
fn comments_take_no_memory() {
    let folder = Folder::new();
    let comment = "x".repeat(50_000);
    let reads: String =
        (0..5000).map(|number| format!("@r{number} {comment}\nACGT\n+\nIIII\n")).collect();
    folder.write("reads.fq", zstd(reads.as_bytes()));
    let output = mapped_within(&folder, 220, &["reads.fq", "ref.fa"]);
    let records = sam::records(&output);
    assert_eq!(records.len(), 5000);
    assert_eq!(records.last().map(|record| record.name.as_str()), Some("r4999"));
}

#[test]
fn an_endless_line_is_an_error() {
    let folder = Folder::new();
    let long = "A".repeat(300 << 20);
    let cases = [
        ("long.fq", format!("@a\nACGT\n+\nIIII\n@b\n{long}"), "record 2: reading failed: line 6: "),
        ("name.fq", format!("@{long}"), "record 1: reading failed: line 1: "),
        ("long.fa", format!(">a\nACGT\n>b\n{long}"), "record 2: reading failed: line 4: "),
    ];
    for (file, text, reason) in cases {
        folder.write(file, gzip(text.as_bytes()));
        let output = within(&folder, 220, &[file, "ref.fa", "-o", "out.sam"]);
        let said = error_line(&output, &[file]);
        assert!(said.contains(&format!("{file}: {reason}")), "{said}");
        assert!(said.contains("has more than 4194304 bytes"), "{said}");
    }
    assert!(!folder.files().contains("out.sam"));
}

#[test]
fn a_read_may_match_everywhere() {
    let folder = poly_a();
    // Two reads with one name.
    folder.write("reads.fq", reads_of_a(1).repeat(2));
    let mates = ["--single", "--interleaved"];
    for (layout, primary) in mates.into_iter().zip([&["0", "0"], &["65", "129"]]) {
        let options = ["--mode", "all", "--all-starts", layout, "reads.fq", "a.fa"];
        let output = mapped_within(&folder, 400, &options);
        let lines: Vec<&[u8]> =
            output.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"r0\t")).collect();
        // Up to three bases of the read may be beyond the end of the reference.
        let each = 1_000_000 - 100 + 1 + 3;
        assert_eq!(lines.len(), 2 * each);
        for (flag, lines) in primary.iter().zip(lines.chunks(each)) {
            let is_primary = |line: &&[u8]| line.starts_with(format!("r0\t{flag}\t").as_bytes());
            assert!(is_primary(&lines[0]) && !lines[1..].iter().any(is_primary), "{flag}");
            let counts = format!("\tNH:i:{each}\tHI:i:{each}");
            let mut last = String::from_utf8_lossy(lines[each - 1]).into_owned();
            last = last.replace("\tMC:Z:100M\tMQ:i:60", "");
            assert!(last.ends_with(&counts), "{last}");
        }
    }
}

#[test]
fn a_read_with_too_many_starts_for_a_list_has_the_same_loci() {
    let folder = poly_a();
    folder.write("reads.fq", reads_of_a(2));
    // The windows of one read alone exceed the memory for results, so the reads are searched for one by one.
    let map = |strategy: &str| {
        let options = ["--mode", "all", "-k", "15", "--strategy", strategy];
        mapped_within(&folder, 600, &[&options[..], &["reads.fq", "a.fa"]].concat())
    };
    let expected = map("scan");
    assert_eq!(sam::records(&expected).len(), 2);
    assert!(body(&map("filter")) == body(&expected));
}

#[test]
fn slices_of_a_batch_do_not_matter() {
    let folder = poly_a();
    let mates = reads_of_a(1200);
    folder.write("1.fq", &mates).write("2.fq", &mates);
    // Each read has 500 chains, so all of them exceed the chains of a slice, and of what waits for the library.
    let best =
        |size: &str| folder.map(&["--mode", "best", "--batch-size", size, "1.fq", "2.fq", "a.fa"]);
    assert!(body(&best("100000")) == body(&best("400")));
}

#[test]
fn reads_that_nearly_match_everywhere_are_mapped_in_slices() {
    let folder = poly_a();
    // Each read has 500 chains, regions and alignments; together they would take 85 KB a read.
    let (count, mut random) = (8_000, fastrand::Rng::with_seed(1));
    let read = |number| {
        let mut letters = [b'A'; 100];
        for _ in 0..3 {
            letters[random.usize(..100)] = *random.choice(b"CGT").expect("a letter");
        }
        let letters = String::from_utf8_lossy(&letters);
        format!("@r{number}\n{letters}\n+\n{}\n", "I".repeat(100))
    };
    folder.write("reads.fq", (0..count).map(read).collect::<String>());
    let output = mapped_within(&folder, 500, &["reads.fq", "a.fa"]);
    let records = sam::records(&output);
    assert_eq!(records.len(), count);
    assert!(records.iter().all(|record| record.mapq == 0));
}
