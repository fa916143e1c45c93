//! The packed queries of a batch in the memory of a device.

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use bytemuck::cast_slice;

use crate::read::queries::{PackedQueries, Queries};

/// The packed queries of a batch in the memory of a device, which is freed with this.
#[derive(Debug)]
pub struct DeviceQueries<T> {
    /// Bases of all queries ([`Queries::words`]).
    pub words: T,
    /// Unknown bases of all queries ([`Queries::unknown`]).
    pub unknown: T,
    /// First word of each query ([`Queries::word_offsets`]).
    pub word_offsets: T,
    /// Bases before each query ([`Queries::offsets`]).
    pub offsets: T,
}

impl<T> DeviceQueries<T> {
    /// Copies queries to a device.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn new(backend: &impl Backend<Buffer = T>, queries: &Queries) -> Result<Self, DeviceError> {
        let bases = [queries.words(), queries.unknown()];
        Self::of_arrays(backend, bases, [queries.word_offsets(), queries.offsets()])
    }

    /// Copies the queries with these numbers to a device, where they are numbered from 0, in this order.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_some(
        backend: &impl Backend<Buffer = T>,
        queries: &Queries,
        numbers: &[u32],
    ) -> Result<Self, DeviceError> {
        let packed = || numbers.iter().map(|&number| queries.packed(number));
        let count = packed().map(|query| query.words.len()).sum();
        let (mut words, mut unknown) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut word_offsets = Vec::with_capacity(1 + numbers.len());
        let mut offsets = Vec::with_capacity(1 + numbers.len());
        word_offsets.push(0);
        offsets.push(0);
        let mut bases = 0;
        for query in packed() {
            words.extend_from_slice(query.words);
            unknown.extend_from_slice(query.unknown);
            bases += query.length;
            word_offsets.push(words.len() as u32);
            offsets.push(bases as u32);
        }
        Self::of_arrays(backend, [&words, &unknown], [&word_offsets, &offsets])
    }

    fn of_arrays(
        backend: &impl Backend<Buffer = T>,
        [words, unknown]: [&[u64]; 2],
        [word_offsets, offsets]: [&[u32]; 2],
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            words: backend.upload(cast_slice(words))?,
            unknown: backend.upload(cast_slice(unknown))?,
            word_offsets: backend.upload(cast_slice(word_offsets))?,
            offsets: backend.upload(cast_slice(offsets))?,
        })
    }

    /// The addresses of the queries, for kernels; valid as long as this.
    pub fn packed(&self, backend: &impl Backend<Buffer = T>) -> PackedQueries {
        PackedQueries {
            words: backend.device_address(&self.words),
            unknown: backend.device_address(&self.unknown),
            word_offsets: backend.device_address(&self.word_offsets),
            offsets: backend.device_address(&self.offsets),
        }
    }
}
