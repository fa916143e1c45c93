//! `gpualign mem` compared with `bwa mem`, option by option, on real reads.

use std::collections::HashMap;
use std::path::Path;

use crate::sam::{self, Record};
use crate::tools::{data, plain, plain_reference, run};

/// The files of reads of phiX, which are pairs, with their reference.
const PHIX: (&str, &[&str]) = ("phix.fa", &["phix_1.fq", "phix_2.fq"]);

/// Real pairs of human chromosome 20.
const CHR20: (&str, &[&str]) = ("chr20_10mb.fa", &["chr20_10mb_1.fq.gz", "chr20_10mb_2.fq.gz"]);

/// The records of both programs, with the same options.
pub struct Both {
    pub bwa: Vec<Record>,
    pub ours: Vec<Record>,
    /// The headers.
    pub headers: [String; 2],
}

impl Both {
    /// Runs both programs in a folder.
    fn run((reference, reads): (&str, &[&str]), options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        plain_reference(reference, folder);
        let reads: Vec<String> =
            reads.iter().map(|file| data(file).to_string_lossy().into_owned()).collect();
        let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
        Self::of_files(&reads, options, folder)
    }

    /// Runs both programs with these files of reads and the reference `ref.fa` of the folder.
    pub fn of_files(reads: &[&str], options: &[&str], folder: &Path) -> Self {
        run("bwa", &["index", "ref.fa"], folder);
        let words = [&["mem"], options, &["ref.fa"], reads].concat();
        let texts = [("bwa", &[][..]), (env!("CARGO_BIN_EXE_gpualign"), &["--device", "cpu"])]
            .map(|(program, more)| run(program, &[&words[..], more].concat(), folder));
        let header = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            text.lines().filter(|line| line.starts_with('@')).collect::<Vec<_>>().join("\n")
        };
        let headers = texts.each_ref().map(|text| header(text));
        let [bwa, ours] = texts.map(|text| sam::records(&text));
        Self { bwa, ours, headers }
    }

    /// Checks that of bwa's primary records, at least so many of a hundred have the same position, flags and CIGAR here,
    /// and so many a mapping quality that differs by 3 at most.
    fn agree(&self, alike: usize, same_mapq: usize, what: &[&str]) {
        let ours = primary(&self.ours);
        let theirs = primary(&self.bwa);
        assert_eq!(ours.len(), theirs.len(), "{what:?}");
        let is_alike = |one: &Record, other: &Record| {
            (one.flag, &one.contig, one.position, &one.cigar)
                == (other.flag, &other.contig, other.position, &other.cigar)
        };
        let (mut places, mut mapqs) = (0, 0);
        for (read, theirs) in &theirs {
            let ours = ours[read];
            places += usize::from(is_alike(ours, theirs));
            mapqs += usize::from(ours.mapq.abs_diff(theirs.mapq) <= 3);
        }
        let count = theirs.len();
        println!("{what:?}: {places} alike, {mapqs} of one quality, of {count}");
        assert!(places * 100 >= count * alike, "{what:?}: {places} of {count} alike");
        assert!(mapqs * 100 >= count * same_mapq, "{what:?}: {mapqs} of {count} of one quality");
    }

    /// How many records of each program are so.
    pub fn counts(&self, is_so: impl Fn(&Record) -> bool) -> [usize; 2] {
        [&self.bwa, &self.ours].map(|records| records.iter().filter(|it| is_so(it)).count())
    }
}

/// Primary records by name and end.
fn primary(records: &[Record]) -> HashMap<(&str, u16), &Record> {
    let records = records.iter().filter(|record| record.is_primary());
    records.map(|record| ((record.name.as_str(), record.flag & 0xc0), record)).collect()
}

/// Whether two counts differ by a tenth at most.
fn are_near([one, other]: [usize; 2]) -> bool {
    one.abs_diff(other) * 10 <= one.max(other)
}

