//! Complete search by dynamic programming over the virtual suffix trie, on the CPU (dissertation,
//! sections 2.3.1 and 2.3.2).
//!
//! The trie of the reference is walked depth-first from the root. A node is an interval of the
//! bidirectional index; its children come from one rank query at either bound. With the node
//! travels its set of *live* queries, each with the matrix row (see [`crate::row`]) of the query
//! against the string that the node spells. A query leaves the set when no continuation can bring
//! it within reach (*truncation*; [`crate::bound`] tells what the rest needs), and a node without live queries is not entered. One traversal
//! thus serves a whole batch of queries: the discovery of a node is paid once.
//!
//! The worklist is a stack of nodes; their live sets lie end to end in one arena that grows and
//! shrinks with it, so memory is bounded by the depth of the trie times the batch.

use fm_index::{FmIndex, Interval};

use crate::bound::Bound;
use crate::hits::Hit;
use crate::query::Queries;
use crate::row::{Band, MAX_K_OF_U64, Profiles, Word};

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Trie nodes expanded.
    pub nodes: u64,
    /// Matrix rows computed.
    pub rows: u64,
}

/// A query at a node.
#[derive(Clone, Copy)]
struct Live<W> {
    row: W,
    query: u32,
    /// Distances below this one are still wanted: `k + 1`, or the best distance on this path.
    wanted: u8,
}

/// A node whose children are still to be visited. Its live set is the arena from `live` on, up to
/// that of the node above it on the worklist.
struct Node {
    interval: Interval,
    depth: u32,
    live: usize,
}

/// All hits of the wanted queries, in no particular order.
///
/// Queries of at most `k` bases are not searched: they match everywhere (see [`crate::scan`]).
pub fn search(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    hits: &mut Vec<Hit>,
) -> Effort {
    search_while(index, queries, wanted, k, hits, |_| true).0
}

/// What a search would do, or `None` if `goes_on` said no to what it had done so far.
pub(crate) fn count(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    goes_on: impl Fn(Effort) -> bool,
) -> Option<Effort> {
    let (effort, is_done) = search_while(index, queries, wanted, k, &mut Vec::new(), goes_on);
    is_done.then_some(effort)
}

/// Searches as long as it is wanted, and tells whether that was to the end.
fn search_while(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    hits: &mut Vec<Hit>,
    goes_on: impl Fn(Effort) -> bool,
) -> (Effort, bool) {
    let codes = |query: u32| queries.codes(query as usize);
    let wanted: Vec<u32> = wanted.iter().copied().filter(|&query| codes(query).len() > k).collect();
    let longest = wanted.iter().map(|&query| codes(query).len()).max().unwrap_or(0);
    let mut profiles = Profiles::new(longest);
    let mut lengths = Vec::with_capacity(wanted.len());
    let bounds: Vec<Bound> =
        wanted.iter().map(|&query| Bound::new(index, codes(query), k)).collect();
    for &query in &wanted {
        profiles.push(codes(query));
        lengths.push(codes(query).len() as u32);
    }
    let batch =
        Batch { numbers: &wanted, lengths: &lengths, bounds: &bounds, profiles: &profiles, k };
    if k <= MAX_K_OF_U64 {
        batch.search::<u64>(index, hits, goes_on)
    } else {
        batch.search::<u128>(index, hits, goes_on)
    }
}

/// Queries that are searched for together.
struct Batch<'a> {
    numbers: &'a [u32],
    lengths: &'a [u32],
    bounds: &'a [Bound],
    profiles: &'a Profiles,
    k: usize,
}

impl Batch<'_> {
    fn search<W: Word>(
        &self,
        index: &FmIndex,
        hits: &mut Vec<Hit>,
        goes_on: impl Fn(Effort) -> bool,
    ) -> (Effort, bool) {
        let band = Band::<W>::new(self.k);
        let transforms = index.transforms();
        let mut effort = Effort::default();
        let mut arena: Vec<Live<W>> = (0..)
            .zip(self.lengths)
            .map(|(query, &length)| Live {
                row: band.root(length as usize),
                query,
                wanted: self.k as u8 + 1,
            })
            .filter(|live| {
                band.reaches(live.row, 0, live.wanted, &self.bounds[live.query as usize])
            })
            .collect();
        if arena.is_empty() {
            return (effort, true);
        }
        let mut worklist = vec![Node { interval: index.root(), depth: 0, live: 0 }];
        let mut parents = Vec::new();
        // The arena's end; what is behind it is scratch.
        let mut end = arena.len();
        while let Some(node) = worklist.pop() {
            if !goes_on(effort) {
                return (effort, false);
            }
            effort.nodes += 1;
            parents.clear();
            parents.extend_from_slice(&arena[node.live..end]);
            end = node.live;
            if arena.len() < end + 4 * parents.len() {
                arena.resize(end + 4 * parents.len(), parents[0]);
            }
            let depth = node.depth + 1;
            let children = transforms.extend_right(node.interval);
            for &child in children.iter().filter(|child| child.size > 0) {
                transforms.prefetch_right(child);
            }
            for (code, child) in children.into_iter().enumerate() {
                if child.size == 0 {
                    continue;
                }
                let live = end;
                effort.rows += parents.len() as u64;
                for parent in &parents {
                    // Three of four queries die here, unforeseeably for the processor: so each is
                    // written, and only the end of the arena depends on its fate.
                    let (query, lives) =
                        self.visit(&band, parent, child, depth as usize, code, hits);
                    arena[end] = query;
                    end += usize::from(lives);
                }
                if end > live {
                    worklist.push(Node { interval: child, depth, live });
                }
            }
        }
        (effort, true)
    }

    /// The query of `parent` at a child node, and whether it lives on there.
    #[inline]
    fn visit<W: Word>(
        &self,
        band: &Band<W>,
        parent: &Live<W>,
        child: Interval,
        depth: usize,
        code: usize,
        hits: &mut Vec<Hit>,
    ) -> (Live<W>, bool) {
        let query = parent.query as usize;
        let whole = self.lengths[query] as usize + self.k - depth;
        let equal = self.profiles.equal(query, code, depth, self.k);
        let row = band.step(parent.row, equal, whole);
        let mut wanted = parent.wanted;
        if let Some(distance) = band.below(row, whole, wanted) {
            wanted = distance;
            hits.push(Hit {
                query: self.numbers[query],
                lo: child.lo,
                size: child.size,
                distance: u32::from(distance),
            });
        }
        let lives = wanted > 0
            && band.is_below(row, wanted)
            && band.reaches(row, depth, wanted, &self.bounds[query]);
        (Live { row, query: parent.query, wanted }, lives)
    }
}
