//! Upper bounds of the score of a query's strand with a chunk, by plain code, and what they depend on.

use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::options::SearchOptions;

/// Bases of a word, as in `upper_bounds.cuh`. Short words tell of more differences, long ones are rarely in a chunk by chance.
const WORD: usize = 7;

/// As a word: some letter of it is ambiguous.
const NO_WORD: u16 = u16::MAX;

/// Bases of the longest chunk with an upper bound; longer chunks have most words anyway.
pub(super) const LONGEST: u32 = 1 << (2 * WORD);

/// As an upper bound: there is none.
pub const UNBOUNDED: u32 = u32::MAX;

/// Scores and costs that upper bounds follow from, doubled, since half a score may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundCosts {
    /// Greatest score of a letter of the query.
    pub(super) reward: i32,
    /// Least loss of score by a difference, if each of several words that do not overlap has one.
    pub(super) difference: i32,
}

impl BoundCosts {
    /// Costs of the scores of a search.
    pub fn new(options: &SearchOptions) -> Self {
        let scoring = &options.scoring;
        let (reward, penalty) = (2 * scoring.reward, 2 * scoring.penalty);
        // The cost of a gap of one column, and of each further column.
        let (gap, more) = if scoring.is_linear() {
            (scoring.reward - penalty, scoring.reward - penalty)
        } else {
            (2 * (scoring.gap_open + scoring.gap_extend), 2 * scoring.gap_extend)
        };
        // A letter that is not matched also loses its reward. Of words that do not overlap, each letter is in one, and each
        // place between two letters as well; a gap of two letters may touch two words, and one more for every `WORD` further
        // letters.
        let difference = (reward - penalty)
            .min(gap)
            .min(i32::midpoint(gap, more) + reward)
            .min(WORD as i32 * (more + reward));
        Self { reward, difference }
    }

    /// The upper bound of a strand, given its words as [`words`] makes them, with a chunk of these bases.
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
                // A stretch may end or begin within the absent word.
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

/// The word that begins at each letter, or `NO_WORD` if some letter of it is ambiguous or missing.
pub fn words(letters: &[u8]) -> Vec<u16> {
    let word = |place: usize| {
        let letters = letters.get(place..place + WORD)?;
        letters.iter().all(|&letter| letter < 4).then(|| number(letters.iter().copied()))
    };
    (0..letters.len()).map(|place| word(place).unwrap_or(NO_WORD)).collect()
}

/// The number of a word, from its bases.
fn number(bases: impl Iterator<Item = u8>) -> u16 {
    bases.fold(0, |number, base| number << 2 | u16::from(base))
}

/// Whether a chunk is short enough for upper bounds.
pub(crate) fn has_bound(chunk: &DatabaseChunk) -> bool {
    chunk.length <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::BlastTask;
    use crate::scoring::{ScoreMatrix, Scoring};
    use crate::sequence::alphabet::{ANY, SENTINEL};

    /// Twice the score of the best alignment of two sequences.
    fn best(options: &SearchOptions, query: &[u8], subject: &[u8]) -> i32 {
        const NEVER: i32 = -1_000_000;
        let scoring = &options.scoring;
        let (first, more) = if scoring.is_linear() {
            let column = scoring.reward - 2 * scoring.penalty;
            (column, column)
        } else {
            (2 * (scoring.gap_open + scoring.gap_extend), 2 * scoring.gap_extend)
        };
        let matrix = ScoreMatrix::new(scoring);
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

    /// A copy of some bases with differences, which may come in runs.
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

    fn all_options() -> Vec<SearchOptions> {
        let with = |task, reward, penalty, gap_open, gap_extend| {
            let scoring = Scoring { reward, penalty, gap_open, gap_extend };
            SearchOptions { scoring, ..SearchOptions::new(task) }
        };
        vec![
            SearchOptions::new(BlastTask::Blastn),
            SearchOptions::new(BlastTask::Megablast),
            with(BlastTask::Blastn, 1, -4, 1, 2),
            with(BlastTask::Blastn, 1, -1, 0, 2),
            with(BlastTask::Blastn, 5, -4, 10, 6),
            with(BlastTask::Megablast, 1, -3, 0, 0),
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
        let costs = BoundCosts::new(&SearchOptions::new(BlastTask::Blastn));
        assert_eq!(costs, BoundCosts { reward: 4, difference: 10 });
        assert_eq!(
            BoundCosts::new(&SearchOptions::new(BlastTask::Megablast)),
            BoundCosts { reward: 2, difference: 5 }
        );
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
