//! A regular file without a name, and the naming of complete files.
//!
//! A file has no name while it is written (`O_TMPFILE`), so that nothing is left however the program ends. File systems
//! that cannot do that get a file with a temporary name.

use std::error::Error;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
#[cfg(target_os = "linux")]
use nix::errno::Errno;

use super::temporary::{PREFIX, TemporaryPaths};

/// A file that is being written and does not have its name yet.
#[derive(Debug)]
pub struct StagedFile {
    file: File,
    /// The path that the complete file gets; no symbolic link.
    target: PathBuf,
    /// The path that the file has until then, unless it has none.
    temporary: Option<TemporaryName>,
}

/// The temporary name of a file, which is removed when this value is dropped.
#[derive(Debug)]
struct TemporaryName(PathBuf);

impl TemporaryName {
    /// A name in the folder of `target` that `make` makes a file of.
    fn new<T>(
        target: &Path,
        temporary: &mut TemporaryPaths,
        make: impl FnMut(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let made = tempfile::Builder::new().prefix(PREFIX).make_in(folder_of(target), make);
        let made = made.map_err(|error| without_path(&error))?;
        let (made, path) = made.into_parts();
        // From here on the list removes it, and not that type.
        let path = path.keep().map_err(|failed| failed.error)?;
        temporary.add(&path);
        Ok((Self(path), made))
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        let mut temporary = TemporaryPaths::lock();
        // It is gone already if it was renamed.
        let _ = fs::remove_file(&self.0);
        temporary.forget(&self.0);
    }
}

/// An error without the temporary name, which the user does not know.
fn without_path(error: &io::Error) -> io::Error {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    match cause.unwrap_or(error).raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().unwrap_or(Path::new("/"))
}

impl StagedFile {
    /// Begins the file that will be `target`, which is no symbolic link.
    ///
    /// # Errors
    /// If the folder cannot be written to, or `target` must not be changed.
    pub fn new(target: PathBuf) -> io::Result<Self> {
        if fs::symlink_metadata(&target).is_ok() {
            // Renaming would replace a file that must not be written.
            File::options().write(true).open(&target)?;
        }
        if let Some(file) = unnamed(folder_of(&target))? {
            return Ok(Self { file, target, temporary: None });
        }
        let create = |path: &Path| {
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o666).open(path)
        };
        let (temporary, file) = TemporaryName::new(&target, &mut TemporaryPaths::lock(), create)?;
        Ok(Self { file, target, temporary: Some(temporary) })
    }

    /// The file to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path of the complete file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A path by which the unfinished file can be opened.
    pub fn path(&self) -> PathBuf {
        match &self.temporary {
            Some(temporary) => temporary.0.clone(),
            None => descriptor_path(&self.file),
        }
    }

    /// Prepares the complete file for its place: it gets the mode of the file there, and a temporary name if it is to
    /// replace that file.
    fn prepare(&mut self, temporary: &mut TemporaryPaths) -> io::Result<()> {
        match fs::symlink_metadata(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
            Ok(old) if !old.is_file() => {
                return Err(io::Error::other("it is not a regular file any more"));
            }
            Ok(_) => keep_permissions(&self.file, &self.target)?,
        }
        if self.temporary.is_none() {
            let link = |path: &Path| link_descriptor(&self.file, path);
            self.temporary = Some(TemporaryName::new(&self.target, temporary, link)?.0);
        }
        Ok(())
    }

