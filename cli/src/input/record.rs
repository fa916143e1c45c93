//! Checks of one record, which is turned into a read in place.

use std::path::Path;

use aligner_core::fastx::RecordProblem;
use aligner_core::input_location::InputLocation;
use aligner_core::seq::{describe, is_iupac};
use anyhow::anyhow;
use memchr::memchr;

use crate::iupac::are_acgtn;

/// The longest name that SAM allows (SAM specification, section 1.4).
const MAX_NAME: usize = 254;

/// The highest quality, of '~'.
const MAX_PHRED: u8 = b'~' - b'!';

/// The error message of a record: file, record, line and reason.
pub fn record_error(file: &Path, record: u64, problem: RecordProblem) -> anyhow::Error {
    let RecordProblem { line, reason } = problem;
    let location = InputLocation::in_file(file).at_record(record, line);
    anyhow!("{location}{reason}")
}

/// The name of a read, from the header of a record that begins in this line.
///
/// # Errors
/// If SAM does not allow the name.
pub fn name(header: &[u8], line: u64) -> Result<&[u8], RecordProblem> {
    let (name, rest) = header.split_at(allowed_letters(header));
    let is_whole = rest.first().is_none_or(u8::is_ascii_whitespace);
    if is_whole && (1..=MAX_NAME).contains(&name.len()) && memchr(b'\r', rest).is_none() {
        return Ok(name);
    }
    Err(RecordProblem { line: Some(line), reason: name_problem(header) })
}

/// Whether SAM allows a letter in a name.
fn is_allowed(letter: u8) -> bool {
    letter.is_ascii_graphic() && letter != b'@'
}

/// The number of letters that a header begins with and SAM allows in a name.
fn allowed_letters(header: &[u8]) -> usize {
    // Names are long: the compiler makes vector instructions of the test of a whole chunk, which has no branch.
    let (chunks, _) = header.as_chunks::<16>();
    let is_whole = |chunk: &&[u8; 16]| chunk.iter().fold(true, |all, &it| all & is_allowed(it));
    let (_, rest) = header.split_at(16 * chunks.iter().take_while(is_whole).count());
    let more = rest.iter().position(|&letter| !is_allowed(letter)).unwrap_or(rest.len());
    header.len() - rest.len() + more
}

/// Why SAM does not allow the name in a header.
fn name_problem(header: &[u8]) -> String {
    // A file whose lines end in carriage returns alone looks like one header.
    if header.contains(&b'\r') {
        return "a carriage return in the header".to_owned();
    }
    let name = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let length = name.len();
    match name.iter().find(|&&letter| !is_allowed(letter)) {
        _ if length > MAX_NAME => {
            format!("the read name has {length} characters, more than {MAX_NAME}")
        }
        Some(&letter) => format!("{} is not allowed in a read name", describe(letter)),
        None => "the read has no name".to_owned(),
    }
}

/// The text of a header behind the name and one letter of white space; empty if there is none.
pub fn comment(header: &[u8]) -> &[u8] {
    let end = header.iter().position(u8::is_ascii_whitespace).unwrap_or(header.len());
    header[end..].get(1..).unwrap_or_default()
}

/// The part of a header that [`name`] needs: the first word, or all up to a carriage return.
pub fn without_comment(header: &[u8]) -> &[u8] {
    let end = match memchr(b'\r', header) {
        Some(carriage_return) => carriage_return + 1,
        None => header.iter().position(u8::is_ascii_whitespace).unwrap_or(header.len()),
    };
    &header[..end]
}

/// A name without `/` and a digit at its end, unless nothing else is left.
pub fn without_number(name: &[u8]) -> &[u8] {
    match name {
        [left @ .., b'/', digit] if digit.is_ascii_digit() && !left.is_empty() => left,
        name => name,
    }
}

/// The normalised letter of each byte; 0 if it is not a nucleotide letter.
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

/// Normalises the letters of a record that begins in this line, and returns their number. Records without qualities are
/// FASTA, where line ends may be among the letters; these are removed.
///
/// # Errors
/// If a byte is not a nucleotide letter.
pub fn sequence(letters: &mut [u8], has_quality: bool, line: u64) -> Result<usize, RecordProblem> {
    // Most reads have no other letters.
    if are_acgtn(letters) {
        return Ok(letters.len());
    }
    let is_letter = |letter: u8| LETTERS[usize::from(letter)] != 0;
    let mut length = letters.len();
    // Nearly always, there is no other byte; only then is its place needed.
    if letters.iter().filter(|&&letter| !is_letter(letter)).count() > 0 {
        let is_bad = |letter: u8| !is_letter(letter) && (has_quality || !is_line_end(letter));
        if let Some(place) = letters.iter().position(|&letter| is_bad(letter)) {
            let before = &letters[..place];
            let line = line + before.split(|&byte| byte == b'\n').count() as u64;
            let base = before.iter().filter(|byte| !is_line_end(**byte)).count() + 1;
            let letter = describe(letters[place]);
            let reason = format!("{letter} at base {base} is not a nucleotide letter");
            return Err(RecordProblem { line: Some(line), reason });
        }
        length = 0;
        for place in 0..letters.len() {
            let letter = letters[place];
            letters[length] = letter;
            length += usize::from(is_letter(letter));
        }
    }
    for letter in &mut letters[..length] {
        *letter = LETTERS[usize::from(*letter)];
    }
    Ok(length)
}

