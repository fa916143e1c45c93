//! `gpualign merge`: the output of a run from the files of its shards.
//!
//! [`nw`] and [`blastn`] put results after each other; [`mapping`] gives the records of all shards to the writer of a run, so that sorting and marking duplicates are those of one
//! run.

pub mod args;
mod blastn;
mod mapping;
mod nw;

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
    let kind = shards.kind();
    if let (Kind::Nw | Kind::Blastn, Some(name)) = (kind, arguments.option_of_mapping()) {
        bail!("{name} is of shards of mapping, and these are of {}: leave it out", kind.command());
    }
    match kind {
        Kind::Mapping => mapping::merge(shards, arguments, outputs, &console),
        Kind::Nw => nw::merge(shards, arguments, outputs),
        Kind::Blastn => blastn::merge(shards, arguments, outputs),
    }
}
