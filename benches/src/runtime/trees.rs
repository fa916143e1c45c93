//! Random trees explored depth first by the runtime, with and without moving work between blocks, and by a thread for each tree: uneven work that multiplies on a
//! loop. The trees are those of UTS in spirit (S. Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006):
//! the children of a node follow from a hash, and nothing tells how many nodes a tree has.

use std::time::Instant;

use aligner_core::stream::{
    Channel, ChannelType, CpuExecutor, CudaExecutor, Kernels, Mapping, Metrics, Push, RunError,
    Settings, SinkId, Site, Stage, Topology,
};
use aligner_core::{Device, device_struct};
use bytemuck::{Pod, Zeroable};
use serde::Serialize;

use super::quote::mix;
use crate::chart::{Chart, Kind, Series};
use crate::error::BenchError;
use crate::timing::median;

const FATBIN: &[u8] = include_bytes!("../../cuda/trees.fatbin");
/// The most children of a node.
const CHILDREN: u32 = 3;
/// Depths at which nodes have no children: the sizes of trees. A node has 1.5 children on average.
const DEPTHS: [u32; 3] = [6, 9, 12];
/// The most depth for which a thread has room to explore a tree alone.
const MOST_DEPTH: u32 = 16;
/// Mean number of nodes for each goal, so rare that outputs cost nothing.
const RARITY: u32 = 1 << 16;
/// The most goals that a tree may have in [`Alone`].
const GOALS: u32 = 16;

device_struct! {
    /// A node of a tree.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub struct TreeNode {
        /// Number of the tree.
        pub tree: u32,
        /// Number of edges from the root.
        pub depth: u32,
        /// Random number, from which the children follow; a multiple of [`Forest::rarity`] is a goal.
        pub hash: u32,
    }
}

device_struct! {
    /// Parameters of all trees.
    pub struct Forest {
        /// Depth at which nodes have no children.
        pub depth: u32,
        /// Mean number of nodes for each goal.
        pub rarity: u32,
    }
}

impl TreeNode {
    /// The root of a tree.
    pub fn root(tree: u32) -> Self {
        Self { tree, depth: 0, hash: mix(tree.wrapping_add(0x9e37_79b9)) }
    }

    fn children(self, forest: Forest) -> impl Iterator<Item = Self> {
        let count = if self.depth < forest.depth { self.hash / 16 % 4 } else { 0 };
        let (tree, depth) = (self.tree, self.depth + 1);
        (0..count).map(move |part| Self { tree, depth, hash: mix(self.hash ^ (part + 1)) })
    }

    fn is_goal(self, forest: Forest) -> bool {
        self.hash.is_multiple_of(forest.rarity)
    }
}

const DOWN: Channel<TreeNode> = Channel::new(0, "children", CHILDREN);
const GOAL: Channel<TreeNode> = Channel::new(1, "goal", 1);
const FOUND: Channel<TreeNode> = Channel::new(0, "goals", GOALS);

/// Stage that visits a node and sends its children back.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Explore;

/// Stage that explores a whole tree in one thread, with a stack of its own: the control.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Alone;

impl Stage for Explore {
    type In = TreeNode;
    type Node = ();
    type Global = Forest;
    const NAME: &'static str = "Explore";
    const MAPPING: Mapping = Mapping::DepthFirst;

    fn channels() -> Vec<ChannelType> {
        vec![DOWN.describe(), GOAL.describe()]
    }

    fn run(&self, node: &TreeNode, site: &Site<'_, (), Forest>, push: &mut Push<'_>) {
        for child in node.children(*site.global) {
            push.to(DOWN, child);
        }
        if node.is_goal(*site.global) {
            push.to(GOAL, *node);
        }
    }
}

impl Stage for Alone {
    type In = TreeNode;
    type Node = ();
    type Global = Forest;
    const NAME: &'static str = "Alone";

    fn channels() -> Vec<ChannelType> {
        vec![FOUND.describe()]
    }

    fn run(&self, root: &TreeNode, site: &Site<'_, (), Forest>, push: &mut Push<'_>) {
        let mut stack = Vec::with_capacity((MOST_DEPTH * (CHILDREN - 1)) as usize + 1);
        stack.push(*root);
        while let Some(node) = stack.pop() {
            stack.extend(node.children(*site.global));
            if node.is_goal(*site.global) {
                push.to(FOUND, node);
            }
        }
    }
}

/// A way to explore trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeApp {
    /// A depth-first node explores all trees with the stage [`Explore`].
    DepthFirst,
    /// A depth-first node explores all trees, and work moves between blocks.
    Moving,
    /// A thread explores each tree with the stage [`Alone`].
    Alone,
}

impl TreeApp {
    /// All ways, in the order of the table.
    pub const ALL: [Self; 3] = [Self::DepthFirst, Self::Moving, Self::Alone];

