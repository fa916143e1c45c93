//! Threads for aligning, formatting and writing, through which tiles pass in order.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Result, anyhow};
use nw_batch::{Aligner, BatchResults, SequencePair};
use rayon::prelude::*;

use crate::commands::nw::format::PairFormatter;
use crate::commands::nw::tile_writer::TileWriter;
use crate::commands::nw::tiles::{Tile, TileEnd, TileLimits, Tiles};
use crate::console::Console;
use crate::timeline::{Step, Timeline};

/// Pairs with scores only that a thread formats at a time.
const SCORES_PER_PIECE: usize = 1 << 12;

/// Pairs with alignments that a thread formats at a time.
const ALIGNMENTS_PER_PIECE: usize = 1 << 8;

/// Values that all threads use.
pub struct Pipeline<'a> {
    pub formatter: &'a PairFormatter<'a>,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

/// What was aligned.
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
    /// Aligns and writes all tiles; returns how much that was.
    ///
    /// # Errors
    /// If results cannot be written.
    pub fn run(
        &self,
        tiles: Tiles<'_>,
        aligner: &mut Aligner<'_>,
        writer: &mut TileWriter,
    ) -> Result<AlignedCount> {
        thread::scope(|scope| {
            let (aligned, to_format) = sync_channel(0);
            let (formatted, to_write) = sync_channel(1);
            // Written pieces come back, so that their memory is used again.
            let (written, buffers) = channel();
            let formatter = scope.spawn(move || self.format(to_format, &formatted, &buffers));
            let writing = scope.spawn(move || self.write(to_write, &written, writer));
            let count = self.align(tiles, aligner, &aligned);
            drop(aligned);
            join(formatter, "formatting")?;
            join(writing, "writing")??;
            Ok(count)
        })
    }

    /// Aligns all tiles and sends them on; returns how much that was. A GPU always has work, since the next
    /// tile is begun before one is waited for.
    fn align(
        &self,
        mut tiles: Tiles<'_>,
        aligner: &mut Aligner<'_>,
        to: &SyncSender<AlignedTile>,
    ) -> AlignedCount {
        let mut begin = |aligner: &mut Aligner<'_>| {
            self.timeline.time(Step::Prepare, "tile", || {
                let Tile { pairs, cells, end } = tiles.next(limits(aligner))?;
                Some((aligner.begin(pairs), cells, end))
            })
        };
        let mut all = AlignedCount::default();
        let mut current = begin(aligner);
        while let Some((pending, cells, end)) = current {
            current = begin(aligner);
            let (pairs, results) =
                self.timeline.time(Step::Align, "tile", || aligner.finish(pending));
            all.cells += cells;
            all.pairs += pairs.len() as u64;
            self.console.advance_pairs(pairs.len() as u64, all.cells);
            if to.send(AlignedTile { pairs, results, end }).is_err() {
                // The writer has stopped, and its error tells why.
                break;
            }
        }
        all
    }

    /// Formats tiles until no more arrive, in the buffers of written tiles.
    fn format(
        &self,
        tiles: Receiver<AlignedTile>,
        to: &SyncSender<FormattedTile>,
        buffers: &Receiver<Vec<Vec<u8>>>,
    ) {
        for AlignedTile { pairs, results, end } in tiles {
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
            });
            if to.send(FormattedTile { pieces, end }).is_err() {
                break;
            }
        }
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

/// Limits of a tile: a fraction of a second's work for a GPU, some seconds' for a processor.
fn limits(aligner: &Aligner<'_>) -> TileLimits {
    match aligner.device_memory() {
        // Directions take about half a byte for each cell, CIGARs up to a few KB.
        Some(memory) if aligner.has_alignments() => {
            TileLimits { pairs: 1 << 16, cells: memory.min(1 << 37) }
        }
        Some(_) => TileLimits { pairs: 1 << 19, cells: 1 << 40 },
        None => TileLimits { pairs: 1 << 14, cells: 1 << 33 },
    }
}

/// Result of a thread.
fn join<T>(thread: ScopedJoinHandle<'_, T>, name: &str) -> Result<T> {
    thread.join().map_err(|_| anyhow!("the {name} thread panicked"))
}
