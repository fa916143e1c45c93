//! Topologies that are refused before anything runs, with their messages, and topologies that look wrong and are legal.
#![allow(clippy::expect_used)]

mod declarations;
mod loops;

use std::marker::PhantomData;

use aligner_core::stream::{
    Channel, ChannelType, Children, Collect, Item, Keep, Mapping, NodeId, Pod, Push, Site, Stage,
    Topology, Walk, WalkLimits,
};
use bytemuck::Zeroable;

type App = Topology<'static, ()>;
type Numbers = Pod<u32, u32, 6>;

/// Module types that push nothing. Channels are `name: type x gamma`.
macro_rules! stages {
    ($($name:ident($in:ty) by $mapping:expr => [$($channel:literal: $out:ty, $gamma:literal),*];)*) => {$(
        #[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
        #[repr(C)]
        struct $name;
        impl Stage for $name {
            type In = $in;
            type Node = ();
            type Global = ();
            const NAME: &'static str = stringify!($name);
            const MAPPING: Mapping = $mapping;
            fn channels() -> Vec<ChannelType> {
                vec![$(Channel::<$out>::new(0, $channel, $gamma).describe()),*]
            }
            fn run(&self, _: &$in, _: &Site<'_, (), ()>, _: &mut Push<'_>) {}
        }
    )*};
}

const fn each(items: u32, threads: u32) -> Mapping {
    Mapping::Each { items, threads }
}

stages! {
    Pass(u32) by each(1, 1) => ["out": u32, 1];
    Fork(u32) by each(1, 1) => ["left": u32, 1, "right": u32, 1];
    Triple(u32) by each(1, 1) => ["out": u32, 3, "rest": u32, 1];
    Signed(i32) by each(1, 1) => ["out": i32, 1];
    Burst(u32) by Mapping::Explode => ["out": u32, 1, "rest": u32, 1];
    Descend(u32) by Mapping::DepthFirst => ["down": u32, 3, "out": u32, 1];
    Slide(u32) by Mapping::DepthFirst => ["down": u32, 1, "out": u32, 1];
    Packed(Numbers) by each(1, 1) => ["out": Numbers, 1];
    Silent(u32) by each(1, 1) => ["out": u32, 0];
    Loud(u32) by each(1, 1) => ["out": u32, 65_536];
    Nameless(u32) by each(1, 1) => ["": u32, 1];
    Echo(u32) by each(1, 1) => ["out": u32, 1, "out": u32, 1];
    TwoByTwo(u32) by each(2, 2) => ["out": u32, 1];
    NoItems(u32) by each(0, 1) => ["out": u32, 1];
    NoThreads(u32) by each(1, 0) => ["out": u32, 1];
    ThreeThreads(u32) by each(1, 3) => ["out": u32, 1];
    ManyThreads(u32) by each(1, 64) => ["out": u32, 1];
    ManyItems(u32) by each(9, 1) => ["out": u32, 1];
    EightItems(u32) by each(8, 1) => ["out": u32, 1];
    AWarp(u32) by each(1, 32) => ["out": u32, 1];
}

/// Packs pods of six into up to `FAN` of six, and emits one number for each item.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Pack<const FAN: u32>;
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const FAN: u32> Zeroable for Pack<FAN> {}
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const FAN: u32> bytemuck::Pod for Pack<FAN> {}

impl<const FAN: u32> Collect for Pack<FAN> {
    type In = Numbers;
    type Out = Numbers;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Pack";
    const FAN: u32 = FAN;

    fn channels() -> Vec<ChannelType> {
        vec![Channel::<Numbers>::new(1, "each", 1).describe()]
    }

    fn run(&self, _: &u32, _: &u32, _: &Site<'_, (), ()>, _: &mut Keep<u32>, _: &mut Push<'_>) {}

    fn header(&self, _: &u32, _: u32, _: &Site<'_, (), ()>) -> u32 {
        0
    }
}

/// Walks down trees of up to `FAN` children a node, with headers of type `H`, and emits numbers.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Wander<const FAN: u32, H>(PhantomData<H>);
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const FAN: u32, H> Zeroable for Wander<FAN, H> {}
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const FAN: u32, H: Copy + 'static> bytemuck::Pod for Wander<FAN, H> {}

impl<const FAN: u32, H: Item> Walk for Wander<FAN, H> {
    type In = u32;
    type Header = H;
    type Element = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Wander";
    const FAN: u32 = FAN;

    fn channels() -> Vec<ChannelType> {
        vec![Channel::<u32>::new(0, "out", 1).describe()]
    }

    fn enter(&self, _: &u32, _: &Site<'_, (), ()>) -> (H, u32) {
        (H::zeroed(), 0)
    }

    fn element(&self, _: &u32, _: &Site<'_, (), ()>) -> Option<u32> {
        None
    }

    fn children(&self, _: &H, _: &Site<'_, (), ()>, _: &mut Children<H>) {}

    fn visit(&self, _: &H, _: u32, _: &Site<'_, (), ()>, _: &mut Push<'_>) -> Option<u32> {
        None
    }
}

/// Adds a module type that walks, with one node.
fn add_walk<S: Walk<Node = (), Global = ()>>(app: &mut App, name: &str) -> NodeId {
    let module = app.walk(S::zeroed());
    app.walk_node(name, module, (), WalkLimits { depth: 3, elements: 9 })
}

fn app() -> App {
    Topology::new("app", &())
}

/// Adds a module type with one node.
fn add<S: Stage<Node = (), Global = ()>>(app: &mut App, name: &str) -> NodeId {
    let module = app.stage(S::zeroed());
    app.node(name, module, ())
}

/// Adds a module type with one node, which takes the input.
fn root<S: Stage<Node = (), Global = ()>>(app: &mut App, name: &str) -> NodeId {
    let node = add::<S>(app, name);
    app.source::<S::In>(node);
    node
}

fn refused(app: &App, message: &str) {
    assert_eq!(app.check().expect_err(message).to_string(), message);
}

fn legal(app: &App) {
    assert_eq!(app.check(), Ok(()));
}
