//! Anchors: occurrences of seeds in the text.

use fm_index::FmIndex;

use crate::seed::seeds::Seed;

/// An occurrence of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Anchor {
    /// Number of the query: twice the read's, plus 1 for its reverse complement.
    pub query: u32,
    /// Position of its first base in the indexed text, from 0.
    pub position: u32,
    /// First base in the query, from 0.
    pub begin: u16,
    /// Number of its bases.
    pub length: u16,
}

impl Anchor {
    /// End in the query, exclusive.
    pub fn end(&self) -> u32 {
        u32::from(self.begin) + u32::from(self.length)
    }

    /// End in the indexed text, exclusive.
    pub fn position_end(&self) -> u32 {
        self.position + u32::from(self.length)
    }

    /// Diagonal: position in the text minus place in the query, which is where the query would begin without gaps.
    /// It is negative if that is before the text.
    pub fn diagonal(&self) -> i64 {
        i64::from(self.position) - i64::from(self.begin)
    }
}

/// Appends the occurrences of seeds: all of a seed that occurs at most `max_occurrences` times; of a more frequent one
/// as many, evenly spread over its suffix array interval.
pub fn locate(index: &FmIndex, seeds: &[Seed], max_occurrences: u32, anchors: &mut Vec<Anchor>) {
    // All rows are located in one call, which overlaps their memory accesses.
    let mut rows = Vec::new();
    let first_anchor = anchors.len();
    for &Seed { query, begin, length, first, size } in seeds {
        let mut push = |position| anchors.push(Anchor { query, position, begin, length });
        if size == 1 {
            push(first);
            continue;
        }
        for number in 0..size.min(max_occurrences) {
            let is_frequent = size > max_occurrences;
            let row = if is_frequent { spread(number, size, max_occurrences) } else { number };
            rows.push(first + row);
            push(UNKNOWN);
        }
    }
    index.locate_all(&mut rows);
    let unknown = anchors[first_anchor..].iter_mut().filter(|anchor| anchor.position == UNKNOWN);
    for (anchor, position) in unknown.zip(rows) {
        anchor.position = position;
    }
    // In an index that contradicts itself, words are found where they cannot be: behind the text.
    let bases = u64::from(index.rows() - 1);
    let is_inside =
        |anchor: &Anchor| u64::from(anchor.position) + u64::from(anchor.length) <= bases;
    if !anchors[first_anchor..].iter().all(is_inside) {
        anchors.retain(is_inside);
    }
}

/// Placeholder for a position until its row is located. No text has this position.
const UNKNOWN: u32 = u32::MAX;

/// The `number`th of `count` rows that are evenly spread over an interval of `size` rows, all from 0.
fn spread(number: u32, size: u32, count: u32) -> u32 {
    (u64::from(number) * u64::from(size) / u64::from(count)) as u32
}

/// Fraction, from 0 to 1, of a read of `length` bases that lies in seeds with more than `max_occurrences` occurrences,
/// in the orientation with more such bases. Seeds are in order. It lowers the mapping quality, as bwa's `frac_rep`
/// does.
pub fn repeat_fraction(seeds: &[Seed], length: u32, max_occurrences: u32) -> f32 {
    let mut covered = [0, 0];
    let mut ends = [0, 0];
    for seed in seeds.iter().filter(|seed| seed.size > max_occurrences) {
        let end = &mut ends[(seed.query % 2) as usize];
        let (begin, to) = (u32::from(seed.begin), u32::from(seed.begin + seed.length));
        covered[(seed.query % 2) as usize] += to.saturating_sub(begin.max(*end));
        *end = to.max(*end);
    }
    covered_fraction(covered[0].max(covered[1]), length)
}

/// `covered` bases as a fraction of a read of `length` bases; 0 for an empty read.
pub(crate) fn covered_fraction(covered: u32, length: u32) -> f32 {
    if length == 0 { 0.0 } else { covered as f32 / length as f32 }
}
