//! Ranks in a transform, counted with the instructions that every processor has, or with those of AVX-512.
//!
//! Searches are generic over this and compiled for both: [`Avx512`] can be had only where the processor has the
//! instructions.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use std::fmt::Debug;

use super::rank::{Bwt, SymbolCounts};

#[cfg(target_arch = "x86_64")]
pub use self::avx512::Avx512;

/// A way to count symbols of a transform.
pub trait Ranks: Debug + Copy + Send + Sync {
    /// Count of one code among the symbols of rows `0..row`; `row` is at most the number of rows.
    fn rank(self, bwt: &Bwt<'_>, code: u8, row: u32) -> u32;

    /// Count of one code among the symbols of rows `0..lo`, and the counts of it and of smaller codes among those of
    /// rows `lo..lo + size`; the sentinel is no code. Where the code is not among the latter, the first count says nothing.
    fn ranks(self, bwt: &Bwt<'_>, code: u8, lo: u32, size: u32) -> (u32, SymbolCounts);
}

/// Counts with the instructions of every processor.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

impl Ranks for Portable {
    #[inline(always)]
    fn rank(self, bwt: &Bwt<'_>, code: u8, row: u32) -> u32 {
        bwt.rank(code, row)
    }

    #[inline(always)]
    fn ranks(self, bwt: &Bwt<'_>, code: u8, lo: u32, size: u32) -> (u32, SymbolCounts) {
        bwt.ranks(code, lo, size)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    //! A block of a transform is a register of eight lanes of 64 bits. Lanes 2, 4 and 6 are low bits of symbols, the
    //! lanes behind them the high bits. The even lanes count one code, the odd lanes all smaller ones:
    //!
    //! ```text
    //!   lane         0 1             2 3   4 5   6 7
    //!   block        counts before   low bits and high bits of 64 symbols each
    //!   counted      c s             c s   c s   c s       c: symbols that are the code, s: those that are smaller
    //! ```

    use std::arch::x86_64::{
        __m512i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi64,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_add_epi64, _mm512_and_si512,
        _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_castsi512_si256,
        _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_permutexvar_epi32,
        _mm512_max_epi64, _mm512_movedup_pd, _mm512_permute_pd, _mm512_popcnt_epi64,
        _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srlv_epi64, _mm512_sub_epi64,
        _mm512_ternarylogic_epi64, _mm512_xor_si512,
    };

    use super::Ranks;
    use crate::index::rank::{Bwt, SYMBOLS_PER_BLOCK, SymbolCounts};

    /// Counts with AVX-512. A value of this type exists only where the processor has AVX-512F, VPOPCNTDQ, AVX2, BMI1, BMI2
    /// and POPCNT.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx512(());

    impl Avx512 {
        /// The way to count, if the processor has the instructions.
        pub fn detect() -> Option<Self> {
            let has_them = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vpopcntdq")
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has_them.then_some(Self(()))
        }
    }

    impl Ranks for Avx512 {
        #[inline(always)]
        fn rank(self, bwt: &Bwt<'_>, code: u8, row: u32) -> u32 {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions, since `self` exists.
            let [equal, _] = unsafe { before(bwt, code, row) };
            equal - u32::from(code == 0 && bwt.primary < row)
        }

        #[inline(always)]
        fn ranks(self, bwt: &Bwt<'_>, code: u8, lo: u32, size: u32) -> (u32, SymbolCounts) {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions, since `self` exists.
            let ([before, _], [equal, smaller]) = unsafe { before_and_within(bwt, code, lo, size) };
            // The sentinel is stored as code 0.
            let has_sentinel = u32::from(lo <= bwt.primary && bwt.primary < lo + size);
            if code == 0 {
                let equal = equal - has_sentinel;
                (before - u32::from(bwt.primary < lo), SymbolCounts { equal, smaller })
            } else {
                (before, SymbolCounts { equal, smaller: smaller - has_sentinel })
            }
        }
    }

    /// Counts of the code and of smaller ones before a row, the sentinel counted as code 0.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    #[inline]
    fn before(bwt: &Bwt<'_>, code: u8, row: u32) -> [u32; 2] {
        sums(lanes_before(bwt, &CODES[usize::from(code)], row))
    }

    /// Counts as of [`before`] before row `lo`, and at rows `lo..lo + size`.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    #[inline]
    fn before_and_within(bwt: &Bwt<'_>, code: u8, lo: u32, size: u32) -> ([u32; 2], [u32; 2]) {
        let code = &CODES[usize::from(code)];
        let before = lanes_before(bwt, code, lo);
        let through = lanes_before(bwt, code, lo + size);
        (sums(before), sums(_mm512_sub_epi64(through, before)))
    }

    /// The constants with which one code is counted.
    #[repr(C, align(64))]
    struct Code {
        /// The code's high bit, 64 times, in all lanes.
        high: [u64; 8],
        /// The complement of the code's low bit, 64 times, in even lanes; ones in odd lanes.
        low: [u64; 8],
        /// A mask of symbols that have the code's high bit: all in even lanes; in odd lanes all if the code's low bit is 1,
        /// else none.
        counted: [u64; 8],
        /// A mask of symbols that have the other high bit: none in even lanes; in odd lanes all if the code's high bit is 1,
        /// else none.
        others: [u64; 8],
        /// For each number of 32 bits of a register, the number of a block that is added to it: a count of symbols before
        /// the block.
        places: [u32; 16],
        /// A bit for each number of a register to which one is added.
        present: u16,
    }

    static CODES: [Code; 4] = [Code::new(0), Code::new(1), Code::new(2), Code::new(3)];

    impl Code {
        const fn new(code: u32) -> Self {
            const ALL: u64 = u64::MAX;
            let low = if code & 1 == 1 { ALL } else { 0 };
            let high = if code >> 1 == 1 { ALL } else { 0 };
            let mut places = [0; 16];
            places[0] = code;
            // Smaller codes are counted in lanes 1, 3 and 5, whose lower halves are the numbers 2, 6 and 10.
            (places[2], places[6], places[10]) = (0, 1, 2);
            let mut present = 1;
            let mut smaller = 0;
            while smaller < code {
                present |= 1 << (2 + 4 * smaller);
                smaller += 1;
            }
            Self {
                high: [high; 8],
                low: [!low, ALL, !low, ALL, !low, ALL, !low, ALL],
                counted: [ALL, low, ALL, low, ALL, low, ALL, low],
                others: [0, high, 0, high, 0, high, 0, high],
                places,
                present,
            }
        }
    }

    /// Where the symbols of a lane end in their block. Lanes without symbols end so far behind that none of their bits is
    /// before a place.
    #[repr(C, align(64))]
    struct Ends([u64; 8]);

    static ENDS: Ends = Ends([1 << 32, 1 << 32, 64, 64, 128, 128, 192, 192]);

    /// Counts of a code and of smaller ones before a row, in lanes that are still to be added up.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    #[inline]
    fn lanes_before(bwt: &Bwt<'_>, code: &Code, row: u32) -> __m512i {
        let block = &bwt.blocks[(row / SYMBOLS_PER_BLOCK) as usize];
        let place = _mm512_set1_epi64(i64::from(row % SYMBOLS_PER_BLOCK));
        let block = load(block);
        // The low bits, and where the high bits are not the code's, in both lanes of 64 symbols.
        let low = _mm512_castpd_si512(_mm512_movedup_pd(_mm512_castsi512_pd(block)));
        let high = _mm512_castpd_si512(_mm512_permute_pd::<0xff>(_mm512_castsi512_pd(block)));
        let high = _mm512_xor_si512(high, load(&code.high));
        // (low ^ code.low) & code.counted
        let same_high =
            _mm512_ternarylogic_epi64::<0x28>(low, load(&code.low), load(&code.counted));
        // if high { code.others } else { same_high }
        let symbols = _mm512_ternarylogic_epi64::<0xca>(high, load(&code.others), same_high);
        let behind = _mm512_sub_epi64(load(&ENDS.0), place);
        let behind = _mm512_max_epi64(behind, _mm512_setzero_si512());
        let before = _mm512_srlv_epi64(_mm512_set1_epi64(-1), behind);
        let counts = _mm512_popcnt_epi64(_mm512_and_si512(symbols, before));
        let places = load(&code.places);
        let of_blocks_before = _mm512_maskz_permutexvar_epi32(code.present, places, block);
        _mm512_add_epi64(counts, of_blocks_before)
    }

    /// The sums of the even and of the odd lanes.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    #[inline]
    fn sums(lanes: __m512i) -> [u32; 2] {
        let upper = _mm512_extracti64x4_epi64::<1>(lanes);
        let lanes = _mm256_add_epi64(_mm512_castsi512_si256(lanes), upper);
        let upper = _mm256_extracti128_si256::<1>(lanes);
        let lanes = _mm_add_epi64(_mm256_castsi256_si128(lanes), upper);
        [_mm_cvtsi128_si64(lanes) as u32, _mm_extract_epi64::<1>(lanes) as u32]
    }

    /// A register of 64 bytes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load<T>(bytes: &T) -> __m512i {
        const { assert!(size_of::<T>() == 64) };
        #[allow(unsafe_code)]
        // SAFETY: there are 64 bytes, as asserted, all initialized numbers.
        unsafe {
            _mm512_loadu_si512(std::ptr::from_ref(bytes).cast())
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{Avx512, Portable, Ranks};
    use crate::{BuildOptions, FmIndex, Reference};

    /// All ranks of texts of one block to some, in which codes are missing, too, are the same in both ways.
    #[test]
    fn ways_to_count_are_equal() {
        let Some(avx512) = Avx512::detect() else {
            eprintln!("this processor has no AVX-512: nothing was compared");
            return;
        };
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let letters = &b"ACGTGTAC"[random.usize(..4)..][..random.usize(1..=4)];
            let length = random.usize(1..600);
            let text: String =
                (0..length).map(|_| char::from(letters[random.usize(..letters.len())])).collect();
            let reference = Reference::from_records([("t", &text)]).unwrap();
            let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
            for bwt in [index.forward(), index.reverse()] {
                let rows = length as u32 + 1;
                for (code, row) in (0..4).flat_map(|code| (0..=rows).map(move |row| (code, row))) {
                    let expected = Portable.rank(&bwt, code, row);
                    assert_eq!(
                        avx512.rank(&bwt, code, row),
                        expected,
                        "seed {seed}: {code}, {row}"
                    );
                    let size = random.u32(0..=rows - row);
                    for size in [0, 1, 2, size, rows - row] {
                        if size > rows - row {
                            continue;
                        }
                        let (before, counts) = avx512.ranks(&bwt, code, row, size);
                        let expected = Portable.ranks(&bwt, code, row, size);
                        let before = if counts.equal == 0 { expected.0 } else { before };
                        assert_eq!(
                            (before, counts),
                            expected,
                            "seed {seed}: {code}, {size} from {row}"
                        );
                    }
                }
            }
        }
    }
}
