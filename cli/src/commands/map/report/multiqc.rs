//! Sections of `MultiQC`, a file each (its documentation, "Custom content"). Runs of one report are rows, or
//! lines, of the same section, which `id` names.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::histogram;
use crate::commands::map::stats::Summary;

/// What comes between the name of a run and `_mqc.json` in the names of its files.
pub const PARTS: [&str; 5] = ["", "_mapq", "_insert_size", "_steps", "_occupancy"];

/// The sections of a run with this name, each with its part of [`PARTS`]; none of those that it has no data for.
pub fn sections(name: &str, summary: &Summary) -> Vec<(&'static str, Value)> {
    let tally = &summary.tally;
    let [general, quality, insert, steps, occupancy] = PARTS;
    let mut sections = vec![
        (general, table(name, summary)),
        (
            quality,
            plot(
                &Plot {
                    id: "gpualign_mapq",
                    title: "Mapping qualities",
                    description: "Mapped reads by mapping quality.",
                    kind: "linegraph",
                    axes: ["Mapping quality", "Reads"],
                },
                name,
                &points(&tally.mapq),
            ),
        ),
        (
            steps,
            bars(
                &Plot {
                    id: "gpualign_steps",
                    title: "Time of the steps",
                    description: "Steps overlap from reading on.",
                    kind: "bargraph",
                    axes: ["", "Seconds"],
                },
                name,
                &summary.seconds.steps(),
            ),
        ),
    ];
    if !tally.insert_size.is_empty() {
        let plotted = Plot {
            id: "gpualign_insert_size",
            title: "Insert sizes",
            description: "Properly paired reads by insert size.",
            kind: "linegraph",
            axes: ["Bases", "Pairs"],
        };
        sections.push((insert, plot(&plotted, name, &points(&tally.insert_size))));
    }
    let modules = summary.occupancy();
    if !modules.is_empty() {
        let plotted = Plot {
            id: "gpualign_occupancy",
            title: "Occupancy",
            description: "Share of the lanes of an ensemble that have an item, by module.",
            kind: "bargraph",
            axes: ["", "Share"],
        };
        // Side by side: shares of different modules do not add up.
        let mut section = bars(&plotted, name, &modules);
        section["pconfig"]["stacking"] = json!("group");
        sections.push((occupancy, section));
    }
    sections
}

/// How a section is drawn.
struct Plot {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    kind: &'static str,
    axes: [&'static str; 2],
}

fn plot(plot: &Plot, name: &str, data: &Value) -> Value {
    let Plot { id, title, description, kind, axes: [x, y] } = plot;
    json!({
        "id": id,
        "section_name": format!("gpualign: {title}"),
        "description": description,
        "plot_type": kind,
        "pconfig": {
            "id": format!("{id}_plot"),
            "title": format!("gpualign: {title}"),
            "xlab": x,
            "ylab": y,
        },
        "data": { name: data },
    })
}

/// A bar with these parts, in this order.
fn bars<N: AsRef<str>>(about: &Plot, name: &str, parts: &[(N, f64)]) -> Value {
    let parts = parts.iter().map(|(part, value)| (part.as_ref().to_owned(), json!(value)));
    let (names, values): (Vec<String>, Vec<Value>) = parts.unzip();
    let data: Map<String, Value> = names.iter().cloned().zip(values).collect();
    let mut section = plot(about, name, &data.into());
    section["categories"] = json!(names);
    section
}

/// A table with a row for this run.
fn table(name: &str, summary: &Summary) -> Value {
    let tally = &summary.tally;
    let percent = |count: u64| 100.0 * count as f64 / tally.primary.max(1) as f64;
    let percents = |title: &str| json!({ "title": title, "suffix": "%", "min": 0, "max": 100 });
    let columns = [
        ("reads", json!({ "title": "Reads", "format": "{:,.0f}" })),
        ("mapped", percents("Mapped")),
        ("properly_paired", percents("Properly paired")),
        ("insert_size", json!({ "title": "Insert size", "description": "Median, in bases" })),
        ("seconds", json!({ "title": "Time", "suffix": " s" })),
        ("reads_per_second", json!({ "title": "Reads/s", "format": "{:,.0f}" })),
        ("mode", json!({ "title": "Mode" })),
        ("device", json!({ "title": "Device" })),
        ("threads", json!({ "title": "Threads" })),
    ];
    let mut headers = Map::new();
    for (place, (column, mut header)) in columns.into_iter().enumerate() {
        // Objects have no order.
        header["placement"] = json!(place);
        headers.insert(column.to_owned(), header);
    }
    json!({
        "id": "gpualign",
        "section_name": "gpualign",
        "description": "Reads and what became of them.",
        "plot_type": "table",
        "pconfig": { "id": "gpualign_table", "title": "gpualign" },
        "headers": headers,
        "data": { name: {
            "reads": tally.primary,
            "mapped": percent(tally.mapped),
            "properly_paired": percent(tally.properly_paired),
            "insert_size": histogram::median(&tally.insert_size),
            "seconds": summary.seconds.total,
            "reads_per_second": summary.reads_per_second,
            "mode": summary.mode,
            "device": summary.device,
            "threads": summary.threads,
        } },
    })
}

/// The points of a line, with `0` for what nothing has between the first and the last.
fn points<K>(counts: &BTreeMap<K, u64>) -> Value
where
    K: Copy + Ord + Default + serde::Serialize,
    std::ops::RangeInclusive<K>: Iterator<Item = K>,
{
    let first = counts.keys().next().copied().unwrap_or_default();
    let last = counts.keys().next_back().copied().unwrap_or_default();
    let count = |value: K| json!([value, counts.get(&value).copied().unwrap_or_default()]);
    (first..=last).map(count).collect()
}
