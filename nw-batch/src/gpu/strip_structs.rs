//! Structs of the kernels for long pairs that the host shares (`cuda/include/nw_batch/strip_structs.cuh`).

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use super::structs::{BiasedScoring, DeviceSequences};
use crate::alignment::{AlignmentEnd, CigarRun, TracedAlignment};
use crate::batch::SequencePair;

device_struct! {
    /// A long pair, and the memory of its matrix: positions are counted in words of [`StripParameters::words`].
    #[derive(PartialEq, Eq)]
    pub struct LongPair {
        /// First word of the last rows of its strips.
        pub rows_start: u64,
        /// First word of the saved states of its strips.
        pub states_start: u64,
        /// End of its memory for CIGAR runs, counted in runs.
        pub runs_end: u64,
        /// Index in the batch.
        pub pair: u32,
        /// Words from the last row of a strip to that of the next; 0 if all strips share one.
        pub row_words: u32,
        /// Index of its first strip among the strips of all long pairs of the launch.
        pub first_strip: u32,
        /// Makes the size a multiple of 8 bytes; 0.
        pub padding: u32,
    }
}

device_struct! {
    /// A strip to fill.
    #[derive(PartialEq, Eq)]
    pub struct StripTask {
        /// Index of the pair among the long pairs of the launch.
        pub long_pair: u32,
        /// Number of the strip, from 0, the top.
        pub strip: u32,
    }
}

device_struct! {
    /// Sequences, scoring and memory of a launch.
    pub struct StripParameters {
        /// Sequences of the batch.
        pub sequences: DeviceSequences,
        /// Scoring in 32 bits.
        pub scoring: BiasedScoring,
        /// Number of codes of residues that sequences have.
        pub letters: u32,
        /// Biased scores of all pairs of codes, `CODES` rows of `CODES`.
        pub table: DeviceAddress<i16>,
        /// Pairs of the batch.
        pub pairs: DeviceAddress<SequencePair>,
        /// Long pairs of the launch.
        pub long_pairs: DeviceAddress<LongPair>,
        /// Memory for last rows of strips, saved states and directions.
        pub words: DeviceAddress<u32>,
        /// Output of the kernels that fill strips: end of the alignment of each pair, by its index in the batch.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// The number 1, which the compiler of a kernel must not know (`cuda/include/nw_batch/lane_words.cuh`).
        pub one: u32,
        /// Number of long pairs.
        pub count: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `cuda/strips.cu` that fill strips.
    pub struct FillStripsParameters {
        /// Parameters that both kinds of kernels take.
        pub launch: StripParameters,
        /// Strips of all long pairs; each comes after the strip above it.
        pub tasks: DeviceAddress<StripTask>,
        /// Number of tasks taken so far; at first 0.
        pub next_task: DeviceAddress<u32>,
        /// For each strip of all long pairs, complete columns of its last row; at first 0.
        pub columns_done: DeviceAddress<u32>,
        /// Output: score of each pair, by its index in the batch; may be null.
        pub scores: DeviceAddress<i32>,
        /// Number of tasks in `tasks`.
        pub task_count: u32,
        /// 1 if there is memory for saved states, and for the last row of each strip; else 0.
        pub saves_states: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `cuda/strips.cu` that trace alignments back.
    pub struct TraceStripsParameters {
        /// Parameters that both kinds of kernels take.
        pub launch: StripParameters,
        /// First word of the directions: those of `side * side` segments for each block.
        pub directions_start: u64,
        /// Number of long pairs taken so far; at first 0.
        pub next_pair: DeviceAddress<u32>,
        /// Memory for the runs of each alignment, as many as `max_runs` for each.
        pub run_room: DeviceAddress<CigarRun>,
        /// In and out: number of runs in `runs`.
        pub run_count: DeviceAddress<u64>,
        /// Output: runs of all alignments, without gaps between them.
        pub runs: DeviceAddress<CigarRun>,
        /// Output: alignment of each pair, by its index in the batch.
        pub alignments: DeviceAddress<TracedAlignment>,
        /// Strips, and segments of each, that a block fills together.
        pub side: u32,
        /// Makes the size a multiple of 8 bytes; 0.
        pub padding: u32,
    }
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
            includes: &["nw_batch/strip_structs.cuh"],
            structs: &[
                LongPair::LAYOUT,
                StripTask::LAYOUT,
                StripParameters::LAYOUT,
                FillStripsParameters::LAYOUT,
                TraceStripsParameters::LAYOUT,
            ],
        }
        .check(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/nw_batch/strip_layouts.cuh"),
        );
    }
}
