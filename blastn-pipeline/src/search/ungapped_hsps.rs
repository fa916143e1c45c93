//! Final alignments of a search for alignments without gaps.
//!
//! Ungapped extension knows bases alone. Its alignments are reduced to the segments that score best against the ambiguous
//! letters of the subject (`Blast_HSPListReevaluateUngapped` in NCBI's `blast_hits.c`).

use crate::database::Subject;
use crate::gapped::edit_script::{EditOp, EditScript};
use crate::hsp::Hsp;
use crate::query::batch::QueryBatch;
use crate::search::preliminary::PreliminarySearch;
use crate::search::searcher::covered;
use crate::search::traceback::has_min_identity;

/// Makes the final alignments of a query and a subject of the preliminary ones, by score.
pub(crate) fn finish(search: &PreliminarySearch<'_>, subject: &Subject<'_>, hsps: &mut Vec<Hsp>) {
    let PreliminarySearch { batch, options, .. } = *search;
    hsps.retain_mut(|hsp| {
        reduce(batch, subject, hsp) && has_min_identity(batch, options, subject, hsp)
    });
    hsps.sort_by(Hsp::by_score);
    search.keep_significant(hsps, subject.length);
    // Unlike alignments with gaps, these are dropped before subjects are ranked.
    if options.min_coverage > 0.0 {
        let length = |hsp: &Hsp| batch.contexts[hsp.context].length;
        hsps.retain(|hsp| covered(hsp, length(hsp)) >= options.min_coverage);
    }
}

/// Reduces an alignment to its best segment, and tells whether that reaches the least score of an ungapped alignment. A
/// segment that reaches it is not given up for a later one unless that scores more.
fn reduce(batch: &QueryBatch, subject: &Subject<'_>, hsp: &mut Hsp) -> bool {
    let cutoff = batch.statistics(hsp.context).gap_trigger;
    let query = &batch.strand(hsp.context)[hsp.query.0 as usize..hsp.query.1 as usize];
    let letters = subject.letters(hsp.subject.0 as usize..hsp.subject.1 as usize);
    let (mut best, mut score, mut begin, mut sum) = ((0, 0), 0, 0, 0);
    for (column, (&one, &other)) in (1..).zip(query.iter().zip(&letters)) {
        sum += batch.matrix.get(one, other);
        if sum < 0 {
            (sum, begin) = (0, column);
            if score < cutoff {
                (best, score) = ((column, column), 0);
            }
        } else if sum > score {
            (best, score) = ((begin, column), sum);
        }
    }
    if score < cutoff {
        return false;
    }
    hsp.score = score;
    hsp.query = (hsp.query.0 + best.0, hsp.query.0 + best.1);
    hsp.subject = (hsp.subject.0 + best.0, hsp.subject.0 + best.1);
    hsp.script = EditScript::of(vec![(EditOp::Pair, best.1 - best.0)]);
    true
}
