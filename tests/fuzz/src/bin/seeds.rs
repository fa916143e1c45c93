//! Writes the files from which mutation begins: a folder for each target in the folder that the variable `SEEDS` names. They
//! are made anew for each run, so that they always have the present formats.
//!
//! It is a target itself, one that does nothing, because what has counters runs only within libFuzzer: `seeds -runs=0`.
#![no_main]

use std::fs;
use std::io::Write;
use std::path::Path;

use blastn_pipeline::database::Builder;
use blastn_pipeline::sequence::fasta::FastaRecord;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_fuzz::GENE;
use libfuzzer_sys::fuzz_target;
use rust_htslib::bam::{self, Read, Writer};

type Error = Box<dyn std::error::Error>;

const FASTQ: &str = "@r/1 first\nACGTNacgtu\n+\nIIIIIIII!~\n@r/2\nRYSWKM\n+r/2\nABCDEF\n";
const FASTA: &str = ">one first\nACGTACGT\r\nNNNNACGT\n>two\nggatccta\n\nTTAG\n";

const SAM: &str = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr1\tLN:1000\n@SQ\tSN:b\tLN:50\n@PG\tID:x\tPN:x\tVN:1\tCL:x y\n\
    chr1_11_40_0:0:0_0:0:0_1\t99\tchr1\t11\t60\t2S5M1I2D3M1H\t=\t31\t30\tACGTACGTACG\tIIIIIIIIIII\tNM:i:3\tMD:Z:5^AC3\tXB:B:c,1,-2\n\
    chr1_11_40_0:0:0_0:0:0_1\t147\tchr1\t31\t60\t10=\t=\t11\t-30\tACGTACGTAC\tIIIIIIIIII\n\
    b_1_9_0:0:0_0:0:0_2\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\n\
    b_1_9_0:0:0_0:0:0_3\t272\tb\t1\t3\t4X5N6M\t*\t0\t0\t*\t*\tAS:f:1.5\n";

const MATRIX: &str = "# a comment\n   A  C  G  T  *\nA  5 -4 -4 -4 -4\nC -4  5 -4 -4 -4\nG -4 -4  5 -4 -4\nT -4 -4 -4  5 -4\n* -4 -4 -4 -4  1\n";

const STATE: &str = r#"{"program":"gpualign nw --resume","job":7,"inode":INODE}
{"bytes":8,"next":{"query":1,"target":2},"hash":HASH}
"#;

const COMMAND_LINES: &[(u8, &str)] = &[
    (0, "a.fq b.fq ref.fa -o out.bam --threads 2 --batch-size 777 --preset short"),
    (0, "a.fq ref.fa --mode all -k 5 --strategy filter --all-starts --primary-only"),
    (0, "a.fq ref.fa --alternatives records --eqx --stats json --report r.html --timeline t.json"),
    (0, "index ref.fa -o out.gpx -t 2"),
    (
        0,
        "nw pairs a.fa b.fa --matrix BLOSUM62 --gap-open 12 --gap-extend 2 --free-ends target,query-end",
    ),
    (0, "nw all-vs-all a.fa --output-format npy --score-only -o out.npy --resume --kernel edit"),
    (0, "makedb a.fa -o a.gpdb"),
    (
        0,
        "blastn -query a.fa -db b -task megablast -evalue 1e-5 -outfmt 6 -num_threads 2 -strand plus -dust no",
    ),
    (
        0,
        "blastn -query a.fa -subject b.fa -outfmt 7,qseqid,sseqid -word_size 11 -reward 2 -penalty -3 -gapopen 5",
    ),
    (0, "simulate genome 2M --contigs 3 --repeats 0.5 --seed 7"),
    (
        0,
        "simulate reads ref.fa -n 40 -l 150 --pairs --output a.fq --output2 b.fq -d 400 -s 30 -e 0.1",
    ),
    (0, "evaluate a.bam --compare b.bam --mapq 20 --tolerance 3 --format json"),
    (0, "completions bash"),
    (0, "man"),
    (0, "devices"),
    (1, "a.fq ref.fa -k 3 --device cuda:0 -q"),
    (2, "one-vs-all a.fa b.fa --min-identity 0.9 -O paf"),
    (3, "-query a.fa -db b -max_target_seqs 5 -culling_limit 2 --device_memory 1M"),
];

fuzz_target!(init: write_all().expect("seeds"), |_bytes| {});

