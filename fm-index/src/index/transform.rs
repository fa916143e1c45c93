//! Filling the rank blocks and the samples of a transform with the sorted suffixes of its text.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::rank::{Bwt, RankBlock, SYMBOLS_PER_BLOCK};
use super::suffix_sort::Row;
use crate::image::{IndexImageBuilder, IndexSection};

/// A transform of an image that gets its rows in order.
pub struct TransformFiller<'i> {
    image: &'i mut IndexImageBuilder,
    /// The section of the blocks.
    section: IndexSection,
    /// Rows between samples, if there are samples.
    sample_rate: Option<usize>,
    /// The number of the row that is added next.
    row: usize,
    /// The row of the whole text, once it has come.
    primary: u32,
}

impl<'i> TransformFiller<'i> {
    /// The transform of the text, which has samples, or that of the reversed text. It has no rows yet.
    pub fn new(image: &'i mut IndexImageBuilder, is_reversed: bool) -> Self {
        let rate = image.parameters_mut().sample_rate as usize;
        let (section, sample_rate) = if is_reversed {
            (IndexSection::Reverse, None)
        } else {
            (IndexSection::Forward, Some(rate))
        };
        let blocks: &mut [RankBlock] = image.section_mut(section);
        blocks.par_iter_mut().for_each(|block| *block = RankBlock::zeroed());
        Self { image, section, sample_rate, row: 0, primary: 0 }
    }

    /// Adds the next rows of the transform.
    pub fn add(&mut self, rows: &[Row]) {
        let begin = self.row;
        if let Some(rate) = self.sample_rate {
            let first = begin.next_multiple_of(rate);
            let samples: &mut [u32] = self.image.section_mut(IndexSection::Samples);
            let samples = samples.get_mut(first / rate..).unwrap_or_default();
            let sampled = rows.par_iter().skip(first - begin).step_by(rate);
            samples.par_iter_mut().zip(sampled).for_each(|(sample, row)| *sample = row.position);
        }
        let per_block = SYMBOLS_PER_BLOCK as usize;
        let blocks: &mut [RankBlock] = self.image.section_mut(self.section);
        // The block that may have rows already, and those behind it.
        let (place, blocks) = (begin % per_block, &mut blocks[begin / per_block..]);
        let (first, others) = rows.split_at((per_block - place).min(rows.len()));
        let (block, behind) = blocks.split_at_mut(1);
        let of_first = fill(&mut block[0], place, (begin, first));
        let others_begin = begin + first.len();
        let behind = behind.par_iter_mut().zip(others.par_chunks(per_block)).enumerate();
        let of_others = behind.map(|(number, (block, rows))| {
            fill(block, 0, (others_begin + number * per_block, rows))
        });
        // One has the row of the whole text at most; the others give 0.
        self.primary += of_first + of_others.sum::<u32>();
        self.row += rows.len();
    }

    /// Sets the counts of the blocks and the numbers of the image, once all rows have come.
    pub fn finish(self) {
        let Self { image, section, primary, row, .. } = self;
        let blocks: &mut [RankBlock] = image.section_mut(section);
        let mut counts = [0; 4];
        for block in &mut *blocks {
            let after = block.counts_before(SYMBOLS_PER_BLOCK);
            block.counts = counts;
            for (count, in_block) in counts.iter_mut().zip(after) {
                *count += in_block;
            }
        }
        // Both transforms have the same bases.
        let [a, c, g, _] = Bwt { blocks, primary, first: [0; 4] }.rank4(row as u32);
        let parameters = image.parameters_mut();
        parameters.first = [1, 1 + a, 1 + a + c, 1 + a + c + g];
        match section {
            IndexSection::Reverse => parameters.reverse_primary = primary,
            _ => parameters.forward_primary = primary,
        }
    }
}

/// Sets the symbols of a block from `place` on to those of rows, the first of which is row `begin`. Returns the row of the whole
/// text, or 0 if it is none of these.
fn fill(block: &mut RankBlock, place: usize, (begin, rows): (usize, &[Row])) -> u32 {
    let mut primary = 0;
    for (number, row) in rows.iter().enumerate() {
        match row.position {
            0 => primary = (begin + number) as u32,
            _ => block.set(place + number, row.before),
        }
    }
    primary
}
