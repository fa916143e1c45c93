//! A tree: a splitter deals points to four nodes of one module type, each with its own parameters.
//!
//! ```text
//!                  .--ne--> branch --above--> sink
//!   points --> splitter --nw--> branch --above--> sink
//!                  |--sw--> branch --above--> sink
//!                  `--se--> branch --above--> sink
//! ```
//!
//! A branch keeps the points on one side of its node's line. The four branches are of one module type and so fire
//! together: an ensemble may hold points of all of them, so ensembles stay full although each branch gets only a
//! quarter of the points (Cole 2017, 3.2.2).

mod common;

use aligner_core::Device;
use aligner_core::stream::{Channel, ChannelType, Kernels, Metrics, Push, RunError};
use aligner_core::stream::{Settings, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

const KERNELS: Kernels = Kernels { name: "tree", fatbin: include_bytes!("tree.fatbin") };
const QUADRANTS: [&str; 4] = ["ne", "nw", "sw", "se"];
const ABOVE: Channel<Point> = Channel::new(0, "above", 1);

/// A point in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Point {
    /// Coordinate from west to east.
    pub x: i32,
    /// Coordinate from south to north.
    pub y: i32,
}

/// A line; points with `a * x + b * y > c` are above it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Line {
    /// Weight of `x`.
    pub a: i32,
    /// Weight of `y`.
    pub b: i32,
    /// Bound that the weighted sum of a point above the line exceeds.
    pub c: i32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Splitter {
    centre: Point,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Branch;

fn quadrant(index: usize) -> Channel<Point> {
    Channel::new(index, QUADRANTS[index], 1)
}

impl Stage for Splitter {
    type In = Point;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Splitter";

    fn channels() -> Vec<ChannelType> {
        (0..4).map(|index| quadrant(index).describe()).collect()
    }

    fn run(&self, point: &Point, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        let index = match (point.y >= self.centre.y, point.x >= self.centre.x) {
            (true, true) => 0,
            (true, false) => 1,
            (false, false) => 2,
            (false, true) => 3,
        };
        push.to(quadrant(index), *point);
    }
}

impl Stage for Branch {
    type In = Point;
    type Node = Line;
    type Global = ();
    const NAME: &'static str = "Branch";

    fn channels() -> Vec<ChannelType> {
        vec![ABOVE.describe()]
    }

    fn run(&self, point: &Point, site: &Site<'_, Line, ()>, push: &mut Push<'_>) {
        let Line { a, b, c } = *site.node;
        if a * point.x + b * point.y > c {
            push.to(ABOVE, *point);
        }
    }
}

/// The points above the line of their quadrant around `centre`, by quadrant.
///
/// # Errors
/// If the device fails.
pub fn run(
    device: &Device,
    settings: &Settings,
    points: &[Point],
    centre: Point,
    lines: [Line; 4],
) -> Result<([Vec<Point>; 4], Metrics), RunError> {
    let mut app = Topology::new("tree", &());
    let (splitters, branches) = (app.stage(Splitter { centre }), app.stage(Branch));
    let splitter = app.node("splitter", splitters, ());
    app.source::<Point>(splitter);
    let sinks = [0, 1, 2, 3].map(|index| {
        let name = QUADRANTS[index];
        let branch = app.node(&format!("branch {name}"), branches, lines[index]);
        app.edge(splitter, name, branch);
        app.sink(name, branch, "above")
    });
    let mut outputs = app.run(device, settings, &KERNELS, &(), points)?;
    Ok((sinks.map(|sink| outputs.take(sink)), outputs.metrics))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = common::Options::parse()?;
    let points: Vec<_> = (0..64 * 64).map(|i| Point { x: i % 64, y: i / 64 }).collect();
    let centre = Point { x: 20, y: 40 };
    let lines =
        [(1, 1, 90), (-1, 1, 40), (1, 0, 10), (2, -1, 60)].map(|(a, b, c)| Line { a, b, c });
    let (kept, metrics) = run(&options.device, &options.settings, &points, centre, lines)?;
    for (name, points) in QUADRANTS.iter().zip(kept) {
        println!("{name}: {} points above the line", points.len());
    }
    Ok(options.report(&metrics)?)
}
