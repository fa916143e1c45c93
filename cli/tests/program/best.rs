//! Everyday mapping: pairs, clipped and split reads, alternatives.

use std::collections::BTreeMap;

use bio::alphabets::dna::revcomp;

use crate::sam::{self, Record};
use crate::support::{Folder, data, phix};

/// A piece of a sequence, on the other strand if asked for.
fn piece(sequence: &[u8], start: usize, length: usize, is_reverse: bool) -> Vec<u8> {
    let piece = &sequence[start..start + length];
    if is_reverse { revcomp(piece) } else { piece.to_vec() }
}

fn fastq(name: &str, letters: &[u8]) -> String {
    let letters = String::from_utf8_lossy(letters);
    format!("@{name}\n{letters}\n+\n{}\n", "F".repeat(letters.len()))
}

/// Pairs of phiX, a difference in each read; of some the second is foreign, and some are on each other's
/// side.
fn pairs(count: usize) -> [String; 2] {
    let genome = phix();
    let mut texts = [String::new(), String::new()];
    for number in 0..count {
        let (start, insert) = (number * 97 % 4900, 250 + number * 37 % 150);
        let mut reads =
            [piece(&genome, start, 100, false), piece(&genome, start + insert - 100, 100, true)];
        for (read, place) in reads.iter_mut().zip([number % 100, number * 7 % 100]) {
            read[place] = if read[place] == b'A' { b'C' } else { b'A' };
        }
        if number % 25 == 24 {
            reads[1] = b"ACGTTGCATCGATCGTAGCTAGCATCGATCAGCTAGCATCGACTAGCATC".to_vec();
        }
        if number % 2 == 1 {
            reads.swap(0, 1);
        }
        for (text, read) in texts.iter_mut().zip(&reads) {
            *text += &fastq(&format!("p{number}"), read);
        }
    }
    texts
}

fn everyday(folder: &Folder, arguments: &[&str]) -> Vec<Record> {
    sam::records(&folder.map(&[&["--mode", "best"], arguments].concat()))
}

