//! The pipeline, followed by the rule of diagonals on the SIMT shim, finds what the CPU's stages find one after the other.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aligner_core::stream::{
    Backend, CpuExecutor, CudaExecutor, DeviceItems, Item, OutputScheme, Settings,
};
use blastn_pipeline::gpu::pipeline::diagonals::{AdmittedHits, DiagonalRule, QueryPiece};
use blastn_pipeline::gpu::pipeline::items::{ExtendedSeed, SeedHit, UnalignedSeed};
use blastn_pipeline::gpu::pipeline::stages::{ChunkSequence, PipelineInputs};
use blastn_pipeline::gpu::pipeline::tables::{
    DatabaseChunk, PipelineArrays, PipelineTables, packed_words,
};
use blastn_pipeline::gpu::pipeline::{PipelineBuild, slices, topology};
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::seed::lookup::Lookup;
use blastn_pipeline::seed::word_hits;
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use blastn_pipeline::ungapped::diagonals::{ChunkExtender, ExploredDiagonals};
use blastn_pipeline::ungapped::extension::{ByteScoreTable, ChunkBases};
use blastn_pipeline::ungapped::hits::ChunkHit;
use fastrand::Rng;
use gpualign_tests::ShimBackend;

use crate::blast_common::{backend, cpu_lookup_table, sorter};

/// The rule of diagonals on the SIMT shim.
struct OnShim {
    rule: DiagonalRule<ShimBackend>,
    memory: ShimBackend,
}

impl OnShim {
    fn new() -> Self {
        let rule = DiagonalRule::with_backend(backend("blastn-pipeline", "diagonals"), sorter());
        Self { rule, memory: backend("blastn-pipeline", "diagonals") }
    }

    fn upload<T: Item>(&self, items: &[T]) -> DeviceItems<ShimBackend> {
        let bytes = bytemuck::cast_slice(items);
        DeviceItems { items: self.memory.upload(bytes).expect("memory"), count: items.len() }
    }

    /// The hits that the rule admits of a piece's seeds, and the seeds that it carries over.
    fn admitted(
        &self,
        context: &PipelineTables,
        chunks: &[DatabaseChunk],
        extended: &[ExtendedSeed],
        unaligned: &[UnalignedSeed],
        piece: QueryPiece<'_>,
    ) -> (Vec<ChunkHit>, Vec<UnalignedSeed>) {
        let words = (self.upload(extended), self.upload(unaligned));
        let AdmittedHits { hits, carried } =
            self.rule.admitted(context, chunks, words, piece).expect("it runs");
        (self.rule.hits(&hits).expect("memory"), carried)
    }
}

fn sorted(mut hits: Vec<ChunkHit>) -> Vec<ChunkHit> {
    hits.sort_unstable_by_key(|&ChunkHit { chunk, hit }| {
        (chunk, hit.subject, hit.query, hit.length, hit.score, hit.seed_subject)
    });
    hits
}

/// Calls `then` with the tables of queries and chunks, while their arrays live.
fn on_device<T>(
    context: &PipelineInputs,
    chunks: &[DatabaseChunk],
    then: impl FnOnce(&PipelineTables) -> T,
) -> T {
    let packed: Vec<&[u8]> = context.chunks.iter().map(|chunk| chunk.packed.as_slice()).collect();
    let words = packed_words(&packed.concat());
    let arrays = PipelineArrays::new(context);
    let address = |start: *const u8| start.expose_provenance() as u64;
    let addresses = arrays.bytes().map(|array| address(array.as_ptr()));
    let database = (address(words.as_ptr().cast()), address(chunks.as_ptr().cast()));
    let of_lookup = cpu_lookup_table(&context.lookup);
    then(&arrays.tables(&addresses, &of_lookup).with_database(database.0, database.1))
}

