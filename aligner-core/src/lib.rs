//! The foundation of gpualign's crates: sequences and alignments, devices, and a runtime that keeps the lanes of a GPU
//! busy when items take different ways through an application. A [`Device`], the CPU or a GPU, is what the other crates
//! take to say where they compute; [`Device::open`] opens the one of a [`DeviceRequest`] such as `--device auto`, and a
//! [`DeviceSelection`] such as `--device cuda:0,2` names several.
//!
//! A streaming application is a graph of steps; each step decides, item by item, what goes on. This one takes 4-mers of
//! two bits a base, drops those that equal their own reverse complement, and yields the smaller strand of the others.
//! It runs on the CPU; [`stream`] shows the few lines of CUDA that let the same graph run on a GPU.
//!
//! ```
//! use aligner_core::stream::{Channel, ChannelType, CpuExecutor, Push, Settings, Site, Stage, Topology};
//! const KEPT: Channel<u32> = Channel::new(0, "kept", 1); // one input yields at most one item
//! #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
//! #[repr(C)]
//! struct Canonical;
//! impl Stage for Canonical {
//!     type In = u32;
//!     type Node = (); // a node and the application have no parameters
//!     type Global = ();
//!     const NAME: &'static str = "Canonical";
//!     fn channels() -> Vec<ChannelType> { vec![KEPT.describe()] }
//!     fn run(&self, &kmer: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
//!         let reverse = (0..4).fold(0, |strand, base| strand << 2 | (!kmer >> (2 * base) & 3));
//!         if kmer != reverse { push.to(KEPT, kmer.min(reverse)); }
//!     }
//! }
//! let mut app = Topology::new("canonical", &());
//! let module = app.stage(Canonical);
//! let node = app.node("canonical", module, ());
//! app.source::<u32>(node);
//! let kept = app.sink::<u32>("kept", node, "kept");
//! let kmers = [0b00_00_00_00_u32, 0b11_11_11_11, 0b00_01_10_11]; // AAAA, TTTT, ACGT
//! let mut outputs = CpuExecutor::new(&app, &Settings::default())?.run(&kmers)?;
//! assert_eq!(outputs.take(kept), [0, 0]);
//! # Ok::<(), aligner_core::stream::RunError>(())
//! ```
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
//! | module | concept |
//! |---|---|
//! | [`device`] | the choice between the CPU and a GPU |
//! | [`gpu`] | memory, copies and kernels of a GPU; structs that host and kernels share |
//! | [`stream`] | the runtime for irregular streaming applications |
//! | [`sort`] | sorting in device memory |
//! | [`bgzf`] | compressing blocks of BGZF on a device |
//! | [`buffer_pool`] | memory that later batches use again |
//! | [`seq`], [`fastx`] | nucleotide codes; sequence files |
//! | [`input_location`], [`path`] | locations in input files, for error messages; names of files beside others |
//! | [`container`] | checksummed, memory-mapped files of sections |
//! | [`user_cache`] | what later runs of the user find again |
//! | [`cigar`] | the columns of an alignment |
//! | [`error`] | errors of devices |
//!
//! [`Device`] is an exhaustive enum that is matched once for each batch of work, never for each item. This crate alone
//! uses `cudarc`; the crates above see [`gpu::Gpu`], [`gpu::DeviceBuffer`] and [`gpu::Kernel`]. The CUDA driver is
//! loaded at run time, so one binary serves machines with and without a GPU. Headers for kernels are in `cuda/include`:
//! `gpualign/` for all kernels, `stream/` for the runtime, `sort/` for the sort, `bgzf/` for compression.

pub mod bgzf;
pub mod buffer_pool;
pub mod cigar;
pub mod container;
pub mod device;
pub mod error;
pub mod fastx;
pub mod gpu;
pub mod input_location;
pub mod path;
pub mod seq;
pub mod sort;
pub mod stream;
pub mod user_cache;

pub use device::{Device, DeviceRequest, DeviceSelection};
pub use error::DeviceError;
