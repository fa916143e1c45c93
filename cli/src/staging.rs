//! Files that get their name only when they are complete.
//!
//! A file is written into a [`Scratch`] folder next to its final path and moved there at the end, so that no reader ever
//! sees half a file. Scratch folders are removed when their owner is dropped, and by [`abandon`] when the program is
//! interrupted.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use tempfile::TempDir;

/// All scratch folders that exist.
static SCRATCH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn scratch() -> MutexGuard<'static, Vec<PathBuf>> {
    SCRATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all scratch folders, and blocks threads that would make or commit others. To be called just before the program
/// ends.
pub fn abandon() {
    let folders = scratch();
    for folder in folders.iter() {
        // The program ends in any case, so an error is of no use.
        let _ = fs::remove_dir_all(folder);
    }
    std::mem::forget(folders);
}

/// A temporary folder, which is removed with everything in it when this value is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes a folder in `parent`.
    ///
    /// # Errors
    /// If `parent` cannot be written to.
    pub fn new_in(parent: &Path) -> Result<Self> {
        let mut folders = scratch();
        let folder = tempfile::Builder::new()
            .prefix(".gpualign-")
            .tempdir_in(parent)
            // Only the cause is kept: the error names the temporary folder, which the user does not know.
            .map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
            .map_err(|cause| anyhow!("cannot write to {}: {cause}", parent.display()))?;
        folders.push(folder.path().to_owned());
        Ok(Self { folder })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The lock is held so that an interruption finds the folder either listed or removed.
        let mut folders = scratch();
        // If this fails, TempDir would fail, too.
        let _ = fs::remove_dir_all(self.folder.path());
        folders.retain(|folder| folder != self.folder.path());
    }
}

/// A file that does not have its name yet.
#[derive(Debug)]
pub struct Staged {
    folder: Scratch,
    /// The final path of the file.
    target: PathBuf,
    /// Extensions of companions: files with the same name and one extension more.
    companions: Vec<&'static str>,
}

impl Staged {
    /// Prepares to write the file `target`; a symbolic link is followed.
    ///
    /// # Errors
    /// If its folder cannot be written to, or it is a folder itself.
    pub fn new(target: &Path) -> Result<Self> {
        let named = || target.display().to_string();
        let target = match fs::canonicalize(target) {
            Ok(found) if found.is_dir() => {
                return Err(io::Error::from(io::ErrorKind::IsADirectory)).with_context(named);
            }
            Ok(found) => found,
            Err(_) => std::path::absolute(target).with_context(named)?,
        };
        let parent = target.parent().unwrap_or(Path::new("/"));
        let folder = Scratch::new_in(parent).with_context(named)?;
        Ok(Self { folder, target, companions: Vec::new() })
    }

    /// The path to write the file to.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("unfinished")
    }

    /// The path to write a companion to, which has this extension after the name of the file.
    pub fn companion(&mut self, extension: &'static str) -> PathBuf {
        self.companions.push(extension);
        extended(&self.path(), extension)
    }

    /// Moves the complete file and its companions to their final paths.
    ///
    /// # Errors
    /// If they cannot be moved.
    pub fn commit(self) -> Result<()> {
        let mut moves = vec![(self.path(), self.target.clone())];
        for extension in &self.companions {
            let path = extended(&self.path(), extension);
            let target = extended(&self.target, extension);
            // Programs warn of an index that is older than its file.
            let touch = || File::options().write(true).open(&path)?.set_modified(SystemTime::now());
            touch().with_context(|| target.display().to_string())?;
            moves.push((path, target));
        }
        // The lock is held so that an interruption comes before or after all moves.
        let folders = scratch();
        for (path, target) in moves {
            fs::rename(path, &target).with_context(|| target.display().to_string())?;
        }
        drop(folders);
        Ok(())
    }
}

