//! The pipeline on a GPU for whole databases.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::Settings;

use super::Build;
use super::device::DeviceChunk;
use super::gpu::{DeviceBases, GpuPipeline, Run};
use super::stages::{Bases, Context};
use crate::database::Database;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::packed;
use crate::preliminary;
use crate::queries::Batch;
use crate::ungapped::Fours;

/// A database on a GPU.
#[derive(Debug)]
pub struct Seeder<'a> {
    database: &'a Database,
    pipeline: GpuPipeline,
    bases: DeviceBases,
    /// The first chunk of each subject, and the end.
    firsts: Vec<usize>,
}

/// How the application is run.
fn settings() -> Settings {
    Settings { width: 256, ..Settings::default() }
}

impl<'a> Seeder<'a> {
    /// Puts a database on a GPU.
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub fn new(gpu: Gpu, database: &'a Database) -> Result<Self, DeviceError> {
        Self::with(gpu, database, Build::Split, settings())
    }

    /// The same, for a build and settings of the application.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn with(
        gpu: Gpu,
        database: &'a Database,
        build: Build,
        settings: Settings,
    ) -> Result<Self, DeviceError> {
        let pipeline = GpuPipeline::new(gpu, build, settings)?;
        let (mut chunks, mut firsts) = (Vec::new(), vec![0]);
        for number in 0..database.len() {
            let start = database.first_byte(number) * packed::BASES as u64;
            let of_subject = preliminary::chunks(database.subject(number).length);
            chunks.extend(of_subject.into_iter().map(|chunk| DeviceChunk {
                first: start + chunk.start as u64,
                length: chunk.len() as u32,
                padding: 0,
            }));
            firsts.push(chunks.len());
        }
        let bases = pipeline.upload(database.packed(), chunks)?;
        Ok(Self { database, pipeline, bases, firsts })
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
        self.pipeline.run(&self.bases, &context, |chunk| {
            let DeviceChunk { first, length, .. } = self.bases.chunks()[chunk as usize];
            let bytes = &self.database.packed()[first as usize / packed::BASES..];
            Bases::new(bytes, length as usize)
        })
    }

    /// The database's bases.
    pub fn bases(&self) -> &DeviceBases {
        &self.bases
    }

    /// Which of the chunks are a subject's.
    pub fn chunks(&self, subject: usize) -> Range<usize> {
        self.firsts[subject]..self.firsts[subject + 1]
    }
}
