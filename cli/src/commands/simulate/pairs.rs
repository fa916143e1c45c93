//! Simulated pairs of reads, as wgsim makes them.
//!
//! A pair is read from a fragment of one of the two copies of a genome ([`Variants`]): the mates are both ends of the
//! fragment, read inwards, with errors. Which mate is the first is random.

use std::io;

use aligner_core::seq::{complement, decode};
use fastrand::Rng;
use fm_index::Reference;

use super::reads::{MAX_TRIES, SimulationError};
use super::variants::{BaseOrigin, CopyBase, VariantRates, Variants};

/// The greatest share of unknown bases in a mate.
const MAX_UNKNOWN: f64 = 0.05;

/// The parameters of simulated pairs.
#[derive(Debug, Clone, Copy)]
pub struct PairSimulation {
    /// The number of pairs.
    pub count: u64,
    /// Bases of each mate.
    pub length: u32,
    /// Mean length of fragments on the reference, in bases.
    pub insert: f64,
    /// Standard deviation of that length.
    pub deviation: f64,
    /// Probability of a base to be read as another one.
    pub error: f64,
    /// The rates of variants.
    pub rates: VariantRates,
    /// The seed of all random choices.
    pub seed: u64,
}

/// A mate that was read from a fragment.
#[derive(Debug)]
struct SimulatedMate {
    codes: Vec<u8>,
    /// Bases that were read wrongly.
    errors: u32,
    /// Substituted bases: variants of the genome, not errors.
    substitutions: u32,
    /// Insertions and deleted bases: variants of the genome, not errors.
    indels: u32,
}

impl PairSimulation {
    /// Makes the pairs, and passes FASTQ records to `emit` with the number of their file, 0 or 1.
    ///
    /// Both mates have the same name, followed by `/1` or `/2`, with their origin in wgsim's form:
    /// `<contig>_<left>_<right>_<e>:<s>:<i>_<e>:<s>:<i>_<number>`, where left and right are the outermost
    /// bases of the fragment on the forward strand, 1-based, the number is hexadecimal, and the counts are
    /// errors, substitutions and indels of the left and of the right mate. The mate on the forward strand
    /// begins at left, the other one ends at right.
    ///
    /// # Errors
    /// [`SimulationError`].
    pub fn write(
        &self,
        reference: &Reference,
        mut emit: impl FnMut(usize, &[u8]) -> io::Result<()>,
    ) -> Result<(), SimulationError> {
        let mut random = Rng::with_seed(self.seed);
        let variants = Variants::draw(reference, self.rates, &mut random);
        let quality = vec![self.quality(); self.length as usize];
        let mut bases = Vec::new();
        for number in 0..self.count {
            let (contig, mates) = self.pair(reference, &variants, &mut random, &mut bases)?;
            let contig = &reference.contigs()[contig];
            let end =
                |base: Option<&CopyBase>| base.map_or(0, |base| base.position - contig.offset + 1);
            let (left, right) = (end(bases.first()), end(bases.last()));
            let counts = mates.each_ref().map(SimulatedMate::counts);
            let name = &contig.name;
            let name = format!("{name}_{left}_{right}_{}_{}_{number:x}", counts[0], counts[1]);
            let flipped = random.bool();
            let [mut forward, mut reverse] = mates.map(|mate| mate.codes);
            forward.iter_mut().chain(&mut reverse).for_each(|code| *code = decode(*code));
            let files = if flipped { [reverse, forward] } else { [forward, reverse] };
            for (file, letters) in files.iter().enumerate() {
                let head = format!("@{name}/{}\n", file + 1);
                let record = [head.as_bytes(), letters, b"\n+\n", &quality, b"\n"].concat();
                emit(file, &record)?;
            }
        }
        Ok(())
    }

