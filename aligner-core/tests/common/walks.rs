//! Walks down random trees, in arithmetic that is the same in CUDA C++.

use aligner_core::stream::{
    Channel, ChannelType, Children, Mapping, Outputs, Push, SinkId, Site, Stage, Topology, Walk,
    WalkLimits,
};
use bytemuck::{Pod, Zeroable};

use super::tokens::mix;

/// A tree, and the items that walk down it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Forest {
    /// Decides the tree, and the items.
    pub seed: u32,
    /// Number of items.
    pub elements: u32,
    /// Depth below which the tree has no nodes.
    pub depth: u32,
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct TreeNode {
    hash: u32,
    depth: u32,
    most: u32,
    padding: u32,
}

/// An item that walks down a tree.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Walker {
    number: u32,
    hash: u32,
    steps: u32,
}

/// An item at a node.
pub type Hit = [u32; 3];

const HITS: Channel<Hit> = Channel::new(0, "hits", 1);
const SEEDS: Channel<Forest> = Channel::new(1, "seeds", 2);

/// Parameters of a node that walks.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Pace {
    /// An item lives at a child unless its hash is a multiple of this.
    pub mortality: u32,
    /// Depth of the trees that it emits.
    pub depth: u32,
}

/// Walks down the tree of a [`Forest`].
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Descend;

impl Walk for Descend {
    type In = Forest;
    type Header = TreeNode;
    type Element = Walker;
    type Node = Pace;
    type Global = u32;
    const NAME: &'static str = "Descend";
    const FAN: u32 = 4;

    fn channels() -> Vec<ChannelType> {
        vec![HITS.describe(), SEEDS.describe()]
    }

    fn enter(&self, input: &Forest, site: &Site<'_, Pace, u32>) -> (TreeNode, u32) {
        let hash = mix(input.seed ^ site.global);
        (TreeNode { hash, depth: 0, most: input.depth, padding: 0 }, input.elements)
    }

    fn element(&self, input: &Forest, site: &Site<'_, Pace, u32>) -> Option<Walker> {
        let hash = mix(input.seed.wrapping_mul(31) ^ site.element);
        (!hash.is_multiple_of(8)).then_some(Walker { number: site.element, hash, steps: 0 })
    }

    fn children(
        &self,
        node: &TreeNode,
        _: &Site<'_, Pace, u32>,
        children: &mut Children<TreeNode>,
    ) {
        for key in (0..4).filter(|key| node.depth < node.most && (node.hash >> (4 + key)) & 1 != 0)
        {
            let hash = mix(node.hash ^ (key + 1));
            children.add(TreeNode { hash, depth: node.depth + 1, ..*node });
        }
    }

    fn visit(
        &self,
        child: &TreeNode,
        walker: Walker,
        site: &Site<'_, Pace, u32>,
        push: &mut Push<'_>,
    ) -> Option<Walker> {
        let hash = mix(walker.hash ^ child.hash);
        let steps = walker.steps + 1;
        if hash.is_multiple_of(16) {
            push.to(HITS, [walker.number, hash, steps]);
        }
        if hash % 64 == 1 {
            for part in 0..2 {
                let seed = mix(hash ^ part);
                push.to(SEEDS, Forest { seed, elements: seed % 9, depth: site.node.depth });
            }
        }
        let lives = !(hash >> 8).is_multiple_of(site.node.mortality);
        lives.then_some(Walker { hash, steps, ..walker })
    }
}

/// Turns a hit into as many numbers as its hash says.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Scatter;

const NUMBERS: Channel<u32> = Channel::new(0, "numbers", 1);

impl Stage for Scatter {
    type In = Hit;
    type Node = ();
    type Global = u32;
    const NAME: &'static str = "Scatter";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![NUMBERS.describe()]
    }

    fn size(&self, hit: &Hit, _: &Site<'_, (), u32>) -> u32 {
        (hit[1] >> 5) % 4
    }

    fn run(&self, hit: &Hit, site: &Site<'_, (), u32>, push: &mut Push<'_>) {
        push.to(NUMBERS, hit[1] ^ site.element);
    }
}

/// Emits trees of a seed.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Plant;

const TREES: Channel<Forest> = Channel::new(0, "trees", 3);

