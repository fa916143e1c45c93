//! The strategy of least cost, for reads of a class of lengths.
//!
//! For a sample of reads, the steps of each strategy are counted on the CPU and weighted with the time that a step
//! takes on the device ([`CostRates`]). Counting stops as soon as a strategy costs more than the best one so far, so it
//! takes about as long as searching for the sample would. No clock is involved, which would choose differently from run
//! to run: for the same first batch the choice is always the same. Output does not depend on the choice.
//!
//! Costs depend on how often the pieces of a read occur, so a class is all reads whose `k + 1` pieces are equally long
//! ([`length_class`]).

use std::sync::Arc;

use fm_index::FmIndex;
use rayon::prelude::*;

use crate::filter::cuts;
use crate::params::{MAX_TRIE_K, Strategy};
use crate::read::Queries;
use crate::scheme;
use crate::scheme::count::SchemeCost;
use crate::trie::metrics::TrieEffort;
use crate::trie::walk;

/// Greatest number of reads of a sample.
pub const SAMPLE: usize = 64;

/// Pieces of at least this many bases form one class: nearly all outside of repeats are unique.
const LONGEST: usize = 32;

/// Nanoseconds that each kind of step takes on one device, if all steps are done one after the other.
#[derive(Debug, Clone, Copy)]
pub struct CostRates {
    /// A step in the index for cutting a query into pieces, or for the lower bounds of its suffixes.
    cut: f64,
    /// An occurrence of a piece to locate and verify.
    occurrence: f64,
    /// An occurrence that a search scheme finds, to locate and verify.
    scheme_occurrence: f64,
    /// A branch of a search scheme to extend.
    branch: f64,
    /// A node of the trie to expand.
    node: f64,
    /// A matrix row in the trie to compute.
    row: f64,
}

impl CostRates {
    /// Rates of one CPU thread, measured on an AMD EPYC with two cores and human chromosome 20: time divided by counts,
    /// of the scheme for 47 bases (`k` = 3) and 150 (15), and of the trie for 47; and, with a made genome of 64 Mbp, of the
    /// filter for 47 bases (3) and 100 (5, 7 and 9). The costs estimated by them are within a factor of 2 of measured times.
    pub const CPU: Self = Self {
        cut: 40.0,
        occurrence: 260.0,
        scheme_occurrence: 800.0,
        branch: 1500.0,
        node: 200.0,
        row: 5.0,
    };

    /// Rates of an H200, from the reads a second of kernels in `benches/EXPERIMENTS.md` and counts of the same reads.
    /// Filter: 2,600,000 reads/s for 47 bases (`k` = 3), 9,098,000 for 100 (5), 8,122,000 for 150 (7) and 239,000 for
    /// 150 (15); scheme: 1,500,000 and trie: 103,000 reads/s for 47.
    pub const GPU: Self = Self {
        cut: 0.12,
        occurrence: 0.3,
        scheme_occurrence: 0.3,
        branch: 2.25,
        node: 0.01,
        row: 0.03,
    };
}

impl CostRates {
    /// Nanoseconds for the lower bounds that a search of the trie needs: one step for each base.
    fn bounds(&self, queries: &Queries, wanted: &[u32]) -> f64 {
        let bases: usize = wanted.iter().map(|&query| queries.codes(query as usize).len()).sum();
        self.cut * bases as f64
    }
}

/// The strategy chosen for a class of reads, with the estimated costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrategyChoice {
    /// Bases of each of the `k + 1` pieces; the reads of the class have up to `k` bases more than all pieces together.
    pub piece: usize,
    /// Number of reads in the sample.
    pub reads: usize,
    /// The strategy of least cost.
    pub strategy: Strategy,
    /// Estimated cost of the filter, in nanoseconds a read.
    pub filter: f64,
    /// Estimated cost of a search scheme, in nanoseconds a read; `None` if greater than the filter's.
    pub scheme: Option<f64>,
    /// Estimated cost of the trie, in nanoseconds a read; `None` if greater than that of another strategy, or if `k` is
    /// too large for the trie.
    pub trie: Option<f64>,
}

/// The class of reads of this length: the length of each of their `k + 1` pieces.
pub fn length_class(length: usize, k: usize) -> usize {
    (length / (k + 1)).min(LONGEST)
}

/// A sample of up to [`SAMPLE`] of the reads, evenly spaced.
pub fn sample(reads: &[u32]) -> Vec<u32> {
    let wanted = reads.len().min(SAMPLE);
    (0..wanted).map(|number| reads[number * reads.len() / wanted]).collect()
}

