//! Reads in SAM, BAM and CRAM.

use std::fmt::Write;
use std::fs::File;
use std::process::Stdio;

use bio::alphabets::dna::revcomp;
use rust_htslib::bam::{self, Format, Read};

use crate::sam::{self, sorted_lines};
use crate::support::{Folder, error_line, phix};

const HEADER: &str = "@HD\tVN:1.6\tSO:unsorted\tGO:query\n";

/// A line of SAM of an unaligned read.
fn line(name: &str, flag: u16, letters: &[u8], qualities: &[u8], tags: &str) -> String {
    let [letters, qualities] = [letters, qualities].map(String::from_utf8_lossy);
    format!("{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{letters}\t{qualities}{tags}\n")
}

/// Qualities that differ from base to base.
fn qualities(count: usize) -> Vec<u8> {
    (0..count).map(|place| b'#' + (place * 7 % 40) as u8).collect()
}

/// Pairs and single reads as SAM (without a header), and as FASTQ: read 1, read 2 and single reads.
fn mixed() -> (String, [String; 3]) {
    let genome = phix();
    let (mut records, mut texts) = (String::new(), [const { String::new() }; 3]);
    for number in 0..60 {
        let start = number * 83 % (genome.len() - 400);
        let fragment = &genome[start..start + 300 + number % 50];
        let mates = [fragment[..90].to_vec(), revcomp(&fragment[fragment.len() - 80..])];
        let name = format!("r{number}");
        let is_single = number % 7 == 3;
        for (mate, letters) in mates.iter().enumerate().take(if is_single { 1 } else { 2 }) {
            let values = qualities(letters.len());
            let text = &mut texts[if is_single { 2 } else { mate }];
            let as_text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            writeln!(text, "@{name}\n{}\n+\n{}", as_text(letters), as_text(&values)).expect("fits");
            let flag = if is_single { 4 } else { [77, 141][mate] };
            let mut record = line(&name, flag, letters, &values, "");
            if number % 3 == 0 {
                let back: Vec<u8> = values.iter().rev().copied().collect();
                record = line(&name, flag | 0x10, &revcomp(letters), &back, "");
            }
            // Flags that do not matter, and records that are left out.
            if number % 5 == 0 {
                records += &line(&name, flag | 0x100, letters, &values, "");
                records +=
                    &record.replacen(&format!("\t{flag}\t"), &format!("\t{}\t", flag | 0x200), 1);
                records += &line(&name, flag | 0x800, &letters[..20], &values[..20], "");
            } else {
                records += &record;
            }
        }
    }
    (records, texts)
}

/// Writes a file of SAM also as BAM and CRAM.
fn convert(folder: &Folder, name: &str) {
    let source = folder.path(&format!("{name}.sam"));
    for (extension, format) in [("bam", Format::Bam), ("cram", Format::Cram)] {
        let mut reader = bam::Reader::from_path(&source).expect("opens");
        let header = bam::Header::from_template(reader.header());
        let target = folder.path(&format!("{name}.{extension}"));
        let mut writer = bam::Writer::from_path(target, &header, format).expect("opens");
        for record in reader.records() {
            writer.write(&record.expect("reads")).expect("writes");
        }
    }
}

fn best(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    folder.map(&[&["--mode", "best"], arguments].concat())
}

