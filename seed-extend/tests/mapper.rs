//! Reads of a made-up genome are mapped to where they are from.
#![allow(missing_docs, clippy::unwrap_used)]

use aligner_core::Device;
use aligner_core::cigar::{CigarOp, CigarRun};
use bio::alphabets::dna::revcomp;
use fm_index::{BuildOptions, FmIndex, Reference};
use seed_extend::read::queries::{Queries, is_reverse};
use seed_extend::region::regions::Region;
use seed_extend::{Library, LibrarySample, MappedReads, Mapper, Options, RankedReads, tie_breaker};

const LENGTH: usize = 120;

struct Pair {
    reads: [Vec<u8>; 2],
    /// Strand and position of each.
    truth: [(bool, u32); 2],
}

fn letters(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| *random.choice(b"ACGT").unwrap()).collect()
}

/// A genome with a gap of N and a repeat whose copies differ.
fn genome(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut genome = letters(random, 40_000);
    genome[9_000..9_300].fill(b'N');
    let copy = genome[1_000..3_000].to_vec();
    genome[20_000..22_000].copy_from_slice(&copy);
    for _ in 0..40 {
        let place = random.usize(20_000..22_000);
        genome[place] = *random.choice(b"ACGT").unwrap();
    }
    genome
}

/// A read of a place, with this many letters drawn again.
fn read(random: &mut fastrand::Rng, genome: &[u8], at: usize, errors: usize) -> Vec<u8> {
    let mut read = genome[at..at + LENGTH].to_vec();
    for _ in 0..errors {
        let place = random.usize(..LENGTH);
        read[place] = *random.choice(b"ACGTN").unwrap();
    }
    read
}

fn pairs(random: &mut fastrand::Rng, genome: &[u8], count: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let (at, insert) = (random.usize(..39_000), random.usize(250..450));
        let other = at + insert - LENGTH;
        if genome[at..at + insert].contains(&b'N') {
            continue;
        }
        let errors = [random.usize(..4), [1, 24][usize::from(pairs.len() % 10 == 0)]];
        let forward = read(random, genome, at, errors[0]);
        let reverse = revcomp(read(random, genome, other, errors[1]));
        let truth = [(false, at as u32), (true, other as u32)];
        pairs.push(if random.bool() {
            Pair { reads: [forward, reverse], truth }
        } else {
            Pair { reads: [reverse, forward], truth: [truth[1], truth[0]] }
        });
    }
    pairs
}

fn index(genome: &[u8]) -> FmIndex {
    let reference = Reference::from_records([("g", genome)]).unwrap();
    FmIndex::build(reference, &BuildOptions::default()).unwrap()
}

fn mapper(index: &FmIndex) -> Mapper {
    Mapper::new(index, Options::default(), &Device::Cpu).unwrap()
}

fn search(mapper: &Mapper, pairs: &[Pair], first: usize) -> RankedReads {
    let reads = pairs.iter().flat_map(|pair| &pair.reads);
    let name = |read: usize| (first + read / 2).to_string();
    let tie_breakers =
        (0..2 * pairs.len()).map(|read| tie_breaker(name(read).as_bytes(), 3)).collect();
    mapper.find_regions(Queries::new(reads.map(Vec::as_slice)), tie_breakers)
}

fn library(mapper: &Mapper, searched: &RankedReads) -> Library {
    let mut sample = LibrarySample::default();
    mapper.sample_pairs(searched, &mut sample, usize::MAX);
    sample.library()
}

/// All that is reported of the reads of every pair, with CIGAR runs, as text.
fn reported(mapper: &Mapper, pairs: &[Pair], resolved: &MappedReads) -> Vec<String> {
    let of = |read: usize| {
        let regions = resolved.regions.of(read);
        let part = |placed: seed_extend::ReportedRegion| {
            let region = regions[placed.region];
            let columns = mapper.runs(&resolved.regions, &region, &pairs[read / 2].reads[read % 2]);
            let place = (region.query % 2, region.segment, region.begin, region.query_begin);
            format!(
                "{place:?} {} {} {} {columns:?}",
                placed.mapq, region.score, region.second_best_score
            )
        };
        let parts: Vec<String> = resolved
            .primary(read)
            .into_iter()
            .chain(resolved.supplementary(read))
            .map(part)
            .collect();
        format!("{} {parts:?}", resolved.is_proper(read))
    };
    (0..resolved.primaries.len()).map(of).collect()
}

#[test]
fn pairs_are_mapped_to_where_they_are_from() {
    let mut random = fastrand::Rng::with_seed(5);
    let genome = genome(&mut random);
    let pairs = pairs(&mut random, &genome, 3_000);
    let index = index(&genome);
    let mapper = mapper(&index);
    let searched = search(&mapper, &pairs, 0);
    let seeds_missed =
        (0..searched.tie_breakers.len()).filter(|&read| searched.regions.of(read).is_empty());
    assert!(seeds_missed.count() > 50, "no work for mate rescue");
    let library = library(&mapper, &searched);
    let resolved = mapper.resolve_pairs(mapper.rescue_mates(searched, &library));
    let (mut wrong, mut confident, mut proper) = (0, 0, 0);
    for (number, truth) in pairs.iter().flat_map(|pair| pair.truth).enumerate() {
        let Some(primary) = resolved.primaries[number] else {
            wrong += 1;
            continue;
        };
        let region = &resolved.regions.of(number)[primary.region];
        let begin = mapper.segments().get(region.segment).in_contig(region.begin);
        let expected = (truth.0, truth.1 + region.query_begin);
        let is_right = (is_reverse(region.query), begin) == expected;
        wrong += usize::from(!is_right);
        confident += usize::from(primary.mapq >= 30);
        assert!(is_right || primary.mapq < 30, "read {number}: {region:?}, {truth:?}");
        proper += usize::from(primary.is_proper);
        // Columns lead from one end to the other.
        let mut lengths = (0, 0);
        for run in resolved.regions.runs(region) {
            lengths.0 += if run.op() == CigarOp::Deletion { 0 } else { run.length() };
            lengths.1 += if run.op() == CigarOp::Insertion { 0 } else { run.length() };
        }
        let expected = (region.query_end - region.query_begin, region.end - region.begin);
        assert_eq!(lengths, expected, "read {number}");
    }
    assert!(wrong < 100, "{wrong} wrong");
    assert!(confident > 5_800 && proper > 5_900, "{confident} confident, {proper} proper");
}

