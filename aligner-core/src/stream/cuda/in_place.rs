//! Outputs that stay in the device's memory, for kernels that go on with them.

use super::backend::Backend;
use crate::DeviceError;
use crate::stream::{Item, Metrics, SinkId};

/// The items that reached the sinks, in no particular order, in the memory of a device.
pub struct DeviceOutputs<'b, B: Backend> {
    backend: &'b B,
    /// For each sink, buffers and how many of their bytes are items.
    sinks: Vec<Vec<(B::Buffer, usize)>>,
    /// The bytes of an item of each.
    item_bytes: Vec<usize>,
    /// What the run measured of itself; empty without [`super::Settings::metrics`].
    pub metrics: Metrics,
    /// Seconds that the device's kernels took.
    pub device_seconds: f64,
}

/// An array in the memory of a device.
pub struct DeviceItems<B: Backend> {
    /// The items, one after the other.
    pub items: B::Buffer,
    /// How many there are.
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

    /// How many bytes of items each sink has, in the order in which sinks were declared, and how many items: what
    /// [`super::Settings::likely_outputs`] takes.
    pub fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        let bytes = |parts: &Vec<(B::Buffer, usize)>| parts.iter().map(|&(_, len)| len).sum();
        let of_sink = |(bytes, &each): (usize, &usize)| (bytes, (bytes / each.max(1)) as u64);
        self.sinks.iter().map(bytes).zip(&self.item_bytes).map(of_sink)
    }

    /// Takes the items of some sinks, which are empty afterwards, as one array.
    ///
    /// # Errors
    /// If there is no memory for that, or the device fails.
    ///
    /// # Panics
    /// If a sink is of another topology, which has more of them.
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
