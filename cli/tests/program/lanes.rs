//! Lanes: several pairs of files in one run, with their read groups, insert sizes and libraries.

use std::process::Stdio;

use bio::alphabets::dna::revcomp;
use rust_htslib::bam::{self, Read};

use crate::sam::{self, Record, lines};
use crate::support::{Folder, gzip, phix};

const A: &str = "@RG\\tID:a\\tSM:s\\tLB:x";
const B: &str = "@RG\\tID:b\\tSM:s\\tLB:y";

fn fastq(name: &str, letters: &[u8]) -> String {
    let letters = String::from_utf8_lossy(letters);
    format!("@{name}\n{letters}\n+\n{}\n", "F".repeat(letters.len()))
}

/// FASTQ of both mates of pairs with about this insert size; of every tenth, the second read has many differences, so that
/// only its mate tells where it is.
fn pairs(name: &str, count: usize, insert: usize) -> [String; 2] {
    let genome = phix();
    let mut texts = [String::new(), String::new()];
    for number in 0..count {
        let insert = insert + number * 37 % 40;
        let start = number * 97 % (genome.len() - insert);
        let fragment = &genome[start..start + insert];
        let mut reads = [fragment[..100].to_vec(), revcomp(&fragment[insert - 100..])];
        if number % 10 == 9 {
            for place in (5..100).step_by(12) {
                reads[1][place] = if reads[1][place] == b'A' { b'C' } else { b'A' };
            }
        }
        for (text, read) in texts.iter_mut().zip(&reads) {
            *text += &fastq(&format!("{name}{number}"), read);
        }
    }
    texts
}

/// A folder with pairs of two libraries: many of 300 bases in `a_1.fq` and `a_2.fq`, and few of 900 in `b_1.fq` and `b_2.fq`.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, count, insert) in [("a", 400, 300), ("b", 60, 900)] {
        let [one, two] = pairs(name, count, insert);
        folder.write(&format!("{name}_1.fq"), one).write(&format!("{name}_2.fq"), two);
    }
    folder
}

fn best(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    folder.map(&[&["--mode", "best"], arguments].concat())
}

/// The lines of a header that begin with a tag.
fn header(text: &[u8], tag: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().filter(|line| line.starts_with(tag)).map(str::to_owned).collect()
}

fn group(record: &Record) -> &str {
    record.tags.get("RG").map_or("", String::as_str)
}

#[test]
fn a_library_maps_as_it_does_alone() {
    let folder = folder();
    let a = lines(&best(&folder, &["a_1.fq", "a_2.fq", "ref.fa", "-R", A]));
    let b = lines(&best(&folder, &["b_1.fq", "b_2.fq", "ref.fa", "-R", B]));
    let flag = |line: &String| line.split('\t').nth(1).and_then(|flag| flag.parse::<u16>().ok());
    let proper = b.iter().filter(|line| flag(line).is_some_and(|flag| flag & 2 != 0)).count();
    assert!(proper > 100, "{proper} of {}", b.len());
    let files = ["a_1.fq", "a_2.fq", "b_1.fq", "b_2.fq", "a_1.fq", "a_2.fq", "ref.fa"];
    let groups = ["-R", A, "-R", B, "-R", A];
    let expected = [&a[..], &b, &a].concat();
    for size in ["1", "14", "333", "100000"] {
        let arguments = [&files[..], &groups, &["--batch-size", size]].concat();
        let text = best(&folder, &arguments);
        assert!(lines(&text) == expected, "batches of {size}");
        assert_eq!(header(&text, "@RG"), [A, B].map(|group| group.replace("\\t", "\t")));
    }
    let one = best(&folder, &[&files[..], &["-R", B]].concat());
    assert!(sam::records(&one).iter().all(|record| group(record) == "b"));
}

