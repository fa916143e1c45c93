//! Shards: merged, they are what one run makes, whatever their number.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use bio::alphabets::dna::revcomp;
use flate2::read::MultiGzDecoder;
use rust_htslib::bam::{self, Read};

use crate::support::{Folder, data, error_line, phix, reads};

/// FASTQ of both mates of pairs: some are copies of others, some are elsewhere on a flow cell, and of some a read or both are
/// random.
fn pairs(lane: &str, count: usize, insert: usize) -> [String; 2] {
    let genome = phix();
    let mut random = fastrand::Rng::with_seed(insert as u64);
    let mut texts = [String::new(), String::new()];
    for number in 0..count {
        let insert = insert + number * 37 % 40;
        let start = number * 97 % 2_000;
        let fragment = &genome[start..start + insert];
        let mut mates = [fragment[..100].to_vec(), revcomp(&fragment[insert - 100..])];
        for (mate, letters) in mates.iter_mut().enumerate() {
            let is_random = number % 23 == mate || number % 31 == 5;
            for letter in letters.iter_mut() {
                if is_random || random.u8(..40) == 0 {
                    *letter = b"ACGT"[random.usize(..4)];
                }
            }
        }
        for (text, letters) in texts.iter_mut().zip(&mates) {
            let letters = String::from_utf8_lossy(letters);
            let quality: String = (0..100).map(|_| random.char('#'..'J')).collect();
            let (tile, x) = (1101 + number % 2, 10 * (number % 17));
            let _ = write!(text, "@m:1:{lane}:{tile}:{x}:{number}\n{letters}\n+\n{quality}\n");
        }
    }
    texts
}

/// A folder with lanes of pairs (`a_1.fq` and so on), which have different insert sizes, and single reads (`s.fq`).
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, count, insert) in [("a", 230, 300), ("b", 60, 900), ("c", 3, 300)] {
        let [one, two] = pairs(name, count, insert);
        folder.write(&format!("{name}_1.fq"), one).write(&format!("{name}_2.fq"), two);
    }
    folder.write("s.fq", reads(150));
    folder
}

/// Runs a command that must say nothing.
fn run(folder: &Folder, arguments: &[&str]) {
    let output = folder.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
}

/// Makes the files of `count` shards, and returns their names in an order that is not theirs.
fn make_shards(folder: &Folder, arguments: &[&str], output: &str, count: usize) -> Vec<String> {
    let mut names = Vec::new();
    for number in 1..=count {
        let (shard, name) = (format!("{number}/{count}"), format!("{number}.shard"));
        run(folder, &[arguments, &["--shard", &shard, output, &name]].concat());
        names.push(name);
    }
    names.rotate_left(count / 2);
    names
}

/// Merges shards to a file.
fn merge(folder: &Folder, shards: &[String], output: &str, more: &[&str]) {
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    run(folder, &[&["merge"], &shards[..], &["-o", output], more].concat());
}

/// A text without the lines of programs.
fn without_programs(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| !line.starts_with(b"@PG")).flatten().copied().collect()
}

/// Whether a file has this extension.
fn is_of(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == extension)
}

/// The bytes of a file of SAM without the lines of programs; of BAM, the header without them, and the bytes of the blocks behind
/// it; of CRAM, the header without them, and the records.
fn content(folder: &Folder, file: &str) -> Vec<u8> {
    let bytes = folder.read(file);
    if is_of(file, "sam") {
        return without_programs(&bytes);
    }
    let mut reader = bam::Reader::from_path(folder.path(file)).expect("opens");
    let header = without_programs(reader.header().as_bytes());
    if is_of(file, "bam") {
        let mut start = [0; 8];
        MultiGzDecoder::new(&bytes[..]).read_exact(&mut start).expect("is BGZF");
        let text = u32::from_le_bytes([start[4], start[5], start[6], start[7]]) as usize;
        // Text, one contig, and the numbers before them.
        let mut left = 8 + text + 4 + 4 + "NC_001422.1".len() + 1 + 4;
        let mut place = 0;
        while left > 0 {
            let size = usize::from(u16::from_le_bytes([bytes[place + 16], bytes[place + 17]])) + 1;
            let end = &bytes[place + size - 4..place + size];
            let content = u32::from_le_bytes([end[0], end[1], end[2], end[3]]) as usize;
            left = left.checked_sub(content).expect("the header has blocks of its own");
            place += size;
        }
        return [&header, &bytes[place..]].concat();
    }
    reader.set_reference(folder.path("ref.fa")).expect("is FASTA");
    let records = reader.records().map(|record| format!("{:?}\n", record.expect("reads")));
    let records: String = records.collect();
    [header, records.into_bytes()].concat()
}

