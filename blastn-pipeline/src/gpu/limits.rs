//! How much of a search a device does at a time: parts of the database, runs of their chunks, pieces of the queries.

use std::sync::Arc;

use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::query::batch::QueryBatch;
use crate::seed::lookup::Lookup;
use crate::sequence::packed;

/// Words that a run of chunks is expected to share with a piece of the queries by chance, at most: all of them are in memory at
/// the same time.
const CHANCE_WORDS: u64 = 1 << 26;

/// Bytes of device memory for each ungapped alignment of a batch, roughly: itself, keys and buffers of the sort, its sides with
/// their reaches, and the seeds that it was found by.
pub(crate) const BYTES_A_HIT: u64 = 512;

/// Letters of the queries whose words a GPU looks up in one piece: those of any batch of several queries, of which the largest have
/// 5 million bases on both strands, and of the sequence of any bacterium. A piece has a lookup table of its own, whatever its length.
pub(crate) const PIECE_LETTERS: usize = 1 << 24;

/// The least number of bases that are worth another GPU. Task blastn looks up every fourth word of them, 2,048 of which are an item of the
/// pipeline: that is an item for each of about 1,000 blocks that a large GPU runs at a time. With fewer bases, blocks of each GPU
/// would have nothing to do, and the tables of each batch, which each GPU gets, are as large as for all bases.
pub(crate) const LEAST_SHARE: u64 = 1 << 23;

/// Limits of what a device does at a time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of device memory for the database.
    pub memory: u64,
    /// Letters of the queries, on both strands, whose words are looked up in one piece.
    pub piece_letters: usize,
    /// Ungapped alignments of a batch, roughly: fewer if one portion (see [`crate::search::seeded_batches`]) has more.
    pub hits: u64,
    /// Bases of a database that are worth a device, if several share it: there are as many devices as have so many each.
    pub least_share: u64,
}

impl Limits {
    /// Number of bases of a part of the database, so that all workers fit into the memory while each is at another part. Only one
    /// worker seeds if there are several parts; it has the bases of a part, 2 bits each. Each of the
    /// `later_workers` has bases, too, for the prefilter and for gapped extensions, and letters, 4 bits each, for columns.
    pub(crate) fn bases(&self, later_workers: usize) -> u64 {
        self.memory / (1 + 3 * later_workers as u64) * packed::BASES as u64
    }
}

/// The number of devices that a database of so many letters is worth, given the least share of one.
pub(crate) fn worthwhile_devices(letters: u64, least_share: u64) -> usize {
    let shares = letters.checked_div(least_share).unwrap_or(u64::MAX);
    usize::try_from(shares).unwrap_or(usize::MAX).max(1)
}

/// Divides chunks into runs that share not too many words with queries of `query_letters` letters.
pub(crate) fn runs(
    chunks: &[DatabaseChunk],
    query_letters: usize,
    word: usize,
) -> impl Iterator<Item = &[DatabaseChunk]> {
    let chance = (query_letters as f64).max(1.0) / 4_f64.powi(word as i32);
    let most = (CHANCE_WORDS as f64 / chance) as u64;
    let mut rest = chunks;
    std::iter::from_fn(move || {
        let mut bases = 0;
        let fitting = rest.iter().take_while(|chunk| {
            bases += u64::from(chunk.length);
            bases <= most
        });
        let count = fitting.count().max(1).min(rest.len());
        let (run, behind) = rest.split_at(count);
        rest = behind;
        (count > 0).then_some(run)
    })
}

/// Divides the words of a batch into pieces of at most `most` letters; gives the end of each piece, and its lookup table.
pub(crate) fn pieces(
    batch: &QueryBatch,
    lookup: &Arc<Lookup>,
    most: usize,
) -> impl Iterator<Item = (u32, Arc<Lookup>)> {
    let letters = batch.letters.len();
    (0..letters).step_by(most).map(move |start| {
        let end = start.saturating_add(most).min(letters) as u32;
        if letters <= most {
            return (end, Arc::clone(lookup));
        }
        (end, Arc::new(Lookup::piece(lookup, start as u32..end)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_not_less_than_the_least() {
        let devices = [0, 7, 8, 23, 24].map(|letters| worthwhile_devices(letters, 8));
        assert_eq!(devices, [1, 1, 1, 2, 3]);
        assert_eq!(worthwhile_devices(5, 0), usize::MAX);
    }

    #[test]
    fn runs_are_as_long_as_words_allow() {
        let chunk = |length| DatabaseChunk { first: 0, length, padding: 0 };
        let chunks = [5_000_000, 5_000_000, 1_000, 5_000_000].map(chunk);
        let lengths = |query_letters, word| -> Vec<usize> {
            runs(&chunks, query_letters, word).map(<[DatabaseChunk]>::len).collect()
        };
        assert_eq!(lengths(0, 11), [4]);
        assert_eq!(lengths(2_000_000, 11), [4]);
        // Twelve words by chance a base: a run may have 5.6 million bases.
        assert_eq!(lengths(50_000_000, 11), [1, 2, 1]);
        assert_eq!(lengths(1_000_000_000, 11), [1, 1, 1, 1]);
        assert_eq!(lengths(1_000_000_000, 28), [4]);
        assert_eq!(runs(&[], 5, 11).count(), 0);
    }
}
