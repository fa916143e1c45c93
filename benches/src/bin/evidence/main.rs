//! Evidence: our program and others' on the same data, on this machine, in one run.
//!
//! ```text
//!   Data --sections--> Section (contestants: command lines) --contest--> Outcome (seconds, memory, facts)
//!   committed results --papers--> what the papers measured, and we        |
//!                                                                         v
//!                       DIR/evidence.json, DIR/REPORT.md, DIR/report.html
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`data`] | made-up or given genomes and reads, by `gpualign simulate` |
//! | [`tool`] | finding other programs and their versions |
//! | [`contest`] | running command lines in turn, several times |
//! | [`sections`] | which command lines |
//! | [`machine`] | where |
//! | [`papers`] | the papers' numbers beside ours |
//! | [`outcome`] | results as data |
//! | [`markdown`], [`html`] | and to read |
//!
//! Contestants of a section take turns, so that a machine that gets slower is unfair to nobody. A program
//! that is not installed is named as missing; one that fails is an error.

mod contest;
mod data;
mod html;
mod machine;
mod markdown;
mod outcome;
mod papers;
mod sections;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::contest::Arena;
use crate::data::{Data, Size};
use crate::outcome::{Evidence, Paper};
use crate::tool::Tools;

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
    /// Folder of the data, which are made if they are not there; a genome.fa put there is used instead
    #[arg(long, value_name = "DIR", default_value = "target/evidence")]
    data: PathBuf,
    /// Folder whose programs go before those of PATH
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// The program to measure [default: gpualign beside this one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Folder for the report [default: benches/results/DATE-HOST]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder with the results that the papers' numbers are compared with
    #[arg(long, value_name = "DIR", default_value = "benches/results")]
    results: PathBuf,
    /// Measure nothing, but write the table of the papers' numbers into this file again, between its marks
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    /// Only these sections [default: all]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    section: Vec<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    // Found out now, not when everything was measured.
    let papers = papers::rows(&arguments.results)?;
    if let Some(path) = &arguments.tables {
        return write_tables(path, &papers);
    }
    let size = match (arguments.quick, arguments.tiny) {
        (_, true) => Size::TINY,
        (true, _) => Size::QUICK,
        _ => Size::FULL,
    };
    let program = program(arguments.program.as_deref())?;
    let machine = machine::Machine::here()?;
    let threads = arguments.threads.map_or(machine.threads, usize::from);
    let (date, host) = (machine::date()?, machine.host.clone());
    let data = Data::make(&arguments.data, &size, &program)?;
    let tools = Tools::new(program, arguments.peers.as_deref());
    let arena = Arena { folder: &data.folder, runs: size.runs };
    let plan = sections::Plan { data: &data, tools: &tools, threads, device: &arguments.device };

    let mut sections = Vec::new();
    for (name, section) in plan.sections() {
        if arguments.section.is_empty() || arguments.section.iter().any(|wanted| wanted == name) {
            eprintln!("evidence: {name}");
            sections.push(arena.hold(name, section()?)?);
        }
    }
    if sections.is_empty() {
        bail!("no such section: there are {}", plan.names().join(", "));
    }
    let evidence = Evidence {
        date,
        size: size.name.to_owned(),
        device: arguments.device,
        threads,
        version: tools.own_version()?,
        commit: machine::commit(),
        machine,
        sections,
        papers,
    };
    let out = arguments
        .out
        .unwrap_or_else(|| Path::new("benches/results").join(format!("{}-{host}", evidence.date)));
    write(&out, &evidence)?;
    println!("{}", out.display());
    Ok(())
}

/// The program under test, as an absolute path.
fn program(given: Option<&Path>) -> Result<PathBuf> {
    let beside = || -> Result<PathBuf> { Ok(std::env::current_exe()?.with_file_name("gpualign")) };
    let path = given.map_or_else(beside, |path| Ok(path.to_owned()))?;
    path.canonicalize().with_context(|| format!("{}: build gpualign first", path.display()))
}

fn write_tables(path: &Path, papers: &[Paper]) -> Result<()> {
    let named = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(named)?;
    let text = markdown::with_tables(&text, papers).context("no marks").with_context(named)?;
    fs::write(path, text).with_context(named)
}

fn write(out: &Path, evidence: &Evidence) -> Result<()> {
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let files = [
        ("evidence.json", serde_json::to_string_pretty(evidence)? + "\n"),
        ("REPORT.md", markdown::report(evidence)),
        ("report.html", html::report(evidence)?),
    ];
    for (name, text) in files {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
