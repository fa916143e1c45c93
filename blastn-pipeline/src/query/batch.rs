//! Queries as they are searched: both strands of many of them, end to end.
//!
//! ```text
//!   letters   | plus of query 0 | minus of query 0 | plus of query 1 | ...     | is a sentinel
//!   contexts    first, length     first, length       ...
//!   segments    ------   -----    -----   ------      what is not masked: words are looked up there
//! ```

use std::ops::Range;

use crate::options::{Options, Strand};
pub use crate::query::context::{Context, Extent, Statistics};
use crate::query::batch_parameters::Manner;
use crate::scoring::Matrix;
use crate::sequence::alphabet::{ANY, SENTINEL, complement};
use crate::sequence::fasta::Record;
use crate::statistics::tables::{self, Gapped};

/// Queries that are searched together.
#[derive(Debug)]
pub struct Batch {
    /// Letters of all contexts, with sentinels between them and around.
    pub(crate) letters: Vec<u8>,
    pub(crate) contexts: Vec<Context>,
    /// Ranges of `letters` that are not masked, in order.
    pub(crate) segments: Vec<Range<usize>>,
    pub(crate) matrix: Matrix,
    /// How they are searched.
    pub(crate) manner: Manner,
    /// Whether odd scores are rounded down for E-values.
    pub(crate) even: bool,
    queries: usize,
}

impl Batch {
    /// Prepares queries.
    ///
    /// # Panics
    /// If [`Options::check`] fails.
    pub fn new(records: &[Record], options: &Options, extent: Extent) -> Self {
        let Some((gapped, even)) = tables::gapped(&options.scoring) else {
            panic!("scores that were checked");
        };
        let matrix = Matrix::new(&options.scoring);
        let mut batch = Self {
            letters: vec![SENTINEL],
            contexts: Vec::new(),
            segments: Vec::new(),
            matrix,
            manner: Manner::new(&[], &[], options),
            even,
            queries: records.len(),
        };
        for (query, record) in records.iter().enumerate() {
            batch.add(query, record, options, gapped, extent);
        }
        batch.manner = batch.manner_of(0..records.len(), options);
        batch
    }

    /// The same queries, searched in some manner.
    #[must_use]
    pub(crate) fn in_manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// In what manner some of the queries would be searched alone.
    pub(crate) fn manner_of(&self, queries: Range<usize>, options: &Options) -> Manner {
        let own = self.contexts_of(queries);
        let segment_of = |context: usize| {
            let first = self.contexts.get(context).map_or(self.letters.len(), |it| it.first);
            self.segments.partition_point(|segment| segment.start < first)
        };
        let segments = segment_of(own.start)..segment_of(own.end);
        Manner::new(&self.contexts[own], &self.segments[segments], options)
    }

    /// The contexts of some queries.
    pub(crate) fn contexts_of(&self, queries: Range<usize>) -> Range<usize> {
        let first_of = |query| self.contexts.partition_point(|context| context.query < query);
        first_of(queries.start)..first_of(queries.end)
    }

    fn add(
        &mut self,
        query: usize,
        record: &Record,
        options: &Options,
        gapped: Gapped,
        extent: Extent,
    ) {
        let length = record.letters.len();
        let masks = masks(record, options);
        let mut plus = record.letters.clone();
        if !options.soft_masking {
            for mask in &masks {
                plus[mask.clone()].fill(ANY);
            }
        }
        for minus in [false, true] {
            let unwanted = if minus { Strand::Plus } else { Strand::Minus };
            if options.strand == unwanted || length == 0 {
                continue;
            }
            let first = self.letters.len();
            if minus {
                self.letters.extend(plus.iter().rev().map(|&letter| complement(letter)));
            } else {
                self.letters.extend(&plus);
            }
            let strand = &self.letters[first..];
            let statistics = Statistics::new(strand, &self.matrix, options, gapped, extent);
            self.letters.push(SENTINEL);
            self.contexts.push(Context { first, length, query, minus, statistics });
            if statistics.is_some() {
                let mirrored =
                    masks.iter().rev().map(|mask| length - mask.end..length - mask.start);
                let masks = if minus { mirrored.collect() } else { masks.clone() };
                self.segments
                    .extend(between(&masks, length).map(|gap| first + gap.start..first + gap.end));
            }
        }
    }

