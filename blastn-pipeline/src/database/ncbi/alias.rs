//! Lists of databases (`.nal`): other databases that are searched as one, all of their sequences or some.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aligner_core::input_location::InputLocation;
use aligner_core::path::{extended, is_file};

use super::NcbiDatabaseError;
use super::search_path::SearchPath;
use super::selection::Selection;

/// Greatest number of lists that name each other.
const MAX_DEPTH: usize = 16;

/// Entries that select sequences in ways that are not supported.
const UNSUPPORTED: [&str; 5] = ["OIDLIST", "TILIST", "FIRST_OID", "LAST_OID", "MEMB_BIT"];

/// A database: a volume, or a list of databases.
#[derive(Debug)]
pub(super) enum DatabaseNode {
    /// The name of a volume's files without extensions.
    Volume(PathBuf),
    List(DatabaseList),
}

/// A list of databases.
#[derive(Debug)]
pub(super) struct DatabaseList {
    /// Title, if the list has its own.
    pub(super) title: Option<String>,
    /// Number of sequences, if the list tells.
    pub(super) sequences: Option<u64>,
    /// Number of letters of all sequences, if the list tells.
    pub(super) letters: Option<u64>,
    /// Which sequences of the databases belong to the list: those that all of these select.
    pub(super) selections: Vec<Arc<Selection>>,
    pub(super) databases: Vec<DatabaseNode>,
}

impl DatabaseNode {
    /// Reads the database at a path without extension: a list if there is one, else a volume.
    pub(super) fn read(path: &Path, search_path: &SearchPath) -> Result<Self, NcbiDatabaseError> {
        Self::within(path, search_path, &mut Vec::new())
    }

    /// As [`Self::read`]; `lists` are the lists that the database is in.
    fn within(
        path: &Path,
        search_path: &SearchPath,
        lists: &mut Vec<PathBuf>,
    ) -> Result<Self, NcbiDatabaseError> {
        let file = extended(path, "nal");
        let names_itself = lists.iter().any(|list| list == path);
        let unreadable = |source| NcbiDatabaseError::Read { path: file.clone(), source };
        if names_itself || !is_file(&file).map_err(unreadable)? {
            // A list may have the name of a volume that it selects from.
            return Ok(Self::Volume(path.to_owned()));
        }
        let refused = |problem: String| NcbiDatabaseError::Malformed {
            location: InputLocation::in_file(&file),
            problem,
        };
        if lists.len() == MAX_DEPTH {
            return Err(refused(format!(
                "it is in {MAX_DEPTH} lists of databases, one in another"
            )));
        }
        let text = fs::read(&file).map_err(unreadable)?;
        let entries = entries(&String::from_utf8_lossy(&text));
        if let Some(key) = UNSUPPORTED.iter().find(|&&key| entries.contains_key(key)) {
            return Err(refused(format!(
                "it selects sequences by {key}, which is not supported: search the databases that it lists, with \
                 -seqidlist or -taxids for some of their sequences"
            )));
        }
        let names = entries.get("DBLIST").map_or_else(Vec::new, |names| split_names(names));
        if names.is_empty() {
            return Err(refused("it lists no databases (DBLIST)".to_owned()));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let near = search_path.behind(folder);
        lists.push(path.to_owned());
        let mut databases = Vec::new();
        for name in names {
            let Some(found) = near.find(&name) else {
                let name = name.display();
                return Err(refused(format!("it lists the database {name}, which is not there")));
            };
            databases.push(Self::within(&found, search_path, lists)?);
        }
        lists.pop();
        let number = |key: &str| match entries.get(key) {
            Some(text) => {
                let number = text.parse::<u64>();
                number.map(Some).map_err(|_| refused(format!("{key} is not a number: {text}")))
            }
            None => Ok(None),
        };
        let mut selections = Vec::new();
        for (key, read) in Selection::READERS {
            if let Some(name) = entries.get(key) {
                selections.push(Arc::new(read(&folder.join(name.trim_matches('"')))?));
            }
        }
        Ok(Self::List(DatabaseList {
            title: entries.get("TITLE").cloned(),
            sequences: number("NSEQ")?,
            letters: number("LENGTH")?,
            selections,
            databases,
        }))
    }
}

/// The entries of a list: keys and values.
fn entries(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let (key, value) = line.split_once(char::is_whitespace)?;
        Some((key.to_owned(), value.trim().to_owned()))
    };
    lines.filter_map(entry).collect()
}

/// The names of databases in a text, separated by blanks. Names with blanks stand in quotation marks.
pub(super) fn split_names(text: &str) -> Vec<PathBuf> {
    let mut names = Vec::new();
    // Every second part stands between quotation marks.
    for (number, part) in text.split('"').enumerate() {
        if number % 2 == 1 {
            names.push(PathBuf::from(part));
        } else {
            names.extend(part.split_whitespace().map(PathBuf::from));
        }
    }
    names.retain(|name| !name.as_os_str().is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_names() {
        let text = "#\n# Alias file\nTITLE  my genomes \nDBLIST \"a b\" c\n\nNSEQ 6\n";
        let entries = entries(text);
        assert_eq!(entries["TITLE"], "my genomes");
        assert_eq!(split_names(&entries["DBLIST"]), ["a b", "c"].map(PathBuf::from));
        assert_eq!(split_names(" x\ty "), ["x", "y"].map(PathBuf::from));
    }

    #[test]
    fn lists_of_lists_and_lists_that_name_themselves() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            fs::write(folder.path().join(file), text).expect("writes");
        };
        let read = |name: &str| {
            DatabaseNode::read(&folder.path().join(name), &SearchPath::new([]))
                .map_err(|it| it.to_string())
        };
        write("a.nin", "");
        write("a.nal", "DBLIST a\nTITLE some of a\nNSEQ 3\nLENGTH 9\n");
        write("top.nal", "DBLIST a a\n");
        let Ok(DatabaseNode::List(top)) = read("top") else { panic!("a list") };
        let [DatabaseNode::List(list), _] = &top.databases[..] else { panic!("a list") };
        assert_eq!(list.title.as_deref(), Some("some of a"));
        assert_eq!((list.sequences, list.letters), (Some(3), Some(9)));
        assert!(matches!(&list.databases[..], [DatabaseNode::Volume(_)]));
        for (text, expected) in [
            ("", "lists no databases"),
            ("DBLIST nope\n", "the database nope, which is not there"),
            ("DBLIST a\nOIDLIST x\n", "OIDLIST"),
            ("DBLIST a\nNSEQ many\n", "NSEQ is not a number"),
            ("DBLIST a\nGILIST nope.gil\n", "nope.gil"),
        ] {
            write("bad.nal", text);
            let problem = read("bad").expect_err("is refused");
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
