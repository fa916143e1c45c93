//! Reports of searches in the formats of NCBI's blastn, byte for byte.

mod coverage;
mod markup;
mod number;
pub mod order;
mod organisms;
mod pairwise;
mod sam;
mod seq_align;
mod table;
mod tree;
mod xml;

use std::fmt::Write as _;
use std::ops::Range;

use blastn_pipeline::database::SourceDatabase;
use blastn_pipeline::database::ncbi::Taxonomy;
use blastn_pipeline::query::batch;
use blastn_pipeline::query::context::ContextStatistics;
use blastn_pipeline::search::{SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use rayon::prelude::*;

use crate::commands::blastn::alignment::{ReportedAlignment, ReportedQuery};
use crate::commands::blastn::column::Column;
use crate::commands::blastn::output_format::{FileFormat, OutputFormat, Sam};
use crate::commands::blastn::report::order::{AlignmentOrder, SubjectOrder};
use crate::commands::blastn::subject::ReportedSubject;

/// Program name and version in reports: NCBI's program whose output is reproduced.
const PROGRAM: &str = "BLASTN 2.12.0+";

/// Number of rows of a table that one thread formats at a time.
const ROWS_PER_TASK: usize = 512;

/// A search, as its report shows it.
#[derive(Debug)]
pub struct Report<'a> {
    pub format: &'a OutputFormat,
    pub searcher: &'a Searcher<'a>,
    /// Name of the database or of the file of subjects, as the user gave it.
    pub database: String,
    /// Whether a database was searched, not a file of subjects.
    pub is_database: bool,
    /// The first of all queries, which XML names in its header.
    pub first_query: &'a FastaRecord,
    /// The part of each query that is searched, as it was asked for: it may end behind the query. `None` for the whole.
    pub query_range: Option<Range<usize>>,
    /// What each query that is searched is in the file.
    pub query_origins: &'a [QueryOrigin],
    pub pairwise: PairwiseLayout,
    /// Names of taxa, if there are any and the format shows them.
    pub taxonomy: Option<&'a Taxonomy>,
    /// The command line, which the header of SAM has.
    pub command: String,
}

/// A query in the file of queries.
#[derive(Debug, Clone, Copy)]
pub struct QueryOrigin {
    /// Number among all, from 1, which is in its identifier. Queries without the part that is searched are left out.
    pub number: usize,
    /// Length of the whole query, of which a part may be searched.
    pub length: usize,
}

impl QueryOrigin {
    /// The identifier of the query.
    pub fn id(&self) -> String {
        format!("Query_{}", self.number)
    }
}

/// How much of a search a pairwise report shows.
#[derive(Debug, Clone, Copy)]
pub struct PairwiseLayout {
    /// Number of subjects in the list of a query.
    pub descriptions: usize,
    /// Number of subjects whose alignments are shown.
    pub alignments: usize,
    /// Number of columns of an alignment in a line.
    pub line_length: usize,
    /// Whether the report is HTML.
    pub is_html: bool,
    /// Whether NCBI's numbers of sequences (GI) are shown.
    pub shows_gis: bool,
    /// The order of subjects, if it was asked for; then the list of subjects has more columns.
    pub subject_order: Option<SubjectOrder>,
    /// The order of the alignments of a subject, if it was asked for.
    pub alignment_order: Option<AlignmentOrder>,
}

/// The results of a query, as a section of a report.
struct QuerySection<'a> {
    /// Number of the query among those that are searched, from 0.
    number: usize,
    origin: QueryOrigin,
    record: &'a FastaRecord,
    /// Alignments with each subject, the best subject first.
    aligned: &'a [Vec<ReportedAlignment<'a>>],
    statistics: Option<&'a ContextStatistics>,
    /// Masked ranges of the query, if the format shows letters.
    masks: Vec<Range<usize>>,
}