#[test]
fn reads_are_those_of_fastq() {
    let folder = Folder::new();
    let (records, [one, two, single]) = mixed();
    folder.write("1.fq", one).write("2.fq", two).write("s.fq", single);
    folder.write("r.sam", HEADER.to_owned() + &records);
    convert(&folder, "r");
    let paired = best(&folder, &["1.fq", "2.fq", "ref.fa"]);
    let expected =
        [sorted_lines(&paired), sorted_lines(&best(&folder, &["s.fq", "ref.fa"]))].concat();
    let expected = sorted_lines(expected.join("\n").as_bytes());
    assert!(expected.iter().any(|line| line.contains("\t99\t")));
    for file in ["r.sam", "r.bam", "r.cram"] {
        assert_eq!(sorted_lines(&best(&folder, &[file, "ref.fa"])), expected, "{file}");
    }
    for size in ["1", "6", "50"] {
        let arguments = ["r.bam", "ref.fa", "--batch-size", size, "-t", "3"];
        assert_eq!(sorted_lines(&best(&folder, &arguments)), expected, "{size}");
    }
    assert_eq!(
        sorted_lines(&folder.run(&["mem", "-j", "ref.fa", "r.bam"]).stdout).len(),
        expected.len()
    );
    // Each read by itself.
    let each = best(&folder, &["--single", "1.fq", "2.fq", "s.fq", "ref.fa"]);
    assert_eq!(sorted_lines(&best(&folder, &["--single", "r.bam", "ref.fa"])), sorted_lines(&each));
}

#[test]
fn a_pipe_may_have_records() {
    let folder = Folder::new();
    folder.write("r.sam", HEADER.to_owned() + &mixed().0);
    convert(&folder, "r");
    let expected = sorted_lines(&best(&folder, &["r.bam", "ref.fa"]));
    for file in ["r.sam", "r.bam", "r.cram"] {
        for input in ["-", "/dev/stdin"] {
            let mut command = folder.command(&["--device", "cpu", input, "ref.fa"]);
            let mut source = std::process::Command::new("cat")
                .arg(folder.path(file))
                .stdout(Stdio::piped())
                .spawn()
                .expect("runs");
            let text = source.stdout.take().expect("is piped");
            let output = command.stdin(text).output().expect("runs");
            source.wait().expect("ends");
            assert_eq!(sorted_lines(&output.stdout), expected, "{file} {input}");
            let file = File::open(folder.path(file)).expect("opens");
            let mut command = folder.command(&["--device", "cpu", input, "ref.fa"]);
            let output = command.stdin(file).output().expect("runs");
            assert_eq!(sorted_lines(&output.stdout), expected, "{input}");
        }
    }
}

#[test]
fn qualities_may_be_absent() {
    let folder = Folder::new();
    let letters = &phix()[500..560];
    let both = line("a", 4, letters, b"*", "") + &line("b", 4, letters, &qualities(60), "");
    folder.write("r.sam", HEADER.to_owned() + &both + &line("c", 4, b"*", b"*", ""));
    convert(&folder, "r");
    for file in ["r.sam", "r.bam"] {
        let records = sam::records(&best(&folder, &[file, "ref.fa"]));
        let quality: Vec<&str> = records.iter().map(|record| record.quality.as_str()).collect();
        let all = String::from_utf8(qualities(60)).expect("is text");
        assert_eq!(quality, ["*", &all, "*"]);
        assert_eq!(records[2].sequence, "*");
    }
}

#[test]
fn tags_are_comments_on_request() {
    let folder = Folder::new();
    let tags = "\tRX:Z:ACGT-TT\tBC:Z:GG\tNM:i:7\tX0:i:-70000\tX1:B:s,-1,300\tX2:f:0.25\tX3:A:c\tPG:Z:x\tX4:H:0AFF";
    let text = line("a", 4, &phix()[500..560], &qualities(60), tags);
    folder.write("r.sam", HEADER.to_owned() + &text);
    convert(&folder, "r");
    let kept = "\tRX:Z:ACGT-TT\tBC:Z:GG\tX0:i:-70000\tX1:B:s,-1,300\tX2:f:0.25\tX3:A:c\tX4:H:0AFF";
    for file in ["r.sam", "r.bam", "r.cram"] {
        for mode in ["best", "all"] {
            let map = |more: &[&str]| {
                let files = ["--mode", mode, file, "ref.fa"];
                sorted_lines(&folder.map(&[&files[..], more].concat()))[0].clone()
            };
            let without = map(&[]);
            assert_eq!(map(&["--comments"]), without.clone() + kept, "{file}");
            assert!(!without.contains("RX:Z"), "{file}");
        }
    }
}

