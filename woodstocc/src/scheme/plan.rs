//! Searches as the engine follows them: runs of pieces in one direction.

use bytemuck::{Pod, Zeroable};

use super::schemes::{Scheme, Search};
use crate::params::MAX_K;

/// Most pieces of a scheme.
const MAX_PIECES: usize = MAX_K as usize + 1;

/// Most runs of a search. By halving, each level down to one piece changes the direction at most once.
pub const MAX_RUNS: usize = 5;

/// Of [`Run::allowed`]: not in this run.
pub const NEVER: u8 = u8::MAX;

/// Pieces that are put, one after the other, to the same side of what was found. Boundary `p` of a
/// query lies before its piece `p`. The kernels read the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Run {
    /// The boundary where it begins.
    pub from: u8,
    /// The boundary where it ends, to the left of `from` unless `right`.
    pub to: u8,
    /// 1 if it goes to the right, else 0.
    pub right: u8,
    /// 1 if the query is complete after it.
    pub last: u8,
    /// From which boundary on so many differences are allowed, all together; or [`NEVER`].
    pub allowed: [u8; MAX_PIECES],
}

/// A search of a scheme. The kernels read the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Plan {
    /// Its pieces in their order, the first part of the array.
    pub order: [u8; MAX_PIECES],
    /// The most differences after each of them.
    pub most: [u8; MAX_PIECES],
    /// Its runs, up to the one that is the last. The first piece belongs to the first run.
    pub runs: [Run; MAX_RUNS],
}

const _: () = assert!(size_of::<Run>() == 20 && size_of::<Plan>() == 132, "as in branch.cuh");

impl Plan {
    /// The plans of all searches of a scheme.
    pub fn all(scheme: &Scheme) -> Vec<Self> {
        scheme.searches.iter().map(Self::new).collect()
    }

    fn new(Search { order, most }: &Search) -> Self {
        let mut plan = Self::default();
        let first = order[0];
        let mut number = 0;
        let mut right = order.get(1).is_none_or(|&second| second > first);
        // What is found lies between these boundaries; before the first run, nothing.
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
        plan.runs[number] = Run { last: 1, ..run };
        plan
    }
}

/// A run that begins where `found` ends, after pieces with at most `most` differences.
fn begin(found: (usize, usize), right: bool, most: usize) -> Run {
    let from = if right { found.1 } else { found.0 } as u8;
    let mut allowed = [NEVER; MAX_PIECES];
    allowed[..=most].fill(from);
    Run { from, to: from, right: u8::from(right), last: 0, allowed }
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
        let plans = Plan::all(&Scheme::halving(3));
        let runs = |search: usize| {
            let runs = plans[search].runs;
            let last = runs.iter().position(|run| run.last == 1).expect("there is a last one");
            runs[..=last].to_vec()
        };
        // 0, then 1 with one difference, then 2 and 3 with three.
        let run = Run { from: 0, to: 4, right: 1, last: 1, allowed: allowed(&[0, 1, 2, 2]) };
        assert_eq!(runs(0), [run]);
        // 1, then 0 with one; then 2 and 3.
        let left = Run { from: 2, to: 0, right: 0, last: 0, allowed: allowed(&[2, 1]) };
        let right = Run { from: 2, to: 4, right: 1, last: 1, allowed: allowed(&[2, 2, 2, 2]) };
        assert_eq!(runs(1), [left, right]);
        assert_eq!(plans[2].order[..4], [2, 3, 1, 0]);
        assert_eq!(plans[2].most[..4], [0, 1, 3, 3]);
    }

    #[test]
    fn every_scheme_has_plans_that_cover_the_query() {
        for k in 0..=usize::from(MAX_K) {
            for plan in Plan::all(&Scheme::halving(k)) {
                let last = plan.runs.iter().position(|run| run.last == 1).expect("a last run");
                let ends = plan.runs[..=last].iter().flat_map(|run| [run.from, run.to]);
                let (least, most) = ends.fold((u8::MAX, 0), |(a, b), c| (a.min(c), b.max(c)));
                assert_eq!((least, usize::from(most)), (0, k + 1), "k {k}: {plan:?}");
                assert!(plan.runs[last].allowed[k] != NEVER, "k {k}: {plan:?}");
            }
        }
    }
}
