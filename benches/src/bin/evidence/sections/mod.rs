//! The sections of the report: the command lines that each compares.

mod accuracy;
mod facts;
mod formats;
mod lengths;
mod mapping;
pub mod papers;
mod peers;
mod plan;
mod real;
mod sample;
mod scaling;
mod scorers;
mod search;
mod similar;
mod variants;

use anyhow::Result;

use crate::run::contest::Section;

pub use plan::Plan;

/// The name of the papers' experiments, which compare no programs.
pub const PAPERS: &str = "papers";

/// A section's name, and the function that makes it just before it is measured.
type Named<'p> = (&'static str, Box<dyn Fn() -> Result<Section> + 'p>);

impl Plan<'_> {
    /// All sections, in the order of the report.
    pub fn sections(&self) -> Vec<Named<'_>> {
        vec![
            ("index", Box::new(|| self.index())),
            ("all", Box::new(|| self.all_mapping())),
            ("best", Box::new(|| self.best_mapping())),
            ("lengths", Box::new(|| self.lengths())),
            ("sorted", Box::new(|| self.sorted_mapping())),
            ("formats", Box::new(|| self.formats())),
            ("accuracy", Box::new(|| self.accuracy())),
            ("real", Box::new(|| self.real())),
            ("sample", Box::new(|| self.sample())),
            ("pairwise", Box::new(|| self.pairwise())),
            ("pairs", Box::new(|| self.similar_pairs())),
            ("blastn", Box::new(|| self.blastn("blastn"))),
            ("megablast", Box::new(|| self.blastn("megablast"))),
            ("threads", Box::new(|| self.scale_threads())),
            ("reads", Box::new(|| self.scale_reads())),
            ("reference", Box::new(|| self.scale_references())),
            ("indexes", Box::new(|| self.scale_indexes())),
            ("gpus", Box::new(|| self.scale_gpus())),
        ]
    }

    /// The names of all sections, and of the papers' experiments.
    pub fn names(&self) -> Vec<&'static str> {
        self.sections().iter().map(|(name, _)| *name).chain([PAPERS]).collect()
    }
}
