//! Compressing blocks of BGZF, on a GPU and on the CPU.

use std::thread;

use aligner_core::bgzf::{BLOCK_BYTES, CONTENT_BYTES, DeviceCompressor};
use aligner_core::gpu::{Gpu, UploadBuffer};
use aligner_core::stream::CudaBackend;
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::BenchError;
use crate::timing::{median, repeat};

/// Levels of libdeflate on the CPU: the default of gpualign, and the one that samtools takes by default.
const LEVELS: [i32; 2] = [1, 7];

/// Batches that are compressed at the same time, as the program does.
const THREADS: usize = 2;

/// The amount of data to compress, and how often.
#[derive(Debug, Clone, Copy)]
pub struct BgzfOptions {
    /// Contents in all, which are taken from the input in turn.
    pub contents: usize,
    /// Contents of a batch.
    pub batch: usize,
    /// Timed runs of each case.
    pub runs: usize,
}

/// The speed of compressing all contents in one way.
#[derive(Debug, Clone, Serialize)]
pub struct BgzfTiming {
    /// The way: `kernel`, `copies`, `two streams`, or a level of libdeflate on all threads.
    pub name: String,
    /// Bytes of all contents.
    pub bytes: usize,
    /// Bytes of all blocks by bytes of their contents.
    pub ratio: f64,
    /// Seconds, the median of all runs.
    pub seconds: f64,
    /// Bytes of content by `seconds`, in 10^9 a second.
    pub gigabytes: f64,
}

impl BgzfTiming {
    fn new(name: &str, bytes: usize, compressed: usize, seconds: f64) -> Self {
        let (ratio, gigabytes) = (compressed as f64 / bytes as f64, bytes as f64 / seconds / 1e9);
        Self { name: name.to_owned(), bytes, ratio, seconds, gigabytes }
    }
}

/// Contents of a batch, as [`DeviceCompressor`] takes them.
struct Batch {
    slots: UploadBuffer,
    lengths: Vec<u32>,
}

impl Batch {
    fn new(
        contents: &[&[u8]],
        compressor: &DeviceCompressor<CudaBackend>,
    ) -> Result<Self, BenchError> {
        let mut slots = compressor.upload_buffer()?;
        for (slot, content) in slots.bytes_mut().chunks_mut(BLOCK_BYTES).zip(contents) {
            slot[..content.len()].copy_from_slice(content);
        }
        Ok(Self { slots, lengths: contents.iter().map(|content| content.len() as u32).collect() })
    }

    fn contents(&self) -> Vec<&[u8]> {
        let slots = self.slots.bytes().chunks(BLOCK_BYTES).zip(&self.lengths);
        slots.map(|(slot, &length)| &slot[..length as usize]).collect()
    }

    /// Compresses the batch, and returns the bytes of its blocks.
    fn compress(
        &mut self,
        compressor: &mut DeviceCompressor<CudaBackend>,
    ) -> Result<usize, BenchError> {
        let made = compressor.compress(&mut self.slots, &self.lengths)?;
        Ok(made.iter().map(<[u8]>::len).sum())
    }

    /// Compresses the batch, and checks that its blocks have its contents.
    fn check(&mut self, compressor: &mut DeviceCompressor<CudaBackend>) -> Result<(), BenchError> {
        let made = compressor.compress(&mut self.slots, &self.lengths)?;
        let blocks: Vec<&[u8]> = made.iter().collect();
        let is_wrong = |(block, content): &(&&[u8], &&[u8])| {
            let mut found = vec![0; content.len()];
            let size = Decompressor::new().gzip_decompress(block, &mut found);
            size != Ok(content.len()) || found != **content
        };
        let contents = self.contents();
        match blocks.par_iter().zip(&contents).filter(is_wrong).count() {
            0 => Ok(()),
            wrong => Err(BenchError::WrongBlocks { wrong, all: contents.len() }),
        }
    }
}

