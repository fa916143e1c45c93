//! Threads that the end of the program does not wait for.
//!
//! Opening a GPU takes longer than a small run of mapping. So it is done on such a thread, and a run that needs the GPU no
//! more ends the program while the driver is still at work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of threads that have not ended.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as long as it exists.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Starts a thread that does `work`.
pub fn spawn(work: impl FnOnce() + Send + 'static) {
    let running = Running::new();
    thread::spawn(move || {
        work();
        drop(running);
    });
}

/// Starts a thread that does `work`, which the run can do without: not if the system refuses threads.
pub fn spawn_if_possible(work: impl FnOnce() + Send + 'static) {
    let running = Running::new();
    let _ = thread::Builder::new().spawn(move || {
        work();
        drop(running);
    });
}

/// Whether a thread has not ended. The program must then end without the exit handlers of libraries, since that thread may be
/// inside one of them.
pub fn is_busy() -> bool {
    RUNNING.load(Ordering::SeqCst) > 0
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn threads_are_counted_until_they_end() {
        let (end, ended) = channel::<()>();
        spawn(move || {
            let _ = ended.recv();
        });
        assert!(is_busy());
        drop(end);
        while is_busy() {
            thread::yield_now();
        }
    }
}
