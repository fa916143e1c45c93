//! Merging shards of mapping.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use fm_index::{Contig, Reference};
use rayon::prelude::*;

use super::args::MergeArguments;
use crate::commands::map::duplicates::metrics_text;
use crate::commands::map::mapping_device::DeviceReads;
use crate::commands::map::overview;
use crate::commands::map::report::Report;
use crate::commands::map::shard::{MappedNumbers, MappedShard};
use crate::commands::map::sorting::default_memory;
use crate::commands::map::stages::MappingTotals;
use crate::commands::map::stats::{
    AllNumbers, AllStats, DuplicateTotals, Seconds, Summary, per_second,
};
use crate::console::Console;
use crate::output::{
    Format, JoinedGpus, Options, Output, OutputReference, Piece, PieceLimits, PiecePool,
    ReferenceSource, ReferenceText, Tally, WrittenFile, header, restore,
};
use crate::shard::{MergedBlock, ShardSet, Unit};
use crate::staging::{Outputs, commit};

/// Writes the file of alignments that one run would have written.
pub fn merge(
    mut shards: ShardSet,
    arguments: &MergeArguments,
    mut outputs: Outputs,
    console: &Console,
) -> Result<()> {
    let facts: MappedShard = shards.content()?;
    let numbers: Vec<MappedNumbers> = shards.trailers()?;
    let format = format(arguments, &facts)?;
    let target = outputs.target(arguments.output.as_deref())?;
    let samples: Vec<&str> = facts.samples.iter().map(String::as_str).collect();
    let report = arguments.report.as_deref();
    let report = report.map(|path| Report::new(path, &samples, &mut outputs)).transpose()?;
    let metrics = arguments.metrics.as_deref();
    let metrics = metrics.map(|path| outputs.target(Some(path))).transpose()?;
    let command = header::command_line(env::args_os());

    let contigs = facts.contigs();
    let fasta = arguments.reference.as_deref().filter(|_| format == Format::Cram);
    let text = fasta.map(|fasta| reference_text(fasta, &contigs)).transpose()?;
    let of_shards = header::program_line(&numbers[0].command) + &header::merge_line(&command);
    let lines = lines(&facts, fasta)?;
    let options = Options {
        format,
        threads: arguments.threads.count(),
        header: lines + &of_shards,
        sort_memory: facts.is_sorted.then(|| arguments.sort_memory.unwrap_or_else(default_memory)),
        temporary_folder: arguments.temporary_folder.clone(),
        marking: facts.marking,
        libraries: facts.libraries.of_groups.clone(),
        level: arguments.compression.level(),
        gpus: JoinedGpus::default(),
        shard: None,
        is_merged: true,
    };
    let reference = OutputReference { contigs: &contigs, text };
    let mut output = Output::create(target, &mut outputs, &options, reference)?;
    console.start("merging shards");
    let limits = PieceLimits { contigs: contigs.len(), groups: facts.libraries.of_groups.len() };
    write_all(&mut shards, limits, &mut output)?;
    let written = output.close()?;
    console.finish();

    let summary = summary(&facts, &numbers, &written, &command, arguments.threads.count());
    let mut complete = vec![written.target];
    if let (Some(metrics), Some(counts)) = (metrics, &written.duplicates) {
        metrics.write_text(&metrics_text(&command, &facts.libraries.names, counts))?;
        complete.push(metrics);
    }
    if let Some(report) = report {
        complete.extend(report.write(&summary)?);
    }
    commit(complete)?;
    overview::tell(&summary, arguments.stats, console)
}

/// The format of the output.
///
/// # Errors
/// Names the option that is missing, or that does not fit the shards.
fn format(arguments: &MergeArguments, facts: &MappedShard) -> Result<Format> {
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let format = arguments.output_format.or_else(|| Format::of(output));
    let Some(format) = format else {
        bail!(
            "'{}' does not end in .sam, .bam or .cram: choose the format with --output-format",
            output.display()
        );
    };
    if format == Format::Cram {
        ensure!(
            !facts.has_eqx,
            "the shards were made with --eqx, and CRAM cannot store = and X: change the format"
        );
        ensure!(
            arguments.reference.is_some(),
            "CRAM is compressed by the reference: name it with --reference"
        );
    }
    if arguments.metrics.is_some() && facts.marking.is_none() {
        bail!(
            "--metrics counts duplicates: make the shards with --mark-duplicates or --remove-duplicates"
        );
    }
    Ok(format)
}

/// The lines of the header before those of programs. With CRAM, contigs have the location of the reference.
fn lines(facts: &MappedShard, fasta: Option<&Path>) -> Result<String> {
    let Some(fasta) = fasta else { return Ok(facts.header.clone()) };
    let location = header::location(fasta).with_context(|| fasta.display().to_string())?;
    let with =
        |location: String| header::with_location(&facts.header, facts.contigs.len(), &location);
    Ok(location.map_or_else(|| facts.header.clone(), with))
}

/// The letters of the reference, which must be the one that reads were mapped to.
fn reference_text(fasta: &Path, contigs: &[Contig]) -> Result<ReferenceText> {
    let reference = Reference::from_fasta(fasta)?;
    ensure!(reference.contigs() == contigs, "{}: not the reference of the shards", fasta.display());
    ReferenceText::new(ReferenceSource::Alone(Box::new(reference)), fasta)
}

/// Writes the records of all shards in the order of the reads.
fn write_all(shards: &mut ShardSet, limits: PieceLimits, output: &mut Output) -> Result<()> {
    loop {
        let blocks = shards.next_blocks()?;
        if blocks.is_empty() {
            return Ok(());
        }
        let piece = |block: &MergedBlock| {
            restore(&block.content, limits).ok_or_else(|| {
                anyhow!("{}: the shard is damaged: make it again", shards.path_of(block).display())
            })
        };
        let pieces: Vec<Piece> = blocks.par_iter().map(piece).collect::<Result<_>>()?;
        // Nothing takes memory out of a pool here, so that of each round is freed.
        output.write(Unit::default(), pieces, &PiecePool::default())?;
    }
}

/// The statistics of all shards.
fn summary(
    facts: &MappedShard,
    numbers: &[MappedNumbers],
    written: &WrittenFile,
    command: &str,
    threads: usize,
) -> Summary {
    let totals =
        numbers.iter().map(|it| it.totals).fold(MappingTotals::default(), MappingTotals::plus);
    let seconds = numbers.iter().map(|it| it.seconds).fold(Seconds::default(), Seconds::plus);
    let mut tally = Tally::default();
    for shard in numbers {
        tally.add_all(&shard.tally);
    }
    let mut devices: Vec<DeviceReads> = Vec::new();
    for found in numbers.iter().flat_map(|shard| &shard.devices) {
        match devices.iter_mut().find(|known| known.device == found.device) {
            Some(known) => known.reads += found.reads,
            None => devices.push(found.clone()),
        }
    }
    let all: Vec<AllNumbers> = numbers.iter().filter_map(|it| it.all).collect();
    let duplicates = written.duplicates.as_ref();
    Summary {
        version: env!("CARGO_PKG_VERSION"),
        command: command.to_owned(),
        mode: facts.mode,
        device: DeviceReads::names(&devices),
        devices,
        threads,
        reads: totals.reads,
        bases: totals.bases,
        aligned: totals.aligned,
        alignments: totals.alignments,
        too_long: totals.too_long,
        tally,
        duplicates: duplicates.map(|counts| DuplicateTotals::of_libraries(&counts.libraries)),
        seconds,
        reads_per_second: per_second(totals.reads, seconds.total - seconds.start),
        all: AllStats::of_shards(&all),
    }
}
