//! The destination of one output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use aligner_core::path::extended;
use anyhow::{Context, Result, bail};

use super::outputs::Outputs;
use super::staged::{StagedFile, keep_permissions, place_all};
use super::stdout;
use super::temporary::TemporaryPaths;

/// The destination of one output, made by [`Outputs::target`].
#[derive(Debug)]
pub struct Target {
    /// The name in messages.
    name: String,
    destination: Destination,
}

#[derive(Debug)]
enum Destination {
    Stdout,
    /// A device, a pipe or a descriptor, which is written to directly.
    Special(PathBuf),
    /// A regular file and its companions, which get their names when they are complete.
    Staged(Vec<StagedFile>),
}

impl Target {
    pub(super) fn stdout() -> Self {
        Self { name: stdout::NAME.to_owned(), destination: Destination::Stdout }
    }

    pub(super) fn special(path: PathBuf, name: String) -> Self {
        Self { name, destination: Destination::Special(path) }
    }

    pub(super) fn staged(path: PathBuf, name: String) -> Result<Self> {
        let file = StagedFile::new(path).with_context(|| format!("{name}: cannot write"))?;
        Ok(Self { name, destination: Destination::Staged(vec![file]) })
    }

    /// Opens the target for writing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(&self) -> io::Result<OwnedFd> {
        match &self.destination {
            Destination::Stdout => stdout::open(),
            Destination::Special(path) => {
                // A regular file is only met here as a descriptor, behind whose text more is written.
                let is_file = fs::metadata(path)?.is_file();
                Ok(OpenOptions::new().write(true).append(is_file).open(path)?.into())
            }
            Destination::Staged(files) => Ok(files[0].file().try_clone()?.into()),
        }
    }

    /// Makes `write` write all of the target, which can be committed then.
    ///
    /// # Errors
    /// Names the target, if `write` fails or the system refuses.
    pub fn write(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
        let written = self.open().and_then(|descriptor| write(&mut descriptor.into()));
        written.with_context(|| self.name.clone())
    }

    /// As [`write`](Self::write), for a file that a map into memory must not find changed after a failure of the machine:
    /// a regular file is on the disk before it gets its name.
    ///
    /// # Errors
    /// Names the target, if `write` fails or the system refuses.
    pub fn write_and_sync(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
        self.write(|file| {
            write(file)?;
            if self.is_regular_file() { file.sync_all() } else { Ok(()) }
        })
    }

    /// Writes this text, which is all of the target.
    ///
    /// # Errors
    /// Names the target, if the system refuses.
    pub fn write_text(&self, text: &str) -> Result<()> {
        self.write(|file| file.write_all(text.as_bytes()))
    }

    /// The name of the target in messages.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Whether the target is a regular file, which may be written in any order.
    pub fn is_regular_file(&self) -> bool {
        matches!(self.destination, Destination::Staged(_))
    }

    /// The path of the complete file; `None` if the target is not a regular file.
    pub fn path(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Stdout | Destination::Special(_) => None,
            Destination::Staged(files) => Some(files[0].target()),
        }
    }

    /// The path to write a companion to: a file with this extension after the name of this one, which gets its name
    /// together with it. `None` if the target is not a regular file.
    ///
    /// # Errors
    /// If the companion may not be written.
    pub fn companion(&mut self, extension: &str, outputs: &mut Outputs) -> Result<Option<PathBuf>> {
        let Destination::Staged(files) = &mut self.destination else { return Ok(None) };
        let path = extended(files[0].target(), extension);
        let name = extended(Path::new(&self.name), extension).display().to_string();
        let resolved = outputs.reserve_as(&path, name.clone())?;
        if fs::metadata(&resolved).is_ok_and(|found| !found.is_file()) {
            bail!("{name}: not a regular file");
        }
        let file = StagedFile::new(resolved).with_context(|| format!("{name}: cannot write"))?;
        let path = file.path();
        files.push(file);
        Ok(Some(path))
    }

    /// The folder for temporary files: that of a regular file, where there is room, or else that of the system.
    pub fn scratch_folder(&self) -> PathBuf {
        match self.path().and_then(Path::parent) {
            None => std::env::temp_dir(),
            Some(folder) => folder.to_owned(),
        }
    }

    /// Gives the complete file and its companions their names.
    ///
    /// # Errors
    /// If they cannot get them.
    pub fn commit(self) -> Result<()> {
        commit([self])
    }

    /// Gives the name of the target to a complete file that has another name in the same folder.
    ///
    /// # Errors
    /// Names the target, if the system refuses.
    pub fn commit_renamed(self, complete: &File, path: &Path) -> Result<()> {
        let Some(target) = self.path() else { bail!("{}: not a regular file", self.name) };
        let rename = || {
            // The list is held so that an interruption comes before or after this.
            let _temporary = TemporaryPaths::lock();
            match fs::symlink_metadata(target) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok(old) if !old.is_file() => {
                    return Err(io::Error::other("it is not a regular file any more"));
                }
                Ok(_) => keep_permissions(complete, target)?,
            }
            fs::rename(path, target)
        };
        rename().with_context(|| self.name.clone())
    }
}

