//! Errors of htslib's functions.

use std::io;
use std::ptr::NonNull;

use rust_htslib::htslib;

/// Turns a status of htslib, which is negative for a failure, into a result.
pub fn check(status: i32) -> io::Result<()> {
    if status < 0 { Err(last_error()) } else { Ok(()) }
}

/// The system's reason for a failure of htslib.
pub fn last_error() -> io::Error {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(0) | None => io::Error::other("htslib failed and gave no reason"),
        Some(_) => error,
    }
}

/// Why reading or writing a file of SAM or BAM failed, if htslib stored the reason. A thread of htslib may have failed, so
/// `errno` of this thread does not tell. `file` is open.
pub fn stored_error(file: NonNull<htslib::htsFile>) -> Option<io::Error> {
    // SAFETY: the file is open, and htslib's threads do not use this structure of it.
    #[allow(unsafe_code)]
    let file = unsafe { file.as_ref() };
    if file.is_cram() != 0 {
        return None;
    }
    let hfile = if file.is_bgzf() != 0 {
        // SAFETY: this is the member that is set for compressed files.
        #[allow(unsafe_code)]
        let bgzf = unsafe { file.fp.bgzf };
        // SAFETY: the stream is open; its file is set when it is opened and stays.
        #[allow(unsafe_code)]
        unsafe {
            (*bgzf).fp
        }
    } else {
        // SAFETY: this is the member that is set for text without compression.
        #[allow(unsafe_code)]
        unsafe {
            file.fp.hfile
        }
    };
    // SAFETY: the file is open; the thread that may have used it stopped at the failure.
    #[allow(unsafe_code)]
    let code = unsafe { (*hfile).has_errno };
    (code != 0).then(|| io::Error::from_raw_os_error(code))
}
