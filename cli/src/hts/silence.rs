//! Stopping htslib from writing to standard error, since this program reports errors itself.

use std::io;
use std::sync::Once;

use rust_htslib::htslib;

/// Stops htslib from writing to standard error. To be called before htslib opens a file.
///
/// # Errors
/// If there is no memory.
pub fn silence() -> io::Result<()> {
    static SILENT: Once = Once::new();
    let mut silenced = Ok(());
    SILENT.call_once(|| {
        // SAFETY: sets a global of htslib, before any of its threads run.
        #[allow(unsafe_code)]
        unsafe {
            htslib::hts_set_log_level(htslib::htsLogLevel_HTS_LOG_OFF);
        }
        silenced = c_stream::silence();
    });
    silenced
}

/// The C library's stream of standard error: htslib tells some errors by `perror`, whatever its log level. Rust writes to
/// the descriptor and does not know the stream.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod c_stream {
    use std::io;
    use std::ptr;

    use nix::libc::{FILE, fmemopen};

    #[allow(unsafe_code)]
    unsafe extern "C" {
        static mut stderr: *mut FILE;
    }

    /// Puts a stream in its place that forgets what is written to it, and needs no file.
    pub fn silence() -> io::Result<()> {
        // SAFETY: without a buffer of the caller, the stream has its own; the mode ends in NUL.
        #[allow(unsafe_code)]
        let nowhere = unsafe { fmemopen(ptr::null_mut(), 1, c"w".as_ptr()) };
        if nowhere.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        // SAFETY: the variable may be assigned to (as glibc documents), and the stream is never closed. No C code that
        // would write runs at this time.
        #[allow(unsafe_code)]
        unsafe {
            stderr = nowhere;
        }
        Ok(())
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod c_stream {
    use std::io;

    /// Leaves the stream as it is: other C libraries have none that may be replaced.
    pub fn silence() -> io::Result<()> {
        Ok(())
    }
}
