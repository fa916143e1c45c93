//! Vectors of processors with AVX2 or AVX-512.

use std::arch::x86_64::{
    __m256i, __m512i, __mmask32, __mmask64, _mm256_add_epi8, _mm256_add_epi16, _mm256_adds_epi8,
    _mm256_adds_epi16, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16,
    _mm256_loadu_si256, _mm256_max_epi8, _mm256_max_epi16, _mm256_movemask_epi8, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_sub_epi8, _mm256_sub_epi16, _mm512_add_epi8, _mm512_add_epi16,
    _mm512_adds_epi8, _mm512_adds_epi16, _mm512_and_si512, _mm512_cmpeq_epi8_mask,
    _mm512_cmpeq_epi16_mask, _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16,
    _mm512_max_epi8, _mm512_max_epi16, _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_slli_epi16, _mm512_sub_epi8, _mm512_sub_epi16, _mm512_test_epi8_mask,
};

use std::ptr;

use super::{Simd, SimdJob};
use crate::cpu::pair_scorer::ScoreTable;
use crate::scoring::CODES;

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2(());

/// Proof that the processor has AVX-512 with BW and VBMI (Intel since Ice Lake, AMD since Zen 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx2 {
    /// The proof, if the processor has the instructions.
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl Avx512 {
    /// The proof, if the processor has the instructions.
    pub fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi");
        has_all.then_some(Self(()))
    }
}

/// Compiles a job for AVX2.
#[target_feature(enable = "avx2")]
fn run_avx2<J: SimdJob<Avx2>>(job: J, simd: Avx2) {
    job.run(simd);
}

/// Compiles a job for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn run_avx512<J: SimdJob<Avx512>>(job: J, simd: Avx512) {
    job.run(simd);
}

/// The words of a vector, one after the other, through `score`.
macro_rules! look_up_each {
    ($simd:expr, $lanes:literal, $table:expr, $query:expr, $target:expr) => {{
        let queries: &[_; $lanes] = $simd.words(&$query);
        let targets: &[_; $lanes] = $simd.words(&$target);
        let mut scores = [0; $lanes];
        for lane in 0..$lanes {
            scores[lane] = $table.score(queries[lane], targets[lane]);
        }
        $simd.vector(&scores)
    }};
}

