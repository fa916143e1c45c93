//! A search by kernels that the SIMT shim runs finds what the CPU's search finds, with the database in any number of parts and
//! the queries' words in any number of pieces.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::sync::LazyLock;
use std::time::Duration;

use aligner_core::gpu::{DeviceAddress, DeviceStruct};
use aligner_core::stream::{CudaExecutor, Settings};
use aligner_core::{Device, DeviceError};
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, GreedyParameters, GreedyScores, GreedyTraceParameters,
    SideReach, TracedSides, greedy_source_words, score_matrix, source_words,
};
use blastn_pipeline::gpu::gapped::text::{first_letters, text};
use blastn_pipeline::gpu::pairs::PairKernels;
use blastn_pipeline::gpu::parts::DatabaseParts;
use blastn_pipeline::gpu::pipeline::diagonals::{AdmittedHits, DiagonalRule, QueryPiece};
use blastn_pipeline::gpu::pipeline::stages::PipelineInputs;
use blastn_pipeline::gpu::pipeline::tables::{
    DatabaseChunk, PipelineArrays, first_bases, packed_words,
};
use blastn_pipeline::gpu::pipeline::{PipelineBuild, slices, topology};
use blastn_pipeline::gpu::worker::Worker;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::scoring::{ScoreMatrix, Scoring};
use blastn_pipeline::search::{Limits, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;
use gpualign_tests::ShimBackend;
use simt::{Argument, Launch, Module};

use crate::blast_common::{backend, database, pairs, record, sorter};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("blastn-pipeline", "gapped").expect("it was built"));

/// Slots of rings and fronts; so few that some sides are left to the host.
const WIDTH: u32 = 128;

fn address<T>(array: &[T]) -> u64 {
    array.as_ptr().expose_provenance() as u64
}

fn output<T>(array: &mut [T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_mut_ptr().expose_provenance() as u64)
}

/// Launches a kernel of extensions, two warps of it.
fn launch<P: DeviceStruct>(name: &str, slot_bytes: u32, parameters: P) {
    let kernel = KERNELS.kernel(name).expect("it is exported");
    let launch = Launch::new(2, 32).shared(u64::from(WIDTH * slot_bytes));
    // SAFETY: the parameters have the addresses of arrays as long as the kernels' contracts ask for.
    unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
}

/// A worker that runs the kernels by the SIMT shim.
#[derive(Debug)]
struct Shim {
    pairs: PairKernels<ShimBackend>,
}

impl Shim {
    fn new() -> Self {
        Self { pairs: pairs([64, WIDTH]) }
    }
}

struct Queries {
    letters: Vec<u32>,
    matrix: Vec<i32>,
    /// Cost of a gap of one column.
    gap_first: i32,
    /// Cost of each further column of a gap.
    gap_more: i32,
}

/// Output arrays of kernels with columns.
struct Room {
    reached: Vec<SideReach>,
    cursors: Vec<u32>,
    sources: Vec<u32>,
    runs: Vec<u32>,
}

impl Room {
    fn new(sides: &[ExtensionSide], sources: u64) -> Self {
        let poison = SideReach { score: 77, rows: 7, columns: 7, first_run: 5, runs: 0xDEAD_BEEF };
        Self {
            reached: vec![poison; sides.len()],
            cursors: vec![0; 2],
            sources: vec![0xDEAD_BEEF; (2 * 32 * sources) as usize],
            runs: vec![0xDEAD_BEEF; 200 * sides.len()],
        }
    }

    fn answers(self) -> TracedSides {
        TracedSides { reaches: self.reached, runs: self.runs }
    }
}

/// Extends sides with affine gap costs and their columns.
fn affine(
    queries: &Queries,
    [rows, columns]: [DeviceAddress<u32>; 2],
    sides: &[ExtensionSide],
    source_words: u64,
) -> TracedSides {
    let mut room = Room::new(sides, source_words);
    let parameters = AffineParameters {
        sides: DeviceAddress::new(address(sides)),
        rows,
        columns,
        matrix: DeviceAddress::new(address(&queries.matrix)),
        reaches: output(&mut room.reached),
        cursors: output(&mut room.cursors),
        sources: output(&mut room.sources),
        runs: output(&mut room.runs),
        source_words,
        side_count: sides.len() as u32,
        ring_slots: WIDTH,
        run_capacity: room.runs.len() as u32,
        gap_first: queries.gap_first,
        gap_more: queries.gap_more,
        padding: 0,
    };
    launch("affine_traces", 128, parameters);
    room.answers()
}

impl Worker for Shim {
    type Bases = Vec<u64>;
    type Letters = Vec<u32>;
    type Queries = Queries;
    type Backend = ShimBackend;

