//! The number of threads.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use anyhow::{Error, Result, anyhow};
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The most threads of a program. A system has some 30,000 threads for all its programs.
pub const MAX_THREADS: i64 = 1024;

/// The stack of a thread of a C library, in bytes.
const C_STACK: usize = 8 << 20;

/// The longest time to wait for the system to forget threads that have ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many threads to use.
#[derive(Debug, Clone, Copy, Args)]
pub struct Threads {
    /// Number of threads [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Resources",
        value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
}

impl Threads {
    /// The number that was asked for, or else the number of cores.
    pub fn count(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }
}

/// The number of cores that the system lets this process use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Starts the global rayon pool, which does all parallel work of the process from then on.
///
/// # Errors
/// If the pool was started before, or the system refuses threads.
pub fn start_threads(threads: usize) -> Result<()> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(refused(&format!("{threads} threads")))
}

/// A pool of so many threads besides the global one; `what` they are follows their number in errors.
///
/// # Errors
/// If the system refuses threads.
pub fn thread_pool(threads: usize, what: &str) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build().map_err(refused(&format!("{threads} threads {what}")))
}

/// The error that these threads are refused.
fn refused(threads: &str) -> impl FnOnce(ThreadPoolBuildError) -> Error + '_ {
    move |error| {
        anyhow!(
            "cannot start {threads}: {error}: use fewer, or raise the limit (ulimit -u, ulimit -v)"
        )
    }
}

/// Checks that the system would start `count` more threads now. For a library that starts threads and does not check it: it
/// would wait for them for ever.
///
/// # Errors
/// If the system refuses one of them.
pub fn check_threads(count: usize) -> io::Result<()> {
    let gate = &Mutex::new(());
    let closed = gate.lock();
    let started = thread::scope(move |scope| {
        let wait = || {
            drop(gate.lock());
            fs::read_link("/proc/thread-self").ok()
        };
        let start = |_| thread::Builder::new().stack_size(C_STACK).spawn_scoped(scope, wait);
        let started: io::Result<Vec<_>> = (0..count).map(start).collect();
        // All threads wait for this, so that they exist at the same time.
        drop(closed);
        Ok::<_, io::Error>(started?.into_iter().filter_map(|thread| thread.join().ok()?).collect())
    });
    let names: Vec<PathBuf> = started?;
    // A thread that was joined counts as one until the system has forgotten it.
    let begin = Instant::now();
    let exists = |name: &PathBuf| Path::new("/proc").join(name).exists();
    while names.iter().any(exists) && begin.elapsed() < PATIENCE {
        thread::yield_now();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_threads;

    #[test]
    fn threads_are_started_and_ended() {
        for count in [0, 1, 30] {
            check_threads(count).expect("there are more");
        }
    }
}
