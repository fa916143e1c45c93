//! The accuracy of a mapper by mapping quality.
//!
//! As in `wgsim_eval.pl alneval -a` and in `paftools.js mapeval` of minimap2: for each quality that occurs, from the highest
//! on, the number of reads that were mapped with at least this quality, and how many of them to a wrong locus. A locus is
//! wrong by the definition of `wgsim_eval.pl`, see [`ReadOrigin::is_at`](super::read_name::ReadOrigin::is_at).

use std::fmt::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;

use super::alignments::{AlignedRead, AlignmentFile};
use super::read_name::NameForm;

/// The number of mapping qualities, which have eight bits.
const QUALITIES: usize = 256;

/// The accuracy of a file of alignments.
#[derive(Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// All reads of the file.
    pub reads: u64,
    /// Reads that are not mapped.
    pub unmapped: u64,
    /// Reads that are mapped to the right locus, with any quality.
    pub correct: u64,
    /// A row for each quality that occurs, from the highest on.
    pub by_mapq: Vec<QualityRow>,
}

/// Counts of reads with one quality, and with this or a higher one.
#[derive(Debug, PartialEq, Serialize)]
pub struct QualityRow {
    /// The mapping quality of this row.
    pub mapq: u8,
    /// Reads with this quality.
    pub here: u64,
    /// Reads with this quality at a wrong locus.
    pub wrong_here: u64,
    /// Reads with this or a higher quality.
    pub mapped: u64,
    /// Reads with this or a higher quality at a wrong locus.
    pub wrong: u64,
    /// The share of wrong ones among reads with this or a higher quality.
    pub error_rate: f64,
}

impl Accuracy {
    /// The accuracy of a file of simulated reads. A locus is right up to `tolerance` bases.
    ///
    /// # Errors
    /// If the file cannot be read, or a name does not have this form.
    pub fn of(file: &mut AlignmentFile, names: NameForm, tolerance: u32) -> Result<Self> {
        let contigs = file.contigs().to_vec();
        let (mut mapped, mut wrong) = ([0_u64; QUALITIES], [0_u64; QUALITIES]);
        let (mut reads, mut unmapped) = (0, 0);
        while let Some(AlignedRead { name, mapq, span, .. }) = file.next()? {
            reads += 1;
            let Some(span) = span else {
                unmapped += 1;
                continue;
            };
            let Some(origin) = names.parse(name) else {
                let name = name.to_owned();
                bail!(
                    "{}the name '{name}' has no origin of the read in the form of --truth",
                    file.location()
                );
            };
            mapped[usize::from(mapq)] += 1;
            let is_right = origin.is_at(&span, &contigs, i64::from(tolerance));
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
            by_mapq.push(QualityRow {
                mapq,
                here,
                wrong_here,
                mapped: all,
                wrong: all_wrong,
                error_rate,
            });
        }
        Self { reads, unmapped, correct: all - all_wrong, by_mapq }
    }

    /// The rows as a table, after a line with the sums.
    pub fn tsv(&self) -> String {
        let Self { reads, unmapped, correct, by_mapq } = self;
        let mut text = format!("#reads\t{reads}\tunmapped\t{unmapped}\tcorrect\t{correct}\n");
        text += "mapq\there\twrong_here\tmapped\twrong\terror_rate\n";
        for QualityRow { mapq, here, wrong_here, mapped, wrong, error_rate } in by_mapq {
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
