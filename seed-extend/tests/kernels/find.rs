//! Chains found by the kernels of seed-extend, run on the CPU, are those that the CPU finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::stream::{Backend, LoadedKernels};
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference, Segments};
use gpualign_tests::{ShimBackend, kernels};
use seed_extend::Options;
use seed_extend::chain::chains::ChainOptions;
use seed_extend::chain::gpu::{ChainApplications, ChainEngine, WIDTH};
use seed_extend::chain::whole_match::WholeMatch;
use seed_extend::chain::{ChainsOfReads, FinderInputs, cpu};
use seed_extend::read::queries::Queries;
use seed_extend::seed::seeds::SeedOptions;

/// A reference in memory, as the kernels see it.
pub(crate) struct Text {
    pub(crate) index: FmIndex,
    segments: Arc<Segments>,
    view: Box<IndexView>,
}

/// The kernels of a file on the shim.
pub(crate) fn backend(name: &str) -> ShimBackend {
    ShimBackend::new(kernels("seed-extend", name).expect("it is built"), 7)
}

impl Text {
    pub(crate) fn new(contigs: &[Vec<u8>], sample_rate: u32) -> Self {
        let records = contigs.iter().enumerate().map(|(number, it)| (number.to_string(), it));
        let reference = Reference::from_records(records).expect("a reference");
        let index =
            FmIndex::build(reference, &BuildOptions { sample_rate, ..BuildOptions::default() })
                .expect("an index");
        let segments = Arc::new(Segments::new(index.reference()));
        let view = Box::new(IndexView::of_host(&index));
        Self { index, segments, view }
    }

    /// The index and the options, as engines take them.
    pub(crate) fn inputs(&self, options: Options) -> Arc<FinderInputs> {
        let (index, segments) = (self.index.clone(), Arc::clone(&self.segments));
        Arc::new(FinderInputs { index, segments, options })
    }

    /// An engine that finds chains of `room` anchors at a time.
    pub(crate) fn engine(&self, options: Options, room: u64) -> ChainEngine<ShimBackend> {
        let load = |name| LoadedKernels::with_backend(backend(name), name, WIDTH).expect("stages");
        let stages = ChainApplications { seeds: load("seeds"), chains: load("chains") };
        let loaded = (backend("find"), stages);
        ChainEngine::new(loaded, *self.view, &self.inputs(options), room).expect("an engine")
    }

    /// Compares what kernels find, `room` anchors at a time, with what the CPU does, and gives that.
    fn check(&self, options: Options, reads: &[Vec<u8>], room: u64, name: &str) -> ChainsOfReads {
        let queries = Arc::new(Queries::new(reads.iter().map(Vec::as_slice)));
        let expected = cpu::find(&self.inputs(options), &queries, usize::MAX).expect("not limited");
        let engine = self.engine(options, room);
        let find = |most| engine.find_few(&queries, most).expect("it runs");
        let found = find(expected.count()).expect("not too many");
        assert_eq!(engine.download(&found).expect("memory"), expected, "{name}");
        assert!(expected.count() == 0 || find(expected.count() - 1).is_none(), "{name}");
        self.check_whole_matches(&queries, &expected, &options, name);
        let codes = backend("find").read(&found.chains.codes, queries.all_codes().len());
        assert_eq!(codes.expect("memory"), queries.all_codes(), "{name}");
        expected
    }
}

