//! Regions that the kernels of seed-extend make and rank, run on the CPU, are those that the CPU finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::Device;
use aligner_core::cigar::{CigarOp, CigarRun};
use aligner_core::stream::LoadedKernels;
use fastrand::Rng;
use gpualign_tests::ShimBackend;
use seed_extend::chain::chains::Chain;
use seed_extend::chain::cpu;
use seed_extend::chain::whole_match::WholeMatch;
use seed_extend::extend::gpu::{
    AlignmentApplications, ExtendEngine, FILL_WIDTH, MemoryLimits, WALK_WIDTH,
};
use seed_extend::extend::{QueryCodes, ReferenceText, ScoringParameters, TaskBatch};
use seed_extend::read::queries::Queries;
use seed_extend::region::builder::RegionBuilder;
use seed_extend::region::gpu::{RegionEngine, RegionsOfReads};
use seed_extend::region::ranking::rank;
use seed_extend::region::regions::{Region, RegionMemory, deduplicate};
use seed_extend::{AltContigs, Mapper, Options, Parameters};

use crate::find::{Text, backend, contigs, letters, short};

/// How much is done at a time: anchors that are chained together, and memory for alignments.
const ROOMS: [(u64, MemoryLimits); 2] = [
    (u64::MAX, MemoryLimits { words: u64::MAX, runs: 16 }),
    (300, MemoryLimits { words: 1 << 12, runs: 1 }),
];

/// What was compared.
#[derive(Debug, Default)]
struct Seen {
    /// Regions of reads that the kernel has ranked, those of them that are secondary to another one, and those without CIGAR runs.
    ranked: usize,
    secondary: usize,
    not_compared: usize,
    /// Reads that are left to the host.
    unranked: usize,
    /// Slices of reads, beyond one for each search.
    more_slices: usize,
    /// Tasks whose bands are too wide for kernels.
    too_wide: usize,
}

/// The regions of reads, by kernels.
fn found(
    text: &Text,
    options: Options,
    (queries, tie_breakers): (&Queries, &[u64]),
    (room, limits): (u64, MemoryLimits),
    seen: &mut Seen,
) -> RegionsOfReads {
    let load = |name, width| {
        LoadedKernels::with_backend(backend(name), name, width).expect("an application")
    };
    let applications =
        AlignmentApplications { fill: load("fill", FILL_WIDTH), walk: load("walk", WALK_WIDTH) };
    let packed = ReferenceText::Packed(text.index.reference().packed_text());
    let loaded = (backend("extend"), applications);
    let mut extend: ExtendEngine<ShimBackend> =
        ExtendEngine::new(loaded, options.scoring, packed).expect("an engine");
    let engine = RegionEngine::new(backend("regions"), &text.inputs(options)).expect("an engine");
    let chains = text.engine(options, room).find_few(queries, usize::MAX).expect("it runs");
    let all = TaskBatch { queries: QueryCodes::OfReads(queries), text: packed, tasks: &[] };
    let chains = chains.expect("not limited").chains;
    seen.more_slices += chains.slices.len() - 1;
    // What was found before is forgotten.
    let runs = vec![CigarRun::new(CigarOp::Equal, 1)];
    engine.find(&mut extend, &chains, (all, tie_breakers), (limits, runs)).expect("it runs")
}

/// A region with its CIGAR runs, wherever these are.
fn with_runs(region: &Region, runs: &[CigarRun]) -> (Region, Vec<CigarRun>) {
    let own = if region.run_count == 0 { &[] } else { &runs[region.first_run as usize..] };
    (Region { first_run: 0, ..*region }, own[..region.run_count as usize].to_vec())
}

/// The number of tasks whose bands have more columns than the widest kernel.
fn too_wide(text: &Text, options: Options, queries: &Arc<Queries>) -> usize {
    let inputs = text.inputs(options);
    let chains = cpu::find(&inputs, queries, usize::MAX).expect("not limited");
    let builder = RegionBuilder {
        segments: &inputs.segments,
        alt_contigs: &AltContigs::default(),
        scoring: options.scoring,
        band_margin: options.band_margin,
        min_chain_weight: options.min_chain_weight,
    };
    let is_too_wide = |&(chain, place): &(&Chain, u32)| {
        let (task, length) = (builder.task(queries, chain), queries.bases(chain.query / 2));
        let low = task.low.max(1 - task.query_len as i32);
        let high = task.high.min(task.window_len as i32 - 1);
        WholeMatch::of_place(place, length) == WholeMatch::Other && high - low >= 128
    };
    let all = (0..chains.reads()).flat_map(|read| chains.with_places(read));
    all.filter(is_too_wide).count()
}

