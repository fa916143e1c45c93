//! Regions of reads on a GPU, from their chains to their ranking, by the kernels of `cuda/regions.cu`.
//!
//! ```text
//!   chains (chain::gpu)
//!     |  regions_of_chains   a region or an alignment task of each chain
//!     v
//!   tasks and regions
//!     |  extend::gpu         the plan of the tasks, and their alignments
//!     v
//!   alignments and regions
//!     |  regions_rank        the regions of each read, without those that are nearly the same, ranked
//!     v
//!   RegionsOfReads, on the host
//! ```
//!
//! A thread ranks the regions of a read as [`ranking`](crate::region::ranking) does. Of reads with very many regions it only collects
//! those that score enough, and the host ranks these. The host also ranks reads with regions on ALT contigs once more: it does not
//! matter that the worse of regions that are nearly the same are gone already, or in which order the others come.
//!
//! | module | concept |
//! |---|---|
//! | [`engine`] | the segments and the kernels on a device |
//! | [`parameters`] | what kernels are told, and the regions that they make |

pub mod engine;
pub mod parameters;

pub use engine::{RegionEngine, RegionsOfReads};
