//! Sorting records by coordinate in bounded memory.
//!
//! Records are gathered until they fill the memory allowed. Then they are sorted and written to a temporary file without a
//! name, as a sorted [`run`]. At the end all runs, the last of which stays in memory, are [merged](merge()). Records are
//! ordered by contig in the header, by position, and with equal positions as they came; records without a position are last.
//! So the order depends neither on where runs end nor on threads.
//!
//! All runs but that in memory are in one file, whose chunks are read by the threads that need them: any number of runs takes one
//! open file, and one pass merges them.
//!
//! Where a GPU compresses the sorted file, records go to its memory instead ([`gpu_store`]), as long as there is room. They are one
//! run, the first; if it is the only one, the GPU itself gathers records in their order, and the host has none of their bytes.

mod gpu_run;
pub mod gpu_store;
mod merge;
mod order;
mod run;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;

use self::gpu_run::{GatheredOnGpu, GpuRun};
use self::gpu_store::{GpuRecords, GpuStore};
use self::merge::MergeRange;
use self::run::{Gathered, SortedRun};
use super::bam::batch::{RecordBatch, RecordPool};
use super::bam::gpu_records::{GpuBatch, GpuRecord, lost};
use super::bam::records::EncodedRecords;

pub use self::run::SortedRecord;

/// The fewest bytes of records that a thread merges at a time.
const LEAST_RANGE: usize = 1 << 18;
/// The most, beyond which larger ranges gain nothing.
const MOST_RANGE: usize = 1 << 24;
/// The most if all records are in memory: what all threads have merged is then still in the processor's cache when it is copied
/// into blocks. A file has chunks that two ranges read, so small ranges would cost more there.
const MOST_IN_MEMORY: usize = 1 << 21;
/// Chunks of records on a GPU that are written together: about as many bytes as it compresses at a time, twice.
const CHUNKS_ON_GPU: usize = 200;

/// Records that are to be sorted.
#[derive(Debug)]
pub enum SortableRecords {
    Host(EncodedRecords),
    OnGpu(GpuRecords),
}

/// Sorted records that are written together.
#[derive(Debug)]
pub enum SortedBatch {
    Host(RecordBatch),
    OnGpu(GpuBatch),
}

/// Records that are being sorted.
#[derive(Debug)]
pub struct Sorter {
    /// The most bytes that gathered records may take.
    memory: usize,
    /// Records on a GPU, which come before those that were gathered on the host, or are all there are.
    on_gpu: GatheredOnGpu,
    gathered: Gathered,
    /// Templates that came so far.
    templates: u64,
    /// The runs in the file.
    runs: Vec<SortedRun>,
    file: File,
    /// Where the file ends.
    end: u64,
    /// The folder of the file.
    folder: PathBuf,
    /// Where records on a GPU are, if they may be on one.
    gpu_store: Option<Arc<GpuStore>>,
}

