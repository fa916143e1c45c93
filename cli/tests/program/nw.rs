//! `gpualign nw`.

use std::fmt::Write as _;

use crate::support::{Folder, error_line, gzip};

const THREE: &str = ">a first\nACGTACGTAC\n>b\nACGTTACGTAC\n>c\nTTTT\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("x.fa", THREE).write("y.fa.gz", gzip(THREE.as_bytes()));
    folder
}

fn nw(folder: &Folder, arguments: &[&str]) -> String {
    let all = [&["nw"], arguments, &["--device", "cpu", "-q"]].concat();
    let output = folder.run(&all);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("is text")
}

/// Many related sequences, some of them empty or unknown.
fn many(count: usize) -> String {
    let mut random = fastrand::Rng::with_seed(3);
    let gene: Vec<u8> = (0..120).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let mut text = ">empty\n\n>unknown\nNNNNN\n".to_owned();
    for number in 2..count {
        let mut copy = gene.clone();
        copy.truncate(60 + random.usize(..60));
        for _ in 0..10 {
            let at = random.usize(..copy.len());
            copy[at] = b"ACGTN"[random.usize(..5)];
        }
        let _ = writeln!(text, ">s{number}\n{}", String::from_utf8_lossy(&copy));
    }
    text
}

#[test]
fn pairs_as_tsv() {
    let lines = "#query\ttarget\tscore\tidentity\tlength\tcigar\n\
                 a\ta\t50\t1.000000\t10\t10=\nb\tb\t55\t1.000000\t11\t11=\nc\tc\t20\t1.000000\t4\t4=\n";
    assert_eq!(nw(&folder(), &["pairs", "x.fa", "y.fa.gz"]), lines);
    let all = nw(&folder(), &["all-vs-all", "x.fa"]);
    assert!(all.contains("a\tb\t40\t0.909091\t11\t3=1D7=\n"), "{all}");
    let scores = nw(&folder(), &["one-vs-all", "x.fa", "y.fa.gz", "--score-only"]);
    assert_eq!(scores.lines().count(), 10);
    assert!(scores.contains("b\ta\t40\t*\t*\t*\n"), "{scores}");
    let near = nw(&folder(), &["all-vs-all", "x.fa", "--min-identity", "0.9"]);
    assert_eq!(near.lines().count(), 2);
}

#[test]
fn paf_leaves_free_ends_out() {
    let folder = folder();
    folder.write("q.fa", ">q\nGATTACA\n").write("t.fa", ">t\nCCCGATTACACC\n");
    let paf = nw(&folder, &["pairs", "q.fa", "t.fa", "--free-ends", "target", "-O", "paf"]);
    assert_eq!(paf, "q\t7\t0\t7\t+\tt\t12\t3\t10\t7\t7\t255\tNM:i:0\tAS:i:35\tcg:Z:7=\n");
    let paf = nw(&folder, &["pairs", "q.fa", "t.fa", "-O", "paf"]);
    assert!(paf.starts_with("q\t7\t0\t7\t+\tt\t12\t0\t12\t7\t12\t255\tNM:i:5\t"), "{paf}");
}

