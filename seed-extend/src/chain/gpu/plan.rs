//! Slices of reads that are chained together, since their anchors fit into the device's memory.

use std::ops::Range;

/// Device memory that an anchor takes at most, in bytes: its key, a chain and a chain's number; the chain again, as output of the
/// application (twice) and grouped by read; what it scores at least and whether it is outscored; and if it is not, the chain once
/// more, with its only difference.
pub const BYTES_PER_ANCHOR: u64 = 8 + 40 + 4 + 2 * 48 + 40 + 4 + 1 + 40 + 4;

/// Cuts all reads, in order, into slices with at most `capacity` anchors; a read with more is a slice of its own.
/// `starts` has the number of anchors before each query (two for each read), and of all anchors.
pub fn slices(starts: &[u64], capacity: u64) -> Vec<Range<u32>> {
    let reads = (starts.len() / 2) as u32;
    let before = |read: u32| starts[2 * read as usize];
    let mut slices = Vec::new();
    let mut first = 0;
    for read in 0..reads {
        if before(read + 1) - before(first) > capacity && read > first {
            slices.push(first..read);
            first = read;
        }
    }
    slices.extend((first < reads).then_some(first..reads));
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_all_reads_and_fit() {
        let mut random = fastrand::Rng::with_seed(5);
        for reads in [0, 1, 2, 300] {
            let mut starts = vec![0];
            for _ in 0..2 * reads {
                starts.push(starts[starts.len() - 1] + random.u64(..50));
            }
            for room in [0, 70, 1000, u64::MAX] {
                let slices = slices(&starts, room);
                let all: Vec<u32> = slices.iter().cloned().flatten().collect();
                assert_eq!(all, (0..reads).collect::<Vec<u32>>());
                for slice in &slices {
                    let anchors = starts[2 * slice.end as usize] - starts[2 * slice.start as usize];
                    assert!(slice.len() == 1 || anchors <= room);
                }
                assert!(room < u64::MAX || slices.len() <= 1);
            }
        }
    }
}
