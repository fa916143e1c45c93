//! Runs a mapping command: from input files to the output file.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aligner_core::{Device, DeviceError};
use anyhow::{Context, Error, Result, anyhow};
use fm_index::FmIndex;
use seed_extend::AltContigs;
use seed_extend::pair::insert_size::SAMPLE;
use woodstocc::{MAX_READ, Mapper};

use super::args::{MapOptions, Mode};
use super::devices::{Devices, batch_limit};
use super::lanes::Lanes;
use super::mapping_device::{DeviceMapper, DeviceReads};
use super::opening::OpeningGpus;
use super::report::Report;
use super::shard::{self, MappedNumbers};
use super::stages::{MappingTotals, StageBuilder};
use super::stats::{AllStats, DuplicateTotals, Seconds, Summary, per_second};
use super::{all, alt_contigs, best, descriptions, duplicates, overview};
use crate::console::Console;
use crate::index;
use crate::input::{self, Batches, InputProgress, SharedReads};
use crate::options::{MappingFiles, start_threads};
use crate::output::record::best::{Alternatives, RecordStyle};
use crate::output::{
    Format, JoinedGpus, Options, Output, OutputReference, PieceForm, ReferenceFiles,
    ReferenceSource, ReferenceText, WrittenFile, header,
};
use crate::program;
use crate::shard::ShardWriter;
use crate::staging::{Outputs, Target, commit};
use crate::timeline::{Step, Timeline};

/// One thread reads files for this many threads of the run, and one and a half decompress files of BGZF. With a GPU, 16 threads map
/// 1.25 million pairs of 150 bases a second, and one thread reads 3.7 million.
const THREADS_OF_READER: usize = 8;

/// The most threads that read files: as many as it takes to read as fast as memory is.
const MAX_READERS: usize = 8;

/// Maps reads to a reference, and writes statistics and reports on request.
pub fn run(files: &MappingFiles, options: &MapOptions) -> Result<()> {
    let timeline = Arc::new(Timeline::new());
    let opening = OpeningGpus::begin(&options.device, &timeline);
    // Threads that map batches are few; all share the pool for parallel work.
    start_threads(options.threads.count())?;
    run_on(opening, files, options, &timeline)
}

