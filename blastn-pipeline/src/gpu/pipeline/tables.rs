//! What a device is told: the database, the queries and their words as flat arrays.

use bytemuck::{Pod, Zeroable, cast_slice};

use super::stages::PipelineInputs;
use crate::scoring::Matrix;
use crate::seed::word_hits;
use crate::sequence::packed;

/// A part of the database.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DatabaseChunk {
    /// Its first base in the packed ones, a multiple of 4.
    pub first: u64,
    /// Its bases.
    pub length: u32,
    /// Nothing.
    pub padding: u32,
}

/// A strand of a query.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct QueryStrand {
    first: u32,
    end: u32,
    drop: i32,
    nearly: i32,
    trigger: i32,
    /// Whether it has letters that are no bases.
    is_odd: u32,
}

/// What eight columns add to a score that is 0.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
struct EightColumnScore {
    total: i16,
    /// The best of the first one, two, ..., and how many columns that is, at least.
    best: i16,
    place: i16,
    /// The most by which the score falls below its best, or 0, before: negative.
    fall: i16,
}

impl EightColumnScore {
    /// For columns of which those in `different` differ, the first in the lowest bit.
    fn of(different: usize, reward: i32, penalty: i32) -> Self {
        let (mut total, mut best, mut place, mut fall) = (0, i32::MIN, 0, 0);
        for column in 0..8 {
            total += if different >> column & 1 == 0 { reward } else { penalty };
            if total > best {
                (best, place) = (total, column + 1);
            }
            fall = fall.min(total - best.max(0));
        }
        let [total, best, place, fall] = [total, best, place, fall].map(|value| value as i16);
        Self { total, best, place, fall }
    }
}

/// `PipelineInputs` of `cuda/include/blastn/context.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct PipelineTables {
    /// Of [`PipelineArrays::arrays`], with the packed bases before them.
    addresses: [u64; 13],
    /// [`words::turns`].
    turns: u64,
    letter_count: u32,
    strand_count: u32,
    width: u32,
    word: u32,
    stride: u32,
    by_four: u32,
    reward: i32,
    penalty: i32,
}

impl PipelineTables {
    /// Letters of the queries.
    pub(super) fn letters(&self) -> u32 {
        self.letter_count
    }
}

/// ChunkBases as a device reads them: 16 a word of 32 bits, the first in the highest two, with four words
/// before them and four to spare. Two words make an element, the first in its lower half, so that they
/// are aligned.
pub fn packed_words(packed: &[u8]) -> Vec<u64> {
    let (fours, rest) = packed.as_chunks::<4>();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let none = [0; 4];
    let words = std::iter::repeat_n(&none, WORDS_BEFORE).chain(fours).chain([&last]);
    let mut words: Vec<u32> = words.map(|&bytes| u32::from_be_bytes(bytes)).collect();
    words.resize((words.len() + 4).next_multiple_of(2), 0);
    let (pairs, _) = words.as_chunks::<2>();
    pairs.iter().map(|&[first, second]| u64::from(second) << 32 | u64::from(first)).collect()
}

/// Words before packed codes.
const WORDS_BEFORE: usize = 4;
/// Bytes before the first code of [`packed_words`].
pub const FIRST_BASE: u64 = (WORDS_BEFORE * size_of::<u32>()) as u64;

/// Codes of letters, packed likewise.
fn packed_codes(letters: &[u8], code: impl Fn(u8) -> u8) -> Vec<u64> {
    let mut bytes = Vec::new();
    packed::pack(letters.iter().map(|&letter| code(letter)), &mut bytes);
    // As many words as extensions may look ahead.
    packed_words(&bytes)
}

/// The arrays of a search but for the bases of the database.
#[derive(Debug)]
pub struct PipelineArrays<'a> {
    context: &'a PipelineInputs,
    chunks: &'a [DatabaseChunk],
    strands: Vec<QueryStrand>,
    matrix: Vec<i32>,
    bases: Vec<u64>,
    odd: Vec<u64>,
    eights: Vec<EightColumnScore>,
}

impl<'a> PipelineArrays<'a> {
    /// For queries, and the parts of a database.
    pub fn new(context: &'a PipelineInputs, chunks: &'a [DatabaseChunk]) -> Self {
        let batch = &context.batch;
        let is_odd = |letter: u8| letter > 3;
        let strands = batch.contexts().iter().map(|context| {
            let range = context.range();
            let (first, end) = (range.start as u32, range.end as u32);
            let letters = &batch.letters[range];
            // Strands without statistics have no words.
            let scores = context.statistics.map_or((0, 0, 0), |statistics| {
                (-statistics.x_drop, statistics.nearly(), statistics.trigger)
            });
            let (drop, nearly, trigger) = scores;
            let is_odd = letters.iter().any(|&letter| is_odd(letter)).into();
            QueryStrand { first, end, drop, nearly, trigger, is_odd }
        });
        let letters = 0..16_u8;
        let matrix = letters.clone().flat_map(|one| {
            letters.clone().map(move |other| Matrix::get(&batch.matrix, one, other))
        });
        let matrix: Vec<i32> = matrix.collect();
        let eights = (0..256).map(|different| EightColumnScore::of(different, matrix[0], matrix[1]));
        Self {
            bases: packed_codes(&batch.letters, |letter| if is_odd(letter) { 0 } else { letter }),
            odd: packed_codes(&batch.letters, |letter| is_odd(letter).into()),
            strands: strands.collect(),
            eights: eights.collect(),
            matrix,
            context,
            chunks,
        }
    }

    /// All arrays as bytes, in the order of their addresses.
    pub fn arrays(&self) -> [&[u8]; 12] {
        let (present, starts, places, indexed) = self.context.lookup.tables();
        [
            cast_slice(self.chunks),
            cast_slice(present),
            cast_slice(starts),
            cast_slice(places),
            cast_slice(indexed),
            &self.context.batch.letters,
            cast_slice(&self.bases),
            cast_slice(&self.odd),
            cast_slice(&self.strands),
            cast_slice(&self.matrix),
            self.context.fours.0.as_ref().map_or(&[], |fours| cast_slice(fours)),
            cast_slice(&self.eights),
        ]
    }

    /// What kernels are given, once the arrays are in the device's memory, and the packed bases.
    pub fn context(&self, packed: u64, arrays: [u64; 12]) -> PipelineTables {
        let PipelineInputs { batch, lookup, word, fours, .. } = self.context;
        let mut addresses = [packed + FIRST_BASE; 13];
        addresses[1..].copy_from_slice(&arrays);
        // The letters' bases, and which are none, have words before them as the database has.
        addresses[7] += FIRST_BASE;
        addresses[8] += FIRST_BASE;
        PipelineTables {
            addresses,
            turns: words::turns(lookup, *word),
            letter_count: batch.letters.len() as u32,
            strand_count: self.strands.len() as u32,
            width: lookup.width() as u32,
            word: *word as u32,
            stride: lookup.stride() as u32,
            by_four: u32::from(fours.0.is_some()),
            reward: self.matrix[0],
            penalty: self.matrix[1],
        }
    }
}
