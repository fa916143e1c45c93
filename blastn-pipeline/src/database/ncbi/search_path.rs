//! The folders in which databases are looked for.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use aligner_core::path::extended;

/// Extensions of the files that tell that there is a database of nucleotides of a name: a list of databases, and a volume.
const EXTENSIONS: [&str; 2] = ["nal", "nin"];

/// The folders in which databases are looked for, in order, as NCBI's programs do: the current folder, those of the
/// environment variable BLASTDB, and those of the entry BLASTDB in the section BLAST of the file `.ncbirc`.
#[derive(Debug, Clone)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
}

impl SearchPath {
    /// These folders.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { folders: folders.into_iter().collect() }
    }

    /// The folders that environment and settings name. The settings are the first file `.ncbirc` in the current folder, in
    /// the folder that the environment variable NCBI names, and in the home folder.
    pub fn from_environment() -> Self {
        let folders = |list: &std::ffi::OsStr| env::split_paths(list).collect::<Vec<_>>();
        let mut all = vec![PathBuf::from(".")];
        all.extend(env::var_os("BLASTDB").iter().flat_map(|list| folders(list)));
        let homes = ["NCBI", "HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from);
        let mut settings = std::iter::once(PathBuf::from(".")).chain(homes);
        let settings = settings.find_map(|folder| fs::read_to_string(folder.join(".ncbirc")).ok());
        let list = settings.as_deref().and_then(of_settings);
        all.extend(list.iter().flat_map(|list| folders(list.as_ref())));
        all.retain(|folder| !folder.as_os_str().is_empty());
        Self { folders: all }
    }

    /// The files of the database of a name, without their extensions, if there is one.
    pub fn find(&self, name: &Path) -> Option<PathBuf> {
        let paths = self.folders.iter().map(|folder| folder.join(name));
        paths.into_iter().find(|path| is_database(path))
    }

    /// The file of a name, if a folder has it.
    pub(super) fn find_file(&self, name: &Path) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// The same folders behind another one.
    pub(super) fn behind(&self, folder: &Path) -> Self {
        let first = std::iter::once(folder.to_owned());
        Self { folders: first.chain(self.folders.iter().cloned()).collect() }
    }

    /// The folders as messages show them.
    pub fn shown(&self) -> String {
        let folders: Vec<String> =
            self.folders.iter().map(|folder| folder.display().to_string()).collect();
        folders.join(", ")
    }
}

/// Whether there is a list of databases or a volume of a name.
fn is_database(path: &Path) -> bool {
    EXTENSIONS.iter().any(|extension| extended(path, extension).is_file())
}

/// The value of BLASTDB in the section BLAST of settings.
fn of_settings(text: &str) -> Option<String> {
    let mut is_in_section = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            is_in_section = section.trim().eq_ignore_ascii_case("BLAST");
        } else if let Some((key, value)) = line.split_once('=')
            && is_in_section
            && key.trim().eq_ignore_ascii_case("BLASTDB")
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_folders_in_their_section() {
        let text = "; a comment\n[NCBI]\nBLASTDB=/no\n[BLAST]\nBATCH_SIZE=9\nBLASTDB = /a:/b\n";
        assert_eq!(of_settings(text).as_deref(), Some("/a:/b"));
        assert_eq!(of_settings("BLASTDB=/no\n"), None);
    }

    #[test]
    fn the_first_folder_with_a_database_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        for (folder, file) in [(&one, "x.nhr"), (&other, "x.nin"), (&other, "y.nal")] {
            fs::create_dir_all(folder).expect("a folder");
            fs::write(folder.join(file), "").expect("writes");
        }
        let path = SearchPath::new([one.clone(), other.clone()]);
        assert_eq!(path.find(Path::new("x")), Some(other.join("x")));
        assert_eq!(path.find(Path::new("y")), Some(other.join("y")));
        assert_eq!(path.find(&other.join("x")), Some(other.join("x")));
        assert_eq!(path.find(Path::new("z")), None);
        fs::write(one.join("x.nal"), "").expect("writes");
        assert_eq!(path.find(Path::new("x")), Some(one.join("x")));
        assert_eq!(path.behind(&other).find(Path::new("x")), Some(other.join("x")));
    }
}
