//! The report as one HTML page without references to other files.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use gpualign_benches::chart::{Chart, Kind, Series};

use crate::committed::papers::LIMITS;
use crate::outcome::{ContestantResult, Evidence, MapqRange, SectionResult};
use crate::report::markdown::{
    NO_STEPS, PAPER_CELLS, facts, gpus, paper_cells, qualities, ratios, step_cells,
};
use crate::report::numbers::number;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}\
    table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left}\
    td.n{text-align:right}svg{max-width:100%;height:auto}code{font-size:12px}";

/// The page of a run, with the drawings of the papers' experiments.
pub fn report(evidence: &Evidence, figures: &[String]) -> Result<String> {
    let Evidence { date, version, device, threads, machine, .. } = evidence;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>Evidence, {date}</title>\
         <style>{STYLE}</style></head><body>\n<h1>Evidence, {date}</h1>\n<p>gpualign {}, --device {}, \
         {threads} threads; {}; {}. Medians of whole processes that took turns.</p>\n",
        escaped(version),
        escaped(device),
        escaped(&machine.processor),
        escaped(&gpus(machine)),
    );
    for section in &evidence.sections {
        page += &render_section(section)?;
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

fn render_section(section: &SectionResult) -> Result<String> {
    let SectionResult { title, workload, unit, rows, missing, note, .. } = section;
    let mut page = format!("<h2>{}</h2>\n<p>{}.</p>\n", escaped(title), escaped(workload));
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
    let charts = [Some(rates(title, unit, rows)), calibration(rows)];
    for chart in charts.into_iter().flatten() {
        page += &chart.svg().map_err(|error| anyhow!("{title}: cannot be drawn: {error}"))?;
    }
    let (over, ratios) = ratios(rows);
    let _ = writeln!(
        page,
        "<table><tr><th>program</th><th>version</th><th>s</th><th>runs</th><th>{}</th>\
         <th>{over}</th><th>memory, MB</th><th></th></tr>",
        escaped(unit)
    );
    for (row, ratio) in rows.iter().zip(&ratios) {
        let memory = format!("{:.0}", row.peak_bytes as f64 / 1e6);
        let (median, rate) = (format!("{:.3}", row.median), number(row.rate));
        let (name, runs) = (row.full_name(), row.seconds.len().to_string());
        let facts = facts(row);
        page += &cells(&[&name, &row.version, &median, &runs, &rate, ratio, &memory, &facts]);
    }
    page += "</table>\n<details><summary>Commands</summary><table>\n";
    for row in rows {
        page += &cells(&[&row.full_name(), &row.command]);
    }
    page += "</table></details>\n";
    Ok(page)
}

/// The chart of rates: bars, grouped by set of data if there are several, or lines over sizes in sections on scaling.
fn rates<'t>(title: &'t str, unit: &'t str, rows: &[ContestantResult]) -> Chart<'t> {
    let mut chart = Chart {
        kind: Kind::Bars,
        title,
        x: "",
        y: unit,
        categories: rows.iter().map(|row| row.name.clone()).collect(),
        series: vec![Series {
            name: unit.to_owned(),
            values: rows.iter().map(|row| row.rate).collect(),
        }],
        reference: None,
    };
    let sizes: Vec<&String> = distinct(rows.iter().filter_map(|row| row.at.as_ref()));
    if !sizes.is_empty() {
        let line = |name: &String| {
            let of =
                |row: &&ContestantResult, size| row.name == *name && row.at.as_ref() == Some(size);
            let rate =
                |size| rows.iter().find(|row| of(row, size)).map_or(f64::NAN, |row| row.rate);
            Series { name: name.clone(), values: sizes.iter().map(|&size| rate(size)).collect() }
        };
        chart.kind =
            if rows.iter().any(ContestantResult::is_of_size) { Kind::Lines } else { Kind::Bars };
        chart.x = title.split_once(": ").map_or("", |(_, what)| what);
        chart.series = distinct(rows.iter().map(|row| &row.name)).into_iter().map(line).collect();
        chart.categories = sizes.into_iter().cloned().collect();
    }
    chart
}

/// The chart of measured against stated mapping qualities; `None` if no row has qualities.
fn calibration(rows: &[ContestantResult]) -> Option<Chart<'static>> {
    let rows: Vec<&ContestantResult> =
        rows.iter().filter(|row| !row.known.by_mapq.is_empty()).collect();
    let from = qualities(&rows);
    let line = |row: &&ContestantResult| {
        let of = |from| row.known.by_mapq.iter().find(|range| range.from == from);
        let measured = |&from: &u64| of(from).and_then(MapqRange::measured).unwrap_or(f64::NAN);
        Series { name: row.name.clone(), values: from.iter().map(measured).collect() }
    };
    let mut series: Vec<Series> = rows.iter().map(line).collect();
    series.push(Series {
        name: "as stated".to_owned(),
        values: from.iter().map(|&from| from as f64).collect(),
    });
    (!rows.is_empty()).then(|| Chart {
        kind: Kind::Lines,
        title: "Error rates by mapping quality; at least, where none is wrong",
        x: "mapping quality, from",
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
