//! The GPUs of a search: those that are named, and those that join a search which the CPU has begun (`-device auto`).
//!
//! With `auto`, the CPU begins alone. All GPUs are opened once what is left to search will take it longer than opening them is worth,
//! as its speed till then tells. They join at once, since each gets a share of the database that follows from their number, and of many
//! queries some for itself. They are not opened for less, as the driver holds up the threads that search: on a machine with an H100,
//! searches of half a second took 0.1 to 0.2 s longer. A search that ends in the meantime does not wait for them.
//!
//! No more GPUs are opened than the database is worth, as opening one takes time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use aligner_core::{Device, DeviceError, DeviceRequest, DeviceSelection, gpu};
use anyhow::{Context, Result};
use blastn_pipeline::database::Database;
use blastn_pipeline::error::DeviceFailure;
use blastn_pipeline::gpu::worker::GpuWorker;
use blastn_pipeline::search::{SearchDevice, Searcher, worthwhile_gpus};
use blastn_pipeline::sequence::fasta::FastaRecord;

use crate::console::Console;
use crate::on_device::{self, at_once};

/// GPUs are opened if the rest of a search will take the CPU so long.
const WORTHWHILE: Duration = Duration::from_millis(700);

/// How long the CPU searches before that is estimated.
const LEAST_SEARCH: Duration = Duration::from_millis(100);

/// How often that is estimated.
const LOOK: Duration = Duration::from_millis(10);

/// How far the CPU is with a search.
#[derive(Debug)]
pub struct Progress {
    /// Bases of all queries.
    all: u64,
    /// Bases of those queries that were searched.
    searched: AtomicU64,
}

impl Progress {
    /// A search for these queries, which has not begun.
    pub fn new(queries: &[FastaRecord]) -> Self {
        Self { all: bases(queries), searched: AtomicU64::new(0) }
    }

    /// Notes that these queries were searched, too.
    pub fn add(&self, queries: &[FastaRecord]) {
        self.searched.fetch_add(bases(queries), Ordering::Relaxed);
    }

    /// Whether GPUs are worth opening, given that the search has taken so long till now. As long as no query was searched, the
    /// rest is taken to last as long again.
    fn is_long(&self, till_now: Duration) -> bool {
        let searched = self.searched.load(Ordering::Relaxed);
        let left = self.all.saturating_sub(searched) as f64;
        let times = if searched > 0 { left / searched as f64 } else { 1.0 };
        till_now >= LEAST_SEARCH && till_now.as_secs_f64() * times >= WORTHWHILE.as_secs_f64()
    }
}

/// The sum of the lengths of queries.
fn bases(queries: &[FastaRecord]) -> u64 {
    queries.iter().map(|query| query.letters.len() as u64).sum()
}

/// GPUs that are being opened on threads that the end of the program does not wait for.
#[derive(Debug)]
pub struct JoiningGpus {
    news: Receiver<News>,
    to_news: Sender<News>,
}

/// The messages to the thread that lets GPUs join.
#[derive(Debug)]
enum News {
    /// All GPUs were opened, or could not be.
    Opened(Vec<OpenedGpu>),
    /// The search has ended.
    End,
}

/// A GPU that was opened, or the reason why it could not be.
#[derive(Debug)]
struct OpenedGpu {
    /// Number of the GPU, as in `cuda:N`.
    number: usize,
    device: Result<Device, DeviceError>,
}

/// Ends the thread that lets GPUs join when it is dropped.
#[must_use]
pub struct EndOfSearch(Sender<News>);

impl Drop for EndOfSearch {
    fn drop(&mut self) {
        // Nobody listens any more if GPUs have joined.
        let _ = self.0.send(News::End);
    }
}

impl JoiningGpus {
    /// Lets the CPU begin, and opens all GPUs, or as many as the database is worth, once its progress shows that this pays.
    pub fn begin(database: &Database, progress: &Arc<Progress>) -> Self {
        let (start, progress) = (Instant::now(), Arc::clone(progress));
        let most = worthwhile_gpus(database);
        let (to_news, news) = channel();
        let opened = to_news.clone();
        thread::spawn(move || {
            // That there is no driver can be said at once.
            if gpu::is_driver_installed() {
                while !progress.is_long(start.elapsed()) {
                    thread::sleep(LOOK);
                }
            }
            // Without a GPU, the CPU is what was asked for.
            let numbers = DeviceSelection::Auto.gpus().unwrap_or_default();
            let _ = opened.send(News::Opened(at_once(numbers.into_iter().take(most), |number| {
                let opened = on_device::open(DeviceRequest::Cuda(number));
                OpenedGpu { number, device: opened.map(|opened| opened.device) }
            })));
        });
        Self { news, to_news }
    }

