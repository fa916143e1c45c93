//! Turns: a bound on the threads that do a step of a device at the same time.

use std::sync::{Condvar, Mutex, PoisonError};

/// The turn of a thread of a device to do a step that few threads do at a time. Waiting for the turn is not a part of the step.
#[derive(Debug)]
pub struct Turn {
    /// The number of threads that may begin.
    free: Mutex<usize>,
    freed: Condvar,
}

/// Ends a turn when it is dropped.
#[must_use]
pub struct TakenTurn<'t>(&'t Turn);

impl Turn {
    /// The turn to do a step that so many threads do at a time, at least one.
    pub fn of(threads: usize) -> Self {
        Self { free: Mutex::new(threads), freed: Condvar::new() }
    }

    /// Waits for the turn, which ends when the guard is dropped.
    pub fn take(&self) -> TakenTurn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |free: &mut usize| *free == 0;
        let mut free =
            self.freed.wait_while(free, is_taken).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        TakenTurn(self)
    }
}

impl Drop for TakenTurn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}
