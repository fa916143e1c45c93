//! Sides of random sequences, and how a kernel gets them: what the tests of affine and of greedy extensions share.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::LazyLock;

use blastn_pipeline::gapped::side::SequenceSide;
use blastn_pipeline::gpu::gapped::parameters::{ExtensionSide, SideReach};
use fastrand::Rng;
use simt::Module;

/// The kernels of gapped extensions.
pub static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("blastn-pipeline", "gapped").expect("it was built"));

/// What lies behind the results of a kernel with columns, and must stay.
pub const POISON: SideReach =
    SideReach { score: 77, rows: 0xDEAD, columns: 0xBEEF, first_run: 5, runs: 0xDEAD_BEEF };

/// The address of an array for a kernel.
pub fn address(start: *const u8) -> u64 {
    start.expose_provenance() as u64
}

/// Packs bases four a byte, with 4 spare bytes behind them.
pub fn packed(bases: &[u8]) -> Vec<u8> {
    let four = |four: &[u8]| {
        four.iter().enumerate().fold(0, |byte, (place, base)| byte | (base & 3) << (6 - 2 * place))
    };
    bases.chunks(4).map(four).chain([0; 4]).collect()
}

/// The letters of a side, in the order of the text.
pub struct SideLetters {
    pub rows: Vec<u8>,
    pub columns: Vec<u8>,
    is_reverse: bool,
}

impl SideLetters {
    pub fn new(side: &ExtensionSide, rows: &[u8], columns: &[u8]) -> Self {
        let is_reverse = side.reverse == 1;
        let part = |text: &[u8], at: u64, letters: u32| {
            let (at, letters) = (at as usize, letters as usize);
            let range = if is_reverse { at - letters..at } else { at..at + letters };
            text[range].to_vec()
        };
        Self {
            rows: part(rows, side.row_at, side.rows),
            columns: part(columns, side.column_at, side.columns),
            is_reverse,
        }
    }

    /// The sides of rows and columns, as the CPU's code takes them.
    pub fn sides(&self) -> (SequenceSide<'_>, SequenceSide<'_>) {
        let side = |letters| SequenceSide { letters, at: self.begin(letters) };
        (side(&self.rows), side(&self.columns))
    }

    fn begin(&self, letters: &[u8]) -> usize {
        if self.is_reverse { letters.len() } else { 0 }
    }
}

/// Sides at random places of two texts of these lengths, near the same place of both, with one of some X-drops.
pub fn random_sides(
    random: &mut Rng,
    (rows, columns): (usize, usize),
    count: usize,
    x_drops: [i32; 4],
) -> Vec<ExtensionSide> {
    let side = |_| {
        let row_at = random.usize(..=rows);
        let near = (row_at + random.usize(..5)).saturating_sub(2);
        let column_at = near.min(columns);
        let reverse = random.bool();
        let (row_room, column_room) =
            if reverse { (row_at, column_at) } else { (rows - row_at, columns - column_at) };
        let mut part =
            |room: usize| (if random.bool() { room } else { random.usize(..=room) }) as u32;
        ExtensionSide {
            row_at: row_at as u64,
            column_at: column_at as u64,
            rows: part(row_room),
            columns: part(column_room),
            x_drop: x_drops[random.usize(..4)],
            reverse: reverse.into(),
        }
    };
    (0..count).map(side).collect()
}
