//! Structs that kernels share with the host (`cuda/include/nw_batch/structs.cuh`), among them the parameters of each
//! kernel.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use crate::alignment::{AlignmentEnd, CigarRun, TracedAlignment};
use crate::batch::{SequencePair, SequenceSet};
use crate::scoring::Scoring;
use crate::scoring::bias::ScoreBias;

device_struct! {
    /// Scoring as kernels compute with it: the parameters of the biased recurrence (see [`crate::scoring::bias`]).
    #[derive(PartialEq, Eq)]
    pub struct BiasedScoring {
        /// Value of the first cell, `H'(0, 0)`.
        pub base: i32,
        /// `open - extend` of the gap costs: the first residue of a gap costs `opening + extend`.
        pub opening: i32,
        /// Cost of each further residue of a gap.
        pub extend: i32,
        /// Biased score of a match, for kernels without a table.
        pub match_score: i32,
        /// Biased score of a mismatch, for kernels without a table.
        pub mismatch_score: i32,
        /// Code that never counts as a match; `u32::MAX` if there is none.
        pub unknown: u32,
        /// Free ends, a bit each: query begin (1), query end (2), target begin (4), target end (8).
        pub free_ends: u32,
    }
}

device_struct! {
    /// Sequences and tables on the device, which all kernels share.
    pub struct DeviceSequences {
        /// Codes of all queries.
        pub queries: DeviceAddress<u8>,
        /// Index in `queries` of each query's first residue, and the end of the last query.
        pub query_offsets: DeviceAddress<u64>,
        /// Codes of all targets.
        pub targets: DeviceAddress<u8>,
        /// Index in `targets` of each target's first residue, and the end of the last target.
        pub target_offsets: DeviceAddress<u64>,
    }
}

device_struct! {
    /// Position of the two sequences of a pair among the codes of all sequences. Neither sequence is empty.
    #[derive(PartialEq, Eq)]
    pub struct PairSpan {
        /// Index of the query's first residue.
        pub query: u64,
        /// Index of the target's first residue.
        pub target: u64,
        /// Residues of the query: rows of the matrix.
        pub rows: u32,
        /// Residues of the target: columns of the matrix.
        pub columns: u32,
    }
}

