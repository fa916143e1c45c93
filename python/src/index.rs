//! Mapping of reads.
//!
//! A thread owns the index and the mapper, which borrows from it, and does one job after the other. So a GPU holds the index
//! once for all jobs.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, anyhow};
use fm_index::Contig;
use gpualign::console::Console;
use gpualign::input::{self, Lane, Layout, Read, Reads};
use gpualign::library::{ReadAlignment, alignments};
use gpualign::options::Messages;
use pyo3::prelude::*;
use seed_extend::pair::insert_size::SAMPLE;
use seed_extend::{Library, LibrarySample, Mapper, Options, Parameters, RankedReads, tie_breaker};

use crate::job::{self, Cancel, wrong_argument};
use crate::nw::OPERATIONS;

/// Reads that are mapped together.
const BATCH: usize = 1 << 14;

/// A read of Python: its name and its letters.
type NamedRead = (String, String);

/// Reads of a batch with their alignments.
type MappedBatch = Vec<(String, Vec<ReadAlignment>)>;

/// As [`MappedBatch`], in Python's classes.
type PythonBatch = Vec<(String, Vec<Alignment>)>;

/// Work for the thread of an index.
struct Job {
    reads: Source,
    /// Whether reads 2i and 2i + 1 are mates.
    is_paired: bool,
    /// The library of pairs, if it is not to be estimated.
    library: Option<Library>,
    has_secondary: bool,
    cancel: Cancel,
    /// Takes the alignments of each batch of reads, or the error that ends the job.
    results: SyncSender<Result<MappedBatch>>,
}

/// Where the reads of a job come from.
enum Source {
    Memory(Vec<NamedRead>),
    Files(Lane),
}

/// The index of a reference, to which reads are mapped.
#[pyclass(frozen, module = "gpualign._native")]
pub struct Index {
    jobs: Sender<Job>,
    contigs: Vec<Contig>,
    #[pyo3(get)]
    device: String,
}

/// The facts that the thread of an index tells once it is ready.
struct Ready {
    contigs: Vec<Contig>,
    device: String,
}

#[pymethods]
impl Index {
    /// Opens `REF.gpx` beside a reference if it was built from it, or builds the index in memory.
    #[new]
    #[pyo3(signature = (reference, is_short, device, threads))]
    fn new(
        py: Python<'_>,
        reference: PathBuf,
        is_short: bool,
        device: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let request: DeviceRequest =
            device.parse().map_err(|error| wrong_argument(format!("device: {error}")))?;
        let pool = job::pool(threads)?;
        let (jobs, received) = channel();
        let (sender, mut ready) = sync_channel(1);
        thread::spawn(move || {
            pool.install(move || {
                if let Err(error) = serve(&reference, is_short, request, &sender, received) {
                    // Nobody waits if opening was interrupted.
                    let _ = sender.send(Err(error));
                }
            });
        });
        let Ready { contigs, device } = job::wait(py, &mut ready, &Cancel::default())?;
        Ok(Self { jobs, contigs, device })
    }

    /// Names and lengths of the contigs.
    #[getter]
    fn contigs(&self) -> Vec<(String, u32)> {
        self.contigs.iter().map(|contig| (contig.name.clone(), contig.length)).collect()
    }

    /// Maps reads in memory; with mates, 2i and 2i + 1 are a pair.
    #[pyo3(signature = (reads, is_paired, insert_size, has_secondary))]
    fn map(
        &self,
        py: Python<'_>,
        reads: Vec<NamedRead>,
        is_paired: bool,
        insert_size: Option<&str>,
        has_secondary: bool,
    ) -> PyResult<Vec<Vec<Alignment>>> {
        let count = reads.len();
        let mut batches =
            self.start(Source::Memory(reads), is_paired, insert_size, has_secondary)?;
        let mut all = Vec::with_capacity(count);
        while let Some(batch) = batches.next_batch(py)? {
            all.extend(batch.into_iter().map(|(_, found)| found));
        }
        Ok(all)
    }

