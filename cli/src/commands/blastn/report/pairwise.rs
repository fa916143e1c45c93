//! Output format 0: pairwise alignments, for people to look at.

use std::fmt::Write as _;

use blastn_pipeline::database::SourceDatabase;
use blastn_pipeline::options::BlastTask;
use blastn_pipeline::query::context::ContextStatistics;
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::KarlinAltschul;

use crate::commands::blastn::alignment::{ReportedAlignment, letters_with_masks};
use crate::commands::blastn::report::{
    PROGRAM, PairwiseLayout, QuerySection, Report, coverage, number, order,
};

/// Greatest number of letters in a line of a query's title.
const LINE: usize = 75;
/// Number of letters of a subject's title, above its alignments, after which the next blank ends the line.
const TITLE: usize = 60;

/// Number of letters of a subject's title in the list of all subjects.
const LISTED: usize = 68;
/// Width of the last column of that list, the identity.
const IDENTITY: usize = "Max ident".len() + 1;

/// The paper that reports of megablast cite.
const MEGABLAST: &str = "\
Reference: Zheng Zhang, Scott Schwartz, Lukas Wagner, and Webb
Miller (2000), \"A greedy algorithm for aligning DNA sequences\", J
Comput Biol 2000; 7(1-2):203-14.
";

/// The paper that reports of blastn cite.
const BLASTN: &str = "\
Reference: Stephen F. Altschul, Thomas L. Madden, Alejandro A.
Schaffer, Jinghui Zhang, Zheng Zhang, Webb Miller, and David J.
Lipman (1997), \"Gapped BLAST and PSI-BLAST: a new generation of
protein database search programs\", Nucleic Acids Res. 25:3389-3402.
";

/// Appends the text before the sections of queries.
pub fn begin(report: &Report<'_>, out: &mut String) {
    let reference =
        if report.searcher.options().task == BlastTask::Megablast { MEGABLAST } else { BLASTN };
    let sources = report.sources();
    let titles: Vec<&str> = sources.iter().map(|source| source.title.as_str()).collect();
    let size = report.size();
    let _ = write!(
        out,
        "{PROGRAM}\n\n\n{reference}\n\n\nDatabase: {}\n           {} sequences; {} total letters\n\n",
        titles.join("; "),
        grouped(size.sequences as u64),
        grouped(size.letters)
    );
}

/// Appends the section of a query.
pub fn query(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    let record = section.record;
    let title = wrapped(&record.title, LINE, "Query= ".len());
    let space = if title.is_empty() { "" } else { "\n" };
    let length = section.origin.length;
    let _ = write!(out, "\n\nQuery= {title}\n{space}Length={length}\n");
    if section.aligned.iter().all(Vec::is_empty) {
        out.push_str("\n\n***** No hits found *****\n\n");
    } else {
        let PairwiseLayout { descriptions, alignments, .. } = report.pairwise;
        let first = |count: usize| &section.aligned[..count.min(section.aligned.len())];
        if descriptions > 0 {
            let length = report.pairwise.subject_order.map(|_| length);
            list(report, first(descriptions), length, out);
        } else {
            out.push('\n');
        }
        for of_subject in first(alignments) {
            subject(report, of_subject, record, &section.masks, out);
        }
    }
    statistics(section.statistics, report.searcher.options().is_ungapped, out);
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
}

/// Appends the list of subjects, a line each; `query` is the length of the query if the line also tells how the subject compares in
/// other orders than by E-value.
fn list(
    report: &Report<'_>,
    aligned: &[Vec<ReportedAlignment<'_>>],
    query: Option<usize>,
    out: &mut String,
) {
    let options = report.searcher.options();
    let shows_set_sizes = options.is_ungapped && options.has_sum_statistics;
    let shows_gis = report.pairwise.shows_gis;
    let is_longer = query.is_some();
    let lines: Vec<ListedSubject> = aligned
        .iter()
        .filter(|rows| !rows.is_empty())
        .map(|rows| ListedSubject::new(rows, query.unwrap_or(0), shows_gis))
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
    for line in &lines {
        let ListedSubject { title, bits: score, total_bits, coverage, e_value, set_size, identity } =
            line;
        let _ = write!(out, "{title:LISTED$}  {score:bits$}");
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
    title: String,
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
        let heading = rows[0].subject.heading_in_list(shows_gis);
        let mut title: String = heading.chars().take(LISTED + 1).collect();
        if title.chars().count() > LISTED {
            title = title.chars().take(LISTED - 3).chain("...".chars()).collect();
        }
        let (bits, e_value) =
            order::best(rows).map_or((0.0, 0.0), |row| (row.bits, row.hsp.e_value));
        Self {
            title,
            bits: number::bits(bits),
            total_bits: number::bits(order::total_bits(rows)),
            coverage: format!("{}%", 100 * coverage::of_query(rows) / query.max(1)),
            e_value: number::e_value(e_value),
            set_size: rows[0].hsp.set_size.max(1).to_string(),
            identity: format!("{}%", (order::identity_of_best(rows) + 0.5) as u32),
        }
    }
}

/// Appends a subject and its alignments.
fn subject(
    report: &Report<'_>,
    aligned: &[ReportedAlignment<'_>],
    record: &FastaRecord,
    masks: &[std::ops::Range<usize>],
    out: &mut String,
) {
    let Some(first) = aligned.first() else { return };
    let space = if report.is_database { "" } else { " " };
    let headings: Vec<String> =
        first.subject.headings(report.pairwise.shows_gis).map(|heading| spaced(&heading)).collect();
    let headings = headings.join("\n ");
    let _ = write!(out, "\n>{space}{headings}\nLength={}\n", first.subject.length);
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
            number::e_value(row.hsp.e_value),
            columns.identities,
            share(columns.identities),
            columns.gaps,
            share(columns.gaps),
            if row.is_minus { "Minus" } else { "Plus" },
            length = columns.length
        );
        lines(row, (record, masks), report.pairwise.line_length, out);
    }
}

/// Appends the columns of an alignment, line by line.
fn lines(
    row: &ReportedAlignment<'_>,
    (record, masks): (&FastaRecord, &[std::ops::Range<usize>]),
    line_length: usize,
    out: &mut String,
) {
    let query = letters_with_masks(row, record, masks);
    let (query, subject) = (query.as_bytes(), row.subject_text.as_bytes());
    let (mut q, mut s) = (row.query.0, row.subject_range.0);
    let last = row.query.1.max(row.subject_range.0).max(row.subject_range.1);
    // NCBI's program measures positions that count from 0, and adds two blanks.
    let width = (last - 1).to_string().len() + 2;
    let mut ends_before = None;
    for (of_query, of_subject) in query.chunks(line_length).zip(subject.chunks(line_length)) {
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
        let (before_q, before_s) = ends_before.replace((q_end, s_end)).unzip();
        let (q_first, q_last) = positions(q, q_end, before_q);
        let (s_first, s_last) = positions(s, s_end, before_s);
        let _ = write!(
            out,
            "Query  {q_first:<width$}{}  {q_last}\n       {:width$}{middle}\nSbjct  {s_first:<width$}{}  {s_last}\n\n",
            text(of_query),
            "",
            text(of_subject)
        );
        q += query_letters;
        if row.is_minus { s -= subject_letters } else { s += subject_letters }
    }
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
