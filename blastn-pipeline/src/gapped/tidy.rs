//! Tidies the columns of a greedy alignment, as NCBI's program does (`s_ReduceGaps` of `blast_gapalign.c`).
//!
//! A greedy extension goes as far as it can before it takes a difference, and so leaves more and smaller gaps than needed. Long
//! runs of pairs are extended over neighbouring gaps where letters are equal, and two gaps of opposite kinds around few pairs
//! are merged into pairs.

use crate::gapped::edit_script::{EditOp, EditScript};

/// Least number of pairs of a run that may take columns from its neighbours. Gaps are merged if they and the pairs between them
/// have fewer columns.
const LONG: i32 = 12;

/// Tidies the columns of an alignment of these letters.
pub(crate) fn tidy(script: &mut EditScript, query: &[u8], subject: &[u8]) {
    grow_runs(script.ops_mut(), query, subject);
    rebuild(script);
    merge_gaps(script.ops_mut(), query, subject);
    rebuild(script);
}

/// Grows long runs of pairs at both ends by as many equal letters as follow.
fn grow_runs(runs: &mut [(EditOp, i32)], query: &[u8], subject: &[u8]) {
    let (mut q, mut s) = (0, 0);
    for i in 0..runs.len() {
        let (op, columns) = (runs[i].0, runs[i].1 as usize);
        match op {
            _ if columns == 0 => {}
            EditOp::Insertion => q += columns,
            EditOp::Deletion => s += columns,
            EditOp::Pair if columns < LONG as usize => {
                q += columns;
                s += columns;
            }
            EditOp::Pair => {
                let reach = if i > 0 { q.min(s) } else { 0 };
                let before = (1..=reach).take_while(|&n| query[q - n] == subject[s - n]).count();
                q += columns;
                s += columns;
                let mut behind = 0;
                if i + 1 < runs.len() {
                    // The last letter of either is never taken.
                    while q + 1 < query.len() && s + 1 < subject.len() {
                        q += 1;
                        s += 1;
                        if query[q - 1] != subject[s - 1] {
                            break;
                        }
                        behind += 1;
                    }
                }
                if before > 0 {
                    grow_back(runs, i, before as i32);
                }
                if behind > 0 {
                    grow_on(runs, i, behind);
                }
                q -= 1;
                s -= 1;
            }
        }
    }
}

/// Subtracts the letters of a run from the letters of query and subject that are left.
fn take(left: &mut (i32, i32), (op, columns): (EditOp, i32)) {
    match op {
        EditOp::Pair => {
            left.0 -= columns;
            left.1 -= columns;
        }
        EditOp::Insertion => left.0 -= columns,
        EditOp::Deletion => left.1 -= columns,
    }
}

/// The gap of as many columns as one sequence has letters left more than the other.
fn gap(left: (i32, i32)) -> (EditOp, i32) {
    let difference = left.0 - left.1;
    (if difference > 0 { EditOp::Deletion } else { EditOp::Insertion }, difference.abs())
}

/// Grows a run by pairs taken from the runs before it.
fn grow_back(runs: &mut [(EditOp, i32)], run: usize, pairs: i32) {
    let (mut at, mut left) = (run, (pairs, pairs));
    while left.0 > 0 || left.1 > 0 {
        if at == 0 {
            return;
        }
        at -= 1;
        take(&mut left, runs[at]);
    }
    runs[at] = (EditOp::Pair, -left.0.max(left.1));
    for between in &mut runs[at + 1..run.max(at + 2) - 1] {
        between.1 = 0;
    }
    runs[run].1 += pairs;
    runs[run - 1] = gap(left);
}

/// Grows a run by pairs taken from the runs behind it.
fn grow_on(runs: &mut [(EditOp, i32)], run: usize, pairs: i32) {
    let (mut at, mut left) = (run, (pairs, pairs));
    while left.0 > 0 || left.1 > 0 {
        at += 1;
        if at >= runs.len() {
            return;
        }
        take(&mut left, runs[at]);
    }
    runs[at] = (EditOp::Pair, -left.0.max(left.1));
    for between in &mut runs[(run + 2).min(at)..at] {
        between.1 = 0;
    }
    runs[run].1 += pairs;
    runs[run + 1] = gap(left);
}

