//! The index of a reference: finding it beside the reference, or building it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow};
use fm_index::{BuildOptions, FileFingerprint, FmIndex, Reference};

use crate::console::Console;
use crate::staging::{Outputs, Target, extended};

/// The index of a reference: `REF.gpx` if it exists and was built from this file, or else one built in memory.
///
/// With `save_built`, an index that had to be built is saved as `REF.gpx`.
///
/// # Errors
/// If the reference or its index cannot be read, or the index cannot be saved.
pub fn open_or_build(reference: &Path, save_built: bool, console: &Console) -> Result<FmIndex> {
    match open(reference, console)? {
        Some(index) => Ok(index),
        None => build_for_mapping(reference, save_built, console),
    }
}

/// Opens the index `REF.gpx`; `None` if there is none, or it was built from another file.
///
/// # Errors
/// If the index, or the reference that it is compared with, cannot be read.
pub fn open(reference: &Path, console: &Console) -> Result<Option<FmIndex>> {
    let start = Instant::now();
    let path = path_for(reference);
    if !path.exists() {
        return Ok(None);
    }
    let index = FmIndex::open(&path)?;
    let source = FileFingerprint::of_file(reference)
        .map_err(|error| anyhow!(error).context(reference.display().to_string()))?;
    if index.source() != source {
        console.notice(&format!(
            "{} was built from another file than {}: building the index in memory",
            path.display(),
            reference.display()
        ));
        return Ok(None);
    }
    console.detail(&format!("index: {} opened in {:.2?}", path.display(), start.elapsed()));
    Ok(Some(index))
}

/// Builds the index in memory and, with `save_built`, saves it as `REF.gpx`.
///
/// # Errors
/// If the reference cannot be read or the index cannot be saved.
pub fn build_for_mapping(reference: &Path, save_built: bool, console: &Console) -> Result<FmIndex> {
    let start = Instant::now();
    let path = path_for(reference);
    let target =
        if save_built { Some(Outputs::new([reference]).target(Some(&path))?) } else { None };
    console.start("building the index");
    let index = build(reference, BuildOptions::default())?;
    console.finish();
    if let Some(target) = target {
        let name = target.name();
        save(&index, target)?;
        report(console, &index, &name, start);
    } else {
        console.detail(&format!("index: built in memory in {:.2?}", start.elapsed()));
    }
    Ok(index)
}

/// The name of a reference's index: `REF.gpx`.
pub(crate) fn path_for(reference: &Path) -> PathBuf {
    extended(reference, "gpx")
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
