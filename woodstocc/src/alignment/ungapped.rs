//! Alignments without gaps, on packed bases.
//!
//! Most alignments with few differences have only mismatches. These are where the exclusive or of two packed sequences
//! is not 0, found 32 bases at a time.
//!
//! Six of seven alignments have no gaps. The exclusive or, together with the text, tells the CIGAR and the `MD` tag of
//! such an alignment, so it is kept in place of a CIGAR.

use aligner_core::cigar::{CigarOp, CigarRun};

/// Bases in a 64-bit word.
pub const BASES: usize = 32;

/// The lower one of the two bits of each base of a word.
const LOWER: u64 = 0x5555_5555_5555_5555;

/// A query, packed with two bits a base, the first base in the lowest bits.
#[derive(Debug, Clone, Default)]
pub struct PackedQuery {
    words: Vec<PackedBases>,
}

/// Up to 32 bases of a query. In the masks, the lower one of the two bits of a base counts.
#[derive(Debug, Clone, Copy, Default)]
struct PackedBases {
    codes: u64,
    /// Mask of the bases that exist.
    all: u64,
    /// Mask of ambiguous bases, which equal nothing.
    ambiguous: u64,
}

/// Up to 32 bases of a query, compared with the text that they are aligned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlignedWord {
    /// Mask of the bases that differ, with the lower one of the two bits of each.
    pub differences: u64,
    /// The text, two bits a base; undefined after the end of the query.
    pub text: u64,
}

impl PackedQuery {
    /// Packs another query, given as codes 0 to 4.
    pub fn set(&mut self, codes: &[u8]) {
        self.words.clear();
        for chunk in codes.chunks(BASES) {
            let mut bases =
                PackedBases { all: LOWER >> (2 * (BASES - chunk.len())), ..PackedBases::default() };
            for (i, &code) in chunk.iter().enumerate() {
                bases.codes |= u64::from(code & 3) << (2 * i);
                bases.ambiguous |= u64::from(code >> 2) << (2 * i);
            }
            self.words.push(bases);
        }
    }

    /// Compares the query with the packed text from position `start` on, which must have at least as many bases from
    /// there on.
    pub fn on<'p>(
        &'p self,
        text: &'p [u64],
        start: u32,
    ) -> impl ExactSizeIterator<Item = AlignedWord> + 'p {
        let shift = 2 * (start as usize % BASES);
        let text = &text[start as usize / BASES..];
        self.words.iter().enumerate().map(move |(number, bases)| {
            // The last word of the text may have no successor, but then no base of it is needed.
            let high = text.get(number + 1).map_or(0, |word| (word << 1) << (63 - shift));
            let text = text[number] >> shift | high;
            let differs = bases.codes ^ text;
            let differences = (differs | differs >> 1 | bases.ambiguous) & bases.all;
            AlignedWord { differences, text }
        })
    }
}

/// An alignment without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UngappedPath<'m> {
    words: &'m [AlignedWord],
    length: u32,
}

impl<'m> UngappedPath<'m> {
    /// Makes the alignment of a query of `length` bases from its compared words.
    pub(crate) fn new(words: &'m [AlignedWord], length: u32) -> Self {
        Self { words, length }
    }

    /// Number of words of a query of `length` bases.
    pub(crate) fn words(length: u32) -> usize {
        (length as usize).div_ceil(BASES)
    }

    /// Number of bases of the query.
    #[allow(clippy::len_without_is_empty, reason = "a query that matches has at least one base")]
    pub fn len(self) -> u32 {
        self.length
    }

    /// The mismatches in ascending order: position in the query, 0-based, and the text's code (0 to 3).
    #[inline]
    pub fn mismatches(self) -> impl Iterator<Item = (u32, u8)> + use<'m> {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let mut left = word.differences;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    ((number * BASES) as u32 + bit / 2, (word.text >> bit) as u8 & 3)
                })
            })
        })
    }

    /// Calls `pass` with each CIGAR run of the alignment.
    pub fn runs(self, mut pass: impl FnMut(CigarRun)) {
        let (mut done, mut different) = (0, 0);
        for (base, _) in self.mismatches() {
            if base > done {
                if different > 0 {
                    pass(CigarRun::new(CigarOp::Different, different));
                    different = 0;
                }
                pass(CigarRun::new(CigarOp::Equal, base - done));
            }
            different += 1;
            done = base + 1;
        }
        if different > 0 {
            pass(CigarRun::new(CigarOp::Different, different));
        }
        if self.length > done {
            pass(CigarRun::new(CigarOp::Equal, self.length - done));
        }
    }
}

/// Number of bases that differ.
pub fn distance(words: &[AlignedWord]) -> u32 {
    words.iter().map(|word| word.differences.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_start_is_as_base_by_base() {
        let mut state = 11_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) % below
        };
        let text: Vec<u8> = (0..160).map(|_| random(4) as u8).collect();
        let pack = |chunk: &[u8]| {
            chunk.iter().enumerate().map(|(i, &c)| u64::from(c) << (2 * i)).sum::<u64>()
        };
        let packed_text: Vec<u64> = text.chunks(BASES).map(pack).collect();
        let mut packed = PackedQuery::default();
        for start in 0..=text.len() {
            for length in 0..=text.len() - start {
                let mut query = text[start..start + length].to_vec();
                for _ in 0..random(5).min(length as u64) {
                    query[random(length as u64) as usize] = random(5) as u8;
                }
                packed.set(&query);
                let words: Vec<AlignedWord> = packed.on(&packed_text, start as u32).collect();
                let path = UngappedPath::new(&words, length as u32);
                let pairs = || query.iter().zip(&text[start..]);
                let expected: Vec<(u32, u8)> = (0..)
                    .zip(pairs())
                    .filter(|(_, (q, t))| q != t)
                    .map(|(base, (_, &t))| (base, t))
                    .collect();
                let case = format!("start {start}, length {length}");
                assert_eq!(distance(&words) as usize, expected.len(), "{case}");
                assert!(path.mismatches().eq(expected), "{case}");
                let ops: Vec<CigarOp> = pairs()
                    .map(|(q, t)| if q == t { CigarOp::Equal } else { CigarOp::Different })
                    .collect();
                let expected: Vec<CigarRun> = ops
                    .chunk_by(|left, right| left == right)
                    .map(|run| CigarRun::new(run[0], run.len() as u32))
                    .collect();
                let mut runs = Vec::new();
                path.runs(|run| runs.push(run));
                assert_eq!(runs, expected, "{case}");
            }
        }
    }
}
