//! Greedy gapped extension with affine gap costs (Zhang et al., J. Comput. Biol. 7, 2000, section 5).
//!
//! As in [`greedy`](crate::gapped::greedy), the farthest end on each diagonal is all there is to know, but of each *distance*:
//! the sum of the costs of all differences, half a match added to each column of a gap. Costs are divided by their greatest
//! common divisor, so that few distances have no alignment.
//!
//! ```text
//!   ends at distance d:   a mismatch behind the end at d - mismatch on the same diagonal,
//!                         a gap opened behind the end at d - open - extend on a neighbour, or
//!                         a gap extended from the gap at d - extend on a neighbour; then equal letters
//! ```
//!
//! This is `BLAST_AffineGreedyAlign` in NCBI's `greedy_align.c`.

use crate::gapped::edit_script::{EditOp, EditScript};
use crate::gapped::greedy::{EqualRun, GreedySides, UNREACHED};
use crate::gapped::side::SequenceSide;
use crate::scoring::Scoring;

/// A diagonal beyond all others.
const BEYOND: i32 = 100_000_000;

/// How far the best alignment of an extension reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AffineGreedyReach {
    /// Its score, doubled if the reward is odd.
    pub score: i32,
    /// Letters of the query.
    pub query: i32,
    /// Letters of the subject.
    pub subject: i32,
    /// The longest run of equal letters.
    pub run: EqualRun,
    distance: i32,
    /// The diagonal at the far end.
    diagonal: i32,
}

/// The farthest ends on a diagonal, as places of the subject.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// Behind a pair.
    pair: i32,
    /// Behind a letter of the query beside a gap.
    insertion: i32,
    /// Behind a letter of the subject beside a gap.
    deletion: i32,
}

/// The farthest ends of the alignments of one distance.
#[derive(Debug, Clone)]
struct Front {
    /// First and last diagonal that an alignment reaches; the last is before the first if none does.
    reached: (i32, i32),
    /// Diagonal of the first element of `ends`.
    first: i32,
    ends: Vec<Ends>,
}

impl Default for Front {
    fn default() -> Self {
        Self { reached: (BEYOND, -BEYOND), first: 0, ends: Vec::new() }
    }
}

impl Front {
    fn is_empty(&self) -> bool {
        self.reached.0 > self.reached.1
    }

    /// The ends on a diagonal, if an alignment reaches it.
    fn get(&self, diagonal: i32) -> Option<&Ends> {
        let (first, last) = self.reached;
        (first..=last).contains(&diagonal).then(|| &self.ends[(diagonal - self.first) as usize])
    }
}

/// Memory of extensions, which the next one reuses.
#[derive(Debug, Default)]
pub struct AffineGreedyBuffers {
    /// The front of each distance, as long as it is needed.
    fronts: Vec<Front>,
    /// Best score by distance.
    scores: Vec<i32>,
    /// Number of fronts that are kept, or `None` for all.
    kept: Option<usize>,
    empty: Front,
}

impl AffineGreedyBuffers {
    fn place(&self, distance: i32) -> usize {
        self.kept.map_or(distance as usize, |kept| distance as usize % kept)
    }

    /// The front of a distance; there is none of negative ones.
    fn front(&self, distance: i32) -> &Front {
        if distance < 0 { &self.empty } else { &self.fronts[self.place(distance)] }
    }

    fn set(&mut self, distance: i32, front: Front) {
        let place = self.place(distance);
        if place == self.fronts.len() {
            self.fronts.push(front);
        } else {
            self.fronts[place] = front;
        }
    }

    /// A front without ends for some diagonals, in the memory of one that is needed no more.
    fn recycled(&mut self, distance: i32, (first, last): (i32, i32)) -> Front {
        let place = self.place(distance);
        let mut ends = self
            .fronts
            .get_mut(place)
            .map_or_else(Vec::new, |front| std::mem::take(&mut front.ends));
        ends.clear();
        ends.reserve((last - first + 1).max(0) as usize);
        Front { first, ends, ..Front::default() }
    }
}

