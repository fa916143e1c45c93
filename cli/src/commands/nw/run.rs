//! Runs `gpualign nw`: reads sequences, aligns tiles of pairs, and writes the output.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use aligner_core::input_location::input_name;
use aligner_core::{Device, DeviceRequest, DeviceSelection};
use anyhow::{Context, Result, bail, ensure};
use nw_batch::{Aligner, DistanceMeasure, IdentityFilter, ResultKind, SequenceSet};

use crate::commands::nw::args::{Nw, NwFormat, NwOptions};
use crate::commands::nw::compression::{CompressedWriter, Compression};
use crate::commands::nw::format::{self, MatrixValues, PairFormatter};
use crate::commands::nw::input::{self, NamedSequences, SequenceFile};
use crate::commands::nw::pipeline::{AlignedCount, Pipeline};
use crate::commands::nw::resume::{ResumableRun, ResumePaths, Resumed};
use crate::commands::nw::scoring::{self, NwScoring};
use crate::commands::nw::shard::{self, NwShard};
use crate::commands::nw::tile_writer::TileWriter;
use crate::commands::nw::tiles::{PairSelection, PairSource, TileEnd, Tiles};
use crate::console::Console;
use crate::on_device;
use crate::options::start_threads;
use crate::shard::ShardWriter;
use crate::staging::{Outputs, Target, commit};
use crate::timeline::{Step, Timeline};

/// Runs a command of `gpualign nw`.
pub fn run(command: &Nw) -> Result<()> {
    let options = command.options();
    let console = Console::new(options.messages);
    let timeline = Timeline::new();
    // The driver begins while files are read.
    on_device::wake_driver(&options.device);
    start_threads(options.threads.count())?;
    let mut outputs = Outputs::new(command.inputs());
    let target = outputs.target(options.output.as_deref())?;
    options.check_extension()?;
    let resume_paths = match target.path() {
        _ if !options.resume => None,
        Some(path) => Some(ResumePaths::new(path, &mut outputs)?),
        None => bail!("{}: --resume needs a regular file: leave it out", target.name()),
    };
    let timeline_file =
        options.timeline.as_deref().map(|path| outputs.target(Some(path))).transpose()?;
    let mut scorings = scoring::candidates(options)?;
    let alphabets: Vec<_> = scorings.iter().map(|it| it.scoring.alphabet()).collect();
    let read = |path: &Path| timeline.time(Step::Read, "file", || input::read(path, &alphabets));
    let (selection, queries, targets) = match command {
        Nw::Pairs { queries, targets, .. } => {
            let (first, second) = rayon::join(|| read(queries), || read(targets));
            let (first, second) = (first?, second?);
            let (m, n) = (first.len(), second.len());
            let (first_name, second_name) = (input_name(queries), input_name(targets));
            ensure!(
                m == n,
                "{first_name} has {m} records, but {second_name} has {n}: pairs needs as many; one-vs-all aligns each \
                 record with each"
            );
            (PairSelection::Pairs, first, Some(second))
        }
        Nw::OneVsAll { queries, targets, .. } => {
            let (first, second) = rayon::join(|| read(queries), || read(targets));
            (PairSelection::OneVsAll, first?, Some(second?))
        }
        Nw::AllVsAll { sequences, .. } => {
            let diagonal = options.format().is_matrix() && options.score_only;
            (PairSelection::AllVsAll { diagonal }, read(sequences)?, None)
        }
    };
    let scoring = scorings.swap_remove(choose_scoring(&queries, targets.as_ref(), scorings.len())?);
    if options.matrix.is_none() && !scoring.scoring.alphabet().is_nucleotides() {
        console.notice(&format!(
            "there are letters of proteins: scoring by {}, or by another --matrix",
            scoring.name
        ));
    }
    for (file, path) in
        [Some(&queries), targets.as_ref()].into_iter().flatten().zip(command.inputs())
    {
        if file.gaps > 0 {
            console.notice(&format!("{}: left out {} gap characters", input_name(path), file.gaps));
        }
    }
    let encode = |file: SequenceFile| {
        file.encode(scoring.scoring.alphabet(), options.format().shows_residues())
    };
    let (queries, targets) = (encode(queries), targets.map(encode));
    match command {
        Nw::AllVsAll { sequences, .. } if options.format().is_matrix() => {
            input::names_differ(sequences, &queries.names)?;
        }
        _ => {}
    }
    if options.format() == NwFormat::Sam {
        let [first, second] = [0, 1].map(|file| command.inputs().get(file).copied());
        let path = second.filter(|_| targets.is_some()).or(first).unwrap_or(Path::new("-"));
        format::check_sam_names(path, &queries, targets.as_ref().unwrap_or(&queries))?;
    }
    let distance = options.distance.map(|name| {
        let alphabet = scoring.scoring.alphabet();
        let measure = DistanceMeasure::new(alphabet, name.into(), options.are_gaps_counted());
        measure
            .context("kimura of nucleotides does not count gaps: leave out --distance-gaps count")
    });
    let distance = distance.transpose()?;
    let targets = targets.as_ref().unwrap_or(&queries);
    let run = NwRun {
        options,
        scoring: &scoring,
        distance: distance.as_ref(),
        selection,
        queries: &queries,
        targets,
        timeline,
    };
    run.align_all(target, resume_paths, timeline_file, &console)
}

