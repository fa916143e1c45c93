//! The pipeline, and the rule of diagonals afterwards, find what the stages one after the other find.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::stream::{CpuExecutor, Settings};
use blastn_pipeline::fasta::Record;
use blastn_pipeline::lookup::Lookup;
use blastn_pipeline::options::{Options, Task};
use blastn_pipeline::pipeline::stages::{Bases, Context};
use blastn_pipeline::pipeline::{Build, diagonals, slices, topology};
use blastn_pipeline::queries::{Batch, Extent};
use blastn_pipeline::ungapped::{Chunk, Diagonals, Extender, Fours, UngappedHit};
use blastn_pipeline::words;
use fastrand::Rng;

fn key(hit: &UngappedHit) -> (u32, u32, u32, i32, u32) {
    (hit.subject, hit.query, hit.length, hit.score, hit.seed_subject)
}

/// What the CPU's search does with a chunk.
fn one_after_the_other(context: &Context, chunk: &Bases) -> Vec<UngappedHit> {
    let Context { batch, lookup, word, fours, .. } = context;
    let Bases { packed, bases } = chunk;
    let (mut hits, mut words, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut diagonals = Diagonals::default();
    let mut extender = Extender::new(batch, fours, Chunk { packed, bases }, &mut diagonals);
    let end = (bases.len() + 1).saturating_sub(lookup.width());
    lookup.find(packed, 0..end, &mut hits);
    words::extend(batch, lookup, *word, bases, &hits, &mut words);
    extender.extend(&words, &mut found);
    found
}

#[test]
fn every_build_finds_what_the_search_finds() {
    let (mut all, mut untried) = (0, 0);
    for seed in 0..20 {
        let mut random = Rng::with_seed(seed);
        let mut options = Options::new(if seed % 3 == 2 { Task::Megablast } else { Task::Blastn });
        options.word = [11, 7, 28][seed as usize % 3];
        // Repeats of few bases bring words close to each other on a diagonal.
        let bases = 2 + (seed / 2 % 3) as u8;
        let letters: Vec<u8> = (0..300).map(|_| random.u8(..bases)).collect();
        let mut subject: Vec<u8> = (0..2000).map(|_| random.u8(..bases)).collect();
        for _ in 0..20 {
            let (part, from) = (random.usize(20..90), random.usize(..200));
            let to = random.usize(..1900);
            subject[to..to + part].copy_from_slice(&letters[from..from + part]);
            for _ in 0..part / 12 {
                subject[to + random.usize(..part)] = random.u8(..4);
            }
        }
        let record = Record { letters, lower: Vec::new(), ..Record::default() };
        options.dust = None;
        let batch = Batch::new(&[record], &options, Extent { letters: 100_000, sequences: 1 });
        let lookup = Lookup::new(&batch, options.word);
        let packed: Vec<u8> = subject
            .chunks(4)
            .map(|four| {
                let places = four.iter().enumerate();
                places.fold(0, |byte, (place, base)| byte | base << (6 - 2 * place))
            })
            .chain([0; 4])
            .collect();
        let context = Context {
            batch: Arc::new(batch),
            lookup: Arc::new(lookup),
            word: options.word,
            fours: Fours::new(&options),
            chunks: vec![Bases { packed, bases: subject }],
        };
        let mut expected = one_after_the_other(&context, &context.chunks[0]);
        expected.sort_unstable_by_key(key);
        for build in [Build::Split, Build::Merged] {
            let (app, sinks) = topology(&context, build);
            let executor = CpuExecutor::new(&app, &Settings::default()).expect("an executor");
            let inputs = slices(&context.lookup, [2000].into_iter());
            let mut outputs = executor.run(&inputs).expect("runs");
            let (mut extended, mut spent) = (Vec::new(), Vec::new());
            for sink in sinks.extended {
                extended.extend(outputs.take(sink));
            }
            for sink in sinks.spent {
                spent.extend(outputs.take(sink));
            }
            untried += spent.iter().filter(|spent| spent.tried == 0).count();
            let bases = |chunk: u32| context.chunks[chunk as usize].clone();
            let mut found = diagonals::admitted(&context, &extended, &spent, 1, bases).remove(0);
            found.sort_unstable_by_key(key);
            assert_eq!(found, expected, "seed {seed}, {build:?}");
        }
        all += expected.len();
    }
    assert!(all > 100 && untried > 100, "{all} alignments, {untried} words not tried");
}
