//! Random legal topologies of the stages of [`super::tokens`].

use std::fmt::Write;

use aligner_core::stream::{ModuleId, NodeId, SinkId, Topology};

use super::tokens::{
    Burst, Expand, Filter, GROW_DEPTH, Grow, Knob, Narrow, Route, Spin, Token, Wide, input,
};

/// The module types, in the order in which topologies declare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Filter,
    Route,
    Expand,
    Spin,
    Burst,
    Wide,
    Narrow,
    Grow,
}

pub const KINDS: [Kind; 7] =
    [Kind::Filter, Kind::Route, Kind::Expand, Kind::Spin, Kind::Burst, Kind::Wide, Kind::Narrow];

/// The kinds, and the one that is depth-first.
pub const ALL_KINDS: [Kind; 8] = [
    Kind::Filter,
    Kind::Route,
    Kind::Expand,
    Kind::Spin,
    Kind::Burst,
    Kind::Wide,
    Kind::Narrow,
    Kind::Grow,
];

/// Module types that may be on a loop, since one input yields at most one output on each channel.
const LIGHT: [Kind; 4] = [Kind::Filter, Kind::Route, Kind::Spin, Kind::Narrow];

/// The mean number of outputs of one input at the end of a path, above which the path is not continued.
const GROWTH: f64 = 130.0;

/// The bound of [`GROWTH`] for applications with depth-first nodes, whose trees have more items.
const GROWTH_WITH_TREES: f64 = 600.0;

/// The most items that all nodes together process on average.
const ITEMS: f64 = 6000.0;

impl Kind {
    fn channels(self) -> &'static [&'static str] {
        match self {
            Self::Filter | Self::Narrow => &["accept"],
            Self::Route => &["left", "right"],
            Self::Expand => &["copies"],
            Self::Spin => &["again", "out"],
            Self::Burst => &["parts"],
            Self::Wide => &["lanes"],
            Self::Grow => &["children", "grown"],
        }
    }

    /// The most outputs of one input on average.
    fn growth(self) -> f64 {
        match self {
            Self::Expand => 1.5,
            Self::Burst => 20.0,
            Self::Wide | Self::Grow => 4.0,
            _ => 1.0,
        }
    }

    fn declare(self, topology: &mut Topology<'static>) -> ModuleId<Knob> {
        match self {
            Self::Filter => topology.stage(Filter),
            Self::Route => topology.stage(Route),
            Self::Expand => topology.stage(Expand),
            Self::Spin => topology.stage(Spin),
            Self::Burst => topology.stage(Burst),
            Self::Wide => topology.stage(Wide),
            Self::Narrow => topology.stage(Narrow),
            Self::Grow => topology.stage(Grow),
        }
    }
}

/// The role of a node in loops. Loops neither overlap nor nest, so a node is on one loop at most; but the tail of a
/// loop may be the head of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loop {
    None,
    On,
    Tail,
}

