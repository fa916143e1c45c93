//! Read groups, given as `@RG` lines as in bwa.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::output::escapes::unescape;

/// A read group: reads of a lane, or of several.
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
        self.field("LB:")
    }

    /// Its sample, `SM`, if the line has one.
    fn sample(&self) -> Option<&str> {
        self.field("SM:")
    }

    /// The value of the first field that begins so.
    fn field(&self, begin: &str) -> Option<&str> {
        self.line.split('\t').find_map(|field| field.strip_prefix(begin))
    }

    /// Its fields, in an order that does not depend on that of the line.
    fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.line.split('\t').collect();
        fields.sort_unstable();
        fields
    }
}

/// The read groups of a run, in the order of their first use.
#[derive(Debug, Default)]
pub struct ReadGroups(Vec<ReadGroup>);

impl ReadGroups {
    /// The name of the library of reads whose group has none, Picard's.
    const UNKNOWN_LIBRARY: &str = "Unknown Library";

    /// Adds a group, unless it was added before, and returns its number.
    ///
    /// # Errors
    /// If another group has its ID, but other fields.
    pub fn add(&mut self, group: &ReadGroup) -> Result<u32, String> {
        let same_id = self.0.iter().position(|other| other.id == group.id);
        let number = same_id.unwrap_or_else(|| {
            self.0.push(group.clone());
            self.0.len() - 1
        });
        if self.0[number].fields() != group.fields() {
            return Err(format!(
                "two read groups with the ID '{}' differ in other fields",
                group.id
            ));
        }
        Ok(number as u32)
    }

    /// The group with this number.
    pub fn get(&self, number: u32) -> &ReadGroup {
        &self.0[number as usize]
    }

    /// All groups in order.
    pub fn iter(&self) -> impl Iterator<Item = &ReadGroup> {
        self.0.iter()
    }

    /// The names of the samples that the groups are of, in the order of the first group of each.
    pub fn samples(&self) -> Vec<&str> {
        let mut samples = Vec::new();
        for sample in self.0.iter().filter_map(ReadGroup::sample) {
            if !samples.contains(&sample) {
                samples.push(sample);
            }
        }
        samples
    }

    /// The libraries of the groups; reads without a group have number 0, and are of one library, too.
    pub fn libraries(&self) -> Libraries {
        let mut libraries = Libraries { names: Vec::new(), of_groups: Vec::new() };
        let of_groups: Vec<Option<&str>> = self.0.iter().map(ReadGroup::library).collect();
        for name in if of_groups.is_empty() { vec![None] } else { of_groups } {
            let name = name.unwrap_or(Self::UNKNOWN_LIBRARY);
            let number = libraries.names.iter().position(|other| other == name);
            let number = number.unwrap_or_else(|| {
                libraries.names.push(name.to_owned());
                libraries.names.len() - 1
            });
            libraries.of_groups.push(number as u32);
        }
        libraries
    }
}

/// The libraries that reads are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libraries {
    /// Their names, in the order of the first read group of each.
    pub names: Vec<String>,
    /// The number of the library of each read group.
    pub of_groups: Vec<u32>,
}

impl FromStr for ReadGroup {
    type Err = String;

    /// Parses `@RG\tID:x\tSM:y`, with tabs or with `\t` for them (SAM specification, section 1.3).
    fn from_str(text: &str) -> Result<Self, String> {
        Self::of_line(unescape(text))
    }
}

impl ReadGroup {
    /// The read group of a header line without escapes and without a line end.
    ///
    /// # Errors
    /// Why the line is not one of a read group.
    pub fn of_line(line: String) -> Result<Self, String> {
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
    fn groups_with_one_id_are_one() {
        let mut groups = ReadGroups::default();
        let mut add =
            |line: &str| groups.add(&line.parse().expect("parses")).map_err(|_| "refused");
        assert_eq!(add("@RG\\tID:a\\tLB:x\\tSM:s"), Ok(0));
        assert_eq!(add("@RG\\tID:b\\tLB:y"), Ok(1));
        assert_eq!(add("@RG\\tID:a\\tSM:s\\tLB:x"), Ok(0));
        assert_eq!(add("@RG\\tID:a\\tSM:s"), Err("refused"));
        assert_eq!(add("@RG\\tID:c"), Ok(2));
        assert_eq!(add("@RG\\tID:d\\tLB:x\\tSM:t"), Ok(3));
        assert_eq!(groups.iter().count(), 4);
        assert_eq!(groups.samples(), ["s", "t"]);
        let Libraries { names, of_groups } = groups.libraries();
        assert_eq!(names, ["x", "y", "Unknown Library"]);
        assert_eq!(of_groups, [0, 1, 2, 0]);
        let none = ReadGroups::default().libraries();
        assert_eq!((none.names, none.of_groups), (vec!["Unknown Library".to_owned()], vec![0]));
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
