//! Coordinates, codes and letters of references with gaps against a plain list of letters.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::seq::{UNKNOWN, encode};
use fastrand::Rng;
use fm_index::{BuildOptions, FLANK, FmIndex, PlainStretches, Reference, Segments};

/// A reference as plain letters, contigs end to end.
struct Naive {
    letters: Vec<u8>,
    /// The contig of each base.
    contigs: Vec<usize>,
    /// The reference position of each base of the indexed text.
    kept: Vec<usize>,
}

impl Naive {
    fn new(contigs: &[Vec<u8>]) -> Self {
        let letters = contigs.concat();
        let contigs = contigs.iter().enumerate();
        let contigs = contigs.flat_map(|(i, contig)| vec![i; contig.len()]).collect();
        let is_base = |position: usize| encode(letters[position]) < UNKNOWN;
        let flank = FLANK as usize;
        let kept = (0..letters.len()).filter(|&position| {
            let before = (0..=position).rev().take_while(|&p| !is_base(p)).count();
            let after = (position..letters.len()).take_while(|&p| !is_base(p)).count();
            // Both counts include the position itself.
            before <= flank || after <= flank
        });
        let kept = kept.collect();
        Self { letters, contigs, kept }
    }

    fn letter(&self, position: usize) -> u8 {
        match self.letters[position].to_ascii_uppercase() {
            b'U' => b'T',
            letter => letter,
        }
    }

    fn is_plain(&self, start: usize, length: usize) -> bool {
        self.kept.get(start..start + length).is_some_and(|window| {
            window.iter().all(|&position| {
                encode(self.letters[position]) < UNKNOWN
                    && self.contigs[position] == self.contigs[window[0]]
            })
        })
    }
}

/// Contigs of bases and of runs of other letters around the lengths that matter.
fn contigs(rng: &mut Rng) -> Vec<Vec<u8>> {
    let runs = [1, 2, 63, 64, 65, 127, 128, 129, 130, 192, 300];
    let mut contigs: Vec<Vec<u8>> = (0..rng.usize(1..6))
        .map(|_| {
            let mut contig = Vec::new();
            for _ in 0..rng.usize(1..6) {
                match rng.u8(0..5) {
                    0 => contig.extend(vec![b'N'; *rng.choice(&runs).unwrap()]),
                    1 => contig.extend(vec![b'n'; *rng.choice(&runs).unwrap()]),
                    2 => contig.extend(
                        (0..rng.usize(1..200)).map(|_| rng.choice(b"RYSWKMBDHVNr").unwrap()),
                    ),
                    _ => contig
                        .extend((0..rng.usize(1..150)).map(|_| rng.choice(b"ACGTUacgtu").unwrap())),
                }
            }
            contig
        })
        .collect();
    contigs[0].push(b'A');
    rng.shuffle(&mut contigs);
    contigs
}

fn check(contigs: &[Vec<u8>], rng: &mut Rng, what: &str) {
    let naive = Naive::new(contigs);
    let named = contigs.iter().enumerate().map(|(i, letters)| (format!("c{i} and more"), letters));
    let reference = Reference::from_records(named).unwrap();
    let length = naive.letters.len();

    assert_eq!(reference.len() as usize, length, "{what}");
    assert_eq!(reference.indexed_len() as usize, naive.kept.len(), "{what}");
    let mut offset = 0;
    for (i, (contig, letters)) in reference.contigs().iter().zip(contigs).enumerate() {
        let expected = (format!("c{i}"), offset, letters.len() as u32);
        assert_eq!((contig.name.clone(), contig.offset, contig.length), expected, "{what}");
        offset += contig.length;
    }
    assert_eq!(reference.contigs().len(), contigs.len());
    for (indexed, &position) in naive.kept.iter().enumerate() {
        assert_eq!(reference.to_reference(indexed as u32) as usize, position, "{what}");
    }
    for position in 0..length {
        assert_eq!(reference.code(position as u32), encode(naive.letters[position]), "{what}");
        assert_eq!(reference.contig_at(position as u32), naive.contigs[position], "{what}");
    }
    let mut codes = vec![9; 3];
    for _ in 0..200 {
        let start = rng.usize(0..=length);
        let end = rng.usize(start..=length);
        let range = start as u32..end as u32;
        let expected: Vec<u8> = naive.letters[start..end].iter().map(|&l| encode(l)).collect();
        assert_eq!(reference.codes(range.clone()), expected, "{what}, {range:?}");
        reference.codes_into(range.clone(), &mut codes);
        assert_eq!(codes, expected, "{what}, {range:?}");
        let expected: Vec<u8> = (start..end).map(|position| naive.letter(position)).collect();
        assert_eq!(reference.letters(range.clone()), expected, "{what}, {range:?}");
    }
    for start in 0..=naive.kept.len() {
        for length in [1, 2, 5, 17, 100, rng.usize(1..400)] {
            let plain = reference.is_plain(start as u32, length as u32);
            assert_eq!(plain, naive.is_plain(start, length), "{what}, {start} + {length}");
        }
    }
    check_stretches(&naive, &reference, what);
    assert!(!reference.is_plain(0, u32::MAX) && !reference.is_plain(u32::MAX, u32::MAX));
}