#[test]
fn pairwise_text_is_as_needle_s() {
    let text = nw(&folder(), &["all-vs-all", "x.fa", "-O", "pair", "--min-identity", "0.5"]);
    for part in [
        "# 1: a\n# 2: b\n",
        "# Gap_penalty: 10.0\n# Extend_penalty: 1.0\n",
        "# Length: 11\n# Identity:      10/11 (90.9%)\n# Similarity:    10/11 (90.9%)\n",
        "# Gaps:           1/11 ( 9.1%)\n# Score: 40.0\n",
        "a                  1 ACG-TACGTAC     10\n                     ||| |||||||\n\
         b                  1 ACGTTACGTAC     11\n",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn matrices_of_all_pairs() {
    let folder = folder();
    let phylip = nw(&folder, &["all-vs-all", "x.fa", "-O", "phylip"]);
    assert!(phylip.starts_with("3\na 0.000000 0.090909 "), "{phylip}");
    let square = nw(&folder, &["all-vs-all", "x.fa", "-O", "square", "--score-only"]);
    assert!(square.starts_with("\ta\tb\tc\na\t50\t40\t"), "{square}");
    assert_eq!(nw(&folder, &["all-vs-all", "x.fa", "-o", "d.npy"]), "");
    assert_eq!(folder.read("d.npy").len(), 128 + 9 * 4);
    assert!(folder.read("d.npy").starts_with(b"\x93NUMPY"));
}

#[test]
fn costs_with_decimals() {
    let folder = folder();
    let lines = nw(&folder, &["all-vs-all", "x.fa", "--gap-open", "10.5", "--gap-extend", "0.25"]);
    assert!(lines.contains("a\tb\t39.50\t0.909091\t11\t3=1D7=\n"), "{lines}");
    let scores = ["all-vs-all", "x.fa", "--gap-open", "1.5", "--score-only", "-O", "square"];
    assert!(nw(&folder, &scores).contains("\na\t50.0\t48.5\t"), "{}", nw(&folder, &scores));
    let halves =
        nw(&folder, &["all-vs-all", "x.fa", "--match", "0.5", "--mismatch=-1", "-O", "paf"]);
    assert!(halves.contains("\tAS:f:-5.0\tcg:Z:3=1D7=\n"), "{halves}");
    // needle's defaults: ends are free, and a gap of n residues costs 10 + (n - 1) / 2.
    let preset = ["pairs", "q.fa", "t.fa", "--preset"];
    folder.write("q.fa", ">q\nACGTACGTTTGGGCCC\n").write("t.fa", ">t\nACGTACGTGGGCCCAAAA\n");
    let needle = nw(&folder, &[&preset[..], &["needle"]].concat());
    assert!(needle.ends_with("q\tt\t59.5\t0.700000\t20\t7=2I7=4D\n"), "{needle}");
    let stretcher = nw(&folder, &[&preset[..], &["stretcher"]].concat());
    assert!(stretcher.ends_with("q\tt\t22\t0.700000\t20\t7=2I7=4D\n"), "{stretcher}");
    let other = nw(&folder, &[&preset[..], &["needle", "--gap-open", "12"]].concat());
    assert!(other.contains("\t57.5\t"), "{other}");
}

#[test]
fn proteins_have_a_matrix_by_default() {
    let folder = folder();
    folder.write("p.fa", ">p\nMKWVTF-SLUL\n>q\nmkwvtfslul*\n");
    let arguments = ["nw", "all-vs-all", "p.fa", "--device", "cpu"];
    let output = folder.run(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("scoring by BLOSUM62") && said.contains("left out 1 gap"), "{said}");
    // M 5, K 5, W 11, V 4, T 5, F 6, S 4, L 4 twice; U scores nothing; a stop beside a gap costs 10.
    let expected = "p\tq\t38\t0.818182\t11\t8=1X1=1D\n";
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(expected), "{output:?}");
    let text = nw(&folder, &["all-vs-all", "p.fa", "-O", "pair"]);
    assert!(text.contains("p                  1 MKWVTFSLUL-     10\n"), "{text}");
    let one = [&arguments[..], &["--matrix", "EBLOSUM62"]].concat();
    let output = folder.run(&one);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("BLOSUM62"));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(expected));
}

#[test]
fn names_of_outputs_tell_format_and_compression() {
    let folder = folder();
    folder.write("names.fa", ">a,\"b\nACGT\n>c\nACGA\n");
    let csv = nw(&folder, &["all-vs-all", "names.fa", "-O", "csv"]);
    let line = "query,target,score,identity,length,cigar\n\"a,\"\"b\",c,11,0.750000,4,3=1X\n";
    assert_eq!(csv, line);
    folder.write("many.fa", many(100));
    for format in ["tsv", "csv", "paf", "sam", "pair", "phy", "npy"] {
        let option = if format == "phy" { "phylip" } else { format };
        let input = if format == "sam" { "x.fa" } else { "many.fa" };
        let job = ["nw", "all-vs-all", input, "--device", "cpu", "-q"];
        let plain = folder.run(&[&job[..], &["-O", option]].concat()).stdout;
        for compression in ["", ".gz", ".zst"] {
            let name = format!("out.{format}{compression}");
            let more = ["-o", name.as_str()];
            // A run that can be continued writes the same.
            let more = [&more[..], if compression == ".gz" { &["--resume"] } else { &[] }].concat();
            assert_eq!(nw(&folder, &[&job[1..3], &more].concat()), "");
            let bytes = folder.read(&name);
            let text = match compression {
                "" => bytes,
                ".gz" => {
                    let mut text = Vec::new();
                    let mut decoder = flate2::read::MultiGzDecoder::new(bytes.as_slice());
                    std::io::copy(&mut decoder, &mut text).expect("gzip");
                    text
                }
                _ => zstd::decode_all(bytes.as_slice()).expect("zstd"),
            };
            assert!(text == plain && !text.is_empty(), "{name}");
        }
    }
}

