//! Writing of results, tile by tile.

use std::fs::File;
use std::io::Write;

use anyhow::Result;

use crate::commands::nw::resume::ResumableRun;
use crate::commands::nw::tiles::TileEnd;
use crate::shard::ShardWriter;

/// File that grows by the results of each tile.
pub enum TileWriter {
    /// A file of results.
    File {
        file: File,
        /// Bytes of the file so far.
        bytes: u64,
        /// The run, if a later one can continue it.
        run: Option<Box<ResumableRun>>,
    },
    /// The file of a shard.
    Shard(ShardWriter),
}

impl TileWriter {
    /// A file that no later run continues.
    pub fn new(file: File) -> Self {
        Self::File { file, bytes: 0, run: None }
    }

    /// The partial file of a run, which has so many bytes.
    pub fn resumed(file: File, bytes: u64, run: Box<ResumableRun>) -> Self {
        Self::File { file, bytes, run: Some(run) }
    }

    /// Appends results, in `parts`, of the pairs before an end.
    pub fn add(&mut self, parts: &[Vec<u8>], end: TileEnd) -> Result<()> {
        match self {
            Self::File { file, bytes, run } => {
                for part in parts {
                    file.write_all(part)?;
                    *bytes += part.len() as u64;
                    if let Some(run) = run {
                        run.update(part);
                    }
                }
                run.as_mut().map_or(Ok(()), |run| run.note(*bytes, end.next))
            }
            Self::Shard(shard) => Ok(shard.write(end.unit, parts)?),
        }
    }
}
