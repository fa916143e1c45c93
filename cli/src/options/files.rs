//! The files of a command that aligns reads to a reference.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

/// Files of reads and, as the last one, the reference.
///
/// They are one list of operands, since clap would otherwise take the first file before an option for the reference
/// (`reads.fq -t 2 ref.fa`).
#[derive(Debug, Args)]
pub struct MappingFiles {
    /// One or more files of reads (FASTQ, FASTA, SAM, BAM or CRAM; - is standard input), then the reference (FASTA)
    ///
    /// FASTQ and FASTA may be compressed with gz, bz2 or zst. In SAM, BAM and CRAM, flags tell pairs, whose mates follow each
    /// other, and the header gives the read groups, unless -R does. Two files of reads are the mates of pairs; more files are further lanes, in
    /// mode best each with its own insert size. Files of one lane have commas between their names: x1.fq,y1.fq
    /// x2.fq,y2.fq. The index of the reference, REF.gpx, is used if it exists.
    #[arg(required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
}

impl MappingFiles {
    /// These files of reads, and this reference.
    pub fn new(mut files: Vec<PathBuf>, reference: PathBuf) -> Self {
        files.push(reference);
        Self { files }
    }

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
        if is_fastq_by_name(self.reference()) {
            return Err(format!(
                "'{}' has the place of the reference, but the name of a file of reads: the order is gpualign READS REF, or \
                 gpualign mem REF READS as in bwa",
                self.reference().display()
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

/// Whether a file has an extension of FASTQ, perhaps before one of compression.
fn is_fastq_by_name(file: &Path) -> bool {
    let is =
        |extension: &OsStr, any: &[&str]| any.iter().any(|it| extension.eq_ignore_ascii_case(it));
    let is_compressed = file.extension().is_some_and(|it| is(it, &["gz", "bz2", "zst"]));
    let plain = if is_compressed { file.file_stem().map(Path::new) } else { Some(file) };
    plain.and_then(Path::extension).is_some_and(|it| is(it, &["fq", "fastq"]))
}