#[test]
fn sam_has_clipped_queries() {
    let folder = folder();
    folder.write("q.fa", ">q\nTTGATTrCA\n>n\nGG\n").write("t.fa", ">t\nGATTGCACC\n>u\nCC\n");
    let sam = nw(&folder, &["pairs", "q.fa", "t.fa", "--free-ends", "all", "-O", "sam"]);
    let lines: Vec<&str> = sam.lines().collect();
    assert_eq!(lines[1..3], ["@SQ\tSN:t\tLN:9", "@SQ\tSN:u\tLN:2"]);
    assert_eq!(lines[4], "q\t0\tt\t1\t255\t2S4=1X2=\t*\t0\t0\tTTGATTrCA\t*\tNM:i:1\tAS:i:26");
    assert_eq!(lines[5], "n\t4\t*\t0\t0\t*\t*\t0\t0\tGG\t*\tAS:i:0");
}

#[test]
fn distances_have_models() {
    let folder = folder();
    folder.write("d.fa", ">a\nAAGGCCTTACGT\n>b\nAGGGCATTACGT\n>c\nAAGGCCTTACGTAC\n");
    let distances = |more: &[&str]| nw(&folder, &[&["all-vs-all", "d.fa"], more].concat());
    let table = distances(&["--distance", "jukes-cantor"]);
    assert!(table.starts_with("#query\ttarget\tscore\tidentity\tlength\tcigar\tdistance\n"));
    // p is 1/6.
    assert!(table.contains("a\tb\t42\t0.833333\t12\t1=1X3=1X6=\t0.188486\n"), "{table}");
    for (more, expected) in [
        (&["--distance", "p"][..], "0.166667 0.000000"),
        (&["--distance", "p", "--distance-gaps", "count"], "0.166667 0.142857"),
        (&["--distance", "identity"], "0.166667 0.142857"),
        // A transition and a transversion among 12.
        (&["--distance", "kimura"], "0.189421 0.000000"),
        (&[], "0.166667 0.142857"),
    ] {
        let matrix = distances(&[&["-O", "phylip"], more].concat());
        assert_eq!(
            matrix.lines().nth(1),
            Some(format!("a 0.000000 {expected}").as_str()),
            "{more:?}"
        );
    }
}

#[test]
fn pairs_below_an_identity_are_left_out() {
    let folder = folder();
    folder.write("many.fa", many(60));
    let all = nw(&folder, &["all-vs-all", "many.fa"]);
    for least in ["0", "0.8", "0.93", "1"] {
        let least_identity: f64 = least.parse().expect("a number");
        let reaches = |line: &&str| {
            let identity = line.split('\t').nth(3).and_then(|text| text.parse::<f64>().ok());
            identity.is_none_or(|identity| identity >= least_identity)
        };
        let expected: Vec<&str> = all.lines().filter(reaches).collect();
        let found = nw(&folder, &["all-vs-all", "many.fa", "--min-identity", least]);
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{least}");
    }
}

#[test]
fn the_timeline_has_every_step() {
    let folder = folder();
    nw(&folder, &["all-vs-all", "x.fa", "-o", "out.tsv", "--timeline", "t.json"]);
    let text = String::from_utf8(folder.read("t.json")).expect("is text");
    for step in ["read", "device", "prepare", "align", "format", "write"] {
        assert!(text.contains(&format!("\"cat\":\"{step}\"")), "no {step} in: {text}");
    }
    let both = ["nw", "all-vs-all", "x.fa", "--timeline", "-"];
    assert_eq!(folder.run(&both).status.code(), Some(2));
}

#[test]
fn output_depends_on_no_thread() {
    let folder = folder();
    // Two tiles.
    folder.write("many.fa", many(190));
    for more in [&[][..], &["--gap-extend", "10"], &["--free-ends", "all"], &["--score-only"]] {
        let run =
            |threads| nw(&folder, &[&["all-vs-all", "many.fa", "-t", threads], more].concat());
        assert_eq!(run("1"), run("3"), "{more:?}");
    }
}

#[test]
fn a_partial_file_becomes_the_output() {
    let folder = folder();
    folder.write("many.fa", many(30));
    let whole = nw(&folder, &["all-vs-all", "many.fa"]);
    // Not of a run, or of none that came far.
    let arguments = ["nw", "all-vs-all", "many.fa", "-o", "out.tsv", "--resume", "--device", "cpu"];
    folder.write("out.tsv.partial", "#query").write("out.tsv.partial.json", "no state");
    let said = error_line(&folder.run(&arguments), &arguments);
    assert!(said.contains("out.tsv.partial.json: not the state of a run"), "{said}");
    std::fs::remove_file(folder.path("out.tsv.partial.json")).expect("removes");
    let said = error_line(&folder.run(&arguments), &arguments);
    assert!(said.contains("out.tsv.partial: not of an interrupted run"), "{said}");
    assert_eq!(folder.read("out.tsv.partial"), b"#query");
    std::fs::remove_file(folder.path("out.tsv.partial")).expect("removes");
    assert_eq!(nw(&folder, &arguments[1..6]), "");
    assert_eq!(String::from_utf8_lossy(&folder.read("out.tsv")), whole);
    assert!(!folder.files().iter().any(|name| name.contains("partial")), "{:?}", folder.files());
}

