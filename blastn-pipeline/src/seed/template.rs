//! Discontiguous words: words of which only some bases are compared (B. Ma, J. Tromp, M. Li, Bioinformatics 18, 2002).
//!
//! ```text
//!   template   101101100101101101     11 of 18 bases, coding: the third base of a codon may differ
//!   query      ATGGCTAAAGCTGTTATC
//!   subject    ACGGCAAAGGCAGTAATC     a word hit: the bases at each 1 are equal
//! ```
//!
//! The templates are those of NCBI's `blast_nalookup.h`. Each word of a subject is looked up, and a hit is a word hit at
//! once.

use std::ops::Range;

use crate::query::batch::QueryBatch;
use crate::sequence::packed::BASES;

/// Numbers of bases of a word that are compared.
pub(crate) const WEIGHTS: [usize; 2] = [11, 12];

/// Bits of a code that choose a bucket of a table.
const BUCKET_BITS: u32 = 16;

/// Which bases of words are compared (NCBI's `-template_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateKind {
    /// Bases at the first two positions of codons.
    Coding,
    /// Bases that make hits of unrelated words rarest among neighbours.
    Optimal,
    /// Both: a word is a hit with either template.
    CodingAndOptimal,
}

/// Lengths of the templates (NCBI's `-template_length`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateLength {
    /// 16 bases.
    Sixteen,
    /// 18 bases.
    Eighteen,
    /// 21 bases.
    TwentyOne,
}

/// The templates of a search. The number of bases that are compared is the word size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordTemplates {
    /// Which bases are compared.
    pub kind: TemplateKind,
    /// Number of bases from the first to the last that is compared.
    pub length: TemplateLength,
}

impl Default for WordTemplates {
    fn default() -> Self {
        Self { kind: TemplateKind::Coding, length: TemplateLength::Eighteen }
    }
}

impl WordTemplates {
    /// Number of bases from the first to the last that is compared.
    pub(crate) fn length(self) -> usize {
        match self.length {
            TemplateLength::Sixteen => 16,
            TemplateLength::Eighteen => 18,
            TemplateLength::TwentyOne => 21,
        }
    }

    /// The templates for words of so many compared bases: a 1 for each base that is compared.
    fn patterns(self, weight: usize) -> Vec<&'static str> {
        let is_eleven = weight == WEIGHTS[0];
        let coding = match (self.length, is_eleven) {
            (TemplateLength::Sixteen, true) => "1101101101101101",
            (TemplateLength::Sixteen, false) => "1111101101101101",
            (TemplateLength::Eighteen, true) => "101101100101101101",
            (TemplateLength::Eighteen, false) => "101101101101101101",
            (TemplateLength::TwentyOne, true) => "100101100101100101101",
            (TemplateLength::TwentyOne, false) => "100101101101100101101",
        };
        let optimal = match (self.length, is_eleven) {
            (TemplateLength::Sixteen, true) => "1110010110110111",
            (TemplateLength::Sixteen, false) => "1110110110110111",
            (TemplateLength::Eighteen, true) => "111010010110010111",
            (TemplateLength::Eighteen, false) => "111010110010110111",
            (TemplateLength::TwentyOne, true) => "111010010100010010111",
            (TemplateLength::TwentyOne, false) => "111010010110010010111",
        };
        match self.kind {
            TemplateKind::Coding => vec![coding],
            TemplateKind::Optimal => vec![optimal],
            TemplateKind::CodingAndOptimal => vec![coding, optimal],
        }
    }
}

/// The discontiguous words of a batch of queries: a table for each template.
#[derive(Debug)]
pub(crate) struct TemplateTables {
    length: usize,
    tables: Vec<TemplateTable>,
}

