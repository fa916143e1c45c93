//! The GPU yields what the CPU does. Needs a GPU: `cargo test -p seed-extend --test gpu -- --ignored`.
#![allow(clippy::expect_used)] // A failure is the test's.

mod common;
#[path = "common/mates.rs"]
mod mates_common;

use std::sync::Arc;

use aligner_core::{Device, DeviceRequest};
use bio::alphabets::dna::revcomp;
use common::{Case, add_random, mutate, scored, scorings, sequence};
use fastrand::Rng;
use fm_index::gpu::DeviceIndex;
use fm_index::{BuildOptions, FmIndex, Reference, Segments};
use mates_common::MateCase;
use seed_extend::chain::gpu::ChainEngine;
use seed_extend::chain::{self, FinderInputs};
use seed_extend::extend::{Extender, ReferenceText, Scoring, TaskBatch, cpu};
use seed_extend::pair::gpu::MateEngine;
use seed_extend::read::queries::Queries;
use seed_extend::region::regions::Region;
use seed_extend::{AltContigs, LibrarySample, MappedReads, Mapper, Options, RankedReads};

fn check(name: &str, scoring: Scoring, case: &Case) {
    let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
    let words = case.packed();
    let known = case.text.iter().all(|&code| code < 4);
    let texts =
        [Some(ReferenceText::Codes(&case.text)), known.then_some(ReferenceText::Packed(&words))];
    let alignments = cpu::align(scoring, case.tasks());
    for text in texts.into_iter().flatten() {
        let mut extender = Extender::new(scoring, text, &device).expect("an extender");
        let found = extender.score(TaskBatch { text, ..case.tasks() });
        let traced = extender.align(TaskBatch { text, ..case.tasks() });
        assert_eq!(extender.failure(), None, "the GPU did the work");
        let all: Vec<_> = (0..case.tasks.len()).map(|task| alignments.get(task)).collect();
        for (number, ends) in scored(&all).into_iter().enumerate() {
            assert_eq!(found[number], ends, "{name}, {scoring:?}, {:?}", case.tasks[number]);
            assert_eq!(traced.get(number), all[number], "{name}, {scoring:?}, task {number}");
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn random_tasks_align_alike() {
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        for scoring in scorings() {
            let longest = [6, 40, 150, 300][random.usize(..4)];
            let letters = [2, 4, 4, 5][random.usize(..4)];
            let mut case = Case::default();
            (0..random.usize(..3000))
                .for_each(|_| add_random(&mut random, &mut case, longest, letters));
            check(&format!("seed {seed}"), scoring, &case);
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn the_shortest_the_longest_and_none_align_alike() {
    let mut random = Rng::with_seed(1);
    let long = sequence(&mut random, 3000, 4);
    for scoring in scorings() {
        check("no task", scoring, &Case::default());
        let mut case = Case::default();
        for (query, window) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 7), (7, 1)] {
            for (low, high) in [(0, 0), (-9, 9), (i32::MIN, i32::MAX), (1, 0)] {
                case.add(&vec![2; query], &vec![2; window], low, high);
            }
        }
        for width in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129] {
            case.add(&long[..150], &long[10..], -10, width - 11);
            case.add(&long[..2000], &long[10..], -10, width - 11);
        }
        check("few", scoring, &case);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn reads_have_the_same_chains() {
    let Device::Cuda(gpu) = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device else {
        panic!("a GPU was asked for");
    };
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let mut codes = sequence(&mut random, 100_000, 4);
        for _ in 0..50 {
            // Copies that are not quite alike.
            let place = random.usize(..codes.len() - 400);
            let changes = random.usize(..20);
            let copy = mutate(&mut random, &codes[place..place + 400], changes, 4);
            codes.extend(copy);
        }
        let letters: Vec<u8> = codes.iter().map(|&code| b"ACGT"[usize::from(code)]).collect();
        let reads: Vec<Vec<u8>> = (0..20_000)
            .map(|_| {
                let place = random.usize(..letters.len() - 300);
                let length = random.usize(..300);
                let mut read = letters[place..place + length].to_vec();
                for _ in 0..random.usize(..4) {
                    if let Some(letter) = read.get_mut(random.usize(..300)) {
                        *letter = b"ACGTN"[random.usize(..5)];
                    }
                }
                read
            })
            .collect();
        let queries = Arc::new(Queries::new(reads.iter().map(Vec::as_slice)));
        let reference = Reference::from_records([("text", &letters)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let inputs = || {
            let segments = Arc::new(Segments::new(index.reference()));
            Arc::new(FinderInputs { index: index.clone(), segments, options: Options::default() })
        };
        let expected = chain::cpu::find(&inputs(), &queries, usize::MAX).expect("not limited");
        assert!(expected.iter().filter(|chains| !chains.is_empty()).count() > 15_000);
        let on_device = DeviceIndex::new(&gpu, &index).expect("memory");
        let engine = ChainEngine::on_gpu(&gpu, on_device.values(), &inputs());
        let engine = engine.expect("an engine");
        let found = engine.find_few(&queries, usize::MAX).expect("it runs").expect("not limited");
        assert_eq!(engine.download(&found).expect("it runs"), expected, "seed {seed}");
    }
}

#[test]
#[ignore = "needs a GPU"]
fn windows_have_the_same_diagonals() {
    let Device::Cuda(gpu) = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device else {
        panic!("a GPU was asked for");
    };
    for seed in 0..100 {
        let mut random = Rng::with_seed(seed);
        let windows = random.usize(..5000);
        let case = MateCase::random(&mut random, windows);
        let on_device = DeviceIndex::new(&gpu, &case.index).expect("memory");
        let engine = MateEngine::on_gpu(&gpu, on_device.values()).expect("an engine");
        let found = engine.choose_diagonals(&case.queries, &case.windows, case.choice);
        assert_eq!(found.expect("it runs"), case.expected("GPU"), "seed {seed}");
    }
}

/// Reads of copies that are not quite alike, some of which lie on an ALT contig, of a unit with more copies than a GPU ranks, of two
/// places, and with so few bases or so many differences that they have no region.
#[test]
#[ignore = "needs a GPU"]
fn reads_have_the_same_regions() {
    let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
    let (mut regions, mut alternatives, mut most) = (0, 0, 0);
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let mut codes = sequence(&mut random, 200_000, 4);
        for _ in 0..60 {
            let place = random.usize(..codes.len() - 400);
            let changes = random.usize(..20);
            let copy = mutate(&mut random, &codes[place..place + 400], changes, 4);
            codes.extend(copy);
        }
        let unit = sequence(&mut random, 300, 4);
        for _ in 0..90 {
            codes.extend(mutate(&mut random, &unit, 2, 4));
        }
        let letters: Vec<u8> = codes.iter().map(|&code| b"ACGT"[usize::from(code)]).collect();
        let alt = mutate(&mut random, &codes[20_000..60_000], 300, 4);
        let alt: Vec<u8> = alt.iter().map(|&code| b"ACGT"[usize::from(code)]).collect();
        let contigs = [("main", letters.as_slice()), ("other", &letters[..9]), ("alt", &alt)];
        let reference = Reference::from_records(contigs).expect("a reference");
        let read = |random: &mut Rng| {
            let text = if random.u8(..8) == 0 { &alt } else { &letters };
            let length = random.usize(..250);
            let mut piece = || {
                let place = random.usize(..text.len() - 250);
                text[place..place + length].to_vec()
            };
            let mut read = piece();
            if read.len() % 9 == 0 {
                read.extend(piece());
            }
            for _ in 0..[0, 1, 1, 2, 5, 40][random.usize(..6)] {
                if !read.is_empty() {
                    let place = random.usize(..read.len());
                    read[place] = b"ACGTN"[random.usize(..5)];
                }
            }
            if random.bool() { read } else { revcomp(read) }
        };
        let reads: Vec<Vec<u8>> = (0..20_000).map(|_| read(&mut random)).collect();
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let mut options = Options::default();
        // In turn, bands that no kernel takes, and chains that are dropped.
        options.band_margin = [options.band_margin, 100][seed as usize % 2];
        options.min_chain_weight = [0, 0, 50, 50][seed as usize];
        let on_cpu = Mapper::new(&index, options, &Device::Cpu).expect("a mapper");
        let on_cpu = on_cpu.with_alt_contigs(AltContigs::new([2]));
        let on_gpu = on_cpu.on_device(&device).expect("a mapper");
        let [expected, found] = [&on_cpu, &on_gpu].map(|mapper| {
            let queries = Queries::new(reads.iter().map(Vec::as_slice));
            let tie_breakers = (0..reads.len() as u64).map(|read| read / 2).collect();
            mapper.find_regions(queries, tie_breakers)
        });
        assert_eq!(on_gpu.failure(), None, "the GPU did the work");
        assert_eq!(found.repeat_fractions, expected.repeat_fractions, "seed {seed}");
        for read in 0..reads.len() {
            let of = |ranked: &RankedReads| {
                let with_runs = |it: &Region| {
                    (Region { first_run: 0, ..*it }, ranked.regions.runs(it).to_vec())
                };
                ranked.regions.of(read).iter().map(with_runs).collect::<Vec<_>>()
            };
            let of_host = of(&expected);
            assert_eq!(of(&found), of_host, "seed {seed}, read {read}");
            regions += of_host.len();
            alternatives += usize::from(of_host.iter().any(|(region, _)| region.is_alt));
            most = most.max(of_host.len());
        }
    }
    assert!(regions > 80_000 && alternatives > 5_000, "{regions}, {alternatives} with ALT");
    assert!(most > 64, "{most} regions of a read");
}

/// Pairs of a genome with a tandem repeat, 250 to 450 bases from end to end. One read in eight has so many differences
/// that few of its seeds are found.
fn pairs(random: &mut Rng, genome: &[u8], count: usize) -> Vec<Vec<u8>> {
    let read = |random: &mut Rng, at: usize| {
        let mut read = genome[at..at + 120].to_vec();
        let changes = if random.u8(..8) == 0 { 24 } else { random.usize(..4) };
        for _ in 0..changes {
            read[random.usize(..120)] = b"ACGTN"[random.usize(..5)];
        }
        read
    };
    let mut reads = Vec::new();
    for _ in 0..count {
        let at = random.usize(..genome.len() - 450);
        let end = at + random.usize(250..450);
        let pair = [read(random, at), revcomp(read(random, end - 120))];
        let [one, two] = pair;
        reads.extend(if random.bool() { [one, two] } else { [two, one] });
    }
    reads
}

#[test]
#[ignore = "needs a GPU"]
fn mates_are_rescued_alike() {
    let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
    for seed in 0..3 {
        let mut random = Rng::with_seed(seed);
        let mut codes = sequence(&mut random, 200_000, 4);
        let unit = sequence(&mut random, 37, 4);
        codes.splice(5_000..5_000, unit.repeat(40));
        let genome: Vec<u8> = codes.iter().map(|&code| b"ACGT"[usize::from(code)]).collect();
        let reads = pairs(&mut random, &genome, 20_000);
        let reference = Reference::from_records([("genome", &genome)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let on_cpu = Mapper::new(&index, Options::default(), &Device::Cpu).expect("a mapper");
        let on_gpu = on_cpu.on_device(&device).expect("a mapper");
        let queries = Queries::new(reads.iter().map(Vec::as_slice));
        let ranked = on_cpu.find_regions(queries, vec![3; reads.len()]);
        let mut sample = LibrarySample::default();
        on_cpu.sample_pairs(&ranked, &mut sample, reads.len());
        let library = sample.library();
        let expected = on_cpu.rescue_mates(ranked.clone(), &library);
        let found = on_gpu.rescue_mates(ranked, &library);
        assert_eq!(on_gpu.failure(), None, "the GPU did the work");
        assert!(expected.rescues().len() > 2000, "{} tasks", expected.rescues().len());
        assert_eq!(found.rescues(), expected.rescues(), "seed {seed}");
        let [expected, found] = [expected, found].map(|rescued| on_cpu.resolve_pairs(rescued));
        assert_eq!(found.primaries, expected.primaries, "seed {seed}");
        for read in 0..reads.len() {
            let of = |mapped: &MappedReads| mapped.regions.of(read).to_vec();
            assert_eq!(of(&found), of(&expected), "seed {seed}, read {read}");
        }
    }
}
