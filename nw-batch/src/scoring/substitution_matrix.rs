//! Substitution matrices: a score for each pair of letters, as NCBI's files give them.
//!
//! A matrix of proteins is one that has the 20 amino acids. The letters B, J, O, U, X, Z and `*` that it lacks may occur in
//! sequences nevertheless: as in EMBOSS, they score 0 with every letter, and are identical to none.

use std::num::IntErrorKind;

use super::alphabet::Alphabet;
use super::error::ScoringError;
use super::limits::MAX_SCORE;

/// The 20 amino acids.
const AMINO_ACIDS: &[u8] = b"ARNDCQEGHILKMFPSTWYV";

/// Other letters that sequences of proteins may have.
const OTHER_PROTEIN_LETTERS: &[u8] = b"BJOUXZ*";

/// Substitution matrix: a score for each letter of the query with each letter of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubstitutionMatrix {
    alphabet: Alphabet,
    /// Rows by the query's code, each with a score for every code of the target.
    scores: Vec<i16>,
}

impl SubstitutionMatrix {
    /// A matrix of `letters` with the score that `score` gives for a letter of the query and a letter of the target.
    ///
    /// # Errors
    /// If the letters are no alphabet, or a score is beyond [`MAX_SCORE`].
    pub fn from_scores(
        letters: &[u8],
        score: impl Fn(u8, u8) -> i32,
    ) -> Result<Self, ScoringError> {
        let alphabet = Alphabet::from_letters(letters)?;
        let pairs =
            letters.iter().flat_map(|&query| letters.iter().map(move |&target| (query, target)));
        let scores = pairs.map(|(query, target)| checked_score(score(query, target)));
        Self { alphabet, scores: scores.collect::<Result<_, _>>()? }.with_other_letters()
    }

    /// Adds the letters of proteins that a matrix of proteins lacks.
    fn with_other_letters(self) -> Result<Self, ScoringError> {
        let lacks = |letter: &u8| self.alphabet.code(*letter).is_none();
        let others: Vec<u8> = OTHER_PROTEIN_LETTERS.iter().copied().filter(lacks).collect();
        if AMINO_ACIDS.iter().any(lacks) || others.is_empty() {
            return Ok(self);
        }
        let letters = self.alphabet.len();
        let alphabet = self.alphabet.with_unknown(&others)?;
        let mut scores = Vec::with_capacity((letters + 1) * (letters + 1));
        for row in self.scores.chunks_exact(letters) {
            scores.extend_from_slice(row);
            scores.push(0);
        }
        scores.resize((letters + 1) * (letters + 1), 0);
        Ok(Self { alphabet, scores })
    }

    /// The matrix with every score multiplied.
    ///
    /// # Errors
    /// If a product is beyond [`MAX_SCORE`].
    pub fn scaled(mut self, factor: i32) -> Result<Self, ScoringError> {
        for score in &mut self.scores {
            *score = checked_score(i32::from(*score).saturating_mul(factor))?;
        }
        Ok(self)
    }

    /// Parses a matrix file in NCBI's format: comments begin with `#`; the first other line has the letters of the
    /// columns, and each line after it a letter and its row of scores. There is a row for each column, in any order.
    ///
    /// # Errors
    /// If the text has another format, with the line number, or a score is beyond
    /// [`MAX_SCORE`].
    pub fn parse(text: &str) -> Result<Self, ScoringError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line.split_whitespace().collect::<Vec<_>>()))
            .filter(|(_, fields)| fields.first().is_some_and(|field| !field.starts_with('#')));
        let (line, header) = lines.next().ok_or(ScoringError::NoMatrix)?;
        let columns =
            header.iter().map(|field| letter(field, line)).collect::<Result<Vec<u8>, _>>()?;
        let alphabet = Alphabet::from_letters(&columns).map_err(with_line(line))?;
        let mut rows: Vec<Option<Vec<i16>>> = vec![None; columns.len()];
        for (line, fields) in lines {
            let letter = letter(fields[0], line)?;
            let place = columns.iter().position(|column| column.eq_ignore_ascii_case(&letter));
            let malformed = |reason: String| ScoringError::Matrix { line, reason };
            let place = place.ok_or_else(|| {
                malformed(format!("a row for '{}', which is no column", char::from(letter)))
            })?;
            if rows[place].is_some() {
                return Err(malformed(format!("a second row for '{}'", char::from(letter))));
            }
            if fields.len() != columns.len() + 1 {
                return Err(malformed(format!(
                    "{} scores for {} columns",
                    fields.len() - 1,
                    columns.len()
                )));
            }
            rows[place] =
                Some(fields[1..].iter().map(|field| score(field, line)).collect::<Result<_, _>>()?);
        }
        let mut scores = Vec::with_capacity(columns.len() * columns.len());
        for (&letter, row) in columns.iter().zip(rows) {
            scores.extend(row.ok_or(ScoringError::NoRow { letter: char::from(letter) })?);
        }
        Self { alphabet, scores }.with_other_letters()
    }

    /// Letters of the rows and columns, and their codes.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Score of a residue of the query and a residue of the target, by their codes.
    pub fn score(&self, query: u8, target: u8) -> i16 {
        self.scores[usize::from(query) * self.alphabet.len() + usize::from(target)]
    }
}

