//! Writing of results, tile by tile.

use std::fs::File;
use std::io::Write;

use anyhow::Result;

use crate::commands::nw::resume::ResumableRun;
use crate::commands::nw::tiles::PairCursor;

/// File that grows by the results of each tile.
pub struct TileWriter {
    file: File,
    /// Bytes of the file so far.
    bytes: u64,
    /// The run, if a later one can continue it.
    run: Option<ResumableRun>,
}

impl TileWriter {
    /// A file that no later run continues.
    pub fn new(file: File) -> Self {
        Self { file, bytes: 0, run: None }
    }

    /// The partial file of a run, which has so many bytes.
    pub fn resumed(file: File, bytes: u64, run: ResumableRun) -> Self {
        Self { file, bytes, run: Some(run) }
    }

    /// Appends results, in `parts`, of the pairs before `next`.
    pub fn add(&mut self, parts: &[Vec<u8>], next: PairCursor) -> Result<()> {
        for part in parts {
            self.file.write_all(part)?;
            self.bytes += part.len() as u64;
            if let Some(run) = &mut self.run {
                run.update(part);
            }
        }
        self.run.as_mut().map_or(Ok(()), |run| run.note(self.bytes, next))
    }

    /// The file that results are written to, and the run, if a later one can continue it.
    pub fn finish(self) -> (File, Option<ResumableRun>) {
        (self.file, self.run)
    }
}
