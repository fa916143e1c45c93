//! Traceback: the final stage of a search, which makes alignments with columns from preliminary ones.
//!
//! Each preliminary alignment is extended once more, from a seed within it, with the final X-drop and against the
//! ambiguous letters of the subject (`Blast_TracebackFromHSPList` in NCBI's `blast_traceback.c`).

use std::ops::Range;

use rayon::prelude::*;

use crate::database::Subject;
use crate::gapped::edit_script::EditScript;
use crate::gapped::{self, GappedAlignment, GappedBuffers};
use crate::hsp::best_segment::best_segment;
use crate::hsp::containment::KeptHsps;
use crate::hsp::{self, Hsp, WholeAndCut, linking};
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::speculative;

/// Number of bases from which on only a window of a subject is aligned, not all of it (`MAX_SUBJECT_OFFSET` in NCBI's
/// `blast_gapalign.c`).
const WINDOW_FROM: usize = 90_000;

/// Number of gap columns on each side of the seed that the window of a long subject leaves room for (`MAX_TOTAL_GAPS`
/// in NCBI's `blast_gapalign.c`).
const GAP_ROOM: usize = 3_000;

/// Number of equal letters around a seed that it must exceed to be kept.
const GOOD_RUN: i32 = 10;
/// Number of equal letters that the run around another seed must exceed to be taken without looking further.
const BETTER_RUN: i32 = 15;

/// The start of a final gapped extension: its seed, and the window of the subject that it is made in.
#[derive(Debug, Clone)]
pub(crate) struct AlignmentStart {
    /// Number of the context in the batch.
    pub(crate) context: usize,
    /// Number of the subject in the database.
    pub(crate) number: usize,
    /// Position of the seed in the context.
    pub(crate) query: usize,
    /// Position of the seed in the subject.
    pub(crate) subject: usize,
    /// Range of the subject that the alignment may be in.
    pub(crate) window: Range<usize>,
    /// Likely number of query letters of the alignment to the left and to the right of the seed.
    pub(crate) rows: [u32; 2],
}

/// The starts of the final extensions of the preliminary alignments of a query and a subject (`found`, by score).
pub(crate) fn alignment_starts(
    batch: &QueryBatch,
    options: &SearchOptions,
    subject: &Subject<'_>,
    found: &[Hsp],
) -> Vec<AlignmentStart> {
    let new_traceback = || Traceback { batch, options, letters: SubjectWindow::new(*subject) };
    found.par_iter().with_min_len(64).map_init(new_traceback, Traceback::start).collect()
}

/// Makes the final alignments of a query and a subject from the preliminary ones (`found`, by score), and returns
/// them by score.
///
/// `ready` has the final extension of each preliminary alignment, if a device made them, with `None` where it could
/// not.
pub(crate) fn align(
    batch: &QueryBatch,
    options: &SearchOptions,
    subject: &Subject<'_>,
    found: &[Hsp],
    ready: Option<&[Option<GappedAlignment>]>,
    work: &mut GappedBuffers,
) -> Vec<Hsp> {
    let new_traceback = || Traceback { batch, options, letters: SubjectWindow::new(*subject) };
    let separation = options.diagonal_separation();
    let mut kept = KeptHsps::new(separation);
    let mut own = (new_traceback(), std::mem::take(work));
    // Greedy extension ignores ambiguous letters; its scores are corrected below, and identities are checked there.
    let keeps = |hsp: &Hsp| options.is_greedy || has_min_identity(batch, options, subject, hsp);
    let hsps = if let Some(ready) = ready {
        let make = |(hsp, ready): (&Hsp, &Option<GappedAlignment>)| match ready {
            Some(gapped) => final_hsp(hsp, gapped.clone()),
            None => own.0.align(hsp, &mut own.1),
        };
        let extent = |&(hsp, _): &(&Hsp, _)| Hsp::clone(hsp);
        speculative::keep(found.iter().zip(ready), &mut kept, extent, make, keeps)
    } else {
        speculative::align(
            found,
            &mut kept,
            &mut own,
            || (new_traceback(), GappedBuffers::default()),
            Clone::clone,
            |hsp, (traceback, work)| traceback.align(hsp, work),
            keeps,
        )
    };
    *work = own.1;
    let WholeAndCut { whole, cut } = hsp::cut_common_ends(hsps);
    let (mut hsps, uncertain) =
        if options.is_greedy { (Vec::new(), [whole, cut].concat()) } else { (whole, cut) };
    let reevaluated = |traceback: &mut Traceback<'_>, mut hsp: Hsp| {
        let is_good =
            traceback.reevaluate(&mut hsp) && has_min_identity(batch, options, subject, &hsp);
        is_good.then_some(hsp)
    };
    let reevaluated =
        uncertain.into_par_iter().with_min_len(64).map_init(new_traceback, reevaluated);
    hsps.par_extend(reevaluated.flatten_iter());
    hsp::purge_common_ends(&mut hsps);
    hsps.sort_by(Hsp::by_score);
    let mut kept = KeptHsps::new(separation);
    hsps.retain(|hsp| {
        let within = kept.contains(hsp);
        if !within {
            kept.add(hsp);
        }
        !within
    });
    if options.has_sum_statistics {
        linking::link(batch, &mut hsps, subject.length, None);
    } else {
        for hsp in &mut hsps {
            hsp.e_value = batch.e_value(hsp.context, hsp.score);
        }
    }
    hsps.retain(|hsp| hsp.e_value <= options.e_value);
    hsps
}

