//! `gpualign merge`: the output of a run from the files of its shards.
//!
//! [`mapping`] gives the records of all shards to the writer of a run, so that sorting and marking duplicates are those of one
//! run.

pub mod args;
mod mapping;

use std::path::Path;

use anyhow::{Result, bail};

use self::args::MergeArguments;
use crate::console::Console;
use crate::options::start_threads;
use crate::shard::{Kind, ShardSet};
use crate::staging::Outputs;

/// Puts the shards of a run together.
///
/// # Errors
/// If they are not all shards of one run, or the output cannot be written.
pub fn run(arguments: &MergeArguments) -> Result<()> {
    start_threads(arguments.threads.count())?;
    let console = Console::new(arguments.messages);
    let shards = ShardSet::open(&arguments.shards)?;
    let inputs = arguments.shards.iter().chain(&arguments.reference).map(AsRef::<Path>::as_ref);
    let outputs = Outputs::new(inputs);
    match shards.kind() {
        Kind::Mapping => mapping::merge(shards, arguments, outputs, &console),
        Kind::Nw | Kind::Blastn => bail!("not yet"),
    }
}
