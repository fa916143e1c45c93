//! Faults of a topology, found before anything runs.

use thiserror::Error;

/// The fault of an illegal [`Topology`](crate::stream::Topology). An `edge` is written as `node.channel -> target`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// No node takes the input.
    #[error("no source: no node is given the input")]
    NoSource,
    /// More than one node takes the input.
    #[error("two sources: the input is given to {first} and to {second}")]
    TwoSources {
        /// Node that was declared first as the source.
        first: String,
        /// Node that was declared second.
        second: String,
    },
    /// The input has another type than the node that takes it.
    #[error("source -> {node}: the input is {input} and the node takes {takes}")]
    SourceType {
        /// Node that takes the input.
        node: String,
        /// Type of the input.
        input: String,
        /// Type that the node takes.
        takes: String,
    },
    /// A node, sink or channel has no name.
    #[error("{owner} has an empty name")]
    EmptyName {
        /// Node, sink or channel without a name, and where it is.
        owner: String,
    },
    /// Two nodes or sinks share a name.
    #[error("two nodes or sinks are named {name}")]
    TwoOfOneName {
        /// Name that two of them have.
        name: String,
    },
    /// An id belongs to another topology.
    #[error("{user} uses a node, module type or sink of another topology")]
    Foreign {
        /// Node, edge or source that uses the id.
        user: String,
    },
    /// A module type has no node.
    #[error("module type {module} has no nodes")]
    NoNodes {
        /// Name of the module type.
        module: String,
    },
    /// A module type has more nodes than a warp has lanes, in whose registers nodes are held.
    #[error("module type {module} has {count} nodes, and 32 is the most")]
    TooManyNodes {
        /// Name of the module type.
        module: String,
        /// Number of its nodes.
        count: usize,
    },
    /// A mapping of items to threads that does not exist.
    #[error(
        "module type {module} maps {items} items to {threads} threads: one of the two must be 1, \
         items at most 8, threads a power of two up to 32"
    )]
    Mapping {
        /// Name of the module type.
        module: String,
        /// Items that a thread takes.
        items: u32,
        /// Threads that share an item.
        threads: u32,
    },
    /// The most children of a node of a tree are out of range.
    #[error("module type {module} walks trees of up to {fan} children a node, outside 1 to 32")]
    Fan {
        /// Name of the module type.
        module: String,
        /// The most children of a node.
        fan: u32,
    },
    /// The gamma of a channel is out of range.
    #[error("channel {module}.{channel} has gamma {gamma}, outside 1 to 65535")]
    Gamma {
        /// Name of the module type.
        module: String,
        /// Name of the channel.
        channel: String,
        /// Gamma of the channel.
        gamma: u32,
    },
    /// A module type takes items of zero bytes, which cannot be counted in memory.
    #[error("module type {module} takes {item}, which has no bytes")]
    NoBytes {
        /// Name of the module type.
        module: String,
        /// Type of its items.
        item: String,
    },
    /// Two channels of a module type share a name.
    #[error("two channels of module type {module} are named {channel}")]
    TwoChannels {
        /// Name of the module type.
        module: String,
        /// Name that two of its channels have.
        channel: String,
    },
    /// An edge leaves from a channel that its node does not have.
    #[error("edge {edge}: module type {module} has no channel of this name")]
    NoChannel {
        /// Edge that names the channel.
        edge: String,
        /// Module type of the node that the edge leaves.
        module: String,
    },
    /// A channel has no edge.
    #[error("channel {node}.{channel} has no edge")]
    Dangling {
        /// Node that has the channel.
        node: String,
        /// Name of the channel.
        channel: String,
    },
    /// A channel has two edges.
    #[error("edges {first} and {second} leave from one channel")]
    TwoEdges {
        /// Edge that was declared first.
        first: String,
        /// Edge that was declared second.
        second: String,
    },
    /// The two ends of an edge differ in type.
    #[error("edge {edge}: the channel carries {carries} and the {end} takes {takes}")]
    EdgeType {
        /// Edge whose ends differ.
        edge: String,
        /// Type of the channel.
        carries: String,
        /// Kind of the target, "node" or "sink".
        end: &'static str,
        /// Type that the target takes.
        takes: String,
    },
    /// No path leads from the source to a node.
    #[error("node {node} is not reachable from the source")]
    Unreachable {
        /// Node that cannot be reached.
        node: String,
    },
    /// Two edges lead to a node within a loop.
    #[error(
        "edges {first} and {second} lead to node {node}, which is on the loop of back edge {back}: \
         on a loop, only the head may have several in-edges"
    )]
    LoopEntry {
        /// Node with both in-edges.
        node: String,
        /// Back edge that closes the loop.
        back: String,
        /// Edge that was declared first.
        first: String,
        /// Edge that was declared second.
        second: String,
    },
    /// Two loops have the same head.
    #[error("back edges {first} and {second} lead to one node")]
    TwoBackEdges {
        /// Back edge that was found first.
        first: String,
        /// Back edge that was found second.
        second: String,
    },
    /// Two loops nest or overlap.
    #[error(
        "the loops of back edges {first} and {second} share node {node}, which is not the head of \
         one and the tail of the other"
    )]
    Loops {
        /// Back edge that was declared first.
        first: String,
        /// Back edge that was declared second.
        second: String,
        /// Node that is on both loops.
        node: String,
    },
    /// A descent without a depth-first node, or a depth-first node that no rule allows.
    #[error("node {node} {reason}")]
    Descent {
        /// Node that has the descent, or lacks one.
        node: String,
        /// Rule that it breaks.
        reason: &'static str,
    },
    /// The items on a loop could multiply.
    #[error("edge {edge} is on a loop and carries up to {most} items for one input, not 1")]
    LoopGamma {
        /// Edge on the loop.
        edge: String,
        /// The most items that one input yields on it.
        most: u64,
    },
    /// The items on a loop could multiply without a known bound.
    #[error("edge {edge} is on a loop and leaves from a module type that explodes or walks")]
    LoopExplodes {
        /// Edge on the loop.
        edge: String,
    },
}
