//! The best-scoring segment of a gapped alignment, found column by column.
//!
//! This is `Blast_HSPReevaluateWithAmbiguitiesGapped` of NCBI's `blast_hits.c`: the scores of an extension that knows
//! only bases are corrected for ambiguous letters.

use crate::gapped::edit_script::EditOp;
use crate::scoring::Scoring;
use crate::sequence::equal_run::equal_run;

/// A segment of an alignment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestSegment {
    pub(crate) score: i32,
    /// First positions in query and subject.
    pub(crate) begin: (usize, usize),
    /// Positions behind the last in query and subject.
    pub(crate) end: (usize, usize),
    /// Number of the first run of columns.
    pub(crate) first: usize,
    /// Number of the last run of columns.
    pub(crate) last: usize,
    /// Columns of the last run that belong to the segment.
    pub(crate) columns: i32,
}

impl BestSegment {
    /// Extends the segment by equal bases at both ends; each adds `reward` to the score.
    pub(crate) fn grow(
        &mut self,
        runs: &mut [(EditOp, i32)],
        (query, subject): (&[u8], &[u8]),
        reward: i32,
    ) {
        let (q, s) = self.begin;
        let before = equal_run::<true>(&query[..q], &subject[..s]);
        self.begin = (q - before, s - before);
        runs[self.first].1 += before as i32;
        if self.first == self.last {
            self.columns += before as i32;
        }
        let (q, s) = self.end;
        let behind = equal_run::<false>(&query[q..], &subject[s..]);
        self.end = (q + behind, s + behind);
        self.columns += behind as i32;
        self.score += (before + behind) as i32 * reward;
    }
}

/// The best segment of an alignment that begins at the pair of positions `begin`. A segment that reaches `cutoff` is
/// not given up for a later one unless that scores more. Runs are shortened by columns that cannot begin the segment.
pub(crate) fn best_segment(
    runs: &mut [(EditOp, i32)],
    (query, subject): (&[u8], &[u8]),
    begin: (usize, usize),
    scoring: &Scoring,
    score: &impl Fn(u8, u8) -> i32,
    cutoff: i32,
) -> BestSegment {
    let factor = if scoring.is_linear() { 1 + scoring.reward % 2 } else { 1 };
    let (open, extend) = if scoring.is_linear() {
        (0, (scoring.reward - 2 * scoring.penalty) * factor / 2)
    } else {
        (scoring.gap_open, scoring.gap_extend)
    };
    let (mut q, mut s) = begin;
    let (mut current, mut current_first) = (begin, 0);
    let mut best = BestSegment { score: 0, begin, end: begin, first: 0, last: 0, columns: -1 };
    let mut sum = 0;
    for (number, run) in runs.iter_mut().enumerate() {
        let mut column = 0;
        while column < run.1 {
            let (op, columns) = *run;
            if op == EditOp::Pair {
                sum += factor * score(query[q], subject[s]);
                q += 1;
                s += 1;
                column += 1;
            } else {
                sum -= open + extend * columns;
                if op == EditOp::Insertion {
                    q += columns as usize;
                } else {
                    s += columns as usize;
                }
                column += columns;
            }
            if sum < 0 {
                if column < columns {
                    run.1 -= column;
                    current_first = number;
                    column = 0;
                } else {
                    current_first = number + 1;
                }
                sum = 0;
                current = (q, s);
                // A segment that is good enough stays; any other is given up.
                if best.score < cutoff {
                    best = BestSegment {
                        score: 0,
                        begin: current,
                        first: current_first,
                        last: current_first,
                        ..best
                    };
                }
            } else if sum > best.score {
                best = BestSegment {
                    score: sum,
                    begin: current,
                    end: (q, s),
                    first: current_first,
                    last: number,
                    columns: column,
                };
            }
        }
    }
    best.score /= factor;
    best
}
