//! Names of files beside other files, and whether there is a file of a name.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A path with one extension more.
///
/// ```
/// use std::path::Path;
///
/// use aligner_core::path::extended;
///
/// assert_eq!(extended(Path::new("ref.fa"), "gpx"), Path::new("ref.fa.gpx"));
/// ```
pub fn extended(path: &Path, extension: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

/// Whether there is a file of this name that is not a directory, a pipe or a device.
///
/// # Errors
/// If the system does not tell: a folder may not be searched, or a disk fails. `Path::is_file` takes that for no file.
///
/// ```
/// use std::path::Path;
///
/// use aligner_core::path::is_file;
///
/// assert!(is_file(Path::new("Cargo.toml"))?);
/// assert!(!is_file(Path::new("Cargo.toml/src"))?);
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn is_file(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.is_file()),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                Ok(false)
            }
            _ => Err(error),
        },
    }
}
