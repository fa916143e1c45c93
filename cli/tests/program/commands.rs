//! Help, completions, the manual, devices, usage errors.

use crate::support::{Folder, reads};

fn said(arguments: &[&str]) -> String {
    let output = Folder::new().run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("is text")
}

#[test]
fn help_has_headings_and_examples() {
    let help = said(&["--help"]);
    for part in [
        "Usage: gpualign",
        "<READS>... <REF>",
        "gpualign <COMMAND>",
        "Search:",
        "Output:",
        "Resources:",
        "Messages:",
        "Examples:",
        "gpualign reads_1.fq.gz reads_2.fq.gz ref.fa -o out.bam",
    ] {
        assert!(help.contains(part), "{part}");
    }
    let version = format!("gpualign {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(said(&["-V"]), format!("{version}\n"));
    let long = said(&["--version"]);
    assert!(long.starts_with(&version) && long.contains(std::env::consts::ARCH), "{long}");
}

#[test]
fn completions_and_manual_know_the_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = said(&["completions", shell]);
        assert!(text.contains("gpualign") && text.contains("all-starts"), "{shell}");
    }
    let manual = said(&["man"]);
    assert!(manual.contains(".TH gpualign") && manual.contains("all\\-starts"));
    let of_nw = said(&["man", "nw", "pairs"]);
    assert!(of_nw.contains(".TH gpualign-nw-pairs") && of_nw.contains("gap\\-open"), "{of_nw}");
    let folder = Folder::new();
    assert!(folder.run(&["man", "--folder", "."]).status.success());
    for page in ["gpualign.1", "gpualign-merge.1", "gpualign-nw-all-vs-all.1"] {
        assert!(folder.files().contains(page), "{page}");
    }
    folder.refused(&["man", "nw", "x"], &["gpualign nw has no command 'x'"]);
    folder.refused(&["man", "--folder", "none"], &["none: No such file"]);
}

#[test]
fn devices_names_the_cpu_and_gpus_or_why_none() {
    let text = said(&["devices"]);
    let mut lines = text.lines();
    let cpu = lines.next().expect("a line");
    let threads = cpu.strip_prefix("cpu: ").and_then(|rest| rest.strip_suffix(" threads"));
    assert!(threads.expect(cpu).parse::<usize>().expect(cpu) > 0);
    let rest = lines.next().expect("a second line");
    assert!(rest.starts_with("device") || rest.contains("CUDA"), "{rest}");
}

