//! Substitution matrices, as NCBI's files give them.

use crate::alphabet::Alphabet;
use crate::error::ScoringError;
use crate::scoring::MAX_SCORE;

/// A score for each pair of letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    alphabet: Alphabet,
    /// Row of the query's letter after row, one score a column.
    scores: Vec<i16>,
}

impl Matrix {
    /// The matrices that are built in, by their NCBI names.
    pub const NAMES: [&str; 2] = ["BLOSUM62", "NUC.4.4"];

    /// A matrix that is built in, by its name in either case; `EDNAFULL` is EMBOSS's name of
    /// `NUC.4.4`.
    ///
    /// # Errors
    /// None for what [`Self::NAMES`] lists.
    pub fn built_in(name: &str) -> Option<Result<Self, ScoringError>> {
        match name.to_ascii_uppercase().as_str() {
            "BLOSUM62" => Some(Self::parse(include_str!("../matrices/BLOSUM62"))),
            "NUC.4.4" | "EDNAFULL" => Some(Self::parse(include_str!("../matrices/NUC.4.4"))),
            _ => None,
        }
    }

    /// Reads a matrix file: comments begin with `#`, the first other line has the letters of the
    /// columns, and each line after it a letter and its row of scores. There is a row for each
    /// column; they may be in any order.
    ///
    /// # Errors
    /// If the text is not that; the error names the line.
    pub fn parse(text: &str) -> Result<Self, ScoringError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line.split_whitespace().collect::<Vec<_>>()))
            .filter(|(_, fields)| fields.first().is_some_and(|field| !field.starts_with('#')));
        let (line, header) = lines.next().ok_or(ScoringError::NoMatrix)?;
        let columns =
            header.iter().map(|field| letter(field, line)).collect::<Result<Vec<u8>, _>>()?;
        let alphabet = Alphabet::of_letters(&columns).map_err(at(line))?;
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
        Ok(Self { alphabet, scores })
    }

    /// Its letters.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The score of two codes.
    pub fn score(&self, query: u8, target: u8) -> i16 {
        self.scores[usize::from(query) * self.alphabet.len() + usize::from(target)]
    }
}

fn at(line: usize) -> impl Fn(ScoringError) -> ScoringError {
    move |error| ScoringError::Matrix { line, reason: error.to_string() }
}

fn letter(field: &str, line: usize) -> Result<u8, ScoringError> {
    match field.as_bytes() {
        &[letter] if letter.is_ascii_alphabetic() || letter == b'*' => Ok(letter),
        _ => {
            let reason = format!("'{field}' is not a letter");
            Err(ScoringError::Matrix { line, reason })
        }
    }
}

fn score(field: &str, line: usize) -> Result<i16, ScoringError> {
    let bad = |reason| ScoringError::Matrix { line, reason };
    let score: i32 = field.parse().map_err(|_| bad(format!("'{field}' is not a whole number")))?;
    if score.abs() > MAX_SCORE {
        return Err(at(line)(ScoringError::Score { score }));
    }
    Ok(score as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_matrices_are_symmetric() {
        for name in Matrix::NAMES {
            let matrix = Matrix::built_in(name).expect("a name").expect("a matrix");
            let letters = matrix.alphabet().len() as u8;
            for a in 0..letters {
                for b in 0..letters {
                    assert_eq!(matrix.score(a, b), matrix.score(b, a), "{name} {a} {b}");
                }
            }
        }
        let matrix = Matrix::built_in("blosum62").expect("a name").expect("a matrix");
        let codes = matrix.alphabet().encode(b"WC*a").expect("letters");
        assert_eq!(matrix.score(codes[0], codes[0]), 11);
        assert_eq!(matrix.score(codes[1], codes[0]), -2);
        assert_eq!(matrix.score(codes[2], codes[3]), -4);
        assert!(Matrix::built_in("PAM1").is_none());
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
        ] {
            let error = Matrix::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
