//! The command lines that other programs give to blastn and makeblastdb, as their sources have them: the output is NCBI's.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::blastn::{queries, subjects};
use crate::tools::run;

/// Runs both programs with a command line, and compares their output. `FOLDER` in it is a folder of the program.
fn same(line: &[&str], least_lines: usize, folder: &Path) {
    let of = |program: &str, files: &str, first: &[&str]| {
        let words: Vec<String> = line.iter().map(|word| word.replace("FOLDER", files)).collect();
        let words: Vec<&str> =
            first.iter().copied().chain(words.iter().map(String::as_str)).collect();
        let printed = String::from_utf8(run(program, &words, folder)).expect("text");
        let out = folder.join(files).join("out");
        if out.exists() { fs::read_to_string(out).expect("reads") } else { printed }
    };
    let found = of(env!("CARGO_BIN_EXE_gpualign"), "ours", &["blastn"]);
    let expected = of("blastn", "theirs", &[]);
    assert_eq!(found, expected, "{line:?}");
    assert!(expected.lines().count() >= least_lines, "{line:?}: {}", expected.lines().count());
    for files in ["ours/out", "theirs/out"] {
        let _ = fs::remove_file(folder.join(files));
    }
}

/// Makes a database by both programs with a command line of makeblastdb.
fn make(line: &[&str], folder: &Path) {
    let of = |files: &str| -> Vec<String> {
        line.iter().map(|word| word.replace("FOLDER", files)).collect()
    };
    let (ours, theirs) = (of("ours"), of("theirs"));
    let ours: Vec<&str> =
        ["makedb", "-q"].into_iter().chain(ours.iter().map(String::as_str)).collect();
    run(env!("CARGO_BIN_EXE_gpualign"), &ours, folder);
    run("makeblastdb", &theirs.iter().map(String::as_str).collect::<Vec<&str>>(), folder);
}