impl Text {
    /// Compares the places of only differences, and the scores of chains that others outscore, with what base by base tells.
    fn check_whole_matches(
        &self,
        queries: &Queries,
        chains: &ChainsOfReads,
        options: &Options,
        name: &str,
    ) {
        let scores = [options.scoring.match_score(), -options.scoring.mismatch_penalty()];
        let reference = self.index.reference();
        let base = |position: usize| {
            (reference.packed_text()[position / 32] >> (2 * (position % 32)) & 3) as u8
        };
        for read in 0..chains.reads() {
            for (chain, place) in chains.with_places(read) {
                let codes = queries.codes(chain.query);
                let begin = usize::try_from(chain.low).ok();
                let begin = begin.filter(|begin| {
                    chain.low == chain.high
                        && begin + codes.len() <= reference.indexed_len() as usize
                });
                if let WholeMatch::Outscored(score) =
                    WholeMatch::of_place(place, codes.len() as u32)
                {
                    let begin = begin.expect("a chain of several diagonals is not outscored");
                    let (mut best, mut here) = (0, 0);
                    let kept = chain.begin as usize..chain.end as usize;
                    for (&code, place) in codes[kept.clone()].iter().zip(kept) {
                        let differs = code != base(begin + place);
                        here = 0.max(here + scores[usize::from(differs)]);
                        best = best.max(here);
                    }
                    assert_eq!(score, best, "{name}, read {read}, {chain:?}");
                    continue;
                }
                let whole_match = begin.map_or(WholeMatch::Other, |begin| {
                    let differs = |&place: &usize| codes[place] != base(begin + place);
                    let differences: Vec<usize> = (0..codes.len()).filter(differs).collect();
                    match differences[..] {
                        [] => WholeMatch::Equal,
                        [place] if codes[place] < 4 => WholeMatch::OneDifference(place as u32),
                        _ => WholeMatch::Other,
                    }
                });
                let expected = whole_match.place(codes.len() as u32);
                assert_eq!(place, expected, "{name}, read {read}, {chain:?}");
                assert_eq!(WholeMatch::of_place(expected, codes.len() as u32), whole_match);
            }
        }
    }
}

pub(crate) fn letters(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect()
}

/// Contigs with many copies of a unit that are not quite alike.
pub(crate) fn contigs(random: &mut fastrand::Rng) -> Vec<Vec<u8>> {
    let unit_length = random.usize(20..150);
    let unit = letters(random, unit_length);
    let mut all = Vec::new();
    for _ in 0..random.usize(1..4) {
        let mut contig = letters(random, 50);
        while contig.len() < 2000 {
            let copy = contig.len();
            contig.extend_from_slice(&unit);
            for _ in 0..random.usize(..4) {
                let place = random.usize(copy..contig.len());
                contig[place] = b"ACGT"[random.usize(..4)];
            }
            let between = random.usize(..60);
            contig.extend(letters(random, between));
        }
        all.push(contig);
    }
    all
}

/// Few bases make a seed, so that short texts have many.
pub(crate) fn short(max_occurrences: u32) -> Options {
    let seeds = SeedOptions {
        min_length: 9,
        split_length: 14,
        max_split_occurrences: 6,
        rare_occurrences: 8,
    };
    let chains =
        ChainOptions { band_width: 20, drop_weight: 8, max_chains: 12, ..ChainOptions::default() };
    Options { seeds, chains, max_occurrences, ..Options::default() }
}

#[test]
fn random_reads_have_the_same_chains() {
    let (mut chains, mut repeats, mut outscored) = (0, 0, 0);
    for seed in 0..8 {
        let mut random = fastrand::Rng::with_seed(seed);
        let contigs = contigs(&mut random);
        let text = Text::new(&contigs, [1, 8][random.usize(..2)]);
        let all = contigs.concat();
        let mut reads = gpualign_tests::reads(&mut random, &all, 60, 180);
        reads.extend([Vec::new(), b"A".to_vec(), vec![b'N'; 70], vec![b'A'; 150]]);
        // A read of two places.
        reads.push([&all[100..170], &all[900..980]].concat());
        let options = if seed % 4 == 0 { Options::default() } else { short(5 + 10 * seed as u32) };
        for room in [0, 300, u64::MAX] {
            let found = text.check(options, &reads, room, &format!("seed {seed}"));
            chains += found.iter().flatten().count();
            repeats += found.repeat_fractions.iter().filter(|&&fraction| fraction > 0.0).count();
            let of_read = |read: usize| {
                let whole_match =
                    |(_, place)| WholeMatch::of_place(place, reads[read].len() as u32);
                let is_outscored = |it: &WholeMatch| matches!(it, WholeMatch::Outscored(_));
                found.with_places(read).map(whole_match).filter(is_outscored).count()
            };
            outscored += (0..reads.len()).map(of_read).sum::<usize>();
        }
    }
    assert!(chains > 1000 && repeats > 50, "{chains} chains, {repeats} with repeats");
    assert!(outscored > 100, "{outscored} outscored");
}

