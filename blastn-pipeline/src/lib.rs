//! Nucleotide BLAST with the results of NCBI's blastn, for the tasks `blastn` and `megablast`, on the CPU or on GPUs, and for
//! `dc-megablast` on the CPU.
//!
//! A search finds local alignments of queries and the sequences of a database, with bit scores and E-values (Altschul
//! et al., J. Mol. Biol. 215, 1990, and Nucleic Acids Res. 25, 1997).
//!
//! # Example
//!
//! ```
//! use aligner_core::Device;
//! use blastn_pipeline::database::Builder;
//! use blastn_pipeline::options::{BlastTask, SearchOptions};
//! use blastn_pipeline::search::Searcher;
//! use blastn_pipeline::sequence::fasta::FastaRecord;
//!
//! let gene = "GCTAGCATCGGATTACAGGCTTAACCGTATGCATTGGACCTAGGATCCATTGCAAGCTTGACGTA";
//! let mut builder = Builder::default();
//! builder.add(&FastaRecord::new("gene", gene)?);
//! builder.add(&FastaRecord::new("other", "TTGACCGGTACTCAAGCGTCATGGCAATCGATGCCTTAGC")?);
//! let database = builder.finish("two sequences", 0); // Its title, and its time of making (seconds since 1970).
//!
//! let options = SearchOptions::new(BlastTask::Blastn);
//! let searcher = Searcher::new(&database, options, Device::Cpu, None)?; // None: no limit of device memory.
//! let results = searcher.search(&[FastaRecord::new("query", &gene[10..60])?]);
//! let hit = &results.hits[0][0]; // Of the first query, the best subject.
//! for hsp in &hit.hsps {
//!     println!("{}: {:.1} bits, E = {:.1e}", hit.subject, results.bit_score(hsp), hsp.e_value);
//!     println!("query {:?} aligned with subject {:?}", hsp.query, hsp.subject);
//! }
//! assert_eq!((hit.subject, hit.hsps[0].query, hit.hsps[0].subject), (0, (0, 50), (10, 60)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Databases of FASTA files are made by [`Database::from_fasta`](database::Database::from_fasta), saved, and opened by
//! [`Database::open`](database::Database::open); [`Database::from_ncbi`](database::Database::from_ncbi) reads those of makeblastdb.
//! Many queries are searched best with
//! [`SeededBatches`](search::seeded_batches::SeededBatches), which puts as many together as NCBI's program would.
//!
//! # Design
//!
//! ```text
//!   FASTA --> Builder --> Database          bases four to a byte, ambiguous letters apart
//!                             |
//!   FASTA --> QueryBatch -----+             both strands, masks, statistics; Lookup: positions of its words
//!                             |
//!   per subject   seed        words of the subject that are in the lookup table, and equal bases around them
//!                 ungapped    extension along the diagonal, unless an earlier one has explored it, or, if asked for, where
//!                             two words lie near each other; with `-ungapped`, these are the alignments
//!                 gapped      scores and ends alone: affine gap costs by dynamic programming, or greedy extension
//!                             |   the best subjects of each query
//!                 traceback   gapped extension again, with columns and against ambiguous letters
//!                             v
//!   SearchResults             subjects of each query, by E-value, then score
//! ```
//!
//! The CPU makes the steps from seed to gapped for one subject after the other. A GPU makes each step for all subjects of its share of the
//! database at once, and has two more steps between the ungapped and the gapped extension: the rule of diagonals, which the CPU
//! applies before each ungapped extension, and the prefilter of pairs that cannot be reported. See [`search`]. Discontiguous
//! words, two word hits, alignments without gaps, sum statistics and greedy extension with affine gap costs have no kernels
//! ([`SearchOptions::needs_cpu`](options::SearchOptions::needs_cpu)).
//!
//! Each module imports only modules above it in this table; [`gpu`] and [`search`], at its end, import each other's types.
//!
//! | module | concept |
//! |---|---|
//! | [`sequence`] | letters ([`sequence::alphabet`]), FASTA files ([`sequence::fasta`]), low complexity ([`sequence::dust`]) |
//! | [`scoring`], [`statistics`] | scores of columns; E-values and bit scores |
//! | [`options`] | search options by NCBI's names and defaults |
//! | [`database`] | subject sequences, built once and mapped into memory, or in the files of makeblastdb ([`database::ncbi`]) |
//! | [`query`] | batches of queries ([`query::batch`]), their strands ([`query::context`]), and how many queries are searched together |
//! | [`seed`] | the lookup table of the queries' words ([`seed::lookup`]), contiguous or not ([`seed::template`]), and word hits ([`seed::word_hits`]) |
//! | [`ungapped`] | ungapped extension, once for each part of a diagonal, of one word hit or where there are two |
//! | [`gapped`] | gapped extension, for the score and with columns |
//! | [`hsp`] | alignments, their ranking, containment, culling and linking |
//! | [`search`] | the driver: the stages one after the other for a batch, and the final traceback |
//! | [`gpu`] | the stages on a GPU; `gpu::pairs` is about pairs of a query and a chunk, not of reads |
//!
//! The stages up to ungapped extension are those of a streaming pipeline (Cole 2017, 3.4.1; Cole and Buhler 2017
//! (MERCATOR), VI.B): each passes a small and uneven part of its input on. On the CPU a stage takes a slice and
//! appends to a list. On a GPU each is a node of [`gpu::pipeline`], over all subjects at once. The kernels of
//! `cuda/merged.cu` are the same pipeline in one node, for comparison only.
//!
//! A hit within a better alignment is not extended with gaps, so each extension depends on those before it. To use all
//! threads, extensions are made ahead of that decision, and dropped afterwards where the rule leaves them out.
//!
//! # Words for parts
//!
//! | word | part of | why |
//! |---|---|---|
//! | portion | the queries | queries that NCBI's blastn searches together; it determines their parameters (`query::batch_plan`) |
//! | batch | the queries | portions with the same parameters, which are searched together here ([`query::batch`]) |
//! | context | a batch | one strand of one query ([`query::context`]) |
//! | piece | the letters of a batch | a GPU looks up the words of one piece at a time, to bound what it finds (`gpu::limits`) |
//! | share | the database | what one of several GPUs searches ([`gpu`]) |
//! | part | a share | what fits into device memory ([`gpu::parts`]) |
//! | chunk | a subject | a long subject is searched in overlapping chunks of at most 5 million bases ([`database`]) |
//! | run of chunks | a part | chunks that a GPU searches together, so few that their seeds fit into memory (`gpu::limits`) |
//! | slice | a chunk | an input item of the GPU's pipeline: 2,048 words ([`gpu::pipeline`]) |
//! | block | a chunk | on the CPU, bases that are scanned at a time, so that their hits fit into the cache; in `gpu`, a block of threads |
//!
//! # Words for hits
//!
//! | word | what it is | made by |
//! |---|---|---|
//! | `LookupHit` | a word of the subject that a query has, too | [`seed::lookup`] |
//! | `WordHit`, in the GPU's pipeline `SeedHit` | equal bases in a row, as many as the word size asks for; the same as *seed* | [`seed::word_hits`] |
//! | `UngappedHit`, with its chunk `ChunkHit` | an ungapped alignment that reaches the gap trigger ([`query::context`]) | [`ungapped`] |
//! | `PreliminaryHits` | gapped alignments of one subject, by score and ends alone | [`search`], on the CPU |
//! | `GatheredHit`, on the host `ScoredHit` | an ungapped hit with what its gapped extension reached | [`gpu`] |
//! | [`SubjectHit`](hsp::subject_hit::SubjectHit) | a subject with its alignments with a query: what a report has | [`search`] |
//!
//! To *widen* a word is to compare the bases beside it, up to the word size. To *extend* a seed is to extend it without
//! gaps; extension with gaps is always called *gapped*.
//!
//! Positions count from 0, and ends are behind the last position. Positions in a query are within a *context*, one of
//! its strands.
//!
//! # Differences from NCBI's blastn
//!
//! Results were compared with NCBI's blastn 2.12.0, as tables with E-values up to 10. The same rows in the same order
//! means the same in all columns unless a row says otherwise.
//!
//! | queries and database | task | rows | rows that differ in some column |
//! |---|---|---|---|
//! | 16S genes, resistance genes, pieces of human chromosome 20 | both | 2,000,000 | a few |
//! | of these, 16S genes against 5,181 others | blastn | 167,217 | 6 |
//! | resistance genes, an assembly, 16S genes, with `-culling_limit` 1, 2 and 5 | both | 119,000 | none |
//! | a query of 7 million bases | megablast | 67,000 | none |
//! | the genome of *E. coli* against copies with 1 to 8% changes | blastn | 55,582 | 1 |
//! | best hits (`-best_hit_overhang`, `-best_hit_score_edge`) | both | 319 | 1 |
//!
//! Of 20,000 command lines drawn from all options (`make blastn-judge`), with 46.9 million lines of output, the output of 14 differs: of 10
//! in the column `qcovus`, of 2 in the numbers of queries with `-query_loc`, of 1 in the order of subjects and of 1 in an alignment (see
//! below). The formats 1 to 4, 8, 12 to 14 and 18, and databases of ours, were among the last 6,000. NCBI's program stopped with an error in
//! a few more with `-query_loc`.
//!
//! NCBI's blastn splits queries of more than a million bases, and loses alignments by that: it has 55,578 rows for
//! the genome of *E. coli*, and 55,582 if `CHUNK_SIZE` keeps it from splitting.
//!
//! | situation | here | in NCBI's blastn |
//! |---|---|---|
//! | two alignments score the same | the one that follows from the seed used here | another one, in the rows that differ above |
//! | subjects score the same near the limit of 500, with megablast | some of them | others, in 13 of 250,683 rows |
//! | long queries | searched as a whole; only the lookup of their words may be divided | split, with blastn from a million bases on |
//! | ambiguous letters of a database | replaced by the bases that makeblastdb draws for the same FASTA file | for a database made from other databases, those of each |
//! | ambiguous letters of `-subject` | replaced by the bases that makeblastdb would draw | replaced by other bases |
//! | `-outfmt 17` with `-ungapped` | a record of each alignment | one record of all alignments of a subject, joined |
//! | `-sum_stats true` with gaps, subjects whose sets have E-values near 0 | by E-value, then the score of the first alignment | sometimes another order |
//! | `-qcov_hsp_perc`, subjects whose best alignments have one E-value, and cover too little of the query | by the score of the best alignment that is left | sometimes another order |
//! | best hits with equal scores | the one that comes first by number of the subject | another one, in the row that differs above |
//! | a word at the beginning of a query that is searched with others | found | not found once, but found with the query alone |
//! | a `-query_loc` that leaves out all queries that are searched together | these are left out | stops with an error, or numbers queries otherwise with several threads |
//! | formats 8 and 12 with a restriction of the database | without the list of the identifiers that are selected | with it, as the field `ext` |
//! | format 13 | the file of `-out` names the files that are written | it names others, if its extension is `.json` or `.xml` |
//! | titles of sequences that have none | empty | made up, as "Chain A" or the name of the taxon |
//! | a restriction that leaves no sequence | an error | an empty report, with `-seqidlist` |
//! | column `qcovus`, if the part of an alignment that overlaps another one ends opposite to a gap | the bases up to the gap | another number |
//! | `-db_soft_mask`, formats 9 and 11, and 8 and 12 with `-ungapped` or `-sum_stats true` | refused with the reason | supported |

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
