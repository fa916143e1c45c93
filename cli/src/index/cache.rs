//! The user's folder of indices, for references in folders that cannot be written to.
//!
//! An index has the name of its reference and the checksum of the file that it was built from, so that a reference that has
//! changed has another. Runs at the same time write the same file, each without a name until it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use aligner_core::user_cache;
use anyhow::{Context, Result};
use fm_index::{FileFingerprint, FmIndex};

use super::verified::VerifiedFiles;
use crate::console::Console;
use crate::staging::Outputs;

/// The path of the index of a reference with this fingerprint.
fn path_for(reference: &Path, source: FileFingerprint) -> Option<PathBuf> {
    let mut name = reference.file_name()?.to_owned();
    name.push(format!("-{:016x}.gpx", source.checksum));
    Some(user_cache::folder()?.join(name))
}

/// Opens the index of a reference with this fingerprint; `None` if there is none, or it is damaged.
pub fn open(reference: &Path, source: FileFingerprint, console: &Console) -> Option<FmIndex> {
    let path = path_for(reference, source).filter(|path| path.exists())?;
    match VerifiedFiles::of_user().open_index(&path) {
        Ok(index) if index.source() == source => {
            console.notice(&format!("using the index in the cache: {}", path.display()));
            Some(index)
        }
        Ok(_) => None,
        Err(error) => {
            console.notice(&format!("{error}: building the index again"));
            None
        }
    }
}

/// Keeps an index of a reference for later runs. That is no reason to stop this one: what is wrong is a message.
pub fn keep(index: &FmIndex, reference: &Path, console: &Console) {
    console.notice(&match write(index, reference) {
        Ok(path) => format!("the index is kept in the cache for later runs: {}", path.display()),
        Err(error) => {
            format!("the index is in memory only, since the cache cannot be written: {error:#}")
        }
    });
}

fn write(index: &FmIndex, reference: &Path) -> Result<PathBuf> {
    let path = path_for(reference, index.source())
        .context("neither XDG_CACHE_HOME nor HOME names a folder")?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    super::save(index, Outputs::new([reference]).target(Some(&path))?)?;
    Ok(path)
}
