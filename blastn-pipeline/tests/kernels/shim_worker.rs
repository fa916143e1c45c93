//! A worker of a search whose kernels the SIMT shim runs.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceStruct};
use aligner_core::stream::{CudaExecutor, Settings};
use blastn_pipeline::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, GreedyParameters, GreedyScores, GreedyTraceParameters,
    SideReach, TracedSides, greedy_source_words, score_matrix, source_words,
};
use blastn_pipeline::gpu::gapped::text::{first_letters, text};
use blastn_pipeline::gpu::pairs::PairKernels;
use blastn_pipeline::gpu::pipeline::diagonals::{AdmittedHits, DiagonalRule, QueryPiece};
use blastn_pipeline::gpu::pipeline::stages::PipelineInputs;
use blastn_pipeline::gpu::pipeline::tables::{
    DatabaseChunk, PipelineArrays, first_bases, packed_words,
};
use blastn_pipeline::gpu::pipeline::{PipelineBuild, slices, topology};
use blastn_pipeline::gpu::worker::Worker;
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::scoring::{ScoreMatrix, Scoring};
use blastn_pipeline::search::{Limits, SearchDevice, SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use gpualign_tests::ShimBackend;
use simt::{Argument, Launch, Module};

use crate::blast_common::{backend, cpu_lookup_table, pairs, sorter};

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

/// A function that is called before each call of a worker that may fail: it may wait, or fail.
type BeforeCall = Arc<dyn Fn() -> Result<(), DeviceError> + Send + Sync>;

/// A worker that runs the kernels by the SIMT shim.
pub struct Shim {
    pairs: PairKernels<ShimBackend>,
    before_call: BeforeCall,
    /// The most bytes of bases that there is memory for.
    most_bytes: usize,
}

impl fmt::Debug for Shim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shim").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}

/// A device with two workers that seed and another one.
pub fn device(limits: Limits) -> SearchDevice<Shim> {
    watched_device("shim", limits, || Ok(()))
}

/// A device of this name that does `before_call` before each call that may fail.
pub fn watched_device(
    name: &str,
    limits: Limits,
    before_call: impl Fn() -> Result<(), DeviceError> + Send + Sync + 'static,
) -> SearchDevice<Shim> {
    let before_call: BeforeCall = Arc::new(before_call);
    let worker = || Shim {
        pairs: pairs([64, WIDTH]),
        before_call: Arc::clone(&before_call),
        most_bytes: usize::MAX,
    };
    let seeders = vec![worker(), worker()];
    SearchDevice { name: name.to_owned(), seeders, later_workers: vec![worker()], limits }
}

/// The device with memory for so many bytes of bases at a time.
pub fn with_memory(mut device: SearchDevice<Shim>, bytes: usize) -> SearchDevice<Shim> {
    for worker in device.seeders.iter_mut().chain(&mut device.later_workers) {
        worker.most_bytes = bytes;
    }
    device
}

/// A failure that a test plans.
pub fn failure() -> DeviceError {
    DeviceError::Cuda { operation: "testing".to_owned(), reason: "it is planned".to_owned() }
}

/// The step before each call of a device that fails after so many calls.
pub fn fails_after(calls: usize) -> impl Fn() -> Result<(), DeviceError> + Send + Sync {
    let before = AtomicUsize::new(0);
    move || if before.fetch_add(1, Ordering::Relaxed) < calls { Ok(()) } else { Err(failure()) }
}

/// Waits until so many devices, or batches, are in the same one of their first calls; fails if they are not within a minute.
pub fn meet(calls: &AtomicUsize, parties: usize) -> Result<(), DeviceError> {
    let all = calls.fetch_add(1, Ordering::Relaxed) / parties * parties + parties;
    let begin = Instant::now();
    while calls.load(Ordering::Relaxed) < all {
        if begin.elapsed() > Duration::from_mins(1) {
            return Err(failure());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Limits of a device that takes part however small the database is.
pub fn within(memory: u64, piece_letters: usize) -> Limits {
    Limits { memory, piece_letters, hits: u64::MAX, least_share: 1 }
}

/// Checks that a searcher finds what the CPU has found, in two batches of the same queries that are searched at the same time.
pub fn assert_finds(
    case: &str,
    expected: &SearchResults,
    searcher: &Searcher<'_, Shim>,
    queries: &[FastaRecord],
) {
    // The next batch is seeded, with another part than the one in memory, before this one is prefiltered, and so on.
    let seeded = [searcher.seed(queries), searcher.seed(queries)];
    let prefiltered = seeded.map(|seeded| searcher.prefilter(seeded));
    let scored = prefiltered.map(|prefiltered| searcher.extend_gapped(prefiltered));
    for (round, scored) in scored.into_iter().enumerate() {
        let found = searcher.finish(queries, scored);
        assert_eq!(found.ungapped_counts, expected.ungapped_counts, "{case}, {round}");
        let texts = [&found, expected].map(|found| format!("{:?}", found.hits));
        assert!(texts[0] == texts[1], "{case}, {round}: other alignments");
    }
}

pub struct Queries {
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
    type PieceTables = PipelineInputs;
    type Queries = Queries;
    type Backend = ShimBackend;

    fn bases(&self, packed: &[u8]) -> Result<Vec<u64>, DeviceError> {
        (self.before_call)()?;
        if packed.len() > self.most_bytes {
            return Err(DeviceError::OutOfMemory(None));
        }
        Ok(packed_words(packed))
    }

    fn letters(&self, text: &[u32]) -> Result<Vec<u32>, DeviceError> {
        (self.before_call)()?;
        Ok(text.to_vec())
    }

    fn queries(&self, batch: &QueryBatch, scoring: &Scoring) -> Result<Queries, DeviceError> {
        (self.before_call)()?;
        Ok(Queries {
            letters: text(batch.letters()),
            matrix: score_matrix(&ScoreMatrix::new(scoring)),
            gap_first: scoring.gap_open + scoring.gap_extend,
            gap_more: scoring.gap_extend,
        })
    }

    fn piece_tables(&self, inputs: PipelineInputs) -> Result<PipelineInputs, DeviceError> {
        (self.before_call)()?;
        Ok(inputs)
    }

    fn ungapped(
        &self,
        bases: &Vec<u64>,
        chunks: &[DatabaseChunk],
        context: &PipelineInputs,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<ShimBackend>, DeviceError> {
        (self.before_call)()?;
        let arrays = PipelineArrays::new(context);
        let addresses = arrays.bytes().map(|array| address(array));
        let of_lookup = cpu_lookup_table(&context.lookup);
        let on_device =
            arrays.tables(&addresses, &of_lookup).with_database(address(bases), address(chunks));
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
        (self.before_call)()?;
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
        (self.before_call)()?;
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
