//! What a device is told of extensions, and what it answers; mirrored in `cuda/include/blastn`.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use crate::database::Database;
use crate::gapped::affine::Extension;
use crate::gapped::greedy::Reach;
use crate::gapped::script::{Op, Script};
use crate::gpu::parts::Part;
use crate::scoring::{ScoreMatrix, Scoring};

/// Threads of a block that extends sides: one warp.
pub(crate) const THREADS: u32 = 32;

/// Bytes of shared memory of such a block for each slot of its rings.
pub(crate) const SLOT: u32 = THREADS * size_of::<u32>() as u32;

/// And for each slot of greedy sides: two fronts, and the best scores.
pub(crate) const FRONT_SLOT: u32 = 3 * SLOT;

/// What came of some sides.
#[derive(Debug, Default)]
pub struct Answers {
    /// Of each side.
    pub reached: Vec<Reached>,
    /// Runs of columns, of all sides.
    pub runs: Vec<u32>,
}

/// One side of an extension.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Side {
    /// The place between letters that it begins at, in the text of the rows.
    pub row_at: u64,
    /// And in that of the columns.
    pub column_at: u64,
    /// Letters of the rows' sequence to that side.
    pub rows: u32,
    /// Letters of the columns' sequence.
    pub columns: u32,
    /// How far the score may drop; at least the cost of a gap of one column.
    pub x_drop: i32,
    /// 1 to the left, 0 to the right.
    pub reverse: u32,
}

/// How far a side goes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Reached {
    /// The best score, 0 for none; of greedy sides, how many differences they have.
    pub score: i32,
    /// Letters of the rows' sequence.
    pub rows: u32,
    /// Letters of the columns' sequence.
    pub columns: u32,
    /// The first of its runs of columns, from the far end.
    pub first_run: u32,
    /// How many there are, or [`NO_ROOM`].
    pub runs: u32,
}

/// As [`Reached::runs`]: the side did not fit into memory.
pub const NO_ROOM: u32 = u32::MAX;

impl Reached {
    /// Whether the side fitted into memory.
    pub fn fits(&self) -> bool {
        self.runs != NO_ROOM
    }

    /// Without its runs.
    pub fn extension(&self) -> Extension {
        let &Self { score, rows, columns, .. } = self;
        Extension { score, rows: rows as usize, columns: columns as usize }
    }

    /// As a greedy side, whose rows are letters of the subject; without its longest run.
    pub(crate) fn reach(&self) -> Reach {
        Reach::new(self.score, self.columns as i32, self.rows as i32, (0, 0, 0))
    }

    /// Its columns, from the far end to where it began.
    pub fn script(&self, runs: &[u32]) -> Script {
        let own = &runs[self.first_run as usize..][..self.runs as usize];
        let op = |run: u32| match run & 3 {
            0 => Op::Pair,
            1 => Op::Insertion,
            _ => Op::Deletion,
        };
        Script::of(own.iter().map(|&run| (op(run), (run >> 2) as i32)).collect())
    }
}

/// `Affine` of `affine.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct AffineTask {
    /// Addresses of the sides, of the texts of rows and columns, of [`scores`], of a [`Reached`] for each
    /// side, of two cursors, of sources and of runs.
    pub addresses: [u64; 8],
    /// Words of sources for each thread.
    pub room: u64,
    /// Sides.
    pub count: u32,
    /// Slots of the ring that a thread's rows are in: a power of two, at least 64.
    pub width: u32,
    /// Runs that there is room for.
    pub run_room: u32,
    /// Cost of a gap of one column, and of each more.
    pub gaps: [i32; 2],
    /// Nothing.
    pub padding: u32,
}

/// How far a side goes greedily.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct GreedyReached {
    /// Mismatches and columns of gaps, or [`NO_FRONT`].
    pub differences: i32,
    /// Letters of the query.
    pub query: i32,
    /// Letters of the subject.
    pub subject: i32,
    /// The longest run of equal letters: where it begins, and its length.
    pub run: [i32; 3],
}

/// As [`GreedyReached::differences`]: the fronts did not fit into memory.
pub const NO_FRONT: i32 = -1;

impl GreedyReached {
    /// As the CPU's engine has it; nothing if it did not fit into memory.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let &Self { differences, query, subject, run } = self;
        (differences != NO_FRONT).then(|| Reach::new(differences, query, subject, run.into()))
    }
}

/// `Greedy` of `greedy.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct GreedyTask {
    /// Addresses of the sides, of the texts of subjects and queries, of a [`GreedyReached`] for each
    /// side and of a cursor; of the latter two not if columns are wanted.
    pub addresses: [u64; 5],
    /// Sides.
    pub count: u32,
    /// Slots of a front: a power of two.
    pub width: u32,
    /// Scores.
    pub scores: GreedyScores,
    /// Nothing.
    pub padding: u32,
}

