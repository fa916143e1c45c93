//! Matrix of all pairs, from its upper triangle in a file.
//!
//! A distance is 0 from a sequence to itself. One that is infinite is `inf`, but -1 in PHYLIP's format, as its own programs
//! write it. Scores with decimals are 64-bit floats in NumPy's format. Rows are assembled in blocks, so that any number of
//! sequences needs little memory.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use nw_batch::scoring::decimal;
use serde::{Deserialize, Serialize};

use super::number::decimals;
use crate::commands::nw::args::NwFormat;

/// Greatest number of values in a block of rows.
const BLOCK: usize = 1 << 24;

/// Bytes of a value.
const BYTES: usize = 4;

/// What the values of a matrix are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatrixValues {
    /// Scores in units of `1 / scale`: 32-bit integers.
    Scores { scale: i32 },
    /// Distances: 32-bit floats.
    Distances,
}

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
    values: MatrixValues,
    out: &mut impl Write,
) -> io::Result<()> {
    let count = names.len();
    let has_scores = values != MatrixValues::Distances;
    let triangle = UpperTriangle { file, count, has_scores };
    // Between the values of a row of text; none in NumPy's bytes.
    let separator = match format {
        NwFormat::Npy => {
            out.write_all(&npy_header(count, values))?;
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
        NwFormat::Tsv | NwFormat::Csv | NwFormat::Paf | NwFormat::Sam | NwFormat::Pair => {
            unreachable!("{format:?} is a format of pairs, not of a matrix")
        }
    };
    let rows = (BLOCK / count.max(1)).max(1);
    for start in (0..count).step_by(rows) {
        let end = count.min(start + rows);
        let block = triangle.rows(start, end)?;
        for (row, bytes) in block.chunks_exact(count * BYTES).enumerate() {
            let row_values =
                bytes.chunks_exact(BYTES).map(|bytes| bytes.try_into().unwrap_or_default());
            let Some(separator) = separator else {
                match values {
                    MatrixValues::Scores { scale } if scale > 1 => {
                        for value in row_values {
                            let score = f64::from(i32::from_le_bytes(value)) / f64::from(scale);
                            out.write_all(&score.to_le_bytes())?;
                        }
                    }
                    _ => out.write_all(bytes)?,
                }
                continue;
            };
            write!(out, "{}", names[start + row])?;
            for value in row_values {
                write!(out, "{separator}")?;
                match values {
                    MatrixValues::Scores { scale } => {
                        let digits = decimals(scale);
                        let score = decimal::divided(i32::from_le_bytes(value), scale);
                        write!(out, "{score:.digits$}")?;
                    }
                    MatrixValues::Distances => {
                        let distance = f32::from_le_bytes(value);
                        let is_undefined = format == NwFormat::Phylip && distance.is_infinite();
                        write!(out, "{:.6}", if is_undefined { -1.0 } else { distance })?;
                    }
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
fn npy_header(count: usize, values: MatrixValues) -> Vec<u8> {
    let kind = match values {
        MatrixValues::Scores { scale: 1 } => "<i4",
        MatrixValues::Scores { .. } => "<f8",
        MatrixValues::Distances => "<f4",
    };
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

    fn matrix(format: NwFormat, count: usize, values: MatrixValues) -> Vec<u8> {
        let scores = values != MatrixValues::Distances;
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
        write(format, &names, &file, values, &mut out).expect("writes");
        out
    }

    #[test]
    fn both_triangles_are_written() {
        let text = |format, values| String::from_utf8(matrix(format, 3, values)).expect("text");
        assert_eq!(
            text(NwFormat::Phylip, MatrixValues::Distances),
            "3\ns0 0.000000 0.010000 0.020000\ns1 0.010000 0.000000 0.120000\n\
             s2 0.020000 0.120000 0.000000\n"
        );
        assert_eq!(
            text(NwFormat::Square, MatrixValues::Scores { scale: 1 }),
            "\ts0\ts1\ts2\ns0\t0\t1\t2\ns1\t1\t11\t12\ns2\t2\t12\t22\n"
        );
        let halves = text(NwFormat::Square, MatrixValues::Scores { scale: 2 });
        assert!(halves.ends_with("\ns2\t1.0\t6.0\t11.0\n"), "{halves}");
        assert_eq!(matrix(NwFormat::Phylip, 1, MatrixValues::Distances), b"1\ns0 0.000000\n");
    }

    #[test]
    fn infinite_distances_are_told() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&f32::INFINITY.to_le_bytes()).expect("writes");
        let names = ["a", "b"].map(str::to_owned);
        let text = |format| {
            let mut out = Vec::new();
            write(format, &names, &file, MatrixValues::Distances, &mut out).expect("writes");
            String::from_utf8(out).expect("text")
        };
        assert!(text(NwFormat::Phylip).contains("a 0.000000 -1.000000\n"));
        assert!(text(NwFormat::Square).contains("a\t0.000000\tinf\n"));
    }

    #[test]
    fn numpy_s_header_is_aligned() {
        let bytes = matrix(NwFormat::Npy, 2, MatrixValues::Distances);
        assert_eq!(bytes.len(), 128 + 16);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(bytes[127], b'\n');
        let values: Vec<f32> = bytes[128..]
            .chunks_exact(4)
            .map(|value| f32::from_le_bytes(value.try_into().expect("four")))
            .collect();
        assert_eq!(values, [0.0, 0.01, 0.01, 0.0]);
        let bytes = matrix(NwFormat::Npy, 2, MatrixValues::Scores { scale: 2 });
        assert_eq!(bytes.len(), 128 + 4 * 8);
        assert_eq!(bytes[128 + 3 * 8..], 5.5_f64.to_le_bytes());
    }
}
