//! Plans for the kernels of `cuda/strips.cu`: which pairs are long, the strips of their matrices in the order in which they
//! are filled, and their memory.
//!
//! A pair is long if 16 bits do not hold its scores, or if it would take a warp longer than the whole batch takes the device.
//! Its matrix is divided into strips of [`STRIP_ROWS`] rows, each of which is a task for a warp, and needs the last row of
//! the strip above. Tasks are sorted by the cells that remain below their top, so that no pair is left when all others are
//! done, and each strip comes after the one above it: so a task waits for tasks that have started, and never for ever.
//!
//! One counter gives tasks to warps. The streaming runtime (`aligner_core::stream`) would not help: it packs items that take
//! different ways into full ensembles, a thread for each, while a strip has work for all lanes of a warp from its first column
//! to its last, and yields nothing but the next strip's turn.
//!
//! For alignments the last row of every strip is kept, and the state of a strip every [`SEGMENT_STEPS`] steps: about 13 bytes
//! for 1,000 cells, where directions take 4 bits for each cell.

use crate::alignment::max_runs;
use crate::batch::PairBatch;
use crate::gpu::plan::warp_kernel::KernelFamily;
use crate::gpu::strip_structs::{LongPair, StripTask};

/// Rows of a lane in each half of its words (`ROWS` in `cuda/strips.cu`).
const LANE_ROWS: u32 = 16;

/// Rows of a strip.
pub const STRIP_ROWS: u32 = 64 * LANE_ROWS;

/// Steps from a saved state to the next, which are those of a segment (`cuda/include/nw_batch/strip.cuh`).
pub const SEGMENT_STEPS: u32 = 1024;

/// Steps of a strip beyond its columns.
const LAST_ROW_DELAY: u32 = 63;

/// Warps on a multiprocessor for which tracebacks get memory.
const TRACE_WARPS: u32 = 16;

/// Long pairs that one launch fills together.
#[derive(Debug, Clone)]
pub struct StripPart {
    /// Family of the kernels.
    pub family: KernelFamily,
    /// The pairs, the largest first.
    pub long_pairs: Vec<LongPair>,
    /// Strips of all of them.
    pub tasks: Vec<StripTask>,
    /// Words of last rows and saved states.
    pub words: u64,
    /// The tracebacks, if alignments are asked for.
    pub trace: Option<StripTrace>,
}

/// Launch of the tracebacks of long pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StripTrace {
    /// Strips, and segments of each, that a block fills together.
    pub side: u32,
    /// Number of blocks, of `side * side` warps each.
    pub blocks: u32,
    /// Words of directions of all blocks.
    pub direction_words: u64,
    /// Upper bound on the runs of the part's alignments.
    pub max_runs: u64,
}

/// Device that a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Number of its multiprocessors.
    pub multiprocessors: u32,
    /// Words of memory for matrices.
    pub words: u64,
}

/// Long pairs of one family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongPairs {
    /// Family of the kernels.
    pub family: KernelFamily,
    /// Indices of the pairs in the batch, the largest pairs first.
    pub pairs: Vec<u32>,
}

/// Whether a matrix has more than `most_cells` cells, and at least a whole strip.
pub fn is_long((rows, columns): (u32, u32), most_cells: u64) -> bool {
    u64::from(rows) * u64::from(columns) > most_cells && rows.min(columns) >= STRIP_ROWS
}

/// Number of strips of a matrix of `rows` rows.
fn strips(rows: u32) -> u32 {
    rows.div_ceil(STRIP_ROWS)
}

/// States that a strip of a matrix with `columns` columns saves.
fn saved_states(columns: u32) -> u32 {
    (columns + LAST_ROW_DELAY - 1) / SEGMENT_STEPS
}

/// Words of the last row of a strip: two for each column, and one for each block of 32 steps; an even number.
fn words_of_row(columns: u32) -> u64 {
    let blocks = u64::from(columns + LAST_ROW_DELAY).div_ceil(32);
    2 * u64::from(columns) + blocks.next_multiple_of(2)
}

/// Words of a warp's saved state.
fn state_words(is_affine: bool) -> u32 {
    32 * if is_affine { 2 * LANE_ROWS + 5 } else { LANE_ROWS + 4 }
}

/// Words of the last rows, and of the saved states, of a matrix.
fn matrix_words((rows, columns): (u32, u32), is_affine: bool, with_alignments: bool) -> (u64, u64) {
    let row = words_of_row(columns);
    if !with_alignments {
        return (row, 0);
    }
    let states = u64::from(saved_states(columns)) * u64::from(state_words(is_affine));
    // The last strip feeds no other.
    (u64::from(strips(rows) - 1) * row, u64::from(strips(rows)) * states)
}

impl StripTrace {
    /// The launch for `pairs` pairs on a device; none if its memory does not suffice for one block.
    fn new(family: KernelFamily, pairs: u32, limits: DeviceLimits) -> Option<Self> {
        // Few pairs get many warps each. Profiles need much shared memory.
        let side = match family {
            KernelFamily::Profile => 1,
            _ if pairs <= limits.multiprocessors => 4,
            _ => 2,
        };
        let rows_of_word = if family.is_affine() { 4 } else { 8 };
        let segment = u64::from(SEGMENT_STEPS * 32 * LANE_ROWS / rows_of_word);
        let of_block = u64::from(side * side) * segment;
        let blocks = pairs.min(limits.multiprocessors * TRACE_WARPS / (side * side)).max(1);
        // Rows and states get at least half of the memory.
        let blocks = u64::from(blocks).min(limits.words / 2 / of_block);
        (blocks > 0).then_some(Self {
            side,
            blocks: blocks as u32,
            direction_words: blocks * of_block,
            max_runs: 0,
        })
    }
}