/// As [`run`], on GPUs that are being opened, and with the timeline of the run.
pub(super) fn run_on(
    opening: OpeningGpus,
    files: &MappingFiles,
    options: &MapOptions,
    timeline: &Arc<Timeline>,
) -> Result<()> {
    let threads = options.threads.count();
    let console = Console::new(options.messages);

    // Wrong names of files are reported before the long work begins.
    let lanes = Lanes::open(files, options)?;
    let alt_path = alt_contigs::path_for(files.reference());
    let mut outputs = outputs_beside(files, options, &lanes);
    let target = outputs.target(options.output.as_deref())?;
    let trace = options.timeline.as_deref().map(|path| outputs.target(Some(path))).transpose()?;
    let samples = lanes.groups().samples();
    let report = options.report.as_deref();
    let report = report.map(|path| Report::new(path, &samples, &mut outputs)).transpose()?;
    let metrics =
        options.duplicates.metrics().map(|path| outputs.target(Some(path))).transpose()?;
    options.sorting.check_folder()?;

    let open = || index::open(files.reference(), options.index.as_deref(), &console);
    let index = match timeline.time(Step::Index, "open", open)? {
        Some(index) => index,
        None => timeline.time(Step::Index, "build", || {
            index::build_for_mapping(files.reference(), options.save_index, &console)
        })?,
    };
    let index = Arc::new(index);
    program::keep(Arc::clone(&index));
    // It has to stay until all reads are read.
    let _decoding = reference_of_reads(&lanes, &index, files.reference())?;
    let alt_contigs = alt_contigs(&alt_path, options, &index)?;
    let command = header::command_line(env::args_os());
    let libraries = lanes.libraries();
    let format = output_options(
        files,
        options,
        (&lanes, opening.joined()),
        (&index, &alt_contigs, &command),
    )?;
    let batches = batches(&lanes, options);
    let progress = Arc::clone(&batches.progress);
    let fingerprint = Arc::clone(&batches.fingerprint);
    index::use_large_pages(&index, &options.device);
    let descriptions = descriptions(files, options, &index)?;
    let genome = (&index, files.reference());
    let output = create_output(target, &mut outputs, &format, genome)?;
    let run = MappingRun {
        options,
        lanes: &lanes,
        form: format.piece_form(),
        descriptions: &descriptions,
        alt_contigs,
        timeline,
        console: &console,
        progress: &progress,
    };
    let RunResult { totals, written, devices, starting, all } = match options.mode {
        Mode::Best => run.map_best(&index, opening, batches, output)?,
        Mode::All => run.map_all(&index, opening, batches, output)?,
    };
    // All outputs get their names together, when each of them is complete.
    let mut complete = vec![written.target];
    if let (Some(metrics), Some(counts)) = (metrics, &written.duplicates) {
        metrics.write_text(&duplicates::metrics_text(&command, &libraries.names, counts))?;
        complete.push(metrics);
    }

    say_exceptions(totals.too_long, written.device_failure.as_ref(), &console);
    if written.on_gpu > 0 {
        console.detail(&format!("{} records were on a GPU until they were sorted", written.on_gpu));
    }
    let total = timeline.elapsed();
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        command,
        mode: options.mode,
        device: DeviceReads::names(&devices),
        devices,
        threads,
        reads: totals.reads,
        bases: totals.bases,
        aligned: totals.aligned,
        alignments: totals.alignments,
        too_long: totals.too_long,
        tally: written.tally,
        duplicates: written
            .duplicates
            .as_ref()
            .map(|counts| DuplicateTotals::of_libraries(&counts.libraries)),
        seconds: Seconds::new(timeline, starting, total),
        reads_per_second: per_second(totals.reads, total.saturating_sub(starting).as_secs_f64()),
        all,
    };
    if let Some(file) = written.shard {
        finish_shard(file, fingerprint.get().copied(), &summary, totals)?;
    }
    if let Some(report) = report {
        complete.extend(report.write(&summary)?);
    }
    if let Some(trace) = trace {
        timeline.write(&trace)?;
        complete.push(trace);
    }
    commit(complete)?;
    overview::tell(&summary, options.stats, &console)
}

/// No outputs yet, of a run with these inputs.
fn outputs_beside(files: &MappingFiles, options: &MapOptions, lanes: &Lanes) -> Outputs {
    let (reads, reference) = (lanes.files(), files.reference());
    let beside = [index::path_for(reference), alt_contigs::path_for(reference)];
    let given = options.lanes.iter().chain(&options.index);
    let inputs = reads.iter().chain(&beside).chain(given);
    Outputs::new(inputs.map(PathBuf::as_path).chain([reference]))
}

/// How to write the file of alignments, whose header has these ALT contigs and this command.
fn output_options(
    files: &MappingFiles,
    options: &MapOptions,
    (lanes, gpus): (&Lanes, JoinedGpus),
    (index, alt_contigs, command): (&FmIndex, &AltContigs, &str),
) -> Result<Options> {
    let format = options
        .format()
        .ok_or_else(|| anyhow!("unknown output format: choose one with --output-format"))?;
    let named = || files.reference().display().to_string();
    let location = match format {
        Format::Cram => header::location(files.reference()).with_context(named)?,
        // These need no reference to be read.
        Format::Sam | Format::Bam => None,
    };
    let (lines, order) = (&options.of_mem.header, options.sorting.order());
    let (reference, location) = (index.reference(), location.as_deref());
    let sequences = header::Sequences { reference, location, alt_contigs };
    let lines = header::text(sequences, lanes.groups(), lines, order).with_context(named)?;
    let header = lines.clone() + &header::program_line(command);
    let shard = |share| shard::header(share, options, lanes, (reference, lines));
    Ok(Options {
        format,
        threads: options.threads.count(),
        header,
        sort_memory: options.sorting.memory(),
        temporary_folder: options.sorting.temporary_folder().map(Path::to_owned),
        marking: options.duplicates.marking(),
        libraries: lanes.libraries().of_groups,
        level: options.compression.level(),
        gpus,
        shard: options.shard.share().map(shard).transpose()?,
        is_merged: false,
    })
}

