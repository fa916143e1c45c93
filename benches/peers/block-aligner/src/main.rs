//! How many global alignments a second block-aligner does, beside `gpualign nw pairs`.
//!
//! `RUSTFLAGS="-C target-feature=+avx2" cargo run --release -- A.fa B.fa`, on RAYON_NUM_THREADS threads.
//! Match 5, mismatch -4, gaps 10 and 1 a further base; blocks of 32 to 256, its recommendation for
//! global alignments, so that some scores may be too low.

use std::error::Error;
use std::time::Instant;

use block_aligner::cigar::Cigar;
use block_aligner::scan_block::{Block, PaddedBytes};
use block_aligner::scores::{Gaps, NucMatrix};
use rayon::prelude::*;

const LEAST: usize = 32;
const MOST: usize = 256;
const GAPS: Gaps = Gaps { open: -10, extend: -1 };

fn read(path: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut reader = needletail::parse_fastx_file(path)?;
    let mut all = Vec::new();
    while let Some(record) = reader.next() {
        all.push(record?.seq().into_owned());
    }
    Ok(all)
}

/// The score, and with `TRACE` the number of runs of the CIGAR.
fn align<const TRACE: bool>(query: &[u8], target: &[u8], matrix: &NucMatrix) -> (i64, usize) {
    let query = PaddedBytes::from_bytes::<NucMatrix>(query, MOST);
    let target = PaddedBytes::from_bytes::<NucMatrix>(target, MOST);
    let mut block = Block::<TRACE, false>::new(query.len(), target.len(), MOST);
    block.align(&query, &target, matrix, GAPS, LEAST..=MOST, 0);
    let found = block.res();
    let mut cigar = Cigar::new(found.query_idx, found.reference_idx);
    if TRACE {
        block.trace().cigar(found.query_idx, found.reference_idx, &mut cigar);
    }
    (found.score.into(), cigar.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = paths.as_slice() else { return Err("usage: block-aligner-peer A.fa B.fa".into()) };
    let (a, b) = (read(a)?, read(b)?);
    let matrix = NucMatrix::new_simple(5, -4);
    let cells: usize = a.iter().zip(&b).map(|(a, b)| a.len() * b.len()).sum();
    for (name, align) in [
        ("block-aligner, scores", align::<false> as fn(&[u8], &[u8], &NucMatrix) -> (i64, usize)),
        ("block-aligner, CIGAR", align::<true>),
    ] {
        let begin = Instant::now();
        let score: i64 = a.par_iter().zip(&b).map(|(a, b)| align(a, b, &matrix).0).sum();
        let time = begin.elapsed().as_secs_f64();
        println!(
            "{name:<32} {:>10} pairs {time:>8.3} s {:>12.0} pairs/s {:>9.4} Tcells/s  mean score {:.2}",
            a.len(),
            a.len() as f64 / time,
            cells as f64 / time / 1e12,
            score as f64 / a.len() as f64
        );
    }
    Ok(())
}
