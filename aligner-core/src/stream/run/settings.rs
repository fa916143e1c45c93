//! How an application is run.

/// What a module fires: the local policy (Cole 2017, 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Everything that waits and fits.
    Naive,
    /// Full ensembles only, until the input is exhausted.
    #[default]
    Lazy,
}

/// Slots of the queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// Room for this many full ensembles of the source to pass through all nodes: the product of
    /// the gammas on the path, times the ensemble width, times this.
    Ensembles(u32),
    /// The least that runs at all: room for the outputs of one input.
    Minimum,
}

/// How blocks of a device write to sinks (Elteir 2012, 4.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputScheme {
    /// Every block has a region of each sink. A block whose region is full stops; the host takes
    /// the outputs away, makes room for more, and the block goes on.
    #[default]
    Regions,
    /// One array a sink; each warp reserves its place in it by one global atomic. If the array was
    /// too short, everything runs again with room for what was counted.
    Atomics,
    /// Everything runs twice: first outputs are counted, then written to regions of that size.
    CountThenWrite,
}

/// How an application is run. What it computes does not depend on it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The ensemble width: items that are processed together, and threads of a block on a device.
    /// A multiple of 32 from 32 to 1024.
    pub width: u32,
    /// Independent copies of the application; 0 for as many as the device can run at a time.
    pub blocks: u32,
    /// What a module fires.
    pub policy: Policy,
    /// Slots of the queues.
    pub capacity: Capacity,
    /// Items of each sink that a block can hold before the host has to take them away.
    pub output_slots: u32,
    /// Items that the whole input is likely to send to each sink, in the order in which sinks were declared, if more is
    /// known of that than how many inputs there are: with room for them at once, however many, a device needs no second
    /// launch. Nothing is known of sinks beyond the last.
    pub likely_outputs: Vec<u64>,
    /// How blocks of a device write to sinks.
    pub outputs: OutputScheme,
    /// Shared memory of a device's block for queues, in bytes; the smallest queues come first, and
    /// the others are in global memory.
    pub shared_queues: u32,
    /// Firings of a block after which it returns to the host, for progress and cancellation; 0 for
    /// no such limit.
    pub slice: u32,
    /// With [`Policy::Lazy`], blocks without a full ensemble left hand their rest to each other at the
    /// end of the input, instead of each firing its own. Ensembles stay full to the end, but the
    /// handing over takes longer than the idle lanes would: of use where firings are very long.
    pub share_rest: bool,
    /// Measure cycles, firings and occupancies.
    pub metrics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 128,
            blocks: 0,
            policy: Policy::default(),
            capacity: Capacity::Ensembles(4),
            output_slots: 1 << 14,
            likely_outputs: Vec::new(),
            outputs: OutputScheme::default(),
            shared_queues: 16 << 10,
            slice: 0,
            share_rest: false,
            metrics: false,
        }
    }
}
