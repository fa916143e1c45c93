//! Errors of htslib's functions.

use std::io;

/// Turns a status of htslib, which is negative for a failure, into a result.
pub fn check(status: i32) -> io::Result<()> {
    if status < 0 { Err(last_error()) } else { Ok(()) }
}

/// The system's reason for a failure of htslib.
pub fn last_error() -> io::Error {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(0) | None => io::Error::other("htslib cannot write"),
        Some(_) => error,
    }
}
