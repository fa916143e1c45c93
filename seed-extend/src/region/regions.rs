//! Regions: alignments of reads to the text, with how they compare to the other regions of their read.
//!
//! The name and the idea are `bwa`'s (`mem_alnreg_t`).

use std::num::NonZeroU32;

use aligner_core::buffer_pool::Pooled;
use aligner_core::cigar::CigarRun;

use crate::read::queries::{READS_PER_TASK, is_reverse};
use crate::region::lists::Lists;

/// The number of a region among those of its read, from 0. `Option` of it takes no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionNumber(
    /// The number and 1.
    NonZeroU32,
);

impl RegionNumber {
    /// The number of the region at this place.
    ///
    /// # Panics
    /// If it is 2^32 - 1 or more. No read has so many regions.
    pub const fn new(number: usize) -> Self {
        assert!(number < u32::MAX as usize, "a read has fewer regions");
        Self(NonZeroU32::MIN.saturating_add(number as u32))
    }

    /// The number, as an index.
    pub const fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// An alignment of a read to the text, and how it compares to the read's other regions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Region {
    /// Number of the query that is aligned: twice the read's, plus 1 for its reverse complement.
    pub query: u32,
    /// Number of the segment of the text that it lies in.
    pub segment: u32,
    /// The best score of any stretch of its columns. Clipped ends cost nothing here, so an end that was aligned only
    /// to reach the end of the read does not count against the region.
    pub score: i32,
    /// First aligned base of the query, from 0.
    pub query_begin: u32,
    /// End of the aligned bases of the query, exclusive.
    pub query_end: u32,
    /// First aligned position of the indexed text, from 0.
    pub begin: u32,
    /// End of the aligned positions, exclusive.
    pub end: u32,
    /// Number of its first CIGAR run, if it has any, among those of the alignments of its batch, which those of its chunk of reads
    /// follow; see [`Regions::runs`].
    pub first_run: u64,
    /// Number of its CIGAR runs; 0 if it is not [compared](Self::is_compared).
    pub run_count: u32,
    /// Whether something predicted it: it goes through a seed of its chain, or lies where its mate says. An alignment
    /// that a band held by chance, beside the chain, is not: other copies like it have no chains either and stay
    /// unseen, so it is never trusted (mapping quality 0).
    pub is_supported: bool,
    /// Whether it lies on an ALT contig. bwa's `is_alt`.
    pub is_alt: bool,
    /// Best score of the regions that are [secondary to](Self::secondary_to) this one; 0 if there is none. bwa's
    /// `sub`.
    pub second_best_score: i32,
    /// Number of those regions that score nearly as much as this one. bwa's `sub_n`.
    pub second_best_count: u32,
    /// Number of the better region that shares much of the read with this one, if there is one; of a region on the
    /// primary assembly also a region there. bwa's `secondary`.
    pub secondary_to: Option<RegionNumber>,
    /// As [`secondary_to`](Self::secondary_to), but the better region may always lie on an ALT contig. It is the region
    /// that this one is an alternative of in the tag `XA`. bwa's `secondary_all`.
    pub alternative_to: Option<RegionNumber>,
    /// Score of that region if it lies on an ALT contig and this one does not, else 0. bwa's `alt_sc`.
    pub alt_score: i32,
}

// Regions are read in each step from ranking on.
const _: () = assert!(size_of::<Region>() <= 64, "a region fits into a line of the cache");

impl Region {
    /// First base and exclusive end of the region in the read as sequenced, which has `length` bases.
    pub fn in_read(&self, length: u32) -> (u32, u32) {
        if is_reverse(self.query) {
            (length - self.query_end, length - self.query_begin)
        } else {
            (self.query_begin, self.query_end)
        }
    }

    /// Whether its bases were compared with the text one by one. Those of a region that is made of an outscored chain
    /// ([`outscored`](crate::chain::outscored)) were not: they lie opposite the text without gaps, and nothing tells which of them
    /// are equal. It may be reported, mostly as the shorter part of a split read: [`Mapper::runs`](crate::Mapper::runs) has the
    /// runs of all regions.
    pub fn is_compared(&self) -> bool {
        self.run_count > 0
    }

