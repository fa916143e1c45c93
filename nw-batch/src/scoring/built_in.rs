//! Substitution matrices that are built in.

use super::{ScoringError, SubstitutionMatrix};

/// Letters of the protein matrices, in NCBI's order.
const PROTEIN_LETTERS: &[u8] = b"ARNDCQEGHILKMFPSTWYVBZX*";

/// Protein matrices: lines of a name and the lower triangle of a matrix, row after row, with the diagonal.
const PROTEINS: &str = include_str!("../../matrices/proteins");

/// NCBI's matrix of nucleotides and their ambiguous letters.
const NUCLEOTIDES: &str = include_str!("../../matrices/NUC.4.4");

/// Letters of EMBOSS's `EDNAMAT` and `EDNASIMPLE`.
const NUCLEOTIDE_LETTERS: &[u8] = b"ABCDGHKMNRSTUVWXY";

impl SubstitutionMatrix {
    /// The built-in matrix of a name, in upper or lower case; none if there is no such matrix.
    ///
    /// | names | letters |
    /// |---|---|
    /// | `BLOSUM30`, `35` ... `65`, `62`, `70`, `75`, `80`, `85`, `90`, `BLOSUMN` | the 20 amino acids, the ambiguous B (D or N), Z (E or Q) and X (any), and `*` (stop) |
    /// | `PAM10`, `20`, `30` ... `500` | likewise |
    /// | `NUC.4.4` | the IUPAC letters of nucleotides; U is T, X is N |
    /// | `EDNAFULL` | as `NUC.4.4`, but U is a letter of its own: with T it scores as T does, but is not identical |
    /// | `EDNAMAT`, `EDNASIMPLE` | likewise: 5 and -4, or 1 and -1, for equal and different letters |
    ///
    /// EMBOSS's names, with an E in front, are names of the same matrices. All have the values of NCBI's files.
    ///
    /// # Errors
    /// Never for these names.
    pub fn built_in(name: &str) -> Option<Result<Self, ScoringError>> {
        let name = name.to_ascii_uppercase();
        let equal_or_not = |equal: i32, different: i32| {
            let is_thymine = |letter: u8| letter == b'T' || letter == b'U';
            let is_equal = move |a: u8, b: u8| a == b || (is_thymine(a) && is_thymine(b));
            let score = move |a, b| if is_equal(a, b) { equal } else { different };
            Self::from_scores(NUCLEOTIDE_LETTERS, score)
        };
        match name.strip_prefix('E').unwrap_or(&name) {
            "NUC.4.4" => Some(Self::parse(NUCLEOTIDES)),
            "DNAFULL" => Some(Self::parse(NUCLEOTIDES).and_then(Self::with_uracil)),
            "DNAMAT" => Some(equal_or_not(5, -4)),
            "DNASIMPLE" => Some(equal_or_not(1, -1)),
            name => protein_matrix(name),
        }
    }

    /// The matrix with a letter U that scores as T does.
    fn with_uracil(self) -> Result<Self, ScoringError> {
        let mut letters: Vec<u8> =
            (0..self.alphabet().len() as u8).map(|code| self.alphabet().letter(code)).collect();
        letters.push(b'U');
        let code = |letter: u8| self.alphabet().code(letter).unwrap_or_default();
        Self::from_scores(&letters, |a, b| self.score(code(a), code(b)).into())
    }
}

/// The protein matrix of a name in upper case.
fn protein_matrix(name: &str) -> Option<Result<SubstitutionMatrix, ScoringError>> {
    let mut lines = PROTEINS.lines().filter(|line| !line.starts_with('#'));
    let line = lines.find(|line| line.split(' ').next() == Some(name))?;
    let scores: Vec<i32> = line.split(' ').skip(1).filter_map(|score| score.parse().ok()).collect();
    let code = |letter: u8| PROTEIN_LETTERS.iter().position(|&other| other == letter);
    Some(SubstitutionMatrix::from_scores(PROTEIN_LETTERS, |a, b| {
        let (a, b) = (code(a).unwrap_or_default(), code(b).unwrap_or_default());
        let (row, column) = (a.max(b), a.min(b));
        scores[row * (row + 1) / 2 + column]
    }))
}

#[cfg(test)]
mod tests {
    use bio::scores;

    use super::*;

    fn matrix(name: &str) -> SubstitutionMatrix {
        SubstitutionMatrix::built_in(name).expect("a name").expect("a matrix")
    }

    fn score(matrix: &SubstitutionMatrix, letters: [u8; 2]) -> i16 {
        let codes = matrix.alphabet().encode(&letters).expect("letters");
        matrix.score(codes[0], codes[1])
    }

    #[test]
    fn every_line_is_a_matrix() {
        let mut count = 0;
        for line in PROTEINS.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(' ').next().expect("a name");
            assert_eq!(line.split(' ').count(), 1 + 24 * 25 / 2, "{name}");
            assert_eq!(matrix(name).alphabet().encode(b"*"), Ok(vec![23]), "{name}");
            count += 1;
        }
        assert_eq!(count, 65);
        assert!(SubstitutionMatrix::built_in("PAM1").is_none());
        assert!(SubstitutionMatrix::built_in("#").is_none());
    }

    #[test]
    fn protein_matrices_have_the_values_of_the_crate_bio() {
        let check = |name: &str, table: fn(u8, u8) -> i32| {
            let expected = SubstitutionMatrix::from_scores(PROTEIN_LETTERS, table);
            assert_eq!(expected.as_ref(), Ok(&matrix(name)), "{name}");
        };
        check("BLOSUM30", scores::blosum30);
        check("eblosum45", scores::blosum45);
        check("EBLOSUM62", scores::blosum62);
        check("PAM40", scores::pam40);
        check("pam120", scores::pam120);
        check("EPAM200", scores::pam200);
        check("PAM250", scores::pam250);
    }

    #[test]
    fn nucleotide_matrices_differ_in_uracil() {
        let [ncbi, emboss] = ["NUC.4.4", "EDNAFULL"].map(matrix);
        for (letters, expected) in
            [(b"TU", 5), (b"uu", 5), (b"UA", -4), (b"UW", 1), (b"NN", -1), (b"XA", -2)]
        {
            for matrix in [&ncbi, &emboss] {
                assert_eq!(score(matrix, *letters), expected, "{letters:?}");
            }
        }
        let is_identical = |matrix: &SubstitutionMatrix| {
            let codes = matrix.alphabet().encode(b"TU").expect("letters");
            matrix.alphabet().is_identical(codes[0], codes[1])
        };
        assert!(is_identical(&ncbi) && !is_identical(&emboss));
        for (name, equal, different) in [("EDNAMAT", 5, -4), ("ednasimple", 1, -1)] {
            let matrix = matrix(name);
            let scores = [*b"AA", *b"TU", *b"NN", *b"AN"].map(|it| score(&matrix, it));
            assert_eq!(scores, [equal, equal, equal, different], "{name}");
        }
    }
}
