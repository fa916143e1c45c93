//! Options that select sequences of a database, by NCBI's names.

use std::path::PathBuf;

use anyhow::Result;
use blastn_pipeline::database::ncbi::{Restriction, Selection};
use clap::{Args, ValueHint};

/// Which sequences of the database are searched; one of the options at most.
#[derive(Debug, Clone, Default, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Sequences of the database")]
#[group(multiple = false, conflicts_with = "subject")]
pub struct RestrictionArguments {
    /// File of names or accessions of the sequences to search, one a line, or as `blastdb_aliastool` converts it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    seqidlist: Option<PathBuf>,
    /// File of names or accessions of sequences to leave out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    negative_seqidlist: Option<PathBuf>,
    /// Numbers of the taxa to search, separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    taxids: Option<Vec<u32>>,
    /// Numbers of taxa to leave out, separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    negative_taxids: Option<Vec<u32>>,
    /// File of numbers of the taxa to search, one a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    taxidlist: Option<PathBuf>,
    /// File of numbers of taxa to leave out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    negative_taxidlist: Option<PathBuf>,
    /// File of NCBI's numbers (GI) of the sequences to search, one a line, or as `blastdb_aliastool` converts it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    gilist: Option<PathBuf>,
    /// File of NCBI's numbers (GI) of sequences to leave out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    negative_gilist: Option<PathBuf>,
}

impl RestrictionArguments {
    /// Reads the file that an option names, if one is given.
    pub fn read(&self) -> Result<Option<Restriction>> {
        let taxids = |taxids: &Vec<u32>| Ok(Selection::Taxids(taxids.iter().copied().collect()));
        let names = |path: &PathBuf| Selection::read_names(path);
        let taxid_list = |path: &PathBuf| Selection::read_taxids(path);
        let gis = |path: &PathBuf| Selection::read_gis(path);
        let positive = [
            self.seqidlist.as_ref().map(names),
            self.taxids.as_ref().map(taxids),
            self.taxidlist.as_ref().map(taxid_list),
            self.gilist.as_ref().map(gis),
        ];
        let negative = [
            self.negative_seqidlist.as_ref().map(names),
            self.negative_taxids.as_ref().map(taxids),
            self.negative_taxidlist.as_ref().map(taxid_list),
            self.negative_gilist.as_ref().map(gis),
        ];
        let all = positive.map(|it| (it, false)).into_iter().chain(negative.map(|it| (it, true)));
        for (selection, is_negative) in all {
            if let Some(selection) = selection {
                return Ok(Some(Restriction { selection: selection?, is_negative }));
            }
        }
        Ok(None)
    }
}
