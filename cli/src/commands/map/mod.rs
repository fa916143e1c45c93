//! Mapping reads: from input files to the output file.

mod pipeline;

use std::env;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use aligner_core::{Device, DeviceRequest};
use anyhow::{Context, Result, anyhow};
use woodstocc::{MapError, Mapper};

use self::pipeline::Pipeline;
use crate::args::{MapOptions, Operands, StatsFormat};
use crate::commands::{index, start_threads};
use crate::console::Console;
use crate::input::{self, Layout};
use crate::output::{Options, Output, Target, header};
use crate::stats::{Choice, Seconds, Summary, per_second};
use crate::timeline::{Step, Timeline};

/// Maps the reads.
pub fn run(operands: &Operands, options: &MapOptions) -> Result<()> {
    let timeline = Timeline::new();
    let threads = options.threads.count();
    // Stages run on threads of their own, and share the pool for what they do in parallel.
    start_threads(threads)?;
    let console = Console::new(options.messages);

    // What can fail at once does so before the work begins.
    input::check(&operands.reads)?;
    let target = Target::new(options.output.as_deref())?;
    let trace = options.timeline.as_deref().map(|path| Target::new(Some(path))).transpose()?;

    let (opened, found) = thread::scope(|scope| {
        let device =
            scope.spawn(|| timeline.time(Step::Device, "open", || Device::open(options.device)));
        let found =
            timeline.time(Step::Index, "open", || index::open(&operands.reference, &console));
        (device.join(), found)
    });
    let opened = opened.map_err(|_| anyhow!("opening the device panicked"))??;
    if let Some(reason) = &opened.fallback {
        console.notice(&format!("{reason}: mapping on the CPU"));
    }
    let index = match found? {
        Some(index) => index,
        None => timeline.time(Step::Index, "build", || {
            index::build_for_mapping(&operands.reference, options.save_index, &console)
        })?,
    };
    let index = Arc::new(index);
    let command = header::command_line(env::args_os());
    let (group, order) = (options.read_group.as_ref(), options.sorting.order());
    let format = Options {
        format: options.format().ok_or_else(|| anyhow!("the output format is not known"))?,
        threads,
        header: header::text(index.reference(), group, &command, order)
            .with_context(|| operands.reference.display().to_string())?,
        sort_memory: options.sorting.memory(),
    };
    let (reads, size) = (operands.reads.clone(), options.batch_size as usize);
    let batches = input::batches(reads, Layout::Single, size);
    let output = Output::create(target, &format, index.reference())?;
    let (mapper, device) = timeline.time(Step::Device, "index", || {
        let open = |device| Mapper::new(Arc::clone(&index), options.params(), device);
        let device = opened.device.describe();
        match open(opened.device) {
            Err(MapError::Device(reason)) if options.device == DeviceRequest::Auto => {
                console.notice(&format!("{device}: {reason}: mapping on the CPU"));
                open(Device::Cpu).map(|mapper| (mapper, Device::Cpu.describe()))
            }
            made => made.map(|mapper| (mapper, device)),
        }
    })?;
    let starting = timeline.elapsed();

    console.start_reads();
    let pipeline = Pipeline {
        mapper: &mapper,
        group,
        eqx: options.eqx,
        format: format.of_pieces(),
        timeline: &timeline,
        console: &console,
    };
    let done = pipeline.run(batches, output);
    console.finish();
    let (totals, finished) = done?;
    finished.commit()?;

    if let Some(reason) = mapper.failure() {
        console.notice(&format!("{reason}: the rest was mapped on the CPU"));
    }
    let total = timeline.elapsed();
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
        seconds: Seconds::new(&timeline, starting, total),
        reads_per_second: per_second(totals.reads, total.saturating_sub(starting)),
        engine: mapper.stats().into(),
        choices: mapper
            .choices()
            .into_iter()
            .map(|choice| Choice::new(choice, options.k))
            .collect(),
        filter: Some(mapper.filter_stats()).filter(|stats| stats.queries > 0).map(Into::into),
        scheme: Some(mapper.scheme_stats()).filter(|s| s.run.queries > 0).map(Into::into),
    };
    summary.lines().iter().for_each(|line| console.detail(line));
    if let Some(StatsFormat::Json) = options.stats {
        writeln!(io::stderr(), "{}", serde_json::to_string(&summary)?)?;
    }
    if let Some(trace) = trace {
        timeline.save(trace)?;
    }
    Ok(())
}
