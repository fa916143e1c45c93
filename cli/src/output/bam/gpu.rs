//! Compressing blocks on GPUs, a few batches at a time on each.
//!
//! ```text
//!   records of a batch --.--> thread 0: contents, with a stream --.--> blocks of the batch
//!                        +--> thread 1: contents, with a stream --+
//!                        '--> ...                               --'
//! ```
//!
//! A thread that is free takes the next batch, and also copies its contents together. While one batch is compressed, others are
//! copied, or wait for a GPU that maps at the same time; the kernel that compresses needs little time, and comes before those
//! that map. Which thread takes a batch does not matter for its blocks. The threads of a GPU that fails compress on the CPU
//! from then on.
//!
//! Contents may also be [gathered](ContentBatch::gather) from records in the memory of the one GPU that compresses them. These are lost
//! if it fails.

use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::{io, iter, mem};

use aligner_core::DeviceError;
use aligner_core::bgzf::{BLOCK_BYTES, CompressedBlocks, ContentSource, DeviceCompressor};
use aligner_core::buffer_pool::lock;
use aligner_core::gpu::{Gpu, UploadBuffer};
use aligner_core::stream::Backend;
use rayon::prelude::*;

use super::bgzf::{BlockCompressor, Level};
use super::gpu_records::lost;

/// The GPUs of a run that have the index, in the order in which they got it. Clones are of the same run.
#[derive(Debug, Clone, Default)]
pub struct JoinedGpus(Arc<Mutex<Vec<Gpu>>>);

impl JoinedGpus {
    /// Adds a GPU that has got the index.
    pub fn add(&self, gpu: &Gpu) {
        lock(&self.0).push(gpu.clone());
    }

    /// The GPUs that there are by now.
    pub fn all(&self) -> Vec<Gpu> {
        lock(&self.0).clone()
    }
}

/// The most contents of a batch, which bounds memory: 28 MiB of contents. A batch of 65,536 reads of 150 bases has 345 with short
/// names. An H200 compresses 264 at a time, and needs five sixths of their time for 165.
pub const BATCH: usize = 448;

/// Threads of a GPU, each with a batch. One waits for its kernel behind those that map.
const THREADS: usize = 3;

/// Contents of blocks that are compressed together.
#[derive(Default)]
pub struct ContentBatch {
    /// Each content at a multiple of [`BLOCK_BYTES`], unless they are gathered.
    slots: UploadBuffer,
    /// What contents are gathered from; `None` if they are not.
    gathered: Option<Gathered>,
    /// Bytes of each content.
    lengths: Vec<u32>,
}

/// What contents are gathered from on the GPU that compresses them.
struct Gathered {
    sources: Vec<ContentSource>,
    /// Keeps the bytes of the sources.
    _memory: Arc<dyn Send + Sync>,
}

impl ContentBatch {
    /// No contents, in memory for those of a compressor.
    fn for_compressor<B: Backend>(compressor: &DeviceCompressor<B>) -> Result<Self, DeviceError> {
        Ok(Self { slots: compressor.upload_buffer()?, ..Self::default() })
    }

    /// Makes it a batch of contents of these lengths, which are gathered from these sources.
    ///
    /// # Safety
    /// The bytes of all sources are in the memory of the GPU that compresses as long as `memory` is there, and nothing writes them. No
    /// two sources have the same target in common.
    #[allow(unsafe_code)]
    pub unsafe fn gather(
        &mut self,
        lengths: impl Iterator<Item = usize>,
        sources: Vec<ContentSource>,
        memory: Arc<dyn Send + Sync>,
    ) {
        self.lengths.clear();
        self.lengths.extend(lengths.map(|length| length as u32));
        self.gathered = Some(Gathered { sources, _memory: memory });
    }

