//! The nodes of the filter's application. The GPU's version is `cuda/filter.cu`.

use std::sync::Arc;

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::gpu::IndexView;
use fm_index::{FmIndex, Interval};

use super::cuts::QueryCuts;
use crate::read::Queries;
use crate::verify::Window;
use crate::verify::band::{IndexedText, passes_prefilter, prefetch_for_prefilter, window};

device_struct! {
    /// Input of [`Search`]: a piece of a query, and a range of its occurrences.
    pub struct QueryPiece {
        /// Number of the query in its batch.
        pub query: u32,
        /// Number of the piece in the query, from 0.
        pub number: u32,
        /// The first occurrence to process; up to [`OCCURRENCES_PER_SEED`] are.
        pub first: u32,
    }
}

/// Greatest number of occurrences in one seed. A piece with more occurrences enters a second run in parts. Otherwise a
/// repeat would keep one block of a GPU busy long after all others are done.
pub const OCCURRENCES_PER_SEED: u32 = 128;

device_struct! {
    /// Suffix-array rows whose suffixes begin with a piece.
    pub struct PieceSeed {
        /// Number of the query in its batch.
        pub query: u32,
        /// Number of the piece in the query, from 0.
        pub number: u32,
        /// First row of the suffix array.
        pub lo: u32,
        /// Number of rows, at least 1.
        pub size: u32,
    }
}

device_struct! {
    /// A diagonal where a query may match.
    pub struct PieceCandidate {
        /// Number of the query in its batch.
        pub query: u32,
        /// Number of the piece that occurs on the diagonal.
        pub number: u32,
        /// Position in the indexed text, modulo 2^32, where the query starts if nothing is inserted or deleted.
        pub diagonal: u32,
    }
}

/// The data that all nodes of the filter share.
#[derive(Debug)]
pub struct FilterContext {
    /// The FM-index of the reference.
    pub index: FmIndex,
    /// The queries of the batch.
    pub queries: Arc<Queries>,
    /// Greatest edit distance; queries have more bases than that.
    pub k: usize,
    /// Where queries are cut. Empty for a GPU, whose kernels read [`FilterDeviceContext::bounds`].
    pub cuts: QueryCuts,
}

