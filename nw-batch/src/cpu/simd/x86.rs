//! Vectors of processors with AVX2 or AVX-512.

use std::arch::x86_64::{
    __m256i, __m512i, __mmask32, __mmask64, _mm256_add_epi8, _mm256_add_epi16, _mm256_adds_epi8,
    _mm256_adds_epi16, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16,
    _mm256_loadu_si256, _mm256_max_epi8, _mm256_max_epi16, _mm256_movemask_epi8, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_sub_epi8, _mm256_sub_epi16, _mm512_add_epi8, _mm512_add_epi16,
    _mm512_adds_epi8, _mm512_adds_epi16, _mm512_cmpeq_epi8_mask, _mm512_cmpeq_epi16_mask,
    _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16,
    _mm512_mask2_permutex2var_epi8, _mm512_max_epi8, _mm512_max_epi16, _mm512_permutexvar_epi8,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_sub_epi8, _mm512_sub_epi16,
};

use std::ptr;

use super::{Simd, SimdJob};
use crate::cpu::pair_scorer::{PairScorer, ProfiledTable, ScoreBlocks, ScoreTable};

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
fn run_avx2<J: SimdJob<Avx2>>(job: J, simd: Avx2) -> J::Output {
    job.run(simd)
}

/// Compiles a job for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn run_avx512<J: SimdJob<Avx512>>(job: J, simd: Avx512) -> J::Output {
    job.run(simd)
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
        fn run<J: SimdJob<Self>>(self, job: J) -> J::Output {
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
    type TableScorer<'t, const R: usize, const BLOCKS: usize> = ProfiledTable<'t, i8>;
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
    type TableScorer<'t, const R: usize, const BLOCKS: usize> = ProfiledTable<'t, i16>;
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
    type TableScorer<'t, const R: usize, const BLOCKS: usize> = ProfiledTable<'t, i16>;
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

    const HAS_BLOCKS: bool = true;
    type TableScorer<'t, const R: usize, const BLOCKS: usize> = BlockedTable<'t, BLOCKS>;
}

/// Columns of a tile of [`BlockedTable`].
const BLOCKED_COLUMNS: usize = 16;

/// Look-up in a table of `BLOCKS` blocks, of which an instruction looks up one for each lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockedTable<'t, const BLOCKS: usize>(&'t ScoreBlocks<i8>);

/// Rows of a table for the residues of a strip's row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockRow<const BLOCKS: usize> {
    /// Index of the first score of each lane's row in its block.
    begins: __m512i,
    /// Lanes whose row is in each block.
    lanes: [__mmask64; BLOCKS],
}

impl<'t, const BLOCKS: usize> From<&'t ScoreTable<i8>> for BlockedTable<'t, BLOCKS> {
    fn from(table: &'t ScoreTable<i8>) -> Self {
        Self(table.blocks(BLOCKS))
    }
}

impl<const R: usize, const BLOCKS: usize> PairScorer<Avx512, 64, R> for BlockedTable<'_, BLOCKS> {
    const TILE_COLUMNS: usize = BLOCKED_COLUMNS;
    type Profile = [BlockRow<BLOCKS>; R];
    type Tile = [[__m512i; R]; BLOCKED_COLUMNS];
    type Column = ();

    #[inline(always)]
    #[allow(unsafe_code)]
    fn profile(self, simd: Avx512, query: &[__m512i; R]) -> [BlockRow<BLOCKS>; R] {
        let none = Simd::<64>::splat(simd, 0);
        let mut rows = [BlockRow { begins: none, lanes: [0; BLOCKS] }; R];
        let begins_of_codes = Simd::<64>::vector(simd, &self.0.begins);
        let blocks_of_codes = Simd::<64>::vector(simd, &self.0.blocks);
        for row in 0..R {
            // SAFETY: `simd` proves that the processor has the instruction.
            rows[row].begins = unsafe { _mm512_permutexvar_epi8(query[row], begins_of_codes) };
            // SAFETY: `simd` proves that the processor has the instruction.
            let blocks = unsafe { _mm512_permutexvar_epi8(query[row], blocks_of_codes) };
            for block in 0..BLOCKS {
                let this = Simd::<64>::splat(simd, block as i8);
                rows[row].lanes[block] = Simd::<64>::equal(simd, blocks, this);
            }
        }
        rows
    }

    #[inline(always)]
    fn new_tile(self, simd: Avx512) -> [[__m512i; R]; BLOCKED_COLUMNS] {
        [[Simd::<64>::splat(simd, 0); R]; BLOCKED_COLUMNS]
    }

    /// Row after row, so that its masks stay in registers. Each block replaces the indices of the lanes that it has the scores of.
    #[inline(always)]
    #[allow(unsafe_code)]
    #[allow(clippy::needless_range_loop)] // An iterator is not unrolled here, which costs two thirds of the speed.
    fn fill_tile(
        self,
        simd: Avx512,
        profile: &[BlockRow<BLOCKS>; R],
        targets: &[__m512i],
        tile: &mut [[__m512i; R]; BLOCKED_COLUMNS],
    ) {
        let mut halves = [[Simd::<64>::splat(simd, 0); 2]; BLOCKS];
        for block in 0..BLOCKS {
            let table = &self.0.scores[block];
            // SAFETY: `simd` proves that the processor has the instruction, and the first 64 of 128 bytes are read.
            halves[block][0] = unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
            // SAFETY: `simd` proves that the processor has the instruction, and the other 64 bytes are read.
            halves[block][1] = unsafe { _mm512_loadu_si512(table[64..].as_ptr().cast()) };
        }
        for row in 0..R {
            let BlockRow { begins, lanes } = profile[row];
            for place in 0..targets.len().min(BLOCKED_COLUMNS) {
                let mut scores = Simd::<64>::add(simd, begins, targets[place]);
                for block in 0..BLOCKS {
                    let [first, second] = halves[block];
                    // SAFETY: `simd` proves that the processor has the instruction.
                    scores = unsafe {
                        _mm512_mask2_permutex2var_epi8(first, scores, lanes[block], second)
                    };
                }
                tile[place][row] = scores;
            }
        }
    }

    #[inline(always)]
    fn column(self, _simd: Avx512, _profile: &[BlockRow<BLOCKS>; R], _target: &__m512i) {}

    #[inline(always)]
    fn score(
        self,
        _simd: Avx512,
        _profile: &[BlockRow<BLOCKS>; R],
        tile: &[[__m512i; R]; BLOCKED_COLUMNS],
        (place, ()): (usize, &()),
        row: usize,
    ) -> __m512i {
        tile[place][row]
    }
}
