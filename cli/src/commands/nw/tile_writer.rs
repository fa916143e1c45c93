//! Where results go, tile by tile, and where an ended run goes on.
//!
//! With `--resume` results are kept in `FILE.partial`, and beside it, in `FILE.partial.json`, how
//! many bytes of it are of how many finished tiles, and of which job. A run of the same job cuts
//! the file to those bytes and goes on; the complete file is the same as of one run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::commands::nw::job::PairCursor;

/// What is known of a run that was ended.
#[derive(Debug, Serialize, Deserialize)]
struct ResumeState {
    /// The job: a hash of everything that its output depends on.
    job: u64,
    bytes: u64,
    next: PairCursor,
}

/// A file that grows with each tile.
#[derive(Debug)]
pub struct TileWriter {
    file: File,
    bytes: u64,
    kept: Option<PartialFile>,
}

/// Where an unfinished file is kept.
#[derive(Debug)]
struct PartialFile {
    job: u64,
    partial: PathBuf,
    state: PathBuf,
}

impl TileWriter {
    /// A file that nobody goes on with.
    pub fn new(file: File) -> Self {
        Self { file, bytes: 0, kept: None }
    }

    /// Begins to keep `output` as a partial file, or goes on with the one of an earlier run of the
    /// same job; then the next pair is given, too.
    pub fn resumed(output: &Path, job: u64) -> Result<(Self, Option<PairCursor>)> {
        let with = |suffix: &str| {
            let mut path = output.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        };
        let kept = PartialFile { job, partial: with(".partial"), state: with(".partial.json") };
        let (partial, state) = (&kept.partial, &kept.state);
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
                        "{}: is of other input, options or version; remove it to begin anew",
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
        Ok((Self { file, bytes, kept: Some(kept) }, next))
    }

    /// Adds the results before the pair `next`.
    pub fn add(&mut self, parts: &[Vec<u8>], next: PairCursor) -> Result<()> {
        for part in parts {
            self.file.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        if let Some(kept) = &self.kept {
            // Renamed when it is complete: there always is a state.
            let new = kept.state.with_extension("json.new");
            let state = ResumeState { job: kept.job, bytes: self.bytes, next };
            fs::write(&new, serde_json::to_vec(&state)?)
                .and_then(|()| fs::rename(&new, &kept.state))
                .with_context(|| kept.state.display().to_string())?;
        }
        Ok(())
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the complete file its name, if it was kept.
    pub fn rename(&self, output: &Path) -> Result<()> {
        match &self.kept {
            Some(kept) => {
                fs::rename(&kept.partial, output).with_context(|| output.display().to_string())
            }
            None => Ok(()),
        }
    }

    /// Removes what was kept to go on with.
    pub fn forget(self) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        for path in [&kept.partial, &kept.state] {
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
    use crate::commands::nw::job::{JobPairs, JobKind, TileLimits};

    #[test]
    fn a_run_goes_on_where_the_last_tile_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("out");
        let sequences = [[0_u8; 3]; 4].iter().collect();
        let kind = JobKind::AllVsAll { diagonal: false };
        let job = JobPairs { kind, queries: &sequences, targets: &sequences };
        let mut cursor = job.begin();

        let (mut body, next) = TileWriter::resumed(&output, 7).expect("begins");
        assert_eq!(next, None);
        job.tile(&mut cursor, TileLimits { pairs: 4, cells: u64::MAX });
        body.add(&[b"first".to_vec(), b" tile".to_vec()], cursor).expect("adds");
        // Half a tile more, when the run is ended.
        body.file.write_all(b" and hal").expect("writes");
        drop(body);

        assert!(TileWriter::resumed(&output, 8).is_err(), "another job");
        let (mut body, next) = TileWriter::resumed(&output, 7).expect("goes on");
        assert_eq!(next, Some(cursor));
        body.add(&[b", second".to_vec()], cursor).expect("adds");
        body.rename(&output).expect("renames");
        body.forget().expect("forgets");
        assert_eq!(fs::read(&output).expect("reads"), b"first tile, second");
        assert_eq!(fs::read_dir(&folder).expect("lists").count(), 1);
    }
}
