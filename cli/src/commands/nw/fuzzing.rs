//! Entries of the fuzz targets of nw.

#![allow(clippy::expect_used, reason = "a target fails if its own files cannot be written")]

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nw_batch::{Alphabet, SequenceSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::input;
use super::resume::{ResumePaths, Resumed};
use super::tile_writer::TileWriter;
use super::tiles::{PairSelection, PairSource, TileEnd, TileLimits};
use crate::staging::Outputs;

/// Reads the sequences of a file.
pub fn read_sequences(path: &Path) {
    let alphabet = Alphabet::nucleotides();
    if let Ok(records) = input::read(path, &[&alphabet]) {
        let records = records.encode(&alphabet, true);
        assert_eq!(records.names.len(), records.sequences.len());
        let _ = input::names_differ(path, &records.names);
    }
}

/// Continues the run of job 7 in a folder, whose partial output and state are these, and aligns nothing: the pairs that are
/// left are within the input, and there are at most as many as in a new run.
///
/// Each line of the state is an entry, which gets its right checksum; INODE and HASH stand for those of the partial output.
/// With a first line that is empty, the rest is the state as it is.
pub fn resume(folder: &Path, partial: &[u8], state: &[u8]) {
    let output = folder.join("out");
    let [partial_path, state_path] =
        ["out.partial", "out.partial.json"].map(|name| folder.join(name));
    std::fs::write(&partial_path, partial).expect("a folder that can be written to");
    let inode = std::fs::metadata(&partial_path).expect("it was just written").ino();
    let sealed = match state.strip_prefix(b"\n") {
        Some(raw) => raw.to_vec(),
        None => seal(&String::from_utf8_lossy(state), inode, xxh3_64(partial)),
    };
    std::fs::write(&state_path, sealed).expect("a folder that can be written to");

    let sequences: SequenceSet = [[0_u8; 3]; 4].iter().collect();
    let selection = PairSelection::AllVsAll { diagonal: false };
    let source = PairSource { selection, queries: &sequences, targets: &sequences };
    let mut outputs = Outputs::new(Vec::<&Path>::new());
    let paths = ResumePaths::new(&output, &mut outputs).expect("regular files");
    let is_end = |position| source.is_end(position);
    let Ok(Resumed::Run { run, file, bytes, next }) = paths.resume(7, is_end, true) else { return };
    let (mut cursor, mut left) = (next.unwrap_or_else(|| source.begin()), 0);
    if !source.is_position(cursor) {
        return;
    }
    loop {
        let (tile, _) = source.tile(&mut cursor, TileLimits { pairs: 3, cells: u64::MAX });
        if tile.is_empty() {
            break;
        }
        assert!(tile.iter().all(|pair| pair.query < pair.target && pair.target < 4));
        left += tile.len() as u64;
    }
    assert!(left <= source.len(), "more pairs are left than there are");
    let mut writer = TileWriter::resumed(file, bytes, run);
    let end = TileEnd::before(cursor);
    writer.add(&[b"more".to_vec()], end).expect("a folder that can be written to");
}

/// The lines of a state with these entries.
fn seal(entries: &str, inode: u64, hash: u64) -> Vec<u8> {
    let entries = entries.replace("INODE", &inode.to_string()).replace("HASH", &hash.to_string());
    let (mut state, mut checksum) = (Vec::new(), 0);
    for entry in entries.lines() {
        checksum = xxh3_64_with_seed(entry.as_bytes(), checksum);
        writeln!(state, "{{\"entry\":{entry},\"checksum\":{checksum}}}").expect("memory");
    }
    state
}
