//! NVIDIA GPUs: memory, copies, kernels and streams. The only user of `cudarc`.
//!
//! A [`Gpu`] has a context and one stream. Every copy, fill and launch goes to that stream, and they run in order. For
//! work at the same time, such as copies during a kernel, [`Gpu::with_own_stream`] gives the same GPU with a second
//! stream; then the host waits for an [`Event`] of one stream before it lets the other use the results. `cudarc`'s
//! tracking of events is off, since it costs 1.2 us a launch. Any host thread may drive a GPU, but one at a time.
//!
//! | module | concept |
//! |---|---|
//! | `description` | the GPUs of this machine |
//! | `context` | an opened GPU: its context and stream, and waiting for it |
//! | `buffer`, `copies` | arrays in device memory and in page-locked host memory; allocating and copying them |
//! | `pool` | the driver's memory pool, which keeps freed memory for the next buffers |
//! | `staging` | page-locked staging buffers for copies to and from the device |
//! | `upload_buffer` | host memory that is filled again and again for copies to the device |
//! | `locked_bytes` | the bytes of page-locked memory |
//! | `event` | events, which order two streams, and the pool of those that are not in use |
//! | `kernel` | loading kernels and launching them |
//! | `device_struct` | structs that host and kernels share, declared once |

mod buffer;
mod context;
mod copies;
mod description;
mod device_struct;
mod driver_error;
mod event;
mod kernel;
mod locked_bytes;
mod pool;
mod staging;
mod upload_buffer;

pub use buffer::{DeviceBuffer, PinnedBuffer};
pub use context::Gpu;
pub use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
pub use description::{Description, count, describe, is_driver_installed};
pub use device_struct::{DeviceAddress, DeviceStruct, FieldLayout, LayoutHeader, StructLayout};
pub use event::Event;
pub use kernel::{Kernel, Module};
pub use staging::StagedDownload;
pub use upload_buffer::UploadBuffer;
