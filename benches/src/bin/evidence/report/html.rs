//! The report as one HTML page without references to other files.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use gpualign_benches::chart::{Chart, Kind, Series};

use crate::committed::papers::LIMITS;
use crate::outcome::{ContestantResult, Evidence, MapqRange, SectionResult};
use crate::report::markdown::{
    Heading, NO_STEPS, PAPER_CELLS, ProgramQualities, Table, gpus, least_qualities, paper_cells,
    qualities_by_program, step_cells, table, title,
};
use crate::report::numbers::Measure;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:76em;margin:2em auto;padding:0 1em}\
    h1{font-size:1.7em;margin-bottom:.2em}h2{margin-top:2.2em;border-bottom:2px solid #0072b2;padding-bottom:.2em}\
    p.of{color:#555}div.wide{overflow-x:auto}table{border-collapse:collapse;margin:.8em 0}\
    th{background:#f2f5f8}td,th{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:left;vertical-align:bottom}\
    td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr.ours{font-weight:600}\
    svg{max-width:100%;height:auto}code{font-size:12px}";

/// The page of a run, with the drawings of the papers' experiments.
pub fn report(evidence: &Evidence, figures: &[String]) -> Result<String> {
    let Evidence { date, device, threads, machine, commit, .. } = evidence;
    let title = title(evidence);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p class=\"of\">Run on {date}: {threads} threads of {}; {}; \
         gpualign on {}, commit {}.<br/>Whole processes, from start to end; the programs of a section took turns; \
         medians of the runs.</p>\n",
        escaped(&machine.processor),
        escaped(&gpus(machine)),
        escaped(device),
        escaped(commit.as_deref().unwrap_or("unknown")),
        title = escaped(&title),
    );
    for section in &evidence.sections {
        page += &render_section(section, &format!("{threads} threads"))?;
    }
    // Writing to a string cannot fail.
    page += "<h2>Small steps</h2>\n";
    if evidence.steps.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(NO_STEPS));
    } else {
        page += "<p>One thread, medians by criterion.</p>\n<table><tr><th>step</th><th>ns</th>\
            <th>for one of the</th><th>a second</th></tr>\n";
        for step in &evidence.steps {
            page += &cells(&step_cells(step).each_ref().map(String::as_str));
        }
        page += "</table>\n";
    }
    let _ = writeln!(page, "<h2>The papers' numbers</h2>\n<p>{}</p>\n<table><tr>", escaped(LIMITS));
    page.extend(PAPER_CELLS.map(|name| format!("<th>{name}</th>")));
    page += "</tr>\n";
    for paper in &evidence.papers {
        page += &cells(&paper_cells(paper).each_ref().map(String::as_str));
    }
    page += "</table>\n";
    page += &figures.concat();
    page += "</body></html>\n";
    Ok(page)
}

fn render_section(section: &SectionResult, machine: &str) -> Result<String> {
    let SectionResult { title, workload, rows, missing, note, .. } = section;
    let mut page =
        format!("<h2>{}</h2>\n<p class=\"of\">{}.</p>\n", escaped(title), escaped(workload));
    // Writing to a string cannot fail.
    if let Some(note) = note {
        let _ = writeln!(page, "<p>{}.</p>", escaped(note));
    }
    if !missing.is_empty() {
        let _ = writeln!(page, "<p>Not installed: {}.</p>", escaped(&missing.join(", ")));
    }
    if rows.is_empty() {
        return Ok(page);
    }
    let label = match &section.drawn {
        None => format!("{}, more is better", section.unit),
        Some(name) => {
            let unit = if name.starts_with("wrong") { "reads that are " } else { "" };
            format!("{unit}{}; less is better", Measure::of(name).heading(name))
        }
    };
    // Charts of scaling have several sizes of machines.
    let is_scaling = rows.iter().any(ContestantResult::is_of_size);
    let caption = if is_scaling { title.clone() } else { format!("{title}, {machine}") };
    for chart in
        [Some(main_chart(section, &caption, &label)), calibration(rows)].into_iter().flatten()
    {
        page += &chart.svg().map_err(|error| anyhow!("{title}: cannot be drawn: {error}"))?;
    }
    let Table { headings, rows: texts } = table(section);
    let class = |heading: &Heading| if heading.is_number { " class=\"n\"" } else { "" };
    page += "<div class=\"wide\"><table><tr>";
    for heading in &headings {
        let _ = write!(page, "<th{}>{}</th>", class(heading), escaped(&heading.name));
    }
    page += "</tr>\n";
    for (row, texts) in rows.iter().zip(texts) {
        page += if is_ours(row) { "<tr class=\"ours\">" } else { "<tr>" };
        for (heading, text) in headings.iter().zip(texts) {
            let _ = write!(page, "<td{}>{}</td>", class(heading), escaped(&text));
        }
        page += "</tr>\n";
    }
    page += "</table></div>\n<details><summary>Commands</summary><table>\n";
    for row in rows {
        page += &cells(&[&row.full_name(), &row.command]);
    }
    page += "</table></details>\n";
    Ok(page)
}

