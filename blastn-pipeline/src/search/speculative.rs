//! Gapped extensions on several threads, with the results of one thread.
//!
//! A hit that lies within an alignment that is already kept is not extended. So each extension depends on those
//! before it, but few depend on the last ones. Therefore some extensions are made speculatively, in parallel, and the
//! rule is applied to them afterwards, in order; those that it leaves out were made in vain.

use rayon::prelude::*;

use crate::hsp::Hsp;
use crate::hsp::containment::KeptHsps;

/// Greatest number of gapped extensions that are made in parallel before the rule is applied.
const MAX_AHEAD: usize = 64;

/// Greatest number of gapped extensions for which one thread is faster than several.
const MAX_ON_ONE_THREAD: usize = 8;

/// Makes alignments of items in parallel, with the results of [`keep`]. `make` extends an item with gaps, with `work` or, on
/// other threads, the buffers that `new_work` makes.
pub(crate) fn align<T: Sync, W>(
    items: &[T],
    kept: &mut KeptHsps,
    work: &mut W,
    new_work: impl Fn() -> W + Sync,
    extent: impl Fn(&T) -> Hsp + Sync,
    make: impl Fn(&T, &mut W) -> Hsp + Sync,
    keeps: impl Fn(&Hsp) -> bool,
) -> Vec<Hsp> {
    let mut all = Vec::new();
    for some in items.chunks(MAX_AHEAD) {
        let mut ahead: Vec<Option<Hsp>> = vec![None; some.len()];
        if some.len() > MAX_ON_ONE_THREAD {
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
            // An item may be missing because it lay within an alignment that another has replaced since.
            |(item, ahead)| ahead.unwrap_or_else(|| make(item, work)),
            &keeps,
        ));
    }
    all
}

/// Makes alignments of items, in their order, and returns those that `keeps` approves of, which are added to `kept`.
/// An item whose `extent` lies within an alignment in `kept` is left out.
pub(crate) fn keep<T>(
    items: impl Iterator<Item = T>,
    kept: &mut KeptHsps,
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
