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
        Ok(Self {
            words: backend.upload(cast_slice(queries.words()))?,
            unknown: backend.upload(cast_slice(queries.unknown()))?,
            word_offsets: backend.upload(cast_slice(queries.word_offsets()))?,
            offsets: backend.upload(cast_slice(queries.offsets()))?,
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
