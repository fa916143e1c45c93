//! The program `gpualign` as a library: it aligns sequencing reads to a reference on CPUs and NVIDIA GPUs.
//!
//! The programs of this package are a line each; [`gpualign`], [`woodstocc()`], [`nw_batch()`] and [`blastn_pipeline()`] are
//! their main functions. Other programs use the modules that are public here: reading files of sequencing reads,
//! finding or building the index of a reference, common options, messages and charts. Whoever wants to map reads from a
//! program of their own uses the crates `seed-extend` (best mapping) and `woodstocc` (all mapping).
//!
//! ```
//! use gpualign::input::{self, Layout, ReadBatch};
//!
//! # fn main() -> anyhow::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("reads.fq");
//! std::fs::write(&path, "@one first read\nACGT\n+\nIIII\n@two\nGGA\n+\nIII\n")?;
//!
//! // A thread reads the files, 1,000 reads at a time; the records of each batch are then checked.
//! let batches = input::batches(vec![path], Layout::Single, 1000).batches;
//! let batches = batches.into_iter().map(ReadBatch::checked).collect::<anyhow::Result<Vec<_>>>()?;
//!
//! let reads: Vec<_> = batches.iter().flat_map(|reads| reads.iter()).collect();
//! assert_eq!((reads[0].name, reads[0].sequence), (&b"one"[..], &b"ACGT"[..]));
//! assert_eq!(reads[1].quality, Some(&[40, 40, 40][..]));
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! ```text
//!   READS --input--> batches of reads --commands::map--> records --output--> FILE, through staging
//!   REF or REF.gpx --index--> FmIndex ------^
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`options`] | options that several commands have in common |
//! | [`console`] | notices and progress on standard error |
//! | `staging` | which files may be written, and files that get their name only when they are complete |
//! | `timeline` | when each step of each batch was done |
//! | [`chart`] | lines and bars as SVG |
//! | [`input`] | files of reads to checked batches of reads |
//! | [`index`] | finding or building the index of a reference |
//! | `on_device` | a GPU, or the CPU where it fails |
//! | `output` | records to SAM, BAM and CRAM |
//! | `commands` | a folder or file for each command: its options, and what it does |
//! | `command_line` | the command line of each program, and which command it runs |
//! | `program` | the frame of every program: interrupts, faults, the error line, the exit code |
//! | `allocation` | memory that the system refuses |
//!
//! Each module imports only modules above it in this table. Reading, searching, making records and writing overlap:
//! each is a stage with its own thread, and batches pass from one stage to the next in order (`commands::map`). So the
//! output does not depend on the number of threads, on the batch size or on the device.
//!
//! The exit code is 0, 2 for a wrong command line, 130 if interrupted, 101 for a fault of the program, and 1 for every
//! other error, which is printed in one line on standard error. A reader of standard output that goes away (as `head` does) is no error.

mod allocation;
pub mod chart;
mod command_line;
mod commands;
pub mod console;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod index;
pub mod input;
mod on_device;
pub mod options;
mod output;
mod program;
mod staging;
mod timeline;

use std::env;
use std::process::ExitCode;

use self::command_line::{BlastnPipeline, CommandLine, Gpualign, NwBatch, Woodstocc};

pub use self::commands::blastn::{open as open_database, read_queries};
pub use self::program::run_program;

/// The program `gpualign`: maps reads, or runs one of its commands.
pub fn gpualign() -> ExitCode {
    main_of::<Gpualign>("gpualign")
}

/// The program `woodstocc`: `gpualign --mode all`.
pub fn woodstocc() -> ExitCode {
    main_of::<Woodstocc>("woodstocc")
}

/// The program `nw-batch`: `gpualign nw`.
pub fn nw_batch() -> ExitCode {
    main_of::<NwBatch>("nw-batch")
}

/// The program `blastn-pipeline`: `gpualign blastn`.
pub fn blastn_pipeline() -> ExitCode {
    main_of::<BlastnPipeline>("blastn-pipeline")
}

fn main_of<L: CommandLine>(name: &'static str) -> ExitCode {
    match command_line::parse::<L>(env::args_os().collect()) {
        Ok(line) => run_program(name, || line.run()),
        Err(asked) => run_program(name, || staging::print_with(|| asked.print())),
    }
}
