//! Alignments without a matrix, for the many reads that differ little from the text.
//!
//! # When one diagonal tells the best alignment
//!
//! Let an alignment *lose* what it scores less than `match` for each code of the query, where `match`, `mismatch` and
//! `clip` are the numbers of the [`Scoring`]: a mismatch loses `match + mismatch`, a pair with an unknown base `match -
//! UNKNOWN_SCORE`; a gap at least `G`, the least penalty of any gap, and each inserted code `match` besides; clipping
//! loses the `clip` of that end, and `match` for each code. Let all `m >= 2 * W` codes of the query lie over the window on
//! diagonal `d`, and let `U` be the alignment of all of them there, which loses `L`. It is the one best alignment,
//! better than every other, if it scores more than 0 and
//!
//! 1. what is clipped from either end up to a mismatch of `U`, and with it, loses more than the mismatches
//!    that are clipped;
//! 2. `L < 2 G`;
//! 3. what `U` loses within the first `W` codes is less than `G`, and so is that within the last `W`;
//! 4. on every other diagonal of the band, more than `L / match` of the first `W` codes do not match,
//!    and so do more of the last `W`. Codes outside of the window do not match.
//!
//! For another alignment loses more than `L`:
//!
//! - *No gap, on `d`.* It differs from `U` by what it clips, and (1) says that this loses more.
//! - *No gap, on another diagonal.* Each of the first `W` codes that does not match there is in a pair that
//!   loses, or clipped, and loses at least `match`: more than `L` in all, by (4).
//! - *One gap*, between codes on diagonal `d1`, up to place `c` of the query, and codes on `d2`, from place
//!   `c' >= c` on. Codes from `c` to `c'` are inserted.
//!   - `d1` is not `d`, and `c' >= W`: none of the first `W` codes is on `d2`. Those that do not match on `d1`
//!     are in a pair that loses, inserted or clipped; by (4) they lose more than `L`.
//!   - `d1` is not `d`, `c' < W`, and `d2` is `d`: all mismatches of `U` from `W` on are paired, or clipped
//!     at the end, where by (1) more is lost. Together with the gap that is at least `G` and what `U`
//!     loses behind its first `W` codes: by (3) more than `L`.
//!   - `d1` and `d2` are not `d`, and `c' < W`: since `m >= 2 * W`, the last `W` codes are on `d2` or clipped,
//!     and by (4) lose more than `L`.
//!   - `d1` is `d`, so `d2` is not: as before, from the other end.
//! - *More gaps* lose at least `2 G`, which is more than `L` by (2).
//!
//! With the scores of `bwa mem` that allows two mismatches, unless both are near one end, where a gap could do with
//! less.

use super::UNKNOWN;
use super::scoring::{QueryClips, Scoring};

/// Codes at each end of the query that are compared on all diagonals: `W` above.
const END_CODES: usize = 32;

/// Mismatches on the diagonal, at most; with more, the answer takes a matrix.
const MAX_MISMATCHES: usize = 8;

/// A diagonal, and the band around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiagonalInBand {
    /// The least diagonal of the band.
    pub low: i32,
    /// A diagonal of the band.
    pub diagonal: i32,
    /// The greatest diagonal of the band.
    pub high: i32,
}

/// The score of the whole query on a diagonal, if that alignment is better than every other one in the band. `None` if
/// this is not known: the answer takes a matrix then.
pub(super) fn score(
    scoring: Scoring,
    clips: QueryClips,
    query: &[u8],
    window: &[u8],
    band: DiagonalInBand,
) -> Option<i32> {
    let DiagonalInBand { low, diagonal, high } = band;
    let m = query.len();
    let first = usize::try_from(diagonal).ok()?;
    let opposite = window.get(first..first + m)?;
    if m < 2 * END_CODES || !(low..=high).contains(&diagonal) {
        return None;
    }
    let mut losses = [Loss::default(); MAX_MISMATCHES];
    let count = losses_of(scoring, query, opposite, &mut losses)?;
    let losses = &losses[..count];
    let lost: i32 = losses.iter().map(|it| it.loss).sum();
    let total = m as i32 * scoring.match_score() - lost;
    let is_best = total > 0
        && lost < 2 * scoring.min_gap()
        && clips_lose(scoring, clips, m, losses)
        && ends_are_good(scoring, m, losses)
        && others_lose(scoring, query, window, band, lost);
    is_best.then_some(total)
}

