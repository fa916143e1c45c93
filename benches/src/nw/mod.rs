//! Global alignments on a GPU: the speed of each kernel, and the comparisons of Li 2016.

mod figures;
mod kernels;
mod workload;

pub use figures::{NwPoint, nw_figures, nw_figures_table};
pub use kernels::{NwTiming, nw, nw_lengths, nw_table};
pub use workload::NwOptions;
