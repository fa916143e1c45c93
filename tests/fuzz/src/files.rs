//! Files that exist in memory only, for readers that take paths.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// A file without a name in any folder.
#[derive(Debug)]
pub struct MemoryFile {
    file: File,
}

impl Default for MemoryFile {
    fn default() -> Self {
        let descriptor = memfd_create("fuzz", MFdFlags::MFD_CLOEXEC).expect("memory for a file");
        Self { file: File::from(descriptor) }
    }
}

impl MemoryFile {
    /// Replaces what is in the file.
    pub fn fill(&mut self, bytes: &[u8]) {
        self.file.set_len(0).expect("a file that can be cut");
        self.file.rewind().expect("a file that can be rewound");
        self.file.write_all(bytes).expect("memory for a file");
    }

    /// A path by which this process can open the file.
    pub fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}