/// The statistics of a run without its times and the like.
fn statistics(output: &std::process::Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut value: serde_json::Value = serde_json::from_str(text.trim()).expect("is JSON");
    let fields = value.as_object_mut().expect("is an object");
    let of_runs =
        ["command", "seconds", "reads_per_second", "devices", "choices", "filter", "scheme"];
    for of_run in of_runs {
        fields.remove(of_run);
    }
    if let Some(engine) = fields.get_mut("engine") {
        // The others depend on what is searched together.
        *engine = engine["loci"].clone();
    }
    value
}

/// Checks that the shards of a run of mapping, merged to each of these files, are that run.
fn check_mapping(arguments: &[&str], files: &[&str], counts: &[usize]) {
    let folder = folder();
    let arguments = [&["--device", "cpu", "-t", "2"], arguments].concat();
    let is_marked = arguments.contains(&"--mark-duplicates");
    let metrics = |name: &'static str| if is_marked { vec!["--metrics", name] } else { vec![] };
    let mut expected = Vec::new();
    for file in files {
        let more = [&["-o", file, "--stats", "json"][..], &metrics("one.txt")].concat();
        let output = folder.run(&[&arguments[..], &more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        expected.push((content(&folder, file), statistics(&output)));
    }
    for &count in counts {
        let shards =
            make_shards(&folder, &[&arguments[..], &["--shard-size", "10"]].concat(), "-o", count);
        let names: Vec<&str> = shards.iter().map(String::as_str).collect();
        for (file, expected) in files.iter().zip(&expected) {
            let merged = format!("merged.{file}");
            let more = ["--stats", "json", "--reference", "ref.fa", "--sort-memory", "1M"];
            let more = [&more[..], &metrics("merged.txt")].concat();
            let output = folder.run(&[&["merge", "-o", &merged], &names[..], &more].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(content(&folder, &merged) == expected.0, "{arguments:?} {file} {count}");
            assert_eq!(statistics(&output), expected.1, "{arguments:?} {file} {count}");
            if is_marked {
                let text = |name| {
                    let text = String::from_utf8(folder.read(name)).expect("is text");
                    text.lines()
                        .filter(|line| !line.starts_with("# "))
                        .collect::<Vec<_>>()
                        .join("\n")
                };
                assert_eq!(text("merged.txt"), text("one.txt"));
            }
            if is_of(file, "bam") && arguments.contains(&"--sort") {
                assert!(folder.files().contains(&format!("{merged}.bai")));
            }
        }
    }
}

const LANES: [&str; 7] = ["a_1.fq", "a_2.fq", "b_1.fq", "b_2.fq", "c_1.fq", "c_2.fq", "ref.fa"];

#[test]
fn merged_pairs_are_those_of_one_run() {
    let files = ["a_1.fq", "a_2.fq", "ref.fa", "--batch-size", "14"];
    check_mapping(&files, &["out.sam", "out.bam"], &[1, 2, 3, 7]);
}

#[test]
fn merged_lanes_are_those_of_one_run() {
    let groups = [
        "-R",
        "@RG\\tID:a\\tLB:x\\tSM:s",
        "-R",
        "@RG\\tID:b\\tLB:y\\tSM:s",
        "-R",
        "@RG\\tID:c\\tLB:x\\tSM:s",
    ];
    let sorted = ["--sort", "--mark-duplicates", "--optical-distance", "50"];
    let arguments = [&LANES[..], &groups, &sorted].concat();
    check_mapping(&arguments, &["out.bam", "out.cram", "out.sam"], &[1, 2, 3, 7]);
    let removed = [&LANES[..], &["--sort", "--remove-duplicates", "--no-unmapped"]].concat();
    check_mapping(&removed, &["out.bam"], &[3]);
}

#[test]
fn merged_single_reads_are_those_of_one_run() {
    check_mapping(&["s.fq", "ref.fa", "--sort"], &["out.bam"], &[1, 2, 3, 7]);
    check_mapping(&["s.fq", "ref.fa", "--eqx", "--comments"], &["out.sam"], &[3]);
}

#[test]
fn merged_records_of_mode_all_are_those_of_one_run() {
    let all = ["--mode", "all", "-k", "5", "a_1.fq", "a_2.fq", "ref.fa"];
    check_mapping(&all, &["out.sam"], &[1, 2, 3, 7]);
    let single = ["--mode", "all", "--all-starts", "--sort", "s.fq", "ref.fa"];
    check_mapping(&single, &["out.bam"], &[2, 7]);
}

#[test]
fn reads_that_may_lack_a_mate_are_in_whole_units() {
    let folder = folder();
    let [one, two] = ["a_1.fq", "a_2.fq"].map(|file| folder.read(file));
    let records = |text: &[u8]| -> Vec<Vec<u8>> {
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        lines.chunks(4).map(<[&[u8]]>::concat).collect()
    };
    let mut mixed = Vec::new();
    for (number, (one, two)) in records(&one).into_iter().zip(records(&two)).enumerate() {
        mixed.extend(one);
        if number % 5 < 3 {
            mixed.extend(two);
        }
    }
    folder.write("mixed.fq", mixed);
    let mem = ["mem", "-p", "ref.fa", "mixed.fq", "-v", "1", "--device", "cpu"];
    run(&folder, &[&mem[..], &["-o", "out.sam"]].concat());
    for count in [2, 7] {
        let shards =
            make_shards(&folder, &[&mem[..], &["--shard-size", "1"]].concat(), "-o", count);
        merge(&folder, &shards, "merged.sam", &[]);
        assert!(content(&folder, "merged.sam") == content(&folder, "out.sam"), "{count}");
    }
}

#[test]
fn merged_results_of_nw_are_those_of_one_run() {
    let folder = Folder::new();
    let mut text = String::new();
    let mut random = fastrand::Rng::with_seed(5);
    for number in 0..14 {
        let letters: String = (0..random.usize(0..60))
            .map(|_| *random.choice(&['A', 'C', 'G', 'T']).expect("some"))
            .collect();
        let _ = writeln!(text, ">s{number}\n{letters}");
    }
    folder.write("x.fa", text);
    for (command, options) in [
        (&["pairs", "x.fa", "x.fa"][..], &["-O", "paf"][..]),
        (&["one-vs-all", "x.fa", "x.fa"], &["-O", "pair", "--min-identity", "0.4"]),
        (&["all-vs-all", "x.fa"], &[]),
        (&["all-vs-all", "x.fa"], &["-O", "phylip"]),
        (&["all-vs-all", "x.fa"], &["-O", "npy", "--score-only"]),
    ] {
        let arguments = [&["nw"], command, options, &["--device", "cpu"]].concat();
        run(&folder, &[&arguments[..], &["-o", "out"]].concat());
        for count in [1, 2, 3, 7] {
            let sized = [&arguments[..], &["--shard-size", "5"]].concat();
            let shards = make_shards(&folder, &sized, "-o", count);
            merge(&folder, &shards, "merged", &[]);
            assert!(folder.read("merged") == folder.read("out"), "{arguments:?} {count}");
        }
    }
}

#[test]
fn merged_reports_of_blastn_are_those_of_one_run() {
    let folder = Folder::new();
    let genome = phix();
    let mut random = fastrand::Rng::with_seed(6);
    let mut text = String::new();
    for number in 0..90 {
        let start = random.usize(..5_000);
        let mut piece = genome[start..start + random.usize(30..300)].to_vec();
        for letter in &mut piece {
            if random.u8(..15) == 0 {
                *letter = b"ACGT"[random.usize(..4)];
            }
        }
        let _ = writeln!(text, ">q{number}\n{}", String::from_utf8_lossy(&piece));
    }
    folder.write("q.fa", text);
    for (task, format) in [("blastn", "6"), ("megablast", "7"), ("blastn", "0"), ("megablast", "5")]
    {
        let arguments =
            ["blastn", "-query", "q.fa", "-subject", "ref.fa", "-task", task, "-outfmt", format];
        run(&folder, &[&arguments[..], &["-out", "out"]].concat());
        assert!(folder.read("out").windows(3).any(|word| word == b"q89"));
        for count in [1, 2, 3, 7] {
            let sized = [&arguments[..], &["-shard-size", "4"]].concat();
            let shards = make_shards(&folder, &sized, "-out", count);
            merge(&folder, &shards, "merged", &[]);
            assert!(folder.read("merged") == folder.read("out"), "{task} {format} {count}");
        }
    }
}

#[test]
fn files_that_are_not_the_shards_of_one_run_are_refused() {
    let folder = folder();
    let map = |name: &str, shard: &str, more: &[&str]| {
        let options = ["--device", "cpu", "--shard", shard, "-o", name];
        run(&folder, &[&options[..], more].concat());
    };
    let files = ["a_1.fq", "a_2.fq", "ref.fa"];
    let with = |more: &[&'static str]| [&files[..], more].concat();
    map("1", "1/2", &files);
    map("2", "2/2", &files);
    map("3.of3", "3/3", &files);
    map("2.seed", "2/2", &with(&["--seed", "5"]));
    map("2.group", "2/2", &with(&["-R", "@RG\\tID:x"]));
    map("2.size", "2/2", &with(&["--shard-size", "9"]));
    map("2.reads", "2/2", &["b_1.fq", "b_2.fq", "ref.fa"]);
    map("2.eqx", "1/1", &with(&["--eqx"]));
    let other = String::from_utf8(data("phix.fa")).expect("is text").replacen(
        "GAGTTTTATC",
        "GAGTTTTATA",
        1,
    );
    folder.write("other.fa", other);
    map("2.ref", "2/2", &["a_1.fq", "a_2.fq", "other.fa"]);
    run(
        &folder,
        &["nw", "all-vs-all", "ref.fa", "--device", "cpu", "--shard", "2/2", "-o", "2.nw"],
    );
    let whole = folder.read("1");
    folder.write("cut", &whole[..whole.len() - 1]).write("short", &whole[..5]).write("empty", "");
    let mut changed = whole.clone();
    // In a block of records.
    let middle = whole.len() / 2;
    changed[middle] ^= 1;
    folder.write("changed", changed);
    let refused = |shards: &[&str], parts: &[&str]| {
        folder.refused(&[&["merge", "-o", "out.bam"], shards].concat(), parts);
    };
    refused(&["1"], &["shard 2 of 2 is missing"]);
    refused(&["1", "2", "1"], &["1: shard 1 of 2, as 1", "leave one"]);
    refused(&["1", "3.of3"], &["3.of3: shard 3 of 3, but 1 is shard 1 of 2"]);
    refused(&["1", "2.seed"], &["2.seed: ", "another run than 1", "options differ"]);
    refused(&["1", "2.group"], &["2.group: ", "another run than 1", "differ"]);
    refused(&["1", "2.size"], &["2.size: ", "--shard-size 9", "65536"]);
    refused(&["1", "2.reads"], &["2.reads: ", "another run than 1", "reads differ"]);
    refused(&["1", "2.ref"], &["2.ref: ", "another run than 1", "references differ"]);
    refused(&["1", "2.nw"], &["2.nw: a shard of gpualign nw, but 1 is one of gpualign READS REF"]);
    refused(&["1", "a_1.fq"], &["a_1.fq: not a shard"]);
    refused(&["1", "empty"], &["empty: not a shard"]);
    refused(&["1", "short"], &["short: not a shard"]);
    refused(&["1", "none"], &["none: No such file"]);
    refused(&["1", "/dev/null"], &["/dev/null: not a regular file"]);
    refused(&["cut", "2"], &["cut: the shard is damaged or not complete"]);
    refused(&["changed", "2"], &["changed: the shard is damaged"]);
    refused(&["1", "2", "--metrics", "m"], &["--metrics", "--mark-duplicates"]);
    folder.refused(&["merge", "1", "2", "-o", "1", "-O", "bam"], &["1: ", "also an input"]);
    folder
        .refused(&["merge", "1", "2", "-o", "out"], &["'out' does not end in", "--output-format"]);
    folder.refused(&["merge", "1", "2", "-o", "out.cram"], &["--reference"]);
    let other = ["merge", "1", "2", "-o", "out.cram", "--reference", "other.fa"];
    folder.refused(&other, &["other.fa: not the reference"]);
    folder.refused(&["merge", "2.eqx", "-o", "out.cram"], &["--eqx"]);
    run(
        &folder,
        &["nw", "all-vs-all", "ref.fa", "--device", "cpu", "--shard", "1/1", "-o", "1.nw"],
    );
    folder.refused(&["merge", "1.nw", "--stats", "json"], &["--stats is of shards of mapping"]);
}

#[test]
fn options_of_the_whole_run_are_those_of_merge() {
    let folder = folder();
    let shard = ["a_1.fq", "a_2.fq", "ref.fa", "-o", "1", "--shard"];
    for (arguments, part) in [
        (&["1/0"][..], "1 to 512"),
        (&["3/2"], "1/2 to 2/2"),
        (&["1/2", "-O", "bam"], "--output-format is of the whole run"),
        (
            &["1/2", "--sort", "--mark-duplicates", "--metrics", "m"],
            "--metrics is of the whole run",
        ),
        (&["1/2", "--report", "r.html"], "--report is of the whole run"),
    ] {
        let arguments = [&shard[..], arguments].concat();
        let output = folder.run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
    let output = folder.run(&["a_1.fq", "ref.fa", "--shard-size", "5"]);
    assert_eq!(output.status.code(), Some(2));
    let resumed = ["nw", "all-vs-all", "ref.fa", "--shard", "1/2", "--resume", "-o", "x"];
    assert_eq!(folder.run(&resumed).status.code(), Some(2));
    // An input that is wrong in another shard is found by that shard.
    let mut bad = folder.read("a_1.fq");
    bad.truncate(bad.len() - 40);
    folder.write("bad.fq", bad);
    for number in ["1/2", "2/2"] {
        let arguments = ["bad.fq", "ref.fa", "--device", "cpu", "--shard", number, "-o", "x"];
        let said = error_line(&folder.run(&arguments), &arguments);
        assert!(said.contains("bad.fq: record 230"), "{said}");
    }
}
