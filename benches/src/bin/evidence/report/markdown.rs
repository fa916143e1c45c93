//! The report as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::numbers::number;
use crate::committed::papers::LIMITS;
use crate::outcome::{ContestantResult, Evidence, MapqRange, PaperRow, SectionResult, SmallStep};
use crate::run::machine::Machine;

/// The report of a run.
pub fn report(evidence: &Evidence) -> String {
    let Evidence { date, size, version, machine, threads, device, .. } = evidence;
    let commit = evidence.commit.as_deref().unwrap_or("unknown");
    let gpus = gpus(machine);
    let memory = machine.memory_bytes as f64 / f64::from(1 << 30);
    let mut text = format!(
        "# Evidence, {date}\n\n\
         gpualign {version}, commit {commit}, `--device {device}`, {threads} threads of {}, {} of them, \
         {memory:.0} GiB of memory, {gpus}. Data: {size}, made by `gpualign simulate` where none were \
         given. Times are whole processes; programs of a section took turns; medians.\n",
        machine.processor, machine.threads,
    );
    for section in &evidence.sections {
        text += &render_section(section);
    }
    text += "\n## Small steps\n\n";
    text += &render_steps(&evidence.steps);
    text += "\n## The papers' numbers\n\n";
    text += &render_papers(&evidence.papers);
    text
}

/// The hint on measuring small steps, in reports without them.
pub const NO_STEPS: &str = "Not measured: run `cargo bench -p gpualign-benches --bench micro`, and `-p gpualign \
    --bench lines`, and give criterion's folder as `--micro`, as `make bench` does.";

fn render_steps(steps: &[SmallStep]) -> String {
    if steps.is_empty() {
        return format!("{NO_STEPS}\n");
    }
    let mut text =
        "One thread, medians by criterion.\n\n| step | ns | for one of the | a second |\n\
        |---|---:|---|---:|\n"
            .to_owned();
    for step in steps {
        let _ = writeln!(text, "| {} |", step_cells(step).join(" | "));
    }
    text
}

/// The cells of a step in tables.
pub fn step_cells(SmallStep { name, unit, nanoseconds }: &SmallStep) -> [String; 4] {
    [name.clone(), format!("{nanoseconds:.3}"), unit.clone(), number((1e9 / nanoseconds).round())]
}

/// The GPUs of a machine in words.
pub fn gpus(machine: &Machine) -> String {
    if machine.gpus.is_empty() { "no GPU".to_owned() } else { machine.gpus.join("; ") }
}

fn render_section(section: &SectionResult) -> String {
    let SectionResult { title, workload, unit, rows, missing, note, .. } = section;
    let mut text = format!("\n## {title}\n\n{workload}.\n");
    // Writing to a string cannot fail.
    if let Some(note) = note {
        let _ = writeln!(text, "\n{note}.");
    }
    if !missing.is_empty() {
        let _ = writeln!(text, "\nNot installed: {}.", missing.join(", "));
    }
    if rows.is_empty() {
        return text;
    }
    let (over, ratios) = ratios(rows);
    let _ = writeln!(
        text,
        "\n| program | version | s | runs | {unit} | {over} | memory, MB | |\n\
         |---|---|---:|---:|---:|---:|---:|---|"
    );
    for (row, ratio) in rows.iter().zip(ratios) {
        let ContestantResult { version, median, seconds, rate, peak_bytes, .. } = row;
        let memory = *peak_bytes as f64 / 1e6;
        let (name, runs, rate) = (row.full_name(), seconds.len(), number(*rate));
        let facts = facts(row);
        let _ = writeln!(
            text,
            "| {name} | {version} | {median:.3} | {runs} | {rate} | {ratio} | {memory:.0} | {facts} |"
        );
    }
    text += &render_qualities(rows);
    text += "\n";
    for row in rows {
        let _ = writeln!(text, "- {}: `{}`", row.full_name(), row.command);
    }
    text
}

/// The heading and the cells of the column of ratios: the rate of the first row (of the first with the same name, if names repeat)
/// over that of each row; in sections on scaling, the inverse.
pub fn ratios(rows: &[ContestantResult]) -> (String, Vec<String>) {
    let is_scaling = rows.iter().any(ContestantResult::is_of_size);
    let ratio = |row: &ContestantResult| {
        let first = rows.iter().find(|first| row.at.is_none() || first.name == row.name);
        let ratio = first.map_or(f64::NAN, |first| first.rate / row.rate);
        format!("{:.2}", if is_scaling { 1.0 / ratio } else { ratio })
    };
    let name = if is_scaling { "over the first's" } else { "the first's over it" };
    (name.to_owned(), rows.iter().map(ratio).collect())
}

/// A table of wrong reads by mapping quality; empty if no row has qualities.
fn render_qualities(rows: &[ContestantResult]) -> String {
    let rows: Vec<&ContestantResult> =
        rows.iter().filter(|row| !row.known.by_mapq.is_empty()).collect();
    if rows.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let mut text = format!(
        "\nWrong ones of the reads of each mapping quality:\n\n| MAPQ | {} |\n|---|{}\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for from in qualities(&rows) {
        let of = |row: &&ContestantResult| {
            row.known.by_mapq.iter().copied().find(|range| range.from == from)
        };
        let cell = |range: MapqRange| {
            format!("{} of {}", number(range.wrong as f64), number(range.mapped as f64))
        };
        let cells = rows.iter().map(|row| of(row).map_or_else(String::new, cell));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(text, "| from {from} | {cells} |");
    }
    text
}

/// The least qualities of the ranges that occur, in ascending order.
pub fn qualities(rows: &[&ContestantResult]) -> BTreeSet<u64> {
    rows.iter().flat_map(|row| &row.known.by_mapq).map(|range| range.from).collect()
}

/// The headings of the table of papers.
pub const PAPER_CELLS: [&str; 7] =
    ["paper", "what", "paper's", "ours", "share of the ceiling", "the ceiling", "from"];

/// The cells of a row in the table of papers.
pub fn paper_cells(paper: &PaperRow) -> [String; 7] {
    let PaperRow { source, what, theirs, ours, ceiling, file, .. } = paper;
    [source, what, theirs, ours, &paper.share(), ceiling, file].map(Clone::clone)
}

/// The table of papers.
pub fn render_papers(papers: &[PaperRow]) -> String {
    let mut text =
        format!("{LIMITS}\n\n| {} |\n|---|---|---|---|---:|---|---|\n", PAPER_CELLS.join(" | "));
    for paper in papers {
        let _ = writeln!(text, "| {} |", paper_cells(paper).join(" | "));
    }
    text
}

/// The findings about a row, in words.
pub fn facts(row: &ContestantResult) -> String {
    let fact = |(name, value): (&String, &f64)| {
        let value = match *value {
            value if value.fract() == 0.0 => number(value),
            value if value >= 0.01 => format!("{value:.4}"),
            value => format!("{value:.2e}"),
        };
        format!("{name}: {value}")
    };
    row.known.facts.iter().map(fact).collect::<Vec<_>>().join("; ")
}
