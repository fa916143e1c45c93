//! Irregular streaming: items that take different ways through an application, on full SIMD lanes.
//! After MERCATOR (Cole 2017, chapters 3 and 4).
//!
//! # What it is for
//!
//! A *streaming* application takes many small items through a few steps. It is *irregular* if each
//! item decides whether it is dropped, where it goes, as how many items it goes on, or how often it
//! goes round a loop. A plain kernel gives each item to a thread for the whole way. But the 32
//! threads of a warp, its lanes, run in step: a lane whose item was dropped idles until its
//! neighbours are done. Where each of five steps drops half of its items, the fifth has 2 lanes of
//! 32 at work.
//!
//! Here items wait in queues between the steps, and a step runs when enough of them wait to give
//! every lane one. The author writes the steps and says how they are connected; the runtime moves
//! items and decides what runs, all on the device and inside one kernel.
//!
//! # Vocabulary
//!
//! | word | meaning |
//! |------|---------|
//! | module type, or module | a step's code ([`Stage`], [`Collect`], [`Reduce`]) and parameters |
//! | node | a place in the graph where a module's code runs, with parameters of its own |
//! | channel, gamma | a module's typed output; the most items that one input yields on it |
//! | edge | leads from a channel of a node to another node or to a sink |
//! | queue | the items that wait at a node: a ring with a fixed number of slots |
//! | source, root; sink | where input comes in, and the node that takes it; where items leave |
//! | block | an independent copy of the whole application; on a GPU a thread block |
//! | window | the inputs that a block has claimed; its root takes them as if they were queued |
//! | ensemble | items processed together, one a lane; [`Settings::width`] is how many |
//! | firing | one or more ensembles of a module, from all its nodes; *full* if no lane idles |
//! | pod | a group of items in one slot |
//!
//! # An application
//!
//! Two nodes of one module type, each with its threshold (shortened from
//! `examples/linear_pipe.rs`):
//!
//! ```text
//!   input --> filter1 --accept--> filter2 --accept--> accepted
//!                `----reject--> rejected1  `--reject--> rejected2
//! ```
//!
//! ```
//! use aligner_core::stream::{Channel, ChannelType, CpuExecutor, Push, Settings};
//! use aligner_core::stream::{Site, Stage, Topology};
//! use bytemuck::{Pod, Zeroable};
//!
//! const ACCEPT: Channel<i32> = Channel::new(0, "accept", 1);
//! const REJECT: Channel<i32> = Channel::new(1, "reject", 1);
//!
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! #[repr(C)]
//! struct Filter;
//! impl Stage for Filter {
//!     type In = i32;
//!     type Node = i32; // the threshold
//!     type Global = ();
//!     const NAME: &'static str = "Filter";
//!
//!     fn channels() -> Vec<ChannelType> {
//!         vec![ACCEPT.describe(), REJECT.describe()]
//!     }
//!
//!     fn run(&self, item: &i32, site: &Site<'_, i32, ()>, push: &mut Push<'_>) {
//!         push.to(if item < site.node { ACCEPT } else { REJECT }, *item);
//!     }
//! }
//!
//! let mut app = Topology::new("filters", &());
//! let filter = app.stage(Filter);
//! let filter1 = app.node("filter1", filter, 100);
//! let filter2 = app.node("filter2", filter, 30);
//! app.source::<i32>(filter1);
//! app.edge(filter1, "accept", filter2);
//! let rejected1 = app.sink::<i32>("rejected1", filter1, "reject");
//! let rejected2 = app.sink::<i32>("rejected2", filter2, "reject");
//! let accepted = app.sink::<i32>("accepted", filter2, "accept");
//!
//! let inputs: Vec<i32> = (0..128).collect();
//! let mut outputs = CpuExecutor::new(&app, &Settings::default())?.run(&inputs)?;
//! let counts = [rejected1, rejected2, accepted].map(|sink| outputs.take(sink).len());
//! assert_eq!(counts, [28, 70, 30]);
//! # Ok::<(), aligner_core::stream::RunError>(())
//! ```
//!
//! The same stage for a GPU:
//!
//! ```cpp
//! #include "stream/stream.cuh"
//!
//! struct Filter : stream::Stage {
//!   using In = int;
//!   using Out = stream::Channels<stream::Channel<int, 1>, stream::Channel<int, 1>>;
//!   using Node = int;
//!
//!   template <class Push>
//!   __device__ void run(int item, const stream::Site<Filter>& site, Push& push) const {
//!     if (item < site.node()) push(stream::to<0>(), item);
//!     else push(stream::to<1>(), item);
//!   }
//! };
//!
//! STREAM_APP(filters, Filter)
//! ```
//!
//! The graph is declared in Rust only, and can change without compiling kernels again. Parameters
//! come at three levels: the fields of the stage are the module's, each node has a [`Stage::Node`],
//! the application one [`Stage::Global`]. The first application of MERCATOR's manual, `LinearPipe`,
//! has 98 lines there and 96 here, host and device together, and runs on the CPU too;
//! `examples/linear_pipe.rs` says what is counted.
//!
//! # A firing, step by step
//!
//! Blocks of 8 threads in warps of 4, to keep it short; real ones have 32 to 1024 in warps of 32.
//! Nodes `a` and `b` are of one module type, whose only channel has gamma 2 and leads from `a` to
//! the queue of `A` and from `b` to that of `B`. All queues have 16 slots.
//!
//! ```text
//!   queue   a   b   A   B
//!   items   6   7   5   2
//!   head   14   3   4  13     the slot of the first item
//! ```
//!
//! 1. *Feasible* (Figure 4.7): as many inputs as wait, and as the targets have room for even if all
//!    yield the most. `a`: min(6, (16 - 5) / 2) = 5. `b`: min(7, (16 - 2) / 2) = 7. The module: 12.
//! 2. *How many*: under [`Policy::Lazy`] only full ensembles, so 8; under [`Policy::Naive`] all 12,
//!    and 4 lanes of the second ensemble idle.
//! 3. *Gather* (Figure 3.4): nodes in order, so 5 of `a` and 3 of `b`; before `a` come 0, before
//!    `b` 5. Lane j finds the last node before which no more than j come, by binary search in
//!    registers, and takes of that node the item number j less those before:
//!
//!    ```text
//!      warp    0               1
//!      lane    0   1   2   3   4   5   6   7
//!      node    a   a   a   a   a   b   b   b
//!      item    0   1   2   3   4   0   1   2
//!      slot   14  15   0   1   2   3   4   5
//!    ```
//! 4. *Run*: each lane runs the code on its item, with its node's parameters, and keeps what it
//!    pushes. Say they push 1, 0, 2, 1, 1, 1, 1 and 2 items.
//! 5. *Scatter* (Figure 3.5): each warp sends all first items, then all second ones. Lanes with one
//!    target find each other; the rank of a lane is how many of them come before it. One of them
//!    reserves room for all by an atomic addition in shared memory. The slot is the queue's end (9
//!    for `A`, 15 for `B`), plus what was reserved before, plus the rank:
//!
//!    ```text
//!      item     first                           second
//!      warp     0           1                   0   1
//!      lane     0   2   3   4   5   6   7       2   7
//!      target   A   A   A   A   B   B   B       A   B
//!      before   0   0   0   3   0   0   0       4   3
//!      rank     0   1   2   0   0   1   2       0   0
//!      slot     9  10  11  12  15   0   1      13   2
//!    ```
//!
//! 6. *Book*: 1 item is left at `a` and 4 at `b`; `A` now has 10 and `B` 6. Warps do not wait for
//!    each other, so the order in `A` may differ the next time.
//!
//! # Scheduling
//!
//! A block repeats (Cole 2017, 4.5): if its window is empty, it claims inputs; then it fires the
//! root's module if that can fill an ensemble with inputs in it, else the module with most feasible
//! items. Under [`Policy::Lazy`] only full ensembles are fired, unless no module has one, which
//! happens with small queues and at the end. If nothing is feasible, the block is done or waits for
//! a sink.
//!
//! *Nothing deadlocks.* [`Topology::check`] admits trees with back edges to ancestors, whose loops
//! neither nest nor overlap and multiply no items. In a tree there is always someone who can fire,
//! down to a sink. The head of a loop keeps slots free that only the back edge may use, so a loop
//! never fills up. `sizes.rs` has the sizes of queues and the proof, and [`Capacity::Minimum`] puts
//! it to the test.
//!
//! # Mappings, pods, fused stages
//!
//! | a lane works on | Rust | device |
//! |---|---|---|
//! | an item | [`Stage`] | `stream::Stage` |
//! | several items in turn, or a share of one | [`Mapping::Each`] | `ITEMS`, `THREADS` |
//! | one of the [`Stage::size`] elements of an item | [`Mapping::Explode`] | `stream::Exploding` |
//! | an item of a pod; those kept make up new pods | [`Collect`] | `stream::Collecting` |
//! | an item of a pod; reduced to one value a pod | [`Reduce`] | `stream::Reducing` |
//! | an item, through two stages | [`Fused`] | `stream::Fused` |
//!
//! A [`Pod`] is a header and up to `C` items, which stay together and yet have a lane each: an
//! ensemble is as many whole pods as fit. New pods have no gaps, and empty ones drop. An exploded
//! item may be divided between ensembles.
//!
//! Where little is dropped, or stages do little, queues may cost more than idle lanes. [`Fused`]
//! merges two stages without touching their code, so that either build can be measured.
//!
//! # Outputs, slices
//!
//! A sink has room for so many items of a block ([`Settings::output_slots`]), or for as many as are likely
//! ([`Settings::likely_outputs`]) if that is known. A block that has used it up stops, the others go on; then
//! the host takes the outputs away, and it goes on where it was. No output is dropped or computed twice.
//! [`OutputScheme`] has two other ways, to compare with.
//!
//! With [`Settings::slice`] blocks also stop after that many firings. Whenever all have stopped,
//! [`CpuExecutor::run_with`] and [`CudaExecutor::run_with`] tell the caller the [`Progress`] and
//! let it cancel.
//!
//! # The end of the input, metrics
//!
//! When the input is used up, every block has less than an ensemble left at each node. With
//! thousands of blocks, these *rests* can be more firings than all that came before. So blocks put
//! them together ([`Settings::share_rest`]), take full ensembles back, and end when there are none.
//! The last fires what is left.
//!
//! With [`Settings::metrics`] a run counts firings, full firings, items and
//! [occupancy](ModuleMetrics::occupancy) of each module, and divides the time into gathering,
//! running, scattering and scheduling ([`Metrics::shares`]). Otherwise it measures nothing; devices
//! have a kernel for either.
//!
//! # CPU and GPU
//!
//! The same on both: the items at each sink, whatever the settings; sizes of queues; the rules
//! above; the error of a stage that pushes too much. [`oracle::interpret`], which has no queues at
//! all, says what the items are, and tests hold both executors to it. It is the author who makes a
//! stage compute the same in both languages; a kernel describes its stages, and is refused if
//! names, sizes, gammas or mappings differ from the topology's.
//!
//! Not the same: the order of a sink's items, which differs between any two runs (items that need
//! one carry a number to sort by); which items share an ensemble, and so the number of firings; and
//! "cycles", which are those of a block's first warp on a GPU, nanoseconds on the CPU. On a GPU
//! pods and exploding items are not shared at the end, [`Stage::size`] cannot read the
//! application's parameters, and a thread keeps what it pushes in registers or on its stack until
//! it is scattered, so gammas should be small.
//!
//! # Writing an application
//!
//! 1. Items and parameters: `#[repr(C)]` structs without padding, and the same in CUDA.
//! 2. Stages and topology in Rust. Run them with [`CpuExecutor`], compare with [`oracle`].
//! 3. `cuda/app.cu` in your crate, or `examples/app.cu`: the stages as structs, and
//!    `STREAM_APP(app, ...)` with their names in the order in which the topology adds them. It
//!    takes up to 32 nodes and sinks and 256 threads a block; define `STREAM_MAX_TARGETS` or
//!    `STREAM_MAX_WIDTH` before the include for more.
//! 4. `make kernels` (`cargo xtask nvcc` once, then `cargo xtask kernels`) compiles it to
//!    `app.fatbin` beside it. No GPU is needed.
//! 5. [`Topology::run`] on a [`Device`](crate::Device), with `Kernels { name: "app", fatbin:
//!    include_bytes!("app.fatbin") }`.
//! 6. `tests/tests/kernels/streaming.rs` shows how to run the same `.cu` on the CPU in tests.
//!
//! The examples `linear_pipe`, `tree`, `self_loop` and `pods` have their `.cu` beside them, and
//! take `--device` and `--stats json`: `cargo run -p aligner-core --example tree`. The papers'
//! synthetic applications are in `benches/`; `gpualign bench runtime` measures them.
//!
//! # Where to look
//!
//! | file | concept |
//! |---|---|
//! | `item`, `stage`, `pod`, `fuse`, `code` | what an author writes, and the same without types |
//! | `topology`, `check`, `shape` | declaring a graph; which are legal; its tree and loops |
//! | `settings`, `sizes`, `plan` | how to run; queues and deadlock; what executors see |
//! | `cpu/` | the CPU's executor: `schedule` decides, `block` fires, `rest` shares |
//! | `cuda/` | the GPU's executor on the host: memory, tables, launches, sinks |
//! | `run`, `outputs`, `metrics`, `error` | running on either, and what comes of it |
//! | [`oracle`] | what a topology means |
//!
//! | header in `cuda/include/stream/` | concept |
//! |---|---|
//! | `stream.cuh` | `STREAM_APP`: the kernels, and a block's life |
//! | `stage.cuh`, `push.cuh`, `fuse.cuh` | what an author writes; what a thread pushed; fusing |
//! | `run.cuh`, `describe.cuh` | what the host tells a kernel, and a kernel the host |
//! | `block.cuh`, `items.cuh` | a block's state, kept between launches; items in memory |
//! | `booking.cuh`, `own.cuh`, `scheduler.cuh`, `whole_pods.cuh` | what a firing did; what to fire |
//! | `fire.cuh`, `scatter.cuh`, `pods.cuh` | gather and run; scatter; the same for pods |
//! | `rest.cuh`, `pack.cuh` | the end of the input; outputs of all blocks as one array |
//! | `metrics.cuh`, `balance.cuh` | clocks and counters; uneven inner loops, for other kernels |
//! | `prefetch.cuh` | memory warps for regular stages, for other kernels |
//!
//! # Sources
//!
//! Here, in the headers and in the benchmarks, *000* is S. V. Cole, Efficiently and Transparently
//! Maintaining High SIMD Occupancy in the Presence of Wavefront Irregularity (dissertation,
//! Washington University), whose system is MERCATOR; *001* is D. Li, Facilitating Emerging
//! Applications on Many-Core Processors (dissertation, University of Missouri); *002* is Hagiescu
//! et al., Automated Architecture-Aware Mapping of Streaming Applications onto GPUs; *003* is M. K.
//! Elteir, A `MapReduce` Framework for Heterogeneous Computing Architectures (dissertation, Virginia
//! Tech).

mod cpu;
mod cuda;
mod graph;
pub mod oracle;
mod plan;
mod run;
mod stages;

pub use cpu::CpuExecutor;
pub use cuda::{Backend, CudaBackend, CudaExecutor, DeviceItems, DeviceOutputs};
pub use cuda::{Kernels, Launch, LoadedKernels, Word};
pub use graph::error::TopologyError;
pub use graph::topology::{ModuleId, NodeId, SinkId, Topology};
pub use run::error::RunError;
pub use run::metrics::{Metrics, ModuleMetrics};
pub use run::outputs::{Bytes, Items, Outputs, Progress};
pub use run::settings::{Capacity, OutputScheme, Policy, Settings};
pub use stages::channel::{Channel, ChannelType};
pub use stages::fused::{Both, Fused};
pub use stages::item::{Item, ItemType};
pub use stages::pod::{AnyPod, Collect, Keep, Pod, Reduce};
pub use stages::stage::{Mapping, Push, Site, Stage};
