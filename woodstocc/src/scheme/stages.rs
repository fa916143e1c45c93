//! What the nodes of the search do; `cuda/scheme.cu` is the same for a GPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;
use fm_index::gpu::View;

use super::branch::{Branch, Branches, Path, begin};
use super::plan::Plan;
use crate::filter::band::{Text, Window, promising, window};
use crate::query::Queries;

/// Open branches that an item has room for; searches seldom have more than 15.
const ROOM: usize = 16;

/// Branches that extending one opens at most: two a base.
const OPENS: usize = 8;

/// Branches that an ensemble's lane extends in one firing.
const STEPS: u32 = 32;

/// Seeds that it yields in one firing.
const SEEDS_AT_ONCE: usize = 16;

/// Input to [`Search`].
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Start {
    /// Number of the query in its batch.
    pub query: u32,
    /// Number of the search in the scheme.
    pub search: u32,
}

/// A search that is not finished.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Open {
    start: Start,
    count: u32,
    padding: u32,
    /// A stack of `count` branches.
    branches: [Branch; ROOM],
}

const _: () = assert!(size_of::<Open>() == 400, "as in scheme.cu");

/// Rows of the suffix array near which the query may match.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Seed {
    /// Whose.
    pub start: Start,
    /// The first row.
    pub lo: u32,
    /// Rows.
    pub size: u32,
    /// Where the rows' suffixes begin in the query, modulo 2^32, if nothing is inserted or deleted.
    pub offset: u32,
}

/// A place where a query may match.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidate {
    /// Number of the query in its batch.
    pub query: u32,
    /// Position in the indexed text, modulo 2^32, where the query starts if nothing is inserted or
    /// deleted.
    pub diagonal: u32,
}

/// What searches did.
#[derive(Debug, Default)]
pub struct Effort {
    /// Branches extended.
    pub nodes: AtomicU64,
    /// 64-byte lines of the index read for that.
    pub lines: AtomicU64,
}

/// What all nodes know.
#[derive(Debug)]
pub struct Context {
    /// The index.
    pub index: FmIndex,
    /// The batch.
    pub queries: Arc<Queries>,
    /// The greatest distance; queries have more bases than that.
    pub k: usize,
    /// Pieces of a query.
    pub pieces: usize,
    /// The searches.
    pub plans: Vec<Plan>,
    /// A branch that occurs no more often is verified.
    pub few: u32,
    /// What was done.
    pub effort: Effort,
}

/// The same as a device sees it; what points to memory is an address.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    index: View,
    codes: u64,
    offsets: u64,
    plans: u64,
    effort: u64,
    k: u32,
    pieces: u32,
    /// 2^32 / pieces, rounded up; not used for one piece.
    inverse: u32,
    few: u32,
}

/// Addresses of what lies in a device's memory.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// Of [`Queries::all_codes`].
    pub codes: u64,
    /// Of [`Queries::offsets`].
    pub offsets: u64,
    /// Of [`Context::plans`].
    pub plans: u64,
    /// Of two counters of 64 bits: nodes and lines.
    pub effort: u64,
}

impl DeviceContext {
    /// For an index and a context whose parts lie in the device's memory.
    pub fn new(index: View, context: &Context, addresses: Addresses) -> Self {
        let Addresses { codes, offsets, plans, effort } = addresses;
        let inverse = (u64::from(u32::MAX) / context.pieces as u64 + 1) as u32;
        let (k, pieces, few) = (context.k as u32, context.pieces as u32, context.few);
        Self { index, codes, offsets, plans, effort, k, pieces, inverse, few }
    }
}

impl Context {
    fn codes(&self, query: u32) -> &[u8] {
        self.queries.codes(query as usize)
    }

    pub(super) fn path(&self, start: Start) -> Path<'_> {
        let plan = &self.plans[start.search as usize];
        Path::new(&self.index, self.codes(start.query), self.pieces, plan, self.few)
    }

    fn text(&self) -> Text<'_> {
        Text::of(&self.index)
    }

    /// Whether a search is certain to come upon a diagonal: its pieces, unchanged but for substitutions,
    /// differ there by no more than it allows.
    fn comes_upon(&self, query: u32, search: usize, diagonal: u32) -> bool {
        let (text, codes, plan) = (self.text(), self.codes(query), &self.plans[search]);
        let mut differences = 0;
        plan.order[..self.pieces].iter().zip(&plan.most).all(|(&piece, &most)| {
            let piece = usize::from(piece);
            let from = begin(codes.len(), self.pieces, piece);
            let to = begin(codes.len(), self.pieces, piece + 1);
            (from..to).all(|s| {
                let base = text.code(diagonal.wrapping_add(s as u32));
                differences += u32::from(base != Some(codes[s]));
                base.is_some() && differences <= u32::from(most)
            })
        })
    }
}

