//! Whole matrices of a group of pairs: scores, and directions if they are wanted.

use super::rows::{Lanes, Pairing, Row, Simple, Table, advance};
use super::trace::End;
use super::word::Word;
use crate::alphabet::{CODES, UNKNOWN};
use crate::bias::Bias;
use crate::scoring::{FreeEnds, Scoring};

/// Rows computed at a time: what is between them stays in registers.
const ROWS: usize = 4;

/// A scoring in words of one width.
pub(crate) struct Model<'a, W> {
    pub scoring: &'a Scoring,
    pub bias: Bias,
    simple: Option<Simple<W>>,
    table: Box<[W; CODES * CODES]>,
}

/// Directions of all cells of a group, row after row.
pub(crate) struct Directions<const L: usize> {
    pub cells: Vec<[u8; L]>,
    pub columns: usize,
}

/// What a group is to be filled with.
pub(crate) struct Task<'a, 'b, W, const L: usize> {
    model: &'b Model<'a, W>,
    query: Vec<Lanes<W, L>>,
    target: Vec<Lanes<W, L>>,
    lengths: [(usize, usize); L],
    directions: Option<&'b mut Directions<L>>,
}

impl<'a, W: Word> Model<'a, W> {
    pub fn new(scoring: &'a Scoring, bias: Bias) -> Self {
        let shifted = |score: i32| W::of(score + 2 * bias.extend);
        let simple = scoring.match_and_mismatch().map(|(equal, different)| Simple {
            equal: shifted(equal),
            different: shifted(different),
        });
        let mut table = Box::new([W::of(0); CODES * CODES]);
        for (word, score) in table.iter_mut().zip(scoring.table()) {
            *word = shifted(score);
        }
        Self { scoring, bias, simple, table }
    }

    /// How pairs of residues are scored.
    pub fn pairing(&self) -> Result<Simple<W>, Table<'_, W>> {
        self.simple.ok_or(Table { scores: &self.table })
    }

    /// A target's code as the pairing takes it: an unknown residue must equal none of the query.
    pub fn target_code(&self, code: u8) -> W {
        let unknown = self.simple.is_some() && code == UNKNOWN;
        W::of(i32::from(code) + i32::from(unknown))
    }

    /// Fills the matrices of up to `L` pairs; gives where each alignment ends.
    pub fn fill<const L: usize>(
        &self,
        pairs: &[(&[u8], &[u8])],
        directions: Option<&mut Directions<L>>,
    ) -> [End; L] {
        let mut lengths = [(0, 0); L];
        for (lane, (query, target)) in pairs.iter().enumerate() {
            lengths[lane] = (query.len(), target.len());
        }
        let task = Task {
            model: self,
            query: across(pairs.iter().map(|pair| pair.0), |code| W::of(code.into())),
            target: across(pairs.iter().map(|pair| pair.1), |code| self.target_code(code)),
            lengths,
            directions,
        };
        run(task)
    }
}

/// Codes of several sequences, residue after residue.
fn across<'s, W: Word, const L: usize>(
    sequences: impl Iterator<Item = &'s [u8]> + Clone,
    word: impl Fn(u8) -> W,
) -> Vec<Lanes<W, L>> {
    let longest = sequences.clone().map(<[u8]>::len).max().unwrap_or(0);
    let mut all = vec![[W::of(0); L]; longest];
    for (lane, sequence) in sequences.enumerate() {
        for (lanes, &code) in all.iter_mut().zip(sequence) {
            lanes[lane] = word(code);
        }
    }
    all
}

/// Runs a task with the best instructions that this processor has.
fn run<W: Word, const L: usize>(task: Task<'_, '_, W, L>) -> [End; L] {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has these instructions.
            return unsafe { run_avx2(task) };
        }
    }
    choose(task)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<W: Word, const L: usize>(task: Task<'_, '_, W, L>) -> [End; L] {
    choose(task)
}

