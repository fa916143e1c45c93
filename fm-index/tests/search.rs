//! Rank, locate, extension and look-up against suffix arrays made by sorting.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::seq::{UNKNOWN, decode, encode_all};
use fastrand::Rng;
use fm_index::{BuildOptions, Bwt, FmIndex, Interval, Reference};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/");

fn build(codes: &[u8], sample_rate: u32) -> FmIndex {
    let letters: Vec<u8> = codes.iter().map(|&code| decode(code)).collect();
    let reference = Reference::from_records([("text", letters)]).unwrap();
    FmIndex::build(reference, &BuildOptions { sample_rate, ..BuildOptions::default() }).unwrap()
}

/// A text with its suffixes in order, the empty one first.
struct Naive {
    text: Vec<u8>,
    suffixes: Vec<usize>,
}

impl Naive {
    fn new(text: Vec<u8>) -> Self {
        let mut suffixes: Vec<usize> = (0..=text.len()).collect();
        suffixes.sort_by_key(|&start| &text[start..]);
        Self { text, suffixes }
    }

    fn reversed(&self) -> Self {
        Self::new(self.text.iter().rev().copied().collect())
    }

    /// First row and number of the rows whose suffixes start with the word.
    fn rows(&self, word: &[u8]) -> (u32, u32) {
        let lo = self.suffixes.partition_point(|&start| &self.text[start..] < word);
        let rows = &self.suffixes[lo..];
        let size = rows.partition_point(|&start| self.text[start..].starts_with(word));
        (lo as u32, size as u32)
    }

    /// The symbol before each row's suffix, `None` for the sentinel.
    fn transform(&self) -> impl Iterator<Item = Option<u8>> {
        self.suffixes.iter().map(|&start| start.checked_sub(1).map(|before| self.text[before]))
    }
}

/// Texts of every length up to 400, of one to four letters, and periodic ones.
fn texts(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for length in 1..=400 {
        let letters = rng.u8(1..=4);
        texts.push((0..length).map(|_| rng.u8(0..letters)).collect());
    }
    for length in [1, 2, 63, 64, 65, 127, 128, 129, 190, 191, 192, 193, 383, 384, 385] {
        for period in [&[0u8][..], &[3], &[0, 1], &[3, 0], &[0, 1, 2, 3], &[2, 2, 1]] {
            texts.push(period.iter().copied().cycle().take(length).collect());
        }
        texts.push((0..length).map(|_| rng.u8(0..4)).collect());
    }
    texts
}

fn check_ranks(bwt: Bwt<'_>, naive: &Naive, what: &str) {
    let mut counts = [0; 4];
    for (row, symbol) in naive.transform().enumerate() {
        assert_eq!(bwt.rank4(row as u32), counts, "{what}, row {row}");
        match symbol {
            Some(code) => {
                assert_eq!(bwt.symbol(row as u32), code, "{what}, row {row}");
                counts[code as usize] += 1;
            }
            None => assert_eq!(bwt.primary(), row as u32, "{what}"),
        }
    }
    assert_eq!(bwt.rank4(naive.suffixes.len() as u32), counts, "{what}, all rows");
}

#[test]
fn ranks_and_positions_of_all_rows_are_those_of_the_sorted_suffixes() {
    for seed in 0..2 {
        let mut rng = Rng::with_seed(seed);
        for (number, text) in texts(&mut rng).into_iter().enumerate() {
            let what = format!("seed {seed}, text {number} of {} bases", text.len());
            let index = build(&text, 1 << (number % 7));
            let naive = Naive::new(text);
            check_ranks(index.forward(), &naive, &what);
            check_ranks(index.reverse(), &naive.reversed(), &what);
            assert_eq!(index.rows() as usize, naive.suffixes.len(), "{what}");
            for (row, &start) in naive.suffixes.iter().enumerate() {
                assert_eq!(index.locate(row as u32) as usize, start, "{what}, row {row}");
            }
            let mut rows: Vec<u32> = (0..index.rows()).collect();
            index.locate_all(&mut rows);
            let expected: Vec<u32> = naive.suffixes.iter().map(|&start| start as u32).collect();
            assert_eq!(rows, expected, "{what}: all rows together");
            index.locate_all(&mut []);
        }
    }
}

