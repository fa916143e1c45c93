//! Occurrences of seeds in the text.

use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;

use crate::seeds::Seed;

/// An occurrence of a seed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
pub struct Anchor {
    /// Number of the query.
    pub query: u32,
    /// Position of its first base in the indexed text, from 0.
    pub position: u32,
    /// First base in the query, from 0.
    pub begin: u16,
    /// Bases.
    pub length: u16,
}

impl Anchor {
    /// Behind it, in the query.
    pub fn end(&self) -> u32 {
        u32::from(self.begin) + u32::from(self.length)
    }

    /// Behind it, in the indexed text.
    pub fn position_end(&self) -> u32 {
        self.position + u32::from(self.length)
    }

    /// Where the query would begin without gaps; before the text it is negative.
    pub fn diagonal(&self) -> i64 {
        i64::from(self.position) - i64::from(self.begin)
    }
}

/// Appends occurrences of seeds: all of them up to `most`; of a more frequent one as many, evenly spread
/// over its rows.
pub fn locate(index: &FmIndex, seeds: &[Seed], most: u32, anchors: &mut Vec<Anchor>) {
    // Rows are located together.
    let mut rows = Vec::new();
    let first = anchors.len();
    for &Seed { query, begin, length, first, size } in seeds {
        let mut push = |position| anchors.push(Anchor { query, position, begin, length });
        if size == 1 {
            push(first);
            continue;
        }
        for number in 0..size.min(most) {
            let row = if size > most { spread(number, size, most) } else { number };
            rows.push(first + row);
            push(UNKNOWN);
        }
    }
    index.locate_all(&mut rows);
    let unknown = anchors[first..].iter_mut().filter(|anchor| anchor.position == UNKNOWN);
    for (anchor, position) in unknown.zip(rows) {
        anchor.position = position;
    }
}

/// In place of a position that is not known yet; none is as great.
const UNKNOWN: u32 = u32::MAX;

/// The `number`th of `most` rows that are spread over `size`.
fn spread(number: u32, size: u32, most: u32) -> u32 {
    (u64::from(number) * u64::from(size) / u64::from(most)) as u32
}

/// The share of a read of `length` bases that is in seeds which occur more than `most` times, in the
/// orientation that has more of them. Seeds are in order.
pub fn repeats(seeds: &[Seed], length: u32, most: u32) -> f32 {
    let mut covered = [0, 0];
    let mut ends = [0, 0];
    for seed in seeds.iter().filter(|seed| seed.size > most) {
        let end = &mut ends[(seed.query % 2) as usize];
        let (begin, to) = (u32::from(seed.begin), u32::from(seed.begin + seed.length));
        covered[(seed.query % 2) as usize] += to.saturating_sub(begin.max(*end));
        *end = to.max(*end);
    }
    share(covered[0].max(covered[1]), length)
}

/// The share that `covered` bases are of a read's.
pub(crate) fn share(covered: u32, length: u32) -> f32 {
    if length == 0 { 0.0 } else { covered as f32 / length as f32 }
}
