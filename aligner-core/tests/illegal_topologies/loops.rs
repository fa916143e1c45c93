//! Illegal loops: loops that overlap or nest, and loops that multiply items.

use aligner_core::stream::{Capacity, CpuExecutor, Settings};

use super::*;

/// A pipeline of forks `a`, `b`, ..., connected by their left channels. Right channels are the given back edges, or
/// lead to sinks.
fn forks(nodes: &str, back: &[(char, char)]) -> App {
    let mut app = app();
    let module = app.stage(Fork);
    let ids: Vec<_> = nodes.chars().map(|c| app.node(&c.to_string(), module, ())).collect();
    let id = |name: char| ids[nodes.find(name).expect("a node")];
    app.source::<u32>(ids[0]);
    for pair in ids.windows(2) {
        app.edge(pair[0], "left", pair[1]);
    }
    app.sink::<u32>("end", ids[ids.len() - 1], "left");
    for from in nodes.chars() {
        match back.iter().find(|(tail, _)| *tail == from) {
            Some((_, head)) => app.edge(id(from), "right", id(*head)),
            None => drop(app.sink::<u32>(&format!("right of {from}"), id(from), "right")),
        }
    }
    app
}

#[test]
fn loops() {
    let shared = |first: &str, second: &str, node: char| {
        format!(
            "the loops of back edges {first} and {second} share node {node}, which is not the head \
             of one and the tail of the other"
        )
    };
    let nested = forks("abcd", &[('d', 'a'), ('c', 'b')]);
    refused(&nested, &shared("c.right -> b", "d.right -> a", 'c'));
    let overlapping = forks("abcd", &[('c', 'a'), ('d', 'b')]);
    refused(&overlapping, &shared("c.right -> a", "d.right -> b", 'c'));
    let self_loop_within = forks("abc", &[('c', 'a'), ('b', 'b')]);
    refused(&self_loop_within, &shared("b.right -> b", "c.right -> a", 'b'));
    let two_heads = forks("abc", &[('c', 'a'), ('b', 'a')]);
    refused(&two_heads, "back edges b.right -> a and c.right -> a lead to one node");

    legal(&forks("a", &[('a', 'a')]));
    legal(&forks("abc", &[('c', 'a')]));
    legal(&forks("abcd", &[('b', 'a'), ('d', 'c')]));
    legal(&forks("abcd", &[('a', 'a'), ('c', 'b'), ('d', 'd')]));
    // b is the tail of one loop and the head of another.
    legal(&forks("abc", &[('b', 'a'), ('c', 'b')]));
}

/// `a -> b -> c -> b`, and one more way from `a`, by way of `d`, to the node of this name.
fn entered(at: char) -> App {
    let mut app = app();
    let (a, b) = (root::<Fork>(&mut app, "a"), add::<Pass>(&mut app, "b"));
    let (c, d) = (add::<Fork>(&mut app, "c"), add::<Pass>(&mut app, "d"));
    app.edge(a, "left", b);
    app.edge(a, "right", d);
    app.edge(b, "out", c);
    app.edge(c, "left", b);
    app.sink::<u32>("end", c, "right");
    app.edge(d, "out", if at == 'b' { b } else { c });
    app
}

#[test]
fn loops_are_entered_at_their_heads() {
    legal(&entered('b'));
    refused(
        &entered('c'),
        "edges b.out -> c and d.out -> c lead to node c, which is on the loop of back edge \
         c.left -> b: on a loop, only the head may have several in-edges",
    );

    // A cycle that is entered at both nodes has no head.
    let mut twice = app();
    let (a, b) = (root::<Fork>(&mut twice, "a"), add::<Fork>(&mut twice, "b"));
    let c = add::<Fork>(&mut twice, "c");
    twice.edge(a, "left", b);
    twice.edge(a, "right", c);
    for (from, to, sink) in [(b, c, "end"), (c, b, "other end")] {
        twice.edge(from, "left", to);
        twice.sink::<u32>(sink, from, "right");
    }
    refused(
        &twice,
        "edges a.right -> c and b.left -> c lead to node c, which is on the loop of back edge \
         c.left -> b: on a loop, only the head may have several in-edges",
    );
}

#[test]
fn loops_multiply_nothing() {
    let mut tripled = app();
    let node = root::<Triple>(&mut tripled, "a");
    tripled.edge(node, "out", node);
    tripled.sink::<u32>("end", node, "rest");
    refused(
        &tripled,
        "edge a.out -> a is on a loop and carries up to 3 items for one input, not 1",
    );

    // Items may multiply where they leave a loop.
    let mut leaving = app();
    let node = root::<Triple>(&mut leaving, "a");
    leaving.edge(node, "rest", node);
    leaving.sink::<u32>("end", node, "out");
    legal(&leaving);

    let mut exploding = app();
    let (a, b) = (root::<Pass>(&mut exploding, "a"), add::<Burst>(&mut exploding, "b"));
    exploding.edge(a, "out", b);
    exploding.edge(b, "out", a);
    exploding.sink::<u32>("end", b, "rest");
    let message =
        "edge b.out -> a is on a loop and leaves from a module type that explodes or walks";
    refused(&exploding, message);

    let mut walking = app();
    let (a, b) = (root::<Pass>(&mut walking, "a"), add_walk::<Wander<4, u8>>(&mut walking, "b"));
    walking.edge(a, "out", b);
    walking.edge(b, "out", a);
    refused(&walking, message);
}

