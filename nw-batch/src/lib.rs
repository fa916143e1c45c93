//! Global alignments of many pairs of sequences at a time (Needleman and Wunsch, J. Mol. Biol. 48, 1970), with scores
//! alone or with every column, on processors and NVIDIA GPUs.
//!
//! ```
//! use aligner_core::Device;
//! use nw_batch::{Aligner, GapCosts, KernelChoice, ResultKind, Scoring, SequencePair, SequenceSet};
//!
//! let scoring = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 })?;
//! let encode = |letters: &str| scoring.alphabet().encode(letters.as_bytes()).expect("nucleotides");
//! let queries: SequenceSet = ["GATTACA", "ACGT"].map(encode).iter().collect();
//! let targets: SequenceSet = ["GATACA", "ACCT"].map(encode).iter().collect();
//!
//! // Alignments, not scores alone, on the CPU; a kernel can be chosen for a GPU.
//! let (kind, device, kernel) = (ResultKind::Alignments, Device::Cpu, KernelChoice::Auto);
//! let mut aligner = Aligner::new(&scoring, &queries, &targets, kind, device, kernel)?;
//! let pairs = vec![SequencePair { query: 0, target: 0 }, SequencePair { query: 1, target: 1 }];
//! let alignments = aligner.align(pairs).into_alignments().expect("they were asked for");
//! for alignment in alignments.iter() {
//!     println!("{} {}", alignment.score, alignment.cigar); // 20 2=1I4=, then 11 2=1X1=
//! }
//! # let texts: Vec<_> = alignments.iter().map(|it| format!("{} {}", it.score, it.cigar)).collect();
//! # assert_eq!(texts, ["20 2=1I4=", "11 2=1X1="]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Aligner::begin`] and [`Aligner::finish`] align batch after batch without a pause of the GPU between them.
//!
//! # Design
//!
//! ```text
//!   Scoring:    match and mismatch or SubstitutionMatrix, GapCosts, FreeEnds
//!   PairBatch:  pairs of two SequenceSets (codes of the scoring's alphabet)
//!        |
//!     Aligner --> cpu     a SIMD lane for each pair, within a proven band; rayon over groups of pairs
//!        |    `-> gpu     a warp for two pairs, or many for a long one; a bit a cell; full matrices
//!        v
//!   scores, or BatchAlignments (scores and CIGARs), in the order of the pairs
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`scoring`] | alphabets, substitution matrices, gap costs; the biased scores in which engines compute |
//! | [`batch`] | sets of sequences, and pairs of them |
//! | [`alignment`] | scores and CIGARs; score, identity and length from the columns alone |
//! | [`identity_filter`] | pairs that cannot reach an identity, told without aligning |
//! | [`oracle`] | definition of the one right alignment, with three full matrices |
//! | [`cpu`] | engine for processors |
//! | [`gpu`] | engine for NVIDIA GPUs |
//! | [`aligner`] | both engines behind one interface |
//!
//! Of several equally good alignments the [`oracle`] defines the right one, and both engines find it: output depends
//! neither on the device nor on threads, batches or memory.
//!
//! Rows of a matrix are residues of the query, columns residues of the target, both from 1; row 0 and column 0 come
//! before the first residue. An insertion is a residue of the query beside a gap, a deletion a residue of the target
//! beside a gap.

pub mod aligner;
pub mod alignment;
pub mod batch;
pub mod cpu;
pub mod gpu;
pub mod identity_filter;
pub mod oracle;
pub mod scoring;

pub use aligner::{AlignError, Aligner, BatchResults, KernelChoice, ResultKind};
pub use alignment::{
    Alignment, AlignmentRef, BatchAlignments, Cigar, CigarOp, CigarRef, CigarRun, ColumnCounts,
    DistanceMeasure, DistanceModel,
};
pub use batch::{PairBatch, SequencePair, SequenceSet};
pub use identity_filter::IdentityFilter;
pub use scoring::{
    Alphabet, Decimal, FreeEnds, GapCosts, MAX_LENGTH, Scoring, ScoringError, SubstitutionMatrix,
};