#[test]
fn lanes_may_be_in_a_list() {
    let folder = folder();
    folder.write(
        "lanes.tsv",
        "# read 1\tread 2\tgroup\n\n\
         a_1.fq\ta_2.fq\t@RG\tID:a\tSM:s\tLB:x\r\n\
         b_1.fq\t*\t@RG\\tID:single\\tSM:s s\n\
         b_1.fq\tb_2.fq\t@RG\\tLB:y\\tID:b\\tSM:s\n\
         a_2.fq\t\t@RG\tID:single\tSM:s s",
    );
    let files = ["a_1.fq", "a_2.fq", "b_1.fq", "b_2.fq", "ref.fa"];
    let pairs = lines(&best(&folder, &[&files[..], &["-R", A, "-R", B]].concat()));
    let single = ["--single", "b_1.fq", "a_2.fq", "ref.fa", "-R", "@RG\\tID:single\\tSM:s s"];
    let single = lines(&best(&folder, &single));
    let expected = [&pairs[..800], &single[..60], &pairs[800..], &single[60..]].concat();
    for size in ["1", "7", "100000"] {
        let text = best(&folder, &["--lanes", "lanes.tsv", "ref.fa", "--batch-size", size]);
        assert!(lines(&text) == expected, "batches of {size}");
        let groups = ["@RG\tID:a\tSM:s\tLB:x", "@RG\tID:single\tSM:s s", "@RG\tLB:y\tID:b\tSM:s"];
        assert_eq!(header(&text, "@RG"), groups);
    }
    // In mode all, both reads of a pair have the group of their lane.
    folder.write("blanks.txt", format!("a_1.fq a_2.fq {A}\nb_1.fq * {B}\n"));
    let all = folder.records(&["ref.fa", "--lanes", "blanks.txt"]);
    let count = |id| all.iter().filter(|record| group(record) == id).count();
    assert_eq!((all.len(), count("a"), count("b")), (860, 800, 60));
}

#[test]
fn a_bad_list_is_refused_by_its_line() {
    let folder = folder();
    let good = format!("a_1.fq\ta_2.fq\t{A}\n");
    let group = "@RG\\tID:b";
    for (second, parts) in [
        (format!("b_1.fq\tb_3.fq\t{group}\n"), &["line 2: b_3.fq: No such file"][..]),
        (format!("\tb_2.fq\t{group}\n"), &["line 2: ", "no file of read 1"]),
        ("b_1.fq\tb_2.fq\n".to_owned(), &["line 2: ", "three columns", "read group"]),
        ("b_1.fq\tb_2.fq\tID:b\n".to_owned(), &["line 2: ", "'ID:b'", "'@RG'"]),
        ("b_1.fq\tb_2.fq\t@RG\\tID:a\n".to_owned(), &["line 2: ", "ID 'a' differ"]),
        (format!("b_1.fq,a_1.fq\tb_2.fq\t{group}\n"), &["line 2: ", "are 2 files", "are 1"]),
        (format!("-\t-\t{group}\n"), &["line 2: ", "only once"]),
        ("x".repeat(1 << 17), &["line 2: ", "65536 bytes"]),
        (format!("b_1.fq\tb_2.fq\t{group}\\tSM:\n"), &["line 2: ", "SM is empty"]),
    ] {
        folder.write("lanes.tsv", good.clone() + &second);
        let arguments = ["--lanes", "lanes.tsv", "ref.fa", "-o", "out.bam", "--device", "cpu"];
        folder.refused(&arguments, &[&["lanes.tsv: "], parts].concat());
    }
    for nothing in ["", "\n# a\n"] {
        folder.write("lanes.tsv", nothing);
        let arguments = ["--lanes", "lanes.tsv", "ref.fa", "-o", "out.bam"];
        folder.refused(&arguments, &["lanes.tsv: ", "no lane"]);
    }
    folder.refused(&["--lanes", "none.tsv", "ref.fa"], &["none.tsv: No such file"]);
    folder.write("lanes.tsv", &good);
    let inputs = ["--lanes", "lanes.tsv", "ref.fa", "--device", "cpu", "-O", "sam", "-o"];
    folder.refused(&[&inputs[..], &["lanes.tsv"]].concat(), &["lanes.tsv", "input"]);
    folder.refused(&[&inputs[..], &["a_2.fq"]].concat(), &["a_2.fq", "input"]);
    let mates = ["--interleaved", "--lanes", "lanes.tsv", "ref.fa"];
    folder.refused(&mates, &["lanes.tsv: line 1: ", "--interleaved"]);
}

