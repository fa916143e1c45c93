//! Random searches: NCBI's blastn judges `gpualign blastn` on short and long sequences with runs of N, other ambiguous
//! letters, lower case and low-complexity repeats, with all tasks and all options that decide on rows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::blastn::changed;
use crate::tools::{data, run};

/// Columns that show position, columns, score and coverage of each alignment.
const COLUMNS: &str = "6 std score btop sstrand qcovs qcovhsp";

/// Number of searches, of a few queries each, in the database of a seed.
const SEARCHES: usize = 4;

fn bases(random: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect()
}

/// A few copies of a short motif, with changes.
fn repeat(random: &mut Rng) -> Vec<u8> {
    let length = random.usize(1..7);
    let motif = bases(random, length);
    let (copies, every) = (random.usize(3..30), random.usize(5..60));
    changed(&motif.repeat(copies), every, random)
}

fn reverse_complement(sequence: &mut [u8]) {
    sequence.reverse();
    for letter in sequence {
        *letter = match *letter {
            b'A' => b'T',
            b'C' => b'G',
            b'G' => b'C',
            b'T' => b'A',
            other => other,
        };
    }
}

/// Changes up to three ranges of a sequence, each of up to `longest` letters.
fn change_ranges(
    random: &mut Rng,
    sequence: &mut [u8],
    longest: usize,
    change: impl Fn(&mut Rng, &mut [u8]),
) {
    for _ in 0..random.usize(1..4) {
        let start = random.usize(..sequence.len());
        let end = sequence.len().min(start + random.usize(1..=longest));
        change(random, &mut sequence[start..end]);
    }
}

/// A sequence of up to `most` changed pieces of the ancestors, on either strand.
fn descendant(random: &mut Rng, ancestors: &[Vec<u8>], most: usize) -> Vec<u8> {
    let mut sequence = vec![b'A'];
    for _ in 0..random.usize(1..=most) {
        let ancestor = &ancestors[random.usize(..ancestors.len())];
        let longest = [40, 80, 200, 900][random.usize(..4)].min(ancestor.len());
        let length = random.usize(longest.min(15)..=longest);
        let start = random.usize(..=ancestor.len() - length);
        let every = [4, 6, 8, 10, 20, 60, 200][random.usize(..7)];
        sequence.extend(changed(&ancestor[start..start + length], every, random));
    }
    if random.bool() {
        reverse_complement(&mut sequence);
    }
    if random.u8(..5) < 2 {
        change_ranges(random, &mut sequence, 30, |random, range| {
            range.fill(b"NNNNNNRYSWKMBDHV"[random.usize(..16)]);
        });
    }
    if random.u8(..5) < 2 {
        change_ranges(random, &mut sequence, 40, |_, range| range.make_ascii_lowercase());
    }
    sequence
}

fn fasta(sequences: impl IntoIterator<Item = Vec<u8>>) -> String {
    sequences.into_iter().enumerate().fold(String::new(), |mut text, (number, letters)| {
        let _ = writeln!(text, ">s{number}\n{}", String::from_utf8_lossy(&letters));
        text
    })
}

/// Options of a search: a task, and any of the others.
fn options(random: &mut Rng) -> Vec<String> {
    let task = ["blastn", "megablast", "dc-megablast"][random.usize(..3)];
    let words: &[&str] = match task {
        "dc-megablast" => &["11", "12"],
        _ => &["4", "7", "8", "11", "12", "16", "20", "28", "32"],
    };
    let mut options = vec!["-task".to_owned(), task.to_owned()];
    let dust = format!("{} {} {}", random.u8(2..65), random.u8(8..65), random.u8(1..33));
    // Each option, its values, and of how many searches one has it.
    for (option, values, share) in [
        ("-dust", &["no", &dust][..], 2),
        ("-soft_masking", &["false"], 2),
        ("-lcase_masking", &[], 2),
        ("-culling_limit", &["1", "1", "2", "3", "5"], 2),
        ("-word_size", words, 3),
        ("-ungapped", &[], 5),
        ("-sum_stats", &["true"], 5),
        ("-window_size", &["15", "40", "100"], 6),
        ("-evalue", &["1000", "1000", "1", "1e-5", "1e-20"], 3),
        ("-max_target_seqs", &["1", "2", "5"], 8),
        ("-max_hsps", &["1", "2"], 12),
        ("-perc_identity", &["70", "80", "85", "90", "95"], 6),
        ("-qcov_hsp_perc", &["10", "50", "90"], 12),
        ("-strand", &["plus", "minus"], 4),
        ("-xdrop_ungap", &["5", "12", "30"], 7),
        ("-xdrop_gap", &["10", "18", "50"], 7),
        ("-xdrop_gap_final", &["10", "40", "200"], 7),
    ] {
        if random.usize(..share) == 0 {
            options.push(option.to_owned());
            options.extend(random.choice(values).map(|&value| value.to_owned()));
        }
    }
    if random.usize(..5) == 0 {
        // Linear gap costs have no statistics with -1.
        let has_linear_costs = task == "megablast" && random.bool();
        let least = usize::from(has_linear_costs);
        let penalty = ["-1", "-2", "-3", "-4"][random.usize(least..4)];
        options.extend(["-reward", "1", "-penalty", penalty].map(str::to_owned));
        if !has_linear_costs {
            options.extend(["-gapopen", "5", "-gapextend", "2"].map(str::to_owned));
        }
    }
    options
}

