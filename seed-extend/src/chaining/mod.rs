//! Finding the chains of very many reads, whose seeds are known, as an application of the streaming runtime.
//!
//! [`anchors`](crate::anchors) and [`chains`](crate::chains) say what they are. How many anchors a read has differs
//! more than anything else of it: most have a few, and those of repeats thousands. So each anchor is an element of
//! its own, whatever read it is of, while what compares anchors, or chains, of one read is done by a warp.
//!
//! ```text
//!   reads
//!     |  locate   a lane finds an occurrence of a seed
//!     v
//!    join         a warp sorts the anchors of a read; half of it chains those of a query
//!     |
//!     v
//!   choose        a warp orders the chains of a read, and drops those that cannot matter
//!     |
//!     v
//!    give         a lane hands over a chain that is kept
//!     |
//!     '--> chains, each with its rank among those of its read
//! ```
//!
//! Chains come in any order, and their reads and ranks say which it is to be.

pub mod stages;

use std::ops::Range;

use aligner_core::stream::{CpuExecutor, RunError, Settings, SinkId, Topology};

use self::stages::{Choose, Context, Give, Join, Kept, Locate};

/// The application, and where chains arrive.
pub fn topology(context: &Context) -> (Topology<'_, Context>, SinkId<Kept>) {
    let mut app = Topology::new("chains", context);
    let locate = app.stage(Locate);
    let locate = app.node("locate", locate, ());
    let join = app.stage(Join);
    let join = app.node("join", join, ());
    let choose = app.stage(Choose);
    let choose = app.node("choose", choose, ());
    let give = app.stage(Give);
    let give = app.node("give", give, ());
    app.source::<u32>(locate);
    app.edge(locate, "located", join);
    app.edge(join, "joined", choose);
    app.edge(choose, "chosen", give);
    let kept = app.sink("chains", give, "kept");
    (app, kept)
}

/// How the application is run for so many reads.
pub fn settings(reads: usize, metrics: bool) -> Settings {
    // Most reads have one that is right and few that are there by chance.
    let likely_outputs = vec![4 * reads as u64];
    Settings { likely_outputs, metrics, ..Settings::default() }
}

/// The chains of some reads, read after read and best first, found by this thread.
///
/// # Errors
/// If the runtime refuses the application.
pub fn on_cpu(context: &Context, reads: Range<u32>) -> Result<Vec<Kept>, RunError> {
    let (app, sink) = topology(context);
    let settings = Settings { blocks: 1, ..Settings::default() };
    let reads: Vec<u32> = reads.collect();
    let mut kept = CpuExecutor::new(&app, &settings)?.run(&reads)?.take(sink);
    kept.sort_unstable_by_key(|it| (it.chain.query / 2, it.rank));
    Ok(kept)
}
