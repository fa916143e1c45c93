//! Records that are written together, and the pool of their memory.
//!
//! Threads that compress copy the contents of blocks out of a batch, so that the thread that writes does not have to. They own
//! it together, and the last one that is done gives the memory back.

use std::sync::Arc;
use std::{iter, mem};

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
#[derive(Debug, Default)]
pub struct RecordBatch {
    /// The records of the batch before that did not fill a block.
    open: EncodedRecords,
    records: Vec<EncodedRecords>,
    /// Where the memory of `records` is from.
    pool: Option<Arc<RecordPool>>,
}

impl RecordBatch {
    /// Records whose memory is freed when they are dropped.
    pub fn new(records: Vec<EncodedRecords>) -> Self {
        Self { open: EncodedRecords::default(), records, pool: None }
    }

    /// Records whose memory goes back to the pool that it is from when they are dropped.
    pub fn pooled(records: Vec<EncodedRecords>, pool: &Arc<RecordPool>) -> Self {
        let mut batch = Self::new(records);
        batch.pool = Some(Arc::clone(pool));
        batch
    }

    /// Puts the records of the batch before that did not fill a block before them.
    pub fn with_open(mut self, open: EncodedRecords) -> Self {
        self.open = open;
        self
    }

    /// The records, part by part.
    pub fn parts(&self) -> Vec<RecordSlice<'_>> {
        iter::once(&self.open).chain(&self.records).map(EncodedRecords::as_slice).collect()
    }
}

impl Drop for RecordBatch {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            for records in mem::take(&mut self.records) {
                pool.give_back(records);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of so many bytes.
    fn records(bytes: usize) -> EncodedRecords {
        EncodedRecords::restored(vec![0; bytes], vec![bytes as u32], Vec::new(), 1)
    }

    #[test]
    fn a_pool_gets_back_the_memory_that_it_gave() {
        let pool = Arc::default();
        let batch = || vec![records(10), records(MAX_POOLED + 1), EncodedRecords::default()];
        drop(RecordBatch::new(batch()));
        assert_eq!(RecordPool::take(&pool).memory(), 0);
        drop(RecordBatch::pooled(batch(), &pool).with_open(records(20)));
        let again = pool.take();
        assert!(again.memory() >= 10 && again.as_slice().bytes.is_empty());
        assert_eq!(pool.take().memory(), 0);
    }
}
