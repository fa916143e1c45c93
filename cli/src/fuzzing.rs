//! Entries of the fuzz targets (`tests/fuzz`) to what the programs use and no library offers. This module exists only with
//! the feature `fuzzing`.

use std::cell::RefCell;
use std::ffi::OsString;

use crate::command_line::{self, BlastnPipeline, CommandLine, Gpualign, NwBatch, Woodstocc};

pub use crate::commands::evaluate::count as count_alignments;
pub use crate::commands::nw::fuzzing::{read_sequences, resume};

/// Parses and checks the words of a command line of one of the four programs, chosen by a number.
///
/// # Errors
/// What is wrong with them.
pub fn check_command_line(program: u8, words: Vec<OsString>) -> Result<(), clap::Error> {
    // Making a definition takes longer than parsing.
    thread_local! {
        static DEFINITIONS: RefCell<[clap::Command; 4]> = RefCell::new([
            Gpualign::definition(),
            Woodstocc::definition(),
            NwBatch::definition(),
            BlastnPipeline::definition(),
        ]);
    }
    DEFINITIONS.with_borrow_mut(|[gpualign, woodstocc, nw_batch, blastn]| match program % 4 {
        0 => command_line::try_parse::<Gpualign>(gpualign, words).map(drop),
        1 => command_line::try_parse::<Woodstocc>(woodstocc, words).map(drop),
        2 => command_line::try_parse::<NwBatch>(nw_batch, words).map(drop),
        _ => command_line::try_parse::<BlastnPipeline>(blastn, words).map(drop),
    })
}
