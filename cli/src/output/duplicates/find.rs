//! Deciding which templates are duplicates, once all signatures are known.
//!
//! Signatures lie in partitions by their library, UMI and earlier end, which are sorted one by one. With them lie the later ends of
//! pairs, by themselves, so that a single read finds whether a pair has its end; the earlier end of a pair begins its
//! signature. What memory does not hold lies in temporary files; a pair takes 72 bytes there, a single read 56.

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::flow_cell::{FlowCellPosition, optical_duplicates};
use super::partitions::{Partition, Partitions};
use super::sets::SetSizes;
use super::signature::{Ends, ExaminedReads, FivePrimeEnd, Signature};

/// The number of partitions: each has to fit into memory by itself.
const PARTITIONS: usize = 256;

/// The tile of templates without a position on the flow cell.
const NO_TILE: u32 = u32::MAX;

/// Signatures of all templates.
#[derive(Debug)]
pub struct Signatures {
    /// The library of each read group, by the group's number.
    libraries: Vec<u32>,
    entries: Partitions<Entry>,
    /// The later end of each pair.
    later_ends: Partitions<MoleculeEnd>,
    examined: Vec<ExaminedReads>,
    /// One more than the number of the last template.
    templates: u64,
}

/// An end of reads whose other copies of one molecule may have the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct MoleculeEnd {
    /// The number of the library; with UMIs, a hash of this number and the UMI.
    source: u64,
    end: FivePrimeEnd,
}

/// A signature in the list that is sorted.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Entry {
    /// The earlier end of a pair, or that of a single read.
    earlier: MoleculeEnd,
    /// [`FivePrimeEnd::NONE`] for a single read, so that it comes after pairs with its end.
    later: FivePrimeEnd,
    template: u64,
    group: u32,
    score: u32,
    /// Its tile is [`NO_TILE`] if it is not known.
    position: FlowCellPosition,
    is_first_reverse: u32,
}

impl Entry {
    fn is_pair(&self) -> bool {
        self.later != FivePrimeEnd::NONE
    }
}

impl MoleculeEnd {
    fn partition(&self) -> usize {
        (xxh3_64(bytemuck::bytes_of(self)) % PARTITIONS as u64) as usize
    }
}

/// The duplicates among the templates of a run.
#[derive(Debug)]
pub struct Duplicates {
    /// A bit for each template.
    bits: Vec<u64>,
    /// How many there are.
    pub counts: DuplicateCounts,
}

/// Counts of the duplicates of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct DuplicateCounts {
    /// The counts of each library.
    pub libraries: Vec<LibraryCounts>,
    /// Sizes of sets of duplicate pairs, of all libraries.
    pub sets: SetSizes,
}

/// The counts of a library.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LibraryCounts {
    pub examined: ExaminedReads,
    /// Duplicates among reads without an aligned mate.
    pub unpaired_duplicates: u64,
    /// Pairs that are duplicates.
    pub pair_duplicates: u64,
    /// Duplicate pairs that are optical duplicates.
    pub optical_duplicates: u64,
}

impl LibraryCounts {
    /// Reads that could be duplicates: all that are aligned.
    pub fn reads(&self) -> u64 {
        self.examined.unpaired + 2 * (self.examined.paired / 2)
    }

    /// Reads that are duplicates.
    pub fn duplicates(&self) -> u64 {
        self.unpaired_duplicates + 2 * self.pair_duplicates
    }
}

impl Duplicates {
    /// Whether the template with this number in the input is a duplicate.
    pub fn contains(&self, template: u64) -> bool {
        let word = self.bits.get((template / 64) as usize).copied().unwrap_or(0);
        word >> (template % 64) & 1 == 1
    }
}

