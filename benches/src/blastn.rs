//! The pipeline of blastn on a GPU, as Cole 2017, 3.4.2 and fig. 3.15, measures it: one query against a database,
//! split and merged builds, occupancy and cycles of each stage; or any queries, searched together.

use std::sync::Arc;

use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::Settings;
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::parts::{DatabasePart, DatabaseParts};
use blastn_pipeline::gpu::pipeline::PipelineBuild;
use blastn_pipeline::gpu::pipeline::diagonals::QueryPiece;
use blastn_pipeline::gpu::pipeline::gpu_pipeline::{
    GpuPipeline, PieceTables, PipelineRun, settings,
};
use blastn_pipeline::gpu::pipeline::stages::PipelineInputs;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::seed::lookup::Lookup;
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use blastn_pipeline::ungapped::extension::ByteScoreTable;
use fastrand::Rng;
use serde::Serialize;

use crate::error::BenchError;
use crate::other_settings::around;
use crate::stage_use::{StageUse, shares};

/// How to run the pipeline, and how often.
#[derive(Debug, Clone, Copy)]
pub struct BlastnOptions {
    /// Threads of a block.
    pub width: u32,
    /// Timed runs; the median counts.
    pub runs: usize,
    /// Whether to measure other settings of the runtime than the program's, too.
    pub other_settings: bool,
}

/// The speed of one build of the pipeline, with one query or with several that are searched together.
#[derive(Debug, Clone, Serialize)]
pub struct BlastnTiming {
    /// `split` (stages with queues between) or `merged` (one stage).
    pub build: &'static str,
    /// `program` for the settings of the program, or what is different.
    pub settings: &'static str,
    /// Bases of all queries together.
    pub query: usize,
    /// Seed words that were extended.
    pub words: usize,
    /// Ungapped alignments that were found.
    pub hits: usize,
    /// Median seconds of the kernels.
    pub kernel_seconds: f64,
    /// Bases of the database by that time, in 10^9 a second.
    pub gbases: f64,
    /// Blocks of a launch.
    pub blocks: u32,
    /// Launches of the application.
    pub launches: u32,
    /// Shares of a block's time, 0 to 1: gathering, running, scattering, scheduling.
    pub shares: [f64; 4],
    /// The use of each stage.
    pub stages: Vec<StageUse>,
}

/// Bases of the queries that are made if the caller gives none.
const LENGTHS: [usize; 5] = [2_000, 4_000, 6_000, 8_000, 10_000];

/// A query of `length` bases: a piece of the longest subject, with one base in twenty drawn anew.
fn query(database: &Database, length: usize) -> FastaRecord {
    let mut random = Rng::with_seed(length as u64);
    let subject = (0..database.len()).map(|number| database.subject(number));
    let Some(longest) = subject.max_by_key(|subject| subject.length) else {
        return FastaRecord::default();
    };
    let length = length.min(longest.length);
    // Avoids stretches of N, as far as 100 draws find another place.
    for _ in 0..100 {
        let start = random.usize(..=longest.length - length);
        let mut letters = longest.letters(start..start + length);
        if letters.iter().all(|&letter| letter < 4) {
            for letter in &mut letters {
                if random.u8(..20) == 0 {
                    *letter = random.u8(..4);
                }
            }
            return FastaRecord { title: "query".to_owned(), letters, lower_case: Vec::new() };
        }
    }
    FastaRecord { letters: longest.letters(0..length), ..FastaRecord::default() }
}

/// A build of the pipeline with the whole database on the GPU.
struct LoadedPipeline {
    pipeline: GpuPipeline,
    part: DatabasePart,
    bases: DeviceBuffer<u64>,
}

impl LoadedPipeline {
    fn new(
        gpu: &Gpu,
        database: &Database,
        build: PipelineBuild,
        settings: Settings,
    ) -> Result<Self, BenchError> {
        let pipeline = GpuPipeline::new(gpu.clone(), build, settings)?;
        let part = DatabaseParts::new(database, u64::MAX).into_first();
        let bases = pipeline.upload(part.packed(database))?;
        Ok(Self { pipeline, part, bases })
    }

    fn run(&self, tables: &PieceTables) -> Result<PipelineRun, BenchError> {
        Ok(self.pipeline.run(&self.bases, &self.part.chunks, tables, QueryPiece::ALL)?)
    }
}

