//! Nucleotide BLAST with the answers of NCBI's blastn: the search of Altschul et al. (J. Mol. Biol.
//! 215, 1990; Nucleic Acids Res. 25, 1997), for the tasks `blastn` and `megablast`.
//!
//! # Design
//!
//! ```text
//!   FASTA --> Builder --> Database (a file in memory): bases four a byte, ambiguous letters apart
//!                             |
//!   FASTA --> batches of queries: Batch (both strands, masks, statistics), Lookup of its words
//!                             |
//!   per subject   scan        places whose words are in the lookup
//!                 words       exact runs of the word size, around them
//!                 ungapped    extension along the diagonal, if nothing went there before
//!                 gapped      scores and ends alone: affine dynamic programming, or greedy
//!                             |   the best subjects of each query
//!                 traceback   again from a seed within, with columns, against ambiguous letters
//!                             v
//!   Results: hits of each query, by E-value, then score
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`alphabet`], [`fasta`] | letters, and reading them |
//! | [`database`] | subjects, built once and mapped into memory |
//! | [`scoring`], [`statistics`] | what alignments score, and how surprising that is |
//! | [`options`] | what is searched for |
//! | [`dust`] | queries' stretches of low complexity |
//! | [`queries`], [`batching`] | queries that are searched together, and how many those are |
//! | [`lookup`], [`words`] | seeds |
//! | [`ungapped`], [`gapped`] | extensions |
//! | [`extensions`] | gapped extensions on a GPU |
//! | [`hits`] | ungapped alignments in the order in which gaps are tried |
//! | [`hsp`] | alignments, and which are within others |
//! | [`pipeline`] | the stages up to the ungapped extension as a streaming application, for a GPU |
//! | [`search`] | all of it, for a batch |
//!
//! The stages up to the ungapped extension are those of the streaming pipeline of BLASTN (000,
//! section 3.4.1; 004, section VI.B): each leaves a small and uneven part of its input to the next.
//! On the CPU a stage takes a slice and appends to a list; on a GPU each is a node of [`pipeline`], over
//! all subjects at once. Extensions with gaps are made ahead in parallel, by the CPU some of them and by a
//! GPU most, and which are within others is decided afterwards, in order ([`extensions`]).
//!
//! Places count from 0, ends are behind the last; the query's are within a *context*, one of its
//! strands.
//!
//! # What differs from NCBI's blastn
//!
//! Compared with version 2.12.0, 2 million rows of tables (16S genes, resistance genes, pieces of
//! human chromosome 20; both tasks, E-values up to 10) are the same in the same order, but for one. This is where they
//! may differ:
//!
//! | here | in NCBI's blastn |
//! |---|---|
//! | of two equally good ways, the one that follows from our seed | another, in that one row |
//! | queries beyond a million bases are searched whole | they are split, which leaves seams |
//! | ambiguous letters of `-subject` become the bases that makeblastdb would draw | others |
//! | `-culling_limit` compares all alignments of a query | others may survive: 1 row of 104, 104 of 1,566 |
//! | megablast with affine gap costs is refused | greedy alignments with them |
//! | blastn without gap costs is refused | megablast's costs |

#![cfg_attr(test, allow(clippy::single_range_in_vec_init))] // One mask is a list of masks, too.

mod ahead;
pub mod alphabet;
pub mod batching;
mod contained;
mod culling;
pub mod database;
pub mod dust;
mod engine;
pub mod error;
mod extended;
pub mod extensions;
pub mod fasta;
pub mod gapped;
pub mod hits;
pub mod hsp;
pub mod lookup;
pub mod options;
mod packed;
pub mod pipeline;
mod preliminary;
pub mod queries;
mod ranking;
pub mod scoring;
pub mod search;
pub mod statistics;
mod traceback;
pub mod ungapped;
pub mod words;
