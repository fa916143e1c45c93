//! Output formats 6 and 7: tab-separated rows, one for each alignment.

use std::fmt::Write as _;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::column::Column;
use crate::commands::blastn::report::number;

/// Appends some of the rows of a query and a subject. `aligned` are all alignments of the two, which coverages depend
/// on.
pub fn rows(
    some: &[ReportedAlignment<'_>],
    aligned: &[ReportedAlignment<'_>],
    columns: &[Column],
    out: &mut String,
) {
    for row in some {
        for (number, &column) in columns.iter().enumerate() {
            if number > 0 {
                out.push('\t');
            }
            cell(row, aligned, column, out);
        }
        out.push('\n');
    }
}

/// The percentage that `part` is of `whole`, as an integer that is 100 only for the whole.
fn coverage(part: usize, whole: usize) -> u32 {
    let percentage = 100.0 * part as f64 / whole as f64;
    (if percentage < 99.0 { percentage + 0.5 } else { percentage }) as u32
}

/// Number of query positions that are in any of the alignments.
fn covered(aligned: &[ReportedAlignment<'_>]) -> usize {
    let mut ranges: Vec<(usize, usize)> = aligned.iter().map(|row| row.query).collect();
    ranges.sort_unstable();
    let (mut sum, mut end) = (0, 0);
    for (first, last) in ranges {
        let first = first.max(end + 1);
        if last >= first {
            sum += last - first + 1;
            end = last;
        }
    }
    sum
}

/// Appends the value of a column for an alignment.
fn cell(
    row: &ReportedAlignment<'_>,
    aligned: &[ReportedAlignment<'_>],
    column: Column,
    out: &mut String,
) {
    let columns = &row.columns;
    let mismatches = columns.length - columns.identities - columns.gaps;
    let percentage = |part: usize| 100.0 * part as f64 / columns.length as f64;
    let subject_frame = if row.is_minus { -1 } else { 1 };
    let _ = match column {
        Column::QueryId | Column::QueryAccession | Column::QueryAccessionVersion => {
            write!(out, "{}", row.record.name())
        }
        Column::QueryLength => write!(out, "{}", row.record.letters.len()),
        Column::SubjectId
        | Column::SubjectIds
        | Column::SubjectAccession
        | Column::SubjectAccessionVersion
        | Column::SubjectAccessions => write!(out, "{}", row.subject.name()),
        Column::SubjectLength => write!(out, "{}", row.subject.length),
        Column::QueryStart => write!(out, "{}", row.query.0),
        Column::QueryEnd => write!(out, "{}", row.query.1),
        Column::SubjectStart => write!(out, "{}", row.subject_range.0),
        Column::SubjectEnd => write!(out, "{}", row.subject_range.1),
        Column::QuerySequence => write!(out, "{}", row.query_text),
        Column::SubjectSequence => write!(out, "{}", row.subject_text),
        Column::EValue => write!(out, "{}", number::e_value_in_table(row.hsp.e_value)),
        Column::BitScore => write!(out, "{}", number::bits(row.bits)),
        Column::Score => write!(out, "{}", row.hsp.score),
        Column::Length => write!(out, "{}", columns.length),
        Column::Identity | Column::PositivePercentage => {
            let decimals = if column == Column::Identity { 3 } else { 2 };
            write!(out, "{:.decimals$}", percentage(columns.identities))
        }
        Column::Identities | Column::Positives => write!(out, "{}", columns.identities),
        Column::Mismatches => write!(out, "{mismatches}"),
        Column::GapOpens => write!(out, "{}", columns.gap_opens),
        Column::Gaps => write!(out, "{}", columns.gaps),
        Column::Frames => write!(out, "1/{subject_frame}"),
        Column::QueryFrame => write!(out, "1"),
        Column::SubjectFrame => write!(out, "{subject_frame}"),
        Column::Traceback => write!(out, "{}", traceback(row)),
        Column::SubjectTitle | Column::SubjectTitles => write!(out, "{}", row.subject.title),
        Column::SubjectStrand => write!(out, "{}", if row.is_minus { "minus" } else { "plus" }),
        Column::CoverageBySubject | Column::CoverageOfQuery => {
            write!(out, "{}", coverage(covered(aligned), row.record.letters.len()))
        }
        Column::CoverageByAlignment => {
            let part = row.query.1 - row.query.0 + 1;
            write!(out, "{}", coverage(part, row.record.letters.len()))
        }
    };
}

/// NCBI's traceback operations (BTOP): numbers of equal columns, and the two letters of each other column.
fn traceback(row: &ReportedAlignment<'_>) -> String {
    let (mut out, mut equal) = (String::new(), 0);
    for (one, other) in row.query_text.chars().zip(row.subject_text.chars()) {
        if one == other {
            equal += 1;
            continue;
        }
        if equal > 0 {
            let _ = write!(out, "{equal}");
            equal = 0;
        }
        out.extend([one, other]);
    }
    if equal > 0 {
        let _ = write!(out, "{equal}");
    }
    out
}
