//! Sequences one above the other, as EMBOSS needle writes them (format `pair`): 50 columns a line;
//! between the sequences `|` identical, `:` similar (score above 0), `.` other residues.

use std::io::Write;

use nw_batch::CigarOp;
use nw_batch::scoring::decimal;

use super::AlignedPair;
use crate::commands::nw::scoring::NwScoring;

/// Text before the first pair.
pub const HEADING: &str = "\
########################################
# Program: gpualign nw
# Align_format: pair
########################################
";

/// Alignment columns in a line.
const WIDTH: usize = 50;

/// Characters of a name in front of a line.
const NAME: usize = 13;

/// Appends the alignment of a pair, with its scores and counts above it.
pub fn alignment(aligned: &AlignedPair<'_>, scoring: &NwScoring, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = heading(aligned, scoring, out);
    let [top, middle, bottom] = rows(aligned, scoring);
    let [mut above, mut below] = [0, 0];
    for start in (0..top.len()).step_by(WIDTH) {
        let columns = start..top.len().min(start + WIDTH);
        let _ = line(aligned.query_name, &top[columns.clone()], &mut above, out);
        let _ = writeln!(out, "{:21}{}", "", text(&middle[columns.clone()]));
        let _ = line(aligned.target_name, &bottom[columns], &mut below, out);
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// Writes the names, scores and counts of a pair.
fn heading(
    aligned: &AlignedPair<'_>,
    scoring: &NwScoring,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let NwScoring { scoring, scale, name, costs } = scoring;
    let AlignedPair { query, target, alignment, .. } = aligned;
    // The alignment belongs to these sequences, so there is no error.
    let columns = alignment.cigar.column_counts(scoring, query, target).unwrap_or_default();
    let share = |name: &str, count: u32| {
        let percent = 100.0 * f64::from(count) / f64::from(columns.length.max(1));
        format!("# {:<12}{count:>5}/{} ({percent:4.1}%)", format!("{name}:"), columns.length)
    };
    writeln!(out, "\n#=======================================\n#\n# Aligned_sequences: 2")?;
    writeln!(out, "# 1: {}\n# 2: {}", aligned.query_name, aligned.target_name)?;
    writeln!(out, "# Matrix: {name}")?;
    writeln!(out, "# Gap_penalty: {:.1}\n# Extend_penalty: {:.1}\n#", costs.open, costs.extend)?;
    writeln!(out, "# Length: {}", columns.length)?;
    writeln!(out, "{}", share("Identity", columns.identical))?;
    writeln!(out, "{}", share("Similarity", columns.similar))?;
    writeln!(out, "{}", share("Gaps", columns.gaps))?;
    writeln!(out, "# Score: {:.1}\n# \n#", decimal::divided(alignment.score, *scale))?;
    writeln!(out, "#=======================================\n")
}

/// Rows of all columns: the query, marks, the target.
fn rows(aligned: &AlignedPair<'_>, scoring: &NwScoring) -> [Vec<u8>; 3] {
    let mut rows = [Vec::new(), Vec::new(), Vec::new()];
    let mut query = aligned.query.iter().copied().zip(aligned.query_letters.iter().copied());
    let mut target = aligned.target.iter().copied().zip(aligned.target_letters.iter().copied());
    for run in aligned.alignment.cigar.iter() {
        let op = run.op();
        for _ in 0..run.length() {
            let q = if op == CigarOp::Deletion { None } else { query.next() };
            let t = if op == CigarOp::Insertion { None } else { target.next() };
            let mark = match (op, q, t) {
                (CigarOp::Equal, _, _) => b'|',
                (CigarOp::Different, Some((q, _)), Some((t, _)))
                    if scoring.scoring.pair_score(q, t) > 0 =>
                {
                    b':'
                }
                (CigarOp::Different, _, _) => b'.',
                (CigarOp::Insertion | CigarOp::Deletion, _, _) => b' ',
            };
            let letter = |residue: Option<(u8, u8)>| residue.map_or(b'-', |(_, letter)| letter);
            for (row, letter) in rows.iter_mut().zip([letter(q), mark, letter(t)]) {
                row.push(letter);
            }
        }
    }
    rows
}

/// Writes a line of one sequence, of which `done` residues were written before, and counts its residues.
fn line(name: &str, letters: &[u8], done: &mut usize, out: &mut Vec<u8>) -> std::io::Result<()> {
    let residues = letters.iter().filter(|&&letter| letter != b'-').count();
    // A line without residues has the number of the next residue, as EMBOSS writes it.
    let first = *done + 1;
    *done += residues;
    let name: String = name.chars().take(NAME).collect();
    writeln!(out, "{name:<NAME$} {first:>6} {} {:>6}", text(letters), *done)
}

fn text(letters: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(letters)
}
