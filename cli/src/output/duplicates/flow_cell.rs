//! Positions on the flow cell, as Illumina's machines write them into read names.

use bytemuck::{Pod, Zeroable};

/// A position on the flow cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct FlowCellPosition {
    pub tile: u32,
    pub x: i32,
    pub y: i32,
}

impl FlowCellPosition {
    /// The position in a read name of five or seven fields with colons between them, of which the last three are tile, x and
    /// y; `None` of other names. Letters behind a number are ignored, as Picard does.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        // A name has fewer than 256 bytes.
        let colons: u8 = name.iter().map(|&byte| u8::from(byte == b':')).sum();
        if !matches!(colons, 4 | 6) {
            return None;
        }
        let mut fields = name.rsplit(|&byte| byte == b':');
        let mut last_number = || fields.next().and_then(leading_number);
        let (y, x, tile) = (last_number()?, last_number()?, last_number()?);
        Some(Self { tile, x: x as i32, y: y as i32 })
    }

    /// Whether two positions are on one tile, at most `distance` apart in x and in y.
    pub fn is_near(self, other: Self, distance: u32) -> bool {
        self.tile == other.tile
            && self.x.abs_diff(other.x) <= distance
            && self.y.abs_diff(other.y) <= distance
    }
}

/// The number that some bytes begin with, if it has 32 bits at most.
fn leading_number(bytes: &[u8]) -> Option<u32> {
    bytes.first().filter(|byte| byte.is_ascii_digit())?;
    let mut digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    digits.try_fold(0_u32, |number, digit| {
        number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
    })
}

/// The number of optical duplicates among duplicates of one template with these positions: those that are near to each
/// other, directly or through others between them, come from one cluster of the flow cell, and all but one are duplicates.
/// Reads of different read groups are never optical duplicates of each other; `positions` are of one group each.
pub fn optical_duplicates(positions: &mut [FlowCellPosition], distance: u32) -> u64 {
    positions.sort_unstable();
    // Each position's cluster is that of its parent; a parent comes before or is the position itself.
    let mut parents: Vec<usize> = (0..positions.len()).collect();
    let mut clusters = positions.len();
    for later in 1..positions.len() {
        let (tile, x) = (positions[later].tile, positions[later].x);
        for earlier in (0..later).rev() {
            let other = positions[earlier];
            if other.tile != tile || other.x.abs_diff(x) > distance {
                break;
            }
            if other.is_near(positions[later], distance) {
                let (one, two) = (root(&mut parents, earlier), root(&mut parents, later));
                if one != two {
                    parents[one.max(two)] = one.min(two);
                    clusters -= 1;
                }
            }
        }
    }
    (positions.len() - clusters) as u64
}

/// The position that stands for a cluster.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_last_three_of_five_or_seven_fields() {
        let position = |tile, x, y| Some(FlowCellPosition { tile, x, y });
        let of = |name: &str| FlowCellPosition::of_name(name.as_bytes());
        assert_eq!(of("M1:4:FC:1:1101:15589:1332"), position(1101, 15_589, 1332));
        assert_eq!(of("HWI-1:6:73:941:1973#0/1"), position(73, 941, 1973));
        assert_eq!(of("a:b:4294967295:0:007x"), position(u32::MAX, 0, 7));
        for other in [
            "",
            "r1",
            "a:b:c:d:e",
            "1:2:3:4",
            "1:2:3:4:5:6",
            "a:1:2:3:4:5:x",
            "a:b:4294967296:1:2",
            "a:b:1:2:+3",
            "a:b:1::2",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        // The longest name.
        assert_eq!(of(&":".repeat(254)), None);
    }

    #[test]
    fn clusters_are_chains_of_near_positions() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..2000 {
            let count = random.usize(0..12);
            let mut positions: Vec<FlowCellPosition> = (0..count)
                .map(|_| FlowCellPosition {
                    tile: random.u32(1..3),
                    x: random.i32(0..30),
                    y: random.i32(0..30),
                })
                .collect();
            // Brute force: grow clusters until nothing changes.
            let mut labels: Vec<usize> = (0..count).collect();
            for _ in 0..count {
                for a in 0..count {
                    for b in 0..count {
                        if positions[a].is_near(positions[b], 5) {
                            labels[a] = labels[a].min(labels[b]);
                        }
                    }
                }
            }
            let clusters = (0..count).filter(|&number| labels[number] == number).count();
            let found = optical_duplicates(&mut positions, 5);
            assert_eq!(found, (count - clusters) as u64, "round {round}");
        }
    }
}
