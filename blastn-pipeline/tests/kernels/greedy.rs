//! Kernels of greedy extensions, run by the SIMT shim, reach as far as the CPU's code.
// Launching a kernel is unsafe; the launch passes what the kernel takes.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use aligner_core::gpu::DeviceAddress;
use blastn_pipeline::gapped::edit_script::EditScript;
use blastn_pipeline::gapped::greedy::{self, GreedyBuffers};
use blastn_pipeline::gpu::gapped::parameters::{
    ExtensionSide, GreedyParameters, GreedyScores, GreedySideReach, GreedyTraceParameters,
    NO_FRONT, NO_ROOM, SideReach, greedy_source_words,
};
use blastn_pipeline::gpu::gapped::text::{first_letters, text};
use blastn_pipeline::gpu::pipeline::tables::{first_bases, packed_words};
use blastn_pipeline::scoring::Scoring;
use fastrand::Rng;
use simt::{Argument, Launch};

use crate::gapped_common::{self, KERNELS, SideLetters, address, packed, random_sides};

const POISON: GreedySideReach = GreedySideReach {
    differences: 77,
    query: 0xDEAD,
    subject: 0xBEEF,
    run_query: 5,
    run_subject: 5,
    run_length: 5,
};

/// Differences, letters of the subject and the query, and columns of each side; nothing if it did not fit into memory.
type Traced = Vec<Option<(i32, u32, u32, EditScript)>>;

/// Two texts with sides in them.
struct Case {
    scoring: Scoring,
    subject: Vec<u8>,
    query: Vec<u8>,
    sides: Vec<ExtensionSide>,
}

impl Case {
    /// Extends each side by the CPU's code.
    fn made<T>(&self, of_side: impl Fn(greedy::GreedyReach, &GreedyBuffers) -> T) -> Vec<T> {
        let mut work = GreedyBuffers::default();
        let of = |side: &ExtensionSide| {
            let letters = SideLetters::new(side, &self.subject, &self.query);
            let (subject, query) = letters.sides();
            let (scoring, drop) = (&self.scoring, side.x_drop);
            let found = if side.reverse == 1 {
                greedy::extend::<true, true>(query, subject, scoring, drop, &mut work)
            } else {
                greedy::extend::<false, true>(query, subject, scoring, drop, &mut work)
            };
            of_side(found, &work)
        };
        self.sides.iter().map(of).collect()
    }

    fn expected(&self) -> Vec<GreedySideReach> {
        self.made(|found, _| {
            let greedy::GreedyReach { differences, query, subject, run, .. } = found;
            GreedySideReach {
                differences,
                query,
                subject,
                run_query: run.query,
                run_subject: run.subject,
                run_length: run.length,
            }
        })
    }

    fn expected_traces(&self) -> Traced {
        self.made(|found, work| {
            let script = greedy::script(work, &found);
            Some((found.differences, found.subject as u32, found.query as u32, script))
        })
    }

    /// Extends the sides by the kernel with columns; subjects may have ambiguous letters.
    fn traced(&self, blocks: u32, width: u32, room: u64, runs: usize) -> Traced {
        let (subject, query) = (text(&self.subject), text(&self.query));
        let mut reached = vec![gapped_common::POISON; self.sides.len() + 1];
        let mut cursors = [0_u32; 2];
        let mut sources = vec![0xDEAD_BEEF_u32; (32 * blocks as u64 * room) as usize];
        let mut run_room = vec![0xDEAD_BEEF_u32; runs];
        let parameters = GreedyTraceParameters {
            greedy: GreedyParameters {
                sides: DeviceAddress::new(address(self.sides.as_ptr().cast())),
                subject: first_letters(address(subject.as_ptr().cast())),
                query: first_letters(address(query.as_ptr().cast())),
                reaches: DeviceAddress::NULL,
                cursor: DeviceAddress::NULL,
                side_count: self.sides.len() as u32,
                front_slots: width,
                scores: GreedyScores::new(&self.scoring),
                padding: 0,
            },
            reaches: DeviceAddress::new(address(reached.as_mut_ptr().cast())),
            cursors: DeviceAddress::new(address(cursors.as_mut_ptr().cast())),
            sources: DeviceAddress::new(address(sources.as_mut_ptr().cast())),
            runs: DeviceAddress::new(address(run_room.as_mut_ptr().cast())),
            source_words: room,
            run_capacity: runs as u32,
            padding: 0,
        };
        let kernel = KERNELS.kernel("greedy_traces").expect("it is exported");
        let launch = Launch::new(blocks, 32).shared(u64::from(width) * 384);
        // SAFETY: the parameters have the addresses of arrays as long as the kernel's contract asks for.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        assert_eq!(reached.pop(), Some(gapped_common::POISON), "a side too many");
        let of = |reached: &SideReach| {
            let &SideReach { score, rows, columns, .. } = reached;
            reached.fits().then(|| (score, rows, columns, reached.script(&run_room)))
        };
        reached.iter().map(of).collect()
    }

    /// Extends the sides by the kernel for scores alone.
    fn found(&self, blocks: u32, width: u32) -> Vec<GreedySideReach> {
        let (subject, query) = (packed_words(&packed(&self.subject)), text(&self.query));
        let mut reached = vec![POISON; self.sides.len() + 1];
        let mut cursor = [0_u32];
        let parameters = GreedyParameters {
            sides: DeviceAddress::new(address(self.sides.as_ptr().cast())),
            subject: first_bases(address(subject.as_ptr().cast())),
            query: first_letters(address(query.as_ptr().cast())),
            reaches: DeviceAddress::new(address(reached.as_mut_ptr().cast())),
            cursor: DeviceAddress::new(address(cursor.as_mut_ptr().cast())),
            side_count: self.sides.len() as u32,
            front_slots: width,
            scores: GreedyScores::new(&self.scoring),
            padding: 0,
        };
        let kernel = KERNELS.kernel("greedy_scores").expect("it is exported");
        let launch = Launch::new(blocks, 32).shared(u64::from(width) * 384);
        // SAFETY: the parameters have the addresses of arrays as long as the kernel's contract asks for.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        assert_eq!(reached.pop(), Some(POISON), "a side too many");
        reached
    }

