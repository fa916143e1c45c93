//! The list of the subjects of a query.

use std::fmt::Write as _;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::report::markup::for_html;
use crate::commands::blastn::report::pairwise::html;
use crate::commands::blastn::report::{Report, coverage, number, order};
use crate::commands::blastn::subject::ListHeading;

/// Number of letters of a subject's heading.
const LISTED: usize = 68;
/// The end of a heading that is shortened.
const ELLIPSIS: &str = "...";
/// Width of the last column, the identity.
const IDENTITY: usize = "Max ident".len() + 1;

/// Appends the list of subjects of a query of a length, a line each. If they are in an order that was asked for, the line also
/// tells how the subject compares in other orders.
pub fn list(
    report: &Report<'_>,
    aligned: &[Vec<ReportedAlignment<'_>>],
    query: usize,
    out: &mut String,
) {
    let (layout, options) = (&report.pairwise, report.searcher.options());
    let shows_set_sizes = options.is_ungapped && options.has_sum_statistics;
    let is_longer = layout.subject_order.is_some();
    let lines: Vec<ListedSubject> = aligned
        .iter()
        .filter(|rows| !rows.is_empty())
        .map(|rows| ListedSubject::new(rows, query, layout.shows_gis))
        .collect();
    let width = |text: fn(&ListedSubject) -> &String, heading: &str| {
        lines.iter().map(|line| text(line).len()).max().unwrap_or(0).max(heading.len())
    };
    let bits = width(|line| &line.bits, "(Bits)");
    let total = width(|line| &line.total_bits, "Total");
    let e_values = width(|line| &line.e_value, "Value");
    let set_sizes = width(|line| &line.set_size, "N");
    let heading = "Sequences producing significant alignments:";
    // With the number of alignments of a set, the heading of E-values is as wide as they are.
    let value =
        if shows_set_sizes { format!("{:e_values$}  N", "Value") } else { "Value".to_owned() };
    if is_longer {
        let _ = write!(
            out,
            "{:LISTED$}  {:bits$}  {:total$}  Query    E  {:rest$}Max\n{heading:LISTED$} {:bits$}   {:total$}  cover   {:e_values$}{}Ident\n\n",
            "",
            "Score",
            "Total",
            "",
            "(Bits)",
            "Score",
            value,
            if shows_set_sizes { "" } else { "  " },
            rest = e_values - 2,
        );
    } else {
        let _ = write!(
            out,
            "{:LISTED$}  {:bits$}    E\n{heading:LISTED$} {:bits$}  {value}\n\n",
            "", "Score", "(Bits)"
        );
    }
    for (rank, line) in (1..).zip(&lines) {
        let ListedSubject {
            heading,
            bits: score,
            total_bits,
            coverage,
            e_value,
            set_size,
            identity,
        } = line;
        let ListHeading { id, title, names } = heading;
        let padding = LISTED.saturating_sub(id.chars().count() + title.chars().count());
        if layout.is_html {
            let id = html::linked(id, names, html::Place::List, rank);
            let (title, anchor) = (for_html(title), &names.anchor);
            let behind = bits - score.len();
            let _ = write!(
                out,
                "{id}{title}{:padding$}  <a href=#{anchor}>{score}</a>{:behind$}",
                "", ""
            );
        } else {
            let _ = write!(out, "{id}{title}{:padding$}  {score:bits$}", "");
        }
        if is_longer {
            let _ = write!(out, "   {total_bits:total$}  {coverage:5}");
        }
        let _ = write!(out, "  {e_value:e_values$}");
        if shows_set_sizes {
            let _ = write!(out, "  {set_size:set_sizes$}");
        }
        if is_longer {
            let _ = write!(out, "  {identity:IDENTITY$}");
        }
        out.push('\n');
    }
    out.push('\n');
}

/// A line of the list of subjects.
struct ListedSubject {
    heading: ListHeading,
    bits: String,
    total_bits: String,
    coverage: String,
    e_value: String,
    /// Number of alignments in the set of the first one.
    set_size: String,
    identity: String,
}

impl ListedSubject {
    /// The line of a subject with some alignments with a query of a length.
    fn new(rows: &[ReportedAlignment<'_>], query: usize, shows_gis: bool) -> Self {
        let mut heading = rows[0].subject.heading_in_list(shows_gis);
        let room = LISTED.saturating_sub(heading.id.chars().count());
        if heading.title.chars().count() > room {
            let kept = heading.title.chars().take(room.saturating_sub(ELLIPSIS.len()));
            heading.title = kept.chain(ELLIPSIS.chars()).collect();
        }
        let (bits, e_value) = order::best(rows).map_or((0.0, 0.0), |row| (row.bits, row.e_value));
        Self {
            heading,
            bits: number::bits(bits),
            total_bits: number::bits(order::total_bits(rows)),
            coverage: format!("{}%", 100 * coverage::of_query(rows) / query.max(1)),
            e_value: number::e_value(e_value),
            set_size: rows[0].hsp.set_size.max(1).to_string(),
            identity: format!("{}%", (order::identity_of_best(rows) + 0.5) as u32),
        }
    }
}
