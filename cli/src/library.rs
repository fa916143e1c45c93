//! Functions for other programs that do what the commands do: alignments of mapped reads, and rows of a search by BLAST.

use anyhow::Result;
use blastn_pipeline::database::Database;
use blastn_pipeline::options::SearchOptions;
use blastn_pipeline::search::{SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use clap::Parser;
use rayon::prelude::*;
use seed_extend::{Library, MappedReads, Mapper};

use crate::commands::blastn;
use crate::commands::blastn::alignment::{ReportedAlignment, ReportedQuery};
use crate::commands::blastn::args::{BlastnArguments, with_double_dashes};
use crate::commands::blastn::restriction::RestrictionArguments;
use crate::commands::blastn::subject::ReportedSubject;
use crate::commands::map::numbers::GivenInsertSizes;
use crate::input::Read;
use crate::output::ReadGroups;
use crate::output::record::best::{Alternatives, BestRecordFormatter, RecordStyle};
use crate::output::record::cigar;
use crate::output::record::fields::{Position, Record};

/// Templates whose records a task of the pool makes.
const TASK_TEMPLATES: usize = 256;

/// An alignment of a read, as a record of SAM tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadAlignment {
    /// The sum of the flags of SAM.
    pub flag: u16,
    /// The number of the contig, from 0.
    pub contig: u32,
    /// The first aligned base of the contig, from 0.
    pub begin: u32,
    /// The end of the aligned bases of the contig, exclusive.
    pub end: u32,
    /// The mapping quality, from 0 to 60.
    pub mapq: u8,
    /// Lengths and letters of the CIGAR, with clips.
    pub cigar: Vec<(u32, char)>,
    /// `NM`: the edit distance.
    pub distance: u32,
    /// `MD`: mismatched and deleted bases of the reference.
    pub md: String,
    /// The score of the alignment, `AS`.
    pub score: i32,
    /// `XS`: the score of the second-best alignment.
    pub second_score: Option<i32>,
    /// `TLEN`: the bases of the pair, negative for the mate that ends it; 0 without a mate.
    pub template_length: i32,
}

