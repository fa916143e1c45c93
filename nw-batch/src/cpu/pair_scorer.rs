//! Scores of aligned pairs of residues, for all lanes of a vector.
//!
//! The rows of a strip have the same residues of the queries in all columns, so what can be done for these once is a profile. By a
//! matrix, each lane has its own pair of letters, and there are two ways to look all of them up:
//!
//! ```text
//!   ProfiledTable   profile: for each lane and letter, its scores in all rows of the strip, which lie together.
//!                   For a column, those of the letter of each lane's target are transposed into a vector for each row.
//!   BlockedTable    where an instruction looks up 128 bytes for each lane (AVX-512): rows of the matrix in blocks of 128 scores.
//!                   Profile: for each row and lane the block, and where the row of the matrix begins in it.
//! ```

// Everything is inlined into the functions that are compiled for one kind of instructions each.
#![allow(clippy::inline_always)]

use super::simd::{Simd, Word};
use crate::scoring::CODES;

/// Biased scores of aligned pairs of residues in strips of `R` rows, for tiles of a few columns.
pub(crate) trait PairScorer<S: Simd<L>, const L: usize, const R: usize>: Copy {
    /// Most columns of a tile.
    const TILE_COLUMNS: usize = usize::MAX;
    /// Values that the rows of a strip have in common in all columns.
    type Profile;
    /// Memory for the scores of a tile, if they are found together.
    type Tile;
    /// Scores of a column, if they are found together.
    type Column;

    /// Profile of a strip, by the codes of the queries' residues in each row.
    fn profile(self, simd: S, query: &[S::Vector; R]) -> Self::Profile;
    /// Memory for a tile.
    fn new_tile(self, simd: S) -> Self::Tile;
    /// Finds the scores of a tile, by the codes of the targets' residues in each of its columns.
    #[inline(always)]
    fn fill_tile(
        self,
        _simd: S,
        _profile: &Self::Profile,
        _targets: &[S::Vector],
        _tile: &mut Self::Tile,
    ) {
    }
    /// Finds the scores of a column, by the codes of the targets' residues.
    fn column(self, simd: S, profile: &Self::Profile, target: &S::Vector) -> Self::Column;
    /// Scores of a row in a column of the tile, by the column's place in the tile.
    fn score(
        self,
        simd: S,
        profile: &Self::Profile,
        tile: &Self::Tile,
        column: (usize, &Self::Column),
        row: usize,
    ) -> S::Vector;
}

/// One score for equal codes and one for different codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchMismatch<W> {
    pub equal: W,
    pub different: W,
}

impl<S: Simd<L>, const L: usize, const R: usize> PairScorer<S, L, R> for MatchMismatch<S::Word> {
    type Profile = [S::Vector; R];
    type Tile = ();
    /// Codes of the targets' residues.
    type Column = S::Vector;

    #[inline(always)]
    fn profile(self, _simd: S, query: &[S::Vector; R]) -> [S::Vector; R] {
        *query
    }

    #[inline(always)]
    fn new_tile(self, _simd: S) {}

    #[inline(always)]
    fn column(self, _simd: S, _profile: &[S::Vector; R], target: &S::Vector) -> S::Vector {
        *target
    }

    #[inline(always)]
    fn score(
        self,
        simd: S,
        profile: &[S::Vector; R],
        _tile: &(),
        (_, target): (usize, &S::Vector),
        row: usize,
    ) -> S::Vector {
        let (equal, different) = (simd.splat(self.equal), simd.splat(self.different));
        simd.select_equal(profile[row], *target, equal, different)
    }
}

/// A score for each pair of codes.
#[derive(Debug, Clone)]
pub(crate) struct ScoreTable<W> {
    /// Rows by the query's code, of a score for each of the target's codes.
    scores: Box<[[W; CODES]; CODES]>,
    /// Scores of the first letters in up to one block, in up to two, and so on, until all letters have theirs.
    blocks: Vec<ScoreBlocks<W>>,
}

/// Scores of a block.
pub(crate) const BLOCK_SCORES: usize = 128;

/// The most blocks of a table: with the most letters, a block has four rows.
pub(crate) const MAX_BLOCKS: usize = CODES.div_ceil(BLOCK_SCORES / CODES);

/// Rows of a table in blocks of up to [`BLOCK_SCORES`] scores.
#[derive(Debug, Clone)]
pub(crate) struct ScoreBlocks<W> {
    pub scores: Box<[[W; BLOCK_SCORES]; MAX_BLOCKS]>,
    /// Number of letters, from the first on, whose pairs have their scores in the blocks.
    letters: usize,
    /// Block of the row of each code of the query.
    pub blocks: [i8; 2 * CODES],
    /// Index of the row's first score in the block.
    pub begins: [i8; 2 * CODES],
}

impl<W: Word> ScoreTable<W> {
    /// The table of an alphabet of so many letters, at least one, whose pairs have these scores: [`CODES`] rows by the query's code, of
    /// as many scores by the target's.
    pub fn new(letters: usize, pair_scores: impl Iterator<Item = W>) -> Self {
        let mut scores = Box::new([[W::default(); CODES]; CODES]);
        let cells = scores.as_flattened_mut().iter_mut();
        cells.zip(pair_scores).for_each(|(cell, score)| *cell = score);
        let blocks_of = |letters: usize| letters.div_ceil(BLOCK_SCORES / letters);
        let most_letters = |count: usize| {
            let fit = (1..=letters).filter(|&letters| blocks_of(letters) <= count);
            fit.max().unwrap_or(letters)
        };
        let blocks = (1..=blocks_of(letters))
            .map(|count| ScoreBlocks::new(&scores, most_letters(count)))
            .collect();
        Self { scores, blocks }
    }

