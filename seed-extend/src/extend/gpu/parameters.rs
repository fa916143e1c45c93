//! Parameters of the applications of `cuda/fill.cu` and `cuda/walk.cu`, and of the kernels of `cuda/extend.cu`.

use aligner_core::cigar::CigarRun;
use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use super::costs::AlignmentCosts;
use super::plan::WidthPlace;
use crate::extend::alignments::{AlignmentSpan, TaskAlignment};
use crate::extend::tasks::{AlignmentEnd, AlignmentTask};

device_struct! {
    /// Data that the stages that fill matrices and walk back through them share.
    pub struct AlignmentParameters {
        /// The text, 32 bases a word.
        pub text: DeviceAddress<u64>,
        /// Codes of all queries, a byte each.
        pub queries: DeviceAddress<u8>,
        /// All tasks of the batch.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// Numbers of tasks in pairs, group after group; [`NO_TASK`](super::plan::NO_TASK) in place of a missing second
        /// one.
        pub pairs: DeviceAddress<u32>,
        /// Room for the score and end of each task.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// Room for the cells of all groups.
        pub cells: DeviceAddress<u32>,
        /// Number of CIGAR runs that were found; 0 before.
        pub run_count: DeviceAddress<u64>,
        /// Room for the CIGAR runs of all alignments.
        pub runs: DeviceAddress<CigarRun>,
        /// Runs that there is room for. Runs beyond that are counted, but not written.
        pub run_capacity: u64,
        /// Scores and costs of the scoring.
        pub costs: AlignmentCosts,
    }
}

device_struct! {
    /// Parameters of `extend_tally`, which counts the tasks of each kind.
    pub struct ExtendTallyParameters {
        /// All tasks of the batch.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// Numbers of the tasks of each kind; 0 before.
        pub counts: DeviceAddress<u32>,
        /// How many tasks there are.
        pub count: u32,
        /// Bases of the longest query for a kernel.
        pub most_rows: u32,
    }
}

device_struct! {
    /// Parameters of `extend_pair`, which puts tasks into pairs.
    pub struct ExtendPairParameters {
        /// All tasks of the batch.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// For each kind the place of its next task among those of its width; of the tasks that are left, among these.
        pub next: DeviceAddress<u32>,
        /// For each width, the widest first, where its pairs are.
        pub widths: DeviceAddress<WidthPlace>,
        /// Room for the numbers of tasks, in pairs.
        pub pairs: DeviceAddress<u32>,
        /// Bases of the longest query of each group; 0 before.
        pub rows: DeviceAddress<u32>,
        /// Room for the numbers of the tasks that no kernel takes.
        pub left: DeviceAddress<u32>,
        /// How many tasks there are.
        pub count: u32,
        /// Bases of the longest query for a kernel.
        pub most_rows: u32,
    }
}

device_struct! {
    /// Parameters of the kernels `extend_score_16` to `extend_score_128`, which score pairs of tasks.
    pub struct ExtendScoreParameters {
        /// The text, 32 bases a word.
        pub text: DeviceAddress<u64>,
        /// Codes of all queries, a byte each.
        pub queries: DeviceAddress<u8>,
        /// All tasks of the batch.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// Numbers of the tasks to score, in pairs.
        pub pairs: DeviceAddress<u32>,
        /// Room for the score and end of each task.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// Room for the numbers of the tasks whose end in the window is still unknown.
        pub unfinished: DeviceAddress<u32>,
        /// Number of these tasks; 0 before.
        pub unfinished_count: DeviceAddress<u32>,
        /// Number of pairs of tasks.
        pub count: u64,
        /// Scores and costs of the scoring.
        pub costs: AlignmentCosts,
    }
}

device_struct! {
    /// Parameters of the kernels `extend_end_16` to `extend_end_128`, which find the ends in the window that the
    /// kernels for scores left unknown.
    pub struct ExtendEndParameters {
        /// The text, 32 bases a word.
        pub text: DeviceAddress<u64>,
        /// Codes of all queries, a byte each.
        pub queries: DeviceAddress<u8>,
        /// All tasks of the batch.
        pub tasks: DeviceAddress<AlignmentTask>,
        /// Score and end of each task.
        pub ends: DeviceAddress<AlignmentEnd>,
        /// Numbers of the tasks whose end in the window is unknown.
        pub unfinished: DeviceAddress<u32>,
        /// Number of these tasks.
        pub unfinished_count: DeviceAddress<u32>,
        /// Scores and costs of the scoring.
        pub costs: AlignmentCosts,
    }
}

device_struct! {
    /// Parameters of `extend_order`, which puts alignments in the order of tasks.
    pub struct ExtendOrderParameters {
        /// Alignments in any order.
        pub aligned: DeviceAddress<TaskAlignment>,
        /// Room for the alignment of each task.
        pub spans: DeviceAddress<AlignmentSpan>,
        /// Number of runs before those of these alignments.
        pub first_run: u64,
        /// Number of alignments in all.
        pub count: u64,
    }
}
