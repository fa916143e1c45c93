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

/// Counts of the alignments that were compared with those of the CPU's search.
#[derive(Debug, Default)]
struct Compared {
    /// Alignments of the CPU.
    found: usize,
    /// Their runs of columns.
    runs: usize,
    /// Alignments that were put together from sides.
    traced: usize,
    /// The most rows of a side.
    most_rows: u32,
}

/// Puts the alignments of queries with a database together from sides, and compares them with those of the CPU's search.
fn compare(
    options: &SearchOptions,
    (queries, database): (&[FastaRecord], &Database),
    compared: &mut Compared,
) {
    let extent = DatabaseSize { letters: database.letters(), sequences: database.len() };
    let batch = Arc::new(QueryBatch::new(queries, options, extent));
    let (lookup, byte_scores) =
        (Lookup::new(&batch, options.word_size), ByteScoreTable::new(options));
    let search = PreliminarySearch {
        batch: &batch,
        lookup: &lookup,
        options,
        byte_scores: &byte_scores,
        handover: None,
    };
    let parts = DatabaseParts::new(database, u64::MAX);
    let part = &parts.all()[0];
    let letters = text_of_part(database, part);
    let of_queries = text(&batch.letters);
    let (of_queries, letters) = (of_queries.as_slice(), letters.as_slice());
    for number in 0..database.len() {
        let subject = database.subject(number);
        let cpu = search.subject(&subject, &BufferPool::default());
        for (_, hsps) in &cpu.by_query {
            let begins = traceback::alignment_starts(&batch, options, &subject, hsps);
            let begins: Vec<&AlignmentStart> = begins.iter().collect();
            let planned = sides::of_begins((database, 0), &batch, options, &begins);
            let traced: Vec<Option<GappedAlignment>> = if options.is_greedy {
                let answers = greedy_traces(options, (letters, of_queries), &planned.sides);
                planned.greedily_traced(database, &batch, options, &begins, &answers)
            } else {
                let texts = (of_queries, letters);
                let answers = answer(&batch, options, texts, &planned.sides, true);
                planned.traced(&options.scoring, &begins, &answers)
            };
            let mut work = gapped::GappedBuffers::default();
            let mut align = |ready: Option<&[Option<GappedAlignment>]>| {
                traceback::align(&batch, options, &subject, hsps, ready, &mut work)
            };
            let cpu = align(None);
            assert_eq!(cpu, align(Some(&traced)), "subject {number}");
            compared.found += cpu.len();
            compared.runs += cpu.iter().map(|hsp| hsp.script.ops().len()).sum::<usize>();
            compared.traced += traced.iter().flatten().count();
            let rows = planned.sides.iter().map(|side| side.rows);
            compared.most_rows = compared.most_rows.max(rows.max().unwrap_or_default());
        }
    }
}

#[test]
fn answers_become_what_the_cpu_finds() {
    let (mut affine, mut greedy) = (Compared::default(), Compared::default());
    for seed in 0..8 {
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let (queries, database) = sequences(&mut random);
        if seed % 4 == 3 {
            let task = SearchOptions::new(BlastTask::Megablast);
            let options = SearchOptions { word_size: 12, ..task };
            compare(&options, (&queries, &database), &mut greedy);
        } else {
            let options = SearchOptions::new(BlastTask::Blastn);
            compare(&options, (&queries, &database), &mut affine);
        }
    }
    let (found, columns) = (affine.found + greedy.found, affine.runs + greedy.runs);
    assert!(found > 60 && columns > 3 * found, "{found} alignments, {columns} runs");
    assert!(affine.traced > 30 && greedy.traced > 10, "{affine:?}, {greedy:?}");
}

#[test]
fn a_short_subject_asks_for_few_rows_of_a_long_query() {
    let mut random = fastrand::Rng::with_seed(3);
    let query = record((0..20_000).map(|_| random.u8(..4)).collect());
    let mut builder = Builder::default();
    for place in [0, 9_000, 19_700] {
        builder.add(&record(mutated(&mut random, &query.letters[place..place + 300])));
    }
    let database = builder.finish("pieces", 0);
    let mut compared = Compared::default();
    let options = SearchOptions::new(BlastTask::Blastn);
    compare(&options, (&[query], &database), &mut compared);
    assert!(compared.found >= 3 && compared.traced >= 3, "{compared:?}");
    assert!((300..1_000).contains(&compared.most_rows), "{compared:?}");
}

