//! The search of a database by one or several devices, each of which has a share of it.
//!
//! ```text
//!                       device 0       device 1       ...           a thread of the host for each
//!   seeded              share 0        share 1                      counts of hits are added up
//!   prefiltered         bounds         bounds                       |
//!                         `---- floors ----'                        the host compares ranks of all devices
//!                       hits left      hits left                    |
//!   extended_gapped     scores         scores                       pairs of all devices, the best of each query
//!   traced              columns        columns                      alignments, in the order of the subjects
//! ```
//!
//! In each step of a batch, all devices work at the same time. So do several batches: each device has workers that seed, and others
//! for later steps ([`DeviceEngine`]), and while devices seed some batches, they extend those before them, and the host finishes and
//! formats others. Each device makes the tables of a batch for itself, once, on a stream of its own, and has its own locks.
//! A step of a batch ends with the slowest device; those that are done have other batches meanwhile.
//!
//! The hits of a batch decide which queries the next one has; the next ones are guessed meanwhile
//! ([`SeededBatches`](crate::search::seeded_batches::SeededBatches)). What takes a device as long for a small share of the database as
//! for all of it, such as the tables of a batch, limits how many devices are worth having.
//!
//! Results do not depend on the number of devices. Chunks are searched one by one, and what is found with them is put together as on the
//! CPU. The sizes of batches follow from counts of hits, and from the memory of one device: if all hits of a batch are with subjects
//! of one share, that device needs as much memory for them as a device alone.

use std::iter;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use aligner_core::DeviceError;
use rayon::prelude::*;

use crate::database::Database;
use crate::error::DeviceFailure;
use crate::gapped::GappedAlignment;
use crate::gpu::engine::{DeviceEngine, SeededRun};
use crate::gpu::gapped::parameters;
use crate::gpu::limits;
use crate::gpu::parts::DatabaseParts;
use crate::gpu::prefilter::{Prefilter, RunSize};
use crate::gpu::scored_pairs::ScoredPairs;
use crate::gpu::search_device::SearchDevice;
use crate::gpu::worker::Worker;
use crate::hsp::subject_hit::SubjectHit;
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::preliminary::PreliminarySearch;
use crate::search::traceback::{self, AlignmentStart};
use crate::seed::lookup::Lookup;

/// Devices that share a database.
#[derive(Debug)]
pub(crate) struct DeviceGroup<'a, W: Worker> {
    database: &'a Database,
    /// The devices, at least one, in the order of their shares.
    engines: Vec<DeviceEngine<'a, W>>,
}

/// Ungapped hits of a batch: the runs of each device.
pub(crate) type DeviceRuns<B> = Vec<Vec<SeededRun<B>>>;

impl<'a, W: Worker> DeviceGroup<'a, W> {
    /// Shares a database among the first of some devices, of which there is at least one: as many as it is large enough for. Loads
    /// the first part of each share.
    pub(crate) fn new(
        mut devices: Vec<SearchDevice<W>>,
        database: &'a Database,
    ) -> Result<Self, DeviceFailure> {
        let least = devices.iter().map(|device| device.limits.least_share).max().unwrap_or(0);
        devices.truncate(limits::worthwhile_devices(database.letters(), least));
        let bases = |device: &SearchDevice<W>| device.limits.bases(device.later_workers.len());
        let most: Vec<u64> = devices.iter().map(bases).collect();
        let shares = DatabaseParts::shares(database, &most);
        let mut engines: Vec<DeviceEngine<'_, W>> = devices
            .into_iter()
            .zip(shares)
            .map(|(device, share)| DeviceEngine::new(device, share, database))
            .collect();
        // A chunk may be longer than a share.
        if engines.iter().any(DeviceEngine::has_chunks) {
            engines.retain(DeviceEngine::has_chunks);
        }
        let new = Self { database, engines };
        new.on_all(new.engines.iter().map(|_| ()), |engine, ()| engine.load())?;
        Ok(new)
    }

