//! The page of a report, as HTML with charts in it.

use std::error::Error;

use super::histogram::{self, Bars};
use crate::chart::{Chart, Kind, Series};
use crate::commands::map::stats::Summary;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
    td{padding:.15em 1em .15em 0;border-bottom:1px solid #ddd}svg{max-width:100%;height:auto}\
    code{font-size:13px}";

/// The page of the run with this name.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn page(name: &str, summary: &Summary) -> Result<String, Box<dyn Error>> {
    let tally = &summary.tally;
    let percent = |count: u64| 100.0 * count as f64 / tally.primary.max(1) as f64;
    let of_reads = |count: u64| format!("{count} ({:.2}%)", percent(count));
    let seconds = &summary.seconds;
    let mut rows = vec![
        ("command", summary.command.clone()),
        ("version", summary.version.to_owned()),
        ("mode", format!("{:?}", summary.mode).to_ascii_lowercase()),
        ("device", summary.device.clone()),
        ("threads", summary.threads.to_string()),
        ("reads", tally.primary.to_string()),
        ("bases", summary.bases.to_string()),
        ("mapped", of_reads(tally.mapped)),
        ("secondary records", tally.secondary.to_string()),
        ("supplementary records", tally.supplementary.to_string()),
        ("time", seconds.to_string()),
        ("reads per second", format!("{:.0}", summary.reads_per_second)),
    ];
    if summary.has_proper_pairs() {
        rows.push(("properly paired", of_reads(tally.properly_paired)));
        let median = tally.median_insert_size();
        rows.push(("median insert size", median.map_or("unknown".to_owned(), |m| m.to_string())));
    }
    if let Some(found) = summary.duplicates {
        let percent = 100.0 * found.duplicates as f64 / found.examined.max(1) as f64;
        rows.push(("duplicates", format!("{} ({percent:.2}% of mapped)", found.duplicates)));
    }
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<tr><td>{name}</td><td>{}</td></tr>\n", escaped(value)))
        .collect();
    let mut charts =
        chart("Mapping quality", "MAPQ, from", "reads", histogram::bins(&tally.mapq, 5, 255))?;
    if !tally.insert_size.is_empty() {
        let bins = histogram::smooth_bins(&tally.insert_size);
        charts += &chart("Insert sizes of proper pairs", "bases, from", "pairs", bins)?;
    }
    let (names, values) =
        seconds.steps().map(|(name, time)| (name.to_owned(), time)).into_iter().unzip();
    charts += &chart("Time of each step (steps overlap)", "", "s", Bars { names, values })?;
    let modules = summary.occupancy();
    if !modules.is_empty() {
        let (names, values) =
            modules.into_iter().map(|(name, share)| (name, 100.0 * share)).unzip();
        charts +=
            &chart("Occupancy: lanes with an item, by module", "", "%", Bars { names, values })?;
    }
    let title = escaped(name);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<table>{rows}</table>\n{charts}\
         </body></html>\n"
    ))
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
