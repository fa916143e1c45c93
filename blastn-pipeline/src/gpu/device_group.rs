//! The search of a database by one or several devices, each of which has a share of it, and all of it if batches are many.
//!
//! ```text
//!   a batch that all devices search for:
//!
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
//! Some of the work, such as the tables of a batch, takes a device as long for a share of the database as for all of it. So where
//! several devices have memory for all of it, and batches for each of them are left, a batch goes to one device, the one that has the
//! fewest such batches then ([`Extent::All`]). That device does all steps but `traced`, for which each device has the letters of its
//! share. One batch alone is done sooner if all devices search for it.
//!
//! The hits of a batch decide which queries the next one has; the next ones are guessed meanwhile
//! ([`SeededBatches`](crate::search::seeded_batches::SeededBatches)).
//!
//! Results do not depend on the number of devices. Chunks are searched one by one, and what is found with them is put together as on the
//! CPU. The sizes of batches follow from counts of hits, and from the memory of one device: if all hits of a batch are with subjects
//! of one share, that device needs as much memory for them as a device alone.

use std::iter;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread;

use aligner_core::DeviceError;
use aligner_core::buffer_pool::lock;
use aligner_core::stream::Backend;
use rayon::prelude::*;

use crate::database::Database;
use crate::error::DeviceFailure;
use crate::gapped::GappedAlignment;
use crate::gpu::engine::{DeviceEngine, Extent, SeededRun};
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
    /// For each device, how many batches it has for itself.
    own_counts: Arc<Mutex<Vec<usize>>>,
}

/// Ungapped hits of a batch.
pub(crate) struct DeviceRuns<B: Backend> {
    /// The numbers of the devices that searched for the batch, each with its runs.
    of_devices: Vec<(usize, Vec<SeededRun<B>>)>,
    /// The device that has the batch for itself, if one has.
    own: Option<ReservedDevice>,
}

impl<B: Backend> DeviceRuns<B> {
    /// The number of devices that searched for the batch.
    pub(crate) fn devices(&self) -> usize {
        self.of_devices.len()
    }

    /// The runs of all devices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SeededRun<B>> {
        self.of_devices.iter().flat_map(|(_, runs)| runs)
    }
}

/// A device that has a batch for itself, until this is dropped.
struct ReservedDevice {
    number: usize,
    own_counts: Arc<Mutex<Vec<usize>>>,
}

impl ReservedDevice {
    /// Reserves the device that has the fewest batches for itself.
    fn new(own_counts: &Arc<Mutex<Vec<usize>>>) -> Self {
        let mut counts = lock(own_counts);
        let number = (0..counts.len()).min_by_key(|&number| counts[number]).unwrap_or(0);
        counts[number] += 1;
        Self { number, own_counts: Arc::clone(own_counts) }
    }
}