/// Hits that the CPU's search finds in all chunks, sorted.
fn one_after_the_other(context: &PipelineInputs) -> Vec<ChunkHit> {
    let PipelineInputs { batch, lookup, word_size, byte_scores, .. } = context;
    let mut diagonals = ExploredDiagonals::default();
    let of_chunk = |(chunk, ChunkSequence { packed, bases }): (u32, &ChunkSequence)| {
        let (mut hits, mut words, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut extender =
            ChunkExtender::new(batch, byte_scores, ChunkBases { packed, bases }, &mut diagonals);
        let end = (bases.len() + 1).saturating_sub(lookup.width());
        lookup.find(packed, 0..end, &mut hits);
        word_hits::widen(batch, lookup, *word_size, bases, &hits, &mut words);
        extender.extend(&words, &mut found);
        found.into_iter().map(move |hit| ChunkHit { chunk, hit })
    };
    sorted((0..).zip(&context.chunks).flat_map(of_chunk).collect())
}

/// Packs bases four a byte, with 4 spare bytes behind them.
fn packed(bases: &[u8]) -> Vec<u8> {
    let four = |four: &[u8]| {
        four.iter().enumerate().fold(0, |byte, (place, base)| byte | base << (6 - 2 * place))
    };
    bases.chunks(4).map(four).chain([0; 4]).collect()
}

/// A query and two chunks in which parts of it are: repeats of few bases bring words close to each other
/// on a diagonal.
fn case(seed: u64) -> (PipelineInputs, Vec<DatabaseChunk>) {
    let mut random = Rng::with_seed(seed);
    let mut options =
        SearchOptions::new(if seed % 3 == 2 { BlastTask::Megablast } else { BlastTask::Blastn });
    options.word_size = [11, 7, 28][seed as usize % 3];
    options.dust = None;
    let bases = 2 + (seed / 2 % 3) as u8;
    let letters: Vec<u8> = (0..300).map(|_| random.u8(..bases)).collect();
    let subject = |random: &mut Rng, length: usize| {
        let mut subject: Vec<u8> = (0..length).map(|_| random.u8(..bases)).collect();
        for _ in 0..length / 100 {
            let (part, from) = (random.usize(20..90), random.usize(..200));
            let to = random.usize(..length - 90);
            subject[to..to + part].copy_from_slice(&letters[from..from + part]);
            for _ in 0..part / 12 {
                subject[to + random.usize(..part)] = random.u8(..4);
            }
        }
        ChunkSequence { packed: packed(&subject), bases: subject }
    };
    let chunks = vec![subject(&mut random, 2000), subject(&mut random, 500)];
    let record = FastaRecord { letters, ..FastaRecord::default() };
    let size = DatabaseSize { letters: 100_000, sequences: 1 };
    let batch = Arc::new(QueryBatch::new(&[record], &options, size));
    let lookup = Lookup::new(&batch, options.word_size);
    let mut first = 0;
    let device_chunk = |chunk: &ChunkSequence| {
        first += 4 * chunk.packed.len() as u64;
        let length = chunk.bases.len() as u32;
        DatabaseChunk { first: first - 4 * chunk.packed.len() as u64, length, padding: 0 }
    };
    let device_chunks = chunks.iter().map(device_chunk).collect();
    let lookup = Arc::new(lookup);
    let byte_scores = ByteScoreTable::new(&options);
    (
        PipelineInputs { batch, lookup, word_size: options.word_size, byte_scores, chunks },
        device_chunks,
    )
}

/// Seeds that the pipeline finds on the CPU.
fn words(
    context: &PipelineInputs,
    chunks: &[DatabaseChunk],
    build: PipelineBuild,
) -> (Vec<ExtendedSeed>, Vec<UnalignedSeed>) {
    let (app, sinks) = topology(context, build);
    let executor = CpuExecutor::new(&app, &Settings::default()).expect("an executor");
    let inputs = slices(&context.lookup, chunks.iter().map(|chunk| chunk.length));
    let mut outputs = executor.run(&inputs).expect("runs");
    let (mut extended, mut unaligned) = (Vec::new(), Vec::new());
    for sink in sinks.extended {
        extended.extend(outputs.take(sink));
    }
    for sink in sinks.unaligned {
        unaligned.extend(outputs.take(sink));
    }
    (extended, unaligned)
}

#[test]
fn every_build_finds_what_the_search_finds() {
    let shim = OnShim::new();
    let (mut all, mut untried) = (0, 0);
    for seed in 0..20 {
        let (context, chunks) = case(seed);
        let expected = one_after_the_other(&context);
        for build in [PipelineBuild::Split, PipelineBuild::Merged] {
            let (extended, unaligned) = words(&context, &chunks, build);
            untried += unaligned.iter().filter(|unaligned| !unaligned.tried()).count();
            let (found, passed) = on_device(&context, &chunks, |known| {
                shim.admitted(known, &chunks, &extended, &unaligned, QueryPiece::ALL)
            });
            assert_eq!(sorted(found), expected, "seed {seed}, {build:?}");
            assert_eq!(passed, [], "seed {seed}, {build:?}");
        }
        all += expected.len();
    }
    assert!(all > 100 && untried > 100, "{all} alignments, {untried} words not tried");
}

#[test]
fn pieces_of_a_query_have_the_same_alignments() {
    let shim = OnShim::new();
    let (mut carried_over, mut passed) = (0, 0);
    for (seed, most) in (0..15).zip([7, 31, 90, 200, 301].into_iter().cycle()) {
        let (mut context, chunks) = case(seed);
        let expected = one_after_the_other(&context);
        let all = Arc::clone(&context.lookup);
        let letters = context.batch.letters().len() as u32;
        let (mut hits, mut carried) = (Vec::new(), Vec::new());
        for start in (0..letters).step_by(most) {
            let end = letters.min(start + most as u32);
            context.lookup = Arc::new(Lookup::piece(&all, start..end));
            let (extended, unaligned) = words(&context, &chunks, PipelineBuild::Split);
            let (mut found, beyond) = on_device(&context, &chunks, |known| {
                let piece = QueryPiece { end, carried: &carried };
                shim.admitted(known, &chunks, &extended, &unaligned, piece)
            });
            passed += extended.len() - found.len().min(extended.len());
            carried_over += beyond.len();
            hits.append(&mut found);
            carried = beyond;
        }
        assert_eq!(carried, [], "seed {seed}: beyond the last letter");
        assert_eq!(sorted(hits), expected, "seed {seed}, {most} letters");
    }
    assert!(carried_over > 100 && passed > 50, "{carried_over} carried, {passed} passed");
}

#[test]
fn what_the_pipeline_leaves_on_the_device_is_the_same() {
    let shim = OnShim::new();
    for (seed, outputs) in (30..).zip([OutputScheme::Regions, OutputScheme::CountThenWrite]) {
        let (context, chunks) = case(seed);
        let expected = one_after_the_other(&context);
        // Few slots, so that outputs come in parts.
        let settings =
            Settings { width: 32, blocks: 2, output_slots: 20, outputs, ..Settings::default() };
        let (app, sinks) = topology(&context, PipelineBuild::Split);
        let inputs = slices(&context.lookup, chunks.iter().map(|chunk| chunk.length));
        let found = on_device(&context, &chunks, |known| {
            let kernels = backend("blastn-pipeline", "pipeline");
            let executor = CudaExecutor::with_backend(kernels, &app, &settings, "pipeline", known)
                .expect("an executor");
            let mut outputs = executor.run_in_place(&inputs).expect("runs");
            let extended = outputs.take(sinks.extended).expect("memory");
            let unaligned = outputs.take(sinks.unaligned).expect("memory");
            let words = (extended, unaligned);
            let found =
                shim.rule.admitted(known, &chunks, words, QueryPiece::ALL).expect("it runs");
            shim.rule.hits(&found.hits).expect("memory")
        });
        assert!(!expected.is_empty(), "seed {seed}: alignments");
        assert_eq!(sorted(found), expected, "seed {seed}");
    }
}

#[test]
fn each_diagonal_is_looked_at_from_its_begin() {
    let shim = OnShim::new();
    let options = SearchOptions::new(BlastTask::Blastn);
    let record = FastaRecord { letters: vec![0; 50], ..FastaRecord::default() };
    let size = DatabaseSize { letters: 1000, sequences: 1 };
    let batch = Arc::new(QueryBatch::new(&[record], &options, size));
    let (lookup, byte_scores) = (Arc::new(Lookup::new(&batch, 11)), ByteScoreTable::new(&options));
    let context = PipelineInputs { batch, lookup, word_size: 11, byte_scores, chunks: Vec::new() };
    let chunks = [DatabaseChunk { first: 0, length: 6_100, padding: 0 }; 3];
    for (seed, words) in (0..).zip([0, 1, 100, 10_000]) {
        let mut random = Rng::with_seed(seed);
        // Chunk, diagonal, and where the word is; and the length of its alignment.
        let all: BTreeMap<(u32, u32, u32), u32> = (0..words)
            .map(|_| {
                let place = 3 * random.u32(1..2_000);
                let length = if random.u8(..3) == 0 { random.u32(12..90) } else { 0 };
                ((random.u32(..3), random.u32(..40), place), length)
            })
            .collect();
        let (mut extended, mut unaligned, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let mut explored = HashMap::new();
        for (&(chunk, diagonal, subject), &length) in &all {
            let query = subject.wrapping_sub(diagonal);
            let seed = SeedHit { chunk, query, subject, probe: subject + 2 };
            let found = ExtendedSeed { seed, query, subject, length, score: 9 };
            let explored = explored.entry((chunk, diagonal)).or_insert(0);
            if seed.probe >= *explored {
                *explored =
                    if length > 0 { subject + length } else { seed.hit(context.word_size).end };
                expected.extend((length > 0).then(|| ChunkHit { chunk, hit: found.hit() }));
            }
            if length > 0 {
                extended.push(found);
            } else {
                unaligned.push(UnalignedSeed::new(seed, true));
            }
        }
        random.shuffle(&mut extended);
        random.shuffle(&mut unaligned);
        let (found, _) = on_device(&context, &chunks, |known| {
            shim.admitted(known, &chunks, &extended, &unaligned, QueryPiece::ALL)
        });
        let expected = sorted(expected);
        assert_eq!(sorted(found), expected, "seed {seed}");
        assert!(expected.len() < extended.len() || words < 1_000, "seed {seed}: some within");
    }
}
