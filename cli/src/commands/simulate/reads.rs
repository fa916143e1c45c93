//! Simulated single reads of a reference.

use std::io::{self, Write};

use fastrand::Rng;
use fm_index::Reference;

use super::letters::{letter, other_letter, reverse_complement};

/// Random positions that are tried for a read or a pair before the simulation fails: in a reference of long contigs of N
/// few positions will do.
pub(super) const MAX_TRIES: usize = 10_000;

/// The parameters of simulated single reads.
#[derive(Debug, Clone, Copy)]
pub struct ReadSimulation {
    /// The number of reads.
    pub count: u64,
    /// Bases of each read.
    pub length: u32,
    /// Probability of a base to be substituted.
    pub substitutions: f64,
    /// Probability of a base to be deleted, and of a base to be inserted before it.
    pub indels: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Why reads could not be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The reference has hardly any stretches of known bases that are long enough.
    #[error("no place for reads of {0} bases: contigs are shorter, or N")]
    NoPlace(u32),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ReadSimulation {
    /// Writes the reads as FASTQ. A read's name has its origin, `r<number>:<contig>:<start>:<strand>:<edits>`: the start
    /// on the forward strand, from 1, and the number of differences that were made.
    ///
    /// # Errors
    /// [`SimulationError`].
    pub fn write(
        &self,
        reference: &Reference,
        out: &mut impl Write,
    ) -> Result<(), SimulationError> {
        let mut random = Rng::with_seed(self.seed);
        let quality = vec![b'I'; self.length as usize];
        let mut codes = Vec::new();
        for number in 0..self.count {
            let (contig, start) = self.origin(reference, &mut random, &mut codes)?;
            let (mut letters, edits) = self.edited(&codes, &mut random);
            let strand = if random.bool() {
                reverse_complement(&mut letters);
                '-'
            } else {
                '+'
            };
            let name = &reference.contigs()[contig].name;
            writeln!(out, "@r{number}:{name}:{}:{strand}:{edits}", start + 1)?;
            out.write_all(&letters)?;
            out.write_all(b"\n+\n")?;
            out.write_all(&quality)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// A random contig, from 0, and start on it, from 0, where the bases of a read are known. `codes` gets the codes of the
    /// bases from there on, up to twice the length of the read, since deletions need more of them.
    fn origin(
        &self,
        reference: &Reference,
        random: &mut Rng,
        codes: &mut Vec<u8>,
    ) -> Result<(usize, u32), SimulationError> {
        for _ in 0..MAX_TRIES {
            let position = random.u32(..reference.len());
            let number = reference.contig_at(position);
            let contig = &reference.contigs()[number];
            let end = contig.offset + contig.length;
            if end - position < self.length {
                continue;
            }
            let most = end.min(position.saturating_add(2 * self.length));
            reference.codes_into(position..most, codes);
            if codes[..self.length as usize].iter().all(|&code| code < 4) {
                return Ok((number, position - contig.offset));
            }
        }
        Err(SimulationError::NoPlace(self.length))
    }

    /// The letters of a read that begins at the first code, and the number of its differences.
    fn edited(&self, codes: &[u8], random: &mut Rng) -> (Vec<u8>, u32) {
        let length = self.length as usize;
        let mut letters = Vec::with_capacity(length + 1);
        let mut edits = 0;
        for &code in codes {
            if letters.len() >= length {
                break;
            }
            // The first base is kept, so that the start in the name is right.
            let first = letters.is_empty();
            let base = aligner_core::seq::decode(code);
            if !first && random.f64() < self.indels {
                edits += 1;
                continue;
            }
            if !first && random.f64() < self.indels {
                edits += 1;
                letters.push(letter(random));
            }
            if !first && random.f64() < self.substitutions {
                edits += 1;
                letters.push(other_letter(random, base));
            } else {
                letters.push(base);
            }
        }
        // At the end of a contig there may be no bases in place of deleted ones.
        letters.resize_with(length, || letter(random));
        (letters, edits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(letters: &str) -> Reference {
        Reference::from_records([("one", "ACGTTGCAAGCTTACGGATC"), ("two", letters)])
            .expect("a reference")
    }

    fn made(
        simulation: ReadSimulation,
        reference: &Reference,
    ) -> Result<Vec<String>, SimulationError> {
        let mut out = Vec::new();
        simulation.write(reference, &mut out)?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
    }

    const PLAIN: ReadSimulation =
        ReadSimulation { count: 50, length: 12, substitutions: 0.0, indels: 0.0, seed: 4 };

    #[test]
    fn names_tell_the_truth() {
        let reference = reference("NNNNGGATCCATTTACACGNNN");
        let lines = made(PLAIN, &reference).expect("makes reads");
        assert_eq!(lines.len(), 200);
        for record in lines.chunks(4) {
            let fields: Vec<&str> = record[0].split(':').collect();
            let contig = usize::from(fields[1] == "two");
            let start: u32 = fields[2].parse().expect("a number");
            let offset = reference.contigs()[contig].offset + start - 1;
            let mut expected = reference.letters(offset..offset + 12);
            if fields[3] == "-" {
                reverse_complement(&mut expected);
            }
            assert_eq!(record[1].as_bytes(), expected);
            assert_eq!((fields[4], record[3].len()), ("0", 12));
        }
    }

    #[test]
    fn rates_make_differences() {
        let reference = reference(&"ACGTTTGCACGATCAGCA".repeat(60));
        let rates = ReadSimulation { length: 100, substitutions: 0.1, indels: 0.02, ..PLAIN };
        let lines = made(rates, &reference).expect("makes reads");
        let edits: u32 = lines
            .iter()
            .step_by(4)
            .map(|name| name.rsplit(':').next().unwrap_or_default().parse::<u32>().unwrap_or(0))
            .sum();
        assert!((50 * 10..50 * 20).contains(&edits), "{edits}");
        assert!(lines.iter().skip(1).step_by(4).all(|read| read.len() == 100));
    }

    #[test]
    fn a_reference_without_a_place_is_refused() {
        let reference = reference("NNNNNNNNNNNNNNNNNNNNNNNNNNNNN");
        let error = made(ReadSimulation { length: 25, ..PLAIN }, &reference).expect_err("no place");
        assert_eq!(error.to_string(), "no place for reads of 25 bases: contigs are shorter, or N");
    }
}