/// Begins the output, whose reference was read from the file `fasta`.
fn create_output(
    target: Target,
    outputs: &mut Outputs,
    options: &Options,
    (index, fasta): (&Arc<FmIndex>, &Path),
) -> Result<Output> {
    let needs_text = options.shard.is_none() && options.format == Format::Cram;
    let text = needs_text.then(|| reference_text(index, fasta)).transpose()?;
    let reference = OutputReference { contigs: index.reference().contigs(), text };
    Output::create(target, outputs, options, reference)
}

/// Ends the file of a shard, given the hash of all reads.
fn finish_shard(
    file: ShardWriter,
    reads: Option<u64>,
    summary: &Summary,
    totals: MappingTotals,
) -> Result<()> {
    let trailer = shard::trailer(reads, &MappedNumbers::new(summary, totals))?;
    file.finish(&trailer).context("cannot write the end of the shard")
}

/// The letters of the reference, which was read from this file.
fn reference_text(index: &Arc<FmIndex>, fasta: &Path) -> Result<ReferenceText> {
    ReferenceText::new(ReferenceSource::Index(Arc::clone(index)), fasta)
}

/// The reference for aligned reads in CRAM, if there may be some.
fn reference_of_reads(
    lanes: &Lanes,
    index: &Arc<FmIndex>,
    fasta: &Path,
) -> Result<Option<ReferenceFiles>> {
    if !lanes.may_need_reference() {
        return Ok(None);
    }
    let files = ReferenceFiles::new(reference_text(index, fasta)?)?;
    lanes.decode_with(&files.name())?;
    Ok(Some(files))
}

/// The batches of the reads of all lanes.
fn batches(lanes: &Lanes, options: &MapOptions) -> Batches {
    let (size, rules) = (options.batch_size as usize, options.record_rules());
    let estimates = options.mode == Mode::Best && options.best.numbers.library().is_none();
    let sample = if estimates { SAMPLE as u64 } else { 0 };
    let shared = options.shard.share().map(|share| SharedReads { share, sample });
    let readers = (options.threads.count() / THREADS_OF_READER).clamp(1, MAX_READERS);
    let limit = match options.mode {
        Mode::Best => batch_limit::<seed_extend::Mapper>(&options.device, size),
        Mode::All => batch_limit::<Mapper>(&options.device, size),
    };
    input::batches_by_rules(lanes.all().to_vec(), limit, rules, shared, readers)
}

/// The ALT contigs that a file names, or none if the mode has none or they are like all others.
fn alt_contigs(file: &Path, options: &MapOptions, index: &FmIndex) -> Result<AltContigs> {
    if options.mode == Mode::All || options.best.ignore_alt {
        Ok(AltContigs::default())
    } else {
        alt_contigs::read(file, index.reference())
    }
}

/// The descriptions of all contigs, or none if they are not wanted.
fn descriptions(
    files: &MappingFiles,
    options: &MapOptions,
    index: &FmIndex,
) -> Result<Vec<Vec<u8>>> {
    if options.of_mem.has_descriptions {
        descriptions::of_contigs(files.reference(), index.reference())
    } else {
        Ok(Vec::new())
    }
}

/// Says how many reads were too long, and that the CPU took over from a GPU that failed to compress, if that happened.
fn say_exceptions(too_long: u64, failure: Option<&DeviceError>, console: &Console) {
    if too_long > 0 {
        let (have, are, them) = match too_long {
            1 => ("read has", "is", "it"),
            _ => ("reads have", "are", "them"),
        };
        console.notice(&format!(
            "{too_long} {have} more than {MAX_READ} bases and {are} reported as not aligned: a mapper of long reads, such as \
             minimap2, aligns {them}"
        ));
    }
    if let Some(reason) = failure {
        console.notice(&format!("{reason}: the rest of the BAM was compressed on the CPU"));
    }
}

/// The options of a run, and what its pipeline writes to.
struct MappingRun<'a> {
    options: &'a MapOptions,
    lanes: &'a Lanes,
    /// The form of the pieces that the pipeline makes.
    form: PieceForm,
    /// The descriptions of all contigs, if they are wanted.
    descriptions: &'a [Vec<u8>],
    /// The ALT contigs; none in mode all.
    alt_contigs: AltContigs,
    timeline: &'a Arc<Timeline>,
    console: &'a Console,
    /// How far reading has come.
    progress: &'a InputProgress,
}

