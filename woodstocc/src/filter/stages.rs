//! What the nodes of the filter do; `cuda/filter.cu` is the same for a GPU.

use std::sync::Arc;

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;
use fm_index::gpu::View;

use super::band::{Text, Window, promising, window};
use super::cuts::{Cuts, even};
use crate::query::Queries;

/// Input to [`Search`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Piece {
    /// Number of the query in its batch.
    pub query: u32,
    /// Which of its pieces, from 0.
    pub number: u32,
}

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
    /// Where queries are cut; evenly if there are none.
    pub cuts: Option<Cuts>,
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
    k: u32,
    /// 2^32 / (k + 1), rounded up.
    inverse: u32,
}

impl DeviceContext {
    /// For an index, and addresses of codes and offsets, that lie in the device's memory.
    pub fn new(index: View, codes: u64, offsets: u64, k: usize) -> Self {
        let inverse = (u64::from(u32::MAX) / (k as u64 + 1) + 1) as u32;
        Self { index, codes, offsets, k: k as u32, inverse }
    }
}

impl Context {
    fn codes(&self, query: u32) -> &[u8] {
        self.queries.codes(query as usize)
    }

    /// Where a piece of a query begins; that after the last one is the query's end.
    fn begin(&self, query: u32, number: u32) -> usize {
        match &self.cuts {
            Some(cuts) => cuts.begin(query, number),
            None => even(self.codes(query).len(), self.k + 1, number),
        }
    }

    fn text(&self) -> Text<'_> {
        let reference = self.index.reference();
        Text { words: reference.words(), length: reference.indexed_len() }
    }

    /// Whether a piece of a query occurs on a diagonal.
    fn occurs(&self, query: u32, number: u32, diagonal: u32) -> bool {
        let (text, codes) = (self.text(), self.codes(query));
        (self.begin(query, number)..self.begin(query, number + 1))
            .all(|s| text.code(diagonal.wrapping_add(s as u32)) == Some(codes[s]))
    }
}

const SEEDS: Channel<Seed> = Channel::new(0, "seeds", 1);
const CANDIDATES: Channel<Candidate> = Channel::new(0, "candidates", 1);
const WINDOWS: Channel<Window> = Channel::new(0, "windows", 1);

/// Searches pieces in the index.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Search;

/// Locates the occurrences of a piece, one a thread, and drops those where the query cannot match, as
/// far as its last bases tell: nearly all of them.
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
        vec![SEEDS.describe()]
    }

    fn run(&self, piece: &Piece, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let &Piece { query, number } = piece;
        let codes = site.global.codes(query);
        let begin = site.global.begin(query, number);
        let end = site.global.begin(query, number + 1);
        if let Some(rows) = site.global.index.search(&codes[begin..end]) {
            push.to(SEEDS, Seed { query, number, lo: rows.lo, size: rows.size });
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
        let position = context.index.locate(seed.lo + site.element);
        let diagonal = position.wrapping_sub(context.begin(seed.query, seed.number) as u32);
        if promising(&context.text(), codes, context.k as u32, diagonal) {
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
        let codes = context.codes(query);
        let found = window(&context.text(), query, codes, context.k as u32, diagonal);
        let is_first = || (0..number).all(|earlier| !context.occurs(query, earlier, diagonal));
        if let Some(found) = found.filter(|_| is_first()) {
            push.to(WINDOWS, found);
        }
    }
}