    /// Maps the reads of a file, or the pairs of two, batch by batch.
    #[pyo3(signature = (files, is_paired, insert_size, has_secondary))]
    fn map_files(
        &self,
        files: Vec<PathBuf>,
        is_paired: bool,
        insert_size: Option<&str>,
        has_secondary: bool,
    ) -> PyResult<FileBatches> {
        let layout = match (files.len(), is_paired) {
            (1, false) => Layout::Single,
            (1, true) => Layout::Interleaved,
            _ => Layout::Pairs,
        };
        input::check(&files).map_err(|error| job::to_python(&error))?;
        let lane = Lane::new(layout, vec![files]).map_err(wrong_argument)?;
        self.start(Source::Files(lane), layout.reads() == 2, insert_size, has_secondary)
    }
}

impl Index {
    /// Gives a job to the thread.
    fn start(
        &self,
        reads: Source,
        is_paired: bool,
        insert_size: Option<&str>,
        has_secondary: bool,
    ) -> PyResult<FileBatches> {
        let library = insert_size.map(gpualign::library::library_of).transpose();
        let library =
            library.map_err(|problem| wrong_argument(format!("insert_size: {problem}")))?;
        let cancel = Cancel::default();
        let (results, batches) = sync_channel(1);
        let job = Job { reads, is_paired, library, has_secondary, cancel: cancel.clone(), results };
        if self.jobs.send(job).is_err() {
            return Err(job::to_python(&anyhow!("the thread of the index has ended")));
        }
        let contigs = self.contigs.iter().map(|it| (it.name.clone(), it.length)).collect();
        Ok(FileBatches { batches: Mutex::new(Some(batches)), cancel, contigs })
    }
}

/// An iterator over batches of reads with their alignments.
#[pyclass(module = "gpualign._native")]
pub struct FileBatches {
    /// `None` behind the last batch.
    batches: Mutex<Option<Receiver<Result<MappedBatch>>>>,
    cancel: Cancel,
    contigs: Vec<(String, u32)>,
}

#[pymethods]
impl FileBatches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PythonBatch>> {
        self.next_batch(py)
    }
}

impl FileBatches {
    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<PythonBatch>> {
        let receiver = self.batches.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(batches) = receiver else { return Ok(None) };
        let batch = job::wait(py, batches, &self.cancel);
        // The end of a job is an empty batch.
        if batch.as_ref().map_or(true, Vec::is_empty) {
            *receiver = None;
        }
        let batch = batch?;
        if batch.is_empty() {
            return Ok(None);
        }
        let alignment = |found: ReadAlignment| {
            let (contig, contig_length) = self.contigs[found.contig as usize].clone();
            Alignment { found, contig, contig_length }
        };
        let of_read = |(name, found): (String, Vec<ReadAlignment>)| {
            (name, found.into_iter().map(alignment).collect())
        };
        Ok(Some(batch.into_iter().map(of_read).collect()))
    }
}

impl Drop for FileBatches {
    fn drop(&mut self) {
        self.cancel.set();
    }
}

/// An alignment of a read, with the attributes of mappy's.
#[pyclass(frozen, module = "gpualign._native")]
pub struct Alignment {
    found: ReadAlignment,
    contig: String,
    contig_length: u32,
}

impl Alignment {
    fn is_reverse(&self) -> bool {
        self.found.flag & 0x10 != 0
    }

    /// Clipped bases at the left and the right end of the record.
    fn clips(&self) -> (u32, u32) {
        let cigar = &self.found.cigar;
        let clip = |run: Option<&(u32, char)>| {
            run.filter(|(_, letter)| matches!(letter, 'S' | 'H')).map_or(0, |(length, _)| *length)
        };
        (clip(cigar.first()), clip(cigar.last()))
    }

    /// Runs of the CIGAR without clips.
    fn runs(&self) -> impl Iterator<Item = (u32, char)> {
        self.found.cigar.iter().copied().filter(|(_, letter)| !matches!(letter, 'S' | 'H'))
    }
}

#[pymethods]
impl Alignment {
    /// The name of the contig.
    #[getter]
    fn ctg(&self) -> &str {
        &self.contig
    }