#[test]
fn wrong_command_lines_have_code_2() {
    let cases: [&[&str]; 25] = [
        &[],
        &["ref.fa"],
        &["--mode", "all", "reads.fq", "ref.fa", "-k", "16"],
        &["--mode", "all", "reads.fq", "ref.fa", "-k", "-1"],
        &["reads.fq", "ref.fa", "--report", "some"],
        &["--mode", "all", "reads.fq", "ref.fa", "--primary-only", "--all-starts"],
        &["reads.fq", "ref.fa", "--device", "gpu"],
        &["reads.fq", "ref.fa", "--device", "cuda:0,1,0"],
        &["mem", "ref.fa", "reads.fq", "--device", "cuda:all,1"],
        &["nw", "all-vs-all", "reads.fq", "--device", "cuda:0,0"],
        &["blastn", "-query", "reads.fq", "-subject", "ref.fa", "-device", "cuda:1,1"],
        &["reads.fq", "ref.fa", "-t", "0"],
        &["reads.fq", "ref.fa", "--batch-size", "0"],
        &["reads.fq", "ref.fa", "-o", "out.txt"],
        &["reads.fq", "ref.fa", "-o", "out"],
        &["reads.fq", "ref.fa", "-O", "vcf"],
        &["reads.fq", "ref.fa", "--eqx", "-o", "out.cram"],
        &["reads.fq", "ref.fa", "-R", "@RG\\tSM:x"],
        &["reads.fq", "ref.fa", "--timeline", "-"],
        &["reads.fq", "ref.fa", "--timeline", "-", "-o", "-"],
        &["reads.fq", "ref.fa", "-v", "-q"],
        &["reads.fq", "ref.fa", "--no-such-option"],
        &["index"],
        &["index", "ref.fa", "--sample-rate", "3"],
        &["completions", "tcsh"],
    ];
    let folder = Folder::new();
    folder.write("reads.fq", reads(1));
    let before = folder.files();
    for arguments in cases {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stderr.starts_with(b"error: "), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn options_may_be_anywhere_among_operands() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(9)).write("x.fa", ">a\nACGT\n>b\nACCT\n");
    let cases: [(&[&str], &[&str], &[&str]); 10] = [
        (&[], &["reads.fq", "ref.fa"], &["-t", "2"]),
        (&[], &["reads.fq", "reads.fq", "ref.fa"], &["--seed", "3"]),
        (&[], &["reads.fq", "./index", "ref.fa"], &["--single"]),
        (&["index"], &["ref.fa"], &["-t", "2"]),
        (&["makedb"], &["ref.fa"], &["-q"]),
        (&["nw", "pairs"], &["x.fa", "x.fa"], &["-O", "paf"]),
        (&["nw", "one-vs-all"], &["x.fa", "x.fa"], &["--device", "cpu"]),
        (&["simulate", "genome"], &["1k"], &["--seed", "5"]),
        (&["simulate", "reads"], &["ref.fa"], &["-n", "3"]),
        (&["evaluate"], &["wgsim.sam"], &["--tolerance", "7"]),
    ];
    folder.write("index", reads(2));
    folder.write(
        "wgsim.sam",
        "@HD\tVN:1.6\n@SQ\tSN:a\tLN:9\na_1_4_0:0:0_0:0:0_0\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n",
    );
    for (command, operands, option) in cases {
        for place in 0..=operands.len() {
            let (before, after) = operands.split_at(place);
            let arguments = [command, before, option, after].concat();
            let output = folder.run(&arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {said}");
        }
    }
    let output = folder.run(&["-q", "index", "ref.fa"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("'index' is a command") && said.contains("./index"), "{said}");
}

#[test]
fn quiet_and_verbose() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(5));
    let lines = |options: &[&str]| {
        let output = folder.run(&[options, &["reads.fq", "ref.fa"]].concat());
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(lines(&["-q"]).is_empty());
    // On a machine without a GPU, one line says so.
    assert!(lines(&[]).iter().all(|line| line.ends_with("mapping on the CPU")));
    let told = lines(&["-v", "--device", "cpu"]);
    assert!(told.iter().any(|line| line.contains("5 of 5 reads aligned, 5 alignments, on cpu")));
    assert!(told.iter().any(|line| line.contains(" reads/s")));
    let told = lines(&["-v", "--device", "cpu", "--mode", "all"]);
    assert!(told.iter().any(|line| line.contains("bases and more: ")));
}

#[test]
fn statistics_are_one_json_object() {
    let folder = Folder::new();
    folder.write("reads.fq", [reads(20), b"@x\nACGTAA\n+\nIIIIII\n@y\n\n+\n\n".to_vec()].concat());
    let options = ["--device", "cpu", "-t", "2", "--stats", "json", "-q"];
    let run = |options: &[&str]| folder.run(&[options, &["reads.fq", "ref.fa"]].concat());
    let best = run(&options);
    let stats: serde_json::Value = serde_json::from_slice(&best.stderr).expect("is JSON");
    assert_eq!((&stats["mode"], &stats["aligned"]), (&"best".into(), &20.into()));
    let output = run(&[&options[..], &["--mode", "all", "--primary-only", "-k", "1"]].concat());
    assert!(output.status.success());
    let stats: serde_json::Value = serde_json::from_slice(&output.stderr).expect("is JSON");
    assert_eq!(stats["version"], env!("CARGO_PKG_VERSION"));
    // Steps of the other mode took no time.
    assert_eq!(stats["seconds"]["plan"].to_string(), "0.0");
    assert!(stats["command"].as_str().expect("is text").ends_with("reads.fq ref.fa"));
    assert_eq!(stats["device"], "cpu");
    assert_eq!((&stats["threads"], &stats["k"]), (&2.into(), &1.into()));
    assert_eq!((&stats["reads"], &stats["bases"]), (&22.into(), &2006.into()));
    let text = String::from_utf8(output.stdout).expect("is text");
    let aligned = text.lines().filter(|line| !line.starts_with('@') && !line.contains("\t4\t*"));
    assert_eq!(stats["aligned"], aligned.count());
    assert_eq!(stats["alignments"], stats["aligned"]);
    for part in ["start", "read", "prepare", "search", "format", "write", "total"] {
        assert!(stats["seconds"][part].as_f64().expect(part) > 0.0, "{part}");
    }
    assert!(stats["reads_per_second"].as_f64().expect("is a number") > 0.0);
    // The read of 100 bases and that of 6, but not the empty one.
    let choices = stats["choices"].as_array().expect("a list");
    assert_eq!(choices.len(), 2, "{choices:?}");
    for (choice, (shortest, reads)) in choices.iter().zip([(6, 1), (64, 20)]) {
        assert_eq!((&choice["shortest"], &choice["reads"]), (&shortest.into(), &reads.into()));
        let strategy = choice["strategy"].as_str().expect("is text");
        assert!(choice[strategy].as_f64().expect(strategy) > 0.0, "{choice:?}");
    }
    let trie = ["--mode", "all", "-k", "1", "--strategy", "trie"];
    let trie = run(&[&options[..], &trie].concat());
    let stats: serde_json::Value = serde_json::from_slice(&trie.stderr).expect("is JSON");
    for counter in ["loci", "nodes", "rows", "located"] {
        assert!(stats["engine"][counter].as_u64().expect(counter) > 0, "{counter}");
    }
    assert_eq!(stats["choices"].as_array().expect("a list").len(), 0);
}