/// The alignments of each of these reads, which were mapped together: one, or two of a template. The primary alignment comes
/// first; with `has_secondary`, alternatives come last. Made on the current rayon pool.
pub fn alignments(
    mapper: &Mapper,
    mapped: &MappedReads,
    reads: &[Read<'_>],
    (together, has_secondary): (usize, bool),
) -> Vec<Vec<ReadAlignment>> {
    let groups = ReadGroups::default();
    let alternatives = if has_secondary { Alternatives::Records } else { Alternatives::None };
    let style = RecordStyle { alternatives, ..RecordStyle::default() };
    let (reference, segments) = (mapper.index().reference(), mapper.segments());
    let task = together * TASK_TEMPLATES;
    let of_task = |(number, some): (usize, &[Read<'_>])| {
        let mut formatter = BestRecordFormatter::new(reference, segments, &groups, style);
        let mut found = vec![Vec::new(); some.len()];
        for (place, template) in some.chunks(together).enumerate() {
            let first = place * together;
            // The records of the first read come before those of the second, whose flag tells them apart.
            formatter.records(template, mapped, number * task + first, |record| {
                let of_second = usize::from(together == 2 && record.flag & 0x80 != 0);
                found[first + of_second].extend(alignment(record));
            });
        }
        found
    };
    reads.par_chunks(task).enumerate().flat_map_iter(of_task).collect()
}

/// The alignment of a record; `None` of a read that is not aligned.
fn alignment(record: &Record<'_>) -> Option<ReadAlignment> {
    let Position { contig, base } = record.position?;
    if record.cigar.is_empty() {
        return None;
    }
    let letter = |run: u32| char::from(cigar::LETTERS[(run & cigar::OPERATION) as usize]);
    let tags = record.tags.as_ref()?;
    Some(ReadAlignment {
        flag: record.flag,
        contig,
        begin: base,
        end: base + cigar::reference_length(record.cigar),
        mapq: record.mapq,
        cigar: record.cigar.iter().map(|&run| (run >> cigar::LENGTH_SHIFT, letter(run))).collect(),
        distance: tags.distance,
        md: String::from_utf8_lossy(tags.md).into_owned(),
        score: tags.score,
        second_score: tags.second,
        template_length: record.mate.map_or(0, |mate| mate.span),
    })
}

/// The library of pairs with the insert sizes that a text gives: mean, then, all optional, standard deviation, longest and
/// shortest, with commas between them.
///
/// # Errors
/// What is wrong with the text.
pub fn library_of(insert_sizes: &str) -> Result<Library, String> {
    insert_sizes.parse::<GivenInsertSizes>().map(GivenInsertSizes::library)
}

/// The command line of a search.
#[derive(Debug, Parser)]
#[command(name = "blastn", disable_help_flag = true)]
struct BlastnLine {
    #[command(flatten)]
    arguments: BlastnArguments,
}

/// The options of a search that words of NCBI's command line give, such as `-task blastn`.
///
/// # Errors
/// What is wrong with them.
pub fn blastn_options(words: &[String]) -> Result<SearchOptions, String> {
    let line = ["gpualign", "blastn", "-db", "none"].map(str::to_owned);
    let line = line.into_iter().chain(words.iter().cloned()).map(Into::into).collect();
    let mut line = with_double_dashes(line);
    line.remove(0);
    let first = |error: clap::Error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        text.strip_prefix("error: ").unwrap_or(text).to_owned()
    };
    let BlastnLine { arguments } = BlastnLine::try_parse_from(line).map_err(first)?;
    arguments.check()?;
    Ok(arguments.options())
}

/// An alignment of a query and a subject: a row of NCBI's standard table.
#[derive(Debug, Clone, PartialEq)]
pub struct BlastnRow {
    /// The number of the query among those of the batch, from 0.
    pub query: usize,
    /// The number of the subject, from 0.
    pub subject: usize,
    /// Number of columns of the alignment.
    pub length: usize,
    /// Columns with equal letters.
    pub identities: usize,
    /// Columns with different letters.
    pub mismatches: usize,
    /// Gaps.
    pub gap_opens: usize,
    /// Columns of gaps.
    pub gaps: usize,
    /// First and last position in the query, from 1.
    pub query_range: (usize, usize),
    /// First and last position in the subject, from 1; descending on the minus strand.
    pub subject_range: (usize, usize),
    /// The number of alignments with at least this score that are expected by chance.
    pub e_value: f64,
    /// The score in bits.
    pub bit_score: f64,
    /// The score.
    pub score: i32,
}

/// The rows of a batch of queries, in the order of NCBI's tables.
pub fn blastn_rows(
    searcher: &Searcher<'_>,
    queries: &[FastaRecord],
    results: &SearchResults,
) -> Vec<BlastnRow> {
    let of_query = |(query, record): (usize, &FastaRecord)| {
        let mut rows = Vec::new();
        let of_query = ReportedQuery {
            record,
            name: record.name(),
            start: 0,
            length_in_tables: record.letters.len(),
            length_of_alignment: record.letters.len(),
        };
        for hit in &results.hits[query] {
            let subject = ReportedSubject::new(searcher.database(), hit.subject, true);
            for hsp in &hit.hsps {
                let row = ReportedAlignment::new(&of_query, &subject, hsp, &results.batch, false);
                rows.push(BlastnRow {
                    query,
                    subject: hit.subject,
                    length: row.columns.length,
                    identities: row.columns.identities,
                    mismatches: row.columns.length - row.columns.identities - row.columns.gaps,
                    gap_opens: row.columns.gap_opens,
                    gaps: row.columns.gaps,
                    query_range: row.query,
                    subject_range: row.subject_range,
                    e_value: hsp.e_value,
                    bit_score: row.bits,
                    score: hsp.score,
                });
            }
        }
        rows
    };
    queries.par_iter().enumerate().flat_map_iter(of_query).collect()
}

/// Opens a database by its name, as `gpualign blastn -db` does.
///
/// # Errors
/// If there is no such database, or it is malformed.
pub fn open_database(name: &str) -> Result<Database> {
    blastn::open(name, &RestrictionArguments::default())
}
