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
//! | [`sequence::alphabet`], [`sequence::fasta`] | letters, and reading them |
//! | [`database`] | subjects, built once and mapped into memory |
//! | [`scoring`], [`statistics`] | what alignments score, and how surprising that is |
//! | [`options`] | what is searched for |
//! | [`sequence::dust`] | queries' stretches of low complexity |
//! | [`query::batch`], [`search::seeded_batches`] | queries that are searched together, and how many those are (`plan`, `portions`, `manner`) |
//! | [`seed::lookup`], [`seed::word_hits`] | seeds |
//! | [`ungapped`], [`gapped`] | extensions |
//! | [`ungapped::hits`] | ungapped alignments, and the order in which gaps are tried |
//! | [`gpu::pairs`], [`gpu::extensions`] | gapped extensions on a GPU, for the score and with columns |
//! | [`gpu::pairs::upper_bounds`] | what a query scores with a subject at most, so that hopeless ones are not extended |
//! | [`hsp`] | alignments, and which are within others |
//! | [`gpu::pipeline`] | the stages up to the ungapped extension as a streaming application, for a GPU |
//! | [`gpu::parts`], [`gpu::worker`] | databases that are larger than a device's memory, and what the device does |
//! | [`search`] | all of it, for a batch |
//!
//! The stages up to the ungapped extension are those of the streaming pipeline of BLASTN (000,
//! section 3.4.1; 004, section VI.B): each leaves a small and uneven part of its input to the next.
//! On the CPU a stage takes a slice and appends to a list; on a GPU each is a node of [`gpu::pipeline`], over
//! all subjects at once. Extensions with gaps are made ahead in parallel, by the CPU some of them and by a
//! GPU most, and which are within others is decided afterwards, in order ([`gpu::extensions`]).
//!
//! Places count from 0, ends are behind the last; the query's are within a *context*, one of its
//! strands.
//!
//! # What differs from NCBI's blastn
//!
//! Compared with version 2.12.0, 2 million rows of tables (16S genes, resistance genes, pieces of
//! human chromosome 20; both tasks, E-values up to 10) are the same in the same order, but for the columns of a few: of 16S
//! genes against 5,181 others, with blastn and E-values up to 10, 6 of 167,217. So are 119,000 with
//! `-culling_limit` 1, 2 and 5 (resistance genes, an assembly, 16S genes), and 67,000 of a query of 7 million bases with
//! megablast. With blastn, NCBI's program splits queries beyond a million bases, and loses alignments by that: of the genome
//! of *E. coli* and its copies with 1 to 8% changed it has 55,578 rows, and 55,582 if it is kept from splitting
//! (`CHUNK_SIZE`), which are those found here but for the columns of one. This is where they may differ:
//!
//! | here | in NCBI's blastn |
//! |---|---|
//! | of two equally good ways, the one that follows from our seed | another, in such rows |
//! | of subjects that score alike near the limit of 500, with megablast, some | others, in 13 of 250,683 rows |
//! | long queries are searched as a whole: only their words may be looked up in pieces | they are split |
//! | ambiguous letters of a database become the bases that makeblastdb draws for the same FASTA | in a database that was put together of others, those of each |
//! | ambiguous letters of `-subject` become the bases that makeblastdb would draw | others |
//! | megablast with affine gap costs is refused | greedy alignments with them |
//! | blastn without gap costs is refused | megablast's costs |

#![cfg_attr(test, allow(clippy::single_range_in_vec_init))] // One mask is a list of masks, too.

pub mod database;
pub mod error;
pub mod gapped;
pub mod gpu;
pub mod hsp;
pub mod options;
pub mod query;
pub mod scoring;
pub mod search;
pub mod seed;
pub mod sequence;
pub mod statistics;
pub mod ungapped;
