//! Seeds against their definition, word by word.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use aligner_core::seq::UNKNOWN;
use aligner_core::stream::{CpuExecutor, Outputs, Policy, Settings, oracle};
use fm_index::{BuildOptions, FmIndex, Reference};
use seed_extend::chain::anchors;
use seed_extend::read::queries::Queries;
use seed_extend::seed::context::SeedContext;
use seed_extend::seed::seeds::{Seed, SeedOptions};
use seed_extend::seed::{SeedSinks, cpu, searches, topology};

const OPTIONS: SeedOptions =
    SeedOptions { min_length: 7, split_length: 10, max_split_occurrences: 4, rare_occurrences: 6 };

fn letters(random: &mut fastrand::Rng, length: usize, of: &[u8]) -> Vec<u8> {
    (0..length).map(|_| *random.choice(of).unwrap()).collect()
}

/// A text with repeats that are not quite alike, and a read with stretches of it.
fn text_and_read(random: &mut fastrand::Rng) -> (Vec<u8>, Vec<u8>) {
    let unit_length = random.usize(5..60);
    let unit = letters(random, unit_length, b"ACGT");
    let mut text = Vec::new();
    while text.len() < 700 {
        let from = random.usize(..unit.len());
        text.extend_from_slice(&unit[from..]);
        let other_length = random.usize(0..40);
        text.extend(letters(random, other_length, b"ACGT"));
    }
    let mut read = Vec::new();
    while read.len() < 90 {
        let from = random.usize(..text.len() - 60);
        let stretch_length = random.usize(1..60);
        read.extend_from_slice(&text[from..from + stretch_length]);
    }
    for _ in 0..random.usize(..4) {
        let place = random.usize(..read.len());
        read[place] = *random.choice(b"ACGTN").unwrap();
    }
    (text, read)
}

fn occurrences(text: &[u8], word: &[u8]) -> u32 {
    let is_known = word.iter().all(|&code| code < UNKNOWN);
    if is_known {
        text.windows(word.len()).filter(|window| *window == word).count() as u32
    } else {
        0
    }
}

/// A seed, without its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    begin: usize,
    length: usize,
    size: u32,
}

/// The super-maximal matches for `least` occurrences that contain `place`, if one is given.
fn matches(text: &[u8], word: &[u8], least: u32, place: Option<usize>) -> Vec<Match> {
    let count = |begin: usize, end: usize| occurrences(text, &word[begin..end]);
    let mut found = Vec::new();
    for begin in 0..word.len() {
        for end in begin + OPTIONS.min_length as usize..=word.len() {
            let size = count(begin, end);
            let is_maximal = size >= least
                && (begin == 0 || count(begin - 1, end) < least)
                && (end == word.len() || count(begin, end + 1) < least);
            if is_maximal && place.is_none_or(|place| (begin..end).contains(&place)) {
                found.push(Match { begin, length: end - begin, size });
            }
        }
    }
    found
}

/// Rare words of a query: bwa's third seeding pass.
fn rare(text: &[u8], word: &[u8]) -> Vec<Match> {
    let least = OPTIONS.min_length as usize + 1;
    let (mut found, mut begin) = (Vec::new(), 0);
    'words: while begin + least <= word.len() {
        for end in begin + least..=word.len() {
            let size = occurrences(text, &word[begin..end]);
            if size < OPTIONS.rare_occurrences {
                if size > 1 {
                    found.push(Match { begin, length: end - begin, size });
                }
                begin = end;
                continue 'words;
            }
        }
        break;
    }
    found
}

