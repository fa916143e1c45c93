//! Mapping with the command line of `bwa mem` (0.7.17): the same letters with the same meanings.
//!
//! [`args`] has bwa's options, [`header_lines`] those that `-H` inserts. [`run`] turns them into the options of mapping
//! (`commands::map`), whose pipeline does everything.

pub mod args;
mod header_lines;

use anyhow::{Error, Result};

use self::args::MemArguments;
use crate::commands::map;
use crate::console::Console;

/// Maps reads as `bwa mem` would be asked to.
///
/// # Errors
/// If that fails.
pub fn run(arguments: &MemArguments) -> Result<()> {
    let mut options = arguments.options().map_err(Error::msg)?;
    options.of_mem.header = arguments.header().map_err(Error::msg)?;
    let console = Console::new(options.messages);
    arguments.notes().iter().for_each(|note| console.notice(note));
    map::run(&arguments.mapping_files(), &options)
}