#[test]
fn every_sample_rate_locates_every_row() {
    let mut rng = Rng::with_seed(7);
    for length in [1, 2, 64, 191, 192, 193, 1000] {
        let naive = Naive::new((0..length).map(|_| rng.u8(0..4)).collect());
        for shift in 0..=6 {
            let index = build(&naive.text, 1 << shift);
            assert_eq!(index.sample_rate(), 1 << shift);
            for (row, &start) in naive.suffixes.iter().enumerate() {
                let position = index.locate(row as u32) as usize;
                assert_eq!(position, start, "length {length}, rate {}, row {row}", 1 << shift);
            }
        }
    }
}

#[test]
fn other_sample_rates_are_refused() {
    for sample_rate in [0, 3, 65, 128] {
        let reference = Reference::from_records([("text", "ACGT")]).unwrap();
        let options = BuildOptions { sample_rate, ..BuildOptions::default() };
        let error = FmIndex::build(reference, &options).unwrap_err().to_string();
        assert!(error.contains("power of two from 1 to 64"), "{error}");
    }
}

/// The word's interval, extended from the root in a random order of sides.
fn extended(index: &FmIndex, word: &[u8], rng: &mut Rng) -> Interval {
    let start = rng.usize(0..=word.len());
    let (mut left, mut right) = (start, start);
    let mut interval = index.root();
    while left > 0 || right < word.len() {
        if right == word.len() || (left > 0 && rng.bool()) {
            left -= 1;
            interval = index.extend_left(interval)[word[left] as usize];
        } else {
            interval = index.extend_right(interval)[word[right] as usize];
            right += 1;
        }
        if interval.is_empty() {
            return Interval::default();
        }
    }
    interval
}

fn check_word(index: &FmIndex, naive: [&Naive; 2], word: &[u8], rng: &mut Rng, what: &str) {
    let (lo, size) = naive[0].rows(word);
    let reversed: Vec<u8> = word.iter().rev().copied().collect();
    let (lo_reverse, size_reverse) = naive[1].rows(&reversed);
    assert_eq!(size, size_reverse);
    let expected = (size > 0).then_some(Interval { lo, lo_reverse, size });
    assert_eq!(index.search(word), expected, "{what}, search {word:?}");
    let extended = extended(index, word, rng);
    assert_eq!(extended, expected.unwrap_or_default(), "{what}, extend {word:?}");
}

#[test]
fn every_substring_has_its_interval_from_either_side() {
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        for (number, text) in texts(&mut rng).into_iter().enumerate() {
            let what = format!("seed {seed}, text {number} of {} bases", text.len());
            let index = build(&text, 8);
            let naive = Naive::new(text);
            let reversed = naive.reversed();
            let text = &naive.text;
            let pair = [&naive, &reversed];
            check_word(&index, pair, &[], &mut rng, &what);
            // All substrings of short texts, some of long ones.
            let starts = 0..text.len();
            for start in starts.clone() {
                for end in start + 1..=text.len() {
                    if text.len() <= 40 || rng.usize(0..400) == 0 {
                        check_word(&index, pair, &text[start..end], &mut rng, &what);
                    }
                }
            }
            for _ in 0..40 {
                let length = rng.usize(1..=12);
                let word: Vec<u8> = (0..length).map(|_| rng.u8(0..4)).collect();
                check_word(&index, pair, &word, &mut rng, &what);
            }
        }
    }
}

