//! The index of a reference: finding it beside the reference, elsewhere or in the user's cache, or building it.

mod cache;
mod large_pages;
mod verified;

use std::path::{Path, PathBuf};
use std::time::Instant;

use aligner_core::path::extended;
use anyhow::{Context, Result, anyhow, bail};
use fm_index::{BuildOptions, FileFingerprint, FmIndex, Reference};

use crate::console::Console;
use crate::options::available_memory;
use crate::staging::{Outputs, Target};

pub use self::large_pages::use_large_pages;
use self::verified::VerifiedFiles;

/// The index of a reference: one that was built from this file, as [`open`] finds it, or else one built in memory.
///
/// With `save_built`, an index that had to be built is saved as `REF.gpx`.
///
/// # Errors
/// If the reference or its index cannot be read, or the index cannot be saved.
pub fn open_or_build(reference: &Path, save_built: bool, console: &Console) -> Result<FmIndex> {
    match open(reference, None, console)? {
        Some(index) => Ok(index),
        None => build_for_mapping(reference, save_built, console),
    }
}

/// Opens the index of a reference: the file `given`, or else `REF.gpx`, or, if the reference's folder cannot be written to, one
/// in the user's cache. `None` if nothing is given and there is none that was built from this file.
///
/// # Errors
/// If the index, or the reference that it is compared with, cannot be read, or the one that is given was built from another
/// file.
pub fn open(reference: &Path, given: Option<&Path>, console: &Console) -> Result<Option<FmIndex>> {
    let start = Instant::now();
    let beside = path_for(reference);
    let path = given.unwrap_or(&beside);
    let is_there = |path: &Path| path.try_exists().with_context(|| path.display().to_string());
    if given.is_some() || is_there(path)? {
        // Both may take a while: one verifies the index, the other reads all of the reference.
        let open = || VerifiedFiles::of_user().open_index(path);
        let (index, source) = rayon::join(open, || fingerprint(reference));
        let index = index?;
        if index.source() == source? {
            console.detail(&format!("index: {} opened in {:.2?}", path.display(), start.elapsed()));
            return Ok(Some(index));
        }
        let (path, reference) = (path.display(), reference.display());
        if given.is_some() {
            bail!(
                "{path}: the index was built from another file than {reference}: give the reference that it was built from, or \
                 build it again with gpualign index {reference} -o {path}"
            );
        }
        console.notice(&format!(
            "{path} was built from another file than {reference}: it is not used"
        ));
    }
    if is_cached(reference) {
        Ok(cache::open(reference, fingerprint(reference)?, console))
    } else {
        Ok(None)
    }
}

/// The fingerprint of the file of a reference.
fn fingerprint(reference: &Path) -> Result<FileFingerprint> {
    VerifiedFiles::of_user()
        .fingerprint(reference)
        .map_err(|error| anyhow!(error).context(reference.display().to_string()))
}

/// Whether the index of a reference belongs into the user's cache: it is a file, which can be read twice, in a folder where no
/// index can be written.
fn is_cached(reference: &Path) -> bool {
    let is_file = reference.metadata().is_ok_and(|found| found.is_file());
    is_file && Outputs::new([reference]).target(Some(&path_for(reference))).is_err()
}

/// Builds the index. With `save_built` it is saved as `REF.gpx`; otherwise it stays in memory, and the user's cache keeps it for
/// later runs if the reference's folder cannot be written to.
///
/// # Errors
/// If the reference cannot be read or the index cannot be saved.
pub fn build_for_mapping(reference: &Path, save_built: bool, console: &Console) -> Result<FmIndex> {
    let start = Instant::now();
    let path = path_for(reference);
    let target =
        if save_built { Some(Outputs::new([reference]).target(Some(&path))?) } else { None };
    console.start("building the index");
    let index = build(reference, build_options())?;
    console.finish();
    if let Some(target) = target {
        let name = target.name();
        save(&index, target)?;
        report(console, &index, &name, start);
    } else {
        console.detail(&format!("index: built in memory in {:.2?}", start.elapsed()));
        if is_cached(reference) {
            cache::keep(&index, reference, console);
        }
    }
    Ok(index)
}

/// The name of a reference's index: `REF.gpx`.
pub(crate) fn path_for(reference: &Path) -> PathBuf {
    extended(reference, "gpx")
}

/// The default options of building, with half of the memory that is free.
pub(crate) fn build_options() -> BuildOptions {
    let memory = available_memory().map_or(0, |bytes| bytes as u64 / 2);
    BuildOptions { memory, ..BuildOptions::default() }
}

/// Builds the index of a FASTA file in memory.
pub(crate) fn build(reference: &Path, options: BuildOptions) -> Result<FmIndex> {
    Ok(FmIndex::build(Reference::from_fasta(reference)?, &options)?)
}

/// Saves an index as `target`.
pub(crate) fn save(index: &FmIndex, target: Target) -> Result<()> {
    target.write_and_sync(|file| index.write_to(file))?;
    target.commit()
}

/// Prints the sizes of an index and of its sections, and the time since `start`.
pub(crate) fn report(console: &Console, index: &FmIndex, name: &str, start: Instant) {
    let reference = index.reference();
    let bases = f64::from(reference.len());
    console.notice(&format!(
        "{name}: {} contigs, {} bases, {:.3} bytes a base, {:.1} s",
        reference.contigs().len(),
        reference.len(),
        index.bytes() as f64 / bases,
        start.elapsed().as_secs_f64()
    ));
    for (section, bytes) in index.sections() {
        console.notice(&format!("  {section}: {:.3} bytes a base", bytes as f64 / bases));
    }
}
