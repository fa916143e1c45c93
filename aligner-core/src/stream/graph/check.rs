//! The check of a topology: names, types, edges and limits; the graph itself is checked in [`super::shape`]
//! (Cole 2017, 3.1.1, figs. 3.8 and 3.9).

use std::collections::HashSet;

use crate::stream::graph::error::TopologyError;
use crate::stream::graph::shape::Shape;
use crate::stream::graph::topology::{Edge, ModuleType, Target, Topology};
use crate::stream::stages::stage::Mapping;

/// The most nodes of a module type: each lane of a warp holds the state of one.
const NODES_OF_A_MODULE: usize = 32;
/// The most children of a node of a tree: bits of a word.
const CHILDREN_OF_A_NODE: u32 = 32;
/// The most items that a thread takes one after the other.
const ITEMS_OF_A_THREAD: u32 = 8;
/// The most threads that share an item: the lanes of a warp.
const THREADS_OF_AN_ITEM: u32 = 32;

impl<G: Sync + ?Sized> Topology<'_, G> {
    /// Checks that the application can run: names are given and unique, types fit, each channel has one edge, and the
    /// graph is legal. Its forward edges form no cycle: ways divide and merge. Each other edge leads back to a node that
    /// all ways to its own node pass, the head of a loop (Cole 2017, 3.1.1, has a tree in place of the forward edges).
    /// Items enter a loop at its head only, so its other nodes have one in-edge:
    ///
    /// ```text
    ///   source --> A --> B --> D --> E --> sink     D has two in-edges and is the head of a loop
    ///              |           ^ ^   |
    ///              '---> C ----' '---'              an edge from C to E would be refused
    /// ```
    ///
    /// Loops neither nest nor overlap, and do not multiply items, except for the [descent](Self::descent) of a depth-first
    /// node, whose other in-edges come from nodes of other module types. A node may be the head of one loop and the tail of
    /// another if it sends no input round both:
    ///
    /// ```text
    ///   source --> A --> B --> C --> sink      B is the tail of the loop of A and the head of the loop of C
    ///              ^     | ^   |               legal: an input of B yields an item either for A or for C, as if
    ///              '-----' '---'               the two loops were apart
    /// ```
    ///
    /// # Errors
    /// The first fault that is found, with the names of node, channel and edge.
    pub fn check(&self) -> Result<(), TopologyError> {
        self.shape().map(drop)
    }

    /// Checks the topology and returns the shape of its graph.
    pub(crate) fn shape(&self) -> Result<Shape, TopologyError> {
        self.check_ids()?;
        self.check_names()?;
        for (index, module) in self.modules.iter().enumerate() {
            let nodes = self.nodes.iter().filter(|node| node.module == index).count();
            check_module(module, nodes)?;
        }
        let root = self.check_source()?;
        Shape::new(self, root, self.check_edges()?)
    }

    /// Checks that ids belong to this topology, since an id of another one may have the right type.
    fn check_ids(&self) -> Result<(), TopologyError> {
        let foreign = |user: String| Err(TopologyError::Foreign { user });
        for node in &self.nodes {
            let module = self.modules.get(node.module);
            let is_other = |module: &ModuleType<G>| {
                module.node.size() != node.parameters.len()
                    || module.walk.is_some() != node.walk_limits.is_some()
            };
            if module.is_none_or(is_other) {
                return foreign(format!("node {}", node.name));
            }
        }
        let exists = |node: usize| node < self.nodes.len();
        for Edge { from, channel, to, .. } in &self.edges {
            let leads = match to {
                Target::Node(to) => exists(*to),
                Target::Sink(sink) => *sink < self.sinks.len(),
            };
            if !exists(*from) || !leads {
                return foreign(format!("an edge on a channel {channel}"));
            }
        }
        if self.sources.iter().any(|(node, _)| !exists(*node)) {
            return foreign("the source".to_owned());
        }
        Ok(())
    }

    /// Checks that names are neither empty nor used twice.
    fn check_names(&self) -> Result<(), TopologyError> {
        let empty = |owner: String| Err(TopologyError::EmptyName { owner });
        let mut names = HashSet::new();
        for node in &self.nodes {
            if node.name.is_empty() {
                return empty(format!("a node of module type {}", self.modules[node.module].name));
            }
        }
        for edge in &self.edges {
            if let Target::Sink(sink) = edge.to
                && self.sinks[sink].name.is_empty()
            {
                let from = &self.nodes[edge.from].name;
                return empty(format!("the sink of channel {from}.{}", edge.channel));
            }
        }
        let nodes = self.nodes.iter().map(|node| &node.name);
        for name in nodes.chain(self.sinks.iter().map(|sink| &sink.name)) {
            if !names.insert(name) {
                return Err(TopologyError::TwoOfOneName { name: name.clone() });
            }
        }
        Ok(())
    }

    /// Checks the source, and returns the node that takes the input.
    fn check_source(&self) -> Result<usize, TopologyError> {
        let name = |node: usize| self.nodes[node].name.clone();
        match self.sources[..] {
            [] => Err(TopologyError::NoSource),
            [(node, input)] => {
                let takes = self.modules[self.nodes[node].module].input;
                if input == takes {
                    Ok(node)
                } else {
                    let (input, takes) = (input.to_string(), takes.to_string());
                    Err(TopologyError::SourceType { node: name(node), input, takes })
                }
            }
            [(first, _), (second, _), ..] => {
                Err(TopologyError::TwoSources { first: name(first), second: name(second) })
            }
        }
    }

    /// Checks that every channel has one edge and that types fit. Returns the edges by node and channel.
    fn check_edges(&self) -> Result<Vec<Vec<usize>>, TopologyError> {
        let mut edges: Vec<Vec<Option<usize>>> =
            self.nodes.iter().map(|node| vec![None; self.channels(node.module)]).collect();
        for (index, edge) in self.edges.iter().enumerate() {
            let module = &self.modules[self.nodes[edge.from].module];
            let channel = module.channels.iter().position(|channel| channel.name == edge.channel);
            let Some(channel) = channel else {
                let module = module.name.to_owned();
                return Err(TopologyError::NoChannel { edge: self.describe(index), module });
            };
            if let Some(first) = edges[edge.from][channel].replace(index) {
                let (first, second) = (self.describe(first), self.describe(index));
                return Err(TopologyError::TwoEdges { first, second });
            }
            let carries = module.channels[channel].item;
            let (end, takes) = match edge.to {
                Target::Node(node) => ("node", self.modules[self.nodes[node].module].input),
                Target::Sink(sink) => ("sink", self.sinks[sink].item),
            };
            if carries != takes {
                let (carries, takes) = (carries.to_string(), takes.to_string());
                let edge = self.describe(index);
                return Err(TopologyError::EdgeType { edge, carries, end, takes });
            }
        }
        let complete = |(node, edges): (usize, Vec<Option<usize>>)| {
            let connected = |(channel, edge): (usize, Option<usize>)| {
                edge.ok_or_else(|| TopologyError::Dangling {
                    node: self.nodes[node].name.clone(),
                    channel: self.modules[self.nodes[node].module].channels[channel]
                        .name
                        .to_owned(),
                })
            };
            edges.into_iter().enumerate().map(connected).collect()
        };
        edges.into_iter().enumerate().map(complete).collect()
    }

    fn channels(&self, module: usize) -> usize {
        self.modules[module].channels.len()
    }

    /// Text for an edge in messages: `node.channel -> target`.
    pub(crate) fn describe(&self, edge: usize) -> String {
        let Edge { from, channel, to, .. } = &self.edges[edge];
        let to = match to {
            Target::Node(node) => &self.nodes[*node].name,
            Target::Sink(sink) => &self.sinks[*sink].name,
        };
        format!("{}.{channel} -> {to}", self.nodes[*from].name)
    }
}

