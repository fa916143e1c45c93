//! The reference as htslib reads it to write CRAM: its letters, and an index of them in the form of `.fai`.

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use aligner_core::fastx::RecordProblem;
use anyhow::{Context, Result, anyhow, bail};
use fm_index::{FmIndex, Reference};

use super::memory_file::{Content, MemoryFile};
use crate::input;

/// The letters of all contigs, end to end, without lines and headers.
///
/// They are made of the index when they are read. An index has T for U, while CRAM is decoded with the letters of the file; so
/// contigs with U are read from the file and kept.
#[derive(Debug)]
pub struct ReferenceText {
    source: ReferenceSource,
    /// The upper-case letters of contigs with U, by number of the contig.
    of_file: HashMap<usize, Vec<u8>>,
}

/// The owner of a reference.
#[derive(Debug)]
pub enum ReferenceSource {
    Index(Arc<FmIndex>),
    /// A reference that needs no index.
    Alone(Box<Reference>),
}

impl ReferenceSource {
    fn reference(&self) -> &Reference {
        match self {
            Self::Index(index) => index.reference(),
            Self::Alone(reference) => reference,
        }
    }
}

impl ReferenceText {
    /// The letters of a reference, which was read from the file `fasta`.
    ///
    /// # Errors
    /// If there is a U, and the file cannot be read again.
    pub fn new(source: ReferenceSource, fasta: &Path) -> Result<Self> {
        let with_uracil = source.reference().contigs_with_uracil();
        let of_file = if with_uracil.is_empty() {
            HashMap::new()
        } else {
            letters_of_file(fasta, source.reference(), &with_uracil)
                .with_context(|| fasta.display().to_string())?
        };
        Ok(Self { source, of_file })
    }

    /// The index of the letters: a line of `.fai` for each contig.
    pub fn fai(&self) -> String {
        let mut text = String::new();
        for contig in self.source.reference().contigs() {
            let (name, length, offset) = (&contig.name, contig.length, contig.offset);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}\t{length}\t{offset}\t{length}\t{length}");
        }
        text
    }

    /// Writes the letters of a range, which lies within one contig, to a buffer of its length.
    fn read_within(&self, contig: usize, range: Range<u32>, buffer: &mut [u8]) {
        let reference = self.source.reference();
        match self.of_file.get(&contig) {
            None => buffer.copy_from_slice(&reference.letters(range)),
            Some(letters) => {
                let first = (range.start - reference.contigs()[contig].offset) as usize;
                buffer.copy_from_slice(&letters[first..first + buffer.len()]);
            }
        }
    }
}

/// A reference and its index as files that htslib opens by name, until this value is dropped.
#[derive(Debug)]
pub struct ReferenceFiles {
    text: MemoryFile,
    fai: MemoryFile,
}

impl ReferenceFiles {
    /// The files of a reference.
    ///
    /// # Errors
    /// If htslib does not take files in memory.
    pub fn new(text: ReferenceText) -> io::Result<Self> {
        let fai = Arc::new(text.fai().into_bytes());
        Ok(Self { text: MemoryFile::new(Arc::new(text))?, fai: MemoryFile::new(fai)? })
    }

    /// The name of both files: htslib's form of a file with an index that lies elsewhere.
    pub fn name(&self) -> String {
        format!("{}##idx##{}", self.text.name(), self.fai.name())
    }
}

impl Content for ReferenceText {
    fn length(&self) -> u64 {
        self.source.reference().len().into()
    }

    fn read_at(&self, offset: u64, mut buffer: &mut [u8]) {
        let reference = self.source.reference();
        // All places are below the length, which has 32 bits.
        let mut place = offset as u32;
        while !buffer.is_empty() {
            let number = reference.contig_at(place);
            let contig = &reference.contigs()[number];
            let left = (contig.offset + contig.length - place) as usize;
            let (part, rest) = buffer.split_at_mut(left.min(buffer.len()));
            let end = place + part.len() as u32;
            self.read_within(number, place..end, part);
            (place, buffer) = (end, rest);
        }
    }
}

/// The upper-case letters of some contigs in the file of a reference.
fn letters_of_file(
    fasta: &Path,
    reference: &Reference,
    wanted: &[usize],
) -> Result<HashMap<usize, Vec<u8>>> {
    let mut records = input::open(fasta)?;
    let mut found = HashMap::new();
    let mut number = 0;
    while let Some(record) = records.next() {
        let record = record.map_err(|error| anyhow!(RecordProblem::from(&error).reason))?;
        if wanted.contains(&number) {
            found.insert(number, record.seq().to_ascii_uppercase());
        }
        number += 1;
    }
    for number in wanted {
        let contig = &reference.contigs()[*number];
        let dna = |letters: &Vec<u8>| -> Vec<u8> {
            letters.iter().map(|&letter| if letter == b'U' { b'T' } else { letter }).collect()
        };
        let expected = reference.letters(contig.offset..contig.offset + contig.length);
        if found.get(number).map(dna) != Some(expected) {
            bail!("contig '{}' has changed since the reference was read", contig.name);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fm_index::BuildOptions;

    use super::*;

    #[test]
    fn the_letters_are_those_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let fasta = folder.path().join("ref.fa");
        fs::write(&fasta, ">dna x\nACGTN\nRacgt\n>rna\nACGUTu\n>last\nTTTA\n").expect("writes");
        let expected = b"ACGTNRACGTACGUTUTTTA";
        let reference = Reference::from_fasta(&fasta).expect("is FASTA");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("is built");
        let index = Arc::new(index);
        let text = ReferenceText::new(ReferenceSource::Index(index), &fasta).expect("reads");
        assert_eq!(text.fai(), "dna\t10\t0\t10\t10\nrna\t6\t10\t6\t6\nlast\t4\t16\t4\t4\n");
        assert_eq!(text.length(), expected.len() as u64);
        for begin in 0..expected.len() {
            for end in begin..=expected.len() {
                let mut buffer = vec![0; end - begin];
                text.read_at(begin as u64, &mut buffer);
                assert_eq!(buffer, expected[begin..end]);
            }
        }
        fs::write(&fasta, ">dna x\nACGTN\nRacgt\n>rna\nACGUTA\n>last\nTTTA\n").expect("writes");
        let ReferenceText { source, .. } = text;
        let error = ReferenceText::new(source, &fasta).expect_err("has changed");
        assert!(format!("{error:#}").contains("ref.fa: contig 'rna' has changed"), "{error:#}");
    }
}
