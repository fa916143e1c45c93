//! Continuation of an interrupted run: `--resume`.
//!
//! Results go to `FILE.partial`, beside the output. `FILE.partial.json` has the state of the run: a line about the run, and
//! a line for each tile that is finished. It is only appended to, so that a run that is killed leaves all lines but
//! perhaps the last one whole; one without a whole line is that of a run that has not begun. A lock on it keeps other runs
//! away.
//!
//! ```text
//!   {"entry":{"program":"gpualign nw --resume","job":<hash>,"inode":<partial file>},"checksum":<...>}
//!   {"entry":{"bytes":<of all finished tiles>,"next":<pair>,"hash":<of these bytes>},"checksum":<...>}
//!   ...
//! ```
//!
//! A checksum is that of the entry, seeded with the checksum of the line before. A later run of the same command goes on
//! where the last line says, after it has compared the bytes of the partial file with the hash. At the end, the partial
//! file is renamed to the output and the state is removed; the complete file is the same as that of one run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use aligner_core::path::extended;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64_with_seed};

use crate::commands::nw::tiles::PairCursor;
use crate::staging::Outputs;

/// The first words of a state.
const PROGRAM: &str = "gpualign nw --resume";

/// Bytes of a partial file that are compared at a time.
const BLOCK: usize = 1 << 20;

/// The first entry of a state: the run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunEntry {
    program: String,
    /// Hash of everything that the output depends on.
    job: u64,
    /// Inode of the partial file.
    inode: u64,
}

/// A further entry of a state: the progress after a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgressEntry {
    /// Bytes of finished tiles.
    bytes: u64,
    /// Position of the first pair without results.
    next: PairCursor,
    /// XXH3 of these bytes.
    hash: u64,
}

/// A line of a state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine<E> {
    entry: E,
    checksum: u64,
}

/// The files of a run that can be continued.
#[derive(Debug)]
pub struct ResumePaths {
    /// The output, with symbolic links followed.
    output: PathBuf,
    partial: PathBuf,
    state: PathBuf,
}

/// A run that a later run can continue.
pub struct ResumableRun {
    paths: ResumePaths,
    /// The state, which is locked as long as it is open.
    state: File,
    /// The checksum of the last line of the state.
    checksum: u64,
    /// Hash of the partial file so far.
    hasher: Xxh3Default,
}

/// The state of things that `--resume` has found.
pub enum Resumed {
    /// The partial file, with its bytes so far, and the position of the first pair without results, unless there are no
    /// results yet.
    Run { run: Box<ResumableRun>, file: File, bytes: u64, next: Option<PairCursor> },
    /// The earlier run was complete, and was interrupted before its state was removed.
    Complete,
}

impl ResumePaths {
    /// The files of the run that writes the regular file `output`.
    ///
    /// # Errors
    /// If one of them is an input or another output.
    pub fn new(output: &Path, outputs: &mut Outputs) -> Result<Self> {
        let partial = extended(output, "partial");
        let state = extended(&partial, "json");
        for path in [&partial, &state] {
            outputs.reserve(path)?;
            let is_other = fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
            ensure!(!is_other, "{}: not a regular file: rename or remove it", path.display());
        }
        Ok(Self { output: output.to_owned(), partial, state })
    }

