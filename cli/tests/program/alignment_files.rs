//! `gpualign evaluate` with files of alignments that are cut short, damaged or of another kind.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Folder, bzip2, error_line, gzip, reads};

/// A folder with `out.bam`, `out.cram` and `out.sam`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("reads.fq", simulated(&folder));
    for file in ["out.bam", "out.cram", "out.sam"] {
        folder.map(&["reads.fq", "ref.fa", "-o", file]);
    }
    folder
}

/// Reads with the names that `evaluate` understands.
fn simulated(folder: &Folder) -> Vec<u8> {
    let made = folder.run(&["simulate", "reads", "ref.fa", "-n", "2000", "-l", "90", "-o", "r.fq"]);
    assert!(made.status.success());
    folder.read("r.fq")
}

/// Starts of the blocks of a BGZF file, and its end.
fn blocks(file: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    while let Some(&start) = starts.last()
        && start < file.len()
    {
        let size = u16::from_le_bytes([file[start + 16], file[start + 17]]);
        starts.push(start + usize::from(size) + 1);
    }
    starts
}

#[test]
fn whole_files_are_read() {
    let folder = folder();
    let arguments = |file| ["evaluate", file, "--truth", "ours"];
    let expected = folder.run(&arguments("out.sam")).stdout;
    assert!(expected.starts_with(b"#reads\t2000\t"));
    let text = folder.read("out.sam");
    folder.write("out.sam.gz", gzip(&text));
    for file in ["out.bam", "out.cram", "out.sam.gz"] {
        let output = folder.run(&arguments(file));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{file}");
        assert!(output.stdout == expected, "{file}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    let folder = folder();
    let bam = folder.read("out.bam");
    let blocks = blocks(&bam);
    assert!(blocks.len() > 4 && blocks.last() == Some(&bam.len()), "{blocks:?}");
    let between = |two: &[usize]| two[0].midpoint(two[1]);
    let inside: Vec<usize> = blocks.windows(2).map(between).collect();
    for &length in blocks[..blocks.len() - 1].iter().chain(&inside) {
        folder.write("cut.bam", &bam[..length]);
        folder.refused(&["evaluate", "cut.bam", "--truth", "ours"], &["cut.bam: "]);
    }
    // Through a pipe, where the end cannot be looked at first.
    let last = blocks[blocks.len() - 2];
    let arguments = ["evaluate", "-", "--truth", "ours"];
    for (content, is_whole) in [(&bam[..], true), (&bam[..last], false)] {
        let mut command = folder.command(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        child.stdin.take().expect("is piped").write_all(content).expect("writes");
        let output = child.wait_with_output().expect("ends");
        if is_whole {
            assert!(output.status.success());
        } else {
            let said = error_line(&output, &arguments);
            assert!(said.contains("record 2000") && said.contains("cut short"), "{said}");
        }
    }
    let cram = folder.read("out.cram");
    // The mark of the end is a container of 38 bytes.
    for length in (1..10).map(|tenth| cram.len() * tenth / 10).chain([cram.len() - 38]) {
        folder.write("cut.cram", &cram[..length]);
        folder.refused(&["evaluate", "cut.cram", "--truth", "ours"], &["cut.cram: "]);
    }
    let zipped = gzip(&folder.read("out.sam"));
    folder.write("cut.sam.gz", &zipped[..zipped.len() / 2]);
    folder.refused(&["evaluate", "cut.sam.gz", "--truth", "ours"], &["cut.sam.gz: "]);
}

/// Changed bytes are inside compressed blocks, so they are stored again with right checksums.
#[test]
fn no_change_of_a_record_is_fatal() {
    let folder = folder();
    let bam = folder.read("out.bam");
    let mut content = Vec::new();
    let mut decoder = flate2::read::MultiGzDecoder::new(&bam[..]);
    std::io::Read::read_to_end(&mut decoder, &mut content).expect("decompresses");
    let (mut state, mut refused) = (5_u64, 0);
    for seed in 0..80 {
        let mut changed = content.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The first records, whose fields are then likely to be hit.
            let place = (state >> 33) as usize % 4_000.min(changed.len());
            changed[place] = (state >> 24) as u8;
        }
        folder.write("changed.bam", gzip(&changed));
        let output = folder.run(&["evaluate", "changed.bam", "--truth", "ours"]);
        let said = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "seed {seed}: {code:?} {said}");
        assert!(said.lines().count() <= 1, "seed {seed}: {said}");
        refused += usize::from(code == Some(1));
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn files_of_another_kind_are_refused() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3)).write("nothing", "").write("text.sam", "no alignments\n");
    folder.map(&["reads.fq", "ref.fa", "-o", "out.sam"]);
    folder.write("out.sam.bz2", bzip2(&folder.read("out.sam")));
    for file in ["reads.fq", "nothing", "out.sam.bz2"] {
        folder.refused(&["evaluate", file], &[file, "neither SAM, BAM nor CRAM"]);
    }
    folder.refused(&["evaluate", "text.sam"], &["text.sam: "]);
    folder.refused(&["evaluate", "."], &["is a directory"]);
}
