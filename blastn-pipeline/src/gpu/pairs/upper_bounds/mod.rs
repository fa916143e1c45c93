//! What alignments of a query and a chunk score at most, so that hopeless pairs are not extended.
//!
//! Where thousands of subjects are alike, as among 16S genes, a query has words in nearly all of them, and its
//! list is full of much better ones. A cheap bound tells most of the others:
//!
//! ```text
//!   words of a chunk --> set      strand   ......xxx....xxx......   x: words that are not in the set
//!                                                ^-----^            apart: each has a difference of its own
//!   bounds of all pairs --> the most promising few are extended --> the last score that a list has room for
//!     `--> hits of pairs whose bound is less are left out
//! ```
//!
//! This is the q-gram lemma (Jokinen and Ukkonen, MFCS 1991), for scores: a word of an aligned stretch that the
//! chunk has nowhere holds a difference, words that do not overlap hold different ones, and each takes from the
//! score, at least, what [`BoundCosts`] says. The bound is that of the best stretch, found in one pass.
//!
//! It holds for all alignments of the pair: no matter where they were seeded, nor how they were extended.

mod table;

use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::options::Options;

pub use self::table::UpperBounds;

/// ChunkBases of a word, as in `bounds.cuh`: short ones tell of more differences, long ones are rarely in a chunk by
/// chance.
const WORD: usize = 7;

/// As a word: some letter of it is no base.
const NO_WORD: u16 = u16::MAX;

/// The longest chunk with a bound: longer ones have most words.
const LONGEST: u32 = 1 << (2 * WORD);

/// As a bound: there is none.
pub const UNBOUNDED: u32 = u32::MAX;

/// What bounds depend on, doubled, as half a score may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundCosts {
    /// What a letter of the query scores, at most.
    reward: i32,
    /// What is lost by a difference, at least: by one for each word of a set of words that do not overlap.
    difference: i32,
}

impl BoundCosts {
    /// Of these scores.
    pub fn new(options: &Options) -> Self {
        let scoring = &options.scoring;
        let (reward, penalty) = (2 * scoring.reward, 2 * scoring.penalty);
        // A gap of one column, and each further one.
        let (gap, more) = if scoring.is_linear() {
            (scoring.reward - penalty, scoring.reward - penalty)
        } else {
            (2 * (scoring.gap_open + scoring.gap_extend), 2 * scoring.gap_extend)
        };
        // A letter that is not matched has no reward either. Of words that do not overlap, a letter is in one,
        // as is a place between two letters; a gap of two letters may touch two, and one more for every `WORD`
        // further letters.
        let difference = (reward - penalty)
            .min(gap)
            .min(i32::midpoint(gap, more) + reward)
            .min(WORD as i32 * (more + reward));
        Self { reward, difference }
    }

    /// The bound of a strand's words, as [`words`] gives them, in a chunk of these bases.
    pub fn bound(&self, words: &[u16], bases: &[u8]) -> u32 {
        let mut present = vec![false; 1 << (2 * WORD)];
        for word in bases.windows(WORD) {
            present[usize::from(number(word.iter().copied()))] = true;
        }
        let (mut best, mut current, mut place) = (0, 0, 0);
        while place + WORD <= words.len() {
            if words[place] == NO_WORD || present[usize::from(words[place])] {
                current += self.reward;
                place += 1;
            } else {
                // A stretch may end or begin within the word.
                let within = self.reward * (WORD as i32 - 1);
                best = best.max(current + within);
                current = (current + self.reward - self.difference).max(0) + within;
                place += WORD;
            }
        }
        let all = best.max(current + self.reward * (words.len() - place) as i32);
        (i64::from(all).min(i64::from(self.reward) * bases.len() as i64) / 2) as u32
    }
}

/// The word that begins at each letter, or a mark if some letter of it is no base.
pub fn words(letters: &[u8]) -> Vec<u16> {
    let word = |place: usize| {
        let letters = letters.get(place..place + WORD)?;
        letters.iter().all(|&letter| letter < 4).then(|| number(letters.iter().copied()))
    };
    (0..letters.len()).map(|place| word(place).unwrap_or(NO_WORD)).collect()
}

/// The number of a word.
fn number(bases: impl Iterator<Item = u8>) -> u16 {
    bases.fold(0, |number, base| number << 2 | u16::from(base))
}

