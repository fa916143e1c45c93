//! Nucleotide BLAST.

use std::path::PathBuf;

use aligner_core::{Device, DeviceRequest};
use anyhow::Result;
use blastn_pipeline::database::{Builder, Database};
use blastn_pipeline::search::Searcher;
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::sequence::fasta::FastaRecord;
use gpualign::library::{BlastnRow, blastn_options, blastn_rows};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

use crate::job::{self, wrong_argument};

/// Sequences as Python gives them: a file, or titles and letters.
#[derive(FromPyObject)]
pub enum Sequences {
    File(PathBuf),
    Records(Vec<(String, String)>),
}

/// A table of alignments: for each row the numbers of its query and its subject, and the columns.
struct Table {
    rows: Vec<BlastnRow>,
    /// Titles of the queries.
    queries: Vec<String>,
    /// Titles of the subjects that occur, by number; empty for others.
    subjects: Vec<String>,
}

/// Searches queries in a database; `is_database` says that a file of subjects is one that `gpualign makedb` made. Returns the columns as
/// bytes, by name, with titles of queries and subjects.
#[pyfunction]
#[pyo3(signature = (queries, subjects, is_database, words, device, threads))]
pub fn blastn<'py>(
    py: Python<'py>,
    queries: Sequences,
    subjects: Sequences,
    is_database: bool,
    words: Vec<String>,
    device: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let request: DeviceRequest =
        device.parse().map_err(|error| wrong_argument(format!("device: {error}")))?;
    let options = blastn_options(&words).map_err(wrong_argument)?;
    let Table { rows, queries, subjects } = job::run(py, threads, |cancel| {
        let queries = match queries {
            Sequences::File(path) => gpualign::read_queries(&path)?,
            Sequences::Records(records) => fasta_records(&records)?,
        };
        let database = match subjects {
            Sequences::File(path) if is_database => {
                gpualign::open_database(&path.to_string_lossy())?
            }
            Sequences::File(path) => Database::from_fasta(&path, &path.display().to_string(), 0)?,
            Sequences::Records(records) => {
                let mut builder = Builder::default();
                fasta_records(&records)?.iter().for_each(|record| builder.add(record));
                builder.finish("subjects", 0)
            }
        };
        let device = Device::open(request)?.device;
        let make = |device| Searcher::new(&database, options.clone(), device, None);
        let searcher = match make(device) {
            // Any device will do.
            Err(_) if request == DeviceRequest::Auto => make(Device::Cpu)?,
            made => made?,
        };
        let mut rows = Vec::new();
        for QueuedBatch { first, queries, seeded } in SeededBatches::new(&searcher, &queries) {
            cancel.check()?;
            let scored = searcher.extend_gapped(searcher.prefilter(seeded));
            let results = searcher.finish(queries, scored);
            let of_batch = blastn_rows(&searcher, queries, &results);
            rows.extend(
                of_batch.into_iter().map(|row| BlastnRow { query: first + row.query, ..row }),
            );
        }
        let mut titles = vec![String::new(); database.len()];
        for row in &rows {
            if titles[row.subject].is_empty() {
                titles[row.subject] = database.subject(row.subject).title();
            }
        }
        let queries = queries.into_iter().map(|query| query.title).collect();
        Ok(Table { rows, queries, subjects: titles })
    })?;
    let dict = PyDict::new(py);
    dict.set_item("query_titles", queries)?;
    dict.set_item("subject_titles", subjects)?;
    let integers = |name: &str, of: &dyn Fn(&BlastnRow) -> usize| {
        let values: Vec<i64> = rows.iter().map(|row| of(row) as i64).collect();
        dict.set_item(name, PyByteArray::new(py, bytemuck::cast_slice(&values)))
    };
    integers("query", &|row| row.query)?;
    integers("subject", &|row| row.subject)?;
    integers("length", &|row| row.length)?;
    integers("identities", &|row| row.identities)?;
    integers("mismatch", &|row| row.mismatches)?;
    integers("gapopen", &|row| row.gap_opens)?;
    integers("gaps", &|row| row.gaps)?;
    integers("qstart", &|row| row.query_range.0)?;
    integers("qend", &|row| row.query_range.1)?;
    integers("sstart", &|row| row.subject_range.0)?;
    integers("send", &|row| row.subject_range.1)?;
    integers("score", &|row| row.score as usize)?;
    let numbers = |name: &str, of: &dyn Fn(&BlastnRow) -> f64| {
        let values: Vec<f64> = rows.iter().map(of).collect();
        dict.set_item(name, PyByteArray::new(py, bytemuck::cast_slice(&values)))
    };
    numbers("evalue", &|row| row.e_value)?;
    numbers("bitscore", &|row| row.bit_score)?;
    Ok(dict)
}

/// Records of titles and letters.
fn fasta_records(records: &[(String, String)]) -> Result<Vec<FastaRecord>> {
    records.iter().map(|(title, letters)| Ok(FastaRecord::new(title, letters)?)).collect()
}
