//! A search for states in which a stack is full, over all ways in which items may multiply.

use std::collections::HashSet;

use super::*;

/// The stack of a depth-first node: capacity, slots that inputs from outside leave free, and the depths of its items.
struct Search {
    descent: Descent,
    depth: u8,
    ensemble: u64,
    capacity: usize,
    reserve: usize,
}

impl Search {
    fn new(gamma: u64, depth: u8, ensemble: u64) -> Self {
        let spare = (gamma - 1) * (u64::from(depth) + 1) + 1;
        let reserve = spare as usize;
        // Two slots more than the least, so that several inputs enter.
        Self { descent: Descent { gamma, spare }, depth, ensemble, capacity: 3 + reserve, reserve }
    }

    /// The stacks after a firing of the last `count` items and `window` inputs from outside. Each input yields none of
    /// its items or all, and they come in ascending or descending order of depth.
    fn fired(&self, stack: &[u8], count: usize, window: usize) -> Vec<Vec<u8>> {
        let (kept, inputs) = stack.split_at(stack.len() - count);
        let inputs: Vec<u8> =
            inputs.iter().copied().chain(std::iter::repeat_n(0, window)).collect();
        let mut after = Vec::new();
        for chosen in 0..1_u32 << inputs.len() {
            let yields = |(at, depth): &(usize, &u8)| chosen >> at & 1 == 1 && **depth < self.depth;
            let items =
                inputs.iter().enumerate().filter(yields).flat_map(|(_, depth)| {
                    std::iter::repeat_n(depth + 1, self.descent.gamma as usize)
                });
            let mut items: Vec<u8> = items.collect();
            // Inputs wait in their slots until the firing ends.
            assert!(stack.len() + items.len() <= self.capacity, "{stack:?}, {count}, {window}");
            items.sort_unstable();
            after.push([kept, &items].concat());
            items.reverse();
            after.push([kept, &items].concat());
        }
        after
    }

    /// A stack with items of which none can be fired, and the number of stacks that were found.
    fn full(&self) -> (Option<Vec<u8>>, usize) {
        let mut seen = HashSet::from([Vec::new()]);
        let mut stacks = vec![Vec::new()];
        while let Some(stack) = stacks.pop() {
            let open = self.capacity - stack.len();
            let enters = open.saturating_sub(self.reserve);
            let waiting = stack.len() as u64;
            let mut next = Vec::new();
            // Under a limit by other targets, fewer of the stack may be fired.
            for limit in 0..=waiting {
                let most = self.descent.feasible(limit, open as u64, self.ensemble);
                if limit == waiting && most.queued == 0 && waiting > 0 {
                    return (Some(stack), seen.len());
                }
                for window in 0..=enters.min(most.window as usize) {
                    next.extend(self.fired(&stack, most.queued as usize, window));
                }
            }
            if enters > 0 {
                next.push([&stack[..], &[0]].concat());
            }
            for stack in next {
                if seen.insert(stack.clone()) {
                    stacks.push(stack);
                }
            }
        }
        (None, seen.len())
    }
}

#[test]
fn one_input_can_always_be_fired() {
    let mut stacks = 0;
    for (gamma, depth) in [(2, 0), (2, 1), (2, 3), (3, 1), (3, 2), (4, 1)] {
        for ensemble in [1, 2, 3, 32] {
            let (full, seen) = Search::new(gamma, depth, ensemble).full();
            assert_eq!(full, None, "gamma {gamma}, depth {depth}, ensembles of {ensemble}");
            stacks += seen;
        }
    }
    assert!(stacks > 1000, "{stacks} stacks");
}

#[test]
fn the_slots_of_a_descent_are_needed() {
    for (gamma, depth) in [(2, 2), (3, 2)] {
        let mut search = Search::new(gamma, depth, 1);
        search.capacity -= 1;
        search.reserve -= 1;
        search.descent.spare -= 1;
        assert!(search.full().0.is_some(), "gamma {gamma}, depth {depth}");
        // Deeper than declared.
        let search = Search { depth: depth + 2, ..Search::new(gamma, depth, 1) };
        assert!(search.full().0.is_some(), "gamma {gamma}, depth {depth}");
    }
}

#[test]
fn ensembles_are_full_as_long_as_there_is_room() {
    let descent = Descent { gamma: 3, spare: 2 * 11 + 1 };
    let feasible = |waiting, open| {
        let DepthFirstInputs { queued, window } = descent.feasible(waiting, open, 32);
        (queued, window)
    };
    assert_eq!(feasible(1000, 23), (1, 0), "the descent of one item");
    assert_eq!(feasible(1000, 23 + 2), (2, 0));
    assert_eq!(feasible(1000, 23 + 2 * 31), (28, 0), "31 * 3 + 2 slots would be needed");
    assert_eq!(feasible(1000, 200), (32, 0), "one ensemble");
    assert_eq!(feasible(1000, 23 * 101), (100, 0), "100 descents");
    assert_eq!(feasible(10, 23 * 101), (10, 90), "the window fills up");
    assert_eq!(feasible(0, 22 + 3), (0, 1));
}
