//! A block: one copy of the application, with its queues, its window of the input and its regions of the sinks.

use std::sync::{Mutex, PoisonError};

use super::application::CpuApplication;
use super::measure::{Clock, unfired};
use super::moving::{GENEROUS, Meal, WorkPool};
use super::queue::Queue;
use super::rest::{NextStep, RestPool};
use super::schedule::{BlockView, Firing, Origin, Priority};
use super::shared_state::SharedState;
use crate::stream::graph::topology::Target;
use crate::stream::run::error::RunError;
use crate::stream::run::metrics::{Metrics, WalkMetrics};
use crate::stream::stages::erased::EnsembleInput;
use crate::stream::stages::staged_outputs::StagedOutputs;
use crate::stream::stages::walking::{StepLimits, WalkStacks};

/// State of a block after a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockStatus {
    /// The slice is over, and the block can go on.
    Running,
    /// The region of a sink is full.
    Suspended,
    /// The block has nothing to do, but may get items of other blocks.
    Hungry,
    /// The block has no items and no input left.
    Done,
}

/// One copy of the application.
pub(super) struct Block {
    /// Queue of each node.
    queues: Vec<Queue>,
    /// Stacks of each node, empty unless it walks.
    stacks: Vec<WalkStacks>,
    /// Work of each node that walks.
    walks: Vec<WalkMetrics>,
    /// Inputs that the block has claimed, for the root.
    window: Queue,
    /// For each sink, bytes of the items in the block's region.
    sinks: Vec<Vec<u8>>,
    /// For each sink, the number of items for which the region has room.
    space: Vec<u64>,
    /// For each module type, outputs of the current ensemble.
    staged: Vec<StagedOutputs>,
    /// Bytes of the inputs of the current ensemble.
    items: Vec<u8>,
    /// Inputs of the current ensemble.
    taken: Vec<EnsembleInput>,
    /// Whether no other block is active, so that this one takes all rests.
    last: bool,
    /// Whether the block counts among those that have stopped with items.
    held: bool,
    pub(super) status: BlockStatus,
    pub(super) firings: u64,
    metrics: Metrics,
}

impl Block {
    /// A block that has not claimed any input.
    pub(super) fn new<G: Sync + ?Sized>(run: &SharedState<'_, '_, '_, G>) -> Self {
        let SharedState { application, .. } = run;
        let plan = &application.plan;
        let modules = &application.topology.modules;
        let capacity = |node: usize| plan.nodes[node].capacity as usize;
        Self {
            queues: (0..plan.nodes.len()).map(|i| application.queue(i, capacity(i))).collect(),
            stacks: vec![WalkStacks::default(); plan.nodes.len()],
            walks: vec![WalkMetrics { steps: vec![0], ..WalkMetrics::default() }; plan.nodes.len()],
            window: application.queue(plan.root, run.chunk),
            sinks: vec![Vec::new(); plan.sinks.len()],
            space: application.regions.clone(),
            staged: modules.iter().map(|module| StagedOutputs::new(&module.channels)).collect(),
            items: Vec::new(),
            taken: Vec::new(),
            last: false,
            held: false,
            status: BlockStatus::Running,
            firings: 0,
            metrics: unfired(application),
        }
    }

    /// Fires until the slice is over, a sink is full or nothing is left to do.
    pub(super) fn advance<G: Sync + ?Sized>(
        &mut self,
        run: &SharedState<'_, '_, '_, G>,
    ) -> Result<(), RunError> {
        let Some(moving) = &run.moving else { return self.work(run) };
        moving.start(self.held);
        self.held = false;
        let result = self.work(run);
        // A block that ends hungry is counted out already.
        if !matches!(self.status, BlockStatus::Hungry | BlockStatus::Done) {
            self.held = self.waits();
            moving.stop(self.held);
        }
        result
    }

    /// As [`advance`](Self::advance), of a block that counts among those that work if work moves.
    fn work<G: Sync + ?Sized>(&mut self, run: &SharedState<'_, '_, '_, G>) -> Result<(), RunError> {
        let mut whole = Clock::new(run.settings.metrics);
        let mut clock = Clock::new(run.settings.metrics);
        let slice = if run.settings.slice == 0 { u32::MAX } else { run.settings.slice };
        self.status = BlockStatus::Running;
        for _ in 0..slice {
            let next = self.next_of_any(run);
            self.metrics.scheduler_cycles += clock.lap();
            let Some(firing) = next else { break };
            self.fire(run.application, firing, &mut clock)?;
        }
        self.metrics.total_cycles += whole.lap();
        Ok(())
    }

