//! Building: suffix arrays of the text and of the reversed text by libsais, one after the other in
//! the same memory, each reduced at once to rank blocks (and samples).

use libsais::{
    IsValidOutputFor, LIBSAIS_I32_OUTPUT_MAXIMUM_SIZE, LibsaisError, OutputElement,
    SuffixArrayConstruction, ThreadCount,
};
use rayon::prelude::*;

use crate::contigs::{self, ContigRecord};
use crate::error::IndexError;
use crate::header::Section;
use crate::image::{Image, ImageBuilder};
use crate::packed;
use crate::rank::{Bwt, RankBlock, SYMBOLS_PER_BLOCK, blocks_for};
use crate::reference::Reference;
use crate::search::{Interval, Transforms};

/// Longest word of the look-up table.
const MAX_TABLE_LENGTH: u32 = 12;

/// Bases of a text from which on threads sort its suffixes together. libsais's threads spin while they
/// wait for each other, and on busy cores made sorting of shorter texts 20 times slower.
const SORTED_TOGETHER: usize = 1 << 28;

/// How to build an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// Rows between samples of the suffix array: a power of two from 1 to 64. Locating an
    /// occurrence takes about so many steps; the samples take 4 bytes a base, divided by it.
    pub sample_rate: u32,
}

impl Default for BuildOptions {
    /// Sample rate 8.
    fn default() -> Self {
        Self { sample_rate: 8 }
    }
}

pub(crate) fn build(reference: &Reference, options: BuildOptions) -> Result<Image, IndexError> {
    let mut image = prepare(reference, options.sample_rate)?;
    let text = reference.indexed_codes();
    let threads = match text.len() {
        SORTED_TOGETHER.. => u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX),
        _ => 1,
    };
    let transforms = if text.len() < LIBSAIS_I32_OUTPUT_MAXIMUM_SIZE {
        fill_transforms::<i32>(text, options, threads, &mut image)
    } else {
        fill_transforms::<i64>(text, options, threads, &mut image)
    };
    transforms.map_err(|error| {
        IndexError::SuffixArray(match error {
            LibsaisError::OutOfMemory => "out of memory",
            LibsaisError::InvalidInput => "invalid input",
            LibsaisError::UnknownError => "unknown error",
        })
    })?;
    fill_table(&mut image);
    Ok(image.finish())
}

/// An image with the reference in it; the transforms, samples and table are to be filled.
fn prepare(reference: &Reference, sample_rate: u32) -> Result<ImageBuilder, IndexError> {
    if !sample_rate.is_power_of_two() || sample_rate > 64 {
        return Err(IndexError::SampleRate(sample_rate));
    }
    let bases = reference.indexed_len();
    let rows = u64::from(bases) + 1;
    let table_length = (bases.ilog2() / 2).saturating_sub(2).clamp(1, MAX_TABLE_LENGTH);
    let blocks = blocks_for(rows) * size_of::<RankBlock>() as u64;
    let mut image = ImageBuilder::new(Section::ALL.map(|section| match section {
        Section::Contigs => (reference.contigs().len() * size_of::<ContigRecord>()) as u64,
        Section::Names => contigs::names_length(reference) as u64,
        Section::Exceptions => size_of_val(reference.exceptions()) as u64,
        Section::Text => (packed::words_for(bases as usize) * size_of::<u64>()) as u64,
        Section::Forward | Section::Reverse => blocks,
        Section::Samples => rows.div_ceil(u64::from(sample_rate)) * size_of::<u32>() as u64,
        Section::Table => (size_of::<Interval>() as u64) << (2 * table_length),
    }));
    contigs::store(reference, &mut image);
    image.section_mut(Section::Text).copy_from_slice(reference.words());
    let numbers = image.numbers_mut();
    numbers.source = reference.source();
    numbers.bases = bases;
    numbers.sample_rate = sample_rate;
    numbers.table_length = table_length;
    Ok(image)
}

