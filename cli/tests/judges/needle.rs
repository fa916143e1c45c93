//! Pairwise text of `gpualign nw` is that of EMBOSS needle, whose format it has.
//!
//! Of equally good alignments needle may choose another one. Scores must be equal in any case, and all other numbers
//! where the alignments are equal.

use std::fs;
use std::path::Path;

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
    /// Names, residues and marks, without the heading.
    rows: String,
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
            let rows = pair.lines().filter(|line| !line.starts_with('#')).map(str::trim_end);
            PairText {
                score: value("Score"),
                numbers: ["Length", "Identity", "Similarity", "Gaps"].map(value),
                rows: rows.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"),
            }
        })
        .collect()
}

/// Compares all pairs of `queries` and `targets`; at least `same_percent` of the alignments must be equal.
fn compare(queries: &str, targets: &str, needle: &[&str], ours: &[&str], same_percent: usize) {
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
            same += 1;
        }
    }
    assert!(same * 100 >= own.len() * same_percent, "{ours:?}: {same} of {}", own.len());
}

#[test]
fn genes() {
    let genes = String::from_utf8(plain("16s.fa.gz")).expect("text");
    let (end, _) = genes.match_indices("\n>").nth(4).expect("more than five");
    let five = &genes[..=end];
    let gaps = ["-datafile", "EDNAFULL", "-gapopen", "10", "-gapextend", "1"];
    let own = ["--matrix", "NUC.4.4", "--gap-open", "10", "--gap-extend", "1"];
    // Needle's ends are free if nothing else is said.
    compare(five, &genes, &gaps, &[&own[..], &["--free-ends", "all"]].concat(), 20);
    let ends = ["-endweight", "Y", "-endopen", "10", "-endextend", "1"];
    compare(five, &genes, &[gaps, ends].concat(), &own, 20);
}

#[test]
fn proteins() {
    for open in ["10", "12"] {
        let gaps = ["-datafile", "EBLOSUM62", "-gapopen", open, "-gapextend", "1"];
        let own = ["--matrix", "BLOSUM62", "--gap-open", open, "--gap-extend", "1"];
        compare(PROTEINS, PROTEINS, &gaps, &[&own[..], &["--free-ends", "all"]].concat(), 75);
        let ends = ["-endweight", "Y", "-endopen", open, "-endextend", "1"];
        compare(PROTEINS, PROTEINS, &[gaps, ends].concat(), &own, 75);
    }
}
