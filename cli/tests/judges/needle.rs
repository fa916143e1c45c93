//! Pairwise text of `gpualign nw` is that of EMBOSS needle, whose format it has.
//!
//! Of equally good alignments needle may choose another one. Scores must be equal in any case, and all other numbers
//! where the alignments are equal.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::tools::{plain, run};

/// Human globins, and a cytochrome (`UniProt` P69905, P68871, P02144, P99999).
const PROTEINS: &str = "\
>HBA
MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAH
KLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR
>HBB
MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLS
ELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH
>MYG
MGLSDGEWQLVLNVWGKVEADIPGHGQEVLIRLFKGHPETLEKFDKFKHLKSEDEMKASEDLKKHGATVLTALGGILKKKGHHEAEIKPL
AQSHATKHKIPVKYLEFISECIIQVLQSKHPGDFGSDAQGAMNKALELFRKDMASNYKELGFQG
>CYC
MGDVEKGKKIFIMKCSQCHTVEKGGKHKTGPNLHGLFGRKTGQAPGYSYTAANKNKGIIWGEDTLMEYLENPKKYIPGTKMIFVGIKKKE
ERADLIAYLKKATNE
";

/// Text of a pair, in parts.
#[derive(Debug, PartialEq)]
struct PairText {
    score: String,
    /// Length, identity, similarity and gaps.
    numbers: [String; 4],
    /// Names and residues, without the heading.
    rows: String,
    /// Marks between the residues.
    marks: String,
}

/// How texts are compared.
#[derive(Clone, Copy)]
struct Comparison {
    /// Share of alignments that must be equal, in percent.
    same_percent: usize,
    /// Whether marks are compared, too: needle has no rule for ambiguous residues that could be followed.
    with_marks: bool,
}

/// The pairs of a text in EMBOSS's format `pair`.
fn parse_pairs(text: &str) -> Vec<PairText> {
    let pairs = text.split("# Aligned_sequences: 2").skip(1);
    pairs
        .map(|pair| {
            let value = |key: &str| {
                let line = pair.lines().find_map(|line| line.strip_prefix(&format!("# {key}:")));
                line.unwrap_or_else(|| panic!("no {key} in:\n{pair}")).trim().to_owned()
            };
            let lines = pair.lines().filter(|line| !line.starts_with('#')).map(str::trim_end);
            let (marks, rows): (Vec<_>, Vec<_>) =
                lines.filter(|line| !line.is_empty()).partition(|line| line.starts_with(' '));
            PairText {
                score: value("Score"),
                numbers: ["Length", "Identity", "Similarity", "Gaps"].map(value),
                rows: rows.join("\n"),
                marks: marks.join("\n"),
            }
        })
        .collect()
}

/// Compares all pairs of `queries` and `targets`.
fn compare(queries: &str, targets: &str, needle: &[&str], ours: &[&str], rules: Comparison) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder: &Path = folder.path();
    fs::write(folder.join("targets.fa"), targets).expect("writes");
    let mut theirs = Vec::new();
    for query in queries.split_inclusive("\n>").map(|query| query.trim_end_matches('>')) {
        let header = if query.starts_with('>') { "" } else { ">" };
        fs::write(folder.join("query.fa"), format!("{header}{query}")).expect("writes");
        let files = ["query.fa", "targets.fa", "-aformat", "pair", "-outfile", "needle.txt"];
        run("needle", &[&files, needle].concat(), folder);
        let text = fs::read_to_string(folder.join("needle.txt")).expect("its alignments");
        theirs.extend(parse_pairs(&text));
    }
    fs::write(folder.join("queries.fa"), queries).expect("writes");
    let job =
        ["nw", "one-vs-all", "queries.fa", "targets.fa", "--device", "cpu", "-q", "-O", "pair"];
    let text = run(env!("CARGO_BIN_EXE_gpualign"), &[&job, ours].concat(), folder);
    let own = parse_pairs(std::str::from_utf8(&text).expect("text"));
    let records = |text: &str| text.matches('>').count();
    assert_eq!(own.len(), records(queries) * records(targets));
    assert_eq!(own.len(), theirs.len());
    let mut same = 0;
    for (own, theirs) in own.iter().zip(&theirs) {
        assert_eq!(own.score, theirs.score, "{ours:?}:\n{}\n\n{}", own.rows, theirs.rows);
        if own.rows == theirs.rows {
            assert_eq!(own.numbers, theirs.numbers, "{ours:?}:\n{}", own.rows);
            assert!(!rules.with_marks || own.marks == theirs.marks, "{ours:?}:\n{}", own.rows);
            same += 1;
        }
    }
    assert!(same * 100 >= own.len() * rules.same_percent, "{ours:?}: {same} of {}", own.len());
}

