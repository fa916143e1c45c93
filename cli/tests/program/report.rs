//! The statistics of `--stats` and the page of `--report FILE.html`.

use serde_json::Value;

use crate::sam;
use crate::support::{Folder, data};

#[test]
fn statistics_are_those_of_the_records() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let mapping = ["--mode", "all", "reads.fq", "ref.fa"];
    let output = folder.run(&[&["--device", "cpu", "--stats", "json"], &mapping[..]].concat());
    assert!(output.status.success());
    let stats: Value = serde_json::from_slice(&output.stderr).expect("is JSON");
    let records = sam::records(&output.stdout);
    let count = |is: &dyn Fn(&sam::Record) -> bool| records.iter().filter(|r| is(r)).count();
    let mapped = |record: &sam::Record| record.is_primary() && record.is_aligned();
    assert_eq!(stats["primary"], 45);
    assert_eq!(stats["mapped"], count(&mapped));
    assert_eq!(stats["secondary"], count(&|record| record.flag & 0x100 != 0));
    assert_eq!((&stats["paired"], &stats["supplementary"]), (&0.into(), &0.into()));
    let histogram = stats["mapq"].as_object().expect("a histogram");
    for (mapq, found) in histogram {
        let of_mapq = |record: &sam::Record| mapped(record) && record.mapq.to_string() == *mapq;
        assert_eq!(*found, count(&of_mapq), "{mapq}");
    }
    let sum: u64 = histogram.values().filter_map(Value::as_u64).sum();
    assert_eq!(stats["mapped"], sum);
    assert!(stats["insert_size"].as_object().expect("a histogram").is_empty());
}

#[test]
fn a_report_is_a_page_and_a_table_for_multiqc() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let records = folder.records(&["reads.fq", "ref.fa"]);
    let mapped = records.iter().filter(|record| record.is_primary() && record.is_aligned());
    let mapped = 100.0 * mapped.count() as f64 / 45.0;
    for (output, sort) in [("out.sam", &[][..]), ("out.bam", &["--sort"])] {
        let report = ["reads.fq", "ref.fa", "-o", output, "--report", "lane 1.html"];
        folder.map(&[&report, sort].concat());
        let page = String::from_utf8(folder.read("lane 1.html")).expect("is text");
        let title = "<title>lane 1: 45 reads, all mapping on cpu, ";
        let reads = "<dt>reads</dt><dd>45<small></small></dd>";
        for part in [title, "<h1>lane 1</h1>", reads, "mapping quality (MAPQ)", "</html>"] {
            assert!(page.contains(part), "{part}");
        }
        // No insert sizes, no modules, and nothing from elsewhere.
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(["src=", "href=", "url("].iter().all(|sign| !page.contains(sign)));
        let table: Value =
            serde_json::from_slice(&folder.read("lane 1_mqc.json")).expect("is JSON");
        assert_eq!((&table["id"], &table["plot_type"]), (&"gpualign".into(), &"table".into()));
        let row = &table["data"]["lane 1"];
        assert_eq!((&row["reads"], &row["properly_paired"]), (&45.into(), &Value::Null));
        assert_eq!(row["mapped"].as_f64(), Some(mapped));
        assert_eq!(row["insert_size"], Value::Null);
        assert_eq!((&row["mode"], &row["device"]), (&"all".into(), &"cpu".into()));
        assert!(
            row["seconds"].as_f64() > Some(0.0) && row["reads_per_second"].as_f64() > Some(0.0)
        );
        assert_eq!(sections(&folder, "lane 1", "lane 1"), ["_general", "_mapq", "_steps", ""]);
    }
}

