//! Nucleotide sequences: their letters, their files, and packed bases.

pub mod alphabet;
pub mod fasta;
pub(crate) mod packed;