/// Compares the regions of reads that kernels find with those that the CPU finds.
fn check(text: &Text, options: Options, reads: &[Vec<u8>], name: &str, seen: &mut Seen) {
    let queries = || Queries::new(reads.iter().map(Vec::as_slice));
    let tie_breakers: Vec<u64> = (0..reads.len() as u64).map(|read| read / 2 * 77).collect();
    let mapper = Mapper::new(&text.index, options, &Device::Cpu).expect("the CPU is there");
    let expected = mapper.find_regions(queries(), tie_breakers.clone()).regions;
    seen.too_wide += too_wide(text, options, &Arc::new(queries()));
    let mut memory = RegionMemory::default();
    for room in ROOMS {
        let found = found(text, options, (&queries(), &tie_breakers), room, seen);
        for (read, letters) in reads.iter().enumerate() {
            let (of_read, is_ranked) = found.of(read);
            let mut of_read: Vec<Region> = of_read.iter().map(|it| it.region(false)).collect();
            if is_ranked {
                assert!(of_read.len() <= 64, "{name}, read {read}");
                seen.ranked += of_read.len();
                seen.secondary += of_read.iter().filter(|it| it.secondary_to.is_some()).count();
                seen.not_compared += of_read.iter().filter(|it| !it.is_compared()).count();
            } else {
                seen.unranked += 1;
                deduplicate(&mut of_read, &mut memory);
                let how = (&options.ranking, &mut memory);
                rank(&mut of_read, letters.len() as u32, tie_breakers[read], how);
            }
            let of_device: Vec<_> = of_read.iter().map(|it| with_runs(it, &found.runs)).collect();
            let of_host =
                |it: &Region| (Region { first_run: 0, ..*it }, expected.runs(it).to_vec());
            let of_host: Vec<_> = expected.of(read).iter().map(of_host).collect();
            assert_eq!(of_device, of_host, "{name}, read {read}");
        }
    }
}

#[test]
fn random_reads_have_the_same_regions() {
    let mut seen = Seen::default();
    for seed in 0..8 {
        let mut random = Rng::with_seed(seed);
        let contigs = contigs(&mut random);
        let text = Text::new(&contigs, [1, 8][random.usize(..2)]);
        let all = contigs.concat();
        let mut reads = gpualign_tests::reads(&mut random, &all, 60, 180);
        reads.extend([Vec::new(), b"A".to_vec(), vec![b'N'; 70], vec![b'A'; 150]]);
        // Reads of two places, and of the ends of a contig with other bases beyond.
        reads.push([&all[100..170], &all[900..980]].concat());
        reads.push([letters(&mut random, 30), contigs[0][..90].to_vec()].concat());
        reads.push([&contigs[0][contigs[0].len() - 90..], &letters(&mut random, 30)].concat());
        let mut options =
            if seed % 4 == 0 { Options::default() } else { short(5 + 10 * seed as u32) };
        options.min_chain_weight = [0, 40][seed as usize % 2];
        options.ranking.min_overlap = [0.5, 0.0, 1.0, 0.8][seed as usize % 4];
        options.ranking.score_margin = [7, 0, 30][seed as usize % 3];
        check(&text, options, &reads, &format!("seed {seed}"), &mut seen);
    }
    assert!(seen.ranked > 1000 && seen.secondary > 300, "{seen:?}");
    assert!(seen.not_compared > 50 && seen.unranked == 0 && seen.more_slices > 20, "{seen:?}");
}

/// Gaps that cost less than a mismatch, so that one difference must be aligned, and bands that no kernel takes.
#[test]
fn other_scorings_and_wide_bands_give_the_same_regions() {
    let mut seen = Seen::default();
    for seed in 0..3 {
        let mut random = Rng::with_seed(seed);
        let contigs = contigs(&mut random);
        let text = Text::new(&contigs, 4);
        let all = contigs.concat();
        let mut reads = gpualign_tests::reads(&mut random, &all, 30, 180);
        // In their middle nothing is like the text.
        reads.extend((0..9).map(|number| {
            let begin = 100 * number;
            [&all[begin..begin + 90], &letters(&mut random, 170), &all[begin + 260..begin + 350]]
                .concat()
        }));
        let scoring = ScoringParameters {
            match_score: 2,
            mismatch_penalty: 9,
            ..ScoringParameters::default()
        };
        let parameters = Parameters { scoring, ..Parameters::default() };
        let mut options = Options::new(parameters).expect("within limits");
        assert!(!options.scoring.prefers_a_mismatch());
        options.band_margin = 100;
        options.seeds.min_length = 12;
        check(&text, options, &reads, &format!("seed {seed}"), &mut seen);
    }
    assert!(seen.ranked > 100 && seen.too_wide > 9, "{seen:?}");
}

/// Copies of a unit: as many regions as a kernel ranks at most, and more.
#[test]
fn reads_of_many_copies_have_the_same_regions() {
    let mut random = Rng::with_seed(4);
    let unit = letters(&mut random, 100);
    let mut seen = Seen::default();
    for copies in [63, 64, 65, 300] {
        let contig: Vec<u8> = (0..copies)
            .flat_map(|_| {
                let between = letters(&mut random, 20);
                [unit.clone(), between].concat()
            })
            .collect();
        let text = Text::new(&[contig], 4);
        let mut differs = unit.clone();
        differs[50] = if unit[50] == b'A' { b'C' } else { b'A' };
        let unranked = seen.unranked;
        check(&text, Options::default(), &[unit.clone(), differs], &format!("{copies}"), &mut seen);
        assert_eq!(seen.unranked > unranked, copies > 64, "{copies}");
    }
}

#[test]
fn no_reads_and_no_chains_have_no_regions() {
    let mut seen = Seen::default();
    let text = Text::new(&[b"A".to_vec()], 8);
    for reads in [vec![], vec![Vec::new()], vec![b"A".to_vec(), vec![b'A'; 40]]] {
        check(&text, Options::default(), &reads, "one base", &mut seen);
    }
    assert_eq!(seen.ranked + seen.unranked, 0);
}