/// Fills the sections of both transforms and the samples.
fn fill_transforms<I: OutputElement + IsValidOutputFor<u8> + Into<i64>>(
    mut text: Vec<u8>,
    options: BuildOptions,
    threads: u16,
    image: &mut ImageBuilder,
) -> Result<(), LibsaisError> {
    let mut positions: Vec<I> = bytemuck::allocation::zeroed_vec(text.len());

    sort_suffixes(&text, &mut positions, threads)?;
    let suffixes = Suffixes { text: &text, positions: &positions };
    let samples: &mut [u32] = image.section_mut(Section::Samples);
    samples.par_iter_mut().enumerate().for_each(|(i, sample)| {
        *sample = suffixes.position(i * options.sample_rate as usize) as u32;
    });
    let blocks: &mut [RankBlock] = image.section_mut(Section::Forward);
    let forward_primary = suffixes.fill_blocks(blocks);
    let all = Bwt { blocks, primary: forward_primary, first: [0; 4] }.rank4(text.len() as u32 + 1);

    text.reverse();
    sort_suffixes(&text, &mut positions, threads)?;
    let suffixes = Suffixes { text: &text, positions: &positions };
    let reverse_primary = suffixes.fill_blocks(image.section_mut(Section::Reverse));

    let numbers = image.numbers_mut();
    numbers.forward_primary = forward_primary;
    numbers.reverse_primary = reverse_primary;
    numbers.first = [1, 1 + all[0], 1 + all[0] + all[1], 1 + all[0] + all[1] + all[2]];
    Ok(())
}

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

/// A text and its suffix array without the empty suffix, as libsais gives it.
struct Suffixes<'a, I> {
    text: &'a [u8],
    positions: &'a [I],
}

impl<I: Copy + Sync + Into<i64>> Suffixes<'_, I> {
    /// Where the suffix of a row starts; row 0 is the empty suffix.
    fn position(&self, row: usize) -> usize {
        match row.checked_sub(1) {
            Some(i) => self.positions[i].into() as usize,
            None => self.text.len(),
        }
    }

    /// Fills zeroed rank blocks; returns the row of the whole text.
    fn fill_blocks(&self, blocks: &mut [RankBlock]) -> u32 {
        let per_block = SYMBOLS_PER_BLOCK as usize;
        // One block holds the primary, which is never row 0; the others add nothing.
        let primary = blocks
            .par_iter_mut()
            .enumerate()
            .map(|(i, block)| {
                let rows = i * per_block..((i + 1) * per_block).min(self.text.len() + 1);
                let mut primary = 0;
                for (place, row) in rows.enumerate() {
                    match self.position(row).checked_sub(1) {
                        Some(before) => block.set(place, self.text[before]),
                        None => primary = row as u32,
                    }
                }
                primary
            })
            .sum();
        let mut counts = [0; 4];
        for block in blocks {
            let after = block.counts_before(SYMBOLS_PER_BLOCK);
            block.counts = counts;
            for (count, in_block) in counts.iter_mut().zip(after) {
                *count += in_block;
            }
        }
        primary
    }
}

/// Fills the look-up table from the transforms.
fn fill_table(image: &mut ImageBuilder) {
    let numbers = *image.numbers_mut();
    let table = {
        let first = numbers.first;
        let transforms = Transforms {
            forward: Bwt {
                blocks: image.section(Section::Forward),
                primary: numbers.forward_primary,
                first,
            },
            reverse: Bwt {
                blocks: image.section(Section::Reverse),
                primary: numbers.reverse_primary,
                first,
            },
        };
        let root = Interval { lo: 0, lo_reverse: 0, size: numbers.bases + 1 };
        transforms.all_words(root, numbers.table_length as usize)
    };
    image.section_mut(Section::Table).copy_from_slice(&table);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of 2^31 bases and more take 64-bit suffix arrays, which threads sort together.
    #[test]
    fn both_widths_of_suffix_arrays_give_one_index() {
        let mut rng = fastrand::Rng::with_seed(9);
        let letters: Vec<u8> = (0..5000).map(|_| b"ACGT"[rng.usize(0..4)]).collect();
        let reference = Reference::from_records([("text", letters)]).unwrap();
        let options = BuildOptions { sample_rate: 2 };
        let mut narrow = prepare(&reference, options.sample_rate).unwrap();
        fill_transforms::<i32>(reference.indexed_codes(), options, 1, &mut narrow).unwrap();
        let mut wide = prepare(&reference, options.sample_rate).unwrap();
        fill_transforms::<i64>(reference.indexed_codes(), options, 2, &mut wide).unwrap();
        assert!(narrow.section::<u64>(Section::Forward).iter().any(|&word| word != 0));
        let (narrow, wide) = (narrow.finish(), wide.finish());
        for section in Section::ALL {
            let bytes = narrow.section::<u8>(section);
            assert_eq!(bytes, wide.section::<u8>(section), "{}", section.name());
        }
        assert_eq!(bytemuck::bytes_of(narrow.numbers()), bytemuck::bytes_of(wide.numbers()));
    }
}