    fn bases(&self, packed: &[u8]) -> Result<Vec<u64>, DeviceError> {
        Ok(packed_words(packed))
    }

    fn letters(&self, text: &[u32]) -> Result<Vec<u32>, DeviceError> {
        Ok(text.to_vec())
    }

    fn queries(&self, batch: &QueryBatch, scoring: &Scoring) -> Result<Queries, DeviceError> {
        Ok(Queries {
            letters: text(batch.letters()),
            matrix: score_matrix(&ScoreMatrix::new(scoring)),
            gap_first: scoring.gap_open + scoring.gap_extend,
            gap_more: scoring.gap_extend,
        })
    }

    fn ungapped(
        &self,
        bases: &Vec<u64>,
        chunks: &[DatabaseChunk],
        context: &PipelineInputs,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<ShimBackend>, DeviceError> {
        let arrays = PipelineArrays::new(context, chunks);
        let addresses = arrays.bytes().map(|array| address(array));
        let on_device = arrays.tables(address(bases), &addresses);
        let (app, sinks) = topology(context, PipelineBuild::Split);
        let settings = Settings { width: 64, blocks: 2, ..Settings::default() };
        let kernels = backend("blastn-pipeline", "pipeline");
        let shim = CudaExecutor::with_backend(kernels, &app, &settings, "pipeline", &on_device)
            .expect("an executor");
        let slices = slices(&context.lookup, chunks.iter().map(|chunk| chunk.length));
        let mut outputs = shim.run_in_place(&slices).expect("runs");
        let words = (outputs.take(sinks.extended)?, outputs.take(sinks.unaligned)?);
        let sorter = sorter();
        let rule = DiagonalRule::with_backend(backend("blastn-pipeline", "diagonals"), sorter);
        rule.admitted(&on_device, chunks, words, piece)
    }

    fn pairs(&self) -> &PairKernels<ShimBackend> {
        &self.pairs
    }

    fn address(&self, bases: &Vec<u64>) -> DeviceAddress<u32> {
        first_bases(address(bases))
    }

    fn traces(
        &self,
        queries: &Queries,
        letters: &Vec<u32>,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let texts = [&queries.letters, letters].map(|text| first_letters(address(text)));
        let rows = sides.iter().map(|side| side.rows).max().unwrap_or(0);
        Ok(affine(queries, texts, sides, source_words(rows, WIDTH)))
    }

    fn greedy_traces(
        &self,
        queries: &Queries,
        letters: &Vec<u32>,
        scores: GreedyScores,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let room = greedy_source_words(300, WIDTH);
        let mut made = Room::new(sides, room);
        let greedy = GreedyParameters {
            sides: DeviceAddress::new(address(sides)),
            subject: first_letters(address(letters)),
            query: first_letters(address(&queries.letters)),
            reaches: DeviceAddress::NULL,
            cursor: DeviceAddress::NULL,
            side_count: sides.len() as u32,
            front_slots: WIDTH,
            scores,
            padding: 0,
        };
        let parameters = GreedyTraceParameters {
            greedy,
            reaches: output(&mut made.reached),
            cursors: output(&mut made.cursors),
            sources: output(&mut made.sources),
            runs: output(&mut made.runs),
            source_words: room,
            run_capacity: made.runs.len() as u32,
            padding: 0,
        };
        launch("greedy_traces", 384, parameters);
        Ok(made.answers())
    }
}

fn random_letters(random: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.u8(..4)).collect()
}

/// A copy with differences and ambiguous letters, perhaps of the other strand.
fn copy(random: &mut Rng, letters: &[u8]) -> Vec<u8> {
    let mut copy = Vec::new();
    for &letter in letters {
        match random.u8(..80) {
            0 => {}
            1 => copy.extend([random.u8(..4), letter]),
            2 | 3 => copy.push(random.u8(..4)),
            4 if random.u8(..6) == 0 => copy.push(14),
            _ => copy.push(letter),
        }
    }
    if random.bool() {
        copy.reverse();
        for letter in &mut copy {
            *letter = if *letter < 4 { 3 - *letter } else { *letter };
        }
    }
    copy
}

fn records(queries: Vec<Vec<u8>>) -> Vec<FastaRecord> {
    queries.into_iter().map(record).collect()
}

fn within(memory: u64, piece_letters: usize) -> Limits {
    Limits { memory, piece_letters, hits: u64::MAX }
}

/// Number of parts with so many bytes of memory: a quarter for each of four copies, four bases a byte.
fn parts(database: &Database, memory: u64) -> usize {
    DatabaseParts::new(database, memory / 4 * 4).all().len()
}

