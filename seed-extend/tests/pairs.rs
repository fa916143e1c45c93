//! Distances of pairs, qualities, and mates that are looked for.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::buffer_pool::BufferPool;
use fm_index::{Reference, Segments};
use seed_extend::extend::Scoring;
use seed_extend::pair::cpu;
use seed_extend::pair::insert_size::{InsertScores, Library, Orientation};
use seed_extend::pair::mate_window::MateWindow;
use seed_extend::pair::pairing::{PairOptions, choose_pair};
use seed_extend::pair::rescue::{MateSearcher, RescueOptions};
use seed_extend::read::packed::PackedText;
use seed_extend::read::queries::Queries;
use seed_extend::region::builder::RegionBuilder;
use seed_extend::region::ranking::{self, RankOptions, mapq, second_best_score};
use seed_extend::region::regions::{Region, RegionMemory, RegionNumber, deduplicate};
use seed_extend::{AltContigs, LibrarySample};

const LENGTH: u32 = 100;

/// Ranks the regions of a read, in memory of its own.
fn rank(regions: &mut [Region], length: u32, tie_breaker: u64, options: &RankOptions) {
    ranking::rank(regions, length, tie_breaker, (options, &mut RegionMemory::default()));
}

/// A region over all of a read without differences.
fn region(query: u32, begin: u32) -> Region {
    Region {
        query,
        segment: 0,
        score: LENGTH as i32,
        query_begin: 0,
        query_end: LENGTH,
        begin,
        end: begin + LENGTH,
        first_run: 0,
        run_count: 1,
        is_supported: true,
        ..Region::default()
    }
}

/// The regions of a pair of reads with this orientation and distance.
fn pair(at: u32, orientation: Orientation, distance: u32, swapped: bool) -> [Region; 2] {
    // Strands of the left and the right read.
    let (left, right) = match orientation {
        Orientation::ForwardForward => (0, 0),
        Orientation::ForwardReverse => (0, 1),
        Orientation::ReverseForward => (1, 0),
        Orientation::ReverseReverse => (1, 1),
    };
    let first_base = |strand: u32, base: u32| if strand == 1 { base + 1 - LENGTH } else { base };
    let ends = [(left, first_base(left, at)), (right, first_base(right, at + distance))];
    let [left, right] = ends;
    let (one, two) = if swapped { (right, left) } else { (left, right) };
    [region(one.0, one.1), region(2 + two.0, two.1)]
}

/// A library of pairs 300 apart, more or less.
fn library(orientation: Orientation, swapped: bool) -> Library {
    let mut sample = LibrarySample::default();
    for distance in 250..=350 {
        let [one, two] = pair(1000, orientation, distance, swapped);
        sample.add([&[one], &[two]], &RankOptions::default());
    }
    sample.library()
}

#[test]
fn orientations_are_seen_from_the_first_read() {
    for orientation in Orientation::ALL {
        for swapped in [false, true] {
            let [one, two] = pair(5000, orientation, 310, swapped);
            // Of two on one strand, the second may be ahead of the first or behind it.
            let seen = if swapped { orientation.from_second() } else { orientation };
            assert_eq!(Orientation::of(&one, &two), (seen, 310), "{orientation:?} {swapped}");
        }
    }
}

#[test]
fn insert_sizes_are_estimated_from_quartiles() {
    let library = library(Orientation::ForwardReverse, true);
    let sizes = library.insert_sizes(Orientation::ForwardReverse).unwrap();
    // Quartiles 275 and 326: three times 51 beyond them.
    assert_eq!((sizes.low, sizes.high), (122, 479));
    assert!((sizes.mean - 300.0).abs() < 1e-9);
    assert!(library.insert_sizes(Orientation::ReverseForward).is_none());
    let [one, two] = pair(9000, Orientation::ForwardReverse, 479, true);
    assert!(library.is_proper(&one, &two));
    let [one, two] = pair(9000, Orientation::ForwardReverse, 480, true);
    assert!(!library.is_proper(&one, &two));
    let few = pair(9000, Orientation::ForwardReverse, 300, true);
    let mut sample = LibrarySample::default();
    (0..9).for_each(|_| sample.add([&few[..1], &few[1..]], &RankOptions::default()));
    assert!(sample.library().is_empty());
}

