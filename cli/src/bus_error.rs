//! The signal SIGBUS, by which the system tells that a mapped index or database cannot be read any more: somebody cut it
//! short while it was in use, or its disk failed.
//!
//! The handler finds out whether the fault is in such a file, tells a thread by a pipe and stops its own thread for good; it
//! may do no more. The thread prints the error line, removes unfinished files and ends the process. Any other fault goes to
//! the handler that was there before.

use std::ffi::{c_int, c_void};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::OnceLock;
use std::thread;

use aligner_core::container::{mapped_file_at, mapped_path};
use anyhow::{Context, Result};
use nix::libc::siginfo_t;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::{console, staging};

/// State of the handler.
struct Handler {
    /// The pipe to the thread that ends the process: the number of a mapped file.
    pipe: PipeWriter,
    /// The action at SIGBUS before this handler.
    before: OnceLock<SigAction>,
}

static HANDLER: OnceLock<Handler> = OnceLock::new();

/// Makes faults in mapped files errors like all others.
///
/// # Errors
/// If the system refuses.
pub fn report_faults_in_mapped_files() -> Result<()> {
    install().context("cannot handle faults in mapped files")
}

fn install() -> io::Result<()> {
    let (reader, pipe) = io::pipe()?;
    let mut is_new = false;
    let handler = HANDLER.get_or_init(|| {
        is_new = true;
        Handler { pipe, before: OnceLock::new() }
    });
    if !is_new {
        return Ok(());
    }
    thread::Builder::new().name("faults".to_owned()).spawn(move || wait_for_fault(reader))?;
    // As the standard library's, it runs on a stack of its own: the fault may be that the stack is full.
    let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
    let action = SigAction::new(SigHandler::SigAction(handle), flags, SigSet::empty());
    // SAFETY: the handler calls only functions that may be called in a signal handler.
    #[allow(unsafe_code)]
    let before = unsafe { sigaction(Signal::SIGBUS, &action) }?;
    // Nobody else sets it.
    let _ = handler.before.set(before);
    Ok(())
}

/// The handler of SIGBUS.
extern "C" fn handle(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system passes a valid structure.
    #[allow(unsafe_code)]
    let info = unsafe { &*info };
    // SAFETY: the structure of this signal has an address.
    #[allow(unsafe_code)]
    let address = unsafe { info.si_addr() }.addr();
    let Some(handler) = HANDLER.get() else { return };
    if let Some(number) = mapped_file_at(address)
        && (&handler.pipe).write_all(&[number]).is_ok()
    {
        loop {
            // SAFETY: waits for any signal; has no other effect.
            #[allow(unsafe_code)]
            unsafe {
                nix::libc::pause();
            }
        }
    }
    // With the earlier handler in place, the instruction that failed is repeated, and fails again.
    if let Some(before) = handler.before.get() {
        // SAFETY: this action was in place before.
        #[allow(unsafe_code)]
        let _ = unsafe { sigaction(Signal::SIGBUS, before) };
    }
}

/// Waits until the handler tells of a fault, and ends the process.
fn wait_for_fault(mut pipe: PipeReader) {
    let mut number = [0];
    if pipe.read_exact(&mut number).is_ok() {
        let path =
            mapped_path(number[0]).map_or_else(String::new, |path| format!("{}: ", path.display()));
        console::say(&format!(
            "error: {path}the file was cut short or became unreadable while it was in use; start again when it is whole"
        ));
        staging::abandon();
        std::process::exit(1);
    }
}
