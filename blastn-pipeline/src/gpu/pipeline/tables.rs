//! Tables that all stages of the pipeline read, as flat arrays in device memory: database, queries and lookup table. The
//! structs are shared with `cuda/include/blastn/pipeline/tables.cuh`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use bytemuck::cast_slice;
use rayon::prelude::*;

use super::stages::PipelineInputs;
use crate::scoring::ScoreMatrix;
use crate::seed::word_hits;

device_struct! {
    /// A chunk of the database: a subject, or a part of a long one.
    pub struct DatabaseChunk {
        /// Index of its first base among the packed ones, a multiple of 4.
        pub first: u64,
        /// Number of its bases.
        pub length: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub padding: u32,
    }
}

device_struct! {
    /// A strand of a query, with the scores of its own statistics.
    pub(crate) struct QueryStrand {
        /// Index of its first letter among those of the batch.
        first: u32,
        /// One behind the index of its last letter.
        end: u32,
        /// Minus the X-drop of ungapped extensions.
        drop: i32,
        /// Least score of an extension by four columns at a time.
        reduced_cutoff: i32,
        /// Least score of an ungapped extension.
        cutoff: i32,
        /// 1 if some letter of it is ambiguous, else 0.
        has_ambiguous: u32,
    }
}

device_struct! {
    /// Score lookup entry: how eight columns, of which it is known which differ, change a score that is 0 before.
    #[derive(Default)]
    #[repr(align(8))]
    pub(crate) struct EightColumnScore {
        /// Sum of all eight.
        total: i16,
        /// Greatest sum of the first 1, 2, ..., 8 columns.
        best: i16,
        /// The fewest columns that have this sum.
        best_length: i16,
        /// How far the sum falls below its best so far, or below 0, at most: 0 or negative.
        fall: i16,
    }
}

impl EightColumnScore {
    /// The entry for columns of which those in `different` differ, the first in the lowest bit.
    fn of(different: usize, reward: i32, penalty: i32) -> Self {
        let (mut total, mut best, mut best_length, mut fall) = (0, i32::MIN, 0, 0);
        for column in 0..8 {
            total += if different >> column & 1 == 0 { reward } else { penalty };
            if total > best {
                (best, best_length) = (total, column + 1);
            }
            fall = fall.min(total - best.max(0));
        }
        let [total, best, best_length, fall] =
            [total, best, best_length, fall].map(|value| value as i16);
        Self { total, best, best_length, fall }
    }
}

device_struct! {
    /// Everything that kernels of the pipeline read besides their input.
    pub struct PipelineTables {
        /// Bases of the database, as [`packed_words`] packs them, from the first base on.
        packed_bases: DeviceAddress<u32>,
        /// Chunks of the database.
        chunks: DeviceAddress<DatabaseChunk>,
        /// Of each possible word, a bit: whether the queries have it.
        word_present: DeviceAddress<u32>,
        /// Of each possible word, where its entries in `word_places` begin; and the end of all.
        word_starts: DeviceAddress<u32>,
        /// Indices of letters at which words begin, grouped by word.
        word_places: DeviceAddress<u32>,
        /// Of each letter, a bit: whether a word that is looked up begins there.
        word_begins: DeviceAddress<u32>,
        /// Letters of the batch, a byte each.
        letters: DeviceAddress<u8>,
        /// Letters packed as the database, with 0 for ambiguous ones.
        letter_bases: DeviceAddress<u32>,
        /// Packed likewise, 1 for each ambiguous letter, else 0.
        ambiguous: DeviceAddress<u32>,
        /// Strands, in the order of the letters.
        strands: DeviceAddress<QueryStrand>,
        /// Scores of all 16 x 16 pairs of letters.
        matrix: DeviceAddress<i32>,
        /// Scores of four columns, by the exclusive or of their packed bases; empty unless `uses_quads`.
        byte_scores: DeviceAddress<i32>,
        /// Scores of eight columns, by the set of columns that differ.
        eight_column_scores: DeviceAddress<EightColumnScore>,
        /// Bit e tells whether a hit with e equal columns before it represents its exact match.
        representative_offsets: u64,
        /// Number of letters of the batch.
        letter_count: u32,
        /// Number of strands of the batch.
        strand_count: u32,
        /// Bases of a word in the lookup table.
        lookup_width: u32,
        /// Bases that must be equal in a row: the option `word_size`.
        word_length: u32,
        /// Bases between two words of the database that are looked up.
        stride: u32,
        /// 1 if extensions begin with the quad test (`byte_scores`), else 0.
        uses_quads: u32,
        /// Score of a column of equal bases.
        reward: i32,
        /// Score of a column of different bases.
        penalty: i32,
    }
}