/// The positions of the words of one template.
#[derive(Debug)]
struct TemplateTable {
    /// For each run of compared bases, its bits among those of a word, and how far they are moved to the right in the code.
    runs: Vec<(u64, u32)>,
    /// Whether each code occurs, a bit each.
    present: Vec<u64>,
    /// Bits of a code that are not of its bucket.
    low_bits: u32,
    /// Index in `entries` of the first entry of each bucket, and one behind the last.
    starts: Vec<u32>,
    /// Codes with the positions of their words in the letters of the batch; of equal codes the last position comes first.
    entries: Vec<(u32, u32)>,
}

impl TemplateTables {
    /// Indexes the unmasked words of a batch that have no ambiguous letters, not even at bases that are not compared.
    pub(crate) fn new(batch: &QueryBatch, templates: WordTemplates, weight: usize) -> Self {
        let length = templates.length();
        let patterns = templates.patterns(weight);
        let table = |pattern| TemplateTable::new(batch, pattern, weight);
        Self { length, tables: patterns.into_iter().map(table).collect() }
    }

    /// Number of bases of a word.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Calls `hit` with the query position and the subject position of each word hit at some positions of a packed
    /// subject, position by position; of each, the last query position comes first.
    pub(crate) fn find(
        &self,
        packed: &[u8],
        positions: Range<usize>,
        mut hit: impl FnMut(u32, u32),
    ) {
        let base = |at: usize| u64::from(packed[at / BASES] >> (6 - 2 * (at % BASES)) & 3);
        let mut word = 0;
        for at in positions.start..positions.start + self.length - 1 {
            word = word << 2 | base(at);
        }
        for subject in positions {
            word = word << 2 | base(subject + self.length - 1);
            for table in &self.tables {
                let of_queries = table.positions(table.code(word));
                of_queries.for_each(|query| hit(query, subject as u32));
            }
        }
    }
}

impl TemplateTable {
    fn new(batch: &QueryBatch, pattern: &str, weight: usize) -> Self {
        let bits = 2 * weight as u32;
        let mut table = Self {
            runs: runs(pattern),
            present: vec![0; 1 << (bits - 6)],
            low_bits: bits - BUCKET_BITS,
            starts: Vec::with_capacity((1 << BUCKET_BITS) + 1),
            entries: Vec::new(),
        };
        for segment in &batch.segments {
            let (mut word, mut bases) = (0, 0);
            for position in segment.clone() {
                let letter = batch.letters[position];
                bases = if letter < 4 { bases + 1 } else { 0 };
                word = word << 2 | u64::from(letter & 3);
                if bases >= pattern.len() {
                    let begin = (position + 1 - pattern.len()) as u32;
                    table.entries.push((table.code(word), begin));
                }
            }
        }
        table.entries.sort_unstable_by_key(|&(code, position)| (code, !position));
        let mut entry = 0;
        for bucket in 0..=1 << BUCKET_BITS {
            while table.entries.get(entry).is_some_and(|it| it.0 >> table.low_bits < bucket) {
                entry += 1;
            }
            table.starts.push(entry as u32);
        }
        for &(code, _) in &table.entries {
            table.present[code as usize / 64] |= 1 << (code % 64);
        }
        table
    }

    /// The code of a word, whose last base is in the lowest bits.
    #[inline]
    fn code(&self, word: u64) -> u32 {
        self.runs.iter().fold(0, |code, &(mask, shift)| code | ((word & mask) >> shift) as u32)
    }

    /// The positions of the words of a code, the last first.
    #[inline]
    fn positions(&self, code: u32) -> impl Iterator<Item = u32> + '_ {
        let bucket = if self.present[code as usize / 64] >> (code % 64) & 1 == 0 {
            &[]
        } else {
            let bucket = (code >> self.low_bits) as usize;
            &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
        };
        bucket.iter().filter(move |entry| entry.0 == code).map(|entry| entry.1)
    }
}

