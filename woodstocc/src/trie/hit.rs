//! Trie nodes within `k` of a query, and the suffix-array rows that they stand for.
//!
//! A search reports a *hit* at each node whose string is closer to the whole query than the strings of all its
//! ancestors. The interval of a hit holds all suffixes that begin with the node's string. So the hits of one query are
//! nested like the nodes of the trie, and the distance of a suffix is that of the innermost hit that contains it:
//!
//! ```text
//!   rows       10 11 12 13 14 15 16 17
//!   hits      |---------- 2 ----------|
//!                   |---- 1 ----|
//!                   |- 0 -|
//!   segments  |- 2 -|- 0 -|- 1 -|- 2 -|
//! ```
//!
//! [`resolve`] turns nested hits into disjoint segments of rows. Each row then has exactly one distance, and is located
//! once; hits at every node within `k` would give a row several times.

use aligner_core::device_struct;

device_struct! {
    /// A node of the trie whose string is within `k` of a query.
    #[derive(PartialEq, Eq, Default)]
    #[repr(align(16))]
    pub struct TrieHit {
        /// Number of the query in its batch.
        pub query: u32,
        /// First suffix-array row of the node's interval.
        pub lo: u32,
        /// Number of rows of the interval.
        pub size: u32,
        /// Edit distance of the query to the node's string.
        pub distance: u32,
    }
}

/// Consecutive suffix-array rows that have the same distance to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSegment {
    /// First row of the suffix array.
    pub lo: u32,
    /// Number of suffix-array rows.
    pub size: u32,
    /// Least edit distance of the query to any prefix of these suffixes.
    pub distance: u8,
}

/// Sort key of hits: by query, then enclosing hits before enclosed ones, then the larger distance first. The order does
/// not depend on which engine found the hits, or when.
pub fn order(hit: &TrieHit) -> impl Ord + use<> {
    (hit.query, hit.lo, u32::MAX - hit.size, u32::MAX - hit.distance)
}

/// Appends the disjoint segments of the hits of one query, by row. The hits must be sorted by [`order`].
pub fn resolve(hits: &[TrieHit], segments: &mut Vec<RowSegment>) {
    let mut open: Vec<(u32, u8)> = Vec::new();
    let mut cursor = 0;
    let mut emit = |lo: u32, hi: u32, distance: u8| {
        if lo < hi {
            segments.push(RowSegment { lo, size: hi - lo, distance });
        }
    };
    for hit in hits {
        while let Some(&(end, distance)) = open.last().filter(|(end, _)| *end <= hit.lo) {
            emit(cursor, end, distance);
            cursor = end;
            open.pop();
        }
        if let Some(&(_, distance)) = open.last() {
            emit(cursor, hit.lo, distance);
        }
        cursor = hit.lo;
        open.push((hit.lo + hit.size, hit.distance as u8));
    }
    while let Some((end, distance)) = open.pop() {
        emit(cursor, end, distance);
        cursor = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(lo: u32, size: u32, distance: u32) -> TrieHit {
        TrieHit { query: 0, lo, size, distance }
    }

    fn segments(mut hits: Vec<TrieHit>) -> Vec<(u32, u32, u8)> {
        hits.sort_unstable_by_key(order);
        let mut segments = Vec::new();
        resolve(&hits, &mut segments);
        segments.iter().map(|s| (s.lo, s.size, s.distance)).collect()
    }

    #[test]
    fn the_innermost_hit_decides() {
        assert_eq!(segments(vec![]), []);
        assert_eq!(segments(vec![hit(5, 3, 2)]), [(5, 3, 2)]);
        assert_eq!(segments(vec![hit(5, 3, 1), hit(5, 3, 2)]), [(5, 3, 1)]);
        assert_eq!(
            segments(vec![hit(20, 1, 0), hit(12, 4, 1), hit(12, 2, 0), hit(10, 8, 2)]),
            [(10, 2, 2), (12, 2, 0), (14, 2, 1), (16, 2, 2), (20, 1, 0)]
        );
        assert_eq!(
            segments(vec![hit(0, 4, 3), hit(2, 2, 2), hit(3, 1, 1), hit(4, 1, 3)]),
            [(0, 2, 3), (2, 1, 2), (3, 1, 1), (4, 1, 3)]
        );
    }
}
