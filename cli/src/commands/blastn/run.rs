//! The running of `gpualign blastn` and `gpualign makedb`.
//!
//! ```text
//!   FASTA --makedb--> FASTA.gpdb --.
//!   or -subject FASTA -------------+--> Searcher
//!                                          |
//!   -query --> SeededBatches --> workers: prefilter, extend_gapped, finish --> writer: Report --> text
//! ```
//!
//! Some batches are seeded while the batches before them are searched by workers, each with a thread, and batches that are
//! done are formatted and written by another thread. The steps of a batch are done by the CPU, or by all GPUs together, which share
//! the database, or where batches are many, nearly all by one of them. The size of a batch follows from the number of hits before it,
//! never from threads or time.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use aligner_core::DeviceSelection;
use aligner_core::buffer_pool::lock;
use aligner_core::input_location::InputLocation;
use aligner_core::path::{extended, is_file};
use anyhow::{Context, Result, ensure};
use blastn_pipeline::database::Database;
use blastn_pipeline::database::ncbi::{SearchPath, Taxonomy};
use blastn_pipeline::gpu::worker::GpuWorker;
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::search::{SearchResults, SearchTimes, Searcher};
use blastn_pipeline::sequence::fasta::{self, FastaRecord};

use crate::commands::blastn::args::BlastnArguments;
use crate::commands::blastn::devices::{self, JoiningGpus, Progress};
use crate::commands::blastn::makedb_args::{EXTENSION, MakeDbArguments};
use crate::commands::blastn::output_format::{OutputFormat, Sam};
use crate::commands::blastn::query_files::QueryFiles;
use crate::commands::blastn::report::{PairwiseLayout, QueryOrigin, Report};
use crate::commands::blastn::restriction::RestrictionArguments;
use crate::commands::blastn::shard::{self, ShardFile};
use crate::console::{self, Console};
use crate::on_device;
use crate::options::start_threads;
use crate::output::header;
use crate::staging::Outputs;

/// The most threads of the pool beside GPUs that were named. With more, most only look for work, which takes time from those that have
/// some: of four GPUs, 32 threads take twice the processor time of 16, and the search takes 6% longer. Where a GPU fails, the
/// CPU does the rest on as many.
const MOST_THREADS_WITH_GPUS: usize = 16;

/// Runs `gpualign makedb`: makes a database from a FASTA file.
pub fn make_database(arguments: &MakeDbArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    let path = arguments.database();
    let mut outputs = Outputs::new([arguments.sequences()]);
    let target = outputs.target(Some(&path))?;
    let log = arguments.log_file().map(|path| outputs.target(Some(path))).transpose()?;
    let name = target.name();
    start_threads(arguments.threads.count())?;
    console.start("making the database");
    let headings = arguments.headings()?;
    let title = arguments.title();
    let database = Database::from_fasta_with(arguments.sequences(), &title, now(), &headings)?;
    target.write_and_sync(|file| database.write_to(file))?;
    target.commit()?;
    console.finish();
    let size = format!(
        "{name}: {} sequences, {} bases, {:.3} bytes a base, {:.1} s",
        database.len(),
        database.letters(),
        database.file_length() as f64 / database.letters() as f64,
        start.elapsed().as_secs_f64()
    );
    match log {
        None => console.notice(&size),
        Some(log) => {
            log.write_text(&format!("{size}\n"))?;
            log.commit()?;
        }
    }
    Ok(())
}

