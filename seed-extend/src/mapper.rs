//! From reads to what is to be reported of them.

use std::sync::{Arc, Mutex};

use aligner_core::stream::RunError;
use aligner_core::{Device, DeviceError};
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::extend::{self, Alignments, Extender, Prepared, Task};
use crate::extension::Extension;
use crate::find::{Chains, DeviceCodes, Finder, Known};
use crate::insert::Sample;
use crate::options::Options;
use crate::packed::Text;
use crate::planned::Planned;
use crate::queries::Queries;
use crate::ranking;
use crate::regions::{self, Region, Regions, deduplicate};
use crate::resolved::{Resolved, Verdict};
use crate::spares::{Spares, locked};

/// Why reads cannot be mapped.
#[derive(Debug, Error)]
pub enum MapError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The runtime refuses the stages that find seeds.
    #[error(transparent)]
    Stages(#[from] RunError),
}

/// Maps batches of reads.
#[derive(Debug)]
pub struct Mapper<'i> {
    index: &'i FmIndex,
    segments: Arc<Segments>,
    pub(crate) options: Options,
    /// Each for one batch at a time, and beside each other.
    finder: Mutex<Finder>,
    extender: Mutex<Extender<'i>>,
    /// For mates.
    pub(crate) mates: Mutex<Extender<'i>>,
    /// Of batches that were ranked.
    spare_alignments: Spares<Alignments>,
    spare_tasks: Spares<Vec<Task>>,
    /// Of batches that were resolved.
    pub(crate) spare_queries: Spares<Queries>,
}

/// What seeds say of the reads of a batch.
#[derive(Debug, Default)]
pub struct Sought {
    queries: Queries,
    salts: Vec<u64>,
    chains: Chains,
    codes: Option<DeviceCodes>,
}

/// What was aligned for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Aligned {
    planned: Planned,
    alignments: Alignments,
}

/// What was found for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// The reads.
    pub queries: Queries,
    /// A number for each read, which decides among equals.
    pub salts: Vec<u64>,
    /// Where they align; ranked within each read.
    pub regions: Regions,
    /// Of each read the share that has only seeds which are too frequent.
    pub repeats: Vec<f32>,
}

/// A number for a read called `name`, which decides among equally good places. `seed` makes another
/// choice.
pub fn salt(name: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(name, seed)
}

/// The text of an index.
fn text(index: &FmIndex) -> extend::Text<'_> {
    extend::Text::Packed(index.reference().packed_text())
}

impl<'i> Mapper<'i> {
    /// A mapper to the reference of this index, which aligns on `device`.
    ///
    /// # Errors
    /// [`MapError::Device`].
    pub fn new(index: &'i FmIndex, options: Options, device: &Device) -> Result<Self, MapError> {
        let segments = Arc::new(Segments::new(index.reference()));
        let text = text(index);
        let known = Known { index: index.clone(), segments: Arc::clone(&segments), options };
        let finder = Finder::new(known, device)?;
        let extender = Extender::new(options.scoring, text, &device.with_own_stream()?)?;
        let mates = Mutex::new(extender.beside()?);
        let (finder, extender) = (Mutex::new(finder), Mutex::new(extender));
        Ok(Self {
            index,
            segments,
            options,
            finder,
            extender,
            mates,
            spare_alignments: Spares::default(),
            spare_tasks: Spares::default(),
            spare_queries: Spares::default(),
        })
    }