/// Rows of both programs for a database of each name: `theirs` and `ours.gpdb`.
fn rows(options: &[&str], folder: &Path) -> (String, String) {
    let common = [&["-query", "queries.fa", "-outfmt", COLUMNS][..], options].concat();
    let text = |output| String::from_utf8(output).expect("text");
    let expected = run("blastn", &[&["-db", "theirs"], &common[..]].concat(), folder);
    let ours = [&["blastn", "-db", "ours.gpdb"], &common[..]].concat();
    (text(run(env!("CARGO_BIN_EXE_gpualign"), &ours, folder)), text(expected))
}

fn make_databases(subjects: &str, folder: &Path) {
    fs::write(folder.join("subjects.fa"), subjects).expect("writes");
    run("makeblastdb", &["-in", "subjects.fa", "-dbtype", "nucl", "-out", "theirs"], folder);
    let arguments = ["makedb", "subjects.fa", "-o", "ours.gpdb", "-q"];
    run(env!("CARGO_BIN_EXE_gpualign"), &arguments, folder);
}

/// Compares the rows of searches with the databases of some seeds, and returns their number.
fn compare(seeds: std::ops::Range<u64>) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut count = 0;
    for seed in seeds {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let mut ancestors = Vec::new();
        for _ in 0..4 {
            let length = random.usize(30..1500);
            ancestors.push(bases(random, length));
        }
        ancestors.extend((0..3).map(|_| repeat(random)));
        let subjects = [2, 5, 20, 60][random.usize(..4)];
        let subjects = (0..subjects).map(|_| descendant(random, &ancestors, 5));
        make_databases(&fasta(subjects), folder);
        for _ in 0..SEARCHES {
            let most = [1, 1, 2, 4][random.usize(..4)];
            let queries = (0..3).map(|_| descendant(random, &ancestors, most));
            fs::write(folder.join("queries.fa"), fasta(queries)).expect("writes");
            let options = options(random);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let (found, expected) = rows(&options, folder);
            assert_eq!(found, expected, "seed {seed}, {options:?}");
            count += expected.lines().count();
        }
    }
    count
}

/// For thousands of searches, which take minutes: `SEEDS=2000 cargo test -p gpualign --test judges random_searches`.
#[test]
fn random_searches_have_the_rows_of_ncbi() {
    let seeds = std::env::var("SEEDS").map_or(Ok(24), |seeds| seeds.parse());
    let rows = compare(0..seeds.expect("a number of seeds"));
    assert!(rows > 300, "{rows} rows");
}

/// The bases beside a run of N are masked or not by the bases that each N stands for, on the strand that is searched.
#[test]
fn seeds_beside_runs_of_n_are_those_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let subject = "TGGGGAGTACGGCCGCAAGGCTAAAACTCAAAGGAATTGACGGGGGCCCGCACAAGCGGC";
    let mut minus = subject.as_bytes().to_vec();
    reverse_complement(&mut minus);
    make_databases(&fasta([subject.as_bytes().to_vec(), minus]), folder);
    let mut queries = ">q\nCGGGAACTCAAAGGANNNNNNNNNNGACTGCCAGTGATAA\n".to_owned();
    for length in 1..60 {
        let n = "N".repeat(length);
        let (left, right) = (&subject[20..36], &subject[36..52]);
        let _ = writeln!(queries, ">q{length}\nGATTACATTAGC{left}{n}{right}{n}CGATTAGCAT");
    }
    fs::write(folder.join("queries.fa"), queries).expect("writes");
    for strand in ["both", "plus", "minus"] {
        for soft_masking in ["true", "false"] {
            let options = ["-task", "blastn", "-strand", strand, "-soft_masking", soft_masking];
            let options = [&options[..], &["-dust", "10 64 1"]].concat();
            let (found, expected) = rows(&options, folder);
            assert_eq!(found, expected, "{options:?}");
            assert!(!expected.is_empty(), "{options:?}");
        }
    }
}

/// Alignments with equal ends and scores, but other columns, come of parts that were cut at common ends.
#[test]
fn columns_of_ribosomal_genes_are_those_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let genes = run("gzip", &["-dc", &data("16s.fa.gz").to_string_lossy()], folder);
    make_databases(&String::from_utf8_lossy(&genes), folder);
    fs::write(folder.join("queries.fa"), genes).expect("writes");
    for task in ["blastn", "megablast"] {
        let (found, expected) = rows(&["-task", task], folder);
        assert!(expected.lines().count() > 100, "{task}");
        assert_eq!(found, expected, "{task}");
    }
}