/// Calls `differ` for each place where two sequences of one length do not match, in order.
pub(super) fn differences(query: &[u8], opposite: &[u8], mut differ: impl FnMut(usize)) {
    const UNKNOWNS: u64 = u64::from_le_bytes([UNKNOWN; 8]);
    const CODE: u64 = u8::MAX as u64;
    let (words, rest) = query.as_chunks();
    let (others, other_rest) = opposite.as_chunks();
    for (number, (&a, &b)) in words.iter().zip(others).enumerate() {
        let (a, b) = (u64::from_le_bytes(a), u64::from_le_bytes(b));
        let mut different = (a ^ b) | ((a | b) & UNKNOWNS);
        while different != 0 {
            let place = different.trailing_zeros() / u8::BITS;
            differ(8 * number + place as usize);
            different &= !(CODE << (u8::BITS * place));
        }
    }
    let before = 8 * words.len();
    for (place, (&a, &b)) in rest.iter().zip(other_rest).enumerate() {
        if a != b || a >= UNKNOWN {
            differ(before + place);
        }
    }
}

/// A mismatch on the diagonal.
#[derive(Debug, Clone, Copy, Default)]
struct Loss {
    /// Place in the query, from 0.
    place: usize,
    /// Difference of its score to that of a match.
    loss: i32,
}

/// Writes the mismatches on the diagonal to `losses` and returns their number; `None` if there are too many.
fn losses_of(
    scoring: Scoring,
    query: &[u8],
    opposite: &[u8],
    losses: &mut [Loss; MAX_MISMATCHES],
) -> Option<usize> {
    let mut count = 0;
    differences(query, opposite, |place| {
        if let Some(entry) = losses.get_mut(count) {
            *entry = Loss {
                place,
                loss: scoring.match_score() - scoring.pair(query[place], opposite[place]),
            };
        }
        count += 1;
    });
    (count <= MAX_MISMATCHES).then_some(count)
}

/// Condition 1: clipping up to any mismatch loses more than it saves.
fn clips_lose(scoring: Scoring, clips: QueryClips, m: usize, losses: &[Loss]) -> bool {
    let clipping = |codes: usize, clip: i32| codes as i32 * scoring.match_score() + clip;
    let lost: i32 = losses.iter().map(|it| it.loss).sum();
    let mut before = 0;
    losses.iter().all(|&Loss { place, loss }| {
        let (from_first, to_last) = (before + loss, lost - before);
        before += loss;
        clipping(place + 1, clips.begin) > from_first && clipping(m - place, clips.end) > to_last
    })
}

/// Condition 3: the mismatches near either end lose less than a gap.
fn ends_are_good(scoring: Scoring, m: usize, losses: &[Loss]) -> bool {
    let within = |wanted: fn(usize, usize) -> bool| {
        let inside = losses.iter().filter(|it| wanted(it.place, m));
        inside.map(|it| it.loss).sum::<i32>()
    };
    let gap = scoring.min_gap();
    within(|place, _| place < END_CODES) < gap && within(|place, m| place >= m - END_CODES) < gap
}

/// Condition 4: on every other diagonal, the ends of the query have too many mismatches.
fn others_lose(
    scoring: Scoring,
    query: &[u8],
    window: &[u8],
    band: DiagonalInBand,
    lost: i32,
) -> bool {
    let DiagonalInBand { low, diagonal, high } = band;
    let (m, n) = (query.len(), window.len());
    let (Some(first), Some(last)) = (query.first_chunk(), query.last_chunk()) else {
        return false;
    };
    let enough = (lost / scoring.match_score()) as usize;
    let others = low.max(1 - m as i32)..=high.min(n as i32 - 1);
    others.filter(|&other| other != diagonal).all(|other| {
        different(first, window, other) > enough
            && different(last, window, other + (m - END_CODES) as i32) > enough
    })
}

