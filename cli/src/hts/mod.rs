//! Opening files of SAM, BAM and CRAM by htslib, statuses of its functions, and a [`Reader`] of such files.
//!
//! `rust_htslib` declares htslib's functions and owns its records. Its own readers and writers are not used: they ignore
//! statuses of htslib, take a file that was cut between two blocks for complete, and panic on records that contradict
//! themselves.

mod open;
mod reader;
mod silence;
mod status;
mod validity;

pub use self::open::open;
pub use self::reader::{Fields, Reader};
pub use self::silence::silence;
pub use self::status::{check, stored_error};
pub use self::validity::tags;