    /// Moves the items of the sinks' regions to `to`, and returns their number.
    pub(super) fn empty_sinks(&mut self, regions: &[u64], to: &mut [Vec<u8>]) -> u64 {
        for (region, to) in self.sinks.iter_mut().zip(to) {
            to.append(region);
        }
        let items = regions.iter().zip(&self.space).map(|(all, free)| all - free).sum();
        self.space.copy_from_slice(regions);
        items
    }

    /// Whether any item waits.
    fn waits(&self) -> bool {
        !self.window.is_empty()
            || self.queues.iter().any(|queue| !queue.is_empty())
            || self.stacks.iter().any(|stacks| !stacks.is_empty())
    }

    /// Checks that no item waits in a block that could not fire although no sink was full, which would be a fault of
    /// the schedule.
    pub(super) fn check_idle<G: Sync + ?Sized>(
        &self,
        application: &CpuApplication<'_, '_, G>,
    ) -> Result<(), RunError> {
        let queues = self.queues.iter().map(Queue::len).enumerate();
        let stacks = self.stacks.iter().map(WalkStacks::items).enumerate();
        let window = (application.plan.root, self.window.len());
        let mut waiting = std::iter::once(window).chain(queues).chain(stacks);
        match waiting.find(|&(_, waiting)| waiting > 0) {
            None => Ok(()),
            Some((node, waiting)) => {
                let node = application.name(node).to_owned();
                Err(RunError::Stuck { node, waiting })
            }
        }
    }

    /// Chooses the next firing, after work has moved from the block or to it; sets the status if there is none.
    fn next_of_any<G: Sync + ?Sized>(
        &mut self,
        run: &SharedState<'_, '_, '_, G>,
    ) -> Option<Firing> {
        if let Some(moving) = &run.moving
            && moving.has_hungry()
        {
            self.give(run.application, moving);
        }
        let next = self.next(run);
        if next.is_some() {
            return next;
        }
        self.status = if self.waits() { BlockStatus::Suspended } else { BlockStatus::Done };
        let moving = run.moving.as_ref().filter(|_| self.status == BlockStatus::Done)?;
        match moving.take(&mut self.queues) {
            Meal::Packet => self.status = BlockStatus::Running,
            Meal::NextRound => self.status = BlockStatus::Hungry,
            Meal::Nothing => {}
        }
        if self.status == BlockStatus::Running {
            let next = self.next(run);
            if next.is_none() {
                self.status = BlockStatus::Suspended;
            }
            return next;
        }
        None
    }

