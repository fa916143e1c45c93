//! Selections of sequences by their identifiers or taxa, from files and options.

use std::fs;
use std::path::Path;

use aligner_core::input_location::InputLocation;
use rustc_hash::FxHashSet;

use super::NcbiDatabaseError;
use crate::database::defline::{Defline, SeqId};

/// First bytes of a binary list of NCBI's numbers (GI).
const BINARY_GIS: [u8; 4] = [0xff; 4];
/// First byte of a binary list of names, as `blastdb_aliastool` makes of a text.
const BINARY_NAMES: u8 = 0;

/// A property that some sequences have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One of NCBI's numbers (`-gilist`).
    Gis(FxHashSet<u64>),
    /// One of these names or accessions (`-seqidlist`).
    Names(NameSet),
    /// One of these taxa (`-taxids`).
    Taxids(FxHashSet<u32>),
}

/// Names of sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSet {
    /// Names as they are given, but without the name of a database before an accession.
    exact: FxHashSet<String>,
    /// The same in upper case, as accessions are.
    upper_case: FxHashSet<String>,
}

/// Reads a file of what selects sequences.
type Reader = fn(&Path) -> Result<Selection, NcbiDatabaseError>;

impl Selection {
    /// The entries of lists of databases that select sequences, and how the files that they name are read.
    pub(super) const READERS: [(&str, Reader); 3] = [
        ("GILIST", Self::read_gis),
        ("SEQIDLIST", Self::read_names),
        ("TAXIDLIST", Self::read_taxids),
    ];

    /// Reads a file of NCBI's numbers: a text with a number a line, or a binary list.
    ///
    /// # Errors
    /// If it cannot be read, or has something else than numbers.
    pub fn read_gis(path: &Path) -> Result<Self, NcbiDatabaseError> {
        let bytes = read(path)?;
        let Some(rest) = bytes.strip_prefix(&BINARY_GIS) else {
            return Ok(Self::Gis(numbers(path, &bytes)?));
        };
        let mut words = rest
            .chunks_exact(4)
            .map(|word| word.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)));
        let stated = words.next();
        let count = words.len() as u64;
        if stated != Some(count) || !rest.len().is_multiple_of(4) {
            return Err(malformed(path, "the binary list is truncated or too long"));
        }
        Ok(Self::Gis(words.collect()))
    }

    /// Reads a file of names: a text with a name a line, or a binary list.
    ///
    /// # Errors
    /// If it cannot be read, or is a binary list that is malformed.
    pub fn read_names(path: &Path) -> Result<Self, NcbiDatabaseError> {
        let bytes = read(path)?;
        if bytes.first() == Some(&BINARY_NAMES) {
            let names = binary_names(&bytes);
            let names = names.ok_or_else(|| malformed(path, "the binary list is malformed"))?;
            return Ok(Self::Names(names.iter().map(String::as_str).collect()));
        }
        let text = String::from_utf8_lossy(&bytes);
        Ok(Self::Names(lines(&text).map(|(_, line)| line).collect()))
    }

    /// Reads a file of taxa: a text with a number a line.
    ///
    /// # Errors
    /// If it cannot be read, or has something else than numbers.
    pub fn read_taxids(path: &Path) -> Result<Self, NcbiDatabaseError> {
        Ok(Self::Taxids(numbers(path, &read(path)?)?))
    }

    /// Whether a definition line has the property.
    pub(super) fn has(&self, line: &Defline) -> bool {
        match self {
            Self::Gis(gis) => SeqId::gi(&line.ids).is_some_and(|gi| gis.contains(&gi)),
            Self::Names(names) => line.ids.iter().any(|id| names.has(id)),
            Self::Taxids(taxids) => taxids.contains(&line.taxid),
        }
    }
}

impl NameSet {
    /// Whether an identifier is among the names, with or without its version.
    fn has(&self, id: &SeqId) -> bool {
        let names = match id {
            SeqId::Gi(_) => return false,
            SeqId::Accession { .. } => &self.upper_case,
            _ => &self.exact,
        };
        names.contains(&id.accession()) || names.contains(&id.accession_version())
    }
}

impl<'t> FromIterator<&'t str> for NameSet {
    fn from_iter<I: IntoIterator<Item = &'t str>>(names: I) -> Self {
        let mut set = Self::default();
        for name in names {
            let name = name.split_whitespace().next().unwrap_or_default();
            let parts: Vec<&str> = name.split('|').collect();
            let name = match parts[..] {
                ["gnl", database, tag, ..] => format!("{database}:{tag}"),
                ["pdb", molecule, chain, ..] => format!("{molecule}_{chain}"),
                ["pat", country, number, sequence, ..] => format!("{country}{number}_{sequence}"),
                ["gi", ..] => continue,
                [_, accession, ..] => accession.to_owned(),
                _ => name.to_owned(),
            };
            set.upper_case.insert(name.to_ascii_uppercase());
            set.exact.insert(name);
        }
        set
    }
}

