//! The search for mates on the CPU.

use std::cmp::Reverse;

use aligner_core::buffer_pool::BufferPool;
use rayon::prelude::*;

use crate::pair::mate_window::{ChosenDiagonals, DiagonalChoice, MateWindow, NO_DIAGONAL};
use crate::pair::shared_words::{QueryWords, SharedWords};
use crate::read::packed::PackedText;
use crate::read::queries::Queries;

/// Windows that one task of the thread pool searches, one after the other.
const WINDOWS_PER_TASK: usize = 256;

/// The memory of a search, which later ones use again: its tables are large.
#[derive(Debug, Default)]
pub struct SearchBuffers {
    /// The words of a query.
    words: QueryWords,
    /// Words that a query and a window have in common.
    shared: SharedWords,
}

/// Chooses diagonals of each window, on the current rayon pool. A read may be expected in many windows; those of one
/// query should follow each other.
pub fn choose_diagonals(
    text: PackedText<'_>,
    queries: &Queries,
    windows: &[MateWindow],
    choice: DiagonalChoice,
    pool: &BufferPool<SearchBuffers>,
) -> ChosenDiagonals {
    let slots = choice.slots(windows);
    let mut numbers = vec![NO_DIAGONAL; slots * windows.len()];
    if slots > 0 {
        let chosen = numbers.par_chunks_mut(slots * WINDOWS_PER_TASK);
        chosen.zip(windows.par_chunks(WINDOWS_PER_TASK)).for_each(|(chosen, windows)| {
            let mut buffers = pool.take();
            let mut words_of = None;
            for (chosen, window) in chosen.chunks_mut(slots).zip(windows) {
                if words_of.replace(window.query) != Some(window.query) {
                    buffers.words.set_query(queries.packed(window.query));
                }
                buffers.choose(text, window, choice, chosen);
            }
            pool.give_back(buffers);
        });
    }
    ChosenDiagonals { slots, numbers }
}

impl SearchBuffers {
    /// Writes the numbers of the diagonals that are chosen in a window, of the query whose words are in the buffers, to
    /// the front of `chosen`.
    fn choose(
        &mut self,
        text: PackedText<'_>,
        window: &MateWindow,
        choice: DiagonalChoice,
        chosen: &mut [u32],
    ) {
        let Self { words, shared } = self;
        let diagonals = window.first..window.first + i64::from(window.count);
        words.count(text, diagonals, choice.min_words, shared);
        let SharedWords { counts, candidates } = shared;
        for slot in chosen {
            // Of the diagonals with the most words, the first.
            let rank = |&number: &u32| (Reverse(counts[number as usize]), number);
            let Some(number) = candidates.iter().copied().min_by_key(rank) else { return };
            candidates.retain(|&other| other.abs_diff(number) > choice.margin);
            *slot = number;
        }
    }
}
