//! Kernels of `cuda/warp.cu`, and the choice of the kernel for a pair.
//!
//! Scores are looked up by a permutation of bytes, not in a table in memory (`cuda/include/nw_batch/pair_scores.cuh`). Of
//! nucleotides, a column has the scores of its residue with A, C, G and T as four bytes, and a lane keeps for each of its rows
//! the selector that picks the scores of two pairs at once and widens them to 16 bits (`Nucleotides`). Of other residues, a
//! warp writes the scores of its rows with each residue to shared memory, a byte each, reads those of a column, four rows at a
//! time, and widens them by constant selectors (`Profile`).
//!
//! Permutations, additions of halves and maxima share a pipe, which limits the kernels. So where scores of nucleotides fit into 7 bits and
//! no directions are kept, the permutation picks a byte for each pair, and a dot product of two bytes, which has the pipe of
//! multiplications, adds both to the halves of a word (`AddedNucleotides`).

use super::strips::is_long;
use crate::scoring::Scoring;
use crate::scoring::bias::ScoreBias;

/// Lanes of a warp.
pub(super) const WARP: u32 = 32;

/// Family of kernels of `cuda/warp.cu`: scoring and width of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelFamily {
    /// Match and mismatch scores, linear gaps, two pairs for a warp.
    Linear,
    /// Match and mismatch scores, affine gaps, two pairs for a warp.
    Affine,
    /// As [`Self::Linear`], for queries with unknown residues.
    LinearUnknown,
    /// As [`Self::Affine`], for queries with unknown residues.
    AffineUnknown,
    /// Any scores that fit into a byte when biased, any gaps, two pairs for a warp.
    Profile,
    /// Any scores and gaps, from a table, two pairs for a warp.
    Table,
    /// Any scores and gaps, from a table, in 32 bits, one pair for a warp.
    Wide,
}

/// Kernel `nw_FAMILY_score_ROWS` or `nw_FAMILY_trace_ROWS` of `cuda/warp.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WarpKernel {
    /// Family of the kernel.
    pub family: KernelFamily,
    /// Rows of a lane.
    pub rows: u32,
    /// Whether the kernel keeps directions.
    pub has_directions: bool,
}

impl KernelFamily {
    /// All families of kernels.
    pub const ALL: [Self; 7] = [
        Self::Linear,
        Self::Affine,
        Self::LinearUnknown,
        Self::AffineUnknown,
        Self::Profile,
        Self::Table,
        Self::Wide,
    ];

    /// Name of the family in the names of its kernels.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Affine => "affine",
            Self::LinearUnknown => "linear_unknown",
            Self::AffineUnknown => "affine_unknown",
            Self::Profile => "profile",
            Self::Table => "table",
            Self::Wide => "wide",
        }
    }

    /// Whether directions have the bits of affine gaps.
    pub fn is_affine(self) -> bool {
        !matches!(self, Self::Linear | Self::LinearUnknown)
    }

    /// Whether the kernels are for queries with unknown residues.
    fn has_unknown(self) -> bool {
        matches!(self, Self::LinearUnknown | Self::AffineUnknown)
    }

    /// Numbers of rows of a lane for which the family has kernels that keep directions, or do not.
    pub fn rows(self, has_directions: bool) -> &'static [u32] {
        match self {
            Self::Linear => &[8, 16, 32, 48],
            Self::Affine if has_directions => &[8, 16, 24],
            Self::Affine => &[8, 16, 24, 48],
            Self::LinearUnknown | Self::Wide => &[8, 32],
            Self::AffineUnknown => &[8, 24],
            Self::Profile => &[8, 16],
            Self::Table => &[8],
        }
    }
}

impl WarpKernel {
    /// Iterates over the kernels of all families.
    pub fn all() -> impl Iterator<Item = Self> {
        KernelFamily::ALL.into_iter().flat_map(|family| {
            [false, true].into_iter().flat_map(move |has_directions| {
                let rows = family.rows(has_directions).iter();
                rows.map(move |&rows| Self { family, rows, has_directions })
            })
        })
    }

    /// Name of the kernel in the source.
    pub fn name(self) -> String {
        let what = if self.has_directions { "trace" } else { "score" };
        format!("nw_{}_{what}_{}", self.family.name(), self.rows)
    }

    /// Pairs that a warp aligns together.
    pub fn pairs_per_task(self) -> u32 {
        if self.family == KernelFamily::Wide { 1 } else { 2 }
    }

    /// Threads of a block.
    pub fn block_threads(self) -> u32 {
        // Profiles need much shared memory, and blocks at most what the smallest devices have.
        if self.family == KernelFamily::Profile { 64 } else { 128 }
    }

    /// Bytes of shared memory of a warp that a launch provides, for sequences with so many codes.
    pub fn shared_bytes_per_warp(self, letters: u32) -> u32 {
        // The scores of all rows with each residue of the first and of the second target.
        if self.family == KernelFamily::Profile { letters * 2 * WARP * self.rows } else { 0 }
    }