    /// Bases of the contig.
    #[getter]
    fn ctg_len(&self) -> u32 {
        self.contig_length
    }

    /// The first aligned base of the contig, from 0.
    #[getter]
    fn r_st(&self) -> u32 {
        self.found.begin
    }

    /// The end of the aligned bases of the contig, exclusive.
    #[getter]
    fn r_en(&self) -> u32 {
        self.found.end
    }

    /// The first aligned base of the read as it was given, from 0.
    #[getter]
    fn q_st(&self) -> u32 {
        let (left, right) = self.clips();
        if self.is_reverse() { right } else { left }
    }

    /// The end of the aligned bases of the read as it was given, exclusive.
    #[getter]
    fn q_en(&self) -> u32 {
        let aligned: u32 =
            self.runs().filter(|(_, letter)| *letter != 'D').map(|(length, _)| length).sum();
        self.q_st() + aligned
    }

    /// 1, or -1 if the reverse complement of the read is aligned.
    #[getter]
    fn strand(&self) -> i8 {
        if self.is_reverse() { -1 } else { 1 }
    }

    /// Mapping quality, 0 to 60.
    #[getter]
    fn mapq(&self) -> u8 {
        self.found.mapq
    }

    /// Whether this is the primary alignment of the read.
    #[getter]
    fn is_primary(&self) -> bool {
        self.found.flag & 0x900 == 0
    }

    /// Whether this is an alignment of another part of the read than the primary one.
    #[getter]
    fn is_supplementary(&self) -> bool {
        self.found.flag & 0x800 != 0
    }

    /// Whether the read and its mate lie as pairs of their library do.
    #[getter]
    fn is_proper_pair(&self) -> bool {
        self.found.flag & 0x2 != 0
    }

    /// The sum of the flags of SAM.
    #[getter]
    fn flag(&self) -> u16 {
        self.found.flag
    }

    /// Runs of the CIGAR without clips: length and number of the operation in BAM.
    #[getter]
    fn cigar(&self) -> Vec<(u32, usize)> {
        let code = |letter| OPERATIONS.find(letter).unwrap_or_default();
        self.runs().map(|(length, letter)| (length, code(letter))).collect()
    }

    /// The CIGAR without clips.
    #[getter]
    fn cigar_str(&self) -> String {
        self.runs().map(|(length, letter)| format!("{length}{letter}")).collect()
    }

    /// Edit distance of the aligned bases.
    #[getter(NM)]
    fn distance(&self) -> u32 {
        self.found.distance
    }

    /// Mismatched and deleted bases of the reference, as the tag MD has them.
    #[getter(MD)]
    fn md(&self) -> &str {
        &self.found.md
    }

    /// Columns of the alignment.
    #[getter]
    fn blen(&self) -> u32 {
        self.runs().map(|(length, _)| length).sum()
    }

    /// Columns with equal bases.
    #[getter]
    fn mlen(&self) -> u32 {
        self.blen() - self.found.distance
    }

    /// The score.
    #[getter]
    fn score(&self) -> i32 {
        self.found.score
    }

    /// The score of the second-best alignment, if it is known.
    #[getter]
    fn second_score(&self) -> Option<i32> {
        self.found.second_score
    }

    /// 1 or 2 for the mates of a pair, else 1.
    #[getter]
    fn read_num(&self) -> u8 {
        if self.found.flag & 0x80 != 0 { 2 } else { 1 }
    }

    /// Bases from the first to the last of the pair, negative for the mate that ends it; 0 if not both are on one contig.
    #[getter]
    fn template_length(&self) -> i32 {
        self.found.template_length
    }

    fn __repr__(&self) -> String {
        let Self { contig, found, .. } = self;
        let strand = if self.is_reverse() { '-' } else { '+' };
        let (begin, end, mapq) = (found.begin, found.end, found.mapq);
        format!("<Alignment {contig}:{begin}-{end} {strand} {} mapq={mapq}>", self.cigar_str())
    }
}

