//! Building an index: the suffixes of the text and those of the reversed text are sorted, and reduced to rank blocks (and those
//! of the text to samples).
//!
//! Suffixes of large texts are sorted piece by piece ([`SuffixSorter`]). libsais sorts small ones, and those that repeat too much: both
//! texts at the same time or, to save memory, one after the other.

use aligner_core::container::SectionName;
use libsais::{
    IsValidOutputFor, LIBSAIS_I32_OUTPUT_MAXIMUM_SIZE, LibsaisError, OutputElement,
    SuffixArrayConstruction, ThreadCount,
};
use rayon::prelude::*;

use super::error::BuildError;
use super::interval::{Interval, Transforms};
use super::rank::{Bwt, RankBlock, blocks_for};
use super::stored_reference;
use super::suffix_sort::{Row, SortableText, SuffixSorter, TooRepetitive};
use super::transform::TransformFiller;
use super::word_counts;
use crate::image::{ContigRecord, IndexImage, IndexImageBuilder, IndexSection};
use crate::reference::{Reference, packed};

/// Maximum length of the words of the look-up table, in bases.
pub(crate) const MAX_TABLE_LENGTH: u32 = 12;

/// Maximum number of rows between samples of the suffix array.
pub(crate) const MAX_SAMPLE_RATE: u32 = 64;

/// Minimum length of a text, in bases, whose suffixes are sorted piece by piece.
const LARGE_TEXT: usize = 1 << 20;

/// Words that are compared for each suffix, by and large, before a text is left to libsais. Human chromosome 20 takes 0.08, a hundred
/// genomes of few species tens.
const MOST_WORDS: u64 = 2;

/// Rows of a suffix array that are turned into rows of a transform at a time.
const ROWS: usize = 1 << 22;

/// Minimum length of a text, in bases, whose suffixes several threads of libsais sort. The threads of libsais (OpenMP) spin while
/// they wait for each other, and on busy cores made sorting of shorter texts 20 times slower. One thread sorts human
/// chromosome 20 in 5 s, but would take a quarter of an hour for a text of 3.1 Gbp.
const MIN_THREADED_TEXT: usize = 1 << 28;

/// Options of building an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// Rows between samples of the suffix array: a power of two from 1 to 64. Locating an occurrence takes about
    /// `sample_rate` steps; the samples take `4 / sample_rate` bytes a base.
    pub sample_rate: u32,
    /// Bytes of memory that building may take where libsais sorts. If they suffice and there are several threads, the suffixes of
    /// the text and of the reversed text are sorted at the same time, which is faster; if not, one after the other, whatever that
    /// takes.
    pub memory: u64,
}

impl Default for BuildOptions {
    /// A sample rate of 8, and as little memory as possible.
    fn default() -> Self {
        Self { sample_rate: 8, memory: 0 }
    }
}

/// Builds the image of a reference's index, on the current rayon pool.
///
/// # Errors
/// [`BuildError::SampleRate`] or [`BuildError::SuffixArray`].
pub(crate) fn build(
    reference: &Reference,
    options: BuildOptions,
) -> Result<IndexImage, BuildError> {
    let mut image = prepare(reference, options.sample_rate)?;
    let is_small = (reference.indexed_len() as usize) < LARGE_TEXT;
    if is_small || fill_by_pieces(reference, &mut image) == Err(TooRepetitive) {
        let text = reference.indexed_codes();
        let threads = match text.len() {
            MIN_THREADED_TEXT.. => u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX),
            _ => 1,
        };
        let transforms = if text.len() < LIBSAIS_I32_OUTPUT_MAXIMUM_SIZE {
            fill_by_arrays::<i32>(text, options, threads, &mut image)
        } else {
            fill_by_arrays::<i64>(text, options, threads, &mut image)
        };
        transforms.map_err(|error| {
            BuildError::SuffixArray(match error {
                LibsaisError::OutOfMemory => "out of memory",
                LibsaisError::InvalidInput => "invalid input",
                LibsaisError::UnknownError => "unknown error",
            })
        })?;
    }
    fill_table(&mut image);
    let bases = reference.indexed_len() as usize;
    let length = image.parameters_mut().counted_length;
    let counts = word_counts::count(image.section(IndexSection::Text), bases, length);
    image.section_mut(IndexSection::WordCounts).copy_from_slice(&counts);
    Ok(image.finish())
}

