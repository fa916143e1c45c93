//! The file of a shard of `gpualign blastn`.

use std::fs::File;

use anyhow::Result;
use blastn_pipeline::database::Database;
use blastn_pipeline::search::SearchResults;
use blastn_pipeline::sequence::fasta::FastaRecord;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3Default;

use crate::commands::blastn::report::Report;
use crate::shard::{Fingerprint, Header, Kind, ShardWriter, Share, Trailer};

/// Letters of a subject that are hashed at a time.
const LETTERS: usize = 1 << 20;

/// The facts that merging needs, which are the same for all shards of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct BlastnShard {
    /// The text before the sections of queries.
    pub begin: String,
    /// The text behind them.
    pub end: String,
}

/// The file of a shard that is being written.
pub struct ShardFile {
    share: Share,
    writer: ShardWriter,
}

impl ShardFile {
    /// Begins the file of a shard of a search for these queries.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(
        file: File,
        share: Share,
        report: &Report<'_>,
        queries: &[FastaRecord],
    ) -> Result<Self> {
        let options = format!(
            "{:?} {:?} {:?} {:?} {}",
            report.format,
            report.searcher.options(),
            report.pairwise,
            report.query_range,
            report.taxonomy.is_some()
        );
        let content = BlastnShard { begin: report.begin(), end: report.end(queries.len()) };
        let header = Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Blastn,
            shard: share.shard,
            unit_size: share.unit_size,
            fingerprints: vec![
                Fingerprint::new("options", hash([options.as_bytes()])),
                Fingerprint::new("queries", hash_of_queries(queries)),
                Fingerprint::new("subjects", hash_of_subjects(report.searcher.database())),
            ],
            content: serde_json::to_value(content)?,
        };
        Ok(Self { share, writer: ShardWriter::create(file, &header)? })
    }

    /// Appends the sections of those queries of a batch that the shard has. `first` is the number of the batch's first query.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(
        &mut self,
        report: &Report<'_>,
        (first, queries): (usize, &[FastaRecord]),
        results: &SearchResults,
    ) -> std::io::Result<()> {
        let share = self.share;
        let unit_of = |place: usize| share.unit_of(0, (first + place) as u64);
        let sections = report.queries(first, queries, results, |place| share.has(unit_of(place)));
        for of_unit in sections.chunk_by(|(a, _), (b, _)| unit_of(*a) == unit_of(*b)) {
            let pieces = of_unit.iter().flat_map(|(_, pieces)| pieces);
            let text: String = pieces.map(String::as_str).collect();
            self.writer.write(unit_of(of_unit[0].0), &[text.into_bytes()])?;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> std::io::Result<()> {
        self.writer.finish(&Trailer { fingerprints: Vec::new(), content: Value::Null })
    }
}

/// Whether a shard has each of so many queries.
pub fn wanted(share: Share, queries: usize) -> Vec<bool> {
    (0..queries as u64).map(|query| share.has(share.unit_of(0, query))).collect()
}

/// The hash of parts, which depends on where they end.
fn hash<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> u64 {
    let mut hash = Xxh3Default::new();
    for part in parts {
        hash.update(&(part.as_ref().len() as u64).to_le_bytes());
        hash.update(part.as_ref());
    }
    hash.digest()
}

fn hash_of_queries(queries: &[FastaRecord]) -> u64 {
    let parts = |query: &FastaRecord| {
        let lower_case = format!("{:?}", query.lower_case).into_bytes();
        [query.title.clone().into_bytes(), query.letters.clone(), lower_case]
    };
    hash(queries.iter().flat_map(parts))
}

fn hash_of_subjects(database: &Database) -> u64 {
    let parts = (0..database.len()).flat_map(|number| {
        let subject = database.subject(number);
        let length = subject.length;
        let letters = (0..length)
            .step_by(LETTERS)
            .map(move |first| subject.letters(first..length.min(first + LETTERS)));
        std::iter::once(subject.title().into_bytes()).chain(letters)
    });
    hash(parts)
}