    /// Makes it a batch of contents of these lengths, and returns the room of each to be filled.
    pub fn fill(
        &mut self,
        lengths: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = &mut [u8]> {
        self.gathered = None;
        self.lengths.clear();
        self.lengths.extend(lengths.map(|length| length as u32));
        let bytes = self.lengths.len() * BLOCK_BYTES;
        if self.slots.bytes().len() < bytes {
            self.slots = vec![0; bytes].into();
        }
        let slots = self.slots.bytes_mut().chunks_mut(BLOCK_BYTES);
        slots.zip(&self.lengths).map(|(slot, &length)| &mut slot[..length as usize])
    }

    /// The blocks of contents that are on the host, which the CPU makes.
    fn blocks_of_cpu(&self, level: Level) -> Vec<Vec<u8>> {
        let slots = self.slots.bytes().par_chunks(BLOCK_BYTES).zip(&self.lengths);
        let contents = slots.map(|(slot, &length)| &slot[..length as usize]);
        let make = |compressor: &mut BlockCompressor, content| compressor.block(content);
        contents.map_init(|| BlockCompressor::new(level), make).collect()
    }
}

/// Compressed blocks, in order.
#[derive(Debug)]
pub enum Blocks {
    /// Blocks that the CPU made.
    Host(Vec<Vec<u8>>),
    /// Blocks that a GPU made.
    Device(CompressedBlocks),
}

impl Blocks {
    /// The bytes of each block.
    pub fn to_slices(&self) -> Vec<&[u8]> {
        match self {
            Self::Host(blocks) => blocks.iter().map(Vec::as_slice).collect(),
            Self::Device(blocks) => blocks.iter().collect(),
        }
    }
}

/// A batch on its way to a thread, which fills it and passes on what `fill` makes of its contents besides.
struct Job<E> {
    fill: Box<dyn FnOnce(&mut ContentBatch) -> E + Send>,
    made: SyncSender<Made<E>>,
}

/// The blocks of a batch and what was made of its contents besides; or the reason why its contents are lost, which were in the memory of
/// a GPU.
pub type Made<E> = Result<(Blocks, E), DeviceError>;

/// What a thread does whose GPU has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterFailure {
    /// It compresses on the CPU with this level.
    Cpu(Level),
    /// It ends: the contents were on the GPU.
    End,
}

/// The threads that compress on GPUs. `E` is what is made of the contents of a batch besides its blocks.
pub struct GpuCompressor<E> {
    /// Where the threads take their jobs; `None` when they end.
    jobs: Option<SyncSender<Job<E>>>,
    threads: Vec<JoinHandle<()>>,
    /// The first failure of a GPU.
    failure: Arc<OnceLock<DeviceError>>,
}

impl<E> fmt::Debug for GpuCompressor<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GpuCompressor")
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

