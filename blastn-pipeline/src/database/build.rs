//! The making of a database from sequences.

use std::ops::Range;
use std::path::Path;

use aligner_core::input_location::InputLocation;
use bytemuck::cast_slice;
use rustc_hash::FxHashSet;

use super::defline::{Defline, parse};
use super::file::{
    DEFLINES, DatabaseParameters, DatabaseSection, Entry, Exception, ImageBuilder, SPARE_BYTES,
    TITLES,
};
use super::subjects::{Database, LocationInWhole};
use super::substitute::Substitutes;
use super::taxa::TaxonMap;
use crate::error::SequenceError;
use crate::sequence::fasta::{self, FastaRecord};
use crate::sequence::packed;

/// Builds a database from sequences, which are added one by one.
#[derive(Debug, Default)]
pub struct Builder {
    entries: Vec<Entry>,
    titles: Vec<u8>,
    exceptions: Vec<Exception>,
    bases: Vec<u8>,
    letters: u64,
    /// Whether sequences have definition lines in the place of titles.
    has_deflines: bool,
}

/// Identifiers and taxa of sequences that are read beside the titles in their header lines.
#[derive(Debug, Default)]
pub struct Headings {
    /// Whether header lines begin with identifiers by which sequences can be selected (`-parse_seqids`).
    pub have_identifiers: bool,
    /// The taxa of the sequences.
    pub taxa: TaxonMap,
}

impl Builder {
    /// Adds a sequence behind those added before.
    pub fn add(&mut self, record: &FastaRecord) {
        self.add_with_header(record, record.title.as_bytes());
    }

    /// Adds a sequence whose title or definition lines are these bytes.
    fn add_with_header(&mut self, record: &FastaRecord, header: &[u8]) {
        self.entries.push(self.end(record.letters.len() as u32));
        self.titles.extend(header);
        let mut place = 0;
        for run in record.letters.chunk_by(|one, other| one == other) {
            let length = run.len() as u32;
            if run[0] > 3 {
                let letter = u32::from(run[0]);
                self.exceptions.push(Exception { start: place, length, letter });
            }
            place += length;
        }
        let mut substitutes = Substitutes::new(record.letters.len());
        let base = |&letter: &u8| if letter < 4 { letter } else { substitutes.draw(letter) };
        packed::pack(record.letters.iter().map(base), &mut self.bases);
        self.letters += record.letters.len() as u64;
    }

    /// The entry of a next sequence with `length` letters; with length 0, the end of the last one.
    fn end(&self, length: u32) -> Entry {
        Entry {
            bases: self.bases.len() as u64,
            title: self.titles.len() as u64,
            exception: self.exceptions.len() as u32,
            length,
        }
    }

    /// The database of all sequences that were added. Reports show its `name` as its title, and when it was `made`, in
    /// seconds since 1970.
    pub fn finish(mut self, name: &str, made: u64) -> Database {
        self.entries.push(self.end(0));
        self.bases.extend([0; SPARE_BYTES]);
        let sections: [(DatabaseSection, &[u8]); 5] = [
            (DatabaseSection::Entries, cast_slice(&self.entries)),
            (DatabaseSection::Titles, &self.titles),
            (DatabaseSection::Exceptions, cast_slice(&self.exceptions)),
            (DatabaseSection::Bases, &self.bases),
            (DatabaseSection::Name, name.as_bytes()),
        ];
        let mut image = ImageBuilder::new(sections.map(|(_, bytes)| bytes.len() as u64));
        for (section, bytes) in sections {
            image.section_mut(section).copy_from_slice(bytes);
        }
        *image.parameters_mut() = DatabaseParameters { letters: self.letters, made };
        image.set_version(if self.has_deflines { DEFLINES } else { TITLES });
        Database::of_image(image.finish())
    }
}

impl Database {
    /// Makes a database from the sequences of a FASTA file. Reports show its title, and when it was `made`, in seconds since 1970.
    /// Tabs in header lines become three blanks, as in makeblastdb.
    ///
    /// # Errors
    /// If the file cannot be read, is not FASTA, has no bases at all, or has a letter that is no nucleotide.
    pub fn from_fasta(path: &Path, title: &str, made: u64) -> Result<Self, SequenceError> {
        Self::from_fasta_with(path, title, made, &Headings::default())
    }

    /// As [`Database::from_fasta`], with identifiers or taxa of the sequences.
    ///
    /// # Errors
    /// As [`Database::from_fasta`], and if an identifier is none or is one of two sequences.
    pub fn from_fasta_with(
        path: &Path,
        title: &str,
        made: u64,
        headings: &Headings,
    ) -> Result<Self, SequenceError> {
        let has_deflines = headings.have_identifiers || !headings.taxa.is_empty();
        let mut builder = Builder { has_deflines, ..Builder::default() };
        let mut known = FxHashSet::default();
        let mut problem = None;
        let mut number = 0;
        fasta::for_each(path, |record| {
            let title = record.title.replace('\t', "   ");
            let record = FastaRecord { title, ..record };
            number += 1;
            if !has_deflines {
                builder.add(&record);
            } else if problem.is_none() {
                match headings.read(&record.title, &mut known) {
                    Ok(lines) => builder.add_with_header(&record, &Defline::encode_set(&lines)),
                    Err(error) => problem = Some((number, error)),
                }
            }
        })?;
        if let Some((number, problem)) = problem {
            let location = InputLocation::in_file(path).at_record(number, None);
            return Err(SequenceError { location, problem });
        }
        builder.finish_of_file(path, title, made)
    }

