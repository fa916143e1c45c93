//! Evolutionary distances of aligned pairs.

use crate::alignment::cigar::{CigarOp, CigarRef};
use crate::scoring::{Alphabet, CODES};

/// Amino acids that are not ambiguous.
const AMINO_ACIDS: &[u8] = b"ARNDCQEGHILKMFPSTWYV";

/// Stands for residues that are ambiguous.
const AMBIGUOUS: u8 = u8::MAX;

/// How a distance is computed from the columns of an alignment.
///
/// But for the first one, columns with an ambiguous residue are left out, and `p` is the share of columns with two different
/// residues among the columns with two residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceModel {
    /// `1 - identity`: the share of columns, gaps and free ends included, that are not identical.
    Identity,
    /// The p-distance, `p`.
    P,
    /// Jukes and Cantor: `-b ln(1 - p / b)`, where `b` is 3/4 for nucleotides, and 19/20 for proteins.
    JukesCantor,
    /// Kimura, of nucleotides with two parameters (J. Mol. Evol. 16, 1980): `-ln((1 - 2P - Q) sqrt(1 - 2Q)) / 2`, where `P`
    /// is the share of transitions and `Q` that of transversions; of proteins (*The Neutral Theory of Molecular Evolution*,
    /// 1983): `-ln(1 - p - p^2 / 5)`.
    Kimura,
}

/// Computes distances of one model for one alphabet.
#[derive(Debug, Clone)]
pub struct DistanceMeasure {
    model: DistanceModel,
    /// Whether a column with a gap counts as one with two different residues.
    are_gaps_counted: bool,
    is_nucleotides: bool,
    /// Residue of each code, or [`AMBIGUOUS`]; of nucleotides, A, C, G and T are 0 to 3.
    residues: [u8; CODES],
}

/// Numbers of columns, of those that are compared.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    identical: u32,
    transitions: u32,
    /// Columns with two different residues, other than transitions.
    others: u32,
    gaps: u32,
}

impl DistanceMeasure {
    /// Distances of a model. With `are_gaps_counted`, `p` is the share of columns with a gap or two different residues among
    /// all columns.
    ///
    /// Returns none if gaps are to be counted where the model has no place for them: Kimura's of nucleotides.
    pub fn new(alphabet: &Alphabet, model: DistanceModel, are_gaps_counted: bool) -> Option<Self> {
        let is_nucleotides = alphabet.is_nucleotides();
        if are_gaps_counted && is_nucleotides && model == DistanceModel::Kimura {
            return None;
        }
        let letters: &[u8] = if is_nucleotides { b"ACGT" } else { AMINO_ACIDS };
        let mut residues = [AMBIGUOUS; CODES];
        let uracil = is_nucleotides.then_some((3, &b'U'));
        for (residue, &letter) in (0..).zip(letters).chain(uracil) {
            if let Some(code) = alphabet.code(letter) {
                residues[usize::from(code)] = residue;
            }
        }
        Some(Self { model, are_gaps_counted, is_nucleotides, residues })
    }

    /// Distance of an aligned query and target, given as codes; infinite if the model has no finite one for them, or if they
    /// have no columns to compare.
    pub fn distance(&self, cigar: CigarRef<'_>, query: &[u8], target: &[u8]) -> f64 {
        if self.model == DistanceModel::Identity {
            let (length, identical) = cigar.length_and_identical();
            let identity = f64::from(identical) / f64::from(length);
            return if length == 0 { 0.0 } else { 1.0 - identity };
        }
        let columns = self.columns(cigar, query, target);
        let gaps = if self.are_gaps_counted { columns.gaps } else { 0 };
        let different = columns.transitions + columns.others + gaps;
        let all = f64::from(columns.identical + different);
        if all == 0.0 {
            return if query.is_empty() && target.is_empty() { 0.0 } else { f64::INFINITY };
        }
        let p = f64::from(different) / all;
        // No logarithm of 0 or less.
        let minus_ln = |value: f64| if value > 0.0 { -value.ln() } else { f64::INFINITY };
        let distance = match self.model {
            DistanceModel::Identity | DistanceModel::P => p,
            DistanceModel::JukesCantor => {
                let b = if self.is_nucleotides { 0.75 } else { 0.95 };
                b * minus_ln(1.0 - p / b)
            }
            DistanceModel::Kimura if self.is_nucleotides => {
                let transitions = f64::from(columns.transitions) / all;
                let transversions = f64::from(columns.others) / all;
                minus_ln(1.0 - 2.0 * transitions - transversions) / 2.0
                    + minus_ln(1.0 - 2.0 * transversions) / 4.0
            }
            DistanceModel::Kimura => minus_ln(1.0 - p - p * p / 5.0),
        };
        // Not -0.
        distance + 0.0
    }

