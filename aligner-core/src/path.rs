//! Names of files beside other files.

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
