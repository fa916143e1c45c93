//! Queries on a device, and their seeds.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, CudaExecutor, DeviceItems, Word};

use super::engine::{Engine, Measured, THREADS, WARPS, failed, upload};
use crate::queries::Queries;
use crate::seeding;
use crate::seeding::stages::{Context, DeviceContext};
use crate::seeds::Seed;

/// Queries on the device, and their seeds.
pub(super) struct Seeded<B> {
    /// Bases before each query, and all.
    pub(super) offsets: B,
    /// Codes of all queries.
    pub(super) codes: B,
    /// Seeds, query after query.
    pub(super) seeds: B,
    /// Seeds before each query, and all.
    pub(super) seed_starts: B,
    /// Anchors before each query, and all.
    pub(super) starts: B,
    /// All anchors.
    total: B,
    /// Of each read, the bases of the query with more of them in seeds that occur too often.
    pub(super) repeats: B,
    /// What was measured of the application.
    pub(super) measured: Measured,
}

impl<B: Backend + Clone> Engine<B> {
    /// How many anchors the seeds have.
    pub(super) fn anchors(&self, seeded: &Seeded<B::Buffer>) -> Result<u64, DeviceError> {
        Ok(self.read(&seeded.total, 1)?[0])
    }

    /// Finds the seeds of all queries, and counts their anchors.
    pub(super) fn seed(
        &self,
        queries: &Queries,
        metrics: bool,
    ) -> Result<Seeded<B::Buffer>, DeviceError> {
        let backend = &self.backend;
        let (bases, count) = (queries.all_codes().len(), queries.len() as u32);
        let words = upload(backend, queries.words())?;
        let unknown = upload(backend, queries.unknown())?;
        let word_offsets = upload(backend, queries.word_offsets())?;
        let offsets = upload(backend, queries.offsets())?;
        let addresses = [&words, &unknown, &word_offsets, &offsets].map(|it| backend.address(it));
        let codes = self.memory::<u8>(bases)?;
        let [words_at, unknown_at, word_offsets_at, offsets_at] = addresses.map(Word::Address);
        let number = Word::Number(count);
        self.launch(
            "find_codes",
            (count.div_ceil(WARPS), THREADS),
            &[words_at, unknown_at, word_offsets_at, offsets_at, number, self.at(&codes)],
        )?;
        let (found, measured) = self.stream((queries, addresses), metrics)?;
        let (seeds, seed_starts) = self.by_query(&found, count)?;
        let anchors = self.memory::<u32>(count as usize)?;
        let repeats = self.memory::<u32>(count as usize / 2)?;
        self.launch(
            "find_counts",
            ((count / 2).div_ceil(THREADS), THREADS),
            &[
                self.at(&self.numbers),
                Word::Number(count / 2),
                self.at(&seeds),
                self.at(&seed_starts),
                self.at(&anchors),
                self.at(&repeats),
            ],
        )?;
        let (starts, total) = self.sums(&anchors, count)?;
        Ok(Seeded { offsets, codes, seeds, seed_starts, starts, total, repeats, measured })
    }

    /// Finds the seeds of queries, which are at these addresses, by stages, in any order.
    fn stream(
        &self,
        (queries, addresses): (&Queries, [u64; 4]),
        metrics: bool,
    ) -> Result<(DeviceItems<B>, Measured), DeviceError> {
        let (index, options) = (self.known.index.clone(), self.known.options.seeds);
        let known = DeviceContext { index: self.view, queries: addresses, options };
        let context = Context { index, queries: Arc::default(), options };
        let (app, sinks) = seeding::topology(&context);
        let settings = seeding::settings(queries.all_codes().len() as u64, metrics);
        let executor = CudaExecutor::loaded(&self.stages.seeds, &app, &settings, &known);
        let executor = executor.map_err(failed)?;
        let hunts = seeding::hunts(0..queries.len() as u32);
        let mut outputs = executor.run_in_place(&hunts).map_err(failed)?;
        let found = outputs.take([sinks.first, sinks.again])?;
        Ok((found, Measured { seconds: outputs.device_seconds, metrics: outputs.metrics }))
    }

    /// The same seeds, query after query, and how many are before each of so many queries.
    fn by_query(
        &self,
        found: &DeviceItems<B>,
        queries: u32,
    ) -> Result<(B::Buffer, B::Buffer), DeviceError> {
        let counts = self.backend.zeros(queries as usize * size_of::<u32>())?;
        let blocks = ((found.count as u32).div_ceil(THREADS), THREADS);
        let (all, number) = (self.at(&found.items), Word::Number(found.count as u32));
        self.launch("find_tally", blocks, &[all, number, self.at(&counts)])?;
        let (starts, _) = self.sums(&counts, queries)?;
        let seeds = self.memory::<Seed>(found.count)?;
        let arguments = [all, number, self.at(&starts), self.at(&counts), self.at(&seeds)];
        self.launch("find_places", blocks, &arguments)?;
        Ok((seeds, starts))
    }
}
