//! Global alignments of many pairs of sequences at a time (Needleman and Wunsch, J. Mol. Biol. 48,
//! 1970), with scores alone or with every column.
//!
//! # Design
//!
//! ```text
//!   Scoring: match/mismatch or Matrix, Gaps, FreeEnds
//!   Batch:   pairs of two sets of Sequences (codes of the scoring's alphabet)
//!        |
//!     Aligner --> cpu     SIMD across pairs, rayon
//!        |    `-> gpu     a warp for two pairs; a bit a cell; full matrices
//!        v
//!   scores, or Alignments (score and Cigar), in the order of the pairs
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`alphabet`], [`matrix`], [`scoring`] | letters, substitution matrices, what alignments score |
//! | [`batch`] | sequences and pairs of them |
//! | [`cigar`] | alignments, and their score, identity and length from the columns alone |
//! | [`alignments`] | those of a batch, in few arrays |
//! | [`oracle`] | what the one right alignment is, from three full matrices |
//! | [`bias`] | the form in which engines compute, and when 16 bits hold it |
//! | [`cpu`] | the engine for processors |
//! | [`gpu`] | the engine for NVIDIA GPUs |
//! | [`aligner`] | whichever of them there is |
//!
//! Among equally good alignments the [`oracle`] says which one is meant, and every engine finds
//! just that: output depends neither on the device, nor on threads, batches or memory.
//!
//! Rows are residues of the query, columns those of the target, both from 1; row and column 0 are
//! before the first. An insertion is a residue of the query beside a gap, a deletion one of the
//! target.

pub mod aligner;
pub mod alignments;
pub mod alphabet;
pub mod batch;
pub mod bias;
pub mod cigar;
pub mod cpu;
pub mod error;
pub mod gpu;
pub mod matrix;
pub mod oracle;
pub mod scoring;

pub use aligner::{AlignError, Aligner, Choice, Found};
pub use alignments::{AlignmentRef, Alignments};
pub use alphabet::Alphabet;
pub use batch::{Batch, Pair, Sequences};
pub use cigar::{Alignment, Cigar, Columns, Op, Run, Runs};
pub use error::ScoringError;
pub use matrix::Matrix;
pub use scoring::{FreeEnds, Gaps, MAX_LENGTH, Scoring};
