//! The options of marking duplicates.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::output::duplicates::{DuplicateCounts, LibraryCounts, Marking, metrics};

/// Whether to mark duplicates, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Duplicates")]
pub struct DuplicateOptions {
    /// Flag duplicates (0x400) by the rules of Picard's `MarkDuplicates`; needs --sort and mode best
    #[arg(long, requires = "sort")]
    mark_duplicates: bool,
    /// Leave duplicates out; needs --sort and mode best
    #[arg(long, requires = "sort", conflicts_with = "mark_duplicates")]
    remove_duplicates: bool,
    /// The most pixels between optical duplicates: 100 for unpatterned flow cells, 2500 for patterned ones, 0 for none
    #[arg(long, value_name = "N", default_value_t = 100)]
    optical_distance: u32,
    /// Write counts of duplicates to FILE, in the format of Picard's `MarkDuplicates`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    metrics: Option<PathBuf>,
}

impl DuplicateOptions {
    /// The treatment of duplicates; `None` to keep them as they are.
    pub fn marking(&self) -> Option<Marking> {
        let &Self { mark_duplicates, remove_duplicates, optical_distance, .. } = self;
        (mark_duplicates || remove_duplicates)
            .then_some(Marking { removes: remove_duplicates, optical_distance })
    }

    /// The file of metrics.
    pub fn metrics(&self) -> Option<&Path> {
        self.metrics.as_deref()
    }

    /// Checks combinations of these options.
    ///
    /// # Errors
    /// Names the option that is missing.
    pub fn check(&self) -> Result<(), String> {
        if self.metrics.is_some() && self.marking().is_none() {
            return Err(
                "--metrics counts duplicates: add --mark-duplicates or --remove-duplicates"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

/// The text of a file of metrics of libraries with these names, made by `command`.
pub fn metrics_text(command: &str, names: &[String], counts: &DuplicateCounts) -> String {
    let names = names.iter().map(String::as_str);
    let named: Vec<(&str, LibraryCounts)> = names.zip(counts.libraries.iter().copied()).collect();
    metrics::text(command, &named, &counts.sets)
}
