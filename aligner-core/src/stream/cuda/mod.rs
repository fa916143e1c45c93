//! The executor for GPUs: the host's side of an application whose kernels `STREAM_APP` defines
//! (`cuda/include/stream/stream.cuh`).
//!
//! The host puts queues and tables into device memory, launches the kernel, takes outputs away, and launches again as
//! long as blocks have something to do. A launch ends when all blocks are done, when they have fired as often as
//! [`Settings::slice`](crate::stream::Settings::slice) allows, or when a sink's region is full; queues stay in device
//! memory between launches.
//!
//! # Design of the kernel
//!
//! *One warp decides, in registers.* The other warps of its block stand still meanwhile, so a firing must take long
//! compared with a decision. Each lane looks after one node, the state of a queue is one 16-byte word of shared memory,
//! and the choice of a module is one maximum over the warp (`scheduler.cuh`). To fire several modules by one decision
//! cost more than it saved.
//!
//! *The source is a window, not a queue.* A block claims a range of the input, and its root reads from there. A node
//! that copies inputs to a queue would add a firing and a copy of every input. Only a root that explodes its inputs has
//! a queue, because elements are counted when items enter it.
//!
//! *Claims get smaller.* A block claims a quarter of an equal share of the input that is left, at most what the plan
//! says, and at least one ensemble, or one item if items explode. So most claims are large, and all blocks end together
//! (`booking.cuh`).
//!
//! *Slots of queues are reserved by atomics on shared memory, not by scans over the block.* Such a scan has barriers,
//! for every channel of every ensemble. Here the lanes of a warp with the same target find their ranks by
//! `__match_any_sync`, and one atomic on a counter in shared memory reserves their slots (`scatter.cuh`). The scheduler
//! has made sure beforehand that all slots are free. The price is that the order of a queue is not defined. What one
//! warp sends still stays in the order of its lanes, also if each sends several items: neighbours are often alike, and
//! lanes that do the same end together. So a firing has no barriers but the two around it, unless it is over pods,
//! whose items may lie in two warps.
//!
//! *Measuring takes a second kernel,* so that clocks cost nothing where they are not wanted. A firing lasts until its
//! last warp is done, and the cycles of that warp in gathering, running and scattering count as the firing's.
//!
//! | file | concept |
//! |---|---|
//! | `executor` | the public executor: where inputs and outputs are, and how many passes a run takes |
//! | `pass` | one pass over the input: launches until all blocks are done |
//! | `share` | sharing walks between launches |
//! | `application` | topology, plan and kernels; the numbers of blocks, inputs at a time and output slots |
//! | `layout`, `memory`, `sinks` | the contents of the tables; the buffers of a run; room for outputs |
//! | `parts` | small arrays in one array of device memory |
//! | `moving` | the buffers of work that moves between blocks |
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
mod moving;
mod parts;
mod pass;
mod share;
mod sinks;
mod tables;

pub use self::backend::{Backend, CudaBackend, Launch};
pub use self::executor::CudaExecutor;
pub use self::in_place::{DeviceItems, DeviceOutputs};
pub use self::kernels::{Kernels, LoadedKernels};