    /// Begins a run of this job (a hash), or continues the one that was interrupted. `is_end` tells whether no pair is left
    /// at a position. With `is_renamed`, the partial file becomes the output.
    ///
    /// # Errors
    /// If the files are in use, or damaged, or of another job or no run at all, or cannot be read or written.
    pub fn resume(
        self,
        job: u64,
        is_end: impl Fn(PairCursor) -> bool,
        is_renamed: bool,
    ) -> Result<Resumed> {
        let mut state = self.lock_state()?;
        let mut text = Vec::new();
        state.read_to_end(&mut text).with_context(|| self.state.display().to_string())?;
        if is_before_first_line(&text) {
            return self.start(state, job);
        }
        let StateText { run, last, checksum, length } =
            parse(&text).with_context(|| self.state.display().to_string())?;
        if run.job != job {
            let state = self.state.display();
            bail!(
                "{state}: is of other input, options or version; remove it and {} to start over",
                self.partial.display()
            );
        }
        let file = match File::options().read(true).write(true).open(&self.partial) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if is_renamed && last.is_some_and(|last| self.is_complete(&run, last, is_end)) {
                    fs::remove_file(&self.state)
                        .with_context(|| self.state.display().to_string())?;
                    return Ok(Resumed::Complete);
                }
                // Nothing is left to continue.
                return self.start(state, job);
            }
            Err(error) => return Err(error).with_context(|| self.partial.display().to_string()),
        };
        // Half a line, which a killed run leaves.
        state.set_len(length).with_context(|| self.state.display().to_string())?;
        self.go_on((state, checksum), file, &run, last)
    }

    /// Opens the state and locks it.
    fn lock_state(&self) -> Result<File> {
        let named = || self.state.display().to_string();
        loop {
            let mut options = OpenOptions::new();
            let state = options.create(true).read(true).append(true).open(&self.state);
            let state = state.with_context(named)?;
            match state.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    bail!("{}: another run writes {} now", named(), self.output.display());
                }
                Err(TryLockError::Error(error)) => return Err(error).with_context(named),
            }
            // Another run may have ended, and removed the state, before it was locked here.
            let is_there = match fs::metadata(&self.state) {
                Ok(found) => found.ino() == state.metadata().with_context(named)?.ino(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                Err(error) => return Err(error).with_context(named),
            };
            if is_there {
                return Ok(state);
            }
        }
    }

    /// Begins a run; what the state has is of no use.
    fn start(self, state: File, job: u64) -> Result<Resumed> {
        let mut options = OpenOptions::new();
        let opened =
            options.create(true).truncate(false).read(true).write(true).open(&self.partial);
        let partial = || self.partial.display().to_string();
        let file = opened.with_context(partial)?;
        let found = file.metadata().with_context(partial)?;
        if found.len() > 0 {
            fs::remove_file(&self.state).with_context(|| self.state.display().to_string())?;
            bail!(
                "{}: not of an interrupted run, whose state would be in {}: rename or remove it",
                partial(),
                self.state.display()
            );
        }
        state.set_len(0).with_context(|| self.state.display().to_string())?;
        let mut run = ResumableRun { paths: self, state, checksum: 0, hasher: Xxh3Default::new() };
        run.append(&RunEntry { program: PROGRAM.to_owned(), job, inode: found.ino() })?;
        Ok(Resumed::Run { run: Box::new(run), file, bytes: 0, next: None })
    }

    /// Continues a run after its last finished tile.
    fn go_on(
        self,
        (state, checksum): (File, u64),
        mut file: File,
        run: &RunEntry,
        last: Option<ProgressEntry>,
    ) -> Result<Resumed> {
        let partial = || self.partial.display().to_string();
        let over = || format!("remove it and {} to start over", self.state.display());
        let found = file.metadata().with_context(partial)?;
        let bytes = last.map_or(0, |last| last.bytes);
        ensure!(found.len() >= bytes, "{}: is shorter than its state says: {}", partial(), over());
        let hasher = hash(&mut file, bytes).with_context(partial)?;
        if let Some(last) = last {
            ensure!(
                hasher.digest() == last.hash,
                "{}: is not what its state says: {}",
                partial(),
                over()
            );
        } else {
            // Without a finished tile, only its inode tells that the file is of this run.
            ensure!(
                found.len() == 0 || found.ino() == run.inode,
                "{}: is another file than its state says: rename or remove it",
                partial()
            );
        }
        file.set_len(bytes)
            .and_then(|()| file.seek(SeekFrom::Start(bytes)))
            .with_context(partial)?;
        let run = Box::new(ResumableRun { paths: self, state, checksum, hasher });
        Ok(Resumed::Run { run, file, bytes, next: last.map(|last| last.next) })
    }

    /// Whether the output is the complete partial file of a run.
    fn is_complete(
        &self,
        run: &RunEntry,
        last: ProgressEntry,
        is_end: impl Fn(PairCursor) -> bool,
    ) -> bool {
        let is_same = |file: &mut File| -> io::Result<bool> {
            let found = file.metadata()?;
            Ok(found.ino() == run.inode
                && found.len() == last.bytes
                && hash(file, last.bytes)?.digest() == last.hash)
        };
        is_end(last.next)
            && File::open(&self.output).and_then(|mut file| is_same(&mut file)).unwrap_or(false)
    }
}

