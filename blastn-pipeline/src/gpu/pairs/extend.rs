//! Extensions of listed hits, level by level.
//!
//! Of each hit both sides are extended, of which one is as long as the other is short. They are sorted by length,
//! the longest first: so lanes of a warp are done together, and nothing long is begun last.

use aligner_core::DeviceError;
use aligner_core::sort::{Field, ITEM_BYTES};
use aligner_core::stream::Backend;

use super::Pairs;
use super::device::{ANSWER, Task};
use crate::gpu::extensions::device::{
    self, AffineTask, FIRST, FRONT_SLOT, GreedyReached, GreedyScores, GreedyTask, Reached, SLOT,
    Side, THREADS,
};
use crate::gpu::launch;
use crate::search::preliminary::Search;

/// Sides of a launch, at most.
const SIDES: usize = 1 << 22;

/// By how many steps of length sides are ordered, less 1: `kLongestSide` of `pairs.cuh`.
const LONGEST_SIDE: u32 = 255;

/// Where a side's cells are; one that does not fit goes to the next level.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// In registers, near a diagonal.
    Frame,
    /// In so many slots of shared memory.
    Slots(u32),
}

/// What all extensions of a batch have in common.
pub(super) struct Extension<'a, B: Backend> {
    pairs: &'a Pairs<B>,
    search: &'a Search<'a>,
    bases: u64,
    letters: B::Buffer,
    matrix: B::Buffer,
}

impl<'a, B: Backend> Extension<'a, B> {
    /// With the letters of the queries, and the bases of the database at an address.
    pub(super) fn new(
        pairs: &'a Pairs<B>,
        search: &'a Search<'a>,
        bases: u64,
    ) -> Result<Self, DeviceError> {
        let letters = pairs.upload(&device::text(&search.batch.letters))?;
        let matrix = pairs.upload(&device::scores(&search.batch.matrix))?;
        Ok(Self { pairs, search, bases, letters, matrix })
    }

    /// The answers of the sides of listed hits, the left and the right of each.
    pub(super) fn answers(
        &self,
        task: &Task,
        listed: u64,
        count: usize,
    ) -> Result<B::Buffer, DeviceError> {
        let (pairs, sides) = (self.pairs, 2 * count);
        let words = sides * ANSWER;
        if !self.is_for_device() {
            // The mark of what is not known, in all kinds of answers.
            return pairs.upload(&vec![u32::MAX; words]);
        }
        let kept = pairs.room::<u32>(words)?;
        let mut task = Task { listed, kept: pairs.backend.address(&kept), ..*task };
        let mut wanted: Option<B::Buffer> = None;
        let mut count = sides;
        for level in self.levels() {
            let (left, cursor) = (pairs.room::<u32>(count)?, pairs.zeros::<u32>(1)?);
            task.left = pairs.backend.address(&left);
            task.cursors = pairs.backend.address(&cursor);
            let all = wanted.as_ref().map(|wanted| pairs.backend.address(wanted));
            for first in (0..count).step_by(SIDES) {
                task.wanted = all.map_or(0, |all| all + (first * size_of::<u32>()) as u64);
                task.first_side = first as u32;
                self.extend(task, SIDES.min(count - first), level)?;
            }
            count = pairs.count(&cursor)?;
            wanted = Some(left);
        }
        Ok(kept)
    }

    /// Where cells are, from what is fast to what is large.
    fn levels(&self) -> impl Iterator<Item = Level> + use<B> {
        let frame = (!self.search.options.is_greedy()).then_some(Level::Frame);
        frame.into_iter().chain(self.pairs.widths.map(Level::Slots))
    }

    /// Whether the device's cells are for the scores.
    fn is_for_device(&self) -> bool {
        let (batch, options) = (self.search.batch, self.search.options);
        options.is_greedy() || device::has_small_scores(&options.scoring, batch.manner.x_drop)
    }

    /// Extends some of the wanted sides.
    fn extend(&self, mut task: Task, count: usize, level: Level) -> Result<(), DeviceError> {
        let is_greedy = self.search.options.is_greedy();
        let answer = if is_greedy { size_of::<GreedyReached>() } else { size_of::<Reached>() };
        let pairs = self.pairs;
        let keys = pairs.backend.uninitialized(count * ITEM_BYTES)?;
        task.side_count = count as u32;
        task.side_keys = pairs.backend.address(&keys);
        pairs.launch("key_sides", count, &task)?;
        let keys = pairs.sorter.sort(keys, count, &[Field::up_to(0, LONGEST_SIDE)])?;
        task.side_keys = pairs.backend.address(&keys);
        let sides = pairs.room::<Side>(count)?;
        let made = pairs.backend.uninitialized(count * answer)?;
        task.sides = pairs.backend.address(&sides);
        task.made = pairs.backend.address(&made);
        task.made_words = (answer / size_of::<u32>()) as u32;
        pairs.launch("make_sides", count, &task)?;
        match level {
            Level::Frame => self.affinely(&task, ("affine_frames", 0))?,
            Level::Slots(width) if is_greedy => self.greedily(&task, width)?,
            Level::Slots(width) => self.affinely(&task, ("affine_scores", width))?,
        }
        pairs.launch("keep_answers", count, &task)
    }

    fn greedily(&self, task: &Task, width: u32) -> Result<(), DeviceError> {
        let pairs = self.pairs;
        let cursor = pairs.zeros::<u32>(1)?;
        let greedy = GreedyTask {
            addresses: [
                task.sides,
                self.bases,
                pairs.backend.address(&self.letters) + FIRST,
                task.made,
                pairs.backend.address(&cursor),
            ],
            count: task.side_count,
            width,
            scores: GreedyScores::new(&self.search.options.scoring),
            padding: 0,
        };
        self.launch("greedy_scores", task.side_count, width * FRONT_SLOT, &greedy)
    }

    fn affinely(&self, task: &Task, (kernel, width): (&str, u32)) -> Result<(), DeviceError> {
        let (pairs, scoring) = (self.pairs, &self.search.options.scoring);
        let cursors = pairs.zeros::<u32>(2)?;
        let address = |buffer: &B::Buffer| pairs.backend.address(buffer);
        let [letters, matrix, cursors] = [&self.letters, &self.matrix, &cursors].map(address);
        let affine = AffineTask {
            addresses: [task.sides, self.bases, letters + FIRST, matrix, task.made, cursors, 0, 0],
            room: 0,
            count: task.side_count,
            width,
            run_room: 0,
            gaps: [scoring.gap_open + scoring.gap_extend, scoring.gap_extend],
            padding: 0,
        };
        self.launch(kernel, task.side_count, width * SLOT, &affine)
    }

    /// Launches an extension's kernel for so many sides.
    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &str,
        sides: u32,
        shared: u32,
        task: &impl bytemuck::Pod,
    ) -> Result<(), DeviceError> {
        let gapped = &self.pairs.gapped;
        let resident = gapped.resident_blocks(kernel, THREADS, shared)?.max(1);
        let blocks = sides.div_ceil(THREADS).min(resident);
        if blocks == 0 {
            return Ok(());
        }
        // SAFETY: the task has the addresses of arrays as long as the kernel's contract says, whose
        // memory is given back after it; sides lie within the texts, as hits do.
        unsafe { launch::launch_blocks(gapped, kernel, (blocks, THREADS, shared), task) }
    }
}
