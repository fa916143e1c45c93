//! Threads for aligning and writing, through which tiles pass in order.
//!
//! ```text
//!   pairs --tiles--> queue --> a thread for each device: align, format --> write, in order
//! ```

use std::iter;
use std::sync::Mutex;
use std::sync::mpsc::Receiver;
use std::thread::{self, ScopedJoinHandle};

use aligner_core::buffer_pool::{BufferPool, lock};
use anyhow::{Result, anyhow};
use nw_batch::{Aligner, BatchResults, SequencePair};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::commands::nw::compression::{Compression, PART_BYTES};
use crate::commands::nw::format::PairFormatter;
use crate::commands::nw::tile_writer::TileWriter;
use crate::commands::nw::tiles::{Tile, TileEnd, TileLimits, Tiles};
use crate::console::Console;
use crate::options::thread_pool;
use crate::timeline::{Step, Timeline};
use crate::workers::{Wanted, WorkQueue};

/// Pairs with scores only that a thread formats at a time.
const SCORES_PER_PIECE: usize = 1 << 12;

/// Pairs with alignments that a thread formats at a time.
const ALIGNMENTS_PER_PIECE: usize = 1 << 8;

/// Threads for what the host does beside all GPUs of a run, if these have [`MOST_GPUS`] at most. They keep up with them, and where
/// a pool has more, those look for work all the time: of 128 threads as many as 25.
const HOST_THREADS: usize = 16;

/// The most GPUs that share [`HOST_THREADS`]; each of more has as many threads as one of these.
const MOST_GPUS: usize = 4;

/// Values that all threads use.
pub struct Pipeline<'a> {
    pub formatter: &'a PairFormatter<'a>,
    pub compression: Compression,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

/// Counts of pairs that were aligned.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlignedCount {
    pub pairs: u64,
    /// Number of cells of the pairs' matrices.
    pub cells: u64,
}

/// Output of a tile, in pieces.
struct FormattedTile {
    pieces: Vec<Vec<u8>>,
    end: TileEnd,
}

impl Pipeline<'_> {
    /// Aligns and writes all tiles, with an aligner for each device; returns how much that was.
    ///
    /// # Errors
    /// If results cannot be written.
    pub fn run(
        &self,
        mut tiles: Tiles<'_>,
        aligners: &mut [Aligner<'_>],
        writer: &mut TileWriter,
    ) -> Result<AlignedCount> {
        let devices = aligners.len();
        let all = aligners.iter().map(|aligner| limits(aligner, devices));
        let limits = &Mutex::new(all.reduce(TileLimits::smaller).unwrap_or_else(cpu_limits));
        let count = &Mutex::new(AlignedCount::default());
        let tiles = iter::from_fn(move || {
            let limits = *lock(limits);
            tiles.next(limits).map(Ok)
        });
        let hosts = aligners.iter().map(|aligner| HostThreads::beside(aligner, devices));
        let hosts: Vec<HostThreads> = hosts.collect::<Result<_>>()?;
        // Pieces that are written come back, so that their memory is used again.
        let buffers = &BufferPool::default();
        thread::scope(|scope| {
            let (queue, formatted) = WorkQueue::new(scope, tiles, 0);
            let writing = scope.spawn(move || self.write(formatted, buffers, writer));
            for (aligner, host) in aligners.iter_mut().zip(hosts) {
                let queue = queue.clone();
                let work = AlignerWork { pipeline: self, limits, count, host, buffers };
                scope.spawn(move || work.align(&queue, aligner));
            }
            drop(queue);
            join(writing, "writing")?
        })?;
        Ok(*lock(count))
    }

    /// Writes tiles until no more arrive, and gives their buffers back.
    fn write(
        &self,
        tiles: Receiver<Result<FormattedTile>>,
        buffers: &BufferPool<Vec<Vec<u8>>>,
        writer: &mut TileWriter,
    ) -> Result<()> {
        for tile in tiles {
            let FormattedTile { pieces, end } = tile?;
            self.timeline.time(Step::Write, "tile", || writer.add(&pieces, end))?;
            buffers.give_back(pieces);
        }
        Ok(())
    }
}

/// The work of an aligner's thread, with what it needs: all but `host` is shared with the other threads.
struct AlignerWork<'a> {
    pipeline: &'a Pipeline<'a>,
    limits: &'a Mutex<TileLimits>,
    count: &'a Mutex<AlignedCount>,
    host: HostThreads,
    buffers: &'a BufferPool<Vec<Vec<u8>>>,
}

