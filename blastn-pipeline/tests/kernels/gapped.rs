//! Kernels of gapped extensions with affine gap costs, run by the SIMT shim, reach as far as the CPU's code.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use aligner_core::gpu::DeviceAddress;
use blastn_pipeline::gapped::affine::{self, AffineBuffers, AffineReach};
use blastn_pipeline::gapped::edit_script::EditScript;
use blastn_pipeline::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, NO_ROOM, SideReach, score_matrix, source_words,
};
use blastn_pipeline::gpu::gapped::text::{first_letters, text};
use blastn_pipeline::gpu::pipeline::tables::{first_bases, packed_words};
use blastn_pipeline::scoring::{ScoreMatrix, Scoring};
use fastrand::Rng;
use simt::{Argument, Launch};

use crate::gapped_common::{KERNELS, POISON, SideLetters, address, packed, random_sides};

/// Two texts with sides in them.
struct Case {
    scoring: Scoring,
    rows: Vec<u8>,
    columns: Vec<u8>,
    sides: Vec<ExtensionSide>,
}

/// How far each side reaches, and its columns; nothing if it did not fit into memory.
type Reaches = Vec<Option<(AffineReach, EditScript)>>;

impl Case {
    /// Extends the sides by the CPU's code.
    fn expected<const TRACE: bool>(&self) -> Reaches {
        let (matrix, mut work) = (ScoreMatrix::new(&self.scoring), AffineBuffers::default());
        let of = |side: &ExtensionSide| {
            let letters = SideLetters::new(side, &self.rows, &self.columns);
            let (rows, columns) = letters.sides();
            let (scoring, x_drop) = (&self.scoring, side.x_drop);
            let sides = affine::SidePair { rows, columns, scoring, matrix: &matrix, x_drop };
            let found = if side.reverse == 1 {
                affine::extend::<true, TRACE>(&sides, &mut work)
            } else {
                affine::extend::<false, TRACE>(&sides, &mut work)
            };
            let is_empty = found == AffineReach::default();
            let columns = TRACE && !is_empty;
            let script =
                if columns { affine::script(&work, &found) } else { EditScript::default() };
            Some((found, script))
        };
        self.sides.iter().map(of).collect()
    }

    /// Extends the sides by a kernel with rings of `width` slots.
    fn found<const TRACE: bool>(&self, blocks: u32, width: u32, room: u64, runs: usize) -> Reaches {
        let name = if TRACE { "affine_traces" } else { "affine_scores" };
        self.found_by::<TRACE>(name, blocks, width, room, runs)
    }

    /// Extends the sides by the kernel with cells in registers.
    fn framed(&self, blocks: u32) -> Reaches {
        self.found_by::<false>("affine_frames", blocks, 0, 0, 0)
    }

    fn found_by<const TRACE: bool>(
        &self,
        name: &str,
        blocks: u32,
        width: u32,
        room: u64,
        runs: usize,
    ) -> Reaches {
        let matrix = score_matrix(&ScoreMatrix::new(&self.scoring));
        let (letters, bases) = (text(&self.rows), packed_words(&packed(&self.rows)));
        let columns = text(&self.columns);
        let mut reached = vec![POISON; self.sides.len() + 1];
        let mut cursors = [0_u32; 2];
        let mut sources = vec![0xDEAD_BEEF_u32; (32 * blocks as u64 * room) as usize];
        let mut run_room = vec![0xDEAD_BEEF_u32; runs];
        let rows = if TRACE {
            first_letters(address(letters.as_ptr().cast()))
        } else {
            first_bases(address(bases.as_ptr().cast()))
        };
        let parameters = AffineParameters {
            sides: DeviceAddress::new(address(self.sides.as_ptr().cast())),
            rows,
            columns: first_letters(address(columns.as_ptr().cast())),
            matrix: DeviceAddress::new(address(matrix.as_ptr().cast())),
            reaches: DeviceAddress::new(address(reached.as_mut_ptr().cast())),
            cursors: DeviceAddress::new(address(cursors.as_mut_ptr().cast())),
            sources: DeviceAddress::new(address(sources.as_mut_ptr().cast())),
            runs: DeviceAddress::new(address(run_room.as_mut_ptr().cast())),
            source_words: room,
            side_count: self.sides.len() as u32,
            ring_slots: width,
            run_capacity: runs as u32,
            gap_first: self.scoring.gap_open + self.scoring.gap_extend,
            gap_more: self.scoring.gap_extend,
            padding: 0,
        };
        let kernel = KERNELS.kernel(name).expect("it is exported");
        let launch = Launch::new(blocks, 32).shared(u64::from(width) * 128);
        // SAFETY: the parameters have the addresses of arrays as long as the kernels' contracts ask for.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        assert_eq!(reached.pop(), Some(POISON), "a side too many");
        let of = |reached: &SideReach| {
            reached.fits().then(|| (reached.extension(), reached.script(&run_room)))
        };
        reached.iter().map(of).collect()
    }

