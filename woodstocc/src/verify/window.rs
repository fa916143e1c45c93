//! Windows of match starts, and the windows of a whole batch.

use std::ops::ControlFlow;

use aligner_core::device_struct;
use aligner_core::stream::{Items, Metrics, Outputs, Progress, Settings, SinkId};

device_struct! {
    /// Match starts of a query within `k` of one diagonal, with their distances.
    #[derive(PartialEq, Eq, Default)]
    pub struct Window {
        /// Number of the query in its batch.
        pub query: u32,
        /// Position in the indexed text, modulo 2^32, that bit 0 of `starts` stands for.
        pub first: u32,
        /// Bit `b` is set if there is a match at start `first + b`.
        pub starts: u32,
        /// Padding of the struct, always 0.
        pub padding: u32,
        /// Distances of the starts, four bits each; 0 where there is no match.
        pub distances: [u64; 2],
    }
}

impl Window {
    /// The matches in ascending order of position: position in the indexed text, and distance.
    pub fn matches(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        let mut starts = self.starts;
        std::iter::from_fn(move || {
            let b = starts.trailing_zeros();
            starts &= starts.wrapping_sub(1);
            let distances = self.distances.get(b as usize / 16)?;
            Some((self.first.wrapping_add(b), (distances >> (4 * (b % 16)) & 15) as u8))
        })
    }
}

/// Windows of a batch, with the cost of finding them.
#[derive(Debug, Default)]
pub struct FoundWindows {
    /// The windows, in no particular order.
    pub windows: Items<Window>,
    /// Seconds that kernels took; 0 on the CPU.
    pub device_seconds: f64,
    /// Firings, occupancies and cycles of the streaming runtime.
    pub metrics: Metrics,
}

impl FoundWindows {
    /// Takes the windows from the sink of a run.
    pub fn new(mut outputs: Outputs, sink: SinkId<Window>) -> Self {
        let windows = outputs.take_in_place(sink);
        Self { windows, device_seconds: outputs.device_seconds, metrics: outputs.metrics }
    }

    /// Adds the windows and costs of another part of the batch.
    pub fn append(&mut self, part: Self) {
        self.windows.append(part.windows);
        self.device_seconds += part.device_seconds;
        self.metrics.add(&part.metrics);
    }
}

/// Goes on with a run of the streaming runtime as long as it has no more than `most` outputs.
pub fn up_to(most: u64) -> impl FnMut(Progress) -> ControlFlow<()> {
    move |progress| {
        if progress.outputs > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Settings of the streaming runtime for applications that output windows. With `metrics`, cycles and occupancies are
/// measured.
pub fn settings(metrics: bool) -> Settings {
    Settings { output_slots: 1 << 14, metrics, ..Settings::default() }
}
