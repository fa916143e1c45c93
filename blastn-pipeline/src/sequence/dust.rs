//! Masking of low-complexity regions with symmetric DUST (Morgulis et al., J. Comput. Biol. 13, 2006).
//!
//! The score of an interval with `l` triplets is the number of pairs of equal triplets, divided by `l - 1`.
//! An interval is *perfect* if it scores above the level and no part of it scores more. All perfect
//! intervals that fit into a window are masked.
//!
//! The window moves along the sequence base by base. Its longest suffix in which no triplet is very frequent has no
//! perfect interval, so only longer suffixes are examined. As in NCBI's `symdust.cpp`, on which the results depend.
//!
//! Letters other than A, C, G and T count as A, except for N: each N counts as a random base, so that runs of N are no
//! low complexity. Words with ambiguous letters are not looked up, masked or not, but the bases beside a run of N are
//! masked or not by the bases that it stands for. So the sequence of random bases (`RandomBases`) is NCBI's.

use std::collections::VecDeque;
use std::ops::Range;

use rayon::prelude::*;

use crate::sequence::alphabet::ANY;

/// Letters of a piece of a long sequence. Pieces overlap by a window, so that each perfect interval lies in one.
const PIECE: usize = 1 << 16;

/// Settings of DUST, with the defaults of NCBI's blastn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dust {
    /// Level: ten times the score above which an interval is masked, 2 to 64.
    pub level: u32,
    /// Greatest number of bases of an interval, 8 to 64.
    pub window: usize,
    /// Linker: masked intervals become one if the next begins at most this many bases behind the last base of the one
    /// before, 1 to 32.
    pub linker: usize,
}

impl Default for Dust {
    fn default() -> Self {
        Self { level: 20, window: 64, linker: 1 }
    }
}

/// A perfect interval of a window: its first and last base, and its score as a fraction of `pairs` and `triplets`.
#[derive(Debug, Clone, Copy)]
struct PerfectInterval {
    first: usize,
    last: usize,
    pairs: u64,
    triplets: u64,
}

/// Numbers of each triplet in an interval, and of pairs of equal triplets.
#[derive(Clone)]
struct TripletCounts {
    counts: [u32; 64],
    pairs: u64,
}

impl TripletCounts {
    fn new() -> Self {
        Self { counts: [0; 64], pairs: 0 }
    }

    fn add(&mut self, triplet: u8) {
        let count = &mut self.counts[usize::from(triplet)];
        self.pairs += u64::from(*count);
        *count += 1;
    }

    fn remove(&mut self, triplet: u8) {
        let count = &mut self.counts[usize::from(triplet)];
        *count -= 1;
        self.pairs -= u64::from(*count);
    }
}

/// The window that moves along the sequence.
struct TripletWindow {
    /// Triplets of the window, the latest first.
    triplets: VecDeque<u8>,
    /// Position of the first triplet.
    start: usize,
    /// Position behind the last triplet.
    stop: usize,
    /// Position of the longest suffix in which no triplet is frequent enough for a perfect interval.
    suffix: usize,
    /// Triplets of the whole window.
    all: TripletCounts,
    /// Triplets of the suffix.
    of_suffix: TripletCounts,
    /// Number of different triplets in the window.
    different: usize,
    /// Perfect intervals that may still grow, the latest start first.
    perfect: Vec<PerfectInterval>,
    settings: Dust,
}

impl TripletWindow {
    fn new(settings: Dust) -> Self {
        Self {
            triplets: VecDeque::new(),
            start: 0,
            stop: 0,
            suffix: 0,
            all: TripletCounts::new(),
            of_suffix: TripletCounts::new(),
            different: 0,
            perfect: Vec::new(),
            settings,
        }
    }

    fn capacity(&self) -> usize {
        self.settings.window - 2
    }

    fn drop_oldest(&mut self) -> Option<u8> {
        let triplet = self.triplets.pop_back()?;
        self.all.remove(triplet);
        self.different -= usize::from(self.all.counts[usize::from(triplet)] == 0);
        self.start += 1;
        Some(triplet)
    }

    fn add(&mut self, triplet: u8) {
        self.triplets.push_front(triplet);
        self.different += usize::from(self.all.counts[usize::from(triplet)] == 0);
        self.all.add(triplet);
        self.stop += 1;
    }