impl PipelineTables {
    /// Number of letters of the batch.
    pub(super) fn letters(&self) -> u32 {
        self.letter_count
    }

    /// Sets the addresses of the [`packed_words`] of a database and of some of its chunks.
    #[must_use]
    pub fn with_database(self, packed_words: u64, chunks: u64) -> Self {
        let packed_bases = first_bases(packed_words);
        Self { packed_bases, chunks: DeviceAddress::new(chunks), ..self }
    }
}

/// Packs bases, which are four a byte, as kernels read them: 16 in a word of 32 bits, the first in the highest two bits, with
/// four words before them and six or more behind. An element of the result holds two words, the first in its lower half, so
/// that they are aligned to 8 bytes. Works on the current rayon pool.
pub fn packed_words(packed: &[u8]) -> Vec<u64> {
    const BYTES: usize = size_of::<u64>();
    pairs_of_words::<BYTES>(packed, |bytes| {
        let mut pair = [0; BYTES];
        pair[..bytes.len()].copy_from_slice(bytes);
        u64::from_be_bytes(pair)
    })
}

/// Makes pairs of words, with words around them as [`packed_words`] says, each of the next `N` elements, of which the last pair may
/// have fewer. `pair` gives the first word in the upper half.
fn pairs_of_words<const N: usize>(elements: &[u8], pair: impl Fn(&[u8]) -> u64 + Sync) -> Vec<u64> {
    let count = elements.len().div_ceil(N);
    let mut pairs = vec![0; WORDS_BEFORE / 2 + count + WORDS_BEHIND / 2];
    let own = pairs[WORDS_BEFORE / 2..].par_iter_mut().zip(elements.par_chunks(N));
    own.with_min_len(LEAST_PAIRS)
        .for_each(|(to, elements)| *to = pair(elements).rotate_left(u32::BITS));
    pairs
}

/// Words of 32 bits before the first code of [`packed_words`].
const WORDS_BEFORE: usize = 4;

/// Words of 32 bits behind the last code of [`packed_words`], at least: the word of the place behind all codes, four words behind
/// that one, and one more to make pairs of them.
const WORDS_BEHIND: usize = 6;

/// Pairs of words that a task of the pool packs, at least.
const LEAST_PAIRS: usize = 1 << 9;

/// Address of the first bases of [`packed_words`], given that of all words.
pub fn first_bases(packed_words: u64) -> DeviceAddress<u32> {
    DeviceAddress::new(packed_words).offset(WORDS_BEFORE as u64)
}

/// Packs a code of each letter, 2 bits each, as [`packed_words`] does.
fn packed_codes(letters: &[u8], code: impl Fn(u8) -> u8 + Sync) -> Vec<u64> {
    const LETTERS: usize = u64::BITS as usize / 2;
    pairs_of_words::<LETTERS>(letters, |letters| {
        let shifts = (0..u64::BITS).step_by(2).rev();
        let codes = letters.iter().map(|&letter| u64::from(code(letter)));
        codes.zip(shifts).fold(0, |pair, (code, shift)| pair | code << shift)
    })
}