/// Runs `gpualign blastn`: searches queries in a database, or in a file of subjects.
pub fn run(arguments: &BlastnArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    let mut threads = usize::from(arguments.num_threads);
    // By default the CPU begins alone (`devices.rs`).
    if matches!(arguments.device, DeviceSelection::Gpus(_) | DeviceSelection::AllGpus) {
        // The driver begins while queries and database are read.
        on_device::wake_driver(&arguments.device);
        threads = threads.min(MOST_THREADS_WITH_GPUS);
    }
    start_threads(threads)?;
    let inputs = [Some(&arguments.query), arguments.subject.as_ref()];
    let inputs = inputs.into_iter().flatten().cloned();
    let database = arguments.db.as_deref().map_or(Ok(Vec::new()), database_files)?;
    let inputs: Vec<PathBuf> = inputs.chain(database).collect();
    let inputs = inputs.iter().map(PathBuf::as_path);
    let mut outputs = Outputs::new(inputs);
    let target = outputs.target(arguments.out.as_deref())?;
    let mut queries = read_queries(&arguments.query)?;
    if queries.is_empty() {
        console::say(&format!(
            "warning: {}there are no queries",
            InputLocation::in_file(&arguments.query)
        ));
        drop(target.open()?);
        return target.commit();
    }
    let origins = keep_part(&mut queries, arguments)?;
    check_lengths(&queries, &origins, arguments)?;
    ensure!(
        arguments.reports_subjects(),
        "no subjects are reported, as -num_descriptions or -num_alignments says: give a greater number"
    );
    let (database, name) = subjects(arguments)?;
    let progress = Arc::new(Progress::new(&queries));
    let (searcher, joining) = searcher(&database, arguments, &progress)?;
    // The end of the program frees the memory of GPUs sooner than dropping it would.
    let searcher = ManuallyDrop::new(searcher);
    let opened = start.elapsed().as_secs_f64();
    let out = File::from(target.open().with_context(|| target.name())?);
    let taxonomy = taxonomy(&arguments.outfmt)?;
    let report = Report {
        format: &arguments.outfmt,
        searcher: &searcher,
        database: name,
        is_database: arguments.subject.is_none(),
        first_query: &queries[0],
        query_range: arguments.query_loc.clone(),
        query_origins: &origins,
        pairwise: pairwise_layout(arguments),
        taxonomy: taxonomy.as_ref(),
        command: command(),
    };
    let share = arguments.shard.share_of_queries();
    let (batches, writer) = match share {
        None => {
            let out = BufWriter::new(out);
            let text = match arguments.outfmt {
                OutputFormat::Sam(sam) => TextWriter::Sam { sam, out, sections: Vec::new() },
                OutputFormat::Files(format) => {
                    let path = arguments.out.clone().unwrap_or_default();
                    TextWriter::Files(QueryFiles::new(format, &path, outputs), out)
                }
                _ => TextWriter::Text(out),
            };
            (SeededBatches::new(&searcher, &queries), text)
        }
        Some(share) => {
            let wanted = shard::wanted(share, queries.len());
            let file = ShardFile::create(out, share, &report, &queries);
            let file = TextWriter::Shard(file.with_context(|| target.name())?);
            (SeededBatches::of_wanted(&searcher, &queries, wanted), file)
        }
    };
    // A batch without a query of the shard ends with seeding.
    let is_wanted = |batch: &QueuedBatch<'_, GpuWorker>| {
        let mut numbers = batch.first as u64..(batch.first + batch.queries.len()) as u64;
        share.is_none_or(|share| numbers.any(|query| share.has(share.unit_of(0, query))))
    };
    let spent = std::thread::scope(|scope| {
        let memory = arguments.device_memory;
        let _end = joining.map(|gpus| gpus.work(scope, &searcher, memory, &console));
        let batches = batches.seed_ahead(scope).inspect(|batch| progress.add(batch.queries));
        search((&report, &queries), batches.filter(is_wanted), writer)
    });
    let TimeSpent { times, writing } = spent.with_context(|| target.name())?;
    if let Some(reason) = searcher.failure() {
        console.notice(&format!("warning: {reason}: the rest was searched on the CPU"));
    }
    console.detail(&format!(
        "opened in {opened:.2} s; searched on {} in {:.2} s, stages overlapping: seeding on devices {:.2}, \
         prefilter {:.2}, scores on devices {:.2}, \
         preliminary alignments {:.2}, columns on devices {:.2}, final alignments {:.2}; at the same time \
         formatted and written in {writing:.2} s",
        searcher.devices().join(", "),
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

/// What is searched, a database or a file of subjects, and its name in reports.
fn subjects(arguments: &BlastnArguments) -> Result<(Database, String)> {
    Ok(match (&arguments.db, &arguments.subject) {
        (_, Some(subject)) => {
            let name = format!("User specified sequence set (Input: {})", subject.display());
            (Database::from_subjects(subject, arguments.subject_loc.as_ref())?, name)
        }
        (Some(name), None) => (open(name, &arguments.restriction)?, name.clone()),
        (None, None) => anyhow::bail!(
            "nothing to search in: give a database with -db, or a FASTA file with -subject"
        ),
    })
}

/// How much of the search a report shows.
fn pairwise_layout(arguments: &BlastnArguments) -> PairwiseLayout {
    let (descriptions, alignments) = arguments.shown_subjects();
    PairwiseLayout {
        descriptions,
        alignments,
        line_length: arguments.pairwise.line_length as usize,
        is_html: arguments.pairwise.html,
        shows_gis: arguments.pairwise.show_gis,
        subject_order: arguments.pairwise.sorthits,
        alignment_order: arguments.pairwise.sorthsps,
    }
}

/// The command line as that of NCBI's program.
fn command() -> String {
    let words = std::env::args_os().skip(1).skip_while(|word| word == "blastn");
    header::command_line(std::iter::once(OsString::from("blastn")).chain(words))
}

/// The names of taxa, if the format shows them and there are some.
fn taxonomy(format: &OutputFormat) -> Result<Option<Taxonomy>> {
    if !format.shows_taxa() {
        return Ok(None);
    }
    let taxonomy = Taxonomy::find(&SearchPath::from_environment())?;
    if taxonomy.is_none() && matches!(format, OutputFormat::Table(_) | OutputFormat::Organisms) {
        console::say(
            "warning: there are no names of taxa: put the files taxdb.btd and taxdb.bti into the folder of the database and \
             name it in BLASTDB",
        );
    }
    Ok(taxonomy)
}

/// Prepares the search on the devices that the arguments ask for. If any will do, the CPU begins, and all GPUs join if its
/// progress shows that this pays.
fn searcher<'d>(
    database: &'d Database,
    arguments: &BlastnArguments,
    progress: &Arc<Progress>,
) -> Result<(Searcher<'d>, Option<JoiningGpus>)> {
    let options = arguments.options();
    let (devices, joining) = match &arguments.device {
        DeviceSelection::Auto if options.needs_cpu().is_some() => (Vec::new(), None),
        DeviceSelection::Auto => (Vec::new(), Some(JoiningGpus::begin(database, progress))),
        named => (devices::named(named, database, arguments.device_memory)?, None),
    };
    Ok((Searcher::with_devices(database, options, devices)?, joining))
}

/// Time spent on all batches, in seconds.
struct TimeSpent {
    /// Time of each stage of the search.
    times: SearchTimes,
    /// Time for formatting and writing, during which other batches are searched.
    writing: f64,
}

/// A batch of queries with its results.
struct SearchedBatch<'q> {
    /// Number of its first query, from 0.
    first: usize,
    queries: &'q [FastaRecord],
    results: SearchResults,
}