impl Stage for Plant {
    type In = Forest;
    type Node = ();
    type Global = u32;
    const NAME: &'static str = "Plant";

    fn channels() -> Vec<ChannelType> {
        vec![TREES.describe()]
    }

    fn run(&self, forest: &Forest, _: &Site<'_, (), u32>, push: &mut Push<'_>) {
        for tree in 0..forest.seed % 4 {
            push.to(TREES, Forest { seed: mix(forest.seed ^ tree), ..*forest });
        }
    }
}

/// Outputs of a run, each sorted.
pub type Found = (Vec<Hit>, Vec<Forest>, Vec<u32>);

/// An application with nodes that walk.
pub struct Walks<'g> {
    /// Topology of the application.
    pub topology: Topology<'g, u32>,
    hits: Vec<SinkId<Hit>>,
    seeds: SinkId<Forest>,
    numbers: Option<SinkId<u32>>,
}

impl<'g> Walks<'g> {
    /// A walk at the root, which sends everything to sinks. `depth` and `elements` are the most of the inputs.
    pub fn alone(global: &'g u32, limits: WalkLimits, mortality: u32) -> Self {
        let mut topology = Topology::new("descents", global);
        let descend = topology.walk(Descend);
        let pace = Pace { mortality, depth: 1 };
        let walk = topology.walk_node("walk", descend, pace, limits);
        topology.source::<Forest>(walk);
        let hits = vec![topology.sink("hits", walk, "hits")];
        let seeds = topology.sink("seeds", walk, "seeds");
        Self { topology, hits, seeds, numbers: None }
    }

    /// Two walks of one module type behind other stages and behind each other.
    ///
    /// ```text
    ///   forests --> plant --> first --hits--> scatter --> numbers
    ///                           `--seeds--> second --hits--> hits
    ///                                          `--seeds--> seeds
    /// ```
    pub fn forests(global: &'g u32, limits: WalkLimits, mortality: u32) -> Self {
        let mut topology = Topology::new("forests", global);
        let plant = topology.stage(Plant);
        let descend = topology.walk(Descend);
        let scatter = topology.stage(Scatter);
        let plant = topology.node("plant", plant, ());
        let pace = |depth| Pace { mortality, depth };
        let second_limits = WalkLimits { depth: 3, elements: 8 };
        let first = topology.walk_node("first", descend, pace(3), limits);
        let second = topology.walk_node("second", descend, pace(2), second_limits);
        let scatter = topology.node("scatter", scatter, ());
        topology.source::<Forest>(plant);
        topology.edge(plant, "trees", first);
        topology.edge(first, "hits", scatter);
        topology.edge(first, "seeds", second);
        let numbers = Some(topology.sink("numbers", scatter, "numbers"));
        let hits = vec![topology.sink("hits", second, "hits")];
        let seeds = topology.sink("seeds", second, "seeds");
        Self { topology, hits, seeds, numbers }
    }

    /// Outputs of a run, each sorted.
    pub fn found(&self, outputs: &mut Outputs) -> Found {
        let mut hits: Vec<Hit> = self.hits.iter().flat_map(|&sink| outputs.take(sink)).collect();
        let mut seeds = outputs.take(self.seeds);
        let mut numbers: Vec<u32> =
            self.numbers.iter().flat_map(|&sink| outputs.take(sink)).collect();
        hits.sort_unstable();
        seeds.sort_unstable();
        numbers.sort_unstable();
        (hits, seeds, numbers)
    }
}

/// Random inputs within limits, some of them without items or depth.
pub fn forests(rng: &mut fastrand::Rng, count: usize, limits: WalkLimits) -> Vec<Forest> {
    let forest = |_| Forest {
        seed: rng.u32(..),
        elements: [0, 1, limits.elements, rng.u32(0..=limits.elements)][rng.usize(..4)],
        depth: [limits.depth, rng.u32(0..=limits.depth)][rng.usize(..2)],
    };
    (0..count).map(forest).collect()
}

/// Random limits of walks.
pub fn limits(rng: &mut fastrand::Rng) -> WalkLimits {
    WalkLimits {
        depth: [0, 1, rng.u32(0..9)][rng.usize(..3)],
        elements: [1, rng.u32(1..40), rng.u32(1..400)][rng.usize(..3)],
    }
}
