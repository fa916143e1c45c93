//! Left and right sides of alignments: made for a device, and put together from what it finds.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::parameters::{ExtensionSide, GreedySideReach, SideReach, TracedSides, reachable_rows};
use crate::database::Database;
use crate::gapped::edit_script::EditScript;
use crate::gapped::{self, GappedAlignment, tidy};
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::scoring::Scoring;
use crate::search::preliminary::PreliminarySearch;
use crate::search::traceback::AlignmentStart;
use crate::ungapped::hits::ChunkHit;

/// The gapped extension of a hit for its score, from its left and its right side with affine gap costs; nothing if one did not
/// fit into memory. `chunks` are those of the hit's run.
pub(crate) fn scored(
    search: &PreliminarySearch<'_>,
    chunks: &[DatabaseChunk],
    found: &ChunkHit,
    [left, right]: &[SideReach; 2],
) -> Option<GappedAlignment> {
    if !left.fits() || !right.fits() {
        return None;
    }
    let context = &search.batch.contexts[search.batch.context_at(found.hit.seed_query as usize)];
    let length = chunks[found.chunk as usize].length as usize;
    let seed = search.seed(&found.hit);
    let begin = gapped::affine_begin((context.length, length), seed);
    Some(gapped::affine_scored(seed, begin, &left.extension(), &right.extension()))
}

/// The gapped extension of a hit for its score, from its left and its right side, which were extended greedily.
pub(crate) fn greedily_scored(
    search: &PreliminarySearch<'_>,
    found: &ChunkHit,
    [left, right]: &[GreedySideReach; 2],
) -> Option<GappedAlignment> {
    let (seed, scoring) = (search.seed(&found.hit), &search.options.scoring);
    Some(gapped::greedy_scored(scoring, seed, &left.reach()?, &right.reach()?))
}

/// The sides of alignments, in the order in which a device extends them.
pub(crate) struct AlignmentSides {
    pub(crate) sides: Vec<ExtensionSide>,
    /// Indices of the left and the right side of each alignment.
    places: Vec<[u32; 2]>,
}

/// Makes the sides of alignments that begin at some places. Rows are letters of the query, or of the subject if extensions are
/// greedy. `origin` is the index of the database's base that the text of subjects begins with.
pub(crate) fn of_begins(
    (database, origin): (&Database, u64),
    batch: &QueryBatch,
    options: &SearchOptions,
    begins: &[&AlignmentStart],
) -> AlignmentSides {
    // Threads of a warp wait for the one with the most rows, so sides of similar length come together.
    let mut order: Vec<(u32, u32)> = (0..)
        .zip(begins)
        .flat_map(|(number, begin)| [(begin.rows[0], 2 * number), (begin.rows[1], 2 * number + 1)])
        .collect();
    order.par_sort_unstable_by_key(|&side| Reverse(side));
    let x_drop =
        batch.parameters.final_x_drop.max(options.scoring.gap_open + options.scoring.gap_extend);
    let side = |&(_, number): &(u32, u32)| {
        let begin = begins[number as usize / 2];
        let context = &batch.contexts[begin.context];
        // An extension with affine gap costs begins behind the seed.
        let moved = usize::from(!options.is_greedy);
        let (query, subject) = (begin.query + moved, begin.subject + moved);
        let reverse = number % 2 == 0;
        let letters = if reverse {
            [query, subject - begin.window.start]
        } else {
            [context.length - query, begin.window.end - subject]
        };
        let first = database.first_base(begin.number);
        let places = [(context.first + query) as u64, first + subject as u64 - origin];
        let [row, column] = if options.is_greedy { [1, 0] } else { [0, 1] };
        // A device has memory for all rows of a side, so a short subject must not ask for those of a whole long query.
        let most_rows = if options.is_greedy {
            usize::MAX
        } else {
            reachable_rows(&options.scoring, letters[column], x_drop)
        };
        ExtensionSide {
            row_at: places[row],
            column_at: places[column],
            rows: letters[row].min(most_rows) as u32,
            columns: letters[column] as u32,
            x_drop,
            reverse: reverse.into(),
        }
    };
    let sides = order.par_iter().map(side).collect();
    let mut places = vec![[0; 2]; begins.len()];
    for (place, (_, number)) in (0..).zip(order) {
        places[number as usize / 2][number as usize % 2] = place;
    }
    AlignmentSides { sides, places }
}

impl AlignmentSides {
    /// Alignments from sides that were extended with affine gap costs; nothing where a side did not fit into memory.
    pub(crate) fn traced(
        &self,
        scoring: &Scoring,
        begins: &[&AlignmentStart],
        answers: &TracedSides,
    ) -> Vec<Option<GappedAlignment>> {
        self.combined(begins, answers, |begin, [left, right], scripts| {
            let seed = (begin.query, begin.subject);
            let (left, right) = (left.extension(), right.extension());
            gapped::affine_aligned(scoring, seed, (&left, scripts.0), (&right, &scripts.1))
        })
    }

    /// Alignments from sides that were extended greedily; nothing where a side did not fit into memory.
    pub(crate) fn greedily_traced(
        &self,
        database: &Database,
        batch: &QueryBatch,
        options: &SearchOptions,
        begins: &[&AlignmentStart],
        answers: &TracedSides,
    ) -> Vec<Option<GappedAlignment>> {
        let within = |(begin, end): (i32, i32)| begin as usize..end as usize;
        self.combined(begins, answers, |begin, [left, right], scripts| {
            let seed = (begin.query, begin.subject);
            let (left, right) = ((&left.reach(), scripts.0), (&right.reach(), &scripts.1));
            let mut gapped = gapped::greedy_aligned(&options.scoring, seed, left, right);
            let query = &batch.strand(begin.context)[within(gapped.query)];
            let subject = database.subject(begin.number).letters(within(gapped.subject));
            tidy::tidy(&mut gapped.script, query, &subject);
            gapped
        })
    }

    /// Combines the left and the right side of each alignment with their columns.
    fn combined(
        &self,
        begins: &[&AlignmentStart],
        TracedSides { reaches, runs }: &TracedSides,
        combine: impl Fn(&AlignmentStart, [&SideReach; 2], (EditScript, EditScript)) -> GappedAlignment
        + Sync,
    ) -> Vec<Option<GappedAlignment>> {
        let gapped = |(&begin, places): (&&AlignmentStart, &[u32; 2])| {
            let [left, right] = places.map(|place| &reaches[place as usize]);
            (left.fits() && right.fits())
                .then(|| combine(begin, [left, right], (left.script(runs), right.script(runs))))
        };
        begins.par_iter().zip(&self.places).map(gapped).collect()
    }
}
