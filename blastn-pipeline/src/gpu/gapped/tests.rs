//! Alignments that are put together from sides equal those of the CPU's search.
#![allow(clippy::expect_used)] // A failure is the test's.

use std::sync::Arc;

use aligner_core::buffer_pool::BufferPool;

use super::left_right as sides;
use super::parameters::{ExtensionSide, NO_ROOM, SideReach, TracedSides, reachable_rows};
use super::text::{text, text_of_part};
use crate::database::{Builder, Database};
use crate::gapped::affine::{self, AffineBuffers};
use crate::gapped::edit_script::{EditOp, EditScript};
use crate::gapped::{self, GappedAlignment, greedy, side};
use crate::gpu::parts::DatabaseParts;
use crate::options::{BlastTask, SearchOptions};
use crate::query::batch::QueryBatch;
use crate::scoring::{ScoreMatrix, Scoring};
use crate::search::preliminary::PreliminarySearch;
use crate::search::traceback::{self, AlignmentStart};
use crate::seed::lookup::Lookup;
use crate::sequence::fasta::FastaRecord;
use crate::statistics::DatabaseSize;
use crate::ungapped::extension::ByteScoreTable;

/// The value of [`ExtensionSide::reverse`] of sides that are extended to the left.
const REVERSE: u32 = 1;

/// Of this many sides, one is answered as if it did not fit into the device's memory.
const SIDES_PER_MISS: usize = 50;

/// Letters of a side, read from a text as [`text()`] makes it: 4 bits each, behind a first word that has none.
fn letters(text: &[u32], at: u64, count: u32, reverse: u32) -> Vec<u8> {
    let first = if reverse == REVERSE { at - u64::from(count) } else { at };
    let letter = |index: u64| (text[1 + index as usize / 8] >> (28 - 4 * (index % 8)) & 15) as u8;
    (first..first + u64::from(count)).map(letter).collect()
}

/// The reaches of sides with affine gap costs, as a device would write them; one of [`SIDES_PER_MISS`] does
/// not fit into memory.
fn answer(
    batch: &QueryBatch,
    options: &SearchOptions,
    (rows, columns): (&[u32], &[u32]),
    sides: &[ExtensionSide],
    is_traced: bool,
) -> TracedSides {
    let (mut answers, mut work) = (TracedSides::default(), AffineBuffers::default());
    for (number, side) in sides.iter().enumerate() {
        let rows = letters(rows, side.row_at, side.rows, side.reverse);
        let columns = letters(columns, side.column_at, side.columns, side.reverse);
        let at = |letters: &[u8]| if side.reverse == REVERSE { letters.len() } else { 0 };
        let one = side::SequenceSide { letters: &rows, at: at(&rows) };
        let other = side::SequenceSide { letters: &columns, at: at(&columns) };
        let (scoring, matrix, x_drop) = (&options.scoring, &batch.matrix, side.x_drop);
        let sides = affine::SidePair { rows: one, columns: other, scoring, matrix, x_drop };
        let found = if side.reverse == REVERSE {
            affine::extend::<true, true>(&sides, &mut work)
        } else {
            affine::extend::<false, true>(&sides, &mut work)
        };
        let has_columns = is_traced && found.rows > 0;
        let script =
            if has_columns { affine::script(&work, &found) } else { EditScript::default() };
        let (rows, columns) = (found.rows as u32, found.columns as u32);
        let reached = SideReach { score: found.score, rows, columns, ..SideReach::default() };
        add(&mut answers, reached, &script, number);
    }
    answers
}

/// Adds a side's reach, with its columns.
fn add(answers: &mut TracedSides, reached: SideReach, script: &EditScript, number: usize) {
    let run = |&(op, columns): &(EditOp, i32)| {
        let op =
            [EditOp::Pair, EditOp::Insertion, EditOp::Deletion].iter().position(|&one| one == op);
        (columns as u32) << 2 | op.unwrap_or_default() as u32
    };
    let first_run = answers.runs.len() as u32;
    answers.runs.extend(script.ops().iter().map(run));
    let runs =
        if number % SIDES_PER_MISS == 9 { NO_ROOM } else { answers.runs.len() as u32 - first_run };
    answers.reaches.push(SideReach { first_run, runs, ..reached });
}

