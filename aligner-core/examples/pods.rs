//! Pods: rows of numbers that three nodes sieve and a fourth adds up.
//!
//! ```text
//!   rows --> by 2 --collected--> by 3 --collected--> by 5 --collected--> sum --totals--> sink
//! ```
//!
//! A pod is a row: its header is the row's number, and it has up to 32 items, each with a lane of its own. The three
//! nodes of the type `Sieve` drop the multiples of their parameter; the remaining items of a row are one pod again, and
//! a row that loses all its items drops out (Cole 2017, 5.2.7).

mod common;

use aligner_core::Device;
use aligner_core::stream::{Channel, ChannelType, Collect, Keep, Kernels, Metrics};
use aligner_core::stream::{Push, Reduce, RunError, Settings, Site, Topology};
use bytemuck::{Pod, Zeroable};

const KERNELS: Kernels = Kernels { name: "pods", fatbin: include_bytes!("pods.fatbin") };
const TOTALS: Channel<Total> = Channel::new(0, "totals", 1);

/// A row: its number as header, and its items.
pub type Row = aligner_core::stream::Pod<u32, u32, 32>;

/// Count and sum of the items that are left of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Total {
    /// Number of the row.
    pub row: u32,
    /// Number of items that are left.
    pub left: u32,
    /// Sum of the items that are left.
    pub sum: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Count {
    left: u32,
    sum: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sieve;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sum;

type SieveSite<'a> = Site<'a, u32, ()>;

impl Collect for Sieve {
    type In = Row;
    type Out = Row;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Sieve";

    fn run(&self, _: &u32, n: &u32, site: &SieveSite, keep: &mut Keep<u32>, _: &mut Push<'_>) {
        if !n.is_multiple_of(*site.node) {
            keep.in_pod(0, *n);
        }
    }

    fn header(&self, row: &u32, _: u32, _: &SieveSite) -> u32 {
        *row
    }
}

impl Reduce for Sum {
    type In = Row;
    type Value = Count;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Sum";

    fn channels() -> Vec<ChannelType> {
        vec![TOTALS.describe()]
    }

    fn value(&self, _: &u32, number: &u32, _: &Site<'_, (), ()>) -> Count {
        Count { left: 1, sum: *number }
    }

    fn combine(&self, a: Count, b: Count) -> Count {
        Count { left: a.left + b.left, sum: a.sum + b.sum }
    }

    fn finish(&self, row: &u32, all: &Count, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(TOTALS, Total { row: *row, left: all.left, sum: all.sum });
    }
}

/// The total of each row that has a number which 2, 3 and 5 do not divide, sorted.
///
/// # Errors
/// If the device fails.
pub fn run(
    device: &Device,
    settings: &Settings,
    rows: &[Row],
) -> Result<(Vec<Total>, Metrics), RunError> {
    let mut app = Topology::new("pods", &());
    let (sieve, sum) = (app.collect(Sieve), app.reduce(Sum));
    let nodes = [2, 3, 5].map(|divisor| app.node(&format!("by {divisor}"), sieve, divisor));
    let sum = app.node("sum", sum, ());
    app.source::<Row>(nodes[0]);
    app.edge(nodes[0], "collected", nodes[1]);
    app.edge(nodes[1], "collected", nodes[2]);
    app.edge(nodes[2], "collected", sum);
    let sink = app.sink("totals", sum, "totals");
    let mut outputs = app.run(device, settings, &KERNELS, &(), rows)?;
    let mut totals = outputs.take(sink);
    totals.sort_unstable();
    Ok((totals, outputs.metrics))
}

/// Rows of 0 to 32 numbers.
pub fn rows(count: u32) -> Vec<Row> {
    use aligner_core::stream::AnyPod;
    let numbers = |row: u32| (0..row * 7 % 33).map(|i| 10 * row + i * i).collect::<Vec<_>>();
    (0..count).map(|row| Row::new(row, &numbers(row))).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = common::Options::parse()?;
    let (totals, metrics) = run(&options.device, &options.settings, &rows(100))?;
    for Total { row, left, sum } in totals {
        println!("row {row}: {left} numbers left, their sum is {sum}");
    }
    Ok(options.report(&metrics)?)
}
