//! Searches of a scheme, prepared for the engine: runs of pieces in one direction.

use aligner_core::device_struct;

use super::schemes::{Scheme, SchemeSearch};
use crate::params::MAX_K;

/// Greatest number of pieces of a scheme.
const MAX_PIECES: usize = MAX_K as usize + 1;

/// Greatest number of runs of a search. With halving, each of the levels from 16 pieces down to one changes the
/// direction at most once.
pub const MAX_RUNS: usize = 5;

/// Value in [`PieceRun::allowed`] for a number of differences that the run does not allow at all.
pub const NEVER: u8 = u8::MAX;

device_struct! {
    /// Consecutive pieces that a search adds to the same side. Boundary `p` of a query lies before its piece `p`.
    #[derive(PartialEq, Eq, Default)]
    pub struct PieceRun {
        /// Boundary where the run begins.
        pub from: u8,
        /// Boundary where the run ends: to the right of `from` if `right`, else to its left.
        pub to: u8,
        /// 1 if the run goes to the right, 0 if to the left.
        pub right: u8,
        /// 1 if the query is complete after the run, else 0.
        pub last: u8,
        /// Entry `d`: the boundary from which on `d` differences are allowed, counting those of earlier runs; or
        /// [`NEVER`].
        pub allowed: [u8; MAX_PIECES],
    }
}

device_struct! {
    /// A search of a scheme as runs of pieces.
    #[derive(PartialEq, Eq, Default)]
    pub struct SearchPlan {
        /// Numbers of the pieces in the order of the search, followed by zeros.
        pub order: [u8; MAX_PIECES],
        /// Greatest number of differences after each piece.
        pub most: [u8; MAX_PIECES],
        /// Runs, up to the one whose `last` is 1. The first piece belongs to the first run.
        pub runs: [PieceRun; MAX_RUNS],
    }
}

impl SearchPlan {
    /// The plans of all searches of a scheme, in its order.
    pub fn all(scheme: &Scheme) -> Vec<Self> {
        scheme.searches.iter().map(Self::new).collect()
    }

    fn new(SchemeSearch { order, most }: &SchemeSearch) -> Self {
        let mut plan = Self::default();
        let first = order[0];
        let mut number = 0;
        let mut right = order.get(1).is_none_or(|&second| second > first);
        // The pieces so far lie between these two boundaries, which are equal before the first run.
        let mut found = if right { (first, first) } else { (first + 1, first + 1) };
        let mut run = begin(found, right, 0);
        for (i, (&piece, &limit)) in order.iter().zip(most).enumerate() {
            (plan.order[i], plan.most[i]) = (piece as u8, limit as u8);
            let goes_right = if i == 0 { right } else { piece >= found.1 };
            if goes_right != right {
                plan.runs[number] = run;
                number += 1;
                right = goes_right;
                run = begin(found, right, most[i - 1]);
            }
            let boundary = if right { found.1 } else { found.0 };
            for allowed in &mut run.allowed[..=limit] {
                *allowed = if *allowed == NEVER { boundary as u8 } else { *allowed };
            }
            found = (found.0.min(piece), found.1.max(piece + 1));
            run.to = if right { found.1 } else { found.0 } as u8;
        }
        plan.runs[number] = PieceRun { last: 1, ..run };
        plan
    }
}

/// An empty run that begins at an end of the pieces `found` so far, which have at most `most` differences.
fn begin(found: (usize, usize), right: bool, most: usize) -> PieceRun {
    let from = if right { found.1 } else { found.0 } as u8;
    let mut allowed = [NEVER; MAX_PIECES];
    allowed[..=most].fill(from);
    PieceRun { from, to: from, right: u8::from(right), last: 0, allowed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(first: &[u8]) -> [u8; MAX_PIECES] {
        let mut all = [NEVER; MAX_PIECES];
        all[..first.len()].copy_from_slice(first);
        all
    }

    #[test]
    fn runs_go_on_until_the_direction_changes() {
        let plans = SearchPlan::all(&Scheme::halving(3));
        let runs = |search: usize| {
            let runs = plans[search].runs;
            let last = runs.iter().position(|run| run.last == 1).expect("there is a last one");
            runs[..=last].to_vec()
        };
        // Piece 0, then piece 1 with one difference, then pieces 2 and 3 with three.
        let run = PieceRun { from: 0, to: 4, right: 1, last: 1, allowed: allowed(&[0, 1, 2, 2]) };
        assert_eq!(runs(0), [run]);
        // Piece 1, then piece 0 with one difference; then pieces 2 and 3.
        let left = PieceRun { from: 2, to: 0, right: 0, last: 0, allowed: allowed(&[2, 1]) };
        let right = PieceRun { from: 2, to: 4, right: 1, last: 1, allowed: allowed(&[2, 2, 2, 2]) };
        assert_eq!(runs(1), [left, right]);
        assert_eq!(plans[2].order[..4], [2, 3, 1, 0]);
        assert_eq!(plans[2].most[..4], [0, 1, 3, 3]);
    }

    #[test]
    fn every_scheme_has_plans_that_cover_the_query() {
        for k in 0..=usize::from(MAX_K) {
            for plan in SearchPlan::all(&Scheme::halving(k)) {
                let last = plan.runs.iter().position(|run| run.last == 1).expect("a last run");
                let ends = plan.runs[..=last].iter().flat_map(|run| [run.from, run.to]);
                let (least, most) = ends.fold((u8::MAX, 0), |(a, b), c| (a.min(c), b.max(c)));
                assert_eq!((least, usize::from(most)), (0, k + 1), "k {k}: {plan:?}");
                assert!(plan.runs[last].allowed[k] != NEVER, "k {k}: {plan:?}");
            }
        }
    }
}
