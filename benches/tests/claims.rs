//! What the README claims is what was measured.

#![allow(clippy::expect_used, reason = "what a test cannot set up is a failed test")]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

fn file(path: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), path].iter().collect();
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn results(topic: &str) -> Value {
    serde_json::from_str(&file(&format!("results/2026-11-21-{topic}.json"))).expect("is JSON")
}

/// So many things in these seconds, as a rate with commas, rounded to three digits.
fn rate(count: f64, seconds: f64) -> String {
    let rate = count / seconds;
    let unit = 10_f64.powi(rate.log10().floor() as i32 - 2);
    let digits = format!("{:.0}", (rate / unit).round() * unit);
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| str::from_utf8(g).expect("digits")).collect();
    groups.join(",")
}

/// Seconds of the peer whose command has these words.
fn peer(mapping: &Value, words: [&str; 2]) -> f64 {
    let peers = mapping["peers, whole process in the same call, s"].as_array().expect("peers");
    let lines = peers.iter().filter_map(Value::as_str);
    let line = lines.into_iter().find(|line| words.iter().all(|word| line.contains(word)));
    let seconds = line.expect("is one of them").split(' ').next().expect("a number");
    seconds.parse().expect("a number")
}

/// The seconds of our runs with these words in their command.
fn ours(results: &Value, words: &[&str]) -> Vec<f64> {
    let runs = results["runs"].as_array().expect("runs");
    let is_meant = |run: &&Value| {
        words.iter().all(|word| run["command"].as_str().is_some_and(|line| line.contains(word)))
    };
    runs.iter().filter(is_meant).filter_map(|run| run["process_seconds"].as_f64()).collect()
}

#[test]
fn the_readme_has_the_measured_rates() {
    // Lines may be broken anywhere.
    let readme = file("../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let mapping = results("mapping");
    let slowest = ours(&mapping, &["-k 3", "r47s.fq", "chr20.fa -o"]);
    let slowest = slowest.into_iter().fold(0.0, f64::max);
    let long = ours(&mapping, &["-k 8", "r150.fq"]);
    for claim in [
        format!("| gpualign, GPU | {} |", rate(1e5, slowest)),
        format!("| yara, all hits | {} |", rate(1e5, peer(&mapping, ["yara", "r47s.fq"]))),
        format!("| razers3, all hits | {} |", rate(1e5, peer(&mapping, ["razers3", "r47s.fq"]))),
        format!("at {} (yara,", rate(1e6, long[0])),
        format!("(yara, up to 6%: {})", rate(1e6, peer(&mapping, ["yara", "r150.fq"]))),
    ] {
        assert!(readme.contains(&claim), "the README does not say '{claim}'");
    }

    // All but the first run of a call, which finds a cold page cache.
    let whole = results("mapping-whole");
    let runs = ours(&whole, &["-k 3 --report all r47.fq"]);
    let rates = runs.iter().map(|seconds| 1e6 / seconds);
    let near = rates.filter(|rate| (rate / 510_000.0 - 1.0).abs() < 0.1).count();
    assert!(readme.contains("mapped at 510,000 reads/s"));
    assert!(near >= runs.len() - 2, "{runs:?}");
}