/// One thing for each array of [`PipelineTables`] that is the lookup table: its bytes, its buffer or its address.
#[derive(Debug)]
pub struct PerLookupArray<T> {
    /// Of each possible word, a bit: whether the queries have it.
    pub present: T,
    /// Of each possible word, where its places begin; and the end of all.
    pub starts: T,
    /// Indices of letters at which words begin, grouped by word.
    pub places: T,
}

impl<T> PerLookupArray<T> {
    /// Makes something else of each.
    #[must_use]
    pub fn map<U>(&self, mut make: impl FnMut(&T) -> U) -> PerLookupArray<U> {
        PerLookupArray {
            present: make(&self.present),
            starts: make(&self.starts),
            places: make(&self.places),
        }
    }
}

/// One thing for each other array of [`PipelineTables`] that is about the queries: its bytes, its buffer or its address.
#[derive(Debug)]
pub struct PerArray<T> {
    /// For the array [`PipelineTables::word_begins`].
    word_begins: T,
    /// For the array [`PipelineTables::letters`].
    pub(super) letters: T,
    /// For the array [`PipelineTables::letter_bases`].
    letter_bases: T,
    /// For the array [`PipelineTables::ambiguous`].
    ambiguous: T,
    /// For the array [`PipelineTables::strands`].
    strands: T,
    /// For the array [`PipelineTables::matrix`].
    matrix: T,
    /// For the array [`PipelineTables::byte_scores`].
    byte_scores: T,
    /// For the array [`PipelineTables::eight_column_scores`].
    eight_column_scores: T,
}

impl<T> PerArray<T> {
    /// Makes something else of each.
    ///
    /// # Errors
    /// The first error of `make`.
    pub fn try_map<U, E>(
        &self,
        mut make: impl FnMut(&T) -> Result<U, E>,
    ) -> Result<PerArray<U>, E> {
        Ok(PerArray {
            word_begins: make(&self.word_begins)?,
            letters: make(&self.letters)?,
            letter_bases: make(&self.letter_bases)?,
            ambiguous: make(&self.ambiguous)?,
            strands: make(&self.strands)?,
            matrix: make(&self.matrix)?,
            byte_scores: make(&self.byte_scores)?,
            eight_column_scores: make(&self.eight_column_scores)?,
        })
    }

    /// Makes something else of each, which cannot fail.
    #[must_use]
    pub fn map<U>(&self, mut make: impl FnMut(&T) -> U) -> PerArray<U> {
        let made: Result<_, std::convert::Infallible> = self.try_map(|one| Ok(make(one)));
        let Ok(made) = made;
        made
    }
}

/// The arrays of [`PipelineTables`] that are about the queries, in the host's memory.
#[derive(Debug)]
pub struct PipelineArrays<'a> {
    inputs: &'a PipelineInputs,
    strands: Vec<QueryStrand>,
    matrix: Vec<i32>,
    letter_bases: Vec<u64>,
    ambiguous: Vec<u64>,
    eight_column_scores: Vec<EightColumnScore>,
}

impl<'a> PipelineArrays<'a> {
    /// The arrays for a batch of queries.
    pub fn new(inputs: &'a PipelineInputs) -> Self {
        let batch = &inputs.batch;
        let is_ambiguous = |letter: u8| letter > 3;
        let strands = batch.contexts().par_iter().map(|context| {
            let range = context.range();
            let (first, end) = (range.start as u32, range.end as u32);
            let letters = &batch.letters[range];
            // Strands without statistics have no words.
            let scores = context.statistics.map_or((0, 0, 0), |statistics| {
                (-statistics.x_drop, statistics.approximate_cutoff(), statistics.gap_trigger)
            });
            let (drop, reduced_cutoff, cutoff) = scores;
            let has_ambiguous = letters.iter().any(|&letter| is_ambiguous(letter)).into();
            QueryStrand { first, end, drop, reduced_cutoff, cutoff, has_ambiguous }
        });
        let letters = 0..16_u8;
        let matrix = letters.clone().flat_map(|one| {
            letters.clone().map(move |other| ScoreMatrix::get(&batch.matrix, one, other))
        });
        let matrix: Vec<i32> = matrix.collect();
        let eight_column_scores =
            (0..256).map(|different| EightColumnScore::of(different, matrix[0], matrix[1]));
        Self {
            letter_bases: packed_codes(&batch.letters, |letter| {
                if is_ambiguous(letter) { 0 } else { letter }
            }),
            ambiguous: packed_codes(&batch.letters, |letter| is_ambiguous(letter).into()),
            strands: strands.collect(),
            eight_column_scores: eight_column_scores.collect(),
            matrix,
            inputs,
        }
    }

