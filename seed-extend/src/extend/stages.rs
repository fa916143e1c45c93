//! Aligning very many tasks, as an application of the streaming runtime.
//!
//! ```text
//!   groups of tasks whose cells lie side by side
//!     |  fill     the matrices of a group at once, a lane of a warp two of them
//!     v
//!    walk         explodes a group into its tasks, and walks back through the matrix of each
//!     |
//!     '--aligned--> sink
//! ```
//!
//! On a CPU a group is as many tasks as a vector has lanes, in memory that groups use one after the other
//! ([`Context`]), and is walked while its cells are in the cache. On a GPU a warp fills what 32 pairs of tasks have from
//! [`Group::start`] on in one matrix. There the same stages are two applications, `cuda/fill.cu` and `cuda/walk.cu`:
//! fills want all registers, and walks many threads, of which most wait for memory. The second goes on with what the
//! first one left in the device's memory.

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, SinkId, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

use super::alignments::Place;
use super::cpu::Context;
use super::gpu::costs::Costs;

/// Tasks whose matrices are filled together. Mirrored in `align.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Group {
    /// Where its cells are: the first word of them on a GPU, the number of the group on a CPU.
    pub start: u64,
    /// Which of all tasks, in the order of groups, is its first.
    pub first: u32,
    /// Columns of its cells on a GPU.
    pub columns: u16,
    /// How many they are; on a GPU those counted that are none, beside the last one of an odd number.
    pub tasks: u8,
    /// Bytes of a cell's number: 1, 2 or, on a CPU, 4.
    pub bytes: u8,
}

/// The alignment of a task, of a score above 0. Mirrored in `align.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Aligned {
    /// Where it is. Its first run is among those of all tasks that were given.
    pub place: Place,
    /// The task's number.
    pub task: u32,
    padding: [u32; 3],
}

impl Aligned {
    pub(super) fn new(task: u32, place: Place) -> Self {
        Self { place, task, padding: [0; 3] }
    }
}

/// What all nodes know on a device: addresses, but for the last two. Mirrored in `align.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    /// The text, 32 bases a word.
    pub text: u64,
    /// Codes of queries.
    pub queries: u64,
    /// The tasks, [`super::Task`].
    pub tasks: u64,
    /// Numbers of tasks, two by two: `u32`, that of none [`super::gpu::plan::NO_TASK`].
    pub pairs: u64,
    /// Room for the [`super::Scored`] of each task.
    pub scored: u64,
    /// Room for the cells of all groups: `u32`.
    pub matrix: u64,
    /// How many runs were found, a `u64` that is 0 before.
    pub taken: u64,
    /// Room for the runs.
    pub runs: u64,
    /// For how many there is room. Beyond it none is written, but all are counted.
    pub capacity: u64,
    /// The scoring.
    pub costs: Costs,
}

const _: () = assert!(size_of::<Group>() == 16 && size_of::<Aligned>() == 48);
const _: () = assert!(size_of::<DeviceContext>() == 96);

const FILLED: Channel<Group> = Channel::new(0, "filled", 1);
const ALIGNED: Channel<Aligned> = Channel::new(0, "aligned", 1);

/// Fills the matrices of a group.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Fill;

/// Walks back through the matrix of a task.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Walk;

/// The application of a CPU.
pub fn topology(context: &Context) -> (Topology<'_, Context>, SinkId<Aligned>) {
    let mut app = Topology::new("align", context);
    let fill = app.stage(Fill);
    let fill = app.node("fill", fill, ());
    let walk = app.stage(Walk);
    let walk = app.node("walk", walk, ());
    app.source::<Group>(fill);
    app.edge(fill, "filled", walk);
    let sink = app.sink("aligned", walk, "aligned");
    (app, sink)
}

/// Its first part, by itself.
pub fn fills(context: &Context) -> (Topology<'_, Context>, SinkId<Group>) {
    let mut app = Topology::new("fill", context);
    let fill = app.stage(Fill);
    let fill = app.node("fill", fill, ());
    app.source::<Group>(fill);
    let sink = app.sink("filled", fill, "filled");
    (app, sink)
}

/// Its second part, which goes on with what the first one filled.
pub fn walks(context: &Context) -> (Topology<'_, Context>, SinkId<Aligned>) {
    let mut app = Topology::new("walk", context);
    let walk = app.stage(Walk);
    let walk = app.node("walk", walk, ());
    app.source::<Group>(walk);
    let sink = app.sink("aligned", walk, "aligned");
    (app, sink)
}

impl Stage for Fill {
    type In = Group;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Fill";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 32 };

    fn channels() -> Vec<ChannelType> {
        vec![FILLED.describe()]
    }

    fn run(&self, group: &Group, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        // A vector is filled by one thread.
        if site.lane == 0 {
            site.global.fill(*group);
            push.to(FILLED, *group);
        }
    }
}

impl Stage for Walk {
    type In = Group;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Walk";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![ALIGNED.describe()]
    }

    fn size(&self, group: &Group, _: &Site<'_, (), Context>) -> u32 {
        u32::from(group.tasks)
    }

    fn run(&self, group: &Group, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        if let Some(aligned) = site.global.walk(*group, site.element) {
            push.to(ALIGNED, aligned);
        }
    }
}