impl<E: Send + 'static> GpuCompressor<E> {
    /// Compresses contents that are gathered on this GPU.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn of_gathered(gpu: &Gpu) -> io::Result<Self> {
        let make = |gpu: Gpu| {
            move || {
                let compressor = DeviceCompressor::new(&gpu.with_urgent_stream()?, BATCH)?;
                Ok((ContentBatch::default(), compress_with(compressor)))
            }
        };
        let makers = (0..THREADS).map(|_| make(gpu.clone())).collect();
        Self::start(AfterFailure::End, makers)
    }

    /// Compresses on GPUs, and on the CPU with this level if they fail. `None` if no GPU can.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn on_gpus(gpus: Vec<Gpu>, level: Level) -> io::Result<Option<Self>> {
        // The driver's failures come again in the threads, which tell of them.
        let is_able = |gpu: &Gpu| DeviceCompressor::runs_on(gpu).unwrap_or(true);
        let able = gpus.into_iter().filter(is_able);
        let makers: Vec<_> = able
            .flat_map(|gpu| iter::repeat_n(gpu, THREADS))
            .map(|gpu| {
                move || {
                    let compressor = DeviceCompressor::new(&gpu.with_urgent_stream()?, BATCH)?;
                    Ok((ContentBatch::for_compressor(&compressor)?, compress_with(compressor)))
                }
            })
            .collect();
        if makers.is_empty() {
            return Ok(None);
        }
        Self::start(AfterFailure::Cpu(level), makers).map(Some)
    }

    /// Starts a thread for each of `makers`, which compresses by what that makes in it, until it fails.
    fn start<C, M>(after: AfterFailure, makers: Vec<M>) -> io::Result<Self>
    where
        C: FnMut(&mut ContentBatch) -> Result<CompressedBlocks, DeviceError>,
        M: FnOnce() -> Result<(ContentBatch, C), DeviceError> + Send + 'static,
    {
        let failure = Arc::new(OnceLock::new());
        let (jobs, queue) = sync_channel(0);
        let queue = Arc::new(Mutex::new(queue));
        let mut threads = Vec::new();
        for (number, make) in makers.into_iter().enumerate() {
            let (queue, failure) = (Arc::clone(&queue), Arc::clone(&failure));
            let run = move || {
                let made = make().map_err(|reason| failure.set(reason)).ok();
                if made.is_some() || after != AfterFailure::End {
                    let (batch, compress) = made.unzip();
                    compress_all(&queue, (batch.unwrap_or_default(), compress), (after, &failure));
                }
            };
            threads.push(thread::Builder::new().name(format!("deflate {number}")).spawn(run)?);
        }
        Ok(Self { jobs: Some(jobs), threads, failure })
    }

    /// Compresses a batch that `fill` makes, once a thread is free. Its blocks will be received, and what `fill` returns.
    ///
    /// # Errors
    /// If all threads have ended, since their GPU failed or they panicked.
    pub fn compress(
        &mut self,
        fill: impl FnOnce(&mut ContentBatch) -> E + Send + 'static,
    ) -> io::Result<Receiver<Made<E>>> {
        let (made, receiver) = sync_channel(1);
        let ended = || match self.failure.get() {
            Some(reason) => lost(reason),
            None => io::Error::other("the threads that compress panicked"),
        };
        let job = Job { fill: Box::new(fill), made };
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        sent.and_then(Result::ok).ok_or_else(ended)?;
        Ok(receiver)
    }

    /// Ends the threads. Returns the first failure of a GPU, if there was one.
    pub fn end(mut self) -> Option<DeviceError> {
        self.join();
        self.failure.get().cloned()
    }
}

impl<E> GpuCompressor<E> {
    fn join(&mut self) {
        self.jobs = None;
        for thread in mem::take(&mut self.threads) {
            // A panic has been noticed where its blocks were awaited.
            let _ = thread.join();
        }
    }
}

impl<E> Drop for GpuCompressor<E> {
    fn drop(&mut self) {
        self.join();
    }
}

/// Returns a function that compresses batches with this compressor.
fn compress_with<B: Backend>(
    mut compressor: DeviceCompressor<B>,
) -> impl FnMut(&mut ContentBatch) -> Result<CompressedBlocks, DeviceError> {
    move |batch| match &batch.gathered {
        None => compressor.compress(&mut batch.slots, &batch.lengths),
        Some(Gathered { sources, .. }) => {
            #[allow(unsafe_code)]
            // SAFETY: who called `ContentBatch::gather` promised it, and the batch has what keeps the bytes.
            unsafe {
                compressor.compress_gathered(sources, &batch.lengths)
            }
        }
    }
}

