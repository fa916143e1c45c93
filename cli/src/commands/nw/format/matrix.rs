//! Matrix of all pairs, from its upper triangle in a file.
//!
//! A distance is 1 - identity, and 0 from a sequence to itself. Rows are assembled in blocks, so that any number of
//! sequences needs little memory.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use crate::commands::nw::args::NwFormat;

/// Greatest number of values in a block of rows.
const BLOCK: usize = 1 << 24;

/// Bytes of a value.
const BYTES: usize = 4;

/// Upper triangle of the matrix in a file, row after row; it has the diagonal if values are scores.
struct UpperTriangle<'a> {
    file: &'a File,
    /// Number of sequences: rows and columns of the matrix.
    count: usize,
    /// Whether values are scores (32-bit integers), not distances (32-bit floats).
    has_scores: bool,
}

/// Writes the matrix of the sequences `names` from the upper triangle in `file`.
pub fn write(
    format: NwFormat,
    names: &[String],
    file: &File,
    has_scores: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let count = names.len();
    let triangle = UpperTriangle { file, count, has_scores };
    // Between the values of a row of text; none in NumPy's bytes.
    let separator = match format {
        NwFormat::Npy => {
            out.write_all(&npy_header(count, has_scores))?;
            None
        }
        NwFormat::Phylip => {
            writeln!(out, "{count}")?;
            Some(' ')
        }
        NwFormat::Square => {
            writeln!(out, "\t{}", names.join("\t"))?;
            Some('\t')
        }
        NwFormat::Tsv | NwFormat::Paf | NwFormat::Pair => {
            unreachable!("{format:?} is a format of pairs, not of a matrix")
        }
    };
    let rows = (BLOCK / count.max(1)).max(1);
    for start in (0..count).step_by(rows) {
        let end = count.min(start + rows);
        let block = triangle.rows(start, end)?;
        for (row, values) in block.chunks_exact(count * BYTES).enumerate() {
            let Some(separator) = separator else {
                out.write_all(values)?;
                continue;
            };
            write!(out, "{}", names[start + row])?;
            for value in values.chunks_exact(BYTES) {
                let bytes = value.try_into().unwrap_or_default();
                if has_scores {
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
            // Columns of row `above` that are rows of this block.
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

    /// First column of a row of the triangle.
    fn first(&self, row: usize) -> usize {
        row + usize::from(!self.has_scores)
    }

    /// Byte offset in the file of the value of a row and a column.
    fn place(&self, row: usize, column: usize) -> u64 {
        let longest = self.count - self.first(0);
        // Each row has one value less than the row above it.
        let before = row * longest - row * row.saturating_sub(1) / 2;
        ((before + column - self.first(row)) * BYTES) as u64
    }
}

/// Header of NumPy's format 1.0, padded to a multiple of 64 bytes
/// (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
fn npy_header(count: usize, has_scores: bool) -> Vec<u8> {
    let kind = if has_scores { "<i4" } else { "<f4" };
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
