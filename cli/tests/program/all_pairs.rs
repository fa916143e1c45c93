//! Pairs in mode all: mates are mapped each by itself, and their records tell of each other.

use std::collections::HashSet;

use bio::alphabets::dna::revcomp;

use crate::sam::{self, Record, lines};
use crate::support::{Folder, phix};

const SEED: u64 = 61;

fn letters(random: &mut fastrand::Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| *random.choice(b"ACGT").expect("one")).collect()
}

/// FASTQ of reads with these names.
fn fastq(reads: &[(String, Vec<u8>)]) -> String {
    let record = |(name, letters): &(String, Vec<u8>)| {
        let quality = "F".repeat(letters.len());
        format!("@{name}\n{}\n+\n{quality}\n", String::from_utf8_lossy(letters))
    };
    reads.iter().map(record).collect()
}

/// A folder with pairs in `1.fq` and `2.fq`, which are one after the other in `both.fq`, and a reference `two.fa` of two
/// contigs that share 1,000 bases. Mates lie on both strands, some on different contigs, and some reads lie nowhere.
fn folder() -> Folder {
    let mut random = fastrand::Rng::with_seed(SEED);
    let (genome, other) = (phix(), letters(&mut random, 3000));
    let contigs = [genome.clone(), [&other[..], &genome[2000..3000]].concat()];
    let [one, two] = contigs.each_ref().map(|contig| String::from_utf8_lossy(contig));
    let folder = Folder::new();
    folder.write("two.fa", format!(">one\n{one}\n>two\n{two}\n"));
    let mut mates = [Vec::new(), Vec::new()];
    for number in 0..120 {
        for (mate, end) in mates.iter_mut().zip(["/1", "/2 x"]) {
            let contig = random.choice(&contigs).expect("one");
            let start = random.usize(0..contig.len() - 60);
            let mut read = match random.u8(0..5) {
                0 => letters(&mut random, 60),
                1 | 2 => revcomp(&contig[start..start + 60]),
                _ => contig[start..start + 60].to_vec(),
            };
            if random.bool() {
                read.remove(30);
            }
            mate.push((format!("r{number}{end}"), read));
        }
    }
    let [one, two] = &mates;
    let both: Vec<_> = one.iter().zip(two).flat_map(|(one, two)| [one, two]).cloned().collect();
    folder.write("1.fq", fastq(one)).write("2.fq", fastq(two)).write("both.fq", fastq(&both));
    folder
}

fn all(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    folder.map(&[&["--mode", "all"], arguments, &["two.fa"]].concat())
}

/// Checks what a record says about its mate, and about the pair, by the primary records of both.
fn check_mate(record: &Record, own: &Record, mate: &Record) {
    let flags = record.flag & (0x8 | 0x20);
    let expected = if mate.is_aligned() { (mate.flag & 0x10) << 1 } else { 0x8 };
    assert_eq!(flags, expected, "{record:?} of {mate:?}");
    assert_eq!(record.flag & 0x3, 0x1, "{record:?}");
    let at = match (mate.is_aligned(), own.is_aligned()) {
        (false, false) => ("*", 0),
        // A mate that is not aligned is where its mate is.
        (false, true) => (own.contig.as_str(), own.position),
        (true, _) => (mate.contig.as_str(), mate.position),
    };
    let contig = if record.mate_contig == "=" { &record.contig } else { &record.mate_contig };
    assert_eq!((contig.as_str(), record.mate_position), at, "{record:?} of {mate:?}");
    if !record.is_aligned() {
        assert_eq!((record.contig.as_str(), record.position), at, "{record:?} of {mate:?}");
    }
    let tags = ["MC", "MQ"].map(|tag| record.tags.get(tag).cloned());
    let expected = mate.is_aligned().then(|| [mate.cigar.clone(), mate.mapq.to_string()]);
    assert_eq!(tags, expected.map_or([None, None], |tags| tags.map(Some)), "{record:?}");
    // From 5' end to 5' end.
    let five_prime = |record: &Record| {
        let covered: usize = record
            .operations()
            .iter()
            .filter(|(operation, _)| "M=XD".contains(*operation))
            .map(|(_, count)| count)
            .sum();
        record.position as i64 + if record.is_reverse() { covered as i64 - 1 } else { 0 }
    };
    let have_span = record.is_primary()
        && record.is_aligned()
        && mate.is_aligned()
        && record.contig == mate.contig;
    let ahead = five_prime(mate) - five_prime(record);
    let span = if have_span { ahead + ahead.signum() } else { 0 };
    assert_eq!(record.span, span, "{record:?} of {mate:?}");
}