/// Opens an index and does jobs until no more can come.
fn serve(
    reference: &std::path::Path,
    is_short: bool,
    request: DeviceRequest,
    ready: &SyncSender<Result<Ready>>,
    jobs: Receiver<Job>,
) -> Result<()> {
    let console = Console::new(Messages { verbose: false, quiet: true });
    let device = Device::open(request)?.device;
    let index = gpualign::index::open_or_build(reference, false, &console)?;
    let parameters = if is_short { Parameters::short() } else { Parameters::default() };
    let options = Options::new(parameters)?;
    let mut name = device.describe();
    let mapper = match Mapper::new(&index, options, &device) {
        // Any device will do.
        Err(_) if request == DeviceRequest::Auto => {
            name = Device::Cpu.describe();
            Mapper::new(&index, options, &Device::Cpu)?
        }
        made => made?,
    };
    let contigs = index.reference().contigs().to_vec();
    if ready.send(Ok(Ready { contigs, device: name })).is_err() {
        return Ok(());
    }
    for job in jobs {
        // An iterator that was dropped wants no error either.
        let _ = match map_all(&mapper, &job) {
            // The end.
            Ok(()) => job.results.send(Ok(Vec::new())),
            Err(error) => job.results.send(Err(error)),
        };
    }
    Ok(())
}

/// Reads with their regions, which wait for the library.
struct Waiting {
    reads: Reads,
    ranked: RankedReads,
}

/// Maps all reads of a job.
fn map_all(mapper: &Mapper, job: &Job) -> Result<()> {
    let mut library = job.library;
    // Pairs that the library is estimated from wait until then.
    let (mut waiting, mut sample, mut missing) = (Vec::new(), LibrarySample::default(), SAMPLE);
    let mut take = |reads: Reads| {
        job.cancel.check()?;
        let queries = mapper.encode_reads(reads.iter().map(|read| read.alignable()));
        let tie_breakers = reads.iter().map(|read| tie_breaker(read.name, 0)).collect();
        let ranked = mapper.find_regions(queries, tie_breakers);
        let batch = Waiting { reads, ranked };
        if !job.is_paired || library.is_some() {
            return finish(mapper, job, batch, library.as_ref());
        }
        let pairs = missing.min(batch.reads.len() / 2);
        mapper.sample_pairs(&batch.ranked, &mut sample, pairs);
        missing -= pairs;
        waiting.push(batch);
        if missing == 0 {
            library = Some(std::mem::take(&mut sample).library());
            for batch in waiting.drain(..) {
                finish(mapper, job, batch, library.as_ref())?;
            }
        }
        Ok(())
    };
    match &job.reads {
        Source::Memory(reads) => {
            for some in reads.chunks(BATCH) {
                take(Reads::of_named(
                    some.iter().map(|(name, letters)| (name.as_bytes(), letters.as_bytes())),
                )?)?;
            }
        }
        Source::Files(lane) => {
            for batch in input::batches(vec![lane.clone()], BATCH).batches {
                take(batch.checked()?)?;
            }
        }
    }
    if !waiting.is_empty() {
        let library = sample.library();
        for batch in waiting {
            finish(mapper, job, batch, Some(&library))?;
        }
    }
    Ok(())
}

/// Resolves a batch, and sends its alignments.
fn finish(mapper: &Mapper, job: &Job, batch: Waiting, library: Option<&Library>) -> Result<()> {
    let Waiting { reads, ranked } = batch;
    let (mapped, together) = match library {
        Some(library) if job.is_paired => {
            (mapper.resolve_pairs(mapper.rescue_mates(ranked, library)), 2)
        }
        _ => (mapper.resolve_unpaired(ranked), 1),
    };
    let all: Vec<Read<'_>> = reads.iter().collect();
    let found = alignments(mapper, &mapped, &all, (together, job.has_secondary));
    let name = |read: &Read<'_>| String::from_utf8_lossy(read.name).into_owned();
    let batch = all.iter().map(name).zip(found).collect();
    job.results.send(Ok(batch)).map_err(|_| anyhow!("interrupted"))
}
