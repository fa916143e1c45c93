//! Matrices of a group of pairs, strip after strip: where each alignment ends, and the flags of the cells if wanted.
//!
//! Cells outside of the band are not computed. In their place, the column before a strip's first one only continues a gap down
//! the rows, and the row above a strip continues a gap along the columns that the strip before did not have. These are alignments
//! too, so no value is greater than the one of the whole matrix.

use std::ops::Range;

use super::band::Band;
use super::interleaving::Interleaving;
use super::lane_scoring::LaneScoring;
use super::pair_scorer::{MAX_BLOCKS, PairScorer};
use super::simd::{Simd, Word};
use super::strip::{Column, StripEdge, StripFill, StripProfile};
use super::strip_flags::StripFlags;
use super::traceback::flags_of_cell;
use crate::alignment::AlignmentEnd;

/// Codes of a query and of a target.
pub(crate) type CodePair<'a> = (&'a [u8], &'a [u8]);

/// Codes of the sequences of a group of up to `L` pairs, with a lane for each pair.
pub(crate) struct LaneSequences<V, const L: usize, const R: usize> {
    /// Codes of the queries' residues, in strips of `R` rows.
    query: Vec<[V; R]>,
    /// Codes of the targets' residues.
    target: Vec<V>,
    /// Residues of each lane's query and target.
    lengths: [(usize, usize); L],
    /// Greatest code of all residues.
    greatest_code: u8,
}

/// Matrices of a group, computed down to a row.
#[derive(Debug, Clone)]
pub(crate) struct GroupState<V, const L: usize> {
    /// Strips that are computed.
    pub strips: usize,
    /// Columns of the last row, from 1 on.
    columns: Vec<Column<V>>,
    /// First column of the last strip.
    first: usize,
    /// Last column of the last strip.
    last: usize,
    /// `H'` of the last row in the column before `first`.
    corner: [i32; L],
    /// `E'` of the column after `last` minus `H'` of the column `last`, in the last row.
    next_deletion: V,
}

/// Fills the matrices of a group.
pub(crate) struct GroupFill<'a, S: Simd<L>, const L: usize, const R: usize> {
    pub simd: S,
    pub scoring: &'a LaneScoring<'a, S::Word>,
    pub sequences: &'a LaneSequences<S::Vector, L, R>,
    pub band: Band,
}

/// Current column of a strip, in which a lane's alignment may end.
struct EndPlace {
    lane: usize,
    /// Row above the strip.
    top: usize,
    column: usize,
    /// `H'` of the cell above the strip, minus the word that stands for it.
    above: i32,
    /// `H'` of the cell above the strip in the column before, minus the word that stands for it.
    above_before: i32,
}

/// Where the alignments of a group may end in a strip.
#[derive(Debug, Default)]
struct StripEnds {
    /// Columns with the lane that may end in them, in the order of the columns.
    columns: Vec<(usize, usize)>,
    /// Lanes that may end in every column.
    everywhere: Vec<usize>,
}

impl<V: Copy, const L: usize, const R: usize> LaneSequences<V, L, R> {
    /// Interleaves the codes of pairs. Lanes without a pair, and residues beyond the end of a sequence, have the code 0.
    pub fn new<S: Simd<L, Vector = V>>(
        simd: S,
        scoring: &LaneScoring<'_, S::Word>,
        pairs: &[CodePair<'_>],
    ) -> Self {
        let mut lengths = [(0, 0); L];
        for (lengths, (query, target)) in lengths.iter_mut().zip(pairs) {
            *lengths = (query.len(), target.len());
        }
        let greatest = |codes: &[u8]| codes.iter().copied().max().unwrap_or(0);
        let greatest_of_pairs =
            pairs.iter().map(|(query, target)| greatest(query).max(greatest(target))).max();
        let queries: Vec<_> = pairs.iter().map(|pair| pair.0).collect();
        let targets: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
        let mut query = simd.run(Interleaving::<L> { sequences: &queries, incremented: None });
        query.resize(query.len().next_multiple_of(R), simd.splat(S::Word::default()));
        let incremented = scoring.incremented_code();
        let target = simd.run(Interleaving::<L> { sequences: &targets, incremented });
        Self {
            query: query.as_chunks().0.to_vec(),
            target,
            lengths,
            greatest_code: greatest_of_pairs.unwrap_or(0),
        }
    }

    /// Number of strips that the queries have.
    pub fn strips(&self) -> usize {
        self.query.len()
    }
}

impl<V, const L: usize> GroupState<V, L> {
    /// Bytes of memory that the columns take.
    pub fn bytes(&self) -> usize {
        self.columns.len() * size_of::<Column<V>>()
    }
}

impl<S: Simd<L>, const L: usize, const R: usize> GroupFill<'_, S, L, R> {
    /// Number of words for the flags of some strips, by their numbers from 0.
    pub fn flag_words(&self, strips: Range<usize>) -> usize {
        let columns = self.sequences.target.len();
        if columns == 0 {
            return 0;
        }
        let of_strip = |strip: usize| {
            let (first, last) = self.band.columns(strip * R, strip * R + R, columns);
            (last + 1 - first) * R * flags_of_cell(self.scoring.is_affine())
        };
        strips.map(of_strip).sum()
    }

