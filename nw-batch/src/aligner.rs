//! Alignments on whatever device there is.

use aligner_core::{Device, DeviceError};
use thiserror::Error;

use crate::alignments::Alignments;
use crate::batch::{Batch, Pair, Sequences};
use crate::cpu;
use crate::gpu::engine::Method;
use crate::gpu::full::Full;
use crate::gpu::{Engine, Launched};
use crate::scoring::{FreeEnds, Scoring};

/// Which kernels to use on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// `edit` for scores that are edit distances, else `warp`.
    #[default]
    Auto,
    /// Cells in the registers of a warp.
    Warp,
    /// A bit a cell, for scores that are edit distances; gives no alignments.
    Edit,
    /// A full matrix in device memory, for scores with linear gaps.
    Full(Full),
}

/// A kernel that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AlignError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Kernels are of GPUs.
    #[error("kernels are of GPUs: leave the choice of one, or use --device cuda")]
    NoGpu,
    /// Of scores that it cannot compute.
    #[error("the kernel 'edit' gives scores alone, of matches that score 0 and all else -1")]
    NotEditDistance,
    /// Of gaps that it cannot compute.
    #[error("this kernel gives scores alone, of linear gaps without free ends")]
    NotLinear,
}

/// Scores or alignments of pairs, in their order.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// Scores.
    Scores(Vec<i32>),
    /// Scores with alignments.
    Alignments(Alignments),
}

/// Two sets of sequences, and the device that aligns pairs of them.
#[derive(Debug)]
pub struct Aligner<'a> {
    scoring: &'a Scoring,
    queries: &'a Sequences,
    targets: &'a Sequences,
    trace: bool,
    method: Method,
    engine: Option<Engine>,
    failure: Option<DeviceError>,
}

/// Pairs that are being aligned.
#[derive(Debug)]
pub struct Pending {
    pairs: Vec<Pair>,
    launched: Option<Launched>,
}

impl<'a> Aligner<'a> {
    /// Prepares to align pairs of a query and a target, with alignments or for scores alone.
    ///
    /// # Errors
    /// If the device fails, or the kernel cannot do what is asked for.
    pub fn new(
        scoring: &'a Scoring,
        (queries, targets): (&'a Sequences, &'a Sequences),
        trace: bool,
        device: Device,
        choice: Choice,
    ) -> Result<Self, AlignError> {
        let linear = scoring.gaps().are_linear() && scoring.free() == FreeEnds::default();
        let edit = scoring.is_edit_distance() && !trace;
        let method = match choice {
            Choice::Auto | Choice::Edit if edit => Method::Edit,
            Choice::Auto | Choice::Warp => Method::Warp,
            Choice::Edit => return Err(AlignError::NotEditDistance),
            Choice::Full(kernel) if linear && !trace => Method::Full(kernel),
            Choice::Full(_) => return Err(AlignError::NotLinear),
        };
        let engine = match device {
            Device::Cpu if choice != Choice::Auto => return Err(AlignError::NoGpu),
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(Engine::new(gpu, scoring, queries, targets)?),
        };
        Ok(Self { scoring, queries, targets, trace, method, engine, failure: None })
    }

    /// Has the GPU begin to align pairs, and does not wait. A GPU that has begun the next batch when
    /// one is finished never pauses. Without a GPU, [`Self::finish`] does everything.
    pub fn begin(&mut self, pairs: Vec<Pair>) -> Pending {
        let (trace, method) = (self.trace, self.method);
        let batch = Batch { queries: self.queries, targets: self.targets, pairs: &pairs };
        let launched = self.try_on_gpu(|engine| {
            let planned = if trace {
                engine.plan_directions(batch)?
            } else {
                engine.plan_scores(batch, method)?
            };
            engine.launch(&planned)
        });
        Pending { pairs, launched }
    }

    /// What the GPU gives, unless there is none or it fails now.
    fn try_on_gpu<T>(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<T, DeviceError>,
    ) -> Option<T> {
        match work(self.engine.as_mut()?) {
            Ok(done) => Some(done),
            Err(error) => {
                self.failure = Some(error);
                self.engine = None;
                None
            }
        }
    }

    /// The pairs, with their scores or alignments.
    pub fn finish(&mut self, pending: Pending) -> (Vec<Pair>, Found) {
        let Pending { pairs, launched } = pending;
        let (scoring, trace) = (self.scoring, self.trace);
        let batch = Batch { queries: self.queries, targets: self.targets, pairs: &pairs };
        let on_gpu = launched.and_then(|launched| {
            self.try_on_gpu(|engine| {
                if trace {
                    let (mut all, left) = engine.finish_alignments(launched, pairs.len())?;
                    fill_in(
                        &left,
                        batch,
                        |batch| cpu::alignments(scoring, batch),
                        |place, found| {
                            all.set(place, &found);
                        },
                    );
                    return Ok(Found::Alignments(all));
                }
                let mut all = engine.finish_scores(&launched, pairs.len())?;
                fill_in(
                    &launched.left,
                    batch,
                    |batch| cpu::scores(scoring, batch),
                    |place, score| {
                        all[place] = score;
                    },
                );
                Ok(Found::Scores(all))
            })
        });
        let found = on_gpu.unwrap_or_else(|| {
            if trace {
                Found::Alignments(cpu::alignments(scoring, batch).into())
            } else {
                Found::Scores(cpu::scores(scoring, batch))
            }
        });
        (pairs, found)
    }

    /// Whether it gives alignments.
    pub fn traces(&self) -> bool {
        self.trace
    }

    /// Bytes of device memory, if a GPU does the work.
    pub fn device_memory(&self) -> Option<u64> {
        self.engine.as_ref().map(|engine| engine.gpu().total_memory())
    }

    /// Why the GPU was given up, if it was: the CPU did the rest, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}

/// Does the pairs `left`, by their places in the batch, and passes on what was found.
fn fill_in<T>(
    left: &[usize],
    batch: Batch<'_>,
    work: impl FnOnce(Batch<'_>) -> Vec<T>,
    mut put: impl FnMut(usize, T),
) {
    let pairs: Vec<Pair> = left.iter().map(|&number| batch.pairs[number]).collect();
    for (&number, found) in left.iter().zip(work(Batch { pairs: &pairs, ..batch })) {
        put(number, found);
    }
}
