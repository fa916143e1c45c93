//! When each step of each batch was done.
//!
//! `--timeline` writes it in the trace event format of Chrome, which Perfetto (ui.perfetto.dev) and
//! `chrome://tracing` show: a row a step, a box a batch. Where boxes lie above each other, steps
//! overlap; the row without gaps is what all others wait for.

use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;

use crate::staging::Target;

/// What is timed; a row each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Opening or building the index, and putting it on the device.
    Index,
    /// Opening the device.
    Device,
    /// Reading and decompressing, and splitting text into records.
    Read,
    /// Checking what was read, making queries of it and choosing how to search; planning and launching
    /// kernels.
    Prepare,
    /// Searching for them, on the device.
    Search,
    /// Deciding what is to be aligned.
    Plan,
    /// Waiting for alignments, or aligning on the CPU.
    Align,
    /// Ranking what was found of each read.
    Rank,
    /// Looking for mates, on the device.
    Rescue,
    /// Deciding for pairs.
    Pair,
    /// From what was found to finished records.
    Format,
    /// Writing these, on several threads if it is a regular file.
    Write,
}

impl Step {
    const ALL: [Self; 12] = [
        Self::Index,
        Self::Device,
        Self::Read,
        Self::Prepare,
        Self::Search,
        Self::Plan,
        Self::Align,
        Self::Rank,
        Self::Rescue,
        Self::Pair,
        Self::Format,
        Self::Write,
    ];
}

/// One step of one batch.
#[derive(Debug, Clone)]
struct Span {
    step: Step,
    name: String,
    begin: Instant,
    end: Instant,
}

/// All that was timed since the program's start.
#[derive(Debug)]
pub struct Timeline {
    start: Instant,
    spans: Mutex<Vec<Span>>,
}

impl Timeline {
    /// Starts now.
    pub fn new() -> Self {
        Self { start: Instant::now(), spans: Mutex::default() }
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Does and times something.
    pub fn time<T>(&self, step: Step, name: impl Into<String>, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        self.add(step, name, begin, Instant::now());
        done
    }

    /// Notes what was timed elsewhere.
    pub fn add(&self, step: Step, name: impl Into<String>, begin: Instant, end: Instant) {
        let span = Span { step, name: name.into(), begin, end };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
    }

    /// How long a step took, of all batches.
    pub fn seconds(&self, step: Step) -> f64 {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let of_step = spans.iter().filter(|span| span.step == step);
        of_step.map(|span| (span.end - span.begin).as_secs_f64()).sum()
    }

    /// Writes it to a file.
    pub fn save(&self, target: Target) -> Result<()> {
        let write = || {
            let mut file = BufWriter::new(std::fs::File::from(target.open()?));
            serde_json::to_writer(&mut file, &self.trace())?;
            file.flush()
        };
        write().map_err(|error: io::Error| error).with_context(|| target.name())?;
        target.commit()
    }

    fn trace(&self) -> serde_json::Value {
        let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
        let rows = Step::ALL.iter().map(|&step| {
            let name = json!({ "name": step });
            json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": step as u8, "args": name })
        });
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let boxes = spans.iter().map(|span| {
            json!({
                "name": span.name,
                "cat": span.step,
                "ph": "X",
                "pid": 1,
                "tid": span.step as u8,
                "ts": microseconds(span.begin.saturating_duration_since(self.start)),
                "dur": microseconds(span.end - span.begin),
            })
        });
        json!({ "displayTimeUnit": "ms", "traceEvents": rows.chain(boxes).collect::<Vec<_>>() })
    }
}
