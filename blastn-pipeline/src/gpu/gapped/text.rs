//! Letters as the kernels of gapped extensions read them: 4 bits each, 8 in a word of 32 bits, the first in the highest
//! bits, with a word before them and two behind.

use std::ops::Range;

use aligner_core::gpu::DeviceAddress;
use rayon::prelude::*;

use crate::database::Database;
use crate::gpu::parts::DatabasePart;

/// Letters in a word of a text.
const LETTERS: usize = 8;

/// The text of some letters.
pub fn text(letters: &[u8]) -> Vec<u32> {
    let mut words = vec![0; letters.len().div_ceil(LETTERS) + 3];
    let pack = |(word, letters): (&mut u32, &[u8])| {
        let shifted = letters.iter().zip((0..LETTERS as u32).rev());
        *word = shifted.fold(0, |word, (&letter, place)| word | u32::from(letter) << (4 * place));
    };
    words[1..].par_iter_mut().zip(letters.par_chunks(LETTERS)).for_each(pack);
    words
}

/// Address of the first letters of a text, given that of the whole text.
pub fn first_letters(text: u64) -> DeviceAddress<u32> {
    DeviceAddress::new(text).offset(1)
}

/// The text of bases that are packed four a byte.
pub(super) fn text_of_bases(packed: &[u8]) -> Vec<u32> {
    let mut words = vec![0; packed.len().div_ceil(2) + 3];
    let spread = |byte: u8| {
        let base = |place: u32| u32::from(byte >> (2 * place) & 3) << (4 * place);
        base(0) | base(1) | base(2) | base(3)
    };
    let pack = |(word, bytes): (&mut u32, &[u8])| {
        *word = spread(bytes[0]) << 16 | bytes.get(1).map_or(0, |&byte| spread(byte));
    };
    words[1..].par_iter_mut().zip(packed.par_chunks(2)).for_each(pack);
    words
}

/// The text of a part of a database, with its ambiguous letters.
pub(crate) fn text_of_part(database: &Database, part: &DatabasePart) -> Vec<u32> {
    let mut text = text_of_bases(part.packed(database));
    for number in database.subjects_of(part.first..part.end) {
        let first = database.first_base(number);
        for (places, letter) in database.subject(number).exceptions() {
            let begin = (first + places.start).max(part.first);
            let end = (first + places.end).min(part.end);
            fill(
                &mut text,
                begin.saturating_sub(part.first)..end.saturating_sub(part.first),
                letter,
            );
        }
    }
    text
}

/// Sets the letters at some places of a text.
fn fill(text: &mut [u32], places: Range<u64>, letter: u8) {
    for place in places {
        let shift = 28 - 4 * (place % LETTERS as u64);
        let word = &mut text[1 + (place / LETTERS as u64) as usize];
        *word = *word & !(15 << shift) | u32::from(letter) << shift;
    }
}
