//! `--report FILE.html`: what came of a run, as a page to look at and as custom content of `MultiQC`.
//!
//! The page needs nothing but itself. Beside `run.html`, `run_mqc.json`, `run_mapq_mqc.json` and so on are
//! written, which `MultiQC` finds by their names.

mod histogram;
mod multiqc;
mod page;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use super::stats::Summary;
use crate::staging::Target;

/// Files of a report that is going to be written.
#[derive(Debug)]
pub struct Report {
    page: Target,
    /// Of [`multiqc::PARTS`], in their order.
    sections: Vec<Target>,
    /// The name of the run.
    name: String,
}

impl Report {
    /// Checks that the page, which is to have this name, and what goes beside it can be written.
    pub fn new(path: &Path) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let beside =
            |part: &&str| Target::new(Some(&path.with_file_name(format!("{name}{part}_mqc.json"))));
        let page = Target::new(Some(path))?;
        let sections = multiqc::PARTS.iter().map(beside).collect::<Result<_>>()?;
        Ok(Self { page, sections, name })
    }

    /// Writes all files.
    pub fn write(self, summary: &Summary) -> Result<()> {
        let page = page::page(&self.name, summary).map_err(|error| anyhow!("{error}"))?;
        write(self.page, &page)?;
        let mut sections = multiqc::sections(&self.name, summary);
        for (part, target) in multiqc::PARTS.into_iter().zip(self.sections) {
            // Not of every run: single reads have no insert sizes.
            if let Some(place) = sections.iter().position(|(of, _)| *of == part) {
                write(target, &(sections.swap_remove(place).1.to_string() + "\n"))?;
            }
        }
        Ok(())
    }
}

fn write(target: Target, text: &str) -> Result<()> {
    let write = || File::from(target.open()?).write_all(text.as_bytes());
    write().with_context(|| target.name())?;
    target.commit()
}
