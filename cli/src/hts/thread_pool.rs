//! Threads of htslib that several files share.

use std::ffi::c_int;
use std::io;
use std::ptr::NonNull;

use rust_htslib::htslib;

use super::status::{check, last_error};

/// Threads that decompress for several files. The files must be closed before it is dropped.
#[derive(Debug)]
pub struct ThreadPool(NonNull<htslib::hts_tpool>);

impl ThreadPool {
    /// Starts threads, at least one.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(threads: usize) -> io::Result<Self> {
        let threads = c_int::try_from(threads.max(1)).unwrap_or(c_int::MAX);
        // SAFETY: the number is positive.
        #[allow(unsafe_code)]
        let pool = unsafe { htslib::hts_tpool_init(threads) };
        NonNull::new(pool).map(Self).ok_or_else(last_error)
    }

    /// Makes a file use these threads, from which nothing was read yet.
    ///
    /// # Errors
    /// If htslib refuses.
    pub(super) fn serve(&self, file: NonNull<htslib::htsFile>) -> io::Result<()> {
        let mut pool = htslib::htsThreadPool { pool: self.0.as_ptr(), qsize: 0 };
        // SAFETY: file and pool are valid; the structure is copied.
        #[allow(unsafe_code)]
        check(unsafe { htslib::hts_set_thread_pool(file.as_ptr(), &raw mut pool) })
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // SAFETY: the pool is valid, and no file uses it any more.
        #[allow(unsafe_code)]
        unsafe {
            htslib::hts_tpool_destroy(self.0.as_ptr());
        }
    }
}