/// Compresses batches, each filled in the memory of `batch`, until there are no more; on the GPU, and after its failure as `after`
/// says.
fn compress_all<C, E>(
    queue: &Mutex<Receiver<Job<E>>>,
    (mut batch, mut on_gpu): (ContentBatch, Option<C>),
    (after, failure): (AfterFailure, &OnceLock<DeviceError>),
) where
    C: FnMut(&mut ContentBatch) -> Result<CompressedBlocks, DeviceError>,
{
    // The queue is locked only while a thread waits for a job, which no other thread can take meanwhile.
    let next = || lock(queue).recv().ok();
    while let Some(Job { fill, made }) = next() {
        let besides = fill(&mut batch);
        let compressed = on_gpu.as_mut().map(|compress| compress(&mut batch));
        // What was gathered is needed no longer.
        batch.gathered = None;
        if let Some(Err(reason)) = &compressed {
            // Only the first failure is told.
            let _ = failure.set(reason.clone());
            on_gpu = None;
        }
        let blocks = match (compressed, after) {
            (Some(Ok(blocks)), _) => Blocks::Device(blocks),
            (_, AfterFailure::Cpu(level)) => Blocks::Host(batch.blocks_of_cpu(level)),
            (failed, AfterFailure::End) => {
                if let Some(Err(reason)) = failed {
                    let _ = made.send(Err(reason));
                }
                return;
            }
        };
        // Nobody takes blocks any more if the file cannot be written.
        let _ = made.send(Ok((blocks, besides)));
    }
}

/// A compressor on the shim, in place of a GPU, whose threads fail after so many batches each; at once if that is 0. Then the CPU goes
/// on, unless contents are gathered.
#[cfg(test)]
pub fn on_shim<E: Send + 'static>(batches: usize, are_gathered: bool) -> GpuCompressor<E> {
    let make = move || {
        if batches == 0 {
            return Err(DeviceError::OutOfMemory(Some(7)));
        }
        let kernels = gpualign_tests::kernels("aligner-core", "deflate").expect("it is built");
        let backend = gpualign_tests::ShimBackend::new(kernels, 1);
        let compressor = DeviceCompressor::with_backend(backend, 16)?;
        let batch = ContentBatch::for_compressor(&compressor)?;
        let (mut compress, mut count) = (compress_with(compressor), 0);
        let fail_later = move |batch: &mut ContentBatch| {
            count += 1;
            if count > batches {
                return Err(DeviceError::OutOfMemory(None));
            }
            compress(batch)
        };
        Ok((batch, fail_later))
    };
    let on_cpu = AfterFailure::Cpu(Level::default());
    let after = if are_gathered { AfterFailure::End } else { on_cpu };
    GpuCompressor::start(after, vec![make; 2]).expect("threads")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn batches_keep_their_order_and_survive_failures() {
        for (batches, on_gpu, failure) in [
            (9, 5..=5, None),
            // One of the two threads may have taken no batch before the other one has failed and gone on.
            (1, 1..=2, Some(DeviceError::OutOfMemory(None))),
            (0, 0..=0, Some(DeviceError::OutOfMemory(Some(7)))),
        ] {
            let mut compressor = on_shim(batches, false);
            let (mut waiting, mut expected) = (Vec::new(), Vec::new());
            // Batches become shorter: nothing of an earlier one is left in their memory.
            for number in (0..5_u8).rev() {
                let lengths = (0..3).map(move |content| usize::from(number) * 10 + content);
                for (content, length) in lengths.clone().enumerate() {
                    expected.resize(expected.len() + length, number * 10 + content as u8);
                }
                let fill = move |batch: &mut ContentBatch| {
                    for (content, room) in batch.fill(lengths).enumerate() {
                        room.fill(number * 10 + content as u8);
                    }
                    number
                };
                waiting.push(compressor.compress(fill).expect("a thread"));
            }
            let made: Vec<(Blocks, u8)> =
                waiting.iter().map(|it| it.recv().expect("a thread").expect("blocks")).collect();
            let (made, numbers): (Vec<Blocks>, Vec<u8>) = made.into_iter().unzip();
            assert_eq!(numbers, [4, 3, 2, 1, 0]);
            let of_gpu = made.iter().filter(|it| matches!(it, Blocks::Device(_))).count();
            assert!(on_gpu.contains(&of_gpu), "{of_gpu}");
            let file = made.iter().flat_map(Blocks::to_slices).flatten().copied();
            let mut found = Vec::new();
            let file: Vec<u8> = file.collect();
            flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut found).expect("is gzip");
            assert!(found == expected, "{batches}");
            assert_eq!(compressor.end(), failure);
        }
    }
}