/// Whether there is a bound for chunks of this length.
pub(crate) fn has_bound(chunk: &DatabaseChunk) -> bool {
    chunk.length <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Task;
    use crate::scoring::{Matrix, Scoring};
    use crate::sequence::alphabet::{ANY, SENTINEL};

    /// Twice what the best alignment of two sequences scores.
    fn best(options: &Options, query: &[u8], subject: &[u8]) -> i32 {
        const NEVER: i32 = -1_000_000;
        let scoring = &options.scoring;
        let (first, more) = if scoring.is_linear() {
            let column = scoring.reward - 2 * scoring.penalty;
            (column, column)
        } else {
            (2 * (scoring.gap_open + scoring.gap_extend), 2 * scoring.gap_extend)
        };
        let matrix = Matrix::new(scoring);
        let (mut above, mut best) = (vec![(0, NEVER); subject.len() + 1], 0);
        for &letter in query {
            let (mut diagonal, mut gap) = (0, NEVER);
            for (place, &base) in (1..).zip(subject) {
                let (score, down) = above[place];
                let down = (score - first).max(down - more);
                gap = (above[place - 1].0 - first).max(gap - more);
                let pair = diagonal + 2 * matrix.get(letter, base);
                diagonal = score;
                above[place] = (pair.max(down).max(gap).max(0), down);
                best = best.max(above[place].0);
            }
        }
        best
    }

    /// A copy with differences, which may come in runs.
    fn changed(random: &mut fastrand::Rng, bases: &[u8], share: f64) -> Vec<u8> {
        let mut copy = Vec::new();
        let mut place = 0;
        while place < bases.len() {
            if random.f64() >= share {
                copy.push(bases[place]);
            } else {
                match random.u8(..4) {
                    0 => place += random.usize(..9),
                    1 => copy.extend((0..random.usize(1..20)).map(|_| random.u8(..4))),
                    _ => copy.push((bases[place] + random.u8(1..4)) % 4),
                }
            }
            place += 1;
        }
        copy
    }

    fn all_options() -> Vec<Options> {
        let with = |task, reward, penalty, gap_open, gap_extend| {
            let scoring = Scoring { reward, penalty, gap_open, gap_extend };
            Options { scoring, ..Options::new(task) }
        };
        vec![
            Options::new(Task::Blastn),
            Options::new(Task::Megablast),
            with(Task::Blastn, 1, -4, 1, 2),
            with(Task::Blastn, 1, -1, 0, 2),
            with(Task::Blastn, 5, -4, 10, 6),
            with(Task::Megablast, 1, -3, 0, 0),
        ]
    }

    #[test]
    fn no_alignment_scores_more_than_the_bound() {
        for seed in 0..400 {
            let mut random = fastrand::Rng::with_seed(seed);
            let length = random.usize(..160);
            let mut query: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
            let share = random.f64() * 0.4;
            let subject = changed(&mut random, &query, share);
            let subject =
                [vec![1; random.usize(..9)], subject, vec![2; random.usize(..9)]].concat();
            if random.bool() && length > 0 {
                query[random.usize(..length)] = ANY - random.u8(..10);
            }
            for options in all_options() {
                let bound = BoundCosts::new(&options).bound(&words(&query), &subject);
                let score = best(&options, &query, &subject) / 2;
                assert!(score <= bound as i32, "{score} > {bound}: seed {seed}, {options:?}");
            }
        }
    }

    #[test]
    fn bounds_tell_what_differs() {
        let costs = BoundCosts::new(&Options::new(Task::Blastn));
        assert_eq!(costs, BoundCosts { reward: 4, difference: 10 });
        assert_eq!(BoundCosts::new(&Options::new(Task::Megablast)), BoundCosts { reward: 2, difference: 5 });
        let mut random = fastrand::Rng::with_seed(5);
        let query: Vec<u8> = (0..100).map(|_| random.u8(..4)).collect();
        let bound = |subject: &[u8]| costs.bound(&words(&query), subject);
        assert_eq!(bound(&query), 200);
        let mut subject = query.clone();
        for place in [30, 60] {
            subject[place] ^= 1;
        }
        assert_eq!(bound(&subject), 190);
        // One difference for every seven letters; without the first letter, and its reward, one less.
        assert_eq!(bound(&[0; 100]), 200 - 14 * 5 + (5 - 2));
        assert_eq!(bound(&[]), 0);
        assert_eq!(bound(&query[..5]), 10);
        assert_eq!(costs.bound(&[], &query), 0);
    }

    #[test]
    fn words_are_of_bases() {
        assert_eq!(
            words(&[0, 1, 2, 3, 3, 3, 3, 0]),
            [
                0b00_01_10_11_11_11_11,
                0b01_10_11_11_11_11_00,
                NO_WORD,
                NO_WORD,
                NO_WORD,
                NO_WORD,
                NO_WORD,
                NO_WORD
            ]
        );
        assert_eq!(words(&[1, 1, 1, SENTINEL, 1, 1, 1, 1, ANY, 1, 1, 1, 1, 1, 1]), [NO_WORD; 15]);
        assert!(words(&[]).is_empty());
    }
}
