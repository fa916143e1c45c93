//! The application of the streaming runtime that finds the chains of very many reads, whose seeds are known.
//!
//! [`anchors`](crate::chain::anchors) and [`chains`](crate::chain::chains) define what is found. The number of anchors
//! differs between reads more than anything else: most reads have a few, and reads of repeats thousands. So each anchor
//! is an element of its own, and a lane locates it, whatever read it belongs to; what compares the anchors or chains of
//! one read is done by a warp.
//!
//! Neighbouring anchors that are too far apart to be in one chain divide the anchors of a query into pieces. Most
//! pieces are one chain, so a lane of the warp takes a piece. Other pieces are taken by half of the warp: an anchor may
//! join one of the last sixteen chains, and each lane holds one of these in registers.
//!
//! ```text
//!   reads
//!     |  locate   a lane locates an occurrence of a seed
//!     v
//!    join         a warp sorts the anchors of a read and chains them, query by query
//!     |
//!     v
//!   choose        a warp orders the chains of a read and drops those that cannot matter
//!     |
//!     v
//!    give         a lane outputs a chain that is kept
//!     |
//!     '--> chains, each with its rank among those of its read
//! ```
//!
//! Chains come out in any order; their reads and ranks tell where each belongs. The CPU takes the same steps without queues
//! (the module `cpu`).

use aligner_core::stream::{Settings, SinkId, Topology};

use super::context::ChainContext;
use super::items::RankedChain;
use super::stages::{ChainAnchors, EmitChains, LocateSeeds, SelectChains};

/// The graph of the application, and the sink of its chains.
pub fn topology(context: &ChainContext) -> (Topology<'_, ChainContext>, SinkId<RankedChain>) {
    let mut app = Topology::new("chains", context);
    let locate = app.stage(LocateSeeds);
    let locate = app.node("locate", locate, ());
    let join = app.stage(ChainAnchors);
    let join = app.node("join", join, ());
    let choose = app.stage(SelectChains);
    let choose = app.node("choose", choose, ());
    let give = app.stage(EmitChains);
    let give = app.node("give", give, ());
    app.source::<u32>(locate);
    app.edge(locate, "located", join);
    app.edge(join, "joined", choose);
    app.edge(choose, "chosen", give);
    let kept = app.sink("chains", give, "kept");
    (app, kept)
}

/// Settings of the application for `reads` reads: those of `base`, with room for the outputs of nearly all batches.
pub fn settings(reads: usize, base: &Settings) -> Settings {
    // Most reads have the chain that is right and a few by chance, but reads of repeats have up to 500. The room of a block of the
    // GPU should suffice for a few of those, as a block without room takes another launch.
    let likely_outputs = vec![16 * reads as u64];
    Settings { likely_outputs, ..base.clone() }
}
