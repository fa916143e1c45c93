//! Index files with right checksums and wrong contents are refused, or mapping with them ends.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::fs;
use std::sync::Arc;

use common::{Random, index, mapper, queries};
use fm_index::FmIndex;
use gpualign_tests::{ContainerFile, mutate_and_use};
use woodstocc::{MapError, Report, Strategy};

/// Bytes of the parameters of an index file, and the number of its sections.
const LAYOUT: (usize, usize) = (56, 8);

#[test]
fn mapping_by_all_strategies_ends() {
    let mut random = Random(3);
    let mut contigs: Vec<Vec<u8>> = [700, 20, 300].map(|n| random.bases(n, b"ACGT")).to_vec();
    contigs[0][100..400].fill(b'N');
    contigs[2][30] = b'R';
    let copy = contigs[0][450..600].to_vec();
    contigs[2].extend(copy);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.gpx");
    index(&contigs).save(&path).expect("saves");
    let file = ContainerFile::new(fs::read(&path).expect("reads"), LAYOUT.0, LAYOUT.1);
    let reads: Vec<Vec<u8>> = [8, 30, 45, 60, 100].map(|n| random.read(&contigs, n, 2)).to_vec();
    let counts = mutate_and_use(&file, &path, 0..600, |path| {
        let Ok(index) = FmIndex::open(path) else { return false };
        let index = Arc::new(index);
        for strategy in
            [Strategy::Auto, Strategy::Trie, Strategy::Filter, Strategy::Scheme, Strategy::Scan]
        {
            let mapper = mapper(&index, 2, Report::All, strategy);
            let mappings = mapper.map(&queries(&reads));
            assert!(matches!(mappings, Ok(_) | Err(MapError::InconsistentIndex)), "{mappings:?}");
            for mapping in mappings.unwrap_or_default() {
                let mut runs = Vec::new();
                for alignment in mapping.alignments() {
                    alignment.path.runs(&mut runs);
                    runs.clear();
                }
            }
        }
        true
    });
    eprintln!("{counts:?}");
    assert!(counts.refused > counts.used, "{counts:?}");
}
