//! What the nodes of the filter do; `cuda/filter.cu` is the same for a GPU.

use std::sync::Arc;

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::gpu::View;
use fm_index::{FmIndex, Interval};

use super::band::{Text, Window, promising, window};
use super::cuts::Cuts;
use crate::query::Queries;

/// Input to [`Search`]: a piece of a query, and which of its occurrences.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Piece {
    /// Number of the query in its batch.
    pub query: u32,
    /// Which of its pieces, from 0.
    pub number: u32,
    /// The first [`TOGETHER`] occurrences from this one on.
    pub first: u32,
}

/// Occurrences that go the same way. A piece with more of them comes back, to be dealt out in parts:
/// else a repeat would keep one block of a GPU at work long after all others are done.
pub const TOGETHER: u32 = 128;

/// The rows of the suffix array that begin with a piece.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Seed {
    /// Number of the query in its batch.
    pub query: u32,
    /// Which of its pieces, from 0.
    pub number: u32,
    /// First row.
    pub lo: u32,
    /// Rows, at least 1.
    pub size: u32,
}

/// A place where a query may match.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidate {
    /// Number of the query in its batch.
    pub query: u32,
    /// Which of its pieces occurs there.
    pub number: u32,
    /// Position in the indexed text, modulo 2^32, where it starts if nothing is inserted or deleted.
    pub diagonal: u32,
}

/// What all nodes of the filter know.
#[derive(Debug)]
pub struct Context {
    /// The index.
    pub index: FmIndex,
    /// The batch.
    pub queries: Arc<Queries>,
    /// The greatest distance; queries have more bases than that.
    pub k: usize,
    /// Where queries are cut; nowhere if a device is to know it.
    pub cuts: Cuts,
}

/// The same as a device sees it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    index: View,
    /// Address of [`Queries::all_codes`].
    codes: u64,
    /// Address of [`Queries::offsets`].
    offsets: u64,
    /// Address of [`Cuts::bounds`].
    bounds: u64,
    k: u32,
    padding: u32,
}

impl DeviceContext {
    /// For an index, and addresses of codes, offsets and bounds, that lie in the device's memory.
    pub fn new(index: View, [codes, offsets, bounds]: [u64; 3], k: usize) -> Self {
        Self { index, codes, offsets, bounds, k: k as u32, padding: 0 }
    }
}

impl Context {
    fn codes(&self, query: u32) -> &[u8] {
        self.queries.codes(query as usize)
    }

    fn text(&self) -> Text<'_> {
        Text::of(&self.index)
    }

    /// Whether a piece of a query occurs on a diagonal.
    fn occurs(&self, query: u32, number: u32, diagonal: u32) -> bool {
        let (text, codes) = (self.text(), self.codes(query));
        (self.cuts.begin(query, number)..self.cuts.begin(query, number + 1))
            .all(|s| text.code(diagonal.wrapping_add(s as u32)) == Some(codes[s]))
    }
}

const SEEDS: Channel<Seed> = Channel::new(0, "seeds", 1);
const FREQUENT: Channel<Seed> = Channel::new(1, "frequent", 1);
const CANDIDATES: Channel<Candidate> = Channel::new(0, "candidates", 1);
const WINDOWS: Channel<Window> = Channel::new(0, "windows", 1);

/// Searches pieces in the index. Of one that occurs more than [`TOGETHER`] times, all rows leave as
/// frequent when its first part is asked for.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Search;

/// Locates the occurrences of a piece, one a thread, and drops those where the query cannot match, as
/// far as its half without the piece tells: nearly all of them.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidates;

/// Computes the distances near a candidate's diagonal. If an earlier piece occurs on it, too, it is
/// another candidate's.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Verify;

impl Stage for Search {
    type In = Piece;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Search";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), FREQUENT.describe()]
    }

    fn run(&self, piece: &Piece, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let &Piece { query, number, first } = piece;
        let Context { index, cuts, .. } = site.global;
        let word = cuts.begin(query, number)..cuts.begin(query, number + 1);
        let Some(Interval { lo, size, .. }) = index.search(&site.global.codes(query)[word]) else {
            return;
        };
        let part = (size - first).min(TOGETHER);
        push.to(SEEDS, Seed { query, number, lo: lo + first, size: part });
        if first == 0 && size > part {
            push.to(FREQUENT, Seed { query, number, lo, size });
        }
    }
}

impl Stage for Candidates {
    type In = Seed;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Candidates";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![CANDIDATES.describe()]
    }

    fn size(&self, seed: &Seed, _: &Site<'_, (), Context>) -> u32 {
        seed.size
    }

    fn run(&self, seed: &Seed, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let codes = context.codes(seed.query);
        let begin = context.cuts.begin(seed.query, seed.number);
        let position = context.index.locate(seed.lo + site.element);
        let diagonal = position.wrapping_sub(begin as u32);
        if promising(&context.text(), codes, context.k as u32, diagonal, begin) {
            let &Seed { query, number, .. } = seed;
            push.to(CANDIDATES, Candidate { query, number, diagonal });
        }
    }
}

impl Stage for Verify {
    type In = Candidate;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Verify";

    fn channels() -> Vec<ChannelType> {
        vec![WINDOWS.describe()]
    }

    fn run(&self, candidate: &Candidate, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let &Candidate { query, number, diagonal } = candidate;
        let context = site.global;
        if (0..number).any(|earlier| context.occurs(query, earlier, diagonal)) {
            return;
        }
        let codes = context.codes(query);
        if let Some(found) = window(&context.text(), query, codes, context.k as u32, diagonal) {
            push.to(WINDOWS, found);
        }
    }
}
