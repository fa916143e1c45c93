//! Reads whose anchors are found together.

use std::ops::Range;

use super::numbers::Counted;

/// Bytes for each anchor on the device: its key, a chain, and the chain's number.
pub const BYTES_PER_ANCHOR: u64 = 52;

/// Where the anchors of each query begin, and reads whose anchors are found at a time.
#[derive(Debug)]
pub struct Plan {
    /// Anchors before each query, and all.
    pub starts: Vec<u64>,
    /// All reads, in order.
    pub slices: Vec<Range<u32>>,
}

impl Plan {
    /// For queries of which so much was counted; each slice has at most `room` anchors, if more than
    /// one read.
    pub fn new(counted: &[Counted], room: u64) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        let mut slices: Vec<Range<u32>> = Vec::new();
        let (mut first, mut before) = (0, 0);
        for (read, queries) in (0..).zip(counted.chunks(2)) {
            let behind = end + queries.iter().map(|query| u64::from(query.anchors)).sum::<u64>();
            if behind - before > room && read > first {
                slices.push(first..read);
                (first, before) = (read, end);
            }
            for query in queries {
                end += u64::from(query.anchors);
                starts.push(end);
            }
        }
        let reads = (counted.len() / 2) as u32;
        slices.extend((first < reads).then_some(first..reads));
        Self { starts, slices }
    }

    /// Anchors of some reads.
    pub fn anchors(&self, reads: &Range<u32>) -> u64 {
        self.starts[2 * reads.end as usize] - self.starts[2 * reads.start as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_all_reads_and_fit() {
        let mut random = fastrand::Rng::with_seed(5);
        for reads in [0, 1, 2, 300] {
            let counted: Vec<Counted> = (0..2 * reads)
                .map(|_| Counted { anchors: random.u32(..50), ..Counted::default() })
                .collect();
            for room in [0, 70, 1000, u64::MAX] {
                let plan = Plan::new(&counted, room);
                let all: Vec<u32> = plan.slices.iter().cloned().flatten().collect();
                assert_eq!(all, (0..reads).collect::<Vec<u32>>());
                assert_eq!(plan.starts.len(), counted.len() + 1);
                for slice in &plan.slices {
                    assert!(slice.len() == 1 || plan.anchors(slice) <= room);
                }
                assert!(room < u64::MAX || plan.slices.len() <= 1);
            }
        }
    }
}
