//! Aligning, formatting and writing: a thread each, through which tiles pass in order.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Result, anyhow};
use nw_batch::{Aligner, BatchResults, SequencePair};
use rayon::prelude::*;

use crate::commands::nw::body::TileWriter;
use crate::commands::nw::format::PairFormatter;
use crate::commands::nw::job::{PairCursor, JobPairs, TileLimits};
use crate::console::Console;
use crate::timeline::{Step, Timeline};

/// Pairs that are formatted at a time.
const FORMATTED: usize = 1 << 12;

/// The same, of pairs with alignments.
const ALIGNMENTS_FORMATTED: usize = 1 << 8;

/// What all threads use.
pub struct Pipeline<'a> {
    pub job: &'a JobPairs<'a>,
    pub formatter: &'a PairFormatter<'a>,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

/// An aligned tile.
struct AlignedTile {
    pairs: Vec<SequencePair>,
    found: BatchResults,
    /// The pair behind it.
    next: PairCursor,
}

/// A tile's output, in pieces.
struct FormattedTile {
    pieces: Vec<Vec<u8>>,
    next: PairCursor,
}

impl Pipeline<'_> {
    /// Aligns and writes everything from a pair on; gives the cells of the matrices.
    pub fn run(&self, begin: PairCursor, aligner: &mut Aligner<'_>, body: &mut TileWriter) -> Result<u64> {
        thread::scope(|scope| {
            let (aligned, to_format) = sync_channel(0);
            let (formatted, to_write) = sync_channel(1);
            // Pieces come back, and their memory is used again.
            let (written, spares) = channel();
            let formatter = scope.spawn(move || self.format(to_format, &formatted, &spares));
            let writer = scope.spawn(move || self.write(to_write, &written, body));
            let cells = self.align(begin, aligner, &aligned);
            drop(aligned);
            join(formatter, "formatting")?;
            join(writer, "writing")??;
            Ok(cells)
        })
    }

    /// Has all tiles aligned. A GPU always has work: the next tile is begun before one is waited for.
    fn align(
        &self,
        mut cursor: PairCursor,
        aligner: &mut Aligner<'_>,
        to: &SyncSender<AlignedTile>,
    ) -> u64 {
        let mut begin = |aligner: &mut Aligner<'_>| {
            self.timeline.time(Step::Prepare, "tile", || {
                let (pairs, cells) = self.job.tile(&mut cursor, limits(aligner));
                (!pairs.is_empty()).then(|| (aligner.begin(pairs), cells, cursor))
            })
        };
        let mut all = 0;
        let mut under_way = begin(aligner);
        while let Some((pending, cells, next)) = under_way {
            under_way = begin(aligner);
            let (pairs, found) =
                self.timeline.time(Step::Align, "tile", || aligner.finish(pending));
            all += cells;
            self.console.advance_pairs(pairs.len() as u64, all);
            if to.send(AlignedTile { pairs, found, next }).is_err() {
                // The writer has stopped, and tells why itself.
                break;
            }
        }
        all
    }

    /// Formats tiles until no more come.
    fn format(
        &self,
        tiles: Receiver<AlignedTile>,
        to: &SyncSender<FormattedTile>,
        spares: &Receiver<Vec<Vec<u8>>>,
    ) {
        for AlignedTile { pairs, found, next } in tiles {
            let size = match found {
                BatchResults::Scores(_) => FORMATTED,
                BatchResults::Alignments(_) => ALIGNMENTS_FORMATTED,
            };
            let mut pieces = spares.try_recv().unwrap_or_default();
            self.timeline.time(Step::Format, "tile", || {
                pieces.resize_with(pairs.len().div_ceil(size), Vec::new);
                let chunks = pieces.par_iter_mut().zip(pairs.par_chunks(size));
                chunks.enumerate().for_each(|(chunk, (piece, pairs))| {
                    piece.clear();
                    for (place, &pair) in (chunk * size..).zip(pairs) {
                        self.formatter.pair(pair, &found, place, piece);
                    }
                });
            });
            if to.send(FormattedTile { pieces, next }).is_err() {
                break;
            }
        }
    }

    /// Writes tiles until no more come.
    fn write(
        &self,
        tiles: Receiver<FormattedTile>,
        spares: &Sender<Vec<Vec<u8>>>,
        body: &mut TileWriter,
    ) -> Result<()> {
        for FormattedTile { pieces, next } in tiles {
            self.timeline.time(Step::Write, "tile", || body.add(&pieces, next))?;
            // At the end nobody wants them any more.
            let _ = spares.send(pieces);
        }
        Ok(())
    }
}

/// What a tile may have: a fraction of a second of a GPU, some seconds of a CPU.
fn limits(aligner: &Aligner<'_>) -> TileLimits {
    match aligner.device_memory() {
        // Directions take about half a byte a cell; CIGARs up to a few KB.
        Some(memory) if aligner.traces() => TileLimits { pairs: 1 << 16, cells: memory.min(1 << 37) },
        Some(_) => TileLimits { pairs: 1 << 19, cells: 1 << 40 },
        None => TileLimits { pairs: 1 << 14, cells: 1 << 33 },
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, T>, name: &str) -> Result<T> {
    thread.join().map_err(|_| anyhow!("the {name} thread panicked"))
}