/// The writer of a report, or of the file of a shard.
enum TextWriter {
    Text(BufWriter<File>),
    /// SAM, whose header follows from all of its sections.
    Sam {
        sam: Sam,
        out: BufWriter<File>,
        sections: Vec<Vec<String>>,
    },
    /// A file for each query, and the file that names them.
    Files(QueryFiles, BufWriter<File>),
    Shard(ShardFile),
}

impl TextWriter {
    /// Writes the text before all sections.
    fn begin(&mut self, report: &Report<'_>) -> std::io::Result<()> {
        match self {
            Self::Text(out) => out.write_all(report.begin().as_bytes()),
            // It is in the header of the file, or follows from the sections.
            Self::Shard(_) | Self::Sam { .. } | Self::Files(..) => Ok(()),
        }
    }

    /// Writes the sections of a batch.
    fn write(&mut self, report: &Report<'_>, batch: &SearchedBatch<'_>) -> std::io::Result<()> {
        let SearchedBatch { first, queries, results } = batch;
        match self {
            Self::Text(out) => {
                let sections = report.queries(*first, queries, results, |_| true);
                let mut pieces = sections.iter().flat_map(|(_, pieces)| pieces);
                pieces.try_for_each(|text| out.write_all(text.as_bytes()))
            }
            Self::Sam { sections, .. } => {
                let new = report.queries(*first, queries, results, |_| true);
                sections.extend(new.into_iter().map(|(_, pieces)| pieces));
                Ok(())
            }
            Self::Files(files, _) => {
                let sections = report.queries(*first, queries, results, |_| true);
                let mut texts = sections.into_iter().map(|(_, pieces)| pieces.concat());
                texts.try_for_each(|text| files.write(&text))
            }
            Self::Shard(file) => file.write(report, (*first, queries), results),
        }
    }

