//! Mapping reads: the pipeline from input files to the output file.

use std::env;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use aligner_core::{Device, DeviceRequest};
use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use rust_htslib::bam::Record;
use woodstocc::{MapError, Mapper, Params, Query};

use crate::args::{MapOptions, Operands, StatsFormat};
use crate::commands::{index, pool};
use crate::console::Console;
use crate::input::{self, Read};
use crate::output::{Formatter, Options, Output, Target, header};
use crate::stats::{Seconds, Summary, per_second};

/// Batches that may wait between two steps of the pipeline.
const WAITING: usize = 2;

/// What is counted while batches pass.
#[derive(Debug, Default)]
struct Totals {
    reads: u64,
    bases: u64,
    aligned: u64,
    alignments: u64,
    mapping: Duration,
    formatting: Duration,
}

/// Maps the reads.
pub fn run(operands: &Operands, options: &MapOptions) -> Result<()> {
    let threads = options.threads.count();
    pool(threads)?.install(|| map(operands, options, threads))
}

fn map(operands: &Operands, options: &MapOptions, threads: usize) -> Result<()> {
    let console = Console::new(options.messages);
    let start = Instant::now();

    // What can fail at once does so before the work begins.
    input::check(&operands.reads)?;
    let target = Target::new(options.output.as_deref())?;
    let opened = Device::open(options.device)?;
    if let Some(reason) = &opened.fallback {
        console.notice(&format!("{reason}: mapping on the CPU"));
    }

    let index = index::open_or_build(&operands.reference, options.save_index, &console)?;
    let index = Arc::new(index);
    let command = header::command_line(env::args_os());
    let format = Options {
        format: options.format().ok_or_else(|| anyhow!("the output format is not known"))?,
        threads,
        header: header::text(index.reference(), options.read_group.as_ref(), &command)
            .with_context(|| operands.reference.display().to_string())?,
    };
    let output = Output::create(target, &format, index.reference())?;
    let params = Params {
        k: options.k,
        report: options.reported(),
        strategy: options.strategy.into(),
        seed: options.seed,
        metrics: options.stats.is_some(),
    };
    let mut device = opened.device.describe();
    let mapper = match Mapper::new(Arc::clone(&index), params, opened.device) {
        Err(MapError::Device(reason)) if options.device == DeviceRequest::Auto => {
            console.notice(&format!("{device}: {reason}: mapping on the CPU"));
            device = Device::Cpu.describe();
            Mapper::new(Arc::clone(&index), params, Device::Cpu)?
        }
        made => made?,
    };
    let indexing = start.elapsed();

    console.start_reads();
    let formatter = Formatter::new(index.reference(), options.read_group.as_ref(), options.eqx);
    let batches = input::batches(operands.reads.clone(), options.batch_size as usize);
    let (sender, receiver) = sync_channel(WAITING);
    let writer = thread::spawn(move || write(output, receiver));
    let mapped = map_batches(&mapper, &formatter, batches, &sender, &console);
    drop(sender);
    let written = writer.join().map_err(|_| anyhow!("the writing thread panicked"))?;
    console.finish();
    let totals = mapped?;
    let (finished, writing) = written?;
    finished.commit()?;

    if let Some(reason) = mapper.failure() {
        console.notice(&format!("{reason}: the rest was mapped on the CPU"));
    }
    let total = start.elapsed();
    let seconds = Seconds {
        index: indexing.as_secs_f64(),
        map: totals.mapping.as_secs_f64(),
        output: (totals.formatting + writing).as_secs_f64(),
        total: total.as_secs_f64(),
    };
    let rate = per_second(totals.reads, total.saturating_sub(indexing));
    console.detail(&format!(
        "{} of {} reads aligned, {} alignments, on {device}",
        totals.aligned, totals.reads, totals.alignments
    ));
    console.detail(&format!(
        "index {:.2} s, map {:.2} s, output {:.2} s, total {:.2} s, {rate:.0} reads/s",
        seconds.index, seconds.map, seconds.output, seconds.total
    ));
    if let Some(StatsFormat::Json) = options.stats {
        let summary = Summary {
            version: env!("CARGO_PKG_VERSION"),
            command,
            device,
            threads,
            k: options.k,
            reads: totals.reads,
            bases: totals.bases,
            aligned: totals.aligned,
            alignments: totals.alignments,
            seconds,
            reads_per_second: rate,
            engine: mapper.stats().into(),
            filter: Some(mapper.filter_stats()).filter(|stats| stats.queries > 0).map(Into::into),
            scheme: Some(mapper.scheme_stats()).filter(|s| s.run.queries > 0).map(Into::into),
        };
        writeln!(io::stderr(), "{}", serde_json::to_string(&summary)?)?;
    }
    Ok(())
}

/// Maps and formats batch after batch, and passes the records on.
fn map_batches(
    mapper: &Mapper,
    formatter: &Formatter<'_>,
    batches: Receiver<Result<Vec<Read>>>,
    records: &SyncSender<Vec<Vec<Record>>>,
    console: &Console,
) -> Result<Totals> {
    let mut totals = Totals::default();
    for batch in batches {
        let batch = batch?;
        let start = Instant::now();
        let queries: Vec<Query<'_>> =
            batch.iter().map(|read| Query { name: &read.name, sequence: &read.sequence }).collect();
        let mappings = mapper.map(&queries)?;
        totals.mapping += start.elapsed();

        let start = Instant::now();
        let formatted: Vec<Vec<Record>> = batch
            .par_iter()
            .zip(&mappings)
            .map(|(read, mapping)| formatter.records(read, mapping))
            .collect::<Result<_>>()?;
        totals.formatting += start.elapsed();

        totals.reads += batch.len() as u64;
        totals.bases += batch.iter().map(|read| read.sequence.len() as u64).sum::<u64>();
        for mapping in &mappings {
            totals.aligned += u64::from(!mapping.alignments.is_empty());
            totals.alignments += mapping.alignments.len() as u64;
        }
        console.advance(batch.len() as u64);
        if records.send(formatted).is_err() {
            // The writer has stopped, and tells why itself.
            break;
        }
    }
    Ok(totals)
}

/// Writes records until no more come, then completes the file. Returns it and the time it took.
fn write(mut output: Output, records: Receiver<Vec<Vec<Record>>>) -> Result<(Target, Duration)> {
    let mut busy = Duration::ZERO;
    for batch in records {
        let start = Instant::now();
        for record in batch.iter().flatten() {
            output.write(record)?;
        }
        busy += start.elapsed();
    }
    let start = Instant::now();
    let finished = output.close()?;
    Ok((finished, busy + start.elapsed()))
}
