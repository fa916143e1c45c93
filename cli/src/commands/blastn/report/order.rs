//! Orders of subjects and of their alignments in pairwise reports (`-sorthits`, `-sorthsps`).

use std::cmp::Ordering;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::report::coverage;

/// What the subjects of a query are ordered by (`-sorthits`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectOrder {
    EValue,
    BitScore,
    TotalScore,
    Identity,
    Coverage,
}

/// What the alignments of a subject are ordered by (`-sorthsps`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentOrder {
    EValue,
    Score,
    QueryStart,
    Identity,
    SubjectStart,
}

/// Orders with a number in NCBI's options, from 0.
pub trait Numbered: Sized {
    const ALL: [Self; 5];
}

impl Numbered for SubjectOrder {
    const ALL: [Self; 5] =
        [Self::EValue, Self::BitScore, Self::TotalScore, Self::Identity, Self::Coverage];
}

impl Numbered for AlignmentOrder {
    const ALL: [Self; 5] =
        [Self::EValue, Self::Score, Self::QueryStart, Self::Identity, Self::SubjectStart];
}

/// Alignments of a query and a subject.
type OfSubject<'a> = Vec<ReportedAlignment<'a>>;

/// Puts the subjects of a query and the alignments of each in order. They come by E-value.
pub fn order(
    aligned: &mut [OfSubject<'_>],
    subjects: Option<SubjectOrder>,
    alignments: Option<AlignmentOrder>,
) {
    let subjects = subjects.unwrap_or(SubjectOrder::EValue);
    let are_many = aligned.len() > 1;
    // NCBI's program compares subjects by alignments that it sorts for that, and leaves these so.
    for rows in aligned.iter_mut().filter(|_| are_many) {
        match subjects {
            SubjectOrder::BitScore => rows.sort_by(by_score),
            SubjectOrder::Identity => rows.sort_by(by_identity),
            _ => {}
        }
    }
    match subjects {
        SubjectOrder::EValue => {}
        SubjectOrder::BitScore => aligned.sort_by(|one, other| {
            let bits = |rows: &OfSubject<'_>| rows.first().map_or(0.0, |row| row.bits);
            bits(other).total_cmp(&bits(one))
        }),
        SubjectOrder::TotalScore => {
            // Of equal subjects, the last comes first.
            aligned.reverse();
            aligned.sort_by(|one, other| total_bits(other).total_cmp(&total_bits(one)));
        }
        SubjectOrder::Identity => aligned.sort_by(|one, other| {
            identity_of_best(other)
                .total_cmp(&identity_of_best(one))
                .then(least_e_value(one).total_cmp(&least_e_value(other)))
        }),
        SubjectOrder::Coverage => aligned.sort_by(|one, other| {
            coverage::of_query(other)
                .cmp(&coverage::of_query(one))
                .then(by_first_e_value(one, other))
        }),
    }
    for rows in aligned {
        match alignments.unwrap_or(AlignmentOrder::EValue) {
            AlignmentOrder::EValue => {}
            AlignmentOrder::Score => rows.sort_by(by_score),
            AlignmentOrder::Identity => rows.sort_by(by_identity),
            AlignmentOrder::QueryStart => rows
                .sort_by(|one, other| one.query.0.cmp(&other.query.0).then(by_e_value(one, other))),
            AlignmentOrder::SubjectStart => rows.sort_by(|one, other| {
                let start =
                    |row: &ReportedAlignment<'_>| row.subject_range.0.min(row.subject_range.1);
                start(one).cmp(&start(other)).then(by_e_value(one, other))
            }),
        }
    }
}

fn by_e_value(one: &ReportedAlignment<'_>, other: &ReportedAlignment<'_>) -> Ordering {
    one.e_value.total_cmp(&other.e_value)
}

fn by_score(one: &ReportedAlignment<'_>, other: &ReportedAlignment<'_>) -> Ordering {
    other.bits.total_cmp(&one.bits)
}

fn by_identity(one: &ReportedAlignment<'_>, other: &ReportedAlignment<'_>) -> Ordering {
    identity(other).total_cmp(&identity(one)).then(by_e_value(one, other))
}

fn by_first_e_value(one: &OfSubject<'_>, other: &OfSubject<'_>) -> Ordering {
    match (one.first(), other.first()) {
        (Some(one), Some(other)) => by_e_value(one, other),
        _ => Ordering::Equal,
    }
}

fn least_e_value(rows: &[ReportedAlignment<'_>]) -> f64 {
    rows.iter().map(|row| row.e_value).fold(f64::MAX, f64::min)
}

/// Share of columns with equal letters.
fn identity(row: &ReportedAlignment<'_>) -> f64 {
    row.columns.identities as f64 / row.columns.length as f64
}

/// The alignment with the best score.
pub fn best<'r, 'a>(rows: &'r [ReportedAlignment<'a>]) -> Option<&'r ReportedAlignment<'a>> {
    rows.iter().reduce(|best, row| if row.bits > best.bits { row } else { best })
}

/// Percentage of columns with equal letters of the alignment with the best score.
pub fn identity_of_best(rows: &[ReportedAlignment<'_>]) -> f64 {
    best(rows).map_or(0.0, |row| 100.0 * identity(row))
}

/// Sum of the bit scores of all alignments.
pub fn total_bits(rows: &[ReportedAlignment<'_>]) -> f64 {
    rows.iter().map(|row| row.bits).sum()
}
