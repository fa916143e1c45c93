//! Index files with right checksums and wrong contents are refused, or mapping with them ends.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;

use aligner_core::Device;
use bio::alphabets::dna::revcomp;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{ContainerFile, mutate_and_use};
use seed_extend::read::queries::Queries;
use seed_extend::{LibrarySample, Mapper, Options};

/// Bytes of the parameters of an index file, and the number of its sections.
const LAYOUT: (usize, usize) = (56, 8);

#[test]
fn best_mapping_ends() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut genome: Vec<u8> = (0..1_500).map(|_| b"ACGT"[random.usize(..4)]).collect();
    genome[500..700].fill(b'N');
    let copy = genome[100..300].to_vec();
    genome.extend(copy);
    let (one, two) = genome.split_at(900);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.gpx");
    let reference = Reference::from_records([("one", one), ("two", two)]).unwrap();
    FmIndex::build(reference, &BuildOptions::default()).unwrap().save(&path).unwrap();
    let file = ContainerFile::new(fs::read(&path).unwrap(), LAYOUT.0, LAYOUT.1);
    let mut reads = Vec::new();
    for begin in [0, 90, 150, 720, 800, 1_000, 1_400, 1_500] {
        let mut read = genome[begin..begin + 100].to_vec();
        for _ in 0..random.usize(..4) {
            read[random.usize(..100)] = b"ACGTN"[random.usize(..5)];
        }
        reads.push(read);
        reads.push(revcomp(&genome[begin + 80..begin + 180]));
    }
    let counts = mutate_and_use(&file, &path, 0..600, |path| {
        let Ok(index) = FmIndex::open(path) else { return false };
        let mapper = Mapper::new(&index, Options::default(), &Device::Cpu).unwrap();
        let queries = Queries::new(reads.iter().map(Vec::as_slice));
        let ranked = mapper.find_regions(queries, vec![1; reads.len()]);
        mapper.resolve_unpaired(ranked.clone());
        let mut sample = LibrarySample::default();
        mapper.sample_pairs(&ranked, &mut sample, usize::MAX);
        let library = sample.library();
        let mapped = mapper.resolve_pairs(mapper.rescue_mates(ranked, &library));
        for read in 0..mapped.primaries.len() {
            for region in mapped.regions.of(read) {
                assert!(mapped.regions.runs(region).len() <= 1_000);
            }
        }
        true
    });
    eprintln!("{counts:?}");
    assert!(counts.refused > counts.used, "{counts:?}");
}