/// Chooses the strategy for reads of one class, each of more than `k` bases, by a sample of them.
pub fn choose(
    index: &FmIndex,
    queries: &Arc<Queries>,
    sample: &[u32],
    k: usize,
    rates: &CostRates,
) -> StrategyChoice {
    let wanted: Vec<u32> = sample.iter().flat_map(|&read| [2 * read, 2 * read + 1]).collect();
    let cut = |&query: &u32| {
        let cut = cuts::cheapest(index, queries.codes(query as usize), k + 1);
        (cut.steps, u64::from(cut.occurrences))
    };
    let sum = |one: (u64, u64), other: (u64, u64)| (one.0 + other.0, one.1 + other.1);
    let (steps, occurrences) = wanted.par_iter().map(cut).reduce(Default::default, sum);
    let filter = rates.cut * steps as f64 + rates.occurrence * occurrences as f64;

    let context = scheme::context(index, queries, k, scheme::RARE_LIMIT);
    let cost = |SchemeCost { branches, occurrences }| {
        rates.branch * branches as f64 + rates.scheme_occurrence * occurrences as f64
    };
    let counted = scheme::count::count(&context, &wanted, |count| cost(count) < filter);
    let scheme = counted.map(cost).filter(|&scheme| scheme < filter);

    let best = scheme.unwrap_or(filter);
    let bounds = rates.bounds(queries, &wanted);
    let cost = |effort: TrieEffort| {
        bounds + rates.node * effort.nodes as f64 + rates.row * effort.rows as f64
    };
    let trie = (k <= usize::from(MAX_TRIE_K))
        .then(|| walk::count(index, queries, &wanted, k, |effort| cost(effort) < best).map(cost))
        .flatten()
        .filter(|&trie| trie < best);
    let strategy = match (scheme, trie) {
        (_, Some(_)) => Strategy::Trie,
        (Some(_), None) => Strategy::Scheme,
        (None, None) => Strategy::Filter,
    };
    let first = sample.first().map_or(0, |&read| queries.codes(2 * read as usize).len());
    let a_read = |cost: f64| cost / sample.len().max(1) as f64;
    StrategyChoice {
        piece: length_class(first, k),
        reads: sample.len(),
        strategy,
        filter: a_read(filter),
        scheme: scheme.map(a_read),
        trie: trie.map(a_read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Read;
    use fm_index::{BuildOptions, Reference};

    #[test]
    fn samples_are_evenly_spaced() {
        assert_eq!(sample(&[]), [0; 0]);
        assert_eq!(sample(&[3, 5]), [3, 5]);
        let all: Vec<u32> = (0..1000).collect();
        let some = sample(&all);
        assert_eq!((some.len(), some[0], some[1], some[63]), (SAMPLE, 0, 15, 984));
    }

    #[test]
    fn classes_are_lengths_of_pieces() {
        assert_eq!([47, 44, 43, 4].map(|length| length_class(length, 3)), [11, 11, 10, 1]);
        assert_eq!([100, 200, 65_000].map(|length| length_class(length, 3)), [25, 32, 32]);
    }

    fn random(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (*state >> 33) % below
    }

    /// The strategy of least cost if all steps of all strategies are counted.
    fn by_full_counts(
        index: &FmIndex,
        queries: &Arc<Queries>,
        k: usize,
        rates: &CostRates,
    ) -> Strategy {
        let wanted: Vec<u32> = (0..queries.len() as u32).collect();
        let filter: f64 = wanted
            .iter()
            .map(|&query| cuts::cheapest(index, queries.codes(query as usize), k + 1))
            .map(|cut| rates.cut * cut.steps as f64 + rates.occurrence * f64::from(cut.occurrences))
            .sum();
        let context = scheme::context(index, queries, k, scheme::RARE_LIMIT);
        let SchemeCost { branches, occurrences } =
            scheme::count::count(&context, &wanted, |_| true).expect("all");
        let scheme = rates.branch * branches as f64 + rates.scheme_occurrence * occurrences as f64;
        let effort = walk::count(index, queries, &wanted, k, |_| true).expect("all");
        let bounds = rates.bounds(queries, &wanted);
        let trie = bounds + rates.node * effort.nodes as f64 + rates.row * effort.rows as f64;
        let costs =
            [(trie, Strategy::Trie), (scheme, Strategy::Scheme), (filter, Strategy::Filter)];
        costs.into_iter().min_by(|one, other| one.0.total_cmp(&other.0)).expect("three").1
    }

    #[test]
    fn the_cheapest_is_chosen_whatever_the_threads() {
        let mut state = 17;
        let mut seen = Vec::new();
        for case in 0..24 {
            let unit: Vec<u8> = (0..90).map(|_| b"ACGT"[random(&mut state, 4) as usize]).collect();
            let mut text: Vec<u8> =
                (0..20_000).map(|_| b"ACGT"[random(&mut state, 4) as usize]).collect();
            text.extend(unit.repeat(40));
            let k = case % 4;
            let length = [14, 24, 40, 70][case / 6] / (k + 1) * (k + 1);
            let reads: Vec<&[u8]> = (0..40)
                .map(|_| &text[random(&mut state, 20_000) as usize..][..length + case % (k + 1)])
                .collect();
            let reads: Vec<Read<'_>> =
                reads.iter().map(|&sequence| Read { name: b"r", sequence }).collect();
            let queries = Arc::new(Queries::new(&reads));
            let reference = Reference::from_records([("text", &text)]).expect("a reference");
            let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
            let sample: Vec<u32> = (0..40).collect();
            let nodes_free = CostRates { row: 0.0, node: 1e-6, ..CostRates::GPU };
            let branching = CostRates { branch: 1.0, scheme_occurrence: 1.0, ..CostRates::CPU };
            for rates in [CostRates::CPU, CostRates::GPU, nodes_free, branching] {
                let on = |threads: usize| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    pool.expect("a pool").install(|| choose(&index, &queries, &sample, k, &rates))
                };
                let choice = on(1);
                let expected = by_full_counts(&index, &queries, k, &rates);
                assert_eq!(choice.strategy, expected, "case {case}: {choice:?}");
                assert_eq!(choice, on(3), "case {case}");
                assert_eq!((choice.piece, choice.reads), (length_class(length, k), 40));
                seen.push(choice.strategy);
            }
        }
        for strategy in [Strategy::Filter, Strategy::Scheme, Strategy::Trie] {
            assert!(seen.contains(&strategy), "{strategy:?} is never the cheapest");
        }
    }
}
