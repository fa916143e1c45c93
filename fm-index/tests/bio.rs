//! Suffix arrays, transforms, intervals and occurrences against those of the crate `bio` (Rust-Bio), an independent
//! implementation.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::seq::{complement, decode, encode_all, reverse_complement};
use bio::alphabets::{Alphabet, dna};
use bio::data_structures::bwt::{BWT, Less, Occ, bwt, less};
use bio::data_structures::fmindex::{BackwardSearchResult, FMIndex, FMIndexable, Interval};
use bio::data_structures::suffix_array::{RawSuffixArray, suffix_array};
use fastrand::Rng;
use fm_index::{BuildOptions, Bwt, FmIndex, Reference};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/");

/// Rows between checkpoints of Rust-Bio's occurrence table.
const CHECKPOINT: u32 = 32;

/// Letters of a text that end with Rust-Bio's sentinel, and what Rust-Bio makes of them.
struct Judge {
    suffixes: RawSuffixArray,
    transform: BWT,
    less: Less,
    occurrences: Occ,
}

impl Judge {
    fn new(letters: &[u8]) -> Self {
        let text = [letters, b"$"].concat();
        let alphabet = Alphabet::new(b"$ACGT");
        let suffixes = suffix_array(&text);
        let transform = bwt(&text, &suffixes);
        let less = less(&transform, &alphabet);
        let occurrences = Occ::new(&transform, CHECKPOINT, &alphabet);
        Self { suffixes, transform, less, occurrences }
    }

    /// Rows of a word; `None` if it does not occur.
    fn search(&self, word: &[u8]) -> Option<Interval> {
        let index = FMIndex::new(&self.transform, &self.less, &self.occurrences);
        match index.backward_search(word.iter()) {
            BackwardSearchResult::Complete(interval) => Some(interval),
            BackwardSearchResult::Partial(..) | BackwardSearchResult::Absent => None,
        }
    }
}

fn check_transform(ours: Bwt<'_>, judge: &Judge, case: &str) {
    for (row, &letter) in judge.transform.iter().enumerate() {
        if letter == b'$' {
            assert_eq!(ours.primary(), row as u32, "{case}");
        } else {
            assert_eq!(decode(ours.symbol(row as u32)), letter, "{case}, row {row}");
        }
    }
}

fn check_word(index: &FmIndex, judges: [&Judge; 2], word: &[u8], case: &str) {
    let case = format!("{case}, word {}", String::from_utf8_lossy(word));
    let [forward, backward] = judges;
    let ours = index.search(&encode_all(word));
    let Some(theirs) = forward.search(word) else {
        assert_eq!(ours, None, "{case}");
        return;
    };
    let ours = ours.unwrap_or_else(|| panic!("{case}: not found"));
    assert_eq!((ours.lo as usize, ours.size as usize), (theirs.lower, theirs.upper - theirs.lower));
    let reversed: Vec<u8> = word.iter().rev().copied().collect();
    let in_reversed = backward.search(&reversed).unwrap();
    assert_eq!(ours.lo_reverse as usize, in_reversed.lower, "{case}, reversed");
    let mut occurrences: Vec<u32> = (ours.lo..ours.lo + ours.size).collect();
    index.locate_all(&mut occurrences);
    let expected: Vec<u32> =
        theirs.occ(&forward.suffixes).into_iter().map(|start| start as u32).collect();
    assert_eq!(occurrences, expected, "{case}");
}

/// Compares an index of `letters`, which are A, C, G and T, with Rust-Bio's: all rows, and `words` random words.
fn check(letters: &[u8], sample_rate: u32, words: usize, random: &mut Rng, case: &str) {
    let reference = Reference::from_records([("text", letters)]).unwrap();
    let index = FmIndex::build(reference, &BuildOptions { sample_rate, ..BuildOptions::default() })
        .unwrap();
    let forward = Judge::new(letters);
    let reversed: Vec<u8> = letters.iter().rev().copied().collect();
    let backward = Judge::new(&reversed);
    let positions: Vec<usize> = (0..index.rows()).map(|row| index.locate(row) as usize).collect();
    assert_eq!(positions, forward.suffixes, "{case}: suffix array");
    check_transform(index.forward(), &forward, case);
    check_transform(index.reverse(), &backward, case);
    for _ in 0..words {
        let start = random.usize(0..letters.len());
        let end = letters.len().min(start + random.usize(1..40));
        let mut word = letters[start..end].to_vec();
        // Half of the words have one letter changed, and so mostly do not occur.
        if random.bool() {
            let changed = random.usize(0..word.len());
            word[changed] = b"ACGT"[random.usize(0..4)];
        }
        check_word(&index, [&forward, &backward], &word, case);
    }
}

#[test]
fn random_texts_are_indexed_as_by_rust_bio() {
    for (seed, length) in
        [1_usize, 2, 10, 63, 64, 191, 192, 193, 1000, 20_000].into_iter().enumerate()
    {
        for letters_used in 1..=4 {
            let mut random = Rng::with_seed((10 * seed + letters_used) as u64);
            let letters: Vec<u8> =
                (0..length).map(|_| b"ACGT"[random.usize(0..letters_used)]).collect();
            let case = format!("{length} bases of {letters_used} letters");
            let sample_rate = 1 << (seed % 7);
            check(&letters, sample_rate, 200, &mut random, &case);
        }
    }
}

#[test]
fn genomes_are_indexed_as_by_rust_bio() {
    for name in ["phix.fa", "lambda.fa.gz"] {
        let reference = Reference::from_fasta(format!("{DATA}{name}")).unwrap();
        let letters = reference.letters(0..reference.len());
        assert!(letters.iter().all(|letter| b"ACGT".contains(letter)), "{name}");
        check(&letters, 8, 2000, &mut Rng::with_seed(7), name);
    }
}

#[test]
fn complements_are_those_of_rust_bio() {
    let mut random = Rng::with_seed(3);
    let letters: Vec<u8> = (0..1000).map(|_| b"ACGTN"[random.usize(0..5)]).collect();
    let ours: Vec<u8> = reverse_complement(&encode_all(&letters)).into_iter().map(decode).collect();
    assert_eq!(ours, dna::revcomp(&letters));
    for letter in *b"ACGTN" {
        assert_eq!(decode(complement(encode_all(&[letter])[0])), dna::complement(letter));
    }
}
