//! The applications that experiments run: single pipelines (Cole 2017, figure 3.10), four pipelines (figure 3.11), four
//! that merge, and pipelines that map items to threads in other ways.

use std::cmp::Ordering;

use aligner_core::stream::{Fused, Kernels, ModuleId, NodeId, Outputs, SinkId, Topology};
use bytemuck::Zeroable;
use serde::Serialize;

use super::quote::{Model, Quote, STAGES};
use super::stages::{Again, Batched, PIPELINES, Shared, Split, Work};

/// An application: all of them compute the same quotes, by different topologies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum App {
    /// A pipeline whose nodes are all of different module types.
    DiffType,
    /// A pipeline whose nodes are all of one module type.
    SameType,
    /// A pipeline folded into one node with a loop.
    SelfLoop,
    /// A pipeline fused into one node without queues: the control of the others.
    Merged,
    /// Four pipelines of one module type.
    Same,
    /// Four pipelines, each node of a module type of its own.
    Diff,
    /// Four pipelines of five module types, one for each stage.
    Staged,
    /// `Staged`, but the four pipelines merge behind their first nodes.
    Rejoined,
    /// `SameType` with several threads an item.
    OneToMany,
    /// `SameType` with several items a thread.
    ManyToOne,
}

const SINGLE: &[u8] = include_bytes!("../../cuda/single.fatbin");
const MULTIPLE: &[u8] = include_bytes!("../../cuda/pipelines.fatbin");
const MAPPINGS: &[u8] = include_bytes!("../../cuda/mappings.fatbin");

/// The topology of an application, and its sinks.
pub struct BuiltApp<'g> {
    /// The nodes and edges, and the stage of each node.
    pub topology: Topology<'g, Model>,
    /// The sinks: one for each pipeline.
    pub sinks: Vec<SinkId<Quote>>,
}

impl BuiltApp<'_> {
    /// Compares the quotes at the sinks with those that a plain loop over `inputs` yields, and takes them out of `outputs`:
    /// the number of quotes that are missing at their sink or should not be there, and the number that should be there.
    pub fn check(&self, model: Model, inputs: &[Quote], outputs: &mut Outputs) -> (usize, usize) {
        let sinks = self.sinks.len() as u32;
        let survivors = inputs.iter().map(|quote| quote.id).filter(|&id| model.survives(id));
        let mut expected: Vec<(u32, u32)> = survivors.map(|id| (id % sinks, id)).collect();
        let mut found = Vec::new();
        for (index, &sink) in (0..sinks).zip(&self.sinks) {
            found.extend(outputs.take(sink).iter().map(|quote| (index, quote.id)));
        }
        expected.sort_unstable();
        found.sort_unstable();
        (differences(&expected, &found), expected.len())
    }
}

/// How many elements of two sorted lists have no counterpart in the other.
fn differences<T: Ord>(mut a: &[T], mut b: &[T]) -> usize {
    let mut alone = 0;
    while let ([first, rest_a @ ..], [second, rest_b @ ..]) = (a, b) {
        (a, b) = match first.cmp(second) {
            Ordering::Less => (rest_a, b),
            Ordering::Greater => (a, rest_b),
            Ordering::Equal => (rest_a, rest_b),
        };
        alone += usize::from(first != second);
    }
    alone + a.len() + b.len()
}

/// The stage of [`App::Merged`]: five working nodes fused into one.
type Merged = Fused<Work<0>, Fused<Work<1>, Fused<Work<2>, Fused<Work<3>, Work<4>, 0>, 0>, 0>, 0>;

/// Adds the module types `Work<$type>` to a topology.
macro_rules! work {
    ($topology:ident: $($type:literal)*) => { [$($topology.stage(Work::<$type>)),*] };
}

impl App {
    /// Every application, in the order of the enum.
    pub const ALL: [Self; 10] = [
        Self::DiffType,
        Self::SameType,
        Self::SelfLoop,
        Self::Merged,
        Self::Same,
        Self::Diff,
        Self::Staged,
        Self::Rejoined,
        Self::OneToMany,
        Self::ManyToOne,
    ];

