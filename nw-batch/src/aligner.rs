//! One interface for both engines: alignments on whatever device there is.

use aligner_core::{Device, DeviceError};
use thiserror::Error;

use crate::alignment::{BatchAlignments, CigarOp, CigarRun};
use crate::batch::{PairBatch, SequencePair, SequenceSet};
use crate::cpu;
use crate::gpu::engine::{Engine, KernelKind};
use crate::gpu::launch::batch::LaunchedBatch;
use crate::gpu::plan::full_matrix::FullMatrixKernel;
use crate::scoring::{FreeEnds, Scoring};

/// Choice of the kernels that a GPU uses. All give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelChoice {
    /// [`Self::Edit`] for scores that are edit distances, else [`Self::Warp`].
    #[default]
    Auto,
    /// Matrix cells in the registers of a warp (`cuda/warp.cu`).
    Warp,
    /// A bit for each matrix cell (`cuda/edit.cu`): only for scores that are edit distances, without alignments.
    Edit,
    /// Full matrices in device memory (`cuda/full.cu`): only for scores with linear gaps and no free ends, without
    /// alignments.
    FullMatrix(FullMatrixKernel),
}

/// Why an [`Aligner`] cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AlignError {
    /// The device cannot be used, or failed while it was prepared.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A kernel was chosen, but the device is a processor.
    #[error("--kernel needs a GPU: leave it out, or add --device cuda")]
    NoGpu,
    /// The kernel for edit distances was chosen for other scores, or for alignments.
    #[error(
        "the kernel 'edit' computes edit distances only: choose another --kernel, or add --score-only --match 0 \
         --mismatch -1 --gap-open 1 --gap-extend 1"
    )]
    NotEditDistance,
    /// A kernel with full matrices was chosen for affine gaps, free ends or alignments.
    #[error(
        "this kernel computes scores with linear gaps and without free ends only: choose another --kernel, or add \
         --score-only with --gap-extend as high as --gap-open, and leave out --free-ends"
    )]
    NotLinear,
}

/// What an [`Aligner`] finds for each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// The score alone, which is much faster.
    Scores,
    /// The score and the CIGAR.
    Alignments,
}

/// Results for the pairs of a batch, in the order of the pairs.
#[derive(Debug, PartialEq)]
pub enum BatchResults {
    /// Scores, for [`ResultKind::Scores`].
    Scores(Vec<i32>),
    /// Scores and CIGARs, for [`ResultKind::Alignments`].
    Alignments(BatchAlignments),
}

impl BatchResults {
    /// The alignments; none if they were not asked for.
    pub fn into_alignments(self) -> Option<BatchAlignments> {
        match self {
            Self::Scores(_) => None,
            Self::Alignments(alignments) => Some(alignments),
        }
    }
}

/// Aligns pairs of two sets of sequences, on a processor or a GPU.
///
/// If a GPU fails in the middle of the work, the processor does the rest, with the same results; [`Self::failure`]
/// tells why.
#[derive(Debug)]
pub struct Aligner<'a> {
    scoring: &'a Scoring,
    queries: &'a SequenceSet,
    targets: &'a SequenceSet,
    kind: ResultKind,
    kernel_kind: KernelKind,
    /// The GPU, unless there is none or it failed.
    engine: Option<Engine>,
    failure: Option<DeviceError>,
}

/// Batch whose pairs are being aligned: what [`Aligner::begin`] returns and [`Aligner::finish`] takes.
#[derive(Debug)]
pub struct PendingBatch {
    pairs: Vec<SequencePair>,
    /// Launches on the GPU, if it works on the batch.
    launched: Option<LaunchedBatch>,
}