    /// As [`Database::from_fasta`], for a file that is searched without a database. Header lines end at a tab, as in NCBI's
    /// blastn ([`fasta::shown_title`]). With a range of positions, from 0, only this range of each sequence is searched.
    ///
    /// # Errors
    /// As [`Database::from_fasta`].
    pub fn from_subjects(path: &Path, range: Option<&Range<usize>>) -> Result<Self, SequenceError> {
        let mut builder = Builder::default();
        let mut locations = Vec::new();
        fasta::for_each(path, |record| {
            let whole = record.letters.len();
            let title = fasta::shown_title(&record.title).to_owned();
            let mut record = FastaRecord { title, ..record };
            if let Some(range) = range {
                record = record.cut(range);
            }
            locations.push(LocationInWhole { start: range.map_or(0, |range| range.start), whole });
            builder.add(&record);
        })?;
        let mut database = builder.finish_of_file(path, &path.display().to_string(), 0)?;
        database.details.locations = range.is_some().then_some(locations);
        Ok(database)
    }
}

impl Headings {
    /// Reads the definition lines of a header line. `known` has the identifiers before.
    fn read(&self, header: &str, known: &mut FxHashSet<String>) -> Result<Vec<Defline>, String> {
        let mut lines = if self.have_identifiers {
            parse::parse(header)?
        } else {
            vec![Defline { title: header.to_owned(), ..Defline::default() }]
        };
        self.taxa.assign(&mut lines);
        for id in lines.iter().flat_map(|line| &line.ids) {
            if !known.insert(id.to_string().to_ascii_uppercase()) {
                return Err(format!(
                    "the identifier {id} is also one of a sequence before: change it, or leave out -parse_seqids"
                ));
            }
        }
        Ok(lines)
    }
}

impl Builder {
    /// The database of all sequences of a file.
    fn finish_of_file(
        self,
        path: &Path,
        title: &str,
        made: u64,
    ) -> Result<Database, SequenceError> {
        if self.letters == 0 {
            let problem = "no sequences, or only empty ones".to_owned();
            return Err(SequenceError { location: InputLocation::in_file(path), problem });
        }
        Ok(self.finish(title, made))
    }
}

#[cfg(test)]
mod tests {
    use aligner_core::container::ContainerProblem;

    use super::*;
    use crate::sequence::alphabet;

    /// Length of the header of a database file.
    const HEADER_BYTES: usize = 192;

    fn random_records(seed: u64) -> Vec<FastaRecord> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..20)
            .map(|number| {
                let length = if number == 7 { 0 } else { random.usize(1..200) };
                let letter = |_| if random.u8(..8) == 0 { random.u8(..15) } else { random.u8(..4) };
                let letters = (0..length).map(letter).collect();
                FastaRecord { title: format!("s{number} made up"), letters, lower_case: Vec::new() }
            })
            .collect()
    }

    fn database(records: &[FastaRecord]) -> Database {
        let mut builder = Builder::default();
        for record in records {
            builder.add(record);
        }
        builder.finish("made up", 5)
    }

    fn check(database: &Database, records: &[FastaRecord], seed: u64) {
        assert_eq!(database.len(), records.len());
        let [source] = database.sources() else { panic!("one source") };
        assert_eq!(
            (source.title.as_str(), source.posted.as_str()),
            ("made up", "Jan 1, 1970  12:00 AM")
        );
        for (number, record) in records.iter().enumerate() {
            let subject = database.subject(number);
            assert_eq!(subject.title(), record.title);
            assert_eq!(subject.length, record.letters.len());
            let n = subject.length;
            for range in [0..n, n / 3..n, n / 5..n / 2, n..n] {
                assert_eq!(subject.letters(range.clone()), record.letters[range], "seed {seed}");
            }
            for (place, &letter) in record.letters.iter().enumerate() {
                let base = packed::get(subject.packed, place);
                assert!(alphabet::bases(letter) >> base & 1 == 1, "seed {seed}");
            }
        }
    }

    #[test]
    fn sequences_come_back_from_memory_and_from_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.gpdb");
        for seed in 0..5 {
            let records = random_records(seed);
            let built = database(&records);
            check(&built, &records, seed);
            built.save(&path).expect("saves");
            check(&Database::open(&path).expect("opens"), &records, seed);
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.gpdb");
        database(&random_records(1)).save(&path).expect("saves");
        let good = std::fs::read(&path).expect("reads");
        let open = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("writes");
            Database::open(&path)
        };
        assert!(open(&good).is_ok());
        let problem = |bytes: &[u8]| open(bytes).expect_err("is refused").problem;
        assert!(matches!(problem(&[]), ContainerProblem::OtherKind));
        assert!(matches!(problem(b">s\nACGT\n"), ContainerProblem::OtherKind));
        for length in [8, HEADER_BYTES - 1, HEADER_BYTES, good.len() - 1] {
            let problem = problem(&good[..length]);
            assert!(matches!(problem, ContainerProblem::Length { .. }), "{length}");
        }
        let mut version = good.clone();
        version[8] = 99;
        assert!(matches!(problem(&version), ContainerProblem::Version { found: 99, .. }));
        for place in (12..good.len()).step_by(97) {
            let mut bad = good.clone();
            bad[place] ^= 4;
            assert!(open(&bad).is_err(), "byte {place}");
        }
        let missing = Database::open(&folder.path().join("none")).expect_err("is not there");
        assert!(matches!(missing.problem, ContainerProblem::Io(_)));
    }
}
