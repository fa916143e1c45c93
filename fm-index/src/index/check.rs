//! Checks of an index that was read from a file, so that no query of it leaves its sections.
//!
//! The checksums of a file find damage. A file that another program wrote can have right checksums and wrong contents, so
//! opening an index also checks what one pass over it can check, at the speed of the checksums:
//!
//! - the numbers in the header, and from them the length of each section;
//! - the contigs, their names and the exceptions (in [`stored_reference`](super::stored_reference));
//! - both transforms: the counts of each block are those of the symbols before it, so that ranks ascend, and the interval
//!   of a word contains those of all longer words;
//! - the look-up table: its intervals are inside the transforms, and those of the text ascend without overlap;
//! - the samples: all are positions of the text.
//!
//! So every interval of a search, every row on the way of locating and every located position are in range. To know that
//! the transforms, the samples, the table and the counts of words are those of the text would take as long as building the index; that is
//! trusted because of the checksums. Where it is not true, searches find wrong occurrences, and locating a row
//! ends after as many steps as the text has bases. Nor is a file checked whose contents an earlier run has checked
//! ([`FmIndex::open_verified`](crate::FmIndex::open_verified)).

use rayon::prelude::*;

use super::build::{MAX_SAMPLE_RATE, MAX_TABLE_LENGTH};
use super::interval::Interval;
use super::rank::{Bwt, RankBlock, SYMBOLS_PER_BLOCK, blocks_for};
use super::word_counts;
use crate::image::{IndexImage, IndexSection};
use crate::reference::{Reference, packed};

/// Entries of the look-up table that one rayon task checks.
const TASK_ENTRIES: usize = 1 << 14;

/// Checks an image against the reference that it stores, on the current rayon pool.
///
/// # Errors
/// What is wrong, as part of a sentence.
pub(super) fn check(image: &IndexImage, reference: &Reference) -> Result<(), String> {
    check_numbers(image, reference)?;
    let parameters = image.parameters();
    for (section, primary) in [
        (IndexSection::Forward, parameters.forward_primary),
        (IndexSection::Reverse, parameters.reverse_primary),
    ] {
        let blocks: &[RankBlock] = image.section(section);
        let bwt = Bwt { blocks, primary, first: parameters.first };
        check_transform(&bwt, parameters.bases)?;
    }
    check_samples(image.section(IndexSection::Samples), parameters.bases)?;
    check_table(image.section(IndexSection::Table), parameters.bases + 1)
}

/// Checks the numbers in the header and the lengths of the sections, which takes no time.
///
/// # Errors
/// As [`check`].
pub(super) fn check_numbers(image: &IndexImage, reference: &Reference) -> Result<(), String> {
    let parameters = image.parameters();
    let bases = parameters.bases;
    if bases == 0 || bases != reference.indexed_len() {
        let indexed = reference.indexed_len();
        return Err(format!("its text has {bases} bases, but its contigs have {indexed}"));
    }
    let rate = parameters.sample_rate;
    if !rate.is_power_of_two() || rate > MAX_SAMPLE_RATE {
        return Err(format!("the sample rate is {rate}"));
    }
    let table_length = parameters.table_length;
    if !(1..=MAX_TABLE_LENGTH).contains(&table_length) {
        return Err(format!("the words of the look-up table have {table_length} bases"));
    }
    let counted_length = parameters.counted_length;
    if !(1..=word_counts::MAX_COUNTED_LENGTH).contains(&counted_length) {
        return Err(format!("the words that are counted have {counted_length} bases"));
    }
    let rows = u64::from(bases) + 1;
    for (name, found, expected) in [
        ("text", image.section::<u64>(IndexSection::Text).len(), packed::words_for(bases as usize)),
        (
            "forward transform",
            image.section::<RankBlock>(IndexSection::Forward).len(),
            blocks_for(rows) as usize,
        ),
        (
            "reverse transform",
            image.section::<RankBlock>(IndexSection::Reverse).len(),
            blocks_for(rows) as usize,
        ),
        (
            "list of samples",
            image.section::<u32>(IndexSection::Samples).len(),
            rows.div_ceil(u64::from(rate)) as usize,
        ),
        (
            "look-up table",
            image.section::<Interval>(IndexSection::Table).len(),
            1 << (2 * table_length),
        ),
        (
            "list of counts",
            image.section::<u64>(IndexSection::WordCounts).len(),
            word_counts::elements(counted_length),
        ),
    ] {
        if found != expected {
            return Err(format!("the {name} has {found} elements, not {expected}"));
        }
    }
    Ok(())
}

