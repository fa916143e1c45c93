//! Locations in input files, as error messages name them.

use std::fmt;
use std::path::{Path, PathBuf};

/// The path that stands for standard input.
const STDIN: &str = "-";

/// Whether a path stands for standard input: `-`.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// Name of an input file in messages: its path, or "standard input".
pub fn input_name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Location in an input file that an error is about.
///
/// It prints as the begin of a message, with `: ` at its end, so that the reason can follow; where nothing is known
/// it prints nothing.
///
/// ```
/// use std::path::Path;
///
/// use aligner_core::input_location::InputLocation;
///
/// let location = InputLocation::in_file(Path::new("reads.fq")).at_record(3, Some(9));
/// assert_eq!(format!("{location}the read has no name"), "reads.fq: record 3 (line 9): the read has no name");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputLocation {
    /// The file, as messages name it, unless the records came from memory.
    pub file: Option<PathBuf>,
    /// Number of the record, from 1.
    pub record: Option<u64>,
    /// Number of the line, from 1.
    pub line: Option<u64>,
}

impl InputLocation {
    /// A whole file; `-` is standard input.
    pub fn in_file(path: &Path) -> Self {
        Self { file: Some(input_name(path).into()), ..Self::default() }
    }

    /// Adds the number of a record, from 1, and of a line, from 1, if it is known.
    #[must_use]
    pub fn at_record(self, record: u64, line: Option<u64>) -> Self {
        Self { record: Some(record), line, ..self }
    }
}

impl fmt::Display for InputLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match (self.record, self.line) {
            (Some(record), Some(line)) => write!(f, "record {record} (line {line}): "),
            (Some(record), None) => write!(f, "record {record}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_print_as_the_begin_of_a_message() {
        let whole = InputLocation::in_file(Path::new("a.fa"));
        let cases = [
            (InputLocation::default(), ""),
            (InputLocation::default().at_record(2, None), "record 2: "),
            (InputLocation { line: Some(7), ..InputLocation::default() }, "line 7: "),
            (whole.clone(), "a.fa: "),
            (whole.clone().at_record(2, None), "a.fa: record 2: "),
            (whole.at_record(2, Some(5)), "a.fa: record 2 (line 5): "),
            (InputLocation::in_file(Path::new("-")), "standard input: "),
        ];
        for (location, expected) in cases {
            assert_eq!(location.to_string(), expected);
        }
    }
}