    /// Names of the devices that have a share.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.engines.iter().map(DeviceEngine::name).collect()
    }

    /// Whether several batches can be seeded at a time, by all devices.
    pub(crate) fn seeds_several(&self) -> bool {
        self.engines.iter().all(DeviceEngine::seeds_several)
    }

    /// The number of ungapped alignments of a batch that there is memory for, roughly, wherever they are found.
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.engines.iter().map(DeviceEngine::hit_capacity).min().unwrap_or(0)
    }

    /// Does a step on all devices at the same time, each with its input; gives the results in the order of devices.
    ///
    /// A thread of a rayon pool lets one device work after the other instead: threads of devices need the pool, and if all threads
    /// of the pool waited for them, all would wait forever.
    fn on_all<I: Send, R: Send>(
        &self,
        inputs: impl IntoIterator<Item = I>,
        step: impl Fn(&DeviceEngine<'a, W>, I) -> Result<R, DeviceError> + Sync,
    ) -> Result<Vec<R>, DeviceFailure> {
        let step = |(engine, input): (&DeviceEngine<'a, W>, I)| {
            let device = || engine.name().to_owned();
            step(engine, input).map_err(|error| DeviceFailure { device: device(), error })
        };
        let mut work = self.engines.iter().zip(inputs);
        if rayon::current_thread_index().is_some() {
            return work.map(step).collect();
        }
        let own = work.next();
        thread::scope(|scope| {
            let step = &step;
            let others: Vec<_> = work.map(|work| scope.spawn(move || step(work))).collect();
            let own = own.map(step);
            let others = others
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            own.into_iter().chain(others).collect()
        })
    }

    /// Finds the ungapped hits of a batch with the whole database.
    pub(crate) fn seeded(
        &self,
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
    ) -> Result<DeviceRuns<W::Backend>, DeviceFailure> {
        let inputs = iter::repeat_n((batch, lookup), self.engines.len());
        self.on_all(inputs, |engine, of_batch| engine.seeded(options, of_batch))
    }

    /// Leaves out hits of pairs that cannot get among the `max_targets` best subjects of their query.
    pub(crate) fn prefiltered(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: DeviceRuns<W::Backend>,
        max_targets: usize,
    ) -> Result<DeviceRuns<W::Backend>, DeviceFailure> {
        let sizes = self.engines.iter().zip(&seeded).map(|(engine, runs)| engine.size(runs));
        let size: RunSize = sizes.sum();
        let Some(prefilter) = Prefilter::new(search, size, max_targets) else {
            return Ok(seeded);
        };
        // Each batch takes workers in the order of devices, so none has one that another waits for while it waits itself.
        let workers: Vec<_> = self.engines.iter().map(DeviceEngine::later_worker).collect();
        let inputs = workers.iter().zip(&seeded);
        let bounded =
            self.on_all(inputs, |engine, (worker, runs)| engine.bounded(worker, &prefilter, runs))?;
        let Some(floors) = prefilter.floors(bounded.iter().flatten().flatten()) else {
            return Ok(seeded);
        };
        self.on_all(seeded.into_iter().zip(&bounded), |_, (runs, bounded)| {
            DeviceEngine::<W>::chosen(runs, bounded, &floors)
        })
    }

    /// Extends hits with gaps for their scores; gives the pairs that may be among the `max_targets` best subjects of their
    /// query, or all pairs.
    pub(crate) fn extended_gapped(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: DeviceRuns<W::Backend>,
        max_targets: Option<usize>,
    ) -> Result<ScoredPairs, DeviceFailure> {
        let has_several_runs = seeded.iter().flatten().count() > 1;
        let of_devices =
            self.on_all(seeded, |engine, runs| engine.extended_gapped(search, runs, max_targets))?;
        let mut all = ScoredPairs::default();
        for pairs in of_devices {
            all.append(pairs);
        }
        // The best of each run are more than the best of all.
        if let Some(max_targets) = max_targets.filter(|_| has_several_runs) {
            all.keep_candidates(search.batch.queries(), max_targets);
        }
        Ok(all)
    }

    /// Aligns the HSPs of subjects again, with their columns, in the order of `found`: nothing where no device can, as where two
    /// parts of a subject meet, and nothing at all if the scores do not fit devices.
    pub(crate) fn traced(
        &self,
        batch: &QueryBatch,
        options: &SearchOptions,
        found: &[(usize, SubjectHit)],
    ) -> Result<Option<Vec<Vec<Option<GappedAlignment>>>>, DeviceFailure> {
        if !options.is_greedy
            && !parameters::has_small_scores(&options.scoring, batch.parameters.final_x_drop)
        {
            return Ok(None);
        }
        let begins: Vec<Vec<AlignmentStart>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::alignment_starts(batch, options, &subject, &hit.hsps)
            })
            .collect();
        let begins = begins.concat();
        let inputs = iter::repeat_n(begins.as_slice(), self.engines.len());
        let traced = self.on_all(inputs, |engine, begins| engine.traced(batch, options, begins))?;
        let mut all = vec![None; begins.len()];
        for (index, gapped) in traced.into_iter().flatten() {
            // Where shares of a subject overlap, two devices may have made the same alignment.
            all[index] = all[index].take().or(gapped);
        }
        let mut rest = all.into_iter();
        let of_hit = |(_, hit): &(usize, SubjectHit)| rest.by_ref().take(hit.hsps.len()).collect();
        Ok(Some(found.iter().map(of_hit).collect()))
    }
}
