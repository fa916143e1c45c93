//! Output formats 0 to 4, for people to look at: pairwise alignments (0), or all alignments of a query under it (1 to 4, in
//! [`anchored`]), as text or as HTML ([`html`]).

mod anchored;
mod html;
mod list;
mod row_positions;

use std::fmt::Write as _;
use std::ops::Range;

use blastn_pipeline::database::SourceDatabase;
use blastn_pipeline::options::BlastTask;
use blastn_pipeline::query::context::ContextStatistics;
use blastn_pipeline::statistics::KarlinAltschul;

use crate::commands::blastn::alignment::{ReportedAlignment, letters_with_masks};
use crate::commands::blastn::output_format::OutputFormat;
use crate::commands::blastn::report::markup::for_html;
use crate::commands::blastn::report::{PROGRAM, PairwiseLayout, QuerySection, Report, number};

/// Greatest number of letters in a line of a query's title.
const LINE: usize = 75;
/// Number of letters of a subject's title, above its alignments, after which the next blank ends the line.
const TITLE: usize = 60;

/// A paper that reports cite.
pub(super) struct Reference {
    text: &'static str,
    /// As in HTML, behind a link.
    html: &'static str,
    /// Its number in the database `PubMed`.
    pubmed: u32,
}

/// The paper that reports of megablast cite.
const MEGABLAST: Reference = Reference {
    text: "\
Reference: Zheng Zhang, Scott Schwartz, Lukas Wagner, and Webb
Miller (2000), \"A greedy algorithm for aligning DNA sequences\", J
Comput Biol 2000; 7(1-2):203-14.
",
    html: "\
Zheng Zhang, Scott Schwartz, Lukas Wagner, and Webb Miller (2000),
\"A greedy algorithm for aligning DNA sequences\", J Comput Biol 2000;
7(1-2):203-14.
",
    pubmed: 10_890_397,
};

/// The paper that reports of blastn cite.
const BLASTN: Reference = Reference {
    text: "\
Reference: Stephen F. Altschul, Thomas L. Madden, Alejandro A.
Schaffer, Jinghui Zhang, Zheng Zhang, Webb Miller, and David J.
Lipman (1997), \"Gapped BLAST and PSI-BLAST: a new generation of
protein database search programs\", Nucleic Acids Res. 25:3389-3402.
",
    html: "\
Stephen F. Altschul, Thomas L. Madden, Alejandro A. Sch&auml;ffer,
Jinghui Zhang, Zheng Zhang, Webb Miller, and David J. Lipman (1997),
\"Gapped BLAST and PSI-BLAST: a new generation of protein database
search programs\", Nucleic Acids Res. 25:3389-3402.
",
    pubmed: 9_254_694,
};

/// Appends the text before the sections of queries.
pub fn begin(report: &Report<'_>, out: &mut String) {
    let is_html = report.pairwise.is_html;
    let is_megablast = report.searcher.options().task == BlastTask::Megablast;
    let reference = if is_megablast { MEGABLAST } else { BLASTN };
    let (program, reference) = if is_html {
        (format!("{}<b>{PROGRAM}</b>", html::BEGIN), html::reference(&reference))
    } else {
        (PROGRAM.to_owned(), reference.text.to_owned())
    };
    let sources = report.sources();
    let titles: Vec<&str> = sources.iter().map(|source| source.title.as_str()).collect();
    let size = report.size();
    let _ = write!(
        out,
        "{program}\n\n\n{reference}\n\n\nDatabase: {}\n           {} sequences; {} total letters\n\n",
        titles.join("; "),
        grouped(size.sequences as u64),
        grouped(size.letters)
    );
}

/// Appends the section of a query.
pub fn query(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    let PairwiseLayout { descriptions, alignments, is_html, .. } = report.pairwise;
    out.push_str("\n\n");
    query_heading(section, is_html, out);
    if section.aligned.iter().all(Vec::is_empty) {
        out.push_str("\n\n***** No hits found *****\n\n");
    } else {
        let first = |count: usize| &section.aligned[..count.min(section.aligned.len())];
        if descriptions > 0 {
            list::list(report, first(descriptions), section.origin.length, out);
        } else {
            out.push('\n');
        }
        if let OutputFormat::QueryAnchored(format) = *report.format {
            anchored::rows(report, section, format, alignments, out);
        } else {
            for (rank, of_subject) in (1..).zip(first(alignments)) {
                subject(report, (of_subject, rank), section, out);
            }
        }
    }
    statistics(section.statistics, report.searcher.options().is_ungapped, out);
}

/// Appends title and length of a query.
pub(super) fn query_heading(section: &QuerySection<'_>, is_html: bool, out: &mut String) {
    let mut title = wrapped(&section.record.title, LINE, "Query= ".len());
    if is_html {
        title = for_html(&title);
    }
    let heading = if is_html { "<b>Query=</b>" } else { "Query=" };
    let space = if title.is_empty() { "" } else { "\n" };
    let length = section.origin.length;
    let _ = write!(out, "{heading} {title}\n{space}Length={length}\n");
}

