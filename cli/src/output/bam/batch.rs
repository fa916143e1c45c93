//! Records that are written together, and the pool of their memory.
//!
//! Threads that compress copy the contents of blocks out of a batch, so that the thread that writes does not have to. They own
//! it together, and the last one that is done gives the memory back.

use std::mem;
use std::sync::Arc;

use aligner_core::buffer_pool::BufferPool;

use super::records::{EncodedRecords, RecordSlice};

/// The most bytes of memory of records or lines that is used again.
pub const MAX_POOLED: usize = 1 << 22;

/// Memory of written records, used again since new memory costs as much as filling it, unless it is much more than most
/// records need.
#[derive(Debug, Default)]
pub struct RecordPool(BufferPool<EncodedRecords>);

impl RecordPool {
    /// No records, with memory of earlier ones if there is some.
    pub fn take(&self) -> EncodedRecords {
        self.0.take()
    }

    /// Takes the memory of records back.
    pub fn give_back(&self, mut records: EncodedRecords) {
        if (1..=MAX_POOLED).contains(&records.memory()) {
            records.clear();
            self.0.give_back(records);
        }
    }
}

/// Records that are written together, in order.
#[derive(Debug)]
pub struct RecordBatch {
    /// First those of the batch before that did not fill a block.
    records: Vec<EncodedRecords>,
    pool: Arc<RecordPool>,
}

impl RecordBatch {
    /// Records whose memory goes back to a pool when they are dropped.
    pub fn new(records: Vec<EncodedRecords>, pool: &Arc<RecordPool>) -> Self {
        Self { records, pool: Arc::clone(pool) }
    }

    /// Puts other records before them.
    pub fn prepend(&mut self, records: EncodedRecords) {
        self.records.insert(0, records);
    }

    /// The records, part by part.
    pub fn parts(&self) -> Vec<RecordSlice<'_>> {
        self.records.iter().map(EncodedRecords::as_slice).collect()
    }
}

impl Drop for RecordBatch {
    fn drop(&mut self) {
        for records in mem::take(&mut self.records) {
            self.pool.give_back(records);
        }
    }
}