#[test]
fn rivals_lower_the_quality() {
    let options = RankOptions::default();
    let mut last = 60;
    for second_best_score in [0, 19, 60, 80, 90, 95, 99, 100] {
        let quality = mapq(&Region { second_best_score, ..region(0, 0) }, 0.0, &options);
        assert!(quality <= last, "{second_best_score}");
        last = quality;
    }
    assert_eq!(last, 0);
    let near = Region { second_best_score: 90, second_best_count: 1, ..region(0, 0) };
    let alone = mapq(&near, 0.0, &options);
    assert!(mapq(&Region { second_best_count: 5, ..near }, 0.0, &options) < alone);
    assert!(mapq(&near, 0.5, &options) < alone);
}

#[test]
fn alternatives_are_ranked_and_doubles_left_out() {
    let options = RankOptions::default();
    let half = Region { query_begin: 60, begin: 5060, score: 40, ..region(0, 5000) };
    let shifted = Region { query_end: 99, end: 1099, score: 94, ..region(0, 1000) };
    let other = Region { score: 95, ..region(1, 3000) };
    let mut regions = vec![half, other, shifted, region(0, 1000)];
    deduplicate(&mut regions, &mut RegionMemory::default());
    assert_eq!(regions.len(), 3);
    rank(&mut regions, LENGTH, 7, &options);
    let found: Vec<_> = regions
        .iter()
        .map(|it| {
            let leader = it.secondary_to.map(RegionNumber::get);
            (it.begin, it.second_best_score, it.second_best_count, leader)
        })
        .collect();
    assert_eq!(found, [(1000, 95, 1, None), (3000, 0, 0, Some(0)), (5060, 0, 0, Some(0))]);
    let scores: Vec<i32> = (0..3).map(|number| second_best_score(&regions, number)).collect();
    assert_eq!(scores, [95, 100, 100]);

    let [left, right] = [
        Region { query_end: 50, end: 1050, score: 50, ..region(0, 1000) },
        Region { query_begin: 45, begin: 8045, score: 55, ..region(0, 8000) },
    ];
    let mut parts = vec![left, right];
    rank(&mut parts, LENGTH, 7, &options);
    assert!(parts.iter().all(|part| part.secondary_to.is_none()), "they share too little");

    // Which of two equal ones is first depends on the read alone.
    let mut firsts = std::collections::BTreeSet::new();
    for tie_breaker in 0..50 {
        let mut one = vec![region(0, 1000), region(0, 3000)];
        let mut two = vec![region(0, 3000), region(0, 1000)];
        rank(&mut one, LENGTH, tie_breaker, &options);
        rank(&mut two, LENGTH, tie_breaker, &options);
        assert_eq!(one, two);
        firsts.insert(one[0].begin);
    }
    assert_eq!(firsts.len(), 2);
}

#[test]
fn a_mate_tells_which_of_two_places_is_meant() {
    let (ranking, options) = (RankOptions::default(), PairOptions::default());
    let scores = InsertScores::new(&library(Orientation::ForwardReverse, true), 1);
    let [one, two] = pair(1000, Orientation::ForwardReverse, 300, false);
    let elsewhere = region(2, 40_000);
    let mut first = vec![one];
    let mut second = vec![elsewhere, two];
    for tie_breaker in 0..20 {
        rank(&mut first, LENGTH, tie_breaker, &ranking);
        rank(&mut second, LENGTH, tie_breaker, &ranking);
        assert_eq!(mapq(&second[0], 0.0, &ranking), 0);
        let ends = [first.as_slice(), &second];
        let decision =
            choose_pair(ends, [0.0; 2], &scores, tie_breaker, &ranking, &options).unwrap();
        assert_eq!(second[decision.regions[1]].begin, two.begin);
        assert_eq!(decision.mapq, [60, 40]);
    }
    // Too far: no pair.
    let [one, two] = pair(1000, Orientation::ForwardReverse, 900, false);
    assert_eq!(choose_pair([&[one], &[two]], [0.0; 2], &scores, 1, &ranking, &options), None);
    assert_eq!(choose_pair([&[one], &[]], [0.0; 2], &scores, 1, &ranking, &options), None);
}