    /// Scores of a code of the query with each code of the target. Codes are below [`CODES`].
    #[inline(always)]
    pub fn row(&self, query: W) -> &[W; CODES] {
        &self.scores[query.into() as usize % CODES]
    }

    /// Score of a pair of codes, which are below [`CODES`].
    #[inline(always)]
    pub fn score(&self, query: W, target: W) -> W {
        self.row(query)[target.into() as usize % CODES]
    }

    /// The least number of blocks that have the scores of all pairs of codes up to `greatest`, which is a letter's.
    pub fn block_count(&self, greatest: u8) -> usize {
        1 + self.blocks.partition_point(|blocks| blocks.letters <= greatest.into())
    }

    /// The scores of as many letters as up to `count` blocks have room for.
    pub fn blocks(&self, count: usize) -> &ScoreBlocks<W> {
        &self.blocks[count.min(self.blocks.len()) - 1]
    }
}

impl<W: Word> ScoreBlocks<W> {
    /// The scores of a table's first `letters`, in as many whole rows a block as it has room for.
    fn new(scores: &[[W; CODES]; CODES], letters: usize) -> Self {
        let mut blocks = Self {
            scores: Box::new([[W::default(); BLOCK_SCORES]; MAX_BLOCKS]),
            letters,
            blocks: [0; 2 * CODES],
            begins: [0; 2 * CODES],
        };
        let rows = BLOCK_SCORES / letters;
        for (code, row) in scores.iter().take(letters).enumerate() {
            let (block, begin) = (code / rows, code % rows * letters);
            blocks.scores[block][begin..begin + letters].copy_from_slice(&row[..letters]);
            (blocks.blocks[code], blocks.begins[code]) = (block as i8, begin as i8);
        }
        blocks
    }
}

/// Look-up by the scores of each lane's rows, which lie together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfiledTable<'t, W>(pub &'t ScoreTable<W>);

impl<'t, W> From<&'t ScoreTable<W>> for ProfiledTable<'t, W> {
    fn from(table: &'t ScoreTable<W>) -> Self {
        Self(table)
    }
}

impl<S: Simd<L>, const L: usize, const R: usize> PairScorer<S, L, R>
    for ProfiledTable<'_, S::Word>
{
    /// For each lane and code of its target, the scores of all rows.
    type Profile = Box<[[[S::Word; R]; CODES]; L]>;
    type Tile = ();
    type Column = [S::Vector; R];

    #[inline(always)]
    fn profile(self, simd: S, query: &[S::Vector; R]) -> Self::Profile {
        let mut profile = Box::new([[[S::Word::default(); R]; CODES]; L]);
        for lane in 0..L {
            let mut rows = [self.0.row(S::Word::default()); R];
            for row in 0..R {
                rows[row] = self.0.row(simd.words(&query[row])[lane]);
            }
            for code in 0..CODES {
                for row in 0..R {
                    profile[lane][code][row] = rows[row][code];
                }
            }
        }
        profile
    }

    #[inline(always)]
    fn new_tile(self, _simd: S) {}

    #[inline(always)]
    fn column(self, simd: S, profile: &Self::Profile, target: &S::Vector) -> [S::Vector; R] {
        let mut rows = [[S::Word::default(); R]; L];
        let codes = simd.words(target);
        for lane in 0..L {
            rows[lane] = profile[lane][codes[lane].into() as usize % CODES];
        }
        let mut scores = [*target; R];
        for row in 0..R {
            let mut words = [S::Word::default(); L];
            for lane in 0..L {
                words[lane] = rows[lane][row];
            }
            scores[row] = simd.vector(&words);
        }
        scores
    }

    #[inline(always)]
    fn score(
        self,
        _simd: S,
        _profile: &Self::Profile,
        _tile: &(),
        (_, scores): (usize, &[S::Vector; R]),
        row: usize,
    ) -> S::Vector {
        scores[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_scores_of_their_letters() {
        for letters in 1..=CODES {
            let score = |index: usize| (index * 7 % 251) as i16;
            let table = ScoreTable::new(letters, (0..CODES * CODES).map(score));
            for greatest in 0..letters {
                let count = table.block_count(greatest as u8);
                let blocks = table.blocks(count);
                assert!(count == 1 || table.blocks(count - 1).letters <= greatest);
                for (query, target) in
                    (0..=greatest).flat_map(|q| (0..=greatest).map(move |t| (q, t)))
                {
                    assert!(usize::from(blocks.blocks[query].unsigned_abs()) < count);
                    let block = &blocks.scores[blocks.blocks[query] as usize];
                    let found = block[blocks.begins[query] as usize + target];
                    assert_eq!(found, score(query * CODES + target), "{letters} letters");
                }
            }
        }
        // The letters of proteins, and those without the ambiguous ones.
        let table = ScoreTable::new(24, (0..CODES * CODES).map(|_| 0_i8));
        assert_eq!((table.block_count(23), table.block_count(19)), (5, 4));
    }
}