#[test]
fn read_groups_are_those_of_the_header() {
    let folder = Folder::new();
    let groups = "@RG\tID:x\tSM:s\tLB:l\tDS:C:\\temp\n@RG\tID:y\tSM:s\tLB:m\n";
    let letters = &phix()[500..560];
    let read = |name: &str, group: &str| line(name, 4, letters, &qualities(60), group);
    let three = read("a", "\tRG:Z:y") + &read("b", "\tRG:Z:x") + &read("c", "\tRG:Z:y");
    folder.write("r.sam", format!("{HEADER}{groups}{three}"));
    folder.write("one.sam", format!("{HEADER}@RG\tID:z\tSM:t\n{}", read("d", "")));
    let group = |text: &[u8]| -> Vec<String> {
        let tag =
            |line: &String| line.split('\t').find(|it| it.starts_with("RG:")).map(str::to_owned);
        sorted_lines(text).iter().filter_map(tag).collect()
    };
    let header = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text);
        text.lines().filter(|line| line.starts_with("@RG")).map(str::to_owned).collect()
    };
    for mode in ["best", "all"] {
        let text = folder.map(&["--mode", mode, "r.sam", "one.sam", "ref.fa"]);
        assert_eq!(group(&text), ["RG:Z:y", "RG:Z:x", "RG:Z:y", "RG:Z:z"]);
        assert_eq!(header(&text).join("\n") + "\n", format!("{groups}@RG\tID:z\tSM:t\n"));
        let text = folder.map(&["--mode", mode, "r.sam", "one.sam", "ref.fa", "-R", "@RG\\tID:q"]);
        assert_eq!(group(&text), ["RG:Z:q"; 4]);
        assert_eq!(header(&text), ["@RG\tID:q"]);
    }
    // Duplicates are those of a library.
    let marked = ["--sort", "--mark-duplicates", "--metrics", "m.txt", "r.sam", "ref.fa"];
    let flags: Vec<u16> =
        sam::records(&best(&folder, &marked)).iter().map(|record| record.flag).collect();
    assert_eq!(flags.iter().filter(|&&flag| flag & 0x400 != 0).count(), 1);
    let metrics = String::from_utf8(folder.read("m.txt")).expect("is text");
    assert!(metrics.contains("\nl\t1\t0\t0\t0\t0\t") && metrics.contains("\nm\t2\t0\t0\t0\t1\t"));

    let refused = |text: String, parts: &[&str]| {
        folder.write("bad.sam", text);
        folder.refused(&["bad.sam", "ref.fa", "-o", "out.bam", "--device", "cpu"], parts);
    };
    let location = "bad.sam: record 1: ";
    refused(format!("{HEADER}{groups}{}", read("d", "\tRG:Z:u")), &[location, "no read group 'u'"]);
    refused(format!("{HEADER}{groups}{}", read("d", "")), &[location, "(RG)", "-R"]);
    refused(format!("{HEADER}@RG\tID:v\tv\n"), &["bad.sam: the header: 'v'"]);
}

#[test]
fn lanes_of_records_and_of_fastq_go_together() {
    let folder = Folder::new();
    let (records, [one, two, _]) = mixed();
    folder.write("1.fq", one).write("2.fq", two).write("r.sam", HEADER.to_owned() + &records);
    convert(&folder, "r");
    let lane = |files: &[&str]| sorted_lines(&best(&folder, &[files, &["ref.fa"]].concat()));
    let (of_bam, of_fastq) = (lane(&["r.bam"]), lane(&["1.fq", "2.fq"]));
    let count = of_bam.len() + of_fastq.len();
    for files in [["r.bam", "1.fq", "2.fq"], ["1.fq", "2.fq", "r.bam"]] {
        assert_eq!(lane(&files).len(), count, "{files:?}");
        let two = ["-R", "@RG\\tID:a", "-R", "@RG\\tID:b"];
        assert_eq!(lane(&[&files[..], &two].concat()).len(), count);
    }
    assert_eq!(lane(&["r.bam,r.cram", "r.sam"]).len(), 3 * of_bam.len());
    folder.write("lanes", "r.bam\t\t@RG\tID:a\n1.fq\t2.fq\t@RG\tID:b\n");
    assert_eq!(sorted_lines(&best(&folder, &["--lanes", "lanes", "ref.fa"])).len(), count);
    let output = ["ref.fa", "-o", "out.bam", "--device", "cpu"];
    for files in [&["1.fq", "r.bam", "2.fq"][..], &["1.fq,r.bam"]] {
        folder.refused(&[files, &output].concat(), &["r.bam: records of SAM, BAM or CRAM"]);
    }
    folder.refused(&[&["r.bam,1.fq"], &output[..]].concat(), &["1.fq: neither SAM"]);
}

