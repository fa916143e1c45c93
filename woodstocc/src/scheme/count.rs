//! The cost of searches, counted without verifying anything.

use super::branch::{Branch, BranchSink};
use super::stages::{SchemeContext, SearchId};

/// Work of searches of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchemeCost {
    /// Number of branches extended.
    pub branches: u64,
    /// Occurrences of branches to verify.
    pub occurrences: u64,
}

/// Branches still to extend, and the work so far.
#[derive(Debug, Default)]
struct Counter {
    open: Vec<Branch>,
    cost: SchemeCost,
}

impl BranchSink for Counter {
    fn open(&mut self, branch: Branch) {
        self.open.push(branch);
    }

    fn verify(&mut self, branch: Branch) {
        self.cost.occurrences += u64::from(branch.rows.size);
    }
}

/// Counts the work of all searches for the wanted queries. `None` as soon as `goes_on` returns false for the work
/// counted so far.
pub fn count(
    context: &SchemeContext,
    wanted: &[u32],
    goes_on: impl Fn(SchemeCost) -> bool,
) -> Option<SchemeCost> {
    let transforms = context.index.transforms();
    let mut counter = Counter::default();
    for &query in wanted {
        for number in 0..=context.k as u32 {
            let search = context.query_search(SearchId { query, search: number });
            search.start(&context.index, &mut counter);
            while let Some(branch) = counter.open.pop() {
                counter.cost.branches += 1;
                search.extend(&transforms, &branch, &mut counter);
                if !goes_on(counter.cost) {
                    return None;
                }
            }
        }
    }
    Some(counter.cost)
}
