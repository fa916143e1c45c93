//! Nucleotide BLAST with the answers of NCBI's blastn.

pub mod alphabet;
pub mod batching;
mod contained;
pub mod database;
pub mod dust;
pub mod error;
pub mod fasta;
pub mod gapped;
pub mod hsp;
pub mod lookup;
pub mod options;
mod packed;
mod preliminary;
pub mod queries;
pub mod scoring;
pub mod search;
pub mod statistics;
mod traceback;
pub mod ungapped;
pub mod words;