    fn check(&self, case: &str) {
        let scores = self.expected::<false>();
        let traces = self.expected::<true>();
        assert_eq!(self.found::<false>(2, 1024, 0, 0), scores, "{case}");
        let most = self.sides.iter().map(|side| side.rows).max().unwrap_or(0);
        let room = source_words(most, 1024);
        assert_eq!(self.found::<true>(1, 1024, room, 10_000), traces, "{case}");
        // With less memory, sides that fit reach as far, and the others are marked.
        assert!(are_some_of(&self.framed(1), &scores), "{case}");
        assert!(are_some_of(&self.found::<false>(1, 64, 0, 0), &scores), "{case}");
        let few = self.found::<true>(1, 64, source_words(most / 2, 64), 50);
        assert!(are_some_of(&few, &traces), "{case}");
    }
}

/// Whether the sides that fit reach as far as in `all`.
fn are_some_of(few: &Reaches, all: &Reaches) -> bool {
    few.len() == all.len() && few.iter().zip(all).all(|(few, all)| few.is_none() || few == all)
}

/// A sequence that is similar to another.
fn relative(random: &mut Rng, one: &[u8], letters: u8) -> Vec<u8> {
    let mut other = Vec::new();
    for &letter in one {
        match random.u8(..24) {
            0 => {}
            1 => other.extend([random.u8(..letters), letter]),
            2 => other.push(random.u8(..letters)),
            3 if random.u8(..4) == 0 => {
                other.extend((0..random.u8(..20)).map(|_| letter % letters));
            }
            _ => other.push(letter),
        }
    }
    other
}

/// Two texts of related sequences, and sides at random places of them.
fn case(random: &mut Rng, length: usize, count: usize) -> Case {
    let scoring = [(2, -3, 5, 2), (1, -2, 2, 1), (1, -1, 3, 2), (2, -3, 20, 9)][random.usize(..4)];
    let (reward, penalty, gap_open, gap_extend) = scoring;
    let scoring = Scoring { reward, penalty, gap_open, gap_extend };
    let rows: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
    let mut columns = relative(random, &rows, 4);
    if length == 0 {
        columns.clear();
    }
    for _ in 0..columns.len() / 30 {
        let place = random.usize(..columns.len());
        columns[place] = random.u8(4..15);
    }
    let drops = [5, 12, 33, 110].map(|drop: i32| drop.max(gap_open + gap_extend));
    let sides = random_sides(random, (rows.len(), columns.len()), count, drops);
    Case { scoring, rows, columns, sides }
}

#[test]
fn random_sides_go_as_far_as_on_the_cpu() {
    let (mut long, mut gaps) = (0, 0);
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let length = random.usize(..700);
        let case = case(&mut random, length, 70);
        case.check(&format!("seed {seed}"));
        for (found, script) in case.expected::<true>().into_iter().flatten() {
            long += usize::from(found.score > 50);
            gaps += script.ops().len() / 2;
        }
    }
    assert!(long > 100 && gaps > 200, "{long} long, {gaps} gaps");
}

#[test]
fn sides_end_where_groups_of_columns_do() {
    for seed in 300..306 {
        let mut random = Rng::with_seed(seed);
        let mut case = case(&mut random, 90, 300);
        case.rows.iter_mut().chain(&mut case.columns).for_each(|letter| {
            if random.u8(..3) > 0 {
                *letter = 0;
            }
        });
        for side in &mut case.sides {
            side.columns = side.columns.min(8 * random.u32(1..6) - random.u32(..2));
        }
        case.check(&format!("seed {seed}"));
    }
}

#[test]
fn the_greatest_scores_stay_within_their_bits() {
    for seed in 200..206 {
        let mut random = Rng::with_seed(seed);
        let mut case = case(&mut random, 300, 40);
        case.scoring = Scoring { reward: 999, penalty: -999, gap_open: 1_700, gap_extend: 300 };
        case.sides.iter_mut().for_each(|side| side.x_drop = 8_000);
        case.check(&format!("seed {seed}"));
    }
}

