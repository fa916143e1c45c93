//! Benchmarks of gpualign's parts, on a CPU or a GPU: what `gpualign-bench` measures and what the papers measured.
//!
//! Which program to run:
//!
//! | to know | run |
//! |---|---|
//! | how fast a kernel or a stage is, on this machine | `gpualign-bench runtime`, `woodstocc`, `nw`, `extend`, `seeds`, `mapping`, `blastn`, `bgzf` or `reading` |
//! | how fast `gpualign` is beside other programs, and how accurate | `make bench`, with `DEVICE=cuda` on a GPU: program `evidence` |
//! | whether a change made a small step on the CPU slower | `cargo bench -p gpualign-benches --bench micro` |
//! | what was measured before | nothing: `benches/RESULTS.md` and `benches/EXPERIMENTS.md`, from the files of `benches/results` |
//! | these pages again, after new files of results | `evidence --results-page` |
//!
//! # Example
//!
//! ```
//! use aligner_core::Device;
//! use gpualign_benches::{Experiment, RuntimeOptions, runtime};
//!
//! // Firing policies of the streaming runtime, with few items.
//! let options = RuntimeOptions { items: 500, quick: true, experiments: vec![Experiment::Firings] };
//! let report = runtime(&Device::Cpu, &options, &mut |step| eprintln!("{step}"))?;
//! print!("{}", report.table());
//! assert_eq!(report.experiments[0].experiment, Experiment::Firings);
//! # Ok::<(), gpualign_benches::BenchError>(())
//! ```
//!
//! # Design
//!
//! Each module has a function that measures, a struct for the results (which becomes JSON), and a function that makes
//! a table of them. Results are checked before they count: an application of the runtime that yields other items than
//! a plain loop, or a kernel that computes something else than the CPU, is an error instead of a time.
//!
//! | module | measures |
//! |---|---|
//! | [`mod@runtime`] | the streaming runtime on synthetic applications (Cole 2017, chapters 3 and 4) |
//! | [`trie`] | all mapping over the suffix trie, technique by technique (Cole 2017, chapter 2) |
//! | `mapping` | the stages of best mapping: seeds and chains, extensions, and all together |
//! | `nw` | the kernels for global alignments (Li 2016, chapter 3) |
//! | `blastn` | the filter pipeline of blastn, split and merged (Cole 2017, figure 3.15) |
//! | `bgzf` | compressing blocks of BGZF, beside libdeflate |
//! | [`error`], `timing`, `stage_use`, `other_settings` | errors, medians, the use of stages, settings to try: shared by all of these |
//!
//! The program `evidence` (`src/bin/evidence`) is independent of this library: it runs the program gpualign and other
//! programs on the same data, and makes these pages.

mod bgzf;
mod blastn;
pub mod error;
mod mapping;
mod nw;
mod other_settings;
pub mod runtime;
mod stage_use;
mod timing;
pub mod trie;

pub use gpualign::chart;

pub use bgzf::{BgzfOptions, BgzfTiming, bgzf, bgzf_table};
pub use blastn::{BlastnOptions, BlastnTiming, blastn, blastn_table};
pub use error::BenchError;
pub use mapping::{
    ExtendOptions, ExtendTiming, MappingTiming, SeedsTiming, extend, extend_table, mapping,
    mapping_table, seeds, seeds_table,
};
pub use nw::{
    NwOptions, NwPoint, NwTiming, nw, nw_figures, nw_figures_table, nw_lengths, nw_table,
};
pub use runtime::apps::App;
pub use runtime::choices::{ChoiceTiming, SettingsTiming};
pub use runtime::experiments::Experiment;
pub use runtime::measured::{ExperimentResult, Figure};
pub use runtime::overflow::OverflowTiming;
pub use runtime::prefetch::{PrefetchTiming, PriceParameters};
pub use runtime::report::RuntimeReport;
pub use runtime::runner::CaseTiming;
pub use runtime::trees::TreeTiming;
pub use runtime::{RuntimeOptions, default_items, runtime};
pub use stage_use::StageUse;
pub use trie::{Ablation, AblationOptions, woodstocc};
