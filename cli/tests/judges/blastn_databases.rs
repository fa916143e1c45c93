//! Databases that makeblastdb writes: `gpualign blastn` searches them where they lie, with the output of NCBI's blastn, and
//! refuses damaged ones.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use blastn_pipeline::database::Database;
use blastn_pipeline::database::ncbi::SearchPath;
use fastrand::Rng;

use crate::blastn::{queries, subjects};
use crate::tools::{run, status, taxonomy};

/// Columns that show identifiers, titles and taxa.
const NAMES: &str = "7 std qacc qgi sseqid sallseqid sacc sallacc saccver sgi sallgi stitle salltitles staxid staxids";

/// Output of both programs for the same command line.
fn both(arguments: &[&str], folder: &Path) -> (String, String) {
    let text = |output| String::from_utf8(output).expect("text");
    let found = run(env!("CARGO_BIN_EXE_gpualign"), &[&["blastn"], arguments].concat(), folder);
    (text(found), text(run("blastn", arguments, folder)))
}

/// Fails unless both programs have the same output.
fn same(arguments: &[&str], folder: &Path) -> usize {
    let (found, expected) = both(arguments, folder);
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "{arguments:?}: line {number}");
    }
    assert_eq!(found.len(), expected.len(), "{arguments:?}");
    expected.lines().count()
}

/// A folder with a file of subjects and one of queries.
fn folder(seed: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Rng::with_seed(seed);
    fs::write(folder.path().join("subjects.fa"), subjects(&mut random)).expect("writes");
    let few: String = queries(&mut random).split_inclusive('\n').take(20).collect();
    fs::write(folder.path().join("queries.fa"), few).expect("writes");
    folder
}

fn make(name: &str, options: &[&str], folder: &Path) {
    let common = ["-in", "subjects.fa", "-dbtype", "nucl", "-out", name];
    run("makeblastdb", &[&common, options].concat(), folder);
}

#[test]
fn both_versions_have_the_output_of_ncbi_in_all_formats() {
    let folder = folder(21);
    let folder = folder.path();
    make("five", &[], folder);
    make("four", &["-blastdb_version", "4"], folder);
    for database in ["five", "four"] {
        for format in ["0", "5", NAMES, "10", "15", "16"] {
            let lines = same(&["-query", "queries.fa", "-db", database, "-outfmt", format], folder);
            assert!(lines > 20, "{database} {format}: {lines}");
        }
    }
    let task = ["-query", "queries.fa", "-db", "five", "-task", "blastn", "-outfmt", "6 std btop"];
    assert!(same(&task, folder) > 20);
}

#[test]
fn volumes_and_lists_of_databases_are_searched_as_one() {
    let folder = folder(22);
    let folder = folder.path();
    let mut random = Rng::with_seed(23);
    let mut text = fs::read_to_string(folder.join("subjects.fa")).expect("reads");
    // Volumes have at least a megabyte.
    for number in 0..30 {
        let bases: String = (0..160_000).map(|_| ['A', 'C', 'G', 'T'][random.usize(..4)]).collect();
        let _ = writeln!(text, ">filler{number}\n{bases}NNNNRYACGT");
    }
    fs::write(folder.join("subjects.fa"), text).expect("writes");
    make("large", &["-max_file_sz", "1MB"], folder);
    assert!(folder.join("large.01.nin").is_file());
    let list = ["-dblist", "large.01 large.00", "-dbtype", "nucl", "-title", "two", "-out", "two"];
    run("blastdb_aliastool", &list, folder);
    fs::write(folder.join("sized.nal"), "TITLE sized\nDBLIST \"two\"\nNSEQ 9\nLENGTH 123456\n")
        .expect("writes");
    for database in ["large", "large.00", "two", "large.01 large.00", "sized large.01"] {
        for format in ["0", "5", "6 std sseqid stitle btop"] {
            same(&["-query", "queries.fa", "-db", database, "-outfmt", format], folder);
        }
    }
    // Names are looked for in the current folder and those of BLASTDB.
    fs::create_dir(folder.join("elsewhere")).expect("a folder");
    let arguments = ["-query", "../queries.fa", "-db", "two", "-outfmt", "6"];
    let output = |program: &str, first: &[&str]| {
        std::process::Command::new(program)
            .args(first)
            .args(arguments)
            .env("BLASTDB", format!("/nowhere:{}", folder.display()))
            .current_dir(folder.join("elsewhere"))
            .output()
            .expect("runs")
            .stdout
    };
    let found = output(env!("CARGO_BIN_EXE_gpualign"), &["blastn"]);
    assert!(!found.is_empty());
    assert_eq!(found, output("blastn", &[]));
}

