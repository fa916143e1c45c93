//! A batch of queries in the form in which it is searched: both strands of all queries, end to end.
//!
//! ```text
//!   letters    | plus of query 0 | minus of query 0 | plus of query 1 | ...     | is a sentinel
//!   contexts     first, length     first, length      ...
//!   segments     ------   -----    -----   ------     unmasked ranges: words are looked up there
//! ```

use std::ops::Range;

use rayon::prelude::*;

use crate::options::{SearchOptions, Strand};
use crate::query::batch_parameters::BatchParameters;
use crate::query::context::{ContextStatistics, LenientLimits, QueryContext};
use crate::scoring::ScoreMatrix;
use crate::sequence::alphabet::{ANY, SENTINEL, complement};
use crate::sequence::dust::Dust;
use crate::sequence::fasta::FastaRecord;
use crate::statistics::DatabaseSize;
use crate::statistics::sum;

/// Queries that are searched together.
#[derive(Debug)]
pub struct QueryBatch {
    /// Letters of all contexts, with a sentinel before each context and behind the last.
    pub(crate) letters: Vec<u8>,
    /// As `letters`, but with the letters that N stands for where the query is masked; `None` with soft masking, which
    /// changes no letters.
    unmasked: Option<Vec<u8>>,
    /// Strands of all queries, in the order of `letters`.
    pub(crate) contexts: Vec<QueryContext>,
    /// Unmasked ranges of `letters`, ascending, each within one context.
    pub(crate) segments: Vec<Range<usize>>,
    pub(crate) matrix: ScoreMatrix,
    /// Parameters that follow from all queries that are searched together.
    pub(crate) parameters: BatchParameters,
    lenient_limits: LenientLimits,
    /// Average number of bases of a subject.
    average_subject: i64,
    /// Whether odd scores are rounded down before E-values are computed.
    rounds_scores_down: bool,
    query_count: usize,
    /// Whether the results of each query are wanted; empty if all are.
    wanted: Vec<bool>,
}

impl QueryBatch {
    /// Prepares queries for a search of a database of the given size, on the current rayon pool.
    ///
    /// # Panics
    /// If [`SearchOptions::check`] fails, or a query is longer than
    /// [`Scoring::max_query_length`](crate::scoring::Scoring::max_query_length).
    pub fn new(records: &[FastaRecord], options: &SearchOptions, database: DatabaseSize) -> Self {
        let Some(statistics) = options.statistics() else {
            panic!("the scores are not supported: check the options first");
        };
        let mut batch = Self {
            letters: vec![SENTINEL],
            unmasked: (!options.soft_masking).then(|| vec![SENTINEL]),
            contexts: Vec::new(),
            segments: Vec::new(),
            matrix: ScoreMatrix::new(&options.scoring),
            parameters: BatchParameters::new(&[], &[], options),
            lenient_limits: LenientLimits::new(&[]),
            average_subject: database.average(),
            rounds_scores_down: statistics.rounds_scores_down,
            query_count: records.len(),
            wanted: Vec::new(),
        };
        let longest = options.scoring.max_query_length();
        let masks: Vec<Vec<Range<usize>>> =
            records.par_iter().map(|record| masked_ranges(record, options)).collect();
        for (query, (record, masks)) in records.iter().zip(&masks).enumerate() {
            assert!(record.letters.len() <= longest, "a query of more than {longest} letters");
            batch.add(query, (record, masks), options.strand);
        }
        let Self { letters, contexts, segments, matrix, .. } = &mut batch;
        contexts.par_iter_mut().for_each(|context| {
            let strand = &letters[context.range()];
            context.statistics =
                ContextStatistics::new(strand, matrix, options, statistics.gapped, database);
        });
        for context in contexts.iter().filter(|context| context.statistics.is_some()) {
            let masks = of_strand(&masks[context.query], context.length, context.is_minus);
            let words = unmasked_ranges(&masks, context.length);
            let first = context.first;
            segments.extend(words.map(|range| first + range.start..first + range.end));
        }
        batch.parameters = batch.parameters_of(0..records.len(), options);
        batch.lenient_limits = LenientLimits::new(&batch.contexts);
        batch
    }

    /// Replaces the batch parameters.
    #[must_use]
    pub(crate) fn with_parameters(self, parameters: BatchParameters) -> Self {
        Self { parameters, ..self }
    }

