//! Output formats 6 and 7: tab-separated rows, one for each alignment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use blastn_pipeline::database::ncbi::{TaxonNames, Taxonomy};

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::column::Column;
use crate::commands::blastn::output_format::Table;
use crate::commands::blastn::report::{coverage, number};
use crate::commands::blastn::subject::{ReportedSubject, UNKNOWN};

/// Appends some of the rows of a query and a subject. `aligned` are all alignments of the two, which coverages depend
/// on. Names of taxa are those of the taxonomy, if there is one.
pub fn rows(
    some: &[ReportedAlignment<'_>],
    aligned: &[ReportedAlignment<'_>],
    (table, taxonomy): (&Table, Option<&Taxonomy>),
    out: &mut String,
) {
    let shows_taxids = table.columns.contains(&Column::Taxids);
    let covered = CoveredBases::new(aligned, &table.columns);
    for row in some {
        for (number, &column) in table.columns.iter().enumerate() {
            if number > 0 {
                out.push_str(&table.separator);
            }
            if column.shows_taxa() {
                let names = TaxonCells { subject: row.subject, taxonomy, shows_taxids };
                out.push_str(&names.cell(column));
            } else {
                cell(row, &covered, column, out);
            }
        }
        out.push('\n');
    }
}

/// Numbers of query bases that all alignments with a subject cover, each 0 if no column shows it.
struct CoveredBases {
    /// All bases.
    by_subject: usize,
    /// Bases that are aligned with subject positions that no alignment before has.
    of_query: usize,
}

impl CoveredBases {
    fn new(aligned: &[ReportedAlignment<'_>], columns: &[Column]) -> Self {
        let count = |column, count: fn(&[ReportedAlignment<'_>]) -> usize| {
            if columns.contains(&column) { count(aligned) } else { 0 }
        };
        Self {
            by_subject: count(Column::CoverageBySubject, coverage::of_query),
            of_query: count(Column::CoverageOfQuery, |aligned| {
                coverage::covered(ranges_of_new_subject_bases(aligned))
            }),
        }
    }
}

/// Ranges of positions, first and last.
type Ranges = Vec<(usize, usize)>;

/// The ranges of the query that are aligned with subject positions that no alignment before has.
fn ranges_of_new_subject_bases(aligned: &[ReportedAlignment<'_>]) -> Ranges {
    let (mut subject, mut query) = (BTreeMap::new(), Ranges::new());
    for row in aligned {
        let (one, other) = row.subject_range;
        let whole = (one.min(other), one.max(other));
        let new = without(whole, &subject);
        for &range in &new {
            query.push(if range == whole { row.query } else { opposite(row, range) });
        }
        subject.extend(new);
    }
    query
}

/// The parts of a range that are in none of some ranges, which do not overlap; these map first positions to last ones.
fn without((first, last): (usize, usize), ranges: &BTreeMap<usize, usize>) -> Ranges {
    let before = ranges.range(..first).next_back().filter(|&(_, &end)| end >= first);
    let (mut parts, mut next) = (Ranges::new(), first);
    for (&begin, &end) in before.into_iter().chain(ranges.range(first..=last)) {
        if next < begin {
            parts.push((next, begin - 1));
        }
        next = end + 1;
    }
    if next <= last {
        parts.push((next, last));
    }
    parts
}

/// The range of the query that is aligned with a range of the subject.
fn opposite(row: &ReportedAlignment<'_>, (first, last): (usize, usize)) -> (usize, usize) {
    let step = |is_letter: bool| usize::from(is_letter);
    let (mut query, mut subject) = (row.query.0, row.subject_range.0);
    let mut ends = Vec::new();
    for (of_query, of_subject) in row.query_text.bytes().zip(row.subject_text.bytes()) {
        if of_subject != b'-' && (subject == first || subject == last) {
            ends.push(query);
            if first == last {
                ends.push(query);
            }
        }
        query += step(of_query != b'-');
        let moved = step(of_subject != b'-');
        subject = if row.is_minus { subject.wrapping_sub(moved) } else { subject + moved };
    }
    match ends[..] {
        [begin, end, ..] => (begin.min(end), begin.max(end)),
        _ => row.query,
    }
}

/// Appends the value of a column for an alignment.
fn cell(row: &ReportedAlignment<'_>, covered: &CoveredBases, column: Column, out: &mut String) {
    let columns = &row.columns;
    let mismatches = columns.length - columns.identities - columns.gaps;
    let percentage = |part: usize| 100.0 * part as f64 / columns.length as f64;
    let subject_frame = if row.is_minus { -1 } else { 1 };
    let _ = match column {
        Column::QueryId | Column::QueryAccession | Column::QueryAccessionVersion => {
            write!(out, "{}", row.query_name)
        }
        Column::QueryLength => write!(out, "{}", row.query_length_in_tables),
        Column::SubjectId => write!(out, "{}", row.subject.id()),
        Column::QueryGi => write!(out, "0"),
        Column::SubjectGi => write!(out, "{}", row.subject.gi()),
        Column::SubjectGis => write!(out, "{}", row.subject.gis()),
        Column::Taxid => {
            write!(out, "{}", row.subject.taxid().map_or(UNKNOWN.to_owned(), |it| it.to_string()))
        }
        Column::Taxids => {
            let taxids = row.subject.taxids().map(|taxids| joined(taxids.iter()));
            write!(out, "{}", taxids.as_deref().unwrap_or(UNKNOWN))
        }
        // Names of taxa are made by `TaxonCells`.
        Column::ScientificName
        | Column::ScientificNames
        | Column::CommonName
        | Column::CommonNames
        | Column::GroupName
        | Column::GroupNames
        | Column::Kingdom
        | Column::Kingdoms => Ok(()),
        Column::SubjectIds => write!(out, "{}", row.subject.ids()),
        Column::SubjectAccession => write!(out, "{}", row.subject.accession()),
        Column::SubjectAccessionVersion => write!(out, "{}", row.subject.accession_version()),
        Column::SubjectAccessions => write!(out, "{}", row.subject.accessions()),
        Column::SubjectLength => write!(out, "{}", row.subject.length),
        Column::QueryStart => write!(out, "{}", row.query.0),
        Column::QueryEnd => write!(out, "{}", row.query.1),
        Column::SubjectStart => write!(out, "{}", row.subject_range.0),
        Column::SubjectEnd => write!(out, "{}", row.subject_range.1),
        Column::QuerySequence => write!(out, "{}", row.query_text),
        Column::SubjectSequence => write!(out, "{}", row.subject_text),
        Column::EValue => write!(out, "{}", number::e_value_in_table(row.e_value)),
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
        Column::SubjectTitle => write!(out, "{}", row.subject.title_in_table()),
        Column::SubjectTitles => write!(out, "{}", row.subject.titles_in_table()),
        Column::SubjectStrand => write!(out, "{}", if row.is_minus { "minus" } else { "plus" }),
        Column::CoverageBySubject => {
            write!(out, "{}", coverage::percentage(covered.by_subject, row.query_length_in_tables))
        }
        Column::CoverageOfQuery => {
            write!(out, "{}", coverage::percentage(covered.of_query, row.query_length_in_tables))
        }
        Column::CoverageByAlignment => {
            let part = row.query.1 - row.query.0 + 1;
            write!(out, "{}", coverage::percentage(part, row.query_length_of_alignment))
        }
    };
}

/// Values with semicolons between them.
fn joined(values: impl Iterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    values.join(";")
}

/// The cells of a row that show names of taxa.
struct TaxonCells<'a> {
    subject: &'a ReportedSubject<'a>,
    taxonomy: Option<&'a Taxonomy>,
    /// Whether the row also shows the numbers of the taxa; then each number has a name.
    shows_taxids: bool,
}

impl TaxonCells<'_> {
    fn cell(&self, column: Column) -> String {
        let all = self.subject.taxids().unwrap_or_default();
        let named = |taxid: &u32| self.taxonomy.and_then(|taxonomy| taxonomy.names(*taxid));
        let first = self.subject.taxid().and_then(|taxid| named(&taxid));
        let first = |field: fn(TaxonNames) -> String| first.clone().map(field);
        // A name for each taxon, in their order.
        let listed = |field: fn(TaxonNames) -> String| {
            let names = all.iter().filter_map(|taxid| match named(taxid) {
                Some(names) => Some(field(names)),
                None => self.shows_taxids.then(|| UNKNOWN.to_owned()),
            });
            Some(joined(names))
        };
        // The different names of groups, in alphabetical order.
        let distinct = |field: fn(TaxonNames) -> String| {
            let names = all.iter().filter_map(|taxid| named(taxid).map(field));
            let names: BTreeSet<String> = names.filter(|name| is_group(name)).collect();
            Some(joined(names.into_iter()))
        };
        let cell = match column {
            Column::ScientificName => first(|names| names.scientific),
            Column::CommonName => first(|names| names.common),
            Column::GroupName => first(|names| names.group).filter(|name| is_group(name)),
            Column::Kingdom => first(|names| names.kingdom).filter(|name| is_group(name)),
            Column::ScientificNames => listed(|names| names.scientific),
            Column::CommonNames => listed(|names| names.common),
            Column::GroupNames => distinct(|names| names.group),
            _ => distinct(|names| names.kingdom),
        };
        cell.filter(|cell| !cell.is_empty()).unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

/// Whether a name of a group says anything.
fn is_group(name: &str) -> bool {
    !matches!(name, "-" | "unclassified")
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