    fn check(&self, case: &str) {
        let expected = self.expected();
        assert_eq!(self.found(2, 512), expected, "{case}");
        // With less memory, sides that fit reach as far, and the others are marked.
        let few = self.found(1, 16);
        let fits = |few: &GreedySideReach| few.differences != NO_FRONT;
        assert!(few.iter().zip(&expected).all(|(few, all)| !fits(few) || few == all), "{case}");
        self.check_traces(case);
    }

    fn check_traces(&self, case: &str) {
        let expected = self.expected_traces();
        let most = expected.iter().flatten().map(|side| side.0).max().unwrap_or(0) as u32;
        // The last differences improve no score.
        let room = |differences: u32, width: u32| greedy_source_words(differences + 100, width);
        assert_eq!(self.traced(2, 512, room(most, 512), 100_000), expected, "{case}");
        let few = self.traced(1, 64, room(0, 64), 500);
        assert!(few.iter().zip(&expected).all(|(few, all)| few.is_none() || few == all), "{case}");
    }
}

fn case(random: &mut Rng, length: usize, count: usize) -> Case {
    let (reward, penalty) = [(1, -2), (2, -3), (1, -3), (4, -5)][random.usize(..4)];
    let scoring = Scoring { reward, penalty, gap_open: 0, gap_extend: 0 };
    let subject: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
    let mut query = Vec::new();
    for &letter in &subject {
        match random.u8(..60) {
            0 => {}
            1 => query.extend([random.u8(..4), letter]),
            2 => query.push(random.u8(..4)),
            3 if random.u8(..3) == 0 => query.push(random.u8(4..15)),
            _ => query.push(letter),
        }
    }
    let sides = random_sides(random, (subject.len(), query.len()), count, [3, 16, 40, 72]);
    Case { scoring, subject, query, sides }
}

#[test]
fn random_sides_go_as_far_as_on_the_cpu() {
    let mut differences = 0;
    for seed in 0..30 {
        let mut random = Rng::with_seed(seed);
        let length = random.usize(..900);
        let case = case(&mut random, length, 70);
        case.check(&format!("seed {seed}"));
        differences += case.expected().iter().map(|reached| reached.differences).sum::<i32>();
    }
    assert!(differences > 2_000, "{differences} differences");
}

#[test]
fn subjects_may_have_ambiguous_letters_if_columns_are_wanted() {
    for seed in 100..110 {
        let mut random = Rng::with_seed(seed);
        let mut case = case(&mut random, 500, 50);
        for place in 0..500 {
            if random.u8(..20) == 0 {
                case.subject[place] = random.u8(4..15);
            }
        }
        for letter in &mut case.query {
            *letter = if random.u8(..20) == 0 { 14 } else { *letter };
        }
        case.check_traces(&format!("seed {seed}"));
        let fitting = case.traced(1, 64, greedy_source_words(200, 64), 9_000);
        assert!(fitting.iter().flatten().count() > 20, "seed {seed}");
    }
}

#[test]
fn none_the_shortest_and_long_ones() {
    let mut random = Rng::with_seed(5);
    case(&mut random, 0, 0).check("no sides");
    case(&mut random, 0, 3).check("no letters");
    case(&mut random, 1, 5).check("one letter");
    let mut long = case(&mut random, 60_000, 0);
    for reverse in [0, 1] {
        let (rows, columns) = (long.subject.len() as u32, long.query.len() as u32);
        let at = |letters: u32| if reverse == 1 { u64::from(letters) } else { 0 };
        let (row_at, column_at) = (at(rows), at(columns));
        long.sides.push(ExtensionSide { row_at, column_at, rows, columns, x_drop: 72, reverse });
    }
    long.check("long");
    assert!(long.expected()[0].differences > 1_000);
}

#[test]
fn what_does_not_fit_is_told() {
    let mut random = Rng::with_seed(6);
    let mut case = case(&mut random, 400, 1);
    case.query = (0..400).map(|_| random.u8(..4)).collect();
    case.sides[0] =
        ExtensionSide { rows: 400, columns: 400, x_drop: 72, ..ExtensionSide::default() };
    assert_eq!(case.found(1, 16)[0].differences, NO_FRONT);
    assert_ne!(case.found(1, 256)[0].differences, NO_FRONT);
    // Similar sequences at first, and then not at all.
    case.query = case.subject[..200].to_vec();
    for place in (7..200).step_by(20) {
        case.query.insert(place, case.subject[place]);
    }
    case.query.extend((0..100).map(|_| random.u8(..4)));
    case.sides[0].columns = case.query.len() as u32;
    case.sides[0].x_drop = 200;
    let room = greedy_source_words(800, 256);
    let runs = case.expected_traces()[0].as_ref().map_or(0, |side| side.3.ops().len());
    assert!(runs > 5, "{runs} runs");
    assert!(case.traced(1, 256, room, runs)[0].is_some());
    assert_eq!(case.traced(1, 256, greedy_source_words(5, 256), runs), [None], "differences");
    assert_eq!(case.traced(1, 64, room, runs), [None], "diagonals");
    assert_eq!(case.traced(1, 256, room, runs - 1), [None], "runs");
    assert_eq!(NO_ROOM, u32::MAX);
}
