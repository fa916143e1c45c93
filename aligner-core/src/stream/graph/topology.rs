//! The declaration of an application: module types, nodes, edges, one source and sinks.
//!
//! A [`Topology`] is declared once and checked as a whole ([`Topology::check`]) before anything
//! runs. Declaring never fails; the check names the node or edge that is at fault.

use std::marker::PhantomData;

use crate::stream::run::error::RunError;
use crate::stream::stages::channel::{Channel, ChannelType};
use crate::stream::stages::erased::{Collecting, Each, ErasedStage, Reducing};
use crate::stream::stages::item::{Item, ItemType};
use crate::stream::stages::pod::{AnyPod, Collect, Reduce};
use crate::stream::stages::stage::{Mapping, Stage};
use crate::stream::stages::walk::{Walk, WalkLimits};
use crate::stream::stages::walking::{ErasedWalk, Walking};

/// Id of a module type in a topology; its nodes have parameters of type `N`.
#[derive(Debug)]
pub struct ModuleId<N>(pub(crate) usize, PhantomData<fn(N)>);

impl<N> Clone for ModuleId<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for ModuleId<N> {}

/// Id of a module type that walks; its nodes have parameters of type `N`.
#[derive(Debug)]
pub struct WalkId<N>(usize, PhantomData<fn(N)>);

impl<N> Clone for WalkId<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for WalkId<N> {}

/// Id of a node in a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(pub(crate) usize);

/// Id of a sink in a topology; the sink receives items of type `T`.
#[derive(Debug)]
pub struct SinkId<T>(pub(crate) usize, pub(crate) PhantomData<fn() -> T>);

impl<T> Clone for SinkId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SinkId<T> {}

/// A module type of a topology, with its types as values.
pub(crate) struct ModuleType<G: ?Sized> {
    pub(crate) name: &'static str,
    pub(crate) input: ItemType,
    /// Type of the parameters of a node.
    pub(crate) node: ItemType,
    pub(crate) mapping: Mapping,
    /// The most elements of an input that a firing cannot divide: the capacity of a pod that is collected or reduced, or
    /// the most children at which a walk visits an item; else 1.
    pub(crate) indivisible: u32,
    pub(crate) channels: Vec<ChannelType>,
    /// Bytes of the module type's parameters.
    pub(crate) parameters: Vec<u8>,
    pub(crate) code: Box<dyn ErasedStage<G>>,
    /// For module types that walk, their types and code.
    pub(crate) walk: Option<WalkType<G>>,
}

/// The types of a walk as values, and its code.
pub(crate) struct WalkType<G: ?Sized> {
    pub(crate) header: ItemType,
    pub(crate) item: ItemType,
    /// The most children of a node of the tree.
    pub(crate) fan: u32,
    pub(crate) code: Box<dyn ErasedWalk<G>>,
}

/// A node: an instance of a module type.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) module: usize,
    /// Bytes of the node's parameters.
    pub(crate) parameters: Vec<u8>,
    /// Limits of its walks, if its module type walks.
    pub(crate) walk_limits: Option<WalkLimits>,
}

/// The target of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Node(usize),
    Sink(usize),
}

/// An edge from a channel of a node.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) channel: String,
    pub(crate) to: Target,
    /// Of a descent, the most times that an item goes round; `None` for other edges.
    pub(crate) depth: Option<u32>,
}

/// A sink and the type of its items.
pub(crate) struct Sink {
    pub(crate) name: String,
    pub(crate) item: ItemType,
}

/// The dataflow graph of an application with global parameters of type `G`.
///
/// Nodes of one module type are fired together. From the source's node, ways may divide and merge
/// again; back edges to earlier nodes close loops ([`Topology::check`] has the rules).
pub struct Topology<'g, G: Sync + ?Sized = ()> {
    pub(crate) name: &'static str,
    pub(crate) global: &'g G,
    pub(crate) modules: Vec<ModuleType<G>>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// Nodes that take the input, with its type; exactly one in a legal topology.
    pub(crate) sources: Vec<(usize, ItemType)>,
    pub(crate) sinks: Vec<Sink>,
}

