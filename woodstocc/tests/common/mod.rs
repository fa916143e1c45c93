//! Random reads, indexes and comparisons with the oracle, for the tests of this crate.

#![allow(dead_code, clippy::unwrap_used)] // Each test file uses its part.

use std::path::PathBuf;
use std::sync::Arc;

use aligner_core::Device;
use aligner_core::seq::encode_all;
use bio::alphabets::dna::revcomp;
use fm_index::{BuildOptions, FmIndex, Reference};
use woodstocc::oracle::{self, OracleMatch};
use woodstocc::{Alignment, Mapper, Mapping, Params, Read, Report, Strand, Strategy};

/// A small generator of pseudo-random numbers (splitmix64), so that a case is named by its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn bases(&mut self, length: usize, alphabet: &[u8]) -> Vec<u8> {
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// A read of about `length` bases drawn from a contig, or from nowhere, with up to `edits`.
    pub fn read(&mut self, contigs: &[Vec<u8>], length: usize, edits: usize) -> Vec<u8> {
        let contig = &contigs[self.below(contigs.len())];
        let mut read = if self.one_in(8) || contig.is_empty() {
            self.bases(length, b"ACGT")
        } else {
            let start = self.below(contig.len());
            contig[start..contig.len().min(start + length)].to_vec()
        };
        for _ in 0..self.below(edits + 1) {
            let at = self.below(read.len() + 1);
            let base = self.bases(1, b"ACGTN")[0];
            match self.below(3) {
                0 if at < read.len() => read[at] = base,
                1 if at < read.len() && read.len() > 1 => drop(read.remove(at)),
                _ => read.insert(at, base),
            }
        }
        if self.one_in(2) {
            read = revcomp(&read);
        }
        read
    }
}

pub fn index(contigs: &[Vec<u8>]) -> Arc<FmIndex> {
    let records = contigs.iter().enumerate().map(|(i, c)| (format!("contig{i}"), c.clone()));
    let reference = Reference::from_records(records).unwrap();
    Arc::new(FmIndex::build(reference, &BuildOptions::default()).unwrap())
}

pub fn mapper(index: &Arc<FmIndex>, k: u8, report: Report, strategy: Strategy) -> Mapper {
    let params = Params { k, report, strategy, seed: 7, ..Params::default() };
    Mapper::new(Arc::clone(index), params, Device::Cpu).unwrap()
}

pub fn queries(reads: &[Vec<u8>]) -> Vec<Read<'_>> {
    reads.iter().map(|sequence| Read { name: sequence, sequence }).collect()
}

pub fn as_oracle(alignment: Alignment<'_>) -> OracleMatch {
    OracleMatch {
        contig: alignment.contig as usize,
        is_reverse: alignment.strand == Strand::Reverse,
        start: alignment.start as usize,
        distance: usize::from(alignment.distance),
    }
}

pub fn cigar(alignment: Alignment<'_>) -> String {
    let mut runs = Vec::new();
    alignment.path.runs(&mut runs);
    runs.iter().map(ToString::to_string).collect()
}

/// Matches and loci of one read, by the oracle.
pub struct Truth {
    codes: Vec<u8>,
    matches: Vec<OracleMatch>,
    loci: Vec<OracleMatch>,
}

pub fn truth(contigs: &[Vec<u8>], read: &[u8], k: usize) -> Truth {
    let codes = encode_all(read);
    let matches = oracle::matches(contigs, &codes, k);
    let loci = oracle::loci(&matches, k);
    Truth { codes, matches, loci }
}

/// Compares a mapping with the matches, loci and alignments of the oracle.
pub fn check(case: &str, contigs: &[Vec<u8>], truth: &Truth, report: Report, mapping: &Mapping) {
    let Truth { codes, matches, loci } = truth;
    let expected = if report == Report::AllStarts { matches } else { loci };
    assert_eq!(mapping.total, expected.len() as u64, "{case}: total");
    let found: Vec<OracleMatch> = mapping.alignments().map(as_oracle).collect();
    for (alignment, found) in mapping.alignments().zip(&found) {
        let text = &contigs[found.contig];
        assert_eq!(cigar(alignment), oracle::cigar(text, codes, *found), "{case}: {found:?}");
    }
    let by_position = |m: &OracleMatch| (m.contig, m.start, m.is_reverse);
    let Some(primary) = found.first() else {
        assert!(expected.is_empty(), "{case}: nothing found of {expected:?}");
        return;
    };
    assert_eq!(Some(primary.distance), loci.iter().map(|l| l.distance).min(), "{case}: primary");
    assert!(loci.contains(primary), "{case}: the primary is a locus");
    if report == Report::Best {
        assert_eq!(found.len(), 1, "{case}");
        return;
    }
    assert!(found[1..].is_sorted_by_key(by_position), "{case}: order");
    let mut found = found;
    found.sort_unstable();
    let mut expected = expected.clone();
    expected.sort_unstable();
    assert_eq!(found, expected, "{case}");
}

/// The records of a FASTA or FASTQ file of the repository's `data` folder: names and letters.
pub fn data(file: &str) -> Vec<(String, Vec<u8>)> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "data", file].iter().collect();
    let mut reader = needletail::parse_fastx_file(&path).unwrap();
    let mut records = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        let name = String::from_utf8_lossy(record.id());
        let name = name.split_whitespace().next().unwrap_or_default().to_owned();
        records.push((name, record.seq().to_ascii_uppercase()));
    }
    records
}
