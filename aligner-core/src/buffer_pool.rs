//! Buffers that later batches use again: asking the system for as much memory takes longer than filling it.

use std::collections::VecDeque;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// Values of which each serves one thread at a time, whichever is free. Empty values bound the threads that do something at
/// the same time. Threads that wait get a value in the order in which they came.
#[derive(Debug)]
pub struct TurnPool<T>(Mutex<Turns<T>>);

/// The values of a [`TurnPool`].
#[derive(Debug)]
struct Turns<T> {
    /// Values that are free. There are none while a thread waits.
    free: Vec<T>,
    /// Threads that wait, the first one first.
    waiting: VecDeque<SyncSender<T>>,
}

/// A value of a [`TurnPool`], which goes back to it when this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Taken<'p, T> {
    /// `None` only while dropping.
    value: Option<T>,
    pool: &'p TurnPool<T>,
}

impl<T> TurnPool<T> {
    /// A pool of these values.
    pub fn new(values: impl IntoIterator<Item = T>) -> Self {
        let free = values.into_iter().collect();
        Self(Mutex::new(Turns { free, waiting: VecDeque::new() }))
    }

    /// Takes a value, as soon as one is free.
    pub fn take(&self) -> Taken<'_, T> {
        let mut turns = lock(&self.0);
        let value = turns.free.pop().unwrap_or_else(|| {
            let (sender, value) = sync_channel(1);
            turns.waiting.push_back(sender);
            drop(turns);
            // The sender is in the queue until it has sent.
            value.recv().unwrap_or_else(|_| unreachable!("a value is passed on"))
        });
        Taken { value: Some(value), pool: self }
    }

    /// The number of threads that wait for a value.
    pub fn waiting(&self) -> usize {
        lock(&self.0).waiting.len()
    }
}

impl<T> Deref for Taken<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().unwrap_or_else(|| unreachable!("it is there until it is dropped"))
    }
}

impl<T> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().unwrap_or_else(|| unreachable!("it is there until it is dropped"))
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let mut turns = lock(&self.pool.0);
        let Some(value) = self.value.take() else { return };
        match turns.waiting.pop_front() {
            // The thread waits for it.
            Some(first) => drop(first.send(value)),
            None => turns.free.push(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn each_value_serves_one_thread_at_a_time() {
        let pool = TurnPool::new([0_usize; 3]);
        let (at_work, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let mut uses = pool.take();
                        most.fetch_max(
                            at_work.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        *uses += 1;
                        thread::yield_now();
                        at_work.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
        let all = [pool.take(), pool.take(), pool.take()];
        assert_eq!(all.iter().map(|uses| **uses).sum::<usize>(), 1600);
    }

    #[test]
    fn threads_get_values_in_the_order_in_which_they_came() {
        let pool = TurnPool::new([()]);
        let order = Mutex::new(Vec::new());
        let first = pool.take();
        thread::scope(|scope| {
            for number in 0..20 {
                let (pool, order) = (&pool, &order);
                scope.spawn(move || {
                    let turn = pool.take();
                    lock(order).push(number);
                    drop(turn);
                });
                // The next thread comes when this one waits.
                while pool.waiting() <= number {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(lock(&order).clone(), (0..20).collect::<Vec<_>>());
    }
}