/// The sections that a run has, after a check of what `MultiQC` requires of custom content: an `id`, a
/// `plot_type` that it knows, and `data` by sample; a `pconfig` with an `id` of its own and a title; and for these
/// types, numbers by name, or pairs of numbers.
fn sections(folder: &Folder, file: &str, name: &str) -> Vec<&'static str> {
    let parts = ["_general", "_mapq", "_insert_size", "_steps", "_occupancy", ""];
    let file = |part: &str| format!("{file}{part}_mqc.json");
    let parts = parts.into_iter().filter(|part| folder.path(&file(part)).exists());
    parts
        .inspect(|part| {
            let section: Value =
                serde_json::from_slice(&folder.read(&file(part))).expect("is JSON");
            let samples = section["data"].as_object().expect("samples");
            assert_eq!(samples.keys().collect::<Vec<_>>(), [name]);
            if section["plot_type"] == "generalstats" {
                // A list of columns, and no section of its own.
                let columns = section["pconfig"].as_array().expect("columns");
                let names: Vec<&String> =
                    columns.iter().filter_map(|column| column.as_object()?.keys().next()).collect();
                assert_eq!(names, ["mapped", "properly_paired", "duplicates", "insert_size"]);
                let row = samples[name].as_object().expect("a row");
                assert!(row.iter().all(|(name, value)| names.contains(&name) && value.is_number()));
                return;
            }
            for key in ["id", "section_name", "description", "plot_type"] {
                assert!(
                    section[key].as_str().is_some_and(|text| !text.is_empty()),
                    "{part}: {key}"
                );
            }
            assert_ne!(section["id"], section["pconfig"]["id"]);
            assert!(section["pconfig"]["title"].is_string(), "{section}");
            let data = &samples[name];
            match section["plot_type"].as_str().expect("a type") {
                "table" => {
                    let columns = section["headers"].as_object().expect("columns");
                    let row = data.as_object().expect("a row");
                    assert!(columns.keys().eq(row.keys()) && row.values().any(Value::is_number));
                }
                "linegraph" => {
                    let points = data.as_array().expect("points");
                    assert!(!points.is_empty());
                    assert!(points.iter().all(|p| p[0].is_number() && p[1].is_number()), "{data}");
                }
                "bargraph" => {
                    let bars = data.as_object().expect("parts of a bar");
                    assert!(!bars.is_empty() && bars.values().all(Value::is_number), "{data}");
                    let order = section["categories"].as_array().expect("their order");
                    let mut order: Vec<_> = order.iter().filter_map(Value::as_str).collect();
                    order.sort_unstable();
                    assert!(bars.keys().eq(order), "{section}");
                }
                other => panic!("MultiQC has no {other}"),
            }
        })
        .collect()
}

/// The data of a run in a section.
fn section(folder: &Folder, file: &str, name: &str) -> Value {
    let section: Value = serde_json::from_slice(&folder.read(file)).expect("is JSON");
    section["data"][name].clone()
}

#[test]
fn all_mapping_reports_the_occupancy_of_its_modules() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let mapping = ["--mode", "all", "-k", "3", "--strategy", "scheme", "reads.fq", "ref.fa"];
    let report = ["--device", "cpu", "-o", "out.sam", "--report", "run.html", "--stats", "json"];
    let output = folder.run(&[&mapping[..], &report].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stats: Value = serde_json::from_slice(&output.stderr).expect("is JSON");
    assert_eq!(sections(&folder, "run", "run"), ["_general", "_mapq", "_steps", "_occupancy", ""]);
    let modules = section(&folder, "run_occupancy_mqc.json", "run");
    for (module, share) in modules.as_object().expect("modules") {
        let of_scheme = stats["scheme"]["occupancy"].as_array().expect("modules");
        let module = module.strip_prefix("scheme: ").expect("of the search scheme");
        let found = of_scheme.iter().find(|pair| pair[0] == module).expect(module);
        assert_eq!(*share, found[1]);
    }
    assert_eq!(modules.as_object().map(serde_json::Map::len), Some(4));
    let steps = section(&folder, "run_steps_mqc.json", "run");
    assert_eq!(steps["search"], stats["seconds"]["search"]);
    // Every quality between the first and the last, and as many reads as there are in the histogram.
    let qualities = section(&folder, "run_mapq_mqc.json", "run");
    let of = |point: &Value| point[1].as_u64().expect("a count");
    let sum: u64 = qualities.as_array().expect("points").iter().map(of).sum();
    assert_eq!(stats["mapped"], sum);
    let page = String::from_utf8(folder.read("run.html")).expect("is text");
    assert!(page.contains("Occupancy") && page.matches("<svg").count() == 3);
}

