//! Random windows in which mates are searched for, and the diagonals that are chosen there by plain counting.
#![allow(clippy::expect_used)] // A failure is the test's.

use aligner_core::buffer_pool::BufferPool;
use fastrand::Rng;
use fm_index::{BuildOptions, FmIndex, Reference};
use seed_extend::pair::cpu;
use seed_extend::pair::mate_window::{ChosenDiagonals, DiagonalChoice, MateWindow};
use seed_extend::read::packed::PackedText;
use seed_extend::read::queries::Queries;

/// Bases of a word that query and text may have in common.
const WORD: usize = 8;

/// Lengths of reads about those of words and of halves of packed words, and usual ones.
const LENGTHS: [usize; 12] = [0, 1, 7, 8, 9, 15, 16, 17, 33, 64, 150, 500];

/// Windows of a text, and how diagonals are chosen in them.
pub struct MateCase {
    pub index: FmIndex,
    text: Vec<u8>,
    pub queries: Queries,
    pub windows: Vec<MateWindow>,
    pub choice: DiagonalChoice,
}

impl MateCase {
    /// A text of copies of a unit, few of whose bases differ, or of few different letters; reads of it of each length; and
    /// `windows` windows anywhere about it, some empty and some beyond either end.
    pub fn random(random: &mut Rng, windows: usize) -> Self {
        let length = [1, 7, 8, 31, 32, 33, 300, 1000][random.usize(..8)];
        let from: &[u8] = [&b"ACGT"[..], b"AAAAAAAC", b"A"][random.usize(..3)];
        let mut letters = |count: usize| -> Vec<u8> {
            (0..count).map(|_| from[random.usize(..from.len())]).collect()
        };
        let unit_length = [20, 1000][usize::from(length % 2 == 0)];
        let unit = letters(unit_length);
        let mut text: Vec<u8> = unit.iter().copied().cycle().take(length).collect();
        for letter in &mut text {
            if random.u8(..60) == 0 {
                *letter = b"ACGT"[random.usize(..4)];
            }
        }
        let reads: Vec<Vec<u8>> = LENGTHS
            .iter()
            .map(|&bases| {
                let mut read = text.repeat(1 + 2 * bases / text.len());
                read.drain(..random.usize(..=text.len().min(read.len() - bases)));
                read.truncate(bases);
                let changes = random.usize(..4);
                for _ in 0..changes {
                    if bases > 0 {
                        read[random.usize(..bases)] = b"ACGTN"[random.usize(..5)];
                    }
                }
                read
            })
            .collect();
        let queries = Queries::new(reads.iter().map(Vec::as_slice));
        let windows = (0..windows)
            .map(|_| MateWindow {
                first: random.i64(-600..length as i64 + 40),
                count: [0, 1, 31, 32, 33, 200, 1500, 1500, 1500][random.usize(..9)],
                query: random.u32(..queries.len() as u32),
            })
            .collect();
        let choice = DiagonalChoice {
            max_diagonals: [0, 1, 3, 3, usize::MAX, usize::MAX][random.usize(..6)],
            margin: [0, 1, 16, u32::MAX][random.usize(..4)],
            min_words: [1, 2, 5][random.usize(..3)],
        };
        let reference = Reference::from_records([("text", &text)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let text = text.iter().map(|letter| b"ACGT".binary_search(letter).expect("a base") as u8);
        Self { index, text: text.collect(), queries, windows, choice }
    }

    /// The diagonals that the CPU chooses, which must be those of plain counting.
    pub fn expected(&self, name: &str) -> ChosenDiagonals {
        let (text, pool) = (PackedText::of(&self.index), BufferPool::default());
        let found = cpu::choose_diagonals(text, &self.queries, &self.windows, self.choice, &pool);
        for (number, window) in self.windows.iter().enumerate() {
            let chosen: Vec<u32> = found.of(number).collect();
            assert_eq!(chosen, self.chosen(window), "{name}, {window:?}, {:?}", self.choice);
        }
        found
    }

    /// Words that the query and the text have in common on each diagonal of a window.
    fn counts(&self, window: &MateWindow) -> Vec<u32> {
        let codes = self.queries.codes(window.query);
        let is_equal = |place: usize, diagonal: i64| {
            let position = usize::try_from(diagonal + place as i64).ok();
            let opposite = position.and_then(|position| self.text.get(position));
            opposite == Some(&codes[place])
        };
        let count = |number: u32| {
            let diagonal = window.first + i64::from(number);
            let mut run = 0;
            let mut words = 0;
            for place in 0..codes.len() {
                run = if is_equal(place, diagonal) { run + 1 } else { 0 };
                words += u32::from(run >= WORD);
            }
            words
        };
        (0..window.count).map(count).collect()
    }

    /// The diagonals that are chosen in a window: all of them in the order of their counts, without those that are near an
    /// earlier one.
    fn chosen(&self, window: &MateWindow) -> Vec<u32> {
        let DiagonalChoice { max_diagonals, margin, min_words } = self.choice;
        let counts = self.counts(window);
        let mut order: Vec<u32> = (0..window.count).collect();
        order.retain(|&number| counts[number as usize] >= min_words);
        order.sort_by_key(|&number| std::cmp::Reverse(counts[number as usize]));
        let mut chosen: Vec<u32> = Vec::new();
        for number in order {
            if chosen.iter().all(|other| other.abs_diff(number) > margin) {
                chosen.push(number);
            }
        }
        chosen.truncate(max_diagonals);
        chosen
    }
}
