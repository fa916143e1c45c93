//! The frame of every program: interrupts, faults, the error line and the exit code.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use blastn_pipeline::database::ncbi::NcbiDatabaseError;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};

use crate::{bus_error, console, staging};

/// The exit code of a fault of the program, as the standard library has it.
const FAULT: i32 = 101;

/// The exit code for a database of NCBI's that cannot be searched, as in NCBI's programs.
const DATABASE_ERROR: i32 = 2;

/// Begins of the standard library's panics when the system refuses a thread, or the stack of its signals.
const REFUSED_THREAD: [&str; 2] =
    ["failed to spawn thread", "failed to allocate an alternative stack"];

/// Begins of panics of libraries when the system refuses the memory that their C code asks for.
const REFUSED_MEMORY: [&str; 1] = ["libdeflate_alloc_compressor returned NULL"];

/// Runs `work` as the program called `name`, which begins its messages.
///
/// The exit code is 0, or 1 for an error (2 for a database of NCBI's, as in their programs), which is printed in one line on
/// standard error. A reader of standard output that goes away (as `head` does) is no error. On SIGINT, SIGTERM and SIGHUP unfinished files are removed and the
/// process ends with code 130. A panic of any thread is a fault of the program, which ends at once with code 101, so that
/// no thread waits for one that is gone. A thread or memory that the system refuses is an error.
///
/// The end waits for no thread: opening a GPU takes longer than a small run, which ends while the driver is still at work. Nor
/// is memory freed that the system takes back at once.
pub fn run_program(name: &'static str, work: impl FnOnce() -> Result<()>) -> ! {
    console::set_program(name);
    panic::set_hook(Box::new(end_with_fault));
    let prepared = clean_up_when_interrupted()
        .and_then(|()| outlive_limit_of_file_sizes())
        .and_then(|()| bus_error::report_faults_in_mapped_files());
    let flushed = || io::stdout().flush().context(staging::STDOUT);
    let code = match prepared.and_then(|()| work()).and_then(|()| flushed()) {
        Ok(()) => 0,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            let of_database = |cause: &(dyn Error + 'static)| cause.is::<NcbiDatabaseError>();
            let is_of_database = error.chain().any(of_database);
            let code = if is_of_database { DATABASE_ERROR } else { 1 };
            // Complete before this thread is the one that speaks: memory may be refused until then.
            let line = console::line(&format!("error: {error:#}"));
            end(code, || console::print(&line))
        }
    };
    // All files have their names, and standard output has no more in its buffer.
    exit_now(code)
}

/// Keeps a value until the program ends. It is not dropped then: the system takes back its memory faster.
pub fn keep(value: impl Any + Send) {
    static KEPT: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(value));
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Handles SIGINT, SIGTERM and SIGHUP: removes unfinished files and ends the process with code 130. A signal that the parent
/// process wants ignored, as nohup does, stays ignored, and the others are handled all the same.
fn clean_up_when_interrupted() -> Result<()> {
    let mut handled = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        if !is_ignored(signal).context("cannot handle interrupts")? {
            handled.add(signal);
        }
    }
    if handled == SigSet::empty() {
        return Ok(());
    }
    // Blocked here, and so in all threads that this one starts, signals wait for the thread that asks for them.
    handled.thread_block().context("cannot handle interrupts")?;
    let wait = move || {
        if handled.wait().is_ok() {
            staging::abandon();
            exit_now(130);
        }
    };
    let thread = thread::Builder::new().name("interrupts".to_owned()).spawn(wait);
    thread.map(drop).context("cannot handle interrupts")
}

/// Whether a signal is ignored; one that is not has its default effect from now on.
fn is_ignored(of: Signal) -> nix::Result<bool> {
    // SAFETY: sets no handler.
    #[allow(unsafe_code)]
    let before = unsafe { signal(of, SigHandler::SigDfl) }?;
    let is_ignored = matches!(before, SigHandler::SigIgn);
    if is_ignored {
        // SAFETY: sets no handler.
        #[allow(unsafe_code)]
        unsafe { signal(of, SigHandler::SigIgn) }?;
    }
    Ok(is_ignored)
}

/// Ignores SIGXFSZ, so that a file that grows beyond the limit (`ulimit -f`) is an error of writing like all others.
fn outlive_limit_of_file_sizes() -> Result<()> {
    // SAFETY: sets no handler.
    #[allow(unsafe_code)]
    let ignored = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
    ignored.map(drop).context("cannot ignore a signal")
}

thread_local! {
    /// Whether the program ends by this thread, which says why.
    static ENDS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Whether it has been said why the program ends.
static HAS_SPOKEN: AtomicBool = AtomicBool::new(false);

/// Makes the calling thread the only one that says why the program ends, with `code`. Returns for the first thread alone:
/// others that fail meanwhile wait here for the end, and a second call by the first ends the program, as saying why has
/// failed.
fn speak_alone(code: i32) {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if ENDS_HERE.replace(true) {
        exit_now(code);
    }
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        loop {
            thread::park();
        }
    }
}

/// Ends the program at once, from whichever thread: says why, removes unfinished files, and exits with `code`.
fn end(code: i32, say: impl FnOnce()) -> ! {
    speak_alone(code);
    say();
    HAS_SPOKEN.store(true, Ordering::SeqCst);
    staging::abandon_unless_busy();
    exit_now(code)
}

/// Ends the program as [`end`], with code 1, for want of memory. If this thread was about to print another message, and lacks memory
/// for it, `say` prints its own instead, for which it needs none.
pub fn end_without_memory(say: impl FnOnce()) -> ! {
    if !ENDS_HERE.get() {
        end(1, say);
    }
    if !HAS_SPOKEN.swap(true, Ordering::SeqCst) {
        say();
        staging::abandon_unless_busy();
    }
    exit_now(1)
}

/// Exits without the exit handlers of libraries: they may need threads or memory that are not to be had, another thread may be
/// inside the library, and that of the allocator gives back free memory piece by piece.
fn exit_now(code: i32) -> ! {
    // SAFETY: ends the process and touches none of its memory.
    #[allow(unsafe_code)]
    unsafe {
        nix::libc::_exit(code)
    }
}

/// Ends the program after a panic.
fn end_with_fault(fault: &PanicHookInfo<'_>) {
    let message = message(fault.payload());
    if REFUSED_THREAD.iter().any(|refused| message.starts_with(refused)) {
        end(1, || {
            console::say(&format!(
                "error: the system refuses a thread: use fewer threads, or raise the limit (ulimit -u, ulimit -v): {message}"
            ));
        });
    }
    if REFUSED_MEMORY.iter().any(|refused| message.starts_with(refused)) {
        end(1, || {
            console::say(&format!(
                "error: out of memory: use fewer threads or smaller batches, or raise the limit (ulimit -v): {message}"
            ));
        });
    }
    end(FAULT, || {
        let at = fault.location().map(ToString::to_string).unwrap_or_default();
        console::say(&format!(
            "error: this is a fault of the program, please report it with the command line: {message} ({at})"
        ));
    })
}

/// The message of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown")
}
