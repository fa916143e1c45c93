//! An application in which ordinary stages make, take and explode pods.
//!
//! ```text
//!   tickets --> make ==pods==> even --> split ==3==> fives --> chain --> chained
//!                |              `-others               `-others
//!                |-whole-> sevens --> measured sevens --> spread sevens --> marks
//!                |           `-others
//!                |-spare-> elevens --> pods in a sink
//!                |           `-others
//!                `-raw---> measured --> spread --> marks
//! ```
//!
//! The nodes `even`, `fives`, `sevens` and `elevens` are of one module type. It receives pods from a stage that makes
//! them and from one that splits them, and sends them to every kind of target: collecting, reducing and ordinary
//! stages, and a sink.

use aligner_core::stream::{
    AnyPod, Channel, ChannelType, Mapping, Outputs, Push, SinkId, Site, Stage, Topology,
};
use bytemuck::Zeroable;

use super::pods::{Chain, Chained, Multiples, Numbers, Thirds};
use super::tokens::mix;

/// An item of which pods are made.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Ticket {
    /// The header of its pods.
    pub header: u32,
    /// Seed of the numbers.
    pub seed: u32,
    /// How many numbers its pods have, 0 to 24.
    pub len: u32,
}

/// Makes pods of a ticket's length: up to two, one, one and up to one, by channel.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Make;

const PODS: Channel<Numbers> = Channel::new(0, "pods", 2);
const WHOLE: Channel<Numbers> = Channel::new(1, "whole", 1);
const SPARE: Channel<Numbers> = Channel::new(2, "spare", 1);
const RAW: Channel<Numbers> = Channel::new(3, "raw", 1);

fn pod(ticket: &Ticket, which: u32) -> Numbers {
    let number = |index| {
        let hash = mix(ticket.seed ^ (which << 8) ^ index);
        hash % 70 * if hash & 0x100 == 0 { 2 } else { 20 }
    };
    Numbers::new(ticket.header, &(0..ticket.len).map(number).collect::<Vec<_>>())
}

impl Stage for Make {
    type In = Ticket;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Make";

    fn channels() -> Vec<ChannelType> {
        vec![PODS.describe(), WHOLE.describe(), SPARE.describe(), RAW.describe()]
    }

    fn run(&self, ticket: &Ticket, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        for which in 0..ticket.seed % 3 {
            push.to(PODS, pod(ticket, which));
        }
        push.to(WHOLE, pod(ticket, 2));
        push.to(SPARE, pod(ticket, 3));
        if ticket.seed & 4 != 0 {
            push.to(RAW, pod(ticket, 4));
        }
    }
}

/// Takes pods as ordinary items, and yields header, length and sum.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Measure;

/// A pod's header, length and sum.
pub type Measured = [u32; 3];

const MEASURED: Channel<Measured> = Channel::new(0, "measured", 1);

impl Stage for Measure {
    type In = Numbers;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Measure";

    fn channels() -> Vec<ChannelType> {
        vec![MEASURED.describe()]
    }

    fn run(&self, pod: &Numbers, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(MEASURED, [pod.header, pod.items().len() as u32, pod.items().iter().sum()]);
    }
}

/// Explodes a measured pod into a mark for each of its numbers, except for the last few.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Spread {
    /// How many numbers at the end get no mark.
    pub spared: u32,
}

const MARKS: Channel<Measured> = Channel::new(0, "marks", 1);

impl Stage for Spread {
    type In = Measured;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Spread";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![MARKS.describe()]
    }

    fn size(&self, measured: &Measured, site: &Site<'_, u32, ()>) -> u32 {
        measured[1].saturating_sub(self.spared + *site.node)
    }

    fn run(&self, measured: &Measured, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        push.to(MARKS, [measured[0], site.element, measured[2]]);
    }
}

/// Topology of the application.
pub struct Tickets {
    /// Its graph, whose source takes tickets.
    pub topology: Topology<'static>,
    chained: SinkId<Chained>,
    others: [SinkId<u32>; 4],
    kept: SinkId<Numbers>,
    marks: [SinkId<Measured>; 2],
}

/// Outputs of a run, each sink sorted: the pods' maps, the numbers that left their pods, the pods'
/// headers and numbers, the marks.
pub type Found = (Vec<Chained>, [Vec<u32>; 4], Vec<(u32, Vec<u32>)>, [Vec<Measured>; 2]);

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items
}

impl Tickets {
    /// Topology of the application.
    pub fn new() -> Self {
        let mut topology = Topology::new("tickets", &());
        let (make, multiples) = (topology.stage(Make), topology.collect(Multiples));
        let (thirds, measure) = (topology.collect(Thirds), topology.stage(Measure));
        let (spread, chain) = (topology.stage(Spread { spared: 2 }), topology.reduce(Chain));
        let sevens = topology.node("sevens", multiples, 7);
        let make = topology.node("make", make, ());
        let even = topology.node("even", multiples, 4);
        let split = topology.node("split", thirds, ());
        let fives = topology.node("fives", multiples, 5);
        let elevens = topology.node("elevens", multiples, 11);
        let all = topology.node("chain", chain, ());
        topology.source::<Ticket>(make);
        topology.edge(make, "pods", even);
        topology.edge(make, "whole", sevens);
        topology.edge(make, "spare", elevens);
        topology.edge(even, "collected", split);
        topology.edge(split, "thirds", fives);
        topology.edge(fives, "collected", all);
        let chained = topology.sink("chained", all, "chained");
        let kept = topology.sink("kept", elevens, "collected");
        let others = [even, fives, sevens, elevens];
        let others = [0, 1, 2, 3]
            .map(|index| topology.sink(&format!("others {index}"), others[index], "others"));
        let marks = [(sevens, "collected", 0), (make, "raw", 1)].map(|(from, channel, spared)| {
            let measured = topology.node(&format!("measured {channel}"), measure, ());
            let spread = topology.node(&format!("spread {channel}"), spread, spared);
            topology.edge(from, channel, measured);
            topology.edge(measured, "measured", spread);
            topology.sink(&format!("marks {channel}"), spread, "marks")
        });
        Self { topology, chained, others, kept, marks }
    }

    /// Takes the outputs of a run.
    pub fn found(&self, outputs: &mut Outputs) -> Found {
        let kept = outputs.take(self.kept);
        (
            sorted(outputs.take(self.chained)),
            self.others.map(|sink| sorted(outputs.take(sink))),
            sorted(kept.iter().map(|pod| (pod.header, pod.items().to_vec())).collect()),
            self.marks.map(|sink| sorted(outputs.take(sink))),
        )
    }
}

/// Random tickets: a third of a single number, a third of full pods.
pub fn tickets(rng: &mut fastrand::Rng, count: u32) -> Vec<Ticket> {
    let len = |rng: &mut fastrand::Rng| match rng.u8(0..3) {
        0 => 1,
        1 => 24,
        _ => rng.u32(0..=24),
    };
    (0..count).map(|header| Ticket { header, seed: rng.u32(..), len: len(rng) }).collect()
}
