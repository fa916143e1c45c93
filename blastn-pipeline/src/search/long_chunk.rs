//! The ungapped alignments of a long chunk, found on all threads.
//!
//! A bacterial genome is one chunk, so chunks alone do not keep threads busy. Here threads share it in rounds:
//!
//! ```text
//!   a block of the chunk for each thread      find, widen -> words, by pieces of the queries
//!   a piece of the queries for each thread    words of all blocks, in order -> ungapped alignments
//! ```
//!
//! Pieces end where contexts do. No extension leaves its context, so a diagonal of one piece is explored by its own words
//! alone, and the alignments are those of one thread.

use std::ops::Range;

use rayon::prelude::*;

use crate::query::batch::QueryBatch;
use crate::search::handover::Handover;
use crate::search::preliminary::{BLOCK, PreliminarySearch};
use crate::seed::lookup::LookupHit;
use crate::seed::word_hits::WordHit;
use crate::ungapped::diagonals::{ChunkExtender, ExploredDiagonals};
use crate::ungapped::extension::ChunkBases;
use crate::ungapped::hits::UngappedHit;

/// Fewest blocks of a chunk that is shared by threads.
const LEAST_BLOCKS: usize = 16;

/// Whether threads share a chunk of this length.
pub(crate) fn is_shared(length: usize) -> bool {
    length >= LEAST_BLOCKS * BLOCK && rayon::current_num_threads() > 1
}

/// Finds the ungapped alignments with a chunk and appends them to `found`, in any order. There are as many elements of
/// `diagonals` as threads have used at most.
pub(crate) fn ungapped(
    search: &PreliminarySearch<'_>,
    chunk: ChunkBases<'_>,
    diagonals: &mut Vec<ExploredDiagonals>,
    found: &mut Vec<UngappedHit>,
) {
    let PreliminarySearch { batch, byte_scores, handover, .. } = *search;
    let threads = rayon::current_num_threads();
    let pieces = pieces(batch, threads);
    if diagonals.len() < pieces.len() {
        diagonals.resize_with(pieces.len(), ExploredDiagonals::default);
    }
    let mut extending: Vec<(ChunkExtender<'_>, Vec<UngappedHit>)> = diagonals[..pieces.len()]
        .iter_mut()
        .map(|diagonals| (ChunkExtender::new(batch, byte_scores, chunk, diagonals), Vec::new()))
        .collect();
    let blocks: Vec<Range<usize>> = search.blocks(chunk).collect();
    for round in blocks.chunks(threads) {
        // The batch may be the GPU's by now.
        if handover.is_some_and(Handover::is_due) {
            return;
        }
        let words: Vec<Vec<Vec<WordHit>>> = round
            .par_iter()
            .map_init(<(Vec<LookupHit>, Vec<WordHit>)>::default, |(hits, words), block| {
                search.words_of_block(chunk, block.clone(), hits, words);
                by_piece(words, &pieces)
            })
            .collect();
        extending.par_iter_mut().enumerate().for_each(|(piece, (extender, found))| {
            for of_block in &words {
                extender.extend(&of_block[piece], found);
            }
        });
    }
    for (_, of_piece) in extending {
        found.extend(of_piece);
    }
}

/// At most so many ranges of the letters of a batch, of about the same length, each of whole contexts.
fn pieces(batch: &QueryBatch, count: usize) -> Vec<Range<usize>> {
    let all = batch.letters.len();
    let mut starts = vec![0];
    for number in 1..count {
        let wanted = all * number / count;
        let next = batch.contexts.partition_point(|context| context.first < wanted);
        if let Some(context) =
            batch.contexts.get(next).filter(|it| it.first > starts[starts.len() - 1])
        {
            starts.push(context.first);
        }
    }
    let ends = starts[1..].iter().copied().chain([all]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The words of each piece, in order.
fn by_piece(words: &[WordHit], pieces: &[Range<usize>]) -> Vec<Vec<WordHit>> {
    let mut found = vec![Vec::new(); pieces.len()];
    for word in words {
        let piece = pieces.partition_point(|piece| piece.end <= word.query as usize);
        found[piece].push(*word);
    }
    found
}

#[cfg(test)]
mod tests {
    use aligner_core::Device;

    use super::*;
    use crate::database::Builder;
    use crate::options::{BlastTask, SearchOptions};
    use crate::search::Searcher;
    use crate::sequence::fasta::FastaRecord;

    fn record(letters: Vec<u8>) -> FastaRecord {
        FastaRecord { letters, ..FastaRecord::default() }
    }

    #[test]
    fn threads_that_share_a_chunk_find_what_one_finds() {
        let mut random = fastrand::Rng::with_seed(5);
        let genome: Vec<u8> = (0..LEAST_BLOCKS * BLOCK + 12_345).map(|_| random.u8(..4)).collect();
        assert!(genome.len() >= LEAST_BLOCKS * BLOCK);
        // Some queries lie across the seams of blocks; some have no match, and one is longer than a block.
        let mut queries: Vec<FastaRecord> = (0..40)
            .map(|number: usize| {
                let length = random.usize(20..900);
                let begin = (number * BLOCK / 3).min(genome.len() - length);
                let letters = genome[begin..begin + length].iter();
                let mutate =
                    |&letter: &u8| if random.u8(..12) == 0 { random.u8(..4) } else { letter };
                record(letters.map(mutate).collect())
            })
            .collect();
        queries.push(record((0..300).map(|_| random.u8(..4)).collect()));
        queries.push(record(genome[1_000..BLOCK + 5_000].to_vec()));
        let mut database = Builder::default();
        database.add(&record(genome));
        let database = database.finish("genome", 0);
        for task in [BlastTask::Blastn, BlastTask::Megablast] {
            let options = SearchOptions::new(task);
            let searcher = Searcher::new(&database, options, Device::Cpu, None).expect("is made");
            let found = |threads: usize, queries: &[FastaRecord]| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let results = pool.expect("starts").install(|| searcher.search(queries));
                (results.ungapped_counts, format!("{:?}", results.hits))
            };
            for queries in [&queries[..], &queries[..1], &queries[40..]] {
                let expected = found(1, queries);
                for threads in [2, 3, 7] {
                    assert!(found(threads, queries) == expected, "{task:?}, {threads} threads");
                }
            }
        }
    }
}
