//! Folders of temporary files, and the removal of all that is temporary.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};

/// The beginning of the name of everything temporary.
pub const PREFIX: &str = ".gpualign-";

/// How often, and after which time each, a busy list is asked for again.
const PATIENCE: (usize, Duration) = (100, Duration::from_millis(10));

/// All temporary files and folders that have a name.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The list of all temporary files and folders. While it is held, the program is not ended by an interrupt, so that what
/// is temporary is either listed or gone.
#[derive(Debug)]
pub struct TemporaryPaths(MutexGuard<'static, Vec<PathBuf>>);

impl TemporaryPaths {
    /// Waits for the list.
    pub fn lock() -> Self {
        Self(TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a path, which the end of the program removes from then on.
    pub fn add(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    /// Takes back a path, which is gone or not temporary any more.
    pub fn forget(&mut self, path: &Path) {
        self.0.retain(|listed| listed != path);
    }

    /// Removes everything, and keeps the list locked, which blocks threads that would make or name other files.
    fn remove_all(self) {
        // A folder comes before its files.
        for path in self.0.iter().rev() {
            // The program ends in any case, so an error is of no use.
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
        std::mem::forget(self.0);
    }
}

/// Removes everything temporary, and blocks threads that would make or commit other files. To be called just before the
/// program ends.
pub fn abandon() {
    TemporaryPaths::lock().remove_all();
}

/// As [`abandon`], but leaves everything if the list stays busy: the thread that holds it may be the one that ends the
/// program.
pub fn abandon_unless_busy() {
    let (times, pause) = PATIENCE;
    for _ in 0..times {
        match TEMPORARY.try_lock() {
            Ok(list) => return TemporaryPaths(list).remove_all(),
            Err(TryLockError::Poisoned(list)) => {
                return TemporaryPaths(list.into_inner()).remove_all();
            }
            Err(TryLockError::WouldBlock) => thread::sleep(pause),
        }
    }
}

/// A temporary folder, which is removed with its files when this value is dropped. They are known by their names, since
/// looking for them would need an open file more, which the system may refuse.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

impl Scratch {
    /// Makes a folder in `parent`.
    ///
    /// # Errors
    /// If `parent` cannot be written to.
    pub fn new_in(parent: &Path) -> Result<Self> {
        let mut temporary = TemporaryPaths::lock();
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(parent)
            // Only the cause is kept: the error names the temporary folder, which the user does not know.
            .map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
            .map_err(|cause| anyhow!("cannot write to {}: {cause}", parent.display()))?
            .keep();
        temporary.add(&folder);
        Ok(Self { folder, files: Vec::new() })
    }

    /// Makes a file in the folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(&mut self, name: &str) -> io::Result<File> {
        let mut temporary = TemporaryPaths::lock();
        let path = self.path(name);
        let file = File::create_new(&path)?;
        temporary.add(&path);
        self.files.push(path);
        Ok(file)
    }

    /// Removes the folder with its files.
    ///
    /// # Errors
    /// Names what cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        // Files that are gone do not stop the end of this value from removing the others.
        let named = |path: &Path, removed: io::Result<()>| {
            removed.map_err(|error| {
                let text = format!("cannot remove {}: {error}", path.display());
                io::Error::new(error.kind(), text)
            })
        };
        for file in &self.files {
            named(file, fs::remove_file(file))?;
        }
        named(&self.folder, fs::remove_dir(&self.folder))
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut temporary = TemporaryPaths::lock();
        for file in &self.files {
            // The folder cannot be removed then, either.
            let _ = fs::remove_file(file);
            temporary.forget(file);
        }
        let _ = fs::remove_dir(&self.folder);
        temporary.forget(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_files() {
        let parent = tempfile::tempdir().expect("a folder");
        let entries = |path: &Path| fs::read_dir(path).expect("lists").count();
        let mut scratch = Scratch::new_in(parent.path()).expect("a folder");
        for name in ["one", "two"] {
            scratch.create(name).expect("a file");
            assert!(scratch.create(name).is_err(), "there is one");
        }
        assert_eq!(entries(&scratch.folder), 2);
        drop(scratch);
        assert_eq!(entries(parent.path()), 0);

        let mut scratch = Scratch::new_in(parent.path()).expect("a folder");
        scratch.create("one").expect("a file");
        scratch.remove().expect("removes");
        assert_eq!(entries(parent.path()), 0);
        let scratch = Scratch::new_in(parent.path()).expect("a folder");
        fs::write(scratch.path("other"), "of others").expect("writes");
        assert!(scratch.remove().is_err());
    }
}
