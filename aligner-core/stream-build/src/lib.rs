//! Compiles applications of `aligner_core::stream` in build scripts, also outside gpualign's workspace.
//!
//! An application's build script names its kernel file:
//!
//! ```no_run
//! stream_build::build("cuda/sketch.cu");
//! ```
//!
//! Then the application includes the kernels for GPUs by `include_bytes!(concat!(env!("OUT_DIR"), "/sketch.fatbin"))`, and
//! its tests open the same kernels for the CPU, `concat!(env!("OUT_DIR"), "/sketch.so")`, with the crate `simt`. No GPU is
//! needed for either. `aligner-core/examples/outside` is a complete application to copy.
//!
//! # Design
//!
//! ```text
//!                       .-- nvcc, pinned -->  $OUT_DIR/sketch.fatbin   for GPUs
//!   cuda/sketch.cu  ---<
//!                       '-- C++ compiler -->  $OUT_DIR/sketch.so       for the SIMT shim
//!
//!   headers: aligner-core/cuda/include, cuda/include of the application
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`nvcc`] | the pinned CUDA compiler: finding, fetching and running it |
//! | [`application`] | both builds of an application's kernel file |
//!
//! The pinned nvcc is the one that compiles gpualign's own kernels (`cargo xtask kernels`, by [`nvcc`] too). It is fetched
//! from `PyPI` by `python3 -m pip` into `cuda` in the folder that cargo builds in, which takes about 300 MB. The environment
//! variable `STREAM_NVCC` names a program to take instead, of the same version.

pub mod application;
pub mod nvcc;

pub use application::{ApplicationError, build, try_build};
pub use nvcc::NvccError;
