//! Memory that one batch leaves to the next: to get as much from the system takes longer than to fill it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values whose contents nobody wants any more.
#[derive(Debug)]
pub(crate) struct Spares<T>(Mutex<Vec<T>>);

impl<T> Default for Spares<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Default> Spares<T> {
    /// One that was left, with whatever is in it, or a new one.
    pub(crate) fn take(&self) -> T {
        locked(&self.0).pop().unwrap_or_default()
    }

    /// Leaves one.
    pub(crate) fn leave(&self, spare: T) {
        locked(&self.0).push(spare);
    }
}

/// What a lock guards; who held it before may have panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