/// An image that holds the reference; its transforms, samples, look-up table and counts of words are still zeros.
fn prepare(reference: &Reference, sample_rate: u32) -> Result<IndexImageBuilder, BuildError> {
    if !sample_rate.is_power_of_two() || sample_rate > MAX_SAMPLE_RATE {
        return Err(BuildError::SampleRate(sample_rate));
    }
    let bases = reference.indexed_len();
    let rows = u64::from(bases) + 1;
    let table_length = (bases.ilog2() / 2).saturating_sub(2).clamp(1, MAX_TABLE_LENGTH);
    let counted_length = word_counts::counted_length(bases);
    let blocks = blocks_for(rows) * size_of::<RankBlock>() as u64;
    let length_of = |section: IndexSection| match section {
        IndexSection::Contigs => (reference.contigs().len() * size_of::<ContigRecord>()) as u64,
        IndexSection::Names => stored_reference::names_length(reference) as u64,
        IndexSection::Exceptions => size_of_val(reference.exceptions()) as u64,
        IndexSection::Text => (packed::words_for(bases as usize) * size_of::<u64>()) as u64,
        IndexSection::Forward | IndexSection::Reverse => blocks,
        IndexSection::Samples => rows.div_ceil(u64::from(sample_rate)) * size_of::<u32>() as u64,
        IndexSection::Table => (size_of::<Interval>() as u64) << (2 * table_length),
        IndexSection::WordCounts => {
            (word_counts::elements(counted_length) * size_of::<u64>()) as u64
        }
    };
    let mut lengths = [0; IndexSection::ALL.len()];
    for (length, &section) in lengths.iter_mut().zip(IndexSection::ALL) {
        *length = length_of(section);
    }
    let mut image = IndexImageBuilder::new(lengths);
    stored_reference::store(reference, &mut image);
    image.section_mut(IndexSection::Text).copy_from_slice(reference.packed_text());
    let parameters = image.parameters_mut();
    parameters.source = reference.source();
    parameters.bases = bases;
    parameters.sample_rate = sample_rate;
    parameters.table_length = table_length;
    parameters.counted_length = counted_length;
    Ok(image)
}

/// Fills both transforms and the samples with suffixes that are sorted piece by piece.
fn fill_by_pieces(
    reference: &Reference,
    image: &mut IndexImageBuilder,
) -> Result<(), TooRepetitive> {
    let (words, bases) = (reference.packed_text(), reference.indexed_len() as usize);
    let mut sorter = SuffixSorter::default();
    for is_reversed in [false, true] {
        let sortable = SortableText::new(words, bases, is_reversed);
        let mut filler = TransformFiller::new(image, is_reversed);
        filler.add(&[sortable.empty_suffix()]);
        sorter.sort(&sortable, MOST_WORDS, |rows| filler.add(rows))?;
        filler.finish();
    }
    Ok(())
}

/// Fills both transforms and the samples with suffix arrays of elements `I`.
fn fill_by_arrays<I: OutputElement + IsValidOutputFor<u8> + Into<i64>>(
    mut text: Vec<u8>,
    options: BuildOptions,
    threads: u16,
    image: &mut IndexImageBuilder,
) -> Result<(), LibsaisError> {
    let mut positions: Vec<I> = bytemuck::allocation::zeroed_vec(text.len());
    let each = 1 + size_of::<I>() as u64;
    let at_once = image.total_bytes() + 2 * each * text.len() as u64;
    if rayon::current_num_threads() > 1 && at_once <= options.memory {
        let reversed: Vec<u8> = text.iter().rev().copied().collect();
        let mut of_reversed: Vec<I> = bytemuck::allocation::zeroed_vec(text.len());
        let half = threads.div_ceil(2);
        let (forward, reverse) = rayon::join(
            || sort_suffixes(&text, &mut positions, half),
            || sort_suffixes(&reversed, &mut of_reversed, half),
        );
        forward.and(reverse)?;
        fill_by_array((&text, &positions), false, image);
        fill_by_array((&reversed, &of_reversed), true, image);
    } else {
        sort_suffixes(&text, &mut positions, threads)?;
        fill_by_array((&text, &positions), false, image);
        text.reverse();
        sort_suffixes(&text, &mut positions, threads)?;
        fill_by_array((&text, &positions), true, image);
    }
    Ok(())
}

