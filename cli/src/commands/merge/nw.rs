//! Merging shards of `gpualign nw`.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Write};

use anyhow::{Context, Result};

use super::args::MergeArguments;
use crate::commands::nw::format::write_matrix;
use crate::commands::nw::shard::NwShard;
use crate::shard::ShardSet;
use crate::staging::Outputs;

/// Writes the table or the matrix that one run would have written.
pub fn merge(mut shards: ShardSet, arguments: &MergeArguments, mut outputs: Outputs) -> Result<()> {
    let facts: NwShard = shards.content()?;
    let target = outputs.target(arguments.output.as_deref())?;
    let name = || target.name();
    if facts.format.is_matrix() {
        let folder = arguments.temporary_folder.clone();
        let folder = folder.unwrap_or_else(|| target.scratch_folder());
        let named = || format!("cannot write a temporary file in {}", folder.display());
        let triangle = tempfile::tempfile_in(&folder).with_context(named)?;
        let mut out = BufWriter::new(triangle);
        shards.write_contents(&mut out, named)?;
        let triangle = out.into_inner().map_err(IntoInnerError::into_error).with_context(named)?;
        target.write(|file| {
            let mut out = BufWriter::new(file);
            write_matrix(facts.format, &facts.names, &triangle, facts.score_only, &mut out)?;
            out.flush()
        })?;
    } else {
        let file = File::from(target.open().with_context(name)?);
        let mut out = BufWriter::new(file);
        out.write_all(facts.heading.as_bytes()).with_context(name)?;
        shards.write_contents(&mut out, name)?;
        out.flush().with_context(name)?;
    }
    target.commit()
}
