//! The kernels of nw-batch for edit distances and with full matrices, run on the CPU.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fastrand::Rng;
use nw_batch::bias::Bias;
use nw_batch::gpu::edit::{self, EditKernel};
use nw_batch::gpu::full::{self, Full, Matrices, SECTION, TILE};
use nw_batch::gpu::model::{Model, table};
use nw_batch::{Batch, Scoring, cpu};
use simt::{Argument, Launch, Module};

use crate::nw_common::{Pairs, mutated, pair, scorings, sequence};

static EDIT: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "edit").expect("the build made it"));
static FULL: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "full").expect("the build made it"));

const POISON: i32 = -559_038_737;

fn scoring(name: &str) -> Scoring {
    let named = scorings().into_iter().find(|(other, _)| *other == name);
    named.expect("there is one of this name").1
}

/// Compares the distances of a batch with the CPU engine's scores; gives the kernels that ran.
fn check_edit(case: &str, batch: Batch<'_>) -> BTreeSet<EditKernel> {
    let expected = cpu::scores(&scoring("edit distance"), batch);
    let (work, left) = edit::plan(batch);
    let mut scores = vec![POISON; batch.pairs.len()];
    for work in &work {
        let threads = 64;
        let groups = (threads / work.kernel.lanes) as usize;
        let mut rooms = vec![0xEE_u8; groups * work.row_bytes as usize];
        let mut next = [0_u32];
        let arguments = [
            Argument::input(batch.pairs),
            Argument::input(&work.order),
            Argument::value(work.tasks()),
            Argument::input(batch.queries.all_codes()),
            Argument::input(batch.queries.offsets()),
            Argument::input(batch.targets.all_codes()),
            Argument::input(batch.targets.offsets()),
            Argument::output(&mut next),
            Argument::output(&mut rooms),
            Argument::value(work.row_bytes),
            Argument::output(&mut scores),
        ];
        let kernel = EDIT.kernel(&work.kernel.name()).expect("it is exported");
        // SAFETY: the arguments are those of the kernel, with the lengths its contract asks for.
        unsafe { kernel.launch(&Launch::new(1, threads), &arguments) }.expect("it runs");
    }
    for (place, (score, expected)) in scores.into_iter().zip(expected).enumerate() {
        let (m, n) = batch.lengths(place as u32);
        assert_eq!(left.contains(&place), m == 0 || n == 0, "{case}, pair {place}");
        let expected = if m == 0 || n == 0 { POISON } else { expected };
        assert_eq!(score, expected, "{case}, pair {place}");
    }
    work.iter().map(|work| work.kernel).collect()
}

#[test]
fn edit_distances() {
    let mut used = BTreeSet::new();
    for seed in 0..6 {
        let mut random = Rng::with_seed(seed);
        let codes = 4 + (seed as u8 % 2);
        let mut all: Vec<_> =
            (0..9).map(|_| pair(&mut random, codes, [2, 40, 200][seed as usize % 3])).collect();
        for rows in [31, 32, 33, 257, 600, 1100, 1500, 2000, 4097] {
            let query = sequence(&mut random, codes, rows);
            let target = mutated(&mut random, codes, &query[..rows.min(60)], 9);
            all.push((query, target));
        }
        used.append(&mut check_edit(&format!("seed {seed}"), Pairs::new(&all).batch()));
    }
    assert_eq!(used, edit::KERNELS.into_iter().collect());
    check_edit("none", Pairs::new(&[]).batch());
}