    /// Position of the first aligned base of the read as sequenced: its 5' end.
    pub fn five_prime(&self) -> i64 {
        if is_reverse(self.query) { i64::from(self.end) - 1 } else { self.begin.into() }
    }

    /// Aligned bases of the query or of the text, whichever are more.
    pub fn length(&self) -> u32 {
        (self.query_end - self.query_begin).max(self.end - self.begin)
    }
}

/// Regions of a batch of reads and their CIGAR runs, in chunks of reads, so that many threads can make them.
#[derive(Debug, Clone, Default)]
pub struct Regions {
    /// Chunks of [`READS_PER_TASK`] reads each; the last one may have fewer.
    pub(crate) chunks: Vec<RegionChunk>,
    /// CIGAR runs of the regions that are alignments of chains.
    pub(crate) aligned_runs: Pooled<Vec<CigarRun>>,
}

/// Regions of consecutive reads, and the CIGAR runs of these regions.
#[derive(Debug, Clone, Default)]
pub(crate) struct RegionChunk {
    /// The regions of each read.
    pub(crate) of_reads: Lists<Region>,
    /// CIGAR runs of the regions that needed no alignment and are [compared](Region::is_compared), and of rescued mates.
    pub(crate) runs: Vec<CigarRun>,
}

impl RegionChunk {
    /// No regions, with room for those of so many reads.
    pub(crate) fn with_capacity(reads: usize, regions: usize) -> Self {
        Self { of_reads: Lists::with_capacity(reads, regions), runs: Vec::new() }
    }
}

impl Regions {
    /// The number of regions of all reads.
    pub fn count(&self) -> usize {
        self.chunks.iter().flat_map(|chunk| chunk.of_reads.iter()).map(<[Region]>::len).sum()
    }

    /// The regions of a read.
    pub fn of(&self, read: usize) -> &[Region] {
        self.chunks[read / READS_PER_TASK].of_reads.get(read % READS_PER_TASK)
    }

    /// The CIGAR runs of a region, along the forward strand of the text; none if it is not [compared](Region::is_compared).
    pub fn runs(&self, region: &Region) -> &[CigarRun] {
        let (first, count) = (region.first_run as usize, region.run_count as usize);
        match first.checked_sub(self.aligned_runs.len()) {
            None => &self.aligned_runs[first..][..count],
            Some(first) => {
                let chunk = &self.chunks[region.query as usize / 2 / READS_PER_TASK];
                &chunk.runs[first..][..count]
            }
        }
    }
}

/// Bases of the text under the longest of some regions.
fn longest(regions: &[Region]) -> u32 {
    regions.iter().map(|region| region.end - region.begin).max().unwrap_or_default()
}

/// Whether two regions, of which the second begins no earlier, lie on different strands or segments, or too far apart to overlap if
/// none is longer than `longest`.
fn are_apart(first: &Region, second: &Region, longest: u32) -> bool {
    let is_elsewhere = first.query != second.query || first.segment != second.segment;
    is_elsewhere || first.begin + longest < second.begin
}

/// Whether each of the first `count` regions is apart from all others, so that [`deduplicate`] neither removes nor changes one of
/// them or for one of them.
pub(crate) fn are_first_apart(regions: &[Region], count: usize) -> bool {
    let longest = longest(regions);
    (0..count).all(|number| {
        let one = &regions[number];
        regions[number + 1..].iter().all(|other| {
            let (first, second) =
                if one.begin <= other.begin { (one, other) } else { (other, one) };
            are_apart(first, second, longest)
        })
    })
}