    /// The contig of a random fragment, from 0, and its mates, the left one first. `bases` gets the bases of the fragment.
    fn pair(
        &self,
        reference: &Reference,
        variants: &Variants,
        random: &mut Rng,
        bases: &mut Vec<CopyBase>,
    ) -> Result<(usize, [SimulatedMate; 2]), SimulationError> {
        for _ in 0..MAX_TRIES {
            let insert = (self.insert + self.deviation * normal(random)).round();
            let insert = (insert as u32).max(self.length);
            let position = random.u32(..reference.len());
            let number = reference.contig_at(position);
            let contig = &reference.contigs()[number];
            if contig.offset + contig.length - position < insert {
                continue;
            }
            let copy = random.u8(..2);
            variants.bases(reference, position..position + insert, copy, bases);
            // A fragment ends with a base of the reference.
            while bases.last().is_some_and(|base| base.origin == BaseOrigin::Inserted) {
                bases.pop();
            }
            let length = self.length as usize;
            if bases.len() < length {
                continue;
            }
            let (left, right) = (&bases[..length], &bases[bases.len() - length..]);
            let mates = [self.mate(left, random), self.mate(right, random)];
            let unknown =
                |mate: &SimulatedMate| mate.codes.iter().filter(|&&code| code > 3).count() as f64;
            if mates.iter().all(|mate| unknown(mate) <= MAX_UNKNOWN * f64::from(self.length)) {
                let [left, mut right] = mates;
                right.codes.reverse();
                right.codes.iter_mut().for_each(|code| *code = complement(*code));
                return Ok((number, [left, right]));
            }
        }
        Err(SimulationError::NoPlace(self.length))
    }

    /// The mate that is read from these bases of the forward strand.
    fn mate(&self, bases: &[CopyBase], random: &mut Rng) -> SimulatedMate {
        let mut errors = 0;
        let mut read = |base: &CopyBase| {
            if base.code > 3 || random.f64() >= self.error {
                return base.code;
            }
            errors += 1;
            (base.code + random.u8(1..4)) & 3
        };
        let codes = bases.iter().map(&mut read).collect();
        let is = |origin| move |base: &&CopyBase| base.origin == origin;
        let pairs = || bases.windows(2);
        let begins = |pair: &&[CopyBase]| {
            pair[0].origin != BaseOrigin::Inserted && pair[1].origin == BaseOrigin::Inserted
        };
        let missing: u32 =
            pairs().map(|pair| (pair[1].position - pair[0].position).saturating_sub(1)).sum();
        SimulatedMate {
            codes,
            errors,
            substitutions: bases.iter().filter(is(BaseOrigin::Substituted)).count() as u32,
            indels: pairs().filter(begins).count() as u32 + missing,
        }
    }

    /// The letter of FASTQ for the error rate.
    fn quality(&self) -> u8 {
        let phred = if self.error > 0.0 { (-10.0 * self.error.log10()).round() } else { 40.0 };
        b'!' + phred.clamp(0.0, 40.0) as u8
    }
}

impl SimulatedMate {
    /// The counts in the form that names have them.
    fn counts(&self) -> String {
        format!("{}:{}:{}", self.errors, self.substitutions, self.indels)
    }
}

