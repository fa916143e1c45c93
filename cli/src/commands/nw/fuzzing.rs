//! Entries of the fuzz targets of nw.

#![allow(clippy::expect_used, reason = "a target fails if its own files cannot be written")]

use std::path::Path;

use nw_batch::{Alphabet, SequenceSet};

use super::input;
use super::tile_writer::TileWriter;
use super::tiles::{PairSelection, PairSource, TileLimits};

/// Reads the sequences of a file.
pub fn read_sequences(path: &Path) {
    if let Ok(records) = input::read(path, &Alphabet::nucleotides()) {
        assert_eq!(records.names.len(), records.sequences.len());
        let _ = input::names_differ(path, &records.names);
    }
}

/// Continues the run of job 7 in a folder, whose partial output and state are these, and aligns nothing: the pairs that are
/// left are within the input, and there are at most as many as in a new run.
pub fn resume(folder: &Path, partial: &[u8], state: &[u8]) {
    let output = folder.join("out");
    for (name, bytes) in [("out.partial", partial), ("out.partial.json", state)] {
        std::fs::write(folder.join(name), bytes).expect("a folder that can be written to");
    }
    let Ok((mut writer, Some(next))) = TileWriter::resumed(&output, 7) else { return };
    let sequences: SequenceSet = [[0_u8; 3]; 4].iter().collect();
    let selection = PairSelection::AllVsAll { diagonal: false };
    let source = PairSource { selection, queries: &sequences, targets: &sequences };
    let (mut cursor, mut left) = (next, 0);
    loop {
        let (tile, _) = source.tile(&mut cursor, TileLimits { pairs: 3, cells: u64::MAX });
        if tile.is_empty() {
            break;
        }
        assert!(tile.iter().all(|pair| pair.query < pair.target && pair.target < 4));
        left += tile.len() as u64;
    }
    assert!(left <= source.len(), "more pairs are left than there are");
    writer.add(&[b"more".to_vec()], cursor).expect("a folder that can be written to");
}
