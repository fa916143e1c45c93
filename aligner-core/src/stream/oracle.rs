//! The definition of a topology's outputs: items are processed one at a time, along the edges.
//!
//! There are no queues, ensembles or blocks. Every item that a node pushes goes on a list, from which items are taken
//! and processed at the target of their edge. Executors have to yield the same items at every sink, in any order.

use crate::stream::graph::topology::{Edge, Target, Topology};
use crate::stream::run::error::RunError;
use crate::stream::run::metrics::Metrics;
use crate::stream::run::outputs::Outputs;
use crate::stream::stages::erased::{EnsembleInput, StageParameters};
use crate::stream::stages::item::Item;
use crate::stream::stages::staged_outputs::StagedOutputs;

/// Interprets a topology on `inputs`, one item after the other.
///
/// # Errors
/// If the topology is illegal, the inputs are not of the source's type, or a stage pushes more than
/// a channel's gamma.
pub fn interpret<T: Item, G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    inputs: &[T],
) -> Result<Outputs, RunError> {
    topology.check()?;
    topology.expect_input::<T>()?;
    let (root, _) = topology.sources[0];
    let mut sinks = vec![Vec::new(); topology.sinks.len()];
    let mut waiting: Vec<(usize, Vec<u8>)> = Vec::new();
    for input in inputs {
        waiting.push((root, bytemuck::bytes_of(input).to_vec()));
        while let Some((node, item)) = waiting.pop() {
            for (target, output) in process(topology, node, &item)? {
                match target {
                    Target::Node(to) => waiting.push((to, output)),
                    Target::Sink(sink) => sinks[sink].extend(output),
                }
            }
        }
    }
    Ok(Outputs::of_bytes(sinks, Metrics::default()))
}

/// The outputs of a node for one item, with their targets.
fn process<G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    node: usize,
    item: &[u8],
) -> Result<Vec<(Target, Vec<u8>)>, RunError> {
    let declared = &topology.nodes[node];
    let module = &topology.modules[declared.module];
    // Parameters are looked up by tag; here a node is alone, and has tag 0.
    let nodes = [declared.parameters.as_slice()];
    let parameters = StageParameters { nodes: &nodes, global: topology.global };
    let elements = 0..module.code.size(item, 0, &parameters);
    let mut staged = StagedOutputs::new(&module.channels);
    if !elements.is_empty() {
        module.code.run(item, &[EnsembleInput { tag: 0, elements }], &parameters, &mut staged);
    }
    if let Some((channel, _)) = staged.excess {
        return Err(topology.too_many(node, channel));
    }
    let mut outputs = Vec::new();
    for (channel, staged) in module.channels.iter().zip(&staged.channels) {
        let leaves = |edge: &&Edge| edge.from == node && edge.channel == channel.name;
        for edge in topology.edges.iter().filter(leaves) {
            let items = staged.bytes.chunks_exact(channel.item.size());
            outputs.extend(items.map(|item| (edge.to, item.to_vec())));
        }
    }
    Ok(outputs)
}
