//! Handing a batch over from the CPU to a GPU that becomes ready while the CPU searches.
//!
//! Opening a GPU takes as long as many small searches do. So the CPU begins, and a GPU that joins takes over the whole batch
//! unless the CPU has done half of it by then: if speed stays the same, the CPU needs no longer for the rest than it has
//! searched already.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Says when the CPU leaves a batch to a GPU.
pub(crate) struct Handover<'a> {
    is_ready: &'a (dyn Fn() -> bool + Sync),
    /// Letters of the database.
    letters: u64,
    /// Letters of the database that were searched.
    searched: AtomicU64,
    is_done: AtomicBool,
}

impl<'a> Handover<'a> {
    /// For a batch that is searched in a database of so many letters; `is_ready` says whether there is a GPU.
    pub(crate) fn new(is_ready: &'a (dyn Fn() -> bool + Sync), letters: u64) -> Self {
        let (searched, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { is_ready, letters, searched, is_done }
    }

    /// Decides whether the GPU takes over now, or has done so. Then the rest is not searched, and nothing of what was found
    /// counts.
    pub(crate) fn is_due(&self) -> bool {
        if !self.is_done()
            && 2 * self.searched.load(Ordering::Relaxed) < self.letters
            && (self.is_ready)()
        {
            self.is_done.store(true, Ordering::Relaxed);
        }
        self.is_done()
    }

    /// Notes that so many letters more were searched.
    pub(crate) fn add(&self, letters: usize) {
        self.searched.fetch_add(letters as u64, Ordering::Relaxed);
    }

    /// Whether the GPU has taken over.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Handover<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handover").field("letters", &self.letters).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_takes_over_the_first_half_alone() {
        let is_ready = AtomicBool::new(false);
        let ask = || is_ready.load(Ordering::Relaxed);
        let handover = |searched| {
            let handover = Handover::new(&ask, 1000);
            handover.add(searched);
            assert!(is_ready.load(Ordering::Relaxed) || !handover.is_due());
            handover
        };
        assert!(!handover(0).is_due());
        is_ready.store(true, Ordering::Relaxed);
        assert!(!handover(500).is_due());
        let early = handover(499);
        assert!(early.is_due());
        // It stays so.
        early.add(400);
        assert!(early.is_due() && early.is_done());
    }
}
