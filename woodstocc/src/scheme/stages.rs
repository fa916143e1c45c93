//! The nodes of the application of search schemes. The GPU's version is `cuda/scheme.cu`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;
use fm_index::gpu::IndexView;

use super::branch::{Branch, BranchSink, QuerySearch, begin};
use super::plan::SearchPlan;
use crate::read::Queries;
use crate::verify::Window;
use crate::verify::band::{IndexedText, passes_prefilter, window};

/// Open branches that a stack has room for; searches seldom have more than 15.
const STACK_ROOM: usize = 16;

/// Greatest number of branches that extending one opens: two for each base.
const OPENS: usize = 8;

/// Greatest number of branches that one firing extends for a search.
const STEPS: u32 = 32;

/// Greatest number of seeds that one firing yields for a search.
const SEEDS_AT_ONCE: usize = 16;

device_struct! {
    /// Input of [`Search`]: one search of the scheme for one query.
    #[derive(PartialEq, Eq)]
    pub struct SearchId {
        /// Number of the query in its batch.
        pub query: u32,
        /// Number of the search in the scheme.
        pub search: u32,
    }
}

device_struct! {
    /// An unfinished search: the stack of its open branches.
    pub struct BranchStack {
        /// The search that the stack belongs to.
        pub id: SearchId,
        /// Number of open branches.
        pub count: u32,
        /// Padding of the struct, always 0.
        pub padding: u32,
        /// The open branches, followed by unused elements; the last one is extended next.
        pub branches: [Branch; STACK_ROOM],
    }
}

device_struct! {
    /// Suffix-array rows of a word to verify.
    pub struct SchemeSeed {
        /// The search that found the word.
        pub id: SearchId,
        /// First row of the suffix array.
        pub lo: u32,
        /// Number of suffix-array rows.
        pub size: u32,
        /// Query position, modulo 2^32, where the word begins if nothing is inserted or deleted.
        pub offset: u32,
    }
}

device_struct! {
    /// A diagonal where a query may match.
    pub struct SchemeCandidate {
        /// Number of the query in its batch.
        pub query: u32,
        /// Position in the indexed text, modulo 2^32, where the query starts if nothing is inserted or deleted.
        pub diagonal: u32,
    }
}

device_struct! {
    /// Work of searches of a batch.
    #[derive(PartialEq, Eq, Default)]
    pub struct SchemeCounts {
        /// Number of branches extended.
        pub nodes: u64,
        /// 64-byte lines of the index read for that.
        pub lines: u64,
    }
}

/// Work of searches, counted by all threads.
#[derive(Debug, Default)]
pub struct SchemeEffort {
    /// Number of branches extended.
    pub nodes: AtomicU64,
    /// 64-byte lines of the index read for that.
    pub lines: AtomicU64,
}

impl SchemeEffort {
    /// The work so far.
    pub fn counts(&self) -> SchemeCounts {
        let Self { nodes, lines } = self;
        SchemeCounts { nodes: nodes.load(Ordering::Relaxed), lines: lines.load(Ordering::Relaxed) }
    }
}

/// The data that all nodes share.
#[derive(Debug)]
pub struct SchemeContext {
    /// The FM-index of the reference.
    pub index: FmIndex,
    /// The queries of the batch.
    pub queries: Arc<Queries>,
    /// Greatest edit distance; queries have more bases than that.
    pub k: usize,
    /// Number of pieces of a query.
    pub pieces: usize,
    /// The searches of the scheme.
    pub plans: Vec<SearchPlan>,
    /// Words with no more occurrences than this are verified in the text.
    pub rare_limit: u32,
    /// Counters of the work done.
    pub effort: SchemeEffort,
}