    /// Writes the text behind the sections of so many queries.
    fn end(self, report: &Report<'_>, queries: usize) -> std::io::Result<()> {
        match self {
            Self::Text(mut out) => {
                out.write_all(report.end(queries).as_bytes())?;
                out.flush()
            }
            Self::Sam { sam, mut out, sections } => {
                out.write_all(report.sam_header(sam, &sections).as_bytes())?;
                let mut records = sections.iter().flat_map(|pieces| &pieces[1..]);
                records.try_for_each(|text| out.write_all(text.as_bytes()))?;
                out.flush()
            }
            Self::Files(files, mut out) => {
                out.write_all(files.names().as_bytes())?;
                out.flush()
            }
            Self::Shard(file) => file.finish(),
        }
    }
}

/// A seeded batch, the room that it takes among those that are searched, and where its results go.
struct Job<'q> {
    batch: QueuedBatch<'q, GpuWorker>,
    room: usize,
    done: SyncSender<SearchedBatch<'q>>,
}

/// Searches batches of queries and writes the report: batches are seeded while workers search those before them.
fn search<'q>(
    (report, queries): (&Report<'_>, &[FastaRecord]),
    batches: impl Iterator<Item = QueuedBatch<'q, GpuWorker>>,
    mut writer: TextWriter,
) -> std::io::Result<TimeSpent> {
    let searcher = report.searcher;
    let (to_workers, jobs) = sync_channel(0);
    let jobs = &Mutex::new(jobs);
    // The results of each batch, in order; how many were written; and the room of batches that workers are done with.
    let (to_writer, in_order) = channel::<Receiver<SearchedBatch<'q>>>();
    let (to_written, written) = channel();
    let (to_searched, searched) = channel();
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            let mut seconds = 0.0;
            writer.begin(report)?;
            for batch in in_order.iter().map_while(|searched| searched.recv().ok()) {
                let start = Instant::now();
                writer.write(report, &batch)?;
                seconds += start.elapsed().as_secs_f64();
                // Nobody counts behind the last batch.
                let _ = to_written.send(1);
            }
            writer.end(report, queries.len())?;
            Ok(seconds)
        });
        let mut workers = Vec::new();
        let (mut in_work, mut unwritten) = (0, 0);
        for batch in batches {
            // There are more once several GPUs have joined.
            let most = searcher.later_batches();
            while workers.len() < most {
                let to_searched = to_searched.clone();
                workers.push(scope.spawn(move || search_batches(searcher, jobs, &to_searched)));
            }
            // Seeded batches take much memory, so only this one waits for a worker, besides those that are seeded ahead. As many as
            // workers have may wait to be written.
            let room = searcher.room(&batch.seeded);
            let has_room = wait_for_room(&searched, &mut in_work, most.saturating_sub(room))
                && wait_for_room(&written, &mut unwritten, 2 * most - 1);
            let (done, results) = sync_channel(1);
            // The writer ends early if it has failed, and reports the reason.
            if !has_room
                || to_writer.send(results).is_err()
                || to_workers.send(Job { batch, room, done }).is_err()
            {
                break;
            }
            in_work += room;
            unwritten += 1;
        }
        drop((to_writer, to_workers));
        let mut times = SearchTimes::default();
        for thread in workers {
            times.add(&thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        let writing: std::io::Result<f64> =
            writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(TimeSpent { times, writing: writing? })
    })
}

/// Waits until at most `most` of what was begun is not done, by the numbers that were done since; false if there will be no more.
fn wait_for_room(done: &Receiver<usize>, begun: &mut usize, most: usize) -> bool {
    *begun -= done.try_iter().sum::<usize>();
    while *begun > most {
        match done.recv() {
            Ok(count) => *begun -= count,
            Err(_) => return false,
        }
    }
    true
}

/// Takes batches through all stages after seeding, until there are no more, and returns the time of each stage. The room of each is
/// sent once it is done.
fn search_batches(
    searcher: &Searcher<'_>,
    jobs: &Mutex<Receiver<Job<'_>>>,
    to_searched: &Sender<usize>,
) -> SearchTimes {
    let mut times = SearchTimes::default();
    // The queue is locked only while a worker waits for a batch, which no other one can take meanwhile.
    let next = || lock(jobs).recv().ok();
    while let Some(Job { batch, room, done }) = next() {
        let QueuedBatch { first, queries, seeded } = batch;
        let results = searcher.finish(queries, searcher.extend_gapped(searcher.prefilter(seeded)));
        times.add(&results.times);
        // Nobody waits for it if the writer has failed, nor for room behind the last batch.
        let _ = done.send(SearchedBatch { first, queries, results });
        let _ = to_searched.send(room);
    }
    times
}

