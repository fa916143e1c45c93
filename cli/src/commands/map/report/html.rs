//! The page of a report, as HTML with charts in it.

use std::error::Error;
use std::time::Duration;

use indicatif::HumanCount;

use super::histogram::{self, Bars};
use crate::chart::{Chart, Kind, Series};
use crate::commands::map::overview;
use crate::commands::map::stats::Summary;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
    td{padding:.15em 1em .15em 0;border-bottom:1px solid #ddd}svg{max-width:100%;height:auto}\
    code{font-size:13px}";

/// The page of the run with this name.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn page(name: &str, summary: &Summary) -> Result<String, Box<dyn Error>> {
    let Summary { tally, seconds, .. } = summary;
    let count = |count: u64| HumanCount(count).to_string();
    let of_reads = overview::results(summary);
    let mut results: Vec<(&str, String)> =
        of_reads.into_iter().map(|fact| (fact.name, fact.number + &fact.note)).collect();
    results.extend([
        ("bases", count(summary.bases)),
        ("secondary records", count(tally.secondary)),
        ("supplementary records", count(tally.supplementary)),
    ]);
    let run = [
        ("command", summary.command.clone()),
        ("version", summary.version.to_owned()),
        ("mode", format!("{:?}", summary.mode).to_ascii_lowercase()),
        ("device", summary.device.clone()),
        ("threads", summary.threads.to_string()),
        ("time", overview::duration(Duration::from_secs_f64(seconds.total))),
        ("reads per second", count(summary.reads_per_second.round() as u64)),
    ];
    let [results, run] = [results.as_slice(), &run].map(table);
    let mut charts = chart(
        "Mapping quality",
        "MAPQ, from",
        "mapped reads",
        histogram::bins(&tally.mapq, 5, 255),
    )?;
    if !tally.insert_size.is_empty() {
        let bins = histogram::smooth_bins(&tally.insert_size);
        charts += &chart("Insert sizes of proper pairs", "bases, from", "pairs", bins)?;
    }
    let mut of_run = String::new();
    let (names, values) =
        seconds.steps().map(|(name, time)| (name.to_owned(), time)).into_iter().unzip();
    of_run += &chart("Time of each step (steps overlap)", "", "s", Bars { names, values })?;
    let modules = summary.occupancy();
    if !modules.is_empty() {
        let (names, values) =
            modules.into_iter().map(|(name, share)| (name, 100.0 * share)).unzip();
        of_run +=
            &chart("Occupancy: lanes with an item, by module", "", "%", Bars { names, values })?;
    }
    let title = escaped(name);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n{results}{charts}<h2>Run</h2>\n{run}{of_run}\
         </body></html>\n"
    ))
}

/// A table with names and values.
fn table(rows: &[(&str, String)]) -> String {
    let row = |(name, value): &(&str, String)| {
        format!("<tr><td>{name}</td><td>{}</td></tr>\n", escaped(value))
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
