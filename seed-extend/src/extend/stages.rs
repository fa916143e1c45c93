//! The application of the streaming runtime that aligns very many tasks.
//!
//! ```text
//!   groups of tasks whose cells lie side by side
//!     |  fill     fills the matrices of a group at once, a lane of a warp those of two tasks
//!     v
//!    walk         walks back through the matrix of each task of a group, a lane a task
//!     |
//!     '--aligned--> sink
//! ```
//!
//! On a CPU a group is as many tasks as a vector has lanes, in memory that groups use one after the other
//! ([`AlignmentWorkspace`]), and its matrices are walked through while they are in the cache. On a GPU a warp fills the
//! matrices of 32 pairs of tasks, from [`TaskGroup::start`] on in one array of cells. There the two stages are
//! applications of their own, `cuda/fill.cu` and `cuda/walk.cu`: filling needs all registers, and walking many threads,
//! most of which wait for memory. One kernel for both would have as few threads as filling allows, and the waits of
//! walking. The second application takes the output of the first one in the device's memory.

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, SinkId, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

use super::alignments::TaskAlignment;
use super::cpu::AlignmentWorkspace;
use super::task_group::TaskGroup;

const FILLED: Channel<TaskGroup> = Channel::new(0, "filled", 1);
const ALIGNED: Channel<TaskAlignment> = Channel::new(0, "aligned", 1);

/// Stage that fills the matrices of a group.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Fill;

/// Stage that walks back through the matrix of each task of a group.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Walk;

/// The graph of the whole application, for a CPU, and the sink of its alignments.
pub fn topology(
    context: &AlignmentWorkspace,
) -> (Topology<'_, AlignmentWorkspace>, SinkId<TaskAlignment>) {
    let mut app = Topology::new("align", context);
    let fill = app.stage(Fill);
    let fill = app.node("fill", fill, ());
    let walk = app.stage(Walk);
    let walk = app.node("walk", walk, ());
    app.source::<TaskGroup>(fill);
    app.edge(fill, "filled", walk);
    let sink = app.sink("aligned", walk, "aligned");
    (app, sink)
}

/// The graph of the first stage alone, for a GPU, and the sink of the groups that it filled.
pub fn fill_topology(
    context: &AlignmentWorkspace,
) -> (Topology<'_, AlignmentWorkspace>, SinkId<TaskGroup>) {
    let mut app = Topology::new("fill", context);
    let fill = app.stage(Fill);
    let fill = app.node("fill", fill, ());
    app.source::<TaskGroup>(fill);
    let sink = app.sink("filled", fill, "filled");
    (app, sink)
}

/// The graph of the second stage alone, for a GPU, and the sink of its alignments. Its input is the output of
/// [`fill_topology`].
pub fn walk_topology(
    context: &AlignmentWorkspace,
) -> (Topology<'_, AlignmentWorkspace>, SinkId<TaskAlignment>) {
    let mut app = Topology::new("walk", context);
    let walk = app.stage(Walk);
    let walk = app.node("walk", walk, ());
    app.source::<TaskGroup>(walk);
    let sink = app.sink("aligned", walk, "aligned");
    (app, sink)
}

impl Stage for Fill {
    type In = TaskGroup;
    type Node = ();
    type Global = AlignmentWorkspace;
    const NAME: &'static str = "Fill";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 32 };

    fn channels() -> Vec<ChannelType> {
        vec![FILLED.describe()]
    }

    fn run(&self, group: &TaskGroup, site: &Site<'_, (), AlignmentWorkspace>, push: &mut Push<'_>) {
        // On a CPU one thread fills the matrices of a vector of tasks.
        if site.lane == 0 {
            site.global.fill(*group);
            push.to(FILLED, *group);
        }
    }
}

impl Stage for Walk {
    type In = TaskGroup;
    type Node = ();
    type Global = AlignmentWorkspace;
    const NAME: &'static str = "Walk";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![ALIGNED.describe()]
    }

    fn size(&self, group: &TaskGroup, _: &Site<'_, (), AlignmentWorkspace>) -> u32 {
        u32::from(group.tasks)
    }

    fn run(&self, group: &TaskGroup, site: &Site<'_, (), AlignmentWorkspace>, push: &mut Push<'_>) {
        if let Some(aligned) = site.global.walk(*group, site.element) {
            push.to(ALIGNED, aligned);
        }
    }
}
