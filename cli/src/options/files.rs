//! The files of a command that aligns reads to a reference.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

/// Files of reads and, as the last one, the reference.
///
/// They are one list of operands, since clap would otherwise take the first file before an option for the reference
/// (`reads.fq -t 2 ref.fa`).
#[derive(Debug, Args)]
pub struct MappingFiles {
    /// One or more files of reads (FASTQ or FASTA; - is standard input), then the reference (FASTA)
    ///
    /// All files may be compressed with gz, bz2 or zst. In mode best, two files of reads are the mates of pairs; more files are
    /// further lanes, each with its own insert size. Files of one lane have commas between their names: x1.fq,y1.fq
    /// x2.fq,y2.fq. The index of the reference, REF.gpx, is used if it exists.
    #[arg(required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
}

impl MappingFiles {
    /// The files of reads.
    pub fn reads(&self) -> &[PathBuf] {
        self.files.split_last().map_or(&[], |(_, reads)| reads)
    }

    /// The file of the reference.
    pub fn reference(&self) -> &Path {
        self.files.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Checks that there are both reads and a reference.
    ///
    /// # Errors
    /// Names the file that is missing.
    pub fn check(&self) -> Result<(), String> {
        if self.reads().is_empty() {
            let only = self.reference().display();
            return Err(format!(
                "two files or more are needed, reads and then the reference, but '{only}' is the only one"
            ));
        }
        Ok(())
    }

    /// Checks that there is a reference alone, since a list of lanes names the reads.
    ///
    /// # Errors
    /// Names a file that is too much.
    pub fn check_reference(&self) -> Result<(), String> {
        match self.reads() {
            [] => Ok(()),
            [first, ..] => Err(format!(
                "--lanes names the files of reads, so the reference is the only operand: leave '{}' out",
                first.display()
            )),
        }
    }
}
