//! Large files that an earlier run has read from one end to the other, so that this one need not.
//!
//! Before an index is used, its checksums are verified, and the checksum of the reference tells whether the index was built from
//! that. Both files are read for this alone, several gigabytes for a large genome. A file in the user's folder of indices
//! (`verified.json`) keeps what was found, with what the system says of each file: its device and inode, its length, and when its
//! contents and its inode changed last. Programs can set the first of these times; the second one is the system's, which sets it
//! at each change. As long as all of them are the same, the file is taken to be the same, for some days: a disk may lose bits
//! that nobody has written.
//!
//! A file that has changed just now may change once more at what the system takes for the same time. It is not kept, nor are files
//! in file systems that have no times but whole seconds.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aligner_core::container::ContainerError;
use aligner_core::user_cache;
use fm_index::{FileFingerprint, FmIndex};
use serde::{Deserialize, Serialize};

/// Version of what is verified; a program that verifies more has another one.
const CHECKS: u32 = 1;

/// The most files that are known; of more, those that were verified last.
const MOST_FILES: usize = 200;

/// For how long a file is taken to be as it was verified.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// The state of a file, as the system tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    device: u64,
    inode: u64,
    length: u64,
    /// When its contents changed last: seconds since 1970, and nanoseconds.
    modified: (i64, i64),
    /// When its inode changed last.
    changed: (i64, i64),
}

impl FileState {
    /// The state of a regular file; `None` of others.
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            length: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// The time since the last change; `None` if that lies in the future, or times are whole seconds.
    fn age(&self) -> Option<Duration> {
        let (seconds, nanoseconds) = self.changed;
        let nanoseconds = u32::try_from(nanoseconds).ok().filter(|&it| it > 0)?;
        let changed = Duration::new(u64::try_from(seconds).ok()?, nanoseconds);
        now().checked_sub(changed)
    }
}

/// The time since 1970.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The content of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Content {
    /// A complete and consistent index.
    Index,
    /// A reference with this checksum.
    Reference { checksum: u64 },
}

/// A file that was read from one end to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct KnownFile {
    state: FileState,
    content: Content,
    /// When it was read, in seconds since 1970.
    verified: u64,
}

/// The files that are known, as `verified.json` has them.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KnownFiles {
    checks: u32,
    files: Vec<KnownFile>,
}

/// The files that earlier runs have verified, and rules of which are kept.
#[derive(Debug, Clone)]
pub struct VerifiedFiles {
    /// The file that knows them; `None` to keep nothing.
    path: Option<PathBuf>,
    /// Smaller files are read in no time, and are not kept.
    least_bytes: u64,
    /// Files that changed less than so long ago are not kept.
    least_age: Duration,
}

impl VerifiedFiles {
    /// The files that `verified.json` in the user's folder of indices knows. If there is no such folder, nothing is kept.
    pub fn of_user() -> Self {
        Self {
            path: user_cache::folder().map(|folder| folder.join("verified.json")),
            least_bytes: 64 << 20,
            least_age: Duration::from_secs(3),
        }
    }

    /// Opens an index, which is verified unless it is known.
    ///
    /// # Errors
    /// As [`FmIndex::open`].
    pub fn open_index(&self, path: &Path) -> Result<FmIndex, ContainerError> {
        if let Some(KnownFile { state, content: Content::Index, .. }) = self.known(path) {
            let index = FmIndex::open_verified(path)?;
            // Otherwise what was opened may be another file.
            if FileState::of(path) == Some(state) {
                return Ok(index);
            }
        }
        self.verify(path, || FmIndex::open(path), |_| Content::Index)
    }

