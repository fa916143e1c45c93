//! The report as Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::numbers::{Measure, number, seconds};
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
        "# {}\n\n\
         Run on {date}: gpualign {version}, commit {commit}, `--device {device}`, {threads} threads of {}, {} of them, \
         {memory:.0} GiB of memory, {gpus}. Data: {size}, made by `gpualign simulate` where none were \
         given. Times are whole processes; programs of a section took turns; medians.\n",
        title(evidence),
        machine.processor,
        machine.threads,
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

/// The most programs that a title names.
const MOST_NAMES: usize = 6;

/// The title of a report: what was run beside what, and on what.
pub fn title(evidence: &Evidence) -> String {
    let Evidence { version, threads, device, size, .. } = evidence;
    let mut others: Vec<&str> = Vec::new();
    for row in evidence.sections.iter().flat_map(|section| &section.rows) {
        let program = row.program();
        if !program.starts_with("gpualign") && !others.contains(&program) {
            others.push(program);
        }
    }
    let beside = match others.split_last() {
        None => String::new(),
        Some(_) if others.len() > MOST_NAMES => format!(" beside {} other programs", others.len()),
        Some((only, [])) => format!(" beside {only}"),
        Some((last, before)) => format!(" beside {} and {last}", before.join(", ")),
    };
    let of = if device == "cpu" { String::new() } else { format!(" and --device {device}") };
    format!("gpualign {version}{beside}: {size} data, {threads} threads{of}")
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
    let SectionResult { title, workload, rows, missing, note, .. } = section;
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
    let table = table(section);
    let sides: Vec<&str> = table
        .headings
        .iter()
        .map(|heading| if heading.is_number { "---:" } else { "---" })
        .collect();
    let names: Vec<&str> = table.headings.iter().map(|heading| heading.name.as_str()).collect();
    let _ = writeln!(text, "\n| {} |\n|{}|", names.join(" | "), sides.join("|"));
    for row in table.rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text += &render_qualities(rows);
    text += "\n";
    for row in rows {
        let _ = writeln!(text, "- {}: `{}`", row.full_name(), row.command);
    }
    text
}

/// A table of a section's rows, as text.
pub struct Table {
    pub headings: Vec<Heading>,
    pub rows: Vec<Vec<String>>,
}

/// A heading of a column, which holds numbers or words.
pub struct Heading {
    pub name: String,
    pub is_number: bool,
}

/// The table of a section: a row for each contestant, and a column for each finding that one of them has.
pub fn table(section: &SectionResult) -> Table {
    let SectionResult { rows, unit, .. } = section;
    let (over, ratios) = ratios(rows);
    let found: BTreeSet<&String> = rows.iter().flat_map(|row| row.known.facts.keys()).collect();
    let words = ["program", "version"].map(|name| (name.to_owned(), false));
    let mut numbers =
        ["seconds", "CPU seconds", "runs", unit, &over, "memory, MB"].map(str::to_owned).to_vec();
    numbers.extend(found.iter().map(|name| Measure::of(name).heading(name)));
    let numbers = numbers.into_iter().map(|name| (name, true));
    let headings = words.into_iter().chain(numbers);
    let headings = headings.map(|(name, is_number)| Heading { name, is_number }).collect();
    let cells = |(row, ratio): (&ContestantResult, String)| {
        let mut cells = vec![
            row.full_name(),
            row.full_version(),
            seconds(row.median),
            seconds(row.cpu_seconds),
            row.seconds.len().to_string(),
            number(row.rate),
            ratio,
            number((row.peak_bytes as f64 / 1e6).round()),
        ];
        cells.extend(found.iter().map(|&name| {
            row.known
                .facts
                .get(name)
                .map_or_else(String::new, |&value| Measure::of(name).show(value))
        }));
        cells
    };
    Table { headings, rows: rows.iter().zip(ratios).map(cells).collect() }
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
    let programs = qualities_by_program(rows);
    if programs.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
    let mut text = format!(
        "\nWrong ones of the reads of each mapping quality:\n\n| MAPQ | {} |\n|---|{}\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for from in least_qualities(&programs) {
        let cell = |program: &ProgramQualities| {
            program.ranges.get(&from).map_or_else(String::new, |range| {
                format!("{} of {}", number(range.wrong as f64), number(range.mapped as f64))
            })
        };
        let cells = programs.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let _ = writeln!(text, "| from {from} | {cells} |");
    }
    text
}

/// The reads of a program by mapping quality, of all its rows of a section together.
pub struct ProgramQualities {
    pub name: String,
    /// Ranges by their least qualities.
    pub ranges: BTreeMap<u64, MapqRange>,
}

