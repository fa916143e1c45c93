//! Scores of `edit.cu`, and scores and matrices of `full.cu`, are those of the CPU engine and of plain code.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aligner_core::gpu::DeviceStruct;
use fastrand::Rng;
use nw_batch::gpu::plan::edit::{self, EditKernel, plan_edit_launches};
use nw_batch::gpu::plan::full_matrix::{
    self, FullMatrixKernel, MatrixGroup, SECTION, TILE, matrix_groups,
};
use nw_batch::gpu::structs::{
    DscanParameters, EditParameters, MatrixGroupParameters, TilesParameters, biased_table,
};
use nw_batch::scoring::bias::ScoreBias;
use nw_batch::{PairBatch, Scoring, cpu};
use simt::{Argument, Launch, Module};

use crate::addresses::{device_sequences, input, output};
use crate::common::{Pairs, mutated, pair, scorings, sequence};

static EDIT: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "edit").expect("the build made it"));
static FULL: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "full").expect("the build made it"));

const POISON: i32 = -559_038_737;

fn scoring(name: &str) -> Scoring {
    let named = scorings().into_iter().find(|(other, _)| *other == name);
    named.expect("there is one of this name").1
}

/// Compares the distances of a batch with the CPU engine's scores; returns the kernels that ran.
fn check_edit(case: &str, batch: PairBatch<'_>) -> BTreeSet<EditKernel> {
    let expected = cpu::scores(&scoring("edit distance"), batch);
    let (launches, long, left) = plan_edit_launches(batch, u64::MAX);
    assert!(long.is_empty(), "{case}");
    let mut scores = vec![POISON; batch.pairs.len()];
    for launch in &launches {
        let threads = 64;
        let groups = (threads / launch.kernel.lanes) as usize;
        let mut strip_rows = vec![0xEE_u8; groups * launch.row_bytes as usize];
        let mut next_task = [0_u32];
        let parameters = EditParameters {
            sequences: device_sequences(batch),
            pairs: input(batch.pairs),
            order: input(&launch.order),
            next_task: output(&mut next_task),
            strip_rows: output(&mut strip_rows),
            scores: output(&mut scores),
            tasks: launch.tasks(),
            row_bytes: launch.row_bytes,
        };
        let kernel = EDIT.kernel(&launch.kernel.name()).expect("it is exported");
        // SAFETY: the parameters are those of the kernel, with the lengths its contract asks for.
        unsafe { kernel.launch(&Launch::new(1, threads), &[Argument::value(parameters)]) }
            .expect("it runs");
    }
    for (place, (score, expected)) in scores.into_iter().zip(expected).enumerate() {
        let (m, n) = batch.lengths(place as u32);
        assert_eq!(left.contains(&place), m == 0 || n == 0, "{case}, pair {place}");
        let expected = if m == 0 || n == 0 { POISON } else { expected };
        assert_eq!(score, expected, "{case}, pair {place}");
    }
    launches.iter().map(|launch| launch.kernel).collect()
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

/// Launches a kernel of `full.cu`.
fn launch<P: DeviceStruct>(name: &str, size: &Launch, parameters: P) {
    let kernel = FULL.kernel(name).expect("it is exported");
    // SAFETY: the callers pass the kernel's own parameters, and matrices with room for all.
    unsafe { kernel.launch(size, &[Argument::value(parameters)]) }.expect("it runs");
}

/// Runs the launches of `full.cu` for one group of pairs; returns the scores and the matrices.
fn fill(
    scoring: &Scoring,
    batch: PairBatch<'_>,
    kernel: FullMatrixKernel,
    group: &MatrixGroup,
) -> (Vec<i32>, Vec<i32>) {
    let bias = ScoreBias::wide(scoring);
    let table = biased_table(scoring, &bias);
    let count = group.spans.len() as u32;
    let mut matrices = vec![POISON; group.values as usize];
    let mut scores = vec![POISON; count as usize];
    let parameters = MatrixGroupParameters {
        queries: input(batch.queries.all_codes()),
        targets: input(batch.targets.all_codes()),
        table: input(&table),
        spans: input(&group.spans),
        starts: input(&group.starts),
        matrices: output(&mut matrices),
        scores: output(&mut scores),
        count,
        gap: bias.extend as u32,
    };
    launch("nw_borders", &Launch::new(2, 32), parameters);
    match kernel {
        FullMatrixKernel::Rodinia | FullMatrixKernel::TiledDscan => {
            for tiles in group.tile_launches(kernel == FullMatrixKernel::TiledDscan) {
                let size = Launch::new(tiles.count * tiles.tiles, TILE);
                let parameters = TilesParameters {
                    group: parameters,
                    first: tiles.first,
                    count: tiles.count,
                    tiles: tiles.tiles,
                    diagonal: tiles.diagonal,
                };
                launch("nw_tiles", &size, parameters);
            }
        }
        FullMatrixKernel::Dscan => {
            // Short strips, so that there are several.
            let strip = group.strip().min(40);
            let size = Launch::new(2, 64).shared(16 * u64::from(strip + 1));
            launch("nw_dscan", &size, DscanParameters { group: parameters, strip, padding: 0 });
        }
        FullMatrixKernel::Rscan => {
            launch("nw_rscan", &Launch::new(count.div_ceil(SECTION), SECTION), parameters);
        }
    }
    launch("nw_corners", &Launch::new(1, 32), parameters);
    (scores, matrices)
}

/// Matrix of a pair, row by row, by the plain recurrence.
fn matrix(scoring: &Scoring, query: &[u8], target: &[u8]) -> Vec<Vec<i32>> {
    let gap = scoring.gaps().extend;
    let border = |length: usize| -(length as i32) * gap;
    let mut rows = vec![(0..=target.len()).map(border).collect::<Vec<i32>>()];
    for (i, &code) in query.iter().enumerate() {
        let above = &rows[i];
        let mut row = vec![border(i + 1)];
        for (j, &other) in target.iter().enumerate() {
            let pair = above[j] + scoring.pair_score(code, other);
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
            for kernel in [
                FullMatrixKernel::Rodinia,
                FullMatrixKernel::TiledDscan,
                FullMatrixKernel::Dscan,
                FullMatrixKernel::Rscan,
            ] {
                let (parts, left) = matrix_groups(batch, 60_000);
                let planned: usize = parts.iter().map(|part| part.pairs.len()).sum();
                assert_eq!(planned + left.len(), batch.pairs.len());
                for part in &parts {
                    let (scores, matrices) = fill(&scoring, batch, kernel, part);
                    for (at, (&number, score)) in part.pairs.iter().zip(scores).enumerate() {
                        let case = format!("{kernel:?}, {name}, seed {seed}, pair {number}");
                        assert_eq!(score, expected[number], "{case}");
                        let (query, target) = batch.sequences(batch.pairs[number]);
                        let rows = matrices[part.starts[at] as usize..]
                            .chunks(full_matrix::pitch(target.len() as u32) as usize);
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