#[test]
fn identifiers_and_taxa_are_shown_and_selected_as_by_ncbi() {
    let folder = folder(24);
    let folder = folder.path();
    // Sequences with identifiers of all kinds, some of them with several definition lines.
    let text = fs::read_to_string(folder.join("subjects.fa")).expect("reads");
    let names = [
        "s1 title one",
        "gi|123|gb|AB000001.1| some gene",
        "ref|NC_000913.3| E. coli",
        "gnl|mydb|tag1 general",
        "lcl|loc5 local",
        "pdb|1ABC|A chain",
        "AB123456.2 bare accession",
        "emb|X12345.1|ECRRNA embl",
        "pat|US|5955422|3 patent",
        "tpg|BK000001.1| third party",
        "one\ttitle with\ttabs",
        "first one\u{1}second two\u{1}gb|AC00001.5| three",
    ];
    let mut sequences = text.split('>').skip(1);
    let text: String = names
        .iter()
        .map(|name| {
            let sequence = sequences.next().expect("as many sequences");
            format!(">{name}\n{}", sequence.split_once('\n').expect("a header").1)
        })
        .collect();
    fs::write(folder.join("subjects.fa"), text).expect("writes");
    let taxa = "s1 9606\nAB000001.1 562\nNC_000913.3 562\nfirst 9606\nsecond 10090\n";
    fs::write(folder.join("taxa"), taxa).expect("writes");
    make("titles", &[], folder);
    make("ids", &["-parse_seqids", "-taxid_map", "taxa"], folder);
    for database in ["titles", "ids"] {
        for format in ["0", "5", NAMES, "15", "16"] {
            let common = ["-query", "queries.fa", "-db", database, "-outfmt", format];
            same(&[&common[..], &["-word_size", "16"]].concat(), folder);
        }
    }
    same(&["-query", "queries.fa", "-db", "ids", "-outfmt", "0", "-show_gis"], folder);
    fs::write(folder.join("list"), "NC_000913\ngb|AB000001.1|\nlcl|loc5\nloc5\n1ABC_A\nnone\n")
        .expect("writes");
    fs::write(folder.join("numbers"), "562\n10090\n").expect("writes");
    run("blastdb_aliastool", &["-seqid_file_in", "list", "-seqid_file_out", "list.bsl"], folder);
    fs::write(folder.join("gis"), "123\n").expect("writes");
    let list = ["-db", "ids", "-dbtype", "nucl", "-gilist", "gis", "-title", "few", "-out", "few"];
    run("blastdb_aliastool", &list, folder);
    same(&["-query", "queries.fa", "-db", "few", "-outfmt", "0"], folder);
    let formats = ["6 std sacc", "0", "5"].into_iter().cycle();
    let options = [
        ["-seqidlist", "list"],
        ["-seqidlist", "list.bsl"],
        ["-negative_seqidlist", "list"],
        ["-taxids", "562,9606"],
        ["-negative_taxids", "562"],
        ["-taxidlist", "numbers"],
        ["-negative_taxidlist", "numbers"],
        ["-gilist", "gis"],
    ];
    for (option, format) in options.into_iter().zip(formats) {
        let common = ["-query", "queries.fa", "-db", "ids", "-outfmt", format];
        let arguments = [&common[..], &["-word_size", "16"], &option].concat();
        let (found, expected) = both(&arguments, folder);
        assert_eq!(found, expected, "{arguments:?}");
    }
    for (database, option) in
        [("titles", ["-seqidlist", "list"]), ("ids", ["-taxids", "77"]), ("none", ["-evalue", "1"])]
    {
        let arguments = [&["-query", "queries.fa", "-db", database], &option[..]].concat();
        let ours = [&["blastn"], &arguments[..]].concat();
        let output = status(env!("CARGO_BIN_EXE_gpualign"), &ours, folder);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(status("blastn", &arguments, folder).status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.lines().count() == 1 && said.contains(database), "{said}");
    }
}