#[test]
fn of_copies_beside_each_other_the_more_usual_distance_is_meant() {
    let (ranking, options) = (RankOptions::default(), PairOptions::default());
    let scores = InsertScores::new(&library(Orientation::ForwardReverse, true), 1);
    let [one, two] = pair(1000, Orientation::ForwardReverse, 300, false);
    let [_, beside] = pair(1000, Orientation::ForwardReverse, 320, false);
    for tie_breaker in 0..50 {
        let mut second = vec![two, beside];
        rank(&mut second, LENGTH, tie_breaker, &ranking);
        let ends = [&[one][..], &second];
        let decision =
            choose_pair(ends, [0.0; 2], &scores, tie_breaker, &ranking, &options).unwrap();
        assert_eq!(second[decision.regions[1]].begin, two.begin, "{tie_breaker}");
    }
}

#[test]
fn of_a_split_read_the_best_part_has_the_mate() {
    let (ranking, options) = (RankOptions::default(), PairOptions::default());
    let scores = InsertScores::new(&library(Orientation::ForwardReverse, true), 1);
    let [one, two] = pair(1000, Orientation::ForwardReverse, 300, false);
    let best = Region { query_end: 60, end: one.begin + 60, score: 60, ..one };
    let copy = Region { begin: 70_000, end: 70_060, ..best };
    let part = Region { query_begin: 60, begin: 20_060, score: 40, ..region(0, 20_000) };
    let of_part = pair(20_000, Orientation::ForwardReverse, 300, false)[1];
    for tie_breaker in 0..50 {
        let mut split = vec![part, copy, best];
        rank(&mut split, LENGTH, tie_breaker, &ranking);
        let decision = |mate| {
            choose_pair([&split, &[mate]], [0.0; 2], &scores, tie_breaker, &ranking, &options)
        };
        assert_eq!(split[decision(two).unwrap().regions[0]].begin, best.begin, "{tie_breaker}");
        assert_eq!(
            decision(of_part),
            None,
            "{tie_breaker}: the parts have mates apart from each other"
        );
    }
}

#[test]
fn what_was_met_by_chance_is_not_trusted() {
    let options = RankOptions::default();
    let by_chance = Region { is_supported: false, ..region(0, 1000) };
    assert_eq!(mapq(&region(0, 1000), 0.0, &options), 60);
    assert_eq!(mapq(&by_chance, 0.0, &options), 0);
    for mut both in [[by_chance, region(0, 1000)], [region(0, 1000), by_chance]].map(Vec::from) {
        deduplicate(&mut both, &mut RegionMemory::default());
        assert_eq!(both, [region(0, 1000)], "it was also looked for");
    }
}

/// A builder of the regions of reads on these segments.
fn region_builder<'t>(segments: &'t Segments, alt_contigs: &'t AltContigs) -> RegionBuilder<'t> {
    let scoring = Scoring::default();
    RegionBuilder { segments, alt_contigs, scoring, band_margin: 50, min_chain_weight: 0 }
}

#[test]
fn mates_are_looked_for_where_they_should_be() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let text: Vec<u8> = (0..6000).map(|_| *random.choice(b"ACGT").unwrap()).collect();
        let reference = Reference::from_records([("a", &text)]).unwrap();
        let segments = Segments::new(&reference);
        let alt_contigs = AltContigs::default();
        let extension = region_builder(&segments, &alt_contigs);
        let orientation = Orientation::ALL[random.usize(..4)];
        let swapped = random.bool();
        let library = library(orientation, swapped);
        let at = random.u32(..5500);
        if at < LENGTH {
            continue;
        }
        let ends = pair(at, orientation, random.u32(250..=350), swapped);
        let letters = ends.map(|end| {
            let mut letters = text[end.begin as usize..end.end as usize].to_vec();
            if end.query % 2 == 1 {
                letters.reverse();
                for letter in &mut letters {
                    *letter = b"TGCA"[b"ACGT".iter().position(|it| it == letter).unwrap()];
                }
            }
            for _ in 0..12 {
                letters[random.usize(..100)] = *random.choice(b"ACGT").unwrap();
            }
            letters
        });
        let queries = Queries::new(letters.iter().map(Vec::as_slice));
        let missing = random.usize(..2);
        let mut found = [&ends[..1], &ends[1..]];
        found[missing] = &[];
        let options = RescueOptions::default();
        let searcher = MateSearcher::new(extension, &queries, &library, options);
        let mut expected = Vec::new();
        searcher.expect_mates(0, found, &mut expected);
        let windows: Vec<MateWindow> = expected.iter().map(|mate| mate.window).collect();
        let (choice, pool) = (options.diagonal_choice(), BufferPool::default());
        let text = PackedText { words: reference.packed_text(), length: text.len() };
        let chosen = cpu::choose_diagonals(text, &queries, &windows, choice, &pool);
        let mut rescues = Vec::new();
        for (number, mate) in expected.iter().enumerate() {
            searcher.tasks(mate, chosen.of(number), &mut rescues);
        }
        let wanted = ends[missing];
        let is_found = rescues.iter().any(|rescue| {
            let diagonal = i64::from(wanted.begin) - i64::from(rescue.task.window_start);
            rescue.of.query == wanted.query
                && (i64::from(rescue.task.low)..=i64::from(rescue.task.high)).contains(&diagonal)
        });
        assert!(is_found, "seed {seed}: {orientation:?}, {wanted:?} is not in {rescues:?}");
        let both = [&ends[..1], &ends[1..]];
        let mut none = Vec::new();
        searcher.expect_mates(0, both, &mut none);
        assert_eq!(none, [], "seed {seed}: both are there");
    }
}

