//! Output format 17: alignments as SAM, in which the query is the reference and subjects are the reads, or with `SR` the other way
//! round.
//!
//! The header names the reference sequences that have alignments, so it is known only at the end, and records wait until then.

use std::collections::HashSet;
use std::fmt::Write as _;

use blastn_pipeline::sequence::alphabet;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::output_format::Sam;
use crate::commands::blastn::report::{QuerySection, number};

/// The records of a query, and the header lines of their reference sequences.
pub fn query(sam: Sam, section: &QuerySection<'_>) -> (String, String) {
    let (query, length) = (section.origin.id(), section.origin.length);
    let mut rows: Vec<&ReportedAlignment<'_>> = section.aligned.iter().flatten().collect();
    let (mut header, mut records) = (String::new(), String::new());
    if sam.subjects_are_references {
        for row in section.aligned.iter().filter_map(|of_subject| of_subject.first()) {
            sequence(&row.subject.plain_id(), row.subject.length, &mut header);
        }
    } else {
        if !rows.is_empty() {
            sequence(&query, length, &mut header);
        }
        let order = |row: &&ReportedAlignment<'_>| (row.query.0, row.e_value);
        rows.sort_by(|one, other| {
            let ((begin, e_value), (begin_of_other, of_other)) = (order(one), order(other));
            begin.cmp(&begin_of_other).then(e_value.total_cmp(&of_other))
        });
    }
    for row in rows {
        record(sam, row, (&query, length), &mut records);
    }
    (header, records)
}

/// Appends the header line of a reference sequence.
fn sequence(name: &str, length: usize, out: &mut String) {
    let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
}

/// The header of a file with these sections of queries; empty if they have no alignments. Each section begins with the header lines
/// of its reference sequences.
pub fn header(sam: Sam, command: &str, sections: &[Vec<String>]) -> String {
    let lines = || sections.iter().filter_map(|section| section.first()).flat_map(|it| it.lines());
    if lines().next().is_none() {
        return String::new();
    }
    let order =
        if sam.subjects_are_references { "GO:query" } else { "SO:coordinate\tGO:reference" };
    let mut out = format!("@HD\tVN:1.2\t{order}\n");
    let mut known = HashSet::new();
    for line in lines() {
        if known.insert(line) {
            out.push_str(line);
            out.push('\n');
        }
    }
    let _ = writeln!(out, "@PG\tID:0\tVN:2.12.0+\tCL:{command} \tPN:blastn");
    out
}

/// Numbers of letters of a read before and behind the part from `first` to `last`, which is reversed if these descend.
fn clips(first: usize, last: usize, length: usize) -> [usize; 2] {
    if first <= last { [first - 1, length - last] } else { [length - first, last - 1] }
}

/// Appends the record of an alignment with a query of a name and a length.
fn record(sam: Sam, row: &ReportedAlignment<'_>, query: (&str, usize), out: &mut String) {
    let subject = row.subject.plain_id();
    let mut cigar = cigar(row, sam.subjects_are_references);
    let (read, reference, position, mut clips, letters);
    if sam.subjects_are_references {
        (read, reference) = (query.0, subject.as_str());
        position = row.subject_range.0.min(row.subject_range.1);
        clips = self::clips(row.query.0, row.query.1, query.1);
        letters = &row.query_text;
        if row.is_minus {
            cigar.reverse();
            clips.reverse();
        }
    } else {
        (read, reference) = (subject.as_str(), query.0);
        position = row.query.0;
        clips = self::clips(row.subject_range.0, row.subject_range.1, row.subject.length);
        letters = &row.subject_text;
    }
    let flag = if row.is_minus { 16 } else { 0 };
    let _ = write!(out, "{read}\t{flag}\t{reference}\t{position}\t255\t");
    let clipped = |letters: usize| (letters > 0).then_some((letters, 'H'));
    for (length, op) in clipped(clips[0]).into_iter().chain(cigar).chain(clipped(clips[1])) {
        let _ = write!(out, "{length}{op}");
    }
    out.push_str("\t*\t0\t0\t");
    if !sam.shows_letters {
        out.push('*');
    } else if sam.subjects_are_references && row.is_minus {
        let letters = letters.chars().rev().filter(|&letter| letter != '-');
        out.extend(letters.map(complement));
    } else {
        out.extend(letters.chars().filter(|&letter| letter != '-'));
    }
    let columns = &row.columns;
    let pairs = columns.length - columns.gaps;
    let identity = 100.0 * columns.identities as f64 / pairs as f64;
    let identity = if columns.identities == pairs { 100.0 } else { identity.min(99.99) };
    let _ = write!(out, "\t*\tAS:i:{}", row.hsp.score);
    // The E-value of a set is not that of the alignment.
    if row.hsp.set_size < 2 {
        let _ = write!(out, "\tEV:f:{}", number::significant(row.e_value));
    }
    let bits = number::significant(row.bits);
    let _ = writeln!(out, "\tNM:i:{}\tPI:f:{identity:.2}\tBS:f:{bits}", columns.gaps);
}

/// The columns of an alignment as runs, in the order of the query: `I` is a letter of the read alone, `D` one of the reference alone.
fn cigar(row: &ReportedAlignment<'_>, is_query_read: bool) -> Vec<(usize, char)> {
    let (query_alone, subject_alone) = if is_query_read { ('I', 'D') } else { ('D', 'I') };
    let mut runs: Vec<(usize, char)> = Vec::new();
    for (of_query, of_subject) in row.query_text.bytes().zip(row.subject_text.bytes()) {
        let op = match (of_query, of_subject) {
            (b'-', _) => subject_alone,
            (_, b'-') => query_alone,
            _ => 'M',
        };
        match runs.last_mut() {
            Some((length, last)) if *last == op => *length += 1,
            _ => runs.push((1, op)),
        }
    }
    runs
}

/// The letter of the other strand.
fn complement(letter: char) -> char {
    let code = u8::try_from(letter).ok().and_then(alphabet::encode);
    code.map_or(letter, |code| char::from(alphabet::decode(alphabet::complement(code))))
}
