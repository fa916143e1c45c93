//! The stages of best mapping between reads in memory and ranked alignments, with all copies: each alone, and all at
//! once on threads of their own, as the program runs them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use aligner_core::Device;
use fm_index::FmIndex;
use seed_extend::read::queries::Queries;
use seed_extend::{Mapper, Options};
use serde::Serialize;

use crate::error::BenchError;
use crate::timing::median;

/// The speed of one stage, or of all at once.
#[derive(Debug, Clone, Serialize)]
pub struct MappingTiming {
    /// The stage: `find chains`, `plan`, `align`, `rank` or `all at once`.
    pub stage: &'static str,
    /// Reads in all batches.
    pub reads: usize,
    /// Median seconds for all reads.
    pub seconds: f64,
    /// Reads by `seconds`, in 10^6 a second.
    pub mreads: f64,
}

/// Names in results: the stages in the order of [`one_by_one`], then all of them at once.
const STAGES: [&str; 5] = ["find chains", "plan", "align", "rank", "all at once"];

/// Measures batches of reads on a device and the current rayon pool. `progress` gets the name of each run before it begins.
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
    let mapper = Mapper::new(index, Options::default(), device).map_err(BenchError::Device)?;
    let reads = batches.iter().map(|queries| queries.len() / 2).sum();
    let mut seconds: [Vec<f64>; STAGES.len()] = Default::default();
    // The first run allocates memory that later ones use again, and does not count.
    for run in 0..=runs {
        progress(&format!("run {run}"));
        let mut measured = one_by_one(&mapper, batches.to_vec()).to_vec();
        measured.push(all_at_once(&mapper, batches.to_vec()));
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

/// Seconds of each stage, summed over batches that pass the stages one after the other.
fn one_by_one(mapper: &Mapper, batches: Vec<Queries>) -> [f64; 4] {
    let mut seconds = [0.0; 4];
    for queries in batches {
        let tie_breakers = tie_breakers(&queries);
        let begin = Instant::now();
        let chained = mapper.find_chains(queries, tie_breakers);
        let found = Instant::now();
        let planned = mapper.plan_alignments(chained);
        let ready = Instant::now();
        let aligned = mapper.align(planned);
        let done = Instant::now();
        let ranked = mapper.rank(aligned);
        let times = [begin, found, ready, done, Instant::now()];
        // A program would pass the result on to a later step, so dropping it is not timed.
        drop(ranked);
        for (sum, pair) in seconds.iter_mut().zip(times.windows(2)) {
            *sum += (pair[1] - pair[0]).as_secs_f64();
        }
    }
    seconds
}

/// Seconds for all batches with a thread for each stage.
fn all_at_once(mapper: &Mapper, batches: Vec<Queries>) -> f64 {
    let begin = Instant::now();
    thread::scope(|scope| {
        let (chained, to_plan) = sync_channel(1);
        let (planned, to_align) = sync_channel(1);
        let (aligned, to_rank) = sync_channel(1);
        let (ranked, to_drop) = sync_channel(1);
        scope.spawn(move || {
            for queries in batches {
                let tie_breakers = tie_breakers(&queries);
                if chained.send(mapper.find_chains(queries, tie_breakers)).is_err() {
                    break;
                }
            }
        });
        scope.spawn(move || pass(to_plan, &planned, |batch| mapper.plan_alignments(batch)));
        scope.spawn(move || pass(to_align, &aligned, |batch| mapper.align(batch)));
        scope.spawn(move || pass(to_rank, &ranked, |batch| mapper.rank(batch)));
        to_drop.into_iter().for_each(drop);
    });
    begin.elapsed().as_secs_f64()
}

/// Runs `work` on every input, until there are no more or the receiver of its outputs is gone.
fn pass<I, O>(inputs: Receiver<I>, outputs: &SyncSender<O>, work: impl Fn(I) -> O) {
    for input in inputs {
        if outputs.send(work(input)).is_err() {
            break;
        }
    }
}

/// A number for each read that decides between alignments of equal score.
fn tie_breakers(queries: &Queries) -> Vec<u64> {
    (0..queries.len() as u64 / 2).collect()
}

/// A table with a line for each stage.
pub fn mapping_table(timings: &[MappingTiming]) -> String {
    let row = |timing: &MappingTiming| {
        let MappingTiming { stage, reads, seconds, mreads } = timing;
        format!("{stage:<18} {reads:>9} {:>9.2} {mreads:>9.3}\n", seconds * 1e3)
    };
    let heading = format!("{:<18} {:>9} {:>9} {:>9}\n", "stage", "reads", "ms", "Mreads/s");
    heading + &timings.iter().map(row).collect::<String>()
}
