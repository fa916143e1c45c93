//! `--report FILE.html`: the results of a run as a page, and as custom content of `MultiQC`.
//!
//! The page has its style and charts in itself. The same folder gets `run_mqc.json`, `run_mapq_mqc.json` and so on, which
//! `MultiQC` finds by their names.

mod histogram;
mod html;
mod multiqc;

use std::path::Path;

use anyhow::{Result, anyhow};

use super::stats::Summary;
use crate::staging::{Outputs, Target};

/// The files of a report, which are written at the end of a run.
#[derive(Debug)]
pub struct Report {
    page: Target,
    /// The files of [`multiqc::PARTS`], in their order.
    sections: Vec<Target>,
    /// The names of the run's samples, or that of the page, without its extension, if they are not known.
    title: String,
}

impl Report {
    /// Checks that the page of a run of these samples, with this name, and the other files of the report, can be written.
    ///
    /// # Errors
    /// If one of them cannot.
    pub fn new(path: &Path, samples: &[&str], outputs: &mut Outputs) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let page = outputs.target(Some(path))?;
        let section = |part: &&str| {
            outputs.target(Some(&path.with_file_name(format!("{name}{part}_mqc.json"))))
        };
        let sections = multiqc::PARTS.iter().map(section).collect::<Result<_>>()?;
        let title = if samples.is_empty() { name } else { samples.join(", ") };
        Ok(Self { page, sections, title })
    }

    /// Writes the page and the sections, which can be committed then.
    ///
    /// # Errors
    /// If a chart cannot be drawn, or a file not be written.
    pub fn write(self, summary: &Summary) -> Result<Vec<Target>> {
        let page = html::page(&self.title, summary).map_err(|error| anyhow!("{error}"))?;
        self.page.write_text(&page)?;
        let mut written = vec![self.page];
        let mut sections = multiqc::sections(&self.title, summary);
        for (part, target) in multiqc::PARTS.into_iter().zip(self.sections) {
            // Not every run has every section: single reads have no insert sizes.
            if let Some(place) = sections.iter().position(|(of, _)| *of == part) {
                target.write_text(&(sections.swap_remove(place).1.to_string() + "\n"))?;
                written.push(target);
            }
        }
        Ok(written)
    }
}
