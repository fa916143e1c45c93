//! `gpualign` aligns sequencing reads to a reference on CPUs and NVIDIA GPUs.
//!
//! # Design
//!
//! ```text
//!   READS --input--> batches of reads --woodstocc--> mappings --output--> pieces of records --> FILE
//!   REF or REF.gpx --commands::index--> FmIndex ----^                            output::staging
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`args`] | the command line |
//! | [`commands`] | what each command does |
//! | [`input`] | files of reads to checked batches of reads |
//! | [`output`] | mappings to SAM, BAM and CRAM, under the final name only when complete |
//! | [`simulate`] | made-up genomes and reads |
//! | [`evaluate`] | whether reads were placed where they are from, or where another mapper has them |
//! | [`console`] | notices and progress on standard error |
//! | [`stats`] | what `--stats` prints |
//! | [`report`] | the same as a page, and for `MultiQC` |
//! | [`timeline`] | when each step of each batch was done |
//!
//! Reading, searching, making records and writing overlap: each is a stage with a thread of its own, and
//! batches pass from one to the next in order (`commands::map`). So the output does not depend on the
//! number of threads, on the batch size or on the device.
//!
//! The exit code is 0, 2 for a wrong command line, 130 if interrupted, and 1 for every other error,
//! which is told in one line on standard error. A reader of standard output that goes away (as
//! `head` does) is no error.

mod args;
mod commands;
mod console;
mod evaluate;
mod input;
mod output;
mod report;
mod simulate;
mod stats;
mod timeline;

use std::io;
use std::process::ExitCode;

use crate::args::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_command_line();
    match commands::run(&arguments) {
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
