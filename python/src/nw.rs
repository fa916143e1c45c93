//! Global alignments of many pairs.

use std::fmt::Write;

use aligner_core::cigar::CigarOp;
use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, ensure};
use nw_batch::{
    Aligner, BatchResults, FreeEnds, GapCosts, KernelChoice, MAX_LENGTH, ResultKind, Scoring,
    SequencePair, SequenceSet, SubstitutionMatrix,
};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString};
use rayon::prelude::*;

use crate::job::{self, Cancel, wrong_argument};

/// Pairs that are aligned together, so that Ctrl-C ends the work soon.
const TILE_PAIRS: usize = 1 << 15;

/// Matrix cells that a tile has at most for each thread of a CPU, unless a pair has more: about a second's work.
const CPU_CELLS: u64 = 1 << 28;

/// Matrix cells that a tile has at most on a GPU.
const GPU_CELLS: u64 = 1 << 36;

/// Sequences as Python gives them: all letters, as str or bytes, and the bytes of 64-bit offsets where each begins and the last
/// ends.
type Sequences<'py> = (Bound<'py, PyAny>, Bound<'py, PyBytes>);

/// Letters of a piece that a thread encodes.
const ENCODED_AT_ONCE: usize = 1 << 18;

/// Letters of the operations of CIGARs, by their numbers in BAM.
pub const OPERATIONS: &str = "MIDNSHP=X";

/// The pairs that are aligned, as arguments name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    /// Each query with the target of the same number.
    Matched,
    /// Each query with each target.
    All,
    /// Each query with each later one.
    Later,
}

/// Results of all pairs.
#[derive(Debug, Default)]
struct Results {
    scores: Vec<i32>,
    identities: Vec<f32>,
    lengths: Vec<u32>,
    /// Runs of CIGARs in BAM's encoding.
    runs: Vec<u32>,
    /// Where the runs of each pair begin, and those of the last end.
    run_offsets: Vec<u64>,
}

/// Aligns pairs; `selection` is matched, all or later. Returns arrays as bytes, by name.
#[pyfunction]
#[pyo3(signature = (queries, targets, selection, scores, gaps, matrix, free_ends, want, device, threads))]
#[allow(clippy::too_many_arguments, reason = "the function of the package names them")]
pub fn nw<'py>(
    py: Python<'py>,
    queries: Sequences<'py>,
    targets: Option<Sequences<'py>>,
    selection: &str,
    scores: (i32, i32),
    gaps: (i32, i32),
    matrix: Option<&str>,
    free_ends: Vec<String>,
    want: &str,
    device: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let request: DeviceRequest =
        device.parse().map_err(|error| wrong_argument(format!("device: {error}")))?;
    let scoring = scoring(scores, gaps, matrix, &free_ends).map_err(wrong_argument)?;
    let of_queries = (letters(&queries.0)?, queries.1.as_bytes());
    let of_targets = match &targets {
        Some((text, offsets)) => Some((letters(text)?, offsets.as_bytes())),
        None => None,
    };
    let encoded = job::run(py, threads, |_| {
        let queries = encode(&scoring, "query", of_queries);
        let targets = of_targets.map(|targets| encode(&scoring, "target", targets));
        Ok(queries.and_then(|queries| Ok((queries, targets.transpose()?))))
    })?;
    let (queries, targets) = encoded.map_err(wrong_argument)?;
    let selection = match selection {
        "matched" => Selection::Matched,
        "all" => Selection::All,
        _ => Selection::Later,
    };
    let targets = targets.as_ref().unwrap_or(&queries);
    if selection == Selection::Matched && queries.len() != targets.len() {
        let (queries, targets) = (queries.len(), targets.len());
        return Err(wrong_argument(format!(
            "{queries} queries cannot be matched with {targets} targets"
        )));
    }
    let (kind, with_cigars) = match want {
        "scores" => (ResultKind::Scores, false),
        "identities" => (ResultKind::Alignments, false),
        _ => (ResultKind::Alignments, true),
    };
    let results = job::run(py, threads, |cancel| {
        let device = Device::open(request)?.device;
        let make =
            |device| Aligner::new(&scoring, &queries, targets, kind, device, KernelChoice::Auto);
        let aligner = match make(device) {
            // Any device will do.
            Err(_) if request == DeviceRequest::Auto => make(Device::Cpu)?,
            made => made?,
        };
        align(aligner, (&queries, targets), selection, with_cigars, cancel)
    })?;
    let dict = PyDict::new(py);
    let bytes = |values: &[u8]| PyByteArray::new(py, values);
    dict.set_item("scores", bytes(bytemuck::cast_slice(&results.scores)))?;
    dict.set_item("identities", bytes(bytemuck::cast_slice(&results.identities)))?;
    dict.set_item("lengths", bytes(bytemuck::cast_slice(&results.lengths)))?;
    dict.set_item("runs", bytes(bytemuck::cast_slice(&results.runs)))?;
    dict.set_item("run_offsets", bytes(bytemuck::cast_slice(&results.run_offsets)))?;
    Ok(dict)
}