/// Gives all complete files of these targets their names, or none.
///
/// # Errors
/// Names the file that could not get its name.
pub fn commit(targets: impl IntoIterator<Item = Target>) -> Result<()> {
    let files = targets.into_iter().flat_map(|target| match target.destination {
        Destination::Stdout | Destination::Special(_) => Vec::new(),
        Destination::Staged(files) => files,
    });
    place_all(files.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::TempDir;

    use super::*;

    fn entries(folder: &TempDir) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("lists");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
    }

    fn target(path: &Path) -> Target {
        Outputs::default().target(Some(path)).expect("stages")
    }

    fn written(path: &Path, text: &str) -> Target {
        let target = target(path);
        target.write_text(text).expect("writes");
        target
    }

    #[test]
    fn a_file_appears_when_committed_and_leaves_no_trace_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        drop(written(&path, "half"));
        assert_eq!(entries(&folder).len(), 0);
        for text in ["whole", "new"] {
            written(&path, text).commit().expect("commits");
            assert_eq!(fs::read(&path).expect("reads"), text.as_bytes());
            assert_eq!(entries(&folder).len(), 1);
        }
        drop(written(&path, "half"));
        assert_eq!(fs::read(&path).expect("reads"), b"new");
        // A file that was made since is replaced, too.
        let other = folder.path().join("other");
        let late = written(&other, "late");
        fs::write(&other, "early").expect("writes");
        late.commit().expect("commits");
        assert_eq!(fs::read(&other).expect("reads"), b"late");
        assert_eq!(entries(&folder).len(), 2);
    }

    #[test]
    fn the_mode_of_a_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        fs::write(&path, "old").expect("writes");
        for mode in [0o600, 0o664, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("sets");
            written(&path, "new").commit().expect("commits");
            let found = fs::metadata(&path).expect("is there").permissions().mode() & 0o777;
            assert_eq!(found, mode, "{found:o}");
        }
    }

    #[test]
    fn companions_come_with_their_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.bam");
        for round in 0..2 {
            let mut outputs = Outputs::default();
            let mut target = outputs.target(Some(&path)).expect("stages");
            let companion = target.companion("bai", &mut outputs).expect("stages");
            fs::write(companion.expect("is a file"), "index").expect("writes");
            target.write_text("records").expect("writes");
            assert_eq!(entries(&folder).len(), 2 * round);
            target.commit().expect("commits");
            assert_eq!(entries(&folder), ["out.bam", "out.bam.bai"].map(str::to_owned).into());
            assert_eq!(fs::read(&path).expect("reads"), b"records");
            let index = folder.path().join("out.bam.bai");
            assert_eq!(fs::read(&index).expect("reads"), b"index");
            let modified =
                |path| fs::metadata(path).expect("is there").modified().expect("is known");
            assert!(modified(&index) >= modified(&path));
        }
    }

    #[test]
    fn all_files_get_their_names_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for old in [None, Some("old")] {
            if let Some(old) = old {
                fs::write(path("one"), old).expect("writes");
            }
            let targets = ["one", "two", "three"].map(|name| written(&path(name), "new"));
            fs::create_dir(path("three")).expect("a folder");
            let before = entries(&folder);
            let error = commit(targets).expect_err("is a folder");
            assert!(format!("{error:#}").contains("three: it is not a regular file"), "{error:#}");
            assert_eq!(entries(&folder), before);
            fs::remove_dir(path("three")).expect("removes");
            assert_eq!(fs::read(path("one")).ok(), old.map(Into::into));

            // The folder of the last file goes when the first could have its name.
            fs::create_dir(path("sub")).expect("a folder");
            let targets = ["one", "two", "sub/three"].map(|name| written(&path(name), "new"));
            fs::remove_dir_all(path("sub")).expect("removes");
            let error = commit(targets).expect_err("is gone");
            assert!(format!("{error:#}").contains("sub/three: No such file"), "{error:#}");
            assert_eq!(fs::read(path("one")).ok(), old.map(Into::into));
            assert_eq!(entries(&folder).len(), usize::from(old.is_some()));
        }
    }

    #[test]
    fn a_link_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        symlink("real", &link).expect("links");
        // At first, there is no file behind the link.
        for text in ["first", "second"] {
            written(&link, text).commit().expect("commits");
            assert!(link.is_symlink());
            assert_eq!(fs::read(&real).expect("reads"), text.as_bytes());
        }
    }

    #[test]
    fn devices_are_written_to_and_stay() {
        let null = written(Path::new("/dev/null"), "text");
        assert!(!null.is_regular_file());
        null.commit().expect("commits");
        let full = target(Path::new("/dev/full"));
        let error = full.write_text("text").expect_err("is full");
        assert!(format!("{error:#}").starts_with("/dev/full: No space left"), "{error:#}");
    }
}
