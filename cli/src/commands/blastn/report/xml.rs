//! Output format 5: XML of NCBI's document type `BlastOutput`.

use std::fmt::Write as _;

use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::statistics::DatabaseSize;

use crate::commands::blastn::alignment::ReportedAlignment;
use crate::commands::blastn::report::markup::for_xml;
use crate::commands::blastn::report::{PROGRAM, QuerySection, Report, number};
use crate::commands::blastn::subject::{NO_TITLE, XmlNames};

/// The paper that reports of megablast cite.
const MEGABLAST: &str = "Zheng Zhang, Scott Schwartz, Lukas Wagner, and Webb Miller (2000), \
\"A greedy algorithm for aligning DNA sequences\", J Comput Biol 2000; 7(1-2):203-14.";

/// The paper that reports of blastn cite.
const BLASTN: &str = "Stephen F. Altschul, Thomas L. Madden, Alejandro A. Sch&auml;ffer, \
Jinghui Zhang, Zheng Zhang, Webb Miller, and David J. Lipman (1997), \"Gapped BLAST and \
PSI-BLAST: a new generation of protein database search programs\", Nucleic Acids Res. \
25:3389-3402.";

/// The paper that reports of a task cite.
pub(super) fn reference(task: BlastTask) -> &'static str {
    if task == BlastTask::Megablast { MEGABLAST } else { BLASTN }
}

/// Appends the text before the sections of queries.
pub fn begin(report: &Report<'_>, out: &mut String) {
    let options = report.searcher.options();
    let reference = for_xml(reference(options.task));
    let _ = write!(
        out,
        "<?xml version=\"1.0\"?>
<!DOCTYPE BlastOutput PUBLIC \"-//NCBI//NCBI BlastOutput/EN\" \
\"http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd\">
<BlastOutput>
  <BlastOutput_program>blastn</BlastOutput_program>
  <BlastOutput_version>{PROGRAM}</BlastOutput_version>
  <BlastOutput_reference>{reference}</BlastOutput_reference>
  <BlastOutput_db>{}</BlastOutput_db>
  <BlastOutput_query-ID>{}</BlastOutput_query-ID>
  <BlastOutput_query-def>{}</BlastOutput_query-def>
  <BlastOutput_query-len>{}</BlastOutput_query-len>
  <BlastOutput_param>
    <Parameters>
      <Parameters_expect>{}</Parameters_expect>
      <Parameters_sc-match>{}</Parameters_sc-match>
      <Parameters_sc-mismatch>{}</Parameters_sc-mismatch>
      <Parameters_gap-open>{}</Parameters_gap-open>
      <Parameters_gap-extend>{}</Parameters_gap-extend>
      <Parameters_filter>{}</Parameters_filter>
    </Parameters>
  </BlastOutput_param>
<BlastOutput_iterations>
",
        for_xml(if report.is_database { &report.database } else { "" }),
        report.query_origins[0].id(),
        for_xml(shown_title(&report.first_query.title)),
        report.first_query.letters.len(),
        number::exact(options.e_value),
        options.scoring.reward,
        options.scoring.penalty,
        options.scoring.gap_open,
        options.scoring.gap_extend,
        filter(options)
    );
}

/// NCBI's code for the masking of queries.
pub(super) fn filter(options: &SearchOptions) -> String {
    let mut text = match options.dust {
        None => String::new(),
        Some(dust) if dust == blastn_pipeline::sequence::dust::Dust::default() => "L;".to_owned(),
        Some(dust) => format!("D {} {} {};", dust.level, dust.window, dust.linker),
    };
    if options.soft_masking {
        text.push_str("m;");
    }
    if text.is_empty() { "F".to_owned() } else { text }
}

/// Appends the section of a query.
pub fn query(report: &Report<'_>, section: &QuerySection<'_>, out: &mut String) {
    let (number, record) = (section.number + 1, section.record);
    let _ = write!(
        out,
        "<Iteration>
  <Iteration_iter-num>{number}</Iteration_iter-num>
  <Iteration_query-ID>{}</Iteration_query-ID>
  <Iteration_query-def>{}</Iteration_query-def>
  <Iteration_query-len>{}</Iteration_query-len>
<Iteration_hits>
",
        section.origin.id(),
        for_xml(shown_title(&record.title)),
        record.letters.len()
    );
    let mut hits = 0;
    for of_subject in section.aligned {
        if let Some(first) = of_subject.first() {
            hits += 1;
            hit(hits, first, of_subject, out);
        }
    }
    // A file of subjects has no size in NCBI's reports.
    let none = DatabaseSize { letters: 0, sequences: 0 };
    let size = if report.is_database { report.size() } else { none };
    let (space, adjustment, [kappa, lambda, entropy]) = search_statistics(section);
    let _ = write!(
        out,
        "</Iteration_hits>
  <Iteration_stat>
    <Statistics>
      <Statistics_db-num>{}</Statistics_db-num>
      <Statistics_db-len>{}</Statistics_db-len>
      <Statistics_hsp-len>{adjustment}</Statistics_hsp-len>
      <Statistics_eff-space>{space}</Statistics_eff-space>
      <Statistics_kappa>{kappa}</Statistics_kappa>
      <Statistics_lambda>{lambda}</Statistics_lambda>
      <Statistics_entropy>{entropy}</Statistics_entropy>
    </Statistics>
  </Iteration_stat>
",
        size.sequences, size.letters
    );
    if hits == 0 {
        let message = no_hits_message(section);
        let _ = writeln!(out, "  <Iteration_message>{}</Iteration_message>", for_xml(&message));
    }
    out.push_str("</Iteration>\n");
}

