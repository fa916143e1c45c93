//! What is written of a search: the formats of NCBI's blastn.

mod column;
mod number;
mod table;

use std::fmt::Write as _;
use std::str::FromStr;

use blastn_pipeline::search::{Results, Searcher};

pub use self::column::Column;
use crate::commands::blastn::alignment::{Aligned, Subject};
use blastn_pipeline::fasta::Record;

/// The version of NCBI's programs whose output this is.
const PROGRAM: &str = "BLASTN 2.12.0+";

/// `-outfmt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputFormat {
    /// 6, and 7, which has comments.
    Table { columns: Vec<Column>, comments: bool },
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let number = words.next().unwrap_or_default();
        let columns: Vec<&str> = words.collect();
        match number {
            "6" | "7" => {
                let comments = number == "7";
                Ok(Self::Table { columns: column::parse(&columns)?, comments })
            }
            _ => Err("not one of 0, 5, 6 and 7".to_owned()),
        }
    }
}

/// What a search was for.
#[derive(Debug)]
pub struct Report<'a> {
    pub format: &'a OutputFormat,
    pub searcher: &'a Searcher<'a>,
    /// What the subjects are called.
    pub database: String,
}

impl Report<'_> {
    /// What was found for a batch of queries.
    pub fn queries(&self, queries: &[Record], results: &Results) -> String {
        let mut out = String::new();
        for (number, query) in queries.iter().enumerate() {
            let hits = &results.hits[number];
            let subjects: Vec<Subject> = hits
                .iter()
                .map(|hit| Subject::new(self.searcher.database(), hit.subject))
                .collect();
            let aligned: Vec<Vec<Aligned<'_>>> = hits
                .iter()
                .zip(&subjects)
                .map(|(hit, subject)| {
                    let align = |hsp| Aligned::new(query, subject, hsp, &results.batch);
                    hit.hsps.iter().map(align).collect()
                })
                .collect();
            match self.format {
                OutputFormat::Table { columns, comments } => {
                    if *comments {
                        self.comments(query, columns, aligned.iter().map(Vec::len).sum(), &mut out);
                    }
                    for of_subject in &aligned {
                        table::rows(of_subject, columns, &mut out);
                    }
                }
            }
        }
        out
    }

    fn comments(&self, query: &Record, columns: &[Column], hits: usize, out: &mut String) {
        let _ = writeln!(out, "# {PROGRAM}\n# Query: {}\n# Database: {}", query.title, self.database);
        if hits > 0 {
            let names: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
            let _ = writeln!(out, "# Fields: {}", names.join(", "));
        }
        let _ = writeln!(out, "# {hits} hits found");
    }

    /// What comes behind all queries.
    pub fn end(&self, queries: usize) -> String {
        match self.format {
            OutputFormat::Table { comments: true, .. } => {
                format!("# BLAST processed {queries} queries\n")
            }
            OutputFormat::Table { .. } => String::new(),
        }
    }
}
