//! Substitution matrices that are built in: NCBI's files, and tables of the crate [`bio`](https://docs.rs/bio).

use bio::scores;

use super::{ScoringError, SubstitutionMatrix};

/// Letters of the protein matrices, in NCBI's order.
const PROTEIN_LETTERS: &[u8] = b"ARNDCQEGHILKMFPSTWYVBZX*";

impl SubstitutionMatrix {
    /// Names of the built-in matrices.
    pub const NAMES: [&str; 8] =
        ["BLOSUM30", "BLOSUM45", "BLOSUM62", "PAM40", "PAM120", "PAM200", "PAM250", "NUC.4.4"];

    /// The built-in matrix of a name, in upper or lower case; none if there is no such matrix. `EDNAFULL` is EMBOSS's
    /// name of `NUC.4.4`.
    ///
    /// `BLOSUM62` and `NUC.4.4` are NCBI's files. The other matrices come from the tables of the crate
    /// [`bio`](https://docs.rs/bio), which have NCBI's values. All protein matrices have the same letters: the 20 amino
    /// acids, the ambiguous `B` (D or N), `Z` (E or Q) and `X` (any), and `*` (stop). J, O and U are not among them, as in
    /// NCBI's file, so sequences with these letters are refused, although the tables have values for them.
    ///
    /// # Errors
    /// Never for the names in [`Self::NAMES`].
    pub fn built_in(name: &str) -> Option<Result<Self, ScoringError>> {
        let protein = |score: fn(u8, u8) -> i32| Some(Self::from_scores(PROTEIN_LETTERS, score));
        match name.to_ascii_uppercase().as_str() {
            "BLOSUM30" => protein(scores::blosum30),
            "BLOSUM45" => protein(scores::blosum45),
            "BLOSUM62" => Some(Self::parse(include_str!("../../matrices/BLOSUM62"))),
            "PAM40" => protein(scores::pam40),
            "PAM120" => protein(scores::pam120),
            "PAM200" => protein(scores::pam200),
            "PAM250" => protein(scores::pam250),
            "NUC.4.4" | "EDNAFULL" => Some(Self::parse(include_str!("../../matrices/NUC.4.4"))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(name: &str) -> SubstitutionMatrix {
        SubstitutionMatrix::built_in(name).expect("a name").expect("a matrix")
    }

    fn score(matrix: &SubstitutionMatrix, letters: [u8; 2]) -> i16 {
        let codes = matrix.alphabet().encode(&letters).expect("letters");
        matrix.score(codes[0], codes[1])
    }

    #[test]
    fn the_built_in_matrices_are_symmetric() {
        for name in SubstitutionMatrix::NAMES {
            let matrix = matrix(name);
            let letters = matrix.alphabet().len() as u8;
            for a in 0..letters {
                for b in 0..letters {
                    assert_eq!(matrix.score(a, b), matrix.score(b, a), "{name} {a} {b}");
                }
            }
        }
        let matrix = matrix("blosum62");
        let codes = matrix.alphabet().encode(b"WC*a").expect("letters");
        assert_eq!(matrix.score(codes[0], codes[0]), 11);
        assert_eq!(matrix.score(codes[1], codes[0]), -2);
        assert_eq!(matrix.score(codes[2], codes[3]), -4);
        assert!(SubstitutionMatrix::built_in("PAM1").is_none());
    }

    #[test]
    fn tables_of_bio_have_the_values_of_ncbi() {
        // Every value of one matrix that is both NCBI's file and a table.
        let ncbi = matrix("BLOSUM62");
        let table = SubstitutionMatrix::from_scores(PROTEIN_LETTERS, scores::blosum62);
        assert_eq!(table.as_ref(), Ok(&ncbi));
        // Values of the others, from NCBI's files of the same names.
        for (name, letters, expected) in [
            ("BLOSUM30", b"WW", 20),
            ("BLOSUM30", b"A*", -7),
            ("BLOSUM45", b"WW", 15),
            ("BLOSUM45", b"CR", -3),
            ("PAM40", b"WW", 13),
            ("PAM40", b"A*", -15),
            ("PAM120", b"WW", 12),
            ("PAM120", b"XX", -2),
            ("PAM200", b"YY", 11),
            ("PAM200", b"a*", -9),
            ("PAM250", b"WW", 17),
            ("PAM250", b"BZ", 2),
            ("PAM250", b"**", 1),
        ] {
            assert_eq!(score(&matrix(name), *letters), expected, "{name} {letters:?}");
        }
    }
}
