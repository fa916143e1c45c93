//! The definition of the best alignment in code: whole matrices, cell by cell, without any optimisation. Tests compare
//! the engines with it.

use aligner_core::cigar::{CigarOp, push_run};

use super::UNKNOWN;
use super::alignments::{Alignment, AlignmentSpan};
use super::columns::Prediction;
use super::scoring::{QueryClips, Scoring};
use super::tasks::AlignmentTask;

/// The value of cells that no alignment reaches: less than any score, and far from overflow.
const NEVER: i64 = i64::MIN / 4;

/// Values of the cells of one matrix; outside of the matrix and of the band they are [`NEVER`].
struct Matrix {
    values: Vec<i64>,
    columns: i64,
    band: (i64, i64),
}

impl Matrix {
    fn new(rows: usize, columns: usize, band: (i64, i64)) -> Self {
        Self { values: vec![NEVER; rows * columns], columns: columns as i64, band }
    }

    fn place(&self, i: i64, j: i64) -> Option<usize> {
        let inside = i >= 0 && (0..self.columns).contains(&j);
        let in_band = (self.band.0..=self.band.1).contains(&(j - i));
        (inside && in_band).then_some((i * self.columns + j) as usize)
    }

    fn get(&self, i: i64, j: i64) -> i64 {
        self.place(i, j).map_or(NEVER, |place| self.values[place])
    }

    fn set(&mut self, i: i64, j: i64, value: i64) {
        if let Some(place) = self.place(i, j) {
            self.values[place] = value;
        }
    }
}

/// The best alignment of a query and a window on the diagonals `low..=high`, as [`super`] defines it. `clips` are the
/// penalties of clipping an end of this query.
pub fn align(
    scoring: Scoring,
    clips: QueryClips,
    query: &[u8],
    window: &[u8],
    (low, high): (i32, i32),
) -> Alignment {
    let (m, n) = (query.len() as i64, window.len() as i64);
    let band = (i64::from(low), i64::from(high));
    let deletion_of = |columns: i64| i64::from(scoring.deletion().of(columns as u32));
    let insertion_of = |columns: i64| i64::from(scoring.insertion().of(columns as u32));
    let [longer_deletion, longer_insertion] =
        [scoring.deletion(), scoring.insertion()].map(|gap| i64::from(gap.extend));
    let begin = |i: i64| if i == 0 { 0 } else { -i64::from(clips.begin) };
    let end = |i: i64| if i == m - 1 { 0 } else { -i64::from(clips.end) };

    // For each cell the best score of a beginning whose last column is a pair, a deletion, an insertion, or any of
    // them.
    let [mut pair, mut deletion, mut insertion, mut best] =
        [(); 4].map(|()| Matrix::new(query.len(), window.len(), band));
    let mut found: Option<(i64, i64, i64)> = None;
    for i in 0..m {
        for j in (i + band.0).max(0)..=(i + band.1).min(n - 1) {
            let score = i64::from(scoring.pair(query[i as usize], window[j as usize]));
            let p = score + begin(i).max(best.get(i - 1, j - 1));
            let d =
                (deletion.get(i, j - 1) - longer_deletion).max(best.get(i, j - 1) - deletion_of(1));
            let s = (insertion.get(i - 1, j) - longer_insertion)
                .max(best.get(i - 1, j) - insertion_of(1));
            pair.set(i, j, p);
            deletion.set(i, j, d);
            insertion.set(i, j, s);
            best.set(i, j, p.max(d).max(s));
            // Rows and columns come in order: the first row, and in it the first column, wins a tie.
            let total = p + end(i);
            if found.is_none_or(|(most, ..)| total > most) {
                found = Some((total, i, j));
            }
        }
    }
    let Some((score, last_i, last_j)) = found.filter(|found| found.0 > 0) else {
        return Alignment::default();
    };

    let mut runs = Vec::new();
    let (mut i, mut j) = (last_i, last_j);
    loop {
        let value = best.get(i, j);
        let is_end = runs.is_empty();
        if is_end || value == pair.get(i, j) {
            let (q, w) = (query[i as usize], window[j as usize]);
            let equal = q == w && q < UNKNOWN;
            push_run(&mut runs, if equal { CigarOp::Equal } else { CigarOp::Different }, 1);
            if begin(i) >= best.get(i - 1, j - 1) {
                break;
            }
            (i, j) = (i - 1, j - 1);
        } else if value == deletion.get(i, j) {
            let mut columns = 1;
            while value != best.get(i, j - columns) - deletion_of(columns) {
                columns += 1;
            }
            push_run(&mut runs, CigarOp::Deletion, columns as u32);
            j -= columns;
        } else {
            let mut columns = 1;
            while value != best.get(i - columns, j) - insertion_of(columns) {
                columns += 1;
            }
            push_run(&mut runs, CigarOp::Insertion, columns as u32);
            i -= columns;
        }
    }
    runs.reverse();
    let span = AlignmentSpan {
        score: score as i32,
        query_begin: i as u32,
        query_end: last_i as u32 + 1,
        window_begin: j as u32,
        window_end: last_j as u32 + 1,
        run_count: runs.len() as u32,
        ..AlignmentSpan::default()
    };
    Alignment { span, runs }
}