    /// Says of each query whether its results are wanted. Hits of the others are counted, since batches depend on the counts, and
    /// may then be dropped.
    #[must_use]
    pub(crate) fn with_wanted(self, wanted: Vec<bool>) -> Self {
        Self { wanted, ..self }
    }

    /// Whether the results of all queries are wanted.
    pub(crate) fn wants_all(&self) -> bool {
        self.wanted.iter().all(|&is_wanted| is_wanted)
    }

    /// Whether the results of a query are wanted.
    pub(crate) fn wants(&self, query: usize) -> bool {
        self.wanted.get(query).is_none_or(|&is_wanted| is_wanted)
    }

    /// The batch parameters that some of the queries would have if they were searched without the others.
    pub(crate) fn parameters_of(
        &self,
        queries: Range<usize>,
        options: &SearchOptions,
    ) -> BatchParameters {
        let contexts = self.contexts_of(queries.clone());
        let first_segment = |context: usize| {
            let first = self.contexts.get(context).map_or(self.letters.len(), |it| it.first);
            self.segments.partition_point(|segment| segment.start < first)
        };
        let segments = first_segment(contexts.start)..first_segment(contexts.end);
        let contexts = &self.contexts[contexts];
        let parameters = BatchParameters::new(contexts, &self.segments[segments], options);
        let average_space = self.average_space(contexts, queries.len(), options);
        BatchParameters { average_space, ..parameters }
    }

    /// The search space of a query of average length in a subject of average length, if the options ask for it. NCBI's
    /// program counts strands that are not searched, and the sentinels between all.
    fn average_space(
        &self,
        contexts: &[QueryContext],
        queries: usize,
        options: &SearchOptions,
    ) -> Option<i64> {
        let is_needed = options.has_sum_statistics && !options.is_ungapped;
        if !is_needed || options.min_gapped_score.is_some() || queries == 0 {
            return None;
        }
        let letters: usize = contexts.iter().map(|context| context.length + 1).sum();
        let letters = letters.saturating_sub(usize::from(options.strand != Strand::Plus));
        let average = (letters / (2 * queries)) as i64;
        Some(average.min(self.average_subject) * self.average_subject)
    }

    /// The numbers of the contexts of some queries.
    pub(crate) fn contexts_of(&self, queries: Range<usize>) -> Range<usize> {
        let first_of = |query| self.contexts.partition_point(|context| context.query < query);
        first_of(queries.start)..first_of(queries.end)
    }

    /// Appends the strands of a query with these masked ranges of its plus strand. Their statistics are still missing.
    fn add(
        &mut self,
        query: usize,
        (record, masks): (&FastaRecord, &[Range<usize>]),
        strand: Strand,
    ) {
        let length = record.letters.len();
        let plus = &record.letters;
        for is_minus in [false, true] {
            let unwanted = if is_minus { Strand::Plus } else { Strand::Minus };
            if strand == unwanted || length == 0 {
                continue;
            }
            let first = self.letters.len();
            if is_minus {
                self.letters.extend(plus.iter().rev().map(|&letter| complement(letter)));
            } else {
                self.letters.extend(plus);
            }
            if let Some(unmasked) = &mut self.unmasked {
                unmasked.extend(&self.letters[first..]);
                unmasked.push(SENTINEL);
                for mask in of_strand(masks, length, is_minus) {
                    self.letters[first + mask.start..first + mask.end].fill(ANY);
                }
            }
            self.letters.push(SENTINEL);
            self.contexts.push(QueryContext { first, length, query, is_minus, statistics: None });
        }
    }

    /// Number of queries in the batch.
    pub fn queries(&self) -> usize {
        self.query_count
    }

    /// The letters of all contexts, with a sentinel before each context and behind the last.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The strands of all queries that are searched; the plus strand of a query comes before its minus strand.
    pub fn contexts(&self) -> &[QueryContext] {
        &self.contexts
    }

    /// The number of the context that contains a position of `letters`, or whose end is there.
    #[inline]
    pub(crate) fn context_at(&self, position: usize) -> usize {
        self.contexts.partition_point(|context| context.first <= position) - 1
    }

    /// The number of the context with the other strand of the same query, if that strand is searched.
    pub(crate) fn opposite(&self, context: usize) -> Option<usize> {
        let query = self.contexts[context].query;
        let is_opposite =
            |&other: &usize| self.contexts.get(other).is_some_and(|other| other.query == query);
        [context + 1, context.wrapping_sub(1)].into_iter().find(is_opposite)
    }

