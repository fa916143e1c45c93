//! Settings: how an application is run.

/// The local policy: how many of its feasible inputs a module fires (Cole 2017, 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// All inputs whose outputs fit, so that the last ensemble may be partly empty.
    Naive,
    /// Full ensembles only, as long as any module has one.
    #[default]
    Lazy,
}

/// The number of slots of each queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// Room for this many full ensembles of the source to pass through all nodes: the product of
    /// the gammas on the path, times the ensemble width, times this.
    Ensembles(u32),
    /// The least that runs at all: room for the outputs of one input.
    Minimum,
}

/// The way in which blocks of a GPU write to sinks (Elteir 2012, 4.2.1).
///
/// [`Self::Regions`] repeats nothing. Blocks keep state: their queues hold items between inputs and outputs, so an
/// output that does not fit cannot be traced back to an input to be run again. Therefore a block fires nothing whose
/// outputs may not fit, stops when nothing else is left to fire, and goes on when the host has made room. The other
/// ways are there for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputScheme {
    /// Every block has a region of each sink. A block whose region is full stops; the host takes
    /// the outputs away, makes room for more, and the block goes on.
    #[default]
    Regions,
    /// Each sink has one array, in which a warp reserves slots by one global atomic. If the array was too short, the
    /// whole run is repeated with an array for the number of items that was counted.
    Atomics,
    /// The application runs twice: first it counts the outputs of each block, then it writes them to regions of that
    /// size.
    CountThenWrite,
}

/// Settings of nodes that walk ([`Walk`](crate::stream::Walk)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkSettings {
    /// The most pods that a step takes, each of which has a thread to look up its children; at most the width.
    pub pods_at_once: u32,
    /// The most items of a step that takes several pods, 1 to 4,096. If it is greater than the width, looking up children
    /// is decoupled from visiting items, which takes several ensembles (Cole 2017, 2.4.3).
    pub items_at_once: u32,
    /// The most steps of a firing, 1 or more.
    pub steps: u32,
    /// The number of inputs whose elements the stack has room for, besides the room that it needs; 1 or more. With more,
    /// more of the pods that have more than `items_at_once` items are taken as a whole on a GPU.
    pub slack: u32,
    /// Whether blocks that have nothing left to do get half of the pods of others, after each slice
    /// ([`Settings::slice`]). Not with [`Settings::share_rest`] or [`OutputScheme::CountThenWrite`].
    pub shares: bool,
}

impl Default for WalkSettings {
    fn default() -> Self {
        Self { pods_at_once: 128, items_at_once: 512, steps: 16, slack: 8, shares: true }
    }
}

/// Settings of a run. The items at the sinks do not depend on them.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Ensemble width: items that are processed together, and threads of a block on a GPU. A multiple of 32 from 32 to
    /// 1024.
    pub width: u32,
    /// Number of blocks, which are independent copies of the application; 0 for as many as the device runs at a time.
    pub blocks: u32,
    /// How many of its feasible inputs a module fires.
    pub policy: Policy,
    /// Number of slots of each queue.
    pub capacity: Capacity,
    /// Items of each sink that a block can hold before the host has to take them away.
    pub output_slots: u32,
    /// For each sink, in the order of declaration, the number of items that the whole input is likely to send to it. A
    /// GPU makes room for twice as many at once and then needs no second launch to take outputs away. Sinks beyond the
    /// end of the list get room by [`Settings::output_slots`].
    pub likely_outputs: Vec<u64>,
    /// The way in which blocks of a GPU write to sinks.
    pub outputs: OutputScheme,
    /// Shared memory for the queues of a GPU's block, in bytes. The smallest queues are put there, the others into
    /// global memory.
    pub shared_queues: u32,
    /// Number of firings after which a block returns to the host, for progress and cancellation; 0 for no limit.
    pub slice: u32,
    /// With [`Policy::Lazy`], blocks put their partial ensembles together at the end of the input, instead of each
    /// firing its own. Ensembles stay full to the end (97% instead of 63% of their lanes, for 10^6 items), but sharing
    /// takes longer than idle lanes would, most of which are whole idle warps, unless firings are very long.
    pub share_rest: bool,
    /// Blocks that have run dry get waiting items of blocks that have more than two ensembles at a node, as long as any
    /// block works, and a GPU starts as many blocks as it has room for, also for few inputs. This is for items that multiply
    /// unevenly, such as trees that a depth-first node explores: otherwise some blocks work on while others are done. On an
    /// H100 it makes 1,000 random trees of depth 12 8.4 times as fast, and 1,000,000 of them 1.07 times, but seeds, chains
    /// and blastn's pipeline 4% to 8% slower (`benches/EXPERIMENTS.md`). Not together with [`share_rest`](Self::share_rest), nor with nodes
    /// that walk, which share by themselves.
    pub move_work: bool,
    /// Settings of nodes that walk.
    pub walk: WalkSettings,
    /// Bytes of a GPU's memory that the queues and stacks of all blocks may take; if they would take more, there are
    /// fewer blocks. 0 for no limit.
    pub queue_bytes: u64,
    /// Whether to measure cycles, firings and occupancies.
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
            move_work: false,
            walk: WalkSettings::default(),
            queue_bytes: 0,
            metrics: false,
        }
    }
}
