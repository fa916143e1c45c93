//! Outputs that stay in device memory, for kernels that use them next.

use super::backend::Backend;
use crate::DeviceError;
use crate::stream::{Item, Metrics, SinkId};

/// The items that reached the sinks, in no particular order, in device memory.
pub struct DeviceOutputs<'b, B: Backend> {
    backend: &'b B,
    /// For each sink, buffers and the number of their bytes that are items.
    sinks: Vec<Vec<(B::Buffer, usize)>>,
    /// For each sink, the size of an item in bytes.
    item_bytes: Vec<usize>,
    /// Metrics of the run; empty without [`Settings::metrics`](crate::stream::Settings::metrics).
    pub metrics: Metrics,
    /// Seconds that the kernels took.
    pub device_seconds: f64,
}

/// An array of items in device memory.
pub struct DeviceItems<B: Backend> {
    /// Buffer that holds the items, one after the other.
    pub items: B::Buffer,
    /// Number of items in the buffer.
    pub count: usize,
}

impl<'b, B: Backend> DeviceOutputs<'b, B> {
    pub(super) fn new(
        backend: &'b B,
        sinks: Vec<Vec<(B::Buffer, usize)>>,
        item_bytes: Vec<usize>,
        metrics: Metrics,
        device_seconds: f64,
    ) -> Self {
        Self { backend, sinks, item_bytes, metrics, device_seconds }
    }

    /// For each sink, in the order of declaration, the number of bytes and the number of items that it has received.
    /// The latter suits [`Settings::likely_outputs`](crate::stream::Settings::likely_outputs) of a similar run.
    pub fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        let bytes = |parts: &Vec<(B::Buffer, usize)>| parts.iter().map(|&(_, len)| len).sum();
        let of_sink = |(bytes, &each): (usize, &usize)| (bytes, (bytes / each.max(1)) as u64);
        self.sinks.iter().map(bytes).zip(&self.item_bytes).map(of_sink)
    }

    /// Takes the items of some sinks, which are empty afterwards, as one array.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the array does not fit, or the device fails.
    ///
    /// # Panics
    /// If a sink belongs to a topology with more sinks.
    pub fn take<T: Item>(
        &mut self,
        sinks: impl IntoIterator<Item = SinkId<T>>,
    ) -> Result<DeviceItems<B>, DeviceError> {
        let take = |sink: SinkId<T>| std::mem::take(&mut self.sinks[sink.0]);
        let mut parts: Vec<(B::Buffer, usize)> = sinks.into_iter().flat_map(take).collect();
        let bytes = parts.iter().map(|&(_, len)| len).sum::<usize>();
        let count = bytes / size_of::<T>();
        if parts.len() == 1
            && let Some((items, _)) = parts.pop()
        {
            return Ok(DeviceItems { items, count });
        }
        let mut items = self.backend.uninitialized(bytes)?;
        let mut at = 0;
        for (part, len) in parts {
            self.backend.copy(&part, len, &mut items, at)?;
            at += len;
        }
        Ok(DeviceItems { items, count })
    }
}
