//! How much of a query alignments cover.

use crate::commands::blastn::alignment::ReportedAlignment;

/// The percentage that `part` is of `whole`, as an integer that is 100 only for the whole.
pub fn percentage(part: usize, whole: usize) -> u32 {
    rounded_percentage(part, whole) as u32
}

/// The percentage that `part` is of `whole`, and a half more unless it is nearly the whole: its integer part is rounded.
pub fn rounded_percentage(part: usize, whole: usize) -> f64 {
    let percentage = 100.0 * part as f64 / whole as f64;
    if percentage < 99.0 { percentage + 0.5 } else { percentage }
}

/// Number of positions that are in any of some ranges, which have a first and a last position.
pub fn covered(mut ranges: Vec<(usize, usize)>) -> usize {
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

/// Number of bases of the query that alignments cover.
pub fn of_query(rows: &[ReportedAlignment<'_>]) -> usize {
    covered(rows.iter().map(|row| row.query).collect())
}