/// Names of sequences of all kinds that `makeblastdb -parse_seqids` knows.
const KINDS: [&str; 12] = [
    "s1 title one",
    "gi|123|gb|AB000001.1| some gene",
    "NC_000913.3 E. coli",
    "gnl|mydb|tag1 general",
    "lcl|loc5 local",
    "pdb|1ABC|A chain",
    "AB123456.2 bare accession",
    "emb|X12345.1|ECRRNA embl",
    "pat|US|5955422|3 patent",
    "NZ_CP012345.1 of RefSeq",
    "one\ttitle with\ttabs and a title that is longer than the sixty letters after which lines end",
    "first one\u{1}second two\u{1}CP000015.5 three",
];

/// Databases of both programs of the same file have the same name; gpualign searches its own.
#[test]
fn databases_of_ours_are_those_of_makeblastdb() {
    let folder = folder(27);
    let folder = folder.path();
    taxonomy(folder);
    let text = fs::read_to_string(folder.join("subjects.fa")).expect("reads");
    let sequences = text.split('>').skip(1).zip(KINDS);
    let text: String = sequences
        .map(|(sequence, name)| {
            format!(">{name}\n{}", sequence.split_once('\n').expect("a header").1)
        })
        .collect();
    fs::write(folder.join("subjects.fa"), text).expect("writes");
    let taxa =
        "s1 9606\nAB000001.1 562\nNC_000913 562\nfirst 9606\nsecond 10090\ngnl|mydb|tag1 77\n";
    fs::write(folder.join("taxa"), taxa).expect("writes");
    fs::write(folder.join("list"), "NC_000913\ngb|AB000001.1|\nloc5\n1ABC_A\nCP000015.5\nnone\n")
        .expect("writes");
    let with_ids = ["-parse_seqids", "-taxid_map", "taxa", "-blastdb_version", "5"];
    for (name, options) in
        [("ids", &with_ids[..]), ("taxon", &["-taxid", "562"]), ("plain", &["-parse_seqids"])]
    {
        make(name, options, folder);
        let common = ["makedb", "-q", "-in", "subjects.fa", "-dbtype", "nucl", "-out", name];
        run(env!("CARGO_BIN_EXE_gpualign"), &[&common, options].concat(), folder);
    }
    let table = format!("{NAMES} ssciname sscinames");
    let same = |options: &[&str]| {
        let (found, expected) = both(options, folder);
        let lines = |text: &str| -> Vec<String> {
            let is_date = |line: &&str| !line.contains("Posted date");
            text.lines().filter(is_date).map(str::to_owned).collect()
        };
        assert_eq!(lines(&found), lines(&expected), "{options:?}");
        expected.lines().count()
    };
    for name in ["ids", "taxon", "plain"] {
        for format in ["0", "1", "3", "5", &table, "8", "12", "15", "16", "17", "18"] {
            let common = ["-query", "queries.fa", "-db", name, "-word_size", "16"];
            assert!(same(&[&common[..], &["-outfmt", format]].concat()) > 20, "{name} {format}");
        }
        let common = ["-query", "queries.fa", "-db", name, "-outfmt", "0", "-html"];
        same(&common);
        same(&[&common[..], &["-show_gis", "-sorthits", "1"]].concat());
    }
    for option in [
        ["-seqidlist", "list"],
        ["-negative_seqidlist", "list"],
        ["-taxids", "562,10090"],
        ["-negative_taxids", "562"],
    ] {
        for format in ["0", &table, "16"] {
            let common = ["-query", "queries.fa", "-db", "ids", "-outfmt", format];
            same(&[&common[..], &["-word_size", "16"], &option].concat());
        }
    }
    // Without identifiers, nothing can be selected by them.
    let refused = ["blastn", "-query", "queries.fa", "-db", "taxon", "-seqidlist", "list"];
    let output = status(env!("CARGO_BIN_EXE_gpualign"), &refused, folder);
    assert_eq!(output.status.code(), Some(2));
    // Identifiers that both programs refuse.
    for (number, header) in
        ["gi|x y", "gnl|a", "s1\nACGATCAGC\n>s1", &"x".repeat(51)].iter().enumerate()
    {
        fs::write(folder.join("bad.fa"), format!(">{header}\nACGATCAGCATCGACTA\n"))
            .expect("writes");
        let common = ["-in", "bad.fa", "-dbtype", "nucl", "-out", "bad", "-parse_seqids"];
        let output =
            status(env!("CARGO_BIN_EXE_gpualign"), &[&["makedb"], &common[..]].concat(), folder);
        assert_eq!(output.status.code(), Some(1), "{header}");
        let said = String::from_utf8_lossy(&output.stderr);
        let is_clear =
            said.lines().count() == 1 && said.contains("bad.fa") && said.contains("record");
        // An identifier that is there twice is on the second line.
        assert!(is_clear || number == 2, "{said}");
        assert!(!status("makeblastdb", &common, folder).status.success(), "{header}");
    }
}

