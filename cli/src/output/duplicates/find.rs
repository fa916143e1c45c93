//! Deciding which templates are duplicates, once all signatures are known.
//!
//! Signatures are sorted by library and ends. The later ends of pairs are sorted by themselves, so that a single read finds
//! whether a pair has its end; the earlier end of a pair begins its signature. A pair takes 80 bytes of memory, a single read
//! 64.

use rayon::prelude::*;

use super::flow_cell::{FlowCellPosition, optical_duplicates};
use super::signature::{Ends, ExaminedReads, FivePrimeEnd, Signature};

/// Signatures of all templates.
#[derive(Debug)]
pub struct Signatures {
    /// The library of each read group, by the group's number.
    libraries: Vec<u32>,
    entries: Vec<Entry>,
    /// The later end of each pair.
    later_ends: Vec<LibraryEnd>,
    examined: Vec<ExaminedReads>,
}

/// An end of a read of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LibraryEnd {
    library: u32,
    end: FivePrimeEnd,
}

/// A signature in the list that is sorted.
#[derive(Debug, Clone, Copy)]
struct Entry {
    template: u64,
    /// The earlier end of a pair, or that of a single read.
    end: FivePrimeEnd,
    /// `None` for a single read, so that it comes before pairs with its end.
    later: Option<FivePrimeEnd>,
    library: u32,
    group: u32,
    score: u32,
    is_first_reverse: bool,
    position: Option<FlowCellPosition>,
}

impl Entry {
    fn library_end(&self) -> LibraryEnd {
        LibraryEnd { library: self.library, end: self.end }
    }

    fn key(&self) -> (LibraryEnd, Option<FivePrimeEnd>, u64) {
        (self.library_end(), self.later, self.template)
    }
}

/// The duplicates among the templates of a run.
#[derive(Debug)]
pub struct Duplicates {
    /// A bit for each template.
    bits: Vec<u64>,
    /// The counts of each library.
    pub libraries: Vec<LibraryCounts>,
}

/// The counts of a library.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LibraryCounts {
    pub examined: ExaminedReads,
    /// Duplicates among reads without an aligned mate.
    pub unpaired_duplicates: u64,
    /// Duplicate pairs.
    pub pair_duplicates: u64,
    /// Duplicate pairs that are optical duplicates.
    pub optical_duplicates: u64,
}

impl Duplicates {
    /// Whether the template with this number in the input is a duplicate.
    pub fn contains(&self, template: u64) -> bool {
        let word = self.bits.get((template / 64) as usize).copied().unwrap_or(0);
        word >> (template % 64) & 1 == 1
    }
}

impl Signatures {
    /// No signatures yet, of reads whose groups are of these libraries.
    pub fn new(libraries: Vec<u32>) -> Self {
        let examined = libraries.iter().max().map_or(0, |&last| last as usize + 1);
        Self {
            libraries,
            entries: Vec::new(),
            later_ends: Vec::new(),
            examined: vec![ExaminedReads::default(); examined],
        }
    }

    /// Adds the signature of the template with this number in the input.
    pub fn add(&mut self, template: u64, signature: &Signature) {
        let &Signature { ends, group, score, is_first_reverse, position } = signature;
        let library = self.libraries[group as usize];
        let (end, later) = match ends {
            Ends::One(end) => (end, None),
            Ends::Both([earlier, later]) => (earlier, Some(later)),
        };
        self.later_ends.extend(later.map(|end| LibraryEnd { library, end }));
        let entry =
            Entry { template, end, later, library, group, score, is_first_reverse, position };
        self.entries.push(entry);
    }

    /// Adds counts of the reads of a group.
    pub fn count(&mut self, group: u32, counts: ExaminedReads) {
        let library = self.libraries[group as usize] as usize;
        let sum = &mut self.examined[library];
        sum.unpaired += counts.unpaired;
        sum.paired += counts.paired;
        sum.secondary_or_supplementary += counts.secondary_or_supplementary;
        sum.unmapped += counts.unmapped;
    }

    /// Decides which templates are duplicates. Pairs within `optical_distance` on the flow cell are optical duplicates.
    pub fn find(mut self, optical_distance: u32) -> Duplicates {
        self.entries.par_sort_unstable_by_key(Entry::key);
        self.later_ends.par_sort_unstable();
        let templates = self.entries.par_iter().map(|entry| entry.template + 1).max().unwrap_or(0);
        let counts = |&examined: &ExaminedReads| LibraryCounts { examined, ..Default::default() };
        let mut found = Duplicates {
            bits: vec![0; templates.div_ceil(64) as usize],
            libraries: self.examined.iter().map(counts).collect(),
        };
        let mut later_ends = self.later_ends.iter().peekable();
        for with_end in self.entries.chunk_by(|a, b| a.library_end() == b.library_end()) {
            let end = with_end[0].library_end();
            while later_ends.next_if(|&&later| later < end).is_some() {}
            // Single reads come before pairs.
            let is_end_of_pair = later_ends.peek() == Some(&&end)
                || with_end.last().is_some_and(|it| it.later.is_some());
            found.decide(with_end, is_end_of_pair, optical_distance);
        }
        found
    }
}

impl Duplicates {
    /// Decides about the templates of a library whose earlier end is the same, and which may be the end of a pair.
    fn decide(&mut self, with_end: &[Entry], is_end_of_pair: bool, optical_distance: u32) {
        for alike in with_end.chunk_by(|a, b| a.later == b.later) {
            let is_pair = alike[0].later.is_some();
            // The first of several that are best, since they are in the order of the input.
            let best = alike.iter().reduce(|a, b| if b.score > a.score { b } else { a });
            let best = best.filter(|_| is_pair || !is_end_of_pair).map(|best| best.template);
            let mut count = 0;
            for duplicate in alike.iter().filter(|it| best != Some(it.template)) {
                self.bits[(duplicate.template / 64) as usize] |= 1 << (duplicate.template % 64);
                count += 1;
            }
            let counts = &mut self.libraries[alike[0].library as usize];
            if !is_pair {
                counts.unpaired_duplicates += count;
            } else if count > 0 {
                counts.pair_duplicates += count;
                counts.optical_duplicates += optical(alike, optical_distance);
            }
        }
    }
}

/// The optical duplicates among pairs with one signature.
fn optical(pairs: &[Entry], distance: u32) -> u64 {
    if distance == 0 {
        return 0;
    }
    let mut located: Vec<((u32, bool), FlowCellPosition)> = pairs
        .iter()
        .filter_map(|it| Some(((it.group, it.is_first_reverse), it.position?)))
        .collect();
    located.sort_unstable();
    let of_kind = |alike: &[((u32, bool), FlowCellPosition)]| {
        let mut positions: Vec<FlowCellPosition> = alike.iter().map(|&(_, it)| it).collect();
        optical_duplicates(&mut positions, distance)
    };
    located.chunk_by(|a, b| a.0 == b.0).map(of_kind).sum()
}
