//! The command line of `gpualign makedb`, which also takes that of NCBI's makeblastdb.

use std::path::{Path, PathBuf};

use aligner_core::path::extended;
use blastn_pipeline::database::{Headings, TaxonMap};
use blastn_pipeline::error::SequenceError;
use clap::{Args, ValueEnum, ValueHint};

/// Extension of a database, which is added to the name of the file of sequences.
pub const EXTENSION: &str = "gpdb";

/// The options of makeblastdb, which may be written with one dash.
pub const NCBI_OPTIONS: [&str; 18] = [
    "in",
    "dbtype",
    "title",
    "out",
    "input_type",
    "parse_seqids",
    "hash_index",
    "blastdb_version",
    "max_file_sz",
    "logfile",
    "taxid",
    "taxid_map",
    "mask_data",
    "mask_id",
    "mask_desc",
    "gi_mask",
    "gi_mask_name",
    "version",
];

/// Kinds of sequences, by makeblastdb's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Molecule {
    Nucl,
    Prot,
}

/// The command line of `gpualign makedb`.
#[derive(Debug, Args)]
pub struct MakeDbArguments {
    /// FASTA file of the sequences; may be compressed (gz, bz2, zst)
    #[arg(value_name = "FASTA", required_unless_present = "in", conflicts_with = "in",
        value_hint = ValueHint::FilePath)]
    fasta: Option<PathBuf>,
    /// File to write the database to [default: FASTA.gpdb]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    ncbi: NcbiArguments,
    #[command(flatten)]
    pub threads: crate::options::Threads,
    #[command(flatten)]
    pub messages: crate::options::Messages,
}

/// Options of makeblastdb.
#[derive(Debug, Args)]
#[command(
    rename_all = "snake_case",
    next_help_heading = "makeblastdb's options, with one dash or two"
)]
struct NcbiArguments {
    /// FASTA file of the sequences
    #[arg(long, value_name = "FASTA", value_hint = ValueHint::FilePath)]
    r#in: Option<PathBuf>,
    /// Name of the database: the file NAME.gpdb is written [default: that of the FASTA file]
    #[arg(long, value_name = "NAME", conflicts_with = "output", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Kind of sequences
    #[arg(long, value_enum, default_value_t = Molecule::Nucl)]
    dbtype: Molecule,
    /// Title of the database in reports [default: the name of the FASTA file]
    #[arg(long)]
    title: Option<String>,
    /// Format of the file of sequences, which is always FASTA
    #[arg(long, value_name = "TYPE", value_parser = ["fasta"])]
    input_type: Option<String>,
    /// Accepted, as databases need no index of sequences
    #[arg(long)]
    hash_index: bool,
    /// Accepted, as a database is one file
    #[arg(long, value_name = "SIZE")]
    max_file_sz: Option<String>,
    /// Read the identifiers at the beginnings of header lines, by which `blastn -seqidlist` selects sequences
    #[arg(long)]
    parse_seqids: bool,
    /// Number of the taxon of all sequences
    #[arg(long, value_name = "N", conflicts_with = "taxid_map")]
    taxid: Option<u32>,
    /// File of taxa: an identifier and the number of its taxon in a line
    #[arg(long, value_name = "FILE", requires = "parse_seqids", value_hint = ValueHint::FilePath)]
    taxid_map: Option<PathBuf>,
    #[arg(long, hide = true)]
    mask_data: Option<String>,
    /// Accepted, as databases have a format of their own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(4..=5))]
    blastdb_version: Option<u8>,
    /// File to write the size of the database to [default: standard error]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    logfile: Option<PathBuf>,
}

impl MakeDbArguments {
    /// The file of sequences.
    pub fn sequences(&self) -> &Path {
        let given = self.fasta.as_deref().or(self.ncbi.r#in.as_deref());
        given.unwrap_or(Path::new("-"))
    }

    /// The file of the database.
    pub fn database(&self) -> PathBuf {
        let name = self.ncbi.out.as_deref().unwrap_or(self.sequences());
        self.output.clone().unwrap_or_else(|| extended(name, EXTENSION))
    }

    /// The file to write the size of the database to, if it is not standard error.
    pub fn log_file(&self) -> Option<&Path> {
        self.ncbi.logfile.as_deref()
    }

    /// The title of the database in reports.
    pub fn title(&self) -> String {
        let name = || self.sequences().display().to_string();
        self.ncbi.title.clone().unwrap_or_else(name)
    }

    /// Identifiers and taxa that are read beside the titles in header lines.
    ///
    /// # Errors
    /// If the file of taxa cannot be read.
    pub fn headings(&self) -> Result<Headings, SequenceError> {
        let taxa = match (&self.ncbi.taxid_map, self.ncbi.taxid) {
            (Some(path), _) => TaxonMap::read(path)?,
            (None, taxid) => TaxonMap::of_all(taxid.unwrap_or(0)),
        };
        Ok(Headings { have_identifiers: self.ncbi.parse_seqids, taxa })
    }

    /// Refuses options that ask for what a database does not have.
    ///
    /// # Errors
    /// The option, the reason and the way out.
    pub fn check(&self) -> Result<(), String> {
        let ncbi = &self.ncbi;
        let instead = "use makeblastdb, whose databases blastn reads where they lie";
        if ncbi.dbtype == Molecule::Prot {
            return Err("-dbtype prot is not supported: blastn searches nucleotides".to_owned());
        }
        if ncbi.mask_data.is_some() {
            return Err(format!(
                "-mask_data is not supported, as a database has no masks: {instead}"
            ));
        }
        Ok(())
    }
}
