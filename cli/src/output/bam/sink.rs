//! The end of the way of blocks: a thread that writes them to the file, and one that tells the index of them.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use aligner_core::bgzf::END;

use super::gpu::Made;
use super::gpu_records::lost;
use crate::output::appended_file::AppendedFile;
use crate::output::hts::IndexBuilder;

/// Receives blocks that are to be written next, when they are compressed, and their records.
pub type MadeBlocks = Receiver<Made<BlockRecords>>;

/// Of each block, the records that end in it; empty without an index.
pub type BlockRecords = Vec<Vec<IndexedRecord>>;

/// The place of a record on its contig and in the file, for the index.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexedRecord {
    pub contig: i32,
    pub start: i64,
    pub end: i64,
    pub is_mapped: bool,
    /// The record's end in the content of its block.
    pub offset: u16,
}

/// Batches of blocks that are compressed, or wait to be written, behind the one that is written next: more than are compressed at
/// a time on four GPUs, as the first of them may be done last. A batch has a few megabytes.
const BATCHES_AHEAD: usize = 16;

/// The thread that writes blocks.
#[derive(Debug)]
pub struct SinkThread {
    /// Takes blocks that are to be written.
    pub blocks: SyncSender<MadeBlocks>,
    thread: JoinHandle<io::Result<Option<IndexBuilder>>>,
}

impl SinkThread {
    /// Begins the thread, which writes to `file` behind its first `written` bytes. The index begins there.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn begin(
        file: AppendedFile,
        index: Option<IndexBuilder>,
        written: u64,
    ) -> io::Result<Self> {
        let index = index.map(|index| IndexThread::begin(index, written)).transpose()?;
        let (blocks, receiver) = sync_channel(BATCHES_AHEAD);
        let sink = BlockSink { file, index };
        let thread = thread::Builder::new().name("bam".to_owned()).spawn(|| sink.run(receiver))?;
        Ok(Self { blocks, thread })
    }

    /// Waits for the end of the thread, and returns the complete index.
    ///
    /// # Errors
    /// If something could not be written, or a GPU failed that had records.
    pub fn end(self) -> io::Result<Option<IndexBuilder>> {
        drop(self.blocks);
        let panicked = |_| io::Error::other("the thread that writes panicked");
        self.thread.join().map_err(panicked)?
    }
}

/// The file and the thread of its index, which the thread that writes has.
struct BlockSink {
    file: AppendedFile,
    index: Option<IndexThread>,
}

impl BlockSink {
    /// Writes all blocks that come, then the end of the file, and closes it. Returns the complete index.
    fn run(mut self, made: Receiver<MadeBlocks>) -> io::Result<Option<IndexBuilder>> {
        for made in made {
            let panicked = |_| io::Error::other("a thread that compresses panicked");
            let (blocks, records) = made.recv().map_err(panicked)?.map_err(lost)?;
            let blocks = blocks.to_slices();
            self.file.write(&blocks)?;
            if let Some(index) = &self.index {
                let ends = blocks.iter().map(|block| block.len()).zip(records).collect();
                if index.blocks.send(ends).is_err() {
                    // The thread ends early only with an error.
                    break;
                }
            }
        }
        self.file.write(&[END])?;
        self.file.close()?;
        self.index.map(IndexThread::end).transpose()
    }
}

/// The thread that tells the index of blocks.
struct IndexThread {
    /// Takes the bytes of each block, in order, and the records that end in it.
    blocks: SyncSender<Vec<(usize, Vec<IndexedRecord>)>>,
    thread: JoinHandle<io::Result<IndexBuilder>>,
}

impl IndexThread {
    /// Begins the thread; the first block will begin at the byte `written` of the file.
    fn begin(mut index: IndexBuilder, mut written: u64) -> io::Result<Self> {
        let (blocks, received) = sync_channel(BATCHES_AHEAD);
        let run = move || {
            for (size, records) in received.into_iter().flatten() {
                for record in records {
                    let IndexedRecord { contig, start, end, is_mapped, offset } = record;
                    let offset = written << 16 | u64::from(offset);
                    index.push(contig, start..end, offset, is_mapped)?;
                }
                written += size as u64;
            }
            index.finish(written << 16)?;
            Ok(index)
        };
        let thread = thread::Builder::new().name("index".to_owned()).spawn(run)?;
        Ok(Self { blocks, thread })
    }

    /// Waits for the complete index.
    fn end(self) -> io::Result<IndexBuilder> {
        drop(self.blocks);
        let panicked = |_| io::Error::other("the thread of the index panicked");
        self.thread.join().map_err(panicked)?
    }
}
