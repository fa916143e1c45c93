//! Buffers that later batches use again: asking the system for as much memory takes longer than filling it.

use std::mem;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

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

/// A value that goes back to a pool when it is dropped. A copy belongs to the same pool.
#[derive(Debug, Clone)]
pub struct Pooled<T: Default> {
    value: T,
    pool: Arc<BufferPool<T>>,
}

impl<T: Default> Pooled<T> {
    /// A value that goes back to `pool`.
    pub fn new(value: T, pool: &Arc<BufferPool<T>>) -> Self {
        Self { value, pool: Arc::clone(pool) }
    }
}

impl<T: Default> Default for Pooled<T> {
    fn default() -> Self {
        Self { value: T::default(), pool: Arc::default() }
    }
}

impl<T: Default> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Default> Drop for Pooled<T> {
    fn drop(&mut self) {
        self.pool.give_back(mem::take(&mut self.value));
    }
}

/// Locks a mutex. A panic of a thread that held the lock is ignored here, since it is reported where that thread is
/// joined.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks whichever mutex is free, or waits for the first one.
///
/// # Panics
/// If there is none.
pub fn lock_any<T>(mutexes: &[Mutex<T>]) -> MutexGuard<'_, T> {
    let free = mutexes.iter().find_map(|mutex| match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    });
    free.unwrap_or_else(|| lock(&mutexes[0]))
}
