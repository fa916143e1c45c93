//! `gpualign blastn` and `gpualign makedb`: nucleotide BLAST with the options and the output of NCBI's blastn.

pub mod alignment;
pub mod args;
mod column;
mod devices;
pub mod makedb_args;
mod output_format;
mod pairwise_arguments;
mod query_files;
mod refused;
mod report;
pub mod restriction;
mod run;
pub mod shard;
pub mod subject;

pub use self::run::{make_database, open, read_queries, run};