/// Runs the code that is compiled for this kind of scoring.
#[allow(clippy::inline_always)] // Into the function for a kind of processor.
#[inline(always)]
fn choose<W: Word, const L: usize>(task: Task<'_, '_, W, L>) -> [End; L] {
    let linear = task.model.scoring.gaps().are_linear();
    let trace = task.directions.is_some();
    match (task.model.simple, linear, trace) {
        (Some(pairing), true, false) => all_rows::<W, _, L, false, false>(task, pairing),
        (Some(pairing), true, true) => all_rows::<W, _, L, false, true>(task, pairing),
        (Some(pairing), false, false) => all_rows::<W, _, L, true, false>(task, pairing),
        (Some(pairing), false, true) => all_rows::<W, _, L, true, true>(task, pairing),
        // Few scores come from matrices with linear gaps: no code of their own.
        (None, _, trace) => {
            let pairing = Table { scores: &task.model.table };
            if trace {
                all_rows::<W, _, L, true, true>(task, pairing)
            } else {
                all_rows::<W, _, L, true, false>(task, pairing)
            }
        }
    }
}

#[allow(clippy::inline_always)] // Into the function for a kind of processor.
#[inline(always)]
fn all_rows<W: Word, P: Pairing<W>, const L: usize, const AFFINE: bool, const TRACE: bool>(
    task: Task<'_, '_, W, L>,
    pairing: P,
) -> [End; L] {
    let Task { model, query, target, lengths, directions } = task;
    let (bias, free) = (&model.bias, model.scoring.free());
    let columns = target.len();
    let mut none = Directions { cells: Vec::new(), columns };
    let directions = directions.unwrap_or(&mut none);
    if TRACE {
        directions.columns = columns;
        directions.cells.resize(query.len() * columns, [0; L]);
    }
    let mut ends = Ends::new(bias, free, lengths);
    let mut row = Row::first(bias, columns);
    ends.note(0, &row);
    let mut done = 0;
    while done < query.len() {
        let from = if TRACE { done * columns } else { 0 };
        // Ends are looked for in the last row that was computed, so that must be a last row.
        let next = done..query.len().min(done + ROWS);
        let whole = next.len() == ROWS && !next.clone().any(|before| ends.wants(before + 1));
        if let (true, Some(query)) = (whole, query[done..].first_chunk::<ROWS>()) {
            advance::<W, P, L, ROWS, AFFINE, TRACE>(
                bias,
                pairing,
                done + 1,
                query,
                &target,
                &mut row,
                &mut directions.cells[from..],
            );
            done += ROWS;
        } else {
            let query = &[query[done]];
            advance::<W, P, L, 1, AFFINE, TRACE>(
                bias,
                pairing,
                done + 1,
                query,
                &target,
                &mut row,
                &mut directions.cells[from..],
            );
            done += 1;
            ends.note(done, &row);
        }
    }
    ends.best
}

/// Where the alignments of the lanes end, as far as rows were seen.
struct Ends<'b, const L: usize> {
    bias: &'b Bias,
    free: FreeEnds,
    lengths: [(usize, usize); L],
    best: [End; L],
}

impl<'b, const L: usize> Ends<'b, L> {
    fn new(bias: &'b Bias, free: FreeEnds, lengths: [(usize, usize); L]) -> Self {
        Self { bias, free, lengths, best: [End { score: i32::MIN, row: 0, column: 0 }; L] }
    }

    /// Whether an alignment may end in this row.
    fn wants(&self, row: usize) -> bool {
        self.free.query_end || self.lengths.iter().any(|&(m, _)| m == row)
    }

    /// Looks at a row.
    fn note<W: Word>(&mut self, row: usize, values: &Row<W, L>) {
        for (lane, (&(m, n), best)) in self.lengths.iter().zip(&mut self.best).enumerate() {
            let first = match row.cmp(&m) {
                std::cmp::Ordering::Less if self.free.query_end => n,
                std::cmp::Ordering::Equal if self.free.target_end => 0,
                std::cmp::Ordering::Equal => n,
                _ => continue,
            };
            for column in first..=n {
                let value = values.best[column][lane].get();
                let score = self.bias.score(value, row, column);
                *best = (*best).max(End { score, row, column });
            }
        }
    }
}