#[test]
fn descents() {
    let mut legal_one = app();
    let node = root::<Descend>(&mut legal_one, "a");
    legal_one.descent(node, "down", 7);
    legal_one.sink::<u32>("end", node, "out");
    legal(&legal_one);

    let mut missing = app();
    let node = root::<Descend>(&mut missing, "a");
    missing.edge(node, "down", node);
    missing.sink::<u32>("end", node, "out");
    let message = "node a is depth-first and has no descent, which leads a channel back to it";
    refused(&missing, message);

    let mut two = app();
    let node = root::<Descend>(&mut two, "a");
    two.descent(node, "down", 7);
    two.descent(node, "out", 7);
    refused(&two, "back edges a.down -> a and a.out -> a lead to one node");

    let mut breadth_first = app();
    let node = root::<Triple>(&mut breadth_first, "a");
    breadth_first.descent(node, "out", 7);
    breadth_first.sink::<u32>("end", node, "rest");
    let message = "node a has a descent, and its module type is not depth-first";
    refused(&breadth_first, message);

    let mut single = app();
    let node = root::<Slide>(&mut single, "a");
    single.descent(node, "down", 7);
    single.sink::<u32>("end", node, "out");
    let message = "node a has a descent of gamma 1: a loop that multiplies nothing is an edge";
    refused(&single, message);

    // `a -> b -> a`, where `b` is depth-first.
    let mut looped = app();
    let (a, b) = (root::<Pass>(&mut looped, "a"), add::<Descend>(&mut looped, "b"));
    looped.edge(a, "out", b);
    looped.descent(b, "down", 7);
    looped.edge(b, "out", a);
    refused(&looped, "node b is depth-first and on a loop besides its descent");

    let mut chained = app();
    let module = chained.stage(Descend);
    let [a, b] = ["a", "b"].map(|name| chained.node(name, module, ()));
    chained.source::<u32>(a);
    chained.descent(a, "down", 7);
    chained.descent(b, "down", 7);
    chained.edge(a, "out", b);
    chained.sink::<u32>("end", b, "out");
    refused(&chained, "node b is depth-first and has an in-edge from a node of its module type");
}

#[test]
fn stacks_of_any_depth_fit_or_are_refused() {
    let mut app = app();
    let node = root::<Descend>(&mut app, "a");
    app.descent(node, "down", u32::MAX);
    app.sink::<u32>("end", node, "out");
    let error = CpuExecutor::new(&app, &Settings::default()).err().expect("it is too large");
    assert!(error.to_string().starts_with("the queue of node a would have "), "{error}");
}

/// A loop through the given channel of a node that packs pods; the other channel leads to a sink.
fn packing<const FAN: u32>(looped: &str, other: &str) -> App {
    let mut app = app();
    let head = root::<Packed>(&mut app, "a");
    let module = app.collect(Pack::<FAN>);
    let pack = app.node("b", module, ());
    app.edge(head, "out", pack);
    app.edge(pack, looped, head);
    app.sink::<Numbers>("end", pack, other);
    app
}

#[test]
fn loops_multiply_no_pods() {
    legal(&packing::<1>("collected", "each"));
    let fan = "edge b.collected -> a is on a loop and carries up to 2 items for one input, not 1";
    refused(&packing::<2>("collected", "each"), fan);
    let each = "edge b.each -> a is on a loop and carries up to 6 items for one input, not 1";
    refused(&packing::<1>("each", "collected"), each);
}

/// Sends a number round two loops that touch, and counts down: round `Pass -> Turn -> Pass` while it is even, round
/// `Turn -> Pass -> Turn` while it is odd.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
struct Turn;

/// A stage that passes numbers on.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
struct On;

const OUT: Channel<u32> = Channel::new(0, "out", 1);
const INNER: Channel<u32> = Channel::new(0, "inner", 1);
const OUTER: Channel<u32> = Channel::new(1, "outer", 1);
const DONE: Channel<u32> = Channel::new(2, "done", 1);

impl Stage for On {
    type In = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "On";

    fn channels() -> Vec<ChannelType> {
        vec![OUT.describe()]
    }

    fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(OUT, *item);
    }
}

impl Stage for Turn {
    type In = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Turn";

    fn channels() -> Vec<ChannelType> {
        vec![INNER.describe(), OUTER.describe(), DONE.describe()]
    }

    fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        match item % 64 {
            0 => push.to(DONE, item / 64),
            left if left.is_multiple_of(2) => push.to(OUTER, item - 1),
            _ => push.to(INNER, item - 1),
        }
    }
}

#[test]
fn touching_loops_run_to_the_end() {
    let mut app = app();
    let on = app.stage(On);
    let [before, behind] = ["before", "behind"].map(|name| app.node(name, on, ()));
    let turn = add::<Turn>(&mut app, "turn");
    app.source::<u32>(before);
    app.edge(before, "out", turn);
    app.edge(turn, "outer", before);
    app.edge(turn, "inner", behind);
    app.edge(behind, "out", turn);
    let done = app.sink::<u32>("done", turn, "done");
    // The last six bits are the number of rounds.
    let inputs: Vec<u32> = (0..3000).map(|i| i * 64 + i * 7919 % 64).collect();
    for capacity in [Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)] {
        let settings = Settings { width: 32, blocks: 2, capacity, ..Settings::default() };
        let executor = CpuExecutor::new(&app, &settings).expect("legal");
        let mut items = executor.run(&inputs).expect("not stuck").take(done);
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..3000), "{capacity:?}");
    }
}
