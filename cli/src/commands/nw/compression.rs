//! Compression of the output of `gpualign nw`, by the extension of its name.
//!
//! The output is compressed in parts, each of which is a member of gzip or a frame of zstd: decompressors read such files as one
//! text.

use std::io::{self, Write};
use std::path::Path;

use libdeflater::{CompressionLvl, Compressor};

/// Bytes at which a part is complete.
pub const PART_BYTES: usize = 1 << 20;

/// Level of zstd, its default.
const ZSTD_LEVEL: i32 = 3;

/// How output is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// The compression that a file's name asks for, and the name without its extension.
    pub fn of(path: &Path) -> (Self, &Path) {
        let without = path.file_stem().map_or(path, Path::new);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(gz) if gz.eq_ignore_ascii_case("gz") => (Self::Gzip, without),
            Some(zst) if zst.eq_ignore_ascii_case("zst") => (Self::Zstd, without),
            _ => (Self::None, path),
        }
    }

    /// A part of the output in compressed form; nothing if it is empty.
    pub fn compress(self, part: Vec<u8>) -> io::Result<Vec<u8>> {
        if part.is_empty() {
            return Ok(part);
        }
        match self {
            Self::None => Ok(part),
            Self::Gzip => {
                let mut compressor = Compressor::new(CompressionLvl::default());
                let mut member = vec![0; compressor.gzip_compress_bound(part.len())];
                let length = compressor.gzip_compress(&part, &mut member);
                member.truncate(length.map_err(io::Error::other)?);
                Ok(member)
            }
            Self::Zstd => zstd::bulk::compress(&part, ZSTD_LEVEL),
        }
    }
}

/// Writes output in compressed form.
#[derive(Debug)]
pub struct CompressedWriter<W: Write> {
    out: W,
    compression: Compression,
    part: Vec<u8>,
}

impl<W: Write> CompressedWriter<W> {
    pub fn new(out: W, compression: Compression) -> Self {
        Self { out, compression, part: Vec::new() }
    }
}

impl<W: Write> Write for CompressedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    /// Writes what there is as a part.
    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        self.out.write_all(&self.compression.compress(part)?)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_the_compression() {
        for (name, compression, without) in [
            ("a/x.tsv", Compression::None, "a/x.tsv"),
            ("a/x.tsv.gz", Compression::Gzip, "x.tsv"),
            ("x.paf.ZST", Compression::Zstd, "x.paf"),
            ("gz", Compression::None, "gz"),
        ] {
            assert_eq!(Compression::of(Path::new(name)), (compression, Path::new(without)));
        }
    }

    #[test]
    fn parts_are_one_text() {
        let text: Vec<u8> = (0..3_000_000_u32).map(|place| (place / 7 % 251) as u8).collect();
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let mut writer = CompressedWriter::new(Vec::new(), compression);
            for piece in text.chunks(700_001) {
                writer.write_all(piece).expect("memory");
            }
            writer.flush().expect("memory");
            writer.flush().expect("memory");
            let read: Vec<u8> = match compression {
                Compression::None => writer.out,
                Compression::Gzip => {
                    let mut read = Vec::new();
                    let mut decoder = flate2::read::MultiGzDecoder::new(writer.out.as_slice());
                    io::copy(&mut decoder, &mut read).expect("gzip");
                    read
                }
                Compression::Zstd => zstd::decode_all(writer.out.as_slice()).expect("zstd"),
            };
            assert!(read == text, "{compression:?}");
        }
    }
}