#[test]
fn nothing_depends_on_batches_threads_or_mappers() {
    let mut random = fastrand::Rng::with_seed(6);
    let genome = genome(&mut random);
    let pairs = pairs(&mut random, &genome, 1_200);
    let index = index(&genome);
    let mapper = mapper(&index);
    let all = search(&mapper, &pairs, 0);
    let library = library(&mapper, &all);
    let all_single = reported(&mapper, &pairs, &mapper.resolve_unpaired(all.clone()));
    let all = reported(&mapper, &pairs, &mapper.resolve_pairs(mapper.rescue_mates(all, &library)));
    // Two mappers take turns, and each takes what the other has begun.
    let mappers = [mapper.on_device(&Device::Cpu).unwrap(), mapper];
    for (size, threads) in [(1, 1), (7, 3), (300, 2), (600, 1), (1_200, 2)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut paired, mut single) = (Vec::new(), Vec::new());
        for (number, pairs) in pairs.chunks(size).enumerate().take(200) {
            let mapper = &mappers[1 - number % 2];
            let searched = pool.install(|| search(&mappers[number % 2], pairs, number * size));
            single.extend(reported(mapper, pairs, &mapper.resolve_unpaired(searched.clone())));
            let resolved =
                pool.install(|| mapper.resolve_pairs(mapper.rescue_mates(searched, &library)));
            paired.extend(reported(mapper, pairs, &resolved));
        }
        assert_eq!(paired, all[..paired.len()], "batches of {size}");
        assert_eq!(single, all_single[..single.len()], "batches of {size}");
    }
}

/// The shorter part of a split read is a chain that the longer one outscores.
#[test]
fn a_region_that_was_not_compared_has_the_runs_of_its_bases() {
    let mut random = fastrand::Rng::with_seed(8);
    let genome = letters(&mut random, 3_000);
    let index = index(&genome);
    let mapper = mapper(&index);
    let mut read = [&genome[500..590], &genome[2_000..2_060]].concat();
    read[120] = if read[120] == b'A' { b'C' } else { b'A' };
    let ranked = mapper.find_regions(Queries::new([read.as_slice()]), vec![1]);
    let mapped = mapper.resolve_unpaired(ranked);
    let parts = mapped.primary(0).into_iter().chain(mapped.supplementary(0));
    let parts: Vec<Region> = parts.map(|part| mapped.regions.of(0)[part.region]).collect();
    let [longer, shorter] = parts[..] else { panic!("{parts:?}") };
    assert!(longer.is_compared() && !shorter.is_compared());
    assert_eq!(mapper.runs(&mapped.regions, &longer, &read), mapped.regions.runs(&longer));
    assert!(mapped.regions.runs(&shorter).is_empty());
    let place = 120 - shorter.query_begin;
    let expected = [
        CigarRun::new(CigarOp::Equal, place),
        CigarRun::new(CigarOp::Different, 1),
        CigarRun::new(CigarOp::Equal, 150 - 121),
    ];
    assert!((80..=90).contains(&shorter.query_begin), "{shorter:?}");
    assert_eq!(mapper.runs(&mapped.regions, &shorter, &read), expected);
}

#[test]
fn what_cannot_be_mapped_is_unaligned() {
    let mut random = fastrand::Rng::with_seed(7);
    let index = index(&genome(&mut random));
    let mapper = mapper(&index);
    let foreign = letters(&mut random, 100);
    let reads = [&b""[..], b"ACGT", &[b'N'; 100], &foreign];
    let searched = mapper.find_regions(Queries::new(reads), vec![1; 4]);
    let resolved = mapper.resolve_pairs(mapper.rescue_mates(searched, &Library::default()));
    assert_eq!(resolved.primaries, vec![None; 4]);
    let none = mapper.find_regions(Queries::default(), Vec::new());
    assert!(mapper.resolve_unpaired(none).primaries.is_empty());
}

#[test]
fn a_bounded_search_finds_the_same_or_nothing() {
    let reference = Reference::from_records([("a", "A".repeat(3000))]).unwrap();
    let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
    let mapper = Mapper::new(&index, Options::default(), &Device::Cpu).unwrap();
    // More than one task of the pool has, and each read has as many chains as are kept.
    let reads = vec![vec![b'A'; 100]; 600];
    let find = |most| {
        let queries = Queries::new(reads.iter().map(Vec::as_slice));
        mapper.find_few_chains(queries, vec![7; reads.len()], most)
    };
    let rank = |chained| mapper.rank(mapper.align(mapper.plan_alignments(chained)));
    let ranked = rank(find(usize::MAX).unwrap());
    let count = ranked.regions.count();
    assert_eq!(count, 600 * 500);
    for most in [0, 500, count - 1] {
        assert!(find(most).is_none(), "{most}");
    }
    let bounded = rank(find(count).unwrap());
    for read in 0..reads.len() {
        assert_eq!(bounded.regions.of(read), ranked.regions.of(read), "{read}");
    }
}
