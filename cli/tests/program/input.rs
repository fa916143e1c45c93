//! Every way to give reads.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::sam;
use crate::support::{Folder, bgzf, bzip2, data, gzip, phix, zstd};

fn from_stdin(folder: &Folder, content: &[u8]) -> Output {
    let mut command =
        folder.command(&["--device", "cpu", "--mode", "all", "--primary-only", "-", "ref.fa"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("is piped");
    let content = content.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&content));
    let output = child.wait_with_output().expect("ends");
    feeder.join().expect("feeds").expect("feeds");
    output
}

#[test]
fn compression_does_not_matter() {
    let folder = Folder::new();
    let text = data("phix_1.fq");
    folder.write("reads.fq", &text);
    let expected = folder.records(&["reads.fq", "ref.fa"]);
    assert_eq!(expected.len(), 45);

    // Several members, streams or frames in one file.
    let (left, right) = text.split_at(text.len() / 3);
    let inputs = [
        ("gzip", gzip(&text)),
        ("gzip members", [gzip(left), gzip(right)].concat()),
        ("BGZF", bgzf(&folder, &text)),
        ("bzip2", bzip2(&text)),
        ("bzip2 streams", [bzip2(left), bzip2(right)].concat()),
        ("zstd", zstd(&text)),
        ("zstd frames", [zstd(left), zstd(right)].concat()),
        ("plain", text),
    ];
    for (name, content) in inputs {
        // Told from the content, not from the name.
        folder.write("some.file", &content);
        assert_eq!(folder.records(&["some.file", "ref.fa"]), expected, "{name}");
        let output = from_stdin(&folder, &content);
        assert!(output.status.success() && output.stderr.is_empty(), "{name}");
        assert_eq!(sam::records(&output.stdout), expected, "{name}");
    }
}

#[test]
fn blocks_of_bgzf_are_read_by_several_threads() {
    let folder = Folder::new();
    let text = data("phix_1.fq").repeat(100);
    folder.write("reads.fq", &text);
    let records = |file| folder.records(&["-t", "16", "--single", file, file, "ref.fa"]);
    let expected = records("reads.fq");
    assert_eq!(expected.len(), 9000);
    let (left, right) = text.split_at(text.len() / 3);
    let [left_blocks, right_blocks] = [left, right].map(|part| bgzf(&folder, part));
    for (name, content) in [
        ("blocks", bgzf(&folder, &text)),
        ("blocks with an empty one among them", [&left_blocks[..], &right_blocks].concat()),
        ("blocks and a member", [left_blocks, gzip(right)].concat()),
        ("a member and blocks", [gzip(left), right_blocks].concat()),
    ] {
        folder.write("reads.gz", &content);
        assert_eq!(records("reads.gz"), expected, "{name}");
    }
    // One thread decompresses each file of pairs with 16 threads, and two with 24.
    let [one, two] = ["phix_1.fq", "phix_2.fq"].map(|name| data(name).repeat(40));
    folder.write("1.gz", bgzf(&folder, &one)).write("2.gz", bgzf(&folder, &two));
    folder.write("1.fq", one).write("2.fq", two);
    let expected = folder.records(&["1.fq", "2.fq", "ref.fa"]);
    for threads in ["16", "24"] {
        let found = folder.records(&["-t", threads, "1.gz", "2.gz", "ref.fa"]);
        assert_eq!(found, expected, "{threads}");
    }
}

#[test]
fn fasta_has_no_qualities() {
    let folder = Folder::new();
    let genome = String::from_utf8(phix()).expect("is text");
    let (one, two) = (&genome[100..160], &genome[1000..1090]);
    let wrapped = format!(">one x\n{}\n{}\n>two\r\n{two}\r\n", &one[..25], &one[25..]);
    folder.write("reads.fa", wrapped.to_lowercase());
    let records = folder.records(&["reads.fa", "ref.fa"]);
    assert_eq!(records.len(), 2);
    for (record, (name, sequence, position)) in
        records.iter().zip([("one", one, 101), ("two", two, 1001)])
    {
        assert_eq!((record.name.as_str(), record.flag), (name, 0));
        assert_eq!((record.sequence.as_str(), record.quality.as_str()), (sequence, "*"));
        assert_eq!(record.position, position);
    }
}