impl<'a> Aligner<'a> {
    /// Prepares to align pairs of a query and a target. A GPU gets all sequences now.
    ///
    /// # Errors
    /// If the device fails, or the chosen kernel cannot do what is asked for.
    pub fn new(
        scoring: &'a Scoring,
        queries: &'a SequenceSet,
        targets: &'a SequenceSet,
        kind: ResultKind,
        device: Device,
        choice: KernelChoice,
    ) -> Result<Self, AlignError> {
        let with_alignments = kind == ResultKind::Alignments;
        let is_linear = scoring.gaps().is_linear() && scoring.free_ends() == FreeEnds::default();
        let is_edit_distance = scoring.is_edit_distance() && !with_alignments;
        let kernel_kind = match choice {
            KernelChoice::Auto | KernelChoice::Edit if is_edit_distance => KernelKind::Edit,
            KernelChoice::Auto | KernelChoice::Warp => KernelKind::Warp,
            KernelChoice::Edit => return Err(AlignError::NotEditDistance),
            KernelChoice::FullMatrix(kernel) if is_linear && !with_alignments => {
                KernelKind::FullMatrix(kernel)
            }
            KernelChoice::FullMatrix(_) => return Err(AlignError::NotLinear),
        };
        let engine = match device {
            Device::Cpu if choice != KernelChoice::Auto => return Err(AlignError::NoGpu),
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(Engine::new(gpu, scoring, queries, targets)?),
        };
        let failure = None;
        Ok(Self { scoring, queries, targets, kind, kernel_kind, engine, failure })
    }

    /// Scores or alignments of pairs, in their order. [`Self::begin`] and [`Self::finish`] do the same in two steps, which
    /// keep a GPU at work while the host uses the results of an earlier batch.
    pub fn align(&mut self, pairs: Vec<SequencePair>) -> BatchResults {
        let pending = self.begin(pairs);
        self.finish(pending).1
    }

    /// Starts the alignment of a batch on the GPU, and does not wait for it. A GPU never pauses if the next batch is
    /// begun before one is finished. Without a GPU, [`Self::finish`] does all the work.
    pub fn begin(&mut self, pairs: Vec<SequencePair>) -> PendingBatch {
        let (with_alignments, kernel_kind) = (self.has_alignments(), self.kernel_kind);
        let batch = PairBatch { queries: self.queries, targets: self.targets, pairs: &pairs };
        let is_turnable = self.is_turnable();
        let launched = self.try_on_gpu(|engine| {
            let turned = is_turnable.then(|| engine.turned(batch));
            let batch = PairBatch { pairs: turned.as_deref().unwrap_or(batch.pairs), ..batch };
            let planned = if with_alignments {
                engine.plan_alignments(batch)?
            } else {
                engine.plan_scores(batch, kernel_kind)?
            };
            engine.launch(&planned)
        });
        PendingBatch { pairs, launched }
    }

    /// Whether a GPU may take either sequence of a pair as the query: it finds scores that are the same then, and has both.
    fn is_turnable(&self) -> bool {
        let is_one_set = std::ptr::eq(self.queries, self.targets);
        let is_warp = self.kernel_kind == KernelKind::Warp;
        is_one_set && is_warp && !self.has_alignments() && self.scoring.is_symmetric()
    }

    /// Result of `work` on the GPU; none if there is no GPU, or it fails now and is given up.
    fn try_on_gpu<T>(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<T, DeviceError>,
    ) -> Option<T> {
        match work(self.engine.as_mut()?) {
            Ok(result) => Some(result),
            Err(error) => {
                self.failure = Some(error);
                self.engine = None;
                None
            }
        }
    }

    /// Waits for a batch; returns its pairs, with their scores or alignments.
    pub fn finish(&mut self, pending: PendingBatch) -> (Vec<SequencePair>, BatchResults) {
        let PendingBatch { pairs, launched } = pending;
        let (scoring, kind) = (self.scoring, self.kind);
        let with_alignments = self.has_alignments();
        let batch = PairBatch { queries: self.queries, targets: self.targets, pairs: &pairs };
        let from_gpu = launched.and_then(|launched| {
            self.try_on_gpu(|engine| {
                if with_alignments {
                    let (mut all, mut left) = engine.finish_alignments(launched, pairs.len())?;
                    if scoring.ends_behind_pairs() {
                        left.extend(ends_behind_gaps(scoring, &all));
                    }
                    align_left(
                        &left,
                        batch,
                        |batch| cpu::alignments(scoring, batch),
                        |index, alignment| {
                            all.set(index, &alignment);
                        },
                    );
                    return Ok(match kind {
                        ResultKind::Alignments => BatchResults::Alignments(all),
                        ResultKind::Scores => {
                            BatchResults::Scores(all.iter().map(|found| found.score).collect())
                        }
                    });
                }
                let mut all = engine.finish_scores(&launched, pairs.len())?;
                align_left(
                    &launched.left,
                    batch,
                    |batch| cpu::scores(scoring, batch),
                    |index, score| {
                        all[index] = score;
                    },
                );
                Ok(BatchResults::Scores(all))
            })
        });
        let results = from_gpu.unwrap_or_else(|| match kind {
            ResultKind::Alignments => {
                BatchResults::Alignments(cpu::alignments(scoring, batch).into())
            }
            ResultKind::Scores => BatchResults::Scores(cpu::scores(scoring, batch)),
        });
        (pairs, results)
    }