/// Costs of differences in distances.
#[derive(Debug, Clone, Copy)]
struct Costs {
    mismatch: i32,
    /// The first column of a gap.
    open: i32,
    /// Each further column of a gap.
    extend: i32,
    /// Score of a distance of 1.
    unit: i32,
    /// Score of half a match.
    half: i32,
}

impl Costs {
    fn new(scoring: &Scoring) -> Self {
        let factor = factor(scoring);
        let half = factor * scoring.reward / 2;
        let mismatch = factor * (scoring.reward - scoring.penalty);
        let (open, extend) = (factor * scoring.gap_open, factor * scoring.gap_extend + half);
        let unit = gcd(mismatch, gcd(open, extend));
        let open = open + extend;
        Self { mismatch: mismatch / unit, open: open / unit, extend: extend / unit, unit, half }
    }

    /// The greatest cost.
    fn greatest(&self) -> i32 {
        self.mismatch.max(self.open)
    }
}

/// By what all scores are multiplied, so that half a match is an integer.
pub(crate) fn factor(scoring: &Scoring) -> i32 {
    1 + scoring.reward % 2
}

/// Greatest common divisor.
fn gcd(one: i32, other: i32) -> i32 {
    if other == 0 { one } else { gcd(other, one % other) }
}

impl AffineGreedyBuffers {
    /// How far an insertion and a deletion reach on a diagonal, at this cost in all.
    fn gaps(&self, distance: i32, diagonal: i32, costs: Costs) -> (i32, i32) {
        let at = |cost: i32, diagonal: i32| self.front(distance - cost).get(diagonal);
        let mut deletion = at(costs.open, diagonal + 1).map_or(UNREACHED, |ends| ends.pair);
        if let Some(ends) = at(costs.extend, diagonal + 1) {
            deletion = deletion.max(ends.deletion);
        }
        if deletion != UNREACHED {
            deletion += 1;
        }
        let mut insertion = at(costs.open, diagonal - 1).map_or(UNREACHED, |ends| ends.pair);
        if let Some(ends) = at(costs.extend, diagonal - 1) {
            insertion = insertion.max(ends.insertion);
        }
        (insertion, deletion)
    }
}

