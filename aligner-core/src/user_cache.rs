//! The user's cache of this program: its folder, and files of JSON there.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Serialize;

/// The folder: `$XDG_CACHE_HOME/gpualign`, or else `~/.cache/gpualign`; `None` if the environment names none.
pub fn folder() -> Option<PathBuf> {
    // As the specification of these folders says, a relative path counts as none.
    let named = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    Some(caches?.join("gpualign"))
}

/// Writes a value to a file, which gets its name when it is complete. Makes its folder if there is none.
///
/// # Errors
/// If the file cannot be written, or the value is none of JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all((serde_json::to_string_pretty(value)? + "\n").as_bytes())?;
    file.persist(path)?;
    Ok(())
}
