//! What kernels are given, as they see it (`cuda/include/nw_batch/task.cuh`).

use aligner_core::gpu::{DeviceRepr, ValidAsZeroBits};
use bytemuck::{Pod, Zeroable};

use crate::alphabet::UNKNOWN;
use crate::batch::{Pair, Sequences};
use crate::bias::Bias;
use crate::gpu::kernel::{Kernel, WARP};
use crate::scoring::Scoring;

/// The biased recurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Model {
    base: i32,
    opening: i32,
    extend: i32,
    equal: i32,
    different: i32,
    unknown: u32,
    free: u32,
    reserved: u32,
}
const _: () = assert!(size_of::<Model>() == 32);

/// A pair, by where its codes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// Place of the query's first code.
    pub query: u64,
    /// Place of the target's.
    pub target: u64,
    /// Residues of the query.
    pub rows: u32,
    /// Residues of the target.
    pub columns: u32,
}
const _: () = assert!(size_of::<Place>() == 24);

/// Where an alignment ends, and its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct End {
    /// The score.
    pub score: i32,
    /// The last row.
    pub row: u32,
    /// The last column.
    pub column: u32,
}
const _: () = assert!(size_of::<End>() == 12);

/// Where a pair's directions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Trace {
    /// Where the words of its task begin.
    pub start: u64,
    /// End of its room for runs.
    pub behind: u64,
    /// The pair, by its place in the batch.
    pub pair: u32,
    /// Steps of its task, in a strip.
    pub steps: u32,
    /// Rows of a lane.
    pub rows: u16,
    /// Whether it is the first pair of its task (0) or the second (1).
    pub half: u8,
    /// Whether gaps are affine (1) or linear (0).
    pub affine: u8,
    reserved: u32,
}
const _: () = assert!(size_of::<Trace>() == 32);

/// An alignment's score, and its runs among those of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Traced {
    /// The score.
    pub score: i32,
    /// How many runs.
    pub count: u32,
    /// The first.
    pub first: u64,
}
const _: () = assert!(size_of::<Traced>() == 16);

macro_rules! on_device {
    ($($type:ty),*) => {$(
        #[allow(unsafe_code)]
        // SAFETY: plain integers in `repr(C)`, as the kernels declare them.
        unsafe impl DeviceRepr for $type {}
        #[allow(unsafe_code)]
        // SAFETY: integers, of which zero bits are valid ones.
        unsafe impl ValidAsZeroBits for $type {}
    )*};
}
on_device!(Model, Place, Pair, End, Trace, Traced);

impl Model {
    /// The recurrence of a scoring with these numbers.
    pub fn new(scoring: &Scoring, bias: &Bias) -> Self {
        let (equal, different) = scoring.match_and_mismatch().unwrap_or((0, 0));
        let free = scoring.free();
        let ends = [free.query_begin, free.query_end, free.target_begin, free.target_end];
        Self {
            base: bias.base,
            opening: bias.opening,
            extend: bias.extend,
            equal: equal + 2 * bias.extend,
            different: different + 2 * bias.extend,
            unknown: if scoring.match_and_mismatch().is_some() { UNKNOWN.into() } else { u32::MAX },
            free: ends.into_iter().enumerate().map(|(bit, free)| u32::from(free) << bit).sum(),
            reserved: 0,
        }
    }
}

impl Place {
    /// The place of a pair.
    pub fn new(queries: &Sequences, targets: &Sequences, query: u32, target: u32) -> Self {
        Self {
            query: queries.offsets()[query as usize],
            target: targets.offsets()[target as usize],
            rows: queries.get(query).len() as u32,
            columns: targets.get(target).len() as u32,
        }
    }
}

impl Trace {
    /// That of a pair, by its place in the batch and in its task, whose directions begin at a word
    /// and whose room for runs ends at another; with the columns of the task's longest target.
    pub fn new(
        kernel: Kernel,
        (start, behind): (u64, u64),
        (pair, half): (u32, usize),
        columns: u32,
    ) -> Self {
        Self {
            start,
            behind,
            pair,
            steps: columns + WARP - 1,
            rows: kernel.rows as u16,
            half: half as u8,
            affine: u8::from(kernel.is_affine()),
            reserved: 0,
        }
    }
}

/// The biased scores of all pairs of codes, as kernels with a table take them.
pub fn table(scoring: &Scoring, bias: &Bias) -> Vec<i16> {
    scoring.table().into_iter().map(|score| (score + 2 * bias.extend) as i16).collect()
}
