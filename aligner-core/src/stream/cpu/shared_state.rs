//! State that the blocks of a run share: the input and how much of it is claimed, and rests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::application::CpuApplication;
use super::moving::WorkPool;
use super::queue::Queue;
use super::rest::RestPool;
use crate::stream::run::settings::Settings;

/// State that the blocks of a run share.
pub(super) struct SharedState<'a, 't, 'g, G: Sync + ?Sized> {
    pub(super) application: &'a CpuApplication<'t, 'g, G>,
    pub(super) settings: &'a Settings,
    pub(super) inputs: &'a [u8],
    /// Number of all inputs.
    pub(super) count: usize,
    /// Number of inputs that a block claims at a time.
    pub(super) chunk: usize,
    /// Index of the first input that no block has claimed.
    pub(super) cursor: AtomicUsize,
    /// Partial ensembles that blocks share at the end of the input; `None` if they do not share.
    pub(super) rest: Option<Mutex<RestPool>>,
    /// Packets in which work moves between blocks; `None` if it does not.
    pub(super) moving: Option<WorkPool>,
}

impl<G: Sync + ?Sized> SharedState<'_, '_, '_, G> {
    /// Fills an empty window from the input, unless that is exhausted.
    pub(super) fn claim(&self, window: &mut Queue) {
        let plan = &self.application.plan;
        let bytes = plan.nodes[plan.root].slot_bytes;
        while window.is_empty() && self.claimed() < self.count {
            let begin = self.cursor.fetch_add(self.chunk, Ordering::Relaxed).min(self.count);
            let end = (begin + self.chunk).min(self.count);
            for index in begin..end {
                let item = &self.inputs[index * bytes..][..bytes];
                let elements = self.application.elements(plan.root, item);
                if elements > 0 {
                    window.push(item, elements);
                }
            }
        }
    }

    /// Number of inputs that blocks have claimed.
    pub(super) fn claimed(&self) -> usize {
        self.cursor.load(Ordering::Relaxed).min(self.count)
    }
}
