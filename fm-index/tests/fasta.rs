//! Reading FASTA files, good and bad.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use fm_index::{FileFingerprint, Reference};
use tempfile::TempDir;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/");

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join("ref.fa");
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The error of a file of these bytes, without the path that it must start with.
    fn error(&self, bytes: &[u8]) -> String {
        let path = self.file(bytes);
        let error = Reference::from_fasta(&path).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        let rest = error.strip_prefix(&format!("{}: ", path.display()));
        rest.unwrap_or_else(|| panic!("no path: {error}")).to_owned()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

#[test]
fn spellings_of_one_reference_are_equal() {
    let folder = Folder::new();
    let plain = b">one first contig\nACGTNRAC\n>two\nTTT\n";
    let (head, tail) = plain.split_at(12);
    let spellings: Vec<Vec<u8>> = vec![
        plain.to_vec(),
        b">one\nACG\nTNR\nAC\n>two\tx\nTTT".to_vec(),
        b">one\r\nACGT\r\nNRAC\r\n>two\r\nTTT\r\n".to_vec(),
        b">one\nacgtnrac\n\n>two\nttt\n\n".to_vec(),
        gzip(plain),
        [gzip(head), gzip(tail)].concat(),
        bzip2(plain),
        [bzip2(head), bzip2(tail)].concat(),
        zst(plain),
        [zst(head), zst(tail)].concat(),
    ];
    let expected = Reference::from_fasta(folder.file(plain)).unwrap();
    assert_eq!(expected.letters(0..11), b"ACGTNRACTTT");
    for (number, bytes) in spellings.iter().enumerate() {
        let path = folder.file(bytes);
        let reference = Reference::from_fasta(&path).unwrap();
        assert_eq!(reference.contigs(), expected.contigs(), "spelling {number}");
        assert_eq!(reference.letters(0..11), expected.letters(0..11), "spelling {number}");
        let source = FileFingerprint::of_file(&path).unwrap();
        assert_eq!(reference.source(), source, "spelling {number}");
        assert_eq!(source.length, bytes.len() as u64, "spelling {number}");
    }
}

#[test]
fn checksums_of_contigs_are_those_of_samtools() {
    let hex = |md5: [u8; 16]| md5.map(|byte| format!("{byte:02x}")).concat();
    let reference = Reference::from_fasta(format!("{DATA}phix.fa")).unwrap();
    assert_eq!(hex(reference.contigs()[0].md5), "3332ed720ac7eaa9b3655c06f6b9e196");
    let reference = Reference::from_records([("lower", "acgtn")]).unwrap();
    assert_eq!(hex(reference.contigs()[0].md5), "252fe4e1c9aa67ce660443056dfa3799");
}

#[test]
fn uracil_is_thymine() {
    let reference = Reference::from_records([("rna", "ACGUu")]).unwrap();
    assert_eq!(reference.codes(0..5), [0, 1, 2, 3, 3]);
    assert_eq!(reference.letters(0..5), b"ACGTT");
    let contigs = [("dna", "ACGTN"), ("rna", "ACGUu"), ("both", "UTTA"), ("more", "t")];
    let reference = Reference::from_records(contigs).unwrap();
    assert_eq!(reference.contigs_with_uracil(), [1, 2]);
}

#[test]
fn bad_records_are_named() {
    let folder = Folder::new();
    let cases: [(&[u8], &str); 18] = [
        (b">a\nAC\n>b\nGT\n>a x\nAC\n", "record 3 (line 5): a second contig is named 'a'"),
        (b">\nACGT\n", "record 1 (line 1): the contig has no name"),
        (b"> a\nACGT\n", "record 1 (line 1): the contig has no name"),
        (b">a\nAC\n>b\n\n>c\nAC\n", "record 2 (line 3): contig 'b' has no bases"),
        (b">a\nAC\n>b\n>c\nAC\n", "record 2 (line 3): contig 'b' has no bases"),
        (b">a\nAC\n>b\n", "record 2 (line 3): contig 'b' has no bases"),
        (b">a\xc3\xa9\nAC\n", "record 1 (line 1): the contig name 'a\u{e9}' has characters"),
        (b">a\x07\nAC\n", "record 1 (line 1): the contig name 'a\\u{7}' has characters"),
        (b">a*=\nAC\n>*a\nAC\n", "record 2 (line 3): the contig name '*a' has characters"),
        (b">=\nAC\n", "record 1 (line 1): the contig name '=' has characters"),
        (b">a,b\nAC\n", "record 1 (line 1): the contig name 'a,b' has characters"),
        (b">a\"\nAC\n", "record 1 (line 1): the contig name 'a\\\"' has characters"),
        (b">a(1)\nAC\n", "record 1 (line 1): the contig name 'a(1)' has characters"),
        (b">a\nAC\n>b\nACGT\nAC-T\n", "record 2 (line 5): contig 'b' has '-' at base 7, which"),
        (b">a\r\nACGT\r\nA*\r\n", "record 1 (line 3): contig 'a' has '*' at base 6, which"),
        (b">a\nACGT5\n", "record 1 (line 2): contig 'a' has '5' at base 5, which"),
        (b">a\nAC GT\n", "record 1 (line 2): contig 'a' has byte 0x20 at base 3, which"),
        (b">a\nACX\n>b\n-\n", "record 1 (line 2): contig 'a' has 'X' at base 3, which"),
    ];
    for (bytes, expected) in cases {
        let error = folder.error(bytes);
        assert!(error.contains(expected), "{error:?} instead of {expected:?}");
    }
}

#[test]
fn bad_files_are_named() {
    let folder = Folder::new();
    let mut rng = fastrand::Rng::with_seed(1);
    let bases: Vec<u8> = (0..2_000_000).map(|_| b"ACGT"[rng.usize(0..4)]).collect();
    let fasta = [b">a\n", &bases[..], b"\n"].concat();
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "no FASTA data"),
        (b">".to_vec(), "record 1 (line 1): the contig has no name"),
        (gzip(b""), "no FASTA data"),
        (b"ACGT\n".to_vec(), "not a FASTA file"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0".to_vec(), "not a FASTA file"),
        (gzip(b"\x7fELF"), "not a FASTA file"),
        (b"@read\nACGT\n+\nIIII\n".to_vec(), "FASTQ"),
        (b"@read\nACGT\n+\nII\n".to_vec(), "FASTQ"),
        (b">a\nNNNNNN\n>b\nnnryn\n".to_vec(), "the reference has no A, C, G or T"),
        (half(gzip(&fasta)), "record 1: reading failed: "),
        (half(bzip2(&fasta)), "record 1: reading failed: "),
        (half(zst(&fasta)), "record 1: reading failed: incomplete frame"),
        (half(bzip2(b">a\nACGT\n")), "reading failed: "),
        (
            [&gzip(&fasta)[..30], &[0xA5; 500]].concat(),
            "reading failed: the file is damaged: its data is not that of gzip",
        ),
    ];
    for (bytes, expected) in cases {
        let error = folder.error(&bytes);
        assert!(error.contains(expected), "{error:?} instead of {expected:?}");
    }
    let missing = folder.0.path().join("none.fa");
    let error = Reference::from_fasta(&missing).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: No such file", missing.display())), "{error}");
    let error = Reference::from_fasta(folder.0.path()).unwrap_err().to_string();
    assert!(error.ends_with("is a directory"), "{error}");
}

#[test]
fn records_from_memory_are_checked_alike() {
    let error = |records: &[(&str, &str)]| {
        Reference::from_records(records.iter().copied()).unwrap_err().to_string()
    };
    assert_eq!(error(&[]), "the reference has no records");
    assert_eq!(error(&[("a", "N")]), "the reference has no A, C, G or T");
    assert_eq!(error(&[("a", "AC"), ("b", "")]), "record 2: contig 'b' has no bases");
    assert_eq!(error(&[("a", "AC"), ("a", "AC")]), "record 2: a second contig is named 'a'");
    assert!(error(&[("a", "AC\nGT")]).starts_with("record 1: contig 'a' has byte 0x0a at base 3"));
}
