//! Queries on a device, and their seeds.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Gpu};
use aligner_core::stream::{Backend, CudaExecutor, Metrics, RunError, Word};
use fm_index::FmIndex;
use fm_index::gpu::{DeviceIndex, View};

use super::engine::{Engine, THREADS, upload};
use super::numbers::{Counted, slots_before};
use crate::queries::Queries;
use crate::seeding;
use crate::seeding::stages::{Context, DeviceContext};
use crate::seeds::Seed;

/// An index in the memory of a device.
#[derive(Debug, Clone)]
pub struct Indexed {
    /// The index.
    pub index: FmIndex,
    /// Where its parts are.
    pub view: View,
    /// Address of the same view in the device's memory.
    pub address: u64,
}

impl Indexed {
    /// An index on a GPU.
    pub fn new(index: &FmIndex, on_device: &DeviceIndex, gpu: &Gpu) -> Self {
        let (view, address) = (on_device.values(), on_device.view().address(gpu));
        Self { index: index.clone(), view, address }
    }
}

/// Queries on the device, and their seeds.
pub(super) struct Seeded<B> {
    /// Bases before each query, and all.
    pub(super) offsets: B,
    /// Seeds of each query, from its slots on.
    pub(super) seeds: B,
    /// How many, and what comes of them.
    pub(super) counted: B,
    /// What the runtime measured, if it was asked to.
    pub(super) metrics: Metrics,
}

impl<B: Backend + Clone> Engine<B> {
    /// How many seeds each query has, and what the runtime measured if `metrics` asks for it.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn count_seeds(
        &self,
        queries: &Queries,
        metrics: bool,
    ) -> Result<(Vec<Counted>, Metrics), DeviceError> {
        let Seeded { counted, metrics, .. } = self.seed(queries, metrics)?;
        Ok((self.read(&counted, queries.len())?, metrics))
    }

    /// Finds seeds.
    pub(super) fn seed(
        &self,
        queries: &Queries,
        metrics: bool,
    ) -> Result<Seeded<B::Buffer>, DeviceError> {
        let backend = &self.backend;
        let (bases, count) = (queries.all_codes().len(), queries.len());
        let words = upload(backend, queries.words())?;
        let unknown = upload(backend, queries.unknown())?;
        let word_offsets = upload(backend, queries.word_offsets())?;
        let offsets = upload(backend, queries.offsets())?;
        let seeds = self.memory::<Seed>(slots_before(bases as u32, count as u32) as usize)?;
        let counted = backend.zeros(count * size_of::<Counted>())?;
        let mut seeded = Seeded { offsets, seeds, counted, metrics: Metrics::default() };
        let buffers = [&words, &unknown, &word_offsets, &seeded.offsets];
        let addresses = buffers.map(|buffer| backend.address(buffer));
        seeded.metrics = self.stream((queries, addresses), &seeded, metrics)?;
        self.launch(
            "find_counts",
            (count as u32).div_ceil(THREADS),
            &[
                self.at(&self.numbers),
                self.at(&seeded.offsets),
                Word::Number(count as u32),
                self.at(&seeded.seeds),
                self.at(&seeded.counted),
            ],
        )?;
        Ok(seeded)
    }

    /// Finds the seeds of queries, which are at these addresses, by stages, and puts them to their queries.
    fn stream(
        &self,
        (queries, addresses): (&Queries, [u64; 4]),
        seeded: &Seeded<B::Buffer>,
        metrics: bool,
    ) -> Result<Metrics, DeviceError> {
        let (index, options) = (self.indexed.index.clone(), self.options);
        let known = DeviceContext { index: self.indexed.view, queries: addresses, options };
        let context = Context { index, queries: Arc::default(), options };
        let (app, sinks) = seeding::topology(&context);
        let settings = seeding::settings(queries.all_codes().len() as u64, metrics);
        let executor =
            CudaExecutor::loaded(&self.seeding, &app, &settings, &known).map_err(failed)?;
        let hunts = seeding::hunts(0..queries.len() as u32);
        let mut outputs = executor.run_in_place(&hunts).map_err(failed)?;
        let found = outputs.take([sinks.first, sinks.again])?;
        let total = found.count as u32;
        self.launch(
            "find_places",
            total.div_ceil(THREADS),
            &[
                self.at(&seeded.offsets),
                self.at(&found.items),
                Word::Number(total),
                self.at(&seeded.seeds),
                self.at(&seeded.counted),
            ],
        )?;
        Ok(outputs.metrics)
    }
}

pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("seeds")
}
