//! From trie nodes to matrix rows of the suffix array.
//!
//! A search reports a *hit* whenever a path reaches a smaller distance to the whole query than any
//! of its ancestors did. A hit's interval holds all suffixes that begin with the path's string, so
//! hits of one query nest like the nodes of the trie, and the distance of one start is that of the
//! innermost hit that holds its suffix. [`resolve`] turns the nest into disjoint intervals.

use bytemuck::{Pod, Zeroable};

/// A node of the trie whose string is within `k` of a query. The kernels write the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Hit {
    /// Number of the query in its batch.
    pub query: u32,
    /// First suffix-array row of the node.
    pub lo: u32,
    /// Rows of the node.
    pub size: u32,
    /// Edit distance of the query to the node's string.
    pub distance: u32,
}

const _: () = assert!(size_of::<Hit>() == 16, "as in hit.cuh");

/// Rows of the suffix array that share a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First row.
    pub lo: u32,
    /// Rows.
    pub size: u32,
    /// Least edit distance of the query to a string that begins at these suffixes.
    pub distance: u8,
}

/// The key of the one order that does not depend on who found the hits: by query, enclosing before
/// enclosed, farther before closer.
pub fn order(hit: &Hit) -> (u32, u32, u32, u32) {
    (hit.query, hit.lo, u32::MAX - hit.size, u32::MAX - hit.distance)
}

/// The disjoint segments of one query's sorted hits, by row.
pub fn resolve(hits: &[Hit], segments: &mut Vec<Segment>) {
    let mut open: Vec<(u32, u8)> = Vec::new();
    let mut cursor = 0;
    let mut emit = |lo: u32, hi: u32, distance: u8| {
        if lo < hi {
            segments.push(Segment { lo, size: hi - lo, distance });
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

    fn hit(lo: u32, size: u32, distance: u32) -> Hit {
        Hit { query: 0, lo, size, distance }
    }

    fn segments(mut hits: Vec<Hit>) -> Vec<(u32, u32, u8)> {
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
