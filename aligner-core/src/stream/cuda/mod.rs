//! The executor for GPUs: the host's side of an application whose kernels `STREAM_APP` defines
//! (`cuda/include/stream/stream.cuh`).
//!
//! The host puts queues and tables into device memory, launches the kernel, takes outputs away, and launches again as
//! long as blocks have something to do. A launch ends when all blocks are done, when they have fired as often as
//! [`Settings::slice`](crate::stream::Settings::slice) allows, or when a sink's region is full; queues stay in device
//! memory between launches.
//!
//! | file | concept |
//! |---|---|
//! | `executor` | the public executor: where inputs and outputs are, and how many passes a run takes |
//! | `pass` | one pass over the input: launches until all blocks are done |
//! | `application` | topology, plan and kernels; the numbers of blocks, inputs at a time and output slots |
//! | `layout`, `memory`, `sinks` | the contents of the tables; the buffers of a run; room for outputs |
//! | `tables` | structs that are shared with the kernels |
//! | `kernels`, `describe` | loading kernels, and comparing them with the topology |
//! | `backend` | a GPU, or the SIMT shim in tests |
//! | `in_place` | outputs that stay in device memory |

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

pub use self::backend::{Backend, CudaBackend, Launch};
pub use self::executor::CudaExecutor;
pub use self::in_place::{DeviceItems, DeviceOutputs};
pub use self::kernels::{Kernels, LoadedKernels};
