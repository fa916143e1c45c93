//! What a run yields, and how far it is.

use super::item::Item;
use super::metrics::Metrics;
use super::topology::SinkId;

/// The items that reached the sinks, in no particular order.
#[derive(Debug, Default)]
pub struct Outputs {
    /// The bytes of each sink's items, one after the other.
    sinks: Vec<Vec<u8>>,
    /// What the run measured of itself; empty without [`super::Settings::metrics`].
    pub metrics: Metrics,
    /// Seconds that a device's kernels took, without copies; 0 on the CPU.
    pub device_seconds: f64,
}

impl Outputs {
    pub(crate) fn new(sinks: Vec<Vec<u8>>, metrics: Metrics) -> Self {
        Self { sinks, metrics, device_seconds: 0.0 }
    }

    /// Takes the items of a sink, which is empty afterwards.
    ///
    /// # Panics
    /// If the sink is of another topology, which has more of them.
    pub fn take<T: Item>(&mut self, sink: SinkId<T>) -> Vec<T> {
        bytemuck::pod_collect_to_vec(&std::mem::take(&mut self.sinks[sink.0]))
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Inputs that blocks have taken over; some of them may still wait in a block.
    pub inputs_claimed: u64,
    /// All inputs.
    pub inputs: u64,
    /// Items that sinks have received.
    pub outputs: u64,
}
