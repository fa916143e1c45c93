//! `--run-report`: what came of a run, as a page to look at and as custom content of `MultiQC`.
//!
//! The page needs nothing but itself. Beside `run.html`, `run_mqc.json` is written, which `MultiQC` finds by
//! its name (its documentation, "Custom content").

mod histogram;
mod page;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use serde_json::json;

use crate::output::Target;
use crate::stats::Summary;

/// Files of a report that is going to be written.
#[derive(Debug)]
pub struct Report {
    page: Target,
    multiqc: Target,
    /// The name of the run.
    name: String,
}

impl Report {
    /// Checks that the page, which is to have this name, and what goes beside it can be written.
    pub fn new(path: &Path) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let beside: PathBuf = path.with_file_name(format!("{name}_mqc.json"));
        let new = |path: &Path| Target::new(Some(path));
        Ok(Self { page: new(path)?, multiqc: new(&beside)?, name })
    }

    /// Writes both files.
    pub fn write(self, summary: &Summary) -> Result<()> {
        let page = page::page(&self.name, summary).map_err(|error| anyhow!("{error}"))?;
        write(self.page, &page)?;
        write(self.multiqc, &(multiqc(&self.name, summary).to_string() + "\n"))
    }
}

fn write(target: Target, text: &str) -> Result<()> {
    let write = || File::from(target.open()?).write_all(text.as_bytes());
    write().with_context(|| target.name())?;
    target.commit()
}

/// A table with a row for this run.
fn multiqc(name: &str, summary: &Summary) -> serde_json::Value {
    let tally = &summary.tally;
    let percent = |count: u64| 100.0 * count as f64 / tally.primary.max(1) as f64;
    let percents = |title: &str| json!({ "title": title, "suffix": "%", "min": 0, "max": 100 });
    json!({
        "id": "gpualign",
        "section_name": "gpualign",
        "description": "Reads and what became of them.",
        "plot_type": "table",
        "pconfig": { "id": "gpualign_table", "title": "gpualign" },
        "headers": {
            "reads": { "title": "Reads", "format": "{:,.0f}" },
            "mapped": percents("Mapped"),
            "properly_paired": percents("Properly paired"),
            "insert_size": { "title": "Insert size", "description": "Median, in bases" },
            "reads_per_second": { "title": "Reads/s", "format": "{:,.0f}" },
        },
        "data": { name: {
            "reads": tally.primary,
            "mapped": percent(tally.mapped),
            "properly_paired": percent(tally.properly_paired),
            "insert_size": histogram::median(&tally.insert_size),
            "reads_per_second": summary.reads_per_second,
        } },
    })
}
