//! Output format 18: the subjects of each query by organism.

use std::fmt::Write as _;

use blastn_pipeline::database::ncbi::TaxonNames;

use crate::commands::blastn::report::{QuerySection, Report, number, pairwise};
use crate::commands::blastn::subject::OrganismLine;

/// Width of a report.
const WIDTH: usize = 100;
/// Number of blanks between columns.
const BETWEEN: usize = 4;
/// The headings of the columns: identifier, title, bit score and E-value.
const HEADINGS: [&str; 4] = ["Accession", "Description", "Score", "E-value"];
/// The title of the report of a query.
const CAPTION: &str = "Tax BLAST report";
/// Number of letters of a title in HTML.
const TITLE: usize = 60;

/// A subject in the report, as the cells of its line.
struct Row {
    /// Identifier, title, bit score and E-value.
    cells: [String; 4],
}

/// The subjects of an organism.
struct Organism {
    taxid: u32,
    names: TaxonNames,
    rows: Vec<Row>,
}

impl Organism {
    /// Its names, as a heading.
    fn heading(&self) -> String {
        let TaxonNames { scientific, common, group, .. } = &self.names;
        let common = if common == scientific { String::new() } else { format!("({common})") };
        format!("{scientific} {common} [{group}]")
    }
}

/// Appends the section of a query.
pub fn query(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    let is_html = report.pairwise.is_html;
    if is_html {
        let _ = write!(out, "<h1>{CAPTION}</h1><pre>");
    } else {
        let _ = write!(out, "\n{}\n\n", centered(CAPTION, WIDTH));
    }
    pairwise::query_heading(section, is_html, out);
    if is_html {
        out.push_str("</pre>");
    }
    let mut widths = [0; 4];
    let organisms = organisms(report, section, &mut widths);
    if is_html { table(&organisms, out) } else { lines(&organisms, widths, out) }
}

/// The organisms of the subjects of a query, in the order of their best subjects. The widths are those of the columns.
fn organisms(
    report: &Report<'_>,
    section: &QuerySection<'_>,
    widths: &mut [usize; 4],
) -> Vec<Organism> {
    let mut organisms: Vec<Organism> = Vec::new();
    for of_subject in section.aligned {
        for row in of_subject {
            let mut are_known = true;
            for OrganismLine { label, title, taxid } in row.subject.organism_lines() {
                let cells = [label, title, number::bits(row.bits), number::e_value(row.e_value)];
                for column in [0, 2, 3] {
                    let width = cells[column].len().max(HEADINGS[column].len());
                    widths[column] = width.max(widths[column]);
                }
                widths[1] = WIDTH.saturating_sub(widths[0] + widths[2] + widths[3] + BETWEEN);
                let organism = organisms.iter_mut().find(|organism| organism.taxid == taxid);
                let names = || report.taxonomy.and_then(|taxonomy| taxonomy.names(taxid));
                match (organism, names()) {
                    (Some(organism), _) => organism.rows.push(Row { cells }),
                    (None, Some(names)) => {
                        organisms.push(Organism { taxid, names, rows: vec![Row { cells }] });
                    }
                    (None, None) => {
                        // NCBI's program leaves the subject then, and takes its next alignment for another one.
                        are_known = false;
                        break;
                    }
                }
            }
            if are_known {
                break;
            }
        }
    }
    organisms
}

/// Appends a report as text.
fn lines(organisms: &[Organism], widths: [usize; 4], out: &mut String) {
    let [id, title, score, e_value] = widths;
    let _ = writeln!(
        out,
        "\n{}\n{}{}{}{}",
        centered("Organism Report", WIDTH),
        padded(HEADINGS[0], id),
        centered(HEADINGS[1], title),
        padded(HEADINGS[2], score),
        padded(HEADINGS[3], e_value),
    );
    for organism in organisms {
        let _ = writeln!(out, "\n{}", centered(&organism.heading(), WIDTH));
        for Row { cells } in &organism.rows {
            out.push(' ');
            for (cell, width) in cells.iter().zip(widths) {
                out.push_str(&padded(cell, width));
            }
            out.push('\n');
        }
    }
}

/// Appends a report as a table of HTML.
fn table(organisms: &[Organism], out: &mut String) {
    out.push_str(
        "<table><caption><h2>Organism Report</h2></caption><tr><th>Accession</th><th>Descr</th><th>Score</th>\
         <th>E-value</th></tr>",
    );
    for organism in organisms {
        let (taxid, scientific) = (organism.taxid, &organism.names.scientific);
        let _ = write!(
            out,
            "<tr><th colspan=\"4\"><a href=\"https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={taxid}\" \
             name=\"{taxid}\" title=\"Show taxonomy info for {scientific} (taxid {taxid})\" target=\"lnktx0\">{}</th></tr>",
            organism.heading()
        );
        for Row { cells: [id, title, score, e_value] } in &organism.rows {
            let title: String = title.chars().take(TITLE).collect();
            let _ = write!(
                out,
                "<tr><td><a title=\"Show report for {id}\" target=\"lnktx0\" \
                 href=\"https://www.ncbi.nlm.nih.gov/protein/{id}?report=fwwwtax&amp;log$=taxrep&amp;RID=0\">{id}</a></td>\
                 <td>{title}</td><td>{score}</td><td>{e_value}</td></tr>"
            );
        }
    }
    out.push_str("</table>");
    for organism in organisms {
        let ids: Vec<&str> = organism.rows.iter().map(|row| row.cells[0].as_str()).collect();
        let _ = write!(
            out,
            "<input type=\"hidden\" id=\"txForSeq_{}\" value=\"{}\" />",
            organism.taxid,
            ids.join(", ")
        );
    }
}

/// A text with the blanks that fill a width and one more behind it, or its beginning.
fn padded(text: &str, width: usize) -> String {
    let shown = shortened(text, width);
    format!("{shown}{:1$}", "", (width + 1).saturating_sub(shown.len()).max(1))
}

/// A text with half of these blanks on both sides.
fn centered(text: &str, width: usize) -> String {
    let shown = shortened(text, width);
    let blanks = if shown.len() == text.len() { (width + 1 - shown.len()) / 2 } else { 1 };
    format!("{:blanks$}{shown}{:blanks$}", "", "")
}

/// A text that is too long as its beginning and three dots; all of it if there is no room for these.
fn shortened(text: &str, width: usize) -> String {
    if text.len() <= width {
        return text.to_owned();
    }
    let kept = width.checked_sub(3).unwrap_or(text.len());
    text.chars().take(kept).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_fill_their_width_or_are_shortened() {
        assert_eq!(padded("ab", 4), "ab   ");
        assert_eq!(padded("abcdefgh", 5), "ab... ");
        assert_eq!(padded("Score", 0), "Score... ");
        assert_eq!(centered("ab", 6), "  ab  ");
        assert_eq!(centered("Description", 0), " Description... ");
    }
}
