//! Nucleotide sequences: letters, files, packed bases, and regions of low complexity.

pub mod alphabet;
pub mod dust;
pub(crate) mod equal_run;
pub mod fasta;
pub(crate) mod packed;
