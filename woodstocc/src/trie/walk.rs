//! Search of the virtual suffix trie on the CPU (Cole 2017, 2.3.1 and 2.3.2).
//!
//! The trie of the reference is walked depth-first from the root. A node is an interval of the bidirectional index; its
//! children come from one rank query at each end of the interval. A node carries its set of *live* queries, each with
//! the matrix row ([`super::row`]) of the query against the string that the node spells. A query leaves the set when no
//! descendant can be within `k` of it (*truncation*, with the lower bounds of [`super::bound`]), and a node without
//! live queries is not entered. One walk serves a whole batch of queries, so each node is looked up once for all.
//!
//! The walk extends words to the right, for which the transform of the reversed text would be enough. That transform
//! alone locates the ends of matches, however, and a start only as the end minus the length of a word. A node is a
//! synchronised interval of both transforms, so the transform of the text locates the starts directly, and one path can
//! keep the least distance of a start.
//!
//! The worklist is a stack of nodes. Their live sets lie end to end in one arena that grows and shrinks with the stack,
//! so memory is bounded by the depth of the trie times the number of queries.

use fm_index::{FmIndex, Interval};

use super::bound::SuffixBound;
use super::hit::TrieHit;
use super::metrics::TrieEffort;
use super::row::{MAX_K_OF_U64, Profiles, RowBand, RowWord};
use crate::read::Queries;

/// A query that is followed below a node.
#[derive(Debug, Clone, Copy)]
pub struct LiveQuery<W> {
    /// Its matrix row at the node.
    pub row: W,
    /// Its index among the queries that walk together.
    pub query: u32,
    /// Only distances less than this are reported below: `k + 1`, or the least distance on the path so far.
    pub wanted: u8,
}

/// A node whose children are still to be visited. Its live set is the part of the arena from `live` on, up to the live
/// set of the next node on the worklist.
struct TrieNode {
    interval: Interval,
    depth: u32,
    live: usize,
}

/// Appends all hits of the wanted queries, in no particular order.
///
/// Queries of at most `k` bases are left out: they match everywhere (see [`crate::scan`]).
pub fn search(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    hits: &mut Vec<TrieHit>,
) -> TrieEffort {
    search_while(index, queries, wanted, k, hits, |_, _| true).0
}

/// Counts the work of a search. `None` as soon as `goes_on` returns false for the work done so far.
pub(crate) fn count(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    goes_on: impl Fn(TrieEffort) -> bool,
) -> Option<TrieEffort> {
    let goes_on = |effort, _: usize| goes_on(effort);
    let (effort, is_done) = search_while(index, queries, wanted, k, &mut Vec::new(), goes_on);
    is_done.then_some(effort)
}

/// Searches as [`search`] does, but gives up once there are more than `most` hits. Returns the work, and whether all hits
/// were found.
pub(crate) fn search_up_to(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    (hits, most): (&mut Vec<TrieHit>, usize),
) -> (TrieEffort, bool) {
    search_while(index, queries, wanted, k, hits, |_, count| count <= most)
}

/// Searches until all is found or `goes_on` returns false for the work and the number of hits so far. Also returns whether the search was
/// completed.
fn search_while(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    hits: &mut Vec<TrieHit>,
    goes_on: impl Fn(TrieEffort, usize) -> bool,
) -> (TrieEffort, bool) {
    let codes = |query: u32| queries.codes(query as usize);
    let wanted: Vec<u32> = wanted.iter().copied().filter(|&query| codes(query).len() > k).collect();
    let longest = wanted.iter().map(|&query| codes(query).len()).max().unwrap_or(0);
    let mut profiles = Profiles::new(longest);
    let mut lengths = Vec::with_capacity(wanted.len());
    let bounds: Vec<SuffixBound> =
        wanted.iter().map(|&query| SuffixBound::new(index, codes(query), k)).collect();
    for &query in &wanted {
        profiles.push(codes(query));
        lengths.push(codes(query).len() as u32);
    }
    let batch =
        WalkBatch { numbers: &wanted, lengths: &lengths, bounds: &bounds, profiles: &profiles, k };
    if k <= MAX_K_OF_U64 {
        batch.search::<u64>(index, hits, goes_on)
    } else {
        batch.search::<u128>(index, hits, goes_on)
    }
}

/// Queries that walk the trie together, by their index in the batch.
pub(super) struct WalkBatch<'a> {
    /// Numbers among all queries, as hits report them.
    pub(super) numbers: &'a [u32],
    /// Bases of each query.
    pub(super) lengths: &'a [u32],
    pub(super) bounds: &'a [SuffixBound],
    pub(super) profiles: &'a Profiles,
    pub(super) k: usize,
}

impl WalkBatch<'_> {
    fn search<W: RowWord>(
        &self,
        index: &FmIndex,
        hits: &mut Vec<TrieHit>,
        goes_on: impl Fn(TrieEffort, usize) -> bool,
    ) -> (TrieEffort, bool) {
        let band = RowBand::<W>::new(self.k);
        let transforms = index.transforms();
        let mut effort = TrieEffort::default();
        let mut arena: Vec<LiveQuery<W>> = (0..)
            .zip(self.lengths)
            .map(|(query, &length)| LiveQuery {
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
        let mut worklist = vec![TrieNode { interval: index.root(), depth: 0, live: 0 }];
        let mut parents = Vec::new();
        // End of the live sets in the arena; elements after it are scratch space.
        let mut end = arena.len();
        while let Some(node) = worklist.pop() {
            if !goes_on(effort, hits.len()) {
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
                    // Three of four queries are dropped here, and no branch predictor can tell which. So each
                    // is written, and only the end of the arena depends on whether it is kept.
                    let (query, lives) =
                        self.visit(&band, parent, child, depth as usize, code, hits);
                    arena[end] = query;
                    end += usize::from(lives);
                }
                if end > live {
                    worklist.push(TrieNode { interval: child, depth, live });
                }
            }
        }
        (effort, true)
    }

    /// Computes the row of a query at a child node, reports a hit if it has one, and returns the query with whether it
    /// stays live there.
    #[inline]
    pub(super) fn visit<W: RowWord>(
        &self,
        band: &RowBand<W>,
        parent: &LiveQuery<W>,
        child: Interval,
        depth: usize,
        code: usize,
        hits: &mut Vec<TrieHit>,
    ) -> (LiveQuery<W>, bool) {
        let query = parent.query as usize;
        let whole = self.lengths[query] as usize + self.k - depth;
        let equal = self.profiles.equal(query, code, depth, self.k);
        let row = band.step(parent.row, equal, whole);
        let mut wanted = parent.wanted;
        if let Some(distance) = band.below(row, whole, wanted) {
            wanted = distance;
            hits.push(TrieHit {
                query: self.numbers[query],
                lo: child.lo,
                size: child.size,
                distance: u32::from(distance),
            });
        }
        let lives = wanted > 0
            && band.is_below(row, wanted)
            && band.reaches(row, depth, wanted, &self.bounds[query]);
        (LiveQuery { row, query: parent.query, wanted }, lives)
    }
}
