//! Parameters of the kernel of `cuda/mates.cu`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use fm_index::gpu::IndexView;

use crate::pair::mate_window::MateWindow;
use crate::read::queries::PackedQueries;

device_struct! {
    /// Parameters of `mates_choose`, which chooses the diagonals of windows.
    pub struct MatesParameters {
        /// The index, of which the text is used.
        pub index: IndexView,
        /// The queries of the batch.
        pub queries: PackedQueries,
        /// The windows to search.
        pub windows: DeviceAddress<MateWindow>,
        /// Room for the numbers of the chosen diagonals, [`slots`](Self::slots) of each window.
        pub chosen: DeviceAddress<u32>,
        /// Number of windows in all.
        pub count: u64,
        /// Diagonals that are chosen in a window, at most.
        pub slots: u32,
        /// Diagonals up to so far from a chosen one are left out afterwards.
        pub margin: u32,
        /// Words that query and text must have in common on a chosen diagonal; at least 1.
        pub min_words: u32,
        /// Always 0; makes the size a multiple of 8 bytes.
        pub padding: u32,
    }
}