/// Runs the launches of `full.cu` for one part of a batch; gives the scores and the matrices.
fn fill(
    scoring: &Scoring,
    batch: Batch<'_>,
    kernel: Full,
    part: &Matrices,
) -> (Vec<i32>, Vec<i32>) {
    let bias = Bias::wide(scoring);
    let model = [Model::new(scoring, &bias)];
    let table = table(scoring, &bias);
    let count = part.places.len() as u32;
    let mut matrices = vec![POISON; part.values as usize];
    let mut scores = vec![POISON; count as usize];
    let launch = |name: &str, shape: Launch, arguments: &[Argument<'_>]| {
        let kernel = FULL.kernel(name).expect("it is exported");
        // SAFETY: the callers pass the kernel's own arguments, and matrices with room for all.
        unsafe { kernel.launch(&shape, arguments) }.expect("it runs");
    };
    launch(
        "nw_borders",
        Launch::new(2, 32),
        &[
            Argument::input(&model),
            Argument::input(&part.places),
            Argument::value(count),
            Argument::input(&part.starts),
            Argument::output(&mut matrices),
        ],
    );
    let mut run = |name: &str, shape: Launch, own: &[u32]| {
        let mut arguments = vec![Argument::input(&model), Argument::input(&part.places)];
        arguments.extend(own.iter().map(|&number| Argument::value(number)));
        arguments.extend([
            Argument::input(batch.queries.all_codes()),
            Argument::input(batch.targets.all_codes()),
            Argument::input(&table),
            Argument::input(&part.starts),
            Argument::output(&mut matrices),
        ]);
        launch(name, shape, &arguments);
    };
    match kernel {
        Full::Rodinia | Full::TiledDscan => {
            for tiles in part.tiles(kernel == Full::TiledDscan) {
                let shape = Launch::new(tiles.count * tiles.tiles, TILE);
                run("nw_tiles", shape, &[tiles.first, tiles.count, tiles.tiles, tiles.diagonal]);
            }
        }
        Full::Dscan => {
            // Short strips, so that there are several.
            let strip = part.strip().min(40);
            let shape = Launch::new(2, 64).shared(16 * u64::from(strip + 1));
            run("nw_dscan", shape, &[count, strip]);
        }
        Full::Rscan => {
            run("nw_rscan", Launch::new(count.div_ceil(SECTION), SECTION), &[count]);
        }
    }
    launch(
        "nw_corners",
        Launch::new(1, 32),
        &[
            Argument::input(&part.places),
            Argument::value(count),
            Argument::input(&part.starts),
            Argument::input(&matrices),
            Argument::output(&mut scores),
        ],
    );
    (scores, matrices)
}

/// The matrix of a pair, row by row, as the recurrence says.
fn matrix(scoring: &Scoring, query: &[u8], target: &[u8]) -> Vec<Vec<i32>> {
    let gap = scoring.gaps().extend;
    let border = |length: usize| -(length as i32) * gap;
    let mut rows = vec![(0..=target.len()).map(border).collect::<Vec<i32>>()];
    for (i, &code) in query.iter().enumerate() {
        let above = &rows[i];
        let mut row = vec![border(i + 1)];
        for (j, &other) in target.iter().enumerate() {
            let pair = above[j] + scoring.pair(code, other);
            row.push(pair.max(above[j + 1] - gap).max(row[j] - gap));
        }
        rows.push(row);
    }
    rows
}

#[test]
fn full_matrices() {
    for name in ["linear", "edit distance", "longest common subsequence", "NUC.4.4"] {
        let scoring = scoring(name);
        for seed in 0..3 {
            let mut random = Rng::with_seed(seed);
            let longest = [5, 34, 100][seed as usize];
            let all: Vec<_> = (0..35).map(|_| pair(&mut random, 5, longest)).collect();
            let pairs = Pairs::new(&all);
            let batch = pairs.batch();
            let expected = cpu::scores(&scoring, batch);
            for kernel in [Full::Rodinia, Full::TiledDscan, Full::Dscan, Full::Rscan] {
                let (parts, left) = full::divide(batch, 60_000);
                let planned: usize = parts.iter().map(|part| part.pairs.len()).sum();
                assert_eq!(planned + left.len(), batch.pairs.len());
                for part in &parts {
                    let (scores, matrices) = fill(&scoring, batch, kernel, part);
                    for (at, (&number, score)) in part.pairs.iter().zip(scores).enumerate() {
                        let case = format!("{kernel:?}, {name}, seed {seed}, pair {number}");
                        assert_eq!(score, expected[number], "{case}");
                        let (query, target) = batch.sequences(batch.pairs[number]);
                        let rows = matrices[part.starts[at] as usize..]
                            .chunks(full::pitch(target.len() as u32) as usize);
                        for (i, (row, right)) in
                            rows.zip(matrix(&scoring, query, target)).enumerate()
                        {
                            assert_eq!(row[..right.len()], right, "{case}, row {i}");
                        }
                    }
                }
            }
        }
    }
}
