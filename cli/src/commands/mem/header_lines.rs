//! Header lines that `-H` of `bwa mem` inserts.

use std::fs::File;
use std::io::{self, Read};

use crate::output::{ReadGroup, escapes};

/// The most bytes of a file of header lines: 16 MiB.
const MAX_FILE: u64 = 1 << 24;

/// The lines of a value of `-H`: the text itself if it begins with `@`, else the lines of the file with this name.
///
/// # Errors
/// If the file cannot be read, or a line is none of a header.
pub fn lines(value: &str) -> Result<Vec<String>, String> {
    let (origin, text) = if value.starts_with('@') {
        ("-H".to_owned(), value.to_owned())
    } else {
        let text = read(value).map_err(|error| format!("-H: {value}: {error}"))?;
        (format!("-H: {value}"), text)
    };
    let text = escapes::unescape(&text);
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| check(line).map_err(|problem| format!("{origin}: {problem}"))).collect()
}

/// The text of a file, of which a header has room for.
fn read(name: &str) -> io::Result<String> {
    let mut text = String::new();
    File::open(name)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(io::Error::other(
            "the file has more than 16 MiB, which are no lines of a header",
        ));
    }
    Ok(text)
}

/// The line, if it may stand in a header beside the lines that the program writes.
fn check(line: &str) -> Result<String, String> {
    let shown = line.escape_debug();
    let (kind, fields) = line.split_once('\t').unwrap_or((line, ""));
    let letters: Vec<u8> = kind.bytes().skip(1).collect();
    let is_kind =
        kind.starts_with('@') && letters.len() == 2 && letters.iter().all(u8::is_ascii_alphabetic);
    let is_field = |field: &str| field.split_once(':').is_some_and(|(tag, _)| tag.len() == 2);
    if !is_kind || kind != "@CO" && !fields.split('\t').all(is_field) {
        return Err(format!("'{shown}' is not a line of a header, such as '@CO\\ttext'"));
    }
    if line.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err(format!("'{shown}' has control characters"));
    }
    match kind {
        "@SQ" => Err("@SQ lines are made of the reference: leave them out".to_owned()),
        "@PG" if fields.split('\t').any(|field| field == "ID:gpualign") => {
            Err("the ID gpualign of @PG is this program's own: give the line another".to_owned())
        }
        _ => Ok(line.to_owned()),
    }
}

/// Checks that together with the read group no line of the header is there twice that may be there once.
///
/// # Errors
/// Names the line.
pub fn check_together(lines: &[String], group: Option<&ReadGroup>) -> Result<(), String> {
    let id = |line: &str| {
        let kind = line.get(..3)?;
        let id = line.split('\t').find(|field| field.starts_with("ID:"));
        match kind {
            "@HD" => Some("@HD".to_owned()),
            "@RG" | "@PG" => Some(format!("{kind} {}", id?)),
            _ => None,
        }
    };
    let own = group.map(|group| group.line.as_str());
    let mut known: Vec<String> = Vec::new();
    for found in lines.iter().map(String::as_str).chain(own).filter_map(id) {
        if known.contains(&found) {
            return Err(format!("the header would have {found} twice: leave one out of -H and -R"));
        }
        known.push(found);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_files_have_lines() {
        let two = vec!["@CO\ta b".to_owned(), "@RG\tID:x".to_owned()];
        assert_eq!(lines("@CO\\ta b\\n@RG\\tID:x"), Ok(two.clone()));
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lines");
        std::fs::write(&file, "@CO\ta b\n@RG\tID:x\n").expect("writes");
        assert_eq!(lines(&file.to_string_lossy()), Ok(two.clone()));
        let group = "@RG\\tID:x".parse().expect("is one");
        assert!(check_together(&two, Some(&group)).is_err());
        assert!(check_together(&two, None).is_ok());
    }

    #[test]
    fn other_lines_are_refused() {
        for text in ["@", "@CO2\\tx", "@RG\\tx", "@SQ\\tSN:a", "@PG\\tID:gpualign", "none"] {
            assert!(lines(text).is_err(), "{text}");
        }
    }
}
