//! Faults of a topology, found before anything runs.

use thiserror::Error;

/// What is wrong with a [`Topology`](crate::stream::Topology). An `edge` reads `node.channel -> target`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// Nothing is given the input.
    #[error("no source: no node is given the input")]
    NoSource,
    /// More than one node is given the input.
    #[error("two sources: the input is given to {first} and to {second}")]
    TwoSources {
        /// The node named first.
        first: String,
        /// The other node.
        second: String,
    },
    /// The input is of another type than its node takes.
    #[error("source -> {node}: the input is {input} and the node takes {takes}")]
    SourceType {
        /// The node.
        node: String,
        /// The type of the input.
        input: String,
        /// The type that the node takes.
        takes: String,
    },
    /// A node, sink or channel has no name.
    #[error("{owner} has an empty name")]
    EmptyName {
        /// What has none, and where it is.
        owner: String,
    },
    /// Two nodes or sinks share a name.
    #[error("two nodes or sinks are named {name}")]
    TwoOfOneName {
        /// The name.
        name: String,
    },
    /// An id of another topology was used.
    #[error("{user} uses a node or module type of another topology")]
    Foreign {
        /// The node, edge or source that uses it.
        user: String,
    },
    /// A module type is never used.
    #[error("module type {module} has no nodes")]
    NoNodes {
        /// The module type.
        module: String,
    },
    /// The nodes of a module type do not fit the registers of a warp.
    #[error("module type {module} has {count} nodes, and 32 is the most")]
    TooManyNodes {
        /// The module type.
        module: String,
        /// How many nodes it has.
        count: usize,
    },
    /// A mapping of items to threads that does not exist.
    #[error(
        "module type {module} maps {items} items to {threads} threads: one of the two must be 1, \
         items at most 8, threads a power of two up to 32"
    )]
    Mapping {
        /// The module type.
        module: String,
        /// Items a thread.
        items: u32,
        /// Threads an item.
        threads: u32,
    },
    /// A channel whose gamma is out of range.
    #[error("channel {module}.{channel} has gamma {gamma}, outside 1 to 65535")]
    Gamma {
        /// The module type.
        module: String,
        /// The channel.
        channel: String,
        /// Its gamma.
        gamma: u32,
    },
    /// Items without bytes could not be counted in memory.
    #[error("module type {module} takes {item}, which has no bytes")]
    NoBytes {
        /// The module type.
        module: String,
        /// What it takes.
        item: String,
    },
    /// Two channels of a module type share a name.
    #[error("two channels of module type {module} are named {channel}")]
    TwoChannels {
        /// The module type.
        module: String,
        /// The name.
        channel: String,
    },
    /// An edge leaves from a channel that its node does not have.
    #[error("edge {edge}: module type {module} has no channel of this name")]
    NoChannel {
        /// The edge.
        edge: String,
        /// The node's module type.
        module: String,
    },
    /// A channel leads nowhere.
    #[error("channel {node}.{channel} has no edge")]
    Dangling {
        /// The node.
        node: String,
        /// The channel.
        channel: String,
    },
    /// A channel leads to two places.
    #[error("edges {first} and {second} leave from one channel")]
    TwoEdges {
        /// The edge declared first.
        first: String,
        /// The other edge.
        second: String,
    },
    /// The two ends of an edge differ in type.
    #[error("edge {edge}: the channel carries {carries} and the {end} takes {takes}")]
    EdgeType {
        /// The edge.
        edge: String,
        /// The type on the channel.
        carries: String,
        /// "node" or "sink".
        end: &'static str,
        /// The type at the other end.
        takes: String,
    },
    /// The input never gets to a node.
    #[error("node {node} is not reachable from the source")]
    Unreachable {
        /// The node.
        node: String,
    },
    /// Two edges lead to a node and neither is a back edge.
    #[error("edges {first} and {second} join: a node has one in-edge, besides a back edge")]
    Join {
        /// The edge found first.
        first: String,
        /// The other edge.
        second: String,
    },
    /// Two loops have one head.
    #[error("back edges {first} and {second} lead to one node")]
    TwoBackEdges {
        /// The edge declared first.
        first: String,
        /// The other edge.
        second: String,
    },
    /// Two loops nest or overlap.
    #[error(
        "the loops of back edges {first} and {second} share node {node}, which is not the head of \
         one and the tail of the other"
    )]
    Loops {
        /// The back edge declared first.
        first: String,
        /// The other back edge.
        second: String,
        /// A node on both loops.
        node: String,
    },
    /// The items on a loop could multiply.
    #[error("edge {edge} is on a loop and carries up to {most} items for one input, not 1")]
    LoopGamma {
        /// The edge.
        edge: String,
        /// Items that one input yields at most.
        most: u64,
    },
    /// The items on a loop could multiply without a known bound.
    #[error("edge {edge} is on a loop and leaves from a module type that explodes")]
    LoopExplodes {
        /// The edge.
        edge: String,
    },
}
