//! The command lines that other programs give to blastn and makeblastdb, as their sources or manuals have them: the output is NCBI's.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::blastn::{queries, subjects};
use crate::tools::run;

/// Command lines of makeblastdb. `DIR` is a folder of the program that runs.
const DATABASES: [&str; 3] = [
    // abricate --setupdb: the database has the name of the file.
    "-in DIR/sequences -title card -dbtype nucl -logfile /dev/null",
    // pyANI
    "-dbtype nucl -in subjects.fa -title subjects -out DIR/ani",
    // With taxa, for BlobTools.
    "-in subjects.fa -dbtype nucl -parse_seqids -taxid_map taxa -out DIR/nt",
];

/// A command line of blastn, and the least number of lines of its output.
type Search = (&'static str, usize);

const SEARCHES: [Search; 13] = [
    // abricate
    (
        "-task blastn -dust no -perc_identity 80 -db DIR/sequences -outfmt '6 qseqid qstart qend qlen sseqid sstart send \
         slen sstrand evalue length pident gaps gapopen stitle' -num_threads 1 -evalue 1E-20 -culling_limit 1 \
         -max_target_seqs 10000 -query queries.fa",
        20,
    ),
    // Kleborate. With -ungapped, these are also the options of mlst.
    (
        "-task blastn -db DIR/ani -query queries.fa -outfmt '6 sacc pident slen length bitscore qseq sstrand sstart send \
         qacc qstart qend qframe' -dust no -evalue 1E-20 -word_size 32 -max_target_seqs 10000 -perc_identity 80",
        10,
    ),
    // pyANI
    (
        "-out DIR/out -query queries.fa -db DIR/ani -xdrop_gap_final 150 -dust no -evalue 1e-15 -max_target_seqs 1 \
         -outfmt '6 qseqid sseqid length mismatch pident nident qlen slen qstart qend sstart send positive ppos gaps' \
         -task blastn",
        20,
    ),
    // QIIME 2: exclusion of sequences, with words of the default length and with short ones.
    (
        "-query queries.fa -strand both -outfmt '6 qseqid sseqid qlen qstart qend' -subject subjects.fa \
         -perc_identity 80.0 -max_target_seqs 1 -evalue 1e-05 -out DIR/out",
        10,
    ),
    (
        "-query queries.fa -strand both -outfmt '6 qseqid sseqid qlen qstart qend' -subject subjects.fa \
         -perc_identity 80.0 -max_target_seqs 1 -evalue 1e-05 -word_size 7 -dust no -out DIR/out",
        10,
    ),
    // QIIME 2: taxonomy by consensus.
    (
        "-query queries.fa -evalue 0.001 -strand both -outfmt 7 -subject subjects.fa -perc_identity 80.0 \
         -qcov_hsp_perc 80.0 -num_threads 1 -max_target_seqs 10 -out DIR/out",
        50,
    ),
    // BlobTools
    (
        "-db DIR/nt -query queries.fa -outfmt '6 qseqid staxids bitscore std' -max_target_seqs 10 -max_hsps 1 \
         -evalue 1e-25 -num_threads 2 -out DIR/out",
        20,
    ),
    // The pipeline of BlobToolKit.
    (
        "-num_threads 2 -db DIR/nt -query queries.fa -task megablast -outfmt '6 qseqid staxids bitscore std' \
         -max_target_seqs 10 -max_hsps 1 -evalue 1.0e-10 -lcase_masking -dust '20 64 1' -out DIR/out",
        20,
    ),
    // VecScreen
    (
        "-task blastn -reward 1 -penalty -5 -gapopen 3 -gapextend 3 -dust yes -soft_masking true -evalue 700 \
         -searchsp 1750000000000 -db DIR/ani -outfmt 6 -query queries.fa",
        20,
    ),
    // HiFiAdapterFilt
    (
        "-db DIR/ani -query queries.fa -num_threads 2 -task blastn -reward 1 -penalty -5 -gapopen 3 -gapextend 3 \
         -dust no -soft_masking true -evalue .01 -searchsp 1750000000000 -outfmt 6",
        20,
    ),
    // Searches for primers.
    (
        "-query primers.fa -task blastn-short -word_size 7 -evalue 1000 -db DIR/ani -outfmt '10 std sstrand'",
        4,
    ),
    (
        "-db DIR/ani -query primers.fa -task blastn-short -word_size 7 -dust no -soft_masking false -evalue 1e-6 \
         -max_target_seqs 5 -outfmt '6 qseqid sseqid pident length mismatch gapopen qstart qend sstart send evalue bitscore'",
        4,
    ),
    (
        "-db DIR/ani -query primers.fa -outfmt '10 std sstrand' -evalue 10 -task blastn-short -word_size 8 \
         -perc_identity 100 -qcov_hsp_perc 1",
        4,
    ),
];

/// The words of a command line, with a folder in the place of `DIR`.
fn words(line: &str, files: &str) -> Vec<String> {
    let line = line.replace("DIR", files);
    // What is between quotation marks is one word.
    let parts = line.split('\'').enumerate().flat_map(|(number, part)| {
        if number % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
    });
    parts.map(str::to_owned).collect()
}

/// The output of a program for a command line, in its file or printed.
fn output(program: &str, first: &[&str], line: &str, (files, folder): (&str, &Path)) -> String {
    let words = words(line, files);
    let words: Vec<&str> = first.iter().copied().chain(words.iter().map(String::as_str)).collect();
    let printed = String::from_utf8(run(program, &words, folder)).expect("text");
    let out = folder.join(files).join("out");
    if !out.exists() {
        return printed;
    }
    let written = fs::read_to_string(&out).expect("reads");
    fs::remove_file(out).expect("removes the file");
    written
}

/// Writes the files of sequences, and the folders of both programs.
fn write_files(folder: &Path) {
    let mut random = Rng::with_seed(41);
    fs::write(folder.join("queries.fa"), queries(&mut random)).expect("writes");
    let text = subjects(&mut random);
    fs::write(folder.join("subjects.fa"), &text).expect("writes");
    // Primers are pieces of a genome.
    let genome = text.lines().nth(1).expect("a sequence");
    let primer = |number: usize| &genome[number * 700..number * 700 + 18 + number];
    let primers = (0..6).map(|number| format!(">p{number}\n{}\n", primer(number)));
    fs::write(folder.join("primers.fa"), primers.collect::<String>()).expect("writes");
    fs::write(folder.join("taxa"), "phix 10847\nlambda 10710\nchrM 9606\n").expect("writes");
    for files in ["ours", "theirs"] {
        fs::create_dir(folder.join(files)).expect("makes a folder");
        fs::copy(folder.join("subjects.fa"), folder.join(files).join("sequences")).expect("copies");
    }
}

#[test]
fn command_lines_of_other_programs_have_the_output_of_ncbi() {
    const OURS: &str = env!("CARGO_BIN_EXE_gpualign");
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_files(folder);
    for line in DATABASES {
        output(OURS, &["makedb", "-q"], line, ("ours", folder));
        output("makeblastdb", &[], line, ("theirs", folder));
    }
    for (line, least) in SEARCHES {
        let found = output(OURS, &["blastn"], line, ("ours", folder));
        let expected = output("blastn", &[], line, ("theirs", folder));
        assert_eq!(found, expected, "{line}");
        assert!(expected.lines().count() >= least, "{line}: {}", expected.lines().count());
    }
}