impl Signatures {
    /// No signatures yet, of reads whose groups are of these libraries. They take `memory` bytes, and further ones lie in files
    /// in `folder`.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(libraries: Vec<u32>, memory: usize, folder: &Path) -> io::Result<Self> {
        let examined = libraries.iter().max().map_or(0, |&last| last as usize + 1);
        Ok(Self {
            libraries,
            // Nearly all templates are pairs.
            entries: Partitions::new(PARTITIONS, memory / 4 * 3, folder)?,
            later_ends: Partitions::new(PARTITIONS, memory / 4, folder)?,
            examined: vec![ExaminedReads::default(); examined],
            templates: 0,
        })
    }

    /// Adds the signature of the template with this number in the input.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, template: u64, signature: &Signature) -> io::Result<()> {
        let &Signature { ends, group, score, is_first_reverse, position, umi } = signature;
        let library = u64::from(self.libraries[group as usize]);
        let source = umi.map_or(library, |umi| xxh3_64_with_seed(&umi.to_le_bytes(), library));
        let (end, later) = match ends {
            Ends::One(end) => (end, FivePrimeEnd::NONE),
            Ends::Both([earlier, later]) => (earlier, later),
        };
        let earlier = MoleculeEnd { source, end };
        let unknown = FlowCellPosition { tile: NO_TILE, x: 0, y: 0 };
        let position = position.unwrap_or(unknown);
        let is_first_reverse = is_first_reverse.into();
        let entry = Entry { earlier, later, template, group, score, position, is_first_reverse };
        self.templates = self.templates.max(template + 1);
        if entry.is_pair() {
            let later = MoleculeEnd { source, end: later };
            self.later_ends.push(later.partition(), later)?;
        }
        self.entries.push(earlier.partition(), entry)
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
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn find(self, optical_distance: u32) -> io::Result<Duplicates> {
        let counts = |&examined: &ExaminedReads| LibraryCounts { examined, ..Default::default() };
        let mut all = Duplicates {
            bits: vec![0; self.templates.div_ceil(64) as usize],
            counts: DuplicateCounts {
                libraries: self.examined.iter().map(counts).collect(),
                sets: SetSizes::default(),
            },
        };
        let Self { libraries, entries, later_ends, .. } = self;
        let (entries, entry_file) = entries.into_all();
        let (later_ends, end_file) = later_ends.into_all();
        let find_in = |(entries, later_ends): (Partition<Entry>, Partition<MoleculeEnd>)| {
            let (entries, later_ends) = (entries.items(&entry_file)?, later_ends.items(&end_file)?);
            Ok(FoundDuplicates::among(entries, later_ends, &libraries, optical_distance))
        };
        // A thread has a partition at a time, a small part of what memory cannot hold.
        let of_partitions: Vec<FoundDuplicates> =
            entries.into_par_iter().zip(later_ends).map(find_in).collect::<io::Result<_>>()?;
        for found in of_partitions {
            for template in found.templates {
                all.bits[(template / 64) as usize] |= 1 << (template % 64);
            }
            all.counts.sets.add_all(&found.counts.sets);
            for (sum, counts) in all.counts.libraries.iter_mut().zip(found.counts.libraries) {
                sum.unpaired_duplicates += counts.unpaired_duplicates;
                sum.pair_duplicates += counts.pair_duplicates;
                sum.optical_duplicates += counts.optical_duplicates;
            }
        }
        Ok(all)
    }
}

/// The duplicates of a partition.
struct FoundDuplicates {
    templates: Vec<u64>,
    /// Their counts, without those of reads.
    counts: DuplicateCounts,
}

impl FoundDuplicates {
    /// Decides about the templates of a partition with these signatures and later ends. `libraries` has the library of each read group.
    fn among(
        mut entries: Vec<Entry>,
        mut later_ends: Vec<MoleculeEnd>,
        libraries: &[u32],
        optical_distance: u32,
    ) -> Self {
        entries.sort_unstable_by_key(|it| (it.earlier, it.later, it.template));
        later_ends.sort_unstable();
        let mut later_ends = later_ends.iter().peekable();
        let count = libraries.iter().max().map_or(0, |&last| last as usize + 1);
        let counts = DuplicateCounts {
            libraries: vec![LibraryCounts::default(); count],
            sets: SetSizes::default(),
        };
        let mut found = Self { templates: Vec::new(), counts };
        for with_end in entries.chunk_by(|a, b| a.earlier == b.earlier) {
            let end = with_end[0].earlier;
            while later_ends.next_if(|&&later| later < end).is_some() {}
            // Single reads come after pairs.
            let is_end_of_pair = later_ends.peek() == Some(&&end) || with_end[0].is_pair();
            let library = libraries[with_end[0].group as usize] as usize;
            found.decide(library, with_end, is_end_of_pair, optical_distance);
        }
        found
    }

