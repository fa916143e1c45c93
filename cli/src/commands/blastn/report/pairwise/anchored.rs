//! Output formats 1 to 4: all alignments of a query under it, a row for each.
//!
//! ```text
//!   anchored (1, 2): a column for each letter of the query         flat (3, 4): columns of gaps in the query, too
//!
//!   Query_1  1   ACGTACGT  8                                       Query_1  1   ACG--TACGT  8
//!   0        11  ...C....  20                                      0        11  ...TTC....  20
//!                   \                                              1        1   ...--.....  8
//!                   |
//!                  TT
//!   1        1   ........  8
//! ```
//!
//! In the flat formats, insertions at the same place of the query have the same columns, from the left. A row is made within its
//! alignment alone, so that long queries take no more memory than their alignments.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use blastn_pipeline::sequence::alphabet;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::output_format::QueryAnchored;
use crate::commands::blastn::report::pairwise::html;
use crate::commands::blastn::report::pairwise::row_positions::{Piece, Positions, line_positions};
use crate::commands::blastn::report::{QuerySection, Report};

/// Blanks behind identifiers, behind positions and behind letters.
const MARGIN: usize = 2;

/// A row of the alignment of all.
struct Row {
    label: String,
    /// Column of the first of `letters`.
    first: usize,
    letters: Vec<u8>,
    /// Parts of the row that have no gaps, from left to right.
    pieces: Vec<Piece>,
    is_minus: bool,
    /// Letters that have no column, each with the column that they stand before.
    insertions: Vec<(usize, String)>,
}

impl Row {
    fn has_column(&self, column: usize) -> bool {
        (self.first..self.first + self.letters.len()).contains(&column)
    }

    /// Adds a letter of a sequence at this position in it, from 0.
    fn push(&mut self, letter: u8, position: usize) {
        let column = self.first + self.letters.len();
        self.letters.push(letter);
        match self.pieces.last_mut() {
            Some(piece) if piece.is_followed_by(column, position, self.is_minus) => {
                piece.length += 1;
            }
            _ => self.pieces.push(Piece { column, position, length: 1 }),
        }
    }

    fn push_gaps(&mut self, columns: usize) {
        self.letters.resize(self.letters.len() + columns, b'-');
    }

    /// The greatest position of a letter, from 0.
    fn greatest_position(&self) -> usize {
        let ends = |piece: &Piece| piece.position.max(piece.last(self.is_minus));
        self.pieces.iter().map(ends).max().unwrap_or(0)
    }
}

/// Appends the rows of the first `alignments` subjects.
pub fn rows(
    report: &Report<'_>,
    section: &QuerySection<'_>,
    format: QueryAnchored,
    alignments: usize,
    out: &mut String,
) {
    let shown = &section.aligned[..alignments.min(section.aligned.len())];
    let shown: Vec<&ReportedAlignment<'_>> = shown.iter().flat_map(|rows| in_order(rows)).collect();
    if shown.is_empty() {
        return;
    }
    let columns = Columns::new(&shown, format.is_flat);
    let mut rows = vec![columns.query_row(report, section)];
    rows.extend(shown.iter().map(|row| columns.row(report, row)));
    let blocks = Blocks {
        width: report.pairwise.line_length,
        columns: columns.count(),
        labels: rows.iter().map(|row| row.label.len()).max().unwrap_or(0),
        positions: rows.iter().map(Row::greatest_position).max().unwrap_or(0).to_string().len(),
        masks: masks(&rows[0], section, report.query_start()),
        shows_identities: format.shows_identities,
        is_html: report.pairwise.is_html,
    };
    out.push_str("\n\n");
    blocks.write(&rows, out);
}

/// The alignments of a subject in the order of their rows: by the length of their longest part without gaps.
fn in_order<'r, 'a>(rows: &'r [ReportedAlignment<'a>]) -> Vec<&'r ReportedAlignment<'a>> {
    let mut rows: Vec<&ReportedAlignment<'_>> = rows.iter().collect();
    rows.sort_by_cached_key(|row| std::cmp::Reverse(longest_part(row)));
    rows
}

