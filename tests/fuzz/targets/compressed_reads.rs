//! The text of sequence files that are compressed: the same as that of the plain file, by gzip, bzip2 and zstd, also in two
//! parts that are compressed one by one. The first two bytes choose the compression and where to part; the others are text.
#![no_main]

use std::io::{Read, Write};

use aligner_core::fastx::{self, Text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let &[method, parting, ref text @ ..] = data else { return };
    let compress = match method % 3 {
        0 => gzip,
        1 => bzip2,
        _ => zstd,
    };
    let (first, second) = text.split_at(usize::from(parting).min(text.len()));
    let file = [compress(first), compress(second)].concat();
    let Ok(Text::Decompressed(mut reader)) = fastx::text(file.as_slice()) else {
        panic!("a compressed file was not recognised");
    };
    let mut found = Vec::new();
    reader.read_to_end(&mut found).expect("a file that is whole");
    assert_eq!(found, text);
    assert_eq!(records(&file), records(text));
});

/// The records of a file, until its end or its first error.
fn records(file: &[u8]) -> Result<Vec<[Vec<u8>; 2]>, String> {
    let mut reader = fastx::records(file).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.map_err(|error| fastx::RecordProblem::from(&error).reason)?;
        found.push([record.id().to_vec(), record.seq().to_vec()]);
    }
    Ok(found)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory")
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("memory")
}
