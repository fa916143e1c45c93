//! The file that a path means, whatever its spelling.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;

/// The most symbolic links that are followed, as in the kernel.
const MAX_LINKS: usize = 40;

/// A file, so that two paths of the same file are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileIdentity {
    /// A file that exists.
    Existing { device: u64, inode: u64 },
    /// A file that does not exist yet: its folder and its name there.
    New { device: u64, folder: u64, name: OsString },
}

impl FileIdentity {
    /// The identity of an existing file; `None` of a character device or a socket, which readers and writers may share.
    pub fn of_existing(found: &Metadata) -> Option<Self> {
        let is_shared = found.file_type().is_char_device() || found.file_type().is_socket();
        (!is_shared).then(|| Self::Existing { device: found.dev(), inode: found.ino() })
    }

    /// The identity of the file that `path` means; `None` if readers and writers may share it, or
    /// the path can mean no file.
    pub fn of_path(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => Self::of_existing(&found),
            Err(_) => Self::of_new(&resolve(path).ok()?),
        }
    }

    fn of_new(resolved: &Path) -> Option<Self> {
        let folder = fs::metadata(resolved.parent()?).ok()?;
        let name = resolved.file_name()?.to_owned();
        Some(Self::New { device: folder.dev(), folder: folder.ino(), name })
    }
}

/// The absolute path of a file, with all symbolic links followed, that of the file itself included. The file need not
/// exist, but its folder must. Descriptors of this process (as `/dev/stdout`) are not followed.
///
/// # Errors
/// If a folder on the way does not exist, or links form a circle.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut path = std::path::absolute(path)?;
    for _ in 0..MAX_LINKS {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return fs::canonicalize(path);
        };
        let folder = fs::canonicalize(folder)?;
        path = folder.join(name);
        if is_descriptor(&path) {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(to) => path = folder.join(to),
            // EINVAL says that it is no link.
            Err(error) if error.raw_os_error() == Some(Errno::EINVAL as i32) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(Errno::ELOOP.into())
}

/// Whether a path is that of a descriptor of this process, in `/proc`.
pub fn is_descriptor(resolved: &Path) -> bool {
    let folder = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    resolved.parent() == Some(&folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_file_has_one_identity() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).expect("a folder");
        fs::write(path("old"), "").expect("writes");
        fs::hard_link(path("old"), path("hard")).expect("links");
        symlink("../old", path("sub/soft")).expect("links");
        symlink("sub/new", path("dangling")).expect("links");
        symlink("dangling", path("chain")).expect("links");
        symlink("circle", path("circle")).expect("links");
        let identity = |name: &str| FileIdentity::of_path(&path(name));
        for same in ["sub/../old", "./old", "hard", "sub/soft"] {
            assert_eq!(identity(same), identity("old"), "{same}");
        }
        for same in ["sub/../sub/new", "dangling", "chain"] {
            assert_eq!(identity(same), identity("sub/new"), "{same}");
        }
        assert_ne!(identity("new"), identity("sub/new"));
        assert_ne!(identity("old"), identity("new"));
        assert_eq!(identity("circle"), None);
        assert_eq!(identity("missing/file"), None);
        assert_eq!(FileIdentity::of_path(Path::new("/dev/null")), None);
        assert_eq!(FileIdentity::of_path(Path::new("")), None);
    }

    #[test]
    fn descriptors_are_not_followed() {
        let resolved = resolve(Path::new("/dev/stdout")).expect("resolves");
        assert!(is_descriptor(&resolved) && resolved.ends_with("1"), "{}", resolved.display());
        assert!(!is_descriptor(&resolve(Path::new("/dev/null")).expect("resolves")));
    }
}
