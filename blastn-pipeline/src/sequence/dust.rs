//! Masking of low-complexity regions: symmetric DUST.
//!
//! The score of an interval with `l` triplets is the number of pairs of equal triplets over `l - 1`.
//! An interval is *perfect* if it scores above the level and no part of it scores more; all perfect
//! intervals of up to a window are masked (Morgulis et al., J. Comput. Biol. 13, 2006). The window
//! moves by a base; of its suffixes, only those within which no triplet is very frequent need no
//! look at all.

use std::collections::VecDeque;
use std::ops::Range;

/// Settings of DUST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dust {
    /// Ten times the score above which an interval is masked, 2 to 64.
    pub level: u32,
    /// Bases that an interval may have, 8 to 64.
    pub window: usize,
    /// Masked intervals with at most this many bases between them become one, 1 to 32.
    pub linker: usize,
}

impl Default for Dust {
    fn default() -> Self {
        Self { level: 20, window: 64, linker: 1 }
    }
}

/// A perfect interval: its first and last base, and the score as a fraction.
#[derive(Debug, Clone, Copy)]
struct PerfectInterval {
    first: usize,
    last: usize,
    pairs: u64,
    triplets: u64,
}

/// How often each triplet is in some interval, and how many pairs of equal ones that makes.
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

/// The triplets of a window, the latest first.
struct TripletWindow {
    triplets: VecDeque<u8>,
    /// Places of the first triplet and of the one behind the last.
    start: usize,
    stop: usize,
    /// Where the suffix begins in which no triplet is frequent enough to matter.
    suffix: usize,
    all: TripletCounts,
    of_suffix: TripletCounts,
    /// How many different triplets there are.
    different: usize,
    /// Latest start first.
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

    /// Takes the next triplet; tells whether the window has more than one kind of them. If it has
    /// not, it is a perfect interval as a whole.
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
            // Shortens the suffix by all up to the first of these triplets.
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

    fn note_whole(&mut self) {
        let whole =
            PerfectInterval { first: self.start, last: self.stop + 1, pairs: 0, triplets: 0 };
        self.perfect.insert(0, whole);
    }

    /// What ten times the pairs must exceed for an interval in which so many triplets follow the
    /// first.
    fn threshold(&self, following: u64) -> u64 {
        (following * u64::from(self.settings.level)).max(1)
    }

    /// Whether the window as a whole scores enough for a part of it to.
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
    /// The masked ranges of a sequence of letters, in order. Letters other than A, C, G and T count
    /// as A.
    pub fn mask(&self, letters: &[u8]) -> Vec<Range<u32>> {
        let mut masked = MaskedRanges { ranges: Vec::new(), linker: self.linker };
        let base = |place: usize| if letters[place] < 4 { letters[place] } else { 0 };
        let mut begin = 0;
        // At least one triplet and its neighbour.
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
                // One kind of triplet: the window is masked until there is another.
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

/// The masked ranges so far.
struct MaskedRanges {
    ranges: Vec<Range<u32>>,
    linker: usize,
}

impl MaskedRanges {
    /// Takes the intervals that start before the window does, the longest of them that is known to
    /// be perfect first; `begin` is where the window's places count from.
    fn take(&mut self, perfect: &mut Vec<PerfectInterval>, start: usize, begin: usize) {
        let Some(earliest) = perfect.last().filter(|earliest| earliest.first < start) else {
            return;
        };
        let (first, last) = (earliest.first + begin, earliest.last + begin);
        match self.ranges.last_mut() {
            Some(range) if range.end as usize - 1 + self.linker >= first => {
                range.end = range.end.max(last as u32 + 1);
            }
            _ => self.ranges.push(first as u32..last as u32 + 1),
        }
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
        // Scores as fractions: pairs over the triplets less one.
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
