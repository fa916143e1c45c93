//! Notices, details and progress, all on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Messages;

/// Prints one line. A standard error that cannot be written to is no reason to stop.
pub fn say(text: &str) {
    let line = format!("gpualign: {}\n", text.replace(['\n', '\r'], " "));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// What the user wants to hear.
#[derive(Debug)]
pub struct Console {
    messages: Messages,
    progress: ProgressBar,
}

impl Console {
    /// A console; shows progress only on a terminal.
    pub fn new(messages: Messages) -> Self {
        let shown = !messages.quiet && io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { messages, progress: ProgressBar::with_draw_target(None, target) }
    }

    /// Says something that the user should know.
    pub fn notice(&self, text: &str) {
        if !self.messages.quiet {
            self.progress.suspend(|| say(text));
        }
    }

    /// Says something that is wanted only with `--verbose`.
    pub fn detail(&self, text: &str) {
        if self.messages.verbose {
            self.progress.suspend(|| say(text));
        }
    }

    /// Begins a step of unknown length.
    pub fn start(&self, step: &str) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            self.progress.set_style(style);
        }
        self.progress.set_message(step.to_owned());
        self.progress.enable_steady_tick(Duration::from_millis(200));
    }

    /// Begins to count reads.
    pub fn start_reads(&self) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} reads, {per_sec}") {
            self.progress.set_style(style);
        }
        self.progress.reset();
        self.progress.enable_steady_tick(Duration::from_millis(200));
    }

    /// Counts reads.
    pub fn advance(&self, reads: u64) {
        self.progress.inc(reads);
    }

    /// Takes the progress off the terminal.
    pub fn finish(&self) {
        self.progress.finish_and_clear();
    }
}