    /// Moves the window by the next triplet, and tells whether it has more than one kind of triplet. If it has one
    /// kind alone, the whole window is a perfect interval.
    fn shift(&mut self, triplet: u8) -> bool {
        let full = self.triplets.len() >= self.capacity();
        if full && self.different <= 1 {
            self.drop_oldest();
            self.add(triplet);
            if self.different <= 1 {
                self.note_whole();
                return false;
            }
            return true;
        }
        if full {
            let at_start = self.suffix == self.start;
            if let Some(oldest) = self.drop_oldest()
                && at_start
            {
                self.suffix += 1;
                self.of_suffix.remove(oldest);
            }
        }
        self.add(triplet);
        self.of_suffix.add(triplet);
        if self.of_suffix.counts[usize::from(triplet)] > self.settings.level / 5 {
            // The suffix loses all triplets up to the first one equal to the new one.
            loop {
                let oldest = self.triplets[self.stop - self.suffix - 1];
                self.of_suffix.remove(oldest);
                self.suffix += 1;
                if oldest == triplet {
                    break;
                }
            }
        }
        if self.triplets.len() >= self.capacity() && self.different <= 1 {
            self.perfect.clear();
            self.note_whole();
            return false;
        }
        true
    }

    /// Adds the whole window as a perfect interval.
    fn note_whole(&mut self) {
        let whole =
            PerfectInterval { first: self.start, last: self.stop + 1, pairs: 0, triplets: 0 };
        self.perfect.insert(0, whole);
    }

    /// The number that ten times the pairs of an interval must exceed, if `following` triplets follow its first one.
    fn threshold(&self, following: u64) -> u64 {
        (following * u64::from(self.settings.level)).max(1)
    }

    /// Whether the whole window has enough pairs for any part of it to score above the level.
    fn may_have_perfect(&self) -> bool {
        let following = self.stop - self.suffix;
        following < self.triplets.len() && self.all.pairs * 10 > self.threshold(following as u64)
    }

    /// Adds the perfect intervals that end with the window.
    fn find_perfect(&mut self) {
        let mut counts = self.of_suffix.clone();
        let mut known = 0;
        let mut best: Option<(u64, u64)> = None;
        for index in self.stop - self.suffix..self.triplets.len() {
            let (triplet, before) = (self.triplets[index], index as u64);
            let seen = counts.counts[usize::from(triplet)] > 0;
            counts.add(triplet);
            if !seen || counts.pairs * 10 <= self.threshold(before) {
                continue;
            }
            let first = self.stop - 1 - index;
            while let Some(one) = self.perfect.get(known)
                && first <= one.first
            {
                if best.is_none_or(|(pairs, triplets)| triplets * one.pairs > pairs * one.triplets)
                {
                    best = (one.pairs > 0).then_some((one.pairs, one.triplets)).or(best);
                }
                known += 1;
            }
            if best.is_none_or(|(pairs, triplets)| counts.pairs * triplets >= pairs * before) {
                best = Some((counts.pairs, before));
                let last = self.stop + 1;
                self.perfect.insert(
                    known,
                    PerfectInterval { first, last, pairs: counts.pairs, triplets: before },
                );
            }
        }
    }
}

impl Dust {
    /// The masked ranges of a sequence, ascending and apart from each other. Pieces of a long sequence are masked on the current
    /// rayon pool.
    pub fn mask(&self, letters: &[u8]) -> Vec<Range<u32>> {
        self.mask_in_pieces(letters, PIECE)
    }

    /// As [`mask`](Self::mask), in pieces of so many letters.
    fn mask_in_pieces(&self, letters: &[u8], piece: usize) -> Vec<Range<u32>> {
        // What an N stands for depends on those before it.
        if letters.len() <= piece || letters.contains(&ANY) {
            return self.mask_piece(letters);
        }
        let of_piece = |begin: usize| {
            let end = letters.len().min(begin + piece + self.window);
            let masks = self.mask_piece(&letters[begin..end]);
            let begin = begin as u32;
            masks.into_iter().map(move |mask| mask.start + begin..mask.end + begin)
        };
        let begins = (0..letters.len()).into_par_iter().step_by(piece);
        let mut masks: Vec<Range<u32>> = begins.flat_map_iter(of_piece).collect();
        // Pieces may have the same masks where they overlap.
        masks.sort_unstable_by_key(|mask| mask.start);
        let mut masked = MaskedRanges { ranges: Vec::new(), linker: self.linker };
        for mask in masks {
            masked.add(mask);
        }
        masked.ranges
    }

