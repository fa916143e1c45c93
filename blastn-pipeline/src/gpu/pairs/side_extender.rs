//! Gapped extensions of listed hits for their scores, level by level.
//!
//! A hit has a left and a right side; where one is long, the other is often short. So all sides are sorted by length, from the
//! longest to the shortest: lanes of a warp finish together, and no long side is begun last.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceStruct};
use aligner_core::sort::Field;
use aligner_core::stream::Backend;

use super::kernels::PairKernels;
use super::parameters::{PairParameters, REACH_WORDS, SideParameters, SortKey};
use crate::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, FRONT_SLOT_BYTES, GreedyParameters, GreedyScores,
    GreedySideReach, SLOT_BYTES, SideReach, THREADS, has_small_scores, score_matrix,
};
use crate::gpu::gapped::text::{first_letters, text};
use crate::gpu::launch::{self, Grid};
use crate::search::preliminary::PreliminarySearch;

/// Sides of a launch, at most.
const SIDES: usize = 1 << 22;

/// Steps of length by which sides are ordered, minus 1: `kLongestSide` of `pairs.cuh`.
const LONGEST_SIDE: u32 = 255;

/// Where the live cells or fronts of sides are; a side that does not fit goes to the next level.
#[derive(Debug, Clone, Copy)]
enum SideStorage {
    /// In registers, for sides that stay near one diagonal.
    Registers,
    /// In shared memory, with so many slots for each thread.
    Shared(u32),
}

/// Extends hits of a batch with chunks of the database.
pub(super) struct SideExtender<'a, B: Backend> {
    kernels: &'a PairKernels<B>,
    search: &'a PreliminarySearch<'a>,
    bases: DeviceAddress<u32>,
    /// Text of the queries.
    letters: B::Buffer,
    matrix: B::Buffer,
}

impl<'a, B: Backend> SideExtender<'a, B> {
    /// Copies the queries of a search to the device; `bases` is the address of the database's bases.
    pub(super) fn new(
        kernels: &'a PairKernels<B>,
        search: &'a PreliminarySearch<'a>,
        bases: DeviceAddress<u32>,
    ) -> Result<Self, DeviceError> {
        let letters = kernels.upload(&text(&search.batch.letters))?;
        let matrix = kernels.upload(&score_matrix(&search.batch.matrix))?;
        Ok(Self { kernels, search, bases, letters, matrix })
    }

    /// Extends `count` listed hits; gives the reaches of the left and the right side of each.
    pub(super) fn reaches(
        &self,
        pairs: &PairParameters,
        listed: DeviceAddress<u32>,
        count: usize,
    ) -> Result<B::Buffer, DeviceError> {
        let kernels = self.kernels;
        let mut count = 2 * count;
        let words = count * REACH_WORDS;
        if !self.is_for_device() {
            // These words stand for a side that did not fit into memory, in both kinds of reaches.
            return kernels.upload(&vec![u32::MAX; words]);
        }
        let reaches = kernels.room::<u32>(words)?;
        let mut parameters = SideParameters {
            pairs: *pairs,
            listed,
            wanted: DeviceAddress::NULL,
            keys: DeviceAddress::NULL,
            sides: DeviceAddress::NULL,
            reached: DeviceAddress::NULL,
            reaches: kernels.address(&reaches),
            unfinished: DeviceAddress::NULL,
            cursor: DeviceAddress::NULL,
            side_count: 0,
            first_side: 0,
            reached_words: 0,
            padding: 0,
        };
        let mut wanted: Option<B::Buffer> = None;
        for level in self.levels() {
            let (unfinished, cursor) = (kernels.room::<u32>(count)?, kernels.zeros::<u32>(1)?);
            parameters.unfinished = kernels.address(&unfinished);
            parameters.cursor = kernels.address(&cursor);
            let all = wanted.as_ref().map(|wanted| kernels.address::<u32>(wanted));
            for first in (0..count).step_by(SIDES) {
                parameters.wanted = all.map_or(DeviceAddress::NULL, |all| all.offset(first as u64));
                parameters.first_side = first as u32;
                self.extend(parameters, SIDES.min(count - first), level)?;
            }
            count = kernels.count(&cursor)?;
            wanted = Some(unfinished);
        }
        Ok(reaches)
    }

    /// Storage for sides, from the fastest to the largest.
    fn levels(&self) -> impl Iterator<Item = SideStorage> + use<B> {
        let registers = (!self.search.options.is_greedy).then_some(SideStorage::Registers);
        registers.into_iter().chain(self.kernels.widths.map(SideStorage::Shared))
    }

