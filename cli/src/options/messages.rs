//! The options of messages on standard error.

use clap::Args;

/// How many messages to print.
#[derive(Debug, Clone, Copy, Args)]
pub struct Messages {
    /// Print what was done and how long it took
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Messages")]
    pub verbose: bool,
    /// Print nothing but errors
    #[arg(short, long, help_heading = "Messages")]
    pub quiet: bool,
}