/// Methods that are one instruction each, or two.
macro_rules! operations {
    (
        $word:ty, $lanes:literal, $vector:ty, $run:ident, $splat:ident, $load:ident, $add:ident,
        $add_saturating:ident, $subtract:ident, $max:ident
    ) => {
        type Word = $word;
        type Vector = $vector;

        #[inline(always)]
        #[allow(unsafe_code)]
        fn run<J: SimdJob<Self>>(self, job: J) {
            // SAFETY: `self` proves that the processor has the instructions.
            unsafe { $run(job, self) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn splat(self, word: $word) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $splat(word) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn vector(self, words: &[$word; $lanes]) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction, and the array is as long as a vector.
            unsafe { $load(words.as_ptr().cast()) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn words(self, vector: &$vector) -> &[$word; $lanes] {
            // SAFETY: a vector is as long as the array, has its alignment, and all its bits are those of words.
            unsafe { &*ptr::from_ref(vector).cast() }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn add(self, a: $vector, b: $vector) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $add(a, b) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn add_saturating(self, a: $vector, b: $vector) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $add_saturating(a, b) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn subtract(self, a: $vector, b: $vector) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $subtract(a, b) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn max(self, a: $vector, b: $vector) -> $vector {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $max(a, b) }
        }
    };
}

/// Comparisons of AVX2, whose results are vectors.
macro_rules! avx2_comparisons {
    ($word:ty, $lanes:literal, $equal:ident) => {
        type Flags = u32;
        const FLAG_BITS: usize = size_of::<$word>();

        #[inline(always)]
        #[allow(unsafe_code)]
        fn select_equal(
            self,
            a: __m256i,
            b: __m256i,
            equal: __m256i,
            different: __m256i,
        ) -> __m256i {
            // SAFETY: `self` proves that the processor has the instruction.
            let is_equal = unsafe { $equal(a, b) };
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { _mm256_blendv_epi8(different, equal, is_equal) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn equal(self, a: __m256i, b: __m256i) -> u32 {
            // SAFETY: `self` proves that the processor has the instruction.
            let is_equal = unsafe { $equal(a, b) };
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { _mm256_movemask_epi8(is_equal) as u32 }
        }

        #[inline(always)]
        fn look_up(self, table: &ScoreTable<$word>, query: __m256i, target: __m256i) -> __m256i {
            look_up_each!(self, $lanes, table, query, target)
        }
    };
}

/// Comparisons of AVX-512, whose results are masks.
macro_rules! avx512_comparisons {
    ($lanes:literal, $flags:ty, $equal:ident, $blend:ident) => {
        type Flags = $flags;
        const FLAG_BITS: usize = 1;

        #[inline(always)]
        #[allow(unsafe_code)]
        fn select_equal(
            self,
            a: __m512i,
            b: __m512i,
            equal: __m512i,
            different: __m512i,
        ) -> __m512i {
            let is_equal = Simd::<$lanes>::equal(self, a, b);
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $blend(is_equal, different, equal) }
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        fn equal(self, a: __m512i, b: __m512i) -> $flags {
            // SAFETY: `self` proves that the processor has the instruction.
            unsafe { $equal(a, b) }
        }
    };
}

impl Simd<32> for Avx2 {
    operations!(
        i8,
        32,
        __m256i,
        run_avx2,
        _mm256_set1_epi8,
        _mm256_loadu_si256,
        _mm256_add_epi8,
        _mm256_adds_epi8,
        _mm256_sub_epi8,
        _mm256_max_epi8
    );
    avx2_comparisons!(i8, 32, _mm256_cmpeq_epi8);
}

impl Simd<16> for Avx2 {
    operations!(
        i16,
        16,
        __m256i,
        run_avx2,
        _mm256_set1_epi16,
        _mm256_loadu_si256,
        _mm256_add_epi16,
        _mm256_adds_epi16,
        _mm256_sub_epi16,
        _mm256_max_epi16
    );
    avx2_comparisons!(i16, 16, _mm256_cmpeq_epi16);
}

impl Simd<32> for Avx512 {
    operations!(
        i16,
        32,
        __m512i,
        run_avx512,
        _mm512_set1_epi16,
        _mm512_loadu_si512,
        _mm512_add_epi16,
        _mm512_adds_epi16,
        _mm512_sub_epi16,
        _mm512_max_epi16
    );
    avx512_comparisons!(32, __mmask32, _mm512_cmpeq_epi16_mask, _mm512_mask_blend_epi16);

    #[inline(always)]
    fn look_up(self, table: &ScoreTable<i16>, query: __m512i, target: __m512i) -> __m512i {
        look_up_each!(self, 32, table, query, target)
    }
}

impl Simd<64> for Avx512 {
    operations!(
        i8,
        64,
        __m512i,
        run_avx512,
        _mm512_set1_epi8,
        _mm512_loadu_si512,
        _mm512_add_epi8,
        _mm512_adds_epi8,
        _mm512_sub_epi8,
        _mm512_max_epi8
    );
    avx512_comparisons!(64, __mmask64, _mm512_cmpeq_epi8_mask, _mm512_mask_blend_epi8);

    /// Four rows of the table fill two vectors, which one instruction looks up by seven bits of an index. The other
    /// three bits of the query's code choose among eight such results.
    #[inline(always)]
    fn look_up(self, table: &ScoreTable<i8>, query: __m512i, target: __m512i) -> __m512i {
        let index = self.seven_bits(query, target);
        let mut scores = [index; 8];
        let mut four_rows = 0;
        while four_rows < 8 {
            scores[four_rows] = self.of_four_rows(&table.scores, 4 * CODES * four_rows, index);
            four_rows += 1;
        }
        let [a, b, c, d, e, f, g, h] = scores;
        let first = self.select_bit(query, 4, b, a);
        let second = self.select_bit(query, 4, d, c);
        let third = self.select_bit(query, 4, f, e);
        let fourth = self.select_bit(query, 4, h, g);
        let low = self.select_bit(query, 8, second, first);
        let high = self.select_bit(query, 8, fourth, third);
        self.select_bit(query, 16, high, low)
    }
}

#[allow(clippy::unused_self)] // The processor has the instructions since there is a value.
impl Avx512 {
    /// The two low bits of the query's codes, and behind them the five bits of the target's.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn seven_bits(self, query: __m512i, target: __m512i) -> __m512i {
        // Bits that move from one byte into the next are not among the two that are kept.
        // SAFETY: `self` proves that the processor has the instruction.
        let shifted = unsafe { _mm512_slli_epi16::<5>(query) };
        // SAFETY: `self` proves that the processor has the instruction.
        let mask = unsafe { _mm512_set1_epi8(0b0110_0000) };
        // SAFETY: `self` proves that the processor has the instruction.
        let low = unsafe { _mm512_and_si512(shifted, mask) };
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_or_si512(low, target) }
    }

    /// Scores in the four rows of a table that begin with the score `from`.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn of_four_rows(self, table: &[i8; CODES * CODES], from: usize, index: __m512i) -> __m512i {
        // The rows are in the table, whatever `from` is, since the slice is checked.
        let rows = &table[from..from + 4 * CODES];
        // SAFETY: `self` proves that the processor has the instruction, and 64 bytes of the rows are read.
        let first = unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) };
        // SAFETY: `self` proves that the processor has the instruction, and the other 64 bytes of the rows are read.
        let second = unsafe { _mm512_loadu_si512(rows[2 * CODES..].as_ptr().cast()) };
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_permutex2var_epi8(first, index, second) }
    }

    /// Words of `set` where a bit of `codes` is set, else of `unset`.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn select_bit(self, codes: __m512i, bit: i8, set: __m512i, unset: __m512i) -> __m512i {
        // SAFETY: `self` proves that the processor has the instruction.
        let bits = unsafe { _mm512_set1_epi8(bit) };
        // SAFETY: `self` proves that the processor has the instruction.
        let is_set = unsafe { _mm512_test_epi8_mask(codes, bits) };
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_mask_blend_epi8(is_set, unset, set) }
    }
}
