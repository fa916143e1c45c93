//! The page of a report, as HTML with charts in it.

use std::error::Error;
use std::time::Duration;

use indicatif::HumanCount;

use super::histogram::{self, Bars};
use crate::chart::{Chart, Kind, Series};
use crate::commands::map::overview::{self, Fact};
use crate::commands::map::stats::Summary;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:70em;margin:2em auto;padding:0 1em}\
    h1{font-size:1.7em;margin-bottom:.1em}h2{margin-top:2em;border-bottom:2px solid #0072b2;padding-bottom:.2em}\
    p.of{color:#555;margin-top:0}dl{display:flex;flex-wrap:wrap;gap:1em;margin:1.5em 0}\
    dl div{background:#f2f5f8;border-radius:6px;padding:.6em 1.2em}dt{color:#555;font-size:13px}\
    dd{margin:0;font-size:1.5em;font-weight:600}dd small{font-size:13px;font-weight:400;color:#555}\
    table{border-collapse:collapse}td{padding:.2em 1.5em .2em 0;border-bottom:1px solid #ddd;vertical-align:top}\
    td.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}";

/// The page of the run with this name.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn page(name: &str, summary: &Summary) -> Result<String, Box<dyn Error>> {
    let Summary { tally, seconds, mode, device, threads, version, .. } = summary;
    let count = |count: u64| HumanCount(count).to_string();
    let time = overview::duration(Duration::from_secs_f64(seconds.total));
    let mode = format!("{mode:?}").to_ascii_lowercase();
    let mut figures = overview::results(summary);
    figures.push(Fact {
        name: "speed",
        number: count(summary.reads_per_second.round() as u64),
        note: " reads/s".to_owned(),
    });
    let figures: String = figures.iter().map(figure).collect();
    let records = [
        ("primary records, one a read", count(tally.primary)),
        ("secondary records", count(tally.secondary)),
        ("supplementary records", count(tally.supplementary)),
        ("bases of the reads", count(summary.bases)),
    ];
    let run = [
        ("command", summary.command.clone()),
        ("version", format!("gpualign {version}")),
        ("mode", mode.clone()),
        ("device", device.clone()),
        ("threads", count(*threads as u64)),
        ("time", time.clone()),
    ];
    let (records, run) = (table(&records, " class=\"n\""), table(&run, ""));
    let mut charts = chart(
        "How sure the loci are: mapped reads by mapping quality",
        "mapping quality (MAPQ), in steps of 5",
        "mapped reads",
        histogram::bins(&tally.mapq, 5, 255),
    )?;
    if !tally.insert_size.is_empty() {
        let bins = histogram::smooth_bins(&tally.insert_size);
        let title = "How long the fragments are: proper pairs by insert size";
        charts += &chart(title, "insert size from, bases", "proper pairs", bins)?;
    }
    let mut of_run = String::new();
    let (names, values) =
        seconds.steps().map(|(name, time)| (name.to_owned(), time)).into_iter().unzip();
    of_run += &chart(
        "Where the time goes: seconds of each step, some of which overlap",
        "step",
        "seconds",
        Bars { names, values },
    )?;
    let modules = summary.occupancy();
    if !modules.is_empty() {
        let (names, values) =
            modules.into_iter().map(|(name, share)| (name, 100.0 * share)).unzip();
        let title = "Occupancy: lanes with an item, by module";
        of_run += &chart(title, "module", "lanes with an item, %", Bars { names, values })?;
    }
    let name = escaped(name);
    let reads = count(tally.primary);
    let what = escaped(&format!("{reads} reads, {mode} mapping on {device}, {time}"));
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{name}: {what}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n<p class=\"of\">{what}, by gpualign {version}</p>\n\
         <dl>{figures}</dl>\n{charts}<h2>Records</h2>\n{records}<h2>Run</h2>\n{run}{of_run}</body></html>\n"
    ))
}

/// A figure at the top of the page, with its name above and its note behind it.
fn figure(Fact { name, number, note }: &Fact) -> String {
    let [number, note] = [number, note].map(|text| escaped(text));
    format!("<div><dt>{name}</dt><dd>{number}<small>{note}</small></dd></div>\n")
}

/// A table with names and values, whose cells have these attributes.
fn table(rows: &[(&str, String)], attributes: &str) -> String {
    let row = |(name, value): &(&str, String)| {
        format!("<tr><td>{name}</td><td{attributes}>{}</td></tr>\n", escaped(value))
    };
    format!("<table>{}</table>\n", rows.iter().map(row).collect::<String>())
}

/// A chart of bars as SVG, with the labels of both axes.
fn chart(title: &str, x: &str, y: &str, bars: Bars) -> Result<String, Box<dyn Error>> {
    let series = vec![Series { name: y.to_owned(), values: bars.values }];
    let categories = bars.names;
    let chart = Chart { kind: Kind::Bars, title, x, y, categories, series, reference: None };
    chart.svg().map_err(|error| error.to_string().into())
}

/// Text with the signs escaped that mean something else in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