/// Aligns all pairs, tile by tile.
fn align(
    mut aligner: Aligner<'_>,
    (queries, targets): (&SequenceSet, &SequenceSet),
    selection: Selection,
    with_cigars: bool,
    cancel: &Cancel,
) -> Result<Results> {
    let mut results = Results { run_offsets: vec![0], ..Results::default() };
    let cells = |pair: &SequencePair| {
        u64::from(queries.length(pair.query)) * u64::from(targets.length(pair.target))
    };
    let (m, n) = (queries.len() as u32, targets.len() as u32);
    let targets_of = move |query: u32| match selection {
        Selection::Matched => query..query + 1,
        Selection::All => 0..n,
        Selection::Later => query + 1..n,
    };
    let mut pairs = (0..m)
        .flat_map(move |query| targets_of(query).map(move |target| SequencePair { query, target }));
    let mut next = |aligner: &mut Aligner<'_>| {
        // Directions take about half a byte for each cell.
        let of_gpu = aligner.device_memory().map(|memory| memory.min(GPU_CELLS));
        let most = of_gpu.unwrap_or(CPU_CELLS * rayon::current_num_threads() as u64);
        let (mut tile, mut sum) = (Vec::new(), 0);
        while tile.len() < TILE_PAIRS && sum < most {
            let Some(pair) = pairs.next() else { break };
            sum += cells(&pair);
            tile.push(pair);
        }
        (!tile.is_empty()).then(|| aligner.begin(tile))
    };
    let mut current = next(&mut aligner);
    while let Some(pending) = current {
        cancel.check()?;
        // A GPU has the next tile while this one is taken over.
        current = next(&mut aligner);
        match aligner.finish(pending).1 {
            BatchResults::Scores(scores) => results.scores.extend(scores),
            BatchResults::Alignments(alignments) => {
                for alignment in alignments.iter() {
                    let (length, identical) = alignment.cigar.length_and_identical();
                    let identity =
                        if length == 0 { 1.0 } else { f64::from(identical) / f64::from(length) };
                    results.scores.push(alignment.score);
                    results.identities.push(identity as f32);
                    results.lengths.push(length);
                    if with_cigars {
                        let runs =
                            alignment.cigar.iter().map(|run| run.length() << 4 | code(run.op()));
                        results.runs.extend(runs);
                        results.run_offsets.push(results.runs.len() as u64);
                    }
                }
            }
        }
    }
    Ok(results)
}

/// The number of an operation in BAM's encoding of CIGARs.
fn code(op: CigarOp) -> u32 {
    match op {
        CigarOp::Insertion => 1,
        CigarOp::Deletion => 2,
        CigarOp::Equal => 7,
        CigarOp::Different => 8,
    }
}