impl AlignerWork<'_> {
    /// Aligns and formats tiles until there are no more. A GPU always has work, since the next tile is begun before one is
    /// waited for.
    fn align(&self, queue: &WorkQueue<'_, Tile, FormattedTile>, aligner: &mut Aligner<'_>) {
        let timeline = self.pipeline.timeline;
        let begin = |aligner: &mut Aligner<'_>| {
            timeline.time(Step::Prepare, "tile", || {
                let (tile, results) = queue.pull(|| false)?;
                let begun = tile.map(|Tile { pairs, cells, dropped, end }| {
                    (self.host.of(aligner, |aligner| aligner.begin(pairs)), cells, dropped, end)
                });
                Some((begun, results))
            })
        };
        let mut current = begin(aligner);
        while let Some((tile, results)) = current {
            current = begin(aligner);
            let formatted = tile.and_then(|(pending, cells, dropped, end)| {
                let (pairs, results) = timeline.time(Step::Align, "tile", || {
                    self.host.of(aligner, |aligner| aligner.finish(pending))
                });
                self.count(pairs.len() as u64, dropped, cells);
                let format = || self.host.run(|| self.format(&pairs, &results));
                let pieces = timeline.time(Step::Format, "tile", format)?;
                Ok(FormattedTile { pieces, end })
            });
            if results.send(formatted) == Wanted::Nothing {
                // The writer has stopped, and its error tells why.
                break;
            }
            if aligner.failure().is_some() {
                // Tiles for a GPU are too large for the processor.
                let mut common = lock(self.limits);
                *common = common.smaller(cpu_limits());
            }
        }
    }

    /// Counts so many pairs, besides those that were dropped, as aligned.
    fn count(&self, pairs: u64, dropped: u64, cells: u64) {
        let mut all = lock(self.count);
        all.cells += cells;
        all.pairs += pairs;
        self.pipeline.console.advance_pairs(pairs + dropped, all.cells);
    }

    /// The output of a tile, in buffers of written tiles.
    fn format(&self, pairs: &[SequencePair], results: &BatchResults) -> Result<Vec<Vec<u8>>> {
        let size = match results {
            BatchResults::Scores(_) => SCORES_PER_PIECE,
            BatchResults::Alignments(_) => ALIGNMENTS_PER_PIECE,
        };
        let mut pieces = self.buffers.take();
        pieces.resize_with(pairs.len().div_ceil(size), Vec::new);
        let chunks = pieces.par_iter_mut().zip(pairs.par_chunks(size));
        chunks.enumerate().for_each(|(chunk, (piece, pairs))| {
            piece.clear();
            for (place, &pair) in (chunk * size..).zip(pairs) {
                self.pipeline.formatter.pair(pair, results, place, piece);
            }
        });
        self.compress(&mut pieces)?;
        Ok(pieces)
    }

    /// Compresses pieces, of which many small ones become a large one.
    fn compress(&self, pieces: &mut Vec<Vec<u8>>) -> Result<()> {
        if self.pipeline.compression == Compression::None {
            return Ok(());
        }
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for piece in pieces.drain(..) {
            match parts.last_mut() {
                Some(part) if part.len() < PART_BYTES => part.extend_from_slice(&piece),
                _ => parts.push(piece),
            }
        }
        let compressed = parts.into_par_iter().map(|part| self.pipeline.compression.compress(part));
        *pieces = compressed.collect::<Result<_, _>>()?;
        Ok(())
    }
}

/// Threads for what the host does in parallel for an aligner: a pool of its own beside a GPU, so that no thread waits for another
/// GPU, or else the threads of the run.
struct HostThreads(Option<ThreadPool>);

impl HostThreads {
    /// Threads for an aligner, one of `devices`.
    fn beside(aligner: &Aligner<'_>, devices: usize) -> Result<Self> {
        let threads = HOST_THREADS / devices.clamp(1, MOST_GPUS);
        if aligner.device_memory().is_none() || threads >= rayon::current_num_threads() {
            return Ok(Self(None));
        }
        thread_pool(threads, "beside a GPU").map(|pool| Self(Some(pool)))
    }

    /// Runs work on these threads.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs work of an aligner: on all threads of the run once its GPU has failed, as a processor aligns then.
    fn of<'a, T: Send>(
        &self,
        aligner: &mut Aligner<'a>,
        work: impl FnOnce(&mut Aligner<'a>) -> T + Send,
    ) -> T {
        if aligner.failure().is_some() { work(aligner) } else { self.run(|| work(aligner)) }
    }
}