/// The length of the longest part of an alignment without gaps.
fn longest_part(row: &ReportedAlignment<'_>) -> usize {
    let pairs = row.query_text.bytes().zip(row.subject_text.bytes());
    let (mut longest, mut length) = (0, 0);
    for pair in pairs {
        length = if pair.0 == b'-' || pair.1 == b'-' { 0 } else { length + 1 };
        longest = longest.max(length);
    }
    longest
}

/// The columns of the letters of the query.
struct Columns {
    /// First position of the query that has a column, from 0, and the one behind the last.
    query: (usize, usize),
    /// Numbers of columns of gaps before positions of the query.
    gaps: BTreeMap<usize, usize>,
    /// The column of each position of the query, and the number of all columns.
    of_query: Vec<usize>,
    is_flat: bool,
}

impl Columns {
    fn new(shown: &[&ReportedAlignment<'_>], is_flat: bool) -> Self {
        let first = shown.iter().map(|row| row.query.0 - 1).min().unwrap_or(0);
        let end = shown.iter().map(|row| row.query.1).max().unwrap_or(0);
        let mut gaps = BTreeMap::new();
        for row in shown.iter().filter(|_| is_flat) {
            walk(row, |step| {
                if let Step::Pair { query, insertion, .. } = step
                    && !insertion.is_empty()
                {
                    let columns = gaps.entry(query).or_insert(0);
                    *columns = insertion.len().max(*columns);
                }
            });
        }
        let mut column = 0;
        let mut of_query = Vec::with_capacity(end - first + 1);
        for position in first..end {
            column += gaps.get(&position).copied().unwrap_or(0);
            of_query.push(column);
            column += 1;
        }
        of_query.push(column);
        Self { query: (first, end), gaps, of_query, is_flat }
    }

    fn count(&self) -> usize {
        self.of_query[self.query.1 - self.query.0]
    }

    fn of(&self, position: usize) -> usize {
        self.of_query[position - self.query.0]
    }

    fn gaps_before(&self, position: usize) -> usize {
        self.gaps.get(&position).copied().unwrap_or(0)
    }

    fn empty_row(&self, label: String, query_start: usize, is_minus: bool) -> Row {
        Row {
            label,
            first: self.of(query_start),
            letters: Vec::new(),
            pieces: Vec::new(),
            is_minus,
            insertions: Vec::new(),
        }
    }

    fn query_row(&self, report: &Report<'_>, section: &QuerySection<'_>) -> Row {
        let (first, end) = self.query;
        let mut row = self.empty_row(section.origin.id(), first, false);
        for position in first..end {
            row.push_gaps(self.gaps_before(position));
            let letter = section.record.letters[position - report.query_start()];
            row.push(alphabet::decode(letter), position);
        }
        row
    }

    fn row(&self, report: &Report<'_>, aligned: &ReportedAlignment<'_>) -> Row {
        let label = aligned.subject.row_label(report.pairwise.shows_gis);
        let mut row = self.empty_row(label, aligned.query.0 - 1, aligned.is_minus);
        walk(aligned, |step| {
            let columns = match step {
                Step::Pair { query, .. } | Step::Gap { query } if query >= aligned.query.0 => {
                    self.gaps_before(query)
                }
                // Nothing is before the first letter.
                _ => 0,
            };
            match step {
                Step::Gap { .. } => row.push_gaps(columns + 1),
                Step::Pair { subject, letter, insertion, .. } => {
                    if self.is_flat {
                        for (place, &inserted) in insertion.iter().enumerate() {
                            let before = insertion.len() - place;
                            let is_minus = row.is_minus;
                            row.push(
                                inserted,
                                if is_minus { subject + before } else { subject - before },
                            );
                        }
                        row.push_gaps(columns - insertion.len());
                    } else if !insertion.is_empty() {
                        let column = row.first + row.letters.len();
                        let letters = String::from_utf8_lossy(&insertion).into_owned();
                        row.insertions.push((column, letters));
                    }
                    row.push(letter, subject);
                }
            }
        });
        row
    }
}

/// A column of an alignment that has a letter of the query.
enum Step {
    /// A pair of letters, and the letters of the subject before it that are opposite to gaps. NCBI's program shows these here
    /// even if letters of the query opposite to gaps are between.
    Pair { query: usize, subject: usize, letter: u8, insertion: Vec<u8> },
    /// A letter of the query opposite to a gap.
    Gap { query: usize },
}

/// Calls `visit` for each letter of the query in an alignment, with positions from 0.
fn walk(row: &ReportedAlignment<'_>, mut visit: impl FnMut(Step)) {
    let (mut query, mut subject) = (row.query.0 - 1, row.subject_range.0 - 1);
    let mut insertion = Vec::new();
    for (of_query, of_subject) in row.query_text.bytes().zip(row.subject_text.bytes()) {
        match (of_query, of_subject) {
            (b'-', letter) => insertion.push(letter),
            (_, b'-') => visit(Step::Gap { query }),
            (_, letter) => {
                let insertion = std::mem::take(&mut insertion);
                visit(Step::Pair { query, subject, letter, insertion });
            }
        }
        query += usize::from(of_query != b'-');
        if of_subject != b'-' {
            subject = if row.is_minus { subject.wrapping_sub(1) } else { subject + 1 };
        }
    }
}

/// The ranges of columns in which the query is masked.
fn masks(query: &Row, section: &QuerySection<'_>, query_start: usize) -> Vec<Range<usize>> {
    let column = |position: usize| {
        let before =
            query.pieces.partition_point(|piece| piece.position + piece.length <= position);
        query.pieces.get(before).map(|piece| piece.column + position - piece.position)
    };
    let (Some(first), Some(last)) = (query.pieces.first(), query.pieces.last()) else {
        return Vec::new();
    };
    let (first, last) = (first.position, last.position + last.length - 1);
    let masks = section.masks.iter().filter_map(|mask| {
        let (begin, end) = (mask.start + query_start, mask.end - 1 + query_start);
        if begin > last || end < first {
            return None;
        }
        Some(column(begin.max(first))?..column(end.min(last))? + 1)
    });
    masks.collect()
}

/// How the columns are divided into blocks of lines.
struct Blocks {
    width: usize,
    columns: usize,
    /// Width of the identifiers.
    labels: usize,
    /// Width of the positions.
    positions: usize,
    masks: Vec<Range<usize>>,
    shows_identities: bool,
    is_html: bool,
}

impl Blocks {
    fn write(&self, rows: &[Row], out: &mut String) {
        let positions: Vec<Vec<Positions>> = rows
            .iter()
            .map(|row| line_positions(&row.pieces, row.is_minus, self.columns, self.width))
            .collect();
        // The last position of each row in its line before; 0 before its first line.
        let mut before = vec![0; rows.len()];
        for (block, begin) in (0..self.columns).step_by(self.width).enumerate() {
            if block > 0 {
                out.push('\n');
            }
            let end = self.columns.min(begin + self.width);
            for (number, row) in rows.iter().enumerate() {
                if row.first >= end || row.first + row.letters.len() <= begin {
                    continue;
                }
                let Positions { first, last } = positions[number][block];
                let is_empty =
                    if block > 0 { last == before[number] } else { (first, last) == (1, 1) };
                before[number] = last;
                let text = self.letters(row, &rows[0], number == 0, begin..end);
                let [first, last] = [first, last]
                    .map(|position| if is_empty { String::new() } else { position.to_string() });
                let _ = writeln!(
                    out,
                    "{:labels$}{:MARGIN$}{first:positions$}{text}{:MARGIN$}{last}",
                    row.label,
                    "",
                    "",
                    labels = self.labels,
                    positions = self.positions + MARGIN,
                );
                let insertions: Vec<(usize, &str)> = row
                    .insertions
                    .iter()
                    .filter(|insertion| (begin..end).contains(&insertion.0))
                    .map(|(column, letters)| (column - begin, letters.as_str()))
                    .collect();
                let margin = self.labels + self.positions + 2 * MARGIN;
                for line in insertion_lines(&insertions, end - begin) {
                    let _ = writeln!(out, "{:margin$}{line}", "");
                }
            }
        }
    }