#[test]
fn pairs_have_insert_sizes() {
    let folder = Folder::new();
    folder.write("1.fq", data("phix_1.fq")).write("2.fq", data("phix_2.fq"));
    let mapping = ["--mode", "best", "1.fq", "2.fq", "ref.fa", "--stats", "json"];
    let report = ["--device", "cpu", "-o", "out.sam", "--report", "run.html"];
    let output = folder.run(&[&mapping[..], &report].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stats: Value = serde_json::from_slice(&output.stderr).expect("is JSON");
    let records = sam::records(&folder.read("out.sam"));
    let proper = |record: &&sam::Record| record.is_primary() && record.flag & 2 != 0;
    let count = records.iter().filter(proper).count();
    assert!(count > 20);
    assert_eq!((&stats["paired"], &stats["properly_paired"]), (&90.into(), &count.into()));
    let inserts = stats["insert_size"].as_object().expect("a histogram");
    let pairs: u64 = inserts.values().filter_map(Value::as_u64).sum();
    assert_eq!(pairs as usize, count / 2);
    let page = String::from_utf8(folder.read("run.html")).expect("is text");
    assert_eq!(page.matches("<svg").count(), 3);
    assert_eq!(
        sections(&folder, "run", "run"),
        ["_general", "_mapq", "_insert_size", "_steps", ""]
    );
    let points = section(&folder, "run_insert_size_mqc.json", "run");
    let of = |point: &Value| point[1].as_u64().expect("a count");
    assert_eq!(points.as_array().expect("points").iter().map(of).sum::<u64>(), pairs);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_mapping() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let mapping = ["--device", "cpu", "reads.fq", "ref.fa", "-o", "out.sam"];
    let report = ["--report", "missing/run.html"];
    folder.refused(&[&mapping[..], &report].concat(), &["missing/run.html: ", "No such file"]);
}

#[test]
fn samples_are_the_title_and_have_a_row_of_general_statistics() {
    let folder = Folder::new();
    folder.write("1.fq", data("phix_1.fq")).write("2.fq", data("phix_2.fq"));
    let run = |options: &[&str]| {
        let mapping =
            ["--device", "cpu", "1.fq", "2.fq", "1.fq", "2.fq", "ref.fa", "-o", "out.bam"];
        let report = ["--report", "run.html", "--stats", "json"];
        let output = folder.run(&[&mapping[..], &report, options].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stderr).expect("is JSON")
    };
    let page = || String::from_utf8(folder.read("run.html")).expect("is text");
    let general = |name: &str| section(&folder, "run_general_mqc.json", name);
    let percent = |count: &Value, all: &Value| {
        Value::from(100.0 * count.as_f64().expect("a count") / all.as_f64().expect("a count"))
    };

    // Each pair is there twice.
    let marked = ["--sort", "--mark-duplicates", "-R", "@RG\\tID:x\\tSM:<a>"];
    let stats = run(&marked);
    assert!(page().contains("<h1>&lt;a&gt;</h1>"));
    assert!(page().contains("<dt>duplicates</dt>"));
    assert_eq!(sections(&folder, "run", "<a>").len(), 5);
    let row = general("<a>");
    assert_eq!(row["mapped"], percent(&stats["mapped"], &stats["primary"]));
    assert_eq!(row["properly_paired"], percent(&stats["properly_paired"], &stats["primary"]));
    let duplicates = &stats["duplicates"];
    assert_eq!(duplicates["examined"], stats["mapped"]);
    assert_eq!(row["duplicates"], percent(&duplicates["duplicates"], &duplicates["examined"]));
    assert!(row["duplicates"].as_f64() >= Some(50.0), "{row}");
    let inserts = stats["insert_size"].as_object().expect("a histogram");
    assert!(inserts.contains_key(&row["insert_size"].to_string()), "{row}");

    let two = ["-R", "@RG\\tID:x\\tSM:a", "-R", "@RG\\tID:y\\tSM:b"];
    let stats = run(&two);
    assert_eq!(stats["duplicates"], Value::Null);
    assert!(page().contains("<h1>a, b</h1>") && !page().contains("<dt>duplicates</dt>"));
    assert_eq!(general("a, b")["duplicates"], Value::Null);
    // What mode all does not decide is left out, not zero.
    let _ = run(&["--mode", "all", "-R", "@RG\\tID:x"]);
    let row = general("run");
    assert_eq!(row.as_object().expect("a row").keys().collect::<Vec<_>>(), ["mapped"]);
    assert!(!page().contains("<dt>properly paired</dt>"));
}
