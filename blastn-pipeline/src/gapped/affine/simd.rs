//! What [`super`] does cell by cell, for sixteen cells of a row at a time: with AVX2.
//!
//! A gap that skips columns goes on along a row, so a cell depends on all before it. Scores that rise by what a
//! gap costs a column take the place of those that fall along the gap: then a gap's best begin is the greatest
//! of the scores before, a prefix maximum, which takes four steps for sixteen lanes.
//!
//! Scores have 16 bits, relative to a base that follows the best one. A dead cell has the least number, and what comes
//! of that is dead again, as it rises by less than it is below all live ones.

mod lanes;

use std::arch::x86_64::{
    __m128i, _mm_shuffle_epi8, _mm256_adds_epi16, _mm256_blendv_epi8, _mm256_cmpeq_epi16,
    _mm256_cmpgt_epi16, _mm256_cvtepi8_epi16, _mm256_max_epi16, _mm256_or_si256, _mm256_subs_epi16,
};

use self::lanes::{
    DEAD, LANES, Lanes, behind, bits, bytes_of, first_of, last_lane, letters, load, packed_ints,
    prefix_max, shifted, splat, store,
};
use super::{COLUMN_GOES_ON, Extension, PAIR, ROW_GOES_ON, SKIP_COLUMN, SKIP_ROW, Sides, Work};
use crate::gapped::side::Side;
use crate::scoring::Scoring;

/// Scores may rise so far before the base follows.
const HIGH: i32 = 16_000;

/// The most by which scores may drop, and what a gap of one column, and the pair of two letters, may cost.
const MOST_DROP: i32 = 8_000;
const MOST_COST: i32 = 120;

/// The score of a pair that must not be, as a byte.
const FORBIDDEN: i8 = i8::MIN;

/// The last row, by column. Behind those that were ever live all cells are dead.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// Best scores of ways that end in each cell.
    best: Vec<i16>,
    /// Best scores of ways whose next step skips a row.
    gap: Vec<i16>,
}

impl Cells {
    pub(crate) fn clear(&mut self) {
        self.best.clear();
        self.gap.clear();
    }

    /// Makes room for the cells before `end`.
    fn reach(&mut self, end: usize) {
        if self.best.len() < end {
            let end = end.next_multiple_of(8 * LANES);
            self.best.resize(end, DEAD as i16);
            self.gap.resize(end, DEAD as i16);
        }
    }

    /// Both scores of the cells from a column on, a lane each.
    fn at(&mut self, column: usize) -> (&mut [i16], &mut [i16]) {
        self.reach(column + LANES);
        let range = column..column + LANES;
        (&mut self.best[range.clone()], &mut self.gap[range])
    }
}

/// Whether 16 bits suffice for the scores of such sides, whatever the sequences.
pub(crate) fn fits(sides: &Sides<'_>) -> bool {
    let Scoring { reward, penalty, .. } = *sides.scoring;
    let (open, more, x_drop) = sides.limits();
    let costs = [reward, -penalty, open, more];
    x_drop <= MOST_DROP && costs.iter().all(|cost| (0..=MOST_COST).contains(cost))
}

/// Extends to one side, as [`super::extend`], for what [`fits`].
#[target_feature(enable = "avx2")]
pub(crate) fn extend<const REVERSE: bool, const TRACE: bool>(
    sides: &Sides<'_>,
    work: &mut Work,
) -> Extension {
    let Sides { rows, columns, matrix, .. } = *sides;
    let (open, more, x_drop) = sides.limits();
    let costs = Costs::new(open, more);
    let (height, width) = (rows.len::<REVERSE>(), columns.len::<REVERSE>());
    work.clear();
    if height == 0 || width == 0 {
        return Extension::default();
    }
    let mut band = Band { first: 0, last: 0, best: 0, found: (0, 0), x_drop };
    work.begin_row(0);
    band.begin(width, &costs, &mut work.across);
    if TRACE {
        work.sources.resize(band.last + 1, SKIP_COLUMN);
    }
    let mut base = 0;
    for number in 1..=height {
        // The last column that a pair may end in. The first row differs, as in NCBI's program.
        let reach = if number == 1 { band.last } else { band.last + 1 };
        let scores = packed_ints(matrix.row(rows.letter::<REVERSE>(number - 1)));
        if TRACE {
            work.begin_row(band.first);
        }
        let row = Row { number, reach: reach.min(width), scores };
        if !band.go_on::<REVERSE, TRACE>(&row, columns, &costs, work) {
            break;
        }
        if band.best > HIGH {
            base += band.best;
            band.rebase(&mut work.across);
        }
    }
    Extension { score: base + band.best, rows: band.found.0, columns: band.found.1 }
}

/// Costs of gaps.
struct Costs {
    /// Of the first column, and of each more.
    open: i32,
    more: i32,
    /// What scores rise by: the cost of as many columns as there are lanes before each.
    rise: Lanes,
    /// What a risen score falls by for a gap that ends in each lane.
    fall: Lanes,
}

impl Costs {
    #[target_feature(enable = "avx2")]
    fn new(open: i32, more: i32) -> Self {
        let rise: [i16; LANES] = std::array::from_fn(|lane| (more * lane as i32) as i16);
        let fall = rise.map(|rise| rise + (open - more) as i16);
        Self { open, more, rise: load(&rise), fall: load(&fall) }
    }
}