    /// The name in tables and figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::DepthFirst => "depth first",
            Self::Moving => "moving",
            Self::Alone => "alone",
        }
    }

    /// The kernel that runs it on a GPU.
    pub fn kernels(self) -> Kernels {
        let name = if self == Self::Alone { "alone" } else { "explore" };
        Kernels { name, fatbin: FATBIN }
    }

    /// The topology, and the sink of goals.
    pub fn build(self, forest: &Forest) -> (Topology<'_, Forest>, SinkId<TreeNode>) {
        let mut app = Topology::new(self.kernels().name, forest);
        let (node, channel) = match self {
            Self::DepthFirst | Self::Moving => {
                let module = app.stage(Explore);
                let node = app.node("explore", module, ());
                app.descent(node, "children", forest.depth);
                (node, "goal")
            }
            Self::Alone => {
                let module = app.stage(Alone);
                (app.node("alone", module, ()), "goals")
            }
        };
        app.source::<TreeNode>(node);
        let goals = app.sink("found", node, channel);
        (app, goals)
    }
}

/// The speed of one way at one size of trees.
#[derive(Debug, Clone, Serialize)]
pub struct TreeTiming {
    /// `depth first`, `moving` or `alone`.
    pub app: &'static str,
    /// Depth at which nodes have no children.
    pub depth: u32,
    /// How many trees were explored.
    pub trees: usize,
    /// Number of nodes of all trees.
    pub nodes: u64,
    /// Median seconds of a run: of the kernels on a GPU, of the whole run on a CPU.
    pub seconds: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Firings and cycles, from a separate run.
    pub metrics: Metrics,
}

/// The nodes of all trees, counted, and their goals, sorted.
fn plainly(roots: &[TreeNode], forest: Forest) -> (u64, Vec<TreeNode>) {
    let (mut nodes, mut goals) = (0, Vec::new());
    let mut waiting = roots.to_vec();
    while let Some(node) = waiting.pop() {
        nodes += 1;
        waiting.extend(node.children(forest));
        goals.extend(node.is_goal(forest).then_some(node));
    }
    goals.sort_unstable();
    (nodes, goals)
}

/// Runs an application once: its seconds, its goals, sorted, and its metrics.
fn run(
    device: &Device,
    settings: &Settings,
    (app, forest): (TreeApp, &Forest),
    roots: &[TreeNode],
) -> Result<(f64, Vec<TreeNode>, Metrics), RunError> {
    let (topology, sink) = app.build(forest);
    let settings = &Settings { move_work: app == TreeApp::Moving, ..settings.clone() };
    let (seconds, mut outputs) = match device {
        Device::Cpu => {
            let executor = CpuExecutor::new(&topology, settings)?;
            let start = Instant::now();
            let outputs = executor.run(roots)?;
            (start.elapsed().as_secs_f64(), outputs)
        }
        Device::Cuda(gpu) => {
            let executor = CudaExecutor::new(gpu, &topology, settings, &app.kernels(), forest)?;
            let outputs = executor.run(roots)?;
            (outputs.device_seconds, outputs)
        }
    };
    let mut goals = outputs.take(sink);
    goals.sort_unstable();
    Ok((seconds, goals, outputs.metrics))
}

/// Measures all ways on `items` trees or fewer, in turns, `runs` times each, after a run that is checked.
///
/// # Errors
/// If a run fails, or yields other goals than a plain loop.
pub(crate) fn measure(
    device: &Device,
    runs: usize,
    items: u32,
) -> Result<Vec<TreeTiming>, BenchError> {
    let roots: Vec<TreeNode> = (0..items).map(TreeNode::root).collect();
    let mut timings = Vec::new();
    for depth in DEPTHS {
        let forest = Forest { depth, rarity: RARITY };
        let (nodes, expected) = plainly(&roots, forest);
        let first = timings.len();
        for app in TreeApp::ALL {
            let failed = |source| BenchError::Run { app: app.name(), source };
            let metered = Settings { metrics: true, ..Settings::default() };
            let (_, goals, metrics) =
                run(device, &metered, (app, &forest), &roots).map_err(failed)?;
            if goals != expected {
                let wrong = goals.len().abs_diff(expected.len()).max(1);
                let expected = expected.len();
                return Err(BenchError::WrongOutput { app: app.name(), wrong, expected });
            }
            timings.push(TreeTiming {
                app: app.name(),
                depth,
                trees: roots.len(),
                nodes,
                seconds: 0.0,
                runs: Vec::with_capacity(runs),
                metrics,
            });
        }
        for _ in 0..runs {
            for (timing, app) in timings[first..].iter_mut().zip(TreeApp::ALL) {
                let failed = |source| BenchError::Run { app: app.name(), source };
                let run = run(device, &Settings::default(), (app, &forest), &roots);
                timing.runs.push(run.map_err(failed)?.0);
            }
        }
        for timing in &mut timings[first..] {
            timing.seconds = median(&timing.runs);
        }
    }
    Ok(timings)
}

/// Nanoseconds a node by depth of the trees, with a line for each way.
pub(crate) fn chart(timings: &[TreeTiming]) -> Chart<'static> {
    let of = |app: &TreeApp| {
        let name = app.name();
        timings.iter().filter(move |timing| timing.app == name)
    };
    let line = |app: &TreeApp| Series {
        name: app.name().to_owned(),
        values: of(app).map(|timing| timing.seconds * 1e9 / timing.nodes as f64).collect(),
    };
    Chart {
        kind: Kind::Lines,
        title: "Random trees, depth first or a thread for each",
        x: "depth of the trees",
        y: "time of a node (ns)",
        categories: of(&TreeApp::Alone).map(|timing| timing.depth.to_string()).collect(),
        series: TreeApp::ALL.iter().map(line).collect(),
        reference: None,
    }
}
