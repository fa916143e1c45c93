//! Opening files of SAM, BAM and CRAM by htslib, statuses of its functions, and a [`Reader`] of such files.
//!
//! `rust_htslib` declares htslib's functions and owns its records. Its own readers and writers are not used: they ignore
//! statuses of htslib, take a file that was cut between two blocks for complete, and panic on records that contradict
//! themselves.

mod open;
mod reader;
mod status;
mod validity;

pub use self::open::open;
pub use self::reader::Reader;
pub use self::status::{check, stored_error};

use rust_htslib::htslib;

/// Stops htslib from writing to standard error, since this program reports errors itself.
pub fn silence() {
    // SAFETY: sets a global of htslib, before any of its threads run.
    #[allow(unsafe_code)]
    unsafe {
        htslib::hts_set_log_level(htslib::htsLogLevel_HTS_LOG_OFF);
    }
}
