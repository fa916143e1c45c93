//! Runs `gpualign nw`: reads sequences, aligns tiles of pairs, and writes the output.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use aligner_core::input_location::input_name;
use aligner_core::{Device, DeviceRequest, DeviceSelection};
use anyhow::{Context, Result, bail, ensure};
use nw_batch::{Aligner, ResultKind, Scoring};

use crate::commands::nw::args::{Nw, NwOptions};
use crate::commands::nw::format::{self, PairFormatter};
use crate::commands::nw::input::{self, NamedSequences};
use crate::commands::nw::pipeline::{AlignedCount, Pipeline};
use crate::commands::nw::resume::{ResumableRun, ResumePaths, Resumed};
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
    start_threads(options.threads.count())?;
    let mut outputs = Outputs::new(command.inputs());
    let target = outputs.target(options.output.as_deref())?;
    let resume_paths = match target.path() {
        _ if !options.resume => None,
        Some(path) => Some(ResumePaths::new(path, &mut outputs)?),
        None => bail!("{}: --resume needs a regular file: leave it out", target.name()),
    };
    let timeline_file =
        options.timeline.as_deref().map(|path| outputs.target(Some(path))).transpose()?;
    let scoring = input::scoring(options)?;
    let read =
        |path: &Path| timeline.time(Step::Read, "file", || input::read(path, scoring.alphabet()));
    let (selection, queries, targets) = match command {
        Nw::Pairs { queries, targets, .. } => {
            let (first, second) = (read(queries)?, read(targets)?);
            let (m, n) = (first.names.len(), second.names.len());
            let (first_name, second_name) = (input_name(queries), input_name(targets));
            ensure!(
                m == n,
                "{first_name} has {m} records, but {second_name} has {n}: pairs needs as many; one-vs-all aligns each \
                 record with each"
            );
            (PairSelection::Pairs, first, Some(second))
        }
        Nw::OneVsAll { queries, targets, .. } => {
            (PairSelection::OneVsAll, read(queries)?, Some(read(targets)?))
        }
        Nw::AllVsAll { sequences, .. } => {
            let records = read(sequences)?;
            let is_matrix = options.format().is_matrix();
            if is_matrix {
                input::names_differ(sequences, &records.names)?;
            }
            (PairSelection::AllVsAll { diagonal: is_matrix && options.score_only }, records, None)
        }
    };
    let targets = targets.as_ref().unwrap_or(&queries);
    let run = NwRun { options, scoring: &scoring, selection, queries: &queries, targets, timeline };
    run.align_all(target, resume_paths, timeline_file, &console)
}

/// One run: its options, scoring and sequences.
struct NwRun<'a> {
    options: &'a NwOptions,
    scoring: &'a Scoring,
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
            writer.add(&[heading], TileEnd::before(next)).with_context(|| target.name())?;
        }

        let shards = share.map_or(1, |share| u64::from(share.shard.count));
        console.start_pairs(source.len().div_ceil(shards));
        let pipeline = Pipeline { formatter: &formatter, timeline: &self.timeline, console };
        let tiles = match share {
            Some(share) => Tiles::of_shard(&source, share),
            None => Tiles::from(&source, next),
        };
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
            score_only: options.score_only,
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
            Aligner::new(self.scoring, queries, targets, kind, device, options.kernel.into())
        };
        let request = match options.device {
            DeviceSelection::Auto => DeviceRequest::Auto,
            DeviceSelection::Cpu => DeviceRequest::Cpu,
            DeviceSelection::Gpus(_) | DeviceSelection::AllGpus => {
                return on_device::make_on_gpus(&options.device.gpus()?, on);
            }
        };
        let opened = Device::open(request)?;
        if let Some(reason) = &opened.fallback {
            console.notice(&format!("{reason}: aligning on the CPU"));
        }
        Ok(vec![on_device::make((opened.device, request), console, "aligning", on)?])
    }

    /// Writes the matrix of all pairs from its upper triangle.
    fn write_matrix(&self, triangle: &File, target: &Target) -> Result<()> {
        target.write(|file| {
            let mut out = BufWriter::new(file);
            let (format, names) = (self.options.format(), &self.queries.names);
            format::write_matrix(format, names, triangle, self.options.score_only, &mut out)?;
            out.flush()
        })
    }

    /// Formatter of the pairs.
    fn formatter(&self) -> PairFormatter<'_> {
        let options = self.options;
        let score_name = match (&options.matrix, self.scoring.match_and_mismatch()) {
            (Some(name), _) => name.display().to_string(),
            (None, Some((match_score, mismatch_score))) => {
                format!("{match_score}/{mismatch_score}")
            }
            (None, None) => String::new(),
        };
        PairFormatter {
            format: options.format(),
            scoring: self.scoring,
            score_name,
            queries: self.queries,
            targets: self.targets,
            min_identity: options.min_identity,
        }
    }

    /// Hash of everything that the output depends on.
    fn output_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        let options = self.options;
        let scoring = self.scoring;
        format!("{:?} {:?} {:?}", self.selection, options.format(), options.score_only)
            .hash(&mut hasher);
        format!("{:?} {:?} {:?}", scoring.gaps(), scoring.free_ends(), scoring.score_table())
            .hash(&mut hasher);
        format!("{:?} {:?}", options.matrix, options.min_identity).hash(&mut hasher);
        for records in [self.queries, self.targets] {
            records.names.hash(&mut hasher);
            records.sequences.all_codes().hash(&mut hasher);
            records.sequences.offsets().hash(&mut hasher);
        }
        hasher.finish()
    }
}
