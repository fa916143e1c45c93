//! Extension with affine gap costs for 32 cells of a row at a time, with AVX2: as [`super`], but with scores of 8 bits.
//!
//! All live scores of a row lie between the best score before it, less the X-drop, and that score plus one match. So relative to
//! the best score before each row, they have room in 8 bits if the X-drop is small, as it is for `blastn`'s default scores. What has no
//! room saturates, and is dead in any case: neither a cell nor a gap below the X-drop ever leads to a live cell.

mod lanes;

use std::arch::x86_64::{
    __m256i, _mm256_adds_epi8, _mm256_and_si256, _mm256_blendv_epi8, _mm256_broadcastsi128_si256,
    _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_max_epi8, _mm256_or_si256, _mm256_shuffle_epi8,
    _mm256_subs_epi8,
};

use self::lanes::{
    DEAD, LANES, Lanes, behind, bits, last_lane, letters, load, prefix_max, shifted, splat, store,
};
use super::FORBIDDEN;
use super::cells::SimdCells;
use super::lanes::packed_ints;
use crate::gapped::affine::side_pair::{AffineReach, ExtensionLimits, SidePair};
use crate::gapped::affine::workspace::{
    AffineBuffers, COLUMN_GOES_ON, ROW_GOES_ON, SKIP_COLUMN, SKIP_ROW,
};
use crate::gapped::side::SequenceSide;
use crate::scoring::Scoring;

/// The greatest number of 8 bits.
const MOST: i32 = i8::MAX as i32;

/// Whether 8 bits suffice for the scores of an extension, whatever the sequences.
pub(crate) fn fits(sides: &SidePair<'_>) -> bool {
    let Scoring { reward, penalty, .. } = *sides.scoring;
    let ExtensionLimits { first_gap: open, more_gap: more, x_drop } = sides.limits();
    let rise = more.saturating_mul(LANES as i32 - 1);
    // A cell that scores one match less than the X-drop allows may have a live one behind it.
    let room = [
        x_drop.saturating_add(reward),
        rise.saturating_add(reward),
        rise.saturating_add(open),
        -penalty,
    ];
    [reward, open, more].iter().all(|&cost| cost >= 0) && room.iter().all(|&most| most < MOST)
}

/// Extends to one side as [`extend`](crate::gapped::affine::extend), for sides that [`fits`] admits.
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
    let mut band = Band { first: 0, last: 0, gain: 0, found: (0, 0), x_drop };
    work.begin_row(0);
    band.begin(width, &costs, &mut work.byte_cells);
    if TRACE {
        work.sources.resize(band.last + 1, SKIP_COLUMN);
    }
    let mut score = 0;
    for number in 1..=height {
        // The last column in which a pair may end. It differs in the first row, as in NCBI's program.
        let reach = if number == 1 { band.last } else { band.last + 1 };
        let scores = packed_ints(matrix.row(rows.letter::<REVERSE>(number - 1)));
        let scores = _mm256_broadcastsi128_si256(scores);
        if TRACE {
            work.begin_row(band.first);
        }
        let row = Row { number, reach: reach.min(width), scores };
        let is_live = band.go_on::<REVERSE, TRACE>(&row, columns, &costs, work);
        score += band.gain;
        if !is_live {
            break;
        }
    }
    AffineReach { score, rows: band.found.0, columns: band.found.1 }
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
        let rise: [i8; LANES] = std::array::from_fn(|lane| (more * lane as i32) as i8);
        let fall = rise.map(|rise| rise + (open - more) as i8);
        Self { open, more, rise: load(&rise), fall: load(&fall) }
    }
}

/// A row and its letter.
struct Row {
    /// Index of the row, from 1.
    number: usize,
    /// The last column in which a pair may end.
    reach: usize,
    /// Scores of the letter with all others, a byte each, in both halves.
    scores: __m256i,
}

/// The live cells of a row. Scores are relative to the best score before the row.
struct Band {
    /// First live column of the row.
    first: usize,
    /// Last live column of the row.
    last: usize,
    /// By how much the row has raised the best score.
    gain: i32,
    /// Row and column of the best score.
    found: (usize, usize),
    x_drop: i32,
}