/// The state that a run with `--resume` has left.
fn state(folder: &Folder) -> Vec<u8> {
    std::fs::read(folder.path("out.tsv.partial.json")).unwrap_or_default()
}

/// Begins or goes on with a run, and kills it once it has noted `tiles` more tiles.
fn kill_after(folder: &Folder, arguments: &[&str], tiles: usize) {
    let mut last = state(folder);
    let mut run = folder.command(arguments).spawn().expect("starts");
    let mut noted = 0;
    while noted < tiles {
        assert_eq!(run.try_wait().expect("can be asked"), None, "it ended before it was killed");
        let now = state(folder);
        noted += usize::from(now != last);
        last = now;
    }
    run.kill().expect("is killed");
    run.wait().expect("is dead");
}

#[test]
fn a_killed_run_goes_on() {
    let folder = folder();
    // Some twenty tiles.
    folder.write("many.fa", many(820));
    let whole = nw(&folder, &["all-vs-all", "many.fa"]);
    let run = ["nw", "all-vs-all", "many.fa", "-o", "out.tsv", "--resume", "--device", "cpu", "-q"];
    // The first two lines are about the run, and the note of the heading.
    kill_after(&folder, &run, 2);
    for tiles in [3, 1, 5] {
        kill_after(&folder, &run, tiles);
    }
    let kept = folder.files();
    assert!(!kept.contains("out.tsv") && kept.contains("out.tsv.partial"), "{kept:?}");

    // Not the same job.
    for other in [&["--gap-open", "11"][..], &["--score-only"], &["--min-identity", "0.5"]] {
        let run = [&run[..], other].concat();
        let said = error_line(&folder.run(&run), &run);
        assert!(said.contains("is of other input, options or version"), "{said}");
    }
    let input = folder.read("many.fa");
    folder.write("many.fa", many(821));
    let said = error_line(&folder.run(&run), &run);
    assert!(said.contains("is of other input, options or version"), "{said}");
    folder.write("many.fa", input);

    // Less than what is noted cannot be gone on with.
    let partial = folder.read("out.tsv.partial");
    folder.write("out.tsv.partial", &partial[..partial.len() / 2]);
    let said = error_line(&folder.run(&run), &run);
    assert!(said.contains("out.tsv.partial: is shorter than its state says"), "{said}");

    // Nor can what is not what was noted.
    let mut damaged = partial.clone();
    damaged[partial.len() / 2] ^= 1;
    folder.write("out.tsv.partial", damaged);
    let said = error_line(&folder.run(&run), &run);
    assert!(said.contains("out.tsv.partial: is not what its state says"), "{said}");

    // Half a tile more is forgotten.
    folder.write("out.tsv.partial", [&partial[..], b"s1\ts2\t3"].concat());
    assert_eq!(nw(&folder, &run[1..6]), "");
    assert!(folder.read("out.tsv") == whole.as_bytes(), "the bytes of one run");
    assert!(!folder.files().iter().any(|name| name.contains("partial")), "{:?}", folder.files());
}

#[test]
fn every_built_in_matrix_has_a_name() {
    let folder = folder();
    folder.write("p.fa", ">p\nMKWVTFISLL\n>q\nMKWVTFLL\n");
    // Scores of MKWVTFISLL with MKWVTFLL, two residues of which are in one gap.
    for name in ["BLOSUM30", "BLOSUM45", "BLOSUM62", "PAM40", "PAM120", "PAM200", "pam250"] {
        let out = nw(&folder, &["all-vs-all", "p.fa", "--matrix", name, "--gap-open", "20"]);
        assert!(out.contains("\t0.800000\t10\t6=2I2=\n"), "{name}: {out}");
    }
    let out = nw(&folder, &["all-vs-all", "p.fa", "--matrix", "PAM250", "--gap-open", "20"]);
    // M 6, K 5, W 17, V 4, T 3, F 9, L 6 twice; minus the gap's 21.
    assert!(out.contains("p\tq\t35\t"), "{out}");
    let all = nw(&folder, &["all-vs-all", "x.fa", "--matrix", "EDNAFULL"]);
    assert!(all.contains("a\tb\t40\t0.909091\t11\t3=1D7=\n"), "{all}");
}