#[test]
fn wrong_numbers_of_groups_and_operands_are_refused() {
    let folder = folder();
    folder.write("lanes.tsv", format!("a_1.fq\ta_2.fq\t{A}\n"));
    let pairs = ["a_1.fq", "a_2.fq", "b_1.fq", "b_2.fq", "ref.fa"];
    let before = folder.files();
    for (arguments, part) in [
        ([&pairs[..], &["-R", A, "-R", B, "-R", B]].concat(), "3 read groups for 2 pairs of files"),
        ([&pairs[..], &["--single", "-R", A, "-R", B]].concat(), "2 read groups for 4 files"),
        ([&pairs[2..], &["-R", A, "-R", B]].concat(), "2 read groups for 1 pair of files"),
        ([&pairs[..], &["-R", A, "-R", "@RG\\tID:a"]].concat(), "ID 'a' differ"),
        (vec!["--lanes", "lanes.tsv", "a_1.fq", "ref.fa"], "leave 'a_1.fq' out"),
        (vec!["--lanes", "lanes.tsv", "ref.fa", "-R", A], "cannot be used with"),
    ] {
        let output = folder.run(&[&arguments[..], &["-o", "out.bam"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
        assert_eq!(folder.files(), before, "{arguments:?}");
    }
}

#[test]
fn files_with_commas_between_them_are_one_lane() {
    let folder = folder();
    for mate in ["1", "2"] {
        let [a, b] = ["a", "b"].map(|lane| folder.read(&format!("{lane}_{mate}.fq")));
        folder.write(&format!("ab_{mate}.fq"), [a.clone(), b].concat());
        folder.write(&format!("with,comma_{mate}.fq"), a);
    }
    let expected = lines(&best(&folder, &["ab_1.fq", "ab_2.fq", "ref.fa"]));
    for size in ["1", "14", "100000"] {
        let files = ["a_1.fq,b_1.fq", "a_2.fq,b_2.fq", "ref.fa", "--batch-size", size];
        assert!(lines(&best(&folder, &files)) == expected, "batches of {size}");
    }
    let single = lines(&best(&folder, &["a_1.fq,b_1.fq,a_2.fq", "ref.fa"]));
    assert!(single == lines(&best(&folder, &["--single", "ab_1.fq", "a_2.fq", "ref.fa"])));
    let comma = lines(&best(&folder, &["with,comma_1.fq", "with,comma_2.fq", "ref.fa"]));
    assert!(comma == lines(&best(&folder, &["a_1.fq", "a_2.fq", "ref.fa"])));
    let output = ["ref.fa", "-o", "out.bam", "--device", "cpu"];
    let refused = |files: &[&str], parts: &[&str]| {
        folder.refused(&[files, &output[..]].concat(), parts);
    };
    refused(&["a_1.fq,b_1.fq", "a_2.fq"], &["'a_1.fq,b_1.fq' are 2 files and 'a_2.fq' are 1"]);
    refused(&["a_1.fq,", "a_2.fq"], &["'a_1.fq,' has a comma"]);
    refused(&["a_1.fq,c_1.fq", "a_2.fq,b_2.fq"], &["c_1.fq: No such file"]);
    refused(&["a_1.fq,b_1.fq", "b_2.fq,a_2.fq"], &["b_2.fq: record 1 (line 1): ", "mate"]);
}

/// The flags of duplicates of all primary records, in the order of the reads.
fn duplicates(folder: &Folder, arguments: &[&str]) -> Vec<(String, bool)> {
    let sorted = ["ref.fa", "--sort", "--mark-duplicates", "--metrics", "out.txt"];
    let text = best(folder, &[arguments, &sorted].concat());
    let mut found: Vec<(String, bool)> = sam::records(&text)
        .iter()
        .filter(|record| record.is_primary())
        .map(|record| (format!("{} {}", group(record), record.name), record.flag & 0x400 != 0))
        .collect();
    found.sort();
    found
}

#[test]
fn duplicates_are_those_of_a_library() {
    let folder = folder();
    let run = |lanes: &[&str]| {
        let files = lanes.iter().flat_map(|_| ["a_1.fq", "a_2.fq"]);
        let groups = lanes.iter().flat_map(|lane| ["-R", lane]);
        let arguments: Vec<&str> = groups.chain(files).collect();
        let found = duplicates(&folder, &arguments);
        let metrics = String::from_utf8(folder.read("out.txt")).expect("is text");
        // Name, pairs and duplicate pairs of each library.
        let rows = metrics.lines().skip_while(|line| !line.starts_with("LIBRARY")).skip(1);
        let rows = rows.take_while(|line| !line.is_empty()).map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            format!("{} {} {}", fields[0], fields[2], fields[6])
        });
        let count = |id: &str| {
            let of_group = |name: &str| name.split(' ').next() == Some(id);
            found.iter().filter(|(name, is_marked)| *is_marked && of_group(name)).count()
        };
        ([count("a"), count("b"), count("c")], rows.collect::<Vec<String>>())
    };
    let (alone, rows) = run(&[A]);
    let own: usize = alone[0] / 2;
    assert_eq!(rows, [format!("x 400 {own}")]);
    assert_eq!(alone, [2 * own, 0, 0]);
    // Libraries do not mix, and are in the order of the groups.
    let (found, rows) = run(&[B, A]);
    assert_eq!(found, [2 * own, 2 * own, 0]);
    assert_eq!(rows, [format!("y 400 {own}"), format!("x 400 {own}")]);
    // Two groups of one library are duplicates of each other, whatever lies between them.
    let (found, rows) = run(&[A, B, "@RG\\tID:c\\tLB:x"]);
    assert_eq!(found, [2 * own, 2 * own, 800]);
    assert_eq!(rows, [format!("x 800 {}", 400 + own), format!("y 400 {own}")]);
    // Groups without a library share the unknown one.
    let (found, rows) = run(&["@RG\\tID:a", B, "@RG\\tID:c"]);
    assert_eq!(found, [2 * own, 2 * own, 800]);
    assert_eq!(rows, [format!("Unknown Library 800 {}", 400 + own), format!("y 400 {own}")]);
}

#[test]
fn files_without_reads_give_a_header() {
    let folder = folder();
    folder.write("none.fq", "").write("none.fq.gz", gzip(b""));
    for mode in ["best", "all"] {
        for files in [&["none.fq"][..], &["none.fq.gz"], &["none.fq", "none.fq.gz"]] {
            let options = ["--mode", mode, "ref.fa", "-R", A];
            let files = [files, &options].concat();
            let text = folder.map(&files);
            assert!(lines(&text).is_empty());
            assert_eq!((header(&text, "@SQ").len(), header(&text, "@RG").len()), (1, 1));
            for output in ["out.bam", "out.cram"] {
                let _ = folder.map(&[&files[..], &["--sort", "-o", output]].concat());
                let mut reader = bam::Reader::from_path(folder.path(output)).expect("opens");
                assert_eq!((reader.header().target_count(), reader.records().count()), (1, 0));
            }
            assert!(folder.files().contains("out.bam.bai"), "{mode}");
            assert!(folder.files().contains("out.cram.crai"), "{mode}");
        }
    }
    let marked = ["--sort", "--mark-duplicates", "--metrics", "out.txt", "none.fq", "ref.fa"];
    assert!(lines(&best(&folder, &marked)).is_empty());
    let alone = lines(&best(&folder, &["a_1.fq", "a_2.fq", "ref.fa"]));
    let with_none = ["none.fq", "none.fq", "a_1.fq", "a_2.fq", "none.fq", "none.fq.gz", "ref.fa"];
    assert_eq!(lines(&best(&folder, &with_none)), alone);
    let odd = ["none.fq", "a_2.fq", "ref.fa", "-o", "odd.bam", "--device", "cpu"];
    folder.refused(&odd, &["a_2.fq: record 1 (line 1): ", "none.fq has 0 records"]);
    let mut command = folder.command(&["-", "ref.fa", "--device", "cpu"]);
    let output = command.stdin(Stdio::null()).output().expect("runs");
    assert!(output.status.success() && lines(&output.stdout).is_empty());
}

#[test]
fn mode_all_is_sorted_with_an_index() {
    let folder = folder();
    for (output, index) in [("out.bam", "out.bam.bai"), ("out.cram", "out.cram.crai")] {
        let files = ["--mode", "all", "-k", "5", "a_1.fq", "a_2.fq", "ref.fa"];
        let _ = folder.map(&[&files[..], &["--sort", "-o", output]].concat());
        assert!(folder.files().contains(index));
        let unsorted = sam::records(&folder.map(&files));
        let mut reader = bam::IndexedReader::from_path(folder.path(output)).expect("opens");
        reader.set_reference(folder.path("ref.fa")).expect("is FASTA");
        reader.fetch((0, 1000, 1200)).expect("seeks");
        let found = reader.records().map(|record| record.expect("reads").pos() as usize);
        let found: Vec<usize> = found.collect();
        assert!(found.is_sorted());
        let overlaps = |record: &&Record| {
            let (begin, end) = (record.position, record.position + 100);
            record.is_aligned() && begin < 1190 && end > 1010
        };
        let least = unsorted.iter().filter(overlaps).count();
        assert!(least > 10 && found.len() >= least, "{least} {}", found.len());
    }
}
