//! What every executor derives from a plan and the number of blocks: how much input a block takes at
//! a time, and the room that outputs need at least.

use super::plan::{Plan, PlannedEdge};
use super::topology::Target;

impl Plan {
    /// The edges of a node, by channel.
    pub(crate) fn edges_of(&self, node: usize) -> &[PlannedEdge] {
        let end = self.nodes.get(node + 1).map_or(self.edges.len(), |next| next.first_edge);
        &self.edges[self.nodes[node].first_edge..end]
    }

    /// Inputs that a block claims at a time when all of them are `inputs`, and `ensemble` of them
    /// fill it at the root: several ensembles if blocks get many; fewer inputs if these explode.
    pub(crate) fn chunk(&self, inputs: usize, blocks: usize, ensemble: usize) -> usize {
        if self.modules[self.nodes[self.root].module].explodes {
            (inputs / (4 * blocks)).clamp(1, ensemble)
        } else {
            ensemble * (inputs / (16 * blocks * ensemble)).clamp(1, 4)
        }
    }

    /// Slots of each sink in a block: those asked for, or else as many as one input, or pod, can
    /// fill.
    pub(crate) fn regions(&self, asked: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut regions: Vec<u32> = (0..self.sinks.len()).map(asked).collect();
        for (index, node) in self.nodes.iter().enumerate() {
            let indivisible = self.modules[node.module].indivisible;
            for edge in self.edges_of(index) {
                if let Target::Sink(sink) = edge.to {
                    let inputs = if edge.per_item { indivisible } else { 1 };
                    regions[sink] = regions[sink].max(inputs * edge.gamma);
                }
            }
        }
        regions
    }
}