/// Whether the share of identical columns reaches the minimum of the options.
pub(crate) fn has_min_identity(
    batch: &QueryBatch,
    options: &SearchOptions,
    subject: &Subject<'_>,
    hsp: &Hsp,
) -> bool {
    if options.min_identity <= 0.0 {
        return true;
    }
    let query = hsp.query.0 as usize..hsp.query.1 as usize;
    let query = &batch.unmasked_strand(hsp.context)[query];
    let letters = subject.letters(hsp.subject.0 as usize..hsp.subject.1 as usize);
    let columns = hsp.columns(query, &letters);
    columns.identities as f64 * 100.0 >= columns.length as f64 * options.min_identity
}

/// Letters of a subject, unpacked as they are needed.
struct SubjectWindow<'a> {
    subject: Subject<'a>,
    start: usize,
    letters: Vec<u8>,
}

impl<'a> SubjectWindow<'a> {
    fn new(subject: Subject<'a>) -> Self {
        Self { subject, start: 0, letters: Vec::new() }
    }

    /// The letters of a range; what lies beyond the end of the subject is left out.
    fn get(&mut self, range: Range<usize>) -> &[u8] {
        let length = self.subject.length;
        let range = range.start.min(length)..range.end.min(length);
        if range.start < self.start || range.end > self.start + self.letters.len() {
            let needed = if length < WINDOW_FROM { 0..length } else { range.clone() };
            self.letters = self.subject.letters(needed.clone());
            self.start = needed.start;
        }
        &self.letters[range.start - self.start..range.end - self.start]
    }
}

/// A final extension of a preliminary alignment as an HSP.
fn final_hsp(found: &Hsp, gapped: GappedAlignment) -> Hsp {
    let GappedAlignment { score, query, subject, seed, script } = gapped;
    let (e_value, set_size) = (0.0, 0);
    Hsp { context: found.context, score, query, subject, seed, script, e_value, set_size }
}

/// Makes the final alignments with one subject.
struct Traceback<'a> {
    batch: &'a QueryBatch,
    options: &'a SearchOptions,
    letters: SubjectWindow<'a>,
}