    /// Whether the scores of the search fit into the kernels' cells.
    fn is_for_device(&self) -> bool {
        let (batch, options) = (self.search.batch, self.search.options);
        options.is_greedy || has_small_scores(&options.scoring, batch.parameters.gapped_x_drop)
    }

    /// Extends `count` of the wanted sides.
    fn extend(
        &self,
        mut parameters: SideParameters,
        count: usize,
        level: SideStorage,
    ) -> Result<(), DeviceError> {
        let is_greedy = self.search.options.is_greedy;
        let reach_bytes =
            if is_greedy { size_of::<GreedySideReach>() } else { size_of::<SideReach>() };
        let kernels = self.kernels;
        let keys = kernels.room::<SortKey>(count)?;
        parameters.side_count = count as u32;
        parameters.keys = kernels.address(&keys);
        kernels.launch("key_sides", count, &parameters)?;
        let keys = kernels.sorter.sort(keys, count, &[Field::up_to(0, LONGEST_SIDE)])?;
        parameters.keys = kernels.address(&keys);
        let sides = kernels.room::<ExtensionSide>(count)?;
        let reached = kernels.room::<u8>(count * reach_bytes)?;
        parameters.sides = kernels.address(&sides);
        parameters.reached = kernels.address(&reached);
        parameters.reached_words = (reach_bytes / size_of::<u32>()) as u32;
        kernels.launch("make_sides", count, &parameters)?;
        match level {
            SideStorage::Registers => self.affinely(&parameters, &reached, "affine_frames", 0)?,
            SideStorage::Shared(slots) if is_greedy => {
                self.greedily(&parameters, &reached, slots)?;
            }
            SideStorage::Shared(slots) => {
                self.affinely(&parameters, &reached, "affine_scores", slots)?;
            }
        }
        kernels.launch("keep_reaches", count, &parameters)
    }

    fn greedily(
        &self,
        sides: &SideParameters,
        reached: &B::Buffer,
        front_slots: u32,
    ) -> Result<(), DeviceError> {
        let kernels = self.kernels;
        let cursor = kernels.zeros::<u32>(1)?;
        let parameters = GreedyParameters {
            sides: sides.sides,
            subject: self.bases,
            query: first_letters(kernels.pairs.address(&self.letters)),
            reaches: kernels.address(reached),
            cursor: kernels.address(&cursor),
            side_count: sides.side_count,
            front_slots,
            scores: GreedyScores::new(&self.search.options.scoring),
            padding: 0,
        };
        self.launch("greedy_scores", sides.side_count, front_slots * FRONT_SLOT_BYTES, &parameters)
    }

    fn affinely(
        &self,
        sides: &SideParameters,
        reached: &B::Buffer,
        kernel: &str,
        ring_slots: u32,
    ) -> Result<(), DeviceError> {
        let (kernels, scoring) = (self.kernels, &self.search.options.scoring);
        let cursors = kernels.zeros::<u32>(2)?;
        let parameters = AffineParameters {
            sides: sides.sides,
            rows: self.bases,
            columns: first_letters(kernels.pairs.address(&self.letters)),
            matrix: kernels.address(&self.matrix),
            reaches: kernels.address(reached),
            cursors: kernels.address(&cursors),
            sources: DeviceAddress::NULL,
            runs: DeviceAddress::NULL,
            source_words: 0,
            side_count: sides.side_count,
            ring_slots,
            run_capacity: 0,
            gap_first: scoring.gap_open + scoring.gap_extend,
            gap_more: scoring.gap_extend,
            padding: 0,
        };
        self.launch(kernel, sides.side_count, ring_slots * SLOT_BYTES, &parameters)
    }

    /// Launches a kernel of `gapped.cu`, which takes `P`, for some sides.
    #[allow(unsafe_code)]
    fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        sides: u32,
        shared: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        let gapped = &self.kernels.gapped;
        let resident = gapped.resident_blocks(kernel, THREADS, shared)?.max(1);
        let blocks = sides.div_ceil(THREADS).min(resident);
        if blocks == 0 {
            return Ok(());
        }
        let grid = Grid { blocks, threads: THREADS, shared };
        // SAFETY: callers pass the kernel's parameters, with arrays as long as its contract says, whose memory is given back
        // after the launch; sides lie within the texts, as hits do.
        unsafe { launch::launch_grid(gapped, kernel, grid, parameters) }
    }
}