device_struct! {
    /// [`SchemeContext`] in device memory.
    pub struct SchemeDeviceContext {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries ([`Queries::all_codes`]).
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes` ([`Queries::offsets`]).
        pub offsets: DeviceAddress<u32>,
        /// The searches of the scheme ([`SchemeContext::plans`]).
        pub plans: DeviceAddress<SearchPlan>,
        /// Counters, to which kernels add.
        pub counts: DeviceAddress<SchemeCounts>,
        /// Greatest edit distance of a match.
        pub k: u32,
        /// Number of pieces of a query.
        pub pieces: u32,
        /// 2^32 / `pieces`, rounded up, which replaces a division; not used for one piece.
        pub inverse: u32,
        /// Words with no more occurrences than this are verified in the text.
        pub rare_limit: u32,
    }
}

impl SchemeDeviceContext {
    /// The numbers of a context, with null addresses in place of its arrays.
    pub fn new(index: IndexView, context: &SchemeContext) -> Self {
        Self {
            index,
            codes: DeviceAddress::NULL,
            offsets: DeviceAddress::NULL,
            plans: DeviceAddress::NULL,
            counts: DeviceAddress::NULL,
            k: context.k as u32,
            pieces: context.pieces as u32,
            inverse: (u64::from(u32::MAX) / context.pieces as u64 + 1) as u32,
            rare_limit: context.rare_limit,
        }
    }
}

impl SchemeContext {
    fn codes(&self, query: u32) -> &[u8] {
        self.queries.codes(query as usize)
    }

    /// The search of this identity, with its query.
    pub(super) fn query_search(&self, id: SearchId) -> QuerySearch<'_> {
        let (codes, plan) = (self.codes(id.query), &self.plans[id.search as usize]);
        QuerySearch::new(&self.index, codes, self.pieces, plan, self.rare_limit)
    }

    fn text(&self) -> IndexedText<'_> {
        IndexedText::of(&self.index)
    }

    /// Whether a search is certain to reach a diagonal: whether it allows the substitutions of each piece on the
    /// diagonal.
    fn is_certain_to_reach(&self, query: u32, search: usize, diagonal: u32) -> bool {
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

const SEEDS: Channel<SchemeSeed> = Channel::new(0, "seeds", SEEDS_AT_ONCE as u32);
const REST: Channel<BranchStack> = Channel::new(1, "rest", 1);
const CANDIDATES: Channel<SchemeCandidate> = Channel::new(0, "candidates", 1);
const WINDOWS: Channel<Window> = Channel::new(0, "windows", 1);

/// Stage that begins a search and extends its first branches.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Search;

/// Stage that extends more branches of an unfinished search.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Extend;

/// Stage that locates the occurrences of a seed, one a thread, and drops those whose diagonal a search of a lower
/// number is certain to reach, too, and those whose diagonal fails the prefilter.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Candidates;

/// Stage that computes the distances near a candidate's diagonal.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Verify;

/// One firing of a search: its stack, and the seeds that it yields.
struct StackWalk<'a, 'p, 's> {
    context: &'a SchemeContext,
    /// Query position of the word that the search began with.
    origin: u32,
    stack: BranchStack,
    /// Number of seeds so far.
    seeds: usize,
    push: &'p mut Push<'s>,
}

impl BranchSink for StackWalk<'_, '_, '_> {
    fn open(&mut self, branch: Branch) {
        self.stack.branches[self.stack.count as usize] = branch;
        self.stack.count += 1;
    }

    fn verify(&mut self, Branch { rows, left, .. }: Branch) {
        let offset = self.origin.wrapping_sub(u32::from(left));
        let seed = SchemeSeed { id: self.stack.id, lo: rows.lo, size: rows.size, offset };
        self.push.to(SEEDS, seed);
        self.seeds += 1;
    }
}

impl StackWalk<'_, '_, '_> {
    /// Extends the topmost branches, up to the limits of one firing, and passes on the rest. A branch whose extensions
    /// the stack may have no room for is verified as it is.
    fn go_on(&mut self, search: &QuerySearch<'_>) {
        let transforms = self.context.index.transforms();
        let (mut steps, mut lines) = (0, 0);
        while self.stack.count > 0 && steps < STEPS && self.seeds + 4 <= SEEDS_AT_ONCE {
            self.stack.count -= 1;
            let branch = self.stack.branches[self.stack.count as usize];
            if self.stack.count as usize + OPENS > STACK_ROOM {
                self.verify(branch);
                continue;
            }
            steps += 1;
            lines += search.lines(&branch);
            search.extend(&transforms, &branch, self);
        }
        let effort = &self.context.effort;
        effort.nodes.fetch_add(u64::from(steps), Ordering::Relaxed);
        effort.lines.fetch_add(lines, Ordering::Relaxed);
        if self.stack.count > 0 {
            self.push.to(REST, self.stack);
        }
    }
}

impl Stage for Search {
    type In = SearchId;
    type Node = ();
    type Global = SchemeContext;
    const NAME: &'static str = "Search";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), REST.describe()]
    }

    fn run(&self, id: &SearchId, site: &Site<'_, (), SchemeContext>, push: &mut Push<'_>) {
        let context = site.global;
        let search = context.query_search(*id);
        let stack = BranchStack { id: *id, ..BranchStack::zeroed() };
        let mut walk = StackWalk { context, origin: search.origin() as u32, stack, seeds: 0, push };
        search.start(&context.index, &mut walk);
        walk.go_on(&search);
    }
}

impl Stage for Extend {
    type In = BranchStack;
    type Node = ();
    type Global = SchemeContext;
    const NAME: &'static str = "Extend";

    fn channels() -> Vec<ChannelType> {
        vec![SEEDS.describe(), REST.describe()]
    }

    fn run(&self, stack: &BranchStack, site: &Site<'_, (), SchemeContext>, push: &mut Push<'_>) {
        let context = site.global;
        let search = context.query_search(stack.id);
        let origin = search.origin() as u32;
        StackWalk { context, origin, stack: *stack, seeds: 0, push }.go_on(&search);
    }
}

impl Stage for Candidates {
    type In = SchemeSeed;
    type Node = ();
    type Global = SchemeContext;
    const NAME: &'static str = "Candidates";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![CANDIDATES.describe()]
    }

    fn size(&self, seed: &SchemeSeed, _: &Site<'_, (), SchemeContext>) -> u32 {
        seed.size
    }

    fn run(&self, seed: &SchemeSeed, site: &Site<'_, (), SchemeContext>, push: &mut Push<'_>) {
        let context = site.global;
        let &SchemeSeed { id: SearchId { query, search }, lo, offset, .. } = seed;
        let diagonal = context.index.locate(lo + site.element).wrapping_sub(offset);
        if (0..search as usize).any(|earlier| context.is_certain_to_reach(query, earlier, diagonal))
        {
            return;
        }
        let begin = offset.cast_signed().max(0) as usize;
        if passes_prefilter(
            &context.text(),
            context.codes(query),
            context.k as u32,
            diagonal,
            begin,
        ) {
            push.to(CANDIDATES, SchemeCandidate { query, diagonal });
        }
    }
}

impl Stage for Verify {
    type In = SchemeCandidate;
    type Node = ();
    type Global = SchemeContext;
    const NAME: &'static str = "Verify";

    fn channels() -> Vec<ChannelType> {
        vec![WINDOWS.describe()]
    }

    fn run(
        &self,
        candidate: &SchemeCandidate,
        site: &Site<'_, (), SchemeContext>,
        push: &mut Push<'_>,
    ) {
        let &SchemeCandidate { query, diagonal } = candidate;
        let context = site.global;
        let codes = context.codes(query);
        if let Some(found) = window(&context.text(), query, codes, context.k as u32, diagonal) {
            push.to(WINDOWS, found);
        }
    }
}
