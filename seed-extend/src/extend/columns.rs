//! Columns of an alignment tell more than its score: how much its best stretch scores, and whether it lies where it was
//! predicted.

use aligner_core::cigar::{CigarOp, CigarRun};
use aligner_core::device_struct;

use super::alignments::AlignmentSpan;
use super::scoring::Scoring;
use super::tasks::AlignmentTask;

device_struct! {
    /// Where the alignment of a task is predicted: by a chain of seeds, say.
    #[derive(PartialEq, Eq, Default)]
    pub struct Prediction {
        /// The least diagonal, as of the task's band.
        pub low: i32,
        /// The greatest diagonal.
        pub high: i32,
        /// First base of the query.
        pub begin: u32,
        /// End in the query, exclusive; no alignment lies where nothing of the query is.
        pub end: u32,
    }
}

/// The span of the alignment of `task` that has these columns, with what they tell.
pub(super) fn judged(
    span: AlignmentSpan,
    runs: &[CigarRun],
    task: &AlignmentTask,
    scoring: Scoring,
) -> AlignmentSpan {
    let clips = scoring.query_clips(task.is_reverse != 0);
    let clipped = |is_clipped: bool, penalty: i32| if is_clipped { penalty } else { 0 };
    let without_clips = span.score
        + clipped(span.query_begin > 0, clips.begin)
        + clipped(span.query_end < task.query_len, clips.end);
    let is_predicted = goes_through(&span, runs, task.prediction);
    AlignmentSpan {
        best_stretch: best_stretch(runs, Some(without_clips), scoring),
        is_predicted: is_predicted.into(),
        ..span
    }
}

/// Score of one run of columns, as if no base were unknown.
fn run_score(run: CigarRun, scoring: Scoring) -> i32 {
    let count = run.length() as i32;
    match run.op() {
        CigarOp::Equal => count * scoring.match_score(),
        CigarOp::Different => -count * scoring.mismatch_penalty(),
        CigarOp::Insertion => -scoring.insertion().of(run.length()),
        CigarOp::Deletion => -scoring.deletion().of(run.length()),
    }
}

/// The best score of any stretch of columns. `all` is the score of all of them, if a base may be unknown: that costs less than
/// the mismatch that the runs show. The difference is added to the stretch, whose score is then limited to that of its matches.
pub(crate) fn best_stretch(runs: &[CigarRun], all: Option<i32>, scoring: Scoring) -> i32 {
    let (mut here, mut best, mut matches, mut total) = (0, 0, 0, 0);
    for &run in runs {
        let score = run_score(run, scoring);
        here = (here + score).max(0);
        best = best.max(here);
        matches += score.max(0);
        total += score;
    }
    let difference = all.map_or(0, |all| all - total);
    (best + difference).min(matches)
}

/// Whether an alignment goes through where it is predicted: it has equal columns there. A band may hold a better alignment
/// beside that.
fn goes_through(span: &AlignmentSpan, runs: &[CigarRun], prediction: Prediction) -> bool {
    let (mut place, mut diagonal) =
        (span.query_begin, i64::from(span.window_begin) - i64::from(span.query_begin));
    runs.iter().any(|run| {
        let (begin, count) = (place, run.length());
        match run.op() {
            CigarOp::Equal | CigarOp::Different => place += count,
            CigarOp::Insertion => (place, diagonal) = (place + count, diagonal - i64::from(count)),
            CigarOp::Deletion => diagonal += i64::from(count),
        }
        run.op() == CigarOp::Equal
            && (prediction.low.into()..=prediction.high.into()).contains(&diagonal)
            && begin.max(prediction.begin) < place.min(prediction.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments_go_through_their_prediction_or_beside_it() {
        let columns = [
            (CigarOp::Equal, 20),
            (CigarOp::Deletion, 3),
            (CigarOp::Equal, 30),
            (CigarOp::Different, 10),
        ];
        let runs = columns.map(|(op, count)| CigarRun::new(op, count));
        let span = AlignmentSpan {
            query_begin: 40,
            query_end: 100,
            window_begin: 140,
            window_end: 203,
            ..AlignmentSpan::default()
        };
        // Places 40 to 59 are equal on diagonal 100, 60 to 89 on 103.
        let holds = |diagonal, begin, end| {
            let prediction = Prediction { low: diagonal, high: diagonal, begin, end };
            goes_through(&span, &runs, prediction)
        };
        for (diagonal, begin, end, is_there) in [
            (100, 20, 41, true),
            (100, 20, 40, false),
            (100, 60, 80, false),
            (103, 40, 60, false),
            (103, 40, 61, true),
            (103, 89, 95, true),
            (103, 90, 100, false),
            (101, 40, 100, false),
        ] {
            assert_eq!(holds(diagonal, begin, end), is_there, "{diagonal} {begin} {end}");
        }
        let wide = Prediction { low: 101, high: 110, begin: 85, end: 110 };
        assert!(goes_through(&span, &runs, wide));
        assert!(!goes_through(&span, &runs, Prediction::default()));
    }
}