    /// Bytes of the arrays.
    pub fn bytes(&self) -> PerArray<&[u8]> {
        PerArray {
            word_begins: cast_slice(self.inputs.lookup.indexed()),
            letters: &self.inputs.batch.letters,
            letter_bases: cast_slice(&self.letter_bases),
            ambiguous: cast_slice(&self.ambiguous),
            strands: cast_slice(&self.strands),
            matrix: cast_slice(&self.matrix),
            byte_scores: self
                .inputs
                .byte_scores
                .0
                .as_ref()
                .map_or(&[], |scores| cast_slice(scores)),
            eight_column_scores: cast_slice(&self.eight_column_scores),
        }
    }

    /// The tables, once the arrays and the lookup table are in device memory at these addresses, without a
    /// [database](PipelineTables::with_database).
    pub fn tables(
        &self,
        arrays: &PerArray<u64>,
        lookup_arrays: &PerLookupArray<u64>,
    ) -> PipelineTables {
        let PipelineInputs { batch, lookup, word_size, byte_scores, .. } = self.inputs;
        PipelineTables {
            packed_bases: DeviceAddress::NULL,
            chunks: DeviceAddress::NULL,
            word_present: DeviceAddress::new(lookup_arrays.present),
            word_starts: DeviceAddress::new(lookup_arrays.starts),
            word_places: DeviceAddress::new(lookup_arrays.places),
            word_begins: DeviceAddress::new(arrays.word_begins),
            letters: DeviceAddress::new(arrays.letters),
            letter_bases: first_bases(arrays.letter_bases),
            ambiguous: first_bases(arrays.ambiguous),
            strands: DeviceAddress::new(arrays.strands),
            matrix: DeviceAddress::new(arrays.matrix),
            byte_scores: DeviceAddress::new(arrays.byte_scores),
            eight_column_scores: DeviceAddress::new(arrays.eight_column_scores),
            representative_offsets: word_hits::representative_hits(lookup, *word_size),
            letter_count: batch.letters.len() as u32,
            strand_count: self.strands.len() as u32,
            lookup_width: lookup.width() as u32,
            word_length: *word_size as u32,
            stride: lookup.stride() as u32,
            uses_quads: u32::from(byte_scores.0.is_some()),
            reward: self.matrix[0],
            penalty: self.matrix[1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::packed;

    #[test]
    fn letters_are_packed_as_bases_are() {
        let seed = 3;
        let mut random = fastrand::Rng::with_seed(seed);
        for length in (0..200).chain([100_000]) {
            let letters: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
            let mut bytes = Vec::new();
            packed::pack(letters.iter().copied(), &mut bytes);
            let words = packed_words(&bytes);
            assert_eq!(packed_codes(&letters, |letter| letter), words, "{length}, seed {seed}");
            let bytes = words.iter().flat_map(|pair| [*pair as u32, (pair >> 32) as u32]);
            let bytes: Vec<u8> = bytes.flat_map(u32::to_be_bytes).collect();
            let begin = size_of::<u32>() * WORDS_BEFORE;
            for (place, &letter) in letters.iter().enumerate() {
                assert_eq!(packed::get(&bytes[begin..], place), letter, "{length}, seed {seed}");
            }
        }
    }
}
