//! A device that maps reads: its mapper, whose turn it is to use it, and which device has taken its place.

use std::iter;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use aligner_core::Device;
use aligner_core::buffer_pool::{Taken, TurnPool};
use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::input::ReadSlice;

/// A mapper on one device, which shares what does not depend on the device with mappers on other devices.
pub trait DeviceMapper: Sized + Send + Sync + 'static {
    /// The searches that a GPU takes at a time.
    const SEARCHES_ON_GPU: usize;

    /// Whether each worker on the CPU does its batch by itself, and not on the pool of all threads.
    const ALONE_ON_CPU: bool;

    /// A mapper on another device.
    ///
    /// # Errors
    /// If the device fails, or has too little memory for the index.
    fn on_device(&self, device: &Device) -> Result<Self>;

    /// The device's failure, if there was one. From then on the CPU does its work.
    fn failure(&self) -> Option<String>;
}

impl DeviceMapper for seed_extend::Mapper {
    const SEARCHES_ON_GPU: usize = Self::SEARCHES_ON_GPU;
    const ALONE_ON_CPU: bool = true;

    fn on_device(&self, device: &Device) -> Result<Self> {
        Ok(self.on_device(device)?)
    }

    fn failure(&self) -> Option<String> {
        self.failure()
    }
}

impl DeviceMapper for woodstocc::Mapper {
    const SEARCHES_ON_GPU: usize = 1;
    // A worker would need memory for the whole reference.
    const ALONE_ON_CPU: bool = false;

    fn on_device(&self, device: &Device) -> Result<Self> {
        Ok(self.on_device(device.clone())?)
    }

    fn failure(&self) -> Option<String> {
        self.failure().map(ToString::to_string)
    }
}

/// The number of devices of a run that map.
#[derive(Debug, Clone, Default)]
pub(super) struct Working(Arc<AtomicUsize>);

impl Working {
    pub(super) fn join(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One device stops mapping, unless it is the only one; says whether it stops.
    pub(super) fn leave(&self) -> bool {
        let others = |working: usize| working.checked_sub(1).filter(|&others| others > 0);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, others).is_ok()
    }
}

/// A device with its mapper. A few threads of it map batches at the same time.
#[derive(Debug)]
pub struct MappingDevice<M> {
    pub name: String,
    is_cpu: bool,
    /// The device's share of the threads that the run may use.
    pub threads: usize,
    pub mapper: Arc<M>,
    /// The turn to search on the device.
    pub search: TurnPool<()>,
    /// The turn to align on the device.
    pub align: TurnPool<()>,
    /// The threads of the CPU, if each worker does its batch by itself.
    cores: Option<TurnPool<()>>,
    /// The number of reads that were searched for.
    reads: AtomicU64,
    /// The device that has taken its place: threads of this one pull no more batches, and search on that device for the reads for
    /// which they have not begun to search.
    successor: OnceLock<Arc<Self>>,
    /// Whether the device, which has failed, leaves its work to others.
    leaves: OnceLock<bool>,
    working: Working,
}

impl<M: DeviceMapper> MappingDevice<M> {
    /// One of `selected` devices.
    pub(super) fn new(
        (device, selected): (&Device, usize),
        mapper: Arc<M>,
        working: &Working,
    ) -> Arc<Self> {
        let is_cpu = matches!(device, Device::Cpu);
        let threads = rayon::current_num_threads().div_ceil(selected.max(1));
        let turns = |count| TurnPool::new(iter::repeat_n((), count));
        let is_alone = is_cpu && M::ALONE_ON_CPU;
        let cores = is_alone.then(|| turns(threads));
        let (searches, alignments) = if is_alone {
            (threads, threads)
        } else if is_cpu {
            (1, 1)
        } else {
            // A thread copies while the GPU works for another one.
            (M::SEARCHES_ON_GPU, 3)
        };
        let (search, align) = (turns(searches), turns(alignments));
        let name = device.describe();
        let (reads, successor) = (AtomicU64::new(0), OnceLock::new());
        let (leaves, working) = (OnceLock::new(), working.clone());
        Arc::new(Self {
            name,
            is_cpu,
            threads,
            mapper,
            search,
            align,
            cores,
            reads,
            successor,
            leaves,
            working,
        })
    }

    /// Says whether the threads of the device pull no more batches.
    pub fn retirement(self: &Arc<Self>) -> impl Fn() -> bool + Send + use<M> {
        let device = Arc::clone(self);
        move || {
            device.successor.get().is_some()
                || (device.mapper.failure().is_some()
                    && *device.leaves.get_or_init(|| device.working.leave()))
        }
    }
}

impl<M> MappingDevice<M> {
    /// Whether it is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.is_cpu
    }

    /// Waits for one of the CPU's threads, if each worker does its batch by itself: there are more workers than threads, since
    /// some wait for others. A worker gives it back before it waits.
    pub(super) fn core(&self) -> Option<Taken<'_, ()>> {
        self.cores.as_ref().map(TurnPool::take)
    }

    /// Waits for the turn to search on the device, or on the one that has taken its place. Who waits when that happens has to wait for
    /// the turn on this one nevertheless.
    pub(super) fn turn_to_search(&self) -> SearchTurn<'_, M> {
        if let Some(successor) = self.successor.get() {
            return successor.turn_to_search();
        }
        let (core, search) = (self.core(), self.search.take());
        if let Some(successor) = self.successor.get() {
            drop((core, search));
            return successor.turn_to_search();
        }
        SearchTurn { device: self, core, search }
    }

    /// The number of workers that wait for a thread of the CPU or for the turn to search.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.cores.as_ref().map_or(0, TurnPool::waiting) + self.search.waiting()
    }

    /// The device and the number of reads that it has mapped.
    pub(super) fn mapped(&self) -> DeviceReads {
        DeviceReads { device: self.name.clone(), reads: self.reads.load(Ordering::Relaxed) }
    }

    /// Gives the device's place to another one.
    pub(super) fn retire(&self, successor: &Arc<Self>) {
        if self.successor.set(Arc::clone(successor)).is_ok() {
            self.working.leave();
        }
    }

    /// Counts reads as mapped by this device.
    pub fn count(&self, reads: &ReadSlice) {
        let count = reads.iter().filter(|read| !read.is_absent()).count();
        self.reads.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// The turn to search on a device.
#[derive(Debug)]
#[must_use]
pub(super) struct SearchTurn<'a, M> {
    pub(super) device: &'a MappingDevice<M>,
    /// A thread of the CPU, if each worker of the device does its batch by itself.
    pub(super) core: Option<Taken<'a, ()>>,
    /// The turn to search, which ends when this is dropped.
    pub(super) search: Taken<'a, ()>,
}

/// A device and the number of reads that it has mapped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReads {
    pub device: String,
    pub reads: u64,
}

impl DeviceReads {
    /// The names of devices, for people.
    pub fn names(devices: &[Self]) -> String {
        let names: Vec<&str> = devices.iter().map(|it| it.device.as_str()).collect();
        names.join(", ")
    }
}
