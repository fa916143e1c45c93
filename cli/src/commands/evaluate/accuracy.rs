//! Accuracy by mapping quality.
//!
//! As `wgsim_eval.pl alneval -a` and `paftools.js mapeval` of minimap2 report it: for each quality that
//! occurs, from the highest on, how many reads were mapped with at least this quality, and how many of
//! them to a wrong place. What is wrong is defined as by `wgsim_eval.pl`, see
//! [`Source::is_at`](super::truth::Source::is_at).

use std::fmt::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;

use super::alignments::{Alignments, Read};
use super::truth::Truth;

/// Qualities have eight bits.
const QUALITIES: usize = 256;

/// The accuracy of a file.
#[derive(Debug, PartialEq, Serialize)]
pub struct Accuracy {
    pub reads: u64,
    pub unmapped: u64,
    /// Mapped to the right place, whatever the quality.
    pub correct: u64,
    /// From the highest quality on.
    pub by_mapq: Vec<Row>,
}

/// Reads of one quality, and of this or a higher one.
#[derive(Debug, PartialEq, Serialize)]
pub struct Row {
    pub mapq: u8,
    /// With this quality.
    pub here: u64,
    pub wrong_here: u64,
    /// With this or a higher one.
    pub mapped: u64,
    pub wrong: u64,
    /// The wrong ones' share of these.
    pub error_rate: f64,
}

impl Accuracy {
    /// Of a file whose reads tell the truth. A place is right up to `tolerance` bases.
    pub fn of(file: &mut Alignments, truth: Truth, tolerance: u32) -> Result<Self> {
        let contigs = file.contigs().to_vec();
        let (mut mapped, mut wrong) = ([0_u64; QUALITIES], [0_u64; QUALITIES]);
        let (mut reads, mut unmapped) = (0, 0);
        while let Some(Read { name, mapq, place, .. }) = file.next()? {
            reads += 1;
            let Some(place) = place else {
                unmapped += 1;
                continue;
            };
            let Some(source) = truth.parse(name) else {
                let name = name.to_owned();
                bail!("{}: the name '{name}' does not tell where the read is from", file.place());
            };
            mapped[usize::from(mapq)] += 1;
            let is_right = source.is_at(&place, &contigs, i64::from(tolerance));
            wrong[usize::from(mapq)] += u64::from(!is_right);
        }
        Ok(Self::new(reads, unmapped, &mapped, &wrong))
    }

    fn new(reads: u64, unmapped: u64, mapped: &[u64; 256], wrong: &[u64; 256]) -> Self {
        let mut by_mapq = Vec::new();
        let (mut all, mut all_wrong) = (0, 0);
        for mapq in (0..=u8::MAX).rev().filter(|&mapq| mapped[usize::from(mapq)] > 0) {
            let (here, wrong_here) = (mapped[usize::from(mapq)], wrong[usize::from(mapq)]);
            all += here;
            all_wrong += wrong_here;
            let error_rate = all_wrong as f64 / all as f64;
            by_mapq.push(Row { mapq, here, wrong_here, mapped: all, wrong: all_wrong, error_rate });
        }
        Self { reads, unmapped, correct: all - all_wrong, by_mapq }
    }

    /// A table, after a line with the sums.
    pub fn tsv(&self) -> String {
        let Self { reads, unmapped, correct, by_mapq } = self;
        let mut text = format!("#reads\t{reads}\tunmapped\t{unmapped}\tcorrect\t{correct}\n");
        text += "mapq\there\twrong_here\tmapped\twrong\terror_rate\n";
        for Row { mapq, here, wrong_here, mapped, wrong, error_rate } in by_mapq {
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "{mapq}\t{here}\t{wrong_here}\t{mapped}\t{wrong}\t{error_rate:.3e}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_add_up_from_the_highest_quality() {
        let (mut mapped, mut wrong) = ([0; QUALITIES], [0; QUALITIES]);
        for (mapq, count, bad) in [(60, 90, 0), (3, 9, 2), (0, 1, 1)] {
            (mapped[mapq], wrong[mapq]) = (count, bad);
        }
        let accuracy = Accuracy::new(105, 5, &mapped, &wrong);
        assert_eq!(accuracy.correct, 97);
        assert_eq!(
            accuracy.tsv(),
            "#reads\t105\tunmapped\t5\tcorrect\t97\n\
             mapq\there\twrong_here\tmapped\twrong\terror_rate\n\
             60\t90\t0\t90\t0\t0.000e0\n\
             3\t9\t2\t99\t2\t2.020e-2\n\
             0\t1\t1\t100\t3\t3.000e-2\n"
        );
    }
}
