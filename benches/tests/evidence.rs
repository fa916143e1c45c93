//! The program `evidence` on tiny data: it measures, names missing programs, and writes well-formed files.

#![allow(clippy::expect_used, reason = "what a test cannot set up is a failed test")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A script that stands in for razers3: it prints a version, and writes one record.
const RAZERS3: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo razers3 version: 1.2.3 && exit\n\
    printf 'r\\t4\\n' > razers3.sam\n";

/// A script that stands in for blastn, with a row for each query, and for makeblastdb, which writes one more file.
const BLASTN: &str = "#!/bin/sh\n[ \"$1\" = -version ] && echo blastn: 2.3.4+ && exit\n\
    while [ $# -gt 0 ]; do\n\
    case $1 in -query) query=$2 ;; -out) out=$2 ;; -in) query=$2 ;; esac; shift\n\
    done\n\
    while read -r line; do case $line in '>'*) echo row ;; esac; done < $query > $out\n\
    [ $out != ncbi ] || echo > ncbi.nsq\n";

/// A script that stands in for samtools, which counts three records and writes nothing; that for bcftools calls three variants, two of which are known.
const SAMTOOLS: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo samtools 3.4.5\n[ \"$1\" = view ] && echo 3\nexit 0\n";

/// A script that stands in for wgsim: gpualign simulates pairs with the same names.
const WGSIM: &str = "#!/bin/sh\nfor last; do reference=$first; first=$second; second=$last; done\n\
    exec gpualign simulate reads $reference --pairs -n 50 -l 150 -e 0.01 -o $first --output2 $second\n";
const BCFTOOLS: &str = "#!/bin/sh\n\
    case $1 in\n\
    --version) echo bcftools 4.5.6 ;;\n\
    call) for call in '10117 . C T' '10211 . C T' '10300 . A C'; do\n\
        printf 'chr20_10mb\\t%s\\t%s\\t%s\\t%s\\t50\\t.\\n' $call\n\
        done > $5 ;;\n\
    norm) while IFS= read -r line; do printf '%s\\n' \"$line\"; done < $8 > $7 ;;\n\
    esac\n";

/// The path of gpualign of this build. It is a program of another package, so cargo builds it unless the whole workspace is
/// tested.
fn gpualign() -> PathBuf {
    let evidence = Path::new(env!("CARGO_BIN_EXE_evidence"));
    let profile = evidence.parent().expect("a folder");
    let program = profile.join("gpualign");
    if program.exists() {
        return program;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "gpualign", "--target-dir"]);
    cargo.arg(profile.parent().expect("a folder"));
    cargo.args(profile.ends_with("release").then_some("--release"));
    assert!(cargo.status().expect("runs").success());
    program
}