    /// How many queries there are.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// The letters of all strands, with sentinels between them and around.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// Strands of queries, in order.
    pub fn contexts(&self) -> &[Context] {
        &self.contexts
    }

    /// The context that a place of `letters` is in, or ends with.
    #[inline]
    pub(crate) fn context_at(&self, place: usize) -> usize {
        self.contexts.partition_point(|context| context.first <= place) - 1
    }

    /// The other strand of a context's query, if it is searched.
    pub(crate) fn opposite(&self, context: usize) -> Option<usize> {
        let query = self.contexts[context].query;
        let is_opposite =
            |&other: &usize| self.contexts.get(other).is_some_and(|other| other.query == query);
        [context + 1, context.wrapping_sub(1)].into_iter().find(is_opposite)
    }

    /// The letters of a context.
    pub(crate) fn strand(&self, context: usize) -> &[u8] {
        &self.letters[self.contexts[context].range()]
    }

    /// The statistics of a context that something was found in.
    pub(crate) fn statistics(&self, context: usize) -> &Statistics {
        let Some(statistics) = &self.contexts[context].statistics else {
            panic!("nothing is found in a context without statistics");
        };
        statistics
    }

    /// The E-value of a score.
    pub(crate) fn e_value(&self, context: usize, score: i32) -> f64 {
        let statistics = self.statistics(context);
        let score = if self.even { score & !1 } else { score };
        statistics.gapped.e_value(score, statistics.space.effective)
    }
}

/// What is masked of a query, in order and apart from each other.
pub fn masks(record: &Record, options: &Options) -> Vec<Range<usize>> {
    let mut masks: Vec<Range<u32>> =
        options.dust.map(|dust| dust.mask(&record.letters)).unwrap_or_default();
    if options.mask_lower {
        masks.extend(record.lower.iter().cloned());
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

/// What lies between masks.
fn between(masks: &[Range<usize>], length: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(masks.iter().map(|mask| mask.end));
    let ends = masks.iter().map(|mask| mask.start).chain(std::iter::once(length));
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Task;
    use crate::sequence::alphabet::encode;

    fn record(letters: &str) -> Record {
        let letters: Vec<u8> = letters.bytes().filter_map(encode).collect();
        let lower = if letters.len() > 4 { vec![2..4] } else { Vec::new() };
        Record { title: "q".to_owned(), letters, lower }
    }

    fn batch(options: &Options) -> Batch {
        let records = [record("ACGTTR"), record(""), record("NNN"), record("GGA")];
        Batch::new(&records, options, Extent { letters: 1000, sequences: 2 })
    }

    #[test]
    fn strands_lie_end_to_end_between_sentinels() {
        let mut options = Options::new(Task::Blastn);
        let of = |batch: &Batch| -> Vec<(usize, usize, bool, bool)> {
            let contexts = batch.contexts.iter();
            contexts.map(|c| (c.first, c.query, c.minus, c.statistics.is_some())).collect()
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
        let mut options = Options::new(Task::Blastn);
        options.mask_lower = true;
        assert_eq!(batch(&options).segments[..4], [1..3, 5..7, 8..10, 12..14]);
        options.soft_masking = false;
        let letters = &batch(&options).letters;
        assert_eq!(letters[1..7], [0, 1, ANY, ANY, 3, 4]);
    }

    #[test]
    fn cutoffs_of_blastn() {
        let query = "ACGTTGCATGCCATTACGGATCCATGACGGT".repeat(10);
        let options = Options::new(Task::Blastn);
        let extent = Extent { letters: 2_476_164, sequences: 42 };
        let batch = Batch::new(&[record(&query)], &options, extent);
        let statistics = batch.statistics(0);
        assert_eq!((batch.manner.x_drop, batch.manner.x_drop_last), (33, 110));
        assert!(statistics.trigger <= statistics.cutoff);
        assert!(batch.e_value(0, statistics.cutoff + 1) <= 10.0);
        assert_eq!(batch.e_value(0, 41).to_bits(), batch.e_value(0, 40).to_bits());
    }
}