impl ResumableRun {
    /// Appends an entry to the state.
    fn append<E: Serialize>(&mut self, entry: &E) -> Result<()> {
        let (line, checksum) = line(entry, self.checksum)?;
        self.state.write_all(&line).with_context(|| self.paths.state.display().to_string())?;
        self.checksum = checksum;
        Ok(())
    }

    /// Adds bytes that were written to the partial file.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Notes that all bytes so far, so many, are results of the pairs before `next`.
    pub fn note(&mut self, bytes: u64, next: PairCursor) -> Result<()> {
        self.append(&ProgressEntry { bytes, next, hash: self.hasher.digest() })
    }

    /// The path of the partial file.
    pub fn partial(&self) -> &Path {
        &self.paths.partial
    }

    /// Removes the partial file, if it is still there, and the state.
    pub fn remove(self) -> Result<()> {
        // The state is last: without it, a partial file is nobody's.
        for path in [&self.paths.partial, &self.paths.state] {
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

/// The line of an entry with its end, and its checksum; `seed` is the checksum of the line before.
fn line<E: Serialize>(entry: &E, seed: u64) -> Result<(Vec<u8>, u64)> {
    let checksum = xxh3_64_with_seed(&serde_json::to_vec(entry)?, seed);
    let mut line = serde_json::to_vec(&StateLine { entry, checksum })?;
    line.push(b'\n');
    Ok((line, checksum))
}

/// The entry of a line with its end; `None` unless it is the line of an entry, byte for byte.
fn entry<E: Serialize + DeserializeOwned>(text: &[u8], seed: &mut u64) -> Option<E> {
    let StateLine { entry, .. } = serde_json::from_slice(text).ok()?;
    let (expected, checksum) = line(&entry, *seed).ok()?;
    *seed = checksum;
    (text == expected).then_some(entry)
}

/// Whether a state is empty, or was cut off within its first line.
fn is_before_first_line(text: &[u8]) -> bool {
    let begin = format!("{{\"entry\":{{\"program\":\"{PROGRAM}\"");
    let is_begun = begin.as_bytes().starts_with(text) || text.starts_with(begin.as_bytes());
    is_begun && !text.contains(&b'\n')
}

/// The content of a state.
#[derive(Debug)]
struct StateText {
    run: RunEntry,
    last: Option<ProgressEntry>,
    /// The checksum of the last line.
    checksum: u64,
    /// Bytes of all whole lines.
    length: u64,
}

/// Parses a state, the last line of which may be cut off.
fn parse(text: &[u8]) -> Result<StateText> {
    let not_a_state = || anyhow!("not the state of a run: rename or remove it");
    let length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = text[..length].split_inclusive(|&byte| byte == b'\n');
    let mut checksum = 0;
    let run: RunEntry =
        lines.next().and_then(|line| entry(line, &mut checksum)).ok_or_else(not_a_state)?;
    if run.program != PROGRAM {
        return Err(not_a_state());
    }
    let mut last = None;
    for (line, number) in lines.zip(2..) {
        last = entry(line, &mut checksum);
        ensure!(
            last.is_some(),
            "line {number} is damaged: remove the state and the partial file to start over"
        );
    }
    Ok(StateText { run, last, checksum, length: length as u64 })
}

/// The hash of the first `bytes` bytes of a file.
fn hash(file: &mut File, bytes: u64) -> io::Result<Xxh3Default> {
    let mut hasher = Xxh3Default::new();
    file.seek(SeekFrom::Start(0))?;
    let mut rest = file.take(bytes);
    let mut block = vec![0; BLOCK];
    loop {
        match rest.read(&mut block)? {
            0 => return Ok(hasher),
            read => hasher.update(&block[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::commands::nw::tile_writer::TileWriter;
    use crate::commands::nw::tiles::TileEnd;

    /// The results of each tile.
    const TILES: [&str; 4] = ["heading\n", "first tile\n", "second\n", "the third and last tile\n"];
    const JOB: u64 = 7;

    /// A folder in which runs write `out`.
    struct Runs(TempDir);

    impl Runs {
        fn new() -> Self {
            Self(tempfile::tempdir().expect("a folder"))
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).expect("lists");
            let mut names: Vec<String> = entries
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into())
                .collect();
            names.sort();
            names
        }

        fn resume(&self, job: u64) -> Result<Resumed> {
            let mut outputs = Outputs::default();
            let paths = ResumePaths::new(&self.path("out"), &mut outputs)?;
            paths.resume(job, |position| position == after(TILES.len()), true)
        }

        /// A run that writes the tiles up to number `end`, and then half a tile, and is killed.
        fn killed_after(end: usize) -> Self {
            let runs = Self::new();
            let Ok(Resumed::Run { run, file, bytes: 0, next: None }) = runs.resume(JOB) else {
                panic!("does not begin")
            };
            let mut writer = TileWriter::resumed(file, 0, run);
            for (number, tile) in TILES.iter().enumerate().take(end) {
                writer
                    .add(&[tile.as_bytes().to_vec()], TileEnd::before(after(number + 1)))
                    .expect("adds");
            }
            let TileWriter::File { mut file, .. } = writer else { panic!("is a file") };
            file.write_all(b"half a ti").expect("writes");
            runs
        }

        fn error(&self) -> String {
            match self.resume(JOB) {
                Err(error) => format!("{error:#}"),
                Ok(_) => panic!("goes on"),
            }
        }
    }

    /// The position after so many tiles.
    fn after(tiles: usize) -> PairCursor {
        serde_json::from_value(serde_json::json!({ "query": tiles, "target": 0 })).expect("is one")
    }

    #[test]
    fn a_run_goes_on_after_any_tile() {
        for end in 0..=TILES.len() {
            let runs = Runs::killed_after(end);
            assert!(runs.resume(JOB + 1).is_err(), "another job");
            let Resumed::Run { run, file, bytes, next } = runs.resume(JOB).expect("goes on") else {
                panic!("is not complete")
            };
            assert_eq!(next, (end > 0).then(|| after(end)));
            assert_eq!(bytes, TILES[..end].concat().len() as u64);
            assert!(runs.error().contains("another run writes"), "{}", runs.error());
            let mut writer = TileWriter::resumed(file, bytes, run);
            for (number, tile) in TILES.iter().enumerate().skip(end) {
                writer
                    .add(&[tile.as_bytes().to_vec()], TileEnd::before(after(number + 1)))
                    .expect("adds");
            }
            let TileWriter::File { run: Some(run), .. } = writer else {
                panic!("can be continued")
            };
            fs::rename(run.partial(), runs.path("out")).expect("renames");
            if end % 2 == 0 {
                // Killed before the state is removed.
                drop(run);
                assert_eq!(runs.names(), ["out", "out.partial.json"]);
                assert!(matches!(runs.resume(JOB), Ok(Resumed::Complete)));
            } else {
                run.remove().expect("removes");
            }
            assert_eq!(fs::read_to_string(runs.path("out")).expect("reads"), TILES.concat());
            assert_eq!(runs.names(), ["out"]);
        }
    }

    #[test]
    fn a_lost_partial_file_is_begun_again() {
        let runs = Runs::killed_after(2);
        fs::remove_file(runs.path("out.partial")).expect("removes");
        fs::write(runs.path("out"), "another output").expect("writes");
        let resumed = runs.resume(JOB).expect("begins");
        assert!(matches!(resumed, Resumed::Run { bytes: 0, next: None, .. }));
        assert_eq!(fs::read(runs.path("out")).expect("reads"), b"another output");
    }

    #[test]
    fn no_damage_is_continued() {
        let written = TILES[..3].concat();
        let notes: Vec<(u64, Option<PairCursor>)> = (0..=3)
            .map(|end| (TILES[..end].concat().len() as u64, (end > 0).then(|| after(end))))
            .collect();
        for file in ["out.partial", "out.partial.json"] {
            let length = fs::metadata(Runs::killed_after(3).path(file)).expect("is there").len();
            for place in 0..length as usize {
                for change in [1, 0x20, b'\n', 0] {
                    let runs = Runs::killed_after(3);
                    let mut content = fs::read(runs.path(file)).expect("reads");
                    // Numbers of other lengths make another length.
                    let place = place % content.len();
                    match change {
                        0 => content.truncate(place),
                        b'\n' if content[place] == b'\n' => continue,
                        b'\n' => content[place] = b'\n',
                        bits => content[place] ^= bits,
                    }
                    fs::write(runs.path(file), content).expect("writes");
                    match runs.resume(JOB) {
                        Err(error) => assert!(format!("{error:#}").contains(file), "{error:#}"),
                        Ok(Resumed::Complete) => panic!("{file} {place} {change}: is not complete"),
                        Ok(Resumed::Run { bytes, next, .. }) => {
                            assert!(notes.contains(&(bytes, next)), "{file} {place} {change}");
                            let kept = fs::read(runs.path("out.partial")).expect("reads");
                            assert_eq!(kept, &written.as_bytes()[..bytes as usize]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_whose_first_line_was_cut_off_has_not_begun() {
        let whole = fs::read(Runs::killed_after(0).path("out.partial.json")).expect("reads");
        for length in 0..whole.len() {
            for has_partial in [true, false] {
                let runs = Runs::new();
                fs::write(runs.path("out.partial.json"), &whole[..length]).expect("writes");
                if has_partial {
                    fs::write(runs.path("out.partial"), "").expect("writes");
                }
                let resumed = runs.resume(JOB).expect("begins");
                assert!(matches!(resumed, Resumed::Run { bytes: 0, next: None, .. }), "{length}");
                drop(resumed);
                // What was written now is whole.
                let resumed = runs.resume(JOB).expect("goes on");
                assert!(matches!(resumed, Resumed::Run { bytes: 0, next: None, .. }), "{length}");
            }
        }
    }

    #[test]
    fn files_of_others_are_left_alone() {
        for (names, part) in [
            (&["out.partial"][..], "out.partial: not of an interrupted run"),
            (&["out.partial.json"], "out.partial.json: not the state of a run"),
            (&["out.partial", "out.partial.json"], "out.partial.json: not the state of a run"),
        ] {
            for mine in ["mine", "mine\n", "{\"entry\":1", "{\n"] {
                let runs = Runs::new();
                for name in names {
                    fs::write(runs.path(name), mine).expect("writes");
                }
                let said = runs.error();
                assert!(said.contains(part), "{said}");
                assert_eq!(runs.names(), names);
                for name in names {
                    assert_eq!(fs::read(runs.path(name)).expect("reads"), mine.as_bytes());
                }
            }
        }
        // A file in place of the partial file, before the first tile.
        let runs = Runs::killed_after(0);
        // It stays, so that no other file has its inode.
        fs::rename(runs.path("out.partial"), runs.path("kept")).expect("renames");
        fs::write(runs.path("out.partial"), "mine").expect("writes");
        let said = runs.error();
        assert!(said.contains("out.partial: is another file"), "{said}");
    }
}
