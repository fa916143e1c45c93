//! Sections for `MultiQC`, one file for each (see "Custom content" in its documentation). `MultiQC` puts the runs of a
//! report into one section by its `id`, as rows of a table or lines of a plot.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::commands::map::stats::{Summary, percent};

/// The part of the name of each section's file between the name of the run and `_mqc.json`.
pub const PARTS: [&str; 6] = ["", "_general", "_mapq", "_insert_size", "_steps", "_occupancy"];

/// The sections for which a run has data, each with its part of [`PARTS`].
pub fn sections(name: &str, summary: &Summary) -> Vec<(&'static str, Value)> {
    let tally = &summary.tally;
    let [own, general, quality, insert, steps, occupancy] = PARTS;
    let mut sections = vec![
        (own, table(name, summary)),
        (general, general_statistics(name, summary)),
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
                    title: "Time of each step",
                    description: "Seconds of each step; steps overlap from reading on.",
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
            description: "Properly paired pairs by insert size.",
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
            description: "Mean share of the lanes of a GPU that have an item to work on, for each module of the pipeline.",
            kind: "bargraph",
            axes: ["", "Share"],
        };
        // Bars stand side by side, since shares of different modules do not add up.
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
    /// Labels of the x and the y axis.
    axes: [&'static str; 2],
}

/// A section with a plot of `data`, under the name of the run.
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

/// A section with a bar that has these parts, in this order.
fn bars<N: AsRef<str>>(about: &Plot, name: &str, parts: &[(N, f64)]) -> Value {
    let parts = parts.iter().map(|(part, value)| (part.as_ref().to_owned(), json!(value)));
    let (names, values): (Vec<String>, Vec<Value>) = parts.unzip();
    let data: Map<String, Value> = names.iter().cloned().zip(values).collect();
    let mut section = plot(about, name, &data.into());
    section["categories"] = json!(names);
    section
}

/// Columns of `MultiQC`'s General Statistics, which has a row for each sample and columns of all programs. Cells that are not
/// known for this run are left out.
fn general_statistics(name: &str, summary: &Summary) -> Value {
    let tally = &summary.tally;
    let percents = |title: &str, description: &str, scale: &str| {
        json!({
            "title": title, "description": description, "scale": scale,
            "namespace": "gpualign", "suffix": "%", "min": 0, "max": 100,
        })
    };
    let median = json!({
        "title": "Insert size", "description": "Median insert size of proper pairs, in bases",
        "scale": "GnBu", "namespace": "gpualign", "suffix": " bp", "format": "{:,.0f}", "min": 0,
    });
    let proper = summary.has_proper_pairs().then(|| percent(tally.properly_paired, tally.primary));
    let duplicates = summary.duplicates.map(|found| percent(found.duplicates, found.examined));
    let mut row = Map::new();
    for (column, value) in [
        ("mapped", Some(json!(percent(tally.mapped, tally.primary)))),
        ("properly_paired", proper.map(Value::from)),
        ("duplicates", duplicates.map(Value::from)),
        ("insert_size", tally.median_insert_size().map(Value::from)),
    ] {
        row.extend(value.map(|value| (column.to_owned(), value)));
    }
    json!({
        "id": "gpualign_general_statistics",
        "plot_type": "generalstats",
        // A list keeps the order of the columns.
        "pconfig": [
            { "mapped": percents("Mapped", "Reads that are mapped", "YlGn") },
            { "properly_paired": percents("Proper pairs", "Reads that are properly paired", "YlGn") },
            { "duplicates": percents("Dups", "Mapped reads that are duplicates", "OrRd") },
            { "insert_size": median },
        ],
        "data": { name: row },
    })
}

/// The section of the program: a table with a row for this run.
fn table(name: &str, summary: &Summary) -> Value {
    let tally = &summary.tally;
    let percent = |count: u64| percent(count, tally.primary);
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
        // JSON objects have no order.
        header["placement"] = json!(place);
        headers.insert(column.to_owned(), header);
    }
    json!({
        "id": "gpualign",
        "section_name": "gpualign",
        "description": "Reads, alignments and speed of each run.",
        "plot_type": "table",
        "pconfig": { "id": "gpualign_table", "title": "gpualign" },
        "headers": headers,
        "data": { name: {
            "reads": tally.primary,
            "mapped": percent(tally.mapped),
            "properly_paired": summary.has_proper_pairs().then(|| percent(tally.properly_paired)),
            "insert_size": tally.median_insert_size(),
            "seconds": summary.seconds.total,
            "reads_per_second": summary.reads_per_second,
            "mode": summary.mode,
            "device": summary.device,
            "threads": summary.threads,
        } },
    })
}

/// The points of a line: a count for each value from the first to the last, 0 for values without a count.
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
