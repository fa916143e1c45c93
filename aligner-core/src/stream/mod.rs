//! A runtime for irregular streaming applications: it keeps the SIMD lanes of a GPU busy although
//! items take different ways. After MERCATOR (Cole 2017, chapters 3 and 4; Cole and Buhler 2017).
//!
//! # The problem
//!
//! A *streaming* application takes many small items through a few steps. It is *irregular* if each
//! item decides whether it is dropped, where it goes, how many items it turns into, or how often it
//! goes round a loop. A plain kernel gives each item a thread for all steps. But the 32 threads of a
//! warp, its lanes, run in step: a lane whose item was dropped idles until its neighbours are done.
//! If each of five steps drops half of its items, only 2 of 32 lanes work in the fifth step.
//!
//! ```text
//!   plain kernel, one item a lane          this runtime, items wait in queues
//!   step 1   # # # # # # # #               # # # # # # # #
//!   step 2   # . # . # . # #               # # # # # # # #    full again: survivors of two ensembles
//!   step 3   . . # . . . # .               # # # # # # # #    ... of four
//! ```
//!
//! Here items wait in queues between the steps, and a step runs when enough items wait to give every
//! lane one. The author writes the steps and declares how they are connected; the runtime moves
//! items and decides what runs, all of it on the device, inside one kernel.
//!
//! # Vocabulary
//!
//! | word | meaning |
//! |------|---------|
//! | module type, or module | the code of a step ([`Stage`], [`Collect`], [`Reduce`], [`Walk`]) and its parameters; MERCATOR's word, not a Rust or CUDA module |
//! | node | an instance of a module type in the graph, with parameters of its own |
//! | channel, gamma | a typed output of a module; the most items that one input yields on it |
//! | edge | a connection from a channel of a node to another node or to a sink |
//! | queue | items that wait at a node: a ring with a fixed number of slots |
//! | weight | the lanes that an item takes: one, or one for each of its elements |
//! | source, root | the input of the application, and the node that takes it |
//! | sink | an output of the application |
//! | block | an independent copy of the whole application; on a GPU, a thread block |
//! | window | inputs that a block has claimed; its root takes them as if they were queued (in `seed-extend`, a window is a stretch of the reference) |
//! | ensemble | items that are processed together, one in each lane; [`Settings::width`] of them |
//! | firing | one or more ensembles of a module, from all its nodes; *full* if no lane idles |
//! | pod | a group of items in one slot, which stay together |
//! | walk | going down a tree with the items that are live at each of its nodes, pod by pod |
//! | explode, collect | give each element of an item, or item of a pod, a lane; pack items into pods |
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
//! have three levels: the fields of the stage belong to the module, each node has a [`Stage::Node`],
//! and the application has one [`Stage::Global`]. The first application of MERCATOR's manual,
//! `LinearPipe`, has 98 lines there and 96 here, host and device together, and runs on the CPU too
//! (`examples/linear_pipe.rs` explains how lines are counted).
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
//! 1. *Feasible* (Cole 2017, fig. 4.7): the inputs that wait, but no more than the targets have room
//!    for even if each input yields the most. `a`: min(6, (16 - 5) / 2) = 5. `b`: min(7, (16 - 2) / 2)
//!    = 7. The module: 12.
//! 2. *How many*: under [`Policy::Lazy`] only full ensembles, so 8; under [`Policy::Naive`] all 12,
//!    and 4 lanes of the second ensemble idle.
//! 3. *Gather* (Cole 2017, fig. 3.4): inputs are taken from the nodes in order, so 5 of `a` and 3 of
//!    `b`. The prefix sums of these counts are 0 for `a` and 5 for `b`. Lane j finds the last node
//!    whose prefix sum is at most j, by binary search in registers, and takes the item whose number
//!    is j minus that prefix sum:
//!
//!    ```text
//!      warp    0               1
//!      lane    0   1   2   3   4   5   6   7
//!      node    a   a   a   a   a   b   b   b
//!      item    0   1   2   3   4   0   1   2
//!      slot   14  15   0   1   2   3   4   5
//!    ```
//! 4. *Run*: each lane runs the stage on its item, with the parameters of its node, and keeps the
//!    items that it pushes in registers. Suppose that the lanes push 1, 0, 2, 1, 1, 1, 1 and 2 items.
//! 5. *Scatter* (Cole 2017, fig. 3.5): each warp writes the first items of all its lanes, then the
//!    second ones. Lanes with the same target find each other; the rank of a lane is the number of
//!    such lanes before it. One of them reserves slots for all by an atomic addition in shared
//!    memory. A lane's slot is the end of the queue (9 for `A`, 15 for `B`), plus the number of slots
//!    reserved before, plus its rank:
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
//! root's module if that can fill an ensemble that contains inputs, else the module with most
//! feasible items. Under [`Policy::Lazy`] only full ensembles are fired, unless no module has one,
//! which happens with small queues and at the end of the input. If nothing is feasible, the block is
//! done or waits for a sink.
//!
//! *Nothing deadlocks.* [`Topology::check`] admits graphs whose ways divide and merge, and back edges
//! to earlier nodes, whose loops are entered at one node, neither nest nor overlap and do not multiply
//! items. Where ways merge, edges share the free slots of a queue. On forward edges, some node on
//! the way to a sink can always fire. The head of a loop keeps slots free that only the back edge may
//! use, so a loop never fills up. `plan/queue_sizes.rs` has the sizes of queues and the proof, and
//! [`Capacity::Minimum`] puts it to the test.
//!
//! *Items may multiply on a loop*, too, if it leads from a depth-first node to itself
//! ([`Topology::descent`]). The queue of such a node is a stack. A firing takes the latest items, whose
//! descendants come next, so a few descents need room, but never a whole level of a tree.
//! `plan/depth_first.rs` has the rule and the proof that the stack never fills up. A node that *walks* ([`Walk`]) does so
//! with pods of any size, by `plan/walk.rs`.
//!
//! # Mappings, pods, walks, fused stages
//!
//! | a lane works on | Rust | CUDA |
//! |---|---|---|
//! | an item | [`Stage`] | `stream::Stage` |
//! | several items in turn, or a share of one | [`Mapping::Each`] | `ITEMS`, `THREADS` |
//! | one of the latest items of a node that multiplies them | [`Mapping::DepthFirst`] | `stream::DepthFirst` |
//! | one of the [`Stage::size`] elements of an item | [`Mapping::Explode`] | `stream::Exploding` |
//! | an item of a pod; those kept make up new pods | [`Collect`] | `stream::Collecting` |
//! | an item of a pod; reduced to one value a pod | [`Reduce`] | `stream::Reducing` |
//! | an item at a child of a node of a tree | [`Walk`] | `stream::Walking` |
//! | an item, through two stages | [`Fused`] | `stream::Fused` |
//!
//! A [`Pod`] is a header and up to `C` items, which stay together and yet have a lane each: an
//! ensemble takes as many whole pods as fit. New pods have no gaps, and empty pods drop. An exploded
//! item may be divided between ensembles. So exploding balances uneven inner loops over the lanes of a
//! block without the delayed buffer of Li 2016 (4.4), in which the long loops of a warp wait until all
//! its lanes share them.
//!
//! A [`Walk`] goes down a tree from each of its inputs. It takes a *pod*, here a node of the tree with any number of items
//! that are live there, looks up the children once for all of them, visits each item at each child, where the item may
//! stay live and may push outputs, and packs those that stay live into pods again. So a walk multiplies both pods and
//! items, and nothing tells by how many. Pods and their items lie on stacks in a block's memory, and a step takes the
//! latest of them, as many as fill several ensembles ([`WalkSettings`]); a firing makes several steps. As a depth-first
//! node, a walk needs room in proportion to the depth of the tree, which has to be declared ([`Topology::walk_node`]).
//! Trees are of any size, so with [`Settings::slice`] blocks without work get half of the pods of others. `woodstocc`
//! searches the suffix trie of a genome by one walk.
//!
//! Where few items are dropped, or stages do little, queues may cost more than idle lanes. [`Fused`]
//! merges two stages without touching their code, so that both builds can be measured.
//!
//! # Outputs, slices
//!
//! Each block has a region of each sink, for [`Settings::output_slots`] items, or for the number that
//! is likely ([`Settings::likely_outputs`]) if it is known. A block whose region is full stops, and
//! the others go on; then the host takes the outputs away, and the block goes on where it was. No
//! output is dropped or computed twice. [`OutputScheme`] has two other ways, for comparison.
//!
//! With [`Settings::slice`] blocks also stop after that many firings. Whenever all blocks have
//! stopped, [`CpuExecutor::run_with`] and [`CudaExecutor::run_with`] report the [`Progress`] to the
//! caller, who may cancel the run.
//!
//! # The end of the input, metrics
//!
//! When the input is used up, every block has less than an ensemble left at each node. With
//! thousands of blocks, these *rests* can take more firings than the whole input before. Therefore
//! blocks can put rests together ([`Settings::share_rest`]), take full ensembles back, and end when
//! there are none. The last block fires the remaining items.
//!
//! *Items may multiply unevenly*: then some blocks have thousands of items left when others are done. With
//! [`Settings::move_work`] a block that has run dry says so, and a block with more than two ensembles at a
//! node gives it one of them, the oldest items. `cuda/include/stream/moving.cuh` has the
//! rules, and why nothing overflows, deadlocks or ends early.
//!
//! With [`Settings::metrics`] a run counts firings, full firings, items and
//! [occupancy](ModuleMetrics::occupancy) of each module, and divides the time into gathering,
//! running, scattering and scheduling ([`Metrics::shares`]). Otherwise it measures nothing: an
//! application has two kernels, with and without metrics.
//!
//! # Choosing settings and variants
//!
//! The author may leave settings to the runtime, and list topologies that compute the same items, with
//! stages fused or split or with other items to threads. A [`Calibration`] runs some of them on the first
//! items of the input, in an order that a cost model gives, and chooses the fastest; a [`ChoiceCache`]
//! keeps the choice. It begins no run after 2 seconds, and makes about 120 at most, of up to ten launches if
//! they are short:
//!
//! ```text
//! let grid = SettingsGrid::usual(&Settings::default(), &device);
//! let variants = [Variant::new("split", &split, SPLIT), Variant::new("fused", &fused, FUSED)];
//! let cache = ChoiceCache::of_user();
//! let choice = Calibration::new(&variants, grid).keep(&cache, "reads").choose(&device, &global, &inputs)?;
//! let outputs = choice.run(&device, &global, &inputs)?;
//! ```
//!
//! `choice/mod.rs` has a whole example, the model and the bounds.
//!
//! # CPU and GPU
//!
//! Equal on both: the items at each sink, whatever the settings; sizes of queues; the rules above;
//! the error of a stage that pushes too much. [`oracle::interpret`], which has no queues at all,
//! defines the items, and tests compare both executors with it. The author must make a stage compute
//! the same in Rust and CUDA; a kernel describes its stages, and is refused if names, sizes, gammas
//! or mappings differ from those of the topology.
//!
//! Different: the order of a sink's items, which changes from run to run (items that need an order
//! carry a number to sort by); which items share an ensemble, and so the number of firings; and
//! "cycles", which are clock cycles of the last warp of each firing on a GPU and nanoseconds on the
//! CPU. Pods and exploding items do not move between blocks, and on a GPU they are not shared at the end
//! of the input. There, a walk takes a pod with more items than a step may take as a whole if there is room,
//! [`Stage::size`] cannot read the application's parameters, and a thread keeps
//! pushed items in registers or on its stack until they are scattered, so gammas should be small.
//!
//! # Writing an application
//!
//! 1. Declare items and parameters as `#[repr(C)]` structs without padding, and as the same structs
//!    in CUDA ([`device_struct!`](crate::device_struct) checks that they agree).
//! 2. Write stages and topology in Rust. Run them with [`CpuExecutor`], and compare with [`oracle`].
//! 3. Write `cuda/app.cu` in your crate, or `examples/app.cu`: the stages as structs, and
//!    `STREAM_APP(app, ...)` with their names in the order in which the topology adds them. There may
//!    be up to 32 nodes and sinks, and 256 threads in a block; define `STREAM_MAX_TARGETS` or
//!    `STREAM_MAX_WIDTH` before the include for more.
//! 4. Compile it to `app.fatbin` in the same folder: `make kernels` (`cargo xtask nvcc` once, then
//!    `cargo xtask kernels`). No GPU is needed.
//! 5. Call [`Topology::run`] on a [`Device`](crate::Device), with `Kernels { name: "app", fatbin:
//!    include_bytes!("app.fatbin") }`.
//! 6. Run the same `.cu` on the CPU in tests, as `aligner-core/tests/kernels/streaming.rs` does.
//!
//! The examples `linear_pipe`, `tree`, `self_loop`, `explore` and `pods` are complete programs, host and device,
//! and take `--device` and `--stats json`: `cargo run -p aligner-core --example tree`. The papers'
//! synthetic applications are in `benches/`.
//!
//! # Outside this workspace
//!
//! `aligner-core/examples/outside` is an application in a workspace of its own, of two stages in Rust and CUDA, a program and
//! a test: copy the folder, and name a checkout or the git repository of gpualign in its `Cargo.toml`. Three crates take
//! the place of what steps 3, 4 and 6 above have in gpualign's workspace:
//!
//! | section of `Cargo.toml` | crate | for |
//! |---|---|---|
//! | `dependencies` | `aligner-core` | stages, topology, executors |
//! | `build-dependencies` | `stream-build` | `stream_build::build("cuda/app.cu")` in `build.rs` writes `app.fatbin` for GPUs and `app.so` for the CPU to `OUT_DIR` |
//! | `dev-dependencies` | `simt` | `ShimBackend`, on which [`CudaExecutor::with_backend`] runs `app.so` in tests |
//!
//! `stream-build` has the headers, and fetches nvcc in the version that compiles gpualign's own kernels. Neither needs a GPU.
//! Structs in Rust and CUDA are compared in size only, by way of the stages; for the offset of each field, use
//! [`device_struct!`](crate::device_struct) and commit the header of a [`LayoutHeader`](crate::gpu::LayoutHeader).
//!
//! # Where to look
//!
//! | folder | concept |
//! |---|---|
//! | `stages/` | items, channels, stages, pods, walks, fused stages; the same without types |
//! | `graph/` | declaring a topology; legal topologies; forward edges and loops of a graph |
//! | `run/` | settings, outputs, metrics and errors of a run |
//! | `plan/` | a topology sorted for executors; sizes of queues and stacks, and the proofs that nothing deadlocks |
//! | [`oracle`] | the definition of a topology's outputs |
//! | `choice/` | choosing variants and settings by calibration |
//! | `cpu/` | the executor for CPUs: `schedule` decides, `block` fires, `rest`, `moving` and `share` share |
//! | `cuda/` | the executor for GPUs on the host: tables, memory, launches, sinks |
//!
//! | header in `cuda/include/stream/` | concept |
//! |---|---|
//! | `stage.cuh`, `push.cuh`, `fused.cuh` | stages and channels; items that a thread has pushed; fused stages |
//! | `tables.cuh`, `describe.cuh` | tables that the host writes; the description that a kernel gives |
//! | `items.cuh`, `block.cuh` | items in memory; the state of a block, saved between launches |
//! | `booking.cuh`, `lane_node.cuh`, `scheduler.cuh`, `whole_pods.cuh`, `walking.cuh` | updating queues after a firing; choosing the next |
//! | `fire.cuh`, `scatter.cuh`, `pods.cuh`, `walk.cuh` | gather and run; scatter; firings over pods; walks |
//! | `rest.cuh`, `moving.cuh`, `share.cuh`, `pack.cuh` | the end of the input; work that moves between blocks; walks of other blocks; outputs of all blocks as one array |
//! | `metrics.cuh` | clocks and counters |
//! | `stream.cuh` | `STREAM_APP`: the kernels, and the main loop of a block |
//! | `scan.cuh` | prefix sums |
//! | `prefetch.cuh` | for kernels without the runtime: memory warps |
//!
//! # Sources
//!
//! - Cole 2017: S. V. Cole, Efficiently and Transparently Maintaining High SIMD Occupancy in the
//!   Presence of Wavefront Irregularity. Dissertation, Washington University in St. Louis.
//! - Cole and Buhler 2017: MERCATOR: a GPGPU Framework for Irregular Streaming Applications. HPCS.
//! - Li 2016: D. Li, Facilitating Emerging Applications on Many-Core Processors. Dissertation,
//!   University of Missouri-Columbia.
//! - Hagiescu et al.: Automated Architecture-Aware Mapping of Streaming Applications onto GPUs.
//! - Elteir 2012: M. K. Elteir, A `MapReduce` Framework for Heterogeneous Computing Architectures.
//!   Dissertation, Virginia Tech.

mod choice;
mod cpu;
mod cuda;
mod graph;
pub mod oracle;
mod plan;
mod run;
mod stages;

pub use choice::{Calibration, Choice, ChoiceCache, SettingsGrid, Variant};
pub use cpu::CpuExecutor;
pub use cuda::{Backend, CudaBackend, CudaExecutor, DeviceItems, DeviceOutputs};
pub use cuda::{Kernels, Launch, LoadedKernels};
pub use graph::error::TopologyError;
pub use graph::topology::{ModuleId, NodeId, SinkId, Topology, WalkId};
pub use run::error::RunError;
pub use run::metrics::{Metrics, ModuleMetrics, WalkMetrics};
pub use run::outputs::{Bytes, Items, Outputs, Progress};
pub use run::settings::{Capacity, OutputScheme, Policy, Settings, WalkSettings};
pub use stages::channel::{Channel, ChannelType};
pub use stages::fused::{Both, Fused};
pub use stages::item::{Item, ItemType};
pub use stages::pod::{AnyPod, Collect, Keep, Pod, Reduce};
pub use stages::stage::{Mapping, Push, Site, Stage};
pub use stages::walk::{Children, Walk, WalkLimits};