/// Reads a file of queries, which may be empty.
///
/// # Errors
/// If it cannot be read, or it has queries, but none has any bases.
pub fn read_queries(path: &Path) -> Result<Vec<FastaRecord>> {
    if std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0) {
        return Ok(Vec::new());
    }
    let mut queries = fasta::read(path)?;
    for query in &mut queries {
        query.title = fasta::shown_title(&query.title).to_owned();
    }
    let file = InputLocation::in_file(path);
    ensure!(queries.iter().any(|query| !query.letters.is_empty()), "{file}no query has any bases");
    for (number, query) in queries.iter().enumerate().filter(|(_, query)| query.letters.is_empty())
    {
        let title = query.name();
        console::say(&format!("warning: {file}record {} ({title}) has no bases", number + 1));
    }
    Ok(queries)
}

/// Leaves of the queries the part that is searched, and of all of them those that have it, and returns what they were in the file.
///
/// # Errors
/// If no query has this part.
fn keep_part(
    queries: &mut Vec<FastaRecord>,
    arguments: &BlastnArguments,
) -> Result<Vec<QueryOrigin>> {
    let of_query = |(number, query): (usize, &FastaRecord)| QueryOrigin {
        number: number + 1,
        length: query.letters.len(),
    };
    let origins = queries.iter().enumerate().map(of_query);
    let Some(range) = &arguments.query_loc else { return Ok(origins.collect()) };
    let has_part = |length: usize| range.start == 0 || length > range.start;
    let origins: Vec<QueryOrigin> = origins.filter(|origin| has_part(origin.length)).collect();
    queries.retain(|query| has_part(query.letters.len()));
    ensure!(
        !queries.is_empty(),
        "{}all queries end before position {}, where -query_loc begins: give an earlier one",
        InputLocation::in_file(&arguments.query),
        range.start + 1
    );
    *queries = queries.iter().map(|query| query.cut(range)).collect();
    Ok(origins)
}

/// Refuses queries that are so long that scores could overflow.
fn check_lengths(
    queries: &[FastaRecord],
    origins: &[QueryOrigin],
    arguments: &BlastnArguments,
) -> Result<()> {
    let scoring = arguments.options().scoring;
    let longest = scoring.max_query_length();
    let Some(number) = queries.iter().position(|query| query.letters.len() > longest) else {
        return Ok(());
    };
    let query = &queries[number];
    anyhow::bail!(
        "{}the query {} has {} bases: with -reward {}, a query has at most {longest}, so split it",
        InputLocation::in_file(&arguments.query).at_record(origins[number].number as u64, None),
        query.name(),
        query.letters.len(),
        scoring.reward
    )
}

/// Opens a database by its name: a file of `gpualign makedb`, with or without its extension, or one or more databases that
/// makeblastdb wrote.
///
/// # Errors
/// If there is no such database, it is malformed, or the sequences that are asked for cannot be selected.
pub fn open(name: &str, restriction: &RestrictionArguments) -> Result<Database> {
    let restriction = restriction.read()?;
    let file = file_of_database(Path::new(name))?;
    if !is_there(&file)? {
        let search_path = SearchPath::from_environment();
        return Ok(Database::from_ncbi(name, &search_path, restriction.as_ref())?);
    }
    let database = Database::open(&file)?;
    Ok(match restriction {
        Some(restriction) => database.select(&restriction, &file.display().to_string())?,
        None => database,
    })
}

/// The files that the name of a database may mean, which are not to be overwritten.
fn database_files(name: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(name);
    let files = ["nal", "nin", "nsq", "nhr"].map(|extension| extended(path, extension));
    let files = std::iter::once(file_of_database(path)?).chain(files);
    Ok(files.filter(|path| path.is_file()).collect())
}

/// The file of a database: beside `x.fa`, the name `x.fa` means `x.fa.gpdb`, as with NCBI's databases. A name without such a
/// file means the file of that name only if this is no database of NCBI's.
fn file_of_database(path: &Path) -> Result<PathBuf> {
    let with_extension = with_extension(path);
    let is_ncbi = || SearchPath::from_environment().find(path).is_some();
    Ok(if is_there(&with_extension)? || is_ncbi() { with_extension } else { path.to_owned() })
}

/// Whether there is a file of a name; an error names it.
fn is_there(path: &Path) -> Result<bool> {
    is_file(path).with_context(|| path.display().to_string())
}

/// A path with the extension of databases added.
fn with_extension(path: &Path) -> PathBuf {
    extended(path, EXTENSION)
}

/// The present time, in seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
