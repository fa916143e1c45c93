//! What is written of a search: the formats of NCBI's blastn.

mod column;
mod number;
mod pairwise;
mod table;
mod xml;

use std::fmt::Write as _;
use std::str::FromStr;

use blastn_pipeline::query::context::ContextStatistics;
use blastn_pipeline::search::{SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use rayon::prelude::*;

pub use self::column::Column;
use crate::commands::blastn::alignment::{ReportedAlignment, ReportedSubject};

/// The version of NCBI's programs whose output this is.
const PROGRAM: &str = "BLASTN 2.12.0+";

/// Rows of a table that are worth a thread's while.
const ROWS: usize = 512;

/// `-outfmt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputFormat {
    /// 0.
    Pairwise,
    /// 5.
    Xml,
    /// 6, and 7, which has comments.
    Table { columns: Vec<Column>, comments: bool },
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let number = words.next().unwrap_or_default();
        let columns: Vec<&str> = words.collect();
        match (number, columns.is_empty()) {
            ("0", true) => Ok(Self::Pairwise),
            ("5", true) => Ok(Self::Xml),
            ("6" | "7", _) => {
                let comments = number == "7";
                Ok(Self::Table { columns: column::parse(&columns)?, comments })
            }
            _ => Err("not one of 0, 5, 6 and 7 (columns are of 6 and 7 alone)".to_owned()),
        }
    }
}

impl OutputFormat {
    /// Whether letters of alignments are shown.
    fn shows_letters(&self) -> bool {
        match self {
            Self::Pairwise | Self::Xml => true,
            Self::Table { columns, .. } => columns.iter().any(|column| column.shows_letters()),
        }
    }
}

/// What a search was for.
#[derive(Debug)]
pub struct Report<'a> {
    pub format: &'a OutputFormat,
    pub searcher: &'a Searcher<'a>,
    /// What the user called the subjects.
    pub database: String,
    /// Whether they are a database.
    pub is_database: bool,
    /// Title and length of the first query.
    pub first: (&'a str, usize),
}

/// What was found for a query.
struct QuerySection<'a> {
    /// The query's number, from 0.
    number: usize,
    record: &'a FastaRecord,
    /// Alignments by subject.
    aligned: &'a [Vec<ReportedAlignment<'a>>],
    statistics: Option<&'a ContextStatistics>,
}

impl Report<'_> {
    /// What comes before all queries.
    pub fn begin(&self) -> String {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise => pairwise::begin(self, &mut out),
            OutputFormat::Xml => xml::begin(self, &mut out),
            OutputFormat::Table { .. } => {}
        }
        out
    }

    /// What was found for a batch of queries, of which the first has this number from 0: pieces of
    /// text, in order. They are made on the current rayon pool.
    pub fn queries(
        &self,
        first: usize,
        queries: &[FastaRecord],
        results: &SearchResults,
    ) -> Vec<String> {
        let pieces = queries.par_iter().enumerate().map(|(place, record)| {
            let hits = &results.hits[place];
            let subjects: Vec<ReportedSubject> = hits
                .iter()
                .map(|hit| ReportedSubject::new(self.searcher.database(), hit.subject))
                .collect();
            let with_text = self.format.shows_letters();
            let aligned: Vec<Vec<ReportedAlignment<'_>>> = hits
                .iter()
                .zip(&subjects)
                .map(|(hit, subject)| {
                    let align = |hsp| {
                        ReportedAlignment::new(record, subject, hsp, &results.batch, with_text)
                    };
                    hit.hsps.par_iter().with_min_len(ROWS).map(align).collect()
                })
                .collect();
            let mut contexts = results.batch.contexts().iter();
            let statistics = contexts
                .find(|context| context.query == place)
                .and_then(|context| context.statistics.as_ref());
            let section =
                QuerySection { number: first + place, record, aligned: &aligned, statistics };
            self.query(&section)
        });
        pieces.flatten_iter().collect()
    }

    fn query(&self, section: &QuerySection<'_>) -> Vec<String> {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise => pairwise::query(self, section, &mut out),
            OutputFormat::Xml => xml::query(self, section, &mut out),
            OutputFormat::Table { columns, comments } => {
                if *comments {
                    self.comments(section, columns, &mut out);
                }
                let mut pieces = vec![out];
                for of_subject in section.aligned {
                    let rows = of_subject.par_chunks(ROWS).map(|rows| {
                        let mut out = String::new();
                        table::rows(rows, of_subject, columns, &mut out);
                        out
                    });
                    pieces.par_extend(rows);
                }
                return pieces;
            }
        }
        vec![out]
    }

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

    /// What comes behind all queries.
    pub fn end(&self, queries: usize) -> String {
        let mut out = String::new();
        match self.format {
            OutputFormat::Pairwise => pairwise::end(self, &mut out),
            OutputFormat::Xml => xml::end(&mut out),
            OutputFormat::Table { comments: true, .. } => {
                let _ = writeln!(out, "# BLAST processed {queries} queries");
            }
            OutputFormat::Table { .. } => {}
        }
        out
    }
}
