//! Small arrays that lie in one array of device memory: one allocation and one copy for all of them.
//!
//! A run has some twenty tables and counters. Each call of the driver takes microseconds, takes its turn among those of all
//! threads of a process, and a batch of reads takes several runs.

use std::ops::Range;

use super::backend::Backend;
use crate::gpu::DeviceAddress;

/// Parts begin at multiples of this, as arrays of the driver do.
const ALIGNMENT: usize = 256;

/// The place of a part, in bytes.
pub(super) type Part = Range<usize>;

/// The places of the parts of an array.
#[derive(Debug, Default)]
pub(super) struct Places {
    end: usize,
}

impl Places {
    /// Appends a part of so many bytes.
    pub(super) fn add(&mut self, bytes: usize) -> Part {
        let begin = self.end.next_multiple_of(ALIGNMENT);
        self.end = begin + bytes;
        begin..self.end
    }

    /// Bytes of the array.
    pub(super) fn bytes(&self) -> usize {
        self.end
    }
}

/// The contents of an array that consists of parts.
#[derive(Debug, Default)]
pub(super) struct Parts {
    places: Places,
    contents: Vec<u8>,
}

impl Parts {
    /// Appends a part of so many zeros.
    pub(super) fn zeros(&mut self, bytes: usize) -> Part {
        let part = self.places.add(bytes);
        self.contents.resize(part.end, 0);
        part
    }

    /// Appends a part with these bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Part {
        let part = self.zeros(bytes.len());
        self.set(&part, bytes);
        part
    }

    /// Replaces the bytes of a part.
    pub(super) fn set(&mut self, part: &Part, bytes: &[u8]) {
        self.contents[part.clone()].copy_from_slice(bytes);
    }

    /// The contents of the array.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.contents
    }
}

/// The address of a part of an array.
pub(super) fn address<B: Backend, T>(
    backend: &B,
    buffer: &B::Buffer,
    part: &Part,
) -> DeviceAddress<T> {
    DeviceAddress::new(backend.address(buffer) + part.start as u64)
}
