//! Command lines drawn from the options: NCBI's blastn judges `gpualign blastn` on output byte for byte, in all formats.

use std::fs;
use std::ops::Range;
use std::path::Path;

use fastrand::Rng;

use crate::blastn::{queries, subjects};
use crate::tools::{run, status, taxonomy};

/// An option, its values, and of how many command lines one has it.
type Option = (&'static str, &'static [&'static str], usize);

/// Options of all searches.
const OPTIONS: [Option; 20] = [
    ("-dust", &["no", "yes", "20 64 1", "10 32 2"], 3),
    ("-soft_masking", &["false", "F", "n", "true", "1"], 4),
    ("-lcase_masking", &[], 4),
    ("-evalue", &["1000", "1", "1e-5", "1e-20"], 3),
    ("-perc_identity", &["80", "95"], 8),
    ("-qcov_hsp_perc", &["10", "50"], 12),
    ("-max_hsps", &["1", "2"], 8),
    ("-strand", &["plus", "minus", "both"], 5),
    ("-culling_limit", &["1", "3"], 8),
    ("-subject_besthit", &[], 6),
    ("-dbsize", &["1000", "100000000", "0"], 6),
    ("-searchsp", &["1000000", "50000000000"], 8),
    ("-min_raw_gapped_score", &["20", "60"], 8),
    ("-xdrop_ungap", &["12", "30"], 12),
    ("-xdrop_gap", &["18", "50"], 12),
    ("-xdrop_gap_final", &["40", "200"], 12),
    ("-query_loc", &["1-300", "40-400", "150-90000"], 8),
    ("-sum_stats", &["true", "false"], 8),
    ("-ungapped", &[], 6),
    ("-use_index", &["false"], 20),
];

/// Word sizes of contiguous and of discontiguous words.
const WORD_SIZES: [&[&str]; 2] = [&["7", "11", "12", "16", "20", "28"], &["11", "12"]];

/// Options of which NCBI's program takes some only with others, or with some tasks.
fn draw_dependent(random: &mut Rng, task: &str, line: &mut Vec<String>) {
    let is_discontiguous = task == "dc-megablast";
    let word_sizes = WORD_SIZES[usize::from(is_discontiguous)];
    draw(random, &[("-word_size", word_sizes, 3)], line);
    let mut push = |words: &[&str]| line.extend(words.iter().map(|&word| word.to_owned()));
    if is_discontiguous && random.bool() {
        let kind = ["coding", "optimal", "coding_and_optimal"][random.usize(..3)];
        let length = ["16", "18", "21"][random.usize(..3)];
        push(&["-template_type", kind, "-template_length", length]);
    }
    let mut has_window = is_discontiguous;
    if random.usize(..4) == 0 {
        let window = ["0", "20", "40", "200"][random.usize(..4)];
        push(&["-window_size", window]);
        has_window = window != "0";
    }
    if has_window && random.usize(..3) == 0 {
        push(&["-off_diagonal_range", ["1", "5", "20"][random.usize(..3)]]);
    }
    if random.usize(..5) == 0 {
        push(&["-gapopen", "5", "-gapextend", "2"]);
        if random.bool() {
            push(&["-no_greedy"]);
        }
    }
}

/// Options of reports to look at.
const PAIRWISE: [Option; 7] = [
    ("-html", &[], 3),
    ("-num_descriptions", &["0", "2", "300"], 3),
    ("-num_alignments", &["0", "1", "300"], 3),
    ("-line_length", &["1", "45", "120"], 3),
    ("-show_gis", &[], 3),
    ("-sorthits", &["0", "1", "2", "3", "4"], 3),
    ("-sorthsps", &["0", "1", "2", "3", "4"], 3),
];

const FORMATS: [&str; 20] = [
    "1",
    "2",
    "3",
    "4",
    "8",
    "12",
    "13",
    "14",
    "18",
    "17",
    "17 SR SQ",
    "0",
    "5",
    "6",
    "7",
    "10",
    "15",
    "16",
    "6 std score btop sstrand qcovs qcovhsp qcovus",
    "7 delim=| qseqid sseqid saccver sacc stitle slen qlen nident positive gaps ppos frames qframe sframe evalue staxids",
];

fn draw(random: &mut Rng, options: &[Option], line: &mut Vec<String>) {
    for &(option, values, share) in options {
        if random.usize(..share) == 0 {
            line.push(option.to_owned());
            line.extend(random.choice(values).map(|&value| value.to_owned()));
        }
    }
}

/// A command line: a task, a database or a file of subjects, a format and some options.
fn command_line(random: &mut Rng) -> Vec<String> {
    let task = ["megablast", "blastn", "blastn-short", "dc-megablast"][random.usize(..4)];
    let target = [
        ["-db", "titles"],
        ["-db", "ids"],
        ["-db", "old"],
        ["-db", "both"],
        ["-subject", "subjects.fa"],
    ];
    let target = target[random.usize(..5)];
    let format = FORMATS[random.usize(..FORMATS.len())];
    let common = ["-query", "queries.fa", "-task", task, target[0], target[1], "-outfmt", format];
    let mut line: Vec<String> = common.map(str::to_owned).into();
    draw(random, &OPTIONS, &mut line);
    draw_dependent(random, task, &mut line);
    // Of sets of alignments, NCBI's SAM is another one, and Seq-align is refused here.
    let has_sets = line.iter().any(|word| word == "-ungapped")
        || line.windows(2).any(|words| words[0] == "-sum_stats" && words[1] == "true");
    let format = if has_sets && ["8", "12", "17"].iter().any(|it| format.starts_with(it)) {
        let at = line.iter().position(|word| word == format);
        "0".clone_into(&mut line[at.expect("the format")]);
        "0"
    } else {
        format
    };
    if random.usize(..4) == 0 {
        line.extend(["-num_threads", "2", "-mt_mode", "1"].map(str::to_owned));
    }
    if target[0] == "-subject" {
        draw(random, &[("-subject_loc", &["1-500", "100-700"], 2)], &mut line);
    } else if target[1] == "ids" || target[1] == "both" {
        draw(
            random,
            &[("-seqidlist", &["list"], 4), ("-taxids", &["562", "562,9606"], 8)],
            &mut line,
        );
        let is_restriction = |word: &String| word == "-seqidlist" || word == "-taxids";
        // NCBI's program takes one of these only.
        if line.iter().filter(|word| is_restriction(word)).count() > 1 {
            line.truncate(line.len() - 2);
        }
    }
    if ["0", "1", "2", "3", "4"].contains(&format) && random.bool() {
        draw(random, &PAIRWISE, &mut line);
    } else {
        draw(random, &[("-max_target_seqs", &["1", "3", "10"], 4)], &mut line);
    }
    line
}

/// How a command line of ours differs from NCBI's: in the exit code, or in a line of output.
fn difference(line: &[&str], folder: &Path, lines: &mut usize) -> Result<(), String> {
    let writes_files = line.contains(&"13") || line.contains(&"14");
    let run = |program: &str, command: &[&str], files: &str| {
        let out = format!("{files}/out");
        let out: &[&str] = if writes_files { &["-out", &out] } else { &[] };
        fs::create_dir_all(folder.join(files)).expect("makes a folder");
        let output = status(program, &[command, line, out].concat(), folder);
        let written = text_of_files(&folder.join(files));
        fs::remove_dir_all(folder.join(files)).expect("removes the folder");
        (output, written)
    };
    let (expected, files_expected) = run("blastn", &[], "theirs");
    let (found, files) = run(env!("CARGO_BIN_EXE_gpualign"), &["blastn"], "ours");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let message = text(&expected.stderr);
    if expected.status.code().is_none() || message.contains("Empty CBlastQueryVector") {
        // NCBI's program fails if -query_loc leaves none of the queries that it searches together.
        return Ok(());
    }
    if found.status.code() != expected.status.code() {
        let codes = (found.status.code(), expected.status.code());
        return Err(format!("exit codes {codes:?}: {}", text(&found.stderr)));
    }
    let (found, expected) =
        (text(&found.stdout) + &files, text(&expected.stdout) + &files_expected);
    *lines += expected.lines().count();
    // Databases of both programs are made one after the other.
    let is_date = |line: &str| line.trim_start().starts_with("Posted date:");
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        if found != expected && !(is_date(found) && is_date(expected)) {
            return Err(format!("line {number}\n  found    {found}\n  expected {expected}"));
        }
    }
    let lengths = (found.len(), expected.len());
    if lengths.0 == lengths.1 { Ok(()) } else { Err(format!("lengths {lengths:?}")) }
}

/// The names and the texts of all files in a folder.
fn text_of_files(folder: &Path) -> String {
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    let text = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name + "\n" + &fs::read_to_string(path).expect("reads")
    };
    files.iter().map(text).collect()
}

