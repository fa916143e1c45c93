//! Extension: the best alignment of a read within a band of diagonals of a window of the text, for very many reads.
//!
//! # What is computed
//!
//! A [`AlignmentTask`] names a query of `m` codes, a window of `n` codes of the text, and a band of diagonals
//! `low..=high`. The pair of the query's place `i` and the window's place `j`, both from 0, is on
//! diagonal `j - i`. Codes 0 to 3 are bases, and [`UNKNOWN`] (4) is one that matches nothing, itself
//! included.
//!
//! The columns of an alignment are pairs, *deletions* (a base of the window opposite a gap) and *insertions* (a base
//! of the query opposite a gap). Each column has a cell: the last places `(i, j)` of query and
//! window that the alignment has used with it. An alignment begins and ends with a pair, and all its
//! cells are in the band. An insertion may follow a deletion directly, and the other way round. Its score
//! is, with the [`Scoring`],
//!
//! - `match_score` for a pair of equal bases, `-mismatch_penalty` for one of different bases, and
//!   [`UNKNOWN_SCORE`] for one with an unknown base;
//! - `-(open + l * extend)` for a gap of `l` columns, with other numbers for deletions than for insertions;
//! - `-clip` if the first pair is not at the query's first place, and the same for the last pair and the last place:
//!   at each end with the penalty of that end of the read, of which the query may be the reverse complement.
//!
//! The answer is the alignment of the highest score, if that is above 0. These are the scores of `bwa
//! mem` (Li, arXiv:1303.3997), with ends as in its final local alignments.
//!
//! # Which of several best alignments
//!
//! Among alignments with the highest score, the one that ends first in the query is meant, and among those the one that
//! ends first in the window. So of equal scores the alignment with fewer bases wins, and an end is aligned up to the
//! query's only if that scores more than clipping it, as in `bwa mem` (`ksw_extend2`, `mem_chain2aln`). Going back from that last pair, let a cell's value be
//! the highest score of all beginnings of alignments whose last column has that cell. The column of a
//! cell is a pair if a pair reaches its value, else a deletion if one does, else an insertion; a gap
//! is as short as it can be. The alignment begins with the first pair, on this way back, that is worth no
//! less as its beginning than as a continuation. The [`oracle`] says the same in code, and every engine
//! finds just this: output depends neither on the device, nor on threads or batches.
//!
//! | module | concept |
//! |---|---|
//! | [`scoring`] | scores and penalties |
//! | [`tasks`], `banded_task` | what is aligned with what |
//! | [`alignments`] | alignments with their CIGAR runs |
//! | [`columns`] | what the columns of an alignment tell of it |
//! | [`oracle`] | the definition, computed from whole matrices |
//! | [`ungapped`] | when one diagonal tells the answer |
//! | [`task_group`], [`stages`] | the application of the streaming runtime that makes alignments |
//! | [`cpu`], [`gpu`] | the engines |
//! | [`extender`] | whichever engine there is |

pub mod alignments;
mod banded_task;
pub mod columns;
pub mod cpu;
pub mod extender;
pub mod gpu;
pub mod oracle;
pub mod scoring;
pub mod stages;
pub mod task_group;
pub mod tasks;
pub mod ungapped;

pub use aligner_core::seq::UNKNOWN;
pub use alignments::{Alignment, AlignmentSpan, Alignments};
pub use columns::Prediction;
pub use extender::Extender;
pub use scoring::{
    ClipPenalties, GapPenalty, QueryClips, Scoring, ScoringError, ScoringParameters, UNKNOWN_SCORE,
};
pub use tasks::{
    AlignmentEnd, AlignmentTask, MAX_CELLS, MAX_LENGTH, QueryCodes, ReferenceText, TaskBatch,
};
