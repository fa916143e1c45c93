//! The timeline of a run: when each step worked on each batch.
//!
//! `--timeline` writes it in the trace event format of Chrome, which Perfetto (ui.perfetto.dev) and `chrome://tracing`
//! show, with a row for each step and a box for each batch. Steps overlap where boxes lie above each other; the step whose
//! row has no gaps is the one that the others wait for. A step that several threads do at a time has more rows.

use std::io::{BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::staging::Target;

/// A step of a run, which is a row of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Opening or building the index, and copying it to the device.
    Index,
    /// Opening the GPU, if there is one.
    Device,
    /// Reading and decompressing files; splitting text that is not taken over as it is into records.
    Read,
    /// Splitting text into records, checking these, making queries of them and choosing how to search.
    Prepare,
    /// Searching for the queries on the device.
    Search,
    /// Mode best: choosing the regions to align.
    Plan,
    /// Mode best: waiting for alignments of the GPU, or aligning on the CPU.
    Align,
    /// Mode best: ranking the alignments of each read.
    Rank,
    /// Mode best: searching for missing mates on the device.
    Rescue,
    /// Mode best: choosing the alignments of each pair.
    Pair,
    /// Making records of alignments.
    Format,
    /// Writing records, on several threads to a regular file.
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

/// More rows than any step has.
const MAX_ROWS: usize = 1 << 16;

/// The time of one step for one batch.
#[derive(Debug, Clone)]
struct Span {
    step: Step,
    name: String,
    begin: Instant,
    end: Instant,
}

/// All times since the start of a run.
#[derive(Debug)]
pub struct Timeline {
    start: Instant,
    spans: Mutex<Vec<Span>>,
}

impl Timeline {
    /// A timeline that starts now.
    pub fn new() -> Self {
        Self { start: Instant::now(), spans: Mutex::default() }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Does `work` and adds its time under this name.
    pub fn time<T>(&self, step: Step, name: impl Into<String>, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        self.add(step, name, begin, Instant::now());
        done
    }

    /// Adds a time that was measured elsewhere.
    pub fn add(&self, step: Step, name: impl Into<String>, begin: Instant, end: Instant) {
        let span = Span { step, name: name.into(), begin, end };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
    }

    /// Seconds of a step, summed over all batches.
    pub fn seconds(&self, step: Step) -> f64 {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let of_step = spans.iter().filter(|span| span.step == step);
        // The sum of no numbers would be -0.0.
        of_step.fold(0.0, |sum, span| sum + (span.end - span.begin).as_secs_f64())
    }

    /// Writes the timeline to a file, which can be committed then.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, target: &Target) -> Result<()> {
        target.write(|file| {
            let mut file = BufWriter::new(file);
            serde_json::to_writer(&mut file, &self.trace())?;
            file.flush()
        })
    }

    /// The timeline as trace events.
    fn trace(&self) -> serde_json::Value {
        let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spans.sort_by_key(|span| span.begin);
        // The times at which the rows of each step are free.
        let mut free = [const { Vec::<Instant>::new() }; Step::ALL.len()];
        let mut boxes = Vec::new();
        for span in &spans {
            let free = &mut free[span.step as usize];
            let row = free.iter().position(|&free| free <= span.begin).unwrap_or(free.len());
            match free.get_mut(row) {
                Some(free) => *free = span.end,
                None => free.push(span.end),
            }
            boxes.push(json!({
                "name": span.name,
                "cat": span.step,
                "ph": "X",
                "pid": 1,
                "tid": span.step as usize * MAX_ROWS + row,
                "ts": microseconds(span.begin.saturating_duration_since(self.start)),
                "dur": microseconds(span.end - span.begin),
            }));
        }
        let rows = Step::ALL.iter().zip(&free).flat_map(|(&step, free)| {
            (0..free.len().max(1)).map(move |row| {
                let tid = step as usize * MAX_ROWS + row;
                let name = json!({ "name": step });
                json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": name })
            })
        });
        json!({ "displayTimeUnit": "ms", "traceEvents": rows.chain(boxes).collect::<Vec<_>>() })
    }
}