/// Removes the worse of any two regions of one read that are nearly the same alignment: on one strand, and with more
/// than 95% of the shorter in common in query and text, or with a common end. After bwa's `mem_sort_dedup_patch`.
pub fn deduplicate(regions: &mut Vec<Region>, memory: &mut RegionMemory) {
    /// Fraction of the shorter of two regions that they have in common if they are nearly the same. bwa's
    /// `mask_level_redun`.
    const SHARED: f32 = 0.95;
    /// In place of the score of a region that is removed.
    const REMOVED: i32 = i32::MIN;
    /// Bits of a strand and a position.
    const PLACE_BITS: u32 = 1 + u32::BITS;
    if regions.len() < 2 {
        return;
    }
    // Many reads have two regions, at two loci.
    if regions.len() == 2 && are_first_apart(regions, 1) {
        return;
    }
    let longest = longest(regions);
    let are_apart = |first: &Region, second: &Region| are_apart(first, second, longest);
    // A position tells the segment.
    let place = |region: &Region| {
        let strand = u64::from(is_reverse(region.query));
        strand << u32::BITS | u64::from(region.begin)
    };
    let first_bits = |region: &Region| place(region) << (u64::BITS - PLACE_BITS);
    let RegionMemory { order, kept, .. } = memory;
    order.set(regions, first_bits, |region| (place(region), region.end));
    kept.clear();
    for number in order.numbers() {
        // A region that is apart from the one that was kept last, as most are, is apart from all.
        if kept.last().is_none_or(|&other| are_apart(&regions[other], &regions[number])) {
            kept.push(number);
            continue;
        }
        let mut region = regions[number];
        let mut is_better = false;
        for &other in kept.iter().rev() {
            let other = &mut regions[other];
            if are_apart(other, &region) {
                break;
            }
            let shared = |begin: u32, end: u32, other_begin: u32, other_end: u32| {
                let shared = end.min(other_end).saturating_sub(begin.max(other_begin));
                shared as f32 > SHARED * (end - begin).min(other_end - other_begin) as f32
            };
            let in_text = shared(region.begin, region.end, other.begin, other.end);
            let in_query =
                shared(region.query_begin, region.query_end, other.query_begin, other.query_end);
            let is_exact = (region.begin, region.query_begin) == (other.begin, other.query_begin)
                || (region.end, region.query_end) == (other.end, other.query_end);
            if in_text && in_query || is_exact {
                let is_supported = region.is_supported || other.is_supported;
                (region.is_supported, other.is_supported) = (is_supported, is_supported);
                if other.score >= region.score {
                    region.score = REMOVED;
                    break;
                }
                other.score = REMOVED;
                is_better = true;
            }
        }
        if is_better {
            kept.retain(|&number| regions[number].score != REMOVED);
        }
        if region.score != REMOVED {
            kept.push(number);
        }
        regions[number] = region;
    }
    if kept.len() < regions.len() {
        regions.retain(|region| region.score != REMOVED);
    }
}

/// Memory for comparing the regions of a read, used again for the next one.
#[derive(Debug, Default)]
pub struct RegionMemory {
    pub(crate) order: RegionOrder,
    /// The numbers of the regions that are not removed.
    kept: Vec<usize>,
    /// The regions before they are sorted.
    pub(crate) unsorted: Vec<Region>,
}

/// An order of the regions of a read.
#[derive(Debug, Default)]
pub(crate) struct RegionOrder {
    /// For each region the first bits of its key, and in the lowest bits its number, in order.
    entries: Vec<u64>,
}

impl RegionOrder {
    /// Sorts the numbers of regions by their keys; regions with equal keys stay in the order of their numbers. `first_bits` must not
    /// decrease as the key increases. Its lowest bits give way to the number of the region, and only regions that agree in the other
    /// bits are compared by `key`.
    pub(crate) fn set<K: Ord>(
        &mut self,
        regions: &[Region],
        first_bits: impl Fn(&Region) -> u64,
        key: impl Fn(&Region) -> K,
    ) {
        let bits = number_bits(regions.len());
        let with_number = |(number, region)| first_bits(region) >> bits << bits | number as u64;
        self.entries.clear();
        self.entries.extend(regions.iter().enumerate().map(with_number));
        self.entries.sort_unstable();
        for same in self.entries.chunk_by_mut(|one, other| one >> bits == other >> bits) {
            if same.len() > 1 {
                same.sort_by_key(|&entry| key(&regions[number_of(entry, bits)]));
            }
        }
    }

    /// The numbers of the regions in this order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        let bits = number_bits(self.entries.len());
        self.entries.iter().map(move |&entry| number_of(entry, bits))
    }
}