#[test]
fn several_files_are_read_in_order() {
    let folder = Folder::new();
    folder.write("1.fq", data("phix_1.fq")).write("2.fq.gz", gzip(&data("phix_2.fq")));
    folder.write("3.fa", ">last\nACGT\n");
    let all = folder.records(&["--single", "1.fq", "2.fq.gz", "3.fa", "ref.fa"]);
    let parts = ["1.fq", "2.fq.gz", "3.fa"].map(|file| folder.records(&[file, "ref.fa"]));
    assert_eq!(all, parts.concat());
    assert_eq!(all.last().map(|record| record.name.as_str()), Some("last"));
}

#[test]
fn empty_reads_are_unaligned() {
    let folder = Folder::new();
    folder.write("real.fq", data("phix_1.fq"));
    let real = folder.records(&["real.fq", "ref.fa"]);
    assert_eq!(real.iter().filter(|record| record.sequence == "*").count(), 1);

    let long = String::from_utf8(phix()[7..77].to_vec()).expect("is text");
    for text in [
        format!("@a\n\n+\n\n@b\n{long}\n+\n{long}\n@c\n\n+\n\n"),
        format!("@a\n\n+a\n\n@b\n{long}\n+b\n{long}\n@c\n\n+c\n"),
        format!("@a\r\n\r\n+\r\n\r\n@b\r\n{long}\r\n+\r\n{long}\r\n@c\r\n\r\n+\r\n\r\n"),
        format!(">a\n>b\n{long}\n>c\n"),
        format!(">a\n\n>b\n{long}\n>c"),
        format!(">a\r\n>b\r\n{long}\r\n>c\r\n\r\n"),
    ] {
        folder.write("reads", &text);
        let records = folder.records(&["reads", "ref.fa"]);
        let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"], "{text:?}");
        assert_eq!((records[1].flag, records[1].position), (0, 8), "{text:?}");
        for record in [&records[0], &records[2]] {
            assert_eq!(record.flag, 4, "{text:?}");
            assert_eq!((record.sequence.as_str(), record.quality.as_str()), ("*", "*"), "{text:?}");
            assert!(record.tags.is_empty(), "{text:?}");
        }
    }
}

#[test]
fn blank_lines_at_the_end_are_no_record() {
    let folder = Folder::new();
    for (end, count) in
        [("\n", 0), ("\n", 1), ("\n", 2), ("\n", 3), ("\n", 4), ("\n", 70_000), ("\r\n", 3)]
    {
        let text = format!("@a{end}ACGT{end}+{end}IIII{end}@b{end}AC{end}+{end}II{end}");
        folder.write("reads.fq", text + &end.repeat(count));
        let names: Vec<String> =
            folder.records(&["reads.fq", "ref.fa"]).into_iter().map(|record| record.name).collect();
        assert_eq!(names, ["a", "b"], "{count}");
    }
}

#[test]
fn letters_are_taken_as_documented() {
    let folder = Folder::new();
    folder.write("reads.fq", "@r1/1 x\tz\nacguUn.RYSWKMBDHVry\n+\n!~!~!~!~!~!~!~!~!~!\n\n\n");
    let records = folder.records(&["reads.fq", "ref.fa"]);
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].name.as_str(), records[0].flag), ("r1/1", 4));
    assert_eq!(records[0].sequence, "ACGTTNNRYSWKMBDHVRY");
    assert_eq!(records[0].quality, "!~!~!~!~!~!~!~!~!~!");
}

#[test]
fn standard_streams_may_be_named_as_files() {
    let folder = Folder::new();
    let text = data("phix_1.fq");
    folder.write("reads.fq", &text);
    for mode in ["best", "all"] {
        let expected = folder.records(&["--mode", mode, "reads.fq", "ref.fa"]);
        for words in [
            ["--mode", mode, "/dev/stdin", "-o", "/dev/stdout", "-O", "sam", "ref.fa"],
            ["/dev/stdin", "-O", "sam", "-o", "/dev/stdout", "ref.fa", "--mode", mode],
            ["-o", "/dev/stdout", "/dev/stdin", "ref.fa", "-O", "sam", "--mode", mode],
        ] {
            let arguments = [&words[..], &["--device", "cpu"]].concat();
            let mut command = folder.command(&arguments);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("runs");
            child.stdin.take().expect("is piped").write_all(&text).expect("feeds");
            let output = child.wait_with_output().expect("ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{words:?}: {said}");
            assert_eq!(sam::records(&output.stdout), expected, "{words:?}");
        }
    }
}
