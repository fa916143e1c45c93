//! A depth-first node: random trees are explored from their roots, one node of a tree a lane.
//!
//! ```text
//!   roots --> explore --goal--> goals
//!              ^   |
//!              `children (a descent: up to 3 for each node, down to a depth)
//! ```
//!
//! A tree has from one to thousands of nodes, and nothing tells how many but exploring it, as in the benchmark UTS (S.
//! Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006). With a thread for each tree, most lanes would
//! wait for the largest tree of their warp. Here every ensemble has nodes of any trees, and the nodes that wait never
//! take more room than some descents do, though a level of all trees may have millions.

mod common;

use aligner_core::Device;
use aligner_core::stream::{Channel, ChannelType, Kernels, Mapping, Metrics, Push, RunError};
use aligner_core::stream::{Settings, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

const KERNELS: Kernels = Kernels { name: "explore", fatbin: include_bytes!("explore.fatbin") };
const CHILDREN: Channel<TreeNode> = Channel::new(0, "children", 3);
const GOAL: Channel<TreeNode> = Channel::new(1, "goal", 1);

/// A node of a tree. Its hash says how many children it has, and is a goal if it is a multiple of [`Forest::rarity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct TreeNode {
    /// Number of the tree.
    pub tree: u32,
    /// Number of edges from the root.
    pub depth: u32,
    /// Random number, from which those of the children follow.
    pub hash: u32,
}

/// Parameters of all trees.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Forest {
    /// Depth at which nodes have no children.
    pub depth: u32,
    /// Mean number of nodes for each goal.
    pub rarity: u32,
}

/// The finalizer of `MurmurHash3`.
fn mix(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

impl TreeNode {
    /// The root of a tree.
    pub fn root(tree: u32) -> Self {
        Self { tree, depth: 0, hash: mix(tree.wrapping_add(0x9e37_79b9)) }
    }

    /// Its 0 to 3 children.
    pub fn children(self, forest: &Forest) -> impl Iterator<Item = Self> {
        let count = if self.depth < forest.depth { (self.hash >> 4) % 4 } else { 0 };
        let child = move |part| Self {
            tree: self.tree,
            depth: self.depth + 1,
            hash: mix(self.hash ^ (part + 1)),
        };
        (0..count).map(child)
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Explore;

impl Stage for Explore {
    type In = TreeNode;
    type Node = ();
    type Global = Forest;
    const NAME: &'static str = "Explore";
    const MAPPING: Mapping = Mapping::DepthFirst;

    fn channels() -> Vec<ChannelType> {
        vec![CHILDREN.describe(), GOAL.describe()]
    }

    fn run(&self, node: &TreeNode, site: &Site<'_, (), Forest>, push: &mut Push<'_>) {
        for child in node.children(site.global) {
            push.to(CHILDREN, child);
        }
        if node.hash.is_multiple_of(site.global.rarity) {
            push.to(GOAL, *node);
        }
    }
}

/// The goals in so many trees, sorted.
///
/// # Errors
/// If the device fails.
pub fn run(
    device: &Device,
    settings: &Settings,
    (trees, forest): (u32, &Forest),
) -> Result<(Vec<TreeNode>, Metrics), RunError> {
    let mut app = Topology::new("explore", forest);
    let module = app.stage(Explore);
    let explore = app.node("explore", module, ());
    app.source::<TreeNode>(explore);
    app.descent(explore, "children", forest.depth);
    let goals = app.sink::<TreeNode>("goals", explore, "goal");
    let roots: Vec<_> = (0..trees).map(TreeNode::root).collect();
    let mut outputs = app.run(device, settings, &KERNELS, forest, &roots)?;
    let mut found = outputs.take(goals);
    found.sort_unstable();
    Ok((found, outputs.metrics))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = common::Options::parse()?;
    let forest = Forest { depth: 12, rarity: 1000 };
    let (goals, metrics) = run(&options.device, &options.settings, (20_000, &forest))?;
    println!(
        "{} goals, the deepest at depth {:?}",
        goals.len(),
        goals.iter().map(|goal| goal.depth).max()
    );
    Ok(options.report(&metrics)?)
}
