//! Threads for aligning, formatting and writing, through which tiles pass in order.
//!
//! ```text
//!   pairs --tiles--> queue --> a thread for each device --> format --> write, in order
//! ```

use std::iter;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Result, anyhow};
use nw_batch::{Aligner, BatchResults, SequencePair};
use rayon::prelude::*;

use crate::commands::nw::compression::{Compression, PART_BYTES};
use crate::commands::nw::format::PairFormatter;
use crate::commands::nw::tile_writer::TileWriter;
use crate::commands::nw::tiles::{Tile, TileEnd, TileLimits, Tiles};
use crate::console::Console;
use crate::timeline::{Step, Timeline};
use crate::workers::{Wanted, WorkQueue};

/// Pairs with scores only that a thread formats at a time.
const SCORES_PER_PIECE: usize = 1 << 12;

/// Pairs with alignments that a thread formats at a time.
const ALIGNMENTS_PER_PIECE: usize = 1 << 8;

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

/// Tile of pairs with their results.
struct AlignedTile {
    pairs: Vec<SequencePair>,
    results: BatchResults,
    end: TileEnd,
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
        thread::scope(|scope| {
            let (queue, to_format) = WorkQueue::new(scope, tiles, 0);
            let (formatted, to_write) = sync_channel(1);
            // Written pieces come back, so that their memory is used again.
            let (written, buffers) = channel();
            let formatter = scope.spawn(move || self.format(to_format, &formatted, &buffers));
            let writing = scope.spawn(move || self.write(to_write, &written, writer));
            for aligner in aligners {
                let queue = queue.clone();
                scope.spawn(move || self.align(&queue, aligner, (limits, count)));
            }
            drop(queue);
            // When formatting ends, so do the aligners.
            let formatted = join(formatter, "formatting")?;
            join(writing, "writing")??;
            formatted
        })?;
        Ok(*lock(count))
    }

    /// Aligns tiles until there are no more, and counts them. A GPU always has work, since the next tile is begun before one
    /// is waited for.
    fn align(
        &self,
        queue: &WorkQueue<'_, Tile, AlignedTile>,
        aligner: &mut Aligner<'_>,
        (tile_limits, all): (&Mutex<TileLimits>, &Mutex<AlignedCount>),
    ) {
        let begin = |aligner: &mut Aligner<'_>| {
            self.timeline.time(Step::Prepare, "tile", || {
                let (tile, results) = queue.pull(|| false)?;
                let begun = tile.map(|Tile { pairs, cells, dropped, end }| {
                    (aligner.begin(pairs), cells, dropped, end)
                });
                Some((begun, results))
            })
        };
        let mut current = begin(aligner);
        while let Some((tile, results)) = current {
            current = begin(aligner);
            let aligned = tile.map(|(pending, cells, dropped, end)| {
                let (pairs, results) =
                    self.timeline.time(Step::Align, "tile", || aligner.finish(pending));
                let mut all = lock(all);
                all.cells += cells;
                all.pairs += pairs.len() as u64;
                self.console.advance_pairs(pairs.len() as u64 + dropped, all.cells);
                AlignedTile { pairs, results, end }
            });
            if results.send(aligned) == Wanted::Nothing {
                // The writer has stopped, and its error tells why.
                break;
            }
            if aligner.failure().is_some() {
                // Tiles for a GPU are too large for the processor.
                let mut common = lock(tile_limits);
                *common = common.smaller(cpu_limits());
            }
        }
    }

    /// Formats tiles until no more arrive, in the buffers of written tiles.
    fn format(
        &self,
        tiles: Receiver<Result<AlignedTile>>,
        to: &SyncSender<FormattedTile>,
        buffers: &Receiver<Vec<Vec<u8>>>,
    ) -> Result<()> {
        for tile in tiles {
            let AlignedTile { pairs, results, end } = tile?;
            let size = match results {
                BatchResults::Scores(_) => SCORES_PER_PIECE,
                BatchResults::Alignments(_) => ALIGNMENTS_PER_PIECE,
            };
            let mut pieces = buffers.try_recv().unwrap_or_default();
            self.timeline.time(Step::Format, "tile", || {
                pieces.resize_with(pairs.len().div_ceil(size), Vec::new);
                let chunks = pieces.par_iter_mut().zip(pairs.par_chunks(size));
                chunks.enumerate().for_each(|(chunk, (piece, pairs))| {
                    piece.clear();
                    for (place, &pair) in (chunk * size..).zip(pairs) {
                        self.formatter.pair(pair, &results, place, piece);
                    }
                });
                self.compress(&mut pieces)
            })?;
            if to.send(FormattedTile { pieces, end }).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Compresses pieces, of which many small ones become a large one.
    fn compress(&self, pieces: &mut Vec<Vec<u8>>) -> Result<()> {
        if self.compression == Compression::None {
            return Ok(());
        }
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for piece in pieces.drain(..) {
            match parts.last_mut() {
                Some(part) if part.len() < PART_BYTES => part.extend_from_slice(&piece),
                _ => parts.push(piece),
            }
        }
        let compressed = parts.into_par_iter().map(|part| self.compression.compress(part));
        *pieces = compressed.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Writes tiles until no more arrive, and gives their buffers back.
    fn write(
        &self,
        tiles: Receiver<FormattedTile>,
        buffers: &Sender<Vec<Vec<u8>>>,
        writer: &mut TileWriter,
    ) -> Result<()> {
        for FormattedTile { pieces, end } in tiles {
            self.timeline.time(Step::Write, "tile", || writer.add(&pieces, end))?;
            // At the end no thread receives buffers any more.
            let _ = buffers.send(pieces);
        }
        Ok(())
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

/// Locks a mutex. No thread panics while it holds one of this module.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
