//! `gpualign blastn` and `gpualign makedb`: nucleotide BLAST, as NCBI's program does it.
//!
//! ```text
//!   FASTA --makedb--> FASTA.gpdb --.
//!   or -subject FASTA -------------+--> Searcher
//!   -query --> batches of queries -----> Results --format--> text
//! ```
//!
//! A batch is seeded while those before it are sifted, extended and finished in lanes beside each other, and those
//! before these are formatted and written; how many queries it has follows what was found before, never threads or
//! time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use aligner_core::Device;
use anyhow::{Context, Result, ensure};
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::worker::GpuWorker;
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::search::{SearchResults, SearchTimes, Searcher, WORKERS};
use blastn_pipeline::sequence::fasta::{self, FastaRecord};

use crate::commands::blastn::args::{BlastnArguments, MakeDbArguments};
use crate::commands::blastn::report::Report;
use crate::console::{self, Console};
use crate::on_device;
use crate::options::start_threads;
use crate::staging::{Staged, Target};

/// What is added to the name of the sequences.
const EXTENSION: &str = ".gpdb";

/// Makes a database.
pub fn make_database(arguments: &MakeDbArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    let target = arguments.output.clone().unwrap_or_else(|| with_extension(&arguments.sequences));
    let staged = Staged::new(&target)?;
    start_threads(arguments.threads.count())?;
    console.start("making the database");
    let database = Database::from_fasta(&arguments.sequences, now())?;
    // Errors name the path that the user gave, not the staged one.
    database.save(&staged.path()).map_err(|error| error.with_path(&target))?;
    staged.commit()?;
    console.finish();
    console.notice(&format!(
        "{}: {} sequences, {} bases, {:.3} bytes a base, {:.1} s",
        target.display(),
        database.len(),
        database.letters(),
        database.file_length() as f64 / database.letters() as f64,
        start.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Searches.
pub fn run(arguments: &BlastnArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    start_threads(arguments.num_threads.into())?;
    let queries = read_queries(&arguments.query)?;
    let (database, name) = match (&arguments.db, &arguments.subject) {
        (_, Some(subject)) => {
            let name = format!("User specified sequence set (Input: {})", subject.display());
            (Database::from_fasta(subject, now())?, name)
        }
        (Some(path), None) => (open(path)?, path.display().to_string()),
        (None, None) => anyhow::bail!("neither -db nor -subject"),
    };
    let searcher = searcher(&database, arguments, &console)?;
    let opened = start.elapsed().as_secs_f64();
    let target = Target::new(arguments.out.as_deref())?;
    let out = BufWriter::new(File::from(target.open().with_context(|| target.name())?));
    let report = Report {
        format: &arguments.outfmt,
        searcher: &searcher,
        database: name,
        is_database: arguments.subject.is_none(),
        first: (&queries[0].title, queries[0].letters.len()),
    };
    let spent = search(&report, &queries, out).with_context(|| target.name())?;
    if let Some(reason) = searcher.failure() {
        console.notice(&format!("warning: {reason}: the rest was searched on the CPU"));
    }
    let Spent { times, writing } = spent;
    console.detail(&format!(
        "opened in {opened:.2} s; searched in {:.2} s, parts side by side: seeds on the device {:.2}, \
         sifting {:.2}, scores on the device {:.2}, \
         first alignments {:.2}, columns on the device {:.2}, last alignments {:.2}; beside that, \
         formatted and written in {writing:.2} s",
        start.elapsed().as_secs_f64() - opened,
        times.seeding,
        times.prefilter,
        times.scores,
        times.preliminary,
        times.traces,
        times.traceback,
    ));
    target.commit()
}

/// Puts the database on the device, if that is a GPU, or the first part of it.
fn searcher<'d>(
    database: &'d Database,
    arguments: &BlastnArguments,
    console: &Console,
) -> Result<Searcher<'d>> {
    let (request, memory) = (arguments.device, arguments.device_memory);
    let on = |device: Device| Searcher::new(database, arguments.options(), device, memory);
    let device = Device::open(request)?.device;
    Ok(on_device::make((device, request), console, "searching", on)?.0)
}

/// Seconds of all batches.
struct Spent {
    times: SearchTimes,
    /// For formatting and writing, which is done while the next batch is searched.
    writing: f64,
}

/// A batch that was searched.
struct Searched<'q> {
    /// Its first query, from 0.
    first: usize,
    queries: &'q [FastaRecord],
    results: SearchResults,
}