impl LongPairs {
    /// Words that their matrices need, if all are in memory together; `limits.words` does not matter.
    pub fn words(&self, batch: PairBatch<'_>, with_alignments: bool, limits: DeviceLimits) -> u64 {
        let words = |&index: &u32| {
            let lengths = batch.lengths(index);
            let (rows, states) = matrix_words(lengths, self.family.is_affine(), with_alignments);
            rows + states
        };
        let matrices = self.pairs.iter().map(words).sum::<u64>();
        let limits = DeviceLimits { words: u64::MAX, ..limits };
        let trace = self.trace(with_alignments, limits);
        // Directions get at most half of the memory.
        trace.map_or(matrices, |trace| matrices.max(trace.direction_words) + trace.direction_words)
    }

    fn trace(&self, with_alignments: bool, limits: DeviceLimits) -> Option<StripTrace> {
        let trace = StripTrace::new(self.family, self.pairs.len() as u32, limits);
        trace.filter(|_| with_alignments)
    }

    /// Plans their launches: appends parts to `parts`, and the indices of pairs for which memory does not suffice to `left`.
    pub fn plan(
        &self,
        batch: PairBatch<'_>,
        with_alignments: bool,
        limits: DeviceLimits,
        parts: &mut Vec<StripPart>,
        left: &mut Vec<usize>,
    ) {
        let trace = self.trace(with_alignments, limits);
        if with_alignments && trace.is_none() {
            left.extend(self.pairs.iter().map(|&index| index as usize));
            return;
        }
        let budget = limits.words - trace.map_or(0, |trace| trace.direction_words);
        let (family, is_affine) = (self.family, self.family.is_affine());
        let empty =
            StripPart { family, long_pairs: Vec::new(), tasks: Vec::new(), words: 0, trace };
        let mut part = empty.clone();
        for &index in &self.pairs {
            let lengths = batch.lengths(index);
            let (rows, states) = matrix_words(lengths, is_affine, with_alignments);
            if rows + states > budget {
                left.push(index as usize);
                continue;
            }
            if part.words + rows + states > budget {
                part.finish(batch, parts);
                part = empty.clone();
            }
            part.add(index, lengths, (rows, states));
        }
        part.finish(batch, parts);
    }
}

impl StripPart {
    /// Number of strips of all long pairs.
    pub fn strips(&self) -> u32 {
        self.tasks.len() as u32
    }

    /// Name of the kernel that fills the strips.
    pub fn fill_kernel(&self) -> String {
        format!("nw_strips_{}_score", self.family.name())
    }

    /// Name of the kernel that traces alignments back.
    pub fn trace_kernel(&self) -> String {
        format!("nw_strips_{}_trace", self.family.name())
    }

    /// Threads of a block that fills strips.
    pub fn fill_threads(&self) -> u32 {
        // As for other kernels with profiles.
        if self.family == KernelFamily::Profile { 64 } else { 128 }
    }

    /// Bytes of shared memory of a warp that a launch provides, for sequences with so many codes.
    pub fn shared_bytes_per_warp(&self, letters: u32) -> u32 {
        if self.family == KernelFamily::Profile { letters * 2 * 32 * LANE_ROWS } else { 0 }
    }

    /// Upper bound on the runs of the part's alignments.
    pub fn max_runs(&self) -> u64 {
        self.trace.map_or(0, |trace| trace.max_runs)
    }

    /// Adds a pair, with the words of its rows and states.
    fn add(
        &mut self,
        pair: u32,
        (rows, columns): (u32, u32),
        (row_words, state_words): (u64, u64),
    ) {
        let (long_pair, first_strip) = (self.long_pairs.len() as u32, self.strips());
        if let Some(trace) = &mut self.trace {
            trace.max_runs += u64::from(max_runs(rows, columns));
        }
        self.long_pairs.push(LongPair {
            rows_start: self.words,
            states_start: self.words + row_words,
            runs_end: self.max_runs(),
            pair,
            row_words: if self.trace.is_some() { words_of_row(columns) as u32 } else { 0 },
            first_strip,
            padding: 0,
        });
        self.words += row_words + state_words;
        self.tasks.extend((0..strips(rows)).map(|strip| StripTask { long_pair, strip }));
    }

    /// Sorts the tasks, and appends the part to `parts` unless it is empty.
    fn finish(mut self, batch: PairBatch<'_>, parts: &mut Vec<Self>) {
        let long_pairs = &self.long_pairs;
        // Cells below the top of the strip, the most first. A pair's own strips keep their order.
        let remaining = |task: &StripTask| {
            let (rows, columns) = batch.lengths(long_pairs[task.long_pair as usize].pair);
            u64::MAX - u64::from(rows - task.strip * STRIP_ROWS) * u64::from(columns)
        };
        self.tasks.sort_by_key(|task| (remaining(task), task.long_pair));
        if !self.tasks.is_empty() {
            parts.push(self);
        }
    }
}
