//! Workers that the steps of several searches share.

use std::ops::Deref;
use std::sync::{Condvar, Mutex, PoisonError};

/// A pool of workers, each of which is used by one thread at a time.
#[derive(Debug)]
pub(crate) struct WorkerPool<W> {
    idle: Mutex<Vec<W>>,
    given_back: Condvar,
}

/// A worker that is in use; dropping it gives it back to its pool.
pub(crate) struct PooledWorker<'p, W> {
    pool: &'p WorkerPool<W>,
    /// The worker, until it is given back.
    worker: Option<W>,
}

impl<W> WorkerPool<W> {
    /// A pool of some workers, at least one.
    pub(crate) fn new(workers: Vec<W>) -> Self {
        Self { idle: Mutex::new(workers), given_back: Condvar::new() }
    }

    /// Takes a worker; waits until one is idle.
    pub(crate) fn take(&self) -> PooledWorker<'_, W> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut idle = self
            .given_back
            .wait_while(idle, |idle| idle.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        PooledWorker { pool: self, worker: idle.pop() }
    }
}

impl<W> Deref for PooledWorker<'_, W> {
    type Target = W;

    fn deref(&self) -> &W {
        match &self.worker {
            Some(worker) => worker,
            None => unreachable!("it is given back when it is dropped"),
        }
    }
}

impl<W> Drop for PooledWorker<'_, W> {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.worker.take());
        drop(idle);
        self.pool.given_back.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn each_is_used_by_one_at_a_time() {
        let pool = WorkerPool::new((0..3).map(AtomicUsize::new).collect());
        let uses = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let taken = pool.take();
                        let before = taken.fetch_add(10, Ordering::Relaxed);
                        thread::yield_now();
                        assert_eq!(taken.load(Ordering::Relaxed), before + 10);
                        uses.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(uses.into_inner(), 1_600);
        let left = pool.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(left.len(), 3);
    }
}