/// Place of the first scoring, of so many, that has all letters of the sequences.
fn choose_scoring(
    queries: &SequenceFile,
    targets: Option<&SequenceFile>,
    count: usize,
) -> Result<usize> {
    let problem = |place| {
        let files = [Some(queries), targets].into_iter().flatten();
        files.into_iter().find_map(|file| file.problem(place))
    };
    match (0..count).find(|&place| problem(place).is_none()) {
        Some(place) => Ok(place),
        None => bail!("{}", problem(count - 1).unwrap_or_default()),
    }
}

/// One run: its options, scoring and sequences.
struct NwRun<'a> {
    options: &'a NwOptions,
    scoring: &'a NwScoring,
    distance: Option<&'a DistanceMeasure>,
    selection: PairSelection,
    queries: &'a NamedSequences,
    targets: &'a NamedSequences,
    timeline: Timeline,
}

impl NwRun<'_> {
    /// Aligns all pairs and writes the output, and the timeline on request.
    fn align_all(
        &self,
        target: Target,
        resume_paths: Option<ResumePaths>,
        timeline_file: Option<Target>,
        console: &Console,
    ) -> Result<()> {
        let start = Instant::now();
        let options = self.options;
        let is_matrix = options.format().is_matrix();
        let share = options.shard.share();
        let source = PairSource {
            selection: self.selection,
            queries: &self.queries.sequences,
            targets: &self.targets.sequences,
        };
        let formatter = self.formatter();
        let made = self.timeline.time(Step::Device, "open", || self.aligners(console))?;
        let (mut aligners, names): (Vec<Aligner<'_>>, Vec<String>) = made.into_iter().unzip();
        let (mut writer, resumed) = match resume_paths {
            Some(paths) => {
                let is_end = |position| source.is_end(position);
                match paths.resume(self.output_hash(), is_end, !is_matrix)? {
                    Resumed::Run { run, file, bytes, next } => {
                        ensure!(
                            next.is_none_or(|next| source.is_position(next)),
                            "{}: goes on at no pair of this run: remove it to start over",
                            run.partial().display()
                        );
                        (TileWriter::resumed(file, bytes, run), next)
                    }
                    Resumed::Complete => {
                        console.notice(&format!("{}: was complete already", target.name()));
                        return commit(self.write_timeline(timeline_file)?);
                    }
                }
            }
            None if share.is_some() => (self.shard_writer(&target, &formatter)?, None),
            None if is_matrix => {
                // The upper triangle, beside the output, where there must be as much space anyway.
                let folder = target.scratch_folder();
                let file = tempfile::tempfile_in(&folder);
                (TileWriter::new(file.with_context(|| folder.display().to_string())?), None)
            }
            None => {
                let file = File::from(target.open().with_context(|| target.name())?);
                (TileWriter::new(file), None)
            }
        };
        let next = resumed.unwrap_or_else(|| source.begin());
        if resumed.is_none() && share.is_none() {
            let heading = formatter.heading().into_bytes();
            let heading = options.compression().compress(heading).with_context(|| target.name())?;
            writer.add(&[heading], TileEnd::before(next)).with_context(|| target.name())?;
        }

        let shards = share.map_or(1, |share| u64::from(share.shard.count));
        console.start_pairs(source.len().div_ceil(shards));
        let pipeline = Pipeline {
            formatter: &formatter,
            compression: if is_matrix { Compression::None } else { options.compression() },
            timeline: &self.timeline,
            console,
        };
        let alphabet = self.scoring.scoring.alphabet();
        let filter = options
            .min_identity
            .map(|least| IdentityFilter::new(alphabet, source.queries, source.targets, least));
        let tiles = match share {
            Some(share) => Tiles::of_shard(&source, share),
            None => Tiles::from(&source, next),
        };
        let tiles = tiles.filtered(filter.as_ref());
        let done = pipeline.run(tiles, &mut aligners, &mut writer);
        console.finish();
        let AlignedCount { pairs, cells } = done.with_context(|| target.name())?;
        for (aligner, name) in aligners.iter().zip(&names) {
            if let Some(reason) = aligner.failure() {
                console.notice(&format!("{name}: {reason}: the rest was aligned on the CPU"));
            }
        }

        match writer {
            TileWriter::Shard(file) => {
                file.finish(&shard::trailer()).with_context(|| target.name())?;
                commit([target].into_iter().chain(self.write_timeline(timeline_file)?))?;
            }
            TileWriter::File { file, run, .. } => {
                self.commit(file, run, target, timeline_file)?;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        console.detail(&format!(
            "{pairs} pairs on {}, {seconds:.2} s, {:.0} pairs/s, {:.2} GCUPS",
            names.join(", "),
            pairs as f64 / seconds,
            cells as f64 / seconds / 1e9
        ));
        Ok(())
    }

    /// Begins the file of a shard.
    fn shard_writer(&self, target: &Target, formatter: &PairFormatter<'_>) -> Result<TileWriter> {
        let options = self.options;
        let share = options.shard.share().context("not a shard")?;
        let is_matrix = options.format().is_matrix();
        let facts = NwShard {
            format: options.format(),
            heading: formatter.heading(),
            names: if is_matrix { self.queries.names.clone() } else { Vec::new() },
            values: self.matrix_values(),
        };
        let header = facts.header(share, self.output_hash())?;
        let begin = |descriptor| ShardWriter::create(File::from(descriptor), &header);
        let writer = target.open().and_then(begin).with_context(|| target.name())?;
        Ok(TileWriter::Shard(writer))
    }

    /// Gives a file of results its name, or the matrix that is made of it, and the timeline.
    fn commit(
        &self,
        file: File,
        run: Option<Box<ResumableRun>>,
        target: Target,
        timeline_file: Option<Target>,
    ) -> Result<()> {
        let is_matrix = self.options.format().is_matrix();
        if is_matrix {
            self.write_matrix(&file, &target)?;
        }
        let timeline_file = self.write_timeline(timeline_file)?;
        match &run {
            Some(run) if !is_matrix => {
                target.commit_renamed(&file, run.partial())?;
                commit(timeline_file)?;
            }
            _ => {
                drop(file);
                commit([target].into_iter().chain(timeline_file))?;
            }
        }
        run.map_or(Ok(()), |run| run.remove())
    }

    /// Writes the timeline to its file, if there is one, which can be committed then.
    fn write_timeline(&self, file: Option<Target>) -> Result<Option<Target>> {
        file.iter().try_for_each(|file| self.timeline.write(file))?;
        Ok(file)
    }

    /// An aligner for each device, with the device's name; for any device, one on the first GPU or on the CPU.
    fn aligners(&self, console: &Console) -> Result<Vec<(Aligner<'_>, String)>> {
        let options = self.options;
        let (queries, targets) = (&self.queries.sequences, &self.targets.sequences);
        let kind = if options.score_only { ResultKind::Scores } else { ResultKind::Alignments };
        let on = |device: Device| {
            Aligner::new(
                &self.scoring.scoring,
                queries,
                targets,
                kind,
                device,
                options.kernel.into(),
            )
        };
        let request = match options.device {
            DeviceSelection::Auto => DeviceRequest::Auto,
            DeviceSelection::Cpu => DeviceRequest::Cpu,
            DeviceSelection::Gpus(_) | DeviceSelection::AllGpus => {
                return on_device::make_on_gpus(&options.device.gpus()?, on);
            }
        };
        let opened = on_device::open(request)?;
        if let Some(reason) = &opened.fallback {
            console.notice(&format!("{reason}: aligning on the CPU"));
        }
        Ok(vec![on_device::make((opened.device, request), console, "aligning", on)?])
    }

    /// Writes the matrix of all pairs from its upper triangle.
    fn write_matrix(&self, triangle: &File, target: &Target) -> Result<()> {
        target.write(|file| {
            let mut out = CompressedWriter::new(file, self.options.compression());
            let (format, names) = (self.options.format(), &self.queries.names);
            format::write_matrix(format, names, triangle, self.matrix_values(), &mut out)?;
            out.flush()
        })
    }

    /// What the values of a matrix are.
    fn matrix_values(&self) -> MatrixValues {
        if self.options.score_only {
            MatrixValues::Scores { scale: self.scoring.scale }
        } else {
            MatrixValues::Distances
        }
    }

    /// Formatter of the pairs.
    fn formatter(&self) -> PairFormatter<'_> {
        PairFormatter {
            format: self.options.format(),
            scoring: self.scoring,
            queries: self.queries,
            targets: self.targets,
            min_identity: self.options.min_identity,
            distance: self.distance,
        }
    }

    /// Hash of everything that the output depends on.
    fn output_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        let options = self.options;
        let NwScoring { scoring, scale, name, .. } = self.scoring;
        format!("{:?} {:?} {:?}", self.selection, options.format(), options.score_only)
            .hash(&mut hasher);
        format!("{:?} {:?} {:?}", scoring.gaps(), scoring.free_ends(), scoring.score_table())
            .hash(&mut hasher);
        format!("{scale} {name} {:?}", options.min_identity).hash(&mut hasher);
        (options.distance, options.distance_gaps, options.compression()).hash(&mut hasher);
        scoring.ends_behind_pairs().hash(&mut hasher);
        for records in [self.queries, self.targets] {
            records.names.hash(&mut hasher);
            records.sequences.all_codes().hash(&mut hasher);
            records.sequences.offsets().hash(&mut hasher);
            records.letters.as_ref().map(SequenceSet::all_codes).hash(&mut hasher);
        }
        hasher.finish()
    }
}