#[test]
fn rows_may_have_ambiguous_letters_if_columns_are_wanted() {
    for seed in 100..106 {
        let mut random = Rng::with_seed(seed);
        let mut case = case(&mut random, 300, 40);
        for _ in 0..10 {
            let place = random.usize(..300);
            case.rows[place] = random.u8(4..15);
        }
        let room = source_words(300, 512);
        assert_eq!(case.found::<true>(2, 512, room, 9_000), case.expected::<true>(), "seed {seed}");
    }
}

#[test]
fn none_the_shortest_and_long_ones() {
    let mut random = Rng::with_seed(5);
    case(&mut random, 0, 0).check("no sides");
    case(&mut random, 0, 3).check("no letters");
    case(&mut random, 1, 5).check("one letter");
    // The score rises so far that the base of the cells has to follow it, more than once.
    let mut long = case(&mut random, 25_000, 0);
    long.columns.clone_from(&long.rows);
    long.scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
    for reverse in [0, 1] {
        let at = if reverse == 1 { 25_000 } else { 0 };
        let letters = 25_000;
        let side = ExtensionSide {
            rows: letters,
            columns: letters,
            reverse,
            x_drop: 33,
            row_at: at,
            column_at: at,
        };
        long.sides.push(side);
    }
    long.check("long");
    assert_eq!(long.expected::<false>()[0].as_ref().map(|found| found.0.score), Some(50_000));
}

#[test]
fn frames_have_most_sides() {
    let (mut sides, mut left) = (0, 0);
    for seed in 400..404 {
        let mut random = Rng::with_seed(seed);
        let mut case = case(&mut random, 1_500, 200);
        case.scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
        case.columns.iter_mut().for_each(|letter| *letter %= 4);
        case.sides.iter_mut().for_each(|side| side.x_drop = 33);
        sides += case.sides.len();
        let (framed, expected) = (case.framed(2), case.expected::<false>());
        left += framed.iter().filter(|framed| framed.is_none()).count();
        assert!(are_some_of(&framed, &expected), "seed {seed}");
    }
    assert!(left * 5 < sides, "{left} of {sides} left");
}

#[test]
fn frames_follow_diagonals() {
    let mut random = Rng::with_seed(500);
    let bases: Vec<u8> = (0..2_000).map(|_| random.u8(..4)).collect();
    // Each 50th letter is missing; some others differ.
    let fewer = bases.iter().enumerate().filter(|(place, _)| place % 50 != 49);
    let fewer = fewer.map(|(place, base)| if place % 31 == 7 { base ^ 1 } else { *base });
    let fewer: Vec<u8> = fewer.collect();
    for (rows, columns) in [(bases.clone(), fewer.clone()), (fewer, bases)] {
        let lengths = [rows.len(), columns.len()].map(|length| length as u32);
        let side = |reverse: u32| ExtensionSide {
            row_at: u64::from(reverse * lengths[0]),
            column_at: u64::from(reverse * lengths[1]),
            rows: lengths[0],
            columns: lengths[1],
            x_drop: 33,
            reverse,
        };
        let scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
        let case = Case { scoring, rows, columns, sides: vec![side(0), side(1)] };
        let expected = case.expected::<false>();
        assert_eq!(case.framed(1), expected);
        for (found, _) in expected.into_iter().flatten() {
            assert!(found.rows.abs_diff(found.columns) > 35, "{found:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let mut random = Rng::with_seed(6);
    let mut case = case(&mut random, 400, 1);
    case.columns.clone_from(&case.rows);
    case.scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
    case.sides[0] =
        ExtensionSide { row_at: 0, column_at: 0, rows: 400, columns: 400, x_drop: 110, reverse: 0 };
    let room = source_words(400, 256);
    assert!(case.found::<true>(1, 256, room, 1)[0].is_some());
    assert_eq!(case.found::<true>(1, 256, room - 1, 1), [None], "rows");
    assert_eq!(case.found::<true>(1, 64, room, 1), [None], "columns");
    assert_eq!(case.found::<true>(1, 256, room, 0), [None], "runs");
    assert_eq!(case.found::<false>(1, 64, 0, 0), [None], "columns");
    assert_eq!(NO_ROOM, u32::MAX);
}