/// Reads a database and all its sequences.
fn read(path: &Path) -> Result<usize, String> {
    let database =
        Database::from_ncbi(&path.to_string_lossy(), &SearchPath::new([PathBuf::new()]), None)
            .map_err(|error| error.to_string())?;
    let subjects = (0..database.len()).map(|number| database.subject(number));
    Ok(subjects
        .map(|subject| subject.letters(0..subject.length).len() + subject.deflines().len())
        .sum())
}

#[test]
fn damaged_databases_are_refused_or_read_but_do_no_harm() {
    let folder = folder(25);
    let folder = folder.path();
    make("good", &["-parse_seqids"], folder);
    let path = folder.join("bad");
    let files = ["nin", "nsq", "nhr"].map(|extension| {
        let good = fs::read(folder.join("good").with_extension(extension)).expect("reads");
        (path.with_extension(extension), good)
    });
    let restore = || files.iter().for_each(|(file, good)| fs::write(file, good).expect("writes"));
    restore();
    let letters = read(&path).expect("a database");
    assert!(letters > 10_000);
    let mut random = Rng::with_seed(26);
    let (mut refused, mut cases) = (0, 0);
    for (file, good) in &files {
        for case in 0..400 {
            let mut bad = good.clone();
            if case < 100 {
                bad.truncate(random.usize(..good.len()));
            } else {
                for _ in 0..random.usize(1..4) {
                    // Most of the file of bases may be anything.
                    let place = random.usize(..bad.len().min(4_000));
                    bad[place] = random.u8(..);
                }
            }
            fs::write(file, &bad).expect("writes");
            if let Err(error) = read(&path) {
                refused += 1;
                assert!(error.lines().count() == 1 && error.contains("bad."), "{error}");
            } else {
                assert!(case >= 100, "{}: a truncated file was read", file.display());
            }
            cases += 1;
        }
        restore();
    }
    assert!(refused > cases / 3, "{refused} of {cases}");
    fs::remove_file(path.with_extension("nhr")).expect("removes");
    assert!(read(&path).expect_err("is refused").contains("bad.nhr"));
}