/// `GreedyTraces` of `greedy.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct GreedyTraceTask {
    /// What it has in common with sides without columns.
    pub greedy: GreedyTask,
    /// Addresses of a [`Reached`] for each side, of two cursors, of sources and of runs.
    pub addresses: [u64; 4],
    /// Words of sources for each thread.
    pub room: u64,
    /// Runs that there is room for.
    pub run_room: u32,
    /// Nothing.
    pub padding: u32,
}

/// What a device is told of scores, of which half a match is an integer.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct GreedyScores {
    /// Of a match.
    reward: i32,
    /// Of a difference, beside half the letters' matches.
    cost: i32,
    /// What X-drops are multiplied by.
    factor: i32,
}

impl GreedyScores {
    /// For some scores.
    pub fn new(scoring: &Scoring) -> Self {
        let factor = 1 + scoring.reward % 2;
        let (reward, penalty) = (factor * scoring.reward, factor * scoring.penalty);
        Self { reward, cost: reward - penalty, factor }
    }
}

const _: () = assert!(size_of::<GreedyReached>() == 24);
const _: () = assert!(size_of::<GreedyTask>() == 64);
const _: () = assert!(size_of::<GreedyTraceTask>() == 112);
const _: () = assert!(size_of::<Side>() == 32);
const _: () = assert!(size_of::<Reached>() == 20);
const _: () = assert!(size_of::<AffineTask>() == 96);

/// Whether scores of an extension fit into the 16 bits of a device's cells.
pub fn has_small_scores(scoring: &Scoring, x_drop: i32) -> bool {
    let Scoring { reward, penalty, gap_open, gap_extend } = *scoring;
    x_drop <= 8_000 && reward < 1_000 && penalty > -1_000 && gap_open + gap_extend <= 2_000
}

/// Words of sources that a thread needs for sides of so many rows.
pub fn room(rows: u32, width: u32) -> u64 {
    (u64::from(rows) + 2) * u64::from(width / 8)
}

/// Words of sources that a thread needs for greedy sides of so many differences.
pub fn greedy_room(differences: u32, width: u32) -> u64 {
    (u64::from(differences) + 1) * u64::from(width / 16)
}

/// Scores of all pairs of letters.
pub fn scores(matrix: &ScoreMatrix) -> Vec<i32> {
    (0..16).flat_map(|one| *matrix.row(one)).collect()
}

/// Letters a word of a text.
const LETTERS: usize = 8;

/// Letters as a device reads them: 8 a word, the first in the highest bits, with a word before them, and
/// two to spare.
pub fn text(letters: &[u8]) -> Vec<u32> {
    let mut words = vec![0; letters.len().div_ceil(LETTERS) + 3];
    let pack = |(word, letters): (&mut u32, &[u8])| {
        let shifted = letters.iter().zip((0..LETTERS as u32).rev());
        *word = shifted.fold(0, |word, (&letter, place)| word | u32::from(letter) << (4 * place));
    };
    words[1..].par_iter_mut().zip(letters.par_chunks(LETTERS)).for_each(pack);
    words
}

/// The [`text`] of bases, four a byte.
pub(super) fn text_of_bases(packed: &[u8]) -> Vec<u32> {
    let mut words = vec![0; packed.len().div_ceil(2) + 3];
    let spread = |byte: u8| {
        let base = |place: u32| u32::from(byte >> (2 * place) & 3) << (4 * place);
        base(0) | base(1) | base(2) | base(3)
    };
    let pack = |(word, bytes): (&mut u32, &[u8])| {
        *word = spread(bytes[0]) << 16 | bytes.get(1).map_or(0, |&byte| spread(byte));
    };
    words[1..].par_iter_mut().zip(packed.par_chunks(2)).for_each(pack);
    words
}

/// The [`text`] of a part of a database, with ambiguous letters.
pub(crate) fn text_of_part(database: &Database, part: &Part) -> Vec<u32> {
    let mut text = text_of_bases(part.packed(database));
    for number in database.subjects_of(part.first..part.end) {
        let first = database.first_base(number);
        for (places, letter) in database.subject(number).exceptions() {
            let begin = (first + places.start).max(part.first);
            let end = (first + places.end).min(part.end);
            fill(
                &mut text,
                begin.saturating_sub(part.first)..end.saturating_sub(part.first),
                letter,
            );
        }
    }
    text
}

/// Changes letters of a [`text`].
fn fill(text: &mut [u32], places: Range<u64>, letter: u8) {
    for place in places {
        let shift = 28 - 4 * (place % LETTERS as u64);
        let word = &mut text[1 + (place / LETTERS as u64) as usize];
        *word = *word & !(15 << shift) | u32::from(letter) << shift;
    }
}

/// Behind the word before the letters of a [`text`].
pub const FIRST: u64 = size_of::<u32>() as u64;