/// Checks that every element of a page is closed in the right order.
fn check_elements(page: &str) {
    let mut open = Vec::new();
    for part in page.split('<').skip(1) {
        let (element, _) = part.split_once('>').expect("an element ends");
        let name = element.split([' ', '\n']).next().expect("a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if name.starts_with('!') || element.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
}

/// Checks that nearly all real reads are mapped, and that of 221 known variants two are called.
fn check_real(section: &Value) {
    let facts = |name: &str| {
        let rows = section["rows"].as_array().expect("rows");
        &rows.iter().find(|row| row["name"] == name).expect("is measured")["facts"]
    };
    let share = |name, what: &str| facts(name)[what].as_f64().expect("a share");
    assert!(share("phiX", "mapped") > 0.8 && share("phiX", "properly paired") > 0.8);
    assert!(share("chrM", "mapped") > 0.95 && facts("chrM")["properly paired"].is_null());
    assert!(share("NA12878", "mapped") > 0.99 && share("NA12878", "properly paired") > 0.98);
    let count = |what: &str| share("NA12878", what) as u64;
    let sum = |what: &str| {
        ["SNVs", "indels"].map(|kind| count(&format!("{kind} {what}"))).iter().sum::<u64>()
    };
    assert_eq!(["found", "missed", "extra"].map(sum), [2, 219, 1]);
    assert_eq!(count("SNVs found"), 2);
    let (known, called) = (share("NA12878", "SNVs missed") + 2.0, 3.0);
    assert!((share("NA12878", "F1 of SNVs") - 2.0 * 2.0 / (known + called)).abs() < 1e-12);
    assert!(facts("phiX")["SNVs found"].is_null());
}

/// Checks that nearly all pairs of known origin are mapped, and few of them wrong, for each genome, length and rate of errors.
fn check_accuracy(section: &Value) {
    let rows = section["rows"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    let of = |genome: &str| {
        ["2 x 150, 1%", "2 x 150, 3%", "2 x 100, 1%", "2 x 100, 3%"]
            .map(|what| format!("{genome}, {what}"))
    };
    assert_eq!(names, [of("made"), of("120 kbp of human chromosome 20")].concat());
    for row in rows {
        let fact = |name: &str| row["facts"][name].as_f64().expect(name);
        assert!(fact("mapped") > 0.97 && fact("correct") > 0.95, "{row}");
        assert!(fact("mapped, MAPQ >= 10") > 0.9 && fact("wrong, MAPQ >= 10") < 5.0, "{row}");
        assert_eq!(row["at"], "gpualign");
    }
}

/// Checks that pairs of wgsim, the only simulator here, are mapped to the part of the genome that they are of.
fn check_sample(section: &Value) {
    let rows = section["rows"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| (row["name"].as_str(), row["at"].as_str())).collect();
    assert_eq!(names, [(Some("wgsim"), Some("gpualign"))]);
    assert!(rows[0]["facts"]["correct"].as_f64() > Some(0.9), "{}", rows[0]);
    let missing = section["missing"].as_array().expect("names");
    for name in ["dwgsim", "wgsim_eval.pl", "bowtie2"] {
        assert!(missing.contains(&Value::from(name)), "{missing:?}");
    }
}

/// Checks that reads of all lengths are mapped to their true loci, but for the shortest nearly all.
fn check_lengths(section: &Value) {
    let rows = section["rows"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["2 x 100", "1 x 100", "1 x 36"]);
    for (row, least) in rows.iter().zip([0.95, 0.95, 0.8]) {
        assert!(row["facts"]["correct"].as_f64() > Some(least), "{row}");
        assert!(row["facts"]["GPU memory, MB"].is_null(), "{row}");
    }
}

/// Checks that compressed reads are mapped, and that CRAM is written, of which samtools counts three records here.
fn check_formats(section: &Value) {
    let rows = section["rows"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| (row["name"].as_str(), row["at"].as_str())).collect();
    assert_eq!(names, ["gz to SAM", "plain to CRAM"].map(|name| (Some(name), Some("gpualign"))));
    assert!(rows[0]["facts"]["records"].as_f64() >= Some(200.0), "{}", rows[0]);
    assert_eq!(rows[1]["facts"]["records"], 3.0);
    assert!(rows[1]["facts"]["file bytes"].as_f64() > Some(1000.0), "{}", rows[1]);
}

/// Checks that pairs with fewer changes have higher scores, by each of the costs.
fn check_pairs(section: &Value) {
    let rows = section["rows"].as_array().expect("rows");
    let means: Vec<f64> =
        rows.iter().map(|row| row["facts"]["mean score"].as_f64().expect("a score")).collect();
    let (few, many) = means.split_at(6);
    assert!(few.len() == many.len() && few.iter().zip(many).all(|(few, many)| few > many));
    // Alignments have the scores that scores alone have.
    assert!(means.chunks(2).all(|means| (means[0] - means[1]).abs() < 1e-9), "{means:?}");
}

/// Checks the sizes of the sections on scaling, which follow each other.
fn check_scaling(sections: &[Value]) {
    // Both modes on 1 and 2 threads; and a sixteenth, a fourth and all of the reads, and of the bases.
    let sizes = |number: usize| {
        let rows = sections[number]["rows"].as_array().expect("rows");
        rows.iter().map(|row| format!("{} {}", row["name"], row["at"])).collect::<Vec<_>>()
    };
    let all = |names: &[&str], sizes: &[&str]| {
        let mut all = Vec::new();
        for size in sizes {
            all.extend(names.iter().map(|name| format!("\"{name}\" \"{size}\"")));
        }
        all
    };
    let modes = ["best", "all"];
    assert_eq!(sizes(0), all(&modes, &["1", "2"]));
    assert_eq!(sizes(1), all(&modes, &["18", "75", "300"]));
    assert_eq!(sizes(2), all(&modes, &["3750", "15000", "60000"]));
    assert_eq!(sizes(3), all(&["index"], &["3750", "15000", "60000"]));
    assert_eq!(sizes(4), [""; 0]);
}

/// Makes a folder with only a few scripts for programs, so that the test knows which programs are missing.
fn programs(path: &Path) {
    fs::create_dir(path).expect("a folder");
    for program in ["date", "sh"] {
        symlink(format!("/bin/{program}"), path.join(program)).expect("links");
    }
    symlink(gpualign(), path.join("gpualign")).expect("links");
    for (name, script) in [
        ("razers3", RAZERS3),
        ("blastn", BLASTN),
        ("makeblastdb", BLASTN),
        ("samtools", SAMTOOLS),
        ("bcftools", BCFTOOLS),
        ("wgsim", WGSIM),
    ] {
        fs::write(path.join(name), script).expect("writes");
        fs::set_permissions(path.join(name), PermissionsExt::from_mode(0o755)).expect("may run");
    }
}

#[test]
fn a_tiny_run_makes_a_whole_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bin");
    programs(&path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_evidence"));
    command.args(["--tiny", "--threads", "2", "--device", "cpu"]).env("PATH", &path);
    command.arg("--program").arg(gpualign());
    command.arg("--data").arg(folder.path().join("data"));
    command.arg("--real").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data"));
    command.arg("--out").arg(folder.path().join("out"));
    command.arg("--results").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("results"));
    let run = |command: &mut Command| {
        let output = command.output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&mut command);

    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).expect(name);
    let evidence: Value = serde_json::from_str(&read("evidence.json")).expect("is JSON");
    let sections = evidence["sections"].as_array().expect("sections");
    let names: Vec<&Value> = sections.iter().map(|section| &section["name"]).collect();
    let mapping =
        ["index", "all", "best", "lengths", "sorted", "formats", "accuracy", "real", "sample"];
    let search = ["pairwise", "pairs", "blastn", "megablast"];
    let scaling = ["threads", "reads", "reference", "indexes", "gpus"];
    assert_eq!(names, [&mapping[..], &search, &scaling].concat());
    for section in sections {
        for row in section["rows"].as_array().expect("rows") {
            let seconds = row["seconds"].as_array().expect("runs");
            let is_once = section["name"] == "accuracy" || section["name"] == "sample";
            assert_eq!(seconds.len(), if is_once { 1 } else { 2 }, "{row}");
            assert!(row["cpu_seconds"].as_f64() > Some(0.0), "{row}");
            assert!(
                row["median"].as_f64() > Some(0.0) && row["rate"].as_f64() > Some(0.0),
                "{row}"
            );
        }
    }
    let find = |number: usize, name: &str| {
        let rows = sections[number]["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}"))
    };
    // Reads from repeats may have further records.
    assert!(find(1, "gpualign")["facts"]["records"].as_f64() >= Some(300.0));
    assert_eq!(find(1, "razers3, 1 of 16 reads")["version"], "1.2.3");
    assert_eq!(find(1, "razers3, 1 of 16 reads")["facts"]["records"], 1.0);
    // gpualign also gets the smaller set of queries of NCBI's program, which also runs with a process for each thread.
    let records = |name| find(11, name)["facts"]["records"].as_f64();
    assert!(records("gpualign, 4 queries") > records("gpualign, 2 queries"));
    assert_eq!(records("blastn, 2 queries"), Some(2.0));
    assert_eq!(records("blastn, 2 queries, 2 processes"), Some(2.0));
    assert_eq!(records("blastn, 2 queries, -mt_mode 1"), Some(2.0));
    assert_eq!(find(12, "blastn, 4 queries, 2 processes")["facts"]["records"], 4.0);
    assert_eq!(find(12, "blastn, 4 queries, 2 processes")["version"], "2.3.4+");
    // The index of a fourth of the genome.
    assert!(find(0, "gpualign")["facts"]["index bytes"].as_f64() > Some(15_000.0));
    let missing = |number: usize| sections[number]["missing"].as_array().expect("names").len();
    let counts = [8, 1, 7, 7, 7, 6, 6, 7, 2, 5, 0, 0, 0];
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13].map(missing), counts);
    assert_eq!(find(4, "gpualign")["facts"]["duplicates"], 3.0);
    // Every read has a quality, and few are wrong.
    let by_mapq = find(2, "gpualign")["by_mapq"].as_array().expect("ranges");
    let sum = |key: &str| by_mapq.iter().filter_map(|range| range[key].as_u64()).sum::<u64>();
    assert!((590..=600).contains(&sum("mapped")) && sum("wrong") < 30, "{by_mapq:?}");
    check_lengths(&sections[3]);
    check_formats(&sections[5]);
    check_accuracy(&sections[6]);
    check_real(&sections[7]);
    check_sample(&sections[8]);
    check_pairs(&sections[10]);
    check_scaling(&sections[13..]);

    assert_eq!(evidence["steps"], Value::Array(Vec::new()));

    let report = read("REPORT.md");
    assert!(report.contains(
        "Not installed: bwa, bwa-mem2, bwa-mem4, minibwa, strobealign, minimap2, bowtie2."
    ));
    assert!(report.contains("Not measured: --device cpu is not all GPUs."));
    assert!(report.contains("## Small steps\n\nNot measured: "));
    assert!(report.contains("## The papers' numbers"));
    let page = read("report.html");
    check_elements(&page);
    // A drawing for each section with rows, and nothing from elsewhere.
    let drawn = sections.iter().filter(|section| section["rows"] != Value::Array(Vec::new()));
    // Four more drawings are of qualities, and six are the papers'.
    assert_eq!(page.matches("<svg").count(), drawn.count() + 4 + 6);
    let elsewhere = ["src=", "href=", "url(", "@import"];
    assert!(elsewhere.iter().all(|sign| !page.contains(sign)));

    // One section again: the others stay as they were, to the last digit.
    run(command.args(["--keep", "--commit", "abc1234", "--runs", "1", "--section", "all"]));
    let again: Value = serde_json::from_str(&read("evidence.json")).expect("is JSON");
    assert_eq!(again["commit"], "abc1234");
    for (number, section) in sections.iter().enumerate() {
        let runs = |section: &Value| section["rows"][0]["seconds"].as_array().map(Vec::len);
        let other = &again["sections"][number];
        assert_eq!(other["name"], section["name"]);
        match number {
            1 => assert_eq!((runs(section), runs(other)), (Some(2), Some(1))),
            _ => assert_eq!(other, section),
        }
    }
}