/// Most pairs of a tile for a processor.
const CPU_PAIRS: usize = 1 << 14;

/// Cells of a tile for each thread of a processor: enough that pairs of many lengths fill the lanes of vectors, and that threads
/// wait for the last groups of pairs during a small part of the time.
const CELLS_PER_THREAD: u64 = 1 << 36;

/// Limits of a tile for a processor.
fn cpu_limits() -> TileLimits {
    TileLimits { pairs: CPU_PAIRS, cells: CELLS_PER_THREAD * rayon::current_num_threads() as u64 }
}

/// Cells of a tile of scores for all GPUs together, a second's work for one: the longest pairs of a tile end alone, so tiles
/// are few, but each GPU gets several of a large run.
const SCORE_CELLS: u64 = 1 << 42;

/// Limits of a tile for an aligner of so many devices: up to a second's work for a GPU, some seconds' for a processor.
fn limits(aligner: &Aligner<'_>, devices: usize) -> TileLimits {
    match aligner.device_memory() {
        // Directions take about half a byte for each cell, CIGARs up to a few KB.
        Some(memory) if aligner.has_alignments() => {
            TileLimits { pairs: 1 << 16, cells: memory.min(1 << 37) }
        }
        Some(_) => TileLimits { pairs: 1 << 19, cells: SCORE_CELLS / devices as u64 },
        None => cpu_limits(),
    }
}

/// Result of a thread.
fn join<T>(thread: ScopedJoinHandle<'_, T>, name: &str) -> Result<T> {
    thread.join().map_err(|_| anyhow!("the {name} thread panicked"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use aligner_core::Device;
    use nw_batch::{Decimal, GapCosts, KernelChoice, ResultKind, Scoring};

    use super::*;
    use crate::commands::nw::args::NwFormat;
    use crate::commands::nw::input::NamedSequences;
    use crate::commands::nw::scoring::{DecimalCosts, NwScoring};
    use crate::commands::nw::tiles::{PairSelection, PairSource};
    use crate::options::Messages;

    #[test]
    fn any_number_of_devices_aligns_alike() {
        let gaps = GapCosts { open: 10, extend: 1 };
        let scoring = NwScoring {
            scoring: Scoring::with_match_mismatch(5, -4, gaps).expect("a scoring"),
            scale: 1,
            name: String::new(),
            costs: DecimalCosts { open: Decimal::from(10), extend: Decimal::from(1) },
        };
        let mut random = fastrand::Rng::with_seed(1);
        let mut sequences = NamedSequences::default();
        for number in 0..400 {
            let length = random.usize(..12);
            let letters: Vec<u8> = (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect();
            sequences.names.push(number.to_string());
            sequences
                .sequences
                .push(&scoring.scoring.alphabet().encode(&letters).expect("nucleotides"));
        }
        let formatter = PairFormatter {
            format: NwFormat::Tsv,
            scoring: &scoring,
            queries: &sequences,
            targets: &sequences,
            min_identity: None,
            distance: None,
        };
        let set = &sequences.sequences;
        let selection = PairSelection::AllVsAll { diagonal: false };
        let source = PairSource { selection, queries: set, targets: set };
        let console = Console::new(Messages { quiet: true, verbose: false });
        let folder = tempfile::tempdir().expect("a folder");
        let aligned = |count: usize| {
            let (kind, kernel) = (ResultKind::Alignments, KernelChoice::Auto);
            let aligner = |_| Aligner::new(&scoring.scoring, set, set, kind, Device::Cpu, kernel);
            let mut aligners: Vec<Aligner<'_>> =
                (0..count).map(aligner).collect::<Result<_, _>>().expect("aligners");
            let path = folder.path().join(count.to_string());
            let mut writer = TileWriter::new(fs::File::create(&path).expect("a file"));
            let timeline = Timeline::new();
            let pipeline = Pipeline {
                formatter: &formatter,
                compression: Compression::None,
                timeline: &timeline,
                console: &console,
            };
            let tiles = Tiles::from(&source, source.begin());
            let done = pipeline.run(tiles, &mut aligners, &mut writer).expect("aligns");
            assert_eq!(done.pairs, source.len(), "{count} devices");
            fs::read(path).expect("was written")
        };
        let expected = aligned(1);
        // More than one tile of a processor for each of three.
        assert!(source.len() > 4 * CPU_PAIRS as u64);
        for count in [2, 3] {
            assert!(aligned(count) == expected, "{count} devices");
        }
    }
}
