//! Standard output that must be written: a closed or full one is an error.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

use anyhow::{Context, Result};

use super::identity::FileIdentity;

/// The name of standard output in messages.
pub const NAME: &str = "standard output";

/// Whether the process was started without a standard output (`>&-`).
///
/// The standard library opens `/dev/null` in place of a standard stream that is closed, before `main`. So only a function
/// that runs before it can tell.
#[cfg(target_os = "linux")]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    use nix::libc;

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        // SAFETY: F_GETFD reads a number and has no other effect, also on a descriptor that is closed.
        #[allow(unsafe_code)]
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        IS_CLOSED.store(flags < 0, Ordering::Relaxed);
    }

    // SAFETY: the section is an array of functions that the C library calls before `main`; it passes arguments that `look`
    // ignores, as C allows, and `look` needs nothing of the standard library's runtime.
    #[used]
    #[unsafe(link_section = ".init_array")]
    #[allow(unsafe_code)]
    static LOOK: extern "C" fn() = look;

    /// Whether standard output was closed at the start.
    pub fn was_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod start {
    /// Whether standard output was closed at the start, which is not known here.
    pub fn was_closed() -> bool {
        false
    }
}

/// Standard output, to write to.
///
/// # Errors
/// If it is closed.
pub fn open() -> io::Result<OwnedFd> {
    if start::was_closed() {
        return Err(io::Error::other("it is closed"));
    }
    io::stdout().as_fd().try_clone_to_owned()
}

/// The identity of the file that standard output goes to, if it is one that is not shared.
pub fn identity() -> Option<FileIdentity> {
    FileIdentity::of_existing(&File::from(open().ok()?).metadata().ok()?)
}

/// The identity of the file that standard input comes from, if it is one that is not shared.
pub fn input_identity() -> Option<FileIdentity> {
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    FileIdentity::of_existing(&File::from(input).metadata().ok()?)
}

/// Prints text on standard output.
///
/// # Errors
/// If it is closed or cannot be written.
pub fn print(text: &[u8]) -> Result<()> {
    print_with(|| io::stdout().write_all(text))
}

/// Makes `print` print on standard output.
///
/// # Errors
/// If it is closed or cannot be written.
pub fn print_with(print: impl FnOnce() -> io::Result<()>) -> Result<()> {
    open().and_then(|_| print()).and_then(|()| io::stdout().flush()).context(NAME)
}
