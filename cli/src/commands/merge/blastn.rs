//! Merging shards of `gpualign blastn`.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};

use super::args::MergeArguments;
use crate::commands::blastn::shard::BlastnShard;
use crate::shard::ShardSet;
use crate::staging::Outputs;

/// Writes the report that one run would have written.
pub fn merge(mut shards: ShardSet, arguments: &MergeArguments, mut outputs: Outputs) -> Result<()> {
    let BlastnShard { begin, end } = shards.content()?;
    let target = outputs.target(arguments.output.as_deref())?;
    let name = || target.name();
    let mut out = BufWriter::new(File::from(target.open().with_context(name)?));
    out.write_all(begin.as_bytes()).with_context(name)?;
    shards.write_contents(&mut out, name)?;
    out.write_all(end.as_bytes()).and_then(|()| out.flush()).with_context(name)?;
    drop(out);
    target.commit()
}
