//! The names of temporary files, and their removal when the program ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// The beginning of the name of everything temporary.
pub const PREFIX: &str = ".gpualign-";

/// How often, and after which time each, a busy list is asked for again.
const PATIENCE: (usize, Duration) = (100, Duration::from_millis(10));

/// All temporary files that have a name.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The list of all temporary files that have a name. While it is held, the program is not ended by an interrupt, so that what
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
        for path in self.0.iter() {
            // The program ends in any case, so an error is of no use.
            let _ = fs::remove_file(path);
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