#[test]
fn genes() {
    let genes = String::from_utf8(plain("16s.fa.gz")).expect("text");
    let (end, _) = genes.match_indices("\n>").nth(2).expect("more than three");
    let three = &genes[..=end];
    let rules = Comparison { same_percent: 20, with_marks: true };
    compare(three, &genes, &["-auto"], &["--preset", "needle"], rules);
    let gaps = ["-datafile", "EDNAFULL", "-gapopen", "10", "-gapextend", "1"];
    let own = ["--matrix", "NUC.4.4", "--gap-open", "10", "--gap-extend", "1"];
    let ends = ["-endweight", "Y", "-endopen", "10", "-endextend", "1"];
    compare(three, &genes, &[gaps, ends].concat(), &own, rules);
}

#[test]
fn proteins() {
    let rules = Comparison { same_percent: 75, with_marks: true };
    compare(PROTEINS, PROTEINS, &["-auto"], &["--preset", "needle"], rules);
    for (open, extend) in [("10", "1"), ("12", "0.25")] {
        let gaps = ["-datafile", "EBLOSUM62", "-gapopen", open, "-gapextend", extend];
        let own = ["--matrix", "BLOSUM62", "--gap-open", open, "--gap-extend", extend];
        compare(PROTEINS, PROTEINS, &gaps, &[&own[..], &["--free-ends", "all"]].concat(), rules);
        let ends = ["-endweight", "Y", "-endopen", open, "-endextend", extend];
        compare(PROTEINS, PROTEINS, &[gaps, ends].concat(), &own, rules);
    }
}

/// FASTA of sequences that are copies of one ancestor with differences, of letters in either case; a few have a part only.
fn family(random: &mut Rng, letters: &[u8], begin: &str, count: usize) -> String {
    let letter = |random: &mut Rng| letters[random.usize(..letters.len())];
    let ancestor: Vec<u8> = (0..150).map(|_| letter(random)).collect();
    let mut text = String::new();
    for number in 0..count {
        let mut copy = Vec::new();
        for &residue in &ancestor {
            match random.usize(..20) {
                0 => {}
                1 => copy.extend([residue, letter(random), letter(random)]),
                2 | 3 => copy.push(letter(random)),
                4 => copy.push(residue.to_ascii_lowercase()),
                _ => copy.push(residue),
            }
        }
        if number % 3 == 0 {
            copy.drain(..random.usize(..100));
            copy.truncate(50);
        }
        let _ = writeln!(text, ">s{number}\n{begin}{}", String::from_utf8_lossy(&copy));
    }
    text
}

/// FASTA of unrelated sequences of 2 to 120 letters.
fn unrelated(random: &mut Rng, letters: &[u8], count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let letters = (0..random.usize(2..=120)).map(|_| letters[random.usize(..letters.len())]);
        let _ =
            writeln!(text, ">u{number}\n{}", String::from_utf8_lossy(&letters.collect::<Vec<_>>()));
    }
    text
}

/// The last residues of unrelated sequences often differ so much that a gap before a free end would be better than to pair them,
/// which needle does not allow.
#[test]
fn unrelated_sequences() {
    let rules = Comparison { same_percent: 0, with_marks: false };
    for (seed, letters) in [(8, &b"ACGT"[..]), (9, &b"ARNDCQEGHILKMFPSTWYV"[..])] {
        let mut random = Rng::with_seed(seed);
        let queries = unrelated(&mut random, letters, 25);
        let targets = unrelated(&mut random, letters, 40);
        let kind = if letters.len() == 4 { "-snucleotide" } else { "-sprotein" };
        let needle = ["-auto", kind];
        compare(&queries, &targets, &needle, &["--preset", "needle"], rules);
        // By another cost, most alignments end with a gap that costs something, unless this is forbidden.
        let needle = ["-auto", kind, "-gapopen", "3", "-gapextend", "0.5"];
        let own = ["--preset", "needle", "--gap-open", "3"];
        compare(&queries, &targets, &needle, &own, rules);
    }
}