#[test]
fn each_option_does_what_it_does_in_bwa() {
    for options in [
        &[][..],
        &["-t", "2"],
        &["-k", "15"],
        &["-k", "25", "-r", "1.2"],
        &["-w", "50"],
        &["-y", "0"],
        &["-c", "100"],
        &["-D", "0.3"],
        &["-W", "40"],
        &["-x", "intractg"],
        &["-m", "5"],
        &["-S"],
        &["-P"],
        &["-SP"],
        &["-A2"],
        &["-B", "2"],
        &["-B", "9", "-O", "16"],
        &["-L", "2"],
        &["-L", "20"],
        &["-O", "6,8", "-E", "1,2", "-L", "5,10"],
        &["-O", "9,4", "-E", "2,1", "-L", "12,0"],
        &["-U", "9"],
        &["-T", "60"],
        &["-I", "300,60"],
        &["-5", "-q", "-Y", "-M"],
        &["-K", "10000000", "-v", "1"],
    ] {
        Both::run(CHR20, options).agree(99, 99, options);
    }
    Both::run(PHIX, &[]).agree(90, 90, &["phix"]);
}

/// Reads of two parts: 70 bases of one real read of the human mitochondrial genome, then 100 of another.
fn split_reads() -> String {
    let text = String::from_utf8(plain("chrM_1.fq.gz")).expect("is text");
    let lines: Vec<&str> = text.lines().collect();
    let reads: Vec<&[&str]> = lines.chunks_exact(4).collect();
    let joined = reads.chunks_exact(2).enumerate().map(|(number, two)| {
        let join = |line: usize| format!("{}{}", &two[0][line][..70], two[1][line]);
        format!("@r{number}\n{}\n+\n{}\n", join(1), join(3))
    });
    joined.collect()
}

/// Reads of phiX with an insertion or a deletion of 1 to 4 bases, so near to an end that mismatches or a clip score about
/// as much.
fn reads_with_gaps() -> String {
    let mut random = fastrand::Rng::with_seed(2);
    let genome = crate::tools::sequence(&plain("phix.fa"));
    let read = |number| {
        let start = random.usize(..genome.len() - 160);
        let mut bases = genome[start..start + 150].to_vec();
        let place = random.usize(8..25);
        let length = random.usize(1..=4);
        if random.bool() {
            bases.drain(place..place + length);
        } else {
            let inserted: Vec<u8> =
                (0..length).map(|_| *random.choice(b"ACGT").expect("a base")).collect();
            bases.splice(place..place, inserted);
        }
        if random.bool() {
            bases = bio::alphabets::dna::revcomp(bases);
        }
        let (bases, length) = (String::from_utf8_lossy(&bases).into_owned(), bases.len());
        format!("@r{number}\n{bases}\n+\n{}\n", "I".repeat(length))
    };
    (0..1000).map(read).collect()
}

/// Reads of phiX whose last 60 bases differ from it in every fifth base: aligning to the end of such a read often scores as
/// much as clipping, as of amplicons that end in primers.
fn reads_with_bad_ends() -> String {
    let mut random = fastrand::Rng::with_seed(1);
    let genome = crate::tools::sequence(&plain("phix.fa"));
    let read = |number| {
        let start = random.usize(..genome.len() - 220);
        let mut bases = genome[start..start + 220].to_vec();
        for base in &mut bases[160..] {
            if random.u8(..100) < 27 {
                *base = *random.choice(b"ACGT").expect("a base");
            }
        }
        if random.bool() {
            bases = bio::alphabets::dna::revcomp(bases);
        }
        format!("@r{number}\n{}\n+\n{}\n", String::from_utf8_lossy(&bases), "I".repeat(220))
    };
    (0..2000).map(read).collect()
}

#[test]
fn of_alignments_of_equal_score_the_shorter_is_meant_as_in_bwa() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("phix.fa", folder);
    std::fs::write(folder.join("ends.fq"), reads_with_bad_ends()).expect("writes");
    Both::of_files(&["ends.fq"], &[], folder).agree(99, 99, &["bad ends"]);
    // Each end of a read has its own penalty, on both strands.
    for clips in ["12,0", "0,12"] {
        let options = ["-L", clips];
        Both::of_files(&["ends.fq"], &options, folder).agree(99, 99, &options);
    }
}

#[test]
fn deletions_and_insertions_cost_what_they_cost_in_bwa() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("phix.fa", folder);
    std::fs::write(folder.join("gaps.fq"), reads_with_gaps()).expect("writes");
    // With the two numbers exchanged, more than a tenth of the alignments are others. bwa misses a few, since the greater
    // penalty narrows the band of both kinds.
    for options in [["-O", "3,12"], ["-O", "12,3"], ["-E", "1,3"], ["-E", "3,1"]] {
        Both::of_files(&["gaps.fq"], &options, folder).agree(95, 99, &options);
    }
}