    /// The index.
    pub fn index(&self) -> &'i FmIndex {
        self.index
    }

    /// Why the device was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<String> {
        let finder = locked(&self.finder);
        let extenders = [&self.extender, &self.mates].map(locked);
        let mut failures = extenders.iter().filter_map(|extender| extender.failure());
        finder.failure().or(failures.next()).map(ToString::to_string)
    }

    /// The segments of the text.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn extension(&self) -> Extension<'_> {
        let text = Text::of(self.index);
        let (scoring, reach) = (self.options.scoring, self.options.reach);
        Extension { text, segments: &self.segments, scoring, reach }
    }

    /// The queries of reads, on the current rayon pool, in memory of those that were resolved.
    ///
    /// # Panics
    /// As [`Queries::new`].
    pub fn queries<'r>(&self, reads: impl IntoIterator<Item = &'r [u8]>) -> Queries {
        self.spare_queries.take().replaced(reads)
    }

    /// Finds where reads may align, on the current rayon pool or the device. `salts` has a number for each
    /// read, which decides among equally good places; reads of a pair have the same.
    ///
    /// # Errors
    /// [`MapError::Stages`].
    pub fn seek(&self, queries: Queries, salts: Vec<u64>) -> Result<Sought, MapError> {
        let queries = Arc::new(queries);
        let (chains, codes) = locked(&self.finder).find(&queries)?;
        Ok(Sought { queries: Arc::unwrap_or_clone(queries), salts, chains, codes })
    }

    /// Decides what is to be aligned, on the current rayon pool.
    pub fn plan(&self, sought: Sought) -> Planned {
        let Sought { queries, salts, chains, codes } = sought;
        let tasks = self.spare_tasks.take();
        let mut planned = Planned::new((queries, salts), chains, self.extension(), tasks);
        // Here, so that it is done beside the aligning of another batch.
        planned.prepared = codes.map(|codes| {
            let (queries, text) = (planned.queries.all_codes(), text(self.index));
            let all = extend::Tasks { queries, text, tasks: &planned.tasks };
            Prepared { codes, plan: extend::gpu::Plan::new(self.options.scoring, all) }
        });
        planned
    }

    /// Aligns it, on the device.
    pub fn align(&self, mut planned: Planned) -> Aligned {
        let mut alignments = self.spare_alignments.take();
        let Planned { queries, tasks, prepared, .. } = &mut planned;
        let all = (queries.all_codes(), prepared.take());
        locked(&self.extender).align_into(all, tasks, &mut alignments);
        Aligned { planned, alignments }
    }

    /// Ranks what was found for each read, on the current rayon pool.
    pub fn rank(&self, aligned: Aligned) -> Searched {
        let Aligned { planned, alignments } = aligned;
        let Planned { queries, salts, repeats, parts, tasks, .. } = planned;
        let settled = parts.into_par_iter().map(|part| {
            let mut settled = regions::Part::default();
            let found = (tasks.as_slice(), &alignments);
            settled.runs = part.regions(found, self.extension(), |read, regions| {
                self.settle(regions, &queries, read, salts[read]);
                settled.of_reads.push(regions);
            });
            settled
        });
        let regions = Regions { parts: settled.collect() };
        self.spare_alignments.leave(alignments);
        self.spare_tasks.leave(tasks);
        Searched { queries, salts, regions, repeats }
    }

    /// All of these, one after the other.
    ///
    /// # Errors
    /// As [`seek`](Self::seek).
    pub fn search(&self, queries: Queries, salts: Vec<u64>) -> Result<Searched, MapError> {
        Ok(self.rank(self.align(self.plan(self.seek(queries, salts)?))))
    }

    /// Leaves out what is twice there or too bad, and ranks the rest.
    pub(crate) fn settle(
        &self,
        regions: &mut Vec<Region>,
        queries: &Queries,
        read: usize,
        salt: u64,
    ) {
        regions.retain(|region| region.score >= self.options.ranking.unseen);
        deduplicate(regions);
        ranking::rank(regions, queries.bases(read as u32), salt, &self.options.ranking);
    }

    /// Adds the pairs of a batch to a sample of the library.
    pub fn sample(&self, searched: &Searched, sample: &mut Sample, pairs: usize) {
        for pair in 0..pairs.min(searched.salts.len() / 2) {
            let ends = [2 * pair, 2 * pair + 1].map(|read| searched.regions.of(read));
            sample.add(ends, &self.options.ranking);
        }
    }

    /// Decides for reads that have no mates.
    pub fn resolve_single(&self, searched: Searched) -> Resolved {
        let Searched { queries, regions, repeats, .. } = searched;
        self.spare_queries.leave(queries);
        let verdict = |read: usize| self.alone(regions.of(read), repeats[read]);
        let verdicts = (0..repeats.len()).map(verdict).collect();
        self.resolved(regions, verdicts, repeats)
    }

    pub(crate) fn resolved(
        &self,
        regions: Regions,
        verdicts: Vec<Option<Verdict>>,
        repeats: Vec<f32>,
    ) -> Resolved {
        let (ranking, least) = (self.options.ranking, self.options.least);
        Resolved { regions, verdicts, repeats, ranking, least }
    }

    /// What is decided for a read by itself.
    pub(crate) fn alone(&self, regions: &[Region], repeats: f32) -> Option<Verdict> {
        let best = regions.first().filter(|best| best.score >= self.options.least)?;
        let mapq = ranking::mapq(best, repeats, &self.options.ranking);
        Some(Verdict { primary: 0, mapq, proper: false })
    }
}