/// A nearly normal random number with mean 0 and standard deviation 1: the sum of twelve uniform numbers, which is the same
/// on any machine.
fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::simulate::letters::reverse_complement;

    const NONE: VariantRates =
        VariantRates { mutation: 0.0, indel_fraction: 0.15, indel_extension: 0.3 };
    const PLAIN: PairSimulation = PairSimulation {
        count: 400,
        length: 50,
        insert: 200.0,
        deviation: 20.0,
        error: 0.0,
        rates: NONE,
        seed: 3,
    };

    fn reference() -> Reference {
        let mut random = Rng::with_seed(9);
        let mut letters = |count| -> String {
            (0..count).map(|_| *random.choice(&['A', 'C', 'G', 'T']).expect("one")).collect()
        };
        let (one, two) = (letters(3000), letters(2000));
        let two = format!("{two}{}{}", "N".repeat(500), letters(1000));
        Reference::from_records([("one_1", one.as_str()), ("two", two.as_str())]).expect("is fine")
    }

    /// Name and letters of the records of each file.
    fn made(pairs: PairSimulation) -> [Vec<(String, Vec<u8>)>; 2] {
        let mut files = [Vec::new(), Vec::new()];
        let emit = |file: usize, record: &[u8]| {
            let lines: Vec<&[u8]> = record.split(|&byte| byte == b'\n').collect();
            assert_eq!((lines.len(), lines[1].len(), lines[2]), (5, lines[3].len(), &b"+"[..]));
            let name = String::from_utf8_lossy(&lines[0][1..]).into_owned();
            files[file].push((name, lines[1].to_vec()));
            Ok(())
        };
        pairs.write(&reference(), emit).expect("makes pairs");
        files
    }

    /// Contig, left, right and counts.
    fn truth(name: &str) -> (String, u32, u32, Vec<u32>) {
        let fields: Vec<&str> = name.rsplitn(6, '_').collect();
        let [_, right_counts, left_counts, right, left, contig] = fields[..] else {
            panic!("{name}")
        };
        let number = |text: &str| text.parse().expect("a number");
        let counts = [left_counts, right_counts].map(|c| c.split(':').map(number)).into_iter();
        (contig.to_owned(), number(left), number(right), counts.flatten().collect())
    }

    #[test]
    fn names_tell_the_truth_of_both_mates() {
        let reference = reference();
        let [first, second] = made(PLAIN);
        assert_eq!((first.len(), second.len()), (400, 400));
        let (mut flipped, mut inserts) = (0, Vec::new());
        for ((one, left), (two, right)) in first.iter().zip(&second) {
            assert_eq!(one.strip_suffix("/1"), two.strip_suffix("/2"));
            let (contig, from, to, counts) = truth(one);
            assert_eq!(counts, [0; 6]);
            let contig = reference.contigs().iter().find(|c| c.name == contig).expect("is one");
            let begin = contig.offset + from - 1;
            let end = contig.offset + to;
            let forward = reference.letters(begin..begin + 50);
            let mut reverse = reference.letters(end - 50..end);
            reverse_complement(&mut reverse);
            flipped += usize::from(*left != forward);
            let expected = if *left == forward { (forward, reverse) } else { (reverse, forward) };
            assert!((left, right) == (&expected.0, &expected.1), "{one}");
            inserts.push(f64::from(to - from + 1));
        }
        assert!((150..250).contains(&flipped), "{flipped}");
        let mean = inserts.iter().sum::<f64>() / 400.0;
        let deviation = (inserts.iter().map(|i| (i - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
        assert!((mean - 200.0).abs() < 4.0 && (deviation - 20.0).abs() < 3.0, "{mean} {deviation}");
    }

    #[test]
    fn rates_make_errors_and_variants() {
        let rates = VariantRates { mutation: 0.02, ..NONE };
        let [first, _] = made(PairSimulation { error: 0.03, rates, ..PLAIN });
        let mut sums = [0_u32; 3];
        for (name, _) in &first {
            let counts = truth(name).3;
            (0..3).for_each(|kind| sums[kind] += counts[kind] + counts[kind + 3]);
        }
        // Of 40,000 bases; two of three variants are on one copy of two.
        let near = |found: u32, expected: f64| (f64::from(found) / expected - 1.0).abs() < 0.25;
        assert!(near(sums[0], 1200.0), "{sums:?}");
        assert!(near(sums[1], 40_000.0 * 0.02 * 0.85 * 2.0 / 3.0), "{sums:?}");
        assert!(sums[2] > 40, "{sums:?}");
    }

    #[test]
    fn a_seed_is_a_file_and_short_contigs_have_no_place() {
        let pairs = PairSimulation { count: 5, ..PLAIN };
        assert!(made(pairs) == made(pairs));
        assert!(made(pairs) != made(PairSimulation { seed: 4, ..pairs }));
        let long = PairSimulation { insert: 4000.0, deviation: 0.0, ..PLAIN };
        let refused = long.write(&reference(), |_, _| Ok(())).expect_err("has no place");
        assert!(refused.to_string().starts_with("no place for reads of 50 bases"));
    }
}