    /// The letters of a context, without sentinels.
    pub(crate) fn strand(&self, context: usize) -> &[u8] {
        &self.letters[self.contexts[context].range()]
    }

    /// The letters of a context before masking, without sentinels. Identical columns are counted by them.
    pub(crate) fn unmasked_strand(&self, context: usize) -> &[u8] {
        &self.unmasked.as_ref().unwrap_or(&self.letters)[self.contexts[context].range()]
    }

    /// The statistics of a context in which a hit was found; contexts without statistics have no hits.
    pub(crate) fn statistics(&self, context: usize) -> &ContextStatistics {
        let Some(statistics) = &self.contexts[context].statistics else {
            panic!("nothing is found in a context without statistics");
        };
        statistics
    }

    /// Limits of approximate ungapped extensions that hold for all contexts.
    pub(crate) fn lenient_limits(&self) -> LenientLimits {
        self.lenient_limits
    }

    /// The least score of an alignment that is kept.
    pub(crate) fn cutoff(&self, context: usize) -> i32 {
        let statistics = self.statistics(context);
        match self.parameters.average_space {
            None => statistics.cutoff,
            Some(space) => statistics.cutoff.min(statistics.gapped.cutoff(sum::weight(1), space)),
        }
    }

    /// The E-value of a raw score of an alignment.
    pub(crate) fn e_value(&self, context: usize, score: i32) -> f64 {
        let statistics = self.statistics(context);
        let score = if self.rounds_scores_down { score & !1 } else { score };
        statistics.gapped.e_value(score, statistics.space.effective)
    }

    /// The bit score of a raw score of an alignment; 0 in a context without statistics.
    pub fn bit_score(&self, context: usize, score: i32) -> f64 {
        self.contexts[context].statistics.map_or(0.0, |statistics| statistics.gapped.bits(score))
    }
}

/// The masked ranges of a query's plus strand, ascending and apart from each other: low-complexity regions and, if the
/// options say so, lower-case letters.
pub fn masked_ranges(record: &FastaRecord, options: &SearchOptions) -> Vec<Range<usize>> {
    let mut masks =
        options.dust.map_or_else(Vec::new, |dust| low_complexity(record, options, dust));
    if options.masks_lower_case {
        masks.extend(record.lower_case.iter().cloned());
        masks.sort_unstable_by_key(|mask| mask.start);
    }
    let mut joined: Vec<Range<usize>> = Vec::new();
    for mask in masks {
        let mask = mask.start as usize..mask.end as usize;
        match joined.last_mut() {
            Some(last) if last.end >= mask.start => last.end = last.end.max(mask.end),
            _ => joined.push(mask),
        }
    }
    joined
}

/// The low-complexity regions of a query's plus strand. If only the minus strand is searched, they are found on that
/// strand, as in NCBI's program: then each N counts as another base.
fn low_complexity(record: &FastaRecord, options: &SearchOptions, dust: Dust) -> Vec<Range<u32>> {
    if options.strand != Strand::Minus {
        return dust.mask(&record.letters);
    }
    let minus: Vec<u8> = record.letters.iter().rev().map(|&letter| complement(letter)).collect();
    let length = minus.len() as u32;
    dust.mask(&minus).into_iter().rev().map(|mask| length - mask.end..length - mask.start).collect()
}

/// Ranges of the plus strand of a sequence of so many letters, as ranges of one of its strands.
fn of_strand(ranges: &[Range<usize>], length: usize, is_minus: bool) -> Vec<Range<usize>> {
    if is_minus {
        ranges.iter().rev().map(|range| length - range.end..length - range.start).collect()
    } else {
        ranges.to_vec()
    }
}

