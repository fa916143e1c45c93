//! Groups of tasks whose matrices are filled together.

use aligner_core::device_struct;

device_struct! {
    /// A group of tasks whose matrices are filled together: a vector's lanes on a CPU, a warp's pairs of tasks on a
    /// GPU.
    #[derive(PartialEq, Eq, Default)]
    pub struct TaskGroup {
        /// Where its cells are: on a GPU the index of their first word, on a CPU the number of the group.
        pub start: u64,
        /// Index of its first task in the order of groups.
        pub first: u32,
        /// Columns of its matrices on a GPU.
        pub columns: u16,
        /// Number of its tasks. On a GPU it is even, and an odd task is paired with none.
        pub tasks: u8,
        /// Bytes of a cell of one task: 1, 2 or, on a CPU, 4.
        pub bytes: u8,
    }
}
