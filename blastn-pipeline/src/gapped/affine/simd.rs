//! Extension with affine gap costs for sixteen cells of a row at a time, with AVX2.
//!
//! A gap that skips columns goes on along a row, so a cell depends on all cells before it. To score them side by side, each
//! lane's score is raised by the cost of a gap from lane 0 up to it. In raised scores a gap costs nothing for its length, so its
//! best begin is the greatest score of the lanes before: a prefix maximum, in four steps for sixteen lanes.
//!
//! ```text
//!   lane               0    1    2    3      a gap of one column costs 7, each further column 2
//!   score             10    4    .    .
//!   raised (+ 2*lane) 10    6    .    .
//!   prefix maximum    10   10   10   10      best begin of a gap to the next lane
//!   lowered (- fall)   .    3    1   -1      score with a gap: 10 - 7, 10 - 9, 10 - 11
//! ```
//!
//! Scores have 16 bits, relative to a base that follows the best one. A dead cell has the least number. All additions saturate,
//! and what follows from a dead cell is dead again: it rises by less than live cells are above it.
//!
//! # Safety
//! Functions marked `#[target_feature(enable = "avx2")]` may be called only on processors with AVX2; the only `unsafe` calls, in
//! [`super::extend`], are behind such a check. Loads and stores go through slices of checked length in `lanes`.

pub(super) mod bytes;
pub(super) mod cells;
mod lanes;

use std::arch::x86_64::{
    __m128i, _mm_shuffle_epi8, _mm256_adds_epi16, _mm256_blendv_epi8, _mm256_cmpeq_epi16,
    _mm256_cmpgt_epi16, _mm256_cvtepi8_epi16, _mm256_max_epi16, _mm256_or_si256, _mm256_subs_epi16,
};

use self::cells::SimdCells;
use self::lanes::{
    DEAD, LANES, Lanes, behind, bits, bytes_of, first_of, last_lane, letters, load, packed_ints,
    prefix_max, shifted, splat, store,
};
use super::side_pair::{AffineReach, ExtensionLimits, SidePair};
use super::workspace::{AffineBuffers, COLUMN_GOES_ON, PAIR, ROW_GOES_ON, SKIP_COLUMN, SKIP_ROW};
use crate::gapped::side::SequenceSide;
use crate::scoring::Scoring;

/// The greatest score before the base follows.
const HIGH: i32 = 16_000;

/// The greatest X-drop for which 16 bits suffice.
const MOST_DROP: i32 = 8_000;

/// The greatest cost of a gap of one column, or of a pair of letters, for which 16 bits suffice.
const MOST_COST: i32 = 120;

/// The score of a pair that is not allowed, as a byte.
const FORBIDDEN: i8 = i8::MIN;

/// Whether 16 bits suffice for the scores of an extension, whatever the sequences.
pub(crate) fn fits(sides: &SidePair<'_>) -> bool {
    let Scoring { reward, penalty, .. } = *sides.scoring;
    let ExtensionLimits { first_gap: open, more_gap: more, x_drop } = sides.limits();
    let costs = [reward, -penalty, open, more];
    x_drop <= MOST_DROP && costs.iter().all(|cost| (0..=MOST_COST).contains(cost))
}

/// Extends to one side as [`super::extend`], for sides that [`fits`] admits.
#[target_feature(enable = "avx2")]
pub(crate) fn extend<const REVERSE: bool, const TRACE: bool>(
    sides: &SidePair<'_>,
    work: &mut AffineBuffers,
) -> AffineReach {
    let SidePair { rows, columns, matrix, .. } = *sides;
    let ExtensionLimits { first_gap: open, more_gap: more, x_drop } = sides.limits();
    let costs = GapCosts::new(open, more);
    let (height, width) = (rows.len::<REVERSE>(), columns.len::<REVERSE>());
    work.clear();
    if height == 0 || width == 0 {
        return AffineReach::default();
    }
    let mut band = Band { first: 0, last: 0, best: 0, found: (0, 0), x_drop };
    work.begin_row(0);
    band.begin(width, &costs, &mut work.simd_cells);
    if TRACE {
        work.sources.resize(band.last + 1, SKIP_COLUMN);
    }
    let mut base = 0;
    for number in 1..=height {
        // The last column in which a pair may end. It differs in the first row, as in NCBI's program.
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
            band.rebase(&mut work.simd_cells);
        }
    }
    AffineReach { score: base + band.best, rows: band.found.0, columns: band.found.1 }
}

/// Costs of gaps, as numbers and in lanes.
struct GapCosts {
    /// Cost of a gap of one column.
    open: i32,
    /// Cost of each further column.
    more: i32,
    /// By how much each lane's score is raised: the cost of a gap from lane 0 to it.
    rise: Lanes,
    /// By how much a raised score is lowered for a gap that ends in each lane.
    fall: Lanes,
}

impl GapCosts {
    #[target_feature(enable = "avx2")]
    fn new(open: i32, more: i32) -> Self {
        let rise: [i16; LANES] = std::array::from_fn(|lane| (more * lane as i32) as i16);
        let fall = rise.map(|rise| rise + (open - more) as i16);
        Self { open, more, rise: load(&rise), fall: load(&fall) }
    }
}

/// A row and its letter.
struct Row {
    /// Index of the row, from 1.
    number: usize,
    /// The last column in which a pair may end.
    reach: usize,
    /// Scores of the letter with all others, a byte each.
    scores: __m128i,
}

/// The live cells of a row, and the best score so far.
struct Band {
    /// First live column of the row.
    first: usize,
    /// Last live column of the row.
    last: usize,
    /// Best score, relative to the base as all scores of 16 bits.
    best: i32,
    /// Row and column of the best score.
    found: (usize, usize),
    x_drop: i32,
}

impl Band {
    /// Begins with the row before all letters.
    fn begin(&mut self, width: usize, costs: &GapCosts, cells: &mut SimdCells<i16>) {
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
        columns: SequenceSide<'_>,
        costs: &GapCosts,
        work: &mut AffineBuffers,
    ) -> bool {
        let width = columns.len::<REVERSE>();
        let dead = splat(DEAD);
        let (open, more, drop) = (splat(costs.open), splat(costs.more), splat(self.x_drop));
        let (mut first, mut last) = (usize::MAX, 0);
        let mut before = dead; // cells of the last row, just before those at `column`
        let mut begin = DEAD; // best begin of a gap that skips columns, raised for the next lanes
        let mut column = self.first;
        while column <= width {
            let gap_so_far = begin + costs.more - costs.open;
            if column > row.reach && gap_so_far < self.best - self.x_drop {
                break;
            }
            let (best_cells, gap_cells) = work.simd_cells.at(column);
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

    /// Makes all scores relative to the best one.
    fn rebase(&mut self, cells: &mut SimdCells<i16>) {
        for column in self.first..=self.last {
            for scores in [&mut cells.best, &mut cells.gap] {
                scores[column] = scores[column].saturating_sub(self.best as i16);
            }
        }
        self.best = 0;
    }
}