/// Extends sides greedily, and makes something of each; rows are letters of the subject.
fn greedy_sides<T>(
    options: &SearchOptions,
    (rows, columns): (&[u32], &[u32]),
    sides: &[ExtensionSide],
    mut make: impl FnMut(usize, greedy::GreedyReach, &greedy::GreedyBuffers) -> T,
) -> Vec<T> {
    let mut work = greedy::GreedyBuffers::default();
    let of_side = |(number, side): (usize, &ExtensionSide)| {
        let subject = letters(rows, side.row_at, side.rows, side.reverse);
        let query = letters(columns, side.column_at, side.columns, side.reverse);
        let at = |letters: &[u8]| if side.reverse == REVERSE { letters.len() } else { 0 };
        let one = side::SequenceSide { letters: &query, at: at(&query) };
        let other = side::SequenceSide { letters: &subject, at: at(&subject) };
        let (scoring, drop) = (&options.scoring, side.x_drop);
        let found = if side.reverse == REVERSE {
            greedy::extend::<true, true>(one, other, scoring, drop, &mut work)
        } else {
            greedy::extend::<false, true>(one, other, scoring, drop, &mut work)
        };
        make(number, found, &work)
    };
    sides.iter().enumerate().map(of_side).collect()
}

/// The reaches of greedy sides, as a device would write them.
fn greedy_traces(
    options: &SearchOptions,
    texts: (&[u32], &[u32]),
    sides: &[ExtensionSide],
) -> TracedSides {
    let mut answers = TracedSides::default();
    greedy_sides(options, texts, sides, |number, found, work| {
        let greedy::GreedyReach { differences: score, query, subject, .. } = found;
        let (rows, columns) = (subject as u32, query as u32);
        let reached = SideReach { score, rows, columns, ..SideReach::default() };
        add(&mut answers, reached, &greedy::script(work, &found), number);
    });
    answers
}

fn mutated(random: &mut fastrand::Rng, letters: &[u8]) -> Vec<u8> {
    let mut other = Vec::new();
    for &letter in letters {
        match random.u8(..50) {
            0 => {}
            1 => other.extend([random.u8(..4), letter]),
            2 | 3 => other.push(random.u8(..4)),
            4 => other.push(random.u8(4..15)),
            _ => other.push(letter),
        }
    }
    other
}

fn record(letters: Vec<u8>) -> FastaRecord {
    FastaRecord { title: "s".to_owned(), letters, ..FastaRecord::default() }
}

/// A few subjects, one of them long, with copies of parts of queries.
fn sequences(random: &mut fastrand::Rng) -> (Vec<FastaRecord>, Database) {
    let queries: Vec<FastaRecord> = (0..3)
        .map(|_| record((0..random.usize(60..500)).map(|_| random.u8(..4)).collect()))
        .collect();
    let mut builder = Builder::default();
    for length in [300, 2_000, 1, 95_000] {
        let mut subject: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
        for _ in 0..length.min(4_000) / 200 {
            let query = &queries[random.usize(..3)].letters;
            let from = random.usize(..query.len() - 40);
            let mut part = mutated(random, &query[from..]);
            if random.bool() {
                part = part
                    .iter()
                    .rev()
                    .map(|&letter| crate::sequence::alphabet::complement(letter))
                    .collect();
            }
            part.truncate(length);
            let to = random.usize(..=length - part.len());
            subject[to..to + part.len()].copy_from_slice(&part);
        }
        builder.add(&record(subject));
    }
    (queries, builder.finish("subjects", 0))
}