    /// Lets the GPUs join the searcher when all are open, on a thread of the scope that ends at the latest when the result is
    /// dropped. `memory` is that of [`SearchDevice::new`]. A GPU that cannot be used is left out, which is said.
    pub fn work<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        searcher: &'s Searcher<'_>,
        memory: Option<u64>,
        console: &'s Console,
    ) -> EndOfSearch {
        let Self { news, to_news } = self;
        scope.spawn(move || {
            let Ok(News::Opened(gpus)) = news.recv() else { return };
            if gpus.is_empty() {
                return;
            }
            let ready = at_once(gpus, |gpu| ready(gpu, memory));
            let (usable, unusable): (Vec<_>, Vec<_>) = ready.into_iter().partition(Result::is_ok);
            let how = if usable.is_empty() { "on the CPU" } else { "without it" };
            for reason in unusable.into_iter().filter_map(Result::err) {
                console.notice(&format!("{reason:#}: searching {how}"));
            }
            let devices: Vec<_> = usable.into_iter().flatten().flatten().collect();
            if devices.is_empty() {
                return;
            }
            match searcher.join(devices) {
                Ok(()) => console.detail(&format!("joined by {}", searcher.devices().join(", "))),
                Err(error) => console.notice(&format!("{error}: searching on the CPU")),
            }
        });
        EndOfSearch(to_news)
    }
}

/// The GPUs of a selection that names some, or as many of them as the database is worth, with what they need for a search; none
/// of the CPU. `memory` is that of [`SearchDevice::new`].
///
/// # Errors
/// If a GPU is missing, or fails.
pub fn named(
    selection: &DeviceSelection,
    database: &Database,
    memory: Option<u64>,
) -> Result<Vec<SearchDevice<GpuWorker>>> {
    let mut numbers = selection.gpus()?;
    numbers.truncate(worthwhile_gpus(database));
    let made = on_device::make_on_gpus(&numbers, |device| search_device(&device, memory))?;
    Ok(made.into_iter().filter_map(|(device, _)| device).collect())
}

/// An opened GPU with what it needs for a search.
fn ready(
    OpenedGpu { number, device }: OpenedGpu,
    memory: Option<u64>,
) -> Result<Option<SearchDevice<GpuWorker>>> {
    let device = device.with_context(|| format!("cuda:{number}"))?;
    Ok(search_device(&device, memory)?)
}

/// A GPU with what it needs for a search; nothing for the CPU.
fn search_device(
    device: &Device,
    memory: Option<u64>,
) -> Result<Option<SearchDevice<GpuWorker>>, DeviceFailure> {
    match device {
        Device::Cpu => Ok(None),
        Device::Cuda(gpu) => SearchDevice::new(gpu, memory).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use blastn_pipeline::database::Builder;
    use blastn_pipeline::options::{BlastTask, SearchOptions};

    use super::*;
    use crate::options::Messages;

    fn database() -> Database {
        let mut builder = Builder::default();
        builder.add(&FastaRecord { letters: vec![2; 50], ..FastaRecord::default() });
        builder.finish("one sequence", 0)
    }

    /// Lets `opened` GPUs join a search, which ends at once; gives the devices that search then.
    fn searching(opened: Option<Vec<OpenedGpu>>) -> Vec<String> {
        let database = database();
        let options = SearchOptions::new(BlastTask::Blastn);
        let searcher = Searcher::on_cpu(&database, options).expect("good options");
        let console = Console::new(Messages { quiet: true, verbose: false });
        let (to_news, news) = channel();
        if let Some(gpus) = opened {
            to_news.send(News::Opened(gpus)).expect("is received");
        }
        let joining = JoiningGpus { news, to_news };
        thread::scope(|scope| drop(joining.work(scope, &searcher, None, &console)));
        searcher.devices().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_search_that_ends_waits_for_no_gpu() {
        assert_eq!(searching(None), ["cpu"]);
    }

    #[test]
    fn gpus_that_cannot_be_used_do_not_join() {
        let failed = OpenedGpu { number: 1, device: Err(DeviceError::OutOfMemory(None)) };
        // A device that is no GPU has no share, either.
        let opened = vec![OpenedGpu { number: 0, device: Ok(Device::Cpu) }, failed];
        assert_eq!(searching(Some(opened)), ["cpu"]);
    }

    #[test]
    fn a_reason_names_the_gpu() {
        let failed = OpenedGpu { number: 1, device: Err(DeviceError::OutOfMemory(None)) };
        let reason = ready(failed, None).expect_err("is not open");
        assert_eq!(format!("{reason:#}"), "cuda:1: out of device memory");
    }

    #[test]
    fn gpus_are_opened_for_long_searches() {
        let query = |length| FastaRecord { letters: vec![0; length], ..FastaRecord::default() };
        let queries = [50, 30, 20].map(query);
        let progress = Progress::new(&queries);
        let is_long = |milliseconds| progress.is_long(Duration::from_millis(milliseconds));
        // Nothing is known.
        assert!(!is_long(699) && is_long(700));
        progress.add(&queries[1..2]);
        // Too little time to tell; 30 of 100 bases were searched.
        assert!(!is_long(99) && !is_long(299) && is_long(301));
        progress.add(&queries[2..]);
        assert!(!is_long(600) && is_long(700));
        progress.add(&queries[..1]);
        assert!(!is_long(9000));
    }
}
