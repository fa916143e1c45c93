//! The files of reads that an operand names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::input;

/// Whether an operand names a file of SAM, BAM or CRAM, or several of which the first is one.
pub fn names_alignments(operand: &Path) -> bool {
    let files = listed_files(operand).unwrap_or_default();
    files.first().is_some_and(|file| input::has_alignments(file))
}

/// The files that an operand names: one, or several with commas between them if there is no file with its name.
pub fn listed_files(operand: &Path) -> Result<Vec<PathBuf>, String> {
    let name = operand.as_os_str().as_bytes();
    if !name.contains(&b',') || operand.exists() {
        return Ok(vec![operand.to_owned()]);
    }
    let names: Vec<PathBuf> =
        name.split(|&byte| byte == b',').map(|name| OsStr::from_bytes(name).into()).collect();
    if names.iter().any(|name| name.as_os_str().is_empty()) {
        return Err(format!("'{}' has a comma without a file beside it", operand.display()));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_separates_files_unless_it_is_in_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a,b"), "").expect("writes");
        assert_eq!(listed_files(&path("a,b")), Ok(vec![path("a,b")]));
        assert_eq!(listed_files(&path("a,c,-")), Ok(vec![path("a"), "c".into(), "-".into()]));
        for wrong in ["a,", ",a", "a,,c", ","] {
            assert!(listed_files(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