/// For each run of ones of a template, its bits in a word, and how far to the right they are moved in the code.
fn runs(pattern: &str) -> Vec<(u64, u32)> {
    let mut runs: Vec<(u64, u32)> = Vec::new();
    let mut left_out = 0;
    for (base, is_compared) in pattern.bytes().rev().map(|byte| byte == b'1').enumerate() {
        if !is_compared {
            left_out += 2;
            continue;
        }
        let bits = 3 << (2 * base);
        match runs.last_mut() {
            Some((mask, shift)) if *shift == left_out => *mask |= bits,
            _ => runs.push((bits, left_out)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{BlastTask, SearchOptions};
    use crate::sequence::fasta::FastaRecord;
    use crate::sequence::packed;
    use crate::statistics::DatabaseSize;

    const KINDS: [TemplateKind; 3] =
        [TemplateKind::Coding, TemplateKind::Optimal, TemplateKind::CodingAndOptimal];
    const LENGTHS: [TemplateLength; 3] =
        [TemplateLength::Sixteen, TemplateLength::Eighteen, TemplateLength::TwentyOne];

    #[test]
    fn templates_have_their_lengths_and_weights() {
        for weight in WEIGHTS {
            for (kind, length) in KINDS.into_iter().flat_map(|kind| LENGTHS.map(|it| (kind, it))) {
                let templates = WordTemplates { kind, length };
                for pattern in templates.patterns(weight) {
                    assert_eq!(pattern.len(), templates.length(), "{templates:?}");
                    assert_eq!(pattern.matches('1').count(), weight, "{templates:?}");
                    // All ones make the greatest code.
                    let runs = runs(pattern);
                    let codes = runs.iter().map(|(mask, shift)| mask >> shift);
                    assert_eq!(codes.fold(0, |all, bits| all ^ bits), (1 << (2 * weight)) - 1);
                }
            }
        }
    }

    #[test]
    fn every_word_that_agrees_with_a_template_is_found() {
        let mut found_any = 0;
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let kind = KINDS[random.usize(..3)];
            let templates = WordTemplates { kind, length: LENGTHS[random.usize(..3)] };
            let weight = WEIGHTS[random.usize(..2)];
            let ancestor: Vec<u8> = (0..300).map(|_| random.u8(..4)).collect();
            let mut copy = |odd: u8| -> Vec<u8> {
                let change = |&base: &u8| match random.u8(..12) {
                    0 => random.u8(..4),
                    1 if random.u8(..8) == 0 => odd,
                    _ => base,
                };
                ancestor.iter().map(change).collect()
            };
            let (query, subject) = (copy(14), copy(0));
            let record =
                FastaRecord { letters: query, lower_case: vec![40..70], ..FastaRecord::default() };
            let mut options = SearchOptions::new(BlastTask::DcMegablast);
            options.masks_lower_case = true;
            let size = DatabaseSize { letters: 1000, sequences: 1 };
            let batch = QueryBatch::new(&[record], &options, size);
            let mut bytes = Vec::new();
            packed::pack(subject.iter().copied(), &mut bytes);
            let tables = TemplateTables::new(&batch, templates, weight);
            let length = templates.length();
            let first = random.usize(..50);
            let mut found = Vec::new();
            tables.find(&bytes, first..subject.len() + 1 - length, |query, at| {
                found.push((at, query));
            });
            let mut expected = Vec::new();
            for at in first..subject.len() + 1 - length {
                for pattern in templates.patterns(weight) {
                    let is_hit = |query: &usize| {
                        let letters = &batch.letters[*query..query + length];
                        let is_within = batch
                            .segments
                            .iter()
                            .any(|it| it.start <= *query && query + length <= it.end);
                        let mut columns = letters.iter().zip(&subject[at..]).zip(pattern.bytes());
                        is_within
                            && letters.iter().all(|&letter| letter < 4)
                            && columns
                                .all(|((one, other), compared)| compared == b'0' || one == other)
                    };
                    let queries = (0..batch.letters.len() + 1 - length).rev().filter(is_hit);
                    expected.extend(queries.map(|query| (at as u32, query as u32)));
                }
            }
            assert_eq!(found, expected, "seed {seed}, {templates:?}");
            found_any += found.len();
        }
        assert!(found_any > 500, "{found_any}");
    }
}
