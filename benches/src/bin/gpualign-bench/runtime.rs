//! `gpualign-bench`: measures the streaming runtime on this machine.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use aligner_core::Device;
use anyhow::{Context, Result};
use gpualign_benches::{Experiment, RuntimeOptions, RuntimeReport, default_items, runtime};

use crate::args::RuntimeArguments;
use gpualign::console::Console;
use gpualign::options::start_threads;

/// Runs the experiments, prints a table, and writes data and figures.
pub fn run(arguments: &RuntimeArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let opened = Device::open(arguments.device)?;
    if let Some(reason) = &opened.fallback {
        console.notice(&format!("measuring the CPU: {reason}"));
    }
    // An output folder that cannot be made is an error before the work begins.
    let out = &arguments.out;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut experiments = arguments.experiment.clone();
    if experiments.is_empty() {
        experiments = Experiment::of(&opened.device);
    }
    let items = arguments.items.unwrap_or_else(|| default_items(&opened.device));
    let options = RuntimeOptions { items, quick: arguments.quick, experiments };
    start_threads(arguments.threads.count())?;
    let report = runtime(&opened.device, &options, &mut |step| console.start(step));
    console.finish();
    let report = report?;
    save(&report, out)?;
    let heading = format!("{}: {} items, median of {}\n", report.device, items, report.runs);
    io::stdout().write_all((heading + &report.table()).as_bytes())?;
    Ok(())
}

/// Writes `runtime.json` and a file for each figure.
fn save(report: &RuntimeReport, folder: &Path) -> Result<()> {
    let write = |name: String, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).with_context(|| path.display().to_string())
    };
    write("runtime.json".to_owned(), &serde_json::to_string_pretty(report)?)?;
    for figure in report.figures()? {
        write(format!("{}.svg", figure.name), &figure.svg)?;
    }
    Ok(())
}