    /// Gives an ensemble of the node at which most items wait to a hungry block, if more than [`GENEROUS`] ensembles wait
    /// there.
    fn give<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        moving: &WorkPool,
    ) {
        let ensemble = |node: usize| application.ensembles[application.plan.nodes[node].module];
        let gives = |&node: &usize| {
            self.queues[node].has_units() && self.queues[node].len() > GENEROUS * ensemble(node)
        };
        let longest =
            (0..self.queues.len()).filter(gives).max_by_key(|&node| self.queues[node].len());
        let Some(node) = longest else { return };
        let planned = &application.plan.nodes[node];
        let most = ensemble(node);
        let room = u64::from(planned.capacity - planned.reserve);
        let most = if planned.descent.is_some() { most } else { most.min(room) };
        moving.give(node, &mut self.queues[node], most);
    }

    /// Claims input if the window is empty, and chooses the next firing; `None` if nothing can fire.
    fn next<G: Sync + ?Sized>(&mut self, run: &SharedState<'_, '_, '_, G>) -> Option<Firing> {
        run.claim(&mut self.window);
        let choice = self.decide(run, &self.queues);
        let full = choice.as_ref().is_some_and(|firing| firing.full);
        match &run.rest {
            Some(rest) if self.window.is_empty() && !full => self.share(run, rest),
            _ => choice,
        }
    }

    /// Chooses the next firing by the items in `queues` and in the window.
    fn decide<G: Sync + ?Sized>(
        &self,
        run: &SharedState<'_, '_, '_, G>,
        queues: &[Queue],
    ) -> Option<Firing> {
        let order = if self.last { Priority::Upstream } else { Priority::MostFeasible };
        let CpuApplication { plan, ensembles, regions, .. } = run.application;
        let (stacks, window, space) = (&self.stacks, &self.window, &self.space);
        BlockView { plan, queues, stacks, window, space, regions, ensembles }
            .decide(run.settings.policy, order)
    }

    /// Chooses the next firing when the input is exhausted and the block has no full ensemble: shares items with the
    /// other blocks.
    fn share<G: Sync + ?Sized>(
        &mut self,
        run: &SharedState<'_, '_, '_, G>,
        rest: &Mutex<RestPool>,
    ) -> Option<Firing> {
        let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.last {
            rest.give(&mut self.queues);
            if self.waits() {
                // Items of which a part was taken have to be finished by this block.
                return self.decide(run, &self.queues);
            }
            let mut queues = std::mem::take(&mut self.queues);
            let next = rest.next_step(run.application, &mut queues, |queues| {
                self.decide(run, queues).is_some_and(|firing| firing.full)
            });
            self.queues = queues;
            match next {
                NextStep::FullEnsemble => {}
                NextStep::Done => return None,
                NextStep::TakeAll => self.last = true,
            }
        }
        if self.last && !self.waits() {
            rest.take_all(run.application, &mut self.queues);
        }
        self.decide(run, &self.queues)
    }

    /// Fires a module: gathers, runs and scatters ensemble by ensemble.
    fn fire<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        mut firing: Firing,
        clock: &mut Clock,
    ) -> Result<(), RunError> {
        let module = firing.module;
        if application.walks(module) {
            return self.fire_walks(application, &firing, clock);
        }
        let mut full = true;
        for _ in 0..firing.ensembles {
            let gathered = self.gather(application, &mut firing);
            if self.taken.is_empty() {
                break;
            }
            let metrics = &mut self.metrics.modules[module];
            full &= gathered.full;
            metrics.ensembles += 1;
            metrics.lanes += gathered.lanes;
            metrics.items_in += gathered.finished;
            metrics.gather_cycles += clock.lap();

            let staged = &mut self.staged[module];
            let parameters = application.parameters(module);
            application.code(module).run(&self.items, &self.taken, &parameters, staged);
            self.scatter_staged(application, module, clock)?;
        }
        self.count_firing(module, full);
        Ok(())
    }

    /// Scatters what a module has just staged, and counts the time of running and scattering.
    fn scatter_staged<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        module: usize,
        clock: &mut Clock,
    ) -> Result<(), RunError> {
        if let Some((channel, tag)) = self.staged[module].excess {
            return Err(application.too_many(module, tag, channel));
        }
        self.metrics.modules[module].run_cycles += clock.lap();
        let pushed = self.scatter(application, module);
        let metrics = &mut self.metrics.modules[module];
        metrics.items_out += pushed;
        metrics.scatter_cycles += clock.lap();
        Ok(())
    }

    /// Counts a firing of a module.
    fn count_firing(&mut self, module: usize, is_full: bool) {
        self.firings += 1;
        let metrics = &mut self.metrics.modules[module];
        metrics.firings += 1;
        metrics.full_firings += u64::from(is_full);
    }

    /// Fires a module that walks: begins the walk of an input where the firing takes one, and makes steps.
    fn fire_walks<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        firing: &Firing,
        clock: &mut Clock,
    ) -> Result<(), RunError> {
        let module = firing.module;
        let mut full = true;
        let parameters = application.parameters(module);
        for part in &firing.parts {
            let (node, inputs) = match part.origin {
                Origin::Window => (application.plan.root, Some(&mut self.window)),
                Origin::Node(node) => (node, Some(&mut self.queues[node])),
                Origin::Stack(node) => (node, None),
            };
            let planned = &application.plan.nodes[node];
            let (Some(walk), Some(code)) = (&planned.walk, application.walk_code(module)) else {
                continue;
            };
            let stacks = &mut self.stacks[node];
            if let Some(inputs) = inputs {
                self.items.clear();
                inputs.take_units(1, &mut self.items);
                let most = walk.elements;
                if !code.enter(&self.items, planned.tag, &parameters, most, stacks) {
                    return Err(application.topology.too_many_elements(planned.declared));
                }
            }
            self.metrics.modules[module].gather_cycles += clock.lap();
            let mut visits = part.visits;
            for _ in 0..walk.steps {
                let stacks = &mut self.stacks[node];
                let items = walk.most_items(stacks.items(), visits);
                let pods = walk.most_pods(stacks.pods());
                if stacks.is_empty() || items == 0 || pods == 0 {
                    break;
                }
                let (limits, staged) = (StepLimits { pods, items }, &mut self.staged[module]);
                let work = code.step(planned.tag, &parameters, limits, stacks, staged);
                visits -= work.visits;
                let width = u64::from(application.plan.width);
                let ensembles = work.visits.div_ceil(width);
                full &= work.visits.is_multiple_of(width);
                let own = &mut self.walks[node];
                own.pods += work.pods;
                own.visits += work.visits;
                own.pod_lanes += width;
                own.visit_lanes += ensembles * width;
                own.steps[0] += 1;
                let metrics = &mut self.metrics.modules[module];
                metrics.ensembles += ensembles;
                metrics.lanes += work.visits;
                metrics.items_in += work.pods;
                self.scatter_staged(application, module, clock)?;
            }
        }
        self.count_firing(module, full);
        Ok(())
    }

    /// The walk of the block that has most pods, as their number and its node; `None` if no node walks.
    pub(super) fn largest_walk(&self) -> Option<(u64, usize)> {
        let stacks = self.stacks.iter().enumerate();
        stacks.map(|(node, stacks)| (stacks.pods(), node)).max()
    }

    /// Takes half of the pods of a node away.
    pub(super) fn split_walk(&mut self, node: usize) -> WalkStacks {
        self.stacks[node].split_half()
    }

    /// Goes on with pods of another block, for a node whose stacks are empty.
    pub(super) fn take_walk(&mut self, node: usize, stacks: WalkStacks) {
        self.stacks[node] = stacks;
        self.walks[node].shared += 1;
        self.status = BlockStatus::Running;
    }

    /// Metrics of the block, with the work of these nodes, which walk.
    pub(super) fn metrics(&self, walks: &[usize]) -> Metrics {
        let walks = walks.iter().map(|&node| self.walks[node].clone()).collect();
        Metrics { walks, ..self.metrics.clone() }
    }

    /// Moves the next ensemble of a firing from the queues to `items` and `taken`.
    fn gather<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        firing: &mut Firing,
    ) -> GatheredEnsemble {
        self.items.clear();
        self.taken.clear();
        let width = application.ensembles[firing.module];
        let (mut room, mut finished, mut left) = (width, 0, false);
        for part in &mut firing.parts {
            let (node, queue) = match part.origin {
                Origin::Window => (application.plan.root, &mut self.window),
                Origin::Node(node) | Origin::Stack(node) => (node, &mut self.queues[node]),
            };
            let tag = application.plan.nodes[node].tag;
            if queue.has_units() {
                let count = queue.take_units(part.elements.min(room), &mut self.items);
                let one = EnsembleInput { tag, elements: 0..1 };
                self.taken.extend(std::iter::repeat_n(one, count as usize));
                part.elements -= count;
                room -= count;
                finished += count;
            }
            while part.elements > 0 {
                let limit = part.elements.min(room) as u32;
                let Some(head) = queue.take(limit, &mut self.items) else { break };
                let count = head.elements.len() as u64;
                self.taken.push(EnsembleInput { tag, elements: head.elements });
                part.elements -= count;
                room -= count;
                finished += u64::from(head.finished);
            }
            left = part.elements > 0;
            if left {
                break;
            }
        }
        GatheredEnsemble { lanes: width - room, finished, full: room == 0 || left }
    }

    /// Moves the outputs of an ensemble to queues and sinks, and returns their number.
    fn scatter<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        module: usize,
    ) -> u64 {
        let plan = &application.plan;
        let first = plan.modules[module].nodes.start;
        let mut pushed = 0;
        for (channel, staged) in self.staged[module].channels.iter().enumerate() {
            let size = application.topology.modules[module].channels[channel].item.size();
            let mut bytes = staged.bytes.as_slice();
            for tags in staged.tags.chunk_by(|one, next| one == next) {
                let (items, others) = bytes.split_at(tags.len() * size);
                bytes = others;
                let node = &plan.nodes[first + usize::from(tags[0])];
                pushed += match plan.edges[node.first_edge + channel].to {
                    Target::Sink(sink) => {
                        self.sinks[sink].extend_from_slice(items);
                        self.space[sink] -= tags.len() as u64;
                        tags.len() as u64
                    }
                    Target::Node(to) if self.queues[to].has_units() => {
                        self.queues[to].push_units(items);
                        tags.len() as u64
                    }
                    Target::Node(to) => {
                        let mut entered = 0;
                        for item in items.chunks_exact(size) {
                            let elements = application.elements(to, item);
                            if elements > 0 {
                                self.queues[to].push(item, elements);
                                entered += 1;
                            }
                        }
                        entered
                    }
                };
            }
        }
        self.staged[module].clear();
        pushed
    }
}

/// Size of an ensemble that was gathered.
struct GatheredEnsemble {
    /// Number of lanes with work.
    lanes: u64,
    /// Number of items that have left their queues.
    finished: u64,
    /// Whether every lane has work, or the next item cannot be divided and does not fit the remaining lanes.
    full: bool,
}