/// Checks that the device finds what the CPU does, within each of some limits; gives the number of alignments.
fn check(
    case: &str,
    database: &Database,
    options: &SearchOptions,
    queries: &[FastaRecord],
    limits: &[Limits],
) -> usize {
    let cpu = Searcher::new(database, options.clone(), Device::Cpu, None).expect("a searcher");
    let cpu = cpu.search(queries);
    for &limits in limits {
        let workers = (Shim::new(), vec![Shim::new()]);
        let searcher =
            Searcher::with_workers(database, options.clone(), workers, limits).expect("a searcher");
        // The next batch is seeded, with another part than the one in memory, before this one is prefiltered, and so on.
        let seeded = [searcher.seed(queries), searcher.seed(queries)];
        let prefiltered = seeded.map(|seeded| searcher.prefilter(seeded));
        let scored = prefiltered.map(|prefiltered| searcher.extend_gapped(prefiltered));
        for (round, scored) in scored.into_iter().enumerate() {
            let found = searcher.finish(queries, scored);
            assert_eq!(searcher.failure(), None, "{case}, {limits:?}: the device did the work");
            assert_eq!(found.ungapped_counts, cpu.ungapped_counts, "{case}, {limits:?}, {round}");
            let texts = [&found, &cpu].map(|found| format!("{:?}", found.hits));
            assert!(texts[0] == texts[1], "{case}, {limits:?}, {round}: other alignments");
        }
    }
    cpu.hits.iter().flatten().map(|hit| hit.hsps.len()).sum()
}

#[test]
fn any_parts_and_pieces_have_the_same_alignments() {
    let mut alignments = 0;
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let queries: Vec<Vec<u8>> = (0..5)
            .map(|_| {
                let length = random.usize(40..500);
                random_letters(&mut random, length)
            })
            .collect();
        let mut subjects = vec![Vec::new(), vec![2]];
        for _ in 0..14 {
            let length = random.usize(20..300);
            let mut subject = random_letters(&mut random, length);
            for _ in 0..random.usize(..3) {
                let query = &queries[random.usize(..5)];
                let from = random.usize(..query.len() - 30);
                subject.extend(copy(&mut random, &query[from..]));
            }
            subjects.push(subject);
        }
        random.shuffle(&mut subjects);
        let database = database(subjects);
        let mut options = SearchOptions::new(BlastTask::Blastn);
        if seed % 2 == 1 {
            options = SearchOptions { word_size: 16, ..SearchOptions::new(BlastTask::Megablast) };
        }
        options.e_value = 100.0;
        // More subjects are found than are kept.
        options.max_targets = if seed > 1 { 3 } else { 500 };
        options.culling_limit = (seed == 3).then_some(2);
        let most = database.letters() * 3;
        let with_parts = |count: usize| {
            (1..most).rev().step_by(7).find(|&memory| parts(&database, memory) == count)
        };
        let mut limits = Vec::new();
        let all = [(1, 97), (2, usize::MAX), (7, 411)];
        for (count, piece_letters) in
            (0..).zip(all).filter(|(n, _)| n % 3 != seed % 3).map(|(_, one)| one)
        {
            let memory = with_parts(count).expect("so many parts");
            limits.push(within(memory, piece_letters));
        }
        let queries = records(queries);
        alignments += check(&format!("seed {seed}"), &database, &options, &queries, &limits);
    }
    assert!(alignments > 50, "{alignments} alignments");
}

/// A family of subjects, most of which are too far from the queries for their lists.
#[test]
fn of_many_alike_the_best_are_found() {
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let ancestor = random_letters(&mut random, 150);
        let mut relative = |rounds: usize| {
            (0..rounds).fold(ancestor.clone(), |letters, _| copy(&mut random, &letters))
        };
        let queries: Vec<Vec<u8>> = (0..3).map(|_| relative(1)).collect();
        let mut subjects: Vec<Vec<u8>> = (0..170).map(|number| relative(number % 12)).collect();
        // One that is too long for a bound.
        let far = relative(2);
        subjects.push([random_letters(&mut random, 17_000), far].concat());
        random.shuffle(&mut subjects);
        let database = database(subjects);
        let task = if seed % 2 == 0 { BlastTask::Blastn } else { BlastTask::Megablast };
        let options = SearchOptions { word_size: 11, max_targets: 3, ..SearchOptions::new(task) };
        let memory = database.letters() * 3;
        let limits = [memory, memory / 5].map(|memory| within(memory, usize::MAX));
        let queries = records(queries);
        let found = check(&format!("seed {seed}"), &database, &options, &queries, &limits);
        assert!(found >= 9, "{found} alignments");
    }
}

