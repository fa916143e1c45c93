//! The stages of the applications. `cuda/include/benches/stages.cuh` has the same stages for GPUs.

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};

use super::quote::{Model, Quote, STAGES};

/// Threads for each item of [`Shared`], and items for each thread of [`Batched`].
pub const MANY: u32 = 4;

/// Pipelines that [`Split`] feeds.
pub const PIPELINES: usize = 4;

const PASS: Channel<Quote> = Channel::new(0, "pass", 1);
const OUT: Channel<Quote> = Channel::new(1, "out", 1);
const BRANCHES: [Channel<Quote>; PIPELINES] = [
    Channel::new(0, "0", 1),
    Channel::new(1, "1", 1),
    Channel::new(2, "2", 1),
    Channel::new(3, "3", 1),
];

/// A working node. All values of `TYPE` do the same, but nodes of different types cannot be fired together.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Work<const TYPE: usize>;

#[allow(unsafe_code)]
// SAFETY: has no fields.
unsafe impl<const TYPE: usize> Zeroable for Work<TYPE> {}
#[allow(unsafe_code)]
// SAFETY: has no fields, so no padding and no invalid values.
unsafe impl<const TYPE: usize> Pod for Work<TYPE> {}

macro_rules! names {
    ($($number:literal)*) => { [$(concat!("Work<", $number, ">")),*] };
}

impl<const TYPE: usize> Stage for Work<TYPE> {
    type In = Quote;
    type Node = ();
    type Global = Model;
    const NAME: &'static str = names!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)[TYPE];

    fn channels() -> Vec<ChannelType> {
        vec![PASS.describe()]
    }

    fn run(&self, quote: &Quote, site: &Site<'_, (), Model>, push: &mut Push<'_>) {
        if let Some(quote) = site.global.work(quote, 0, 1) {
            push.to(PASS, quote);
        }
    }
}

/// A working node that sends a quote back to itself until it has passed [`STAGES`] times.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Again;

impl Stage for Again {
    type In = Quote;
    type Node = ();
    type Global = Model;
    const NAME: &'static str = "Again";

    fn channels() -> Vec<ChannelType> {
        vec![PASS.describe(), OUT.describe()]
    }

    fn run(&self, quote: &Quote, site: &Site<'_, (), Model>, push: &mut Push<'_>) {
        if let Some(quote) = site.global.work(quote, 0, 1) {
            push.to(if quote.passes < STAGES { PASS } else { OUT }, quote);
        }
    }
}

/// Distributes the quotes to the pipelines by their numbers.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Split;

impl Stage for Split {
    type In = Quote;
    type Node = ();
    type Global = Model;
    const NAME: &'static str = "Split";

    fn channels() -> Vec<ChannelType> {
        BRANCHES.map(Channel::describe).to_vec()
    }

    fn run(&self, quote: &Quote, _: &Site<'_, (), Model>, push: &mut Push<'_>) {
        push.to(BRANCHES[quote.id as usize % PIPELINES], *quote);
    }
}

/// A working node whose items are each shared by [`MANY`] threads. The output has the partial value of one of the
/// threads.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Shared;

impl Stage for Shared {
    type In = Quote;
    type Node = ();
    type Global = Model;
    const NAME: &'static str = "Shared";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: MANY };

    fn channels() -> Vec<ChannelType> {
        vec![PASS.describe()]
    }

    fn run(&self, quote: &Quote, site: &Site<'_, (), Model>, push: &mut Push<'_>) {
        let priced = site.global.work(quote, site.lane, site.lanes);
        // A different thread for each quote, or compilers would remove the work of the threads whose value is not used.
        if let Some(priced) = priced.filter(|quote| quote.id % site.lanes == site.lane) {
            push.to(PASS, priced);
        }
    }
}

/// A working node whose threads each take [`MANY`] items.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Batched;

impl Stage for Batched {
    type In = Quote;
    type Node = ();
    type Global = Model;
    const NAME: &'static str = "Batched";
    const MAPPING: Mapping = Mapping::Each { items: MANY, threads: 1 };

    fn channels() -> Vec<ChannelType> {
        vec![PASS.describe()]
    }

    fn run(&self, quote: &Quote, site: &Site<'_, (), Model>, push: &mut Push<'_>) {
        Work::<0>.run(quote, site, push);
    }
}
