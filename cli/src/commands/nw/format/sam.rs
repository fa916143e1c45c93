//! SAM (<https://samtools.github.io/hts-specs/SAMv1.pdf>): a record for each pair, with the query as the read and the target as
//! the reference. Its score is `AS:i`, or `AS:f` if scores have decimals.
//!
//! Residues of the query at free ends are clipped; those of the target are outside of the alignment.

use std::fmt::Write;
use std::path::Path;

use aligner_core::input_location::{InputLocation, input_name};
use anyhow::{Result, bail, ensure};
use fm_index::Contig;
use nw_batch::{CigarOp, CigarRef, FreeEnds};

use super::AlignedPair;
use super::number::{push_number, push_score};
use super::paf::AlignedRange;
use crate::commands::nw::input::{self, NamedSequences};

/// Longest name of a read.
const LONGEST_NAME: usize = 254;

/// The header, with a line for each target.
pub fn heading(targets: &NamedSequences) -> String {
    let mut text = "@HD\tVN:1.6\tSO:unsorted\n".to_owned();
    for (name, number) in targets.names.iter().zip(0..) {
        // Writing to memory does not fail.
        let _ = writeln!(text, "@SQ\tSN:{name}\tLN:{}", targets.sequences.length(number));
    }
    text + concat!("@PG\tID:gpualign\tPN:gpualign\tVN:", env!("CARGO_PKG_VERSION"), "\n")
}

/// Checks that SAM allows the names of all sequences, and the lengths of the targets, which are those of a file.
///
/// # Errors
/// Names the record and the reason.
pub fn check_names(path: &Path, queries: &NamedSequences, targets: &NamedSequences) -> Result<()> {
    input::names_differ(path, &targets.names)?;
    for (name, number) in targets.names.iter().zip(0..) {
        let location = || InputLocation::in_file(path).at_record(u64::from(number) + 1, None);
        ensure!(
            Contig::is_name(name.as_bytes()),
            "{}SAM does not allow the name '{name}'",
            location()
        );
        ensure!(
            targets.sequences.length(number) > 0,
            "{}SAM has no reference without residues: leave the record out",
            location()
        );
    }
    for name in &queries.names {
        if name.len() > LONGEST_NAME || name.starts_with('@') {
            let path = input_name(path);
            bail!("{path}: as a query, '{name}' is no name that SAM allows: choose another format");
        }
    }
    Ok(())
}

/// Appends the record of an aligned pair.
pub fn alignment(aligned: &AlignedPair<'_>, free: FreeEnds, scale: i32, out: &mut Vec<u8>) {
    let range = AlignedRange::new(aligned, free);
    let mut field = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        out.push(b'\t');
    };
    let is_aligned = !range.runs.is_empty();
    field(aligned.query_name.as_bytes());
    if is_aligned {
        field(b"0");
        field(aligned.target_name.as_bytes());
        field((range.target.start + 1).to_string().as_bytes());
        field(b"255");
    } else {
        field(b"4\t*\t0\t0");
    }
    let clip = |length: usize, out: &mut Vec<u8>| {
        if length > 0 {
            push_number(length, out);
            out.push(b'S');
        }
    };
    if is_aligned {
        clip(range.query.start, out);
        super::push_cigar(CigarRef(range.runs), out);
        clip(aligned.query.len() - range.query.end, out);
    } else {
        out.push(b'*');
    }
    out.extend_from_slice(b"\t*\t0\t0\t");
    out.extend_from_slice(if aligned.query_letters.is_empty() {
        b"*"
    } else {
        aligned.query_letters
    });
    out.extend_from_slice(b"\t*");
    if is_aligned {
        out.extend_from_slice(b"\tNM:i:");
        let differences = range.runs.iter().filter(|run| run.op() != CigarOp::Equal);
        push_number(differences.map(|run| run.length()).sum::<u32>(), out);
    }
    out.extend_from_slice(if scale == 1 { b"\tAS:i:" } else { b"\tAS:f:" });
    push_score(aligned.alignment.score, scale, out);
    out.push(b'\n');
}