fn write_all() -> Result<(), Error> {
    let root = std::env::var_os("SEEDS").ok_or("SEEDS names no folder")?;
    let root = Path::new(&root);
    let texts = [("fastq", FASTQ), ("fasta", FASTA), ("gene", &format!(">g\n{GENE}\n"))];
    for (name, text) in texts {
        for (kind, bytes) in [
            ("plain", text.as_bytes().to_vec()),
            ("gz", gzip(text.as_bytes())?),
            ("bz2", bzip2(text.as_bytes())?),
            ("zst", zstd::encode_all(text.as_bytes(), 1)?),
        ] {
            for layout in [0, 1] {
                let file = [&[layout], bytes.as_slice()].concat();
                seed(root, "reads", &format!("{name}.{kind}.{layout}"), &file)?;
            }
            seed(root, "sequences", &format!("{name}.{kind}"), &bytes)?;
        }
        for level in [0, 1, 9] {
            let level = flate2::Compression::new(level);
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(text.repeat(3).as_bytes())?;
            seed(root, "gzip", &format!("{name}.{}", level.level()), &encoder.finish()?)?;
        }
        for method in [0, 1, 2] {
            let file = [&[method, 20], text.as_bytes()].concat();
            seed(root, "compressed_reads", &format!("{name}.{method}"), &file)?;
        }
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("seed");
    for (name, gene) in [("short", &GENE[..40]), ("gaps", &format!("{GENE}NNRY{GENE}"))] {
        let reference = Reference::from_records([("one", gene), ("two", &GENE[10..50])])?;
        FmIndex::build(reference, &BuildOptions::default())?.save(&path)?;
        seed(root, "index", name, &fs::read(&path)?)?;
        let mut builder = Builder::default();
        builder.add(&FastaRecord::new("one first", gene)?);
        builder.add(&FastaRecord::new("empty", "")?);
        builder.add(&FastaRecord::new("two", "ACGTNNNNRYACGT")?);
        builder.finish("two sequences", 1).save(&path)?;
        seed(root, "database", name, &fs::read(&path)?)?;
    }
    seed(root, "matrix", "nucleotides", MATRIX.as_bytes())?;
    seed(root, "matrix", "comment", b"#\n")?;
    seed(root, "resume", "state", format!("\x08{STATE}").as_bytes())?;
    seed(root, "resume", "begun", format!("\0{}", &STATE[..STATE.find('\n').unwrap_or(0)]).as_bytes())?;
    seed(root, "resume", "raw", b"\x08\n{\"entry\":{\"program\":\"gpualign nw --resume\",\"job\":7,\"inode\":1},\"checksum\":1}\n")?;
    seed(root, "resume", "short", format!("\x01{STATE}").as_bytes())?;
    alignments(root, folder.path())?;
    for (number, (program, line)) in COMMAND_LINES.iter().enumerate() {
        let words = [&[*program], line.replace(' ', "\n").as_bytes()].concat();
        seed(root, "command_line", &number.to_string(), &words)?;
    }
    Ok(())
}

/// Writes a seed of a target.
fn seed(root: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let folder = root.join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

/// Writes the same alignments in all formats.
fn alignments(root: &Path, folder: &Path) -> Result<(), Error> {
    let sam = folder.join("seed.sam");
    fs::write(&sam, SAM)?;
    seed(root, "alignments", "sam", SAM.as_bytes())?;
    for (name, format, level) in [
        ("bam", bam::Format::Bam, bam::CompressionLevel::Fastest),
        ("uncompressed", bam::Format::Bam, bam::CompressionLevel::Uncompressed),
        ("cram", bam::Format::Cram, bam::CompressionLevel::Fastest),
    ] {
        let path = folder.join(name);
        let mut reader = bam::Reader::from_path(&sam)?;
        let header = bam::Header::from_template(reader.header());
        let mut writer = Writer::from_path(&path, &header, format)?;
        writer.set_compression_level(level)?;
        if format == bam::Format::Cram {
            continue;
        }
        for record in reader.records() {
            writer.write(&record?)?;
        }
        drop(writer);
        let bytes = fs::read(&path)?;
        seed(root, "alignments", name, &bytes)?;
        if name == "bam" {
            let mut raw = Vec::new();
            std::io::Read::read_to_end(
                &mut flate2::read::MultiGzDecoder::new(bytes.as_slice()),
                &mut raw,
            )?;
            seed(root, "alignments", "raw", &raw)?;
        }
    }
    Ok(())
}

fn gzip(text: &[u8]) -> Result<Vec<u8>, Error> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}

fn bzip2(text: &[u8]) -> Result<Vec<u8>, Error> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}