#[test]
fn command_lines_of_other_programs_have_the_output_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = Rng::with_seed(41);
    fs::write(folder.join("queries.fa"), queries(&mut random)).expect("writes");
    let text = subjects(&mut random);
    fs::write(folder.join("subjects.fa"), &text).expect("writes");
    // Primers are pieces of genomes.
    let genome = text.lines().nth(1).expect("a sequence");
    let primers: String = (0..6)
        .map(|number| {
            format!(">p{number}\n{}\n", &genome[number * 700..number * 700 + 18 + number])
        })
        .collect();
    fs::write(folder.join("primers.fa"), primers).expect("writes");
    fs::write(folder.join("taxa"), "phix 10847\nlambda 10710\nchrM 9606\n").expect("writes");
    for files in ["ours", "theirs"] {
        fs::create_dir(folder.join(files)).expect("makes a folder");
        fs::copy(folder.join("subjects.fa"), folder.join(files).join("sequences")).expect("copies");
    }
    // abricate --setupdb: the database has the name of the file.
    make(&["-in", "FOLDER/sequences", "-title", "card", "-dbtype", "nucl", "-hash_index"], folder);
    // pyANI, and a database with taxa for BlobTools.
    make(
        &["-dbtype", "nucl", "-in", "subjects.fa", "-title", "subjects", "-out", "FOLDER/ani"],
        folder,
    );
    let taxa = ["-in", "subjects.fa", "-dbtype", "nucl", "-parse_seqids", "-taxid_map", "taxa"];
    make(&[&taxa[..], &["-out", "FOLDER/nt"]].concat(), folder);

    // abricate
    let columns = "6 qseqid qstart qend qlen sseqid sstart send slen sstrand evalue length pident gaps gapopen stitle";
    same(
        &[
            "-task",
            "blastn",
            "-dust",
            "no",
            "-perc_identity",
            "80",
            "-db",
            "FOLDER/sequences",
            "-outfmt",
            columns,
            "-num_threads",
            "1",
            "-evalue",
            "1E-20",
            "-culling_limit",
            "1",
            "-query",
            "queries.fa",
        ],
        20,
        folder,
    );
    // Kleborate, without -ungapped. mlst has the same options, with -ungapped.
    same(
        &[
            "-task",
            "blastn",
            "-db",
            "FOLDER/ani",
            "-query",
            "queries.fa",
            "-outfmt",
            "6 sacc pident slen length bitscore qseq sstrand sstart send qacc qstart qend qframe",
            "-dust",
            "no",
            "-evalue",
            "1E-20",
            "-word_size",
            "32",
            "-max_target_seqs",
            "10000",
            "-perc_identity",
            "80",
        ],
        10,
        folder,
    );
    // pyANI
    same(
        &[
            "-out",
            "FOLDER/out",
            "-query",
            "queries.fa",
            "-db",
            "FOLDER/ani",
            "-xdrop_gap_final",
            "150",
            "-dust",
            "no",
            "-evalue",
            "1e-15",
            "-max_target_seqs",
            "1",
            "-outfmt",
            "6 qseqid sseqid length mismatch pident nident qlen slen qstart qend sstart send positive ppos gaps",
            "-task",
            "blastn",
        ],
        20,
        folder,
    );
    // QIIME 2: exclusion of sequences, and the same with short words.
    let exclusion = [
        "-query",
        "queries.fa",
        "-strand",
        "both",
        "-outfmt",
        "6 qseqid sseqid qlen qstart qend",
        "-subject",
        "subjects.fa",
        "-perc_identity",
        "80.0",
        "-max_target_seqs",
        "1",
        "-evalue",
        "1e-05",
    ];
    same(&[&exclusion[..], &["-out", "FOLDER/out"]].concat(), 10, folder);
    let short = ["-word_size", "7", "-dust", "no", "-out", "FOLDER/out"];
    same(&[&exclusion[..], &short].concat(), 10, folder);
    // QIIME 2: taxonomy by consensus.
    same(
        &[
            "-query",
            "queries.fa",
            "-evalue",
            "0.001",
            "-strand",
            "both",
            "-outfmt",
            "7",
            "-subject",
            "subjects.fa",
            "-perc_identity",
            "80.0",
            "-qcov_hsp_perc",
            "80.0",
            "-num_threads",
            "1",
            "-max_target_seqs",
            "10",
            "-out",
            "FOLDER/out",
        ],
        50,
        folder,
    );
    // BlobTools, and the pipeline of BlobToolKit.
    let blob = [
        "-db",
        "FOLDER/nt",
        "-query",
        "queries.fa",
        "-outfmt",
        "6 qseqid staxids bitscore std",
        "-max_target_seqs",
        "10",
        "-max_hsps",
        "1",
    ];
    same(
        &[&blob[..], &["-evalue", "1e-25", "-num_threads", "2", "-out", "FOLDER/out"]].concat(),
        20,
        folder,
    );
    let kit = ["-task", "megablast", "-evalue", "1.0e-10", "-lcase_masking", "-dust", "20 64 1"];
    same(&[&blob[..], &kit].concat(), 20, folder);
    // VecScreen, and HiFiAdapterFilt.
    let vector = [
        "-reward",
        "1",
        "-penalty",
        "-5",
        "-gapopen",
        "3",
        "-gapextend",
        "3",
        "-soft_masking",
        "true",
        "-searchsp",
        "1750000000000",
        "-query",
        "queries.fa",
    ];
    let screen =
        ["-task", "blastn", "-dust", "yes", "-evalue", "700", "-db", "FOLDER/ani", "-outfmt", "6"];
    same(&[&vector[..], &screen].concat(), 20, folder);
    let reads = [
        "-task",
        "blastn",
        "-dust",
        "no",
        "-evalue",
        ".01",
        "-db",
        "FOLDER/ani",
        "-num_threads",
        "2",
        "-outfmt",
        "6",
    ];
    same(&[&vector[..], &reads].concat(), 20, folder);
    // Searches for primers.
    for options in [
        &["-word_size", "7", "-evalue", "1000"][..],
        &[
            "-word_size",
            "7",
            "-dust",
            "no",
            "-soft_masking",
            "false",
            "-evalue",
            "1e-6",
            "-max_target_seqs",
            "5",
        ],
        &["-word_size", "8", "-evalue", "10", "-perc_identity", "100", "-qcov_hsp_perc", "1"],
    ] {
        let common = [
            "-query",
            "primers.fa",
            "-task",
            "blastn-short",
            "-db",
            "FOLDER/ani",
            "-outfmt",
            "10 std sstrand",
        ];
        same(&[&common[..], options].concat(), 4, folder);
    }
}
