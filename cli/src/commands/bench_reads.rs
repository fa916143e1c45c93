//! What the benchmarks of reads and a reference have in common: opening both.

use anyhow::Result;
use fm_index::FmIndex;

use crate::args::Operands;
use crate::commands::index;
use crate::console::Console;
use crate::input::{self, Layout, Reads};

/// Reads taken from the files at a time.
const BATCH: usize = 1 << 17;

/// The reference's index, built if there is none, and all reads.
pub fn load(operands: &Operands, console: &Console) -> Result<(FmIndex, Vec<Reads>)> {
    let index = match index::open(&operands.reference, console)? {
        Some(index) => index,
        None => index::build_for_mapping(&operands.reference, false, console)?,
    };
    let batches = input::batches(operands.reads.clone(), Layout::Single, BATCH).batches;
    let reads = batches.into_iter().map(input::Batch::checked).collect::<Result<_>>()?;
    Ok((index, reads))
}
