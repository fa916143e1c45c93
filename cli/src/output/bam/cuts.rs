//! Where the blocks of a file begin and end: between records, if these are not larger than a block.

use std::ops::Range;

use aligner_core::bgzf::CONTENT_BYTES;

/// A block to be: ranges of the bytes that are to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub content: Range<usize>,
    /// The records that end in the block. They begin there too, but for a record that is larger than a block.
    pub records: Range<usize>,
}

/// The full blocks of records of these sizes, and the bytes behind them, which do not fill a block.
pub fn cuts(sizes: impl Iterator<Item = u32>) -> (Vec<Cut>, Range<usize>) {
    let mut cuts = Vec::new();
    // Where the current block and the current record begin.
    let (mut block, mut at) = (0, 0);
    for size in sizes {
        let size = size as usize;
        if at + size - block > CONTENT_BYTES {
            if at > block {
                cuts.push(Cut { content: block..at, records: block..at });
            }
            block = at;
        }
        let end = at + size;
        if size > CONTENT_BYTES {
            while block < end {
                let content = block..end.min(block + CONTENT_BYTES);
                let records = if content.end == end { at..end } else { block..block };
                block = content.end;
                cuts.push(Cut { content, records });
            }
        }
        at = end;
    }
    (cuts, block..at)
}

/// Cuts in batches of at most so many, which have about one size: a GPU takes about as long for a few contents as for many.
pub fn in_batches(cuts: &[Cut], most: usize) -> impl Iterator<Item = &[Cut]> {
    let batches = cuts.len().div_ceil(most).max(1);
    cuts.chunks(cuts.len().div_ceil(batches).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_whole_records() {
        let sizes = [[60_000, 5_280].as_slice(), &[100], &[140_000, 7]];
        let cuts = |sizes: &[&[u32]]| cuts(sizes.concat().into_iter());
        let cut = |content: Range<usize>, records: Range<usize>| Cut { content, records };
        let large = 65_380..205_380;
        let expected = [
            cut(0..65_280, 0..65_280),
            cut(65_280..65_380, 65_280..65_380),
            cut(65_380..130_660, 65_380..65_380),
            cut(130_660..195_940, 130_660..130_660),
            cut(195_940..205_380, large),
        ];
        let (found, rest) = cuts(&sizes);
        assert_eq!((found.as_slice(), rest), (&expected[..], 205_380..205_387));
        let (found, rest) = cuts(&sizes[..2]);
        assert_eq!((found.as_slice(), rest), (&expected[..1], 65_280..65_380));
        let (found, rest) = cuts(&[]);
        assert_eq!((found.as_slice(), rest), (&[][..], 0..0));
    }
}
