//! Work on threads while Python waits, and can be interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether the work is not wanted any more.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error, if the work is to end.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(anyhow!("interrupted")) } else { Ok(()) }
    }
}

/// A Python exception with the text of an error.
pub fn to_python(error: &anyhow::Error) -> PyErr {
    Error::new_err(format!("{error:#}"))
}

/// A Python exception about a wrong argument.
pub fn wrong_argument(problem: impl Into<String>) -> PyErr {
    PyValueError::new_err(problem.into())
}

/// A pool of so many threads, or of as many as there are cores.
pub fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| Error::new_err(format!("cannot start threads: {error}")))
}

/// Waits for a value. On Ctrl-C, `cancel` is set, and the exception is raised once the work has ended.
pub fn wait<T: Send>(
    py: Python<'_>,
    values: &mut Receiver<Result<T>>,
    cancel: &Cancel,
) -> PyResult<T> {
    let mut interruption = None;
    loop {
        let values = &mut *values;
        match py.detach(move || values.recv_timeout(PATIENCE)) {
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    cancel.set();
                    interruption.get_or_insert(signal);
                }
            }
            received => {
                if let Some(signal) = interruption {
                    return Err(signal);
                }
                return match received {
                    Ok(value) => value.map_err(|error| to_python(&error)),
                    Err(_) => Err(Error::new_err("a thread of gpualign panicked")),
                };
            }
        }
    }
}

/// Does work on a thread of its own, whose parallel parts a pool does, and waits for it.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let (sender, mut values) = sync_channel(1);
        let of_thread = cancel.clone();
        scope.spawn(move || {
            let done = pool.install(|| work(&of_thread));
            // Python waits for it.
            let _ = sender.send(done);
        });
        wait(py, &mut values, &cancel)
    })
}
