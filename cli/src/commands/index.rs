//! `gpualign index`, and finding or building the index for mapping.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow};
use fm_index::{BuildOptions, FileFingerprint, FmIndex, Reference};

use crate::args::IndexArguments;
use crate::commands::start_threads;
use crate::console::Console;
use crate::output::staging::Staged;

/// Builds and saves an index, and says what it is made of.
pub fn run(arguments: &IndexArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    let target = arguments.output.clone().unwrap_or_else(|| path_for(&arguments.reference));
    let staged = Staged::new(&target)?;
    console.start("building the index");
    let options = BuildOptions { sample_rate: arguments.sample_rate };
    start_threads(arguments.threads.count())?;
    let index = build(&arguments.reference, options)?;
    save(&index, staged, &target)?;
    console.finish();
    report(&console, &index, &target, start);
    Ok(())
}

/// The index beside the reference, if there is one that was built from it.
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

/// Builds the index in memory and, if asked to, saves it beside the reference.
pub fn build_for_mapping(reference: &Path, save_built: bool, console: &Console) -> Result<FmIndex> {
    let start = Instant::now();
    let path = path_for(reference);
    let staged = if save_built { Some(Staged::new(&path)?) } else { None };
    console.start("building the index");
    let index = build(reference, BuildOptions::default())?;
    console.finish();
    if let Some(staged) = staged {
        save(&index, staged, &path)?;
        report(console, &index, &path, start);
    } else {
        console.detail(&format!("index: built in memory in {:.2?}", start.elapsed()));
    }
    Ok(index)
}

/// `REF.gpx`.
fn path_for(reference: &Path) -> PathBuf {
    let mut path = reference.as_os_str().to_owned();
    path.push(".gpx");
    path.into()
}

fn build(reference: &Path, options: BuildOptions) -> Result<FmIndex> {
    Ok(FmIndex::build(Reference::from_fasta(reference)?, &options)?)
}

fn save(index: &FmIndex, staged: Staged, target: &Path) -> Result<()> {
    // Errors name the path that the user gave, not the staged one.
    index.save(staged.path()).map_err(|error| error.with_path(target))?;
    staged.commit()
}

fn report(console: &Console, index: &FmIndex, path: &Path, start: Instant) {
    let reference = index.reference();
    let bases = f64::from(reference.len());
    console.notice(&format!(
        "{}: {} contigs, {} bases, {:.3} bytes a base, {:.1} s",
        path.display(),
        reference.contigs().len(),
        reference.len(),
        index.bytes() as f64 / bases,
        start.elapsed().as_secs_f64()
    ));
    for (section, bytes) in index.sections() {
        console.notice(&format!("  {section}: {:.3} bytes a base", bytes as f64 / bases));
    }
}
