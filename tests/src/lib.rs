//! Cross-crate tests of gpualign: kernels on the CPU against plain code.
//!
//! The build script compiles every kernel file of the workspace for the SIMT shim (crate `simt`);
//! [`kernels`] opens one. With `--features sanitize` they are checked by ASan and UBSan.

// Launching a kernel is unsafe; the caller of each launch vouches for its arguments.
#![allow(unsafe_code)]

mod container_mutation;
mod parameters;
mod reads;
mod shim_backend;

use std::path::Path;

use simt::{Module, SimtError};

pub use container_mutation::{ContainerFile, MutationCounts, mutate_and_use};
pub use parameters::*;
pub use reads::reads;
pub use shim_backend::{HostBuffer, ShimBackend};

/// The kernels of `krate/cuda/name.cu` or `krate/examples/name.cu`, compiled for the CPU;
/// `kernels("tests", name)` are those of `tests/kernels/`.
///
/// # Errors
/// If there is no such kernel file.
pub fn kernels(krate: &str, name: &str) -> Result<Module, SimtError> {
    Module::open(&Path::new(env!("KERNELS")).join(krate).join(name).with_extension("so"))
}
