//! Kernels run by the SIMT shim compute the upper bounds that plain code does, and choose hits by them.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use aligner_core::stream::{Backend, DeviceItems};
use blastn_pipeline::gpu::pairs::upper_bounds::{BoundCosts, UNBOUNDED, UpperBounds, words};
use blastn_pipeline::gpu::parts::{DatabasePart, DatabaseParts};
use blastn_pipeline::gpu::pipeline::tables::{DatabaseChunk, first_bases, packed_words};
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use blastn_pipeline::ungapped::hits::ChunkHit;
use blastn_pipeline::ungapped::hits::UngappedHit;
use fastrand::Rng;

use crate::blast_common::{backend, database, pairs, record};

/// Random letters, few of which are ambiguous.
fn letters(random: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| if random.u8(..100) == 0 { 14 } else { random.u8(..4) }).collect()
}

/// The upper bounds of each query with all chunks by plain code; long chunks have none.
fn expected(
    batch: &QueryBatch,
    options: &SearchOptions,
    part: &DatabasePart,
    packed: &[u8],
    queries: usize,
) -> Vec<Vec<u32>> {
    let costs = BoundCosts::new(options);
    let of_chunk = |query: usize, chunk: &DatabaseChunk| {
        if chunk.length > 1 << 14 {
            return UNBOUNDED;
        }
        let base = |place: u64| packed[place as usize / 4] >> (6 - 2 * (place % 4)) & 3;
        let bases: Vec<u8> =
            (chunk.first..chunk.first + u64::from(chunk.length)).map(base).collect();
        let own = batch.contexts().iter().filter(|context| context.query == query);
        let strands = own.map(|one| &batch.letters()[one.first..one.first + one.length]);
        strands.map(|strand| costs.bound(&words(strand), &bases)).max().unwrap_or(0)
    };
    let of_query = |query| part.chunks.iter().map(|chunk| of_chunk(query, chunk)).collect();
    (0..queries).map(of_query).collect()
}

#[test]
fn bounds_are_those_of_plain_code_and_decide_about_hits() {
    for seed in 0..6 {
        let mut random = Rng::with_seed(seed);
        let mut queries = vec![Vec::new(), vec![1], vec![2; 7]];
        queries.extend([80, 300, 700].map(|length| letters(&mut random, length)));
        // More strands than a warp has lanes.
        queries.extend((0..seed % 2 * 20).map(|_| letters(&mut random, 30)));
        let mut subjects = vec![Vec::new(), vec![3], vec![2; 6], vec![2; 7]];
        for query in &queries {
            let share = random.f64() * 0.5;
            let of_letter =
                |letter: &u8| if random.f64() < share { random.u8(..4) } else { *letter };
            subjects.push(query.iter().map(of_letter).collect());
        }
        subjects.extend([900, 1 << 14, (1 << 14) + 1].map(|length| letters(&mut random, length)));
        let database = database(subjects.clone());
        let task = if seed < 3 { BlastTask::Blastn } else { BlastTask::Megablast };
        let options = SearchOptions::new(task);
        let extent = DatabaseSize { letters: database.letters(), sequences: database.len() };
        let records: Vec<FastaRecord> = queries.iter().cloned().map(record).collect();
        let batch = QueryBatch::new(&records, &options, extent);
        let part = DatabaseParts::new(&database, u64::MAX).into_first();
        let packed = part.packed(&database);
        let on_device = packed_words(packed);
        let bases = first_bases(on_device.as_ptr().expose_provenance() as u64);
        let pairs = pairs([64, 128]);
        let is_bounded: Vec<bool> = subjects.iter().map(|one| one.len() <= 1 << 14).collect();
        let bounds = UpperBounds::new(&pairs, (&batch, &options), bases, &part.chunks, &is_bounded);
        let bounds = bounds.expect("it runs");
        let of_queries = bounds.of_queries().expect("it is read");
        let expected_bounds = expected(&batch, &options, &part, packed, queries.len());
        assert_eq!(of_queries, expected_bounds, "seed {seed}");
        for most in [1, 3, subjects.len()] {
            // Of bounds below 4,096 each has a height of its own.
            let floor = |of_query: &Vec<u32>| {
                let mut own = of_query.clone();
                own.retain(|&bound| bound != UNBOUNDED);
                own.sort_unstable_by_key(|&bound| std::cmp::Reverse(bound));
                own.get(most - 1).copied().unwrap_or(0)
            };
            let floors: Vec<u32> = of_queries.iter().map(floor).collect();
            assert_eq!(bounds.floors(most).expect("it runs"), floors, "seed {seed}");
        }

        let memory = backend("blastn-pipeline", "bounds");
        let count = [0, 1, 700][seed as usize % 3];
        let hits: Vec<ChunkHit> = (0..count)
            .map(|score| {
                let context = &batch.contexts()[random.usize(..batch.contexts().len())];
                // The last letter is the sentinel behind.
                let seed_query = (context.first + random.usize(..=context.length)) as u32;
                let chunk = random.u32(..subjects.len() as u32);
                let (query, subject, seed_subject) = (seed_query, 0, 0);
                let hit =
                    UngappedHit { query, subject, length: 1, score, seed_query, seed_subject };
                ChunkHit { chunk, hit }
            })
            .collect();
        let query_of = |hit: &ChunkHit| {
            let place = hit.hit.seed_query as usize;
            batch.contexts().iter().rfind(|context| context.first <= place).expect("one").query
        };
        let items = memory.upload(bytemuck::cast_slice(&hits)).expect("memory");
        let found = DeviceItems { items, count: hits.len() };
        let floors: Vec<u32> =
            queries.iter().map(|query| random.u32(..=2 * query.len() as u32)).collect();
        for unbounded in [false, true] {
            let chosen = bounds.choose(&found, &floors, unbounded).expect("it runs");
            let bytes = memory.read(&chosen.items, chosen.count * size_of::<ChunkHit>());
            let bytes = bytes.expect("it is read");
            let mut chosen: Vec<ChunkHit> = bytemuck::pod_collect_to_vec(&bytes);
            chosen.sort_by_key(|hit| hit.hit.score);
            let is_chosen = |hit: &&ChunkHit| match of_queries[query_of(hit)][hit.chunk as usize] {
                UNBOUNDED => unbounded,
                bound => bound >= floors[query_of(hit)],
            };
            let expected: Vec<ChunkHit> = hits.iter().filter(is_chosen).copied().collect();
            assert_eq!(chosen, expected, "seed {seed}");
        }
    }
}