/// The effective search space of a query, its length adjustment, and kappa, lambda and entropy.
pub(super) fn search_statistics(section: &QuerySection<'_>) -> (i64, i64, [String; 3]) {
    let (space, adjustment, gapped) = section.statistics.map_or((0, 0, [-1.0; 3]), |statistics| {
        let gapped = &statistics.gapped;
        let space = &statistics.space;
        (space.effective, space.adjustment, [gapped.k, gapped.lambda, gapped.h])
    });
    (space, adjustment, gapped.map(number::exact))
}

/// Why a query has no hits. One that has no statistics was not searched.
pub(super) fn no_hits_message(section: &QuerySection<'_>) -> String {
    if section.statistics.is_some() {
        return "No hits found".to_owned();
    }
    let reason = if section.record.letters.is_empty() {
        "Sequence contains no data"
    } else {
        "Could not calculate ungapped Karlin-Altschul parameters due to an invalid query sequence or its translation. \
         Please verify the query sequence(s) and/or filtering options"
    };
    let title = &section.record.title;
    let blank = if title.is_empty() { "" } else { " " };
    let name = format!("{}{blank}{title}:", section.origin.id());
    format!("{name}  {name} {reason}  No hits found")
}

/// The signs between the letters of an alignment.
pub(super) fn midline(row: &ReportedAlignment<'_>) -> String {
    let equal = |(one, other)| if one == other { '|' } else { ' ' };
    row.query_text.bytes().zip(row.subject_text.bytes()).map(equal).collect()
}

/// Appends the alignments with a subject, of which `first` is the best; `number` counts the subjects of the query
/// from 1.
fn hit(
    number: usize,
    first: &ReportedAlignment<'_>,
    aligned: &[ReportedAlignment<'_>],
    out: &mut String,
) {
    let subject = first.subject;
    let XmlNames { id, title, accession } = subject.in_xml();
    let _ = write!(
        out,
        "<Hit>
  <Hit_num>{number}</Hit_num>
  <Hit_id>{}</Hit_id>
  <Hit_def>{}</Hit_def>
  <Hit_accession>{}</Hit_accession>
  <Hit_len>{}</Hit_len>
  <Hit_hsps>
",
        for_xml(&id),
        for_xml(&title),
        for_xml(&accession),
        subject.length
    );
    for (number, row) in (1..).zip(aligned) {
        hsp(number, row, out);
    }
    out.push_str("  </Hit_hsps>\n</Hit>\n");
}

/// Appends an alignment; `number` counts those of the subject from 1.
fn hsp(number: usize, row: &ReportedAlignment<'_>, out: &mut String) {
    let midline = midline(row);
    let columns = &row.columns;
    let _ = write!(
        out,
        "    <Hsp>
      <Hsp_num>{number}</Hsp_num>
      <Hsp_bit-score>{}</Hsp_bit-score>
      <Hsp_score>{}</Hsp_score>
      <Hsp_evalue>{}</Hsp_evalue>
      <Hsp_query-from>{}</Hsp_query-from>
      <Hsp_query-to>{}</Hsp_query-to>
      <Hsp_hit-from>{}</Hsp_hit-from>
      <Hsp_hit-to>{}</Hsp_hit-to>
      <Hsp_query-frame>1</Hsp_query-frame>
      <Hsp_hit-frame>{}</Hsp_hit-frame>
      <Hsp_identity>{identities}</Hsp_identity>
      <Hsp_positive>{identities}</Hsp_positive>
      <Hsp_gaps>{}</Hsp_gaps>
      <Hsp_align-len>{}</Hsp_align-len>
      <Hsp_qseq>{}</Hsp_qseq>
      <Hsp_hseq>{}</Hsp_hseq>
      <Hsp_midline>{midline}</Hsp_midline>
    </Hsp>
",
        number::significant(row.bits),
        row.hsp.score,
        number::significant(row.e_value),
        row.query.0,
        row.query.1,
        row.subject_range.0,
        row.subject_range.1,
        if row.is_minus { -1 } else { 1 },
        columns.gaps,
        columns.length,
        row.query_text,
        row.subject_text,
        identities = columns.identities
    );
}

/// Appends the text behind the sections of queries.
pub fn end(out: &mut String) {
    out.push_str("</BlastOutput_iterations>\n</BlastOutput>\n\n");
}

/// The title of a query, also if it has none.
fn shown_title(title: &str) -> &str {
    if title.is_empty() { NO_TITLE } else { title }
}