/// Checks a module type that has `nodes` nodes.
fn check_module<G: ?Sized>(module: &ModuleType<G>, nodes: usize) -> Result<(), TopologyError> {
    let name = module.name.to_owned();
    match nodes {
        0 => return Err(TopologyError::NoNodes { module: name }),
        1..=NODES_OF_A_MODULE => {}
        count => return Err(TopologyError::TooManyNodes { module: name, count }),
    }
    if module.input.size() == 0 {
        let item = module.input.to_string();
        return Err(TopologyError::NoBytes { module: name, item });
    }
    if let Mapping::Each { items, threads } = module.mapping {
        let one = items == 1 || threads == 1;
        let items_fit = (1..=ITEMS_OF_A_THREAD).contains(&items);
        let threads_fit = threads.is_power_of_two() && threads <= THREADS_OF_AN_ITEM;
        if !(one && items_fit && threads_fit) {
            return Err(TopologyError::Mapping { module: name, items, threads });
        }
    }
    if let Some(walk) = &module.walk {
        if !(1..=CHILDREN_OF_A_NODE).contains(&walk.fan) {
            return Err(TopologyError::Fan { module: name, fan: walk.fan });
        }
        if let Some(empty) = [walk.header, walk.item].iter().find(|item| item.size() == 0) {
            return Err(TopologyError::NoBytes { module: name, item: empty.to_string() });
        }
    }
    for (index, channel) in module.channels.iter().enumerate() {
        if channel.name.is_empty() {
            return Err(TopologyError::EmptyName {
                owner: format!("a channel of module type {name}"),
            });
        }
        if module.channels[..index].iter().any(|other| other.name == channel.name) {
            let channel = channel.name.to_owned();
            return Err(TopologyError::TwoChannels { module: name, channel });
        }
        if !(1..=u32::from(u16::MAX)).contains(&channel.gamma) {
            let (channel, gamma) = (channel.name.to_owned(), channel.gamma);
            return Err(TopologyError::Gamma { module: name, channel, gamma });
        }
    }
    Ok(())
}
