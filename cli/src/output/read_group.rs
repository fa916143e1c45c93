//! The read group of `-R`, given as an `@RG` line as in bwa.

use std::str::FromStr;

use crate::output::header::unescape;

/// The read group of all reads of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadGroup {
    /// The header line, without a line end.
    pub line: String,
    /// Its `ID`, which is the `RG` tag of records.
    pub id: String,
}

impl ReadGroup {
    /// Its library, `LB`, if the line has one.
    pub fn library(&self) -> Option<&str> {
        self.line.split('\t').find_map(|field| field.strip_prefix("LB:"))
    }
}

impl FromStr for ReadGroup {
    type Err = String;

    /// Parses `@RG\tID:x\tSM:y`, with tabs or with `\t` for them (SAM specification, section 1.3).
    fn from_str(text: &str) -> Result<Self, String> {
        let line = unescape(text);
        let mut fields = line.split('\t');
        if fields.next() != Some("@RG") {
            return Err("the line does not begin with '@RG' and a tab".to_owned());
        }
        let mut id = None;
        let mut tags = Vec::new();
        for field in fields {
            let Some((tag, value)) = field.split_once(':') else {
                return Err(format!("'{field}' is not of the form TAG:VALUE"));
            };
            let mut letters = tag.bytes();
            let starts_with_letter = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic());
            if tag.len() != 2 || !starts_with_letter || !letters.all(|b| b.is_ascii_alphanumeric())
            {
                return Err(format!("'{tag}' is not a tag of two letters"));
            }
            if value.is_empty() || value.chars().any(char::is_control) {
                return Err(format!("the value of {tag} is empty or has control characters"));
            }
            if tags.contains(&tag) {
                return Err(format!("two values of {tag}"));
            }
            tags.push(tag);
            if tag == "ID" {
                id = Some(value.to_owned());
            }
        }
        let id = id.ok_or("the line has no ID")?;
        if !id.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err("the ID is not printable ASCII".to_owned());
        }
        Ok(Self { line, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed_as_bwa_does() {
        let group: ReadGroup = "@RG\\tID:lane 1\tSM:x:y".parse().expect("parses");
        assert_eq!(group.line, "@RG\tID:lane 1\tSM:x:y");
        assert_eq!(group.id, "lane 1");
    }

    #[test]
    fn malformed_lines_are_refused() {
        for line in [
            "",
            "@RG",
            "ID:x",
            "@RG ID:x",
            "@RG\\tSM:x",
            "@RG\\tID:",
            "@RG\\tID",
            "@RG\\tID:a\\tID:b",
            "@RG\\tID:a\\tSAM:b",
            "@RG\\tID:a\\t1A:b",
            "@RG\\tID:a\\nb\n",
            "@RG\\tID:ä",
            "@RG\\tID:a\\t",
        ] {
            assert!(line.parse::<ReadGroup>().is_err(), "{line:?}");
        }
    }
}
