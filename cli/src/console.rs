//! Messages and progress on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::options::Messages;

/// The name of this program, once it is known.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name that every message begins with; the first name stays.
pub fn set_program(name: &'static str) {
    PROGRAM.get_or_init(|| name);
}

/// The name of this program.
pub fn program() -> &'static str {
    PROGRAM.get().unwrap_or(&"gpualign")
}

/// Prints one line on standard error, after the program's name.
pub fn say(text: &str) {
    print(&line(text));
}

/// One line that begins with the program's name.
pub fn line(text: &str) -> String {
    format!("{}: {}\n", program(), text.replace(['\n', '\r'], " "))
}

/// Prints on standard error, without allocating. A standard error that cannot be written to is no reason to stop.
pub fn print(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints the messages that the options ask for, and shows progress on a terminal.
#[derive(Debug)]
pub struct Console {
    messages: Messages,
    /// Whether standard error is a terminal, and messages are wanted.
    is_shown: bool,
    progress: ProgressBar,
}

impl Console {
    /// A console; it shows progress if standard error is a terminal.
    pub fn new(messages: Messages) -> Self {
        let is_shown = !messages.quiet && io::stderr().is_terminal();
        let target =
            if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { messages, is_shown, progress: ProgressBar::with_draw_target(None, target) }
    }

    /// Prints a message, unless `--quiet` is given.
    pub fn notice(&self, text: &str) {
        if !self.messages.quiet {
            self.progress.suspend(|| say(text));
        }
    }

    /// Prints a message if `--verbose` is given.
    pub fn detail(&self, text: &str) {
        if self.messages.verbose {
            self.progress.suspend(|| say(text));
        }
    }

    /// Prints what was done at the end of a run, on a terminal or if `--verbose` is given, unless `--quiet` is.
    pub fn overview(&self, lines: &[String]) {
        if self.is_shown || self.messages.verbose {
            for line in lines {
                say(line);
            }
        }
    }

    /// Shows that a step of unknown length has begun.
    pub fn start(&self, step: &str) {
        self.set_style("{spinner} {msg} {elapsed}");
        self.progress.set_message(step.to_owned());
        self.animate();
    }

    /// Shows the progress by this template.
    fn set_style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.progress.set_style(style);
        }
    }

    /// Lets a thread draw the progress, if it is shown.
    fn animate(&self) {
        if !self.progress.is_hidden() {
            self.progress.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// Shows a count of reads, 0 at first.
    pub fn start_reads(&self) {
        self.set_style("{spinner} {human_pos} reads, {per_sec}");
        self.progress.unset_length();
        self.progress.reset();
        self.animate();
    }

    /// Shows a count of pairs, 0 of `all` at first.
    pub fn start_pairs(&self, all: u64) {
        let template = "{spinner} {human_pos} of {human_len} pairs, {per_sec}{msg}, {eta} left";
        self.set_style(template);
        self.progress.reset();
        self.progress.set_length(all);
        self.animate();
    }

    /// Adds to the count of pairs; `cells` are the matrix cells of all pairs so far.
    pub fn advance_pairs(&self, pairs: u64, cells: u64) {
        let rate = cells as f64 / self.progress.elapsed().as_secs_f64() / 1e9;
        self.progress.set_message(format!(", {rate:.1} GCUPS"));
        self.progress.inc(pairs);
    }

    /// Adds to the count of reads, of which there are about `all` if that can be told.
    pub fn advance(&self, reads: u64, all: Option<u64>) {
        let is_first = all.is_some() && self.progress.length().is_none();
        if is_first {
            self.set_style(
                "{spinner} {human_pos} of about {human_len} reads, {per_sec}, {eta} left",
            );
        }
        // Both change before the progress is drawn.
        self.progress.update(|state| {
            if let Some(all) = all {
                state.set_len(all);
            }
            state.set_pos(state.pos() + reads);
        });
        if is_first {
            self.progress.force_draw();
        }
    }

    /// Removes the progress from the terminal.
    pub fn finish(&self) {
        self.progress.finish_and_clear();
    }
}
