//! Best hits: alignments are dropped that a better one of a comparable length covers (`-best_hit_overhang`,
//! `-best_hit_score_edge`, `-subject_besthit`).
//!
//! NCBI's blastn (`hspfilter_besthit.c`) keeps the alignments of a query in a list by their beginning, one by one as they come. A new
//! alignment is dropped if one of the list covers it and has clearly more score for each base; and it removes those of the list that
//! are the worse in the same way. What is left depends on the order, so it is the same here.

use crate::hsp::Hsp;
use crate::hsp::ranking;
use crate::hsp::subject_hit::SubjectHit;
use crate::query::batch::QueryBatch;

/// Number of bases by which an alignment may exceed a better one of the same subject on each side and still be dropped
/// (`DEFAULT_SUBJECT_BESTHIT_NUCL_MAX_RANGE_DIFF` in NCBI's `blast_options.h`).
const RANGE_DIFFERENCE: i32 = 3;

/// How alignments with different subjects are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestHit {
    /// Share of its length by which an alignment may be exceeded on each side by those that it covers, above 0 and below 0.5
    /// (`-best_hit_overhang`).
    pub overhang: f64,
    /// Share by which an alignment's score for each base must be less for it to be dropped, above 0 and below 0.5
    /// (`-best_hit_score_edge`).
    pub score_edge: f64,
}

/// NCBI's defaults, for the option that is not given where the other is.
impl Default for BestHit {
    fn default() -> Self {
        Self { overhang: 0.1, score_edge: 0.1 }
    }
}

/// An alignment in the list of the best of a query.
#[derive(Debug)]
struct BestHsp {
    subject: usize,
    hsp: Hsp,
    /// Where it begins on the plus strand of the query, less the overhang.
    begin: i32,
    /// Where it ends on the plus strand of the query, and the overhang.
    end: i32,
    /// Number of query bases of the alignment.
    length: i32,
    /// Score for each of these.
    density: f64,
}

/// Keeps the best alignments of a query. `hits` are its subjects in the order in which their alignments come. Where the
/// alignments are many, only those of the best subjects, `most` at most, are left now and then.
pub(crate) fn keep_best(
    hits: &mut Vec<SubjectHit>,
    batch: &QueryBatch,
    best_hit: BestHit,
    most: usize,
) {
    let mut best: Vec<BestHsp> = Vec::new();
    let mut limit = most.saturating_mul(2);
    for SubjectHit { subject, hsps } in hits.drain(..) {
        for hsp in hsps {
            add(&mut best, subject, hsp, batch, best_hit);
            if best.len() > limit {
                let mut pruned = by_subject(best);
                ranking::keep_first(&mut pruned, most, SubjectHit::order);
                best = without_overhang(pruned, batch);
                limit = best.len().saturating_mul(2);
            }
        }
    }
    *hits = by_subject(best);
    ranking::keep_first(hits, most, SubjectHit::order);
}

/// Where an alignment begins on the plus strand of its query.
fn plus_begin(hsp: &Hsp, batch: &QueryBatch) -> i32 {
    let context = &batch.contexts()[hsp.context];
    if context.is_minus { context.length as i32 - hsp.query.1 } else { hsp.query.0 }
}

/// Adds an alignment to the list unless one of the list is better, and removes those that are worse than it.
fn add(best: &mut Vec<BestHsp>, subject: usize, hsp: Hsp, batch: &QueryBatch, best_hit: BestHit) {
    let BestHit { overhang, score_edge } = best_hit;
    let length = hsp.query.1 - hsp.query.0;
    let begin = plus_begin(&hsp, batch);
    let end = begin + length;
    let share = 1.0 - score_edge;
    let density = f64::from(hsp.score) / f64::from(length);
    let first = best.iter().position(|other| other.end >= end).unwrap_or(best.len());
    let is_worse = best[first..].iter().take_while(|other| other.begin < begin).any(|other| {
        other.end >= end && other.hsp.e_value <= hsp.e_value && other.density > density / share
    });
    if is_worse {
        return;
    }
    let bases = f64::from(length);
    let far = (2.0 * bases * overhang / (1.0 - 2.0 * overhang)) as i32;
    let near = (bases * overhang) as i32;
    let (allowed_begin, allowed_end) = (begin - far, end + far);
    let (begin, end) = (begin - near, end + near);
    best.retain(|other| {
        let own = (other.end - other.begin - other.length) / 2;
        let is_removed = (allowed_begin..allowed_end).contains(&other.begin)
            && other.begin + own >= begin
            && other.end - own <= end
            && other.hsp.e_value >= hsp.e_value
            && other.density < density * share;
        !is_removed
    });
    let place = best.iter().position(|other| other.begin >= begin).unwrap_or(best.len());
    best.insert(place, BestHsp { subject, hsp, begin, end, length, density });
}

/// The alignments of a list by subject, those of each by score.
fn by_subject(best: Vec<BestHsp>) -> Vec<SubjectHit> {
    let mut hits: Vec<SubjectHit> = Vec::new();
    for BestHsp { subject, hsp, .. } in best {
        match hits.iter_mut().find(|hit| hit.subject == subject) {
            Some(hit) => hit.hsps.push(hsp),
            None => hits.push(SubjectHit { subject, hsps: vec![hsp] }),
        }
    }
    for hit in &mut hits {
        hit.hsps.sort_by(Hsp::by_score);
    }
    hits
}

/// A list of alignments that are all kept; from now on their ranges have no overhang.
fn without_overhang(hits: Vec<SubjectHit>, batch: &QueryBatch) -> Vec<BestHsp> {
    let mut best: Vec<BestHsp> = Vec::new();
    for SubjectHit { subject, hsps } in hits {
        for hsp in hsps {
            let (begin, length) = (plus_begin(&hsp, batch), hsp.query.1 - hsp.query.0);
            let place = best.iter().position(|other| other.begin >= begin).unwrap_or(best.len());
            let density = f64::from(hsp.score) / f64::from(length);
            let end = begin + length;
            best.insert(place, BestHsp { subject, hsp, begin, end, length, density });
        }
    }
    best
}

/// Keeps of the alignments of a query and a subject (`hsps`, by score) those that no better one covers on the same strand, then
/// those that no better one covers on the other strand.
pub(crate) fn keep_best_of_subject(hsps: &mut Vec<Hsp>, batch: &QueryBatch) {
    let near = |hsp: &Hsp| (hsp.query.0 - RANGE_DIFFERENCE, hsp.query.1 + RANGE_DIFFERENCE);
    let within = |hsp: &Hsp, (begin, end): (i32, i32)| hsp.query.0 >= begin && hsp.query.1 <= end;
    drop_covered(hsps, |better, hsp| better.context == hsp.context && within(hsp, near(better)));
    drop_covered(hsps, |better, hsp| {
        let (begin, end) = near(better);
        let length = batch.contexts()[better.context].length as i32;
        batch.opposite(better.context) == Some(hsp.context)
            && within(hsp, (length - end, length - begin))
    });
}

/// Drops each alignment that one before it covers.
fn drop_covered(hsps: &mut Vec<Hsp>, covers: impl Fn(&Hsp, &Hsp) -> bool) {
    let mut kept: Vec<Hsp> = Vec::new();
    for hsp in hsps.drain(..) {
        if !kept.iter().any(|better| covers(better, &hsp)) {
            kept.push(hsp);
        }
    }
    *hsps = kept;
}
