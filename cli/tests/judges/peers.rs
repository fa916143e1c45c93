//! Other all-mappers find nothing that gpualign misses, and gpualign finds nothing that they should have found.
//!
//! razers3 and bwa define a hit differently. razers3 reports one hit for each group of matches that its filter joins, with
//! a begin and an end of its own choice; bwa reports an alignment wherever its gap rules allow one. So start positions
//! are compared with the tolerance that `k` edits give them, and distances with the bound that the definitions imply: a
//! hit of another mapper with `e` differences implies a match of gpualign within `e` near it.

use std::collections::HashMap;
use std::path::Path;

use crate::sam::{self, Record};
use crate::tools::{data, gpualign, plain, plain_reference, run};

const K: usize = 3;

/// A place: strand, start (0-based), distance.
type Place = (bool, usize, usize);

fn places(records: &[Record]) -> HashMap<String, Vec<Place>> {
    let mut places: HashMap<String, Vec<Place>> = HashMap::new();
    for record in records {
        let of_read = places.entry(record.name.clone()).or_default();
        if record.is_aligned() {
            of_read.push((record.is_reverse(), record.position - 1, record.number("NM")));
        }
    }
    places
}

/// Our loci of the lambda reads, and every one of our matches.
fn ours(folder: &Path) -> (HashMap<String, Vec<Place>>, HashMap<String, Vec<Place>>) {
    let reads = data("lambda_35bp.fa.gz");
    let reads = reads.to_string_lossy();
    let map = |report: &[&str]| {
        let text = gpualign(&[report, &["-k", "3", &reads, "ref.fa"]].concat(), folder);
        places(&sam::records(&text))
    };
    (map(&["--mode", "all"]), map(&["--mode", "all", "--all-starts"]))
}

fn near(place: Place, others: &[Place], slack: usize) -> Option<usize> {
    let (strand, start, _) = place;
    others
        .iter()
        .filter(|other| other.0 == strand && other.1.abs_diff(start) <= slack)
        .map(|other| other.2)
        .min()
}

#[test]
fn razers3_and_we_find_the_same_loci_on_lambda() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("lambda.fa.gz", folder);
    std::fs::write(folder.join("reads.fa"), plain("lambda_35bp.fa.gz")).expect("writes");
    // 3 differences in 35 bases are 91.4 percent identity. Full recognition rate, all hits.
    let options =
        ["-i", "91", "-rr", "100", "-m", "100000", "-o", "razers.sam", "ref.fa", "reads.fa"];
    run("razers3", &options, folder);
    let text = std::fs::read(folder.join("razers.sam")).expect("reads");
    let theirs = places(&sam::records(&text));
    let (loci, matches) = ours(folder);
    let none = Vec::new();
    let mut compared = 0;
    for (read, places) in &theirs {
        for &place in places.iter().filter(|place| place.2 <= K) {
            let distance = near(place, &matches[read], K);
            assert!(
                distance.is_some_and(|distance| distance <= place.2),
                "{read}: razers3 has {place:?}, we have {:?}",
                matches[read]
            );
            compared += 1;
        }
    }
    for (read, places) in &loci {
        for &place in places {
            let distance = near(place, theirs.get(read).unwrap_or(&none), 2 * K);
            assert!(distance.is_some(), "{read}: razers3 lacks {place:?}");
        }
    }
    assert!(compared > 500, "{compared} places compared");
}

#[test]
fn bwa_aln_finds_no_locus_that_we_miss() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("lambda.fa.gz", folder);
    std::fs::write(folder.join("reads.fa"), plain("lambda_35bp.fa.gz")).expect("writes");
    run("bwa", &["index", "ref.fa"], folder);
    let aln =
        ["aln", "-N", "-n", "3", "-o", "3", "-e", "3", "-i", "0", "-l", "1000", "-f", "out.sai"];
    run("bwa", &[&aln[..], &["ref.fa", "reads.fa"]].concat(), folder);
    let text = run("bwa", &["samse", "-n", "1000000", "ref.fa", "out.sai", "reads.fa"], folder);
    let (_, matches) = ours(folder);
    let mut compared = 0;
    for record in sam::records(&text).iter().filter(|record| record.is_aligned()) {
        let first = (record.is_reverse(), record.position - 1, record.number("NM"));
        let others = record.tags.get("XA").map(String::as_str).unwrap_or_default();
        // XA:Z:contig,(+|-)position,CIGAR,NM;
        let others = others.split_terminator(';').map(|hit| {
            let fields: Vec<&str> = hit.split(',').collect();
            let start = fields[1][1..].parse::<usize>().expect("a position") - 1;
            (fields[1].starts_with('-'), start, fields[3].parse().expect("a distance"))
        });
        for place in [first].into_iter().chain(others).filter(|place| place.2 <= K) {
            let ours = &matches[&record.name];
            let distance = near(place, ours, K);
            assert!(
                distance.is_some_and(|distance| distance <= place.2),
                "{}: bwa has {place:?}, we have {ours:?}",
                record.name
            );
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared} places compared");
}
