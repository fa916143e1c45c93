//! The pipeline on a GPU for whole databases.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::Settings;

use super::Build;
use super::device::DeviceChunk;
use super::gpu::{DeviceBases, GpuPipeline, Run};
use super::stages::Context;
use crate::database::Database;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::packed;
use crate::preliminary;
use crate::queries::Batch;
use crate::ungapped::Fours;

/// A database on a GPU.
#[derive(Debug)]
pub struct Seeder {
    pipeline: GpuPipeline,
    bases: DeviceBases,
    /// What each chunk is.
    parts: Vec<Part>,
}

/// A part of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) subject: usize,
    /// Its bases.
    pub(crate) range: Range<usize>,
    /// Whether there is no other.
    pub(crate) is_all: bool,
}

/// How the application is run.
fn settings() -> Settings {
    Settings { width: 256, ..Settings::default() }
}

impl Seeder {
    /// Puts a database on a GPU.
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub fn new(gpu: Gpu, database: &Database) -> Result<Self, DeviceError> {
        Self::with(gpu, database, Build::Split, settings())
    }

    /// The same, for a build and settings of the application.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn with(
        gpu: Gpu,
        database: &Database,
        build: Build,
        settings: Settings,
    ) -> Result<Self, DeviceError> {
        let pipeline = GpuPipeline::new(gpu, build, settings)?;
        let (mut chunks, mut parts) = (Vec::new(), Vec::new());
        for subject in 0..database.len() {
            let start = database.first_byte(subject) * packed::BASES as u64;
            let of_subject = preliminary::chunks(database.subject(subject).length);
            let is_all = of_subject.len() == 1;
            for range in of_subject {
                let (first, length) = (start + range.start as u64, range.len() as u32);
                chunks.push(DeviceChunk { first, length, padding: 0 });
                parts.push(Part { subject, range, is_all });
            }
        }
        let bases = pipeline.upload(database.packed(), chunks)?;
        Ok(Self { pipeline, bases, parts })
    }

    /// The ungapped alignments of a batch.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn run(
        &self,
        batch: &Arc<Batch>,
        lookup: &Arc<Lookup>,
        options: &Options,
    ) -> Result<Run, DeviceError> {
        let context = Context {
            batch: Arc::clone(batch),
            lookup: Arc::clone(lookup),
            word: options.word,
            fours: Fours::new(options),
            chunks: Vec::new(),
        };
        self.pipeline.run(&self.bases, &context)
    }

    /// The database's bases.
    pub fn bases(&self) -> &DeviceBases {
        &self.bases
    }

    /// What each chunk is.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}
