//! Writing of results, tile by tile, and continuation of an interrupted run.
//!
//! With `--resume`, results go to `FILE.partial`. Beside it, `FILE.partial.json` has the number of bytes of the
//! finished tiles, the position of the next pair, and a hash of the run's options and input. A later run of the same
//! command cuts the file to these bytes and continues; the complete file is the same as that of one run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::commands::nw::tiles::PairCursor;

/// Content of `FILE.partial.json`: the progress of a run.
#[derive(Debug, Serialize, Deserialize)]
struct ResumeState {
    /// Hash of everything that the output depends on.
    job: u64,
    /// Bytes of finished tiles.
    bytes: u64,
    /// Position of the first pair without results.
    next: PairCursor,
}

/// File that grows by the results of each tile.
#[derive(Debug)]
pub struct TileWriter {
    file: File,
    /// Bytes of the file so far.
    bytes: u64,
    /// Names of the partial file and of its state, if a later run can continue it.
    partial: Option<PartialFile>,
}

/// Unfinished output that a later run can continue.
#[derive(Debug)]
struct PartialFile {
    /// Hash of everything that the output depends on.
    job: u64,
    path: PathBuf,
    state: PathBuf,
}

impl TileWriter {
    /// A file that no later run continues.
    pub fn new(file: File) -> Self {
        Self { file, bytes: 0, partial: None }
    }

    /// Starts a partial file for `output`, or continues the one of an earlier run of the same job, by its hash. If
    /// there is one, also returns the position of the first pair without results.
    ///
    /// # Errors
    /// If the partial file is of another job, or does not fit its state, or files cannot be read or written.
    pub fn resumed(output: &Path, job: u64) -> Result<(Self, Option<PairCursor>)> {
        let with = |suffix: &str| {
            let mut path = output.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        };
        let kept = PartialFile { job, path: with(".partial"), state: with(".partial.json") };
        let (partial, state) = (&kept.path, &kept.state);
        let open =
            || OpenOptions::new().create(true).truncate(false).read(true).write(true).open(partial);
        let mut file = open().with_context(|| partial.display().to_string())?;
        let mut bytes = 0;
        let mut next = None;
        match fs::read(state) {
            Ok(text) => {
                let found: ResumeState = serde_json::from_slice(&text)
                    .with_context(|| format!("{}: not the state of a run", state.display()))?;
                if found.job != job {
                    bail!(
                        "{}: is of other input, options or version; remove it to start over",
                        state.display()
                    );
                }
                if file.metadata()?.len() < found.bytes {
                    bail!("{}: is shorter than its state says", partial.display());
                }
                (bytes, next) = (found.bytes, Some(found.next));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| state.display().to_string()),
        }
        file.set_len(bytes)
            .and_then(|()| file.seek(SeekFrom::Start(bytes)))
            .with_context(|| partial.display().to_string())?;
        Ok((Self { file, bytes, partial: Some(kept) }, next))
    }

    /// Appends results, in `parts`, of the pairs before `next`.
    pub fn add(&mut self, parts: &[Vec<u8>], next: PairCursor) -> Result<()> {
        for part in parts {
            self.file.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        if let Some(kept) = &self.partial {
            // The new state replaces the old one when it is complete, so that there always is a state.
            let new = kept.state.with_extension("json.new");
            let state = ResumeState { job: kept.job, bytes: self.bytes, next };
            fs::write(&new, serde_json::to_vec(&state)?)
                .and_then(|()| fs::rename(&new, &kept.state))
                .with_context(|| kept.state.display().to_string())?;
        }
        Ok(())
    }

    /// The file that results are written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Renames a partial file to `output`.
    pub fn rename(&self, output: &Path) -> Result<()> {
        match &self.partial {
            Some(kept) => {
                fs::rename(&kept.path, output).with_context(|| output.display().to_string())
            }
            None => Ok(()),
        }
    }

    /// Removes the partial file and its state, as far as they are still there.
    pub fn remove_partial(self) -> Result<()> {
        let Some(kept) = &self.partial else { return Ok(()) };
        for path in [&kept.path, &kept.state] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| path.display().to_string());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::nw::tiles::{PairSelection, PairSource, TileLimits};

    #[test]
    fn a_run_goes_on_where_the_last_tile_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("out");
        let sequences = [[0_u8; 3]; 4].iter().collect();
        let selection = PairSelection::AllVsAll { diagonal: false };
        let source = PairSource { selection, queries: &sequences, targets: &sequences };
        let mut cursor = source.begin();

        let (mut writer, next) = TileWriter::resumed(&output, 7).expect("begins");
        assert_eq!(next, None);
        source.tile(&mut cursor, TileLimits { pairs: 4, cells: u64::MAX });
        writer.add(&[b"first".to_vec(), b" tile".to_vec()], cursor).expect("adds");
        // Half a tile more, when the run is interrupted.
        writer.file.write_all(b" and hal").expect("writes");
        drop(writer);

        assert!(TileWriter::resumed(&output, 8).is_err(), "another job");
        let (mut writer, next) = TileWriter::resumed(&output, 7).expect("goes on");
        assert_eq!(next, Some(cursor));
        writer.add(&[b", second".to_vec()], cursor).expect("adds");
        writer.rename(&output).expect("renames");
        writer.remove_partial().expect("forgets");
        assert_eq!(fs::read(&output).expect("reads"), b"first tile, second");
        assert_eq!(fs::read_dir(&folder).expect("lists").count(), 1);
    }
}
