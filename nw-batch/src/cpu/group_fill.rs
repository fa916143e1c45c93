//! Matrices of a group of pairs, strip after strip: where each alignment ends, and the flags of the cells if wanted.
//!
//! Cells outside of the band are not computed. In their place, the column before a strip's first one only continues a gap down
//! the rows, and the row above a strip continues a gap along the columns that the strip before did not have. These are alignments
//! too, so no value is greater than the one of the whole matrix.

use super::band::Band;
use super::lane_scoring::LaneScoring;
use super::pair_scorer::PairScorer;
use super::simd::{Simd, Word};
use super::strip::{Column, StripEdge, StripFill};
use super::strip_flags::{FlagLayout, StripFlags};
use super::traceback::flags_of_cell;
use crate::alignment::AlignmentEnd;

/// Codes of the sequences of a group of up to `L` pairs, with a lane for each pair.
pub(crate) struct LaneSequences<W, const L: usize, const R: usize> {
    /// Codes of the queries' residues, in strips of `R` rows.
    query: Vec<[[W; L]; R]>,
    /// Codes of the targets' residues.
    target: Vec<[W; L]>,
    /// Residues of each lane's query and target.
    lengths: [(usize, usize); L],
}

/// Matrices of a group, computed down to a row.
#[derive(Debug, Clone)]
pub(crate) struct GroupState<W, const L: usize> {
    /// Strips that are computed.
    pub strips: usize,
    /// Columns of the last row, from 1 on.
    columns: Vec<Column<W, L>>,
    /// First column of the last strip.
    first: usize,
    /// Last column of the last strip.
    last: usize,
    /// `H'` of the last row in the column before `first`.
    corner: [i32; L],
    /// `E'` of the column after `last` minus `H'` of the column `last`, in the last row.
    next_deletion: [W; L],
}

/// Fills the matrices of a group.
pub(crate) struct GroupFill<'a, S: Simd<L>, const L: usize, const R: usize> {
    pub simd: S,
    pub scoring: &'a LaneScoring<'a, S::Word>,
    pub sequences: &'a LaneSequences<S::Word, L, R>,
    pub band: Band,
}

/// Where the alignments of a group may end in a strip.
#[derive(Debug, Default)]
struct StripEnds {
    /// Columns with the lane that may end in them, in the order of the columns.
    columns: Vec<(usize, usize)>,
    /// Lanes that may end in every column.
    everywhere: Vec<usize>,
}

impl<W: Word, const L: usize, const R: usize> LaneSequences<W, L, R> {
    /// Interleaves the codes of pairs. Lanes without a pair, and residues beyond the end of a sequence, have the code 0.
    pub fn new(scoring: &LaneScoring<'_, W>, pairs: &[(&[u8], &[u8])]) -> Self {
        let rows = pairs.iter().map(|pair| pair.0.len()).max().unwrap_or(0);
        let columns = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
        let mut all = Self {
            query: vec![[[W::default(); L]; R]; rows.div_ceil(R)],
            target: vec![[W::default(); L]; columns],
            lengths: [(0, 0); L],
        };
        for (lane, (query, target)) in pairs.iter().enumerate() {
            all.lengths[lane] = (query.len(), target.len());
            for (strip, codes) in all.query.iter_mut().zip(query.chunks(R)) {
                for (row, &code) in strip.iter_mut().zip(codes) {
                    row[lane] = W::of(code.into());
                }
            }
            for (column, &code) in all.target.iter_mut().zip(*target) {
                column[lane] = scoring.target_code(code);
            }
        }
        all
    }

    /// Number of strips.
    pub fn strips(&self) -> usize {
        self.query.len()
    }
}

impl<W, const L: usize> GroupState<W, L> {
    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.columns.len() * size_of::<Column<W, L>>()
    }
}