impl<'g, G: Sync + ?Sized> Topology<'g, G> {
    /// Begins an application. `name` is the name of its kernel on a GPU.
    pub fn new(name: &'static str, global: &'g G) -> Self {
        Self {
            name,
            global,
            modules: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            sources: Vec::new(),
            sinks: Vec::new(),
        }
    }

    /// Checks that the type of the inputs is that of the source. The topology must be legal.
    pub(crate) fn expect_input<T: Item>(&self) -> Result<(), RunError> {
        let (_, expected) = self.sources[0];
        let found = ItemType::of::<T>();
        if expected == found { Ok(()) } else { Err(RunError::WrongInput { expected, found }) }
    }

    /// The error of a node that has pushed more than gamma items for one input.
    pub(crate) fn too_many(&self, node: usize, channel: usize) -> RunError {
        let Node { name, module, .. } = &self.nodes[node];
        let channel = &self.modules[*module].channels[channel];
        RunError::TooMany {
            node: name.clone(),
            channel: channel.name.to_owned(),
            gamma: channel.gamma,
        }
    }

    /// The error of a node that was given an input of more elements than its walks may have.
    pub(crate) fn too_many_elements(&self, node: usize) -> RunError {
        let Node { name, walk_limits, .. } = &self.nodes[node];
        let most = walk_limits.map_or(0, |limits| limits.elements);
        RunError::TooManyElements { node: name.clone(), most }
    }

    /// Adds a module type that takes items one by one, or explodes them. Modules are numbered in the
    /// order in which they are added; `STREAM_APP` must list them in the same order.
    pub fn stage<S: Stage<Global = G>>(&mut self, stage: S) -> ModuleId<S::Node> {
        let explodes = S::MAPPING == Mapping::Explode;
        let lanes = if let Mapping::Each { threads, .. } = S::MAPPING { threads } else { 1 };
        self.module(ModuleType {
            name: S::NAME,
            input: ItemType::of::<S::In>(),
            node: ItemType::of::<S::Node>(),
            mapping: S::MAPPING,
            indivisible: 1,
            channels: S::channels(),
            parameters: bytemuck::bytes_of(&stage).to_vec(),
            code: Box::new(Each { stage, lanes, explodes }),
            walk: None,
        })
    }

    /// Adds a module type that collects items into pods.
    pub fn collect<S: Collect<Global = G>>(&mut self, stage: S) -> ModuleId<S::Node> {
        let collected = Channel::<S::Out>::new(0, S::COLLECTED, S::FAN);
        let mut channels = vec![collected.describe()];
        channels.extend(S::channels());
        self.module(ModuleType {
            name: S::NAME,
            input: ItemType::of::<S::In>(),
            node: ItemType::of::<S::Node>(),
            mapping: Mapping::Collect { fan: S::FAN },
            indivisible: S::In::CAPACITY as u32,
            channels,
            parameters: bytemuck::bytes_of(&stage).to_vec(),
            code: Box::new(Collecting(stage)),
            walk: None,
        })
    }

    /// Adds a module type that reduces the items of a pod to one value.
    pub fn reduce<S: Reduce<Global = G>>(&mut self, stage: S) -> ModuleId<S::Node> {
        self.module(ModuleType {
            name: S::NAME,
            input: ItemType::of::<S::In>(),
            node: ItemType::of::<S::Node>(),
            mapping: Mapping::Reduce,
            indivisible: S::In::CAPACITY as u32,
            channels: S::channels(),
            parameters: bytemuck::bytes_of(&stage).to_vec(),
            code: Box::new(Reducing(stage)),
            walk: None,
        })
    }

