//! All files of a command: none of its outputs is an input, a folder, or another output.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aligner_core::input_location::{input_name, is_stdin};
use anyhow::{Context, Result, bail};

use super::identity::{FileIdentity, is_descriptor, resolve};
use super::stdout;
use super::target::Target;

/// The standard streams as paths of the command line.
const STANDARD_STREAM: &str = "-";

/// The inputs and outputs of a command. Every file that a command writes is asked for here, before it is written.
#[derive(Debug, Default)]
pub struct Outputs {
    files: Vec<NamedFile>,
}

/// A file of the command, by the name that the user gave.
#[derive(Debug)]
struct NamedFile {
    identity: FileIdentity,
    name: String,
    is_input: bool,
}

impl Outputs {
    /// No outputs yet, for a command that reads these files; `-` is standard input.
    pub fn new<'p>(inputs: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut files = Self::default();
        for path in inputs {
            let identity =
                if is_stdin(path) { stdout::input_identity() } else { FileIdentity::of_path(path) };
            let name = input_name(path);
            // Reading tells what is wrong with a path that means no file.
            files.files.extend(identity.map(|identity| NamedFile {
                identity,
                name,
                is_input: true,
            }));
        }
        files
    }

    /// The destination of an output: standard output if there is no path or it is `-`. A symbolic link is followed.
    ///
    /// # Errors
    /// If it is an input, a folder, another output, or cannot be written.
    pub fn target(&mut self, path: Option<&Path>) -> Result<Target> {
        let Some(path) = path.filter(|&path| path != Path::new(STANDARD_STREAM)) else {
            return self.standard_output();
        };
        let name = path.display().to_string();
        let resolved = self.reserve(path)?;
        if is_descriptor(&resolved) && resolved.ends_with("1") {
            return self.standard_output();
        }
        match fs::metadata(&resolved) {
            Ok(found) if !found.is_file() || is_descriptor(&resolved) => {
                Ok(Target::special(resolved, name))
            }
            _ => Target::staged(resolved, name),
        }
    }

    /// Claims a path for an output that is written by other means than a [`Target`], or later, and returns it with all
    /// symbolic links followed.
    ///
    /// # Errors
    /// If it is an input, a folder or another output.
    pub fn reserve(&mut self, path: &Path) -> Result<PathBuf> {
        self.reserve_as(path, path.display().to_string())
    }

    /// As [`reserve`](Self::reserve), with another name in messages.
    pub(super) fn reserve_as(&mut self, path: &Path, name: String) -> Result<PathBuf> {
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/")
            || fs::metadata(path).is_ok_and(|found| found.is_dir());
        if is_folder {
            return Err(io::Error::from(io::ErrorKind::IsADirectory)).context(name);
        }
        let resolved = resolve(path).with_context(|| name.clone())?;
        // Standard output is claimed when it is known that it is written.
        if !is_descriptor(&resolved) {
            self.claim(FileIdentity::of_path(path), name)?;
        }
        Ok(resolved)
    }

    fn standard_output(&mut self) -> Result<Target> {
        stdout::open().context(stdout::NAME)?;
        self.claim(stdout::identity(), stdout::NAME.to_owned())?;
        Ok(Target::stdout())
    }

    /// Notes an output, unless the file is taken.
    fn claim(&mut self, identity: Option<FileIdentity>, name: String) -> Result<()> {
        let Some(identity) = identity else { return Ok(()) };
        if let Some(taken) = self.files.iter().find(|file| file.identity == identity) {
            let role = if taken.is_input { "an input" } else { "another output" };
            let other_name = if taken.name == name {
                String::new()
            } else {
                format!(", called {} there", taken.name)
            };
            bail!("{name}: this output is also {role}{other_name}: give it another name");
        }
        self.files.push(NamedFile { identity, name, is_input: false });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_output_is_an_input_a_folder_or_another_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).expect("a folder");
        fs::write(path("input"), "x").expect("writes");
        fs::hard_link(path("input"), path("hard")).expect("links");
        symlink("input", path("soft")).expect("links");
        let input = path("input");
        let mut outputs = Outputs::new([input.as_path(), &path("missing/input")]);
        outputs.target(Some(&path("out"))).expect("is free");
        symlink("out", path("link")).expect("links");
        for (name, reason) in [
            ("input", "this output is also an input: give it another name"),
            ("sub/../input", "is also an input, called "),
            ("hard", "is also an input"),
            ("soft", "is also an input"),
            ("out", "this output is also another output"),
            ("sub/../out", "is also another output"),
            ("link", "is also another output"),
            ("sub", "is a directory"),
            ("new/", "is a directory"),
            ("none/out", "No such file"),
            ("input/out", "Not a directory"),
        ] {
            let error = outputs.target(Some(&path(name))).expect_err(name);
            let said = format!("{error:#}");
            assert!(said.contains(reason) && said.contains(name), "{name}: {said}");
        }
        outputs.target(Some(&path("sub/out"))).expect("is free");
        for _ in 0..2 {
            outputs.target(Some(Path::new("/dev/null"))).expect("is shared");
        }
        assert_eq!(fs::read(input).expect("reads"), b"x");
    }
}