/// A path with one extension more.
fn extended(path: &Path, extension: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

/// The destination of output.
#[derive(Debug)]
pub enum Target {
    /// Standard output, which is not staged.
    Stdout,
    /// A device or a pipe, which is written to directly.
    Special(PathBuf),
    /// A regular file, which is staged.
    Staged(Staged),
}

impl Target {
    /// The target for a path of `--output`: standard output if there is none or it is `-`.
    ///
    /// # Errors
    /// If a regular file could not be written.
    pub fn new(path: Option<&Path>) -> Result<Self> {
        match path {
            None => Ok(Self::Stdout),
            Some(path) if path == Path::new("-") => Ok(Self::Stdout),
            Some(path) => match fs::metadata(path) {
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    Ok(Self::Special(path.to_owned()))
                }
                _ => Ok(Self::Staged(Staged::new(path)?)),
            },
        }
    }

    /// Opens the target for writing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(&self) -> io::Result<OwnedFd> {
        match self {
            Self::Stdout => io::stdout().as_fd().try_clone_to_owned(),
            Self::Special(path) => Ok(OpenOptions::new().write(true).open(path)?.into()),
            Self::Staged(staged) => Ok(File::create(staged.path())?.into()),
        }
    }

    /// The name of the target in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::Special(path) => path.display().to_string(),
            Self::Staged(staged) => staged.target.display().to_string(),
        }
    }

    /// The path to write a companion to, see [`Staged::companion`]; `None` if the target is not a regular file.
    pub fn companion(&mut self, extension: &'static str) -> Option<PathBuf> {
        match self {
            Self::Stdout | Self::Special(_) => None,
            Self::Staged(staged) => Some(staged.companion(extension)),
        }
    }

    /// The folder for temporary files: that of a regular file, where there is room, or else that of the system.
    pub fn scratch_folder(&self) -> PathBuf {
        match self {
            Self::Stdout | Self::Special(_) => std::env::temp_dir(),
            Self::Staged(staged) => staged.target.parent().unwrap_or(Path::new("/")).to_owned(),
        }
    }

    /// Moves a complete file to its final path.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn commit(self) -> Result<()> {
        match self {
            Self::Stdout | Self::Special(_) => Ok(()),
            Self::Staged(staged) => staged.commit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &TempDir) -> usize {
        fs::read_dir(folder).expect("lists").count()
    }

    #[test]
    fn a_file_appears_when_committed_and_leaves_no_trace_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out");
        let staged = Staged::new(&target).expect("stages");
        fs::write(staged.path(), "half").expect("writes");
        assert!(!target.exists());
        drop(staged);
        assert_eq!(entries(&folder), 0);

        let staged = Staged::new(&target).expect("stages");
        fs::write(staged.path(), "whole").expect("writes");
        staged.commit().expect("commits");
        assert_eq!(fs::read(&target).expect("reads"), b"whole");
        assert_eq!(entries(&folder), 1);
    }

    #[test]
    fn companions_come_with_their_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out.bam");
        let mut staged = Staged::new(&target).expect("stages");
        fs::write(staged.companion("bai"), "index").expect("writes");
        fs::write(staged.path(), "records").expect("writes");
        assert_eq!(entries(&folder), 1);
        staged.commit().expect("commits");
        assert_eq!(entries(&folder), 2);
        assert_eq!(fs::read(&target).expect("reads"), b"records");
        let index = folder.path().join("out.bam.bai");
        assert_eq!(fs::read(&index).expect("reads"), b"index");
        let modified = |path| fs::metadata(path).expect("is there").modified().expect("is known");
        assert!(modified(&index) >= modified(&target));
    }

    #[test]
    fn a_link_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").expect("writes");
        std::os::unix::fs::symlink(&real, &link).expect("links");
        let staged = Staged::new(&link).expect("stages");
        fs::write(staged.path(), "new").expect("writes");
        staged.commit().expect("commits");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).expect("reads"), b"new");
    }
}