/// The result of a run.
struct RunResult {
    totals: MappingTotals,
    written: WrittenFile,
    /// The devices that have mapped reads.
    devices: Vec<DeviceReads>,
    /// The time from the start of the program until the first batch could be mapped.
    starting: Duration,
    /// Statistics of mode all.
    all: Option<AllStats>,
}

impl MappingRun<'_> {
    fn stages(&self) -> StageBuilder<'_> {
        let Self { options, lanes, form, timeline, console, progress, .. } = *self;
        let (eqx, no_unmapped) = (options.eqx, options.no_unmapped);
        StageBuilder { lanes, eqx, no_unmapped, form, timeline, console, progress }
    }

    /// Ends the progress display of a pipeline, and says so if a GPU failed and the CPU did its work.
    fn finish<T, M: DeviceMapper>(&self, done: Result<T>, devices: &Devices<M>) -> Result<T> {
        self.console.finish();
        let done = done?;
        for failure in devices.failures() {
            self.console.notice(&format!("{failure}: the rest was mapped on the CPU"));
        }
        Ok(done)
    }

    /// How records of mode best are written.
    fn style(&self) -> RecordStyle<'_> {
        let (options, default) = (self.options, RecordStyle::default());
        let of_mem = &options.of_mem;
        RecordStyle {
            eqx: options.eqx,
            alternatives: options.best.alternatives.unwrap_or(Alternatives::None),
            max_alternatives: of_mem.max_alternatives.unwrap_or(default.max_alternatives),
            max_alternatives_with_alt: of_mem
                .max_alternatives_with_alt
                .unwrap_or(default.max_alternatives_with_alt),
            marks_parts_secondary: of_mem.marks_parts_secondary,
            clips_softly: of_mem.clips_softly,
            descriptions: self.descriptions,
        }
    }

    /// Maps in mode best.
    fn map_best(
        &self,
        index: &FmIndex,
        opening: OpeningGpus,
        batches: Batches,
        output: Output,
    ) -> Result<RunResult> {
        let Self { options, timeline, console, .. } = *self;
        let chosen = options.best_options().map_err(Error::msg)?;
        let mapper = seed_extend::Mapper::new(index, chosen, &Device::Cpu)?;
        let mapper = Arc::new(mapper.with_alt_contigs(self.alt_contigs.clone()));
        let devices = Devices::new(opening, &mapper, timeline, Arc::clone(&batches.limit))?;
        let starting = timeline.elapsed();
        console.start_reads();
        let pipeline = best::BestPipeline {
            mapper: &mapper,
            devices: &devices,
            seed: options.seed,
            style: self.style(),
            library: options.best.numbers.library(),
            stages: self.stages(),
        };
        let done = pipeline.run(batches, output);
        let (totals, written) = self.finish(done, &devices)?;
        Ok(RunResult { totals, written, devices: devices.leave(), starting, all: None })
    }

    /// Maps in mode all.
    fn map_all(
        &self,
        index: &Arc<FmIndex>,
        opening: OpeningGpus,
        batches: Batches,
        output: Output,
    ) -> Result<RunResult> {
        let Self { options, timeline, console, .. } = *self;
        let params = options.all_parameters();
        let mapper = Arc::new(Mapper::new(Arc::clone(index), params, Device::Cpu)?);
        let devices = Devices::new(opening, &mapper, timeline, Arc::clone(&batches.limit))?;
        let starting = timeline.elapsed();
        console.start_reads();
        let pipeline =
            all::AllPipeline { mapper: &mapper, devices: &devices, stages: self.stages() };
        let done = pipeline.run(batches, output);
        let (totals, written) = self.finish(done, &devices)?;
        let choices = devices.all().iter().flat_map(|device| device.mapper.choices()).collect();
        let all = Some(AllStats::new(&mapper, params.k, choices));
        Ok(RunResult { totals, written, devices: devices.leave(), starting, all })
    }
}