/// A script that passes calls to gpualign, but pretends that the machine has three GPUs.
const THREE_GPUS: &str = "#!/bin/sh\n\
    [ \"$1\" = devices ] && printf 'cpu: 2\\ncuda:0 A\\ncuda:1 A\\ncuda:2 A\\n' && exit\n\
    for word; do shift; case $word in cuda*) echo $word >> gpus.txt; word=cpu ;; esac; set -- \"$@\" $word; done\n\
    exec \"$(dirname \"$0\")/real\" \"$@\"\n";

#[test]
fn reads_are_shared_out_among_gpus() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    symlink(gpualign(), at("real")).expect("links");
    fs::write(at("gpualign"), THREE_GPUS).expect("writes");
    fs::set_permissions(at("gpualign"), PermissionsExt::from_mode(0o755)).expect("may run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_evidence"));
    command.args(["--tiny", "--threads", "2", "--device", "cuda", "--section", "gpus"]);
    command.arg("--program").arg(at("gpualign")).arg("--data").arg(at("data"));
    command.arg("--out").arg(at("out"));
    command.arg("--results").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("results"));
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let evidence = fs::read(at("out").join("evidence.json")).expect("is there");
    let evidence: Value = serde_json::from_slice(&evidence).expect("is JSON");
    let rows = evidence["sections"][0]["rows"].as_array().expect("rows");
    let sizes: Vec<_> = rows.iter().map(|row| (row["name"].as_str(), row["at"].as_str())).collect();
    let of = |count| [(Some("best"), Some(count)), (Some("all"), Some(count))];
    assert_eq!(sizes, [of("1"), of("2"), of("3")].concat());
    // All reads, however many GPUs.
    for (row, one) in rows.iter().zip(rows[..2].iter().cycle()) {
        assert!(one["facts"]["records"].as_f64() >= Some(300.0));
        assert_eq!(row["facts"]["records"], one["facts"]["records"], "{row}");
    }
    let used = fs::read_to_string(at("data/tiny/gpus.txt")).expect("is there");
    let times = |gpu: &str| used.lines().filter(|line| *line == gpu).count();
    // Two modes and two runs, on one GPU, two and three.
    assert_eq!(["cuda:0", "cuda:1", "cuda:2"].map(times), [12, 8, 4]);
}
