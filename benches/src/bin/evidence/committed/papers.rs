//! The table of the papers' numbers beside gpualign's.
//!
//! Cole 2017 and Li 2016 are dissertations (ARCHITECTURE.md has the bibliography), whose numbers are of cards of their time.
//! gpualign's numbers are computed from results of GPU runs that the repository keeps. Each row has a share of its
//! ceiling ([`LIMITS`]).

use anyhow::{Context, Result};
use serde_json::Value;

use crate::committed::results::{Results, Source};
use crate::outcome::PaperRow;

/// The sentences of a report that explain the column of shares.
pub const LIMITS: &str = "A share is of the ceiling that bounds a row: of all firings; of the cycles of the split \
    build's blocks, which a runtime without overhead would spend in stages; of the rate that one NVIDIA H200 was measured \
    to reach (ceilings.json); or of the link to the host, where copies alone take that share of the time. In a row that \
    compares two kernels or variants, the share is the faster one's.";

/// Ceilings that need no measurement of their own, by the names that reports use.
const FIRINGS: &str = "firings";
const CYCLES: &str = "cycles of blocks";
const LINK: &str = "the link to the host";

/// Ceilings of `ceilings.json` that several rows use, by their names in that file.
const LOOKS_OF_L2: &str = "reads of 64 bytes from L2";
const CELLS_OF_MEMORY: &str = "cells of 4 bytes through device memory";
const SHARED_LOOKS: &str = "shared memory look-ups";

/// Topics whose results have the filter pipeline of blastn.
const PIPELINE_TOPICS: [&str; 3] = ["blastn", "blastn-pipeline", "blastn-places"];

/// Topics whose results have the kernels for global alignments.
const KERNEL_TOPICS: [&str; 2] = ["nw", "nw-gpu"];

/// The rows of the table, in the order of chapters; an error if a result that they need is not there.
pub fn rows(results: &Results) -> Result<Vec<PaperRow>> {
    let source = |topic| results.newest(topic);
    let ceilings = source("ceilings")?;
    let mut rows = streaming(&source("runtime")?)?;
    rows.extend(aligner(&source("trie-ablation")?, &ceilings)?);
    rows.extend(alignments(&source("nw")?, &ceilings)?);
    rows.extend(kernels(&results.newest_of(&KERNEL_TOPICS)?, &ceilings)?);
    rows.extend(filter(&results.newest_of(&PIPELINE_TOPICS)?, &ceilings)?);
    Ok(rows)
}

/// Rows about the streaming runtime (Cole 2017, chapters 3 and 4).
fn streaming(source: &Source<'_>) -> Result<Vec<PaperRow>> {
    // The application at a filter rate, of the first run (10^6 items) or the second (16 x 10^6).
    let lazy = |run: usize, app: &str, rate: f64| {
        let points = source.points(run)?;
        let is = |point: &&Value| {
            point["app"] == app
                && point["policy"] == "lazy"
                && point["filter_rate"] == rate
                && point["level"]["microseconds"] == 40.0
                && point["width"] == 128
        };
        points.iter().copied().find(is).with_context(|| format!("{}: no {app}", source.file))
    };
    let time = |point: &Value| point["seconds"].as_f64().unwrap_or(f64::NAN);
    let sum = |point: &Value, key: &str| -> f64 {
        let modules = point["metrics"]["modules"].as_array().into_iter().flatten();
        modules.filter_map(|module| module[key].as_f64()).sum()
    };
    let mut rows = Vec::new();
    for (rate, paper) in [(0.5, "above 1.5"), (0.0, "below 1")] {
        let (fused, split) = (lazy(0, "Merged", rate)?, lazy(0, "DiffType", rate)?);
        let what = format!("fused over split, rate {rate}, 40 us");
        let cycles = split["metrics"]["total_cycles"].as_f64();
        let share = cycles.map(|cycles| sum(split, "run_cycles") / cycles);
        let ours = format!("{:.2}", time(fused) / time(split));
        rows.push(row(source, "Cole 2017, figure 3.12", &what, paper, ours, share, CYCLES));
    }
    for (app, paper) in [("DiffType", "94%"), ("SelfLoop", "94%"), ("SameType", "93%")] {
        let point = lazy(1, app, 0.5)?;
        let full = sum(point, "full_firings") / sum(point, "firings");
        let what = format!("full firings of {app}, lazy, 16 x 10^6 items");
        let ours = format!("{:.0}%", 100.0 * full);
        rows.push(row(source, "Cole 2017, figure 4.11", &what, paper, ours, Some(full), FIRINGS));
    }
    Ok(rows)
}

