//! Opening files of htslib.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;

use rust_htslib::htslib;

use super::status::last_error;

/// Opens a descriptor as a file of htslib, which owns it from then on. `mode` is htslib's mode string.
///
/// # Errors
/// If htslib refuses, for reading also if it does not know the format.
pub fn open(descriptor: OwnedFd, mode: &CStr) -> io::Result<NonNull<htslib::htsFile>> {
    // SAFETY: the descriptor is open, and given away below; the mode ends in NUL.
    #[allow(unsafe_code)]
    let stream = unsafe { htslib::hdopen(descriptor.as_raw_fd(), mode.as_ptr()) };
    let stream = NonNull::new(stream).ok_or_else(last_error)?;
    let _ = descriptor.into_raw_fd();
    // htslib writes the name into CRAM files, so it is always the same.
    // SAFETY: the stream is open; both strings end in NUL and outlive the call.
    #[allow(unsafe_code)]
    let file = unsafe { htslib::hts_hopen(stream.as_ptr(), c"-".as_ptr(), mode.as_ptr()) };
    NonNull::new(file).ok_or_else(|| {
        let error = last_error();
        // SAFETY: the stream is open, and `hts_hopen` leaves it alone when it fails.
        #[allow(unsafe_code)]
        unsafe {
            htslib::hclose_abruptly(stream.as_ptr());
        }
        error
    })
}