#[test]
fn every_letter_is_treated_as_by_needle() {
    let rules = Comparison { same_percent: 5, with_marks: false };
    let proteins = b"ARNDCQEGHILKMFPSTWYVARNDCQEGHILKMFPSTWYVBZXJOU*-";
    for (seed, letters, begin) in [
        (1, &proteins[..], "MKWVLE"),
        (2, &proteins[..], "MKWVLE"),
        (3, b"ACGTACGTACGTACGTACGTUNRYSWKMBDHV-", "ACGTGCTA"),
        (4, b"ACGU", "ACGUGCUA"),
    ] {
        let mut random = Rng::with_seed(seed);
        let family = family(&mut random, letters, begin, 12);
        compare(&family, &family, &["-auto"], &["--preset", "needle"], rules);
    }
    let family = family(&mut Rng::with_seed(5), proteins, "MKWVLE", 8);
    let needle = ["-datafile", "EPAM120", "-gapopen", "12", "-gapextend", "0.25"];
    let ends = ["-endweight", "Y", "-endopen", "12", "-endextend", "0.25"];
    let own = ["--matrix", "EPAM120", "--gap-open", "12", "--gap-extend", "0.25"];
    compare(&family, &family, &[needle, ends].concat(), &own, rules);
}

#[test]
fn matrices_are_those_of_emboss() {
    // Sequences of one residue, whose scores are the values of the matrix if ends cost something.
    let records =
        |letters: &str| letters.chars().map(|c| format!(">{c}\n{c}\n")).collect::<String>();
    let proteins = records("WCARNDEB");
    let nucleotides = records("AGUTNRV");
    let rules = Comparison { same_percent: 0, with_marks: false };
    for name in ["EBLOSUM35", "EBLOSUM90", "EBLOSUMN", "EPAM10", "EPAM500", "EDNAMAT", "EDNAFULL"] {
        let records = if name.starts_with("EDNA") { &nucleotides } else { &proteins };
        let needle = ["-datafile", name, "-gapopen", "50", "-gapextend", "1"];
        let protein = if name.starts_with("EDNA") { "-snucleotide" } else { "-sprotein" };
        let ends = ["-endweight", "Y", "-endopen", "50", "-endextend", "1", protein];
        let own = ["--matrix", name, "--gap-open", "50", "--gap-extend", "1"];
        compare(records, records, &[&needle[..], &ends].concat(), &own, rules);
    }
}

#[test]
fn stretcher() {
    for (seed, letters, begin) in [(6, &b"ACGT"[..], "ACGT"), (7, b"ARNDCQEGHILKMFPSTWYV", "MKWV")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let family = family(&mut Rng::with_seed(seed), letters, begin, 5);
        fs::write(folder.join("family.fa"), &family).expect("writes");
        let mut expected = Vec::new();
        for query in 0..5 {
            for target in query + 1..5 {
                let [first, second] = [query, target].map(|number| format!("family.fa:s{number}"));
                let files = [&first, &second, "-outfile", "out.txt", "-aformat", "pair"];
                run("stretcher", &files, folder);
                let text = fs::read_to_string(folder.join("out.txt")).expect("its alignment");
                expected.extend(parse_pairs(&text).into_iter().map(|pair| pair.score + ".0"));
            }
        }
        let job = ["nw", "all-vs-all", "family.fa", "--device", "cpu", "-q", "-O", "pair"];
        let own = [&job[..], &["--preset", "stretcher"]].concat();
        let text = run(env!("CARGO_BIN_EXE_gpualign"), &own, folder);
        let own = parse_pairs(std::str::from_utf8(&text).expect("text"));
        assert_eq!(own.len(), 10);
        assert_eq!(own.into_iter().map(|pair| pair.score).collect::<Vec<_>>(), expected);
    }
}