/// Turns the quality letters of a record that begins in this line into Phred values.
///
/// # Errors
/// If a letter is not from '!' to '~'.
pub fn phred(letters: &mut [u8], line: u64) -> Result<(), RecordProblem> {
    // The compiler makes vector instructions of this. Letters below '!' wrap around to the highest values.
    let highest = letters.iter_mut().fold(0, |highest, letter| {
        *letter = letter.wrapping_sub(b'!');
        highest.max(*letter)
    });
    if highest > MAX_PHRED
        && let Some(place) = letters.iter().position(|&value| value > MAX_PHRED)
    {
        let letter = describe(letters[place].wrapping_add(b'!'));
        let reason = format!("{letter} at base {} is not a quality ('!' to '~')", place + 1);
        return Err(RecordProblem { line: Some(line + 3), reason });
    }
    Ok(())
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_white_space_and_fit_sam() {
        let name = |header: &'static [u8]| name(without_comment(header), 5);
        assert_eq!(name(b"r1/1 extra"), Ok(&b"r1/1"[..]));
        assert_eq!(name(b"r1\tBC:Z:x"), Ok(&b"r1"[..]));
        assert_eq!(name(b"r1\tBC:Z:x y"), Ok(&b"r1"[..]));
        assert_eq!(without_comment(b"r1 a long comment"), b"r1");
        assert_eq!(name(&[b'x'; 254]).map(<[u8]>::len), Ok(254));
        for bad in [&b""[..], b" r1", &[b'x'; 255], b"a\x01", b"na\xc3\xafve", b"@r1", b"a\rACGT"] {
            assert_eq!(name(bad).expect_err("is bad").line, Some(5), "{bad:?}");
        }
    }

    /// Names in headers of random letters are those that the rules of SAM allow, one rule after the other.
    #[test]
    fn names_are_the_first_words_that_are_allowed() {
        let seed = 29;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut found = [0; 2];
        for round in 0..20_000 {
            let longest = [3, 20, 60, 300][round % 4];
            let length = random.usize(..longest);
            let others: &[u8] =
                random.choice(&[&b" "[..], b" \t\x0c", b"\r @\x7f\x80\xff\0"]).expect("one");
            let share = random.usize(1..100);
            let letter = |_| match random.usize(..=share) {
                0 => *random.choice(others).expect("one"),
                _ => random.u8(b'A'..=b'~'),
            };
            let header: Vec<u8> = (0..length).map(letter).collect();
            let word = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let bad = word.iter().find(|&&it| !(b'!'..=b'~').contains(&it) || it == b'@');
            let expected = match (header.contains(&b'\r'), word.len(), bad) {
                (true, ..) => Err("a carriage return in the header".to_owned()),
                (_, 0, _) => Err("the read has no name".to_owned()),
                (_, 255.., _) => {
                    Err(format!("the read name has {} characters, more than 254", word.len()))
                }
                (.., Some(&bad)) => Err(format!("{} is not allowed in a read name", describe(bad))),
                (.., None) => Ok(word),
            };
            found[usize::from(expected.is_ok())] += 1;
            assert_eq!(name(&header, 1).map_err(|it| it.reason), expected, "seed {seed}, {round}");
        }
        assert!(found.iter().all(|&count| count > 2000), "{found:?}");
    }

    #[test]
    fn letters_are_normalised() {
        let sequence = |raw: &[u8], has_quality| {
            let mut letters = raw.to_vec();
            let length = sequence(&mut letters, has_quality, 1)?;
            letters.truncate(length);
            Ok::<_, RecordProblem>(letters)
        };
        let all = sequence(b"acgtuUnN.RYSWKMBDHVryswkmbdhv", true);
        assert_eq!(all, Ok(b"ACGTTTNNNRYSWKMBDHVRYSWKMBDHV".to_vec()));
        assert_eq!(sequence(b"AC\r\nGT\n\n", false), Ok(b"ACGT".to_vec()));
        let problem = |raw: &[u8], has_quality| {
            let problem = sequence(raw, has_quality).expect_err("is bad");
            (problem.line, problem.reason)
        };
        let no_letter =
            |letter: &str, base| format!("{letter} at base {base} is not a nucleotide letter");
        assert_eq!(problem(b"AC\rG", true), (Some(2), no_letter("byte 0x0d", 3)));
        assert_eq!(problem(b"AC\nG\n=", false), (Some(4), no_letter("'='", 4)));
        for bad in *b"-*0 =@!x\0\x80" {
            assert_eq!(problem(&[b'A', bad], false), (Some(2), no_letter(&describe(bad), 2)));
        }
    }

    #[test]
    fn qualities_are_printable() {
        let phred = |letters: &[u8]| {
            let mut values = letters.to_vec();
            phred(&mut values, 1).map(|()| values)
        };
        assert_eq!(phred(b"!I~"), Ok(vec![0, 40, 93]));
        for (bad, letter) in [(b"I I", "byte 0x20"), (b"I\x7fI", "byte 0x7f")] {
            let reason = format!("{letter} at base 2 is not a quality ('!' to '~')");
            assert_eq!(phred(bad), Err(RecordProblem { line: Some(4), reason }));
        }
        for length in 0..100 {
            let mut letters: Vec<u8> = (b'!'..=b'~').cycle().take(length).collect();
            let values: Vec<u8> = (0..94).cycle().take(length).collect();
            assert_eq!(phred(&letters), Ok(values));
            for place in 0..length {
                let before = std::mem::replace(&mut letters[place], b"\n \x7f\xff\0"[place % 5]);
                let reason = phred(&letters).expect_err("is bad").reason;
                assert!(reason.contains(&format!(" at base {} is", place + 1)), "{reason}");
                letters[place] = before;
            }
        }
    }
}