#[test]
fn answers_become_what_the_cpu_finds() {
    let (mut found, mut columns, mut greedy) = (0, 0, 0);
    for seed in 0..8 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (queries, database) = sequences(&mut random);
        let mut options = SearchOptions::new(BlastTask::Blastn);
        if seed % 4 == 3 {
            options = SearchOptions { word_size: 12, ..SearchOptions::new(BlastTask::Megablast) };
        }
        let extent = DatabaseSize { letters: database.letters(), sequences: database.len() };
        let batch = Arc::new(QueryBatch::new(&queries, &options, extent));
        let (lookup, fours) =
            (Lookup::new(&batch, options.word_size), ByteScoreTable::new(&options));
        let search = PreliminarySearch {
            batch: &batch,
            lookup: &lookup,
            options: &options,
            byte_scores: &fours,
            handover: None,
        };
        let parts = DatabaseParts::new(&database, u64::MAX);
        let part = &parts.all()[0];
        let letters = text_of_part(&database, part);
        let of_queries = text(&batch.letters);
        for number in 0..database.len() {
            let subject = database.subject(number);
            let cpu = search.subject(&subject, &BufferPool::default());
            for (_, hsps) in &cpu.by_query {
                let begins = traceback::alignment_starts(&batch, &options, &subject, hsps);
                let begins: Vec<&AlignmentStart> = begins.iter().collect();
                let planned = sides::of_begins((&database, 0), &batch, &options, &begins);
                let (of_queries, letters) = (of_queries.as_slice(), letters.as_slice());
                let traced: Vec<Option<GappedAlignment>> = if options.is_greedy {
                    let answers = greedy_traces(&options, (letters, of_queries), &planned.sides);
                    planned.greedily_traced(&database, &batch, &options, &begins, &answers)
                } else {
                    let texts = (of_queries, letters);
                    let answers = answer(&batch, &options, texts, &planned.sides, true);
                    planned.traced(&options.scoring, &begins, &answers)
                };
                greedy += traced.iter().flatten().filter(|_| options.is_greedy).count();
                let mut work = gapped::GappedBuffers::default();
                let mut align = |ready: Option<&[Option<GappedAlignment>]>| {
                    traceback::align(&batch, &options, &subject, hsps, ready, &mut work)
                };
                let cpu = align(None);
                assert_eq!(cpu, align(Some(&traced)), "seed {seed}, subject {number}");
                found += cpu.len();
                columns += cpu.iter().map(|hsp| hsp.script.ops().len()).sum::<usize>();
            }
        }
    }
    assert!(found > 60 && columns > 3 * found, "{found} alignments, {columns} runs");
    assert!(greedy > 10, "{greedy} greedy alignments");
}

#[test]
fn no_extension_reaches_more_rows_than_its_columns_allow() {
    let (mut beyond_columns, mut most) = (0, 0.0_f64);
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let scoring = Scoring {
            reward: random.i32(1..6),
            penalty: -random.i32(1..6),
            gap_open: random.i32(0..4),
            gap_extend: random.i32(0..4),
        };
        let x_drop = (scoring.gap_open + scoring.gap_extend).max(random.i32(0..60));
        // Most columns are followed by some rows that have to be skipped, and all by many more rows.
        let columns: Vec<u8> = (0..random.usize(1..120)).map(|_| random.u8(..4)).collect();
        let skipped = random.usize(0..4);
        let mut rows: Vec<u8> = Vec::new();
        for &letter in &columns {
            rows.push(letter);
            rows.extend((0..random.usize(..=skipped)).map(|_| random.u8(..4)));
        }
        rows.extend((0..1_000).map(|_| random.u8(..4)));
        let bound = reachable_rows(&scoring, columns.len(), x_drop);
        let matrix = ScoreMatrix::new(&scoring);
        let extended = |rows: &[u8]| {
            let one = side::SequenceSide { letters: rows, at: 0 };
            let other = side::SequenceSide { letters: &columns, at: 0 };
            let (scoring, matrix) = (&scoring, &matrix);
            let sides = affine::SidePair { rows: one, columns: other, scoring, matrix, x_drop };
            let mut work = AffineBuffers::default();
            let found = affine::extend::<false, true>(&sides, &mut work);
            (found.score, found.rows, found.columns, affine::script(&work, &found))
        };
        let all = extended(&rows);
        assert!(all.1 <= bound, "seed {seed}");
        assert_eq!(extended(&rows[..rows.len().min(bound)]), all, "seed {seed}");
        beyond_columns += usize::from(all.1 > columns.len());
        most = most.max(all.1 as f64 / bound as f64);
    }
    assert!(beyond_columns > 40 && most > 0.8, "{beyond_columns} of 200, {most} of the bound");
}
