//! Evidence: gpualign and other programs on the same data, on this machine, in one run.
//!
//! ```text
//!   Data --sections--> Section (contestants: command lines) --contest--> Outcome (seconds, memory, facts)
//!   committed results --papers--> the papers' numbers beside gpualign's   |
//!                                                                         v
//!          DIR/evidence.json, DIR/papers.json, DIR/REPORT.md, DIR/report.html
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`inputs::data`] | simulated or given genomes and reads, by `gpualign simulate` |
//! | [`inputs::pairs`] | pairs of known origin, by wgsim |
//! | [`inputs::real`] | real reads, from the repository or from the user |
//! | [`inputs::sample`] | pairs of a sample with known variants, by wgsim, dwgsim and mason |
//! | [`run::tool`] | finding programs, their versions and commits |
//! | [`run::machine`] | the description of this machine |
//! | [`run::gpu_memory`] | the memory of GPUs while a program runs |
//! | [`run::contest`] | running command lines in turns, several times |
//! | [`run::micro`] | reading the benchmarks of small steps, which criterion measured |
//! | [`sections`] | the command lines of each section of the report |
//! | [`outcome`] | the results of a run as data |
//! | [`report`] | the results of a run as Markdown and HTML |
//! | [`committed::results`] | the results that the repository keeps |
//! | [`committed::papers`] | the papers' numbers beside gpualign's |
//! | [`committed::page`] | `benches/RESULTS.md`, `benches/EXPERIMENTS.md` and README's section on speed, from the committed results |
//!
//! Contestants of a section take turns, so that a machine that gets slower affects all of them alike. A program
//! that is not installed is named as missing; a program that fails is an error.

mod committed;
mod inputs;
mod outcome;
mod report;
mod run;
mod sections;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::committed::results::{self, EXPERIMENTS, Results};
use crate::committed::{page, papers};
use crate::inputs::data::{Data, DataSize};
use crate::outcome::{Evidence, SectionResult};
use crate::report::{html, markdown};
use crate::run::contest::Contest;
use crate::run::machine::{self, Machine};
use crate::run::micro;
use crate::run::tool::Tools;
use crate::sections::PAPERS;