#[test]
fn nothing_and_one_alignment_are_found() {
    let mut random = Rng::with_seed(3);
    let query = random_letters(&mut random, 60);
    let other = random_letters(&mut random, 400);
    let limits = [within(u64::MAX / 4, usize::MAX)];
    for (task, of) in [(BlastTask::Blastn, 30), (BlastTask::Megablast, 40), (BlastTask::Blastn, 0)]
    {
        let subject = [&other[..200], &query[..of], &other[200..]].concat();
        let database = database(vec![subject]);
        let options = SearchOptions { dust: None, e_value: 1e-3, ..SearchOptions::new(task) };
        let queries = records(vec![query.clone(), Vec::new()]);
        let found = check(&format!("{task:?}, {of} bases"), &database, &options, &queries, &limits);
        assert_eq!(found, usize::from(of > 0), "{task:?}, {of} bases");
    }
}

/// Alignments across the seams of a long subject and a long query.
#[test]
fn a_subject_may_be_longer_than_a_part() {
    let mut random = Rng::with_seed(9);
    let query = random_letters(&mut random, 3_000);
    let mut subject = random_letters(&mut random, 5_400_000);
    for (from, to) in [(0, 4_998_500), (500, 2_000_000), (100, 4_999_850), (900, 5_300_000)] {
        let piece = query[from..from + 2_000].to_vec();
        subject[to..to + piece.len()].copy_from_slice(&piece);
    }
    let end = copy(&mut random, &query[..700]);
    let database = database(vec![query[..900].to_vec(), subject, end]);
    let options = SearchOptions::new(BlastTask::Megablast);
    let limits = [(4_000_000, 1_024), (1, usize::MAX)];
    let limits = limits.map(|(memory, piece_letters)| within(memory, piece_letters));
    assert!(limits.map(|limits| parts(&database, limits.memory)) > [1, 2]);
    let found = check("long", &database, &options, &records(vec![query]), &limits);
    assert!(found >= 5, "{found} alignments");
}

#[test]
fn hits_of_many_queries_are_counted() {
    let mut random = Rng::with_seed(13);
    let subjects: Vec<Vec<u8>> = (0..3).map(|_| random_letters(&mut random, 300)).collect();
    // More than a block counts by itself, and some without any hits.
    let queries: Vec<Vec<u8>> = (0..1_200)
        .map(|number| {
            if number % 5 == 0 {
                return random_letters(&mut random, 20);
            }
            let from = random.usize(..270);
            subjects[random.usize(..3)][from..from + 30].to_vec()
        })
        .collect();
    let (database, queries) = (database(subjects), records(queries));
    let options =
        SearchOptions { dust: None, e_value: 1e-3, ..SearchOptions::new(BlastTask::Blastn) };
    let cpu = Searcher::new(&database, options.clone(), Device::Cpu, None).expect("a searcher");
    let workers = (Shim::new(), vec![Shim::new()]);
    let shim = Searcher::with_workers(&database, options, workers, within(1 << 20, usize::MAX))
        .expect("a searcher");
    for count in [queries.len(), 1, 0] {
        let expected = cpu.seed(&queries[..count]).ungapped_counts;
        assert_eq!(shim.seed(&queries[..count]).ungapped_counts, expected, "{count} queries");
        assert_eq!(expected.iter().filter(|&&hits| hits > 0).count() > 900, count > 1);
    }
    assert_eq!(shim.failure(), None, "the device did the work");
}

#[test]
fn a_device_that_joins_changes_nothing() {
    let mut random = Rng::with_seed(14);
    let gene = random_letters(&mut random, 400);
    let subjects = (0..20).map(|_| copy(&mut random, &gene)).collect();
    let queries: Vec<Vec<u8>> = (0..2).map(|_| copy(&mut random, &gene[..200])).collect();
    let (database, queries) = (database(subjects), records(queries));
    let options = SearchOptions::new(BlastTask::Blastn);
    let cpu = Searcher::new(&database, options.clone(), Device::Cpu, None).expect("a searcher");
    let expected = cpu.search(&queries);
    assert!(expected.hits.iter().flatten().count() > 20);
    for microseconds in [0, 100, 2_000] {
        let searcher = Searcher::<Shim>::on_cpu(&database, options.clone()).expect("a searcher");
        let results = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(microseconds));
                let workers = (Shim::new(), vec![Shim::new()]);
                searcher.join_workers(workers, within(1 << 20, usize::MAX)).expect("joins");
            });
            [searcher.search(&queries), searcher.search(&queries)]
        });
        for found in results.into_iter().chain([searcher.search(&queries)]) {
            assert_eq!(found.ungapped_counts, expected.ungapped_counts, "{microseconds} us");
            let texts = [&found, &expected].map(|found| format!("{:?}", found.hits));
            assert!(texts[0] == texts[1], "{microseconds} us: other alignments");
        }
        assert_eq!(searcher.failure(), None, "the device did its work");
    }
}
