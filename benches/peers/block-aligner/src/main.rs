//! Aligns pairs of sequences with block-aligner, as `gpualign nw pairs` does with its own code.
//!
//! Reads two FASTA files with as many records, and writes the score and, with the method CIGAR, the CIGAR of each pair to
//! standard output. `build` compiles it.
//!
//! ```text
//! nw-block-aligner scores|CIGAR THREADS A.fa B.fa
//! nw-block-aligner version
//! ```
//!
//! Match 5, mismatch -4, gap of n bases 10 + (n - 1); blocks of 32 to 256, as block-aligner recommends for global alignments,
//! so that some scores may be too low.

use std::error::Error;
use std::io::{self, BufWriter, Write};

use block_aligner::cigar::Cigar;
use block_aligner::scan_block::{Block, PaddedBytes};
use block_aligner::scores::{Gaps, NucMatrix};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Sizes of blocks in bases.
const LEAST: usize = 32;
const MOST: usize = 256;
const GAPS: Gaps = Gaps { open: -10, extend: -1 };

/// The version of block-aligner, which `build` takes from Cargo.lock.
const VERSION: Option<&str> = option_env!("BLOCK_ALIGNER_VERSION");

fn read(path: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut reader = needletail::parse_fastx_file(path)?;
    let mut all = Vec::new();
    while let Some(record) = reader.next() {
        all.push(record?.seq().into_owned());
    }
    Ok(all)
}

/// The score of a pair, and with `TRACE` its CIGAR.
fn align<const TRACE: bool>(query: &[u8], target: &[u8], matrix: &NucMatrix) -> (i32, String) {
    let query = PaddedBytes::from_bytes::<NucMatrix>(query, MOST);
    let target = PaddedBytes::from_bytes::<NucMatrix>(target, MOST);
    let mut block = Block::<TRACE, false>::new(query.len(), target.len(), MOST);
    block.align(&query, &target, matrix, GAPS, LEAST..=MOST, 0);
    let found = block.res();
    let mut cigar = Cigar::new(found.query_idx, found.reference_idx);
    if TRACE {
        let (query_end, target_end) = (found.query_idx, found.reference_idx);
        block.trace().cigar_eq(&query, &target, query_end, target_end, &mut cigar);
    }
    (found.score, cigar.to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (align, threads, first, second): (fn(&[u8], &[u8], &NucMatrix) -> (i32, String), _, _, _) =
        match words[..] {
            ["version"] => {
                println!("{}", VERSION.unwrap_or("unknown"));
                return Ok(());
            }
            ["scores", threads, first, second] => (align::<false>, threads, first, second),
            ["CIGAR", threads, first, second] => (align::<true>, threads, first, second),
            _ => return Err("usage: nw-block-aligner scores|CIGAR THREADS A.fa B.fa".into()),
        };
    ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let (queries, targets) = (read(first)?, read(second)?);
    if queries.len() != targets.len() {
        return Err("the files have different numbers of sequences".into());
    }
    let matrix = NucMatrix::new_simple(5, -4);
    let alignments: Vec<(i32, String)> =
        queries.par_iter().zip(&targets).map(|(a, b)| align(a, b, &matrix)).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    for (score, cigar) in alignments {
        writeln!(out, "{score}\t{cigar}")?;
    }
    Ok(out.flush()?)
}