#[test]
fn files_that_are_no_reads_are_refused() {
    let folder = Folder::new();
    let records = mixed().0;
    folder.write("r.sam", HEADER.to_owned() + &records);
    convert(&folder, "r");
    let refused = |file: &str, parts: &[&str]| {
        for mode in ["best", "all"] {
            let all = ["--mode", mode, file, "ref.fa", "-o", "out.bam", "--device", "cpu"];
            folder.refused(&all, &[&[file], parts].concat());
        }
    };
    let whole = folder.read("r.bam");
    folder.write("cut.bam", &whole[..whole.len() - 28]);
    refused("cut.bam", &["the file is cut short behind record "]);
    folder.write("cut.bam", &whole[..whole.len() - 200]);
    refused("cut.bam", &["record 1: "]);
    let cram = folder.read("r.cram");
    folder.write("cut.cram", &cram[..cram.len() - 38]);
    refused("cut.cram", &["cut short"]);
    let mut file = folder.command(&["--device", "cpu", "-", "ref.fa", "-o", "out.bam"]);
    let mut child = file.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("is piped");
    std::io::Write::write_all(&mut stdin, &whole[..whole.len() - 28]).expect("writes");
    drop(stdin);
    let said = error_line(&child.wait_with_output().expect("ends"), &["-"]);
    assert!(said.contains("standard input: the file is cut short"), "{said}");

    let (letters, values) = (&phix()[500..560], &qualities(60));
    let of_name = |name: &str, flag| line(name, flag, letters, values, "");
    let bad = |text: &str, parts: &[&str]| {
        folder.write("bad.sam", text);
        let all = ["bad.sam", "ref.fa", "-o", "out.bam", "--device", "cpu"];
        folder.refused(&all, &[&["bad.sam: record "], parts].concat());
    };
    let apart = of_name("a", 77) + &of_name("b", 77) + &of_name("a", 141) + &of_name("b", 141);
    let way_out = ["1: the mate of the read 'a' does not follow it", "samtools collate"];
    for order in ["", "@HD\tVN:1.6\tSO:coordinate\n", "@CO\tx\n"] {
        bad(&format!("{order}@SQ\tSN:x\tLN:9\n{apart}"), &way_out);
    }
    // Where reads of one name are together, a read may have lost its mate.
    folder.write("lost.sam", HEADER.to_owned() + &of_name("a", 77) + &of_name("b", 141));
    let flags = sam::records(&best(&folder, &["lost.sam", "ref.fa"]));
    assert_eq!(flags.iter().map(|record| record.flag).collect::<Vec<_>>(), [0, 0]);
    bad(&(HEADER.to_owned() + &of_name("a", 77) + &of_name("a", 77)), &["2: ", "the one before"]);
    let odd = line("a", 4, b"AC=T", b"IIII", "");
    bad(&(HEADER.to_owned() + &of_name("b", 4) + &odd), &["2: '=' at base 3"]);
}

#[test]
fn no_records_give_a_header() {
    let folder = Folder::new();
    folder.write("r.sam", format!("{HEADER}@RG\tID:x\n"));
    convert(&folder, "r");
    for file in ["r.sam", "r.bam", "r.cram"] {
        for mode in ["best", "all"] {
            let text = folder.map(&["--mode", mode, file, "ref.fa"]);
            assert!(sorted_lines(&text).is_empty());
            assert!(String::from_utf8_lossy(&text).contains("@RG\tID:x\n"));
        }
    }
}