    /// The name in tables and figures, which is the dissertation's.
    pub fn name(self) -> &'static str {
        match self {
            Self::DiffType => "DiffType",
            Self::SameType => "SameType",
            Self::SelfLoop => "SelfLoop",
            Self::Merged => "Merged",
            Self::Same => "Same",
            Self::Diff => "Diff",
            Self::Staged => "Staged",
            Self::Rejoined => "Rejoined",
            Self::OneToMany => "OneToMany",
            Self::ManyToOne => "ManyToOne",
        }
    }

    /// The kernel that runs the application on a GPU.
    pub fn kernels(self) -> Kernels {
        let (name, fatbin): (_, &'static [u8]) = match self {
            Self::DiffType => ("diff_type", SINGLE),
            Self::SameType => ("same_type", SINGLE),
            Self::SelfLoop => ("self_loop", SINGLE),
            Self::Merged => ("merged", SINGLE),
            Self::Same => ("same", MULTIPLE),
            Self::Diff => ("diff", MULTIPLE),
            // The same stages in another graph, which is data.
            Self::Staged | Self::Rejoined => ("staged", MULTIPLE),
            Self::OneToMany => ("one_to_many", MAPPINGS),
            Self::ManyToOne => ("many_to_one", MAPPINGS),
        };
        Kernels { name, fatbin }
    }

    /// The position in the pipelines, from 0, of a module's nodes; `None` if they are at several.
    pub(crate) fn stage_of(self, module: usize) -> Option<usize> {
        match self {
            Self::DiffType => Some(module),
            Self::Staged | Self::Rejoined => module.checked_sub(1),
            Self::Diff => module.checked_sub(1).map(|working| working / PIPELINES),
            _ => None,
        }
    }

    /// Declares the topology, with `model` for all nodes.
    pub fn build(self, model: &Model) -> BuiltApp<'_> {
        let mut topology = Topology::new(self.kernels().name, model);
        let sinks = match self {
            Self::DiffType => {
                let types = work!(topology: 0 1 2 3 4);
                vec![pipeline(&mut topology, types)]
            }
            Self::SameType => {
                let module = topology.stage(Work::<0>);
                vec![pipeline(&mut topology, [module; STAGES as usize])]
            }
            Self::OneToMany => {
                let module = topology.stage(Shared);
                vec![pipeline(&mut topology, [module; STAGES as usize])]
            }
            Self::ManyToOne => {
                let module = topology.stage(Batched);
                vec![pipeline(&mut topology, [module; STAGES as usize])]
            }
            Self::SelfLoop => {
                let module = topology.stage(Again);
                let node = topology.node("again", module, ());
                topology.source::<Quote>(node);
                topology.edge(node, "pass", node);
                vec![topology.sink("out", node, "out")]
            }
            Self::Merged => {
                let module = topology.stage(Merged::zeroed());
                let node = topology.node("merged", module, Zeroable::zeroed());
                topology.source::<Quote>(node);
                vec![topology.sink("out", node, "pass")]
            }
            Self::Same => {
                let split = splitter(&mut topology);
                let module = topology.stage(Work::<0>);
                pipelines(&mut topology, split, [[module; PIPELINES]; STAGES as usize])
            }
            Self::Staged => {
                let split = splitter(&mut topology);
                let stages = work!(topology: 0 1 2 3 4);
                pipelines(&mut topology, split, stages.map(|module| [module; PIPELINES]))
            }
            Self::Rejoined => {
                let split = splitter(&mut topology);
                let [first, others @ ..] = work!(topology: 0 1 2 3 4);
                let mut stage = 1;
                let common = others.map(|module| {
                    stage += 1;
                    topology.node(&format!("work{stage}"), module, ())
                });
                for branch in 0..PIPELINES {
                    let node = topology.node(&format!("work1.{branch}"), first, ());
                    topology.edge(split, &branch.to_string(), node);
                    topology.edge(node, "pass", common[0]);
                }
                vec![connect(&mut topology, &common, "out")]
            }
            Self::Diff => {
                let split = splitter(&mut topology);
                let types = [
                    work!(topology: 0 1 2 3),
                    work!(topology: 4 5 6 7),
                    work!(topology: 8 9 10 11),
                    work!(topology: 12 13 14 15),
                    work!(topology: 16 17 18 19),
                ];
                pipelines(&mut topology, split, types)
            }
        };
        BuiltApp { topology, sinks }
    }
}

/// Adds a pipeline with one node of each of `types`, from the source to a sink.
fn pipeline(
    topology: &mut Topology<'_, Model>,
    types: [ModuleId<()>; STAGES as usize],
) -> SinkId<Quote> {
    let mut stage = 0;
    let nodes = types.map(|module| {
        stage += 1;
        topology.node(&format!("work{stage}"), module, ())
    });
    topology.source::<Quote>(nodes[0]);
    connect(topology, &nodes, "out")
}

fn splitter(topology: &mut Topology<'_, Model>) -> NodeId {
    let module = topology.stage(Split);
    let split = topology.node("split", module, ());
    topology.source::<Quote>(split);
    split
}

/// Adds a pipeline from the splitter to a sink of its own for each branch; `types[stage][pipeline]` are the types of nodes.
fn pipelines(
    topology: &mut Topology<'_, Model>,
    split: NodeId,
    types: [[ModuleId<()>; PIPELINES]; STAGES as usize],
) -> Vec<SinkId<Quote>> {
    (0..PIPELINES)
        .map(|branch| {
            let mut nodes = Vec::new();
            for (stage, modules) in types.iter().enumerate() {
                let name = format!("work{}.{branch}", stage + 1);
                nodes.push(topology.node(&name, modules[branch], ()));
            }
            topology.edge(split, &branch.to_string(), nodes[0]);
            connect(topology, &nodes, &format!("out.{branch}"))
        })
        .collect()
}

/// Connects each node with the next, and the last one with a new sink.
fn connect(topology: &mut Topology<'_, Model>, nodes: &[NodeId], sink: &str) -> SinkId<Quote> {
    for pair in nodes.windows(2) {
        topology.edge(pair[0], "pass", pair[1]);
    }
    topology.sink(sink, nodes[nodes.len() - 1], "pass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_counts() {
        assert_eq!(differences(&[1, 2, 2, 5], &[1, 2, 2, 5]), 0);
        assert_eq!(differences(&[1, 2, 2, 5], &[1, 2, 5, 6]), 2);
        assert_eq!(differences(&[], &[1, 1]), 2);
        assert_eq!(differences(&[3], &[1]), 2);
    }
}