impl Drop for ReservedDevice {
    fn drop(&mut self) {
        lock(&self.own_counts)[self.number] -= 1;
    }
}

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
        // What each device has room for beside its share.
        let room =
            most.iter().zip(&shares).map(|(&most, share)| most.saturating_sub(share.bases()));
        let has_room = devices.len() > 1 && room.min() >= Some(DatabaseParts::bases_of(database));
        let all = has_room.then(|| Arc::new(DatabaseParts::new(database, u64::MAX)));
        let mut engines: Vec<DeviceEngine<'_, W>> = devices
            .into_iter()
            .zip(shares)
            .map(|(device, share)| DeviceEngine::new(device, share, all.as_ref(), database))
            .collect();
        // A chunk may be longer than a share.
        if engines.iter().any(DeviceEngine::has_chunks) {
            engines.retain(DeviceEngine::has_chunks);
        }
        let own_counts = Arc::new(Mutex::new(vec![0; engines.len()]));
        let new = Self { database, engines, own_counts };
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

    /// The number of devices that can search all of the database for batches of their own; 1 if there is one, or not all can.
    pub(crate) fn independent_devices(&self) -> usize {
        if self.engines.iter().all(DeviceEngine::can_search_all) { self.engines.len() } else { 1 }
    }

    /// The number of ungapped alignments of a batch that there is memory for, roughly, wherever they are found.
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.engines.iter().map(DeviceEngine::hit_capacity).min().unwrap_or(0)
    }

    /// Does a step on all devices at the same time, each with its input; gives the results in the order of devices.
    fn on_all<I: Send, R: Send>(
        &self,
        inputs: impl IntoIterator<Item = I>,
        step: impl Fn(&DeviceEngine<'a, W>, I) -> Result<R, DeviceError> + Sync,
    ) -> Result<Vec<R>, DeviceFailure> {
        self.on((0..self.engines.len()).zip(inputs), step)
    }

    /// Does a step at the same time on devices of these numbers, each with its input; gives the results in their order.
    ///
    /// A thread of a rayon pool lets one device work after the other instead: threads of devices need the pool, and if all threads
    /// of the pool waited for them, all would wait forever.
    fn on<I: Send, R: Send>(
        &self,
        work: impl IntoIterator<Item = (usize, I)>,
        step: impl Fn(&DeviceEngine<'a, W>, I) -> Result<R, DeviceError> + Sync,
    ) -> Result<Vec<R>, DeviceFailure> {
        let step = |(number, input): (usize, I)| {
            let engine = &self.engines[number];
            let device = || engine.name().to_owned();
            step(engine, input).map_err(|error| DeviceFailure { device: device(), error })
        };
        let mut work = work.into_iter();
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

    /// Finds the ungapped hits of a batch with the whole database: on all devices, or with [`Extent::All`] on one that can.
    pub(crate) fn seeded(
        &self,
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
        extent: Extent,
    ) -> Result<DeviceRuns<W::Backend>, DeviceFailure> {
        let own = if extent == Extent::All { self.reserved()? } else { None };
        let (extent, devices) = match &own {
            Some(own) => (Extent::All, own.number..own.number + 1),
            None => (Extent::Share, 0..self.engines.len()),
        };
        let runs = self.on(devices.clone().map(|device| (device, ())), |engine, ()| {
            engine.seeded(options, (batch, lookup), extent)
        })?;
        Ok(DeviceRuns { of_devices: devices.zip(runs).collect(), own })
    }

    /// A device for one batch, which has loaded all of the database; `None` if not all devices can.
    fn reserved(&self) -> Result<Option<ReservedDevice>, DeviceFailure> {
        if self.independent_devices() == 1 {
            return Ok(None);
        }
        let own = ReservedDevice::new(&self.own_counts);
        let loaded = self.on([(own.number, ())], |engine, ()| engine.load_all())?;
        Ok(Some(own).filter(|_| loaded == [true]))
    }

    /// Leaves out hits of pairs that cannot get among the `max_targets` best subjects of their query.
    pub(crate) fn prefiltered(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: DeviceRuns<W::Backend>,
        max_targets: usize,
    ) -> Result<DeviceRuns<W::Backend>, DeviceFailure> {
        let DeviceRuns { of_devices, own } = seeded;
        let size_of = |(device, runs): &(usize, Vec<_>)| self.engines[*device].size(runs);
        let size: RunSize = of_devices.iter().map(size_of).sum();
        let Some(prefilter) = Prefilter::new(search, size, max_targets) else {
            return Ok(DeviceRuns { of_devices, own });
        };
        // Each batch takes workers in the order of devices, so none has one that another waits for while it waits itself.
        let workers: Vec<_> =
            of_devices.iter().map(|&(device, _)| self.engines[device].later_worker()).collect();
        let inputs = of_devices.iter().zip(&workers);
        let inputs = inputs.map(|((device, runs), worker)| (*device, (worker, runs)));
        let bounded =
            self.on(inputs, |engine, (worker, runs)| engine.bounded(worker, &prefilter, runs))?;
        let Some(floors) = prefilter.floors(bounded.iter().flatten().flatten()) else {
            return Ok(DeviceRuns { of_devices, own });
        };
        let (devices, runs): (Vec<usize>, Vec<_>) = of_devices.into_iter().unzip();
        let inputs = devices.iter().copied().zip(runs.into_iter().zip(&bounded));
        let chosen = self
            .on(inputs, |_, (runs, bounded)| DeviceEngine::<W>::chosen(runs, bounded, &floors))?;
        Ok(DeviceRuns { of_devices: devices.into_iter().zip(chosen).collect(), own })
    }

    /// Extends hits with gaps for their scores; gives the pairs that may be among the `max_targets` best subjects of their
    /// query, or all pairs.
    pub(crate) fn extended_gapped(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: DeviceRuns<W::Backend>,
        max_targets: Option<usize>,
    ) -> Result<ScoredPairs, DeviceFailure> {
        let has_several_runs = seeded.iter().count() > 1;
        let DeviceRuns { of_devices, own: _own } = seeded;
        let scored =
            self.on(of_devices, |engine, runs| engine.extended_gapped(search, runs, max_targets))?;
        let mut all = ScoredPairs::default();
        for pairs in scored {
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
