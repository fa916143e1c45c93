//! Large files that earlier runs have read from one end to the other, so that this one need not.
//!
//! Before an index is used, its checksums are verified, and the checksum of the reference tells whether it was built from that.
//! Both files are read for this alone, several gigabytes for a large genome. The user's folder of indices keeps what was found,
//! with what the system says of each file: its device and inode, its length, and when its contents and its inode changed last.
//! Programs can set the first of these times but not the second one, which each change of the contents sets. As long as all of
//! them are the same, so is the file.
//!
//! A file that has changed just now may change once more at what the system takes for the same time, so it is not kept.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aligner_core::container::ContainerError;
use fm_index::{FileFingerprint, FmIndex};
use serde::{Deserialize, Serialize};

/// The most files of each kind that are kept.
const MOST_KEPT: usize = 100;

/// What the system says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    device: u64,
    inode: u64,
    length: u64,
    /// When its contents changed last, in seconds and nanoseconds of that second.
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

    /// The time since the last change; `None` if that is to come.
    fn age(&self) -> Option<Duration> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        now.checked_sub(Duration::from_secs(u64::try_from(self.changed.0).ok()?))
    }
}

/// A reference whose checksum was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct KnownReference {
    file: FileState,
    checksum: u64,
}

/// What earlier runs of the same version have found.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The version of the program, since another one may verify more.
    version: String,
    references: Vec<KnownReference>,
    /// Indexes that are complete and consistent.
    indexes: Vec<FileState>,
}

/// The files that earlier runs have read, in a file of the user.
#[derive(Debug, Clone)]
pub struct VerifiedFiles {
    path: Option<PathBuf>,
    /// Smaller files are read in no time, and are not kept.
    least_bytes: u64,
    /// Files whose last change is not so long ago are not kept.
    least_age: Duration,
}

impl VerifiedFiles {
    /// Those in the user's folder of indices; without one nothing is kept.
    pub fn of_user() -> Self {
        Self {
            path: super::cache::folder().map(|folder| folder.join("verified.json")),
            least_bytes: 64 << 20,
            least_age: Duration::from_secs(2),
        }
    }

    /// Opens an index. It is verified, unless it was and has not changed since.
    ///
    /// # Errors
    /// As [`FmIndex::open`].
    pub fn open_index(&self, path: &Path) -> Result<FmIndex, ContainerError> {
        let before = FileState::of(path);
        let is_verified = before.is_some_and(|file| self.kept().indexes.contains(&file));
        if is_verified {
            let index = FmIndex::open_verified(path)?;
            // Otherwise the file that was opened is another one.
            if FileState::of(path) == before {
                return Ok(index);
            }
        }
        let index = FmIndex::open(path)?;
        self.keep((path, before), |kept, file| {
            kept.indexes.retain(|other| (other.device, other.inode) != (file.device, file.inode));
            kept.indexes.push(file);
        });
        Ok(index)
    }

    /// The fingerprint of a reference. It is read, unless it was and has not changed since.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn fingerprint(&self, path: &Path) -> io::Result<FileFingerprint> {
        let before = FileState::of(path);
        let kept = self.kept();
        if let Some(known) = kept.references.iter().find(|known| Some(known.file) == before) {
            return Ok(FileFingerprint { checksum: known.checksum, length: known.file.length });
        }
        let found = FileFingerprint::of_file(path)?;
        self.keep((path, before), |kept, file| {
            kept.references
                .retain(|it| (it.file.device, it.file.inode) != (file.device, file.inode));
            kept.references.push(KnownReference { file, checksum: found.checksum });
        });
        Ok(found)
    }

    /// What is kept; nothing if the file cannot be read or understood, or is of another version.
    fn kept(&self) -> Kept {
        let read = || {
            let text = fs::read(self.path.as_ref()?).ok()?;
            let kept: Kept = serde_json::from_slice(&text).ok()?;
            (kept.version == env!("CARGO_PKG_VERSION")).then_some(kept)
        };
        read().unwrap_or_default()
    }

    /// Keeps what was found in a file that had this state before, if it still has it. An error costs later runs time and nothing
    /// else.
    fn keep(
        &self,
        (path, before): (&Path, Option<FileState>),
        add: impl FnOnce(&mut Kept, FileState),
    ) {
        /// One thread changes the file at a time. Of processes, the last one wins.
        static CHANGING: Mutex<()> = Mutex::new(());
        let is_settled = |file: &FileState| {
            file.length >= self.least_bytes && file.age().is_some_and(|age| age >= self.least_age)
        };
        let Some(file) = before.filter(is_settled) else { return };
        if FileState::of(path) != before {
            return;
        }
        let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = Kept { version: env!("CARGO_PKG_VERSION").to_owned(), ..self.kept() };
        add(&mut kept, file);
        let (references, indexes) = (kept.references.len(), kept.indexes.len());
        kept.references.drain(..references.saturating_sub(MOST_KEPT));
        kept.indexes.drain(..indexes.saturating_sub(MOST_KEPT));
        let _ = self.write(&kept);
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all((serde_json::to_string_pretty(kept)? + "\n").as_bytes())?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

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

    /// Changes a byte of a file, and sets the time of its contents back.
    fn damage(path: &Path, at: usize) {
        let before = fs::metadata(path).and_then(|found| found.modified()).expect("exists");
        let mut bytes = fs::read(path).expect("is read");
        bytes[at] ^= 4;
        // The clock of files has steps.
        std::thread::sleep(Duration::from_millis(30));
        fs::write(path, bytes).expect("is written");
        let file = File::options().append(true).open(path).expect("opens");
        file.set_modified(before).expect("is set");
    }

    #[test]
    fn a_file_is_read_again_only_when_it_has_changed() {
        let (folder, files) = folder();
        let (reference, index) = (folder.path().join("ref.fa"), folder.path().join("ref.gpx"));
        let source = FileFingerprint::of_file(&reference).expect("is read");
        for round in 0..2 {
            assert_eq!(files.fingerprint(&reference).expect("is read"), source);
            assert_eq!(files.open_index(&index).expect("is whole").source(), source);
            let kept = files.kept();
            assert_eq!((kept.references.len(), kept.indexes.len()), (1, 1), "{round}");
        }
        // What is kept is what counts, as long as the file is the same.
        let mut kept = files.kept();
        kept.references[0].checksum ^= 1;
        files.write(&kept).expect("is written");
        assert_ne!(files.fingerprint(&reference).expect("is known"), source);
        damage(&reference, 7);
        let changed = files.fingerprint(&reference).expect("is read");
        assert_eq!(changed, FileFingerprint::of_file(&reference).expect("is read"));
        assert_ne!(changed, source);
        let length = fs::metadata(&index).expect("exists").len() as usize;
        damage(&index, length - 100);
        let error = files.open_index(&index).expect_err("is damaged").to_string();
        assert!(error.contains("damaged"), "{error}");
        let kept = files.kept();
        assert_eq!((kept.references.len(), kept.indexes.len()), (1, 1));
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
            assert!(files.kept().references.is_empty(), "{other:?}");
        }
        fs::create_dir_all(folder.path().join("cache")).expect("a folder");
        for damaged in ["", "{}", "{\"version\": \"0\", \"references\": [], \"indexes\": []}"] {
            fs::write(folder.path().join("cache/verified.json"), damaged).expect("is written");
            assert_eq!(files.fingerprint(&reference).expect("is read"), source);
            assert_eq!(files.kept().references.len(), 1, "{damaged}");
        }
        let missing = files.fingerprint(Path::new("/none")).expect_err("is missing");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