#[test]
fn reads_with_very_many_seeds_have_the_same_chains() {
    let mut random = fastrand::Rng::with_seed(9);
    let read = letters(&mut random, 150);
    // Every word of ten bases, with another base behind it than in the read.
    let contig: Vec<u8> = read
        .windows(11)
        .flat_map(|word| {
            let other = if word[10] == b'A' { b'C' } else { b'A' };
            [&word[..10], &[other]].concat()
        })
        .collect();
    let text = Text::new(&[contig], 8);
    let reads = [read[..30].to_vec(), read.clone(), read[40..60].to_vec()];
    let found = text.check(short(50), &reads, u64::MAX, "many seeds");
    assert!(found.iter().all(|chains| !chains.is_empty()));
}

#[test]
fn no_reads_and_the_shortest_text_have_the_same_chains() {
    let text = Text::new(&[b"A".to_vec()], 8);
    let found = text.check(Options::default(), &[], u64::MAX, "no reads");
    assert!(found.reads() == 0);
    let reads = [b"A".to_vec(), b"T".to_vec(), vec![b'A'; 40]];
    let found = text.check(short(3), &reads, u64::MAX, "one base");
    assert!(found.iter().all(<[_]>::is_empty));
}

#[test]
fn very_many_anchors_of_one_read_are_sorted() {
    let mut random = fastrand::Rng::with_seed(3);
    let unit = letters(&mut random, 40);
    // More copies than a warp sorts in shared memory, in no order of their rows.
    let contig: Vec<u8> = (0..700)
        .flat_map(|_| {
            let between = 1 + random.usize(..9);
            [unit.clone(), letters(&mut random, between)].concat()
        })
        .collect();
    let text = Text::new(&[contig], 4);
    for (occurrences, least) in [(600, 500), (20, 10)] {
        let mut options = short(occurrences);
        options.chains.max_chains = 1000;
        let found = text.check(options, &[unit.clone(), vec![b'G'; 3]], u64::MAX, "copies");
        assert!(found.of(0).len() > least, "{} chains", found.of(0).len());
    }
}

/// Copies of one unit that differ in any number of bases, of which some have a gap or are cut off.
#[test]
fn the_same_chains_are_outscored() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut kept, mut copies) = (0, 0);
    for seed in 0..4 {
        let unit = letters(&mut random, 260);
        let mut contig = letters(&mut random, 30);
        for _ in 0..90 {
            let mut copy = unit.clone();
            for _ in 0..random.usize(..50) {
                copy[random.usize(..260)] = b"ACGT"[random.usize(..4)];
            }
            if random.u8(..4) == 0 {
                let place = random.usize(30..200);
                drop(copy.drain(place..place + random.usize(1..20)));
            }
            if random.u8(..4) == 0 {
                let left = random.usize(60..180);
                copy.truncate(left);
            }
            contig.extend_from_slice(&copy);
            let between = random.usize(..50);
            contig.extend(letters(&mut random, between));
        }
        // The last copy ends with the text, and the read with it.
        contig.extend_from_slice(&unit[..150]);
        let text = Text::new(&[contig], 4);
        let read = |(begin, unknown): (usize, bool)| {
            let mut read = unit[begin..begin + 150].to_vec();
            if unknown {
                read[70] = b'N';
            }
            read
        };
        let reads: Vec<Vec<u8>> =
            [(0, false), (10, false), (50, true), (100, false), (110, true)].map(read).into();
        let mut options = Options::default();
        options.seeds.min_length = 15 + seed;
        options.min_chain_weight = [0, 40][seed as usize % 2];
        options.report.min_secondary_ratio = [0.8, 0.6][seed as usize / 2];
        let found = text.check(options, &reads, u64::MAX, &format!("seed {seed}"));
        kept += found.iter().flatten().count();
        copies += 91 * reads.len();
    }
    assert!(kept > copies / 20 && kept < copies / 2, "{kept} of {copies}");
}