    /// The matrices' row 0.
    pub fn begin(&self) -> GroupState<S::Vector, L> {
        let (bias, columns) = (&self.scoring.bias, self.sequences.target.len());
        let column = |number: usize| {
            let step = bias.first_row(number) - bias.first_row(number - 1);
            self.column(self.simd.splat(S::Word::of(step)))
        };
        GroupState {
            strips: 0,
            columns: (1..=columns).map(column).collect(),
            first: 1,
            last: columns,
            corner: [0; L],
            next_deletion: self.simd.splat(S::Word::default()),
        }
    }

    /// A column below which every insertion is the first residue of its gap.
    fn column(&self, step: S::Vector) -> Column<S::Vector> {
        let opening: i32 = self.scoring.opening.into();
        Column { step, insertion: self.simd.splat(S::Word::of(-opening)) }
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
        state: &mut GroupState<S::Vector, L>,
        ends: Option<&mut [AlignmentEnd; L]>,
        flags: Option<&mut StripFlags<S::Flags, R>>,
    ) {
        let table = &self.scoring.table;
        let blocks = table.block_count(self.sequences.greatest_code);
        match (self.scoring.match_mismatch, self.scoring.is_affine()) {
            (Some(scores), false) => self.fill_strip_with::<_, false>(scores, state, ends, flags),
            (Some(scores), true) => self.fill_strip_with::<_, true>(scores, state, ends, flags),
            (None, _) if S::HAS_BLOCKS && blocks <= 2 => {
                let table = S::TableScorer::<'_, R, 2>::from(table);
                self.fill_strip_with::<_, true>(table, state, ends, flags);
            }
            (None, _) if S::HAS_BLOCKS && blocks <= 4 => {
                let table = S::TableScorer::<'_, R, 4>::from(table);
                self.fill_strip_with::<_, true>(table, state, ends, flags);
            }
            (None, _) if S::HAS_BLOCKS && blocks <= 5 => {
                let table = S::TableScorer::<'_, R, 5>::from(table);
                self.fill_strip_with::<_, true>(table, state, ends, flags);
            }
            (None, _) => {
                let table = S::TableScorer::<'_, R, MAX_BLOCKS>::from(table);
                self.fill_strip_with::<_, true>(table, state, ends, flags);
            }
        }
    }

    /// [`Self::fill_strip`] by one kind of pair scores and gaps.
    fn fill_strip_with<P: PairScorer<S, L, R>, const AFFINE: bool>(
        &self,
        pair_scores: P,
        state: &mut GroupState<S::Vector, L>,
        ends: Option<&mut [AlignmentEnd; L]>,
        flags: Option<&mut StripFlags<S::Flags, R>>,
    ) {
        if let Some(flags) = flags {
            self.fill_strip_by::<P, AFFINE, true>(pair_scores, state, ends, flags);
        } else {
            let none = &mut StripFlags::new(0);
            self.fill_strip_by::<P, AFFINE, false>(pair_scores, state, ends, none);
        }
    }