/// Extends to one side, to the left if `REVERSE`. With `TRACE`, [`script`] gives the columns afterwards.
pub fn extend<const REVERSE: bool, const TRACE: bool>(
    query: SequenceSide<'_>,
    subject: SequenceSide<'_>,
    scoring: &Scoring,
    x_drop: i32,
    work: &mut AffineGreedyBuffers,
) -> AffineGreedyReach {
    let costs = Costs::new(scoring);
    let Costs { mismatch, open, extend, unit, half } = costs;
    let x_drop = factor(scoring) * x_drop;
    let sides = GreedySides::<REVERSE>::new(query, subject);
    let run = sides.run(0, 0);
    let mut reach = AffineGreedyReach {
        score: 2 * half * run,
        query: run,
        subject: run,
        run: EqualRun { length: run, ..EqualRun::default() },
        ..AffineGreedyReach::default()
    };
    work.fronts.clear();
    work.kept = (!TRACE).then_some(costs.greatest() as usize + 1);
    let ends = vec![Ends { pair: run, insertion: UNREACHED, deletion: UNREACHED }];
    work.set(0, Front { reached: (0, 0), first: 0, ends });
    if run == sides.lengths.0 || run == sides.lengths.1 {
        return reach;
    }
    let back = ((x_drop + half) / unit + 1) as usize;
    work.scores.clear();
    work.scores.resize(back, 0);
    work.scores.push(reach.score);
    let (mut lower, mut upper) = (-1, 1);
    // Beyond these diagonals an alignment has come to the end of a sequence.
    let (mut least, mut greatest) = (-BEYOND, BEYOND);
    // Fronts that are not empty, of those that a cost reaches back to.
    let mut open_fronts = 1;
    for distance in 1.. {
        let least_letters = work.scores[distance as usize] + unit * distance - x_drop;
        let least_letters = (f64::from(least_letters) / f64::from(half)).ceil().max(0.0) as i32;
        let (mut extent, mut farthest) = (0, (0, 0));
        let mut front = work.recycled(distance, (lower, upper));
        let reachable = lower..=upper;
        for diagonal in reachable {
            let (insertion, deletion) = work.gaps(distance, diagonal, costs);
            let mut end = insertion.max(deletion);
            if let Some(ends) = work.front(distance - mismatch).get(diagonal) {
                end = end.max(ends.pair + 1);
            }
            let is_reached = end >= 0 && end + end + diagonal >= least_letters;
            let run = if is_reached { sides.run(end + diagonal, end) } else { 0 };
            let pair = if is_reached { end + run } else { UNREACHED };
            front.ends.push(Ends { pair, insertion, deletion });
            if !is_reached {
                if diagonal == lower {
                    lower += 1;
                }
                continue;
            }
            upper = diagonal;
            if run > reach.run.length {
                reach.run = EqualRun { query: end + diagonal, subject: end, length: run };
            }
            if pair + pair + diagonal > extent {
                extent = pair + pair + diagonal;
                farthest = (pair, diagonal);
            }
            if pair + diagonal == sides.lengths.0 {
                greatest = diagonal - 1;
            }
            if pair == sides.lengths.1 {
                lower = diagonal;
                least = diagonal + 1;
            }
        }
        let score = extent * half - distance * unit;
        let best = work.scores[work.scores.len() - 1];
        if score > best {
            let (end, diagonal) = farthest;
            let (query, subject) = (end + diagonal, end);
            reach = AffineGreedyReach { score, query, subject, distance, diagonal, ..reach };
        }
        work.scores.push(score.max(best));
        if lower <= upper {
            front.reached = (lower, upper);
            open_fronts += 1;
        }
        // Of a ring of fronts, the one that goes out of reach is the next to be replaced.
        if !work.front(distance - costs.greatest()).is_empty() {
            open_fronts -= 1;
        }
        work.set(distance, front);
        if open_fronts == 0 {
            break;
        }
        let reached = |cost: i32| work.front(distance + 1 - cost).reached;
        let of_gaps = [reached(open), reached(extend)];
        lower = of_gaps[0].0.min(of_gaps[1].0) - 1;
        lower = lower.min(reached(mismatch).0).max(least);
        upper = of_gaps[0].1.max(of_gaps[1].1) + 1;
        upper = upper.max(reached(mismatch).1).min(greatest);
    }
    reach
}

/// Columns of the last extension, from its far end to its begin.
pub fn script(
    work: &AffineGreedyBuffers,
    reach: &AffineGreedyReach,
    scoring: &Scoring,
) -> EditScript {
    let Costs { mismatch, open, extend, .. } = Costs::new(scoring);
    let mut script = EditScript::default();
    let AffineGreedyReach { mut distance, mut diagonal, subject: mut end, .. } = *reach;
    let mut op = EditOp::Pair;
    while distance > 0 {
        let at = |cost: i32, diagonal: i32| work.front(distance - cost).get(diagonal);
        if op == EditOp::Pair {
            let (insertion, deletion) = at(0, diagonal)
                .map_or((UNREACHED, UNREACHED), |ends| (ends.insertion, ends.deletion));
            let before = at(mismatch, diagonal).map(|ends| ends.pair);
            let from = match before.filter(|&pair| pair >= insertion.max(deletion)) {
                Some(pair) => {
                    distance -= mismatch;
                    pair
                }
                None if insertion > deletion => {
                    op = EditOp::Insertion;
                    insertion
                }
                None => {
                    op = EditOp::Deletion;
                    deletion
                }
            };
            script.push(EditOp::Pair, end - from);
            end = from;
            continue;
        }
        script.push(op, 1);
        let is_insertion = op == EditOp::Insertion;
        diagonal += if is_insertion { -1 } else { 1 };
        let gap = at(extend, diagonal)
            .map_or(UNREACHED, |ends| if is_insertion { ends.insertion } else { ends.deletion });
        if at(open, diagonal).is_some_and(|ends| gap < ends.pair) {
            distance -= open;
            op = EditOp::Pair;
        } else {
            distance -= extend;
        }
        end -= i32::from(!is_insertion);
    }
    script.push(EditOp::Pair, end);
    script
}
