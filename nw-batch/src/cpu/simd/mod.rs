//! Vectors of 8-bit or 16-bit words, for the instructions that a processor has.
//!
//! An engine is written once, over [`Simd`]. [`Simd::run`] compiles it for the instructions of each implementation, which
//! [`Instructions`] names.

// Operations are single instructions, and must be inlined into the functions that are compiled for them.
#![allow(clippy::inline_always)]

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(super) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

use super::pair_scorer::{PairScorer, ScoreTable};

/// Word of a lane: 8 or 16 bits, signed.
pub(crate) trait Word:
    Copy + Default + PartialEq + Into<i32> + Send + Sync + 'static
{
    /// Least number of a word.
    const LEAST: i32;
    /// Greatest number of a word.
    const GREATEST: i32;
    /// The word of a number, of which it keeps the low bits.
    fn of(number: i32) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const LEAST: i32 = <$type>::MIN as i32;
            const GREATEST: i32 = <$type>::MAX as i32;
            #[inline(always)]
            fn of(number: i32) -> Self {
                number as $type
            }
        }
    };
}
word!(i8);
word!(i16);

/// Work that is compiled for each kind of instructions.
pub(crate) trait SimdJob<S> {
    /// Result of the work.
    type Output;
    /// Does the work. Implementations are `#[inline(always)]`, and so is all that they call.
    fn run(self, simd: S) -> Self::Output;
}

/// Operations on vectors of `L` lanes. A value proves that the processor has the instructions.
pub(crate) trait Simd<const L: usize>: Copy + Send + Sync + 'static {
    /// Word of a lane.
    type Word: Word;
    /// Words of all lanes.
    type Vector: Copy + Send + Sync;
    /// A flag for each lane, as bits.
    type Flags: Copy + Default + Into<u64> + Send + Sync;
    /// Bits of a lane's flag.
    const FLAG_BITS: usize;
    /// Whether look-ups take tables in blocks, the fewer the faster.
    const HAS_BLOCKS: bool = false;
    /// Look-up of the scores of pairs in a table of up to `BLOCKS` blocks.
    type TableScorer<'t, const R: usize, const BLOCKS: usize>: PairScorer<Self, L, R>
        + From<&'t ScoreTable<Self::Word>>;

    /// Runs a job that is compiled for these instructions.
    fn run<J: SimdJob<Self>>(self, job: J) -> J::Output;
    /// A vector with one word in all lanes.
    fn splat(self, word: Self::Word) -> Self::Vector;
    /// A vector of these words.
    fn vector(self, words: &[Self::Word; L]) -> Self::Vector;
    /// The words of a vector.
    fn words(self, vector: &Self::Vector) -> &[Self::Word; L];
    /// Sums, which wrap on overflow.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sums, which are the least or the greatest number on overflow.
    fn add_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences, which wrap on overflow.
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The greater word of each lane.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Words of `equal` where `a` and `b` are equal, else of `different`.
    fn select_equal(
        self,
        a: Self::Vector,
        b: Self::Vector,
        equal: Self::Vector,
        different: Self::Vector,
    ) -> Self::Vector;
    /// Flags of the lanes where `a` and `b` are equal.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Flags;
}

/// Kind of instructions that vectors are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instructions {
    /// Vectors of 512 bits (AVX-512BW).
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Vectors of 256 bits (AVX2).
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Vectors of 128 bits, by what the compiler makes of plain code.
    Portable,
}

impl Instructions {
    /// The fastest kind that this processor has.
    pub fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self::Portable)
    }

    /// The kinds that this processor has, the fastest first.
    pub fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(Avx512::detect().map(Self::Avx512));
            all.extend(Avx2::detect().map(Self::Avx2));
        }
        all.push(Self::Portable);
        all
    }
}
