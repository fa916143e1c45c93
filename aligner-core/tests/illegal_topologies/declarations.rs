//! Illegal names, types, channels, ways and settings.

use aligner_core::stream::{Capacity, CpuExecutor, RunError, Settings, Stage};

use super::*;

#[test]
fn the_source() {
    let mut none = app();
    let node = add::<Pass>(&mut none, "a");
    none.sink::<u32>("end", node, "out");
    refused(&none, "no source: no node is given the input");

    let mut two = app();
    let (a, b) = (root::<Pass>(&mut two, "a"), root::<Pass>(&mut two, "b"));
    two.edge(a, "out", b);
    two.sink::<u32>("end", b, "out");
    refused(&two, "two sources: the input is given to a and to b");

    let mut mistyped = app();
    let node = add::<Pass>(&mut mistyped, "a");
    mistyped.source::<u64>(node);
    mistyped.sink::<u32>("end", node, "out");
    refused(&mistyped, "source -> a: the input is u64 and the node takes u32");
}

#[test]
fn names() {
    let mut unnamed = app();
    let node = root::<Pass>(&mut unnamed, "");
    unnamed.sink::<u32>("end", node, "out");
    refused(&unnamed, "a node of module type Pass has an empty name");

    let mut unnamed = app();
    let node = root::<Pass>(&mut unnamed, "a");
    unnamed.sink::<u32>("", node, "out");
    refused(&unnamed, "the sink of channel a.out has an empty name");

    let mut unnamed = app();
    let node = root::<Nameless>(&mut unnamed, "a");
    unnamed.sink::<u32>("end", node, "");
    refused(&unnamed, "a channel of module type Nameless has an empty name");

    let mut alike = app();
    let (a, b) = (root::<Pass>(&mut alike, "a"), add::<Pass>(&mut alike, "a"));
    alike.edge(a, "out", b);
    alike.sink::<u32>("end", b, "out");
    refused(&alike, "two nodes or sinks are named a");

    let mut alike = app();
    let node = root::<Pass>(&mut alike, "a");
    alike.sink::<u32>("a", node, "out");
    refused(&alike, "two nodes or sinks are named a");
}

#[test]
fn ids_of_another_topology() {
    let mut other = app();
    let modules = [other.stage(Pass), other.stage(Pass)];
    let foreign = ["x", "y"].map(|name| other.node(name, modules[1], ()))[1];

    let mut node = app();
    node.stage(Pass);
    let a = node.node("a", modules[1], ());
    node.source::<u32>(a);
    refused(&node, "node a uses a node, module type or sink of another topology");

    let mut edge = app();
    let a = root::<Pass>(&mut edge, "a");
    edge.edge(a, "out", foreign);
    refused(&edge, "an edge on a channel out uses a node, module type or sink of another topology");

    let mut source = app();
    let a = add::<Pass>(&mut source, "a");
    source.sink::<u32>("end", a, "out");
    source.source::<u32>(foreign);
    refused(&source, "the source uses a node, module type or sink of another topology");
}

#[test]
fn module_types() {
    let mut unused = app();
    let node = root::<Pass>(&mut unused, "a");
    unused.sink::<u32>("end", node, "out");
    unused.stage(Fork);
    refused(&unused, "module type Fork has no nodes");

    refused(&pipeline(33), "module type Pass has 33 nodes, and 32 is the most");
    legal(&pipeline(32));
}

/// A pipeline of nodes of one module type.
fn pipeline(nodes: usize) -> App {
    let mut app = app();
    let module = app.stage(Pass);
    let nodes: Vec<_> = (0..nodes).map(|i| app.node(&format!("node{i}"), module, ())).collect();
    app.source::<u32>(nodes[0]);
    for pair in nodes.windows(2) {
        app.edge(pair[0], "out", pair[1]);
    }
    app.sink::<u32>("end", nodes[nodes.len() - 1], "out");
    app
}

/// A topology of one node with one channel, "out".
fn single<S: Stage<In = u32, Node = (), Global = ()>>() -> App {
    let mut app = app();
    let node = root::<S>(&mut app, "a");
    app.sink::<u32>("end", node, "out");
    app
}

#[test]
fn mappings() {
    let wrong = |name: &str, items: u32, threads: u32| {
        format!(
            "module type {name} maps {items} items to {threads} threads: one of the two must be 1, \
             items at most 8, threads a power of two up to 32"
        )
    };
    refused(&single::<TwoByTwo>(), &wrong("TwoByTwo", 2, 2));
    refused(&single::<NoItems>(), &wrong("NoItems", 0, 1));
    refused(&single::<NoThreads>(), &wrong("NoThreads", 1, 0));
    refused(&single::<ThreeThreads>(), &wrong("ThreeThreads", 1, 3));
    refused(&single::<ManyThreads>(), &wrong("ManyThreads", 1, 64));
    refused(&single::<ManyItems>(), &wrong("ManyItems", 9, 1));
    legal(&single::<EightItems>());
    legal(&single::<AWarp>());
}