fn check_stretches(naive: &Naive, reference: &Reference, what: &str) {
    let mut stretches = PlainStretches::new(reference);
    let plain = |start: usize, end: usize| end > start && naive.is_plain(start, end - start);
    for (indexed, &position) in naive.kept.iter().enumerate() {
        let contig = naive.contigs[position];
        let start = position as u32 - reference.contigs()[contig].offset;
        let at_position = stretches.at_contig_position(contig as u32, start);
        assert_eq!(stretches.letter(contig as u32, start), naive.letter(position), "{what}");
        let Some(found) = stretches.at_indexed(indexed as u32) else {
            assert!(!naive.is_plain(indexed, 1), "{what}, {indexed}");
            assert_eq!(at_position, None, "{what}, {indexed}");
            continue;
        };
        let (begin, end) = (found.indexed.start as usize, found.indexed.end as usize);
        assert!((begin..end).contains(&indexed) && plain(begin, end), "{what}, {indexed}");
        assert!(begin == 0 || !plain(begin - 1, end), "{what}, {indexed}: as long as can be");
        assert!(!plain(begin, end + 1), "{what}, {indexed}: as long as can be");
        assert_eq!((found.contig as usize, found.in_contig(indexed as u32)), (contig, start));
        assert_eq!(at_position, Some(indexed as u32..end as u32), "{what}, {indexed}");
    }
    let left_out =
        (0..reference.len()).filter(|&position| reference.to_indexed(position).is_none());
    assert_eq!(left_out.count(), naive.letters.len() - naive.kept.len(), "{what}");
}

#[test]
fn coordinates_codes_and_letters_are_those_of_the_letters() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let contigs = contigs(&mut rng);
        check(&contigs, &mut rng, &format!("seed {seed}"));
    }
}

#[test]
fn gaps_at_ends_and_whole_contigs_of_n() {
    let n = |length| vec![b'N'; length];
    let base = |length| b"ACGTTGCA".iter().copied().cycle().take(length).collect::<Vec<u8>>();
    let cases = [
        vec![[n(500), base(50)].concat()],
        vec![[base(50), n(500)].concat()],
        vec![base(30), n(500), base(30)],
        vec![base(30), n(100), base(30)],
        vec![n(1), n(128), n(1), base(1)],
        vec![base(1), n(64), n(64)],
        vec![[base(20), n(100)].concat(), [n(29), base(20)].concat()],
        vec![[base(20), n(64)].concat(), n(1), [n(64), base(20)].concat()],
        vec![n(1000), base(100), n(1000), n(1000), base(1), n(1000)],
    ];
    for (number, contigs) in cases.iter().enumerate() {
        check(contigs, &mut Rng::with_seed(number as u64), &format!("case {number}"));
    }
}

#[test]
fn every_plain_window_is_found_where_it_is() {
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let naive = contigs(&mut rng);
        let named = naive.iter().enumerate().map(|(i, letters)| (format!("{i}"), letters));
        let reference = Reference::from_records(named).unwrap();
        let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
        let reference = index.reference();
        for start in (0..reference.indexed_len()).filter(|&start| reference.is_plain(start, 20)) {
            let position = reference.to_reference(start);
            let found = index.search(&reference.codes(position..position + 20)).unwrap();
            let mut rows = found.lo..found.lo + found.size;
            assert!(rows.any(|row| index.locate(row) == start), "seed {seed}, {start}");
        }
    }
}

#[test]
fn long_gaps_cost_nothing() {
    let contig = [b"ACGT".repeat(100), vec![b'N'; 1_000_000], b"ACGT".repeat(100)].concat();
    let reference = Reference::from_records([("gapped", contig)]).unwrap();
    assert_eq!(reference.len(), 1_000_800);
    assert_eq!(reference.indexed_len(), 800 + 2 * FLANK);
}

#[test]
fn segments_are_the_indexed_text_in_contigs_and_without_gaps() {
    let gap = "N".repeat(500);
    let long = format!("{gap}ACGTN{gap}ACG");
    let behind = format!("A{gap}");
    let records = [("a", "ACRGT"), ("b", long.as_str()), ("c", &behind), ("d", &gap), ("e", "GA")];
    let reference = Reference::from_records(records).unwrap();
    let segments = Segments::new(&reference);
    let mut next = 0;
    for (number, segment) in segments.all().iter().enumerate() {
        assert_eq!(segment.indexed.start, next);
        next = segment.indexed.end;
        let contig = &reference.contigs()[segment.contig as usize];
        for indexed in segment.indexed.clone() {
            let position = contig.offset + segment.in_contig(indexed);
            assert_eq!(reference.to_reference(indexed), position);
            assert_eq!(segments.number(indexed), number as u32);
            assert_eq!(reference.contig_at(position), segment.contig as usize);
        }
    }
    assert_eq!(next, reference.indexed_len());
    assert!(segments.all().len() >= 5);
}
