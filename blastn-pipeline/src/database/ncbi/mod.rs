//! Databases that NCBI's makeblastdb writes, versions 4 and 5, read where they lie.
//!
//! ```text
//!   name --SearchPath--> NAME.nal --DatabaseNode--> volumes and selections --> Volume --.
//!                   or   NAME.nin --------------------------------------------> Volume --+--> Database
//! ```
//!
//! The sequences of all volumes are copied into a [`Database`] in memory, so a search needs a quarter of a byte for each base, the
//! definition lines, and the files of one volume besides. The files that map accessions and taxa to sequences are not used, since
//! the definition lines have both.

mod alias;
mod search_path;
mod selection;
mod taxonomy;
mod volume;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use aligner_core::input_location::InputLocation;
use rayon::prelude::*;
use thiserror::Error;

use self::alias::DatabaseNode;
use self::volume::Volume;
use super::date;
use super::defline::Defline;
use super::file::{
    DatabaseParameters, DatabaseSection, Entry, Exception, Image, ImageBuilder, SPARE_BYTES,
};
use super::subjects::{Database, Details, Headers, SourceDatabase};
use crate::sequence::alphabet;
use crate::sequence::packed;
use crate::statistics::DatabaseSize;

pub use self::search_path::SearchPath;
pub use self::selection::{NameSet, Selection};
pub use self::taxonomy::{TaxonNames, Taxonomy};

/// A database of NCBI's that cannot be used. Prints as one line that begins with the file.
#[derive(Debug, Error)]
pub enum NcbiDatabaseError {
    /// There is no database of a name.
    #[error(
        "{name}: there is no database of this name in {folders}: make it by 'gpualign makedb FASTA -o {name}.gpdb' or \
         'makeblastdb -in FASTA -dbtype nucl -out {name}', or name its folder in the environment variable BLASTDB"
    )]
    Missing {
        /// The name.
        name: String,
        /// The folders in which the database was looked for.
        folders: String,
    },
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// The contents of a file contradict its format or each other.
    #[error("{location}{problem}")]
    Malformed {
        /// The file, and the number of the sequence.
        location: InputLocation,
        /// What is wrong.
        problem: String,
    },
    /// Names select sequences of a database that has none.
    #[error(
        "{name}: its sequences have no identifiers to select them by: make it again with -parse_seqids"
    )]
    NoIdentifiers {
        /// The name of the database.
        name: String,
    },
    /// No sequence has one of the taxa.
    #[error(
        "{name}: no sequence has one of these taxa; taxa above the species are not found, so name those of their species"
    )]
    NoTaxa {
        /// The name of the database.
        name: String,
    },
    /// No sequence is left to search.
    #[error("{name}: no sequence of the database is selected")]
    Empty {
        /// The name of the database.
        name: String,
    },
}

/// Which sequences of a database are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The property.
    pub selection: Selection,
    /// Whether the sequences that have the property are left out, and the others searched.
    pub is_negative: bool,
}

impl Restriction {
    /// Whether a sequence with these definition lines is searched. It is left out if all of them are.
    pub(super) fn keeps(&self, lines: &[Defline]) -> bool {
        lines.iter().any(|line| self.keeps_line(line))
    }

    fn keeps_line(&self, line: &Defline) -> bool {
        self.selection.has(line) != self.is_negative
    }

    /// The encoded definition lines of a sequence that are left, or `None` if none is left out.
    pub(super) fn kept_lines(&self, lines: &[Defline]) -> Option<Vec<u8>> {
        let kept: Vec<Defline> =
            lines.iter().filter(|line| self.keeps_line(line)).cloned().collect();
        (kept.len() < lines.len() && !kept.is_empty()).then(|| Defline::encode_set(&kept))
    }

    /// Checks that a database can be restricted, and that some of its sequences are left.
    pub(super) fn check(
        &self,
        has_ids: bool,
        kept: usize,
        name: &str,
    ) -> Result<(), NcbiDatabaseError> {
        let is_taxa = matches!(self.selection, Selection::Taxids(_));
        let name = name.to_owned();
        if !has_ids && !is_taxa {
            return Err(NcbiDatabaseError::NoIdentifiers { name });
        }
        match (kept, is_taxa && !self.is_negative) {
            (0, true) => Err(NcbiDatabaseError::NoTaxa { name }),
            (0, false) => Err(NcbiDatabaseError::Empty { name }),
            _ => Ok(()),
        }
    }
}

/// A volume and the lists of databases that it is in: its sequences are those that all selections of any of these have.
type VolumeUses = BTreeMap<(String, PathBuf), Vec<Vec<Arc<Selection>>>>;