impl Sorter {
    /// A sorter that holds `memory` bytes of records and writes the others to a temporary file in `folder`. Records may also be on the GPU
    /// of this store.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(memory: usize, folder: PathBuf, gpu_store: Option<Arc<GpuStore>>) -> Result<Self> {
        let file = tempfile::tempfile_in(&folder)
            .with_context(|| format!("cannot make a temporary file in {}", folder.display()))?;
        Ok(Self {
            memory,
            on_gpu: GatheredOnGpu::default(),
            gathered: Gathered::default(),
            templates: 0,
            runs: Vec::new(),
            file,
            end: 0,
            folder,
            gpu_store,
        })
    }

    /// The number of templates that came so far.
    pub fn templates(&self) -> u64 {
        self.templates
    }

    /// Adds records to those that are sorted.
    ///
    /// # Errors
    /// If the temporary file cannot be written, or a GPU fails that has records.
    pub fn push(&mut self, records: SortableRecords) -> Result<()> {
        if let Some(store) = self.gpu_store.as_ref().filter(|_| !self.on_gpu.is_empty()) {
            store.check().map_err(lost)?;
        }
        match records {
            SortableRecords::OnGpu(records) => self.push_on_gpu(records),
            SortableRecords::Host(records) if records.places().is_empty() => {
                self.templates += u64::from(records.templates());
                Ok(())
            }
            SortableRecords::Host(records) => match self.uploaded(&records) {
                Some(on_gpu) => self.push_on_gpu(on_gpu),
                None => self.push_on_host(records),
            },
        }
    }

    /// The same records on the GPU, if those before are there, too.
    fn uploaded(&self, records: &EncodedRecords) -> Option<GpuRecords> {
        let store = self.gpu_store.as_ref().filter(|_| !self.on_gpu.is_empty())?;
        store.upload(records)
    }

    fn push_on_gpu(&mut self, records: GpuRecords) -> Result<()> {
        if !self.move_to_gpu() {
            return self.push_on_host(records.read().map_err(lost)?);
        }
        let templates = u64::from(records.templates());
        self.on_gpu.push(records, self.templates);
        self.templates += templates;
        if self.on_gpu.bytes() > self.memory / 2 {
            self.gpu_store.iter().for_each(|store| store.close());
        }
        Ok(())
    }

    /// Moves records that came before there was a GPU to it. Returns whether all records are there.
    fn move_to_gpu(&mut self) -> bool {
        if self.gathered.is_empty() && self.runs.is_empty() {
            return true;
        }
        let Some(store) = &self.gpu_store else { return false };
        if !self.on_gpu.is_empty() || !self.runs.is_empty() {
            store.close();
            return false;
        }
        let uploaded = |(records, first_template): (&EncodedRecords, u64)| {
            store.upload(records).map(|on_gpu| (on_gpu, first_template))
        };
        let all: Option<Vec<(GpuRecords, u64)>> = self.gathered.parts().map(uploaded).collect();
        let has_moved = all.is_some();
        if has_moved {
            self.gathered = Gathered::default();
        }
        for (records, first_template) in all.into_iter().flatten() {
            self.on_gpu.push(records, first_template);
        }
        has_moved
    }

    fn push_on_host(&mut self, records: EncodedRecords) -> Result<()> {
        let templates = u64::from(records.templates());
        self.gathered.push(records, self.templates);
        self.templates += templates;
        // What is kept of records on a GPU leaves enough for runs that are not small.
        let left = self.memory.saturating_sub(self.on_gpu.bytes()).max(self.memory / 4);
        if self.gathered.bytes() <= left {
            return Ok(());
        }
        let run = std::mem::take(&mut self.gathered).sorted();
        let written = run.write(&self.file, &mut self.end);
        let named = || format!("cannot write a temporary file in {}", self.folder.display());
        self.runs.push(SortedRun::File(written.with_context(named)?));
        Ok(())
    }

    /// Sorts what is not in the file yet.
    ///
    /// # Errors
    /// If a GPU fails that has records.
    pub fn sorted(self) -> io::Result<SortedRuns> {
        let Self { memory, on_gpu, gathered, mut runs, file, folder, gpu_store, .. } = self;
        if let Some(store) = gpu_store.as_ref().filter(|_| !on_gpu.is_empty()) {
            runs.insert(0, SortedRun::Gpu(on_gpu.sorted(store)?));
        }
        if !gathered.is_empty() {
            runs.push(SortedRun::Memory(gathered.sorted()));
        }
        Ok(SortedRuns { runs, memory, file, folder })
    }
}

/// Records that are sorted, in runs.
#[derive(Debug)]
pub struct SortedRuns {
    runs: Vec<SortedRun>,
    /// As those of [`Sorter`].
    memory: usize,
    file: File,
    folder: PathBuf,
}

impl SortedRuns {
    /// The run on a GPU, which is the first one.
    fn gpu_run(&self) -> Option<&GpuRun> {
        match self.runs.first() {
            Some(SortedRun::Gpu(run)) => Some(run),
            _ => None,
        }
    }

    /// The number of records that are on a GPU.
    pub fn on_gpu(&self) -> u64 {
        self.gpu_run().map_or(0, |run| run.order().records() as u64)
    }

    /// Passes all records to `write` in order. `flag` says for a template, by its number in the input, which flags its records have
    /// besides; those of `None` are left out.
    ///
    /// # Errors
    /// If `write` fails, the temporary file cannot be read, or a GPU fails that has records.
    pub fn merge(
        self,
        flag: impl Fn(u64) -> Option<u16> + Sync,
        mut write: impl FnMut(SortedBatch) -> Result<()>,
    ) -> Result<()> {
        let has_gpu = self.gpu_run().is_some();
        let Self { runs, memory, file, folder } = self;
        let most = match &runs[..] {
            [SortedRun::Gpu(run)] => return merge_on_gpu(run, flag, write),
            [] | [SortedRun::Memory(_)] => MOST_IN_MEMORY,
            _ => MOST_RANGE,
        };
        let threads = rayon::current_num_threads();
        // Each thread has a range twice: while some are merged, others are written. With a run in the file that is its chunks,
        // where their records are, and the records as they are written; else the latter alone.
        let bytes = (memory / (8 * threads)).clamp(LEAST_RANGE, most);
        let ranges = merge::ranges(&runs, bytes);
        let pool = &Arc::new(RecordPool::default());
        let merged = |range: &MergeRange| {
            let mut records = pool.take();
            // Chunks have about so many bytes.
            records.reserve(bytes + bytes / 4);
            range.merge(&runs, &file, |SortedRecord { template, record, .. }| {
                if let Some(flag) = flag(template) {
                    records.push_encoded(record, flag);
                }
            })?;
            Ok::<_, io::Error>(records)
        };
        let named = || {
            // The reason says which of them it is.
            let gpu = if has_gpu { "a GPU or " } else { "" };
            format!("cannot read sorted records from {gpu}a temporary file in {}", folder.display())
        };
        in_windows(&ranges, threads, &merged, |made| {
            write(SortedBatch::Host(RecordBatch::pooled(made.with_context(named)?, pool)))
        })
    }
}

