//! Vectors of 128 bits as arrays, for every processor.

use super::{Simd, SimdJob};
use crate::cpu::pair_scorer::ScoreTable;

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

            #[inline(always)]
            fn run<J: SimdJob<Self>>(self, job: J) {
                job.run(self);
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
                let mut flags = 0;
                for lane in 0..$lanes {
                    flags |= <$flags>::from(a[lane] == b[lane]) << lane;
                }
                flags
            }

            #[inline(always)]
            fn look_up(
                self,
                table: &ScoreTable<$word>,
                query: [$word; $lanes],
                mut target: [$word; $lanes],
            ) -> [$word; $lanes] {
                for lane in 0..$lanes {
                    target[lane] = table.score(query[lane], target[lane]);
                }
                target
            }
        }
    };
}
portable!(i8, 16, u16);
portable!(i16, 8, u8);