/// Fills the transform of a text with its suffix array, which is without the empty suffix.
fn fill_by_array<I: Copy + Sync + Into<i64>>(
    (text, positions): (&[u8], &[I]),
    is_reversed: bool,
    image: &mut IndexImageBuilder,
) {
    let row = |position: usize| Row {
        position: position as u32,
        before: position.checked_sub(1).map_or(0, |before| text[before]),
    };
    let mut filler = TransformFiller::new(image, is_reversed);
    filler.add(&[row(text.len())]);
    for positions in positions.chunks(ROWS) {
        let rows = positions.par_iter().map(|&position| row(position.into() as usize));
        filler.add(&rows.collect::<Vec<Row>>());
    }
    filler.finish();
}

/// Sets `positions` to the suffix array of a text.
fn sort_suffixes<I: OutputElement + IsValidOutputFor<u8>>(
    text: &[u8],
    positions: &mut [I],
    threads: u16,
) -> Result<(), LibsaisError> {
    let construction = SuffixArrayConstruction::for_text(text).in_borrowed_buffer(positions);
    if threads < 2 {
        construction.single_threaded().run().map(drop)
    } else {
        construction.multi_threaded(ThreadCount::fixed(threads)).run().map(drop)
    }
}

/// Fills the look-up table, by extension of words in the finished transforms.
fn fill_table(image: &mut IndexImageBuilder) {
    let parameters = *image.parameters_mut();
    let table = {
        let first = parameters.first;
        let transforms = Transforms {
            forward: Bwt {
                blocks: image.section(IndexSection::Forward),
                primary: parameters.forward_primary,
                first,
            },
            reverse: Bwt {
                blocks: image.section(IndexSection::Reverse),
                primary: parameters.reverse_primary,
                first,
            },
        };
        let root = Interval { lo: 0, lo_reverse: 0, size: parameters.bases + 1 };
        transforms.all_words(root, parameters.table_length as usize)
    };
    image.section_mut(IndexSection::Table).copy_from_slice(&table);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of 2^31 bases and more need 64-bit suffix arrays. Both orders of sorting arrays are tried.
    #[test]
    fn all_ways_of_sorting_give_one_index() {
        let mut rng = fastrand::Rng::with_seed(9);
        let letters: Vec<u8> = (0..5000).map(|_| b"ACGT"[rng.usize(0..4)]).collect();
        let reference = Reference::from_records([("text", letters)]).unwrap();
        let options = BuildOptions { sample_rate: 2, memory: 0 };
        let mut narrow = prepare(&reference, options.sample_rate).unwrap();
        fill_by_arrays::<i32>(reference.indexed_codes(), options, 1, &mut narrow).unwrap();
        let mut wide = prepare(&reference, options.sample_rate).unwrap();
        let options = BuildOptions { memory: u64::MAX, ..options };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| fill_by_arrays::<i64>(reference.indexed_codes(), options, 2, &mut wide))
            .unwrap();
        assert!(narrow.section::<u64>(IndexSection::Forward).iter().any(|&word| word != 0));
        let mut by_pieces = prepare(&reference, options.sample_rate).unwrap();
        fill_by_pieces(&reference, &mut by_pieces).unwrap();
        let narrow = narrow.finish();
        for other in [wide.finish(), by_pieces.finish()] {
            for &section in IndexSection::ALL {
                let bytes = narrow.section::<u8>(section);
                assert_eq!(bytes, other.section::<u8>(section), "{}", section.name());
            }
            let parameters = bytemuck::bytes_of(other.parameters());
            assert_eq!(bytemuck::bytes_of(narrow.parameters()), parameters);
        }
    }

    #[test]
    fn a_text_that_repeats_too_much_is_sorted_by_arrays() {
        let mut rng = fastrand::Rng::with_seed(10);
        let letters: Vec<u8> = (0..4000).map(|_| b"ACGT"[rng.usize(0..4)]).collect();
        let reference = Reference::from_records([("text", letters.repeat(9))]).unwrap();
        let text = reference.indexed_codes();
        let options = BuildOptions::default();
        let [mut begun, mut fresh] = [(), ()].map(|()| prepare(&reference, 8).unwrap());
        assert_eq!(fill_by_pieces(&reference, &mut begun), Err(TooRepetitive));
        for image in [&mut begun, &mut fresh] {
            fill_by_arrays::<i32>(text.clone(), options, 1, image).unwrap();
        }
        let (begun, fresh) = (begun.finish(), fresh.finish());
        for &section in IndexSection::ALL {
            let bytes = begun.section::<u8>(section);
            assert_eq!(bytes, fresh.section::<u8>(section), "{}", section.name());
        }
    }
}
