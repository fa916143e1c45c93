//! Errors.

use std::path::PathBuf;

/// The reason why a kernel could not be run, or failed.
#[derive(Debug, thiserror::Error)]
pub enum SimtError {
    /// The shared object cannot be loaded.
    #[error("cannot load kernels from {path}: {source}", path = path.display())]
    Load {
        /// Path of the shared object.
        path: PathBuf,
        /// Error of the dynamic loader.
        source: libloading::Error,
    },
    /// The shared object has no such kernel.
    #[error("{path} has no kernel '{kernel}' (is it named in SIMT_EXPORT?)", path = path.display())]
    NoKernel {
        /// Name of the kernel.
        kernel: String,
        /// Path of the shared object.
        path: PathBuf,
    },
    /// The launch was refused, or the kernel failed.
    #[error("{message} (seed {seed})")]
    Launch {
        /// Kernel, block, threads, and the lines of source they were at.
        message: String,
        /// The launch's seed, which makes it fail again.
        seed: u64,
    },
}
