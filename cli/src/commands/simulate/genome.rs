//! Simulated genomes: random bases between copies of repeats.
//!
//! A real genome is hard for a mapper because much of it occurs many times, with differences. So a simulated one has
//! families of repeats, short ones like Alu and long ones like L1 of the human genome; a few families have most of the
//! copies. A copy of a short repeat is whole, that of a long one begins at a random base. It differs from its family in 1
//! to 20% of its bases, and lies on either strand. A genome is written while it is made, so it needs no memory.

use std::io::{self, Write};

use fastrand::Rng;

use super::letters::{letter, other_letter, reverse_complement};

/// Bases of a line of FASTA.
const LINE: usize = 60;
/// The number of families of short repeats, and their length in bases.
const SHORT: (usize, usize) = (200, 300);
/// The number of families of long repeats, and their length in bases.
const LONG: (usize, usize) = (50, 6000);

/// The parameters of a simulated genome.
#[derive(Debug, Clone, Copy)]
pub struct GenomeSimulation {
    /// Bases of all contigs together, at least one for each.
    pub bases: u64,
    /// The number of contigs, whose lengths differ by at most one base.
    pub contigs: u32,
    /// The share of the bases that lie in repeats, 0 to 1.
    pub repeats: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl GenomeSimulation {
    /// Writes the genome as FASTA, with contigs `chr1`, `chr2`, ...
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut random = Rng::with_seed(self.seed);
        let families = Families::new(&mut random);
        let contigs = u64::from(self.contigs);
        for number in 0..contigs {
            let length = self.bases / contigs + u64::from(number < self.bases % contigs);
            writeln!(out, ">chr{}", number + 1)?;
            self.write_contig(length, &families, &mut random, out)?;
        }
        Ok(())
    }

    fn write_contig(
        &self,
        length: u64,
        families: &Families,
        random: &mut Rng,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (mut made, mut repeated) = (0_u64, 0_u64);
        let mut open: Vec<u8> = Vec::new();
        while made < length {
            let before = open.len();
            // Adds a repeat or random bases, whichever there is too little of.
            let repeat = (repeated as f64) < self.repeats * made as f64;
            if repeat {
                families.copy(random, &mut open);
            } else {
                open.extend((0..random.usize(200..2000)).map(|_| letter(random)));
            }
            let most = (length - made).min((open.len() - before) as u64);
            open.truncate(before + most as usize);
            made += most;
            repeated += if repeat { most } else { 0 };
            let whole = open.len() / LINE * LINE;
            for line in open[..whole].chunks(LINE) {
                out.write_all(line)?;
                out.write_all(b"\n")?;
            }
            open.drain(..whole);
        }
        if !open.is_empty() {
            out.write_all(&open)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// The families of repeats.
struct Families {
    /// The letters of each family, and whether its copies are whole.
    all: Vec<(Vec<u8>, bool)>,
}

impl Families {
    fn new(random: &mut Rng) -> Self {
        let mut all = Vec::new();
        for ((count, length), whole) in [(SHORT, true), (LONG, false)] {
            for _ in 0..count {
                all.push(((0..length).map(|_| letter(random)).collect(), whole));
            }
        }
        random.shuffle(&mut all);
        Self { all }
    }

    /// Appends a copy of a random family.
    fn copy(&self, random: &mut Rng, to: &mut Vec<u8>) {
        // The first tenth of the families gets nearly half of the copies.
        let rank = random.f64().powi(3) * self.all.len() as f64;
        let (family, whole) = &self.all[rank as usize];
        let from = if *whole { 0 } else { random.usize(..family.len() - 100) };
        let differing = 0.01 + 0.19 * random.f64();
        let start = to.len();
        for &base in &family[from..] {
            if random.f64() >= differing {
                to.push(base);
                continue;
            }
            match random.usize(..10) {
                0 => {}
                1 => to.extend([base, letter(random)]),
                _ => to.push(other_letter(random, base)),
            }
        }
        if random.bool() {
            reverse_complement(&mut to[start..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(genome: GenomeSimulation) -> String {
        let mut out = Vec::new();
        genome.write(&mut out).expect("writes to memory");
        String::from_utf8(out).expect("is text")
    }

    #[test]
    fn contigs_have_the_bases_asked_for() {
        for (bases, contigs) in [(1, 1), (60, 1), (61, 2), (10_000, 3)] {
            let text = made(GenomeSimulation { bases, contigs, repeats: 0.5, seed: 3 });
            let records: Vec<&str> = text.split('>').skip(1).collect();
            assert_eq!(records.len(), contigs as usize);
            let lengths: Vec<usize> =
                records.iter().map(|r| r.lines().skip(1).map(str::len).sum()).collect();
            assert_eq!(lengths.iter().sum::<usize>() as u64, bases);
            assert!(lengths.iter().max().unwrap_or(&0) - lengths.iter().min().unwrap_or(&0) <= 1);
            assert!(text.lines().all(|line| line.len() <= LINE));
        }
    }

    #[test]
    fn a_seed_is_a_genome() {
        let genome = GenomeSimulation { bases: 5000, contigs: 2, repeats: 0.4, seed: 1 };
        assert_eq!(made(genome), made(genome));
        assert_ne!(made(genome), made(GenomeSimulation { seed: 2, ..genome }));
    }

    #[test]
    fn repeats_are_there_many_times() {
        let words = |repeats| {
            let text = made(GenomeSimulation { bases: 400_000, contigs: 1, repeats, seed: 5 });
            let letters: Vec<u8> = text.lines().skip(1).flat_map(str::bytes).collect();
            let mut words: Vec<&[u8]> = letters.windows(24).collect();
            words.sort_unstable();
            words.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).count()
        };
        assert_eq!(words(0.0), 0);
        assert!(words(0.5) > 1000);
    }
}
