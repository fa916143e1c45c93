//! Sides of gapped extensions, parameters of the kernels that extend them, and what these write: shared with
//! `cuda/include/blastn/gapped`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use crate::gapped::affine::AffineReach;
use crate::gapped::edit_script::{EditOp, EditScript};
use crate::gapped::greedy::{EqualRun, GreedyReach};
use crate::scoring::{ScoreMatrix, Scoring};

/// Threads of a block that extends sides: one warp.
pub(crate) const THREADS: u32 = 32;

/// Bytes of shared memory of such a block for each slot of its rings of cells.
pub(crate) const SLOT_BYTES: u32 = THREADS * size_of::<u32>() as u32;

/// Bytes of shared memory of a block that extends greedily, for each slot of its fronts: two fronts, and the best scores.
pub(crate) const FRONT_SLOT_BYTES: u32 = 3 * SLOT_BYTES;

device_struct! {
    /// One side of a gapped extension, which begins between two letters of both sequences. The letters of one sequence are
    /// the rows of its matrix, those of the other the columns.
    #[derive(Default, PartialEq, Eq)]
    pub struct ExtensionSide {
        /// Where it begins in the text of the rows: letters before that place.
        pub row_at: u64,
        /// Where it begins in the text of the columns: letters before that place.
        pub column_at: u64,
        /// Letters of the rows' sequence to that side.
        pub rows: u32,
        /// Letters of the columns' sequence to that side.
        pub columns: u32,
        /// How far the score may fall below the best; at least the cost of a gap of one column.
        pub x_drop: i32,
        /// 1 if the side goes to the left, 0 if to the right.
        pub reverse: u32,
    }
}

device_struct! {
    /// How far the best alignment of a side reaches.
    #[derive(Default, PartialEq, Eq)]
    pub struct SideReach {
        /// Its score, 0 for none; or its number of differences, if the side was extended greedily.
        pub score: i32,
        /// Letters of the rows' sequence.
        pub rows: u32,
        /// Letters of the columns' sequence.
        pub columns: u32,
        /// Index of its first run of columns, which is at the far end, among those of all sides.
        pub first_run: u32,
        /// Number of its runs of columns, or [`NO_ROOM`].
        pub runs: u32,
    }
}

/// As [`SideReach::runs`]: the side did not fit into memory.
pub const NO_ROOM: u32 = u32::MAX;

device_struct! {
    /// How far the best alignment of a side reaches that was extended greedily for its score alone.
    #[derive(Default, PartialEq, Eq)]
    pub struct GreedySideReach {
        /// Mismatches and columns of gaps, or [`NO_FRONT`].
        pub differences: i32,
        /// Letters of the query.
        pub query: i32,
        /// Letters of the subject.
        pub subject: i32,
        /// Letters of the query before the longest run of equal letters.
        pub run_query: i32,
        /// Letters of the subject before the longest run of equal letters.
        pub run_subject: i32,
        /// Columns of the longest run of equal letters.
        pub run_length: i32,
    }
}

/// As [`GreedySideReach::differences`]: the fronts did not fit into memory.
pub const NO_FRONT: i32 = -1;

device_struct! {
    /// Parameters of the kernels `affine_scores`, `affine_frames` and `affine_traces`.
    pub struct AffineParameters {
        /// Sides that are extended.
        pub sides: DeviceAddress<ExtensionSide>,
        /// Text of the rows' sequences: 2 bits a letter for scores alone, 4 bits for columns.
        pub rows: DeviceAddress<u32>,
        /// Text of the columns' sequences, 4 bits a letter.
        pub columns: DeviceAddress<u32>,
        /// Scores of pairs of letters, as [`score_matrix`] gives them.
        pub matrix: DeviceAddress<i32>,
        /// Output: the reach of each side.
        pub reaches: DeviceAddress<SideReach>,
        /// Counts of sides that were taken, and of runs that were written; 0 before.
        pub cursors: DeviceAddress<u32>,
        /// Memory of the threads for the sources of cells; null for scores alone.
        pub sources: DeviceAddress<u32>,
        /// Output: runs of columns; null for scores alone.
        pub runs: DeviceAddress<u32>,
        /// Words of `sources` for each thread.
        pub source_words: u64,
        /// Number of sides to extend.
        pub side_count: u32,
        /// Slots of the ring that holds the live cells of a row: a power of two, at least 64.
        pub ring_slots: u32,
        /// Runs that there is room for.
        pub run_capacity: u32,
        /// Cost of a gap of one column.
        pub gap_first: i32,
        /// Cost of each further column of a gap.
        pub gap_more: i32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub padding: u32,
    }
}

device_struct! {
    /// Scores of greedy extensions, multiplied by `factor` so that half a match is an integer.
    pub struct GreedyScores {
        /// Score of a match.
        reward: i32,
        /// Cost of a difference, if each letter counts half a match.
        cost: i32,
        /// 1, or 2 if the score of a match is odd; X-drops are multiplied by it, too.
        factor: i32,
    }
}