    /// Decides about the templates of a library whose earlier end is the same, and which may be the end of a pair.
    fn decide(
        &mut self,
        library: usize,
        with_end: &[Entry],
        is_end_of_pair: bool,
        optical_distance: u32,
    ) {
        for alike in with_end.chunk_by(|a, b| a.later == b.later) {
            let is_pair = alike[0].is_pair();
            // Of several with the best score, Picard keeps the first on the flow cell, and then in the input.
            let best = alike.iter().min_by_key(|it| (Reverse(it.score), it.position, it.template));
            let best = best.filter(|_| is_pair || !is_end_of_pair).map(|best| best.template);
            let before = self.templates.len();
            let templates = alike.iter().map(|it| it.template);
            self.templates.extend(templates.filter(|&it| best != Some(it)));
            let count = (self.templates.len() - before) as u64;
            let DuplicateCounts { libraries, sets } = &mut self.counts;
            let counts = &mut libraries[library];
            if is_pair {
                let optical = if count > 0 { optical(alike, optical_distance) } else { 0 };
                counts.pair_duplicates += count;
                counts.optical_duplicates += optical;
                sets.add(alike.len() as u64, optical);
            } else {
                counts.unpaired_duplicates += count;
            }
        }
    }
}

/// The optical duplicates among pairs with one signature.
fn optical(pairs: &[Entry], distance: u32) -> u64 {
    if distance == 0 {
        return 0;
    }
    let kind = |it: &Entry| (it.group, it.is_first_reverse);
    let mut located: Vec<Entry> =
        pairs.iter().filter(|it| it.position.tile != NO_TILE).copied().collect();
    located.sort_unstable_by_key(kind);
    let of_kind = |alike: &[Entry]| {
        let mut positions: Vec<FlowCellPosition> = alike.iter().map(|it| it.position).collect();
        optical_duplicates(&mut positions, distance)
    };
    located.chunk_by(|a, b| kind(a) == kind(b)).map(of_kind).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, by comparing all templates with all others: whether each is a duplicate.
    fn by_definition(signatures: &[Signature], libraries: &[u32]) -> Vec<bool> {
        let library = |it: &Signature| libraries[it.group as usize];
        let ends = |it: &Signature| match it.ends {
            Ends::One(end) => vec![end],
            Ends::Both(ends) => ends.to_vec(),
        };
        let is_duplicate = |(number, it): (usize, &Signature)| {
            let of_source = |b: &Signature| (library(b), b.umi);
            let same_source =
                signatures.iter().enumerate().filter(|(_, b)| of_source(b) == of_source(it));
            let mut others = same_source.filter(|&(other, _)| other != number);
            others.any(|(other, b)| {
                let is_better = (b.score, Reverse((b.position, other)))
                    > (it.score, Reverse((it.position, number)));
                match (it.ends, b.ends) {
                    (Ends::One(end), Ends::Both(_)) => ends(b).contains(&end),
                    (mine, theirs) => mine == theirs && is_better,
                }
            })
        };
        signatures.iter().enumerate().map(is_duplicate).collect()
    }

    #[test]
    fn duplicates_are_those_of_the_definition_whatever_the_memory() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let end = |random: &mut fastrand::Rng| {
                FivePrimeEnd::new(random.u32(0..2), random.i64(-1..4), random.bool())
            };
            let signature = |random: &mut fastrand::Rng| {
                let (one, two) = (end(random), end(random));
                let ends = if random.bool() {
                    Ends::One(one)
                } else {
                    Ends::Both([one.min(two), one.max(two)])
                };
                let (group, score) = (random.u32(0..3), random.u32(0..4));
                let (tile, x, y) = (random.u32(0..2), random.i32(0..3), random.i32(0..3));
                let position = (seed % 2 == 0).then_some(FlowCellPosition { tile, x, y });
                let umi = (seed % 3 == 0).then(|| random.u64(0..2));
                Signature { ends, group, score, is_first_reverse: false, position, umi }
            };
            let signatures: Vec<Signature> = (0..300).map(|_| signature(&mut random)).collect();
            let libraries = vec![0, 1, 0];
            let expected = by_definition(&signatures, &libraries);
            for memory in [1, 4000, 1 << 20] {
                let folder = std::env::temp_dir();
                let mut all = Signatures::new(libraries.clone(), memory, &folder).expect("files");
                for (signature, number) in signatures.iter().zip(0..) {
                    all.add(number, signature).expect("is held");
                }
                let found = all.find(100).expect("reads");
                let found: Vec<bool> = (0..300).map(|number| found.contains(number)).collect();
                assert_eq!(found, expected, "seed {seed}, memory {memory}");
            }
        }
    }
}