    /// Counts the columns of an alignment.
    fn columns(&self, cigar: CigarRef<'_>, query: &[u8], target: &[u8]) -> Columns {
        let mut columns = Columns::default();
        let (mut query, mut target) = (query.iter(), target.iter());
        for run in cigar.iter() {
            let length = run.length() as usize;
            match run.op() {
                CigarOp::Insertion => {
                    columns.gaps += query.by_ref().take(length).count() as u32;
                }
                CigarOp::Deletion => {
                    columns.gaps += target.by_ref().take(length).count() as u32;
                }
                CigarOp::Equal | CigarOp::Different => {
                    let pairs = query.by_ref().zip(target.by_ref()).take(length);
                    pairs.for_each(|(&query, &target)| self.count(query, target, &mut columns));
                }
            }
        }
        columns
    }

    /// Counts a column with two residues.
    fn count(&self, query: u8, target: u8, columns: &mut Columns) {
        let [query, target] = [query, target].map(|code| self.residues[usize::from(code) % CODES]);
        if query == AMBIGUOUS || target == AMBIGUOUS {
            return;
        }
        if query == target {
            columns.identical += 1;
        } else if self.is_nucleotides && query ^ target == 2 {
            // A and G, or C and T.
            columns.transitions += 1;
        } else {
            columns.others += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::Cigar;
    use crate::scoring::SubstitutionMatrix;

    /// Distance of two rows of an alignment, with `-` for gaps, to seven digits.
    fn distance(alphabet: &Alphabet, model: DistanceModel, gaps: bool, rows: [&str; 2]) -> String {
        let mut cigar = Cigar::default();
        for (q, t) in rows[0].bytes().zip(rows[1].bytes()) {
            cigar.push(
                match (q, t) {
                    (b'-', _) => CigarOp::Deletion,
                    (_, b'-') => CigarOp::Insertion,
                    _ if q == t => CigarOp::Equal,
                    _ => CigarOp::Different,
                },
                1,
            );
        }
        let codes =
            rows.map(|row| alphabet.encode(row.replace('-', "").as_bytes()).expect("codes"));
        let measure = DistanceMeasure::new(alphabet, model, gaps).expect("a measure");
        format!("{:.7}", measure.distance(cigar.view(), &codes[0], &codes[1]))
    }

    #[test]
    fn distances_of_nucleotides() {
        // 8 columns to compare, with a transition and a transversion; a gap of 2, and an ambiguous residue.
        let rows = ["AAGGCCTTNAC", "AGGGCATTA--"];
        let alphabet = Alphabet::nucleotides();
        for (model, gaps, expected) in [
            (DistanceModel::Identity, false, "0.4545455"),
            (DistanceModel::P, false, "0.2500000"),
            (DistanceModel::P, true, "0.4000000"),
            // -3/4 ln(2/3), and -3/4 ln(1 - 4/3 * 0.4).
            (DistanceModel::JukesCantor, false, "0.3040988"),
            (DistanceModel::JukesCantor, true, "0.5716050"),
            // -1/2 ln(5/8) - 1/4 ln(6/8).
            (DistanceModel::Kimura, false, "0.3069223"),
        ] {
            assert_eq!(distance(&alphabet, model, gaps, rows), expected, "{model:?} {gaps}");
        }
        assert!(DistanceMeasure::new(&alphabet, DistanceModel::Kimura, true).is_none());
        for model in [DistanceModel::P, DistanceModel::JukesCantor, DistanceModel::Kimura] {
            assert_eq!(distance(&alphabet, model, false, ["ACGU", "ACGT"]), "0.0000000");
            assert_eq!(distance(&alphabet, model, false, ["", ""]), "0.0000000");
            assert_eq!(distance(&alphabet, model, false, ["A-", "-C"]), "inf");
        }
        assert_eq!(distance(&alphabet, DistanceModel::JukesCantor, false, ["AC", "CA"]), "inf");
        assert_eq!(distance(&alphabet, DistanceModel::Kimura, false, ["AC", "CA"]), "inf");
    }

    #[test]
    fn distances_of_proteins() {
        let matrix = SubstitutionMatrix::built_in("BLOSUM62").expect("a name").expect("a matrix");
        let rows = ["MKWVXTFI-LL", "MKAVATFISLI"];
        for (model, gaps, expected) in [
            // 2 of 9 differ, or 3 of 10.
            (DistanceModel::P, false, "0.2222222"),
            (DistanceModel::P, true, "0.3000000"),
            (DistanceModel::JukesCantor, false, "0.2531429"),
            (DistanceModel::Kimura, false, "0.2640942"),
            (DistanceModel::Kimura, true, "0.3827256"),
        ] {
            let found = distance(matrix.alphabet(), model, gaps, rows);
            assert_eq!(found, expected, "{model:?} {gaps}");
        }
    }
}
