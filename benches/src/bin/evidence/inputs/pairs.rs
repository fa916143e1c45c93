//! Pairs that `wgsim`, a program of other people, makes of made and real genomes, to measure accuracy.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::inputs::data::GENOME;
use crate::inputs::real;
use crate::run::tool::Tool;

/// The least bytes of a real genome's file that pairs are made of.
const LEAST_BYTES: u64 = 100_000;

/// Bases of a read.
const LENGTHS: [u64; 2] = [150, 100];

/// Probabilities of a base to be read as another one, in percent.
const ERRORS: [u64; 2] = [1, 3];

/// Pairs whose origin is in their names.
#[derive(Debug)]
pub struct MadePairs {
    /// The name in reports, with the genome, the length and the errors.
    pub name: String,
    pub reference: String,
    pub length: u64,
    pub files: [String; 2],
}

/// Makes so many pairs of each length with each rate of errors, of the made genome and of the genomes of real reads that
/// are long enough. Pairs that are there already are not made again.
pub fn make(wgsim: &Tool, folder: &Path, from: &Path, pairs: u64) -> Result<Vec<MadePairs>> {
    let mut genomes = vec![("made".to_owned(), GENOME.to_owned())];
    for set in real::sets(from, folder)? {
        let path = folder.join(&set.reference);
        let bytes = fs::metadata(&path).with_context(|| path.display().to_string())?.len();
        if bytes >= LEAST_BYTES && genomes.iter().all(|(_, other)| *other != set.reference) {
            genomes.push((set.genome.unwrap_or(set.name), set.reference));
        }
    }
    let mut all = Vec::new();
    for (genome, reference) in genomes {
        for length in LENGTHS {
            for errors in ERRORS {
                let file = |mate| format!("{reference}.{length}-{errors}-{mate}.fq");
                let made = MadePairs {
                    name: format!("{genome}, 2 x {length}, {errors}%"),
                    reference: reference.clone(),
                    length,
                    files: [file(1), file(2)],
                };
                if !folder.join(&made.files[1]).exists() {
                    simulate(wgsim, folder, &made, pairs, errors)?;
                }
                all.push(made);
            }
        }
    }
    Ok(all)
}

fn simulate(wgsim: &Tool, folder: &Path, made: &MadePairs, pairs: u64, errors: u64) -> Result<()> {
    let MadePairs { reference, length, files: [first, second], .. } = made;
    // wgsim prints the variants. The second file has its name last, when both are whole.
    let partial = format!("{second}.partial");
    let mut command = Command::new(&wgsim.path);
    command.args(["-S", "11", "-r", "0.001", "-d", "400", "-s", "50"]);
    command.args(["-e", &format!("0.0{errors}"), "-N", &pairs.to_string()]);
    command.args(["-1", &length.to_string(), "-2", &length.to_string()]);
    command.args([reference, first, &partial]).current_dir(folder);
    command.stdout(File::create(folder.join(format!("{first}.variants")))?);
    let output = command.output().with_context(|| wgsim.path.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {reference}: {}", wgsim.path.display(), said.trim());
    }
    fs::rename(folder.join(partial), folder.join(second)).context("wgsim wrote no second file")
}