    /// The masks that some columns have.
    fn masks_of(&self, columns: &Range<usize>) -> &[Range<usize>] {
        let first = self.masks.partition_point(|mask| mask.end <= columns.start);
        let end = self.masks.partition_point(|mask| mask.start < columns.end);
        &self.masks[first..end.max(first)]
    }

    /// The letters of a row in some columns.
    fn letters(&self, row: &Row, query: &Row, is_query: bool, columns: Range<usize>) -> String {
        let masks = self.masks_of(&columns);
        let letter = |column: usize| {
            if !row.has_column(column) {
                return ' ';
            }
            let letter = row.letters[column - row.first];
            let is_equal = || query.letters[column] == letter && letter.is_ascii_alphabetic();
            if is_query {
                let is_masked = masks.iter().any(|mask| mask.contains(&column));
                char::from(if is_masked { letter.to_ascii_lowercase() } else { letter })
            } else if self.shows_identities && is_equal() {
                '.'
            } else {
                char::from(letter)
            }
        };
        let text: String = columns.clone().map(letter).collect();
        if is_query && self.is_html { html::with_masks(&text, columns.start, masks) } else { text }
    }
}

/// The lines under a row that show its insertions, each with its place in the line: marks at their places, then bars and
/// letters. Letters end below their bar if there is room, and insertions without room are in lines below.
fn insertion_lines(insertions: &[(usize, &str)], width: usize) -> Vec<String> {
    if insertions.is_empty() {
        return Vec::new();
    }
    let marks = |mark: u8| {
        let mut line = vec![b' '; width];
        for &(place, _) in insertions {
            line[place] = mark;
        }
        String::from_utf8_lossy(&line).into_owned()
    };
    let mut lines = vec![marks(b'\\')];
    let mut rest = insertions.to_vec();
    while !rest.is_empty() {
        let (mut bars, mut letters) = (vec![b' '; width], String::new());
        let mut left_over = Vec::new();
        // Where the last insertion ends, from which follows whether the next has room.
        let mut end = 0;
        for (number, &(place, insertion)) in rest.iter().enumerate() {
            bars[place] = b'|';
            let used = letters.len();
            if number == 0 || place > end {
                let before = (place + 1).saturating_sub(used + insertion.len());
                if before >= 1 {
                    letters.extend(std::iter::repeat_n(' ', before));
                } else if used > 0 {
                    letters.push(' ');
                }
                letters.push_str(insertion);
                end = letters.len();
            } else {
                // A bar below leads to the next line, where there is room for it.
                if place >= used {
                    letters.extend(std::iter::repeat_n(' ', place - used));
                    letters.push('|');
                    end += place + 1 - used;
                }
                left_over.push((place, insertion));
            }
        }
        lines.push(String::from_utf8_lossy(&bars).into_owned());
        lines.push(letters);
        rest = left_over;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_end_below_their_bars_or_go_to_the_next_lines() {
        let lines = insertion_lines(&[(5, "AC"), (7, "GGG"), (8, "T")], 10);
        let expected = ["     \\ \\\\ ", "     | || ", "    AC GGG", "        | ", "        T"];
        assert_eq!(lines, expected);
        assert!(insertion_lines(&[], 10).is_empty());
    }
}