    /// The masked ranges of a sequence, found from its begin to its end.
    fn mask_piece(&self, letters: &[u8]) -> Vec<Range<u32>> {
        let mut masked = MaskedRanges { ranges: Vec::new(), linker: self.linker };
        let mut random = RandomBases::new();
        // An N that is read again, by the next window, counts as another base.
        let mut base = |place: usize| match letters[place] {
            ANY => random.next(),
            letter => {
                if letter < 4 {
                    letter
                } else {
                    0
                }
            }
        };
        let mut begin = 0;
        // An interval has at least two triplets.
        while letters.len() > begin + 3 {
            let mut window = TripletWindow::new(*self);
            let mut triplet = base(begin) << 2 | base(begin + 1);
            let mut place = begin + 2;
            let mut uniform_ended = false;
            while !uniform_ended && place < letters.len() {
                masked.take(&mut window.perfect, window.start, begin);
                triplet = triplet << 2 & 63 | base(place);
                place += 1;
                if window.shift(triplet) {
                    if window.may_have_perfect() {
                        window.find_perfect();
                    }
                    continue;
                }
                // The window has one kind of triplet, and is masked until there is another.
                while place < letters.len() {
                    masked.take(&mut window.perfect, window.start, begin);
                    triplet = triplet << 2 & 63 | base(place);
                    if window.shift(triplet) {
                        uniform_ended = true;
                        break;
                    }
                    place += 1;
                }
            }
            let mut start = window.start;
            while !window.perfect.is_empty() {
                masked.take(&mut window.perfect, start, begin);
                start += 1;
            }
            if window.start == 0 {
                break;
            }
            begin += window.start;
        }
        masked.ranges
    }
}

/// The bases that the N of a sequence stand for: the random numbers of NCBI's class `CRandom`, by its fixed seed.
///
/// This is a lagged Fibonacci generator: each number is the sum of the numbers 33 and 13 before it. A base is
/// made of the bits 1 and 2 of a number, which follow from the three lowest bits of all numbers before it.
struct RandomBases {
    /// The latest 33 numbers, modulo 8; the next one replaces the number at `place`.
    numbers: [u8; 33],
    place: usize,
}

impl RandomBases {
    /// Distance in `numbers` of the two that are added.
    const LAG: usize = 20;

    fn new() -> Self {
        let numbers = [
            2, 3, 6, 7, 7, 2, 2, 2, 4, 5, 6, 1, 6, 2, 7, 1, 7, 2, 6, 0, 5, 7, 6, 4, 2, 3, 5, 0, 4,
            6, 5, 0, 5,
        ];
        Self { numbers, place: numbers.len() - 1 }
    }

    fn next(&mut self) -> u8 {
        let (place, count) = (self.place, self.numbers.len());
        let number = (self.numbers[place] + self.numbers[(place + count - Self::LAG) % count]) % 8;
        self.numbers[place] = number;
        self.place = (place + count - 1) % count;
        number / 2
    }
}

/// Masked ranges of a sequence, as far as the window has moved.
struct MaskedRanges {
    ranges: Vec<Range<u32>>,
    linker: usize,
}

impl MaskedRanges {
    /// Adds a range to those that begin before it.
    fn add(&mut self, added: Range<u32>) {
        match self.ranges.last_mut() {
            Some(range) if range.end as usize - 1 + self.linker >= added.start as usize => {
                range.end = range.end.max(added.end);
            }
            _ => self.ranges.push(added),
        }
    }