/// Checks the counts of all blocks of a transform of `bases` bases, its primary, and the first rows.
fn check_transform(bwt: &Bwt<'_>, bases: u32) -> Result<(), String> {
    let &Bwt { blocks, primary, first } = bwt;
    let after = |block: &RankBlock| {
        let symbols = RankBlock { counts: [0; 4], ..*block }.counts_before(SYMBOLS_PER_BLOCK);
        [0, 1, 2, 3].map(|code| block.counts[code].wrapping_add(symbols[code]))
    };
    let is_begun = blocks.first().is_some_and(|block| block.counts == [0; 4]);
    if !is_begun || !blocks.par_windows(2).all(|two| after(&two[0]) == two[1].counts) {
        return Err("counts of a transform do not match its symbols".to_owned());
    }
    if !(1..=bases).contains(&primary) || bwt.symbol(primary) != 0 {
        return Err(format!("row {primary} of a transform is not that of the whole text"));
    }
    let [a, c, g, _] = bwt.rank4(bases + 1);
    if first != [1, 1 + a, 1 + a + c, 1 + a + c + g] {
        return Err("the first rows of the bases do not match the transforms".to_owned());
    }
    Ok(())
}

/// Checks that the samples are positions of a text of `bases` bases; that of row 0, the empty suffix, is the text's end.
fn check_samples(samples: &[u32], bases: u32) -> Result<(), String> {
    match samples.split_first() {
        Some((&empty, others))
            if empty == bases && others.par_iter().all(|&position| position < bases) =>
        {
            Ok(())
        }
        _ => Err("a sample of the suffix array is not in the text".to_owned()),
    }
}

/// Checks that the intervals of the look-up table are inside transforms of `rows` rows, and that those in the transform of
/// the text come one behind the other, as the words do; row 0 is in none of them.
fn check_table(table: &[Interval], rows: u32) -> Result<(), String> {
    let ends_of_tasks: Option<Vec<Option<(u32, u32)>>> =
        table.par_chunks(TASK_ENTRIES).map(|entries| covered_rows(entries, rows)).collect();
    let ends_of_tasks =
        ends_of_tasks.ok_or("an interval of the look-up table is not in the transforms")?;
    let is_ascending = ends_of_tasks.iter().flatten().is_sorted_by(|left, right| left.1 <= right.0);
    if !is_ascending {
        return Err("intervals of the look-up table overlap".to_owned());
    }
    Ok(())
}

/// First row and row behind the last of all words of some entries of the look-up table, or `Some(None)` if no word
/// occurs; `None` if an entry is outside `rows` rows or before the one before it.
#[allow(clippy::option_option, reason = "no rows is not the same as wrong rows")]
fn covered_rows(entries: &[Interval], rows: u32) -> Option<Option<(u32, u32)>> {
    let mut covered: Option<(u32, u32)> = None;
    for &entry in entries {
        if entry.is_empty() {
            if entry != Interval::default() {
                return None;
            }
            continue;
        }
        let Interval { lo, lo_reverse, size } = entry;
        let end = lo.checked_add(size).filter(|&end| end <= rows)?;
        lo_reverse.checked_add(size).filter(|&end| end <= rows)?;
        let (first, behind) = covered.unwrap_or((lo, 1));
        if lo < behind || lo_reverse == 0 {
            return None;
        }
        covered = Some((first, end));
    }
    Some(covered)
}
