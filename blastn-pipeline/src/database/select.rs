//! The selection of sequences of a database of ours by identifiers or taxa.

use bytemuck::cast_slice;
use rayon::prelude::*;

use super::file::{
    DatabaseParameters, DatabaseSection, Entry, Exception, Image, ImageBuilder, SPARE_BYTES,
};
use super::ncbi::{self, NcbiDatabaseError, Restriction};
use super::subjects::{Database, Details, Headers};
use crate::sequence::packed;
use crate::statistics::DatabaseSize;

impl Database {
    /// The sequences that a restriction selects, as a database in memory. Its name is for messages.
    ///
    /// # Errors
    /// If the database has no identifiers, or no sequence is selected.
    pub fn select(self, restriction: &Restriction, name: &str) -> Result<Self, NcbiDatabaseError> {
        let judge = |number: usize| {
            let lines = self.subject(number).deflines();
            let has_ids = lines.iter().flat_map(|line| &line.ids).any(|id| !id.is_ordinal());
            (restriction.keeps(&lines), has_ids)
        };
        let judged: Vec<(bool, bool)> = (0..self.len()).into_par_iter().map(judge).collect();
        let has_ids = judged.iter().any(|judged| judged.1);
        let kept: Vec<usize> = (0..self.len()).filter(|&number| judged[number].0).collect();
        restriction.check(has_ids, kept.len(), name)?;
        let letters = kept
            .iter()
            .map(|&number| ncbi::estimated_letters(self.subject(number).length, number as u64));
        let size = DatabaseSize { letters: letters.sum(), sequences: kept.len() };
        let image = self.copy(&kept, restriction);
        let details = Details {
            headers: self.details.headers,
            sources: self.details.sources,
            size,
            numbers: Some(kept),
            locations: None,
        };
        Ok(Self { image, details })
    }

    /// An image with some of the sequences, without the definition lines that the restriction leaves out.
    fn copy(&self, kept: &[usize], restriction: &Restriction) -> Image {
        let (mut entries, mut exceptions) = (Vec::new(), Vec::<Exception>::new());
        let (mut titles, mut bases, mut letters) = (Vec::new(), Vec::new(), 0);
        for subject in kept.iter().map(|&number| self.subject(number)) {
            let (exception, length) = (exceptions.len() as u32, subject.length as u32);
            let (base, title) = (bases.len() as u64, titles.len() as u64);
            entries.push(Entry { bases: base, title, exception, length });
            exceptions.extend_from_slice(subject.raw_exceptions());
            match restriction.kept_lines(&subject.deflines()) {
                Some(lines) => titles.extend(lines),
                None => titles.extend_from_slice(subject.header()),
            }
            bases.extend_from_slice(&subject.packed[..subject.length.div_ceil(packed::BASES)]);
            letters += u64::from(length);
        }
        let exception = exceptions.len() as u32;
        let (base, title) = (bases.len() as u64, titles.len() as u64);
        entries.push(Entry { bases: base, title, exception, length: 0 });
        bases.extend([0; SPARE_BYTES]);
        let sections: [(DatabaseSection, &[u8]); 5] = [
            (DatabaseSection::Entries, cast_slice(&entries)),
            (DatabaseSection::Titles, &titles),
            (DatabaseSection::Exceptions, cast_slice(&exceptions)),
            (DatabaseSection::Bases, &bases),
            (DatabaseSection::Name, self.image.section(DatabaseSection::Name)),
        ];
        let mut image = ImageBuilder::new(sections.map(|(_, bytes)| bytes.len() as u64));
        for (section, bytes) in sections {
            image.section_mut(section).copy_from_slice(bytes);
        }
        let made = self.image.parameters().made;
        *image.parameters_mut() = DatabaseParameters { letters, made };
        image.set_version(self.details.headers.version());
        image.finish()
    }
}

impl Headers {
    /// The version of files with these headers.
    pub(super) fn version(self) -> u32 {
        match self {
            Self::Titles => super::file::TITLES,
            Self::Deflines => super::file::DEFLINES,
        }
    }
}