/// Searches batch by batch: one is seeded while others before it are in lanes, in turns.
fn search(
    report: &Report<'_>,
    queries: &[FastaRecord],
    mut out: impl Write + Send,
) -> std::io::Result<Spent> {
    std::thread::scope(|scope| {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..WORKERS).map(|_| sync_channel(1)).unzip();
        let writer = scope.spawn(move || {
            let mut seconds = 0.0;
            out.write_all(report.begin().as_bytes())?;
            for Searched { first, queries, results } in in_turns(&receivers) {
                let start = Instant::now();
                for text in report.queries(first, queries, &results) {
                    out.write_all(text.as_bytes())?;
                }
                seconds += start.elapsed().as_secs_f64();
            }
            out.write_all(report.end(queries.len()).as_bytes())?;
            out.flush()?;
            Ok(seconds)
        });
        let (lanes, threads): (Vec<_>, Vec<_>) = senders
            .into_iter()
            .map(|searched| {
                // No batch waits for a lane but the one that was seeded last: what is found takes memory.
                let (seeded, queue) = sync_channel(0);
                (seeded, scope.spawn(move || lane(report.searcher, queue, &searched)))
            })
            .unzip();
        for (lane, batch) in lanes.iter().cycle().zip(SeededBatches::new(report.searcher, queries))
        {
            if lane.send(batch).is_err() {
                break;
            }
        }
        drop(lanes);
        let mut times = SearchTimes::default();
        for thread in threads {
            times.add(&thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        let writing: std::io::Result<f64> =
            writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(Spent { times, writing: writing? })
    })
}

/// Takes batches through all steps after the first, until no one wants them any more, and tells how long it took.
fn lane<'q>(
    searcher: &Searcher<'_>,
    queue: Receiver<QueuedBatch<'q, GpuWorker>>,
    searched: &SyncSender<Searched<'q>>,
) -> SearchTimes {
    let mut times = SearchTimes::default();
    for QueuedBatch { first, queries, seeded } in queue {
        let results = searcher.finish(queries, searcher.extend(searcher.prefilter(seeded)));
        times.add(&results.times);
        if searched.send(Searched { first, queries, results }).is_err() {
            // The writer failed, and says why.
            break;
        }
    }
    times
}

/// What comes from each in turn, until one has no more.
fn in_turns<T>(receivers: &[Receiver<T>]) -> impl Iterator<Item = T> {
    receivers.iter().cycle().map_while(|receiver| receiver.recv().ok())
}

/// Reads a file of queries.
///
/// # Errors
/// If it cannot be read, or no query has any bases.
pub fn read_queries(path: &Path) -> Result<Vec<FastaRecord>> {
    let queries = fasta::read(path)?;
    let name = aligner_core::input_location::input_name(path);
    ensure!(
        queries.iter().any(|query| !query.letters.is_empty()),
        "{name}: no query has any bases"
    );
    for (number, query) in queries.iter().enumerate().filter(|(_, query)| query.letters.is_empty())
    {
        let title = query.name();
        console::say(&format!("warning: {name}: record {} ({title}) has no bases", number + 1));
    }
    Ok(queries)
}

/// Opens a database by its name, with or without its extension.
///
/// # Errors
/// If there is no such database, or it is damaged.
pub fn open(path: &Path) -> Result<Database> {
    let with_extension = with_extension(path);
    // Beside `x.fa`, the name `x.fa` means `x.fa.gpdb`, as with NCBI's databases.
    let path = if with_extension.exists() { &with_extension } else { path };
    Ok(Database::open(path)?)
}

fn with_extension(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(EXTENSION);
    name.into()
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