#[derive(Debug)]
struct Draft {
    kind: Kind,
    knob: Knob,
    parent: Option<(usize, &'static str)>,
    /// Other nodes' channels that lead to the node: its way merges with theirs.
    merging: Vec<(usize, &'static str)>,
    /// Head of the loop that the node's channel "again" closes.
    head: Option<usize>,
    on: Loop,
    /// The most items that reach the node on average, for one input of the application.
    growth: f64,
}

impl Draft {
    /// Whether a channel leads back to the node itself or to the head of a loop.
    fn leads_back(&self, channel: &str) -> bool {
        channel == "children" || (channel == "again" && self.head.is_some())
    }
}

/// A random application and its inputs.
pub struct Case {
    pub topology: Topology<'static>,
    pub sinks: Vec<SinkId<Token>>,
    pub inputs: Vec<Token>,
    /// Module types of the nodes, the root first.
    pub kinds: Vec<Kind>,
    /// Tail and head of each loop.
    pub loops: Vec<(usize, usize)>,
    /// For each node, the nodes whose forward edges lead to it.
    pub above: Vec<Vec<usize>>,
    /// Text with nodes and edges, for messages.
    pub text: String,
}

/// Which of the [`KINDS`] an application has nodes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageTypes {
    /// All but [`Kind::Grow`], which a kernel needs that is compiled once for all of them.
    All,
    /// Every one of [`ALL_KINDS`], for the kernel with depth-first nodes.
    Growing,
    /// Some of [`ALL_KINDS`], at random.
    Some,
}

/// Generates an application.
pub fn random_case(rng: &mut fastrand::Rng, types: StageTypes) -> Case {
    let drafts = graph(rng, types);
    case_of(rng, &drafts)
}

/// Generates an application in layers, with nodes of every type: all nodes of a layer are of one module type, fire at
/// once, and lead to the few nodes of the next layer.
pub fn layered_case(rng: &mut fastrand::Rng, types: StageTypes) -> Case {
    // Few items multiply before the last layers, so that many inputs fill the queues where ways merge.
    let mut kinds = vec![Kind::Filter, Kind::Spin, Kind::Narrow, Kind::Expand];
    rng.shuffle(&mut kinds);
    kinds.insert(0, Kind::Route);
    kinds.extend([Kind::Wide, Kind::Burst]);
    if types == StageTypes::Growing {
        kinds.insert(rng.usize(..4), Kind::Grow);
    }
    let mut drafts: Vec<Draft> = Vec::new();
    let mut above: Vec<(usize, &'static str)> = Vec::new();
    for kind in kinds {
        let first = drafts.len();
        let nodes = rng.usize(1..=above.len().clamp(1, 3));
        for node in first..first + nodes {
            let parent = above.get(node - first).copied();
            let again = kind == Kind::Spin && rng.bool();
            let (head, on) = if again { (Some(node), Loop::On) } else { (None, Loop::None) };
            let merging = Vec::new();
            drafts.push(Draft { kind, knob: knob(rng), parent, merging, head, on, growth: 1.0 });
        }
        for &edge in above.iter().skip(nodes) {
            drafts[first + rng.usize(..nodes)].merging.push(edge);
        }
        above = (first..drafts.len())
            .flat_map(|node| kind.channels().iter().map(move |name| (node, *name)))
            .filter(|(node, name)| !drafts[*node].leads_back(name))
            .collect();
        rng.shuffle(&mut above);
    }
    let grown = growths(&drafts);
    for (draft, growth) in drafts.iter_mut().zip(grown) {
        draft.growth = growth;
    }
    case_of(rng, &drafts)
}

fn knob(rng: &mut fastrand::Rng) -> Knob {
    Knob { seed: rng.u32(..), threshold: rng.u32(1 << 30..=u32::MAX - (1 << 29)) }
}

/// Declares a graph, and generates inputs.
fn case_of(rng: &mut fastrand::Rng, drafts: &[Draft]) -> Case {
    let growth: f64 = drafts.iter().map(|draft| draft.growth).sum();
    let most = (ITEMS / growth).min(400.0) as u32;
    let count = *rng.choice(&[0, 1, most / 4, most, most]).unwrap();
    let (topology, sinks, text) = build(rng, drafts);
    let loops = drafts.iter().enumerate();
    let loops = loops.filter_map(|(tail, draft)| Some((tail, draft.head?))).collect();
    let kinds = drafts.iter().map(|draft| draft.kind).collect();
    let above =
        |draft: &Draft| draft.parent.iter().chain(&draft.merging).map(|edge| edge.0).collect();
    let above = drafts.iter().map(above).collect();
    Case { topology, sinks, inputs: (0..count).map(input).collect(), kinds, loops, above, text }
}

fn graph(rng: &mut fastrand::Rng, types: StageTypes) -> Vec<Draft> {
    let mut kinds: Vec<Kind> = Vec::new();
    let every_type = types != StageTypes::Some;
    if every_type {
        kinds.extend(if types == StageTypes::All { &ALL_KINDS[..7] } else { &ALL_KINDS });
        kinds.extend((0..rng.usize(0..=4)).filter_map(|_| rng.choice(&LIGHT)));
        rng.shuffle(&mut kinds);
    }
    let limit = if types == StageTypes::Growing { GROWTH_WITH_TREES } else { GROWTH };
    let few = rng.usize(1..=4);
    let among = if types == StageTypes::All { &ALL_KINDS[..7] } else { &ALL_KINDS };
    let types: Vec<Kind> = (0..few).filter_map(|_| rng.choice(among).copied()).collect();
    // Small topologies test the root most, large ones the meeting of paths and loops.
    let most = if every_type || rng.bool() { 14 } else { 3 };
    let size = rng.usize(kinds.len().max(1)..=most);
    kinds.extend((kinds.len()..size).filter_map(|_| rng.choice(&types)));

    let pipeline = rng.u8(0..4) == 0;
    let mut drafts: Vec<Draft> = Vec::new();
    let mut open: Vec<(usize, &'static str)> = Vec::new();
    for kind in kinds {
        let above = |parent: Option<(usize, _)>| parent.map_or(1.0, |(at, _)| drafts[at].growth);
        let fits: Vec<usize> = (0..open.len())
            .filter(|&slot| above(Some(open[slot])) * kind.growth() <= limit)
            .filter(|&slot| !is_illegal(drafts[open[slot].0].kind, kind))
            .collect();
        let slot = if pipeline { fits.last().copied() } else { rng.choice(fits) };
        if slot.is_none() && !drafts.is_empty() {
            continue;
        }
        let parent = slot.map(|slot| open.remove(slot));
        let growth = above(parent) * kind.growth();
        let knob = knob(rng);
        let merging = Vec::new();
        drafts.push(Draft { kind, knob, parent, merging, head: None, on: Loop::None, growth });
        let node = drafts.len() - 1;
        if kind == Kind::Spin && rng.u8(0..4) > 0 {
            close(rng, &mut drafts);
        }
        let drafted = &drafts[node];
        let channels = kind.channels().iter().filter(|name| !drafted.leads_back(name));
        open.extend(channels.map(|name| (node, *name)));
    }
    if rng.u8(0..3) > 0 {
        for channel in open {
            if rng.u8(0..4) > 0 {
                merge(rng, &mut drafts, (channel, 2.0 * limit));
            }
        }
    }
    drafts
}

/// Leads a channel to a later node, so that no cycle is closed. It enters a loop at the head only, and is left open if
/// too many items would come together.
fn merge(
    rng: &mut fastrand::Rng,
    drafts: &mut [Draft],
    ((from, channel), limit): ((usize, &'static str), f64),
) {
    let is_head = |node: usize| drafts.iter().any(|draft| draft.head == Some(node));
    let kind = drafts[from].kind;
    let enters = |node: &usize| {
        !is_illegal(kind, drafts[*node].kind)
            && match drafts[*node].on {
                Loop::None => true,
                // The tail of a loop to itself is its head.
                _ => is_head(*node) && !is_within_a_loop(drafts, *node),
            }
    };
    let later: Vec<usize> = (from + 1..drafts.len()).filter(enters).collect();
    // Often to the head of a loop, or to a node where ways merge already, so that three and more do.
    let preferred = |node: &&usize| is_head(**node) || !drafts[**node].merging.is_empty();
    let best: Vec<usize> = later.iter().filter(preferred).copied().collect();
    let among = if best.is_empty() || rng.bool() { later } else { best };
    let Some(to) = rng.choice(among) else { return };
    drafts[to].merging.push((from, channel));
    let grown = growths(drafts);
    if grown.iter().any(|growth| *growth > limit) {
        drafts[to].merging.pop();
        return;
    }
    for (draft, growth) in drafts.iter_mut().zip(grown) {
        draft.growth = growth;
    }
}

/// Whether no edge may lead from a node of one kind to a node of the other.
fn is_illegal(from: Kind, to: Kind) -> bool {
    from == Kind::Grow && to == Kind::Grow
}

/// Whether a node is on a loop that it is not the head of.
fn is_within_a_loop(drafts: &[Draft], node: usize) -> bool {
    drafts.iter().enumerate().any(|(tail, draft)| {
        let Some(head) = draft.head else { return false };
        let up = |&at: &usize| drafts[at].parent.map(|(parent, _)| parent);
        let within = std::iter::successors(Some(tail), up).take_while(|at| *at != head);
        within.into_iter().any(|at| at == node)
    })
}

/// The most items that reach each node on average.
fn growths(drafts: &[Draft]) -> Vec<f64> {
    let mut grown: Vec<f64> = Vec::new();
    for draft in drafts {
        let edges = draft.parent.iter().chain(&draft.merging);
        let above: f64 = edges.map(|&(from, _)| grown[from]).sum();
        let root = draft.parent.is_none();
        grown.push(if root { 1.0 } else { above } * draft.kind.growth());
    }
    grown
}

/// Makes the last node the tail of a loop, to itself or to an ancestor.
fn close(rng: &mut fastrand::Rng, drafts: &mut [Draft]) {
    let tail = drafts.len() - 1;
    let mut path = vec![tail];
    let mut node = tail;
    while let Some((parent, _)) = drafts[node].parent {
        if !LIGHT.contains(&drafts[parent].kind) || drafts[parent].on == Loop::On {
            break;
        }
        path.push(parent);
        if drafts[parent].on == Loop::Tail {
            break;
        }
        node = parent;
    }
    path.truncate(rng.usize(1..=path.len()));
    drafts[tail].head = path.last().copied();
    for &node in &path {
        drafts[node].on = Loop::On;
    }
    if path.len() > 1 {
        drafts[tail].on = Loop::Tail;
    }
}

/// Declares the nodes in random order, so that the root and loops' heads are anywhere among them.
fn build(
    rng: &mut fastrand::Rng,
    drafts: &[Draft],
) -> (Topology<'static>, Vec<SinkId<Token>>, String) {
    let mut topology = Topology::new("random", &());
    let mut text = String::new();
    let modules = ALL_KINDS.map(|kind| {
        let used = drafts.iter().any(|draft| draft.kind == kind);
        used.then(|| kind.declare(&mut topology))
    });
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    rng.shuffle(&mut order);
    let mut nodes: Vec<Option<NodeId>> = vec![None; drafts.len()];
    for index in order {
        let Draft { kind, knob, .. } = drafts[index];
        let name = format!("{kind:?}{index}");
        nodes[index] = Some(topology.node(&name, modules[kind as usize].unwrap(), knob));
    }
    let node = |index: usize| nodes[index].unwrap();
    topology.source::<Token>(node(0));
    let mut sinks = Vec::new();
    for (index, draft) in drafts.iter().enumerate() {
        for &channel in draft.kind.channels() {
            let edge = (index, channel);
            let leads = |other: &Draft| other.parent == Some(edge) || other.merging.contains(&edge);
            let child = drafts.iter().position(leads);
            let to = child.or(draft.head.filter(|_| channel == "again"));
            let _ = write!(text, "{:?}{index}.{channel}->", draft.kind);
            if channel == "children" {
                let _ = writeln!(text, "itself");
                topology.descent(node(index), channel, GROW_DEPTH);
            } else if let Some(to) = to {
                topology.edge(node(index), channel, node(to));
                let _ = writeln!(text, "{:?}{to}", drafts[to].kind);
            } else if rng.u8(0..4) == 0
                && let Some(at) = rng.choice(0..sinks.len())
            {
                let _ = writeln!(text, "sink{at}");
                topology.edge_to_sink(node(index), channel, sinks[at]);
            } else {
                let name = format!("sink{}", sinks.len());
                let _ = writeln!(text, "{name}");
                sinks.push(topology.sink::<Token>(&name, node(index), channel));
            }
        }
    }
    (topology, sinks, text)
}
