//! Complete search over the virtual suffix trie on a GPU, by pods of live reads: the aligner of the
//! dissertation (WOODSTOCC, chapter 2), with its variants as settings of one kernel.
//!
//! ```text
//!  groups of reads x words = units           a block, again and again (figure 2.7):
//!        |  one atomic a unit
//!        v                       pull        as many pods as fill an ensemble
//!  seed: node of the word,       traversal   a thread a pod: two rank queries, up to 4 children
//!  its live reads                explode     a thread finds its (child, live read): scan, search
//!        |                       rows        a thread a row, in registers; hits
//!        v                       collect     survivors are packed in order; empty pods drop
//!    worklist  <---------------  push        children that have survivors
//!
//!  between slices: hits --> host;   half of the pods of busy blocks --> idle blocks
//! ```
//!
//! A *pod* is a node of the trie with the reads that are live there; in MERCATOR's terms (chapter 3)
//! the items of the worklist, exploded into reads for the rows and collected again. A block's
//! worklist is depth-first, so its memory is bounded (`layout.rs` has the proof). The dissertation
//! gives each block as many reads as it has threads. Here a unit of work is a *subtrie*, below a
//! word of a few bases, for thousands of reads: a node is then looked up once for far more of them,
//! and idle blocks still find work.
//!
//! | dissertation | here |
//! |---|---|
//! | separate lists (2.5.3) | `separate_lists.cu`, [`GpuEngine::search_separately`](crate::gpu::GpuEngine::search_separately) |
//! | worklist, dynamic remapping (2.4.2) | [`Settings::remapping`] |
//! | decoupled traversal (2.4.3) | `live_at_once` beyond `width`; the threshold is `pods_at_once` |
//! | slicing (2.4.4) | `slice`, and `shares`: idle blocks get work of others |
//!
//! Our step begins with the traversal, not with the rows, so that live reads are stored once for all
//! children of a node and not once for each. Decoupling traversal from the rows (2.4.3) then is a
//! matter of how much a step takes ([`Settings`]).
//!
//! It is no [`Topology`](aligner_core::stream::Topology) of the streaming runtime, but a kernel made
//! of its primitives (`stream/scan.cuh`): there, a back edge yields at most one item per input, which
//! is what keeps loops from deadlock, and a pod has up to four children. A depth-first worklist is
//! bounded in another way, which queues have not. The host runs it through the runtime's
//! [`Backend`], so tests run the same loop on the SIMT shim.
//!
//! The table of all words of the index is not used to begin further down. It would save look-ups of
//! nodes near the root, which all reads of a group share; the rows up there (one in fifteen lies above
//! depth 8, for a read of 47 bases at `k = 3`) have to be computed to know who is live at an entry.

mod engine;
mod layout;
mod run;
mod settings;
mod units;

use aligner_core::DeviceError;
use aligner_core::stream::Backend;

use crate::hits::Hit;
use crate::query::Queries;
use crate::trie::Effort;
use run::{Batch, Run, upload};

pub use settings::Settings;

/// The longest word that cuts the trie.
pub const MAX_WORD: u32 = 6;

/// Reads of one run: their numbers share a word with 4 bits more.
const MAX_READS: usize = 1 << 24;

/// An index and room for a search, on a device.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Address of the index's `fm::View`.
    pub view: u64,
    /// Bytes that worklists may take.
    pub memory: u64,
}

/// What a search did. All but the last three does not depend on the device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Nodes looked up and rows computed.
    pub effort: Effort,
    /// Lanes of the ensembles that nodes were looked up in.
    pub traversal_slots: u64,
    /// Lanes of the ensembles that rows were computed in.
    pub row_slots: u64,
    /// Cycles of blocks in pull, traversal, rows (explode, compute, collect) and push, if measured.
    pub cycles: [u64; 4],
    /// Main loops of each block.
    pub loops: Vec<u32>,
    /// Launches of the walk.
    pub slices: u32,
    /// Times that a block got half of another's worklist.
    pub donations: u64,
    /// Seconds that kernels took.
    pub seconds: f64,
}

impl Measured {
    /// Adds another run's.
    pub(crate) fn add(&mut self, other: &Self) {
        self.effort.nodes += other.effort.nodes;
        self.effort.rows += other.effort.rows;
        self.traversal_slots += other.traversal_slots;
        self.row_slots += other.row_slots;
        for (cycles, more) in self.cycles.iter_mut().zip(other.cycles) {
            *cycles += more;
        }
        self.loops.extend(&other.loops);
        self.slices += other.slices;
        self.donations += other.donations;
        self.seconds += other.seconds;
    }
}

/// All hits of the wanted queries, in no particular order. Queries of at most `k` bases are not
/// searched.
///
/// # Errors
/// [`DeviceError::OutOfMemory`] if not one block's worklist fits, or a failure of the device.
///
/// # Panics
/// If a setting is out of its range.
pub fn search<B: Backend>(
    backend: &B,
    place: Place,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    settings: &Settings,
) -> Result<(Vec<Hit>, Measured), DeviceError> {
    assert_eq!(settings.problem(), None);
    let length = |query: u32| queries.codes(query as usize).len();
    let mut wanted: Vec<u32> = wanted.iter().copied().filter(|&query| length(query) > k).collect();
    wanted.sort_by_key(|&query| length(query));
    let mut hits = Vec::new();
    let mut measured = Measured::default();
    if wanted.is_empty() {
        return Ok((hits, measured));
    }
    let codes = upload(backend, queries.all_codes())?;
    let offsets = upload(backend, queries.offsets())?;
    for part in wanted.chunks(MAX_READS) {
        let batch = Batch { queries, wanted: part, k };
        let addresses = [place.view, backend.address(&codes), backend.address(&offsets)];
        let run = Run::new(backend, &batch, addresses, place.memory, settings)?;
        measured.add(&run.walk(&mut hits)?);
    }
    Ok((hits, measured))
}