#[test]
fn mates_are_mapped_by_themselves_and_tell_of_each_other() {
    let folder = folder();
    for options in [&["-k", "3"][..], &["-k", "1", "--primary-only", "--eqx"]] {
        let paired = all(&folder, &[options, &["1.fq", "2.fq"]].concat());
        let records = sam::records(&paired);
        let mut rest = records.as_slice();
        let mut found = [Vec::new(), Vec::new()];
        let mut kinds = HashSet::new();
        for number in 0..120 {
            let name = format!("r{number}");
            let mut take = |flag: u16| {
                let of_read = |record: &&Record| record.name == name && record.flag & 0xc0 == flag;
                let (read, others) = rest.split_at(rest.iter().take_while(of_read).count());
                rest = others;
                assert!(read[0].is_primary() && read[1..].iter().all(|it| it.flag & 0x100 != 0));
                read
            };
            let [one, two] = [0x40, 0x80].map(&mut take);
            for (own, mate) in [(one, two), (two, one)] {
                for record in own {
                    check_mate(record, &own[0], &mate[0]);
                }
            }
            kinds.insert((one[0].is_aligned(), two[0].is_aligned()));
            kinds.insert((one[0].is_reverse(), two[0].is_reverse()));
            found[0].extend_from_slice(one);
            found[1].extend_from_slice(two);
        }
        assert!(rest.is_empty() && kinds.len() == 4, "seed {SEED}: {kinds:?}");

        // Mates are at the loci that they have as single reads.
        for (file, found) in ["1.fq", "2.fq"].iter().zip(found) {
            let text = folder.read(file);
            // The primary locus depends on the name.
            let text = String::from_utf8_lossy(&text).replace("/1", "").replace("/2 x", "");
            folder.write("single.fq", text);
            let single = all(&folder, &[options, &["single.fq"]].concat());
            let outline = |record: &Record| {
                let at = record.is_aligned().then(|| (record.contig.clone(), record.position));
                let tags = ["NH", "HI", "MD"].map(|tag| record.tags.get(tag).cloned());
                (at, record.cigar.clone(), record.flag & 0x114, record.mapq, tags)
            };
            let single: Vec<_> = sam::records(&single).iter().map(outline).collect();
            assert_eq!(found.iter().map(outline).collect::<Vec<_>>(), single);
        }

        let paired = lines(&paired);
        let is_mapped = |line: &&String| Record::parse(line).flag & 0xc != 0xc;
        let mapped: Vec<String> = paired.iter().filter(is_mapped).cloned().collect();
        let kept = all(&folder, &[options, &["--no-unmapped", "1.fq", "2.fq"]].concat());
        assert!(mapped.len() < paired.len() && lines(&kept) == mapped);
        let interleaved = [options, &["--interleaved", "both.fq"]].concat();
        assert_eq!(lines(&all(&folder, &interleaved)), paired);
        for size in ["1", "7"] {
            let batches = [options, &["--batch-size", size, "1.fq", "2.fq"]].concat();
            assert_eq!(lines(&all(&folder, &batches)), paired, "batches of {size}");
        }
        folder.write("lanes.tsv", "1.fq\t2.fq\t@RG\\tID:a\n2.fq\t*\t@RG\\tID:b\n");
        let lanes = lines(&all(&folder, &[options, &["--lanes", "lanes.tsv"]].concat()));
        let of_pairs = lanes[..paired.len()].iter().map(|line| line.replace("\tRG:Z:a", ""));
        assert_eq!(of_pairs.collect::<Vec<_>>(), paired);
        assert!(lanes[paired.len()..].iter().all(|line| Record::parse(line).flag & 1 == 0));

        let _ = all(&folder, &[options, &["1.fq", "2.fq", "--sort", "-o", "out.sam"]].concat());
        let mut sorted = lines(&folder.read("out.sam"));
        let places: Vec<(String, usize)> = sam::records(&folder.read("out.sam"))
            .into_iter()
            .map(|record| (record.contig.replace('*', "~"), record.position))
            .collect();
        assert!(places.is_sorted());
        let mut expected = paired;
        sorted.sort();
        expected.sort();
        assert_eq!(sorted, expected);
    }
}