#[test]
fn the_four_extensions_of_any_interval_are_those_of_the_naive_words() {
    let mut rng = Rng::with_seed(11);
    for (number, text) in texts(&mut rng).into_iter().enumerate().step_by(7) {
        let index = build(&text, 8);
        let naive = Naive::new(text);
        for _ in 0..20 {
            let start = rng.usize(0..naive.text.len());
            let end = rng.usize(start..=naive.text.len());
            let word = &naive.text[start..end];
            let interval = index.search(word).unwrap();
            let (left, right) = (index.extend_left(interval), index.extend_right(interval));
            for code in 0..4 {
                let longer = [&[code], word].concat();
                let size = naive.rows(&longer).1;
                assert_eq!(left[code as usize].size, size, "text {number}, {code} + {word:?}");
                let longer = [word, &[code]].concat();
                let size = naive.rows(&longer).1;
                assert_eq!(right[code as usize].size, size, "text {number}, {word:?} + {code}");
                for (to_left, expected) in [(true, left), (false, right)] {
                    let found = index.slices().extend(to_left, code, interval);
                    let expected = expected[code as usize];
                    assert_eq!(found.size, expected.size, "text {number}, {word:?}, {code}");
                    if !found.is_empty() {
                        assert_eq!(found, expected, "text {number}, {word:?}, {code}");
                    }
                }
            }
        }
    }
}

/// The interval of a word by extensions alone, without the table.
fn by_extension(index: &FmIndex, word: &[u8]) -> Interval {
    let root = index.root();
    word.iter().rev().fold(root, |interval, &code| index.extend_left(interval)[code as usize])
}

#[test]
fn the_table_holds_the_interval_of_every_word() {
    let mut rng = Rng::with_seed(3);
    for (length, q) in [(1, 1), (255, 1), (256, 2), (1023, 2), (1024, 3), (4096, 4), (20_000, 5)] {
        let text: Vec<u8> = (0..length).map(|_| rng.u8(0..4)).collect();
        let index = build(&text, 8);
        assert_eq!(index.table_length(), q, "length {length}");
        for entry in 0..1usize << (2 * q) {
            let word: Vec<u8> =
                (0..q).rev().map(|place| (entry >> (2 * place)) as u8 & 3).collect();
            let expected = by_extension(&index, &word);
            let found = index.lookup(&word);
            assert_eq!(found.size, expected.size, "length {length}, {word:?}");
            if !found.is_empty() {
                assert_eq!(found, expected, "length {length}, {word:?}");
            }
        }
        let mut word = vec![0; q];
        word[rng.usize(0..q)] = UNKNOWN;
        assert!(index.lookup(&word).is_empty());
    }
}

#[test]
fn unknown_bases_occur_nowhere() {
    let index = build(&encode_all(b"ACGTACGTTTGACA"), 8);
    assert_eq!(index.search(&[UNKNOWN]), None);
    assert_eq!(index.search(&[0, UNKNOWN, 2]), None);
    assert_eq!(index.search(&encode_all(b"ACG")).map(|interval| interval.size), Some(2));
}

#[test]
fn genomes_are_indexed_as_sorted() {
    for (name, bases) in [("phix.fa", 5386), ("lambda.fa.gz", 48_502)] {
        let reference = Reference::from_fasta(format!("{DATA}{name}")).unwrap();
        assert_eq!(reference.len(), bases, "{name}");
        let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
        let naive = Naive::new(index.reference().codes(0..bases));
        let reversed = naive.reversed();
        check_ranks(index.forward(), &naive, name);
        check_ranks(index.reverse(), &reversed, name);
        for (row, &start) in naive.suffixes.iter().enumerate() {
            assert_eq!(index.locate(row as u32) as usize, start, "{name}, row {row}");
        }
        let mut rng = Rng::with_seed(5);
        for _ in 0..2000 {
            let start = rng.usize(0..naive.text.len() - 40);
            let mut word = naive.text[start..start + rng.usize(1..40)].to_vec();
            if rng.bool() {
                let place = rng.usize(0..word.len());
                word[place] = rng.u8(0..4);
            }
            check_word(&index, [&naive, &reversed], &word, &mut rng, name);
        }
    }
}