/// Rows about the aligner over the suffix trie (Cole 2017, chapter 2).
fn aligner(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<PaperRow>> {
    let mut parts = source.json.as_object().into_iter().flatten();
    let points = parts.find_map(|(_, value)| value["points"].as_array());
    let points = points.with_context(|| format!("{}: no points", source.file))?;
    let find = |name: &str| {
        let of_name = points.iter().find(|point| point["variant"]["name"] == name);
        of_name.with_context(|| format!("{}: no variant '{name}'", source.file))
    };
    let served = ceilings.number(LOOKS_OF_L2)?;
    let over = |what: &str, paper: &str, variant: &str, other: &str| {
        let rate = |point: &Value| point["reads_per_second"].as_f64().unwrap_or(f64::NAN);
        let point = find(variant)?;
        let looks = point["rank_reads_per_second"].as_f64();
        let ours = format!("{:.2}", rate(point) / rate(find(other)?));
        let share = looks.map(|looks| looks / served);
        Ok::<_, anyhow::Error>(row(
            source,
            "Cole 2017, section 2.5.3",
            what,
            paper,
            ours,
            share,
            LOOKS_OF_L2,
        ))
    };
    let decoupled = "+ decoupled, threshold 128";
    Ok(vec![
        over(
            "sharing and decoupling over separate lists, 100,000 reads",
            "2 to 3",
            decoupled,
            "separate lists",
        )?,
        over("slices that give idle blocks work", "1.10", "+ slices, redistribution", decoupled)?,
    ])
}

/// Rows about global alignments, figure by figure (Li 2016, chapter 3).
fn alignments(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<PaperRow>> {
    // The seconds and the pairs of the first case of a figure with so many pairs.
    let figure = |figure: &str, name: &str, length: u64, more_than: u64| {
        let is = |case: &&Value| {
            case["figure"] == figure
                && case["name"] == name
                && case["length"] == length
                && case["pairs"].as_u64() >= Some(more_than)
        };
        let found = source.list("figures")?.iter().find(is);
        let found = found.with_context(|| format!("{}: no {name}", source.file))?;
        let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        Ok::<_, anyhow::Error>((number("seconds"), number("pairs")))
    };
    // Older results lack the time of copies alone.
    let copies = figure("12", "copies alone, page-locked memory", 1536, 1000).ok();
    let of_link = |(seconds, pairs): (f64, f64)| {
        copies.map(|(alone, copied)| alone / copied * pairs / seconds)
    };
    let limit = ceilings.number(CELLS_OF_MEMORY)?;
    let of_memory =
        |(seconds, pairs): (f64, f64), length: f64| Some(pairs * length * length / seconds / limit);
    let faster = |(a, _): (f64, f64), (b, _): (f64, f64)| format!("{:.1}", a / b);
    let less = |(part, _): (f64, f64), (whole, _): (f64, f64)| {
        format!("{:.0}% less time", 100.0 * (1.0 - part / whole))
    };
    let host = figure("8", "rodinia, set up on the host", 1536, 64)?;
    let device = figure("8", "rodinia, set up on the device", 1536, 64)?;
    let locked = figure("8", "rodinia, and page-locked memory", 1536, 64)?;
    let rodinia = figure("9, 10", "rodinia", 1536, 64)?;
    let tiled = figure("9, 10", "tiled-dscan", 1536, 64)?;
    let dscan = figure("9, 10", "dscan", 1536, 64)?;
    let full = figure("11", "rodinia, from 64 pairs", 512, 1000)?;
    let rscan = figure("11", "rscan", 512, 1000)?;
    let pageable = figure("12", "dscan, pageable memory", 1536, 1000)?;
    let copied = figure("12", "dscan, page-locked memory", 1536, 1000)?;
    let both = figure("12", "dscan, double buffering", 1536, 1000)?;
    let rows = [
        (
            8,
            "matrices set up on the device, 64 pairs of 1,536",
            "5 to 25% less time",
            less(device, host),
            of_link(device),
            LINK,
        ),
        (
            8,
            "and page-locked memory",
            "more than 30 to 50% less time",
            less(locked, host),
            of_link(locked),
            LINK,
        ),
        (
            9,
            "tiled-dscan over rodinia, 64 pairs of 1,536",
            "up to 2",
            faster(rodinia, tiled),
            of_memory(tiled, 1536.0),
            CELLS_OF_MEMORY,
        ),
        (
            10,
            "dscan over rodinia, 64 pairs of 1,536",
            "mostly above tiled-dscan",
            faster(rodinia, dscan),
            of_memory(dscan, 1536.0),
            CELLS_OF_MEMORY,
        ),
        (
            11,
            "rscan over rodinia, 512 bases, memory full",
            "up to 5",
            faster(full, rscan),
            of_memory(rscan, 512.0),
            CELLS_OF_MEMORY,
        ),
        (
            12,
            "page-locked over pageable memory",
            "1.6",
            faster(pageable, copied),
            of_link(copied),
            LINK,
        ),
        (
            12,
            "double buffering over page-locked memory",
            "1.2",
            faster(copied, both),
            of_link(both),
            LINK,
        ),
    ];
    let made = rows.into_iter().map(|(number, what, paper, ours, share, of)| {
        row(source, &format!("Li 2016, figure {number}"), what, paper, ours, share, of)
    });
    Ok(made.collect())
}

/// Rows about the kernels for global alignments that have a ceiling.
fn kernels(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<PaperRow>> {
    let mut rows = Vec::new();
    for found in source.list("kernels")? {
        let (Some(kernel), Some(ceiling)) = (found["kernel"].as_str(), found["ceiling"].as_str())
        else {
            continue;
        };
        let cells = found["kernel_tcells_per_second"].as_f64().unwrap_or(f64::NAN);
        let what = format!("kernel: {kernel}");
        let ours = format!("{cells:.2} T cells/s");
        let share = Some(cells * 1e12 / ceilings.number(ceiling)?);
        rows.push(row(source, "Li 2016, chapter 3", &what, "not given", ours, share, ceiling));
    }
    Ok(rows)
}

/// Rows about the filter pipeline of blastn (Cole 2017, figure 3.15). A row of another card than the ceilings' names it, and
/// has no share.
fn filter(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<PaperRow>> {
    // Files on several queries that are searched together list them as batches.
    let points = source.json["batches"].as_array();
    let points = points.or_else(|| source.json["pipeline"]["width 256"].as_array());
    let points = points.with_context(|| format!("{}: no pipeline", source.file))?;
    // The topic of a whole run, which measures its own card, names none.
    let card = source.json["device"].as_str().and_then(|device| device.split(',').next());
    let other_card = card.filter(|&card| ceilings.json["device"] != card);
    let served = ceilings.number(SHARED_LOOKS)?;
    let mut rows = Vec::new();
    for query in [2000, 10_000] {
        let find = |build: &str| {
            let is = |point: &&Value| point["build"] == build && point["query"] == query;
            let found = points.iter().find(is);
            found.with_context(|| format!("{}: no {build} build with {query}", source.file))
        };
        let (merged, split) = (find("merged")?, find("split")?);
        let seconds = |point: &Value| point["kernel_seconds"].as_f64().unwrap_or(f64::NAN);
        // A thread of the merged build looks up one word, or as many as the file says.
        let each = source.json["look-ups of a thread of the merged build"].as_f64().unwrap_or(1.0);
        let threads = merged["stages"][0]["items"].as_f64();
        let looks = threads.map(|threads| threads * each / seconds(split));
        let on = other_card.map_or(String::new(), |card| format!(", {card}"));
        let what = format!("blastn's pipeline, split over merged, query of {query} bases{on}");
        let ours = format!("{:.1}", seconds(merged) / seconds(split));
        let share = looks.filter(|_| other_card.is_none()).map(|looks| looks / served);
        rows.push(row(
            source,
            "Cole 2017, figure 3.15",
            &what,
            "1.27 to 1.78",
            ours,
            share,
            SHARED_LOOKS,
        ));
    }
    Ok(rows)
}

fn row(
    source: &Source<'_>,
    paper: &str,
    what: &str,
    theirs: &str,
    ours: String,
    share: Option<f64>,
    limit: &str,
) -> PaperRow {
    PaperRow {
        source: paper.to_owned(),
        what: what.to_owned(),
        theirs: theirs.to_owned(),
        ours,
        share_of_ceiling: share,
        ceiling: limit.to_owned(),
        file: source.file.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_committed_results_have_every_row() {
        let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "results"].iter().collect();
        let rows = rows(&Results::read(&folder).expect("are there")).expect("have them");
        assert!(rows.iter().all(|row| !row.ours.contains("NaN") && !row.ours.contains("inf")));
        let share = |what: &str| {
            rows.iter().find(|row| row.what == what).and_then(|row| row.share_of_ceiling)
        };
        // As benches/RESULTS.md has them.
        let linear = share("kernel: linear, scores, warp").expect("has a ceiling");
        assert!((linear - 0.90).abs() < 0.005, "{linear}");
        let edit = share("kernel: edit distance, scores, edit").expect("has a ceiling");
        assert!((edit - 0.79).abs() < 0.005, "{edit}");
        // Only newer results have the ceiling of the link, and rows of other cards have no ceiling.
        for row in rows {
            let share = row.share_of_ceiling;
            let is_of_other_card = row.what.ends_with(", NVIDIA H100 80GB HBM3");
            assert!(share.is_some() || row.ceiling == LINK || is_of_other_card, "{}", row.what);
            assert!(
                share.is_none_or(|share| share > 0.0 && share < 1.0),
                "{}: {share:?}",
                row.what
            );
        }
    }
}
