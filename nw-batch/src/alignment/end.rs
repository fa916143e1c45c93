//! Last cell of an alignment.

use aligner_core::device_struct;

device_struct! {
    /// Cell where an alignment ends, and its score. The order, by score, then row, then column, tells which of several
    /// ends is meant: the greatest.
    #[derive(PartialEq, Eq, PartialOrd, Ord, Default)]
    pub struct AlignmentEnd {
        /// Score of the alignment.
        pub score: i32,
        /// Row of the last cell: residues of the query before it.
        pub row: u32,
        /// Column of the last cell: residues of the target before it.
        pub column: u32,
    }
}