    /// The fingerprint of a reference, which is read unless it is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn fingerprint(&self, path: &Path) -> io::Result<FileFingerprint> {
        if let Some(KnownFile { state, content: Content::Reference { checksum }, .. }) =
            self.known(path)
        {
            return Ok(FileFingerprint { checksum, length: state.length });
        }
        let content = |found: &FileFingerprint| Content::Reference { checksum: found.checksum };
        self.verify(path, || FileFingerprint::of_file(path), content)
    }

    /// The state and the content of a file, if it is known.
    fn known(&self, path: &Path) -> Option<KnownFile> {
        let state = FileState::of(path).filter(|state| self.is_large(state))?;
        let oldest = now().saturating_sub(LONGEST).as_secs();
        let is_it = |known: &KnownFile| known.state == state && known.verified >= oldest;
        self.load().files.into_iter().find(is_it)
    }

    /// Reads a file, and keeps its content if it is large and its state is the same before and after, and changes when the file
    /// does.
    fn verify<T, E>(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<T, E>,
        content: impl FnOnce(&T) -> Content,
    ) -> Result<T, E> {
        let is_settled = |state: &FileState| state.age().is_some_and(|age| age >= self.least_age);
        let is_kept = |state: &FileState| self.is_large(state) && is_settled(state);
        let before = FileState::of(path).filter(is_kept);
        let found = read()?;
        if let Some(state) = before.filter(|&before| FileState::of(path) == Some(before)) {
            self.keep(state, content(&found));
        }
        Ok(found)
    }

    /// Whether it takes a while to read a file.
    fn is_large(&self, state: &FileState) -> bool {
        state.length >= self.least_bytes
    }

    /// The files that are known; none if that cannot be read or understood, or is of another version.
    fn load(&self) -> KnownFiles {
        let read = || {
            let text = fs::read(self.path.as_ref()?).ok()?;
            let known: KnownFiles = serde_json::from_slice(&text).ok()?;
            (known.checks == CHECKS).then_some(known)
        };
        read().unwrap_or_default()
    }

    /// Keeps the content of a file in this state. An error costs later runs time, and nothing else.
    fn keep(&self, state: FileState, content: Content) {
        /// One thread changes `verified.json` at a time. Of processes, the last one wins.
        static CHANGING: Mutex<()> = Mutex::new(());
        let Some(path) = &self.path else { return };
        let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = self.load().files;
        let file = |state: &FileState| (state.device, state.inode);
        files.retain(|known| file(&known.state) != file(&state));
        files.push(KnownFile { state, content, verified: now().as_secs() });
        files.drain(..files.len().saturating_sub(MOST_FILES));
        let _ = user_cache::write_json(path, &KnownFiles { checks: CHECKS, files });
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Instant;

    use fm_index::{BuildOptions, Reference};

    use super::*;

    /// A folder with a reference and its index, and files that are kept whatever their size and age.
    fn folder() -> (tempfile::TempDir, VerifiedFiles) {
        let folder = tempfile::tempdir().expect("a folder");
        let reference = folder.path().join("ref.fa");
        let bases: String =
            (0..4000).map(|place| ['A', 'C', 'G', 'T'][place * place % 7 % 4]).collect();
        fs::write(&reference, format!(">a\n{bases}\n")).expect("is written");
        let reference = Reference::from_fasta(&reference).expect("is a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("is built");
        index.save(folder.path().join("ref.gpx")).expect("is saved");
        let path = Some(folder.path().join("cache/verified.json"));
        let files = VerifiedFiles { path, least_bytes: 0, least_age: Duration::ZERO };
        (folder, files)
    }

    /// Changes a byte of a file, sets the time of its contents back, and waits until the system tells that it has changed.
    fn damage(path: &Path, at: usize) {
        let (before, start) = (fs::metadata(path).expect("exists"), Instant::now());
        let mut bytes = fs::read(path).expect("is read");
        bytes[at] ^= 4;
        while FileState::of(path).expect("exists").changed == (before.ctime(), before.ctime_nsec())
        {
            assert!(start.elapsed() < Duration::from_secs(20), "the time of a file stands still");
            fs::write(path, &bytes).expect("is written");
            let file = File::options().append(true).open(path).expect("opens");
            file.set_modified(before.modified().expect("has a time")).expect("is set");
        }
    }

    /// Writes what is known.
    fn write(files: &VerifiedFiles, known: &KnownFiles) {
        let path = files.path.as_ref().expect("has a path");
        user_cache::write_json(path, known).expect("is written");
    }

    /// Changes what is kept of all files.
    fn change(files: &VerifiedFiles, change: impl Fn(&mut KnownFile)) {
        let mut known = files.load();
        known.files.iter_mut().for_each(change);
        write(files, &known);
    }

    #[test]
    fn a_reference_is_read_again_only_when_it_has_changed() {
        let (folder, files) = folder();
        let reference = folder.path().join("ref.fa");
        let read = || FileFingerprint::of_file(&reference).expect("is read");
        let found = || files.fingerprint(&reference).expect("is read");
        let source = read();
        assert_eq!([found(), found()], [source; 2]);
        assert_eq!(files.load().files.len(), 1);
        // What is kept counts.
        let wrong = Content::Reference { checksum: source.checksum ^ 1 };
        change(&files, |known| known.content = wrong);
        assert_eq!(found().checksum, source.checksum ^ 1);
        // Not for ever, and not of another version.
        change(&files, |known| known.verified -= LONGEST.as_secs() + 10);
        assert_eq!(found(), source);
        change(&files, |known| known.content = wrong);
        let known = files.load();
        write(&files, &KnownFiles { checks: CHECKS + 1, ..known });
        assert_eq!(found(), source);
        damage(&reference, 7);
        assert_ne!(read(), source);
        assert_eq!([found(), found()], [read(); 2]);
        assert_eq!(files.load().files.len(), 1);
    }

    #[test]
    fn an_index_is_verified_again_only_when_it_has_changed() {
        let (folder, files) = folder();
        let path = folder.path().join("ref.gpx");
        let source = files.open_index(&path).expect("is whole").source();
        assert_eq!(files.open_index(&path).expect("is known").source(), source);
        assert_eq!(files.load().files.len(), 1);
        let length = fs::metadata(&path).expect("exists").len() as usize;
        damage(&path, length - 100);
        let error = files.open_index(&path).expect_err("is damaged").to_string();
        assert!(error.contains("damaged"), "{error}");
        // It is not verified if it is known, which is how the damage is not seen here.
        let state = FileState::of(&path).expect("exists");
        change(&files, |known| known.state = state);
        assert_eq!(files.open_index(&path).expect("is known").source(), source);
        // A file that is no index at all is refused in any case.
        fs::write(&path, "no index").expect("is written");
        assert!(files.open_index(&path).is_err());
    }

    #[test]
    fn small_and_new_files_are_not_kept() {
        let (folder, files) = folder();
        let reference = folder.path().join("ref.fa");
        let source = FileFingerprint::of_file(&reference).expect("is read");
        for other in [
            VerifiedFiles { least_bytes: 1 << 20, ..files.clone() },
            VerifiedFiles { least_age: Duration::from_hours(1), ..files.clone() },
            VerifiedFiles { path: None, ..files.clone() },
        ] {
            assert_eq!(other.fingerprint(&reference).expect("is read"), source);
            assert!(files.load().files.is_empty(), "{other:?}");
        }
        fs::create_dir_all(folder.path().join("cache")).expect("a folder");
        for damaged in ["", "{}", "{\"checks\": 1, \"files\": [7]}"] {
            fs::write(folder.path().join("cache/verified.json"), damaged).expect("is written");
            assert_eq!(files.fingerprint(&reference).expect("is read"), source);
            assert_eq!(files.load().files.len(), 1, "{damaged}");
        }
        let missing = files.fingerprint(Path::new("/none")).expect_err("is missing");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
