//! Search schemes: the orders in which pieces of a query are searched, and how many differences are allowed on the way.
//!
//! A query is cut into `P` pieces. A *search* begins with one piece, which must occur exactly, and adds the next piece
//! to the left or right, one after the other; in the first `i` pieces together it allows at most `most[i - 1]`
//! differences. A scheme is *complete* for `k` if, however `k` differences are distributed over the pieces, one of its
//! searches allows them (Kucherov, Salikhov and Tsur, "Approximate string matching using a bidirectional index", 2016).
//! The lower bounds of that definition are left out: they keep searches from finding the same match twice. Here
//! [`super::stages::Candidates`] does that: it looks at the whole diagonal of a candidate, and drops the candidate if a
//! search of a lower number is certain to find it.
//!
//! The schemes used here come from halving. If `n` pieces have fewer than `n` differences, then one of any two parts of
//! them has fewer differences than pieces. So the search for `n` pieces is either the search for the left part followed
//! by the right part, or the other way round, down to a single piece without differences:
//!
//! ```text
//!   k = 3     order of pieces   most differences
//!   search 0      0 1 2 3           0 1 3 3
//!   search 1      1 0 2 3           0 1 3 3
//!   search 2      2 3 1 0           0 1 3 3
//!   search 3      3 2 1 0           0 1 3 3
//! ```
//!
//! `k + 1` pieces give `k + 1` searches (the hierarchical partition of Navarro and Baeza-Yates; for `k = 3` it is the
//! scheme of Kucherov et al. for `k + 1` pieces). After two pieces at most one difference is allowed, which makes the
//! search fast.
//!
//! The schemes for `k + 2` pieces of Kianfar et al., "Optimum search schemes for approximate string matching using
//! bidirectional FM-index" (2018), need fewer nodes if words are extended to the end. Here words are verified in the
//! text once they are rare, so a long first piece is worth more: for 300 reads of 47 bases of human chromosome 20 and
//! `k = 3`, the four pieces of halving need 188 nodes and 307 occurrences a read, their five pieces 695 and 1,058.

/// One search of a scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeSearch {
    /// Numbers of the pieces in the order of the search; each is a neighbour of the pieces before it.
    pub order: Vec<usize>,
    /// Greatest number of differences after each piece: 0 after the first one, and never decreasing.
    pub most: Vec<usize>,
}

impl SchemeSearch {
    /// Whether the search allows these numbers of differences in the pieces.
    pub fn allows(&self, differences: &[usize]) -> bool {
        let mut sum = 0;
        self.order.iter().zip(&self.most).all(|(&piece, &most)| {
            sum += differences[piece];
            sum <= most
        })
    }
}

/// A set of searches that together find every match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// Number of pieces that a query is cut into.
    pub pieces: usize,
    /// The searches, which are independent of each other.
    pub searches: Vec<SchemeSearch>,
}

impl Scheme {
    /// The scheme for `k` differences by halving `k + 1` pieces.
    pub fn halving(k: usize) -> Self {
        let pieces = k + 1;
        Self { pieces, searches: halve(0, pieces) }
    }

    /// Whether a search allows these numbers of differences in the pieces.
    pub fn allows(&self, differences: &[usize]) -> bool {
        self.searches.iter().any(|search| search.allows(differences))
    }
}

/// The searches of pieces `from` to `to` that together allow fewer differences than there are pieces.
fn halve(from: usize, to: usize) -> Vec<SchemeSearch> {
    let most = to - from - 1;
    if most == 0 {
        return vec![SchemeSearch { order: vec![from], most: vec![0] }];
    }
    let middle = from + (to - from) / 2;
    let then = |mut search: SchemeSearch, rest: &mut dyn Iterator<Item = usize>| {
        search.order.extend(rest);
        search.most.resize(search.order.len(), most);
        search
    };
    let left = halve(from, middle).into_iter().map(|search| then(search, &mut (middle..to)));
    let right = halve(middle, to).into_iter().map(|search| then(search, &mut (from..middle).rev()));
    left.chain(right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::MAX_K;

    /// Whether one search allows all distributions that begin with `given` and have at most `left` differences in the
    /// other pieces.
    fn allows_whatever_follows(scheme: &Scheme, given: &[usize], left: usize) -> bool {
        scheme.searches.iter().any(|SchemeSearch { order, most }| {
            let (mut sum, mut open) = (0, 0);
            order.iter().zip(most).all(|(&piece, &most)| {
                match given.get(piece) {
                    Some(differences) => sum += differences,
                    None => open = left,
                }
                sum + open <= most
            })
        })
    }

    /// Checks every distribution that begins with `given` and has at most `left` more differences, one by one unless
    /// one search allows them all. Returns the number of checks.
    fn check(scheme: &Scheme, given: &mut Vec<usize>, left: usize) -> u64 {
        if allows_whatever_follows(scheme, given, left) {
            return 1;
        }
        assert!(given.len() < scheme.pieces, "no search allows {given:?}");
        (0..=left)
            .map(|here| {
                given.push(here);
                let looked_at = check(scheme, given, left - here);
                given.pop();
                looked_at
            })
            .sum()
    }

    #[test]
    fn every_distribution_of_differences_is_allowed_by_a_search() {
        for k in 0..=usize::from(MAX_K) {
            let looked_at = check(&Scheme::halving(k), &mut Vec::new(), k);
            assert!(looked_at > k as u64, "k {k}: {looked_at}");
        }
    }

    #[test]
    fn each_search_is_needed_and_a_difference_more_is_too_many() {
        for k in 1..=usize::from(MAX_K) {
            let scheme = Scheme::halving(k);
            assert!(!scheme.allows(&vec![1; k + 1]), "k {k}");
            for piece in 0..=k {
                let mut differences = vec![1; k + 1];
                differences[piece] = 0;
                let allowed = scheme.searches.iter().filter(|search| search.allows(&differences));
                let begins: Vec<usize> = allowed.map(|search| search.order[0]).collect();
                assert_eq!(begins, [piece], "k {k}");
            }
        }
    }

    #[test]
    fn searches_are_searches() {
        for k in 0..=usize::from(MAX_K) {
            let scheme = Scheme::halving(k);
            assert_eq!(scheme.searches.len(), k + 1);
            for SchemeSearch { order, most } in &scheme.searches {
                assert_eq!(order.len(), scheme.pieces, "k {k}: {order:?}");
                assert!(most.is_sorted() && most[0] == 0 && most[k] == k, "k {k}: {most:?}");
                let (mut from, mut to) = (order[0], order[0] + 1);
                for &piece in &order[1..] {
                    assert!(piece + 1 == from || piece == to, "k {k}: {order:?}");
                    (from, to) = (from.min(piece), to.max(piece + 1));
                }
                assert_eq!((from, to), (0, scheme.pieces), "k {k}: {order:?}");
            }
        }
    }
}