    /// Whether a GPU finds alignments: those that are asked for, or those which tell whether a score is one of an alignment that
    /// ends behind a pair ([`Scoring::ends_behind_pairs`]).
    pub fn has_alignments(&self) -> bool {
        self.kind == ResultKind::Alignments || self.scoring.ends_behind_pairs()
    }

    /// Bytes of device memory, if a GPU does the work.
    pub fn device_memory(&self) -> Option<u64> {
        self.engine.as_ref().map(|engine| engine.gpu().total_memory())
    }

    /// Why the GPU was given up, if it was: the processor did the rest, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}

/// Indices of the alignments that end with two gaps, of which one is not free. All others are also the best of those that end
/// behind a pair ([`Scoring::ends_behind_pairs`]). If no gap costs anything, that is told of those without a gap at the end alone.
fn ends_behind_gaps(
    scoring: &Scoring,
    alignments: &BatchAlignments,
) -> impl Iterator<Item = usize> {
    let most = usize::from(scoring.gaps().open > 0);
    let ends = alignments.iter().enumerate().filter(move |(_, alignment)| {
        let is_gap = |run: &CigarRun| matches!(run.op(), CigarOp::Insertion | CigarOp::Deletion);
        alignment.cigar.iter().rev().take_while(is_gap).count() > most
    });
    ends.map(|(index, _)| index)
}

/// Aligns the pairs that the GPU left out, whose indices in the batch are `left`, by `work` on the processor, and
/// passes each index and result to `put`.
fn align_left<T>(
    left: &[usize],
    batch: PairBatch<'_>,
    work: impl FnOnce(PairBatch<'_>) -> Vec<T>,
    mut put: impl FnMut(usize, T),
) {
    let pairs: Vec<SequencePair> = left.iter().map(|&index| batch.pairs[index]).collect();
    for (&index, result) in left.iter().zip(work(PairBatch { pairs: &pairs, ..batch })) {
        put(index, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{FreeEnds, GapCosts};

    /// Alignments by the rule that ends stand behind pairs are those without the rule, but for pairs that are told by their ends.
    #[test]
    fn alignments_that_do_not_end_behind_pairs_are_told() {
        let free_ends =
            FreeEnds { query_begin: true, query_end: true, target_begin: true, target_end: true };
        for (open, extend) in [(5, 1), (3, 3), (2, 0), (0, 0)] {
            let mut random = fastrand::Rng::with_seed(open as u64);
            let scoring = Scoring::with_match_mismatch(2, -3, GapCosts { open, extend })
                .expect("a scoring")
                .with_free_ends(free_ends);
            let mut set = |count: usize| -> SequenceSet {
                let mut sequence =
                    || -> Vec<u8> { (0..random.usize(..30)).map(|_| random.u8(..3)).collect() };
                (0..count).map(|_| sequence()).collect()
            };
            let (queries, targets) = (set(4_000), set(4_000));
            let pairs: Vec<_> =
                (0..4_000).map(|number| SequencePair { query: number, target: number }).collect();
            let batch = PairBatch { queries: &queries, targets: &targets, pairs: &pairs };
            let mut found = BatchAlignments::from(cpu::alignments(&scoring, batch));
            let scoring = scoring.with_ends_behind_pairs();
            let expected = BatchAlignments::from(cpu::alignments(&scoring, batch));
            let told: Vec<_> = ends_behind_gaps(&scoring, &found).collect();
            assert!(told.len() > 50, "{} of the alignments end behind gaps", told.len());
            assert!(open == 0 || told.len() < 2_000, "{} end behind gaps", told.len());
            for index in told {
                found.set(index, &expected.get(index).to_alignment());
            }
            for (index, (found, expected)) in found.iter().zip(expected.iter()).enumerate() {
                assert_eq!(found, expected, "costs {open} and {extend}, pair {index}");
            }
        }
    }
}
