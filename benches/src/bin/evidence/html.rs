//! The report as one page that needs nothing else.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use gpualign_benches::chart::{Chart, Kind, Series};

use crate::markdown::{facts, number};
use crate::outcome::{Evidence, Outcome};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}\
    table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left}\
    td.n{text-align:right}svg{max-width:100%;height:auto}code{font-size:12px}";

/// The whole page.
pub fn report(evidence: &Evidence) -> Result<String> {
    let Evidence { date, version, device, threads, machine, .. } = evidence;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>Evidence, {date}</title>\
         <style>{STYLE}</style></head><body>\n<h1>Evidence, {date}</h1>\n<p>gpualign {}, --device {}, \
         {threads} threads; {}; {}. Medians of whole processes that took turns.</p>\n",
        escaped(version),
        escaped(device),
        escaped(&machine.processor),
        escaped(if machine.gpus.is_empty() { "no GPU" } else { &machine.gpus[0] }),
    );
    for section in &evidence.sections {
        page += &of_section(section)?;
    }
    page += "<h2>The papers' numbers</h2>\n<table><tr><th>paper</th><th>what</th><th>paper's</th>\
        <th>ours</th><th>share of the ceiling</th></tr>\n";
    for paper in &evidence.papers {
        let share =
            paper.share_of_ceiling.map_or_else(String::new, |s| format!("{:.0}%", 100.0 * s));
        page += &cells(&[&paper.source, &paper.what, &paper.theirs, &paper.ours, &share]);
    }
    page += "</table>\n</body></html>\n";
    Ok(page)
}

fn of_section(section: &Outcome) -> Result<String> {
    let Outcome { title, workload, unit, rows, missing, note, .. } = section;
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
    let chart = Chart {
        kind: Kind::Bars,
        title,
        x: "",
        y: unit,
        categories: rows.iter().map(|row| row.name.clone()).collect(),
        series: vec![Series {
            name: unit.clone(),
            values: rows.iter().map(|row| row.rate).collect(),
        }],
        reference: None,
    };
    page += &chart.svg().map_err(|error| anyhow!("{title}: cannot be drawn: {error}"))?;
    let _ = writeln!(
        page,
        "<table><tr><th>program</th><th>version</th><th>s</th><th>{}</th><th>memory, MB</th>\
         <th></th><th>command</th></tr>",
        escaped(unit)
    );
    for row in rows {
        let memory = format!("{:.0}", row.peak_bytes as f64 / 1e6);
        let (median, rate) = (format!("{:.3}", row.median), number(row.rate));
        page +=
            &cells(&[&row.name, &row.version, &median, &rate, &memory, &facts(row), &row.command]);
    }
    page += "</table>\n";
    Ok(page)
}

fn cells(texts: &[&str]) -> String {
    let cells: String = texts.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
    format!("<tr>{cells}</tr>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