/// Appends the text behind the sections of queries.
pub fn end(report: &Report<'_>, out: &mut String) {
    let options = report.searcher.options();
    let scoring = &options.scoring;
    let extension = if scoring.is_linear() {
        f64::from(scoring.reward - 2 * scoring.penalty) / 2.0
    } else {
        f64::from(scoring.gap_extend)
    };
    out.push('\n');
    for SourceDatabase { title, posted, size } in &report.sources() {
        let _ = write!(
            out,
            "\n  Database: {title}\n    Posted date:  {posted}\n  Number of letters in database: {}\n  \
             Number of sequences in database:  {}\n",
            grouped(size.letters),
            grouped(size.sequences as u64)
        );
    }
    let _ = write!(out, "\n\n\nMatrix: blastn matrix {} {}\n", scoring.reward, scoring.penalty);
    if !options.is_ungapped {
        let open = scoring.gap_open;
        let _ = writeln!(out, "Gap Penalties: Existence: {open}, Extension: {extension}");
    }
    if options.window > 0 {
        let _ = writeln!(out, "Window for multiple hits: {}", options.window);
    }
    if report.pairwise.is_html {
        out.push_str(html::END);
    }
}

/// Appends a subject, which has this rank among those of the query, and its alignments.
fn subject(
    report: &Report<'_>,
    (aligned, rank): (&[ReportedAlignment<'_>], usize),
    section: &QuerySection<'_>,
    out: &mut String,
) {
    let Some(first) = aligned.first() else { return };
    let headings = first.subject.headings(report.pairwise.shows_gis);
    out.push_str("\n>");
    for (number, heading) in headings.iter().enumerate() {
        if number > 0 {
            out.push(' ');
        }
        if report.pairwise.is_html {
            let last = number.checked_sub(1).map(|last| &headings[last].names);
            if let Some(last) = last {
                out.push_str(&html::between_headings(number, headings.len(), last));
            }
            let names = &heading.names;
            out.push_str(&html::linked(&heading.id, names, html::Place::Alignments, rank));
            let title = spaced(&for_html(&heading.title));
            let _ = writeln!(out, "<a name={}></a> {title}", names.anchor);
        } else {
            let space = if heading.id.is_empty() && report.is_database { "" } else { " " };
            let _ = writeln!(out, "{}{space}{}", heading.id, spaced(&heading.title));
        }
    }
    if report.pairwise.is_html {
        out.push_str(html::behind_headings(headings.len()));
    }
    let _ = writeln!(out, "Length={}", first.subject.length);
    for row in aligned {
        let columns = &row.columns;
        let share = |part: usize| {
            if part == columns.length {
                100
            } else {
                ((0.5 + 100.0 * part as f64 / columns.length as f64) as u32).min(99)
            }
        };
        let set_size = match row.hsp.set_size {
            0..=1 => String::new(),
            size => format!("({size})"),
        };
        let _ = write!(
            out,
            "\n Score = {} bits ({}),  Expect{set_size} = {}\n Identities = {}/{length} ({}%), \
             Gaps = {}/{length} ({}%)\n Strand=Plus/{}\n\n",
            number::bits(row.bits),
            row.hsp.score,
            number::e_value(row.e_value),
            columns.identities,
            share(columns.identities),
            columns.gaps,
            share(columns.gaps),
            if row.is_minus { "Minus" } else { "Plus" },
            length = columns.length
        );
        lines(row, section, &report.pairwise, out);
    }
}

/// Appends the columns of an alignment, line by line.
fn lines(
    row: &ReportedAlignment<'_>,
    section: &QuerySection<'_>,
    layout: &PairwiseLayout,
    out: &mut String,
) {
    let line_length = layout.line_length;
    let text = letters_with_masks(row, section.record, &section.masks);
    let masks = if layout.is_html { masked_columns(row, &section.masks) } else { Vec::new() };
    let (query, subject) = (text.as_bytes(), row.subject_text.as_bytes());
    let (mut q, mut s) = (row.query.0, row.subject_range.0);
    let last = row.query.1.max(row.subject_range.0).max(row.subject_range.1);
    // NCBI's program measures positions that count from 0, so the longest may leave one blank of two.
    let width = (last - 1).to_string().len() + 2;
    let mut ends_before = None;
    let lines = query.chunks(line_length).zip(subject.chunks(line_length));
    for (number, (of_query, of_subject)) in lines.enumerate() {
        let letters = |text: &[u8]| text.iter().filter(|&&letter| letter != b'-').count();
        let (query_letters, subject_letters) = (letters(of_query), letters(of_subject));
        // A line without letters shows the position before it.
        let q_end = (q + query_letters).saturating_sub(1);
        let s_end = if row.is_minus {
            s + 1 - subject_letters
        } else {
            (s + subject_letters).saturating_sub(1)
        };
        let middle: String = of_query
            .iter()
            .zip(of_subject)
            .map(|(one, other)| if one.eq_ignore_ascii_case(other) { '|' } else { ' ' })
            .collect();
        let text = |letters: &[u8]| String::from_utf8_lossy(letters).into_owned();
        let mut shown_query = text(of_query);
        if layout.is_html {
            let first = number * line_length;
            let end = first + of_query.len();
            let of_line: Vec<Range<usize>> =
                masks.iter().filter(|mask| mask.start < end && mask.end > first).cloned().collect();
            shown_query = html::with_masks(&shown_query, first, &of_line);
        }
        let (before_q, before_s) = ends_before.replace((q_end, s_end)).unzip();
        let (q_first, q_last) = positions(q, q_end, before_q);
        let (s_first, s_last) = positions(s, s_end, before_s);
        let _ = write!(
            out,
            "Query  {q_first:<width$}{}  {q_last}\n       {:width$}{middle}\nSbjct  {s_first:<width$}{}  {s_last}\n\n",
            shown_query,
            "",
            text(of_subject)
        );
        q += query_letters;
        if row.is_minus { s -= subject_letters } else { s += subject_letters }
    }
}

/// The columns of an alignment that masks of the query have.
fn masked_columns(row: &ReportedAlignment<'_>, masks: &[Range<usize>]) -> Vec<Range<usize>> {
    let letters = row.query_text.bytes().enumerate().filter(|letter| letter.1 != b'-');
    let columns: Vec<usize> = letters.map(|(column, _)| column).collect();
    let shown = row.query_place..row.query_place + columns.len();
    let masks = masks.iter().filter(|mask| mask.start < shown.end && mask.end > shown.start);
    let column = |place: usize| columns[place.clamp(shown.start, shown.end - 1) - shown.start];
    masks.map(|mask| column(mask.start)..column(mask.end - 1) + 1).collect()
}

/// The positions at both ends of a line of a sequence; `before` is the last position of the line before. A line has none if it ends
/// where the one before does, or if it is the first and shows the first letter alone, as NCBI's program takes it for a line of gaps.
fn positions(first: usize, last: usize, before: Option<usize>) -> (String, String) {
    let is_empty = before.map_or((first, last) == (1, 1), |before| last == before);
    if is_empty { Default::default() } else { (first.to_string(), last.to_string()) }
}

/// Appends the statistics of a query; those of alignments with gaps are left out if there are none.
fn statistics(statistics: Option<&ContextStatistics>, is_ungapped: bool, out: &mut String) {
    let of = |parameters: &KarlinAltschul| {
        [parameters.lambda, parameters.k, parameters.h]
            .map(|value| format!("{:>8} ", number::three_digits(value)))
            .concat()
    };
    let space = statistics.map_or(0, |statistics| statistics.space.effective);
    match statistics {
        Some(statistics) => {
            let heading = "Lambda      K        H";
            let _ = write!(out, "\n\n{heading}\n{}\n", of(&statistics.ungapped));
            if is_ungapped {
                out.push('\n');
            } else {
                let _ = write!(out, "\nGapped\n{heading}\n{}\n", of(&statistics.gapped));
            }
        }
        None => out.push_str("\n\n\n"),
    }
    let _ = write!(out, "\nEffective search space used: {space}\n");
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text in lines of at most `width` letters, the first of them shorter by `indent`. Lines end at spaces, or anywhere
/// if there are none.
fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    let mut room = width - indent;
    while rest.len() > room {
        let space = rest[..=room].iter().rposition(|&letter| letter == ' ');
        let (end, behind) = space.filter(|&end| end > 0).map_or((room, room), |end| (end, end + 1));
        lines.push(rest[..end].iter().collect());
        rest.drain(..behind);
        room = width;
    }
    lines.push(rest.into_iter().collect());
    lines.join("\n")
}

/// Text with a line end behind the first blank after every [`TITLE`] letters.
fn spaced(text: &str) -> String {
    let (mut out, mut due) = (String::new(), false);
    for (place, letter) in text.chars().enumerate() {
        due |= place > 0 && place.is_multiple_of(TITLE);
        out.push(letter);
        if due && letter.is_whitespace() {
            out.push('\n');
            due = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_text_is_broken() {
        assert_eq!([0, 999, 1000, 2_476_164].map(grouped), ["0", "999", "1,000", "2,476,164"]);
        assert_eq!(wrapped("one two three", 9, 4), "one\ntwo three");
        assert_eq!(wrapped("onetwothree", 5, 0), "onetw\nothre\ne");
        let long = "a".repeat(59) + " b c d";
        assert_eq!(spaced(&long), "a".repeat(59) + " b \nc d");
    }
}