impl<S: Simd<L>, const L: usize, const R: usize> GroupFill<'_, S, L, R> {
    /// Form of the cells' flags.
    pub fn flag_layout(&self) -> FlagLayout {
        FlagLayout { rows: R, cell_flags: flags_of_cell(self.scoring.is_affine()) }
    }

    /// Number of flag words of a strip, by its number from 0.
    pub fn strip_flags(&self, strip: usize) -> usize {
        let columns = self.sequences.target.len();
        if columns == 0 {
            return 0;
        }
        let (first, last) = self.band.columns(strip * R, strip * R + R, columns);
        (last + 1 - first) * R * self.flag_layout().cell_flags
    }

    /// The matrices' row 0.
    pub fn begin(&self) -> GroupState<S::Word, L> {
        let (bias, columns) = (&self.scoring.bias, self.sequences.target.len());
        let column = |number: usize| {
            let step = bias.first_row(number) - bias.first_row(number - 1);
            self.column([S::Word::of(step); L])
        };
        GroupState {
            strips: 0,
            columns: (1..=columns).map(column).collect(),
            first: 1,
            last: columns,
            corner: [0; L],
            next_deletion: [S::Word::default(); L],
        }
    }

    /// A column below which every insertion is the first residue of its gap.
    fn column(&self, step: [S::Word; L]) -> Column<S::Word, L> {
        let opening: i32 = self.scoring.opening.into();
        Column { step, insertion: [S::Word::of(-opening); L] }
    }

    /// Best ends of alignments in row 0 and column 0, which no strip has.
    pub fn border_ends(&self) -> [AlignmentEnd; L] {
        let (bias, free) = (&self.scoring.bias, self.scoring.scoring.free_ends());
        let in_row = |column: usize| (bias.first_row(column), 0, column);
        let in_column = |row: usize| (bias.first_column(row), row, 0);
        self.sequences.lengths.map(|(m, n)| {
            let row = match (m, free.target_end) {
                (0, true) => 0..n + 1,
                _ if m == 0 || free.query_end => n..n + 1,
                _ => 0..0,
            };
            let column = match (n, free.query_end) {
                (0, true) => 1..m + 1,
                _ if m > 0 && (n == 0 || free.target_end) => m..m + 1,
                _ => 0..0,
            };
            let none = AlignmentEnd { score: i32::MIN, row: 0, column: 0 };
            let all = row.map(in_row).chain(column.map(in_column));
            all.fold(none, |best, (value, row, column)| {
                let score = bias.score(value, row, column);
                best.max(AlignmentEnd { score, row: row as u32, column: column as u32 })
            })
        })
    }

    /// Computes the next strip, with its flags if there is room for them, and compares the ends of alignments in it with the
    /// best ones up to now.
    pub fn fill_strip(
        &self,
        state: &mut GroupState<S::Word, L>,
        ends: Option<&mut [AlignmentEnd; L]>,
        flags: Option<&mut StripFlags<S::Flags>>,
    ) {
        let table = &self.scoring.table;
        match (self.scoring.match_mismatch, self.scoring.is_affine(), flags) {
            (Some(scores), false, None) => {
                self.fill_strip_by::<_, false, false>(
                    scores,
                    state,
                    ends,
                    &mut StripFlags::default(),
                );
            }
            (Some(scores), false, Some(flags)) => {
                self.fill_strip_by::<_, false, true>(scores, state, ends, flags);
            }
            (Some(scores), true, None) => {
                self.fill_strip_by::<_, true, false>(
                    scores,
                    state,
                    ends,
                    &mut StripFlags::default(),
                );
            }
            (Some(scores), true, Some(flags)) => {
                self.fill_strip_by::<_, true, true>(scores, state, ends, flags);
            }
            (None, _, None) => {
                self.fill_strip_by::<_, true, false>(
                    table,
                    state,
                    ends,
                    &mut StripFlags::default(),
                );
            }
            (None, _, Some(flags)) => {
                self.fill_strip_by::<_, true, true>(table, state, ends, flags);
            }
        }
    }

    /// [`Self::fill_strip`] by one kind of pair scores and gaps; with `TRACE`, also the flags.
    fn fill_strip_by<P: PairScorer<S, L>, const AFFINE: bool, const TRACE: bool>(
        &self,
        pair_scores: P,
        state: &mut GroupState<S::Word, L>,
        ends: Option<&mut [AlignmentEnd; L]>,
        flags: &mut StripFlags<S::Flags>,
    ) {
        let top = state.strips * R;
        let query = &self.sequences.query[state.strips];
        state.strips += 1;
        if state.columns.is_empty() {
            return;
        }
        let (first, last) = self.band.columns(top, top + R, state.columns.len());
        let mut edge = self.before_strip(state, top, first, last);
        let cell_flags = R * flags_of_cell(AFFINE);
        let words = if TRACE { (last + 1 - first) * cell_flags } else { 0 };
        let flags = if TRACE { flags.push(first, words) } else { &mut [] };
        let places =
            if ends.is_some() { self.strip_ends(top, first, last) } else { StripEnds::default() };
        let has_ends = !(places.columns.is_empty() && places.everywhere.is_empty());
        let mut ends_left = places.columns.iter().peekable();
        let mut ends = ends;
        // What the strip's last row has more than the row above it, in the column before the first.
        let origin: i32 = self.scoring.origin.into();
        let below = edge.best[R - 1];
        let mut steps = [0; L];
        let mut from = first;
        while from <= last {
            let until = match ends_left.peek() {
                _ if !places.everywhere.is_empty() => from,
                Some(&&(column, _)) => column,
                None => last,
            };
            let flags = if TRACE {
                &mut flags[(from - first) * cell_flags..(until + 1 - first) * cell_flags]
            } else {
                &mut []
            };
            self.simd.run(StripFill::<S, P, L, R, AFFINE, TRACE> {
                scoring: self.scoring,
                pair_scores,
                query,
                target: &self.sequences.target[from - 1..until],
                columns: &mut state.columns[from - 1..until],
                edge: &mut edge,
                steps: has_ends.then_some(&mut steps),
                flags,
            });
            if let Some(ends) = ends.as_deref_mut() {
                let mut compare = |lane: usize| {
                    let above = state.corner[lane] + steps[lane] - origin;
                    let values = edge.best.map(|row| above + row[lane].into());
                    self.compare_ends(&mut ends[lane], lane, top, until, &values);
                };
                places.everywhere.iter().for_each(|&lane| compare(lane));
                while let Some(&(_, lane)) = ends_left.next_if(|&&(column, _)| column == until) {
                    compare(lane);
                }
            }
            from = until + 1;
        }
        for lane in 0..L {
            let below: i32 = below[lane].into();
            state.corner[lane] += below - origin;
            let best: i32 = edge.best[R - 1][lane].into();
            let deletion: i32 = edge.deletion[R - 1][lane].into();
            state.next_deletion[lane] = S::Word::of(if AFFINE { deletion - best } else { 0 });
        }
        (state.first, state.last) = (first, last);
    }

    /// Prepares the row above a strip, whose columns are given. Returns the column before the strip.
    fn before_strip(
        &self,
        state: &mut GroupState<S::Word, L>,
        top: usize,
        first: usize,
        last: usize,
    ) -> StripEdge<S::Word, L, R> {
        for column in &state.columns[state.first - 1..first - 1] {
            for (corner, &step) in state.corner.iter_mut().zip(&column.step) {
                *corner += step.into();
            }
        }
        for number in state.last + 1..=last {
            let is_next = number == state.last + 1;
            let step = if is_next { state.next_deletion } else { [S::Word::default(); L] };
            state.columns[number - 1] = self.column(step);
        }
        let bias = &self.scoring.bias;
        let (origin, opening): (i32, i32) = (self.scoring.origin.into(), bias.opening);
        let mut best = [[self.scoring.origin; L]; R];
        if first == 1 {
            for (row, words) in (top + 1..).zip(&mut best) {
                let step = bias.first_column(row) - bias.first_column(top);
                *words = [S::Word::of(origin + step); L];
            }
        } else if first > state.first {
            let insertion = state.columns[first - 2].insertion;
            best = [insertion.map(|step| S::Word::of(origin + step.into())); R];
        }
        let deletion = best.map(|row| row.map(|word| S::Word::of(word.into() - opening)));
        StripEdge { best, deletion }
    }

    /// Where alignments may end in the strip below the row `top`.
    fn strip_ends(&self, top: usize, first: usize, last: usize) -> StripEnds {
        let free = self.scoring.scoring.free_ends();
        let mut ends = StripEnds::default();
        for (lane, &(m, n)) in self.sequences.lengths.iter().enumerate() {
            let has_last_row = top < m && m <= top + R;
            if has_last_row && free.target_end {
                ends.everywhere.push(lane);
            } else if (has_last_row || top < m && free.query_end) && (first..=last).contains(&n) {
                ends.columns.push((n, lane));
            }
        }
        ends.columns.sort_unstable();
        ends
    }

    /// Compares the best end of a lane with those in a column of the strip below the row `top`, by the values of its rows.
    fn compare_ends(
        &self,
        best: &mut AlignmentEnd,
        lane: usize,
        top: usize,
        column: usize,
        values: &[i32; R],
    ) {
        let free = self.scoring.scoring.free_ends();
        let (m, n) = self.sequences.lengths[lane];
        for (row, &value) in (top + 1..).zip(values) {
            let is_end = match row.cmp(&m) {
                std::cmp::Ordering::Less => free.query_end && column == n,
                std::cmp::Ordering::Equal => column == n || free.target_end && column < n,
                std::cmp::Ordering::Greater => false,
            };
            if is_end {
                let score = self.scoring.bias.score(value, row, column);
                let end = AlignmentEnd { score, row: row as u32, column: column as u32 };
                *best = (*best).max(end);
            }
        }
    }
}
