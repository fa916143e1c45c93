//! The section on global alignment of pairs of similar sequences, beside libraries.

use anyhow::Result;

use super::facts::mean_score;
use super::peers::{NEEDLE, NW_BLOCK_ALIGNER, NW_EDLIB, NW_PARASAIL, NW_WFA2, Peer};
use super::plan::Plan;
use crate::inputs::similar::{self, SimilarPairs};
use crate::report::numbers::number;
use crate::run::contest::Section;

/// Pairs for one alignment by needle, which is slower than the libraries.
const FEW: u64 = 64;

/// A task, with the programs that do it.
struct Task {
    name: &'static str,
    /// The options of `gpualign nw pairs`.
    options: &'static str,
    others: &'static [Library],
}

/// A library in the program around it, with the method that it is told.
struct Library {
    name: &'static str,
    peer: Peer,
    method: &'static str,
}

const fn library(name: &'static str, peer: Peer, method: &'static str) -> Library {
    Library { name, peer, method }
}

/// The tasks; costs are those that the libraries have, so that all programs of a task have the same scores.
const TASKS: [Task; 6] = [
    Task {
        name: "affine gaps, scores",
        options: "--score-only",
        others: &[
            library("parasail", NW_PARASAIL, "scores"),
            library("block-aligner", NW_BLOCK_ALIGNER, "scores"),
        ],
    },
    Task {
        name: "affine gaps, CIGARs",
        options: "",
        others: &[
            library("parasail", NW_PARASAIL, "CIGAR"),
            library("block-aligner", NW_BLOCK_ALIGNER, "CIGAR"),
        ],
    },
    Task {
        name: "WFA2-lib's costs, scores",
        options: "--match 0 --mismatch -4 --gap-open 8 --gap-extend 2 --score-only",
        others: &[library("WFA2-lib", NW_WFA2, "affine-scores")],
    },
    Task {
        name: "WFA2-lib's costs, CIGARs",
        options: "--match 0 --mismatch -4 --gap-open 8 --gap-extend 2",
        others: &[library("WFA2-lib", NW_WFA2, "affine-CIGAR")],
    },
    Task {
        name: "edit distance, scores",
        options: "--match 0 --mismatch -1 --gap-open 1 --gap-extend 1 --score-only",
        others: &[
            library("edlib", NW_EDLIB, "scores"),
            library("WFA2-lib", NW_WFA2, "edit-scores"),
        ],
    },
    Task {
        name: "edit distance, CIGARs",
        options: "--match 0 --mismatch -1 --gap-open 1 --gap-extend 1",
        others: &[library("edlib", NW_EDLIB, "CIGAR"), library("WFA2-lib", NW_WFA2, "edit-CIGAR")],
    },
];

/// The task that needle does, too.
const OF_NEEDLE: &str = "affine gaps, CIGARs";

impl Plan<'_> {
    /// Global alignment of pairs, beside parasail, block-aligner, edlib and WFA2-lib, and needle.
    pub fn similar_pairs(&self) -> Result<Section> {
        let (pairs, bases) = (self.data.size.similar_pairs, self.data.size.sequence_bases);
        let (few, t) = (pairs / FEW, self.threads);
        let mut section = Section::new("Global alignment of pairs", "pairs/s");
        section.workload = format!(
            "{} pairs of {} bases, with 5% and 15% of the bases changed",
            number(pairs as f64),
            number(bases as f64)
        );
        section.note = Some(format!(
            "Affine gaps: match 5, mismatch -4, gaps of n bases 10 + (n - 1). WFA2-lib's costs: mismatch 4, gaps of n bases 6 + 2 n. \
             Equal mean scores are equal results; block-aligner, a heuristic, may miss the best one. Libraries are in programs of \
             benches/peers, which read and write as gpualign does. needle has no pairs: it aligns one sequence with {few} \
             others, on one thread"
        ));
        for set in similar::make(&self.data.folder, pairs, bases, few)? {
            let SimilarPairs { changed, files, few: [one_query, few_targets] } = set;
            let files = files.join(" ");
            for Task { name, options, others } in &TASKS {
                let row = format!("{changed}%, {name}");
                for (program, device) in self.devices() {
                    let file = "pairs-ours.tsv";
                    let line =
                        format!("nw pairs {} {options} {files} -o {file}", self.options(device));
                    let one = self.ours(&row, &line, pairs as f64)?.with_label(program);
                    section.contestants.push(one.with_facts(mean_score(file.to_owned(), 2)));
                }
                for Library { name, peer, method } in *others {
                    let line = format!("{method} {t} {files}");
                    section.add(self.peer(peer, &line, pairs as f64), peer.0, |one| {
                        let file = format!("pairs-{}.tsv", peer.0);
                        let one = one.with_name(&row).with_label((*name).to_owned());
                        one.with_stdout(&file).with_facts(mean_score(file, 0))
                    });
                }
                if *name == OF_NEEDLE {
                    let line = format!(
                        "-asequence {one_query} -bsequence {few_targets} -gapopen 10 -gapextend 1 -endweight -endopen 10 \
                         -endextend 1 -outfile pairs-needle.txt"
                    );
                    section.add(self.peer(&NEEDLE, &line, few as f64), NEEDLE.0, |one| {
                        one.with_name(&row).with_label(NEEDLE.0.to_owned())
                    });
                }
            }
        }
        Ok(section)
    }
}