impl Database {
    /// Reads the databases of one or more names, separated by blanks, as one.
    ///
    /// # Errors
    /// [`NcbiDatabaseError`] if there is no such database, its files are malformed, or no sequence is selected.
    pub fn from_ncbi(
        names: &str,
        search_path: &SearchPath,
        restriction: Option<&Restriction>,
    ) -> Result<Self, NcbiDatabaseError> {
        let mut nodes = Vec::new();
        for name in alias::split_names(names) {
            let found = search_path.find(&name).ok_or_else(|| NcbiDatabaseError::Missing {
                name: name.display().to_string(),
                folders: search_path.shown(),
            })?;
            nodes.push(DatabaseNode::read(&found, search_path)?);
        }
        let mut uses = VolumeUses::new();
        for node in &nodes {
            collect_volumes(node, &[], &mut uses);
        }
        let mut volumes = BTreeMap::new();
        let mut first = 0;
        for ((_, path), lists) in uses {
            let volume = Volume::read(&path)?;
            let sequences = volume.len();
            let used = UsedVolume::new(volume, first, &lists, restriction)?;
            first += sequences;
            volumes.insert(path, used);
        }
        let sources: Vec<SourceDatabase> =
            nodes.iter().map(|node| source(node, &volumes)).collect();
        let stated = DatabaseSize {
            letters: sources.iter().map(|source| source.size.letters).sum(),
            sequences: sources.iter().map(|source| source.size.sequences).sum(),
        };
        let kept = volumes.values().map(|used| used.kept.len()).sum::<usize>();
        match restriction {
            Some(restriction) => {
                restriction.check(volumes.values().any(|used| used.has_ids), kept, names)?;
            }
            None if kept == 0 => return Err(NcbiDatabaseError::Empty { name: names.to_owned() }),
            None => {}
        }
        // The lengths of selected sequences are estimated, as in NCBI's programs.
        let size = if restriction.is_none() {
            stated
        } else {
            let letters = volumes.values().map(UsedVolume::estimated_letters).sum();
            DatabaseSize { letters, sequences: kept }
        };
        let is_whole = volumes.values().all(|used| used.kept.len() == used.volume.len());
        let numbers = (!is_whole).then(|| {
            let of_volume = |used: &UsedVolume<'_>| -> Vec<usize> {
                used.kept.iter().map(|&number| used.first + number as usize).collect()
            };
            volumes.values().flat_map(of_volume).collect()
        });
        let details =
            Details { headers: Headers::Deflines, sources, size, numbers, locations: None };
        let image = copied(volumes.into_values().collect())?;
        Ok(Self { image, details })
    }
}

/// Adds the volumes of a database, and the selections that lead to each.
fn collect_volumes(node: &DatabaseNode, selections: &[Arc<Selection>], uses: &mut VolumeUses) {
    match node {
        DatabaseNode::Volume(path) => {
            // Volumes are in the order of their names, then of their folders.
            let name =
                path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
            uses.entry((name, path.clone())).or_default().push(selections.to_vec());
        }
        DatabaseNode::List(list) => {
            let selections = [selections, &list.selections].concat();
            for database in &list.databases {
                collect_volumes(database, &selections, uses);
            }
        }
    }
}

/// A volume with the numbers of its sequences that are searched.
#[derive(Debug)]
struct UsedVolume<'r> {
    volume: Volume,
    restriction: Option<&'r Restriction>,
    /// Number of the volume's first sequence among those of all volumes.
    first: usize,
    /// Numbers in the volume of the sequences that are searched, ascending.
    kept: Vec<u32>,
    /// Whether any sequence has an identifier.
    has_ids: bool,
}

impl<'r> UsedVolume<'r> {
    /// Decodes the definition lines of all sequences, and finds those that any of the `lists` and the restriction select.
    fn new(
        volume: Volume,
        first: usize,
        lists: &[Vec<Arc<Selection>>],
        restriction: Option<&'r Restriction>,
    ) -> Result<Self, NcbiDatabaseError> {
        let judge = |number: usize| {
            let lines = volume.deflines(number)?;
            let has_ids = lines.iter().flat_map(|line| &line.ids).any(|id| !id.is_ordinal());
            let has = |selection: &Selection| lines.iter().any(|line| selection.has(line));
            let is_listed = lists.iter().any(|list| list.iter().all(|selection| has(selection)));
            let is_kept = restriction.is_none_or(|restriction| restriction.keeps(&lines));
            Ok((is_listed && is_kept, has_ids))
        };
        let judged = (0..volume.len()).into_par_iter().map(judge);
        let judged: Vec<(bool, bool)> = judged.collect::<Result<_, NcbiDatabaseError>>()?;
        let kept = (0..).zip(&judged).filter_map(|(number, judged)| judged.0.then_some(number));
        let has_ids = judged.iter().any(|judged| judged.1);
        Ok(Self { first, kept: kept.collect(), has_ids, restriction, volume })
    }

