//! Scores of a batch: planned, launched, and waited for.

use aligner_core::DeviceError;

use super::batch::{
    DeviceResults, HeldMemory, LaunchedBatch, MatrixGroupScores, PlannedBatch, PlannedLaunches,
};
use crate::alignment::{AlignmentEnd, TracedAlignment};
use crate::batch::PairBatch;
use crate::gpu::engine::{Engine, KernelKind};
use crate::gpu::plan::edit::plan_edit_launches;
use crate::gpu::plan::full_matrix::{batch_values, matrix_groups};
use crate::gpu::plan::strips::{LongPairs, StripPart};
use crate::gpu::plan::warp::ScorePlan;

impl Engine {
    /// Starts to compute the scores of a batch, whose sequences are those of [`Self::new`].
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn begin_scores(
        &mut self,
        batch: PairBatch<'_>,
        kernel_kind: KernelKind,
    ) -> Result<LaunchedBatch, DeviceError> {
        let planned = self.plan_scores(batch, kernel_kind)?;
        self.launch(&planned)
    }

    /// Plans the launches for the scores of a batch.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_scores<'a>(
        &mut self,
        batch: PairBatch<'a>,
        kernel_kind: KernelKind,
    ) -> Result<PlannedBatch<'a>, DeviceError> {
        let (launches, left) = match kernel_kind {
            KernelKind::Warp => {
                let most_cells = self.most_cells(batch, u64::MAX);
                let ScorePlan { launches, long, mut left } =
                    self.planner.plan_scores(batch, most_cells);
                let strips = self.plan_long_scores(batch, &long, &mut left)?;
                (PlannedLaunches::Warp(launches, strips), left)
            }
            KernelKind::Edit => {
                let (launches, long, mut left) =
                    plan_edit_launches(batch, self.most_edit_cells(batch));
                let long = self.planner.families(batch, long);
                let strips = self.plan_long_scores(batch, &long, &mut left)?;
                (PlannedLaunches::Edit(launches, strips), left)
            }
            KernelKind::FullMatrix(kernel) => {
                let words = self.reserve_matrix_memory(batch_values(batch))?;
                let (groups, left) = matrix_groups(batch, words);
                (PlannedLaunches::FullMatrix(kernel, groups), left)
            }
        };
        Ok(PlannedBatch { batch, launches, left })
    }

    /// Plans the launches for the scores of long pairs.
    fn plan_long_scores(
        &mut self,
        batch: PairBatch<'_>,
        long: &[LongPairs],
        left: &mut Vec<usize>,
    ) -> Result<Vec<StripPart>, DeviceError> {
        let mut parts = Vec::new();
        let limits = self.limits(0);
        let words = long.iter().map(|pairs| pairs.words(batch, false, limits)).max().unwrap_or(0);
        let words = self.reserve_matrix_memory(words)?;
        let limits = self.limits(words);
        for pairs in long {
            pairs.plan(batch, false, limits, &mut parts, left);
        }
        Ok(parts)
    }

    /// Launches a planned batch, without waiting for it.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn launch(&mut self, planned: &PlannedBatch<'_>) -> Result<LaunchedBatch, DeviceError> {
        let mut held = Vec::new();
        let pairs = planned.batch.pairs;
        let results = match &planned.launches {
            PlannedLaunches::Warp(launches, strips) => {
                let ends = self.copy_stream.zeros(pairs.len())?;
                let pairs = self.copy_stream.upload(pairs)?;
                let ready = self.prepare_warp_launches(launches)?;
                let strips = self.prepare_strips(strips)?;
                self.copy_stream.synchronize()?;
                for part in &strips {
                    self.launch_strips(part, &pairs, &ends, None)?;
                }
                for launch in &ready {
                    self.launch_warp(launch, &pairs, &ends)?;
                }
                held.push(Box::new((pairs, ready, strips)) as HeldMemory);
                DeviceResults::Ends(ends)
            }
            PlannedLaunches::Edit(launches, strips) => {
                let scores = self.copy_stream.zeros(pairs.len())?;
                if !strips.is_empty() {
                    let ends = self.copy_stream.zeros(pairs.len())?;
                    let pairs = self.copy_stream.upload(pairs)?;
                    let strips = self.prepare_strips(strips)?;
                    self.copy_stream.synchronize()?;
                    for part in &strips {
                        self.launch_strips(part, &pairs, &ends, Some(&scores))?;
                    }
                    held.push(Box::new((pairs, ends, strips)) as HeldMemory);
                }
                held.push(Box::new(self.launch_edit(launches, pairs, &scores)?));
                DeviceResults::Scores(scores)
            }
            PlannedLaunches::FullMatrix(kernel, groups) => {
                let scores = groups.iter().map(|group| self.launch_full_matrix(*kernel, group));
                DeviceResults::MatrixGroups(scores.collect::<Result<_, _>>()?)
            }
            PlannedLaunches::Traceback(plan) => self.launch_alignments(plan, pairs, &mut held)?,
        };
        Ok(LaunchedBatch {
            done: self.gpu.record_event()?,
            results,
            left: planned.left.clone(),
            _held: held,
        })
    }

    /// Waits for the scores of a batch of `pairs` pairs; returns them in the order of the pairs, with 0 for those in
    /// [`LaunchedBatch::left`].
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    pub fn finish_scores(
        &self,
        launched: &LaunchedBatch,
        pairs: usize,
    ) -> Result<Vec<i32>, DeviceError> {
        launched.done.wait()?;
        Ok(match &launched.results {
            DeviceResults::Ends(ends) => {
                let downloaded = self.copy_stream.download_staged(ends, pairs)?;
                let ends: &[AlignmentEnd] = bytemuck::cast_slice(downloaded.bytes());
                ends.iter().map(|end| end.score).collect()
            }
            DeviceResults::Scores(scores) => {
                let downloaded = self.copy_stream.download_staged(scores, pairs)?;
                bytemuck::cast_slice(downloaded.bytes()).to_vec()
            }
            DeviceResults::MatrixGroups(groups) => {
                let mut all = vec![0; pairs];
                for MatrixGroupScores { pairs, scores, .. } in groups {
                    let scores = self.gpu.download(scores, pairs.len())?;
                    for (&index, score) in pairs.iter().zip(scores) {
                        all[index] = score;
                    }
                }
                all
            }
            DeviceResults::Alignments { alignments, .. } => {
                let downloaded = self.copy_stream.download_staged(alignments, pairs)?;
                let alignments: &[TracedAlignment] = bytemuck::cast_slice(downloaded.bytes());
                alignments.iter().map(|alignment| alignment.score).collect()
            }
        })
    }
}