#[test]
fn bad_input_is_told_in_a_line() {
    let folder = folder();
    folder.write("two.fa", ">a\nAC\n>a\nGT\n").write("digit.fa", ">p\nA-C\nG1\n");
    folder.write("protein.fa", ">p\nACGE\n").write("comma.fa", ">a,b\nAC\n");
    folder.write("none.fa", ">a\n\n>b\nAC\n");
    folder.write("m.txt", "A C\nA 1\n").write("empty.fa", "");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let all = [&["nw"], arguments, &["-o", "out.tsv", "--device", "cpu"]].concat();
        folder.refused(&all, parts);
    };
    refused(&["pairs", "x.fa", "two.fa"], &["x.fa has 3 records, but two.fa has 2"]);
    refused(
        &["all-vs-all", "digit.fa"],
        &["digit.fa: record 1 (line 3): '1' at residue 5 is no letter of the scoring"],
    );
    refused(
        &["all-vs-all", "protein.fa", "--match", "1"],
        &["protein.fa: record 1 (line 2): 'E' at residue 4 is no letter of the scoring"],
    );
    refused(
        &["one-vs-all", "x.fa", "comma.fa", "-O", "sam"],
        &["comma.fa: record 1: SAM does not allow the name 'a,b'"],
    );
    refused(
        &["all-vs-all", "none.fa", "-O", "sam"],
        &["none.fa: record 1: SAM has no reference without residues"],
    );
    let kimura = ["--distance", "kimura", "--distance-gaps", "count"];
    refused(
        &[&["all-vs-all", "x.fa"], &kimura[..]].concat(),
        &["kimura of nucleotides does not count gaps"],
    );
    refused(
        &["all-vs-all", "x.fa", "--matrix", "EPAM10", "--gap-open", "5", "--gap-extend", "0.01"],
        &["EPAM10: the score ", " is not between -500 and 500 (numbers times 100"],
    );
    for name in ["out.txt", "out.tsv.bz2", "out.fa.gz"] {
        let arguments = ["nw", "all-vs-all", "x.fa", "-o", name];
        folder.refused(&arguments, &[name, "is the extension of no output format"]);
    }
    refused(&["all-vs-all", "two.fa", "-O", "phylip"], &["records 1 and 2 have the same name 'a'"]);
    refused(
        &["all-vs-all", "x.fa", "--matrix", "m.txt"],
        &["m.txt: line 2: 1 scores for 2 columns"],
    );
    refused(&["all-vs-all", "x.fa", "--matrix", "PAM1"], &["PAM1", "no matrix of this name"]);
    refused(&["all-vs-all", "empty.fa"], &["empty.fa: the file is empty"]);
    refused(&["all-vs-all", "x.fa", "--kernel", "warp"], &["--kernel needs a GPU"]);
    for usage in [
        &["pairs", "-", "-"][..],
        &["pairs", "x.fa", "x.fa", "-O", "npy"],
        &["all-vs-all", "x.fa", "--score-only", "-O", "paf"],
        &["all-vs-all", "x.fa", "--match", "1", "--matrix", "BLOSUM62"],
        &["all-vs-all", "x.fa", "--resume"],
        &["all-vs-all", "x.fa", "--preset", "needle", "--match", "1"],
        &["all-vs-all", "x.fa", "--distance", "p", "-O", "sam"],
        &["all-vs-all", "x.fa", "--distance", "identity", "--distance-gaps", "count"],
        &["all-vs-all", "x.fa", "--gap-open", "0.0001"],
    ] {
        let output = folder.run(&[&["nw"], usage].concat());
        assert_eq!(output.status.code(), Some(2), "{usage:?}");
    }
    for (option, value, reason) in [
        (
            "--gap-open",
            "-5",
            "gap cost -5 is not between 0 and 500: gaps cost, so the number is positive",
        ),
        ("--match", "501", "the score 501 is not between -500 and 500"),
        ("--mismatch", "7", "must score more than a mismatch"),
        ("--gap-extend", "11", "must not cost more than opening"),
        (
            "--gap-open",
            "250.25",
            "is not between 0 and 500: gaps cost, so the number is positive (numbers times 4",
        ),
    ] {
        let output = folder.run(&["nw", "all-vs-all", "x.fa", option, value]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(said.lines().next().is_some_and(|line| line.contains(reason)), "{said}");
    }
}
