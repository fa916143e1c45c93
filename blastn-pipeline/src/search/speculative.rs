//! Extensions with gaps on several threads, with what comes of one after the other.
//!
//! What is within an alignment that is kept already is not extended. So each extension depends on those
//! before it, though few on those just before. Some are made ahead, in parallel, and the rule is applied
//! when their turn comes; what it leaves out was made in vain.

use rayon::prelude::*;

use crate::hsp::Hsp;
use crate::hsp::containment::Kept;

/// Extensions that are made ahead at most.
const AHEAD: usize = 64;

/// As many are not worth other threads.
const FEW: usize = 8;

/// Makes alignments of items, in their order, unless their `extent` is within one that is kept; those
/// that `keeps` approves of are kept and returned. `make` has memory of its own, `work` or new one.
pub(crate) fn extend<T: Sync, W>(
    items: &[T],
    kept: &mut Kept,
    work: &mut W,
    new_work: impl Fn() -> W + Sync,
    extent: impl Fn(&T) -> Hsp + Sync,
    make: impl Fn(&T, &mut W) -> Hsp + Sync,
    keeps: impl Fn(&Hsp) -> bool,
) -> Vec<Hsp> {
    let mut all = Vec::new();
    for some in items.chunks(AHEAD) {
        let mut ahead: Vec<Option<Hsp>> = vec![None; some.len()];
        if some.len() > FEW {
            let known = &*kept;
            let make_ahead = |work: &mut W, (item, ahead): (&T, &mut Option<Hsp>)| {
                *ahead = (!known.contains(&extent(item))).then(|| make(item, work));
            };
            let pairs = some.par_iter().zip(&mut ahead).with_min_len(2);
            pairs.for_each_init(&new_work, make_ahead);
        }
        all.append(&mut keep(
            some.iter().zip(ahead),
            kept,
            |(item, _)| extent(item),
            // Something may have been within an alignment that another replaced since.
            |(item, ahead)| ahead.unwrap_or_else(|| make(item, work)),
            &keeps,
        ));
    }
    all
}

/// Makes alignments of items, in their order, unless their `extent` is within one that is kept; those
/// that `keeps` approves of are kept and returned.
pub(crate) fn keep<T>(
    items: impl Iterator<Item = T>,
    kept: &mut Kept,
    extent: impl Fn(&T) -> Hsp,
    mut make: impl FnMut(T) -> Hsp,
    keeps: impl Fn(&Hsp) -> bool,
) -> Vec<Hsp> {
    let mut all = Vec::new();
    for item in items {
        if kept.contains(&extent(&item)) {
            continue;
        }
        let hsp = make(item);
        if keeps(&hsp) {
            kept.add(&hsp);
            all.push(hsp);
        }
    }
    all
}