/// Compares the command lines of some seeds, and returns the number of lines of output and all differences.
fn compare(seeds: Range<u64>) -> (usize, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (mut lines, mut differences, mut files) = (0, Vec::new(), None);
    for seed in seeds {
        // Eight command lines have the same databases.
        if files.replace(seed / 8) != Some(seed / 8) {
            make_files(&mut Rng::with_seed(seed / 8), folder);
        }
        let random = &mut Rng::with_seed(seed);
        let few: String = queries(random).split_inclusive('\n').take(16).collect();
        fs::write(folder.join("queries.fa"), few).expect("writes");
        let line = command_line(random);
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        if let Err(difference) = difference(&line, folder, &mut lines) {
            differences.push(format!("seed {seed}, {line:?}: {difference}"));
        }
    }
    (lines, differences)
}

/// Writes a file of subjects without ambiguous letters, and makes databases of it.
fn make_files(random: &mut Rng, folder: &Path) {
    let text = subjects(random);
    let plain = |line: &str| {
        if line.starts_with('>') {
            return line.to_owned();
        }
        let base = |letter| if "ACGT".contains(letter) { letter } else { 'A' };
        line.chars().map(base).collect()
    };
    let text: Vec<String> = text.lines().map(plain).collect();
    fs::write(folder.join("subjects.fa"), text.join("\n") + "\n").expect("writes");
    fs::write(folder.join("list"), "phix\nlambda_1\nchrM_3\n").expect("writes");
    fs::write(folder.join("taxa"), "phix 562\nlambda 10090\nchrM 9606\n").expect("writes");
    taxonomy(folder);
    for (name, option) in [
        ("titles", &[][..]),
        ("ids", &["-parse_seqids", "-taxid_map", "taxa"]),
        ("both", &["-parse_seqids", "-taxid_map", "taxa"]),
        ("old", &["-blastdb_version", "4", "-title", "an old one"]),
    ] {
        let common = ["-in", "subjects.fa", "-dbtype", "nucl", "-out", name];
        run("makeblastdb", &[&common, option].concat(), folder);
        if name == "both" {
            // Beside this one, gpualign searches its own of the same name.
            let ours = [&["makedb", "-q"], &common[..], option].concat();
            run(env!("CARGO_BIN_EXE_gpualign"), &ours, folder);
        }
    }
}

