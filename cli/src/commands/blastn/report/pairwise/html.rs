//! The parts of reports that differ in HTML (`-html`): links, anchors, and letters in another font.

use std::fmt::Write as _;
use std::ops::Range;

use crate::commands::blastn::report::pairwise::Reference;
use crate::commands::blastn::subject::Names;

/// The text before a report.
pub const BEGIN: &str = "\
<HTML>
<HEAD><TITLE>BLAST Search Results</TITLE></HEAD>
<BODY BGCOLOR=\"#FFFFFF\" LINK=\"#0000FF\" VLINK=\"#660099\" ALINK=\"#660099\">
<PRE>

";

/// The text behind a report.
pub const END: &str = "</PRE>\n</BODY>\n</HTML>\n";

/// Number of headings of a subject above which only [`SHOWN_HEADINGS`] are shown at first.
const MANY_HEADINGS: usize = 8;
const SHOWN_HEADINGS: usize = 3;

/// The paper that a report cites, with a link.
pub fn reference(reference: &Reference) -> String {
    let Reference { pubmed, html, .. } = reference;
    format!(
        "<b><a\nhref=\"https://www.ncbi.nlm.nih.gov/entrez/query.fcgi?db=PubMed&cmd=R\netrieve&list_uids={pubmed}&dopt=Citation\">\
         Reference</a>:</b>\n{html}"
    )
}

/// Where a link to a subject stands.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// A link in the list of subjects.
    List,
    /// A link above the alignments of the subject.
    Alignments,
}

/// A text that links to the record of a subject in NCBI's database if it has an accession; `rank` is the number of the subject
/// among those of the query, from 1.
pub fn linked(text: &str, names: &Names, place: Place, rank: usize) -> String {
    let Some(accession) = &names.accession else { return text.to_owned() };
    let (log, request) = match place {
        Place::List => ("nucltop", ""),
        Place::Alignments => ("nuclalign", "0"),
    };
    format!(
        "<a title=\"Show report for {accession}\" href=\"https://www.ncbi.nlm.nih.gov/nucleotide/{accession}?report=genbank\
         &log$={log}&blast_rank={rank}&RID={request}\" >{text}</a>"
    )
}

/// The text between two headings of a subject: `number` of them are before it, and the last of these has these names.
pub fn between_headings(number: usize, count: usize, last: &Names) -> String {
    if count <= MANY_HEADINGS || number != SHOWN_HEADINGS {
        return String::new();
    }
    let (tag, rest) = (&last.anchor, count - SHOWN_HEADINGS);
    format!(
        "<a href=\"#\" title=\"Other sequence titles\"  onmouseover=\"showInfo(this)\" class=\"resArrowLinkW mdl hiding\" \
         id=\"{tag}\">{rest} more sequence titles</a>\n <div id=\"info_{tag}\" class=\"helpbox mdlbox hidden\">"
    )
}

/// The text behind all `count` headings of a subject.
pub fn behind_headings(count: usize) -> &'static str {
    if count > MANY_HEADINGS { "</div>" } else { "" }
}

/// A line of letters of the query with its masked ranges in another font; `begin` is the column of its first letter. The ranges
/// are those that the line has letters of, ascending.
pub fn with_masks(letters: &str, begin: usize, masks: &[Range<usize>]) -> String {
    let mut out = String::new();
    let (mut styled, mut is_styled) = (String::new(), false);
    // NCBI's program takes a mask of the first letter alone for none, and does not end one of the first letter of a later line.
    let masks: Vec<(usize, usize)> = masks
        .iter()
        .map(|mask| (mask.start.saturating_sub(begin), mask.end - 1))
        .filter(|&(first, last)| first + begin > 0 || last > 0)
        .collect();
    for (place, letter) in letters.chars().enumerate() {
        is_styled |= masks.iter().any(|mask| mask.0 == place);
        let ends = masks.iter().any(|mask| mask.1 == place + begin) && place > 0;
        if is_styled {
            styled.push(letter);
        } else {
            out.push(letter);
        }
        let is_last = place + 1 == letters.len();
        if is_styled && (ends || is_last) {
            let _ = write!(out, "<font color=\"#000000\">{styled}</font>");
            styled.clear();
            is_styled = false;
        }
    }
    out
}
