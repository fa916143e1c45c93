//! Alphabets: the letters of sequences, and the codes that engines compute with.

use super::error::ScoringError;
use super::limits::CODES;

/// Code of every nucleotide letter other than A, C, G, T and U in a scoring without a matrix. Such a residue
/// matches nothing, not even itself.
pub const UNKNOWN: u8 = 4;

/// Stands in [`Alphabet::codes`] for bytes that are no letters.
const NONE: u8 = u8::MAX;

/// Letters that sequences are written in, each with a code from 0. Upper and lower case are the same letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alphabet {
    /// Code of each byte, or [`NONE`].
    codes: [u8; 256],
    /// Upper-case letter of each code.
    letters: Vec<u8>,
    /// The code that is identical to no code, not even to itself, if there is one.
    unknown: Option<u8>,
}

/// Error: a byte of a sequence is no letter of its alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownLetter {
    /// The byte that is no letter.
    pub letter: u8,
    /// Position in the sequence, from 0.
    pub position: usize,
}

impl Alphabet {
    /// Nucleotides: A, C, G and T (or U) have the codes 0 to 3, all other IUPAC letters the code [`UNKNOWN`].
    pub fn nucleotides() -> Self {
        let mut codes = [NONE; 256];
        for byte in 0..=u8::MAX {
            if aligner_core::seq::is_iupac(byte) {
                codes[usize::from(byte)] = aligner_core::seq::encode(byte);
            }
        }
        Self { codes, letters: b"ACGTN".to_vec(), unknown: Some(UNKNOWN) }
    }

    /// An alphabet of these letters, with codes in their order. If all are nucleotide letters, then U has the code of T
    /// and X that of N, unless they are among the letters.
    ///
    /// # Errors
    /// If there are more than [`CODES`] letters, or a letter occurs twice.
    pub fn from_letters(letters: &[u8]) -> Result<Self, ScoringError> {
        if letters.len() > CODES {
            return Err(ScoringError::TooManyLetters { count: letters.len() });
        }
        let letters = letters.to_ascii_uppercase();
        let mut codes = [NONE; 256];
        let mut set = |letter: u8, code: u8| {
            codes[usize::from(letter)] = code;
            codes[usize::from(letter.to_ascii_lowercase())] = code;
        };
        for (code, &letter) in letters.iter().enumerate() {
            if letters[..code].contains(&letter) {
                return Err(ScoringError::LetterTwice { letter: char::from(letter) });
            }
            set(letter, code as u8);
        }
        if letters.iter().all(|&letter| aligner_core::seq::is_iupac(letter)) {
            for (other, same) in [(b'U', b'T'), (b'X', b'N')] {
                let code = letters.iter().position(|&letter| letter == same);
                if let (Some(code), false) = (code, letters.contains(&other)) {
                    set(other, code as u8);
                }
            }
        }
        Ok(Self { codes, letters, unknown: None })
    }

    /// Adds letters that share one new code, which is identical to no code; the letter of the code is `X`.
    ///
    /// # Errors
    /// If there are [`CODES`] letters already.
    pub(super) fn with_unknown(mut self, others: &[u8]) -> Result<Self, ScoringError> {
        let code = self.letters.len();
        if code >= CODES {
            return Err(ScoringError::TooManyLetters { count: code + 1 });
        }
        for &letter in others {
            self.codes[usize::from(letter)] = code as u8;
            self.codes[usize::from(letter.to_ascii_lowercase())] = code as u8;
        }
        self.letters.push(b'X');
        self.unknown = Some(code as u8);
        Ok(self)
    }

    /// Codes of a sequence of letters.
    ///
    /// # Errors
    /// Names the first byte that is no letter.
    pub fn encode(&self, letters: &[u8]) -> Result<Vec<u8>, UnknownLetter> {
        let mut codes = vec![0; letters.len()];
        self.encode_to(letters, &mut codes)?;
        Ok(codes)
    }

    /// Writes the codes of letters to `codes`, which has as many.
    ///
    /// # Errors
    /// Names the first byte that is no letter.
    ///
    /// # Panics
    /// If there are more or fewer codes than letters.
    pub fn encode_to(&self, letters: &[u8], codes: &mut [u8]) -> Result<(), UnknownLetter> {
        assert_eq!(letters.len(), codes.len(), "a code for each letter");
        let pairs = codes.iter_mut().zip(letters);
        pairs.for_each(|(code, &letter)| *code = self.codes[usize::from(letter)]);
        match codes.iter().position(|&code| code == NONE) {
            Some(position) => Err(UnknownLetter { letter: letters[position], position }),
            None => Ok(()),
        }
    }

    /// Code of a byte; none if it is no letter.
    pub fn code(&self, letter: u8) -> Option<u8> {
        match self.codes[usize::from(letter)] {
            NONE => None,
            code => Some(code),
        }
    }

    /// The code that is identical to no code, not even to itself, if there is one.
    pub fn unknown(&self) -> Option<u8> {
        self.unknown
    }

    /// Upper-case letter of a code.
    ///
    /// # Panics
    /// If no letter has this code.
    pub fn letter(&self, code: u8) -> u8 {
        self.letters[usize::from(code)]
    }

    /// Number of codes; they are below it.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether the alphabet has no letter.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Whether all letters are those of nucleotides, ambiguous ones included.
    pub fn is_nucleotides(&self) -> bool {
        self.letters.iter().all(|&letter| letter == b'X' || aligner_core::seq::is_iupac(letter))
    }

    /// Whether two codes are the same letter, and a known one.
    pub fn is_identical(&self, a: u8, b: u8) -> bool {
        a == b && Some(a) != self.unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nucleotides_are_iupac_letters() {
        let alphabet = Alphabet::nucleotides();
        assert_eq!(
            alphabet.encode(b"ACGTUacgtuNry"),
            Ok(vec![0, 1, 2, 3, 3, 0, 1, 2, 3, 3, 4, 4, 4])
        );
        assert_eq!(alphabet.encode(b"ACE"), Err(UnknownLetter { letter: b'E', position: 2 }));
        assert_eq!(alphabet.encode(b"A-"), Err(UnknownLetter { letter: b'-', position: 1 }));
        assert!(alphabet.is_identical(2, 2) && !alphabet.is_identical(UNKNOWN, UNKNOWN));
    }

    #[test]
    fn letters_of_a_matrix_have_their_order() {
        let alphabet = Alphabet::from_letters(b"ATGC").expect("letters");
        assert_eq!(alphabet.encode(b"uTgA"), Ok(vec![1, 1, 2, 0]));
        assert_eq!(alphabet.letter(3), b'C');
        assert!(Alphabet::from_letters(b"ACa").is_err());
        assert!(Alphabet::from_letters(b"EFT").expect("letters").encode(b"U").is_err());
        let alphabet = Alphabet::from_letters(b"ATUN").expect("letters");
        assert_eq!(alphabet.encode(b"UxN"), Ok(vec![2, 3, 3]));
    }
}