    /// Masks the perfect intervals that start before the window, of which the earliest covers all others, and removes
    /// them from `perfect`. Positions of the window count from `begin`.
    fn take(&mut self, perfect: &mut Vec<PerfectInterval>, start: usize, begin: usize) {
        let Some(earliest) = perfect.last().filter(|earliest| earliest.first < start) else {
            return;
        };
        let (first, last) = (earliest.first + begin, earliest.last + begin);
        self.add(first as u32..last as u32 + 1);
        while perfect.last().is_some_and(|earliest| earliest.first < start) {
            perfect.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::alphabet;

    /// The masked bases by definition: intervals of up to a window that score above the level, with
    /// no part that scores more.
    fn by_definition(letters: &[u8]) -> Vec<bool> {
        let settings = Dust::default();
        let triplets: Vec<u8> = letters.windows(3).map(|w| w[0] << 4 | w[1] << 2 | w[2]).collect();
        let mut masked = vec![false; letters.len()];
        let capacity = settings.window - 2;
        let n = triplets.len();
        // Scores as fractions: pairs over the triplets minus one.
        let score = |start: usize, end: usize| {
            let mut counts = TripletCounts::new();
            for &triplet in &triplets[start..end] {
                counts.add(triplet);
            }
            (counts.pairs, (end - start - 1) as u64)
        };
        for start in 0..n {
            for end in start + 2..=n.min(start + capacity) {
                let (pairs, length) = score(start, end);
                if pairs * 10 <= length * u64::from(settings.level) {
                    continue;
                }
                let is_perfect = (start..end).all(|s| {
                    (s + 2..=end).all(|e| {
                        let (p, l) = score(s, e);
                        p * length <= pairs * l
                    })
                });
                if is_perfect {
                    masked[start..end + 2].fill(true);
                }
            }
        }
        masked
    }

    #[test]
    fn masks_are_the_perfect_intervals() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            // Few kinds of bases in runs make low complexity.
            let mut letters = Vec::new();
            while letters.len() < 90 {
                let motif: Vec<u8> = (0..random.usize(1..5)).map(|_| random.u8(..4)).collect();
                for _ in 0..random.usize(1..6) {
                    letters.extend(&motif);
                }
            }
            let mut found = vec![false; letters.len()];
            for range in Dust::default().mask(&letters) {
                found[range.start as usize..range.end as usize].fill(true);
            }
            let expected = by_definition(&letters);
            // Neighbours are joined over a gap of no base; the definition knows nothing of that.
            assert_eq!(found, expected, "seed {seed}: {letters:?}");
        }
    }

    /// Random letters, of which parts repeat short motifs, up to whole windows of one triplet.
    fn letters_with_repeats(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
        let mut letters = Vec::new();
        while letters.len() < length {
            let motif: Vec<u8> = (0..random.usize(1..40)).map(|_| random.u8(..4)).collect();
            let times = if random.u8(..9) == 0 { random.usize(1..90) / motif.len() + 1 } else { 1 };
            (0..times).for_each(|_| letters.extend(&motif));
        }
        letters
    }

    #[test]
    fn pieces_are_masked_as_the_whole() {
        let mut masked = 0;
        for seed in 0..500 {
            let mut random = fastrand::Rng::with_seed(seed);
            let dust = Dust {
                level: random.u32(2..40),
                window: random.usize(8..65),
                linker: random.usize(1..33),
            };
            let dust = if random.bool() { Dust::default() } else { dust };
            let length = random.usize(..2_000);
            let letters = letters_with_repeats(&mut random, length);
            let whole = dust.mask_piece(&letters);
            masked += whole.len();
            for piece in [3, 50, 1_000] {
                assert_eq!(dust.mask_in_pieces(&letters, piece), whole, "seed {seed}, {piece}");
            }
        }
        assert!(masked > 1_000, "{masked}");
    }

    #[test]
    fn runs_of_n_are_random_bases() {
        let encode =
            |text: &str| -> Vec<u8> { text.bytes().filter_map(alphabet::encode).collect() };
        let masks = |text: &str, level| Dust { level, ..Dust::default() }.mask(&encode(text));
        let few = "CGGGAACTCAAAGGANNNNNNNNNNGACTGCCAGTGATAA";
        assert!(masks(few, 20).is_empty() && masks(few, 10).is_empty());
        // Of random bases, too, few are of low complexity: here a part of the second run.
        let (short, long) = ("N".repeat(36), "N".repeat(96));
        let many = format!("GATTACATTAGCGGCTAAAACTCAAAGGAA{short}TTGACGGGGGCCCGCA{long}CGATTAGCAT");
        assert_eq!(masks(&many, 10), [71..76, 151..159]);
    }

    #[test]
    fn short_and_uniform_sequences() {
        let dust = Dust::default();
        for length in 0..4 {
            assert!(dust.mask(&vec![0; length]).is_empty());
        }
        for length in [8, 62, 63, 64, 65, 66, 200] {
            assert_eq!(dust.mask(&vec![0; length]), [0..length as u32], "{length}");
        }
        let letters: Vec<u8> = b"GATTACAGATCCGTAGCTAGGCATCGATTT"
            .iter()
            .filter_map(|&letter| alphabet::encode(letter))
            .collect();
        assert!(dust.mask(&letters).is_empty());
    }
}
