//! The executor for CPUs.
//!
//! ```text
//!   inputs --cursor--> block: window -> root -> queues of its own -> ... -> regions -> Outputs
//!                      block: window -> root -> queues of its own -> ... -> regions ----^
//!                        \___ rests, at the end of the input ___/
//! ```
//!
//! Blocks are independent copies of the application (Cole 2017, 3.2.1). A round runs all blocks that are not done on the
//! current rayon pool, each until a sink's region is full, its slice is over or it has nothing left; then the caller's
//! thread takes the outputs away. A GPU does the same, so its behaviour can be studied here without one.
//!
//! | file | concept |
//! |---|---|
//! | `application` | the topology's code with the plan's numbers |
//! | `queue` | rings of items |
//! | `schedule` | choosing what a block fires |
//! | `block` | firing it |
//! | `share` | sharing walks between rounds |
//! | `rest` | sharing partial ensembles at the end of the input |
//! | `moving` | work that moves to blocks that have run dry |
//! | `shared_state` | the input and other state that blocks share |
//! | `measure` | clocks and metrics |

mod application;
mod block;
mod measure;
mod moving;
mod queue;
mod rest;
mod schedule;
mod share;
mod shared_state;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;

use self::application::CpuApplication;
use self::block::{Block, BlockStatus};
use self::measure::unfired;
use self::moving::WorkPool;
use self::rest::RestPool;
use self::share::share_walks;
use self::shared_state::SharedState;
use crate::stream::graph::topology::Topology;
use crate::stream::run::error::RunError;
use crate::stream::run::metrics::Metrics;
use crate::stream::run::outputs::{Outputs, Progress};
use crate::stream::run::settings::{Policy, Settings};
use crate::stream::stages::item::Item;

/// Number of blocks for each thread when [`Settings::blocks`] is 0: enough to even out their work.
const BLOCKS_PER_THREAD: usize = 4;

/// Runs a topology on the CPU.
pub struct CpuExecutor<'t, 'g, G: Sync + ?Sized = ()> {
    application: CpuApplication<'t, 'g, G>,
    settings: Settings,
}

impl<'t, 'g, G: Sync + ?Sized> CpuExecutor<'t, 'g, G> {
    /// Plans the queues of a topology for some settings.
    ///
    /// # Errors
    /// If the topology is illegal or a setting out of its range.
    pub fn new(topology: &'t Topology<'g, G>, settings: &Settings) -> Result<Self, RunError> {
        let application = CpuApplication::new(topology, settings)?;
        Ok(Self { application, settings: settings.clone() })
    }

    /// Runs the application on `inputs`, on the current rayon pool.
    ///
    /// # Errors
    /// If the inputs are not of the source's type, or a stage pushes more than a channel's gamma.
    pub fn run<T: Item>(&self, inputs: &[T]) -> Result<Outputs, RunError> {
        self.run_with(inputs, &mut |_| ControlFlow::Continue(()))
    }

    /// Runs the application on `inputs`, and calls `report` on this thread after each round of the blocks, in which
    /// each block ends its slice, fills a sink or is done. The caller breaks to cancel the run.
    ///
    /// # Errors
    /// As [`CpuExecutor::run`]; [`RunError::Cancelled`] if `report` breaks.
    pub fn run_with<T: Item>(
        &self,
        inputs: &[T],
        report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Outputs, RunError> {
        self.application.topology.expect_input::<T>()?;
        let count = match self.settings.blocks {
            0 => BLOCKS_PER_THREAD * rayon::current_num_threads(),
            blocks => blocks as usize,
        };
        let CpuApplication { plan, regions, .. } = &self.application;
        // The naive policy fires partial ensembles, so it leaves none to be shared.
        let shares = self.settings.share_rest && self.settings.policy == Policy::Lazy;
        let rest = || Mutex::new(RestPool::new(plan.nodes.len(), count));
        let run = SharedState {
            application: &self.application,
            settings: &self.settings,
            inputs: bytemuck::cast_slice(inputs),
            count: inputs.len(),
            cursor: AtomicUsize::new(0),
            chunk: self.application.chunk(inputs.len(), count),
            rest: shares.then(rest),
            moving: self.settings.move_work.then(WorkPool::default),
        };
        let walks = plan.walks();
        let shares_walks = !walks.is_empty() && self.settings.walk.shares && !shares;
        let mut blocks: Vec<Block> = (0..count).map(|_| Block::new(&run)).collect();
        let mut sinks = vec![Vec::new(); plan.sinks.len()];
        let (mut launches, mut outputs) = (0, 0);
        while blocks.iter().any(|block| block.status != BlockStatus::Done) {
            launches += 1;
            let firings = |blocks: &[Block]| blocks.iter().map(|block| block.firings).sum::<u64>();
            let before = (firings(&blocks), outputs);
            blocks
                .par_iter_mut()
                .with_max_len(1)
                .filter(|block| block.status != BlockStatus::Done)
                .try_for_each(|block| block.advance(&run))?;
            for block in &mut blocks {
                outputs += block.empty_sinks(regions, &mut sinks);
            }
            if before == (firings(&blocks), outputs) {
                blocks.iter().try_for_each(|block| block.check_idle(&self.application))?;
            }
            let claimed = run.claimed() as u64;
            let progress =
                Progress { inputs_claimed: claimed, inputs: inputs.len() as u64, outputs };
            if report(progress).is_break() {
                return Err(RunError::Cancelled);
            }
            if shares_walks && run.claimed() == inputs.len() {
                share_walks(&mut blocks);
            }
        }
        let mut metrics = unfired(&self.application);
        for block in &blocks {
            metrics.add(&block.metrics(&walks));
        }
        if self.settings.metrics {
            (metrics.width, metrics.blocks, metrics.launches) =
                (plan.width, count as u32, launches);
        } else {
            metrics = Metrics { walks: metrics.walks, ..Metrics::default() };
        }
        metrics.packets = run.moving.map_or(0, |moving| moving.given());
        Ok(Outputs::of_bytes(sinks, metrics))
    }
}