/// The alignment of `task` with what its columns tell: of all stretches of columns the best score, as if no base were unknown,
/// but for what the score of the alignment without clips differs from that; and whether a pair of equal bases lies where the
/// alignment is predicted.
pub fn judged(alignment: Alignment, task: &AlignmentTask, scoring: Scoring) -> Alignment {
    let Alignment { span, runs } = alignment;
    if span.score <= 0 {
        return Alignment { span, runs };
    }
    let clips = scoring.query_clips(task.is_reverse != 0);
    // The score of each pair and of each gap.
    let (mut scores, mut is_predicted) = (Vec::new(), false);
    let (mut i, mut j) = (span.query_begin, span.window_begin);
    for run in &runs {
        match run.op() {
            CigarOp::Deletion => {
                scores.push(-scoring.deletion().of(run.length()));
                j += run.length();
            }
            CigarOp::Insertion => {
                scores.push(-scoring.insertion().of(run.length()));
                i += run.length();
            }
            op => {
                for _ in 0..run.length() {
                    let is_equal = op == CigarOp::Equal;
                    let mismatch = -scoring.mismatch_penalty();
                    scores.push(if is_equal { scoring.match_score() } else { mismatch });
                    let Prediction { low, high, begin, end } = task.prediction;
                    let is_there =
                        (low..=high).contains(&(j as i32 - i as i32)) && (begin..end).contains(&i);
                    is_predicted |= is_equal && is_there;
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
    }
    let stretches = (0..scores.len()).flat_map(|first| {
        let sums = scores[first..].iter().scan(0, |sum, score| {
            *sum += score;
            Some(*sum)
        });
        sums.collect::<Vec<i32>>()
    });
    let best = stretches.max().unwrap_or(0).max(0);
    let mut without_clips = span.score;
    without_clips += if span.query_begin > 0 { clips.begin } else { 0 };
    without_clips += if span.query_end < task.query_len { clips.end } else { 0 };
    let matches: i32 = scores.iter().filter(|&&score| score > 0).sum();
    let best_stretch = (best + without_clips - scores.iter().sum::<i32>()).min(matches);
    let is_predicted = is_predicted.into();
    Alignment { span: AlignmentSpan { best_stretch, is_predicted, ..span }, runs }
}

#[cfg(test)]
mod tests {
    use aligner_core::cigar::CigarRun;
    use aligner_core::seq::encode_all;

    use super::*;
    use crate::extend::scoring::{ClipPenalties, GapPenalty, ScoringParameters};

    /// The highest score of all alignments that go on from the pair of the places `i` and `j`, from
    /// every way to go on.
    fn enumerate(
        (scoring, clips): (Scoring, QueryClips),
        (q, w): (&[u8], &[u8]),
        band: (i32, i32),
        (i, j): (usize, usize),
    ) -> i32 {
        let inside = |i: usize, j: usize| {
            i < q.len() && j < w.len() && (band.0..=band.1).contains(&(j as i32 - i as i32))
        };
        let pair = scoring.pair(q[i], w[j]);
        let mut most = pair - if i + 1 == q.len() { 0 } else { clips.end };
        // Any number of deletions and insertions in any order before the next pair: in one order
        // or the other they are one gap of each kind at most, and more gaps only cost more.
        for first in 0..q.len() + w.len() {
            for second in 0..q.len() + w.len() {
                for deletion_first in [false, true] {
                    let (d, s) = if deletion_first { (first, second) } else { (second, first) };
                    let (mut x, mut y, mut cost, mut ok) = (i, j, 0, true);
                    for (length, deletes) in [(first, deletion_first), (second, !deletion_first)] {
                        if length > 0 {
                            let gap =
                                if deletes { scoring.deletion() } else { scoring.insertion() };
                            cost += gap.of(length as u32);
                        }
                        for _ in 0..length {
                            if deletes {
                                y += 1;
                            } else {
                                x += 1;
                            }
                            ok &= inside(x, y);
                        }
                    }
                    assert_eq!((x, y), (i + s, j + d));
                    if ok && inside(x + 1, y + 1) {
                        let rest = enumerate((scoring, clips), (q, w), band, (x + 1, y + 1));
                        most = most.max(pair - cost + rest);
                    }
                }
            }
        }
        most
    }

    #[test]
    fn no_alignment_scores_more() {
        for seed in 0..150 {
            let mut random = fastrand::Rng::with_seed(seed);
            let number = |random: &mut fastrand::Rng, range| random.i32(range);
            let gap = |random: &mut fastrand::Rng| GapPenalty {
                open: number(random, 0..3),
                extend: number(random, 1..3),
            };
            let scoring = Scoring::new(ScoringParameters {
                match_score: number(&mut random, 1..4),
                mismatch_penalty: number(&mut random, 1..4),
                deletion: gap(&mut random),
                insertion: gap(&mut random),
                clip: ClipPenalties {
                    five_prime: number(&mut random, 0..4),
                    three_prime: number(&mut random, 0..4),
                },
            })
            .expect("within limits");
            let clips = scoring.query_clips(random.bool());
            let letters = random.u8(1..5);
            let codes = |random: &mut fastrand::Rng| -> Vec<u8> {
                (0..random.usize(0..6)).map(|_| random.u8(..=letters)).collect()
            };
            let (q, w) = (codes(&mut random), codes(&mut random));
            let low = random.i32(-4..4);
            let band = (low, low + random.i32(-1..5));
            let mut most = 0;
            for i in 0..q.len() {
                for j in 0..w.len() {
                    if (band.0..=band.1).contains(&(j as i32 - i as i32)) {
                        let begin = if i == 0 { 0 } else { -clips.begin };
                        let all = (scoring, clips);
                        most = most.max(begin + enumerate(all, (&q, &w), band, (i, j)));
                    }
                }
            }
            let found = align(scoring, clips, &q, &w, band);
            assert_eq!(found.span.score, most, "seed {seed}: {q:?} {w:?} {band:?} {scoring:?}");
        }
    }

    fn align_letters(query: &str, window: &str, low: i32, high: i32) -> (AlignmentSpan, String) {
        let [query, window] = [query, window].map(|letters| encode_all(letters.as_bytes()));
        let scoring = Scoring::default();
        let clips = scoring.query_clips(false);
        let Alignment { span, runs } = align(scoring, clips, &query, &window, (low, high));
        let text = |run: &CigarRun| format!("{}{}", run.length(), run.op().letter());
        (span, runs.iter().map(text).collect())
    }

    #[test]
    fn alignments_that_can_be_checked_by_hand() {
        let check = |query, window, low, high, expected: Option<(i32, [u32; 4], &str)>| {
            let (span, runs) = align_letters(query, window, low, high);
            let ends = [span.query_begin, span.query_end, span.window_begin, span.window_end];
            let found = (span.score > 0).then_some((span.score, ends, runs.as_str()));
            assert_eq!(found, expected, "{query} {window}");
        };
        check("", "ACGT", -9, 9, None);
        check("ACGT", "", -9, 9, None);
        check("A", "A", 0, 0, Some((1, [0, 1, 0, 1], "1=")));
        check("A", "A", 1, 0, None);
        check("A", "CA", 0, 0, None);
        check("A", "CA", 0, 1, Some((1, [0, 1, 1, 2], "1=")));
        check("N", "N", 0, 0, None);
        // Of equal ends the first in the window.
        check("AC", "ACACAC", -9, 9, Some((2, [0, 2, 0, 2], "2=")));
        let long = "ACGTTGCATTAGCAATCGGA";
        check(long, long, 0, 0, Some((20, [0, 20, 0, 20], "20=")));
        // Clipping costs 5, the mismatch and what is lost before it 4 + 1.
        check("TCGTTGCATTAGCAATCGGA", long, -3, 3, Some((15, [0, 20, 0, 20], "1X19=")));
        check("CATTTGCATTAGCAATCGGA", long, -3, 3, Some((12, [3, 20, 3, 20], "17=")));
        // Five bases with two mismatches at an end lose 10, and so does clipping them: the shorter alignment is meant.
        check("CCGTAGCATTAGCAATCGGA", long, 0, 0, Some((10, [5, 20, 5, 20], "15=")));
        check("ACGTTGCATTAGCAAACGCA", long, 0, 0, Some((10, [0, 15, 0, 15], "15=")));
        // Seven for the gap, and one base fewer; the gap is as far to the right as it can be.
        check("ACGTTGCATTAGAATCGGA", long, -3, 3, Some((12, [0, 19, 0, 20], "12=1D7=")));
    }
}
