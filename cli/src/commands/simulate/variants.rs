//! Variants: the differences of the two copies of a simulated genome from the reference.
//!
//! As in wgsim, every known base is changed with a probability. A part of the changes are indels, half of them deletions and
//! half insertions, which get longer with a probability for each further base. A third of all variants are on both copies,
//! the others on one.

use std::ops::Range;

use fastrand::Rng;
use fm_index::Reference;

/// The most bases of an insertion.
const LONGEST_INSERTION: usize = 4;

/// The rates of variants, each from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct VariantRates {
    /// Probability of a base to be changed.
    pub mutation: f64,
    /// Share of indels among the changes.
    pub indel_fraction: f64,
    /// Probability of an indel to have one base more.
    pub indel_extension: f64,
}

/// A variant at one base of the reference.
#[derive(Debug, Clone, Copy)]
struct Variant {
    /// The position in the reference, from 0.
    position: u32,
    /// The copies that have it: bit 0 for copy 0, bit 1 for copy 1.
    copies: u8,
    change: Change,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Substitution(u8),
    Deletion,
    /// The first so many of these codes follow the base.
    Insertion([u8; LONGEST_INSERTION], usize),
}

/// The variants of a genome, ordered by position.
#[derive(Debug)]
pub struct Variants(Vec<Variant>);

/// The origin of a base of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseOrigin {
    /// The base of the reference.
    Reference,
    /// Another base in place of that of the reference.
    Substituted,
    /// A base that is inserted after that of the reference.
    Inserted,
}

/// A base of a copy of the genome.
#[derive(Debug, Clone, Copy)]
pub struct CopyBase {
    /// 0 to 3 for A, C, G and T, or 4 for an unknown base.
    pub code: u8,
    /// The position in the reference, from 0.
    pub position: u32,
    pub origin: BaseOrigin,
}

impl Variants {
    /// Random variants of a reference.
    pub fn draw(reference: &Reference, rates: VariantRates, random: &mut Rng) -> Self {
        let mut all = Vec::new();
        let mut codes = Vec::new();
        for contig in reference.contigs() {
            let range = contig.offset..contig.offset + contig.length;
            reference.codes_into(range.clone(), &mut codes);
            let mut deleting: Option<u8> = None;
            for (position, &code) in range.zip(&codes) {
                if let Some(copies) = deleting {
                    if random.f64() < rates.indel_extension {
                        all.push(Variant { position, copies, change: Change::Deletion });
                        continue;
                    }
                    deleting = None;
                }
                if code < 4 && random.f64() < rates.mutation {
                    let change = change(code, rates, random);
                    let copies = if random.u8(..3) == 0 { 3 } else { 1 << random.u8(..2) };
                    deleting = matches!(change, Change::Deletion).then_some(copies);
                    all.push(Variant { position, copies, change });
                }
            }
        }
        Self(all)
    }

    /// The bases of copy 0 or 1 in a range of one contig of the reference.
    pub fn bases(
        &self,
        reference: &Reference,
        range: Range<u32>,
        copy: u8,
        to: &mut Vec<CopyBase>,
    ) {
        let mut codes = Vec::new();
        reference.codes_into(range.clone(), &mut codes);
        let first = self.0.partition_point(|variant| variant.position < range.start);
        let mut variants = self.0[first..].iter().peekable();
        to.clear();
        for (position, code) in range.zip(codes) {
            let here = variants.next_if(|variant| variant.position == position);
            let base = CopyBase { code, position, origin: BaseOrigin::Reference };
            match here.filter(|variant| variant.copies >> copy & 1 == 1).map(|found| found.change) {
                None => to.push(base),
                Some(Change::Substitution(code)) => {
                    to.push(CopyBase { code, origin: BaseOrigin::Substituted, ..base });
                }
                Some(Change::Deletion) => {}
                Some(Change::Insertion(codes, count)) => {
                    to.push(base);
                    let inserted = |&code| CopyBase { code, origin: BaseOrigin::Inserted, ..base };
                    to.extend(codes[..count].iter().map(inserted));
                }
            }
        }
    }
}

