//! The frame of every program: interrupts, the error line and the exit code.

use std::io;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{bus_error, console, staging};

/// Runs `work` as the program called `name`, which begins its messages.
///
/// The exit code is 0, or 1 for an error, which is printed in one line on standard error. A reader of standard output
/// that goes away (as `head` does) is no error. On SIGINT, SIGTERM and SIGHUP unfinished files are removed and the
/// process ends with code 130.
pub fn run_program(name: &'static str, work: impl FnOnce() -> Result<()>) -> ExitCode {
    console::set_program(name);
    let prepared =
        clean_up_when_interrupted().and_then(|()| bus_error::report_faults_in_mapped_files());
    match prepared.and_then(|()| work()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            console::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Handles SIGINT, SIGTERM and SIGHUP: removes unfinished files and ends the process with code 130.
fn clean_up_when_interrupted() -> Result<()> {
    let handler = || {
        staging::abandon();
        std::process::exit(130);
    };
    match ctrlc::try_set_handler(handler) {
        // The parent process wants a signal ignored, as nohup does: leave it so.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(error).context("cannot handle interrupts"),
    }
}