/// Joins runs of one kind, drops empty ones, and makes pairs of gaps of opposite kinds side by side.
fn rebuild(script: &mut EditScript) {
    let mut runs: Vec<(EditOp, i32)> = Vec::with_capacity(script.ops().len());
    for &(op, columns) in script.ops().iter().filter(|run| run.1 != 0) {
        match runs.last_mut() {
            Some((last, count)) if *last == op => *count += columns,
            Some((last, count)) if *last != EditOp::Pair && op != EditOp::Pair => {
                let (gap, pairs) = (*last, columns.min(*count));
                let (one, other) = (*count - pairs, columns - pairs);
                runs.pop();
                match runs.last_mut() {
                    Some((_, count)) => *count += pairs,
                    None => runs.push((EditOp::Pair, pairs)),
                }
                runs.extend([(gap, one), (op, other)].into_iter().filter(|run| run.1 > 0));
            }
            _ => runs.push((op, columns)),
        }
    }
    *script = EditScript::of(runs);
}

/// Merges gaps of opposite kinds with few pairs between them into pairs, where that loses no more equal letters than it saves
/// columns.
fn merge_gaps(runs: &mut [(EditOp, i32)], query: &[u8], subject: &[u8]) {
    let (mut q, mut s) = (0_usize, 0_usize);
    for i in 0..runs.len() {
        let (op, columns) = runs[i];
        if op == EditOp::Pair {
            q += columns as usize;
            s += columns as usize;
            continue;
        }
        if i > 1 && runs[i - 2].0 != op && runs[i - 2].1 > 0 {
            let (pairs, other) = (runs[i - 1].1, runs[i - 2].1);
            let all = columns + pairs + other;
            if all == 3 {
                (runs[i - 2].1, runs[i - 1].1, runs[i].1) = (0, 2, 0);
                if op == EditOp::Insertion { q += 1 } else { s += 1 }
            } else if all < LONG {
                let merged = columns.min(other);
                let (from_q, from_s) = (q - pairs as usize, s - pairs as usize);
                let (to_q, to_s) = if op == EditOp::Insertion {
                    (from_q, from_s - merged as usize)
                } else {
                    (from_q - merged as usize, from_s)
                };
                let equal = |q: usize, s: usize, count: i32| {
                    let within = (0..count as usize).filter(|i| {
                        query.get(q + i).is_some_and(|letter| subject.get(s + i) == Some(letter))
                    });
                    within.count() as i32
                };
                let now = equal(from_q, from_s, pairs);
                if equal(to_q, to_s, pairs + merged) >= now - merged {
                    runs[i - 2].1 -= merged;
                    runs[i - 1].1 += merged;
                    runs[i].1 -= merged;
                    q = to_q + (pairs + merged) as usize;
                    s = to_s + (pairs + merged) as usize;
                }
            }
        }
        if op == EditOp::Insertion {
            q += runs[i].1 as usize;
        } else {
            s += runs[i].1 as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidied_columns_still_span_all_letters() {
        for seed in 0..2000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut script = EditScript::default();
            script.push(EditOp::Pair, 1 + random.i32(..30));
            for _ in 0..random.usize(..8) {
                let op = if random.bool() { EditOp::Insertion } else { EditOp::Deletion };
                script.push(op, 1 + random.i32(..4));
                script.push(EditOp::Pair, 1 + random.i32(..30));
            }
            let letters = |gap: EditOp| -> i32 {
                let counted =
                    script.ops().iter().filter(|run| run.0 == EditOp::Pair || run.0 == gap);
                counted.map(|run| run.1).sum()
            };
            let (q, s) = (letters(EditOp::Insertion) as usize, letters(EditOp::Deletion) as usize);
            let query: Vec<u8> = (0..q).map(|_| random.u8(..2)).collect();
            let subject: Vec<u8> = (0..s).map(|_| random.u8(..2)).collect();
            let mut tidied = script.clone();
            tidy(&mut tidied, &query, &subject);
            let span = tidied.ops().iter().fold((0, 0), |mut span, &run| {
                take(&mut span, run);
                span
            });
            assert_eq!(span, (-(q as i32), -(s as i32)), "seed {seed}: {script:?}");
            assert!(tidied.ops().windows(2).all(|two| two[0].0 != two[1].0), "seed {seed}");
        }
    }
}