/// The number of codes that do not match those of the window from `place` on, which may lie outside of the window.
/// Unknown codes may count as matches.
fn different(codes: &[u8; END_CODES], window: &[u8], place: i32) -> usize {
    let inside = usize::try_from(place).ok().and_then(|place| window.get(place..)?.first_chunk());
    if let Some(opposite) = inside {
        let opposite: &[u8; END_CODES] = opposite;
        return codes.iter().zip(opposite).map(|(a, b)| u8::from(a != b)).sum::<u8>().into();
    }
    let matches = |(i, code): (usize, &u8)| {
        let place = usize::try_from(place + i as i32);
        place.is_ok_and(|place| window.get(place) == Some(code))
    };
    END_CODES - codes.iter().enumerate().filter(|&pair| matches(pair)).count()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::extend::oracle;
    use crate::extend::scoring::{ClipPenalties, GapPenalty, ScoringParameters};

    #[test]
    fn differences_are_where_codes_do_not_match() {
        let mut random = Rng::with_seed(1);
        for len in 0..70 {
            let mut codes = || -> Vec<u8> { (0..len).map(|_| random.u8(..=4)).collect() };
            let (a, b) = (codes(), codes());
            let mut found = Vec::new();
            differences(&a, &b, |place| found.push(place));
            let expected: Vec<usize> =
                (0..len).filter(|&i| a[i] != b[i] || a[i] == UNKNOWN).collect();
            assert_eq!(found, expected);
        }
    }

    /// A query, a window, and the diagonal that it is from.
    struct Case {
        query: Vec<u8>,
        window: Vec<u8>,
        diagonal: i32,
    }

    /// A query with few changes near the ends and repeats, so that other alignments are about as good as that of the
    /// diagonal.
    fn close(random: &mut Rng) -> Case {
        let m = 60 + random.usize(..60);
        let diagonal = random.usize(..12);
        let letters = [2, 3, 4, 5][random.usize(..4)];
        let n = diagonal + m + random.usize(..12);
        let mut window: Vec<u8> = (0..n).map(|_| random.u8(..letters)).collect();
        if random.u8(..3) > 0 {
            let period = 1 + random.usize(..6);
            let from = period + random.usize(..n / 2);
            let to = from + random.usize(..n - from);
            (from..to).for_each(|i| window[i] = window[i - period]);
        }
        let mut query = window[diagonal..diagonal + m].to_vec();
        for _ in 0..random.usize(..4) {
            let near = random.usize(..40);
            let place = if random.bool() { near } else { m - 1 - near };
            query[place] = random.u8(..letters);
        }
        Case { query, window, diagonal: diagonal as i32 }
    }

    #[test]
    fn what_is_known_is_the_oracles_answer() {
        let scorings = [
            (1, 4, [6, 1], [6, 1], [5, 5]),
            (1, 1, [0, 1], [0, 1], [0, 0]),
            (2, 3, [5, 2], [1, 4], [0, 0]),
            (3, 1, [30, 1], [30, 1], [90, 90]),
            (1, 4, [8, 2], [4, 1], [9, 0]),
            (1, 4, [3, 1], [12, 3], [1, 7]),
        ];
        for (match_score, mismatch_penalty, deletion, insertion, clips) in scorings {
            let gap = |[open, extend]: [i32; 2]| GapPenalty { open, extend };
            let [five_prime, three_prime] = clips;
            let scoring = Scoring::new(ScoringParameters {
                match_score,
                mismatch_penalty,
                deletion: gap(deletion),
                insertion: gap(insertion),
                clip: ClipPenalties { five_prime, three_prime },
            })
            .expect("within limits");
            let mut known = 0;
            for seed in 0..2000 {
                let clips = scoring.query_clips(seed % 2 == 1);
                let mut random = Rng::with_seed(seed);
                let Case { query, window, diagonal } = close(&mut random);
                let (low, high) = (diagonal - random.i32(0..40), diagonal + random.i32(0..40));
                let band = DiagonalInBand { low, diagonal, high };
                let found = score(scoring, clips, &query, &window, band);
                let Some(total) = found else { continue };
                known += 1;
                let expected = oracle::align(scoring, clips, &query, &window, (low, high)).span;
                let told = [total, 0, query.len() as i32, diagonal];
                let from = [expected.query_begin, expected.query_end, expected.window_begin];
                let from = from.map(|place| place as i32);
                assert_eq!([expected.score, from[0], from[1], from[2]], told, "{scoring:?} {seed}");
                assert_eq!(expected.window_end as i32, diagonal + query.len() as i32);
            }
            assert!(known > 100, "{known} of {scoring:?}: the test shows little");
        }
    }

    #[test]
    fn most_reads_are_known() {
        let mut random = Rng::with_seed(2);
        let window: Vec<u8> = (0..200).map(|_| random.u8(..4)).collect();
        let mut query = window[20..170].to_vec();
        let band = DiagonalInBand { low: 0, diagonal: 20, high: 40 };
        let scoring = Scoring::default();
        let clips = scoring.query_clips(false);
        let known = |query: &[u8]| score(scoring, clips, query, &window, band);
        assert_eq!(known(&query), Some(150));
        query[3] ^= 1;
        assert_eq!(known(&query), Some(145));
        query[90] ^= 1;
        assert_eq!(known(&query), Some(140));
        query[10] ^= 1;
        assert_eq!(known(&query), None);
        query[10] ^= 1;
        query[3] ^= 1;
        query[0] ^= 1;
        assert_eq!(known(&query), Some(140));
        assert_eq!(known(&query[..63]), None, "too short");
    }
}
