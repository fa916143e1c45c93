//! The first application of MERCATOR's manual (Cole 2017, A.2.4): two filters, three sinks.
//!
//! ```text
//!   0..128 --> filter1 --accept--> filter2 --accept--> accepted
//!                 `-----reject--> rejected1  `--reject--> rejected2
//! ```
//!
//! `Filter1` turns a number into four, on one of its channels by the module's parameter `state`,
//! and scaled by the application's parameter. `Filter2` gives a number to four threads; each emits
//! it, on a channel by the node's parameter, which is the threshold.
//!
//! Size, in lines that are neither blank nor comment: the manual's program has 98 as printed (18 in
//! its listing A.1, 29 in A.2, 51 in A.3), without the definitions of its parameter structs. This
//! one has 96 here and in `linear_pipe.cu` together, and runs on the CPU too. The command line in
//! `common`, which the manual's program lacks, is not counted.

mod common;

use aligner_core::Device;
use aligner_core::stream::{Channel, ChannelType, Kernels, Mapping, Metrics, Push, RunError};
use aligner_core::stream::{Settings, Site, Stage, Topology};

const KERNELS: Kernels =
    Kernels { name: "linear_pipe", fatbin: include_bytes!("linear_pipe.fatbin") };
const ACCEPT: Channel<i32> = Channel::new(0, "accept", 4);
const REJECT: Channel<i32> = Channel::new(1, "reject", 4);

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Filter1 {
    state: i32,
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Filter2;

impl Stage for Filter1 {
    type In = i32;
    type Node = ();
    type Global = i32;
    const NAME: &'static str = "Filter1";

    fn channels() -> Vec<ChannelType> {
        vec![ACCEPT.describe(), REJECT.describe()]
    }

    fn run(&self, item: &i32, site: &Site<'_, (), i32>, push: &mut Push<'_>) {
        let (to, n) = if self.state < 6 { (ACCEPT, item * site.global) } else { (REJECT, *item) };
        (0..4).for_each(|i| push.to(to, n + i));
    }
}

impl Stage for Filter2 {
    type In = i32;
    type Node = i32;
    type Global = i32;
    const NAME: &'static str = "Filter2";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 4 };

    fn channels() -> Vec<ChannelType> {
        vec![ACCEPT.describe(), REJECT.describe()]
    }

    fn run(&self, item: &i32, site: &Site<'_, i32, i32>, push: &mut Push<'_>) {
        push.to(if item < site.node { ACCEPT } else { REJECT }, *item);
    }
}

/// Runs the application, and returns the items of the sinks `rejected1`, `rejected2` and `accepted`, in no particular
/// order.
///
/// # Errors
/// If the device fails.
pub fn run(
    device: &Device,
    settings: &Settings,
    (scale, state, threshold): (i32, i32, i32),
) -> Result<([Vec<i32>; 3], Metrics), RunError> {
    let mut app = Topology::new("linear_pipe", &scale);
    let (type1, type2) = (app.stage(Filter1 { state }), app.stage(Filter2));
    let filter1 = app.node("filter1", type1, ());
    let filter2 = app.node("filter2", type2, threshold);
    app.source::<i32>(filter1);
    app.edge(filter1, "accept", filter2);
    let rejected1 = app.sink("rejected1", filter1, "reject");
    let rejected2 = app.sink("rejected2", filter2, "reject");
    let accepted = app.sink("accepted", filter2, "accept");
    let input: Vec<i32> = (0..128).collect();
    let mut outputs = app.run(device, settings, &KERNELS, &scale, &input)?;
    Ok(([rejected1, rejected2, accepted].map(|sink| outputs.take(sink)), outputs.metrics))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = common::Options::parse()?;
    let (sinks, metrics) = run(&options.device, &options.settings, (1, 0, 4))?;
    for (name, items) in ["rejected1", "rejected2", "accepted"].iter().zip(sinks) {
        println!("{name}: {items:?}");
    }
    Ok(options.report(&metrics)?)
}