/// The seeds of the variable `SEEDS`, as `2000` or `1000-2000`, which may take hours: `make blastn-judge SEEDS=2000`.
fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("SEEDS") else { return 0..16 };
    let (first, end) = text.split_once('-').unwrap_or(("0", &text));
    let number =
        |text: &str| text.parse().expect("SEEDS is a number, or two numbers with - between");
    number(first)..number(end)
}

#[test]
fn drawn_command_lines_have_the_output_of_ncbi() {
    let seeds = seeds();
    let (lines, differences) = compare(seeds.clone());
    println!("{} command lines, {lines} lines of output", seeds.end - seeds.start);
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
    assert!(lines > 1_000, "{lines} lines");
}

/// Seeds of command lines whose output once differed: `-qcov_hsp_perc` with `-ungapped`, and `qcovhsp` with that and a `-query_loc`
/// that ends behind the query.
const ONCE_DIFFERENT: [u64; 2] = [100_282, 100_594];

#[test]
fn command_lines_that_once_differed_have_the_output_of_ncbi() {
    for seed in ONCE_DIFFERENT {
        let (lines, differences) = compare(seed..seed + 1);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        assert!(lines > 0, "seed {seed}");
    }
}

/// Best hits are those of NCBI's program where its order of subjects does not matter.
#[test]
fn best_hits_are_those_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = Rng::with_seed(31);
    make_files(&mut random, folder);
    fs::write(folder.join("queries.fa"), queries(&mut random)).expect("writes");
    for task in ["blastn", "megablast"] {
        for options in [
            &["-best_hit_overhang", "0.1", "-best_hit_score_edge", "0.1"][..],
            &["-best_hit_overhang", "0.25"],
        ] {
            let common = ["-query", "queries.fa", "-db", "titles", "-task", task, "-outfmt", "6"];
            let line = [&common[..], options].concat();
            let text = |output: Vec<u8>| String::from_utf8(output).expect("text");
            let expected = text(run("blastn", &line, folder));
            let ours = [&["blastn"], &line[..]].concat();
            let found = text(run(env!("CARGO_BIN_EXE_gpualign"), &ours, folder));
            assert!(expected.lines().count() > 40, "{line:?}");
            assert_eq!(found, expected, "{line:?}");
        }
    }
}
