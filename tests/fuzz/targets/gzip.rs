//! Data of deflate that anyone may hand over as a file of gzip: where flate2 finds a text in it, so do the readers of sequence
//! files, also in a block of BGZF; elsewhere they end with an error or a text.
#![no_main]

use std::io::{Cursor, Read};
use std::num::NonZero;

use aligner_core::bgzf::{self, FOOTER_BYTES, HEADER_BYTES};
use aligner_core::fastx::{self, Text};
use flate2::bufread::DeflateDecoder;
use libfuzzer_sys::fuzz_target;

/// The header of a member of gzip without fields.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// The most bytes that are read of a text: a few bytes of deflate may be those of a very long one.
const MAX_TEXT: u64 = 1 << 20;

/// The most bytes of the text of a block of BGZF.
const MAX_BLOCK_TEXT: usize = 1 << 16;

fuzz_target!(|data: &[u8]| {
    let mut decoder = DeflateDecoder::new(data).take(MAX_TEXT);
    let mut expected = Vec::new();
    let is_text = decoder.read_to_end(&mut expected).is_ok() && decoder.limit() > 0;
    let taken = decoder.into_inner().total_in() as usize;
    let mut crc = flate2::Crc::new();
    crc.update(&expected);
    let end = [crc.sum().to_le_bytes(), (expected.len() as u32).to_le_bytes()].concat();
    let deflate = if is_text { &data[..taken] } else { data };
    let (found, read) = text(&[&HEADER[..], deflate, &end].concat());
    if is_text {
        read.expect("a text");
        assert_eq!(found, expected);
    } else {
        // Text before damage is that of the file, though one may read more of it than the other.
        let both = found.len().min(expected.len());
        assert_eq!(found[..both], expected[..both]);
    }
    let Ok(last) = u16::try_from(HEADER_BYTES + deflate.len() + FOOTER_BYTES - 1) else {
        return;
    };
    let block = [&bgzf::HEADER[..], &last.to_le_bytes(), deflate, &end].concat();
    assert!(fastx::begins_as_bgzf(block.as_slice()).expect("memory"));
    let mut found = Vec::new();
    let threads = NonZero::new(1).expect("not 0");
    let reader = fastx::bgzf_text(Cursor::new(block), threads);
    let read = reader.take(MAX_TEXT).read_to_end(&mut found);
    if is_text && expected.len() <= MAX_BLOCK_TEXT {
        read.expect("a text");
        assert_eq!(found, expected);
    }
});

/// The text of a file of gzip before its end or an error.
fn text(file: &[u8]) -> (Vec<u8>, std::io::Result<usize>) {
    let Ok(Text::Decompressed(reader)) = fastx::text(file) else {
        panic!("a file of gzip was not recognised");
    };
    let mut found = Vec::new();
    let read = reader.take(MAX_TEXT).read_to_end(&mut found);
    (found, read)
}
