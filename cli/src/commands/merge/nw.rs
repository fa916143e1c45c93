//! Merging shards of `gpualign nw`.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Write};

use anyhow::{Context, Result, ensure};

use super::args::MergeArguments;
use crate::commands::nw::args::NwFormat;
use crate::commands::nw::compression::{CompressedWriter, Compression};
use crate::commands::nw::format::write_matrix;
use crate::commands::nw::shard::NwShard;
use crate::shard::ShardSet;
use crate::staging::Outputs;

/// Writes the table or the matrix that one run would have written.
pub fn merge(mut shards: ShardSet, arguments: &MergeArguments, mut outputs: Outputs) -> Result<()> {
    let facts: NwShard = shards.content()?;
    let target = outputs.target(arguments.output.as_deref())?;
    let name = || target.name();
    let compression = match &arguments.output {
        Some(path) => {
            let format = NwFormat::from_extension(path).unwrap_or(facts.format);
            ensure!(
                format == facts.format,
                "{}: the shards have the format {}: give the output its extension, or none",
                path.display(),
                facts.format
            );
            Compression::of(path).0
        }
        None => Compression::None,
    };
    if facts.format.is_matrix() {
        let folder = arguments.temporary_folder.clone();
        let folder = folder.unwrap_or_else(|| target.scratch_folder());
        let named = || format!("cannot write a temporary file in {}", folder.display());
        let triangle = tempfile::tempfile_in(&folder).with_context(named)?;
        let mut out = BufWriter::new(triangle);
        shards.write_contents(&mut out, named)?;
        let triangle = out.into_inner().map_err(IntoInnerError::into_error).with_context(named)?;
        target.write(|file| {
            let mut out = CompressedWriter::new(file, compression);
            write_matrix(facts.format, &facts.names, &triangle, facts.values, &mut out)?;
            out.flush()
        })?;
    } else {
        let file = File::from(target.open().with_context(name)?);
        let mut out = CompressedWriter::new(file, compression);
        out.write_all(facts.heading.as_bytes()).with_context(name)?;
        shards.write_contents(&mut out, name)?;
        out.flush().with_context(name)?;
    }
    target.commit()
}
