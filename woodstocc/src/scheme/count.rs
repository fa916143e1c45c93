//! What a search would do, without verifying anything.

use super::branch::{Branch, Branches};
use super::stages::{Context, Start};

/// Open branches, and occurrences that are to be verified.
#[derive(Debug, Default)]
struct Counter {
    open: Vec<Branch>,
    occurrences: u64,
}

impl Branches for Counter {
    fn open(&mut self, branch: Branch) {
        self.open.push(branch);
    }

    fn verify(&mut self, branch: Branch) {
        self.occurrences += u64::from(branch.rows.size);
    }
}

/// Branches that are extended and occurrences that are verified for these queries; `None` if
/// `goes_on` said no to what was counted so far.
pub fn count(
    context: &Context,
    wanted: &[u32],
    goes_on: impl Fn((u64, u64)) -> bool,
) -> Option<(u64, u64)> {
    let transforms = context.index.transforms();
    let mut counter = Counter::default();
    let mut branches = 0;
    for &query in wanted {
        for search in 0..=context.k as u32 {
            let path = context.path(Start { query, search });
            path.start(&context.index, &mut counter);
            while let Some(branch) = counter.open.pop() {
                branches += 1;
                path.extend(&transforms, &branch, &mut counter);
                if !goes_on((branches, counter.occurrences)) {
                    return None;
                }
            }
        }
    }
    Some((branches, counter.occurrences))
}