impl Traceback<'_> {
    /// The start of the final extension of a preliminary alignment.
    fn start(&mut self, found: &Hsp) -> AlignmentStart {
        let strand = self.batch.strand(found.context);
        let seed = self.seed(found, strand);
        let (query, subject) = (seed.0 as usize, seed.1 as usize);
        let length = self.letters.subject.length;
        let window = if length < WINDOW_FROM {
            0..length
        } else {
            let start = subject.saturating_sub(query + GAP_ROOM);
            start..length.min(subject + strand.len() - query + GAP_ROOM)
        };
        let rows = [seed.0 - found.query.0, found.query.1 - seed.0].map(|rows| rows.max(0) as u32);
        let number = self.letters.subject.number;
        AlignmentStart { context: found.context, number, query, subject, window, rows }
    }

    /// Extends a preliminary alignment from its seed.
    fn align(&mut self, found: &Hsp, work: &mut GappedBuffers) -> Hsp {
        let (batch, options) = (self.batch, self.options);
        let AlignmentStart { query, subject, window, .. } = self.start(found);
        let start = window.start;
        let sequences = (batch.strand(found.context), self.letters.get(window));
        let seed = (query, subject - start);
        let mut gapped = if options.is_greedy {
            gapped::greedy_alignment(batch, &options.scoring, sequences, seed, work)
        } else {
            gapped::affine_alignment(batch, &options.scoring, sequences, seed, work)
        };
        let start = start as i32;
        gapped.subject = (gapped.subject.0 + start, gapped.subject.1 + start);
        gapped.seed.1 += start;
        final_hsp(found, gapped)
    }

    /// The seed for the final extension of a preliminary alignment, as a pair of positions in context and subject:
    /// the seed of the preliminary extension if it is within enough equal letters; else the middle of the first long
    /// run of equal letters on its diagonal, or of the longest run (`BlastGetOffsetsForGappedAlignment` in NCBI's
    /// `blast_gapalign.c`).
    fn seed(&mut self, found: &Hsp, strand: &[u8]) -> (i32, i32) {
        let (query, subject) = found.seed;
        let first = query.min(subject).min(strand.len() as i32);
        let start = (subject - first).max(0) as usize;
        let end = found.subject.1.max(subject + found.query.1 - query).max(subject) as usize;
        let letters = self.letters.get(start..end);
        let is_equal = |i: i32| {
            let letter = |letters: &[u8], place: i32| letters.get(place as usize).copied();
            let of_query = letter(strand, query + i);
            of_query.is_some() && of_query == letter(letters, subject + i - start as i32)
        };
        // The seed itself is counted on both sides.
        let after = (query..found.query.1).take_while(|&place| is_equal(place - query)).count();
        let before = (0..=first).take_while(|&i| is_equal(-i)).count();
        if after as i32 - 1 > GOOD_RUN || (after + before) as i32 - 1 > GOOD_RUN {
            return found.seed;
        }
        let back = (subject - found.subject.0).min(query - found.query.0);
        let columns = (found.subject.1 - subject + back).min(found.query.1 - query + back);
        let (mut run, mut longest, mut middle) = (0, 0, None);
        for column in 0..=columns {
            if column < columns && is_equal(column - back) {
                run += 1;
                if run > BETTER_RUN {
                    middle = Some(column - BETTER_RUN / 2);
                    break;
                }
            } else {
                if run > longest {
                    longest = run;
                    middle = Some(column - run / 2);
                }
                run = 0;
            }
        }
        // Half of a run of one letter is none, and the place behind the last letter is no seed.
        let seed = |column: i32| (query - back + column, subject - back + column);
        middle.map_or(found.seed, |column| seed(column.min(columns - 1)))
    }

    /// Reduces an alignment to its best-scoring segment, with the scores of ambiguous letters, and tells whether that
    /// reaches the cutoff.
    fn reevaluate(&mut self, hsp: &mut Hsp) -> bool {
        let (batch, scoring) = (self.batch, &self.options.scoring);
        let strand = batch.strand(hsp.context);
        let cutoff = batch.cutoff(hsp.context);
        // The segment may grow by equal letters, up to the ends of the query.
        let room = strand.len();
        let start = (hsp.subject.0 as usize).saturating_sub(room);
        let letters = self.letters.get(start..hsp.subject.1 as usize + room);
        let begin = (hsp.query.0 as usize, hsp.subject.0 as usize - start);
        let mut runs = hsp.script.ops().to_vec();
        let score = |one, other| batch.matrix.get(one, other);
        let mut part = best_segment(&mut runs, (strand, letters), begin, scoring, &score, cutoff);
        if part.last < runs.len() && part.first < runs.len() && part.columns > 0 {
            part.grow(&mut runs, (strand, letters), scoring.reward);
        }
        hsp.score = part.score;
        if part.score < cutoff {
            return false;
        }
        hsp.query = (part.begin.0 as i32, part.end.0 as i32);
        hsp.subject = ((part.begin.1 + start) as i32, (part.end.1 + start) as i32);
        let mut runs = runs[part.first..=part.last].to_vec();
        if let Some(last) = runs.last_mut() {
            last.1 = part.columns;
        }
        hsp.script = EditScript::of(runs);
        true
    }
}
