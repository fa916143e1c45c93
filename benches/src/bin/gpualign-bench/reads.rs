//! The input that the benchmarks of reads share: reads and the index of a reference.

use aligner_core::Device;
use anyhow::Result;
use clap::Args;
use fm_index::FmIndex;
use seed_extend::read::queries::Queries;

use crate::common::KernelBenchArguments;
use gpualign::console::Console;
use gpualign::index;
use gpualign::input::{self, Lane, Reads};
use gpualign::options::MappingFiles;
use gpualign::options::start_threads;

/// Reads of a batch.
const BATCH: usize = 1 << 17;

/// The command line of `gpualign-bench mapping` and `gpualign-bench seeds`.
#[derive(Debug, Args)]
pub struct ReadsBenchArguments {
    #[command(flatten)]
    pub files: MappingFiles,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

impl ReadsBenchArguments {
    /// Starts the threads, and opens the device, the reference's index and the queries of all reads.
    pub fn open(&self) -> Result<(Device, FmIndex, Vec<Queries>)> {
        input::check(self.files.reads())?;
        let device = Device::open(self.common.device)?.device;
        start_threads(self.common.threads.count())?;
        let (index, batches) = load(&self.files, &Console::new(self.common.messages))?;
        let queries = |reads: &Reads| Queries::new(reads.iter().map(|read| read.sequence));
        Ok((device, index, batches.iter().map(queries).collect()))
    }
}

/// The reference's index, built if there is none, and all reads.
pub fn load(files: &MappingFiles, console: &Console) -> Result<(FmIndex, Vec<Reads>)> {
    let index = index::open_or_build(files.reference(), false, console)?;
    let lanes = files.reads().iter().cloned().map(Lane::of_file).collect();
    let batches = input::batches(lanes, BATCH).batches;
    let reads = batches.into_iter().map(input::ReadBatch::checked).collect::<Result<_>>()?;
    Ok((index, reads))
}