#[test]
fn split_reads_are_flagged_and_clipped_as_in_bwa() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("chrM.fa.gz", folder);
    std::fs::write(folder.join("split.fq"), split_reads()).expect("writes");
    let with = |options: &[&str]| Both::of_files(&["split.fq"], options, folder);
    let is_part = |flag: u16| move |record: &Record| record.flag & flag != 0;
    let plain = with(&[]);
    plain.agree(98, 99, &["split"]);
    let parts = plain.counts(is_part(0x800));
    println!("parts {parts:?}");
    assert!(parts[0] > 500 && are_near(parts), "{parts:?}");
    let marked = with(&["-M"]);
    assert_eq!(marked.counts(is_part(0x800)), [0, 0]);
    assert_eq!(marked.counts(is_part(0x100)), parts);
    let soft = with(&["-Y"]);
    assert_eq!(soft.counts(|record| record.cigar.contains('H')), [0, 0]);
    assert_eq!(soft.counts(is_part(0x800)), parts);
    // With -5 the part of 70 bases is primary, which may be longer by chance.
    let is_right =
        |record: &Record| record.is_primary() && record.is_aligned() && record.number("AS") > 80;
    let (right, right_of_5) = (plain.counts(is_right), with(&["-5"]).counts(is_right));
    println!("right parts {right:?}, with -5 {right_of_5:?}");
    for (before, after) in right.into_iter().zip(right_of_5) {
        assert!(after * 5 < before, "{right:?} {right_of_5:?}");
    }
    for options in [&["-5"][..], &["-q"]] {
        let both = with(options);
        both.agree(98, 99, options);
        assert!(are_near(both.counts(is_part(0x800))), "{options:?}");
    }
}

#[test]
fn alternatives_are_reported_as_in_bwa() {
    let has_alternatives = |record: &Record| record.tags.contains_key("XA");
    let tags = Both::run(CHR20, &["-h", "50"]).counts(has_alternatives);
    println!("XA {tags:?}");
    assert!(tags[0] > 20 && tags[1] > 20, "{tags:?}");
    assert_eq!(Both::run(CHR20, &["-h", "0"]).counts(has_alternatives), [0, 0]);
    let all = Both::run((CHR20.0, &CHR20.1[..1]), &["-a"]);
    let secondary = all.counts(|record| record.flag & 0x100 != 0);
    println!("secondary {secondary:?}");
    assert!(secondary[0] > 20 && secondary[1] > 20, "{secondary:?}");
    assert_eq!(all.counts(has_alternatives), [0, 0]);
}

#[test]
fn groups_comments_descriptions_and_header_lines_are_bwas() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let read = |name: &str, tail: &str, from: usize, reference: &[u8]| {
        let bases = String::from_utf8_lossy(&reference[from..from + 100]).into_owned();
        format!("@{name}{tail}\n{bases}\n+\n{}\n", "I".repeat(100))
    };
    plain_reference("phix.fa", folder);
    let fasta = std::fs::read(folder.join("ref.fa")).expect("reads");
    let genome = crate::tools::sequence(&fasta);
    let mixed = [
        read("a/1", " BC:Z:AC\tX0:i:7", 100, &genome),
        read("b/1", "", 900, &genome),
        read("b/2", " BC:Z:GT", 1200, &genome),
        read("c", "", 2000, &genome),
    ];
    std::fs::write(folder.join("mixed.fq"), mixed.concat()).expect("writes");
    let group = "@RG\\tID:x y\\tSM:z";
    let options = ["-p", "-C", "-V", "-R", group, "-H", "@CO\\tone", "-I", "300,30"];
    let both = Both::of_files(&["mixed.fq"], &options, folder);
    let key = |records: &[Record]| -> Vec<(String, u16, usize, Vec<Option<String>>)> {
        let of = |record: &Record| {
            let tags = ["BC", "X0", "XR", "RG"].map(|tag| record.tags.get(tag).cloned());
            (record.name.clone(), record.flag & 0xc5, record.position, tags.to_vec())
        };
        records.iter().map(of).collect()
    };
    assert_eq!(key(&both.ours), key(&both.bwa));
    for line in ["@RG\tID:x y\tSM:z", "@CO\tone"] {
        assert!(both.headers.iter().all(|text| text.contains(line)), "{:?}", both.headers);
    }
}
