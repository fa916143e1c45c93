//! The stages of everyday mapping between reads in memory and ranked alignments, with all copies: each by
//! itself, and all beside each other as mapping runs them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use aligner_core::Device;
use fm_index::FmIndex;
use seed_extend::read::queries::Queries;
use seed_extend::{MapError, Mapper, Options};
use serde::Serialize;

use crate::error::BenchError;
use crate::timing::median;

/// A stage, or all.
#[derive(Debug, Clone, Serialize)]
pub struct MappingTiming {
    /// Its name.
    pub stage: &'static str,
    /// Reads.
    pub reads: usize,
    /// Median time of all of them.
    pub seconds: f64,
    /// Reads by that time, in 10^6 a second.
    pub mreads: f64,
}

/// What is measured, in the order of [`by_turns`].
const STAGES: [&str; 5] = ["seek", "plan", "align", "rank", "beside each other"];

/// Measures batches of reads on a device and the current rayon pool. `progress` is told what comes next.
///
/// # Errors
/// If the device fails.
pub fn mapping(
    device: &Device,
    index: &FmIndex,
    batches: &[Queries],
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<MappingTiming>, BenchError> {
    let mapper = Mapper::new(index, Options::default(), device).map_err(failed)?;
    let reads = batches.iter().map(|queries| queries.len() / 2).sum();
    let mut seconds: [Vec<f64>; STAGES.len()] = Default::default();
    // The first run has memory to get, which later ones use again.
    for run in 0..=runs {
        progress(&format!("run {run}"));
        let mut measured = by_turns(&mapper, batches.to_vec())?.to_vec();
        measured.push(beside_each_other(&mapper, batches.to_vec())?);
        if let Some(device_failure) = mapper.failure() {
            return Err(BenchError::GivenUp(device_failure));
        }
        if run > 0 {
            seconds.iter_mut().zip(measured).for_each(|(all, one)| all.push(one));
        }
    }
    let timing = |(stage, seconds): (&'static str, Vec<f64>)| {
        let seconds = median(&seconds);
        MappingTiming { stage, reads, seconds, mreads: reads as f64 / seconds / 1e6 }
    };
    Ok(STAGES.into_iter().zip(seconds).map(timing).collect())
}

/// Seconds of each stage, batch after batch.
fn by_turns(mapper: &Mapper<'_>, batches: Vec<Queries>) -> Result<[f64; 4], BenchError> {
    let mut seconds = [0.0; 4];
    for queries in batches {
        let tie_breakers = tie_breakers(&queries);
        let begin = Instant::now();
        let sought = mapper.find_chains(queries, tie_breakers).map_err(failed)?;
        let found = Instant::now();
        let planned = mapper.plan_alignments(sought);
        let ready = Instant::now();
        let aligned = mapper.align(planned);
        let done = Instant::now();
        let ranked = mapper.rank(aligned);
        let times = [begin, found, ready, done, Instant::now()];
        // Whoever maps passes it on.
        drop(ranked);
        for (sum, pair) in seconds.iter_mut().zip(times.windows(2)) {
            *sum += (pair[1] - pair[0]).as_secs_f64();
        }
    }
    Ok(seconds)
}

/// Seconds of all stages, with a thread for each.
fn beside_each_other(mapper: &Mapper<'_>, batches: Vec<Queries>) -> Result<f64, BenchError> {
    let begin = Instant::now();
    thread::scope(|scope| {
        let (sought, to_plan) = sync_channel(1);
        let (planned, to_align) = sync_channel(1);
        let (aligned, to_rank) = sync_channel(1);
        let (ranked, to_drop) = sync_channel(1);
        let seeking = scope.spawn(move || {
            for queries in batches {
                let tie_breakers = tie_breakers(&queries);
                if sought.send(mapper.find_chains(queries, tie_breakers)?).is_err() {
                    break;
                }
            }
            Ok(())
        });
        scope.spawn(move || pass(to_plan, &planned, |batch| mapper.plan_alignments(batch)));
        scope.spawn(move || pass(to_align, &aligned, |batch| mapper.align(batch)));
        scope.spawn(move || pass(to_rank, &ranked, |batch| mapper.rank(batch)));
        to_drop.into_iter().for_each(drop);
        // A panic of a stage goes on here.
        seeking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
    .map_err(failed)?;
    Ok(begin.elapsed().as_secs_f64())
}

/// A stage, until there is no input or nobody wants its output.
fn pass<I, O>(inputs: Receiver<I>, outputs: &SyncSender<O>, work: impl Fn(I) -> O) {
    for input in inputs {
        if outputs.send(work(input)).is_err() {
            break;
        }
    }
}

/// Numbers that decide among equals.
fn tie_breakers(queries: &Queries) -> Vec<u64> {
    (0..queries.len() as u64 / 2).collect()
}

fn failed(error: MapError) -> BenchError {
    match error {
        MapError::Device(error) => BenchError::Device(error),
        MapError::Stages(source) => BenchError::Run { app: "seeds", source },
    }
}

/// A table of them.
pub fn mapping_table(timings: &[MappingTiming]) -> String {
    let row = |timing: &MappingTiming| {
        let MappingTiming { stage, reads, seconds, mreads } = timing;
        format!("{stage:<18} {reads:>9} {:>9.2} {mreads:>9.3}\n", seconds * 1e3)
    };
    let heading = format!("{:<18} {:>9} {:>9} {:>9}\n", "stage", "reads", "ms", "Mreads/s");
    heading + &timings.iter().map(row).collect::<String>()
}
