//! Search of the virtual suffix trie on a GPU, by pods of live queries: the aligner of Cole 2017, chapter 2, with its
//! variants as settings of one kernel.
//!
//! ```text
//!  groups of queries x words = units         a block, again and again (Cole 2017, fig. 2.7):
//!        |  one atomic a unit
//!        v                       pull        as many pods as fill an ensemble
//!  seed: node of the word,       traversal   a thread a pod: two rank queries, up to 4 children
//!  its live queries              explode     a thread finds its (child, live query): scan, search
//!        |                       rows        a thread a row, in registers; hits
//!        v                       collect     live queries are packed in order; empty pods are dropped
//!    worklist  <---------------  push        children that have live queries
//!
//!  between slices: hits --> host;   half of the pods of busy blocks --> idle blocks
//! ```
//!
//! A *pod* is a node of the trie with the queries that are live there; in the terms of MERCATOR (Cole 2017, chapter 3),
//! an item of the worklist that is exploded into queries for the rows and collected again. A block's worklist is
//! depth-first, so its memory is bounded (`layout.rs` has the proof). In Cole 2017, each block gets as many reads as it
//! has threads. Here a unit of work is a *subtrie*, below a word of a few bases, for thousands of queries: a node is
//! looked up once for far more of them, and idle blocks still find work. It takes thousands, because the nodes that
//! queries have in common grow slowly with their number: of 400 reads of 47 bases on human chromosome 20 (`k` = 3), a
//! read that is searched for alone looks up 120,000 nodes, and all together look up 66,000 nodes a read.
//!
//! | Cole 2017 | here |
//! |---|---|
//! | separate lists (2.5.3) | [`super::separate_lists`] |
//! | worklist, dynamic remapping (2.4.2) | [`PodSettings::remapping`] |
//! | decoupled traversal (2.4.3) | `live_at_once` greater than `width`; the threshold is `pods_at_once` |
//! | slicing (2.4.4) | `slice`, and `shares_work`: idle blocks get work of others |
//!
//! A step begins with the traversal, not with the rows, so live queries are stored once for all children of a node and
//! not once for each. Decoupling traversal from the rows (2.4.3) then is a matter of how much a step takes
//! ([`PodSettings`]).
//!
//! The search is no [`Topology`](aligner_core::stream::Topology) of the streaming runtime, but a kernel made of its
//! primitives (`stream/scan.cuh`). A pod has up to four children, so its loop multiplies. In the runtime only a depth-first
//! node may do that, which sends items of one size straight back to itself, while the loop here goes through stages that
//! explode and collect pods of any size. Its worklist is bounded for the same reason as the stack of such a node. The
//! host runs the kernel through the runtime's [`Backend`], so tests run the same loop on the SIMT
//! shim.
//!
//! The look-up table of the index is not used to begin further down. It would save look-ups of nodes near the root,
//! which all queries of a group share; the rows up there (one in fifteen lies above depth 8, for a read of 47 bases at
//! `k = 3`) have to be computed anyway, to know which queries are live at an entry.

pub(crate) mod layout;
mod run;
mod settings;
mod units;

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use fm_index::gpu::IndexView;

use self::run::{PodBatch, PodSearch};
use super::hit::TrieHit;
use super::metrics::TrieMetrics;
use crate::read::Queries;

pub use settings::PodSettings;

/// Greatest number of queries of one run: their numbers share a 32-bit word with 4 bits more.
const MAX_QUERIES: usize = 1 << 24;

/// An index on a device, and the memory for worklists.
#[derive(Debug, Clone, Copy)]
pub struct IndexOnDevice {
    /// The index in the device's memory.
    pub view: IndexView,
    /// Bytes of device memory that worklists may take.
    pub worklist_bytes: u64,
}

/// All hits of the wanted queries, in no particular order. Queries of at most `k` bases are left out.
///
/// # Errors
/// [`DeviceError::OutOfMemory`] if not even the worklist of one block fits, or a failure of the device.
///
/// # Panics
/// If a setting is out of its range.
pub fn search<B: Backend>(
    backend: &B,
    index: IndexOnDevice,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    settings: &PodSettings,
) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
    assert_eq!(settings.problem(), None);
    let length = |query: u32| queries.codes(query as usize).len();
    let mut wanted: Vec<u32> = wanted.iter().copied().filter(|&query| length(query) > k).collect();
    wanted.sort_by_key(|&query| length(query));
    let mut hits = Vec::new();
    let mut metrics = TrieMetrics::default();
    if wanted.is_empty() {
        return Ok((hits, metrics));
    }
    let batch = PodBatch::upload(backend, queries, k)?;
    for part in wanted.chunks(MAX_QUERIES) {
        let search = PodSearch::new(backend, &batch, part, index, settings)?;
        metrics.add(&search.run(&mut hits)?);
    }
    Ok((hits, metrics))
}