/// A row's letter.
struct Row {
    number: usize,
    /// The last column that a pair may end in.
    reach: usize,
    /// Of the letter with all others, a byte each.
    scores: __m128i,
}

/// The live cells of a row, and the best score so far.
struct Band {
    first: usize,
    last: usize,
    /// Relative to the base, as all scores of 16 bits.
    best: i32,
    /// Row and column of the best score.
    found: (usize, usize),
    x_drop: i32,
}

impl Band {
    /// The row before all letters.
    fn begin(&mut self, width: usize, costs: &Costs, cells: &mut Cells) {
        let mut score = 0;
        for column in 0..=width {
            if score < -self.x_drop {
                break;
            }
            cells.reach(column + 1);
            cells.best[column] = score as i16;
            cells.gap[column] = (score - costs.open) as i16;
            self.last = column;
            score -= if column == 0 { costs.open } else { costs.more };
        }
    }

    /// Scores the next row; false if none of its cells is live.
    #[target_feature(enable = "avx2")]
    fn go_on<const REVERSE: bool, const TRACE: bool>(
        &mut self,
        row: &Row,
        columns: Side<'_>,
        costs: &Costs,
        work: &mut Work,
    ) -> bool {
        let width = columns.len::<REVERSE>();
        let dead = splat(DEAD);
        let (open, more, drop) = (splat(costs.open), splat(costs.more), splat(self.x_drop));
        let (mut first, mut last) = (usize::MAX, 0);
        let mut before = dead; // of the last row, the cells before those at `column`
        let mut begin = DEAD; // the best begin of a gap that skips columns, risen as the next lanes are
        let mut column = self.first;
        while column <= width {
            let gap_so_far = begin + costs.more - costs.open;
            if column > row.reach && gap_so_far < self.best - self.x_drop {
                break;
            }
            let (best_cells, gap_cells) = work.across.at(column);
            let (above, row_gap) = (load(best_cells), load(gap_cells));

            let letters = letters::<REVERSE>(columns, column, width);
            let scored = _mm256_cvtepi8_epi16(_mm_shuffle_epi8(row.scores, letters));
            let forbidden = _mm256_cmpeq_epi16(scored, splat(FORBIDDEN.into()));
            let mut pair = _mm256_adds_epi16(shifted(before, above), scored);
            pair = _mm256_blendv_epi8(pair, dead, forbidden);
            if column + LANES > row.reach + 1 {
                pair = _mm256_blendv_epi8(pair, dead, behind(row.reach, column));
            }
            before = above;
            let straight = _mm256_max_epi16(pair, row_gap);
            let begins = prefix_max(_mm256_adds_epi16(straight, costs.rise));
            let earlier = _mm256_max_epi16(shifted(dead, begins), splat(begin));
            let column_gap = _mm256_subs_epi16(earlier, costs.fall);
            let mut score = _mm256_max_epi16(straight, column_gap);
            if column + LANES > width + 1 {
                score = _mm256_blendv_epi8(score, dead, behind(width, column));
            }

            let mut best = splat(self.best);
            if bits(_mm256_cmpgt_epi16(score, best)) != 0 {
                let through = prefix_max(score);
                best = _mm256_max_epi16(shifted(dead, through), best);
                self.best = last_lane(through);
                let at_best = bits(_mm256_cmpeq_epi16(score, splat(self.best)));
                self.found = (row.number, column + first_of(at_best));
            }
            let is_dead = _mm256_cmpgt_epi16(_mm256_subs_epi16(best, drop), score);
            let opened = _mm256_subs_epi16(score, open);
            let longer_row = _mm256_subs_epi16(row_gap, more);
            let gap = _mm256_max_epi16(longer_row, opened);
            store(best_cells, _mm256_blendv_epi8(score, dead, is_dead));
            store(gap_cells, _mm256_blendv_epi8(gap, dead, is_dead));
            let live = !bits(is_dead);
            if live != 0 {
                first = first.min(column + first_of(live));
                last = column + LANES - 1 - live.leading_zeros() as usize / 2;
            }
            if TRACE {
                let longer_column = _mm256_subs_epi16(column_gap, more);
                let skips_row = _mm256_cmpgt_epi16(row_gap, pair);
                let skips_column = _mm256_cmpgt_epi16(column_gap, straight);
                let row_ends = _mm256_cmpgt_epi16(opened, longer_row);
                let column_ends = _mm256_cmpgt_epi16(opened, longer_column);
                let number = |source: u8| splat(source.into());
                let from = _mm256_blendv_epi8(number(PAIR), number(SKIP_ROW), skips_row);
                let from = _mm256_blendv_epi8(from, number(SKIP_COLUMN), skips_column);
                let row = _mm256_blendv_epi8(number(ROW_GOES_ON), number(0), row_ends);
                let column = _mm256_blendv_epi8(number(COLUMN_GOES_ON), number(0), column_ends);
                let sources = _mm256_or_si256(from, _mm256_or_si256(row, column));
                work.sources.extend_from_slice(&bytes_of(sources));
            }
            begin = (last_lane(begins).max(begin) - costs.more * LANES as i32).max(DEAD);
            column += LANES;
        }
        (self.first, self.last) = (first, last);
        first != usize::MAX
    }

    /// Makes scores relative to the best one.
    fn rebase(&mut self, cells: &mut Cells) {
        for column in self.first..=self.last {
            for scores in [&mut cells.best, &mut cells.gap] {
                scores[column] = scores[column].saturating_sub(self.best as i16);
            }
        }
        self.best = 0;
    }
}