/// The ranges of a sequence between its masked ranges, without empty ones.
fn unmasked_ranges(masks: &[Range<usize>], length: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(masks.iter().map(|mask| mask.end));
    let ends = masks.iter().map(|mask| mask.start).chain(std::iter::once(length));
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::BlastTask;
    use crate::scoring::Scoring;
    use crate::sequence::alphabet::encode;

    fn record(letters: &str) -> FastaRecord {
        let letters: Vec<u8> = letters.bytes().filter_map(encode).collect();
        let lower = if letters.len() > 4 { vec![2..4] } else { Vec::new() };
        FastaRecord { title: "q".to_owned(), letters, lower_case: lower }
    }

    fn batch(options: &SearchOptions) -> QueryBatch {
        let records = [record("ACGTTR"), record(""), record("NNN"), record("GGA")];
        QueryBatch::new(&records, options, DatabaseSize { letters: 1000, sequences: 2 })
    }

    #[test]
    fn strands_lie_end_to_end_between_sentinels() {
        let mut options = SearchOptions::new(BlastTask::Blastn);
        let of = |batch: &QueryBatch| -> Vec<(usize, usize, bool, bool)> {
            let contexts = batch.contexts.iter();
            contexts.map(|c| (c.first, c.query, c.is_minus, c.statistics.is_some())).collect()
        };
        let both = batch(&options);
        let text: String = both
            .letters
            .iter()
            .map(|&letter| char::from(crate::sequence::alphabet::decode(letter)))
            .collect();
        assert_eq!(text, "-ACGTTR-YAACGT-NNN-NNN-GGA-TCC-");
        let expected = [
            (1, 0, false, true),
            (8, 0, true, true),
            (15, 2, false, false),
            (19, 2, true, false),
            (23, 3, false, true),
            (27, 3, true, true),
        ];
        assert_eq!(of(&both), expected);
        assert_eq!(both.context_at(7), 0);
        assert_eq!(both.context_at(8), 1);
        assert_eq!(both.segments, [1..7, 8..14, 23..26, 27..30]);
        options.strand = Strand::Minus;
        assert_eq!(of(&batch(&options)).iter().filter(|context| !context.2).count(), 0);
    }

    #[test]
    fn masks_are_mirrored_and_hard_ones_become_n() {
        let mut options = SearchOptions::new(BlastTask::Blastn);
        options.masks_lower_case = true;
        assert_eq!(batch(&options).segments[..4], [1..3, 5..7, 8..10, 12..14]);
        options.soft_masking = false;
        let hard = batch(&options);
        assert_eq!(hard.letters[1..7], [0, 1, ANY, ANY, 3, 4]);
        assert_eq!(hard.unmasked_strand(0), [0, 1, 2, 3, 3, 4]);
        assert_eq!(hard.unmasked_strand(1), [5, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn low_complexity_is_found_on_the_strand_that_is_searched() {
        let text = format!("CGATTAGCATGG{}TTGACGGGGGCCCGCA", "N".repeat(96));
        let mut options = SearchOptions::new(BlastTask::Blastn);
        options.dust = options.dust.map(|dust| Dust { level: 10, ..dust });
        let plus = masked_ranges(&record(&text), &options);
        options.strand = Strand::Minus;
        let minus = masked_ranges(&record(&text), &options);
        // Each N counts as another base from the other end on.
        assert!(!plus.is_empty() && !minus.is_empty() && plus != minus, "{plus:?} {minus:?}");
    }

    #[test]
    #[should_panic(expected = "a query of more than")]
    fn a_query_without_room_for_its_scores_is_refused() {
        let scoring = Scoring { reward: 499, penalty: -499, gap_open: 998, gap_extend: 499 };
        let options = SearchOptions { scoring, ..SearchOptions::new(BlastTask::Blastn) };
        let letters = vec![0; scoring.max_query_length() + 1];
        let database = DatabaseSize { letters: 1000, sequences: 2 };
        QueryBatch::new(&[FastaRecord { letters, ..FastaRecord::default() }], &options, database);
    }

    #[test]
    fn cutoffs_of_blastn() {
        let query = "ACGTTGCATGCCATTACGGATCCATGACGGT".repeat(10);
        let options = SearchOptions::new(BlastTask::Blastn);
        let extent = DatabaseSize { letters: 2_476_164, sequences: 42 };
        let batch = QueryBatch::new(&[record(&query)], &options, extent);
        let statistics = batch.statistics(0);
        assert_eq!((batch.parameters.gapped_x_drop, batch.parameters.final_x_drop), (33, 110));
        assert!(statistics.gap_trigger <= statistics.cutoff);
        assert!(batch.e_value(0, statistics.cutoff + 1) <= 10.0);
        assert_eq!(batch.e_value(0, 41).to_bits(), batch.e_value(0, 40).to_bits());
    }
}
