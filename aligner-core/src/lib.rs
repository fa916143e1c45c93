//! What every gpualign crate stands on: nucleotide codes ([`seq`]), sequence files ([`fastx`]) and locations
//! in them ([`input_location`]), checksummed memory-mapped files ([`container`]), columns of alignments ([`cigar`]), the choice of a compute device ([`device`]) with its memory and launches
//! ([`gpu`]), sorting there ([`sort`]), and a runtime for irregular streaming applications ([`stream`]).
//!
//! # Design
//!
//! ```text
//!   --device auto|cpu|cuda[:N]
//!            |
//!      DeviceRequest --open()--> Device::Cpu
//!                                Device::Cuda(Gpu) -- stream, modules, buffers
//!                                  |
//!   stream::Topology --run()-------+--> CpuExecutor, CudaExecutor --> Outputs, Metrics
//! ```
//!
//! [`Device`] is an exhaustive enum and is matched once per batch of work, never per item. This
//! crate alone talks to `cudarc`; the crates above see [`gpu::Gpu`], [`gpu::DeviceBuffer`] and
//! [`gpu::Kernel`]. The CUDA driver is loaded at run time, so one binary serves machines with and
//! without a GPU.
//!
//! An application of [`stream`] is a graph of steps, each of which decides item by item what goes
//! on. The runtime queues items between steps, so that few lanes of a GPU idle, and yields the same
//! items on both devices.
//!
//! Device headers are in `cuda/include`: `gpualign/` for all kernels, `stream/` for the runtime.

pub mod cigar;
pub mod container;
pub mod device;
pub mod error;
pub mod fastx;
pub mod gpu;
pub mod input_location;
pub mod seq;
pub mod sort;
pub mod stream;

pub use device::{Device, DeviceRequest};
pub use error::DeviceError;