#[test]
fn seeds_are_all_that_the_definition_says() {
    let mut seen = [0; 3];
    for number in 0..40 {
        let mut random = fastrand::Rng::with_seed(number);
        let (letters, read) = text_and_read(&mut random);
        let reference = Reference::from_records([("t", &letters)]).unwrap();
        let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
        let text = index.reference().codes(0..index.reference().len());
        let queries = Arc::new(Queries::new([read.as_slice()]));
        let context =
            SeedContext { index: index.clone(), queries: Arc::clone(&queries), options: OPTIONS };
        for query in 0..2 {
            let seeds = cpu::find(&context, query..query + 1);
            let word = queries.codes(query);
            let first = matches(&text, word, 1, None);
            let mut expected: BTreeSet<_> = first.iter().copied().collect();
            seen[0] += expected.len();
            for Match { begin, length, size } in first {
                if length >= OPTIONS.split_length as usize && size <= OPTIONS.max_split_occurrences
                {
                    let again = matches(&text, word, size + 1, Some(begin + length / 2));
                    seen[1] += again.len();
                    expected.extend(again);
                }
            }
            let rare = rare(&text, word);
            seen[2] += rare.len();
            expected.extend(rare);
            let found: BTreeSet<_> = seeds
                .iter()
                .map(|&Seed { begin, length, size, .. }| Match {
                    begin: begin.into(),
                    length: length.into(),
                    size,
                })
                .collect();
            assert_eq!(found, expected, "seed {number}, query {query}");
            for seed in &seeds {
                check_places(&index, &text, word, seed);
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 40), "{seen:?}");
}

/// All occurrences of a seed are found, and no more than asked for.
fn check_places(index: &FmIndex, text: &[u8], word: &[u8], seed: &Seed) {
    let begin = usize::from(seed.begin);
    let word = &word[begin..begin + usize::from(seed.length)];
    let places = |most| {
        let mut anchors = Vec::new();
        anchors::locate(index, std::slice::from_ref(seed), most, &mut anchors);
        anchors.iter().map(|anchor| anchor.position).collect::<BTreeSet<u32>>()
    };
    let expected: BTreeSet<u32> = (0..=text.len() - word.len())
        .filter(|&at| &text[at..at + word.len()] == word)
        .map(|at| at as u32)
        .collect();
    assert_eq!(places(1000), expected);
    let some = places(3);
    assert_eq!(some.len(), expected.len().min(3));
    assert!(some.is_subset(&expected));
}

#[test]
fn short_and_empty_reads_have_no_seeds() {
    let reference = Reference::from_records([("t", "ACGTTGCAACGGTACCATGG")]).unwrap();
    let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
    let reads = [b"".as_slice(), b"ACGTTG", b"NNNNNNNNNNNN", b"ACGTTGC"];
    let context = SeedContext { index, queries: Arc::new(Queries::new(reads)), options: OPTIONS };
    assert_eq!(cpu::find(&context, 0..6), []);
    let expected = [Seed { query: 6, begin: 0, length: 7, first: 0, size: 1 }];
    assert_eq!(cpu::find(&context, 6..7), expected);
    assert_eq!(cpu::find(&context, 0..8), expected);
    assert_eq!(cpu::find(&context, 3..3), []);
}

/// The seeds of all queries, in order.
fn in_order(mut outputs: Outputs, sinks: SeedSinks) -> Vec<Seed> {
    assert!(outputs.take(sinks.none).is_empty(), "re-seeding is not repeated");
    let mut seeds = [outputs.take(sinks.first), outputs.take(sinks.again)].concat();
    seeds.sort_unstable();
    seeds
}

#[test]
fn seeds_do_not_depend_on_how_stages_are_run() {
    let mut found_again = 0;
    for number in 0..24 {
        let mut random = fastrand::Rng::with_seed(number);
        let (letters, read) = text_and_read(&mut random);
        let reference = Reference::from_records([("t", &letters)]).unwrap();
        let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
        let mut reads =
            vec![Vec::new(), b"A".to_vec(), read, vec![b'N'; 60], letters[..400].to_vec()];
        reads.extend((0..40).map(|_| {
            let from = random.usize(..600);
            let length = random.usize(..100);
            letters[from..from + length].to_vec()
        }));
        let queries = Arc::new(Queries::new(reads.iter().map(Vec::as_slice)));
        let options = SeedOptions { min_length: [7, 16, 19][random.usize(..3)], ..OPTIONS };
        let count = queries.len() as u32;
        let context = SeedContext { index, queries, options };
        let mut expected = Vec::new();
        for query in 0..count {
            expected.extend(cpu::find(&context, query..query + 1));
        }
        assert_eq!(cpu::find(&context, 0..count), expected, "seed {number}: all queries");

        let (app, sinks) = topology(&context);
        let inputs = searches(0..count);
        let plainly = oracle::interpret(&app, &inputs).unwrap();
        assert_eq!(in_order(plainly, sinks), expected, "seed {number}: one word after the other");
        let settings = Settings {
            width: [32, 64][random.usize(..2)],
            blocks: 1 + random.u32(..3),
            policy: [Policy::Lazy, Policy::Naive][random.usize(..2)],
            output_slots: 1 + random.u32(..50),
            ..Settings::default()
        };
        let outputs = CpuExecutor::new(&app, &settings).unwrap().run(&inputs).unwrap();
        assert_eq!(in_order(outputs, sinks), expected, "seed {number}: {settings:?}");
        let mut outputs = oracle::interpret(&app, &inputs).unwrap();
        found_again += outputs.take(sinks.again).len();
    }
    assert!(found_again > 100, "{found_again} seeds were found by re-seeding");
}
