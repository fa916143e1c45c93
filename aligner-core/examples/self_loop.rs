//! A self-loop: numbers take as many passes through one node as their Collatz orbits have steps.
//!
//! ```text
//!   1..=n --> collatz --done--> orbits
//!              ^   |
//!              `again
//! ```
//!
//! A lane whose orbit has ended gets another number at once, so ensembles stay full although the
//! orbits have from 0 to hundreds of steps. Numbers and steps stay below 2^32 for `n` up to 100,000.

mod common;

use aligner_core::Device;
use aligner_core::stream::{Channel, ChannelType, Kernels, Metrics, Push, RunError};
use aligner_core::stream::{Settings, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

const KERNELS: Kernels = Kernels { name: "self_loop", fatbin: include_bytes!("self_loop.fatbin") };
const AGAIN: Channel<Orbit> = Channel::new(0, "again", 1);
const DONE: Channel<Orbit> = Channel::new(1, "done", 1);

/// The state of the orbit of `start` after some steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Orbit {
    /// Number at which the orbit began.
    pub start: u32,
    /// Number that the orbit has reached.
    pub value: u32,
    /// Number of steps so far.
    pub steps: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Collatz;

impl Stage for Collatz {
    type In = Orbit;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Collatz";

    fn channels() -> Vec<ChannelType> {
        vec![AGAIN.describe(), DONE.describe()]
    }

    fn run(&self, &orbit: &Orbit, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        if orbit.value == 1 {
            push.to(DONE, orbit);
        } else {
            let even = orbit.value % 2 == 0;
            let value = if even { orbit.value / 2 } else { 3 * orbit.value + 1 };
            push.to(AGAIN, Orbit { value, steps: orbit.steps + 1, ..orbit });
        }
    }
}

/// The ends of the orbits of 1 to `last`, sorted by start.
///
/// # Errors
/// If the device fails.
pub fn run(
    device: &Device,
    settings: &Settings,
    last: u32,
) -> Result<(Vec<Orbit>, Metrics), RunError> {
    let mut app = Topology::new("self_loop", &());
    let steps = app.stage(Collatz);
    let collatz = app.node("collatz", steps, ());
    app.source::<Orbit>(collatz);
    app.edge(collatz, "again", collatz);
    let ends = app.sink::<Orbit>("orbits", collatz, "done");
    let input: Vec<_> = (1..=last).map(|start| Orbit { start, value: start, steps: 0 }).collect();
    let mut outputs = app.run(device, settings, &KERNELS, &(), &input)?;
    let mut orbits = outputs.take(ends);
    orbits.sort_unstable_by_key(|orbit| orbit.start);
    Ok((orbits, outputs.metrics))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = common::Options::parse()?;
    let (orbits, metrics) = run(&options.device, &options.settings, 100_000)?;
    let total: u64 = orbits.iter().map(|orbit| u64::from(orbit.steps)).sum();
    println!("{} orbits of {total} steps in all", orbits.len());
    if let Some(longest) = orbits.iter().max_by_key(|orbit| orbit.steps) {
        println!("the longest is that of {}, with {} steps", longest.start, longest.steps);
    }
    Ok(options.report(&metrics)?)
}
