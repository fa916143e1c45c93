//! Runs of `gpualign makedb` and `gpualign blastn`: rows, formats, and refused input.

use std::fmt::Write as _;

use crate::support::{Folder, error_line, gzip, phix};

fn random_bases(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect()
}

/// A folder with the genome of phiX174 as `ref.fa`, and pieces of it, each with an N in its middle, as `q.fa`.
fn folder() -> Folder {
    let folder = Folder::new();
    let genome = phix();
    let mut text = String::new();
    for (number, start) in (0..5000).step_by(250).enumerate() {
        let mut piece = genome[start..start + 300].to_vec();
        piece[150] = b'N';
        let _ = writeln!(text, ">q{number}\n{}", String::from_utf8_lossy(&piece));
    }
    folder.write("q.fa", &text).write("q.fa.gz", gzip(text.as_bytes()));
    folder
}

fn blastn(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(&[&["blastn"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("is text")
}

#[test]
fn rows_are_the_same_with_a_database_and_with_a_file_of_subjects() {
    let folder = folder();
    assert!(folder.run(&["makedb", "ref.fa", "-q"]).status.success());
    let as_ncbi = ["makedb", "-in", "ref.fa", "-dbtype", "nucl", "-out", "named", "-title", "a b"];
    assert!(folder.run(&[&as_ncbi[..], &["-hash_index", "-q"]].concat()).status.success());
    let report = blastn(&folder, &["-query", "q.fa", "-db", "named"]);
    assert!(report.contains("\nDatabase: a b\n"), "{report}");
    let columns = ["-outfmt", "6 qseqid pident length mismatch qstart qend sstart send"];
    let rows = blastn(&folder, &[&["-query", "q.fa", "-db", "ref.fa"], &columns[..]].concat());
    assert!(rows.starts_with("q0\t99.667\t300\t1\t1\t300\t1\t300\n"), "{rows}");
    assert_eq!(rows.lines().count(), 20);
    for same in [
        &["-query", "q.fa.gz", "-db", "ref.fa.gpdb"][..],
        &["-query", "q.fa", "-db", "named"],
        &["--query", "q.fa", "--subject", "ref.fa"],
        &["-query", "q.fa", "-subject", "ref.fa", "-task", "blastn", "-evalue", "1e-50"],
    ] {
        assert_eq!(blastn(&folder, &[same, &columns].concat()), rows, "{same:?}");
    }
    let arguments = ["-query", "q.fa", "-db", "ref.fa", "-out", "rows.tsv"];
    assert_eq!(blastn(&folder, &[&arguments[..], &columns].concat()), "");
    assert_eq!(folder.read("rows.tsv"), rows.as_bytes());
}

#[test]
fn output_is_the_same_on_any_number_of_threads() {
    let folder = folder();
    for format in ["0", "5", "6", "7"] {
        let common = ["-query", "q.fa", "-subject", "ref.fa", "-task", "blastn"];
        let with = |threads| {
            let rest = ["-outfmt", format, "-num_threads", threads];
            blastn(&folder, &[&common[..], &rest].concat())
        };
        let one = with("1");
        assert!(one.contains("q19"), "format {format}");
        assert!(one == with("3"), "format {format}");
    }
}

/// Searches queries and subjects of millions of bases: hits across the ends of chunks and pieces are whole.
#[test]
fn long_queries_and_subjects_have_no_seams() {
    let folder = folder();
    let mut random = fastrand::Rng::with_seed(4);
    let mut query = random_bases(&mut random, 2_100_000);
    let mut subject = random_bases(&mut random, 5_200_000);
    let mut expected = Vec::new();
    for (number, (to, from)) in
        [(999_500, 4_999_000), (1_999_800, 4_500), (2_099_000, 2_000_000)].into_iter().enumerate()
    {
        let piece = random_bases(&mut random, 1000 - 100 * number);
        query[to..to + piece.len()].copy_from_slice(&piece);
        subject[from..from + piece.len()].copy_from_slice(&piece);
        let ends = [to + 1, to + piece.len(), from + 1, from + piece.len()];
        expected.push(ends.map(|end| end.to_string()).join("\t"));
    }
    folder.write("long.fa", [b">long\n", &query[..], b"\n"].concat());
    folder.write("subject.fa", [b">subject\n", &subject[..], b"\n"].concat());
    for task in ["blastn", "megablast"] {
        let rows = blastn(
            &folder,
            &["-query", "long.fa", "-subject", "subject.fa", "-task", task, "-evalue", "1e-30"]
                .into_iter()
                .chain(["-outfmt", "6 qstart qend sstart send"])
                .collect::<Vec<_>>(),
        );
        assert_eq!(rows.lines().count(), 3, "{task}: {rows}");
        // Random bases beside a piece may match, too, and lengthen its alignment.
        for (row, expected) in rows.lines().zip(&expected) {
            let ends = |row: &str| -> Vec<i64> {
                row.split('\t').map(|end| end.parse().expect("a number")).collect()
            };
            for (found, expected) in ends(row).into_iter().zip(ends(expected)) {
                assert!((found - expected).abs() <= 8, "{task}: {row}");
            }
        }
    }
}

#[test]
fn files_without_usable_sequences_are_refused() {
    let folder = folder();
    folder.write("protein.fa", ">p\nACGT\n>q\nMEEPQSDPSV\n");
    folder.write("empty.fa", "").write("no_bases.fa", ">a\n>b\n\n");
    for (query, parts) in [
        ("protein.fa", &["protein.fa", "record 2", "line 4", "not a nucleotide letter"][..]),
        // No queries are no error, as with NCBI's program.
        ("empty.fa", &["empty.fa", "empty"]),
        ("no_bases.fa", &["no_bases.fa", "no query has any bases"]),
        ("no.fa", &["no.fa", "No such file"]),
        (".", &[".", "is a directory"]),
    ] {
        if query != "empty.fa" {
            folder.refused(&["blastn", "-query", query, "-subject", "ref.fa", "-out", "o"], parts);
        }
        if query != "no_bases.fa" {
            folder.refused(&["blastn", "-query", "q.fa", "-subject", query, "-out", "o"], parts);
            folder.refused(&["makedb", query, "-o", "o.gpdb"], parts);
        }
    }
}

/// As with NCBI's blastn, no queries are no error.
#[test]
fn a_file_without_queries_has_an_empty_report() {
    let folder = folder();
    folder.write("empty.fa", "");
    let output = folder.run(&["blastn", "-query", "empty.fa", "-subject", "ref.fa", "-out", "o"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("empty.fa: there are no queries"), "{said}");
    assert_eq!(folder.read("o"), b"");
}

/// Exit codes and messages where there is no database, or options are known but not supported.
#[test]
fn missing_databases_and_refused_options_tell_the_way_out() {
    let folder = folder();
    let said = |arguments: &[&str]| {
        let output = folder.run(&[&["blastn", "-query", "q.fa"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for name in ["none", "ref.fa.x"] {
        let said = said(&["-db", name]);
        assert_eq!(said.lines().count(), 1, "{said}");
        for part in [name, "gpualign makedb", "makeblastdb", "BLASTDB"] {
            assert!(said.contains(part), "{said}");
        }
    }
    let subject = ["-subject", "ref.fa"];
    for (option, reason) in [
        (&["-template_length", "18"][..], "--template_type"),
        (
            &["-task", "blastn", "-template_type", "coding", "-template_length", "18"],
            "use -task dc-megablast",
        ),
        (&["-task", "dc-megablast", "-word_size", "7"], "use a word size of 11 or 12"),
        (&["-task", "dc-megablast", "-device", "cuda"], "runs on the CPU alone"),
        (&["-ungapped", "-device", "cuda:1"], "-ungapped runs on the CPU alone"),
        (&["-ungapped", "-outfmt", "8"], "do not tell of sets"),
        (&["-off_diagonal_range", "5"], "add -window_size"),
        (&["-no_greedy"], "greedy extension"),
        (&["-task", "blastn", "-gapopen", "0", "-gapextend", "0"], "greedy extension"),
        (&["-outfmt", "9"], "binary ASN.1 is not written"),
        (&["-outfmt", "11"], "an archive needs"),
        (&["-outfmt", "13"], "write a file for each query beside the one of -out"),
        (&["-outfmt", "14", "-out", "-"], "beside the one of -out"),
        (&["-outfmt", "17 XX"], "SAM takes SR and SQ"),
        (&["-outfmt", "10 delim=; staxids"], "use another one"),
        (&["-query_loc", "9-3"], "the first position is behind the last"),
        (&["-soft_masking", "maybe"], "use true or false"),
        (&["-best_hit_overhang", "0.5"], "below 0.5"),
    ] {
        let said = said(&[&subject[..], option].concat());
        assert!(said.contains(reason), "{option:?}: {said}");
    }
    for accepted in [["-window_size", "0"], ["-sum_stats", "f"], ["-use_index", "F"]] {
        let arguments = [&["-query", "q.fa", "-outfmt", "6"], &subject[..], &accepted].concat();
        assert!(!blastn(&folder, &arguments).is_empty(), "{accepted:?}");
    }
    let output = folder.run(&["blastn", "-version"]);
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(version.starts_with("blastn: 2.12.0+\n Package: gpualign "), "{version}");
}

#[test]
fn files_that_are_no_database_are_refused() {
    let folder = folder();
    assert!(folder.run(&["makedb", "ref.fa", "-q"]).status.success());
    let good = folder.read("ref.fa.gpdb");
    let refused = |content: &[u8], parts: &[&str]| {
        folder.write("bad.gpdb", content);
        folder.refused(&["blastn", "-query", "q.fa", "-db", "bad", "-out", "o"], parts);
    };
    refused(b"", &["bad.gpdb"]);
    refused(
        b"not a database, however long its text is made: ACGT ACGT",
        &["not a gpualign database"],
    );
    refused(&[b'x'; 8192], &["not a gpualign database"]);
    for length in [good.len() - 1, good.len() / 2, 600, 100] {
        refused(&good[..length], &["bad.gpdb"]);
    }
    refused(&[&good[..], b"x"].concat(), &["bytes, not", "build it again"]);
    // The file begins with 8 bytes of magic, 4 bytes of version and 4 bytes that tell the byte order.
    for version in [0, 3, u32::MAX] {
        let mut other = good.clone();
        other[8..12].copy_from_slice(&version.to_ne_bytes());
        let found = format!("format {version}, this program reads format 2");
        refused(&other, &["bad.gpdb", &found, "build it again"]);
    }
    let mut swapped = good.clone();
    swapped[8..12].reverse();
    swapped[12..16].reverse();
    refused(&swapped, &["bad.gpdb", "byte order", "build it again"]);
    // A damaged byte anywhere is noticed, or does not matter.
    for place in (0..good.len()).step_by(97) {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        folder.write("bad.gpdb", bad);
        let arguments = ["blastn", "-query", "q.fa", "-db", "bad", "-outfmt", "6"];
        let output = folder.run(&arguments);
        // The padding between sections has no meaning.
        if output.status.success() {
            let rows = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                rows,
                blastn(&folder, &["-query", "q.fa", "-db", "ref.fa", "-outfmt", "6"]),
                "byte {place}"
            );
        } else {
            assert!(error_line(&output, &arguments).contains("bad.gpdb"));
        }
    }
    // A database that is missing has the exit code of NCBI's program, and the commands that make one.
    for name in ["none", "ref.fa.x"] {
        let output = folder.run(&["blastn", "-query", "q.fa", "-db", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(name) && said.contains("makeblastdb -in FASTA"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn unsupported_options_are_refused() {
    let folder = folder();
    for option in [
        &["-dbtype", "prot"][..],
        &["-taxid_map", "taxa"],
        &["-parse_seqids", "-taxid_map", "taxa", "-taxid", "1"],
        &["-mask_data", "m"],
    ] {
        let output = folder.run(&[&["makedb", "-in", "ref.fa"], option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(option.iter().any(|word| said.contains(word.trim_start_matches('-'))), "{said}");
    }
    for arguments in [
        &["-query", "q.fa"][..],
        &["-query", "q.fa", "-subject", "ref.fa", "-outfmt", "17", "-shard", "1/2", "-out", "o"],
        &["-query", "q.fa", "-subject", "ref.fa", "-outfmt", "13", "-shard", "1/2", "-out", "o"],
        &["-query", "q.fa", "-subject", "ref.fa", "-db", "ref.fa"],
        &["-query", "q.fa", "-subject", "ref.fa", "-no_such_option", "1"],
        &["-query", "q.fa", "-subject", "ref.fa", "-task", "blastp"],
        &["-query", "q.fa", "-subject", "ref.fa", "-outfmt", "99"],
        &["-query", "q.fa", "-subject", "ref.fa", "-outfmt", "6 no_such_column"],
        &["-query", "q.fa", "-subject", "ref.fa", "-evalue", "-1"],
        &["-query", "q.fa", "-subject", "ref.fa", "-word_size", "2"],
        // No statistics are known for these scores.
        &["-query", "q.fa", "-subject", "ref.fa", "-reward", "1", "-penalty", "-9"],
    ] {
        let output = folder.run(&[&["blastn"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