/// Adds the line number to an error.
fn with_line(line: usize) -> impl Fn(ScoringError) -> ScoringError {
    move |error| ScoringError::Matrix { line, reason: error.to_string() }
}

/// The letter that a field consists of.
fn letter(field: &str, line: usize) -> Result<u8, ScoringError> {
    match field.as_bytes() {
        &[letter] if letter.is_ascii_alphabetic() || letter == b'*' => Ok(letter),
        _ => {
            let reason = format!("'{field}' is not a letter");
            Err(ScoringError::Matrix { line, reason })
        }
    }
}

/// The score in a field.
fn score(field: &str, line: usize) -> Result<i16, ScoringError> {
    let refused = match field.parse::<i32>().map_err(|error| *error.kind()) {
        Ok(score) => return checked_score(score).map_err(with_line(line)),
        Err(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
            ScoringError::Score { score: field.to_owned() }.to_string()
        }
        Err(_) => format!("'{field}' is not a whole number"),
    };
    Err(ScoringError::Matrix { line, reason: refused })
}

/// The score of a pair of residues as it is stored, if it is within its limits.
pub(super) fn checked_score(score: i32) -> Result<i16, ScoringError> {
    if (-MAX_SCORE..=MAX_SCORE).contains(&score) {
        Ok(score as i16)
    } else {
        Err(ScoringError::Score { score: score.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_a_matrix_of_proteins_lacks_score_nothing() {
        let matrix = SubstitutionMatrix::from_scores(b"ARNDCQEGHILKMFPSTWYVBZX", |a, b| {
            if a == b { 3 } else { -2 }
        })
        .expect("a matrix");
        let codes = matrix.alphabet().encode(b"VXuJO*").expect("letters");
        let [v, x, unknown] = [codes[0], codes[1], codes[2]];
        assert_eq!(codes, [19, 22, 23, 23, 23, 23]);
        let scores = [(v, v), (v, x), (v, unknown), (unknown, unknown), (unknown, x)];
        assert_eq!(scores.map(|(a, b)| matrix.score(a, b)), [3, -2, 0, 0, 0]);
        assert!(matrix.alphabet().is_identical(x, x));
        assert!(!matrix.alphabet().is_identical(unknown, unknown));
        // A matrix of other letters refuses what it lacks.
        let matrix = SubstitutionMatrix::from_scores(b"ARND", |_, _| 1).expect("a matrix");
        assert!(matrix.alphabet().encode(b"U").is_err());
    }

    #[test]
    fn products_have_the_limits_of_scores() {
        let matrix = SubstitutionMatrix::parse("A C\nA 5 -4\nC -4 5\n").expect("a matrix");
        let doubled = matrix.clone().scaled(2).expect("within the limits");
        assert_eq!([doubled.score(0, 0), doubled.score(0, 1)], [10, -8]);
        assert!(matrix.clone().scaled(100).is_ok());
        assert!(matrix.scaled(101).is_err());
    }

    #[test]
    fn what_is_malformed_names_its_line() {
        for (text, reason) in [
            ("", "no line of letters"),
            ("# only this\n", "no line of letters"),
            ("A C\nA 1 2\n", "no row for the letter 'C'"),
            ("A C\nA 1 2\nC 1\n", "line 3: 1 scores for 2 columns"),
            ("A C\nA 1 x\nC 1 1\n", "line 2: 'x' is not a whole number"),
            ("A C\nA 1 1\nA 1 1\n", "line 3: a second row for 'A'"),
            ("A C\nA 1 1\nG 1 1\n", "line 3: a row for 'G'"),
            ("A A\nA 1 1\n", "line 1: the letter 'A' occurs twice"),
            ("A CC\nA 1 1\n", "line 1: 'CC' is not a letter"),
            ("A\nA 501\n", "line 2: the score 501"),
            ("A\nA -2147483648\n", "line 2: the score -2147483648 is not between -500 and 500"),
            ("A\nA 99999999999\n", "line 2: the score 99999999999 is not between -500 and 500"),
        ] {
            let error = SubstitutionMatrix::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
