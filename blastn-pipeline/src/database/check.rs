//! Checks of a database that was read from a file, so that no search of it leaves its sections.
//!
//! The checksums of a file find damage. A file that another program wrote can have right checksums and wrong contents. So
//! opening a database also checks all its entries, exceptions and definition lines, which is everything that a search relies on:
//! any bases, titles and name will do.

use super::defline::Defline;
use super::file::{DEFLINES, DatabaseSection, Entry, Exception, Image, SPARE_BYTES};
use crate::sequence::alphabet::SENTINEL;
use crate::sequence::packed;

/// Checks the contents of an image.
///
/// # Errors
/// What is wrong, as part of a sentence.
pub(super) fn check(image: &Image) -> Result<(), String> {
    let entries: &[Entry] = image.section(DatabaseSection::Entries);
    let exceptions: &[Exception] = image.section(DatabaseSection::Exceptions);
    check_ends(image, entries, exceptions)?;
    let mut letters = 0;
    let titles: &[u8] = image.section(DatabaseSection::Titles);
    let has_deflines = image.version() == DEFLINES;
    for (number, two) in (1..).zip(entries.windows(2)) {
        let (entry, next) = (&two[0], &two[1]);
        let length = entry.length as usize;
        let bases = next.bases.checked_sub(entry.bases);
        if bases != Some(length.div_ceil(packed::BASES) as u64) {
            return Err(format!("the bases of sequence {number} are not as many as its length"));
        }
        // The last entry's are the ends of the sections, so these are inside them if they ascend.
        let header = titles.get(entry.title as usize..next.title as usize);
        let is_right = |header: &[u8]| !has_deflines || Defline::decode_set(header).is_ok();
        if header.is_some_and(|header| !is_right(header)) {
            return Err(format!("the definition lines of sequence {number} are malformed"));
        }
        if next.title < entry.title {
            return Err(format!("the title of sequence {number} ends before its begin"));
        }
        let of_sequence = exceptions.get(entry.exception as usize..next.exception as usize);
        let are_right = of_sequence.is_some_and(|exceptions| are_right(exceptions, entry.length));
        if !are_right {
            return Err(format!("ambiguous letters of sequence {number} are not in it"));
        }
        letters += u64::from(entry.length);
    }
    if letters == 0 || letters != image.parameters().letters {
        let stated = image.parameters().letters;
        return Err(format!("its sequences have {letters} letters, and its header says {stated}"));
    }
    Ok(())
}

/// Checks that there is a sequence, that the first entry is at the begin of each section, and that the last entry, which is
/// behind the last sequence, is at the ends.
fn check_ends(image: &Image, entries: &[Entry], exceptions: &[Exception]) -> Result<(), String> {
    let ([first, _, ..], Some(last)) = (entries, entries.last()) else {
        return Err("it has no sequences".to_owned());
    };
    let bases = image.section::<u8>(DatabaseSection::Bases).len() as u64;
    let titles = image.section::<u8>(DatabaseSection::Titles).len() as u64;
    let is_begin = (first.bases, first.title, first.exception) == (0, 0, 0);
    let is_end = last.bases.checked_add(SPARE_BYTES as u64) == Some(bases)
        && (last.title, last.exception as usize, last.length) == (titles, exceptions.len(), 0);
    if !is_begin || !is_end {
        return Err("its sequences do not fill its sections".to_owned());
    }
    Ok(())
}

/// Whether runs of ambiguous letters ascend, do not overlap and are inside a sequence of `length` letters.
fn are_right(exceptions: &[Exception], length: u32) -> bool {
    let ambiguous = packed::BASES as u32..u32::from(SENTINEL);
    let mut behind = 0;
    exceptions.iter().all(|exception| {
        let end = exception.start.checked_add(exception.length);
        let is_right = exception.start >= behind
            && exception.length > 0
            && end.is_some_and(|end| end <= length)
            && ambiguous.contains(&exception.letter);
        behind = end.unwrap_or(behind);
        is_right
    })
}
