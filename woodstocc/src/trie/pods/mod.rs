//! Search of the virtual suffix trie on a GPU, by pods of live queries: the aligner of Cole 2017, chapter 2, as an
//! application of the streaming runtime, with its variants as settings.
//!
//! ```text
//!  groups of queries x words = units         a block, again and again (Cole 2017, fig. 2.7):
//!        |  one atomic a unit
//!        v                       pull        as many pods as fill an ensemble
//!  enter: node of the word,      traversal   a thread a pod: two rank queries, up to 4 children
//!  its live queries              explode     a thread finds its (child, live query): scan, search
//!        |                       rows        a thread a row, in registers; hits
//!        v                       collect     live queries are packed in order; empty pods are dropped
//!     stacks  <----------------  push        children that have live queries
//!
//!  between slices: hits --> host;   half of the pods of busy blocks --> idle blocks
//! ```
//!
//! A *pod* is a node of the trie with the queries that are live there. The [`Topology`](aligner_core::stream::Topology)
//! has one node, which [walks](aligner_core::stream::Walk); the runtime has the loop, the stacks with the proof that they
//! are bounded, and the sharing of work between blocks. In Cole 2017, each block gets as many reads as it
//! has threads. Here a unit of work is a *subtrie*, below a word of a few bases, for thousands of queries: a node is
//! looked up once for far more of them, and idle blocks still find work. It takes thousands, because the nodes that
//! queries have in common grow slowly with their number: of 400 reads of 47 bases on human chromosome 20 (`k` = 3), a
//! read that is searched for alone looks up 120,000 nodes, and all together look up 66,000 nodes a read.
//!
//! | Cole 2017 | here |
//! |---|---|
//! | separate lists (2.5.3) | [`super::separate_lists`] |
//! | worklist, dynamic remapping (2.4.2) | [`PodSettings::remapping`] |
//! | decoupled traversal (2.4.3) | [`WalkSettings`](aligner_core::stream::WalkSettings): `items_at_once` greater than the width; the threshold is `pods_at_once` |
//! | slicing (2.4.4) | `slice` of [`PodSettings::run`], and `shares` of its walks: idle blocks get work of others |
//!
//! The look-up table of the index is not used to begin further down. It would save look-ups of nodes near the root,
//! which all queries of a group share; the rows up there (one in fifteen lies above depth 8, for a read of 47 bases at
//! `k = 3`) have to be computed anyway, to know which queries are live at an entry.

pub(crate) mod run;
mod settings;
pub mod stage;
mod units;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, RunError};
use fm_index::FmIndex;
use fm_index::gpu::IndexView;

use self::run::PodBatch;
use super::hit::TrieHit;
use super::metrics::TrieMetrics;
use crate::read::Queries;

pub use settings::PodSettings;

/// Greatest number of queries of one run: their numbers share a 32-bit word with 4 bits more.
const MAX_QUERIES: usize = 1 << 24;

/// An index, also on a device, and the memory for stacks there.
#[derive(Debug, Clone, Copy)]
pub struct TrieIndex<'a> {
    /// The index in the host's memory.
    pub host: &'a FmIndex,
    /// The index in the device's memory.
    pub view: IndexView,
    /// Bytes of device memory that the stacks of all blocks may take.
    pub worklist_bytes: u64,
}

/// All hits of the wanted queries, in no particular order. Queries of at most `k` bases are left out.
///
/// # Errors
/// [`DeviceError::OutOfMemory`] if not even the stacks of one block fit, or a failure of the device.
///
/// # Panics
/// If `k` is greater than [`MAX_TRIE_K`](crate::MAX_TRIE_K).
pub fn search<B: Backend + Clone>(
    backend: &B,
    index: TrieIndex<'_>,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    settings: &PodSettings,
) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
    let length = |query: u32| queries.codes(query as usize).len();
    let mut wanted: Vec<u32> = wanted.iter().copied().filter(|&query| length(query) > k).collect();
    wanted.sort_by_key(|&query| length(query));
    let mut hits = Vec::new();
    let mut metrics = TrieMetrics::default();
    if wanted.is_empty() {
        return Ok((hits, metrics));
    }
    let batch = PodBatch::upload(backend, queries)?;
    let search = match k {
        0 => PodBatch::search::<u64, 0>,
        1 => PodBatch::search::<u64, 1>,
        2 => PodBatch::search::<u64, 2>,
        3 => PodBatch::search::<u64, 3>,
        4 => PodBatch::search::<u64, 4>,
        5 => PodBatch::search::<u128, 5>,
        6 => PodBatch::search::<u128, 6>,
        7 => PodBatch::search::<u128, 7>,
        _ => panic!("k = {k} is more than the search of the trie is compiled for"),
    };
    for part in wanted.chunks(MAX_QUERIES) {
        let done = search(&batch, backend, part, index, settings, &mut hits);
        metrics.add(&done.map_err(failed)?);
    }
    Ok((hits, metrics))
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("pods")
}