    /// Gives the prepared file its name. With `can_undo`, a file that it replaces is kept under the temporary name.
    fn place(&mut self, can_undo: bool, temporary: &mut TemporaryPaths) -> io::Result<Placed> {
        if self.temporary.is_none() {
            match link_descriptor(&self.file, &self.target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // The file was made since this one was prepared.
                    self.prepare(temporary)?;
                }
                linked => return linked.map(|()| Placed::New),
            }
        }
        let Some(TemporaryName(temporary)) = &self.temporary else {
            return Err(io::ErrorKind::NotFound.into());
        };
        if can_undo && exchange(temporary, &self.target)? {
            return Ok(Placed::Exchanged);
        }
        let is_new = fs::symlink_metadata(&self.target).is_err();
        fs::rename(temporary, &self.target)?;
        Ok(if is_new { Placed::New } else { Placed::Replaced })
    }

    /// Removes the old file if [`place`](Self::place) kept it.
    fn remove_old(&self, placed: Placed) -> Result<()> {
        let (Placed::Exchanged, Some(TemporaryName(old))) = (placed, &self.temporary) else {
            return Ok(());
        };
        let (target, kept) = (self.target.display(), old.display());
        fs::remove_file(old).with_context(|| {
            format!("{target}: complete, but its old file could not be removed from {kept}")
        })
    }

    /// Takes the name away that [`place`](Self::place) gave.
    fn undo(&self, placed: Placed) {
        // The error that made it necessary is the one to report.
        let _ = match (placed, &self.temporary) {
            (Placed::New, _) => fs::remove_file(&self.target),
            (Placed::Exchanged, Some(TemporaryName(old))) => fs::rename(old, &self.target),
            (Placed::Exchanged | Placed::Replaced, _) => Ok(()),
        };
    }
}

/// How a file got its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// There was no file of this name.
    New,
    /// The old file has the temporary name now.
    Exchanged,
    /// The old file is gone.
    Replaced,
}

/// Gives complete files their names, all or none, in this order.
///
/// # Errors
/// Names the file that could not get its name, or whose old file could not be removed.
pub fn place_all(mut files: Vec<StagedFile>) -> Result<()> {
    // The list is held so that an interruption comes before or after all names.
    let mut temporary = TemporaryPaths::lock();
    let placed = place_in_order(&mut files, &mut temporary).and_then(|placed| {
        files.iter().zip(placed).try_for_each(|(file, how)| file.remove_old(how))
    });
    // Dropping the files needs the list.
    drop(temporary);
    placed
}

fn place_in_order(files: &mut [StagedFile], temporary: &mut TemporaryPaths) -> Result<Vec<Placed>> {
    let named = |file: &StagedFile| file.target.display().to_string();
    for (number, file) in files.iter_mut().enumerate() {
        file.prepare(temporary).with_context(|| named(file))?;
        if number > 0 {
            // Programs warn of an index that is older than its file, which comes first.
            file.file.set_modified(SystemTime::now()).with_context(|| named(file))?;
        }
    }
    let can_undo = files.len() > 1;
    let mut placed = Vec::new();
    for number in 0..files.len() {
        match files[number].place(can_undo, temporary) {
            Ok(how) => placed.push(how),
            Err(error) => {
                files.iter().zip(placed).for_each(|(file, how)| file.undo(how));
                return Err(error).with_context(|| named(&files[number]));
            }
        }
    }
    Ok(placed)
}

/// Gives `file` the mode of the file `old`, and its owner if this process may.
pub fn keep_permissions(file: &File, old: &Path) -> io::Result<()> {
    let (old, new) = (fs::metadata(old)?, file.metadata()?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        // Only root gives files away; for others the new file is theirs, as every other file they write.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
}

/// The path of an open file in `/proc`.
fn descriptor_path(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// A file without a name in `folder`; `None` if the file system has no such files, or they could not be named later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o666).custom_flags(nix::libc::O_TMPFILE);
    match options.open(folder) {
        Ok(file) if descriptor_path(&file).exists() => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) => match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EOPNOTSUPP | Errno::EISDIR | Errno::EINVAL) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Gives a file without a name the name `path`, where there must be no file.
fn link_descriptor(file: &File, path: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    let flags = AtFlags::AT_SYMLINK_FOLLOW;
    Ok(nix::unistd::linkat(AT_FDCWD, &descriptor_path(file), AT_FDCWD, path, flags)?)
}

/// Exchanges two files; false if the file system cannot, or there is only one.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    match renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::EINVAL | Errno::ENOSYS | Errno::EOPNOTSUPP | Errno::ENOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}
