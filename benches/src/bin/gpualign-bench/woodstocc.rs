//! `gpualign-bench woodstocc`: measures the variants of the suffix-trie aligner.

use std::fs;
use std::io::{self, Write};

use aligner_core::Device;
use anyhow::{Context, Result};
use gpualign_benches::{AblationOptions, woodstocc};
use woodstocc::Read;

use crate::args::WoodstoccArguments;
use crate::reads;
use gpualign::console::Console;
use gpualign::input::{self, Reads};
use gpualign::options::start_threads;

/// Searches for all reads by every variant, prints a table and writes the data.
pub fn run(arguments: &WoodstoccArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let files = &arguments.files;
    // What can fail at once does so before the work begins.
    input::check(files.reads())?;
    let opened = Device::open(arguments.device)?;
    if let Some(reason) = &opened.fallback {
        console.notice(&format!("measuring the CPU: {reason}"));
    }
    let out = &arguments.out;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    start_threads(arguments.threads.count())?;
    let (index, batches) = reads::load(files, &console)?;
    let queries: Vec<Read<'_>> = batches
        .iter()
        .flat_map(Reads::iter)
        .map(|read| Read { name: read.name, sequence: read.sequence })
        .collect();
    let options = AblationOptions { k: arguments.k, quick: arguments.quick };
    let report =
        woodstocc(&opened.device, &index, &queries, options, &mut |step| console.start(step));
    console.finish();
    let report = report?;
    let path = out.join("woodstocc.json");
    fs::write(&path, serde_json::to_string_pretty(&report)?)
        .with_context(|| path.display().to_string())?;
    let heading = format!(
        "{}: {} reads, k = {}, {} hits\n",
        report.device, report.reads, report.k, report.hits
    );
    io::stdout().write_all((heading + &report.table()).as_bytes())?;
    Ok(())
}