/// The fields of a line, with those that say something of the mate.
fn fields(text: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter(|line| !line.starts_with('@'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn both_reads_of_a_pair_tell_of_each_other() {
    let folder = Folder::new();
    let [one, two] = pairs(300);
    folder.write("1.fq", &one).write("2.fq", &two);
    let text = folder.map(&["--mode", "best", "1.fq", "2.fq", "ref.fa"]);
    let lines = fields(&text);
    assert_eq!(lines.len(), 600);
    let genome = phix();
    let mut proper = 0;
    for (line, mate) in
        lines.chunks(2).flat_map(|pair| [(&pair[0], &pair[1]), (&pair[1], &pair[0])])
    {
        let flag = |line: &[String]| line[1].parse::<u16>().expect("a flag");
        let (own, other) = (flag(line), flag(mate));
        assert_eq!(line[0], mate[0]);
        assert_eq!(own & 1, 1);
        assert_eq!(own >> 6 & 3 | other >> 6 & 3, 3, "one is first, the other last");
        assert_eq!(own & 2, other & 2);
        assert_eq!((own >> 3 & 1, own >> 5 & 1), (other >> 2 & 1, other >> 4 & 1), "{line:?}");
        assert_eq!(line[7], mate[3], "the mate's position: {line:?}");
        assert_eq!(line[6], "=");
        let number = |field: &str| field.parse::<i32>().expect("a number");
        assert_eq!(number(&line[8]), -number(&mate[8]));
        let tag = |line: &[String], tag: &str| {
            line[11..].iter().find_map(|it| it.strip_prefix(tag).map(str::to_owned))
        };
        if other & 4 == 0 {
            assert_eq!(tag(line, "MC:Z:").as_ref(), Some(&mate[5]));
            assert_eq!(tag(line, "MQ:i:").as_ref(), Some(&mate[4]));
        } else {
            assert_eq!((tag(line, "MC:Z:"), number(&line[8])), (None, 0));
        }
        proper += usize::from(own & 2 != 0);
        if own & 2 != 0 {
            let place: usize = line[0][1..].parse().expect("a number");
            let span = 250 + place * 37 % 150;
            assert_eq!(line[8].trim_start_matches('-'), span.to_string(), "{line:?}");
            assert_eq!(line[8].starts_with('-'), own & 16 != 0, "{line:?}");
        }
    }
    assert_eq!(proper, 2 * (300 - 12));
    for record in sam::records(&text).iter().filter(|record| record.is_aligned()) {
        sam::check_alignment(record, record.sequence.as_bytes(), &genome);
    }
}

#[test]
fn pairs_may_be_in_one_file_and_reads_may_be_single() {
    let folder = Folder::new();
    let [one, two] = pairs(60);
    let lines = |text: &str| -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        lines.chunks(4).map(|record| record.join("\n") + "\n").collect()
    };
    let both: String =
        lines(&one).iter().zip(&lines(&two)).map(|(one, two)| one.clone() + two).collect();
    folder.write("1.fq", &one).write("2.fq", &two).write("both.fq", both);
    let paired = everyday(&folder, &["1.fq", "2.fq", "ref.fa"]);
    assert_eq!(paired, everyday(&folder, &["--interleaved", "both.fq", "ref.fa"]));
    let twice = everyday(&folder, &["1.fq", "2.fq", "1.fq", "2.fq", "ref.fa"]);
    assert_eq!(twice.len(), 2 * paired.len());
    let single = everyday(&folder, &["--single", "1.fq", "2.fq", "ref.fa"]);
    assert!(single.iter().all(|record| record.flag & 1 == 0));
    assert_eq!(single[..60], everyday(&folder, &["1.fq", "ref.fa"]));
}

#[test]
fn very_short_reads_have_a_preset() {
    let folder = Folder::new();
    let genome = phix();
    // Two differences, no 19 bases without one.
    let reads = (0..200).map(|number| {
        let mut read = piece(&genome, number * 23, 36, number % 2 == 1);
        for place in [17, 18] {
            read[place] = if read[place] == b'A' { b'C' } else { b'A' };
        }
        fastq(&format!("s{}", number * 23), &read)
    });
    folder.write("short.fq", reads.collect::<String>());
    let mapped = |arguments: &[&str]| -> Vec<Record> {
        let records = everyday(&folder, arguments).into_iter();
        records.filter(Record::is_aligned).collect()
    };
    assert_eq!(mapped(&["short.fq", "ref.fa"]), []);
    assert_eq!(mapped(&["--preset", "standard", "short.fq", "ref.fa"]), []);
    let found = mapped(&["--preset", "short", "short.fq", "ref.fa"]);
    assert!(found.len() > 190, "{} mapped", found.len());
    for record in &found {
        assert_eq!(format!("s{}", record.position - 1), record.name, "{record:?}");
        sam::check_alignment(record, record.sequence.as_bytes(), &genome);
    }
}

#[test]
fn options_of_the_other_mode_and_odd_files_are_refused() {
    let folder = Folder::new();
    folder.write("1.fq", &pairs(1)[0]);
    let all = ["--mode", "all"];
    for (options, said) in [
        (&["-k", "3", "1.fq", "ref.fa"][..], "-k is an option of --mode all"),
        (&["--report", "all", "1.fq", "ref.fa"], "must end in .html"),
        (&["--primary-only", "1.fq", "ref.fa"], "--primary-only is an option of --mode all"),
        (&["--all-starts", "1.fq", "ref.fa"], "--all-starts is an option of --mode all"),
        (&["--strategy", "trie", "1.fq", "ref.fa"], "--strategy is an option of --mode all"),
        (&["1.fq", "1.fq", "1.fq", "ref.fa"], "3 files of reads cannot be paired"),
        (
            &[&all[..], &["--alternatives", "tag", "1.fq", "ref.fa"]].concat(),
            "--alternatives is an option of --mode best",
        ),
        (
            &[&all[..], &["--preset", "short", "1.fq", "ref.fa"]].concat(),
            "--preset is an option of --mode best",
        ),
        (
            &[&all[..], &["--primary-only", "--all-starts", "1.fq", "ref.fa"]].concat(),
            "cannot be used with",
        ),
        (
            &["--report", "a.html", "--report", "b.html", "1.fq", "ref.fa"],
            "cannot be used multiple times",
        ),
    ] {
        let output = folder.run(options);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {error}");
        assert!(error.contains(said), "{options:?}: {error}");
    }
}

#[test]
fn output_does_not_depend_on_threads_or_batches() {
    let folder = Folder::new();
    let [one, two] = pairs(400);
    folder.write("1.fq", &one).write("2.fq", &two);
    for reads in [&["1.fq", "2.fq"][..], &["1.fq"]] {
        let map = |options: &[&str]| {
            let all = [&["--mode", "best"], reads, &["ref.fa"], options].concat();
            fields(&folder.map(&all))
        };
        let expected = map(&["-t", "1"]);
        for threads in ["1", "2", "5"] {
            for size in ["1", "7", "256", "100000"] {
                let found = map(&["-t", threads, "--batch-size", size]);
                assert!(found == expected, "{reads:?}, {threads} threads, batches of {size}");
            }
        }
    }
}

#[test]
fn a_split_read_has_a_supplementary_record() {
    let folder = Folder::new();
    let genome = phix();
    let read = [piece(&genome, 1000, 90, false), piece(&genome, 4000, 60, true)].concat();
    folder.write("1.fq", fastq("split", &read));
    let records = everyday(&folder, &["1.fq", "ref.fa"]);
    let summary: Vec<_> = records
        .iter()
        .map(|record| (record.flag, record.position, record.cigar.as_str(), record.sequence.len()))
        .collect();
    assert_eq!(summary, [(0, 1001, "92M58S", 150), (0x810, 4001, "60M90H", 60)]);
    let name = &records[0].contig;
    assert_eq!(records[0].tags["SA"], format!("{name},4001,-,60M90S,{},0;", records[1].mapq));
    assert_eq!(records[1].tags["SA"], format!("{name},1001,+,92M58S,{},0;", records[0].mapq));
    assert!(records.iter().all(|record| record.mapq > 20));
    for record in &records {
        sam::check_alignment(record, record.sequence.as_bytes(), &genome);
    }
}

#[test]
fn alternatives_are_reported_on_request() {
    let folder = Folder::new();
    let genome = phix();
    let mut copy = genome[2000..2400].to_vec();
    copy[210] = if copy[210] == b'A' { b'G' } else { b'A' };
    let text = |letters: &[u8]| String::from_utf8_lossy(letters).into_owned();
    folder.write("two.fa", format!(">a\n{}\n>b\n{}\n", text(&genome), text(&copy)));
    folder.write("1.fq", fastq("r", &piece(&genome, 2150, 100, true)));
    let map = |options: &[&str]| everyday(&folder, &[&["1.fq", "two.fa"], options].concat());
    let [none] = map(&[]).try_into().expect("one record");
    assert_eq!((none.contig.as_str(), none.position, none.flag), ("a", 2151, 16));
    assert_eq!(none.tags["XS"], "95");
    assert!(!none.tags.contains_key("XA"));
    let [tag] = map(&["--alternatives", "tag"]).try_into().expect("one record");
    assert_eq!(tag.tags["XA"], "b,-151,100M,1;");
    let records = map(&["--alternatives", "records"]);
    assert_eq!(records[0], none);
    assert_eq!((records[1].flag, records[1].contig.as_str(), records[1].position), (272, "b", 151));
    assert_eq!((records.len(), records[1].sequence.as_str()), (2, "*"));
}

#[test]
fn ambiguous_letters_of_the_reference_match_nothing() {
    let folder = Folder::new();
    let mut genome = phix();
    genome[1050] = b'R';
    genome[3000..3300].fill(b'N');
    let text = String::from_utf8_lossy(&genome).into_owned();
    folder.write("n.fa", format!(">n\n{text}\n"));
    let whole = phix();
    let reads = [("r", piece(&whole, 1000, 100, false)), ("n", piece(&whole, 2950, 100, true))];
    folder.write("1.fq", reads.map(|(name, read)| fastq(name, &read)).concat());
    let records = everyday(&folder, &["1.fq", "n.fa"]);
    let by_name: BTreeMap<&str, &Record> =
        records.iter().map(|record| (record.name.as_str(), record)).collect();
    assert_eq!((by_name["r"].position, by_name["r"].tags["MD"].as_str()), (1001, "50R49"));
    assert_eq!(by_name["n"].position, 2951);
    assert!(by_name["n"].cigar.ends_with('S'), "{}", by_name["n"].cigar);
    for record in &records {
        sam::check_alignment(record, record.sequence.as_bytes(), &genome);
    }
}

#[test]
fn empty_and_odd_reads_are_unaligned() {
    let folder = Folder::new();
    folder
        .write("1.fq", "@a\n\n+\n\n@b\nACG\n+\nIII\n@c\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n+\n");
    folder.write("1.fa", ">a\n\n>b\nACG\n>c\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n");
    let records = everyday(&folder, &["1.fa", "ref.fa"]);
    assert!(records.iter().all(|record| record.flag == 4 && !record.is_aligned()));
    assert_eq!(records.len(), 3);
    let lines = fields(&folder.map(&["--mode", "best", "1.fa", "1.fa", "ref.fa"]));
    assert!(
        lines
            .iter()
            .all(|line| line[6] == "*" && line[1].parse::<u16>().is_ok_and(|f| f & 0xc == 0xc))
    );
    folder.write("p_1.fq", data("phix_1.fq")).write("p_2.fq", data("phix_2.fq"));
    let real = everyday(&folder, &["p_1.fq", "p_2.fq", "ref.fa"]);
    assert_eq!(real.iter().filter(|record| record.is_primary()).count(), 90);
}
