//! Extension of word hits of which two lie near each other, as NCBI's `-window_size` asks for.
//!
//! ```text
//!   diagonal        =====          =====        the second word hit ends within the window behind the first: it is
//!                       '- window ------'       extended, unless the first has been
//!   diagonal + 3           =====                with -off_diagonal_range 3 or more, so is this one
//! ```
//!
//! A word hit that goes on for another word counts as two. This is `s_BlastnDiagTableExtendInitialHit` of NCBI's
//! `na_ungapped.c`; one hit alone is the matter of [`diagonals`](crate::ungapped::diagonals).

use crate::options::SearchOptions;
use crate::seed::word_hits::{WordHit, WordWidener};
use crate::ungapped::extension::UngappedExtender;
use crate::ungapped::hits::UngappedHit;

/// What is known of a diagonal. Positions are those of the subject plus [`TwoHitDiagonals::offset`].
#[derive(Debug, Clone, Copy, Default)]
struct Diagonal {
    /// One behind the last position of the last word hit, or of its extension.
    end: u32,
    /// Number of bases of the last word hit; 0 if it was extended.
    length: u32,
    /// Whether the last word hit was extended to an alignment that was kept.
    is_saved: bool,
}

/// The last word hit of each diagonal.
#[derive(Debug, Default)]
pub(crate) struct TwoHitDiagonals {
    /// Diagonals that differ by a multiple of the number of elements share one; they are too far apart to meet.
    diagonals: Vec<Diagonal>,
    /// Number added to positions of the present subject, by which those of earlier subjects are out of its reach.
    offset: u32,
}

impl TwoHitDiagonals {
    /// Begins a subject of `length` bases and a batch of `letters` letters.
    fn begin(&mut self, letters: usize, length: usize, window: usize) {
        let needed = (letters + window).next_power_of_two();
        let fits = self.offset.checked_add((length + 2 * window) as u32).is_some();
        if self.diagonals.len() != needed || !fits || self.offset == 0 {
            self.diagonals.clear();
            self.diagonals.resize(needed, Diagonal::default());
            self.offset = window as u32;
        }
    }

    fn at(&mut self, diagonal: u32) -> &mut Diagonal {
        let mask = self.diagonals.len() - 1;
        &mut self.diagonals[diagonal as usize & mask]
    }
}

/// Extends the word hits of a chunk, which must come in the order of the words that were looked up.
pub(crate) struct TwoHitExtender<'a> {
    extension: UngappedExtender<'a>,
    widener: WordWidener<'a>,
    diagonals: &'a mut TwoHitDiagonals,
    window: u32,
    /// Greatest distance of the diagonals of two word hits.
    range: u32,
}

impl<'a> TwoHitExtender<'a> {
    /// Begins a chunk; `diagonals` are used again for each.
    pub(crate) fn new(
        options: &SearchOptions,
        extension: UngappedExtender<'a>,
        widener: WordWidener<'a>,
        diagonals: &'a mut TwoHitDiagonals,
    ) -> Self {
        let window = options.window;
        diagonals.begin(extension.batch.letters.len(), extension.chunk.bases.len(), window);
        let range = options.off_diagonal_range.min(window.saturating_sub(widener.word_size));
        Self { extension, widener, diagonals, window: window as u32, range: range as u32 }
    }

    /// Extends word hits, and appends the alignments that are kept to `found`.
    pub(crate) fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        found.extend(words.iter().filter_map(|word| self.extend_word(word)));
    }

    fn extend_word(&mut self, word: &WordHit) -> Option<UngappedHit> {
        let offset = self.diagonals.offset;
        let diagonal = word.subject.wrapping_sub(word.query);
        let last = *self.diagonals.at(diagonal);
        let begin = word.probe + offset;
        if begin < last.end {
            return None;
        }
        let is_first =
            last.is_saved || begin + self.widener.word_size as u32 > last.end + self.window;
        let (mut is_ready, mut has_neighbour, mut end) = (true, false, word.end);
        if is_first {
            let is_double;
            (is_double, end) = self.widener.double(word);
            has_neighbour = !is_double && self.has_neighbour(diagonal, begin, end + offset);
            is_ready = is_double || has_neighbour;
        }
        let word = WordHit { end, ..*word };
        let hit = match is_ready {
            false => None,
            // Beside a hit of a neighbour, any alignment is kept.
            true if has_neighbour => Some(self.extension.extend_whatever(&word)),
            true => self.extension.extend(&word),
        };
        let end = hit.map_or(end, |hit| hit.subject + hit.length) + offset;
        *self.diagonals.at(diagonal) = Diagonal {
            end,
            length: if hit.is_some() { 0 } else { end - begin },
            is_saved: hit.is_some(),
        };
        hit
    }

    /// Whether a neighbouring diagonal has a word hit within the window before this one, which it does not overlap.
    /// Positions are those of the subject plus the offset.
    fn has_neighbour(&mut self, diagonal: u32, begin: u32, end: u32) -> bool {
        let word = self.widener.word_size as i64;
        let least_end = i64::from(begin) + word - i64::from(self.window);
        let greatest_begin = i64::from(end) - 2 * word;
        (1..=self.range).any(|distance| {
            let mut is_near = |diagonal: u32, end_moved: u32, begin_moved: u32| {
                let Diagonal { end, length, .. } = *self.diagonals.at(diagonal);
                let begin = i64::from(end) - i64::from(length) + i64::from(begin_moved);
                let end = i64::from(end) - i64::from(end_moved);
                length > 0 && end >= least_end && begin <= greatest_begin
            };
            is_near(diagonal.wrapping_add(distance), distance, 0)
                || is_near(diagonal.wrapping_sub(distance), 0, distance)
        })
    }
}

impl Drop for TwoHitExtender<'_> {
    fn drop(&mut self) {
        self.diagonals.offset += self.extension.chunk.bases.len() as u32 + self.window;
    }
}