/// Passes the records of a run, which is all there is, to `write`, as [`SortedRuns::merge`].
fn merge_on_gpu(
    run: &GpuRun,
    flag: impl Fn(u64) -> Option<u16> + Sync,
    mut write: impl FnMut(SortedBatch) -> Result<()>,
) -> Result<()> {
    let chunks: Vec<usize> = (0..run.order().chunks()).collect();
    let flagged = |&chunk: &usize| {
        let flagged = run.records(chunk).filter_map(|(template, record)| {
            flag(template).map(|flag| GpuRecord { flag, ..record })
        });
        Ok::<_, io::Error>(flagged.collect::<Vec<_>>())
    };
    in_windows(&chunks, CHUNKS_ON_GPU, &flagged, |made| {
        #[allow(unsafe_code)]
        // SAFETY: they are records of the run, whose memory is on its GPU and which nothing writes.
        let batch = unsafe { GpuBatch::new(made?, run.memory(), run.gpu().cloned()) };
        write(SortedBatch::OnGpu(batch))
    })
}

/// Passes what `make` makes of items in parallel to `take`, so many at a time, in order: the next ones are made meanwhile. An error of
/// `make` is the last that is taken.
fn in_windows<I: Sync, O: Send>(
    items: &[I],
    size: usize,
    make: &(impl Fn(&I) -> io::Result<O> + Sync),
    mut take: impl FnMut(io::Result<Vec<O>>) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(1);
        let producer = scope.spawn(move || {
            for window in items.chunks(size) {
                let made: io::Result<Vec<O>> = window.par_iter().map(make).collect();
                let is_end = made.is_err();
                // Sending fails if taking failed, which is then reported.
                if sender.send(made).is_err() || is_end {
                    break;
                }
            }
        });
        receiver.into_iter().try_for_each(&mut take)?;
        producer.join().map_err(|_| anyhow!("merging sorted records panicked"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::bam::gpu_records::push_sources;
    use crate::output::bam::view;
    use crate::output::record::fields::{Position, Record};

    /// Names of the sorted records, whose flags are the number of their template; every seventh template is left out.
    fn sorted(sorter: Sorter) -> Vec<usize> {
        let flag = |template: u64| Some(template as u16).filter(|_| template % 7 != 3);
        let store = sorter.gpu_store.clone();
        let mut found = Vec::new();
        let mut note = |records: &[u8]| {
            for record in view::records(records) {
                let name = String::from_utf8_lossy(record.name()).parse().expect("a number");
                assert_eq!(usize::from(record.flag()), name / 2);
                found.push(name);
            }
        };
        let take = |batch| {
            match batch {
                SortedBatch::Host(batch) => batch.parts().iter().for_each(|it| note(it.bytes)),
                SortedBatch::OnGpu(batch) => {
                    let (mut sources, mut bytes) = (Vec::new(), 0);
                    for record in batch.parts().iter().flatten() {
                        push_sources(record, 0..record.size, bytes, &mut sources);
                        bytes += record.size;
                    }
                    let bytes = bytes as usize;
                    let reader = store.as_ref().expect("a store").reader(bytes);
                    #[allow(unsafe_code)]
                    // SAFETY: the batch keeps the bytes of the sources, whose targets follow each other.
                    let read = unsafe { reader.expect("memory").read(&sources, bytes) };
                    note(&read.expect("is read"));
                }
            }
            Ok(())
        };
        sorter.sorted().expect("sorts").merge(flag, take).expect("merges");
        found
    }

    /// Positions of records: few with many records each, many with one, and none. And names in the order that they must have.
    fn positions() -> (Vec<Option<Position>>, Vec<usize>) {
        let mut random = fastrand::Rng::with_seed(4);
        let position = |random: &mut fastrand::Rng, bases| {
            Some(Position { contig: random.u32(0..2), base: random.u32(0..bases) })
        };
        let mut all: Vec<Option<Position>> = (0..6000).map(|_| position(&mut random, 3)).collect();
        all.extend((0..6000).map(|_| position(&mut random, 100_000)));
        all.extend([None; 900]);
        random.shuffle(&mut all);
        let mut order: Vec<usize> = (0..all.len()).filter(|number| number / 2 % 7 != 3).collect();
        order.sort_by_key(|&number| all[number].map_or((u32::MAX, 0), |it| (it.contig, it.base)));
        (all, order)
    }

    /// Adds records of these positions, so many in a part, which `put` may put on a GPU.
    fn push_all(
        sorter: &mut Sorter,
        positions: &[Option<Position>],
        part: usize,
        put: impl Fn(usize, EncodedRecords) -> SortableRecords,
    ) {
        for (part, (positions, first)) in
            positions.chunks(part).zip((0..).step_by(part)).enumerate()
        {
            let mut records = EncodedRecords::default();
            for (&position, number) in positions.iter().zip(first..) {
                if number % 2 == 0 {
                    records.begin_template();
                }
                let name = number.to_string();
                records.push(&Record::of_four_bases(name.as_bytes(), position), true);
            }
            sorter.push(put(part, records)).expect("is sorted");
        }
    }

    #[test]
    fn the_order_does_not_depend_on_memory_or_parts() {
        let folder = tempfile::tempdir().expect("a folder");
        let (positions, expected) = positions();
        // Two threads merge one range after the other where memory is little.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let enough = 4 << 20;
        for (memory, part) in
            [(1 << 30, 13_000), (1 << 30, 8), (enough, 256), (300_000, 8), (100_000, 256), (1, 500)]
        {
            let mut sorter = Sorter::new(memory, folder.path().to_owned(), None).expect("a sorter");
            push_all(&mut sorter, &positions, part, |_, records| SortableRecords::Host(records));
            assert_eq!(sorter.runs.is_empty(), memory >= enough, "{memory}");
            assert!(pool.install(|| sorted(sorter)) == expected, "{memory} {part}");
            assert_eq!(std::fs::read_dir(&folder).expect("lists").count(), 0);
        }
    }

    #[test]
    fn records_on_a_gpu_come_in_the_same_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let (positions, expected) = positions();
        let enough = 8 << 20;
        let all = u64::MAX;
        // Memory of the host, room on the GPU, the first part that is put there, and whether some later ones are not; and where
        // records are in the end: on the GPU, on the host, in files.
        for (memory, room, first, is_mixed, ends) in [
            (enough, all, 0, false, [true, false, false]),
            // Those on the host before and between others go to the GPU, too.
            (enough, all, 9, true, [true, false, false]),
            // The GPU is full.
            (enough, 300_000, 0, false, [true, true, false]),
            (enough, 300_000, 0, true, [true, true, false]),
            (enough, 0, 0, false, [false, true, false]),
            (600_000, 300_000, 0, true, [true, true, true]),
            // Host memory does not hold what it has to keep of records on the GPU.
            (600_000, all, 0, false, [true, true, true]),
            // Some records are in a file when the GPU comes.
            (100_000, all, 40, true, [false, true, true]),
        ] {
            let store = Arc::new(GpuStore::on_shim(room));
            let sorter = Sorter::new(memory, folder.path().to_owned(), Some(Arc::clone(&store)));
            let mut sorter = sorter.expect("a sorter");
            push_all(&mut sorter, &positions, 128, |part, records| {
                let is_put = part >= first && !(is_mixed && part % 5 == 1);
                let on_gpu = is_put.then(|| store.upload(&records)).flatten();
                on_gpu.map_or(SortableRecords::Host(records), SortableRecords::OnGpu)
            });
            let found =
                [!sorter.on_gpu.is_empty(), !sorter.gathered.is_empty(), !sorter.runs.is_empty()];
            assert_eq!(found, ends, "memory {memory}, room {room}, first {first}");
            assert!(sorted(sorter) == expected, "memory {memory}, room {room}, first {first}");
        }
    }

    #[test]
    fn a_gpu_that_fails_ends_the_run_if_it_has_records() {
        let (positions, _) = positions();
        for copies in [0, 3] {
            let store = Arc::new(GpuStore::on_shim_until(u64::MAX, copies));
            let sorter = Sorter::new(1 << 30, std::env::temp_dir(), Some(Arc::clone(&store)));
            let mut sorter = sorter.expect("a sorter");
            let pushed: Result<()> = positions.chunks(128).try_for_each(|positions| {
                let mut records = EncodedRecords::default();
                for &position in positions {
                    records.push(&Record::of_four_bases(b"r", position), true);
                }
                let on_gpu = store.upload(&records);
                sorter.push(on_gpu.map_or(SortableRecords::Host(records), SortableRecords::OnGpu))
            });
            // Without records there, the host goes on.
            let failed = pushed.err().map(|error| error.to_string());
            assert_eq!(failed.is_some(), copies > 0, "{failed:?}");
            assert!(failed.is_none_or(|error| error.contains("copying to the device")));
        }
    }

    #[test]
    fn no_records_are_sorted_too() {
        for store in [None, Some(Arc::new(GpuStore::on_shim(u64::MAX)))] {
            let sorter = Sorter::new(1, std::env::temp_dir(), store).expect("a sorter");
            assert!(sorted(sorter).is_empty());
        }
    }
}
