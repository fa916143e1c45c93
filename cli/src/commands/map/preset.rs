//! Presets of best mapping.

use clap::ValueEnum;
use serde::Serialize;

/// The heading of the options of mode best in the help.
pub const BEST_HEADING: &str = "Best mapping";

/// The length of reads that options are tuned for: values of `--preset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Reads of 70 bases and more
    Standard,
    /// Reads of 25 to 70 bases: slower, with shorter seeds and a minimum score of 22, not 30
    Short,
}
