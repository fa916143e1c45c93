//! Alignments as reports show them: the query as it was given, the subject reversed if it was found on the minus
//! strand.

use blastn_pipeline::gapped::edit_script::EditOp;
use blastn_pipeline::hsp::{ColumnCounts, Hsp};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::sequence::alphabet;
use blastn_pipeline::sequence::fasta::FastaRecord;

use crate::commands::blastn::subject::ReportedSubject;

/// The least E-value that reports tell from 0.
const LEAST_E_VALUE: f64 = 1.0e-180;

/// A query as reports show it.
#[derive(Debug, Clone, Copy)]
pub struct ReportedQuery<'a> {
    /// The query, or the part of it that is searched.
    pub record: &'a FastaRecord,
    /// Name in tables.
    pub name: &'a str,
    /// Position in the query of the part that is searched, from 0.
    pub start: usize,
    /// Length that tables show, as [`ReportedAlignment::query_length_in_tables`].
    pub length_in_tables: usize,
    /// Length of which one alignment covers a part, as [`ReportedAlignment::query_length_of_alignment`].
    pub length_of_alignment: usize,
}

/// An alignment of a query and a subject.
#[derive(Debug)]
pub struct ReportedAlignment<'a> {
    pub record: &'a FastaRecord,
    /// Name of the query in tables.
    pub query_name: &'a str,
    /// Length of the query in tables: if a part of it is asked for, of this part, even if it ends behind the query.
    pub query_length_in_tables: usize,
    /// Length of the query of which one alignment covers a part: in a search without gaps that of tables, else that of the letters
    /// that are searched. They differ if the part that is asked for ends behind the query.
    pub query_length_of_alignment: usize,
    pub subject: &'a ReportedSubject<'a>,
    pub hsp: &'a Hsp,
    pub columns: ColumnCounts,
    /// Bit score of the alignment.
    pub bits: f64,
    /// E-value of the alignment, 0 if it is below [`LEAST_E_VALUE`].
    pub e_value: f64,
    /// Whether the subject is shown reversed, as the minus strand of the query is aligned.
    pub is_minus: bool,
    /// First and last position in the query, from 1; if a part of it is searched, in the whole.
    pub query: (usize, usize),
    /// Position of the first letter of `query` among the letters that are searched, from 0.
    pub query_place: usize,
    /// Positions in the subject opposite to these, from 1; descending if the subject is reversed.
    pub subject_range: (usize, usize),
    /// Letters of the query with gaps; empty if the report shows no letters.
    pub query_text: String,
    /// Letters of the subject with gaps; empty if the report shows no letters.
    pub subject_text: String,
}

impl<'a> ReportedAlignment<'a> {
    /// Prepares an alignment; `with_text` tells whether the report shows letters.
    pub fn new(
        query: &ReportedQuery<'a>,
        subject: &'a ReportedSubject<'a>,
        hsp: &'a Hsp,
        batch: &QueryBatch,
        with_text: bool,
    ) -> Self {
        let &ReportedQuery { record, name, start, length_in_tables, length_of_alignment } = query;
        let context = &batch.contexts()[hsp.context];
        let length = record.letters.len();
        let (begin, end) = (hsp.query.0 as usize, hsp.query.1 as usize);
        let strand: Vec<u8> = if context.is_minus {
            let plus = &record.letters[length - end..length - begin];
            plus.iter().rev().map(|&letter| alphabet::complement(letter)).collect()
        } else {
            record.letters[begin..end].to_vec()
        };
        let places = hsp.subject.0 as usize..hsp.subject.1 as usize;
        let letters = subject.database.subject(subject.number).letters(places.clone());
        let bits = batch.bit_score(hsp.context, hsp.score);
        let (mut query_text, mut subject_text) = (Vec::new(), Vec::new());
        let (mut q, mut s) = (strand.iter().copied(), letters.iter().copied());
        for &(op, columns) in hsp.script.ops().iter().filter(|_| with_text) {
            let columns = columns as usize;
            let gap = || std::iter::repeat_n(alphabet::SENTINEL, columns);
            match op {
                EditOp::Pair => {
                    query_text.extend(q.by_ref().take(columns));
                    subject_text.extend(s.by_ref().take(columns));
                }
                EditOp::Insertion => {
                    query_text.extend(q.by_ref().take(columns));
                    subject_text.extend(gap());
                }
                EditOp::Deletion => {
                    query_text.extend(gap());
                    subject_text.extend(s.by_ref().take(columns));
                }
            }
        }
        let minus = context.is_minus;
        let shown = |mut text: Vec<u8>| -> String {
            if minus {
                text.reverse();
                for letter in &mut text {
                    *letter = alphabet::complement(*letter);
                }
            }
            text.into_iter().map(|letter| char::from(alphabet::decode(letter))).collect()
        };
        let query_place = if minus { length - end } else { begin };
        let (first, last) = (places.start + subject.start, places.end + subject.start);
        Self {
            record,
            query_name: name,
            query_length_in_tables: length_in_tables,
            query_length_of_alignment: length_of_alignment,
            query_place,
            subject,
            hsp,
            columns: hsp.columns(&strand, &letters),
            bits,
            e_value: if hsp.e_value < LEAST_E_VALUE { 0.0 } else { hsp.e_value },
            is_minus: minus,
            query: (start + query_place + 1, start + query_place + end - begin),
            subject_range: if minus { (last, first + 1) } else { (first + 1, last) },
            query_text: shown(query_text),
            subject_text: shown(subject_text),
        }
    }
}

/// The letters of the query in an alignment, with gaps, and masked letters in lower case.
pub fn letters_with_masks(
    aligned: &ReportedAlignment<'_>,
    record: &FastaRecord,
    masks: &[std::ops::Range<usize>],
) -> String {
    let mut lower = vec![false; record.letters.len()];
    for mask in masks {
        lower[mask.clone()].fill(true);
    }
    let mut place = aligned.query_place;
    let shown = aligned.query_text.chars().map(|letter| {
        if letter == '-' {
            return letter;
        }
        place += 1;
        if lower[place - 1] { letter.to_ascii_lowercase() } else { letter }
    });
    shown.collect()
}
