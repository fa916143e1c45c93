//! The options of marking duplicates.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::input::Umis;
use crate::output::duplicates::{DuplicateCounts, LibraryCounts, Marking, metrics};
use crate::tag_text;

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
    /// Tell copies of different molecules apart by UMIs in this tag, which is in the comments of reads or in BAM: only templates
    /// with equal UMIs are duplicates [default with --umi-from-name: RX]
    #[arg(long, value_name = "TAG", value_parser = parse_tag)]
    umi_tag: Option<[u8; 2]>,
    /// Copy UMIs from the ends of read names (...:ACGT+TTGA) to the tag RX, and tell molecules apart by them
    #[arg(long)]
    umi_from_name: bool,
    /// Write counts of duplicates to FILE, in the format of Picard's `MarkDuplicates`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    metrics: Option<PathBuf>,
}

impl DuplicateOptions {
    /// The treatment of duplicates; `None` to keep them as they are.
    pub fn marking(&self) -> Option<Marking> {
        let &Self { mark_duplicates, remove_duplicates, optical_distance, .. } = self;
        (mark_duplicates || remove_duplicates).then_some(Marking {
            removes: remove_duplicates,
            optical_distance,
            umis: self.umis(),
        })
    }

    /// Where the UMIs of reads are, if they have some.
    pub fn umis(&self) -> Option<Umis> {
        let are_in_names = self.umi_from_name;
        let tag = self.umi_tag.or(are_in_names.then_some(DEFAULT_TAG));
        tag.map(|tag| Umis { tag, are_in_names })
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
        if self.umi_tag.is_some() && !self.umi_from_name && self.marking().is_none() {
            return Err(
                "--umi-tag tells duplicates apart: add --mark-duplicates or --remove-duplicates"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

/// The tag of UMIs in the SAM specification.
const DEFAULT_TAG: [u8; 2] = *b"RX";

/// The name of a tag that reads may have.
fn parse_tag(value: &str) -> Result<[u8; 2], String> {
    match *value.as_bytes() {
        [first, second] if first.is_ascii_alphabetic() && second.is_ascii_alphanumeric() => {
            let name = [first, second];
            if tag_text::is_own(&name) {
                return Err("the program itself writes this tag".to_owned());
            }
            Ok(name)
        }
        _ => Err("not a tag of two letters, such as RX".to_owned()),
    }
}

/// The text of a file of metrics of libraries with these names, made by `command`.
pub fn metrics_text(command: &str, names: &[String], counts: &DuplicateCounts) -> String {
    let names = names.iter().map(String::as_str);
    let named: Vec<(&str, LibraryCounts)> = names.zip(counts.libraries.iter().copied()).collect();
    metrics::text(command, &named, &counts.sets)
}
