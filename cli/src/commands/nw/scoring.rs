//! Scorings that the options of `gpualign nw` ask for.
//!
//! Without `--matrix` or `--match`, the sequences decide whether the scoring is one of nucleotides or of proteins.
//!
//! The presets have the scores of EMBOSS's programs. needle lets no gap that costs something stand directly before a free gap at the
//! end of an alignment, so its preset has this rule, too ([`Scoring::ends_behind_pairs`]). One thing is not done as needle does it:
//! against a sequence of a single residue, needle lets free residues at the end cost as much as others.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use nw_batch::scoring::decimal;
use nw_batch::{Decimal, GapCosts, Scoring, ScoringError, SubstitutionMatrix};

use crate::commands::nw::args::{NwOptions, Preset};

/// A scoring whose scores and costs are whole multiples of a unit.
#[derive(Debug)]
pub struct NwScoring {
    /// The scoring, in units of `1 / scale`.
    pub scoring: Scoring,
    /// Units of 1: the smallest number that makes all scores and costs whole.
    pub scale: i32,
    /// Name of the matrix, or the match and mismatch scores.
    pub name: String,
    /// Costs of gaps, as they are printed.
    pub costs: DecimalCosts,
}

/// Costs of gaps: n residues cost `open + (n - 1) * extend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalCosts {
    pub open: Decimal,
    pub extend: Decimal,
}

/// Kinds of sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residues {
    Nucleotides,
    Proteins,
}

/// The scorings that the options allow, of which the first is used that has all letters of the sequences.
///
/// # Errors
/// If a score, a cost or the matrix is refused.
pub fn candidates(options: &NwOptions) -> Result<Vec<NwScoring>> {
    if let Some(path) = &options.matrix {
        let matrix = matrix(path)?;
        let residues = if matrix.alphabet().is_nucleotides() {
            Residues::Nucleotides
        } else {
            Residues::Proteins
        };
        let name = path.display().to_string();
        return Ok(vec![with_matrix(matrix, name, residues, options)?]);
    }
    let built_in = |name: &str, residues| {
        let matrix = SubstitutionMatrix::built_in(name).context("no such matrix")??;
        with_matrix(matrix, name.to_owned(), residues, options)
    };
    let nucleotides = |options: &NwOptions| match options.preset {
        Some(Preset::Needle | Preset::Stretcher) => built_in("EDNAFULL", Residues::Nucleotides),
        None => match_mismatch(options).map_err(|reason| anyhow!(reason)),
    };
    let mut candidates = vec![nucleotides(options)?];
    if options.match_score.is_none() && options.mismatch_score.is_none() {
        let name = if options.preset.is_some() { "EBLOSUM62" } else { "BLOSUM62" };
        candidates.push(built_in(name, Residues::Proteins)?);
    }
    Ok(candidates)
}

/// Checks the scores and costs of the options, but for scores in a matrix.
///
/// # Errors
/// The reason why one is refused.
pub fn check_numbers(options: &NwOptions) -> Result<(), String> {
    if options.preset.is_none() && options.matrix.is_none() {
        match_mismatch(options)?;
    }
    for residues in [Residues::Nucleotides, Residues::Proteins] {
        let costs = costs(options, residues);
        let scale = decimal::scale(&[costs.open, costs.extend]);
        gap_costs(costs, scale).checked().map_err(|error| in_units(&error, scale))?;
    }
    Ok(())
}

/// Matrix that is built in, or in a file.
fn matrix(name: &Path) -> Result<SubstitutionMatrix> {
    if let Some(matrix) = name.to_str().and_then(SubstitutionMatrix::built_in) {
        return Ok(matrix?);
    }
    let text = fs::read_to_string(name)
        .with_context(|| format!("{} (and no matrix of this name is built in)", name.display()))?;
    SubstitutionMatrix::parse(&text).with_context(|| name.display().to_string())
}

/// Scoring by a matrix, with the gap costs that the options have for the kind of sequences.
fn with_matrix(
    matrix: SubstitutionMatrix,
    name: String,
    residues: Residues,
    options: &NwOptions,
) -> Result<NwScoring> {
    let costs = costs(options, residues);
    let scale = decimal::scale(&[costs.open, costs.extend]);
    let mut scoring = matrix
        .scaled(scale)
        .and_then(|matrix| Scoring::with_matrix(matrix, gap_costs(costs, scale)))
        .map_err(|error| anyhow!("{name}: {}", in_units(&error, scale)))?
        .with_free_ends(options.free_ends());
    if options.preset == Some(Preset::Needle) {
        scoring = scoring.with_ends_behind_pairs();
    }
    Ok(NwScoring { scoring, scale, name, costs })
}

/// Scoring by the scores of a match and of a mismatch.
fn match_mismatch(options: &NwOptions) -> Result<NwScoring, String> {
    let costs = costs(options, Residues::Nucleotides);
    let equal = options.match_score.unwrap_or(5.into());
    let different = options.mismatch_score.unwrap_or((-4).into());
    let scale = decimal::scale(&[costs.open, costs.extend, equal, different]);
    let [equal_units, different_units] = [equal, different].map(|score| units(score, scale));
    let scoring =
        Scoring::with_match_mismatch(equal_units, different_units, gap_costs(costs, scale))
            .map_err(|error| in_units(&error, scale))?
            .with_free_ends(options.free_ends());
    Ok(NwScoring { scoring, scale, name: format!("{equal}/{different}"), costs })
}

/// Costs of gaps that the options have for a kind of sequences.
fn costs(options: &NwOptions, residues: Residues) -> DecimalCosts {
    let (open, extend) = match (options.preset, residues) {
        (None, _) => (10.into(), 1.into()),
        (Some(Preset::Needle), _) => (10.into(), decimal::divided(1, 2)),
        (Some(Preset::Stretcher), Residues::Nucleotides) => (16.into(), 4.into()),
        (Some(Preset::Stretcher), Residues::Proteins) => (12.into(), 2.into()),
    };
    DecimalCosts {
        open: options.gap_open.unwrap_or(open),
        extend: options.gap_extend.unwrap_or(extend),
    }
}

/// Costs in units of `1 / scale`.
fn gap_costs(costs: DecimalCosts, scale: i32) -> GapCosts {
    GapCosts { open: units(costs.open, scale), extend: units(costs.extend, scale) }
}

/// A number in units of `1 / scale`; the scale makes it whole.
fn units(number: Decimal, scale: i32) -> i32 {
    number.times(scale).unwrap_or(i32::MAX)
}

/// An error, whose numbers are in units of `1 / scale`.
fn in_units(error: &ScoringError, scale: i32) -> String {
    match scale {
        1 => error.to_string(),
        _ => format!("{error} (numbers times {scale}, which makes all scores and costs whole)"),
    }
}
