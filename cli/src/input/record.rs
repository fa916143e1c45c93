//! One record: what needletail found, checked and turned into a read.

use aligner_core::seq::{describe, is_iupac};
use needletail::errors::{ParseError, ParseErrorKind};
use needletail::parser::{Format, SequenceRecord};
use woodstocc::MAX_READ;

/// The longest name that SAM allows (SAM specification, section 1.4).
const MAX_NAME: usize = 254;

/// A read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The header's first word.
    pub name: Vec<u8>,
    /// Upper-case IUPAC letters, T for U and N for a dot. May be empty.
    pub sequence: Vec<u8>,
    /// Phred qualities, 0 to 93, one a base; `None` in FASTA.
    pub quality: Option<Vec<u8>>,
}

/// Why a record is no read.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1, if it is known.
    pub line: Option<u64>,
    pub reason: String,
}

/// Checks a record.
pub fn read(record: &SequenceRecord<'_>) -> Result<Read, Problem> {
    let line = record.start_line_number();
    let at = |offset: u64, reason: String| Problem { line: Some(line + offset), reason };

    let name = name(record.id()).map_err(|reason| at(0, reason))?;
    let raw = record.raw_seq();
    let sequence = sequence(raw, record.format()).map_err(|place| {
        let before = &raw[..place];
        let line = before.split(|&byte| byte == b'\n').count() as u64;
        let base = before.iter().filter(|byte| !is_line_end(**byte)).count() + 1;
        let letter = describe(raw[place]);
        at(line, format!("{letter} at base {base} is not a nucleotide letter"))
    })?;
    if sequence.len() > MAX_READ {
        let length = sequence.len();
        return Err(at(1, format!("the read has {length} bases, more than {MAX_READ}")));
    }
    let quality = record.qual().map(phred).transpose().map_err(|(place, letter)| {
        let letter = describe(letter);
        at(3, format!("{letter} at base {} is not a quality ('!' to '~')", place + 1))
    })?;
    Ok(Read { name, sequence, quality })
}

/// A parser's error in our words.
pub fn explain(error: &ParseError) -> Problem {
    let reason = match error.kind {
        ParseErrorKind::Io => format!("reading failed: {}", error.msg),
        ParseErrorKind::InvalidStart => "the record does not begin with '@'".to_owned(),
        ParseErrorKind::InvalidSeparator => {
            "the third line of the record does not begin with '+'".to_owned()
        }
        ParseErrorKind::UnequalLengths => "sequence and quality differ in length".to_owned(),
        ParseErrorKind::UnexpectedEnd => "the file ends within the record".to_owned(),
        ParseErrorKind::UnknownFormat | ParseErrorKind::EmptyFile => error.msg.clone(),
    };
    Problem { line: Some(error.position.line).filter(|&line| line > 0), reason }
}

/// The name of a record: a read name as SAM allows it.
fn name(header: &[u8]) -> Result<Vec<u8>, String> {
    // Whole files of lines that end in a lone carriage return look like one header.
    if header.contains(&b'\r') {
        return Err("a carriage return in the header".to_owned());
    }
    let name = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if name.is_empty() {
        return Err("the read has no name".to_owned());
    }
    if name.len() > MAX_NAME {
        return Err(format!("the read name has {} characters, more than {MAX_NAME}", name.len()));
    }
    if let Some(&letter) = name.iter().find(|&&letter| !letter.is_ascii_graphic() || letter == b'@')
    {
        return Err(format!("{} is not allowed in a read name", describe(letter)));
    }
    Ok(name.to_owned())
}

/// The normalised letter of each byte; 0 for what is none.
static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        letters[byte] = match (byte as u8).to_ascii_uppercase() {
            b'U' => b'T',
            b'.' => b'N',
            upper if is_iupac(upper) => upper,
            _ => 0,
        };
        byte += 1;
    }
    letters
};

/// The normalised letters, or the place of one that is no nucleotide.
fn sequence(raw: &[u8], format: Format) -> Result<Vec<u8>, usize> {
    let mut letters: Vec<u8> = raw.iter().map(|&letter| LETTERS[usize::from(letter)]).collect();
    if letters.contains(&0) {
        let is_bad = |letter: u8| {
            LETTERS[usize::from(letter)] == 0 && !(format == Format::Fasta && is_line_end(letter))
        };
        if let Some(place) = raw.iter().position(|&letter| is_bad(letter)) {
            return Err(place);
        }
        letters.retain(|&letter| letter != 0);
    }
    Ok(letters)
}

/// Phred values, or the place and byte of one that is none.
fn phred(letters: &[u8]) -> Result<Vec<u8>, (usize, u8)> {
    let is_bad = |letter: &u8| !(b'!'..=b'~').contains(letter);
    // Nearly always there is none, which is told faster than where it is.
    if letters.iter().filter(|letter| is_bad(letter)).count() > 0
        && let Some(place) = letters.iter().position(is_bad)
    {
        return Err((place, letters[place]));
    }
    Ok(letters.iter().map(|letter| letter - b'!').collect())
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_white_space_and_fit_sam() {
        assert_eq!(name(b"r1/1 extra"), Ok(b"r1/1".to_vec()));
        assert_eq!(name(b"r1\tBC:Z:x"), Ok(b"r1".to_vec()));
        assert_eq!(name(&[b'x'; 254]).map(|name| name.len()), Ok(254));
        for bad in [&b""[..], b" r1", &[b'x'; 255], b"a\x01", b"na\xc3\xafve", b"@r1", b"a\rACGT"] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn letters_are_normalised() {
        let all = sequence(b"acgtuUnN.RYSWKMBDHVryswkmbdhv", Format::Fastq);
        assert_eq!(all, Ok(b"ACGTTTNNNRYSWKMBDHVRYSWKMBDHV".to_vec()));
        assert_eq!(sequence(b"AC\r\nGT\n\n", Format::Fasta), Ok(b"ACGT".to_vec()));
        assert_eq!(sequence(b"AC\rG", Format::Fastq), Err(2));
        for bad in *b"-*0 =@!x\0\x80" {
            assert_eq!(sequence(&[b'A', bad], Format::Fasta), Err(1), "{bad}");
        }
    }

    #[test]
    fn qualities_are_printable() {
        assert_eq!(phred(b"!I~"), Ok(vec![0, 40, 93]));
        assert_eq!(phred(b"I I"), Err((1, b' ')));
        assert_eq!(phred(b"\x7f"), Err((0, 0x7f)));
    }
}