    /// [`Self::fill_strip_with`]; with `TRACE`, also the flags.
    fn fill_strip_by<P: PairScorer<S, L, R>, const AFFINE: bool, const TRACE: bool>(
        &self,
        pair_scores: P,
        state: &mut GroupState<S::Vector, L>,
        ends: Option<&mut [AlignmentEnd; L]>,
        flags: &mut StripFlags<S::Flags, R>,
    ) {
        let top = state.strips * R;
        let query = &self.sequences.query[state.strips];
        state.strips += 1;
        if state.columns.is_empty() {
            return;
        }
        let tile = &mut pair_scores.new_tile(self.simd);
        let profile = &self.simd.run(StripProfile::<S, P, L, R> { pair_scores, query });
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
        let are_ends_pairs = has_ends && self.scoring.scoring.ends_behind_pairs();
        let mut steps = [0; L];
        let mut from = first;
        while from <= last {
            let until = match ends_left.peek() {
                _ if !places.everywhere.is_empty() => from,
                // The column before is looked at, too.
                Some(&&(column, _)) if are_ends_pairs && column > from => column - 1,
                Some(&&(column, _)) => column,
                None => last,
            };
            let before = are_ends_pairs.then(|| edge.clone());
            let steps_before = steps;
            let flags = if TRACE {
                &mut flags[(from - first) * cell_flags..(until + 1 - first) * cell_flags]
            } else {
                &mut []
            };
            self.simd.run(StripFill::<S, P, L, R, AFFINE, TRACE> {
                scoring: self.scoring,
                pair_scores,
                profile,
                tile,
                target: &self.sequences.target[from - 1..until],
                columns: &mut state.columns[from - 1..until],
                edge: &mut edge,
                steps: has_ends.then_some(&mut steps),
                flags,
            });
            if let Some(ends) = ends.as_deref_mut() {
                let mut compare = |lane: usize| {
                    let above = state.corner[lane] + steps[lane] - origin;
                    let above_before = state.corner[lane] + steps_before[lane] - origin;
                    let place = EndPlace { lane, top, column: until, above, above_before };
                    self.compare_ends(&mut ends[lane], &place, &edge, before.as_ref());
                };
                places.everywhere.iter().for_each(|&lane| compare(lane));
                while let Some(&(_, lane)) = ends_left.next_if(|&&(column, _)| column == until) {
                    compare(lane);
                }
            }
            from = until + 1;
        }
        for (corner, &below) in state.corner.iter_mut().zip(self.simd.words(&below)) {
            *corner += below.into() - origin;
        }
        let last_deletion = if AFFINE { edge.deletion[R - 1] } else { edge.best[R - 1] };
        state.next_deletion = self.simd.subtract(last_deletion, edge.best[R - 1]);
        (state.first, state.last) = (first, last);
    }

    /// Prepares the row above a strip, whose columns are given. Returns the column before the strip.
    fn before_strip(
        &self,
        state: &mut GroupState<S::Vector, L>,
        top: usize,
        first: usize,
        last: usize,
    ) -> StripEdge<S::Vector, R> {
        for column in &state.columns[state.first - 1..first - 1] {
            for (corner, &step) in state.corner.iter_mut().zip(self.simd.words(&column.step)) {
                *corner += step.into();
            }
        }
        for number in state.last + 1..=last {
            let is_next = number == state.last + 1;
            let none = self.simd.splat(S::Word::default());
            let step = if is_next { state.next_deletion } else { none };
            state.columns[number - 1] = self.column(step);
        }
        let bias = &self.scoring.bias;
        let origin: i32 = self.scoring.origin.into();
        let corner = self.simd.splat(self.scoring.origin);
        let mut best = [corner; R];
        if first == 1 {
            for (row, words) in (top + 1..).zip(&mut best) {
                let step = bias.first_column(row) - bias.first_column(top);
                *words = self.simd.splat(S::Word::of(origin + step));
            }
        } else if first > state.first {
            best = [self.simd.add(corner, state.columns[first - 2].insertion); R];
        }
        let opening = self.simd.splat(S::Word::of(bias.opening));
        StripEdge { best, deletion: best.map(|row| self.simd.subtract(row, opening)) }
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

    /// Compares the best end of a lane with those in the current column of a strip; with the column before it, with ends in
    /// pairs of residues.
    fn compare_ends(
        &self,
        best: &mut AlignmentEnd,
        place: &EndPlace,
        edge: &StripEdge<S::Vector, R>,
        before: Option<&StripEdge<S::Vector, R>>,
    ) {
        let &EndPlace { lane, top, column, above, above_before } = place;
        let word = |vector: &S::Vector| self.simd.words(vector)[lane];
        // `H'` of the best alignment that ends in the pair of a row and the column.
        let through = |row: usize, before: &StripEdge<S::Vector, R>| -> i32 {
            let query = word(&self.sequences.query[top / R][row - top - 1]);
            let pair = self.scoring.pair_score(query, word(&self.sequences.target[column - 1]));
            let diagonal = match row - top - 1 {
                0 => self.scoring.origin,
                rows => word(&before.best[rows - 1]),
            };
            above_before + diagonal.into() + pair.into()
        };
        let free = self.scoring.scoring.free_ends();
        let (m, n) = self.sequences.lengths[lane];
        let mut compare = |row: usize| {
            let value = match before {
                None => above + word(&edge.best[row - top - 1]).into(),
                Some(before) => through(row, before),
            };
            let score = self.scoring.bias.score(value, row, column);
            *best = (*best).max(AlignmentEnd { score, row: row as u32, column: column as u32 });
        };
        if free.query_end && column == n {
            (top + 1..m.min(top + R + 1)).for_each(&mut compare);
        }
        if (top + 1..=top + R).contains(&m) && (column == n || free.target_end && column < n) {
            compare(m);
        }
    }
}