    /// The definition lines of a sequence, without those that the restriction leaves out.
    fn header(&self, number: usize) -> Result<Cow<'_, [u8]>, NcbiDatabaseError> {
        let whole = self.volume.header(number);
        let Some(restriction) = self.restriction else { return Ok(Cow::Borrowed(whole)) };
        let lines = self.volume.deflines(number)?;
        Ok(restriction.kept_lines(&lines).map_or(Cow::Borrowed(whole), Cow::Owned))
    }

    /// Number of letters of the sequences that are searched, as [`estimated_letters`].
    fn estimated_letters(&self) -> u64 {
        let letters =
            |&number: &u32| estimated_letters(self.volume.length(number as usize), number.into());
        self.kept.iter().map(letters).sum()
    }
}

/// Number of letters of a sequence that is selected, as NCBI's programs estimate it: instead of reading the number of bases in its
/// last byte, they take the lowest bits of the number of the sequence.
pub(super) fn estimated_letters(length: usize, number: u64) -> u64 {
    (length - length % packed::BASES) as u64 + (number & 3)
}

/// What reports tell of a database.
fn source(node: &DatabaseNode, volumes: &BTreeMap<PathBuf, UsedVolume<'_>>) -> SourceDatabase {
    match node {
        DatabaseNode::Volume(path) => {
            let volume = &volumes[path].volume;
            let size = DatabaseSize { letters: volume.letters, sequences: volume.len() };
            SourceDatabase { title: volume.title.clone(), posted: volume.posted.clone(), size }
        }
        DatabaseNode::List(list) => {
            let sources: Vec<SourceDatabase> =
                list.databases.iter().map(|node| source(node, volumes)).collect();
            let titles: Vec<&str> = sources.iter().map(|source| source.title.as_str()).collect();
            let newest = sources.iter().max_by_key(|source| date::order(&source.posted));
            let letters = sources.iter().map(|source| source.size.letters).sum();
            let sequences = sources.iter().map(|source| source.size.sequences).sum();
            SourceDatabase {
                title: list.title.clone().unwrap_or_else(|| titles.join("; ")),
                posted: newest.map_or_else(String::new, |source| source.posted.clone()),
                size: DatabaseSize {
                    letters: list.letters.unwrap_or(letters),
                    sequences: list.sequences.map_or(sequences, |it| it as usize),
                },
            }
        }
    }
}

/// Copies the sequences that are searched into one image, volume by volume.
fn copied(volumes: Vec<UsedVolume<'_>>) -> Result<Image, NcbiDatabaseError> {
    let (mut entries, mut exceptions) = (Vec::new(), Vec::new());
    let (mut bases, mut titles, mut letters) = (0, 0, 0);
    for used in &volumes {
        let volume = &used.volume;
        for number in used.kept.iter().map(|&number| number as usize) {
            let length = volume.length(number);
            let exception = exceptions.len() as u32;
            entries.push(Entry { bases, title: titles, exception, length: length as u32 });
            add_exceptions(&mut exceptions, volume, number)?;
            bases += length.div_ceil(packed::BASES) as u64;
            titles += used.header(number)?.len() as u64;
            letters += length as u64;
        }
    }
    entries.push(Entry { bases, title: titles, exception: exceptions.len() as u32, length: 0 });
    let mut image = ImageBuilder::new([
        size_of_val(&entries[..]) as u64,
        titles,
        size_of_val(&exceptions[..]) as u64,
        bases + SPARE_BYTES as u64,
        0,
    ]);
    image.section_mut(DatabaseSection::Entries).copy_from_slice(&entries);
    image.section_mut(DatabaseSection::Exceptions).copy_from_slice(&exceptions);
    let mut of_sequences = entries.windows(2);
    for used in volumes {
        // Each volume is dropped when it is copied.
        let numbers = used.kept.iter().map(|&number| number as usize);
        for (number, two) in numbers.zip(&mut of_sequences) {
            let [entry, next] = [two[0], two[1]];
            image.section_mut(DatabaseSection::Titles)[entry.title as usize..next.title as usize]
                .copy_from_slice(&used.header(number)?);
            let bases = entry.bases as usize..next.bases as usize;
            used.volume.copy_packed(number, &mut image.section_mut(DatabaseSection::Bases)[bases]);
        }
    }
    *image.parameters_mut() = DatabaseParameters { letters, made: 0 };
    Ok(image.finish())
}

/// Appends the ambiguous letters of a sequence. Runs of a letter that follow each other are one.
fn add_exceptions(
    exceptions: &mut Vec<Exception>,
    volume: &Volume,
    number: usize,
) -> Result<(), NcbiDatabaseError> {
    let first = exceptions.len();
    for run in volume.ambiguous_runs(number)? {
        let is_letter = |&code: &u8| alphabet::bases(code) == run.bases;
        let Some(letter) = (packed::BASES as u8..alphabet::SENTINEL).find(is_letter) else {
            // A run of a base is no exception; its bases are those that are packed.
            continue;
        };
        let letter = u32::from(letter);
        match exceptions[first..].last_mut() {
            Some(last) if last.letter == letter && last.start + last.length == run.start => {
                last.length += run.length;
            }
            _ => exceptions.push(Exception { start: run.start, length: run.length, letter }),
        }
    }
    Ok(())
}