    /// Adds a module type that walks down trees. Its nodes are added by [`Topology::walk_node`].
    pub fn walk<S: Walk<Global = G>>(&mut self, stage: S) -> WalkId<S::Node> {
        let module: ModuleId<S::Node> = self.module(ModuleType {
            name: S::NAME,
            input: ItemType::of::<S::In>(),
            node: ItemType::of::<S::Node>(),
            mapping: Mapping::Walk { fan: S::FAN },
            indivisible: S::FAN,
            channels: S::channels(),
            parameters: bytemuck::bytes_of(&stage).to_vec(),
            code: Box::new(Walking(stage)),
            walk: Some(WalkType {
                header: ItemType::of::<S::Header>(),
                item: ItemType::of::<S::Element>(),
                fan: S::FAN,
                code: Box::new(Walking(stage)),
            }),
        });
        WalkId(module.0, PhantomData)
    }

    fn module<N>(&mut self, module: ModuleType<G>) -> ModuleId<N> {
        self.modules.push(module);
        ModuleId(self.modules.len() - 1, PhantomData)
    }

    /// Adds a node: an instance of a module type, with its parameters.
    pub fn node<N: Item>(&mut self, name: &str, module: ModuleId<N>, parameters: N) -> NodeId {
        self.add_node(name, module.0, bytemuck::bytes_of(&parameters), None)
    }

    /// Adds a node whose module type walks, with its parameters and the limits of its walks.
    pub fn walk_node<N: Item>(
        &mut self,
        name: &str,
        module: WalkId<N>,
        parameters: N,
        limits: WalkLimits,
    ) -> NodeId {
        self.add_node(name, module.0, bytemuck::bytes_of(&parameters), Some(limits))
    }

    fn add_node(
        &mut self,
        name: &str,
        module: usize,
        parameters: &[u8],
        walk_limits: Option<WalkLimits>,
    ) -> NodeId {
        let parameters = parameters.to_vec();
        self.nodes.push(Node { name: name.to_owned(), module, parameters, walk_limits });
        NodeId(self.nodes.len() - 1)
    }

    /// Makes a node the source's target: it takes the application's input, of type `T`.
    pub fn source<T: Item>(&mut self, node: NodeId) {
        self.sources.push((node.0, ItemType::of::<T>()));
    }

    /// Connects a channel of one node to the queue of another. Several edges may lead to one queue.
    pub fn edge(&mut self, from: NodeId, channel: &str, to: NodeId) {
        let to = Target::Node(to.0);
        self.edges.push(Edge { from: from.0, channel: channel.to_owned(), to, depth: None });
    }

    /// Leads a channel of a depth-first node ([`Mapping::DepthFirst`]) back to the node. An input may yield several
    /// items there, up to the channel's gamma, and each of them again; but none may go round more than `depth` times.
    /// The stack of waiting items has room for that, and has no need to hold all items of a level.
    ///
    /// A stage whose items yield more than gamma items each, or an unknown number, pushes as many as it may, and a last
    /// item that goes on where it stopped. That item goes round, too, and counts in `depth`.
    pub fn descent(&mut self, node: NodeId, channel: &str, depth: u32) {
        let (to, channel) = (Target::Node(node.0), channel.to_owned());
        self.edges.push(Edge { from: node.0, channel, to, depth: Some(depth) });
    }

    /// Connects a channel of a node to a new sink.
    pub fn sink<T: Item>(&mut self, name: &str, from: NodeId, channel: &str) -> SinkId<T> {
        self.sinks.push(Sink { name: name.to_owned(), item: ItemType::of::<T>() });
        let sink = self.sinks.len() - 1;
        let to = Target::Sink(sink);
        self.edges.push(Edge { from: from.0, channel: channel.to_owned(), to, depth: None });
        SinkId(sink, PhantomData)
    }

    /// Connects a channel of a node to a sink that another edge leads to as well.
    pub fn edge_to_sink<T: Item>(&mut self, from: NodeId, channel: &str, sink: SinkId<T>) {
        let to = Target::Sink(sink.0);
        self.edges.push(Edge { from: from.0, channel: channel.to_owned(), to, depth: None });
    }
}
