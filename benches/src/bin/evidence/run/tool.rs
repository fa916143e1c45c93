//! Finding gpualign and the programs that it is compared with.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// The paths of gpualign and gpualign-bench, and the folders of other programs.
#[derive(Debug)]
pub struct Tools {
    own: PathBuf,
    bench: PathBuf,
    folders: Vec<PathBuf>,
}

/// An installed program, with the version that it prints.
#[derive(Debug, Clone)]
pub struct Tool {
    pub path: PathBuf,
    pub version: String,
    /// The commit that it was built from, if `benches/peers/build` built it, which leaves it in a file `PROGRAM.commit`.
    pub commit: Option<String>,
}

impl Tools {
    /// gpualign and gpualign-bench at these paths; other programs in the folder `first`, then in those of PATH.
    pub fn new(own: PathBuf, bench: PathBuf, first: Option<&Path>) -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        let first = first.and_then(|folder| folder.canonicalize().ok());
        Self { own, bench, folders: first.into_iter().chain(env::split_paths(&path)).collect() }
    }

    /// The program gpualign, with its version.
    pub fn own(&self) -> Result<Tool> {
        Ok(Tool { path: self.own.clone(), version: self.own_version()?, commit: None })
    }

    /// The program `gpualign-bench`, which measures the papers' experiments.
    ///
    /// # Errors
    /// If it is not there.
    pub fn bench(&self) -> Result<Tool> {
        let path = self.bench.canonicalize().with_context(|| {
            let path = self.bench.display();
            format!("{path}: there is no such program: build gpualign-benches first, or name it by --bench")
        })?;
        Ok(Tool { path, version: self.own_version()?, commit: None })
    }

    /// The version that gpualign prints.
    pub fn own_version(&self) -> Result<String> {
        version(&self.own, &["--version"]).context("gpualign does not tell its version")
    }

    /// The number of GPUs that gpualign finds.
    pub fn gpus(&self) -> Result<u64> {
        let output = Command::new(&self.own).arg("devices").output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter(|line| line.starts_with("cuda:")).count() as u64)
    }

    /// The first installed program of `names`; with the arguments `asked` it prints its version.
    pub fn find(&self, names: &[&str], asked: &[&str]) -> Option<Tool> {
        let paths = names.iter().flat_map(|name| self.folders.iter().map(move |f| f.join(name)));
        let path = paths.into_iter().find(|path| path.is_file())?;
        let version = version(&path, asked).unwrap_or_else(|| "unknown".to_owned());
        let mut beside = path.clone().into_os_string();
        beside.push(".commit");
        let commit = fs::read_to_string(beside).ok().map(|text| text.trim().to_owned());
        Some(Tool { path, version, commit })
    }

    /// The search path: the preferred folder, then those of PATH.
    ///
    /// # Errors
    /// If the name of the preferred folder has a colon.
    pub fn search_path(&self) -> Result<OsString> {
        env::join_paths(&self.folders).context("--peers")
    }
}

/// The first word with a digit, a dot and a digit in the output of a program.
fn version(path: &Path, asked: &[&str]) -> Option<String> {
    // Some programs print their version in a usage and fail, and some leave a file.
    let folder = tempfile::tempdir().ok()?;
    let mut command = Command::new(path);
    let output = command.args(asked).current_dir(&folder).stdin(Stdio::null()).output().ok()?;
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let is_version = |word: &&str| {
        let bytes = word.as_bytes();
        let dotted = |w: &[u8]| w[0].is_ascii_digit() && w[1] == b'.' && w[2].is_ascii_digit();
        !word.contains('/') && bytes.windows(3).any(dotted)
    };
    let text = text.join("\n");
    let word = text.split(|c: char| c.is_whitespace() || c == ':').find(is_version)?;
    Some(word.trim_end_matches(',').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_preferred_folder_come_first_with_their_commits() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sh");
        fs::write(&path, "").expect("writes");
        fs::write(folder.path().join("sh.commit"), "abc1234\n").expect("writes");
        let none = PathBuf::new();
        let found = |first: Option<&Path>| {
            Tools::new(none.clone(), none.clone(), first).find(&["sh"], &[]).expect("is there")
        };
        let preferred = found(Some(folder.path()));
        assert_eq!(preferred.commit.as_deref(), Some("abc1234"));
        assert_eq!(preferred.path, path.canonicalize().expect("is there"));
        assert_eq!(found(None).commit, None);
    }

    #[test]
    fn asking_for_a_version_leaves_nothing_here() {
        let script = "echo > left-by-a-version.csv; pwd; echo tool: 1.2.3-r4, >&2; exit 1";
        let found = version(Path::new("/bin/sh"), &["-c", script]);
        assert_eq!(found.as_deref(), Some("1.2.3-r4"));
        assert!(!Path::new("left-by-a-version.csv").exists());
        assert_eq!(version(Path::new("/bin/sh"), &["-c", "echo none"]), None);
    }
}
