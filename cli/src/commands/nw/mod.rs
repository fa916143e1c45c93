//! `gpualign nw`: global alignments of many pairs.
//!
//! ```text
//!   files --input--> Records --job--> tiles of pairs --nw_batch--> scores or alignments
//!                                                                        |
//!          FILE <--format::matrix (matrices alone)-- body <--format------'
//! ```
//!
//! A thread each has the tiles aligned, formats and writes them, in order (`pipeline`). What is written
//! does not depend on the size of the tiles.

pub mod args;
mod body;
mod format;
mod input;
mod job;
mod pipeline;

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use aligner_core::Device;
use anyhow::{Context, Result, ensure};
use nw_batch::{Aligner, Scoring};

use crate::commands::nw::args::{Nw, NwOptions};
use crate::commands::nw::body::Body;
use crate::commands::nw::format::Formatter;
use crate::commands::nw::input::Records;
use crate::commands::nw::job::{Job, Kind};
use crate::commands::nw::pipeline::Pipeline;
use crate::console::Console;
use crate::on_device;
use crate::options::start_threads;
use crate::staging::{Scratch, Target};
use crate::timeline::{Step, Timeline};

/// Aligns what is asked for.
pub fn run(command: &Nw) -> Result<()> {
    let options = command.options();
    let console = Console::new(options.messages);
    let scoring = input::scoring(options)?;
    let timeline = Timeline::new();
    let trace = options.timeline.as_deref().map(|path| Target::new(Some(path))).transpose()?;
    let read =
        |path: &Path| timeline.time(Step::Read, "file", || input::read(path, scoring.alphabet()));
    let (kind, queries, targets) = match command {
        Nw::Pairs { queries, targets, .. } => {
            let (first, second) = (read(queries)?, read(targets)?);
            let (m, n) = (first.names.len(), second.names.len());
            let (first_name, second_name) = (
                aligner_core::input_location::input_name(queries),
                aligner_core::input_location::input_name(targets),
            );
            ensure!(m == n, "{first_name} has {m} records, but {second_name} has {n}");
            (Kind::Pairs, first, Some(second))
        }
        Nw::OneVsAll { queries, targets, .. } => {
            (Kind::OneVsAll, read(queries)?, Some(read(targets)?))
        }
        Nw::AllVsAll { sequences, .. } => {
            let records = read(sequences)?;
            let matrix = options.format().is_matrix();
            if matrix {
                input::names_differ(sequences, &records.names)?;
            }
            (Kind::AllVsAll { diagonal: matrix && options.score_only }, records, None)
        }
    };
    let targets = targets.as_ref().unwrap_or(&queries);
    let task = Task { options, scoring: &scoring, kind, queries: &queries, targets, timeline };
    task.run(&console)?;
    trace.map_or(Ok(()), |trace| task.timeline.save(trace))
}

/// All that is to be done.
struct Task<'a> {
    options: &'a NwOptions,
    scoring: &'a Scoring,
    kind: Kind,
    queries: &'a Records,
    targets: &'a Records,
    timeline: Timeline,
}

