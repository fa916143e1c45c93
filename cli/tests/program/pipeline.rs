//! Many batches on their way at a time: order, errors in the middle, and what `--timeline` shows.

use std::collections::BTreeSet;
use std::io::Read;
use std::iter::repeat;
use std::process::Stdio;

use crate::support::{Folder, data, error_line, reads};

/// Reads of different lengths and multiplicities, so that batches take differently long.
fn mixed() -> Vec<u8> {
    let mut text = reads(300);
    for number in 0..60 {
        text.extend_from_slice(format!("@short{number}\nAC\n+\nII\n").as_bytes());
        text.extend_from_slice(&reads(5));
    }
    text.extend_from_slice(&data("phix_1.fq"));
    text
}

/// Output without the line that tells the command.
fn body(output: &[u8]) -> Vec<&[u8]> {
    output.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"@PG")).collect()
}

#[test]
fn batches_stay_in_order() {
    let folder = Folder::new();
    folder.write("reads.fq", mixed());
    for report in [&["--primary-only"][..], &[], &["--all-starts"]] {
        let report = [&["--mode", "all"], report].concat();
        let map = |options: &[&str]| {
            folder.map(&[&["-k", "1", "reads.fq", "ref.fa"], &report[..], options].concat())
        };
        let expected = map(&["-t", "1", "--batch-size", "100000"]);
        for threads in ["1", "2", "7"] {
            for size in ["1", "3", "64", "257"] {
                let found = map(&["-t", threads, "--batch-size", size]);
                assert!(body(&found) == body(&expected), "{report:?}, {threads}, {size}");
            }
        }
    }
}

#[test]
fn a_file_has_what_a_pipe_has() {
    let folder = Folder::new();
    folder.write("reads.fq", mixed());
    let options = ["-k", "1", "--mode", "all", "reads.fq", "ref.fa"];
    let expected = folder.map(&options);
    for threads in ["1", "2", "7"] {
        for size in ["3", "257", "100000"] {
            let file = ["-t", threads, "--batch-size", size, "-o", "out.sam"];
            assert_eq!(folder.map(&[&options[..], &file].concat()), b"");
            assert!(body(&folder.read("out.sam")) == body(&expected), "{threads}, {size}");
        }
    }
}

#[test]
fn an_error_in_a_middle_batch_is_told_once_and_ends_the_output_there() {
    let folder = Folder::new();
    let bad = b"@bad\nACG!\n+\nIIII\n".to_vec();
    folder.write("good.fq", reads(100));
    folder.write("reads.fq", [reads(100), bad.clone(), reads(100), bad, reads(100)].concat());
    let good = folder.map(&["good.fq", "ref.fa"]);
    for threads in ["1", "4"] {
        for size in ["1", "10", "33", "1000"] {
            let mode = ["--mode", "all", "--primary-only", "--device", "cpu"];
            let options = [&mode[..], &["-t", threads, "--batch-size", size]].concat();
            let output = folder.run(&[&options[..], &["reads.fq", "ref.fa"]].concat());
            let said = error_line(&output, &options);
            assert!(said.contains("reads.fq") && said.contains("record 101"), "{said}");
            let (found, good) = (body(&output.stdout), body(&good));
            // Whole batches before the error, and the empty end of the last line.
            let size: usize = size.parse().expect("a number");
            let records = found.iter().filter(|line| !line.starts_with(b"@")).count() - 1;
            // The first batch is a quarter as large, the second half as large as the others.
            let sizes = [size.div_ceil(4), size.min(2 * size.div_ceil(4))].into_iter();
            let behind = sizes.chain(repeat(size)).scan(0, |sum, size| {
                *sum += size;
                Some(*sum)
            });
            let whole = behind.take_while(|&behind| behind <= 100).last().unwrap_or(0);
            assert_eq!(records, whole, "{options:?}");
            assert!(good.starts_with(&found[..found.len() - 1]), "{options:?}");
            let to_file = [&options[..], &["reads.fq", "ref.fa", "-o", "out.sam"]].concat();
            folder.refused(&to_file, &["record 101"]);
        }
    }
}

#[test]
fn a_writer_that_fails_stops_everything() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3_000));
    for format in ["sam", "bam", "cram"] {
        for size in ["7", "500"] {
            let options = ["--device", "cpu", "-t", "3", "--batch-size", size, "-O", format];
            let full = [&options[..], &["reads.fq", "ref.fa", "-o", "/dev/full"]].concat();
            folder.refused(&full, &["/dev/full: ", "No space left on device"]);

            let mut command = folder.command(&[&options[..], &["reads.fq", "ref.fa"]].concat());
            let mut child =
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
            let mut stdout = child.stdout.take().expect("is piped");
            stdout.read_exact(&mut [0; 10]).expect("reads the beginning");
            drop(stdout);
            let output = child.wait_with_output().expect("ends");
            assert_eq!(output.status.code(), Some(0), "{format}, {size}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}, {size}");
        }
    }
}

#[test]
fn the_timeline_has_every_step_of_every_batch() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(95));
    folder.map(&["--batch-size", "20", "--timeline", "time.json", "reads.fq", "ref.fa"]);
    let trace: serde_json::Value = serde_json::from_slice(&folder.read("time.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let rows: BTreeSet<&str> =
        events.iter().filter_map(|event| event["args"]["name"].as_str()).collect();
    for step in ["read", "prepare", "search", "format", "write"] {
        assert!(rows.contains(step), "{rows:?}");
        let boxes: Vec<&serde_json::Value> = events
            .iter()
            .filter(|event| event["cat"] == step && event["name"] != "close")
            .collect();
        let mut names: Vec<&str> =
            boxes.iter().filter_map(|event| event["name"].as_str()).collect();
        // Several threads do a step, each for one batch.
        names.sort_unstable();
        assert_eq!(names, ["0", "1", "2", "3", "4", "5"], "{step}");
        for event in boxes {
            assert!(event["ts"].as_f64().expect("a time") >= 0.0, "{event}");
            assert!(event["dur"].as_f64().expect("a time") >= 0.0, "{event}");
        }
    }
    // One step of a batch after the other.
    for batch in ["0", "1", "2", "3", "4", "5"] {
        let of_batch = events.iter().filter(|event| event["name"] == batch);
        let mut times: Vec<(f64, f64, u64)> = of_batch
            .map(|event| {
                let time = |key: &str| event[key].as_f64().expect("a time");
                (time("ts"), time("dur"), event["tid"].as_u64().expect("a row"))
            })
            .collect();
        times.sort_by(|left, right| left.0.total_cmp(&right.0));
        assert!(times.is_sorted_by_key(|&(_, _, row)| row), "{batch}: {times:?}");
        let ends_first = |pair: &[(f64, f64, u64)]| pair[0].0 + pair[0].1 <= pair[1].0 + 0.5;
        assert!(times.windows(2).all(ends_first), "{batch}: {times:?}");
    }

    let options = ["--device", "cpu", "reads.fq", "ref.fa", "-o", "out.sam", "--timeline"];
    folder.refused(&[&options[..], &["missing/time.json"]].concat(), &["missing/time.json: "]);
}