device_struct! {
    /// Parameters of the kernel `greedy_scores`.
    pub struct GreedyParameters {
        /// The sides: rows are letters of the subject, columns those of the query.
        pub sides: DeviceAddress<ExtensionSide>,
        /// Text of the subjects: 2 bits a letter for scores alone, 4 bits for columns.
        pub subject: DeviceAddress<u32>,
        /// Text of the queries, 4 bits a letter.
        pub query: DeviceAddress<u32>,
        /// Output: the reach of each side; null if columns are asked for.
        pub reaches: DeviceAddress<GreedySideReach>,
        /// Count of sides that were taken, 0 before; null if columns are asked for.
        pub cursor: DeviceAddress<u32>,
        /// Number of sides to extend.
        pub side_count: u32,
        /// Diagonals that a front has room for: a power of two.
        pub front_slots: u32,
        /// Scores of matches and differences.
        pub scores: GreedyScores,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel `greedy_traces`.
    pub struct GreedyTraceParameters {
        /// Sides, texts and scores.
        pub greedy: GreedyParameters,
        /// Output: the reach of each side.
        pub reaches: DeviceAddress<SideReach>,
        /// Counts of sides that were taken, and of runs that were written; 0 before.
        pub cursors: DeviceAddress<u32>,
        /// Memory of the threads for the sources of fronts.
        pub sources: DeviceAddress<u32>,
        /// Output: runs of columns.
        pub runs: DeviceAddress<u32>,
        /// Words of `sources` for each thread.
        pub source_words: u64,
        /// Runs that there is room for.
        pub run_capacity: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub padding: u32,
    }
}

/// Reaches of sides, with their columns.
#[derive(Debug, Default)]
pub struct TracedSides {
    /// The reach of each side.
    pub reaches: Vec<SideReach>,
    /// Runs of columns of all sides: two bits for the kind, and the number of columns above.
    pub runs: Vec<u32>,
}

impl SideReach {
    /// Whether the side fitted into memory.
    pub fn fits(&self) -> bool {
        self.runs != NO_ROOM
    }

    /// Its score and ends, without columns.
    pub fn extension(&self) -> AffineReach {
        let &Self { score, rows, columns, .. } = self;
        AffineReach { score, rows: rows as usize, columns: columns as usize }
    }

    /// Differences and ends of a side that was extended greedily; the longest run of equal letters is not known.
    pub(crate) fn reach(&self) -> GreedyReach {
        GreedyReach::new(self.score, self.columns as i32, self.rows as i32, EqualRun::default())
    }

    /// Its columns, from the far end to its begin; `runs` are those of all sides.
    pub fn script(&self, runs: &[u32]) -> EditScript {
        let own = &runs[self.first_run as usize..][..self.runs as usize];
        let op = |run: u32| match run & 3 {
            0 => EditOp::Pair,
            1 => EditOp::Insertion,
            _ => EditOp::Deletion,
        };
        EditScript::of(own.iter().map(|&run| (op(run), (run >> 2) as i32)).collect())
    }
}

impl GreedySideReach {
    /// The reach as the CPU's code has it; nothing if the side did not fit into memory.
    pub(crate) fn reach(&self) -> Option<GreedyReach> {
        let &Self { differences, query, subject, run_query, run_subject, run_length } = self;
        let run = EqualRun { query: run_query, subject: run_subject, length: run_length };
        (differences != NO_FRONT).then(|| GreedyReach::new(differences, query, subject, run))
    }
}

impl GreedyScores {
    /// Greedy scores of these rewards and penalties.
    pub fn new(scoring: &Scoring) -> Self {
        let factor = 1 + scoring.reward % 2;
        let (reward, penalty) = (factor * scoring.reward, factor * scoring.penalty);
        Self { reward, cost: reward - penalty, factor }
    }
}

/// Whether the scores of an extension with affine gap costs fit into the 16 bits that a kernel's cell has for them.
pub fn has_small_scores(scoring: &Scoring, x_drop: i32) -> bool {
    let Scoring { reward, penalty, gap_open, gap_extend } = *scoring;
    x_drop <= 8_000 && reward < 1_000 && penalty > -1_000 && gap_open + gap_extend <= 2_000
}

/// The rows that an extension with affine gap costs can reach beside so many columns: no cell of a later row is live. If
/// `gap_extend` is 0, gaps may be of any length, and there is no such limit.
///
/// No live cell scores less than `-x_drop`. Each column scores one reward at most, and each row beyond the number of columns is
/// skipped, which costs `gap_extend` or more.
pub(crate) fn reachable_rows(scoring: &Scoring, columns: usize, x_drop: i32) -> usize {
    if scoring.gap_extend == 0 {
        return usize::MAX;
    }
    columns + (scoring.reward as usize * columns + x_drop as usize) / scoring.gap_extend as usize
}

/// Words of sources that a thread needs for sides of up to `rows` rows.
pub fn source_words(rows: u32, ring_slots: u32) -> u64 {
    (u64::from(rows) + 2) * u64::from(ring_slots / 8)
}

/// Words of sources that a thread needs for greedy sides of up to `differences` differences.
pub fn greedy_source_words(differences: u32, front_slots: u32) -> u64 {
    (u64::from(differences) + 1) * u64::from(front_slots / 16)
}

/// Scores of all 16 x 16 pairs of letters, row by row.
pub fn score_matrix(matrix: &ScoreMatrix) -> Vec<i32> {
    (0..16).flat_map(|one| *matrix.row(one)).collect()
}
