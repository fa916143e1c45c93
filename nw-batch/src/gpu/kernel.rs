//! The kernels of `cuda/warp.cu`, and which one is for a pair.

use crate::bias::Bias;
use crate::scoring::Scoring;

/// Lanes of a warp.
pub(super) const WARP: u32 = 32;

/// A family of kernels of `cuda/warp.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Match and mismatch, linear gaps, two pairs a warp.
    Linear,
    /// Match and mismatch, affine gaps, two pairs a warp.
    Affine,
    /// As linear, with unknown residues in a target.
    LinearUnknown,
    /// As affine, with unknown residues in a target.
    AffineUnknown,
    /// Any scores and gaps by a table, two pairs a warp.
    Table,
    /// The same in 32 bits, a pair a warp.
    Wide,
}

/// One kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kernel {
    /// Its family.
    pub family: Family,
    /// Rows of a lane.
    pub rows: u32,
    /// Whether it keeps directions.
    pub trace: bool,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 6] = [
        Self::Linear,
        Self::Affine,
        Self::LinearUnknown,
        Self::AffineUnknown,
        Self::Table,
        Self::Wide,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Affine => "affine",
            Self::LinearUnknown => "linear_unknown",
            Self::AffineUnknown => "affine_unknown",
            Self::Table => "table",
            Self::Wide => "wide",
        }
    }

    /// Rows of a lane for which there are kernels.
    pub fn rows(self) -> &'static [u32] {
        match self {
            Self::Linear => &[8, 16, 32, 48],
            Self::Affine => &[8, 16, 32],
            Self::LinearUnknown => &[8, 32, 48],
            Self::AffineUnknown | Self::Table | Self::Wide => &[8, 32],
        }
    }
}

impl Kernel {
    /// Every kernel.
    pub fn all() -> impl Iterator<Item = Self> {
        Family::ALL.into_iter().flat_map(|family| {
            family
                .rows()
                .iter()
                .flat_map(move |&rows| [false, true].map(|trace| Self { family, rows, trace }))
        })
    }

    /// Its name in the source.
    pub fn name(self) -> String {
        let what = if self.trace { "trace" } else { "score" };
        format!("nw_{}_{what}_{}", self.family.name(), self.rows)
    }

    /// Pairs of a task.
    pub fn pairs_of_task(self) -> u32 {
        if self.family == Family::Wide { 1 } else { 2 }
    }

    /// Whether its directions are those of affine gaps.
    pub fn is_affine(self) -> bool {
        !matches!(self.family, Family::Linear | Family::LinearUnknown)
    }

    /// Words of directions that a warp keeps of a column.
    fn words(self) -> u64 {
        let rows_of_word = if self.is_affine() { 4 } else { 8 };
        u64::from(WARP * self.rows.div_ceil(rows_of_word))
    }

    /// Strips of rows of a matrix of `rows` rows.
    pub(super) fn strips(self, rows: u32) -> u32 {
        rows.div_ceil(WARP * self.rows)
    }

    /// Words of directions of a task of up to so many rows and columns.
    pub(super) fn direction_words(self, rows: u32, columns: u32) -> u64 {
        u64::from(self.strips(rows)) * u64::from(columns + WARP - 1) * self.words()
    }
}

/// Chooses kernels for pairs.
#[derive(Debug)]
pub(super) struct Chooser {
    narrow: Bias,
    /// Whether scores are of matches and mismatches, and fit into a byte.
    simple: bool,
    linear: bool,
    trace: bool,
}

impl Chooser {
    /// For a scoring, with directions or without.
    pub fn new(scoring: &Scoring, trace: bool) -> Self {
        let narrow = Bias::narrow(scoring);
        let byte = |score: i32| i8::try_from(score + 2 * narrow.extend).is_ok();
        let simple =
            scoring.match_and_mismatch().is_some_and(|(equal, other)| byte(equal) && byte(other));
        Self { narrow, simple, linear: scoring.gaps().are_linear(), trace }
    }

    /// That of a query and a target of these lengths, which are at least 1; `unknown`: whether the
    /// target has residues that match nothing.
    pub fn kernel(&self, (rows, columns): (u32, u32), unknown: bool) -> Kernel {
        let family = if !self.narrow.fits(rows as usize, columns as usize) {
            Family::Wide
        } else if !self.simple {
            Family::Table
        } else {
            match (self.linear, unknown) {
                (true, false) => Family::Linear,
                (true, true) => Family::LinearUnknown,
                (false, false) => Family::Affine,
                (false, true) => Family::AffineUnknown,
            }
        };
        let kernel = |rows| Kernel { family, rows, trace: self.trace };
        // A step takes about as long as six rows more than a lane has.
        let time = |kernel: &Kernel| kernel.strips(rows) * (kernel.rows + 6);
        let kernels = family.rows().iter().map(|&rows| kernel(rows));
        kernels.min_by_key(time).unwrap_or(kernel(8))
    }
}