device_struct! {
    /// Position of a pair's directions and CIGAR runs in memory, for its traceback.
    #[derive(PartialEq, Eq, Default)]
    pub struct TracebackTask {
        /// Index of the first word of the directions of its task, which are those of one pair or two.
        pub directions_start: u64,
        /// End of its memory for CIGAR runs, as an index.
        pub runs_end: u64,
        /// Index of the pair in the batch.
        pub pair: u32,
        /// Steps of its task in each strip of rows.
        pub steps: u32,
        /// Rows of the matrix that a lane fills in each strip.
        pub rows_per_lane: u16,
        /// 0 for the first pair of its task, 1 for the second.
        pub half: u8,
        /// 1 if directions are of affine gaps, 0 if of linear gaps.
        pub is_affine: u8,
        /// Makes the size a multiple of 8 bytes; 0.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `cuda/warp.cu` that fill matrices.
    pub struct WarpParameters {
        /// Sequences of the batch.
        pub sequences: DeviceSequences,
        /// Scoring in words of the kernel's width.
        pub scoring: BiasedScoring,
        /// Number of tasks of the launch.
        pub tasks: u32,
        /// Biased scores of all pairs of codes, `CODES` rows of `CODES`.
        pub table: DeviceAddress<i16>,
        /// Pairs of the batch.
        pub pairs: DeviceAddress<SequencePair>,
        /// Indices of the pairs of each task: two, or one for kernels in 32 bits.
        pub order: DeviceAddress<u32>,
        /// Number of tasks taken so far; at first 0.
        pub next_task: DeviceAddress<u32>,
        /// Rows between strips: `2 * row_words` words for each warp of the grid, a pair of words for each column.
        pub strip_rows: DeviceAddress<u32>,
        /// Output: end of the alignment of each pair, by its index.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// Index in `directions` of the first word of each task; for kernels that keep directions.
        pub directions_starts: DeviceAddress<u64>,
        /// Output: directions of all tasks; for kernels that keep directions.
        pub directions: DeviceAddress<u32>,
        /// Columns of the longest target if a query has more than one strip of rows, else 0.
        pub row_words: u32,
        /// Number of codes of residues that sequences have.
        pub letters: u32,
        /// The number 1, which the compiler of a kernel must not know (`cuda/include/nw_batch/lane_words.cuh`).
        pub one: u32,
        /// Makes the size a multiple of 8 bytes; 0.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameters of `nw_traceback` of `cuda/warp.cu`.
    pub struct TracebackParameters {
        /// Sequences of the batch.
        pub sequences: DeviceSequences,
        /// Pairs of the batch.
        pub pairs: DeviceAddress<SequencePair>,
        /// Tracebacks, one for each thread.
        pub tasks: DeviceAddress<TracebackTask>,
        /// End of the alignment of each pair, by its index.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// Directions of all tasks.
        pub directions: DeviceAddress<u32>,
        /// Memory for the runs of each alignment, as many as `max_runs` for each.
        pub run_room: DeviceAddress<CigarRun>,
        /// In and out: number of runs in `runs`.
        pub run_count: DeviceAddress<u64>,
        /// Output: runs of all alignments, without gaps between them.
        pub runs: DeviceAddress<CigarRun>,
        /// Output: alignment of each pair, by its index.
        pub alignments: DeviceAddress<TracedAlignment>,
        /// Number of tracebacks in `tasks`.
        pub count: u32,
        /// Code that never counts as a match; `u32::MAX` if there is none.
        pub unknown: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `cuda/edit.cu`.
    pub struct EditParameters {
        /// Sequences of the batch.
        pub sequences: DeviceSequences,
        /// Pairs of the batch.
        pub pairs: DeviceAddress<SequencePair>,
        /// Indices of the pairs of each task.
        pub order: DeviceAddress<u32>,
        /// Number of tasks taken so far; at first 0.
        pub next_task: DeviceAddress<u32>,
        /// Rows between strips: `row_bytes` bytes for each group of lanes of the grid.
        pub strip_rows: DeviceAddress<u8>,
        /// Output: score (negative edit distance) of each pair, by its index.
        pub scores: DeviceAddress<i32>,
        /// Number of tasks of the launch.
        pub tasks: u32,
        /// Columns of the longest target if a query has more than one strip of rows, else 0.
        pub row_bytes: u32,
    }
}

device_struct! {
    /// Pairs whose full matrices are in device memory together: parameter of `nw_borders`, `nw_rscan` and `nw_corners`
    /// of `cuda/full.cu`.
    pub struct MatrixGroupParameters {
        /// Codes of all queries.
        pub queries: DeviceAddress<u8>,
        /// Codes of all targets.
        pub targets: DeviceAddress<u8>,
        /// Biased scores of all pairs of codes, `CODES` rows of `CODES`.
        pub table: DeviceAddress<i16>,
        /// Position of the sequences of each pair.
        pub spans: DeviceAddress<PairSpan>,
        /// Index of the first value of each pair's matrix.
        pub starts: DeviceAddress<u64>,
        /// In and out: values of all matrices.
        pub matrices: DeviceAddress<i32>,
        /// Output: score of each pair.
        pub scores: DeviceAddress<i32>,
        /// Number of pairs of the group.
        pub count: u32,
        /// Cost of each residue of a gap.
        pub gap: u32,
    }
}

device_struct! {
    /// Parameters of `nw_tiles` of `cuda/full.cu`: one diagonal of tiles of some of the pairs of a group.
    pub struct TilesParameters {
        /// Group of pairs, with its memory.
        pub group: MatrixGroupParameters,
        /// Index in the group of the first pair.
        pub first: u32,
        /// Number of pairs of the launch.
        pub count: u32,
        /// Blocks for each pair: the most tiles that it may have on the diagonal.
        pub tiles: u32,
        /// Diagonal of tiles, from 0.
        pub diagonal: u32,
    }
}

device_struct! {
    /// Parameters of `nw_dscan` of `cuda/full.cu`.
    pub struct DscanParameters {
        /// Group of pairs, with its memory.
        pub group: MatrixGroupParameters,
        /// Rows that a block fills at a time.
        pub strip: u32,
        /// Makes the size a multiple of 8 bytes; 0.
        pub padding: u32,
    }
}

impl BiasedScoring {
    /// The scoring with these parameters of the biased recurrence.
    pub fn new(scoring: &Scoring, bias: &ScoreBias) -> Self {
        let match_and_mismatch = scoring.match_and_mismatch();
        let (match_score, mismatch_score) = match_and_mismatch.unwrap_or((0, 0));
        let free = scoring.free_ends();
        let ends = [free.query_begin, free.query_end, free.target_begin, free.target_end];
        Self {
            base: bias.base,
            opening: bias.opening,
            extend: bias.extend,
            match_score: match_score + 2 * bias.extend,
            mismatch_score: mismatch_score + 2 * bias.extend,
            unknown: scoring.alphabet().unknown().map_or(u32::MAX, u32::from),
            free_ends: ends.into_iter().enumerate().map(|(bit, free)| u32::from(free) << bit).sum(),
        }
    }
}

impl PairSpan {
    /// Position of a pair of two sets.
    pub fn new(queries: &SequenceSet, targets: &SequenceSet, pair: SequencePair) -> Self {
        Self {
            query: queries.offsets()[pair.query as usize],
            target: targets.offsets()[pair.target as usize],
            rows: queries.length(pair.query),
            columns: targets.length(pair.target),
        }
    }
}

/// Biased scores of all pairs of codes, as kernels take them.
pub fn biased_table(scoring: &Scoring, bias: &ScoreBias) -> Vec<i16> {
    scoring.score_table().into_iter().map(|score| (score + 2 * bias.extend) as i16).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aligner_core::gpu::{DeviceStruct, LayoutHeader};

    use super::*;

    #[test]
    fn layouts() {
        LayoutHeader {
            namespace: "nw",
            includes: &["nw_batch/structs.cuh"],
            structs: &[
                SequencePair::LAYOUT,
                AlignmentEnd::LAYOUT,
                TracedAlignment::LAYOUT,
                BiasedScoring::LAYOUT,
                DeviceSequences::LAYOUT,
                PairSpan::LAYOUT,
                TracebackTask::LAYOUT,
                WarpParameters::LAYOUT,
                TracebackParameters::LAYOUT,
                EditParameters::LAYOUT,
                MatrixGroupParameters::LAYOUT,
                TilesParameters::LAYOUT,
                DscanParameters::LAYOUT,
            ],
        }
        .check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/nw_batch/layouts.cuh"));
    }
}