device_struct! {
    /// [`FilterContext`] in device memory.
    pub struct FilterDeviceContext {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries ([`Queries::all_codes`]).
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes` ([`Queries::offsets`]).
        pub offsets: DeviceAddress<u32>,
        /// Starts of the pieces of each query ([`QueryCuts::bounds`]).
        pub bounds: DeviceAddress<u32>,
        /// Greatest edit distance of a match.
        pub k: u32,
        /// Padding of the struct, always 0.
        pub padding: u32,
    }
}

impl FilterContext {
    fn codes(&self, query: u32) -> &[u8] {
        self.queries.codes(query as usize)
    }

    /// The bases of a piece of a query.
    pub(super) fn piece(&self, query: u32, number: u32) -> &[u8] {
        &self.codes(query)[self.cuts.begin(query, number)..self.cuts.begin(query, number + 1)]
    }

    /// The candidate that an occurrence of a seed's piece at a position of the text makes, if it passes the prefilter.
    pub(super) fn candidate(&self, seed: &PieceSeed, position: u32) -> Option<PieceCandidate> {
        let &PieceSeed { query, number, size, .. } = seed;
        let begin = self.cuts.begin(query, number);
        let diagonal = position.wrapping_sub(begin as u32);
        // The pieces of a query in a repeat occur together, and one of them is enough. Others are rarely at one place, so
        // they are compared later, and only if they pass the prefilter. (On a GPU, all are compared later.)
        if size == OCCURRENCES_PER_SEED && self.occurs_before(query, number, diagonal) {
            return None;
        }
        passes_prefilter(&self.text(), self.codes(query), self.k as u32, diagonal, begin)
            .then_some(PieceCandidate { query, number, diagonal })
    }

    /// Starts to fetch what [`candidate`](Self::candidate) will read of the text.
    pub(super) fn prefetch_candidate(&self, seed: &PieceSeed, position: u32) {
        let begin = self.cuts.begin(seed.query, seed.number);
        let diagonal = position.wrapping_sub(begin as u32);
        let length = self.codes(seed.query).len();
        prefetch_for_prefilter(&self.text(), length, self.k as u32, diagonal, begin);
    }

    /// The matches near the diagonal of a candidate. `None` if there are none, or if a piece of a lower number occurs on the
    /// diagonal, too, whose candidate yields them.
    pub(super) fn window(&self, candidate: &PieceCandidate) -> Option<Window> {
        let &PieceCandidate { query, number, diagonal } = candidate;
        if self.occurs_before(query, number, diagonal) {
            return None;
        }
        window(&self.text(), query, self.codes(query), self.k as u32, diagonal)
    }

    fn text(&self) -> IndexedText<'_> {
        IndexedText::of(&self.index)
    }

    /// Whether a piece of a lower number occurs on a diagonal.
    fn occurs_before(&self, query: u32, number: u32, diagonal: u32) -> bool {
        (0..number).any(|earlier| self.occurs(query, earlier, diagonal))
    }

    /// Whether a piece of a query occurs without a difference on a diagonal.
    fn occurs(&self, query: u32, number: u32, diagonal: u32) -> bool {
        let (text, codes) = (self.text(), self.codes(query));
        (self.cuts.begin(query, number)..self.cuts.begin(query, number + 1))
            .all(|s| text.code(diagonal.wrapping_add(s as u32)) == Some(codes[s]))
    }
}

const SEEDS: Channel<PieceSeed> = Channel::new(0, "seeds", 1);
const FREQUENT: Channel<PieceSeed> = Channel::new(1, "frequent", 1);
const CANDIDATES: Channel<PieceCandidate> = Channel::new(0, "candidates", 1);
const WINDOWS: Channel<Window> = Channel::new(0, "windows", 1);

/// Stage that searches pieces in the index. The first part of a piece that occurs more than [`OCCURRENCES_PER_SEED`]
/// times also yields all rows of the piece, on the channel for frequent ones.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Search;

/// Stage that locates the occurrences of a seed, one a thread, and drops those whose diagonal fails the prefilter:
/// nearly all of them.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidates;

/// Stage that computes the distances near a candidate's diagonal. If a piece of a lower number occurs on the diagonal,
/// too, the candidate of that piece yields the window, and this one is dropped.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Verify;

impl Stage for Search {
    type In = QueryPiece;
    type Node = ();
    type Global = FilterContext;
    const NAME: &'static str = "Search";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), FREQUENT.describe()]
    }

    fn run(&self, piece: &QueryPiece, site: &Site<'_, (), FilterContext>, push: &mut Push<'_>) {
        let &QueryPiece { query, number, first } = piece;
        let word = site.global.piece(query, number);
        let Some(Interval { lo, size, .. }) = site.global.index.search(word) else { return };
        let part = (size - first).min(OCCURRENCES_PER_SEED);
        push.to(SEEDS, PieceSeed { query, number, lo: lo + first, size: part });
        if first == 0 && size > part {
            push.to(FREQUENT, PieceSeed { query, number, lo, size });
        }
    }
}

impl Stage for Candidates {
    type In = PieceSeed;
    type Node = ();
    type Global = FilterContext;
    const NAME: &'static str = "Candidates";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![CANDIDATES.describe()]
    }

    fn size(&self, seed: &PieceSeed, _: &Site<'_, (), FilterContext>) -> u32 {
        seed.size
    }

    fn run(&self, seed: &PieceSeed, site: &Site<'_, (), FilterContext>, push: &mut Push<'_>) {
        let position = site.global.index.locate(seed.lo + site.element);
        if let Some(candidate) = site.global.candidate(seed, position) {
            push.to(CANDIDATES, candidate);
        }
    }
}

impl Stage for Verify {
    type In = PieceCandidate;
    type Node = ();
    type Global = FilterContext;
    const NAME: &'static str = "Verify";

    fn channels() -> Vec<ChannelType> {
        vec![WINDOWS.describe()]
    }

    fn run(
        &self,
        candidate: &PieceCandidate,
        site: &Site<'_, (), FilterContext>,
        push: &mut Push<'_>,
    ) {
        if let Some(window) = site.global.window(candidate) {
            push.to(WINDOWS, window);
        }
    }
}