#[test]
fn a_mate_is_expected_wherever_no_region_of_it_is_near() {
    let (mut all, mut wanted) = (0, 0);
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let texts: Vec<Vec<u8>> = (0..2).map(|_| vec![b'A'; 3000]).collect();
        let records = [("a", &texts[0]), ("b", &texts[1])];
        let reference = Reference::from_records(records).unwrap();
        let segments = Segments::new(&reference);
        let alt_contigs = AltContigs::default();
        let builder = region_builder(&segments, &alt_contigs);
        // One orientation, or two.
        let mut sample = LibrarySample::default();
        for orientation in
            [Orientation::ALL[random.usize(..4)], Orientation::ALL[random.usize(..4)]]
        {
            for distance in 250..=350 {
                let [one, two] = pair(1000, orientation, distance, false);
                sample.add([&[one], &[two]], &RankOptions::default());
            }
        }
        let library = sample.library();
        let queries = Queries::new([[b'A'; LENGTH as usize].as_slice(); 2]);
        let options =
            RescueOptions { max_regions: random.usize(1..30), ..RescueOptions::default() };
        let searcher = MateSearcher::new(builder, &queries, &library, options);
        let ends: [Vec<Region>; 2] = [0, 2].map(|query| {
            (0..random.usize(0..40))
                .map(|_| {
                    let segment = random.u32(..2);
                    let begin = 3000 * segment + random.u32(..2900);
                    let score = random.i32(60..=100);
                    Region { segment, score, ..region(query + random.u32(..2), begin) }
                })
                .collect()
        });
        let mut expected = Vec::new();
        searcher.expect_mates(0, [&ends[0], &ends[1]], &mut expected);
        let mut plain = Vec::new();
        for (mate, end) in [(0, 1), (1, 0)] {
            let best = ends[end].iter().map(|it| it.score).max().unwrap_or_default();
            let predicting =
                ends[end].iter().filter(|it| it.score >= best - options.max_score_drop);
            for region in predicting.take(options.max_regions) {
                // What one region alone expects, an orientation after the other.
                let mut alone: [&[Region]; 2] = [&[], &[]];
                alone[end] = std::slice::from_ref(region);
                let mut of_region = Vec::new();
                searcher.expect_mates(0, alone, &mut of_region);
                let sized = |it: &Orientation| library.insert_sizes(*it).is_some();
                let orientations: Vec<Orientation> =
                    Orientation::ALL.into_iter().filter(sized).collect();
                assert_eq!(of_region.len(), orientations.len(), "seed {seed}");
                for (orientation, window) in orientations.into_iter().zip(of_region) {
                    let sizes = library.insert_sizes(orientation).unwrap();
                    let is_mate = |other: &Region| {
                        let pair = if end == 0 { (region, other) } else { (other, region) };
                        let (found, distance) = Orientation::of(pair.0, pair.1);
                        other.segment == region.segment
                            && found == orientation
                            && sizes.contains(distance)
                    };
                    all += 1;
                    if !ends[mate].iter().any(is_mate) {
                        plain.push(window);
                    }
                }
            }
        }
        wanted += plain.len();
        assert_eq!(expected, plain, "seed {seed}");
    }
    assert!(wanted > 300 && all - wanted > 100, "{wanted} of {all}");
}
