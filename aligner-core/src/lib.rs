//! What every gpualign crate stands on: nucleotide codes ([`seq`]), sequence files ([`fastx`])
//! and the choice of a compute device ([`device`]) with its memory and launches ([`gpu`]).
//!
//! # Design
//!
//! ```text
//!   --device auto|cpu|cuda[:N]
//!            |
//!      DeviceRequest --open()--> Device::Cpu
//!                                Device::Cuda(Gpu) -- stream, modules, buffers
//! ```
//!
//! [`Device`] is an exhaustive enum and is matched once per batch of work, never per item. This
//! crate alone talks to `cudarc`; the crates above see [`gpu::Gpu`], [`gpu::DeviceBuffer`] and
//! [`gpu::Kernel`]. The CUDA driver is loaded at run time, so one binary serves machines with and
//! without a GPU.
//!
//! Device headers that all kernels share are in `cuda/include/gpualign/`.

pub mod device;
pub mod error;
pub mod fastx;
pub mod gpu;
pub mod seq;
pub mod stream;

pub use device::{Device, DeviceRequest};
pub use error::DeviceError;