fn is_ours(row: &ContestantResult) -> bool {
    row.at.as_ref().is_some_and(|at| at.starts_with("gpualign")) || row.name.starts_with("gpualign")
}

/// The chart of a section: its rates, or the finding that it names, as bars, grouped by set of data if there are several; in
/// sections on scaling, rates as lines over sizes.
fn main_chart<'t>(section: &'t SectionResult, caption: &'t str, label: &'t str) -> Chart<'t> {
    let SectionResult { title, unit, rows, drawn, .. } = section;
    let measure = drawn.as_deref().map(Measure::of);
    let value = |row: &ContestantResult| match drawn.as_ref().zip(measure) {
        None => row.rate,
        Some((name, measure)) => {
            row.known.facts.get(name).map_or(f64::NAN, |&value| measure.scaled(value))
        }
    };
    let is_scaling = rows.iter().any(ContestantResult::is_of_size);
    // Sets of data, or sizes, stand side by side; programs have colours.
    let (series, categories): (Vec<&String>, Vec<&String>) =
        match (rows.iter().any(|row| row.at.is_some()), is_scaling) {
            (false, _) => (Vec::new(), rows.iter().map(|row| &row.name).collect()),
            (true, true) => (
                distinct(rows.iter().map(|row| &row.name)),
                distinct(rows.iter().filter_map(|row| row.at.as_ref())),
            ),
            (true, false) => (
                distinct(rows.iter().filter_map(|row| row.at.as_ref())),
                distinct(rows.iter().map(|row| &row.name)),
            ),
        };
    let of = |one: &String, category: &String| {
        let is = |row: &&ContestantResult| {
            let (name, at) = if is_scaling { (one, category) } else { (category, one) };
            row.name == *name && row.at.as_ref() == Some(at)
        };
        rows.iter().find(is).map_or(f64::NAN, value)
    };
    let mut lines: Vec<Series> = Vec::new();
    for &one in &series {
        let values = categories.iter().map(|&category| of(one, category)).collect();
        lines.push(Series { name: one.clone(), values });
    }
    if series.is_empty() {
        lines.push(Series { name: unit.clone(), values: rows.iter().map(value).collect() });
    }
    Chart {
        kind: if is_scaling { Kind::Lines } else { Kind::Bars },
        title: caption,
        x: if is_scaling { title.split_once(": ").map_or("", |(_, what)| what) } else { "" },
        y: label,
        categories: categories.into_iter().cloned().collect(),
        series: lines,
        reference: None,
    }
}

/// The chart of measured against stated mapping qualities; `None` if no row has qualities.
fn calibration(rows: &[ContestantResult]) -> Option<Chart<'static>> {
    let programs = qualities_by_program(rows);
    let from = least_qualities(&programs);
    let line = |program: &ProgramQualities| {
        let measured =
            |from: &u64| program.ranges.get(from).and_then(MapqRange::measured).unwrap_or(f64::NAN);
        Series { name: program.name.clone(), values: from.iter().map(measured).collect() }
    };
    let mut series: Vec<Series> = programs.iter().map(line).collect();
    series.push(Series {
        name: "as stated".to_owned(),
        values: from.iter().map(|&from| from as f64).collect(),
    });
    (!programs.is_empty()).then(|| Chart {
        kind: Kind::Lines,
        title: "Measured mapping quality: above \"as stated\", fewer errors than stated",
        x: "stated mapping quality, from",
        y: "-10 log10 of the error rate",
        categories: from.iter().map(u64::to_string).collect(),
        series,
        reference: None,
    })
}

/// Each text once, in the order of first appearance.
fn distinct<'t>(texts: impl Iterator<Item = &'t String>) -> Vec<&'t String> {
    let mut seen = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

fn cells(texts: &[&str]) -> String {
    let cells: String = texts.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
    format!("<tr>{cells}</tr>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
