//! The file formats of alignments.

use std::path::Path;

use clap::ValueEnum;

/// A file format of alignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text
    Sam,
    /// Binary, compressed
    Bam,
    /// Binary, compressed by reference (CRAM 3.0). Readers need the reference: the header tells where it is (UR) if it is FASTA,
    /// plain or compressed by bgzip, with REF.fa.fai beside it or in a folder where samtools can write that; for any other, give
    /// samtools view -T a plain copy
    Cram,
}

impl Format {
    /// The format that a file name's extension tells; SAM for standard output (`-`).
    pub fn of(path: &Path) -> Option<Self> {
        if path == Path::new("-") {
            return Some(Self::Sam);
        }
        let extension = path.extension()?.to_ascii_lowercase();
        match extension.to_str()? {
            "sam" => Some(Self::Sam),
            "bam" => Some(Self::Bam),
            "cram" => Some(Self::Cram),
            _ => None,
        }
    }
}