/// The qualities of each program, in the order of first appearance; programs without any are left out.
pub fn qualities_by_program(rows: &[ContestantResult]) -> Vec<ProgramQualities> {
    let mut programs: Vec<ProgramQualities> = Vec::new();
    for row in rows.iter().filter(|row| !row.known.by_mapq.is_empty()) {
        let name = row.at.as_ref().unwrap_or(&row.name);
        let at = programs.iter().position(|program| program.name == *name).unwrap_or_else(|| {
            programs.push(ProgramQualities { name: name.clone(), ranges: BTreeMap::new() });
            programs.len() - 1
        });
        for &MapqRange { from, mapped, wrong } in &row.known.by_mapq {
            let none = MapqRange { from, mapped: 0, wrong: 0 };
            let range = programs[at].ranges.entry(from).or_insert(none);
            range.mapped += mapped;
            range.wrong += wrong;
        }
    }
    programs
}

/// The least qualities of the ranges that occur, in ascending order.
pub fn least_qualities(programs: &[ProgramQualities]) -> BTreeSet<u64> {
    programs.iter().flat_map(|program| program.ranges.keys().copied()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Findings;

    fn row(name: &str, at: Option<&str>, facts: &[(&str, f64)], wrong: u64) -> ContestantResult {
        ContestantResult {
            name: name.to_owned(),
            at: at.map(str::to_owned),
            version: "1.2".to_owned(),
            commit: Some("abc".to_owned()),
            command: String::new(),
            seconds: vec![1.5],
            median: 1.5,
            cpu_seconds: 1234.6,
            rate: 1e6,
            peak_bytes: 2_345_000_000,
            known: Findings {
                facts: facts.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
                by_mapq: vec![MapqRange { from: 60, mapped: 100, wrong }],
            },
        }
    }

    #[test]
    fn findings_are_columns_with_units() {
        let rows = vec![
            row("a", None, &[("mapped", 0.98765), ("error rate, MAPQ >= 10", 2.5e-5)], 1),
            row("b", None, &[("records", 12_345.0)], 2),
        ];
        let section = SectionResult {
            name: String::new(),
            title: String::new(),
            workload: String::new(),
            unit: "reads/s".to_owned(),
            rows,
            missing: Vec::new(),
            note: None,
            drawn: None,
        };
        let table = table(&section);
        let names: Vec<&str> = table.headings.iter().map(|heading| heading.name.as_str()).collect();
        assert_eq!(names[8..], ["error rate, MAPQ >= 10, a million", "mapped", "records"]);
        assert_eq!(table.rows[0][1..4], ["1.2 (abc)", "1.50", "1,235"]);
        assert_eq!(table.rows[0][7..], ["2,345", "25", "98.765%", ""]);
        assert_eq!(table.rows[1][8..], ["", "", "12,345"]);
    }

    #[test]
    fn programs_are_named_once() {
        let rows = [
            row("set 1", Some("gpualign, cuda"), &[], 0),
            row("set 1", Some("bwa"), &[], 0),
            row("bwa, Picard", None, &[], 0),
            row("best", Some("16"), &[], 0),
            row("razers3, 1 of 16 reads", None, &[], 0),
        ];
        let names: Vec<&str> = rows.iter().map(ContestantResult::program).collect();
        assert_eq!(names, ["gpualign", "bwa", "bwa", "gpualign", "razers3"]);
        let mut evidence = Evidence {
            date: String::new(),
            size: "quick".to_owned(),
            device: "cpu".to_owned(),
            threads: 2,
            version: "1.2".to_owned(),
            commit: None,
            machine: Machine {
                host: String::new(),
                processor: String::new(),
                threads: 2,
                memory_bytes: 0,
                gpus: Vec::new(),
            },
            sections: Vec::new(),
            papers: Vec::new(),
            steps: Vec::new(),
        };
        assert_eq!(title(&evidence), "gpualign 1.2: quick data, 2 threads");
        evidence.device = "cuda".to_owned();
        evidence.sections.push(SectionResult {
            name: String::new(),
            title: String::new(),
            workload: String::new(),
            unit: "reads/s".to_owned(),
            rows: rows.into(),
            missing: Vec::new(),
            note: None,
            drawn: None,
        });
        let named = "gpualign 1.2 beside bwa and razers3: quick data, 2 threads and --device cuda";
        assert_eq!(title(&evidence), named);
    }

    #[test]
    fn qualities_of_a_program_are_summed_over_its_rows() {
        let rows = [
            row("set 1", Some("x"), &[], 1),
            row("set 1", Some("y"), &[], 5),
            row("set 2", Some("x"), &[], 2),
        ];
        let programs = qualities_by_program(&rows);
        let sums: Vec<(&str, u64, u64)> = programs
            .iter()
            .map(|program| {
                (program.name.as_str(), program.ranges[&60].mapped, program.ranges[&60].wrong)
            })
            .collect();
        assert_eq!(sums, [("x", 200, 3), ("y", 100, 5)]);
    }
}