#[test]
fn records_of_large_pairs_are_made_in_parts() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(SEED);
    let unique = letters(&mut random, 500);
    let text = String::from_utf8_lossy(&unique).into_owned();
    // At 20,000 starts, the records of a read take more than 4 MiB.
    folder.write("two.fa", format!(">a\n{}\n>b\n{text}\n", "A".repeat(20_000)));
    let reads = |end: &str, letters: [&[u8]; 3]| {
        let named = letters.iter().enumerate();
        fastq(
            &named.map(|(n, letters)| (format!("r{n}{end}"), letters.to_vec())).collect::<Vec<_>>(),
        )
    };
    let (many, none) = (vec![b'A'; 50], letters(&mut random, 50));
    folder.write("1.fq", reads("/1", [&many, &unique[100..150], &unique[..50]]));
    folder.write("2.fq", reads("/2", [&none, &many, &revcomp(&unique[200..250])]));
    let text = all(&folder, &["-k", "0", "--all-starts", "1.fq", "2.fq"]);
    let records = sam::records(&text);
    let each = 20_000 - 50 + 1;
    let counts = [each, 1, 1, each, 1, 1];
    assert_eq!(records.len(), counts.iter().sum::<usize>());
    let mut rest = records.as_slice();
    let reads = counts.map(|count| rest.split_off(..count).expect("is long enough"));
    for (number, pair) in reads.chunks(2).enumerate() {
        for (own, mate, flag) in [(pair[0], pair[1], 0x40), (pair[1], pair[0], 0x80)] {
            assert!(own[0].is_primary());
            for (record, hit) in own.iter().zip(1..) {
                assert_eq!(
                    (record.name.as_str(), record.flag & 0xc0),
                    (&*format!("r{number}"), flag)
                );
                check_mate(record, &own[0], &mate[0]);
                assert!(!record.is_aligned() || record.number("HI") == hit);
            }
        }
    }
    let few = all(&folder, &["-k", "0", "--all-starts", "--batch-size", "2", "1.fq", "2.fq"]);
    assert!(lines(&few) == lines(&text));
}

#[test]
fn what_is_no_pair_is_refused() {
    let folder = folder();
    let reads = |names: [&str; 2]| fastq(&names.map(|name| (name.to_owned(), b"ACGT".to_vec())));
    folder.write("a.fq", reads(["x/1", "y/1"])).write("b.fq", reads(["x/2", "z/2"]));
    let refused = |arguments: &[&str], parts: &[&str]| {
        let options = ["--device", "cpu", "--mode", "all", "-o", "out.sam"];
        folder.refused(&[&options[..], arguments].concat(), parts);
    };
    let names = ["b.fq: record 2 (line 5): ", "the name 'z/2' is not that of its mate, 'y/1'"];
    refused(&["a.fq", "b.fq", "two.fa"], &names);
    refused(&["1.fq", "b.fq", "two.fa"], &["b.fq: record 1 (line 1): "]);
    refused(&["--interleaved", "a.fq", "two.fa"], &["a.fq: record 2 (line 5): "]);
    let single = all(&folder, &["--single", "a.fq", "b.fq"]);
    let names: Vec<String> = sam::records(&single).into_iter().map(|it| it.name).collect();
    let mut of_reads = names.clone();
    of_reads.dedup();
    assert_eq!(of_reads, ["x/1", "y/1", "x/2", "z/2"]);
    let marking =
        ["--mode", "all", "1.fq", "2.fq", "two.fa", "--sort", "--mark-duplicates", "-o", "x.bam"];
    let output = folder.run(&marking);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--mode best"), "{said}");
}
