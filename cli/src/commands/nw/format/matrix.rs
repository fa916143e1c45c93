//! The matrix of all pairs, from its upper triangle in a file.
//!
//! A distance is 1 less the identity; of a sequence to itself it is 0. Rows are put together in
//! blocks, so that any number of sequences needs little memory.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use crate::commands::nw::args::NwFormat;

/// Values that a block of rows may have.
const BLOCK: usize = 1 << 24;

/// Bytes of a value.
const BYTES: usize = 4;

/// The upper triangle in a file: row after row, the diagonal only if `scores`.
struct UpperTriangle<'a> {
    file: &'a File,
    count: usize,
    scores: bool,
}

/// Writes the matrix of the sequences `names` from the triangle in `file`, whose values are scores
/// with a diagonal (32-bit integers), or distances without one (32-bit floats).
pub fn write(
    format: NwFormat,
    names: &[String],
    file: &File,
    scores: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let count = names.len();
    let triangle = UpperTriangle { file, count, scores };
    match format {
        NwFormat::Npy => out.write_all(&npy_header(count, scores))?,
        NwFormat::Phylip => writeln!(out, "{count}")?,
        _ => writeln!(out, "\t{}", names.join("\t"))?,
    }
    let rows = (BLOCK / count.max(1)).max(1);
    for start in (0..count).step_by(rows) {
        let end = count.min(start + rows);
        let block = triangle.rows(start, end)?;
        for (row, values) in block.chunks_exact(count * BYTES).enumerate() {
            if format == NwFormat::Npy {
                out.write_all(values)?;
                continue;
            }
            let separator = if format == NwFormat::Phylip { ' ' } else { '\t' };
            write!(out, "{}", names[start + row])?;
            for value in values.chunks_exact(BYTES) {
                let bytes = value.try_into().unwrap_or_default();
                if scores {
                    write!(out, "{separator}{}", i32::from_le_bytes(bytes))?;
                } else {
                    write!(out, "{separator}{:.6}", f32::from_le_bytes(bytes))?;
                }
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

impl UpperTriangle<'_> {
    /// Rows `start..end` of the whole matrix.
    fn rows(&self, start: usize, end: usize) -> io::Result<Vec<u8>> {
        let width = self.count * BYTES;
        // The diagonal of distances stays 0.
        let mut block = vec![0; (end - start) * width];
        for row in start..end {
            let first = self.first(row);
            let from = (row - start) * width + first * BYTES;
            let to = (row - start + 1) * width;
            self.file.read_exact_at(&mut block[from..to], self.place(row, first))?;
        }
        let mut part = vec![0; (end - start) * BYTES];
        for above in 0..end {
            // Of row `above`, the columns that are rows of this block.
            let first = start.max(self.first(above));
            if first >= end {
                continue;
            }
            let part = &mut part[..(end - first) * BYTES];
            self.file.read_exact_at(part, self.place(above, first))?;
            for (row, value) in (first..end).zip(part.chunks_exact(BYTES)) {
                let to = (row - start) * width + above * BYTES;
                block[to..to + BYTES].copy_from_slice(value);
            }
        }
        Ok(block)
    }

    /// The first column of a row of the triangle.
    fn first(&self, row: usize) -> usize {
        row + usize::from(!self.scores)
    }

    /// Where the value of a row and a column is in the file.
    fn place(&self, row: usize, column: usize) -> u64 {
        let longest = self.count - self.first(0);
        // Rows above have one value less each.
        let before = row * longest - row * row.saturating_sub(1) / 2;
        ((before + column - self.first(row)) * BYTES) as u64
    }
}

/// The header of NumPy's format 1.0, padded to a multiple of 64 bytes
/// (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
fn npy_header(count: usize, scores: bool) -> Vec<u8> {
    let kind = if scores { "<i4" } else { "<f4" };
    let mut text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count}, {count}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.push_str(&" ".repeat(length - 1 - text.len()));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.into_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(format: NwFormat, count: usize, scores: bool) -> Vec<u8> {
        let mut file = tempfile::tempfile().expect("a file");
        for row in 0..count {
            for column in row + usize::from(!scores)..count {
                let value = row * 10 + column;
                let bytes = if scores {
                    (value as i32).to_le_bytes()
                } else {
                    (value as f32 / 100.0).to_le_bytes()
                };
                file.write_all(&bytes).expect("writes");
            }
        }
        let names: Vec<String> = (0..count).map(|row| format!("s{row}")).collect();
        let mut out = Vec::new();
        write(format, &names, &file, scores, &mut out).expect("writes");
        out
    }

    #[test]
    fn both_triangles_are_written() {
        let text = |format, scores| String::from_utf8(matrix(format, 3, scores)).expect("text");
        assert_eq!(
            text(NwFormat::Phylip, false),
            "3\ns0 0.000000 0.010000 0.020000\ns1 0.010000 0.000000 0.120000\n\
             s2 0.020000 0.120000 0.000000\n"
        );
        assert_eq!(
            text(NwFormat::Square, true),
            "\ts0\ts1\ts2\ns0\t0\t1\t2\ns1\t1\t11\t12\ns2\t2\t12\t22\n"
        );
        assert_eq!(matrix(NwFormat::Phylip, 1, false), b"1\ns0 0.000000\n");
    }

    #[test]
    fn numpy_s_header_is_aligned() {
        let bytes = matrix(NwFormat::Npy, 2, false);
        assert_eq!(bytes.len(), 128 + 16);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(bytes[127], b'\n');
        let values: Vec<f32> = bytes[128..]
            .chunks_exact(4)
            .map(|value| f32::from_le_bytes(value.try_into().expect("four")))
            .collect();
        assert_eq!(values, [0.0, 0.01, 0.01, 0.0]);
    }
}