/// Measures the GPU's kernel alone, with copies, and with two streams; and libdeflate on the current rayon pool. `progress`
/// gets the name of each step before it begins. The input is not empty.
///
/// # Errors
/// If the GPU fails, or a block has another content than the input's.
pub fn bgzf(
    gpu: &Gpu,
    input: &[u8],
    options: BgzfOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<BgzfTiming>, BenchError> {
    let BgzfOptions { contents, batch, runs } = options;
    let all: Vec<&[u8]> = input.chunks(CONTENT_BYTES).cycle().take(contents).collect();
    let bytes = all.iter().map(|content| content.len()).sum();
    let mut compressors: Vec<DeviceCompressor<CudaBackend>> = (0..THREADS)
        .map(|_| DeviceCompressor::new(&gpu.with_own_stream()?, batch))
        .collect::<Result<_, _>>()?;
    let compressor = &mut compressors[0];
    let of_batch = |contents: &[&[u8]]| Batch::new(contents, compressor);
    let mut batches: Vec<Batch> = all.chunks(batch).map(of_batch).collect::<Result<_, _>>()?;
    let mut timings = Vec::new();

    progress("checking");
    batches.iter_mut().try_for_each(|batch| batch.check(compressor))?;
    progress("kernel");
    let mut kernel = || -> Result<f64, BenchError> {
        let measure = |batch: &mut Batch| Ok(compressor.measure(&mut batch.slots, &batch.lengths)?);
        batches.iter_mut().map(measure).sum()
    };
    let seconds: Vec<f64> = (0..runs).map(|_| kernel()).collect::<Result<_, _>>()?;
    progress("copies");
    let (compressed, with_copies) =
        repeat(runs, || batches.iter_mut().map(|batch| batch.compress(compressor)).sum())?;
    timings.push(BgzfTiming::new("kernel", bytes, compressed, median(&seconds)));
    timings.push(BgzfTiming::new("copies", bytes, compressed, with_copies));
    progress("two streams");
    let compress_all = |compressor: &mut DeviceCompressor<CudaBackend>, own: &mut [Batch]| {
        let compressed = own.iter_mut().map(|batch| batch.compress(compressor));
        compressed.sum::<Result<usize, BenchError>>()
    };
    let share = batches.len().div_ceil(THREADS).max(1);
    let (compressed, seconds) = repeat(runs, || {
        thread::scope(|scope| {
            let shares = compressors.iter_mut().zip(batches.chunks_mut(share));
            let started: Vec<_> = shares
                .map(|(compressor, own)| scope.spawn(move || compress_all(compressor, own)))
                .collect();
            let ended = started.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            ended.sum::<Result<usize, BenchError>>()
        })
    })?;
    timings.push(BgzfTiming::new("two streams", bytes, compressed, seconds));

    for level in LEVELS {
        let name = format!("libdeflate {level}");
        progress(&name);
        let make = || {
            // All of `LEVELS` are levels of libdeflate.
            let level = CompressionLvl::new(level).unwrap_or_default();
            (Compressor::new(level), vec![0; 2 * BLOCK_BYTES])
        };
        let compress = |(compressor, room): &mut (Compressor, Vec<u8>), content: &&[u8]| {
            // There is room for any content.
            compressor.gzip_compress(content, room).unwrap_or_default()
        };
        let (compressed, seconds) =
            repeat(runs, || Ok(all.par_iter().map_init(make, compress).sum()))?;
        timings.push(BgzfTiming::new(&name, bytes, compressed, seconds));
    }
    Ok(timings)
}

/// A table with a line for each way.
pub fn bgzf_table(timings: &[BgzfTiming]) -> String {
    let line = |[name, megabytes, ratio, ms, speed]: [String; 5]| {
        format!("{name:<14} {megabytes:>9} {ratio:>7} {ms:>9} {speed:>7}\n")
    };
    let row = |timing: &BgzfTiming| {
        line([
            timing.name.clone(),
            format!("{:.0}", timing.bytes as f64 / 1e6),
            format!("{:.4}", timing.ratio),
            format!("{:.2}", timing.seconds * 1e3),
            format!("{:.2}", timing.gigabytes),
        ])
    };
    line(["way", "MB", "ratio", "ms", "GB/s"].map(str::to_owned))
        + &timings.iter().map(row).collect::<String>()
}
