//! A record of FASTQ whose four lines were found already.

use super::{NO_SEPARATOR, NO_START, RecordProblem, UNEQUAL_LENGTHS};

/// Checks the form of a record of FASTQ: its four lines without the line feeds, of which the first is this line of the file.
/// What is refused, and the reason, are the same as of [`records`](super::records).
///
/// # Errors
/// If a mark at the begin of a line is missing, or sequence and quality differ in length.
pub fn check_four_lines(lines: [&[u8]; 4], line: u64) -> Result<(), RecordProblem> {
    let [header, sequence, separator, quality] = lines;
    let problem =
        |line, reason: &str| Err(RecordProblem { line: Some(line), reason: reason.to_owned() });
    if header.first() != Some(&b'@') {
        problem(line, NO_START)
    } else if separator.first() != Some(&b'+') {
        problem(line + 2, NO_SEPARATOR)
    } else if without_return(sequence).len() != without_return(quality).len() {
        problem(line, UNEQUAL_LENGTHS)
    } else {
        Ok(())
    }
}

/// A line without the carriage return at its end, if there is one.
pub fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fastx::records;

    /// Records of random lines are refused by the parser of files for the same reason, or by neither.
    #[test]
    fn the_form_of_a_record_is_that_of_files() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut refused = 0;
        for _ in 0..3000 {
            let mut line = |begin: &str| -> String {
                let from = if random.u8(..12) == 0 {
                    ["", "A", "@", "+"][random.usize(..4)]
                } else {
                    begin
                };
                let letters = (0..random.usize(2..4)).map(|_| 'A');
                let end = if random.u8(..4) == 0 { "\r" } else { "" };
                from.chars().chain(letters).chain(end.chars()).collect()
            };
            let lines = [line("@"), line(""), line("+"), line("")];
            // A record before it, so that its first letter does not choose the format.
            let text = format!("@a\nAC\n+\nII\n{}\n", lines.join("\n"));
            let mut parser = records(text.as_bytes()).expect("is FASTQ");
            assert!(parser.next().is_some_and(|record| record.is_ok()));
            let expected =
                parser.next().expect("is there").map_err(|error| RecordProblem::from(&error));
            let found = check_four_lines(lines.each_ref().map(String::as_bytes), 5);
            refused += u32::from(found.is_err());
            match expected {
                Ok(record) => {
                    assert_eq!(found, Ok(()), "{text:?}");
                    assert_eq!(record.raw_seq(), without_return(lines[1].as_bytes()));
                    assert_eq!(record.id(), &without_return(lines[0].as_bytes())[1..]);
                }
                Err(problem) => assert_eq!(found, Err(problem), "{text:?}"),
            }
        }
        assert!((1000..2500).contains(&refused), "{refused}");
    }
}