/// The names of a binary list. It begins with a zero and the length of the file; then come the number of names, title and date,
/// the size of a database or 0, and if there is one its date and its volumes; then the names, each behind its length. Numbers
/// are little-endian.
fn binary_names(bytes: &[u8]) -> Option<Vec<String>> {
    let mut rest = bytes.get(1..)?;
    let mut take = |length: usize| {
        let (taken, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(taken)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    if number(take(8)?) != bytes.len() as u64 {
        return None;
    }
    let count = number(take(8)?);
    let title = number(take(4)?) as usize;
    take(title)?;
    let date = number(take(1)?) as usize;
    take(date)?;
    if number(take(8)?) > 0 {
        let date = number(take(1)?) as usize;
        take(date)?;
        let volumes = number(take(4)?) as usize;
        take(volumes)?;
    }
    let mut names = Vec::new();
    for _ in 0..count {
        let length = match number(take(1)?) {
            0xff => number(take(4)?),
            length => length,
        };
        names.push(String::from_utf8_lossy(take(length as usize)?).into_owned());
    }
    Some(names)
}

/// The lines of a list, each with its number from 1, without blanks around them, empty lines and comments.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The numbers of a list, one a line.
fn numbers<N: std::str::FromStr + std::hash::Hash + Eq>(
    path: &Path,
    bytes: &[u8],
) -> Result<FxHashSet<N>, NcbiDatabaseError> {
    let text = String::from_utf8_lossy(bytes);
    let number = |(line, text): (u64, &str)| {
        text.parse().map_err(|_| NcbiDatabaseError::Malformed {
            location: InputLocation { line: Some(line), ..InputLocation::in_file(path) },
            problem: format!("'{text}' is not a number, of which a line must have one"),
        })
    };
    lines(&text).map(number).collect()
}

fn malformed(path: &Path, problem: &str) -> NcbiDatabaseError {
    NcbiDatabaseError::Malformed {
        location: InputLocation::in_file(path),
        problem: problem.to_owned(),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, NcbiDatabaseError> {
    fs::read(path).map_err(|source| NcbiDatabaseError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: SeqId) -> Defline {
        Defline { ids: vec![SeqId::Gi(7), id], taxid: 9606, ..Defline::default() }
    }

    fn accession() -> SeqId {
        let (accession, name) = ("NC_000913".to_owned(), String::new());
        SeqId::Accession { database: "ref", accession, version: Some(3), name }
    }

    #[test]
    fn names_are_those_that_ncbi_finds() {
        let general = SeqId::General { database: "db".to_owned(), tag: "t1".to_owned() };
        let local = SeqId::Local("s1".to_owned());
        for (name, id, is_found) in [
            ("NC_000913", accession(), true),
            ("nc_000913.3 and text", accession(), true),
            ("gb|NC_000913.3|", accession(), true),
            ("NC_000913.1", accession(), false),
            ("gi|7", accession(), false),
            ("7", accession(), false),
            ("s1", local.clone(), true),
            ("lcl|s1", local.clone(), true),
            ("S1", local, false),
            ("gnl|db|t1", general.clone(), true),
            ("db:t1", general.clone(), true),
            ("t1", general, false),
        ] {
            let selection = Selection::Names([name].into_iter().collect());
            assert_eq!(selection.has(&line(id)), is_found, "{name}");
        }
        let gis = Selection::Gis([7].into_iter().collect());
        let taxids = Selection::Taxids([9606].into_iter().collect());
        assert!(gis.has(&line(accession())) && taxids.has(&line(accession())));
        assert!(!gis.has(&Defline::default()) && !taxids.has(&Defline::default()));
    }

    #[test]
    fn lists_are_texts_or_binary() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        let write = |bytes: &[u8]| fs::write(&path, bytes).expect("writes");
        write(b"# numbers\n12\n\n 7 \n");
        let two = Selection::Gis([7, 12].into_iter().collect());
        assert_eq!(Selection::read_gis(&path).expect("reads"), two);
        write(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2, 0, 0, 0, 12, 0, 0, 0, 7]);
        assert_eq!(Selection::read_gis(&path).expect("reads"), two);
        write(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2, 0, 0, 0, 12]);
        assert!(Selection::read_gis(&path).is_err());
        write(b"12\nx\n");
        let problem = Selection::read_taxids(&path).expect_err("is refused").to_string();
        assert!(problem.contains("line 2: 'x' is not a number"), "{problem}");
        let mut binary = vec![0, 36, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
        binary.extend(b"t\x01d\0\0\0\0\0\0\0\0\x02s1\x01b");
        binary[1] = binary.len() as u8;
        write(&binary);
        let names = Selection::Names(["s1", "b"].into_iter().collect());
        assert_eq!(Selection::read_names(&path).expect("reads"), names);
        for length in 1..binary.len() {
            write(&binary[..length]);
            assert!(Selection::read_names(&path).is_err(), "{length}");
        }
        write(b"s1\nb\n");
        assert_eq!(Selection::read_names(&path).expect("reads"), names);
    }
}