/// Measures both builds with `queries`, which are searched together; if there are none, with a piece of the
/// database of each length. `progress` is told what comes next.
///
/// # Errors
/// If the GPU fails, or the builds find different alignments.
pub fn blastn(
    gpu: &Gpu,
    database: &Database,
    queries: Vec<FastaRecord>,
    options: BlastnOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<BlastnTiming>, BenchError> {
    let sets: Vec<Vec<FastaRecord>> = if queries.is_empty() {
        LENGTHS.map(|length| vec![query(database, length)]).into()
    } else {
        vec![queries]
    };
    let mut timings: Vec<BlastnTiming> = Vec::new();
    for (build, name) in [(PipelineBuild::Split, "split"), (PipelineBuild::Merged, "merged")] {
        progress(name);
        for (settings_name, settings) in around(&settings(options.width), options.other_settings) {
            let loaded = |metrics| {
                let settings = Settings { metrics, ..settings.clone() };
                LoadedPipeline::new(gpu, database, build, settings)
            };
            let (timed, measured) = (loaded(false)?, loaded(true)?);
            for queries in &sets {
                let names = (name, settings_name);
                let timing = measure(names, (&timed, &measured), database, queries, options.runs)?;
                if let Some(other) = timings.iter().find(|other| other.query == timing.query)
                    && (other.words, other.hits) != (timing.words, timing.hits)
                {
                    return Err(BenchError::OtherHits {
                        variant: name.to_owned(),
                        found: timing.hits,
                        expected: other.hits,
                    });
                }
                timings.push(timing);
            }
        }
    }
    Ok(timings)
}

/// One build with some queries: its time, and in another run where the time goes.
fn measure(
    (build, settings): (&'static str, &'static str),
    (timed, measured): (&LoadedPipeline, &LoadedPipeline),
    database: &Database,
    queries: &[FastaRecord],
    runs: usize,
) -> Result<BlastnTiming, BenchError> {
    let search = SearchOptions::new(BlastTask::Blastn);
    let extent = DatabaseSize { letters: database.letters(), sequences: database.len() };
    let batch = Arc::new(QueryBatch::new(queries, &search, extent));
    let lookup = Arc::new(Lookup::new(&batch, search.word_size));
    let (word_size, byte_scores, chunks) =
        (search.word_size, ByteScoreTable::new(&search), Vec::new());
    let inputs = PipelineInputs { batch, lookup, word_size, byte_scores, chunks };
    let tables = timed.pipeline.piece_tables(inputs)?;
    // The first run of each does not know yet how many words it finds, and may stop for room.
    measured.run(&tables)?;
    let metrics = measured.run(&tables)?.metrics;
    let first = timed.run(&tables)?;
    let times: Result<Vec<f64>, BenchError> =
        (0..runs).map(|_| Ok(timed.run(&tables)?.device_seconds)).collect();
    let mut times = times?;
    times.sort_by(f64::total_cmp);
    let kernel_seconds = times[times.len() / 2];
    Ok(BlastnTiming {
        build,
        settings,
        query: queries.iter().map(|query| query.letters.len()).sum(),
        words: first.words,
        hits: first.admitted.hits.count,
        kernel_seconds,
        gbases: database.letters() as f64 / kernel_seconds / 1e9,
        blocks: metrics.blocks,
        launches: metrics.launches,
        shares: metrics.shares(),
        stages: StageUse::all(&metrics),
    })
}

/// A table of them.
pub fn blastn_table(timings: &[BlastnTiming]) -> String {
    let line = |cells: [String; 9]| {
        let [build, settings, query, words, hits, ms, gbases, shares, stages] = cells;
        format!(
            "{build:<7} {settings:<13} {query:>6} {words:>8} {hits:>7} {ms:>9} {gbases:>9}  {shares:<24} {stages}\n"
        )
    };
    let heading = [
        "build",
        "settings",
        "query",
        "words",
        "hits",
        "ms",
        "Gbases/s",
        "gather/run/scatter/plan",
        "occupancy",
    ];
    let row = |timing: &BlastnTiming| {
        line([
            timing.build.to_owned(),
            timing.settings.to_owned(),
            timing.query.to_string(),
            timing.words.to_string(),
            timing.hits.to_string(),
            format!("{:.3}", timing.kernel_seconds * 1e3),
            format!("{:.1}", timing.gbases),
            shares(timing.shares),
            StageUse::line(&timing.stages),
        ])
    };
    line(heading.map(str::to_owned)) + &timings.iter().map(row).collect::<String>()
}
