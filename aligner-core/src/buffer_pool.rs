//! Buffers that later batches use again: asking the system for as much memory takes longer than filling it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values whose contents are no longer needed, but whose memory is.
#[derive(Debug)]
pub struct BufferPool<T>(Mutex<Vec<T>>);

impl<T> Default for BufferPool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Default> BufferPool<T> {
    /// A value that was given back, with its old contents, or a new one.
    pub fn take(&self) -> T {
        lock(&self.0).pop().unwrap_or_default()
    }

    /// Keeps a value for a later [`take`](Self::take).
    pub fn give_back(&self, buffer: T) {
        lock(&self.0).push(buffer);
    }
}

/// Locks a mutex. A panic of a thread that held the lock is ignored here, since it is reported where that thread is
/// joined.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