impl Report<'_> {
    /// The databases that are searched as one, or the file of subjects in their place.
    fn sources(&self) -> Vec<SourceDatabase> {
        let mut sources = self.searcher.database().sources().to_vec();
        if !self.is_database {
            for source in &mut sources {
                source.title = format!("{}.", self.database);
                "Unknown".clone_into(&mut source.posted);
            }
        }
        sources
    }

    /// Position in each query of the part that is searched, from 0.
    fn query_start(&self) -> usize {
        self.query_range.as_ref().map_or(0, |range| range.start)
    }

    /// The size of all databases that are searched as one, including sequences that are not selected.
    fn size(&self) -> DatabaseSize {
        let sources = self.searcher.database().sources();
        DatabaseSize {
            letters: sources.iter().map(|source| source.size.letters).sum(),
            sequences: sources.iter().map(|source| source.size.sequences).sum(),
        }
    }

    /// The text before the sections of queries.
    pub fn begin(&self) -> String {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise | OutputFormat::QueryAnchored(_) => {
                pairwise::begin(self, &mut out);
            }
            OutputFormat::Xml => xml::begin(self, &mut out),
            OutputFormat::Json => tree::begin_json(&mut out),
            OutputFormat::Xml2 => tree::begin_xml(&mut out),
            OutputFormat::Table(_)
            | OutputFormat::Sam(_)
            | OutputFormat::SeqAlign(_)
            | OutputFormat::Files(_)
            | OutputFormat::Organisms => {}
        }
        out
    }

    /// The sections of those queries of a batch whose place in it is `wanted`, as pieces of text in order, each with this place.
    /// `first` is the number of the batch's first query, from 0. They are made on the current rayon pool.
    pub fn queries(
        &self,
        first: usize,
        queries: &[FastaRecord],
        results: &SearchResults,
        wanted: impl Fn(usize) -> bool + Sync,
    ) -> Vec<(usize, Vec<String>)> {
        let places = queries.par_iter().enumerate().filter(|(place, _)| wanted(*place));
        let sections = places.map(|(place, record)| {
            let hits = &results.hits[place];
            let subjects: Vec<ReportedSubject> = hits
                .iter()
                .map(|hit| {
                    let database = self.searcher.database();
                    ReportedSubject::new(database, hit.subject, self.is_database)
                })
                .collect();
            let with_text = self.format.shows_letters();
            let number = first + place;
            let origin = self.query_origins[number];
            let id = origin.id();
            let name = if record.title.is_empty() { &id } else { record.name() };
            let searched = record.letters.len();
            let length_in_tables = self.query_range.as_ref().map_or(searched, Range::len);
            let is_ungapped = self.searcher.options().is_ungapped;
            let query = ReportedQuery {
                record,
                name,
                start: self.query_start(),
                length_in_tables,
                length_of_alignment: if is_ungapped { length_in_tables } else { searched },
            };
            let mut aligned: Vec<Vec<ReportedAlignment<'_>>> = hits
                .iter()
                .zip(&subjects)
                .map(|(hit, subject)| {
                    let align = |hsp| {
                        ReportedAlignment::new(&query, subject, hsp, &results.batch, with_text)
                    };
                    hit.hsps.par_iter().with_min_len(ROWS_PER_TASK).map(align).collect()
                })
                .collect();
            if self.format.is_pairwise() {
                let PairwiseLayout { subject_order, alignment_order, .. } = self.pairwise;
                // NCBI's program orders the alignments of a subject in format 0 alone.
                let alignment_order =
                    alignment_order.filter(|_| *self.format == OutputFormat::Pairwise);
                order::order(&mut aligned, subject_order, alignment_order);
            }
            let mut contexts = results.batch.contexts().iter();
            let statistics = contexts
                .find(|context| context.query == place)
                .and_then(|context| context.statistics.as_ref());
            let masks = if with_text {
                batch::masked_ranges(record, self.searcher.options())
            } else {
                Vec::new()
            };
            let section =
                QuerySection { number, origin, record, aligned: &aligned, statistics, masks };
            (place, self.query(&section))
        });
        sections.collect()
    }

    /// The header of SAM with the sections of all queries, whose records are behind their first pieces of text.
    pub fn sam_header(&self, sam: Sam, sections: &[Vec<String>]) -> String {
        sam::header(sam, &self.command, sections)
    }

    /// The text of the file that names the files of queries.
    pub fn file_names(format: FileFormat, names: &[String]) -> String {
        match format {
            FileFormat::Json => tree::json_files(names),
            FileFormat::Xml => tree::xml_files(names),
        }
    }

    /// The section of a query, as pieces of text in order.
    fn query(&self, section: &QuerySection<'_>) -> Vec<String> {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise | OutputFormat::QueryAnchored(_) => {
                pairwise::query(self, section, &mut out);
            }
            OutputFormat::Xml => xml::query(self, section, &mut out),
            OutputFormat::Json => tree::query_json(self, section, &mut out),
            OutputFormat::Xml2 => tree::query_xml(self, section, &mut out),
            OutputFormat::SeqAlign(format) => seq_align::query(self, section, *format, &mut out),
            OutputFormat::Files(FileFormat::Json) => return vec![tree::json_file(self, section)],
            OutputFormat::Files(FileFormat::Xml) => return vec![tree::xml_file(self, section)],
            OutputFormat::Organisms => organisms::query(self, section, &mut out),
            OutputFormat::Sam(sam) => {
                let (header, records) = sam::query(*sam, section);
                return vec![header, records];
            }
            OutputFormat::Table(table) => {
                if table.has_comments {
                    self.comments(section, &table.columns, &mut out);
                }
                let mut pieces = vec![out];
                for of_subject in section.aligned {
                    let rows = of_subject.par_chunks(ROWS_PER_TASK).map(|rows| {
                        let mut out = String::new();
                        table::rows(rows, of_subject, (table, self.taxonomy), &mut out);
                        out
                    });
                    pieces.par_extend(rows);
                }
                return pieces;
            }
        }
        vec![out]
    }

    /// Appends the comments before the rows of a query.
    fn comments(&self, section: &QuerySection<'_>, columns: &[Column], out: &mut String) {
        let (title, database) = (&section.record.title, &self.database);
        let _ = writeln!(out, "# {PROGRAM}\n# Query: {title}\n# Database: {database}");
        let hits: usize = section.aligned.iter().map(Vec::len).sum();
        if hits > 0 {
            let names: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
            let _ = writeln!(out, "# Fields: {}", names.join(", "));
        }
        let _ = writeln!(out, "# {hits} hits found");
    }

    /// The text behind the sections of all `queries` queries.
    pub fn end(&self, queries: usize) -> String {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise | OutputFormat::QueryAnchored(_) => {
                pairwise::end(self, &mut out);
            }
            OutputFormat::Xml => xml::end(&mut out),
            OutputFormat::Json => tree::end_json(&mut out),
            OutputFormat::Xml2 => tree::end_xml(&mut out),
            OutputFormat::Sam(_)
            | OutputFormat::SeqAlign(_)
            | OutputFormat::Files(_)
            | OutputFormat::Organisms => {}
            OutputFormat::Table(table) => {
                if table.has_comments {
                    let _ = writeln!(out, "# BLAST processed {queries} queries");
                }
            }
        }
        out
    }
}