const SEEDS: Channel<Seed> = Channel::new(0, "seeds", SEEDS_AT_ONCE as u32);
const REST: Channel<Open> = Channel::new(1, "rest", 1);
const CANDIDATES: Channel<Candidate> = Channel::new(0, "candidates", 1);
const WINDOWS: Channel<Window> = Channel::new(0, "windows", 1);

/// Begins a search and goes some steps.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Search;

/// Goes some more steps.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Extend;

/// Locates the occurrences of a seed, one a thread, and drops those that an earlier search comes upon,
/// too, and those where the query's last bases tell that it cannot match.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidates;

/// Computes the distances near a candidate's diagonal.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Verify;

/// A search at work: its stack, and the seeds it yields.
struct Walk<'a, 'p, 's> {
    context: &'a Context,
    origin: u32,
    open: Open,
    seeds: usize,
    push: &'p mut Push<'s>,
}

impl Branches for Walk<'_, '_, '_> {
    fn open(&mut self, branch: Branch) {
        self.open.branches[self.open.count as usize] = branch;
        self.open.count += 1;
    }

    fn verify(&mut self, Branch { rows, left, .. }: Branch) {
        let offset = self.origin.wrapping_sub(u32::from(left));
        let seed = Seed { start: self.open.start, lo: rows.lo, size: rows.size, offset };
        self.push.to(SEEDS, seed);
        self.seeds += 1;
    }
}

impl Walk<'_, '_, '_> {
    /// Extends the topmost branches, as far as one firing goes. One that the stack may have no room for
    /// is verified as it is.
    fn go_on(&mut self, path: &Path<'_>) {
        let transforms = self.context.index.transforms();
        let (mut steps, mut lines) = (0, 0);
        while self.open.count > 0 && steps < STEPS && self.seeds + 4 <= SEEDS_AT_ONCE {
            self.open.count -= 1;
            let branch = self.open.branches[self.open.count as usize];
            if self.open.count as usize + OPENS > ROOM {
                self.verify(branch);
                continue;
            }
            steps += 1;
            lines += path.lines(&branch);
            path.extend(&transforms, &branch, self);
        }
        let effort = &self.context.effort;
        effort.nodes.fetch_add(u64::from(steps), Ordering::Relaxed);
        effort.lines.fetch_add(lines, Ordering::Relaxed);
        if self.open.count > 0 {
            self.push.to(REST, self.open);
        }
    }
}

impl Stage for Search {
    type In = Start;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Search";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), REST.describe()]
    }

    fn run(&self, start: &Start, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let path = context.path(*start);
        let open = Open { start: *start, ..Open::zeroed() };
        let mut walk = Walk { context, origin: path.origin() as u32, open, seeds: 0, push };
        path.start(&context.index, &mut walk);
        walk.go_on(&path);
    }
}

impl Stage for Extend {
    type In = Open;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Extend";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), REST.describe()]
    }

    fn run(&self, open: &Open, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let path = context.path(open.start);
        let origin = path.origin() as u32;
        Walk { context, origin, open: *open, seeds: 0, push }.go_on(&path);
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
        let &Seed { start: Start { query, search }, lo, offset, .. } = seed;
        let diagonal = context.index.locate(lo + site.element).wrapping_sub(offset);
        if (0..search as usize).any(|earlier| context.comes_upon(query, earlier, diagonal)) {
            return;
        }
        let begin = offset.cast_signed().max(0) as usize;
        if promising(&context.text(), context.codes(query), context.k as u32, diagonal, begin) {
            push.to(CANDIDATES, Candidate { query, diagonal });
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
        let &Candidate { query, diagonal } = candidate;
        let context = site.global;
        let codes = context.codes(query);
        if let Some(found) = window(&context.text(), query, codes, context.k as u32, diagonal) {
            push.to(WINDOWS, found);
        }
    }
}
