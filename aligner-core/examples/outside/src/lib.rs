//! A sketch of a sequence: a fixed fraction of its 16-mers, chosen by their hashes, so that sketches of two sequences
//! can be compared instead of the sequences.
//!
//! ```text
//!   k-mers --> drop_runs --varied--> sample --chosen--> sketch
//! ```
//!
//! `drop_runs` drops k-mers in which too many neighbours are equal; `sample` takes the smaller strand of a k-mer and keeps
//! it if its hash is small. Stages and graph are here; `cuda/sketch.cu` has the same stages for a GPU.

use aligner_core::stream::{Channel, ChannelType, Kernels, Push, SinkId, Site, Stage, Topology};
use bytemuck::{Pod, Zeroable};

/// The kernels, compiled by `build.rs`.
pub const KERNELS: Kernels =
    Kernels { name: "sketch", fatbin: include_bytes!(concat!(env!("OUT_DIR"), "/sketch.fatbin")) };

/// File of the kernels compiled for the CPU, for tests.
pub const SHIM: &str = concat!(env!("OUT_DIR"), "/sketch.so");

/// Bases of a k-mer.
pub const K: usize = 16;

const VARIED: Channel<Kmer> = Channel::new(0, "varied", 1);
const CHOSEN: Channel<Kmer> = Channel::new(0, "chosen", 1);

/// A k-mer of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Kmer {
    /// Bases, two bits each, the first one in the highest bits.
    pub code: u32,
    /// Position of the first base in the sequence.
    pub position: u32,
}

/// Drops k-mers in which more neighbours are equal than the node's parameter allows.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct DropRuns;

impl Stage for DropRuns {
    type In = Kmer;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "DropRuns";

    fn channels() -> Vec<ChannelType> {
        vec![VARIED.describe()]
    }

    fn run(&self, &kmer: &Kmer, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        // A bit for each pair of neighbours that differ.
        let differ = kmer.code ^ kmer.code >> 2;
        let pairs = (differ | differ >> 1) & 0x1555_5555;
        if 15 - pairs.count_ones() <= *site.node {
            push.to(VARIED, kmer);
        }
    }
}

/// Keeps the smaller strand of k-mers whose hash is below the node's parameter.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sample;

impl Stage for Sample {
    type In = Kmer;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Sample";

    fn channels() -> Vec<ChannelType> {
        vec![CHOSEN.describe()]
    }

    fn run(&self, &kmer: &Kmer, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        let reverse = (0..16).fold(0, |strand, base| strand << 2 | (!kmer.code >> (2 * base) & 3));
        let canonical = kmer.code.min(reverse);
        let mut hash = canonical;
        hash = (hash ^ hash >> 16).wrapping_mul(0x7FEB_352D);
        hash = (hash ^ hash >> 15).wrapping_mul(0x846C_A68B);
        hash ^= hash >> 16;
        if hash < *site.node {
            push.to(CHOSEN, Kmer { code: canonical, ..kmer });
        }
    }
}

/// The application: k-mers with at most `equal_neighbours` pairs of equal neighbours, and of those the ones whose hash
/// is below `threshold`.
pub fn sketch(equal_neighbours: u32, threshold: u32) -> (Topology<'static, ()>, SinkId<Kmer>) {
    let mut app = Topology::new("sketch", &());
    let drop_runs = app.stage(DropRuns);
    let sample = app.stage(Sample);
    let varied = app.node("drop_runs", drop_runs, equal_neighbours);
    let chosen = app.node("sample", sample, threshold);
    app.source::<Kmer>(varied);
    app.edge(varied, "varied", chosen);
    let sketch = app.sink::<Kmer>("sketch", chosen, "chosen");
    (app, sketch)
}

/// The k-mers of a sequence that consist of `A`, `C`, `G` and `T` only.
pub fn kmers(sequence: &[u8]) -> Vec<Kmer> {
    let code = |base: u8| b"ACGT".iter().position(|&letter| letter == base);
    let kmer = |(position, bases): (usize, &[u8])| {
        let code = bases.iter().try_fold(0, |kmer, &base| Some(kmer << 2 | code(base)? as u32))?;
        Some(Kmer { code, position: position as u32 })
    };
    sequence.windows(K).enumerate().filter_map(kmer).collect()
}