impl Task<'_> {
    fn run(&self, console: &Console) -> Result<()> {
        let start = Instant::now();
        let options = self.options;
        let matrix = options.format().is_matrix();
        let target = match &options.output {
            // The partial file becomes the output.
            Some(_) if options.resume && !matrix => None,
            path => Some(Target::new(path.as_deref())?),
        };
        let job = Job {
            kind: self.kind,
            queries: &self.queries.sequences,
            targets: &self.targets.sequences,
        };
        let formatter = self.formatter();
        let mut scratch = None;
        let (mut body, resumed) = match (&options.output, &target) {
            (Some(path), _) if options.resume => Body::resumed(path, self.hash())?,
            (_, Some(target)) if !matrix => {
                let file = File::from(target.open().with_context(|| target.name())?);
                (Body::new(file), None)
            }
            _ => {
                let folder = scratch.insert(self.scratch()?);
                let path = folder.path().join("triangle");
                let file = File::options().create_new(true).read(true).write(true).open(&path);
                (Body::new(file.with_context(|| path.display().to_string())?), None)
            }
        };
        let (mut aligner, on) =
            self.timeline.time(Step::Device, "open", || self.aligner(console))?;
        let begin = resumed.unwrap_or_else(|| job.begin());
        if resumed.is_none() {
            body.add(&[formatter.heading().into_bytes()], begin)?;
        }

        start_threads(options.threads.count())?;
        console.start_pairs(job.pairs());
        let pipeline =
            Pipeline { job: &job, formatter: &formatter, timeline: &self.timeline, console };
        let cells = pipeline.run(begin, &mut aligner, &mut body);
        console.finish();
        let cells = cells.with_context(|| self.output_name())?;
        if let Some(reason) = aligner.failure() {
            console.notice(&format!("{reason}: the rest was aligned on the CPU"));
        }

        if matrix && let Some(target) = &target {
            self.write_matrix(body.file(), target)?;
        }
        if let Some(target) = target {
            target.commit()?;
        } else if let Some(path) = &options.output {
            body.rename(path)?;
        }
        body.forget()?;
        let seconds = start.elapsed().as_secs_f64();
        console.detail(&format!(
            "{} pairs on {on}, {seconds:.2} s, {:.0} pairs/s, {:.2} GCUPS",
            job.pairs(),
            job.pairs() as f64 / seconds,
            cells as f64 / seconds / 1e9
        ));
        Ok(())
    }

    /// What aligns, and the name of its device.
    fn aligner(&self, console: &Console) -> Result<(Aligner<'_>, String)> {
        let options = self.options;
        let opened = Device::open(options.device)?;
        if let Some(reason) = &opened.fallback {
            console.notice(&format!("{reason}: aligning on the CPU"));
        }
        let sets = (&self.queries.sequences, &self.targets.sequences);
        let on = |device: Device| {
            Aligner::new(self.scoring, sets, !options.score_only, device, options.kernel.into())
        };
        on_device::make((opened.device, options.device), console, "aligning", on)
    }

    fn write_matrix(&self, triangle: &File, target: &Target) -> Result<()> {
        let write = || {
            let mut out = BufWriter::new(File::from(target.open()?));
            let (format, names) = (self.options.format(), &self.queries.names);
            format::write_matrix(format, names, triangle, self.options.score_only, &mut out)?;
            out.flush()
        };
        write().with_context(|| target.name())
    }

    /// A folder for the triangle of a matrix: beside the output, which is as large.
    fn scratch(&self) -> Result<Scratch> {
        let parent = self.options.output.as_deref().and_then(Path::parent);
        match parent {
            Some(parent) if parent == Path::new("") => Scratch::new_in(Path::new(".")),
            Some(parent) if parent.is_dir() && parent != Path::new("/dev") => {
                Scratch::new_in(parent)
            }
            _ => Scratch::new_in(&std::env::temp_dir()),
        }
    }

    fn formatter(&self) -> Formatter<'_> {
        let options = self.options;
        let scores = match (&options.matrix, self.scoring.match_and_mismatch()) {
            (Some(name), _) => name.display().to_string(),
            (None, Some((matching, mismatch))) => format!("{matching}/{mismatch}"),
            (None, None) => String::new(),
        };
        Formatter {
            format: options.format(),
            scoring: self.scoring,
            scores,
            queries: self.queries,
            targets: self.targets,
            min_identity: options.min_identity,
        }
    }

    fn output_name(&self) -> String {
        let path = self.options.output.as_deref().filter(|&path| path != Path::new("-"));
        path.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string())
    }

    /// A hash of all that the output depends on.
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        let options = self.options;
        let scoring = self.scoring;
        format!("{:?} {:?} {:?}", self.kind, options.format(), options.score_only)
            .hash(&mut hasher);
        format!("{:?} {:?} {:?}", scoring.gaps(), scoring.free(), scoring.table())
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