/// The scoring that arguments ask for.
fn scoring(
    (equal, different): (i32, i32),
    (open, extend): (i32, i32),
    matrix: Option<&str>,
    free_ends: &[String],
) -> Result<Scoring, String> {
    let gaps = GapCosts { open, extend };
    let scoring = match matrix {
        None => Scoring::with_match_mismatch(equal, different, gaps),
        Some(name) => {
            let matrix = SubstitutionMatrix::built_in(name)
                .unwrap_or_else(|| SubstitutionMatrix::parse(name));
            matrix.and_then(|matrix| Scoring::with_matrix(matrix, gaps))
        }
    };
    let scoring = scoring.map_err(|error| error.to_string())?;
    let mut free = FreeEnds::default();
    for end in free_ends {
        let (of_query, of_target) = match end.as_str() {
            "query" | "query-begin" | "query-end" => (true, false),
            "target" | "target-begin" | "target-end" => (false, true),
            "all" => (true, true),
            _ => {
                return Err(format!(
                    "free_ends: '{end}' is none of query, query-begin, query-end, target, target-begin, target-end and all"
                ));
            }
        };
        let (begin, finish) = (!end.ends_with("-end"), !end.ends_with("-begin"));
        free.query_begin |= of_query && begin;
        free.query_end |= of_query && finish;
        free.target_begin |= of_target && begin;
        free.target_end |= of_target && finish;
    }
    Ok(scoring.with_free_ends(free))
}

/// The letters of a str or of bytes, in Python's memory.
fn letters<'a>(text: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    match text.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.as_bytes()),
        Err(_) => Ok(text.cast::<PyBytes>()?.as_bytes()),
    }
}

/// The codes of sequences, each of which is called a `name` in messages.
fn encode(
    scoring: &Scoring,
    name: &str,
    (letters, offsets): (&[u8], &[u8]),
) -> Result<SequenceSet, String> {
    let offsets: Vec<u64> = bytemuck::pod_collect_to_vec(offsets);
    let are_offsets = || -> Result<()> {
        ensure!(
            offsets.is_sorted() && offsets.first() == Some(&0),
            "offsets must begin with 0 and not descend"
        );
        ensure!(
            offsets.last() == Some(&(letters.len() as u64)),
            "the last offset must be the number of letters"
        );
        ensure!(u32::try_from(offsets.len()).is_ok(), "there are too many sequences");
        Ok(())
    };
    are_offsets().map_err(|error| error.to_string())?;
    let lengths = offsets.windows(2).map(|ends| ends[1] - ends[0]);
    if let Some((number, length)) = lengths.enumerate().find(|&(_, it)| it > MAX_LENGTH as u64) {
        return Err(format!("{name} {number} has {length} residues, more than {MAX_LENGTH}"));
    }
    let mut codes = vec![0; letters.len()];
    let pieces = codes.par_chunks_mut(ENCODED_AT_ONCE).zip(letters.par_chunks(ENCODED_AT_ONCE));
    let unknown = pieces.enumerate().find_map_first(|(piece, (codes, letters))| {
        let unknown = scoring.alphabet().encode_to(letters, codes).err()?;
        Some((unknown.letter, (piece * ENCODED_AT_ONCE + unknown.position) as u64))
    });
    if let Some((letter, place)) = unknown {
        let number = offsets.partition_point(|&begin| begin <= place) - 1;
        let (letter, position) = (char::from(letter).escape_debug(), place - offsets[number]);
        return Err(format!(
            "{name} {number}: '{letter}' at {position} is no letter of the scoring"
        ));
    }
    Ok(SequenceSet::from_codes(codes, offsets))
}

/// The texts of CIGARs, given the bytes of all runs and of the offsets of each pair's runs.
#[pyfunction]
pub fn cigar_texts<'py>(
    py: Python<'py>,
    runs: &[u8],
    offsets: &[u8],
) -> PyResult<Bound<'py, PyList>> {
    let runs: Vec<u32> = bytemuck::pod_collect_to_vec(runs);
    let offsets: Vec<u64> = bytemuck::pod_collect_to_vec(offsets);
    let mut text = String::new();
    let texts = PyList::empty(py);
    for ends in offsets.windows(2) {
        let cigar = runs.get(ends[0] as usize..ends[1] as usize);
        text.clear();
        for &run in
            cigar.ok_or_else(|| wrong_argument("the offsets are not those of these runs"))?
        {
            let letter = OPERATIONS.as_bytes().get(run as usize & 15).copied().map(char::from);
            let letter = letter.ok_or_else(|| wrong_argument("a run has no operation of BAM"))?;
            // A text takes anything that is written to it.
            let _ = write!(text, "{}{letter}", run >> 4);
        }
        texts.append(&text)?;
    }
    Ok(texts)
}