/// How many of the lowest bits of an entry of a [`RegionOrder`] hold the number of one of so many regions.
fn number_bits(regions: usize) -> u32 {
    usize::BITS - regions.leading_zeros()
}

/// The number in the lowest bits of an entry.
fn number_of(entry: u64, bits: u32) -> usize {
    (entry & ((1 << bits) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_keys_whatever_their_first_bits_tell() {
        let mut order = RegionOrder::default();
        for seed in 0..1000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let count = *random.choice(&[0, 1, 2, 3, 63, 64, 65, 300]).expect("one");
            // Keys of which few, or many, agree in the highest bits; of some bits, the first ones do not tell.
            let (varied, told) = (random.u32(1..=64), random.u32(0..=64));
            let any = |_| {
                let key = random.u64(..) >> (64 - varied) ^ u64::from(random.u8(..3)) << 62;
                Region { begin: (key >> 32) as u32, end: key as u32, ..Region::default() }
            };
            let regions: Vec<Region> = (0..count).map(any).collect();
            let key = |it: &Region| u64::from(it.begin) << 32 | u64::from(it.end);
            let untold = u64::MAX.checked_shr(told).unwrap_or_default();
            order.set(&regions, |it| key(it) & !untold, key);
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|&number| key(&regions[number]));
            assert!(order.numbers().eq(expected), "seed {seed}");
        }
    }

    /// As [`deduplicate`], by comparing each region with all before it that are kept, however far away.
    fn deduplicated(mut regions: Vec<Region>) -> Vec<Region> {
        let mut order: Vec<usize> = (0..regions.len()).collect();
        let key = |it: &Region| (it.query, it.begin, it.end);
        order.sort_by_key(|&number| key(&regions[number]));
        let mut kept: Vec<usize> = Vec::new();
        for number in order {
            let mut is_kept = true;
            for other in kept.clone().into_iter().rev() {
                let both = [regions[number], regions[other]];
                let shared = |[one, two]: [(u32, u32); 2]| {
                    let shared = one.1.min(two.1).saturating_sub(one.0.max(two.0));
                    shared as f32 > 0.95 * (one.1 - one.0).min(two.1 - two.0) as f32
                };
                let text = both.map(|it| (it.begin, it.end));
                let query = both.map(|it| (it.query_begin, it.query_end));
                let begins = [0, 1].map(|end| (text[end].0, query[end].0));
                let ends = [0, 1].map(|end| (text[end].1, query[end].1));
                let is_exact = begins[0] == begins[1] || ends[0] == ends[1];
                let [one, two] = both;
                let is_near = (one.query, one.segment) == (two.query, two.segment);
                if !is_near || !(is_exact || shared(text) && shared(query)) {
                    continue;
                }
                let is_supported = one.is_supported || two.is_supported;
                regions[number].is_supported = is_supported;
                regions[other].is_supported = is_supported;
                if two.score >= one.score {
                    is_kept = false;
                    break;
                }
                kept.retain(|&it| it != other);
            }
            if is_kept {
                kept.push(number);
            }
        }
        kept.sort_unstable();
        kept.into_iter().map(|number| regions[number]).collect()
    }

    #[test]
    fn regions_far_from_each_other_need_no_comparison() {
        /// Where one segment ends and the next one begins.
        const BORDER: u32 = 20_000;
        let mut memory = RegionMemory::default();
        for seed in 0..3000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (count, places, spread) = (random.usize(..60), random.u32(1..8), random.u32(1..60));
            let any = |_| {
                let begin = random.u32(..places) * 5000 + random.u32(..spread);
                let query_begin = random.u32(..3);
                let length = if random.u8(..9) == 0 { 4000 } else { random.u32(90..=102) };
                Region {
                    query: random.u32(..2),
                    segment: u32::from(begin >= BORDER),
                    score: random.i32(1..4),
                    query_begin,
                    query_end: query_begin + length,
                    begin,
                    end: begin + length + random.u32(..3),
                    is_supported: random.bool(),
                    ..Region::default()
                }
            };
            let all: Vec<Region> = (0..count).map(any).collect();
            let mut found = all.clone();
            deduplicate(&mut found, &mut memory);
            assert_eq!(found, deduplicated(all), "seed {seed}");
        }
    }
}