impl Band {
    /// Begins with the row before all letters.
    fn begin(&mut self, width: usize, costs: &GapCosts, cells: &mut SimdCells<i8>) {
        let mut score = 0;
        for column in 0..=width {
            if score < -self.x_drop {
                break;
            }
            cells.reach(column + 1);
            cells.best[column] = score as i8;
            cells.gap[column] = (score - costs.open).max(DEAD) as i8;
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
        // Cells of the last row are relative to the best score before that row.
        let gain_before = splat(std::mem::take(&mut self.gain));
        let (mut first, mut last) = (usize::MAX, 0);
        let mut before = dead; // cells of the last row, just before those at `column`
        let mut begin = DEAD; // best begin of a gap that skips columns, raised for the next lanes
        let mut column = self.first;
        while column <= width {
            let gap_so_far = begin + costs.more - costs.open;
            if column > row.reach && gap_so_far < self.gain - self.x_drop {
                break;
            }
            let (best_cells, gap_cells) = work.byte_cells.at(column);
            let above = _mm256_subs_epi8(load(best_cells), gain_before);
            let row_gap = _mm256_subs_epi8(load(gap_cells), gain_before);

            let scored =
                _mm256_shuffle_epi8(row.scores, letters::<REVERSE>(columns, column, width));
            let forbidden = _mm256_cmpeq_epi8(scored, splat(FORBIDDEN.into()));
            let mut pair = _mm256_adds_epi8(shifted(before, above), scored);
            pair = _mm256_blendv_epi8(pair, dead, forbidden);
            if column + LANES > row.reach + 1 {
                pair = _mm256_blendv_epi8(pair, dead, behind(row.reach, column));
            }
            before = above;
            let straight = _mm256_max_epi8(pair, row_gap);
            let begins = prefix_max(_mm256_adds_epi8(straight, costs.rise));
            let earlier = _mm256_max_epi8(shifted(dead, begins), splat(begin));
            let column_gap = _mm256_subs_epi8(earlier, costs.fall);
            let mut score = _mm256_max_epi8(straight, column_gap);
            if column + LANES > width + 1 {
                score = _mm256_blendv_epi8(score, dead, behind(width, column));
            }

            let mut best = splat(self.gain);
            if bits(_mm256_cmpgt_epi8(score, best)) != 0 {
                let through = prefix_max(score);
                best = _mm256_max_epi8(shifted(dead, through), best);
                self.gain = last_lane(through);
                let at_best = bits(_mm256_cmpeq_epi8(score, splat(self.gain)));
                self.found = (row.number, column + at_best.trailing_zeros() as usize);
            }
            let is_dead = _mm256_cmpgt_epi8(_mm256_subs_epi8(best, drop), score);
            let opened = _mm256_subs_epi8(score, open);
            let longer_row = _mm256_subs_epi8(row_gap, more);
            let gap = _mm256_max_epi8(longer_row, opened);
            store(best_cells, _mm256_blendv_epi8(score, dead, is_dead));
            store(gap_cells, _mm256_blendv_epi8(gap, dead, is_dead));
            let live = !bits(is_dead);
            if live != 0 {
                first = first.min(column + live.trailing_zeros() as usize);
                last = column + LANES - 1 - live.leading_zeros() as usize;
            }
            if TRACE {
                let longer_column = _mm256_subs_epi8(column_gap, more);
                let skips_row = _mm256_cmpgt_epi8(row_gap, pair);
                let skips_column = _mm256_cmpgt_epi8(column_gap, straight);
                let row_ends = _mm256_cmpgt_epi8(opened, longer_row);
                let column_ends = _mm256_cmpgt_epi8(opened, longer_column);
                let number = |source: u8| splat(source.into());
                // A pair is 0.
                let from = _mm256_and_si256(skips_row, number(SKIP_ROW));
                let from = _mm256_blendv_epi8(from, number(SKIP_COLUMN), skips_column);
                let row = _mm256_blendv_epi8(number(ROW_GOES_ON), number(0), row_ends);
                let column = _mm256_blendv_epi8(number(COLUMN_GOES_ON), number(0), column_ends);
                let mut sources = [0_i8; LANES];
                store(&mut sources, _mm256_or_si256(from, _mm256_or_si256(row, column)));
                work.sources.extend_from_slice(bytemuck::bytes_of(&sources));
            }
            begin = (last_lane(begins).max(begin) - costs.more * LANES as i32).max(DEAD);
            column += LANES;
        }
        (self.first, self.last) = (first, last);
        first != usize::MAX
    }
}
