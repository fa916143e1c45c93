//! Runs topologies on CUDA devices: persistent blocks, each a copy of the application.
//!
//! The host lays out queues and tables in device memory ([`layout`](self)), launches the kernel that
//! `STREAM_APP` defines (`cuda/include/stream/stream.cuh`), takes outputs away, and launches again
//! as long as blocks have something to do. A launch ends when all blocks are done, when they had
//! their [`Settings::slice`] of firings, or when a sink's region is full; the queues stay in device
//! memory between launches.

mod application;
mod backend;
mod describe;
mod executor;
mod in_place;
mod kernels;
mod layout;
mod memory;
mod pass;
mod sinks;
mod tables;

pub use self::backend::{Backend, CudaBackend, Launch, Word};
pub use self::executor::CudaExecutor;
pub use self::in_place::{DeviceItems, DeviceOutputs};
pub use self::kernels::{Kernels, LoadedKernels};
