//! Alignments: columns as CIGAR runs, scores, and what can be told from the columns alone.

mod batch_alignments;
pub mod cigar;
pub mod distance;
mod end;

pub use batch_alignments::{AlignmentRef, BatchAlignments, TracedAlignment};
pub use cigar::{
    Alignment, Cigar, CigarMismatch, CigarOp, CigarRef, CigarRun, ColumnCounts, max_runs,
};
pub use distance::{DistanceMeasure, DistanceModel};
pub use end::AlignmentEnd;