/// Runs gpualign and the programs it is compared with, and writes a report.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// Where gpualign runs: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Threads of every program [default: all cores]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Small data: minutes on two cores
    #[arg(long)]
    quick: bool,
    /// Very small data, to see whether everything works: seconds
    #[arg(long, conflicts_with = "quick")]
    tiny: bool,
    /// Folder of the simulated data, made if missing; a genome.fa in its subfolder replaces the simulated genome
    #[arg(long, value_name = "DIR", default_value = "target/evidence")]
    data: PathBuf,
    /// Folder of real reads, with real.json, a list of sets as in the repository's data/
    #[arg(long, value_name = "DIR", default_value = "data")]
    real: PathBuf,
    /// Folder with programs that are preferred to those in PATH, for example of benches/peers/build
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// The program to measure [default: gpualign beside this one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The program that measures the papers' experiments [default: gpualign-bench beside this one]
    #[arg(long, value_name = "FILE")]
    bench: Option<PathBuf>,
    /// Folder for the report [default: benches/results/DATE-HOST]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder with the results that the papers' numbers are compared with
    #[arg(long, value_name = "DIR", default_value = "benches/results")]
    results: PathBuf,
    /// Measure nothing; write this page from the results and the template beside it (FILE.template.md)
    #[arg(long, value_name = "FILE")]
    results_page: Option<PathBuf>,
    /// Only these sections [default: all]; `papers` means the papers' experiments, which need a GPU
    #[arg(long, value_name = "NAME", num_args = 1..)]
    section: Vec<String>,
    /// Criterion's folder with the results of the benchmarks `micro` and `lines`
    #[arg(long, value_name = "DIR")]
    micro: Option<PathBuf>,
    /// Keep the other sections of an earlier call that wrote to the same folder on this machine
    #[arg(long)]
    keep: bool,
    /// Most runs of each program [default: by the size of the data]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Seconds of runs after which a program is not run again [default: by the size of the data]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// The commit that the program was built from [default: that of the repository here, if it is one]
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(path) = &arguments.results_page {
        return page::write(path, &arguments.results);
    }
    // Results that cannot be read are an error before anything is measured.
    let results = Results::read(&arguments.results)?;
    let papers = papers::rows(&results)?;
    let figures = results::figures(&results, &arguments.results)?;
    let steps = arguments.micro.as_deref().map(micro::measured).transpose()?;
    let size = match (arguments.quick, arguments.tiny) {
        (_, true) => DataSize::TINY,
        (true, _) => DataSize::QUICK,
        _ => DataSize::FULL,
    };
    let program = beside(arguments.program.as_deref(), "gpualign")?;
    let program = program.canonicalize().with_context(|| {
        format!(
            "{}: there is no such program: build gpualign first, or name it by --program",
            program.display()
        )
    })?;
    let machine = Machine::here()?;
    let threads = arguments.threads.map_or(machine.threads, usize::from);
    let date = machine::date()?;
    let out = arguments
        .out
        .unwrap_or_else(|| Path::new("benches/results").join(format!("{date}-{}", machine.host)));
    let kept = if arguments.keep { earlier(&out, &machine)? } else { None };
    let (sections, papers, kept) = kept
        .map_or((Vec::new(), papers, Vec::new()), |kept| (kept.sections, kept.papers, kept.steps));
    let data = Data::make(&arguments.data, &size, &program)?;
    let bench = beside(arguments.bench.as_deref(), "gpualign-bench")?;
    let tools = Tools::new(program, bench, arguments.peers.as_deref());
    let arena = Contest {
        folder: &data.folder,
        path: tools.search_path()?,
        runs: arguments.runs.map_or(size.runs, usize::from),
        patience: Duration::from_secs(arguments.patience.unwrap_or(size.patience)),
        gpus: machine.gpus.len(),
    };
    let device = arguments.device.as_str();
    let plan =
        sections::Plan { data: &data, real: &arguments.real, tools: &tools, threads, device };
    let names = plan.names();
    if let Some(unknown) = arguments.section.iter().find(|name| !names.contains(&name.as_str())) {
        bail!("unknown section '{unknown}': expected one of {}", names.join(", "));
    }

    let mut evidence = Evidence {
        date,
        size: size.name.to_owned(),
        device: arguments.device.clone(),
        threads,
        version: tools.own_version()?,
        commit: arguments.commit.or_else(machine::commit),
        machine,
        sections,
        papers,
        steps: steps.unwrap_or(kept),
    };
    let is_wanted = |name: &str| {
        arguments.section.is_empty() || arguments.section.iter().any(|wanted| wanted == name)
    };
    for (name, section) in plan.sections() {
        if is_wanted(name) {
            eprintln!("evidence: {name}");
            let begin = Instant::now();
            let measured = arena.hold(name, section()?)?;
            eprintln!("evidence: {name}: {:.0} s", begin.elapsed().as_secs_f64());
            evidence.sections.retain(|section| section.name != name);
            evidence.sections.push(measured);
            let place =
                |section: &SectionResult| names.iter().position(|name| *name == section.name);
            evidence.sections.sort_by_key(place);
            // Writes after each section, so that an interrupted run leaves its finished sections.
            write(&out, &evidence, &figures)?;
        }
    }
    // Most of the papers' experiments need a GPU.
    if is_wanted(PAPERS) && evidence.device != "cpu" {
        eprintln!("evidence: {PAPERS}");
        let begin = Instant::now();
        arena.prepare(&plan.experiments()?)?;
        eprintln!("evidence: {PAPERS}: {:.0} s", begin.elapsed().as_secs_f64());
        let measured = sections::papers::measured(&data.folder, &results)?;
        let path = out.join(EXPERIMENTS);
        fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
        fs::write(&path, serde_json::to_string(&measured)? + "\n")
            .with_context(|| path.display().to_string())?;
        evidence.papers = papers::rows(&results.with_measured(measured))?;
    }
    write(&out, &evidence, &figures)?;
    println!("{}", out.display());
    Ok(())
}

/// The evidence that an earlier call left in a folder; an error if it is of another machine.
fn earlier(out: &Path, machine: &Machine) -> Result<Option<Evidence>> {
    let path = out.join("evidence.json");
    if !path.exists() {
        return Ok(None);
    }
    let named = || path.display().to_string();
    let text = fs::read_to_string(&path).with_context(named)?;
    let evidence: Evidence = serde_json::from_str(&text).with_context(named)?;
    if evidence.machine != *machine {
        bail!("{}: was measured on another machine", path.display());
    }
    Ok(Some(evidence))
}

/// The path of a program: the given one, or the one of this name in the folder of this program.
fn beside(given: Option<&Path>, name: &str) -> Result<PathBuf> {
    match given {
        Some(path) => Ok(path.to_owned()),
        None => Ok(std::env::current_exe()?.with_file_name(name)),
    }
}

fn write(out: &Path, evidence: &Evidence, figures: &[String]) -> Result<()> {
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let files = [
        ("evidence.json", serde_json::to_string_pretty(evidence)? + "\n"),
        ("REPORT.md", markdown::report(evidence)),
        ("report.html", html::report(evidence, figures)?),
    ];
    for (name, text) in files {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