#[test]
fn walks() {
    fn single<S: Walk<In = u32, Node = (), Global = ()>>() -> App {
        let mut app = app();
        let node = add_walk::<S>(&mut app, "a");
        app.source::<u32>(node);
        app.sink::<u32>("end", node, "out");
        app
    }
    legal(&single::<Wander<1, u8>>());
    legal(&single::<Wander<32, u8>>());
    let message = "module type Wander walks trees of up to 33 children a node, outside 1 to 32";
    refused(&single::<Wander<33, u8>>(), message);
    let message = "module type Wander walks trees of up to 0 children a node, outside 1 to 32";
    refused(&single::<Wander<0, u8>>(), message);
    refused(&single::<Wander<4, ()>>(), "module type Wander takes (), which has no bytes");
}

#[test]
fn channels() {
    refused(&single::<Silent>(), "channel Silent.out has gamma 0, outside 1 to 65535");
    refused(&single::<Loud>(), "channel Loud.out has gamma 65536, outside 1 to 65535");
    refused(&single::<Echo>(), "two channels of module type Echo are named out");

    let mut unknown = app();
    let node = root::<Pass>(&mut unknown, "a");
    unknown.sink::<u32>("end", node, "up");
    refused(&unknown, "edge a.up -> end: module type Pass has no channel of this name");

    let mut dangling = app();
    let node = root::<Fork>(&mut dangling, "a");
    dangling.sink::<u32>("end", node, "left");
    refused(&dangling, "channel a.right has no edge");

    let mut twice = app();
    let (a, b) = (root::<Pass>(&mut twice, "a"), add::<Pass>(&mut twice, "b"));
    twice.edge(a, "out", b);
    twice.sink::<u32>("end", a, "out");
    refused(&twice, "edges a.out -> b and a.out -> end leave from one channel");
}

#[test]
fn types_of_edges() {
    let mut node = app();
    let (a, b) = (root::<Pass>(&mut node, "a"), add::<Signed>(&mut node, "b"));
    node.edge(a, "out", b);
    node.sink::<i32>("end", b, "out");
    refused(&node, "edge a.out -> b: the channel carries u32 and the node takes i32");

    let mut sink = app();
    let node = root::<Pass>(&mut sink, "a");
    sink.sink::<u64>("end", node, "out");
    refused(&sink, "edge a.out -> end: the channel carries u32 and the sink takes u64");
}

#[test]
fn ways() {
    let mut apart = app();
    let (a, b) = (root::<Pass>(&mut apart, "a"), add::<Pass>(&mut apart, "b"));
    apart.sink::<u32>("end", a, "out");
    apart.edge(b, "out", a);
    refused(&apart, "node b is not reachable from the source");

    let mut merged = app();
    let (a, b) = (root::<Fork>(&mut merged, "a"), add::<Pass>(&mut merged, "b"));
    let c = add::<Pass>(&mut merged, "c");
    merged.edge(a, "left", b);
    merged.edge(b, "out", c);
    merged.edge(a, "right", c);
    merged.sink::<u32>("end", c, "out");
    legal(&merged);

    // Both channels of a node may lead to one node, or to one sink.
    let mut doubled = app();
    let (a, b) = (root::<Fork>(&mut doubled, "a"), add::<Fork>(&mut doubled, "b"));
    doubled.edge(a, "left", b);
    doubled.edge(a, "right", b);
    let end = doubled.sink::<u32>("end", b, "left");
    doubled.edge_to_sink(b, "right", end);
    legal(&doubled);

    let mut foreign = app();
    let a = root::<Pass>(&mut foreign, "a");
    foreign.edge_to_sink(a, "out", end);
    refused(
        &foreign,
        "an edge on a channel out uses a node, module type or sink of another topology",
    );
}

#[test]
fn settings() {
    let wrong = |app: &App, settings: &Settings, message: &str| {
        let error = CpuExecutor::new(app, settings).err();
        assert_eq!(error, Some(RunError::Settings(message.to_owned())));
    };
    for width in [0, 16, 33, 1056] {
        let settings = Settings { width, ..Settings::default() };
        let message = format!("ensemble width {width}: expected a multiple of 32 from 32 to 1024");
        wrong(&pipeline(1), &settings, &message);
    }
    let none = Settings { capacity: Capacity::Ensembles(0), ..Settings::default() };
    wrong(&pipeline(1), &none, "capacity of 0 ensembles: expected 1 or more");
    let vast = Settings { capacity: Capacity::Ensembles(1 << 25), ..Settings::default() };
    wrong(&pipeline(2), &vast, "the queue of node node1 would have 4294967296 slots");
    let mut illegal = pipeline(1);
    illegal.stage(Fork);
    let error = CpuExecutor::new(&illegal, &Settings::default()).err().expect("no nodes");
    assert_eq!(error.to_string(), "module type Fork has no nodes");
}