/// Extends a side with its columns, cell by cell: the reach, the columns, and the number of rows that were scored. With `REVERSE`, it
/// begins at the ends of both sequences.
fn extended<const REVERSE: bool>(
    (rows, columns): (&[u8], &[u8]),
    scoring: &Scoring,
    x_drop: i32,
) -> ((i32, usize, usize), EditScript, usize) {
    let at = |letters: &[u8]| if REVERSE { letters.len() } else { 0 };
    let one = side::SequenceSide { letters: rows, at: at(rows) };
    let other = side::SequenceSide { letters: columns, at: at(columns) };
    let matrix = &ScoreMatrix::new(scoring);
    let sides = affine::SidePair { rows: one, columns: other, scoring, matrix, x_drop };
    let mut work = AffineBuffers::default();
    let found = affine::extend_scalar::<REVERSE, true>(&sides, &mut work);
    let script = affine::script(&work, &found);
    ((found.score, found.rows, found.columns), script, work.rows() - 1)
}

/// Compares an extension with one whose rows are cut; gives the scored rows as a part of the most that there can be.
fn compare_cut<const REVERSE: bool>(
    (rows, columns): (&[u8], &[u8]),
    scoring: &Scoring,
    x_drop: i32,
) -> f64 {
    let bound = reachable_rows(scoring, columns.len(), x_drop);
    assert!(bound < rows.len());
    let all = extended::<REVERSE>((rows, columns), scoring, x_drop);
    // Behind the last row with a live cell, one more is scored.
    assert!(all.2 <= bound + 1, "{} rows, {bound} at most", all.2);
    let cut = if REVERSE { &rows[rows.len() - bound..] } else { &rows[..bound] };
    let (reach, script, _) = extended::<REVERSE>((cut, columns), scoring, x_drop);
    assert_eq!((reach, script), (all.0, all.1));
    all.2 as f64 / (bound + 1) as f64
}

#[test]
fn no_extension_reaches_more_rows_than_its_columns_allow() {
    let mut parts = Vec::new();
    for seed in 0..200 {
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let gap_extend = random.i32(1..4);
        // In every other case, skipped rows before all columns and behind each cost all that there is.
        let is_dear = seed % 2 == 0;
        let scoring = Scoring {
            reward: if is_dear { gap_extend * random.i32(1..4) } else { random.i32(1..6) },
            penalty: -random.i32(1..6),
            gap_open: if is_dear { 0 } else { random.i32(0..4) },
            gap_extend,
        };
        let x_drop = (scoring.gap_open + gap_extend).max(random.i32(0..60));
        let columns: Vec<u8> = (0..random.usize(1..120)).map(|_| random.u8(..4)).collect();
        let mut rows: Vec<u8> = Vec::new();
        let mut skip = |rows: &mut Vec<u8>, count: i32| {
            let count = if is_dear { count } else { random.i32(..=count) };
            rows.extend((0..count).map(|_| random.u8(..4)));
        };
        skip(&mut rows, x_drop / gap_extend);
        for &letter in &columns {
            rows.push(letter);
            skip(&mut rows, scoring.reward / gap_extend);
        }
        rows.extend((0..1_000).map(|_| random.u8(..4)));
        let part = compare_cut::<false>((&rows, &columns), &scoring, x_drop);
        parts.push(part);
        let [rows, columns] = [rows, columns].map(|mut letters| {
            letters.reverse();
            letters
        });
        assert!((compare_cut::<true>((&rows, &columns), &scoring, x_drop) - part).abs() < 1e-9);
    }
    // Some extensions reach the bound, or nearly.
    let near = parts.iter().filter(|&&part| part > 0.9).count();
    assert!(near > 10, "{near} of {parts:?}");
}