    /// Whether the kernel adds the scores of both pairs of a task as one number, so that neither pair's may overflow anywhere in the
    /// matrix that holds both.
    pub(super) fn adds_both(self) -> bool {
        use KernelFamily::{Affine, AffineUnknown, Linear, LinearUnknown};
        !self.has_directions
            && matches!(self.family, Linear | LinearUnknown | Affine | AffineUnknown)
    }

    /// Whether its directions have the bits of affine gaps.
    pub fn is_affine(self) -> bool {
        self.family.is_affine()
    }

    /// Words of directions that a warp keeps for each step.
    fn words_per_step(self) -> u64 {
        let rows_of_word = if self.is_affine() { 4 } else { 8 };
        u64::from(WARP * self.rows.div_ceil(rows_of_word))
    }

    /// Strips that the kernel divides a matrix of `rows` rows into.
    pub(super) fn strips(self, rows: u32) -> u32 {
        rows.div_ceil(WARP * self.rows)
    }

    /// About how long a column of a matrix of so many rows takes, in eighths of a row of a lane.
    pub(super) fn column_time(self, rows: u32) -> u32 {
        // Measured: a step takes about as long as two rows more than a lane has, and an eighth more with unknown residues.
        let (per_row, pairs) = (8 + u32::from(self.family.has_unknown()), self.pairs_per_task());
        self.strips(rows) * (self.rows + 2) * per_row * 2 / pairs
    }

    /// Words of directions of a task whose longest sequences have `rows` and `columns` residues.
    pub(super) fn direction_words(self, rows: u32, columns: u32) -> u64 {
        u64::from(self.strips(rows)) * u64::from(columns + WARP - 1) * self.words_per_step()
    }
}

/// Choice of the kernel for each pair.
#[derive(Debug)]
pub(super) struct KernelChooser {
    narrow: ScoreBias,
    /// The families in 16 bits, for queries without residues that match nothing, and for those with some.
    narrow_families: [KernelFamily; 2],
    has_directions: bool,
}

impl KernelChooser {
    /// The choice for a scoring, among kernels that keep directions or do not.
    pub fn new(scoring: &Scoring, has_directions: bool) -> Self {
        let narrow = ScoreBias::narrow(scoring);
        let (least, greatest) = scoring.pair_score_range();
        let fits = |bits: u32| {
            let range = -(1 << (bits - 1))..1 << (bits - 1);
            [least, greatest].iter().all(|score| range.contains(&(score + 2 * narrow.extend)))
        };
        let narrow_families = if !fits(8) {
            [KernelFamily::Table; 2]
        } else if scoring.match_and_mismatch().is_none() || !fits(7) {
            [KernelFamily::Profile; 2]
        } else if scoring.gaps().is_linear() {
            [KernelFamily::Linear, KernelFamily::LinearUnknown]
        } else {
            [KernelFamily::Affine, KernelFamily::AffineUnknown]
        };
        Self { narrow, narrow_families, has_directions }
    }

    /// The family of the kernels that fill strips, for queries with or without residues that match nothing; none if
    /// scores do not fit into a byte.
    pub fn strip_family(&self, has_unknown: bool) -> Option<KernelFamily> {
        let family = self.narrow_families[usize::from(has_unknown)];
        (family != KernelFamily::Table).then_some(family)
    }

    /// The family of the kernels that fill the strips of a query and a target of these lengths, if they are a long pair.
    /// 16 bits may hold their scores and they have more than `most_cells` cells.
    pub fn long_family(
        &self,
        (rows, columns): (u32, u32),
        has_unknown: bool,
        most_cells: u64,
    ) -> Option<KernelFamily> {
        let is_long = is_long((rows, columns), most_cells) || !self.is_narrow((rows, columns));
        self.strip_family(has_unknown).filter(|_| is_long)
    }

    /// Whether 16 bits hold the matrix of a query and a target of these lengths.
    pub fn is_narrow(&self, (rows, columns): (u32, u32)) -> bool {
        self.narrow.fits(rows as usize, columns as usize)
    }

    /// The fastest kernel for a query and a target of these lengths, which are at least 1. `has_unknown` tells whether
    /// the query has residues that match nothing.
    pub fn kernel(&self, (rows, columns): (u32, u32), has_unknown: bool) -> WarpKernel {
        let family = if self.is_narrow((rows, columns)) {
            self.narrow_families[usize::from(has_unknown)]
        } else {
            KernelFamily::Wide
        };
        let kernel = |rows| WarpKernel { family, rows, has_directions: self.has_directions };
        let kernels = family.rows(self.has_directions).iter().map(|&rows| kernel(rows));
        kernels.min_by_key(|kernel| kernel.column_time(rows)).unwrap_or(kernel(8))
    }
}
