//! Search schemes: in which order pieces are searched, and how many differences are allowed on the way.
//!
//! A query is cut into `P` pieces. A *search* begins with one piece, which must occur exactly, and puts
//! the neighbours of what it has to its left or right, one after the other; after `i` pieces it allows
//! at most `most[i]` differences in them. A scheme is *complete* for `k` if, however `k` differences
//! are distributed over the pieces, one of its searches allows them (Kucherov, Salikhov and Tsur,
//! "Approximate string matching using a bidirectional index", 2016). Its lower bounds are left out: they
//! keep searches from finding the same twice, and here [`super::stages::Candidates`] does.
//!
//! Ours come from halving. If `n` pieces have fewer than `n` differences, then of any two parts of them,
//! one has fewer differences than pieces: otherwise there would be `n`. So the search for `n` pieces is
//! either that for the left part followed by the right part, or the other way round, down to a piece
//! without differences. `k + 1` pieces give `k + 1` searches (Navarro and Baeza-Yates's hierarchical
//! partition; for `k = 3` it is Kucherov et al.'s scheme for `k + 1` pieces). After two pieces at most
//! one difference is allowed, which is what makes it fast.
//!
//! The schemes that Kianfar et al., "Optimum search schemes for approximate string matching using
//! bidirectional FM-index" (2018), give for `k + 2` pieces need fewer nodes when words are followed to
//! the end. Here words are verified in the text once they are rare, and what counts is that the first
//! piece is long: for 300 reads of 47 bases of human chromosome 20 and `k = 3`, our four pieces need 188
//! nodes and 307 occurrences a read, their five 695 and 1,058.

/// The pieces of a search in their order, and the most differences in the first so many of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Numbers of pieces; each is a neighbour of those before it.
    pub order: Vec<usize>,
    /// The most differences after each; 0 after the first, and never falling.
    pub most: Vec<usize>,
}

impl Search {
    /// Whether it allows these numbers of differences in the pieces.
    pub fn allows(&self, differences: &[usize]) -> bool {
        let mut sum = 0;
        self.order.iter().zip(&self.most).all(|(&piece, &most)| {
            sum += differences[piece];
            sum <= most
        })
    }
}

/// Searches that together find every match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// How many pieces a query is cut into.
    pub pieces: usize,
    /// What is searched for, one after the other.
    pub searches: Vec<Search>,
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

/// The searches for pieces `from` to `to` with fewer differences than pieces.
fn halve(from: usize, to: usize) -> Vec<Search> {
    let most = to - from - 1;
    if most == 0 {
        return vec![Search { order: vec![from], most: vec![0] }];
    }
    let middle = from + (to - from) / 2;
    let then = |mut search: Search, rest: &mut dyn Iterator<Item = usize>| {
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

    /// Whether a search allows all distributions that begin so and add at most `left` differences in the
    /// other pieces.
    fn allows_whatever_follows(scheme: &Scheme, given: &[usize], left: usize) -> bool {
        scheme.searches.iter().any(|Search { order, most }| {
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

    /// Checks every distribution that begins with `given` and has at most `left` more, one by one unless
    /// one search allows them all; counts what it looked at.
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
            for Search { order, most } in &scheme.searches {
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
