//! The search of a database for batches of queries, stage by stage.
//!
//! The ways of CPU and GPU part at [`Searcher::seed`] and meet again in [`Searcher::finish`]:
//!
//! ```text
//!         CPU: a subject at a time, `preliminary`       GPU: all subjects at once, `crate::gpu`
//!   seed            words --> ungapped --> gapped              words --> ungapped --> rule of diagonals
//!   prefilter       -                                          pairs that cannot be reported are dropped
//!   extend_gapped   -                                          gapped, for all pairs that are left
//!   finish          best subjects of each query, alignments with columns, limits: the same for both
//! ```
//!
//! Each stage, and the files where it is:
//!
//! | stage | on the CPU, called by `preliminary` | on a GPU, called by `gpu/device_group` and `gpu/engine` |
//! |---|---|---|
//! | words | `seed/lookup`, `seed/word_hits` | `gpu/pipeline/stages`, kernel `pipeline.cu` |
//! | ungapped | `ungapped/extension` | `gpu/pipeline/stages`, kernel `pipeline.cu` |
//! | rule of diagonals | `ungapped/diagonals`, before each extension | `gpu/pipeline/diagonals`, kernel `diagonals.cu` |
//! | prefilter | - | `gpu/prefilter` with `gpu/pairs/upper_bounds`, kernel `bounds.cu` |
//! | gapped, for scores | `gapped/affine`, `gapped/greedy` | `gpu/pairs`, kernels `pairs.cu` and `gapped.cu` |
//! | best subjects | `hsp/ranking`, called by `searcher` | the same file |
//! | gapped, with columns | `traceback`, called by `searcher` | `gpu/gapped`, kernel `gapped.cu`; `traceback` does what is left |
//! | culling, limits, order | `hsp/culling` and `searcher` | the same files |
//!
//! The rule of diagonals (a seed is not extended if an earlier extension of its diagonal has passed it) is applied by the
//! CPU before each ungapped extension, and by the GPU after all of them. The prefilter is a step of the GPU alone.

pub(crate) mod batch_states;
pub(crate) mod handover;
pub(crate) mod long_chunk;
pub(crate) mod preliminary;
pub(crate) mod searcher;
pub mod seeded_batches;
pub(crate) mod speculative;
pub(crate) mod times;
pub(crate) mod traceback;
pub(crate) mod ungapped_hsps;

pub use self::batch_states::{ScoredBatch, SearchResults, SeededBatch};
pub use self::searcher::Searcher;
pub use self::times::SearchTimes;
pub use crate::gpu::limits::Limits;
pub use crate::gpu::search_device::{SearchDevice, worthwhile_gpus};
