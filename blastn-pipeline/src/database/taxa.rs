//! The taxa of the sequences of a database that is made, as makeblastdb takes them: one of all, or a file of identifiers.

use std::fs;
use std::path::Path;

use aligner_core::input_location::InputLocation;
use rustc_hash::FxHashMap;

use super::defline::{Defline, SeqId, parse};
use crate::error::SequenceError;

/// The taxa of sequences.
#[derive(Debug, Clone, Default)]
pub struct TaxonMap {
    /// The taxon of all sequences, if it is not 0.
    of_all: u32,
    /// The taxon of each identifier, without its database.
    by_name: FxHashMap<String, u32>,
}

impl TaxonMap {
    /// One taxon of all sequences (`-taxid`).
    pub fn of_all(taxid: u32) -> Self {
        Self { of_all: taxid, by_name: FxHashMap::default() }
    }

    /// Whether no sequence has a taxon.
    pub fn is_empty(&self) -> bool {
        self.of_all == 0 && self.by_name.is_empty()
    }

    /// Reads a file with an identifier and the number of a taxon in a line (`-taxid_map`). Lines without two words are left out, as
    /// makeblastdb does.
    ///
    /// # Errors
    /// If it cannot be read, or a number is none.
    pub fn read(path: &Path) -> Result<Self, SequenceError> {
        let file = InputLocation::in_file(path);
        let text = fs::read(path).map_err(|error| SequenceError {
            location: file.clone(),
            problem: error.to_string(),
        })?;
        let mut by_name = FxHashMap::default();
        for (line, text) in (1..).zip(String::from_utf8_lossy(&text).lines()) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let [name, taxid] = words[..] else { continue };
            let taxid = taxid.parse().map_err(|_| SequenceError {
                location: InputLocation { line: Some(line), ..file.clone() },
                problem: format!(
                    "'{taxid}' is not the number of a taxon, which follows an identifier"
                ),
            })?;
            let ids = parse::parse(name).ok().and_then(|lines| lines.into_iter().next());
            let id = ids.and_then(|line| line.ids.into_iter().next());
            by_name.insert(id.map_or_else(|| name.to_owned(), |id| id.accession_version()), taxid);
        }
        Ok(Self { of_all: 0, by_name })
    }

    /// The taxon of a sequence with these identifiers, or 0. One in the file may lack the version.
    fn of(&self, ids: &[SeqId]) -> u32 {
        let known = ids.iter().find_map(|id| {
            let name = id.accession_version();
            let without_version = || name.split_once('.').map(|(name, _)| name);
            let found = self.by_name.get(&name);
            found.or_else(|| self.by_name.get(without_version()?))
        });
        known.copied().unwrap_or(self.of_all)
    }

    /// Gives definition lines their taxa.
    pub(super) fn assign(&self, lines: &mut [Defline]) {
        for line in lines {
            line.taxid = self.of(&line.ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taxa_are_found_with_and_without_versions() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("taxa");
        fs::write(&path, "s1 9606\nAB000001.1\t562\nNC_000913 7\ngnl|db|t 8\n\nalone\n")
            .expect("writes");
        let taxa = TaxonMap::read(&path).expect("reads");
        let taxid = |header: &str| {
            let mut lines = parse::parse(header).expect("a line");
            taxa.assign(&mut lines);
            lines[0].taxid
        };
        let headers = ["s1", "gi|1|gb|AB000001.1|", "NC_000913.3", "gnl|db|t", "AB000001.2", "x"];
        assert_eq!(headers.map(taxid), [9606, 562, 7, 8, 0, 0]);
        fs::write(&path, "s1 9606\ns2 human\n").expect("writes");
        let problem = TaxonMap::read(&path).expect_err("is refused").to_string();
        assert!(problem.contains("line 2: 'human'"), "{problem}");
        assert!(TaxonMap::default().is_empty() && !TaxonMap::of_all(5).is_empty());
    }
}
