//! Runs CUDA kernels on the CPU, for tests.
//!
//! # Design
//!
//! ```text
//!                 nvcc -> kernel.fatbin -> driver -> GPU
//!   kernel.cu  <
//!                 g++  -> kernel.so     -> Module -> fibers (cpp/simt.h)
//! ```
//!
//! The same source is compiled a second time by the C++ compiler (by the `simt-build` crate, in a
//! build script), with `cpp/simt.h` in the place of the CUDA headers. [`Module`] loads the result
//! and [`Kernel::launch`] runs it: one fiber a CUDA thread, one block an OS thread, in a random
//! order that [`Launch::seed`] decides. `cpp/simt.h` lists the bugs that the shim finds, and what it
//! does not model.
//!
//! A kernel's fault (a deadlock, divergent barriers, a `__trap`) is an error of the launch that
//! names block, threads and source lines. With the feature `sanitize`, which also links the address
//! sanitizer's runtime, a bad access ends the process with a report.
//!
//! [`ShimBackend`] is the shim in the place of a GPU, for code that launches kernels itself: with it, the executor for
//! GPUs of `aligner_core::stream` runs an application's kernels.
//!
//! Environment: `SIMT_SEED` is the seed of launches that set none, `SIMT_WORKERS` the number of OS
//! threads a launch uses (all cores without it).
//!
//! ```no_run
//! # fn main() -> Result<(), simt::SimtError> {
//! let module = simt::Module::open("double.so".as_ref())?;
//! let numbers = [1u32, 2, 3];
//! let mut doubled = [0u32; 3];
//! let arguments = [
//!     simt::Argument::input(&numbers),
//!     simt::Argument::output(&mut doubled),
//!     simt::Argument::value(3u32),
//! ];
//! // SAFETY: the kernel takes (const uint32_t*, uint32_t*, uint32_t) and touches 3 elements.
//! unsafe { module.kernel("double_all")?.launch(&simt::Launch::new(1, 32), &arguments)? };
//! # Ok(())
//! # }
//! ```
// Loading and calling foreign code is what this crate is for; each use says why it is sound.
#![allow(unsafe_code)]

mod argument;
mod error;
mod launch;
mod module;
#[cfg(feature = "sanitize")]
mod sanitizer;
mod shim_backend;

pub use argument::Argument;
pub use error::SimtError;
pub use launch::Launch;
pub use module::{Kernel, Module};
pub use shim_backend::{HostBuffer, ShimBackend};