/// A random change of a base.
fn change(code: u8, rates: VariantRates, random: &mut Rng) -> Change {
    if random.f64() >= rates.indel_fraction {
        return Change::Substitution((code + random.u8(1..4)) & 3);
    }
    if random.bool() {
        return Change::Deletion;
    }
    let mut count = 1;
    while count < LONGEST_INSERTION && random.f64() < rates.indel_extension {
        count += 1;
    }
    Change::Insertion([0; LONGEST_INSERTION].map(|_| random.u8(..4)), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> Reference {
        let mut random = Rng::with_seed(1);
        let letters: String =
            (0..50_000).map(|_| *random.choice(&['A', 'C', 'G', 'T']).expect("one")).collect();
        Reference::from_records([("a", letters.as_str()), ("b", "NNNNACGTNNNN")]).expect("is fine")
    }

    #[test]
    fn no_rate_leaves_the_reference() {
        let reference = reference();
        let rates = VariantRates { mutation: 0.0, indel_fraction: 0.5, indel_extension: 0.5 };
        let variants = Variants::draw(&reference, rates, &mut Rng::with_seed(1));
        let mut bases = Vec::new();
        variants.bases(&reference, 10..400, 1, &mut bases);
        let mut codes = Vec::new();
        reference.codes_into(10..400, &mut codes);
        assert_eq!(bases.iter().map(|base| base.code).collect::<Vec<_>>(), codes);
        assert!(bases.iter().zip(10..).all(|(base, position)| base.position == position));
    }

    #[test]
    fn changes_come_at_their_rates() {
        let reference = reference();
        let rates = VariantRates { mutation: 0.1, indel_fraction: 0.4, indel_extension: 0.3 };
        let Variants(all) = Variants::draw(&reference, rates, &mut Rng::with_seed(2));
        assert!(all.is_sorted_by(|a, b| a.position < b.position));
        let count = |is: &dyn Fn(&Variant) -> bool| all.iter().filter(|v| is(v)).count() as f64;
        let substitutions = count(&|v| matches!(v.change, Change::Substitution(_)));
        let deletions = count(&|v| matches!(v.change, Change::Deletion));
        let insertions = count(&|v| matches!(v.change, Change::Insertion(..)));
        // Of 50,000 bases a tenth, minus those that were deleted.
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.15;
        assert!(
            near(substitutions, 3000.0) && near(insertions, 1000.0),
            "{substitutions} {insertions}"
        );
        assert!(near(deletions, 1000.0 / 0.7), "{deletions}");
        assert!(near(count(&|v| v.copies == 3), all.len() as f64 / 3.0));
        assert!(near(count(&|v| v.copies == 1), all.len() as f64 / 3.0));
        // Unknown bases are not changed.
        let unknown = |v: &Variant| v.position >= 50_000 && !matches!(v.change, Change::Deletion);
        assert!(all.iter().filter(|v| unknown(v)).all(|v| (50_004..50_008).contains(&v.position)));
    }

    #[test]
    fn copies_have_their_changes_alone() {
        let reference = Reference::from_records([("a", "ACGTACGT")]).expect("is fine");
        let variant = |position, copies, change| Variant { position, copies, change };
        let variants = Variants(vec![
            variant(1, 1, Change::Substitution(3)),
            variant(3, 3, Change::Insertion([2, 1, 0, 0], 2)),
            variant(5, 2, Change::Deletion),
        ]);
        let letters = |copy, range: Range<u32>| -> String {
            let mut bases = Vec::new();
            variants.bases(&reference, range, copy, &mut bases);
            bases.iter().map(|base| char::from(aligner_core::seq::decode(base.code))).collect()
        };
        assert_eq!(letters(0, 0..8), "ATGTGCACGT");
        assert_eq!(letters(1, 0..8), "ACGTGCAGT");
        assert_eq!(letters(1, 2..5), "GTGCA");
    }
}
