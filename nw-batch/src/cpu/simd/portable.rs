//! Vectors of 128 bits as arrays, for every processor.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_mm_movemask_epi8;

use super::{Simd, SimdJob};
use crate::cpu::pair_scorer::ProfiledTable;

/// Plain code on arrays, whose loops compilers turn into vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Portable;

/// Vectors of a word that are arrays.
macro_rules! portable {
    ($word:ty, $lanes:literal, $flags:ty) => {
        impl Simd<$lanes> for Portable {
            type Word = $word;
            type Vector = [$word; $lanes];
            type Flags = $flags;
            const FLAG_BITS: usize = 1;
            type TableScorer<'t, const R: usize, const BLOCKS: usize> = ProfiledTable<'t, $word>;

            #[inline(always)]
            fn run<J: SimdJob<Self>>(self, job: J) -> J::Output {
                job.run(self)
            }

            #[inline(always)]
            fn splat(self, word: $word) -> [$word; $lanes] {
                [word; $lanes]
            }

            #[inline(always)]
            fn vector(self, words: &[$word; $lanes]) -> [$word; $lanes] {
                *words
            }

            #[inline(always)]
            fn words(self, vector: &[$word; $lanes]) -> &[$word; $lanes] {
                vector
            }

            #[inline(always)]
            fn add(self, mut a: [$word; $lanes], b: [$word; $lanes]) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    a[lane] = a[lane].wrapping_add(b[lane]);
                }
                a
            }

            #[inline(always)]
            fn add_saturating(self, mut a: [$word; $lanes], b: [$word; $lanes]) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    a[lane] = a[lane].saturating_add(b[lane]);
                }
                a
            }

            #[inline(always)]
            fn subtract(self, mut a: [$word; $lanes], b: [$word; $lanes]) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    a[lane] = a[lane].wrapping_sub(b[lane]);
                }
                a
            }

            #[inline(always)]
            fn max(self, mut a: [$word; $lanes], b: [$word; $lanes]) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    a[lane] = if a[lane] > b[lane] { a[lane] } else { b[lane] };
                }
                a
            }

            #[inline(always)]
            fn select_equal(
                self,
                a: [$word; $lanes],
                b: [$word; $lanes],
                mut equal: [$word; $lanes],
                different: [$word; $lanes],
            ) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    equal[lane] = if a[lane] == b[lane] { equal[lane] } else { different[lane] };
                }
                equal
            }

            #[inline(always)]
            fn equal(self, a: [$word; $lanes], b: [$word; $lanes]) -> $flags {
                let mut are_equal = [0; 16];
                for lane in 0..$lanes {
                    are_equal[lane] = if a[lane] == b[lane] { u8::MAX } else { 0 };
                }
                high_bits(are_equal) as $flags
            }
        }
    };
}
portable!(i8, 16, u16);
portable!(i16, 8, u8);

/// The highest bit of each byte, that of the first byte in the lowest place.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
fn high_bits(bytes: [u8; 16]) -> u16 {
    // The compiler does not find this instruction by itself.
    // SAFETY: every processor of this architecture has it.
    unsafe { _mm_movemask_epi8(bytemuck::cast(bytes)) as u16 }
}

/// The highest bit of each byte, that of the first byte in the lowest place.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn high_bits(bytes: [u8; 16]) -> u16 {
    let mut bits = 0;
    for place in 0..16 {
        bits |= u16::from(bytes[place] >> 7) << place;
    }
    bits
}
