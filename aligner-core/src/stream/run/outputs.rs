//! Outputs of a run, and its progress.

use std::marker::PhantomData;

use crate::gpu::StagedDownload;
use crate::stream::graph::topology::SinkId;
use crate::stream::run::metrics::Metrics;
use crate::stream::stages::item::Item;

/// The items that reached the sinks, in no particular order.
#[derive(Debug, Default)]
pub struct Outputs {
    /// For each sink, the bytes of its items, in parts.
    sinks: Vec<Vec<Bytes>>,
    /// Metrics of the run; empty without [`Settings::metrics`](crate::stream::Settings::metrics).
    pub metrics: Metrics,
    /// Seconds that the kernels took on a GPU, without copies; 0 on the CPU.
    pub device_seconds: f64,
}

impl Outputs {
    pub(crate) fn new(sinks: Vec<Vec<Bytes>>, metrics: Metrics) -> Self {
        Self { sinks, metrics, device_seconds: 0.0 }
    }

    pub(crate) fn of_bytes(sinks: Vec<Vec<u8>>, metrics: Metrics) -> Self {
        Self::new(sinks.into_iter().map(|bytes| vec![Bytes::Owned(bytes)]).collect(), metrics)
    }

    /// Takes the items of a sink, which is empty afterwards.
    ///
    /// # Panics
    /// If the sink belongs to a topology with more sinks.
    pub fn take<T: Item>(&mut self, sink: SinkId<T>) -> Vec<T> {
        let parts = std::mem::take(&mut self.sinks[sink.0]);
        let len = parts.iter().map(|part| part.as_ref().len() / size_of::<T>()).sum();
        let mut items = vec![T::zeroed(); len];
        let mut bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
        for part in &parts {
            let (here, rest) = bytes.split_at_mut(part.as_ref().len());
            here.copy_from_slice(part.as_ref());
            bytes = rest;
        }
        items
    }

    /// Takes the items of a sink without copying them; the sink is empty afterwards.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    pub fn take_in_place<T: Item>(&mut self, sink: SinkId<T>) -> Items<T> {
        let parts = std::mem::take(&mut self.sinks[sink.0]);
        Items { parts: parts.into_iter().map(OutputPart::of).collect() }
    }
}

/// Bytes in the host's memory.
#[derive(Debug)]
pub enum Bytes {
    /// Bytes in a vector.
    Owned(Vec<u8>),
    /// Bytes in the page-locked staging buffer to which a GPU has copied them.
    StagedDownload(StagedDownload),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Owned(Vec::new())
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::StagedDownload(staged) => staged.bytes(),
        }
    }
}

/// Items of a sink in one or more parts: those that were copied at once, in the memory to which they were copied first.
#[derive(Debug)]
pub struct Items<T> {
    parts: Vec<OutputPart<T>>,
}

/// A part of the items of a sink.
#[derive(Debug)]
enum OutputPart<T> {
    /// Bytes that are aligned for the items.
    InPlace(Bytes, PhantomData<T>),
    /// A copy of bytes that were not aligned.
    Copied(Vec<T>),
}

impl<T: Item> OutputPart<T> {
    fn of(bytes: Bytes) -> Self {
        match bytemuck::try_cast_slice::<u8, T>(bytes.as_ref()) {
            Ok(_) => Self::InPlace(bytes, PhantomData),
            Err(_) => Self::Copied(bytemuck::pod_collect_to_vec(bytes.as_ref())),
        }
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        Self { parts: vec![OutputPart::Copied(items)] }
    }
}

impl<T: Item> From<Bytes> for Items<T> {
    fn from(bytes: Bytes) -> Self {
        Self { parts: vec![OutputPart::of(bytes)] }
    }
}

impl<T: Item> Items<T> {
    /// The items of one part, by its number.
    ///
    /// # Panics
    /// If there are fewer parts.
    #[inline]
    pub fn part(&self, number: usize) -> &[T] {
        match &self.parts[number] {
            OutputPart::InPlace(bytes, _) => bytemuck::cast_slice(bytes.as_ref()),
            OutputPart::Copied(items) => items,
        }
    }

    /// All items, where they are known to be in one part: items that were downloaded at once, or made from a vector.
    ///
    /// # Panics
    /// If there is another number of parts than one.
    #[inline]
    pub fn only_part(&self) -> &[T] {
        assert_eq!(self.parts.len(), 1, "the items are in one part");
        self.part(0)
    }

    /// The items of each part, in order.
    pub fn parts(&self) -> impl Iterator<Item = &[T]> {
        (0..self.parts.len()).map(|number| self.part(number))
    }

    /// Number of items in all parts.
    pub fn len(&self) -> usize {
        self.parts().map(<[T]>::len).sum()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the parts of other items.
    pub fn append(&mut self, mut others: Self) {
        self.parts.append(&mut others.parts);
    }
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Number of inputs that blocks have claimed; some of them may still wait in a block.
    pub inputs_claimed: u64,
    /// Number of all inputs.
    pub inputs: u64,
    /// Number of items that sinks have received.
    pub outputs: u64,
}

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;

    use bytemuck::{Pod, Zeroable};

    use super::*;

    /// An item that few byte vectors are aligned for.
    #[repr(C, align(64))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
    struct Line([u64; 8]);

    #[test]
    fn items_are_the_same_in_place_and_taken() {
        let lines: Vec<Line> = (0..9).map(|number| Line([number; 8])).collect();
        let outputs = || {
            let parts = [0..4, 4..4, 4..5, 5..9]
                .map(|part| Bytes::Owned(bytemuck::cast_slice(&lines[part]).to_vec()));
            Outputs::new(vec![Vec::new(), parts.into()], Metrics::default())
        };
        let sink = SinkId::<Line>(1, PhantomData);
        assert_eq!(outputs().take(sink), lines);
        let mut outputs = outputs();
        let mut items = outputs.take_in_place(sink);
        assert_eq!(items.len(), 9);
        assert_eq!(items.parts().collect::<Vec<_>>().concat(), lines);
        assert_eq!((items.part(1).len(), items.part(3)), (0, &lines[5..]));
        assert_eq!(Items::from(lines.clone()).only_part(), lines);
        // A sink is empty once its items are taken.
        let rest = outputs.take_in_place(sink);
        assert!(rest.is_empty() && outputs.take(sink).is_empty());
        items.append(rest);
        assert_eq!(items.len(), 9);
    }
}
